//! A class before its tournament: its students, their aliases, and the engines of their
//! submissions.

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
use crate::store::{Store, hash};

/// The files of a class.
pub struct ClassPlaces {
    /// The roster. Paths of submissions are relative to its folder.
    pub roster: PathBuf,
    /// The folder of private files.
    pub private: PathBuf,
    /// The directory of the results, which is public.
    pub public: PathBuf,
}

/// A class with its submissions.
pub struct Class {
    pub(super) places: ClassPlaces,
    pub(super) students: Vec<Student>,
    /// The line of each student in the key file, in the order of the students.
    pub(super) keys: Vec<KeyRow>,
    /// The submission of each student, in the order of the students.
    pub(super) submissions: Vec<StudentSubmission>,
    baselines: Vec<EngineSpec>,
}

impl Class {
    /// Makes a class from the text of its roster.
    ///
    /// # Errors
    /// [`Misuse`], which names the line of the roster; or the private folder is in the public one.
    pub fn read(places: ClassPlaces, roster: &str) -> anyhow::Result<Self> {
        let students = roster::read(roster, &places.roster)?;
        let (inside, outside) = (std::path::absolute(&places.private)?, std::path::absolute(&places.public)?);
        if inside.starts_with(&outside) {
            return Err(Misuse::hinted("--to lies in --out, which is public", "give another --to"));
        }
        Ok(Class { places, students, keys: Vec::new(), submissions: Vec::new(), baselines: Vec::new() })
    }

    /// Adds the engines of a folder, for students to beat.
    ///
    /// # Errors
    /// [`Misuse`] if the folder cannot be read or has an engine that cannot be started.
    pub fn add_baselines(&mut self, folder: &Path) -> anyhow::Result<Vec<&str>> {
        let listing = entrants::listed(folder)?;
        if let Some(broken) = listing.broken.first() {
            return Err(Misuse::misread(&broken.what, &broken.why));
        }
        self.baselines = listing.engines;
        Ok(self.baselines.iter().map(|engine| engine.name.as_str()).collect())
    }

    /// Gives each student an alias: the one drawn before, or a new one. Writes them to the private
    /// folder.
    ///
    /// # Errors
    /// [`Misuse`] if the key file cannot be parsed; or errors of the disk.
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
    /// As [`EngineBuilder::build`]; or errors of the disk.
    pub fn build(&mut self, builder: &EngineBuilder<'_>) -> anyhow::Result<()> {
        let public = &self.places.public;
        let beside = format!("{}-engines", public.file_name().unwrap_or_default().to_string_lossy());
        let home = self.places.roster.parent().unwrap_or(Path::new("."));
        let students = self.students.iter().zip(&self.keys);
        self.submissions = submissions::engines(students, home, &public.with_file_name(beside), builder)?;
        Ok(())
    }

    /// The engines to try: those that have not entered the run in `begun_in` with their present
    /// program.
    ///
    /// # Errors
    /// The run or a program cannot be read.
    pub fn untried(&self, begun_in: &Path) -> anyhow::Result<Vec<EngineSpec>> {
        if !Store::is_in(begun_in) || Store::seed_in(begun_in)?.is_none() {
            return Ok(self.working());
        }
        let run = Store::read(begun_in)?;
        let mut engines = Vec::new();
        for engine in self.working() {
            if !run.has_entered(&engine.name, &hash::of_engine(&engine)?)? {
                engines.push(engine);
            }
        }
        Ok(engines)
    }

    /// Notes the verdict on an engine. An engine that cannot play does not enter.
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

    /// A table of the engines that cannot play, and of those with a lesser fault; `None` if there
    /// are none.
    pub fn remarks(&self) -> Option<String> {
        let row = |one: &StudentSubmission| match (&one.engine, &one.remark) {
            (Err(why), _) => Some(vec![one.alias.clone(), "cannot play".to_owned(), why.clone()]),
            (Ok(_), Some(remark)) => Some(vec![one.alias.clone(), "plays".to_owned(), remark.clone()]),
            (Ok(_), None) => None,
        };
        let rows: Vec<Vec<String>> = self.submissions.iter().filter_map(row).collect();
        (!rows.is_empty()).then(|| columns(&["alias", "", "why"], &rows))
    }

    /// The engines that enter the tournament, with the baselines.
    ///
    /// # Errors
    /// [`Misuse`] if there are fewer than two.
    pub fn engines(&self) -> anyhow::Result<Vec<EngineSpec>> {
        let mut engines = self.working();
        engines.extend(self.baselines.iter().cloned());
        if engines.len() < 2 {
            return Err(Misuse::hinted(
                format!("{} engine(s) can play, but a tournament needs two", engines.len()),
                "mend the submissions that cannot play, or add baselines",
            ));
        }
        Ok(engines)
    }

    fn working(&self) -> Vec<EngineSpec> {
        self.submissions.iter().filter_map(|one| one.engine.as_ref().ok().cloned()).collect()
    }
}
