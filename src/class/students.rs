//! A class before its tournament: who hands in what, under which alias, and which engines that makes.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::aliases;
use super::key::{self, KeyRow};
use super::roster::{self, Student};
use super::submissions::{self, StudentSubmission};
use crate::check::tryout::TryoutVerdict;
use crate::config::Misuse;
use crate::engine::program::display_path;
use crate::engine::spec::EngineSpec;
use crate::entrants::{self, EngineBuilder};
use crate::report::columns::columns;
use crate::store::Store;

/// Where a class has its files.
pub struct ClassPlaces {
    /// The roster. Paths of submissions are relative to its folder.
    pub roster: PathBuf,
    /// The folder for what is not public.
    pub private: PathBuf,
    /// The directory of the results, which is public.
    pub public: PathBuf,
}

/// A class and what it hands in.
pub struct Class {
    pub(super) places: ClassPlaces,
    pub(super) students: Vec<Student>,
    /// The line of each student in the key file, in their order.
    pub(super) keys: Vec<KeyRow>,
    /// What each student has handed in, in their order.
    pub(super) submissions: Vec<StudentSubmission>,
    baselines: Vec<EngineSpec>,
}

impl Class {
    /// A class with this text of its roster.
    ///
    /// # Errors
    /// [`Misuse`], which names the line of the roster; or the private folder would be public.
    pub fn read(places: ClassPlaces, roster: &str) -> anyhow::Result<Self> {
        let students = roster::read(roster, &places.roster)?;
        let (inside, outside) = (std::path::absolute(&places.private)?, std::path::absolute(&places.public)?);
        if inside.starts_with(&outside) {
            return Err(Misuse::hinted("--to lies in --out, which is public", "give another --to"));
        }
        Ok(Class { places, students, keys: Vec::new(), submissions: Vec::new(), baselines: Vec::new() })
    }

    /// Lets the engines of a folder play along, to be beaten.
    ///
    /// # Errors
    /// [`Misuse`], when the folder cannot be read or holds an engine that cannot be started.
    pub fn add_baselines(&mut self, folder: &Path) -> anyhow::Result<()> {
        let listing = entrants::listed(folder)?;
        if let Some(broken) = listing.broken.first() {
            return Err(Misuse::misread(&broken.what, &broken.why));
        }
        self.baselines = listing.engines;
        Ok(())
    }

    /// Gives each student an alias: the one that was drawn before, or a new one. Keeps them in the private folder.
    ///
    /// # Errors
    /// [`Misuse`], when the key file is none; or the disk's own.
    pub fn draw_aliases(&mut self, seed: u64) -> anyhow::Result<()> {
        let private = &self.places.private;
        fs::create_dir_all(private).with_context(|| format!("cannot make {}", display_path(private)))?;
        let path = private.join("key.csv");
        let mut keys = if path.exists() { key::read_key(&key::read(&path)?, &path)? } else { Vec::new() };
        let has_none = |student: &&Student| !keys.iter().any(|key| key.id == student.id);
        let fresh: Vec<&Student> = self.students.iter().filter(has_none).collect();
        let ids: Vec<String> = fresh.iter().map(|student| student.id.clone()).collect();
        let baselines = self.baselines.iter().map(|engine| engine.name.clone());
        let taken: Vec<String> = baselines.chain(keys.iter().map(|key| key.alias.clone())).collect();
        let secret = key::secret(&private.join("key.secret"))?;
        for (student, alias) in fresh.into_iter().zip(aliases::draw(&ids, &taken, seed, secret)) {
            let (id, name, mail) = (student.id.clone(), student.name.clone(), student.mail.clone());
            keys.push(KeyRow { alias, id, name, mail });
        }
        key::write(&path, &keys)?;
        let of = |student: &Student| {
            keys.iter().find(|key| key.id == student.id).expect("every student has an alias").clone()
        };
        self.keys = self.students.iter().map(of).collect();
        Ok(())
    }

    /// Makes an engine of each student's newest submission, in a folder beside the results.
    ///
    /// # Errors
    /// As [`EngineBuilder::build`]; or the disk's own.
    pub fn build(&mut self, builder: &EngineBuilder<'_>) -> anyhow::Result<()> {
        let public = &self.places.public;
        let beside = format!("{}-engines", public.file_name().unwrap_or_default().to_string_lossy());
        let home = self.places.roster.parent().unwrap_or(Path::new("."));
        let students = self.students.iter().zip(&self.keys);
        self.submissions = submissions::engines(students, home, &public.with_file_name(beside), builder)?;
        Ok(())
    }

    /// The engines that are to be tried: those that have not entered the run in `begun_in`, for which they were tried.
    ///
    /// # Errors
    /// The run cannot be read.
    pub fn untried(&self, begun_in: &Path) -> anyhow::Result<Vec<EngineSpec>> {
        let entered = if Store::is_in(begun_in) { Store::read(begun_in)?.entrants()? } else { Vec::new() };
        let mut engines = self.working();
        engines.retain(|engine| !entered.contains(&engine.name));
        Ok(engines)
    }

    /// Notes what has come of trying an engine. One that surely cannot play does not enter.
    pub fn note(&mut self, alias: &str, verdict: TryoutVerdict) {
        let Some(one) = self.submissions.iter_mut().find(|one| one.alias == alias) else { return };
        match verdict {
            TryoutVerdict::Plays => {}
            TryoutVerdict::Doubtful(why) => {
                let before = one.remark.take().map(|before| format!("{before}; "));
                one.remark = Some(before.unwrap_or_default() + &why);
            }
            TryoutVerdict::Cannot(why) => one.engine = Err(format!("it failed when it was tried: {why}")),
        }
    }

    /// A table of those that cannot play and of those with a lesser fault, if there are any.
    pub fn remarks(&self) -> Option<String> {
        let row = |one: &StudentSubmission| match (&one.engine, &one.remark) {
            (Err(why), _) => Some(vec![one.alias.clone(), "cannot play".to_owned(), why.clone()]),
            (Ok(_), Some(remark)) => Some(vec![one.alias.clone(), "plays".to_owned(), remark.clone()]),
            (Ok(_), None) => None,
        };
        let rows: Vec<Vec<String>> = self.submissions.iter().filter_map(row).collect();
        (!rows.is_empty()).then(|| columns(&["alias", "", "why"], &rows))
    }

    /// The engines that enter the tournament, with those to be beaten.
    ///
    /// # Errors
    /// [`Misuse`], when there are fewer than two.
    pub fn engines(&self) -> anyhow::Result<Vec<EngineSpec>> {
        let mut engines = self.working();
        engines.extend(self.baselines.iter().cloned());
        if engines.len() < 2 {
            return Err(Misuse::error(format!(
                "{} engine(s) can play, and a tournament needs two",
                engines.len()
            )));
        }
        Ok(engines)
    }

    fn working(&self) -> Vec<EngineSpec> {
        self.submissions.iter().filter_map(|one| one.engine.as_ref().ok().cloned()).collect()
    }
}
