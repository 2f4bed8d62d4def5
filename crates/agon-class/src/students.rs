//! A class before its tournament: its students, their aliases, and the engines of their
//! submissions.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agon_config::Misuse;
use agon_pages::report::columns::columns;
use agon_printable::clean;
use agon_programs::machine_fault::{MachineFaults, NoEngine};
use agon_programs::program::display_path;
use agon_programs::spec::EngineSpec;
use agon_store::{Store, hash};
use agon_tournament::entrants::{self, EngineBuilder};
use agon_tournament::tryout::TryoutVerdict;
use anyhow::Context;

use super::aliases;
use super::answer_words::{self, IN_TIME};
use super::answers::Answers;
use super::assignment::{self, Assignment, CommandWith};
use super::claims::IntakeClaim;
use super::extracted::UnpackLimits;
use super::forms::GradeForms;
use super::gradebook::GradebookEntry;
use super::handed_in::LearningSystem;
use super::intake::{Intake, StudentState};
use super::key::{self, KeyRow};
use super::late::{self, LateStudent};
use super::private;
use super::regrading;
use super::roster::{self, Student};
use super::similar::{self, Compared};
use super::submissions::{self, EngineTerms, StudentSubmission};
use super::written_time::{TimeSource, shown_time};

/// The files of a class.
pub struct ClassPlaces {
    /// The roster. Paths of submissions are relative to its folder.
    pub roster: PathBuf,
    /// The folder of private files.
    pub private: PathBuf,
    /// The directory of the results, which has aliases only.
    pub public: PathBuf,
}

/// A class with its submissions.
pub struct Class {
    pub(super) places: ClassPlaces,
    pub(super) students: Vec<Student>,
    /// Which columns of the roster are ignored, if any are.
    pub roster_remark: Option<String>,
    /// The line of each student in the key file, in the order of the students.
    pub(super) keys: Vec<KeyRow>,
    /// The submission of each student, in the order of the students.
    pub(super) submissions: Vec<StudentSubmission>,
    pub(super) baselines: Vec<EngineSpec>,
    /// The aliases of students who are graded late.
    late: BTreeSet<String>,
    /// The list of these students. It is kept when the grades are written.
    pub(super) late_list: Vec<LateStudent>,
    /// What was handed in, in the order of the first rows of the intake.
    pub(super) claims: Vec<IntakeClaim>,
    /// The system of the download, if there is one.
    pub(super) system: Option<LearningSystem>,
    /// Who has handed in what, and what is open.
    pub(super) intake: Intake,
    /// What the teacher has answered.
    pub(super) answers: Answers,
    /// The aliases of the engines that were tried.
    pub(super) tried: BTreeSet<String>,
}

impl Class {
    /// Makes a class from the text of its roster, which names no submissions if `has_download`.
    ///
    /// # Errors
    /// [`Misuse`], which names the line of the roster; or the private folder is in that of the
    /// results.
    pub fn read(places: ClassPlaces, roster: &str, has_download: bool) -> anyhow::Result<Self> {
        let (students, roster_remark) = roster::read(roster, &places.roster, has_download)?;
        let (inside, outside) = (std::path::absolute(&places.private)?, std::path::absolute(&places.public)?);
        if inside.starts_with(&outside) {
            return Err(Misuse::hinted("--to lies in --out, which is to have no names", "give another --to"));
        }
        Ok(Class {
            places,
            students,
            roster_remark,
            keys: Vec::new(),
            submissions: Vec::new(),
            baselines: Vec::new(),
            late: BTreeSet::new(),
            late_list: Vec::new(),
            claims: Vec::new(),
            system: None,
            intake: Intake::default(),
            answers: Answers::default(),
            tried: BTreeSet::new(),
        })
    }

    /// For each gradebook that is to be filled in, the column by which its rows are found.
    ///
    /// # Errors
    /// A gradebook has no row for any student.
    pub fn check(&self, forms: &GradeForms) -> anyhow::Result<Vec<String>> {
        let entry = |student: &Student| GradebookEntry {
            id: student.id.clone(),
            mail: student.mail.clone(),
            team: student.team,
            grade: Some(0.0),
            feedback: String::new(),
        };
        let entries: Vec<GradebookEntry> = self.students.iter().map(entry).collect();
        forms.check(&self.students, &entries)
    }

    /// Adds the engines of a folder, for students to beat.
    ///
    /// # Errors
    /// [`Misuse`] if the folder cannot be read or has an engine that cannot be started.
    pub fn add_baselines(&mut self, folder: &Path) -> anyhow::Result<Vec<&str>> {
        let listing = entrants::listed(folder, None)?;
        if let Some(broken) = listing.broken.first() {
            return Err(Misuse::misread(&broken.what, &broken.why));
        }
        self.baselines = listing.engines;
        Ok(self.baselines.iter().map(|engine| engine.name.as_str()).collect())
    }

    /// How many of these engines are neither a submission that the roster names nor a baseline.
    pub fn count_others(&self, engines: &[EngineSpec]) -> usize {
        let home = self.places.roster.parent().unwrap_or(Path::new("."));
        let lines = self.students.iter().flat_map(|student| &student.lines);
        let named = lines.filter(|line| !line.path.is_empty()).map(|line| home.join(&line.path));
        let known: BTreeSet<PathBuf> = (named
            .chain(self.baselines.iter().map(|engine| engine.source.clone())))
        .filter_map(|path| path.canonicalize().ok())
        .collect();
        // The roster may name the folder of an engine, or a file in it.
        let is_other = |engine: &&EngineSpec| {
            let place = engine.source.canonicalize().unwrap_or_else(|_| engine.source.clone());
            !known.iter().any(|path| path.starts_with(&place))
        };
        engines.iter().filter(is_other).count()
    }

    /// Checks that the grades in the private folder are of this assignment. With `regrade` it may
    /// have another highest grade or date. `again` makes the command for another folder.
    ///
    /// # Errors
    /// [`Misuse`], which names what differs.
    pub fn is_of(
        &self,
        assignment: &Assignment,
        regrade: bool,
        again: CommandWith<'_>,
    ) -> anyhow::Result<()> {
        assignment.fits(&self.places.private, regrade, again)
    }

    /// Checks that every submission that the roster names is there.
    ///
    /// # Errors
    /// [`Misuse`], which names the line and the path.
    pub fn submissions_exist(&self) -> anyhow::Result<()> {
        roster::all_exist(&self.students, &self.places.roster)
    }

    /// Checks that no student with a written grade is missing from the roster. The games of such a
    /// student would count no more, even if the new grades were refused afterwards.
    ///
    /// # Errors
    /// [`Misuse`], with the students; or errors of the disk.
    pub fn all_are_here(&self) -> anyhow::Result<()> {
        let ids: Vec<&str> = self.students.iter().map(|student| student.id.as_str()).collect();
        match regrading::missing(&self.places.private, &ids)? {
            None => Ok(()),
            Some(table) => Err(Misuse::hinted(
                format!(
                    "{}: students who have grades are missing; nothing is changed\n{}",
                    display_path(&self.places.roster),
                    table.trim_end()
                ),
                "give their lines back, or --regrade to grade without them; for another class give another --to and \
                 --out",
            )),
        }
    }

    /// Gives each student an alias: the one drawn before, or a new one. Writes them to the private
    /// folder; while questions are open, an earlier file stays, unless the intake is `accepted`:
    /// who is a team may depend on the answers. Names and addresses are always those of the roster.
    /// Returns a remark if the earlier file has others.
    ///
    /// # Errors [`Misuse`] if the key file cannot be parsed; or errors of the disk.
    pub fn draw_aliases(&mut self, seed: u64, accepted: bool) -> anyhow::Result<Option<String>> {
        let private = &self.places.private;
        private::make(private).with_context(|| format!("cannot make {}", display_path(private)))?;
        let path = private.join("key.csv");
        let mut keys = if path.exists() { key::read_key(&key::read(&path)?, &path)? } else { Vec::new() };
        let alias_of = |keys: &[KeyRow], student: &Student| {
            keys.iter().find(|key| key.id == student.id).map(|key| key.alias.clone())
        };
        // A team has the alias of its first student, unless it is one of another team of today.
        let mut drawn: Vec<(usize, String)> = Vec::new();
        let mut fresh: Vec<usize> = Vec::new();
        for team in self.teams() {
            match alias_of(&keys, &self.students[team]) {
                Some(alias) if !drawn.iter().any(|(_, other)| *other == alias) => drawn.push((team, alias)),
                _ => fresh.push(team),
            }
        }
        let ids: Vec<String> = fresh.iter().map(|team| self.students[*team].id.clone()).collect();
        let baselines = self.baselines.iter().map(|engine| engine.name.clone());
        let taken: Vec<String> = baselines.chain(keys.iter().map(|key| key.alias.clone())).collect();
        let secret = key::secret(&private.join("key.secret"))?;
        drawn.extend(fresh.into_iter().zip(aliases::draw(&ids, &taken, seed, secret)));
        let row = |student: &Student| {
            let alias = drawn.iter().find(|(team, _)| *team == student.team).map(|(_, alias)| alias.clone());
            let alias = alias.expect("every team has an alias");
            let (id, name, mail) = (student.id.clone(), student.name.clone(), student.mail.clone());
            KeyRow { alias, id, name, mail }
        };
        self.keys = self.students.iter().map(row).collect();
        let mut changed = Vec::new();
        for row in &self.keys {
            match keys.iter_mut().find(|key| key.id == row.id) {
                Some(known) => {
                    if (&known.name, &known.mail) != (&row.name, &row.mail) {
                        changed.push(format!("{}, before {}", clean(&row.told()), clean(&known.told())));
                    }
                    known.clone_from(row);
                }
                None => keys.push(row.clone()),
            }
        }
        if !path.exists() || accepted || self.intake.questions.is_empty() {
            key::write(&path, &keys)?;
        }
        Ok((!changed.is_empty()).then(|| {
            let roster = display_path(&self.places.roster);
            let changed = changed.join("\n  ");
            format!(
                "{roster}: names or addresses are other ones than before, and count from now on:\n  {changed}"
            )
        }))
    }

    /// The line of each student in the key file, in the order of the roster. A team has one alias.
    pub fn keys(&self) -> &[KeyRow] {
        &self.keys
    }

    /// Grades these students late, and those who were graded late before. `needs_time` says whether
    /// it matters when their submissions were handed in. Nothing is written yet: a grading that is
    /// refused must not change who is graded late.
    ///
    /// # Errors
    /// [`Misuse`] if one is not in the roster or has no time, or the list cannot be parsed or read.
    pub fn take_late(&mut self, asked: &[LateStudent], needs_time: bool) -> anyhow::Result<()> {
        self.late_list = late::listed(&self.places.private, asked)?;
        for late in &self.late_list {
            let Some(index) = self.late_student(late)? else { continue };
            let team = self.students[index].team;
            let student = &mut self.students[team];
            if late.submitted.is_some() {
                let is_asked = asked.iter().any(|one| one.id == late.id && one.submitted.is_some());
                if !is_asked
                    && matches!(student.submitted_from, TimeSource::Roster | TimeSource::Use)
                    && student.submitted != late.submitted
                {
                    let [own, other] = [late.submitted, student.submitted]
                        .map(|moment| moment.map_or_else(|| IN_TIME.to_owned(), shown_time));
                    let (id, path) = (clean(&late.id), display_path(&self.places.private.join(late::FILE)));
                    return Err(Misuse::hinted(
                        format!(
                            "{path}: {id} was handed in at {own}, but {other} is written in {}",
                            student.submitted_from.words()
                        ),
                        format!(
                            "give --late {id}=TIME with the right time, and write the same in both places"
                        ),
                    ));
                }
                (student.submitted, student.submitted_from) = (late.submitted, TimeSource::Late);
            }
            if needs_time && student.submitted.is_none() {
                let id = clean(&late.id);
                let from = if asked.iter().any(|asked| asked.id == late.id) {
                    format!("--late {id}")
                } else {
                    format!("{}: {id}", display_path(&self.places.private.join(late::FILE)))
                };
                return Err(Misuse::hinted(
                    format!("{from}: the time at which it was handed in is not known"),
                    format!("give --late {id}=2026-11-20T23:59, or a column submitted in the roster"),
                ));
            }
            self.late.insert(self.keys[index].alias.clone());
        }
        Ok(())
    }

    /// The student who is graded late; `None` if the list has one who has left the roster, and has
    /// no grade.
    fn late_student(&self, late: &LateStudent) -> anyhow::Result<Option<usize>> {
        let Some(line) = late.line else {
            let found = self.students.iter().position(|student| student.id == late.id);
            return found.map(Some).ok_or_else(|| {
                let what = format!("--late {}: the roster has no such id", clean(&late.id));
                Misuse::hinted(what, "give an id of the roster")
            });
        };
        let why = match answer_words::student_of(&late.id, None, &self.students) {
            Ok(index) => return Ok(Some(index)),
            Err(why) => why,
        };
        let path = self.places.private.join("key.csv");
        let known = if path.exists() { key::read_key(&key::read(&path)?, &path)? } else { Vec::new() };
        if known.iter().any(|known| known.id == late.id)
            && !self.students.iter().any(|student| student.id == late.id)
        {
            return Ok(None);
        }
        let path = display_path(&self.places.private.join(late::FILE));
        Err(Misuse::hinted(
            format!("{path}: line {line}: column id: {} {why}", clean(&late.id)),
            "write the id as it is in the roster, or remove the line and give --late ID",
        ))
    }

    /// The engines of the students who are graded late.
    pub fn late_engines(&self) -> Vec<EngineSpec> {
        let mut engines = self.working();
        engines.retain(|engine| self.late.contains(&engine.name));
        engines
    }

    /// The most engines that can enter the tournament.
    pub fn most_entrants(&self) -> usize {
        self.teams().len() + self.baselines.len()
    }

    /// The names of the baselines.
    pub fn baselines(&self) -> impl Iterator<Item = &str> {
        self.baselines.iter().map(|engine| engine.name.as_str())
    }

    /// The folder of the engines, beside the results.
    fn engines_folder(&self) -> PathBuf {
        let public = &self.places.public;
        let beside = format!("{}-engines", public.file_name().unwrap_or_default().to_string_lossy());
        public.with_file_name(beside)
    }

    /// The indices of the students who are the first of their teams.
    pub(super) fn teams(&self) -> Vec<usize> {
        (0..self.students.len()).filter(|index| self.students[*index].team == *index).collect()
    }

    /// Makes an engine of each student's submission that counts, in a folder beside the results.
    /// Each build has at most `bound`.
    ///
    /// # Errors As [`EngineBuilder::build_all`]; or errors of the disk.
    pub fn build(&mut self, bound: Duration, builder: &EngineBuilder<'_>) -> anyhow::Result<()> {
        let folder = self.engines_folder();
        // The paths of submissions are absolute.
        let roster = std::path::absolute(&self.places.roster)?;
        let home = roster.parent().unwrap_or(Path::new("/"));
        let teams: Vec<(&Student, &KeyRow)> =
            self.teams().into_iter().map(|team| (&self.students[team], &self.keys[team])).collect();
        let terms = EngineTerms { to: &folder, bound, limits: UnpackLimits::SUBMISSION, in_pool: false };
        let made = submissions::engines(&teams, home, &terms, builder)?;
        let of = |key: &KeyRow| made.iter().find(|one| one.alias == key.alias).cloned();
        self.submissions = self.keys.iter().filter_map(of).collect();
        Ok(())
    }

    /// Lists the submissions that are equal or nearly equal in the private folder. Returns a remark
    /// if there are any.
    ///
    /// # Errors
    /// The list cannot be written.
    pub fn compare(&self) -> anyhow::Result<Option<String>> {
        let compared = |(index, (student, one)): (usize, (&Student, &StudentSubmission))| {
            let is_first = student.team == index && one.folder.is_dir();
            is_first.then(|| Compared {
                id: student.id.clone(),
                name: student.name.clone(),
                folder: one.folder.clone(),
            })
        };
        let all: Vec<Compared> =
            self.students.iter().zip(&self.submissions).enumerate().filter_map(compared).collect();
        let (text, pairs) = similar::csv(&all)?;
        let path = self.places.private.join("similar.csv");
        private::write_text(&path, &text)?;
        Ok((pairs > 0).then(|| {
            let path = display_path(&path);
            let pairs = if pairs == 1 {
                "1 pair of submissions is".to_owned()
            } else {
                format!("{pairs} pairs of submissions are")
            };
            format!("{path}: {pairs} equal or nearly equal; that is a hint, not a proof")
        }))
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

    /// Whether no program plays well of those that were tried now, before anything was played, and
    /// the machine is not at fault: in a game that nobody has named, perhaps another one was meant.
    ///
    /// # Errors
    /// The run cannot be read.
    pub fn fails_as_a_whole(&self, begun_in: &Path, tried: &[TryoutVerdict]) -> anyhow::Result<bool> {
        let has_begun = Store::is_in(begun_in) && Store::seed_in(begun_in)?.is_some();
        let is_of_machine = |one: &StudentSubmission| matches!(one.engine, Err(NoEngine::Machine(_)));
        let fail = !tried.is_empty() && !tried.contains(&TryoutVerdict::Plays);
        Ok(!has_begun && fail && !self.submissions.iter().any(is_of_machine))
    }

    /// Refuses engines whose `engine.toml` lists other games than this one.
    pub fn refuse_other_games(&mut self, game: &str) {
        self.submissions.iter_mut().for_each(|one| one.refuse_other_game(game));
    }

    /// Lets what this machine could not build or try count as what does not work, where the teacher
    /// has said so.
    pub fn take_faults_as_answered(&mut self) {
        for index in self.teams() {
            let members = self.members(index);
            let Some(at) = members.iter().find_map(|member| self.intake.counted[*member]) else { continue };
            if !self.answers.fails(at, &members) {
                continue;
            }
            let alias = &self.keys[index].alias;
            for one in self.submissions.iter_mut().filter(|one| one.alias == *alias) {
                if let Err(NoEngine::Machine(fault)) = &one.engine {
                    one.engine = Err(NoEngine::Author(fault.to_string()));
                }
            }
        }
    }

    /// The indices of the students of a team.
    pub(super) fn members(&self, team: usize) -> Vec<usize> {
        (0..self.students.len()).filter(|index| self.students[*index].team == team).collect()
    }

    /// Notes the verdict on an engine. An engine that cannot play does not enter.
    pub fn note(&mut self, alias: &str, verdict: &TryoutVerdict) {
        self.tried.insert(alias.to_owned());
        // Each student of a team has the team's submission.
        for one in self.submissions.iter_mut().filter(|one| one.alias == alias) {
            one.note(verdict);
        }
    }

    /// A table of the engines that cannot play, and of those with a lesser fault; `None` if there
    /// are none.
    pub fn remarks(&self) -> Option<String> {
        let row = |(team, one): (usize, &StudentSubmission)| match (&one.engine, &one.remark) {
            (Err(NoEngine::Author(why)), _) => {
                let of_grading = self.members(team).into_iter().map(|index| self.state(index));
                let of_grading = of_grading.into_iter().find(|state| *state != StudentState::HandedIn);
                let (what, why) =
                    of_grading.map_or(("cannot play", why.as_str()), |state| (state.word(), state.why()));
                Some(vec![one.alias.clone(), what.to_owned(), why.to_owned()])
            }
            (Err(NoEngine::Machine(fault)), _) => {
                Some(vec![one.alias.clone(), "machine's fault".to_owned(), fault.to_string()])
            }
            (Ok(_), Some(remark)) => Some(vec![one.alias.clone(), "plays".to_owned(), remark.clone()]),
            (Ok(_), None) => None,
        };
        let rows: Vec<Vec<String>> = self.teams().into_iter().zip(self.of_teams()).filter_map(row).collect();
        (!rows.is_empty()).then(|| columns(&["alias", "", "why"], &rows))
    }

    /// Goes on if this machine could build and try every submission.
    ///
    /// # Errors
    /// [`MachineFaults`], with the aliases: nobody knows whether these submissions work.
    pub fn machine_was_fit(&self) -> anyhow::Result<()> {
        let mut faults = MachineFaults::default();
        for one in self.of_teams() {
            if let Err(NoEngine::Machine(fault)) = &one.engine {
                faults.add(fault, &one.alias);
            }
        }
        let instead = "write does not work into column use of a student whose own fault it is";
        Ok(faults.or_else(instead).none()?)
    }

    /// The engines that enter the tournament, which begins or has begun in this directory, with the
    /// baselines. A student who is graded late enters with the program with which the written
    /// grades were made, if any was there; what was played since was perhaps refused.
    ///
    /// # Errors
    /// [`Misuse`] if there are fewer than two, or a program is gone; or the run cannot be read.
    pub fn engines(&self, begun_in: &Path) -> anyhow::Result<Vec<EngineSpec>> {
        let mut engines = self.working();
        engines.retain(|engine| !self.late.contains(&engine.name));
        if !self.late.is_empty() && Store::is_in(begun_in) {
            let run = Store::read(begun_in)?;
            let graded = assignment::programs(&self.places.private);
            let entered = match &graded {
                Some(programs) => programs.keys().cloned().collect(),
                None => run.entrants()?,
            };
            for alias in self.late.iter().filter(|alias| entered.contains(alias)) {
                let folder = self.engines_folder();
                let earlier = submissions::earlier(&folder, alias, |hash| match &graded {
                    Some(programs) => Ok(programs.get(alias).is_some_and(|own| own == hash)),
                    None => run.has_entered(alias, hash),
                })?;
                let Some(engine) = earlier else {
                    let folder = display_path(&folder.join(alias));
                    let what = format!("the program with which {alias} has played is no longer in {folder}");
                    return Err(Misuse::hinted(what, "restore it, or remove the student from late.csv"));
                };
                engines.push(engine);
            }
        }
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
        self.of_teams().filter_map(|one| one.engine.as_ref().ok().cloned()).collect()
    }

    /// The submission of each team, once.
    fn of_teams(&self) -> impl Iterator<Item = &StudentSubmission> {
        let all = self.students.iter().zip(&self.submissions).enumerate();
        all.filter(|(index, (student, _))| student.team == *index).map(|(_, (_, submission))| submission)
    }
}
