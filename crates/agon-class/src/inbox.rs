//! The work in the folder of submissions. Finds the student of each archive, and builds it. Enters
//! what passes its check into the folder of engines that a night plays.
//!
//! An archive is claimed by a rename before anything is done with it. So a process that is killed
//! finds it again, and an archive that comes in the meantime is another one.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use agon_config::Misuse;
use agon_export::atomic;
use agon_inbox::{Accepted, AnsweredSubmission, Inbox, MOST_BYTES};
use agon_printable::{escape, harmless};
use agon_programs::build;
use agon_programs::machine_fault::{MachineFault, MachineFaults, NoEngine};
use agon_programs::program::display_path;
use agon_programs::spec::EngineSpec;
use agon_tournament::entrants::{self, EngineBuilder};
use agon_tournament::tryout::TryoutVerdict;
use anyhow::Context;
use chrono::{DateTime, Local};

use super::build_memory;
use super::extracted::UnpackLimits;
use super::handed_in::{self, LearningSystem};
use super::inbox_strangers;
use super::key::KeyRow;
use super::person_finder::{self, GroupsOfNames};
use super::private;
use super::roster::Student;
use super::students::Class;
use super::submissions::{self, EngineTerms, StudentSubmission};

/// How many submissions are built and tried together. Those behind them see their place in the
/// queue.
const MOST_AT_ONCE: usize = 4;
/// How many lines an author's log keeps.
const MOST_LINES: usize = 200;

/// The folder of submissions of a class, with the folder of engines that it fills.
pub struct ClassInbox {
    class: Class,
    inbox: Inbox,
    pool: PathBuf,
    versions: PathBuf,
    settle: Duration,
    /// What waits because this machine could not build or try it.
    put_off: RefCell<BTreeMap<PathBuf, PutOff>>,
    /// The last submission of each team that was refused by this process.
    refused: RefCell<BTreeMap<usize, RefusedNewest>>,
    /// Which names and addresses of the roster have changed, if any have.
    pub changed: Option<String>,
}

/// A submission that waits for the machine.
struct PutOff {
    since: Instant,
    fault: MachineFault,
    alias: String,
}

/// A submission that was refused, while an older one waited.
struct RefusedNewest {
    when: SystemTime,
    archive: String,
}

/// A submission in work.
pub struct ClaimedSubmission {
    alias: String,
    team: usize,
    path: PathBuf,
    /// The name under which it came, escaped.
    archive: String,
    version: String,
    when: SystemTime,
    /// What the author brought before, and is not needed if this one passes.
    before: Vec<Waiting>,
}

/// A submission that was built, or could not be.
pub struct MadeSubmission {
    claimed: ClaimedSubmission,
    made: StudentSubmission,
    /// Whether its folder was there before: a night may play from it.
    was_there: bool,
}

impl MadeSubmission {
    /// Its engine, if there is one to be tried.
    pub fn engine(&self) -> Option<&EngineSpec> {
        self.made.engine.as_ref().ok()
    }

    /// Refuses an engine whose `engine.toml` lists other games than this one.
    pub fn refuse_other_game(&mut self, game: &str) {
        self.made.refuse_other_game(game);
    }

    /// Notes the verdict on its engine.
    pub fn note(&mut self, verdict: &TryoutVerdict) {
        match verdict {
            // No game of a night can be taken back, and it is no fault of its author.
            TryoutVerdict::Untried(why) => self.made.refuse(MachineFault::Short(why.clone()).into()),
            other => self.made.note(other),
        }
    }
}

/// A file that waits.
struct Waiting {
    team: usize,
    path: PathBuf,
    /// The name under which it came.
    archive: String,
    /// The name as its author knows it, from which its kind is told.
    name: String,
    when: SystemTime,
    /// Whether it may be what was brought before, once more.
    may_be_old: bool,
}

/// Where the versions of the engines in a folder lie, which the folder leads to.
fn versions_beside(pool: &Path) -> PathBuf {
    pool.with_file_name(format!("{}-versions", pool.file_name().unwrap_or_default().to_string_lossy()))
}

/// Whether `agon inbox` enters submissions into this folder of engines.
pub fn is_filled_by_inbox(pool: &Path) -> bool {
    pool.canonicalize().is_ok_and(|pool| versions_beside(&pool).is_dir())
}

/// Whether an engine came by `agon inbox`. Its path may be that of the link or of what it leads to.
pub fn came_by_inbox(source: &Path) -> bool {
    let versions_of = |folder: &Path| {
        let name = folder.file_name()?.to_str()?.strip_suffix("-versions")?;
        Some(folder.with_file_name(name))
    };
    source.ancestors().skip(1).any(|folder| {
        is_filled_by_inbox(folder) || versions_of(folder).is_some_and(|pool| is_filled_by_inbox(&pool))
    })
}

impl ClassInbox {
    /// Opens the folder for a class whose aliases are drawn. A file that somebody else brings is
    /// left alone until it has not changed for `settle`.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn open(
        mut class: Class,
        inbox: Inbox,
        pool: &Path,
        settle: Duration,
        seed: u64,
    ) -> anyhow::Result<Self> {
        inbox.make().with_context(|| format!("cannot make {}", display_path(inbox.root())))?;
        fs::create_dir_all(pool).with_context(|| format!("cannot make {}", display_path(pool)))?;
        let pool = pool.canonicalize().with_context(|| format!("cannot read {}", display_path(pool)))?;
        // No student gets the name of an engine that is there.
        class.baselines = entrants::listed(&pool, None)?.engines;
        let changed = class.draw_aliases(seed, false)?;
        let versions = versions_beside(&pool);
        private::make_top(&versions).with_context(|| format!("cannot make {}", display_path(&versions)))?;
        let (put_off, refused) = Default::default();
        Ok(ClassInbox { class, inbox, pool, versions, settle, put_off, refused, changed })
    }

    /// The next submissions that are whole, in the order of their arrival; of several of a student
    /// the newest, and an older one if that was refused. What waits for the machine is taken again
    /// after `retry`. Calls `tell` with a line about each file that belongs to nobody.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn claim(
        &self,
        retry: Option<Duration>,
        tell: &dyn Fn(&str),
    ) -> anyhow::Result<Vec<ClaimedSubmission>> {
        let mut waiting = self.waiting(tell)?;
        waiting.sort_by(|one, other| (one.when, &one.path).cmp(&(other.when, &other.path)));
        let mut newest: Vec<(Waiting, Vec<Waiting>)> = Vec::new();
        for one in waiting {
            let before = match newest.iter().position(|(other, _)| other.team == one.team) {
                Some(at) => {
                    let (older, mut before) = newest.remove(at);
                    before.push(older);
                    before
                }
                None => Vec::new(),
            };
            newest.push((one, before));
        }
        let alias = |(one, _): &(Waiting, Vec<Waiting>)| self.class.keys[one.team].alias.clone();
        self.inbox.write_queue(&newest.iter().map(alias).collect::<Vec<_>>())?;
        let mut claimed = Vec::new();
        for (one, before) in newest {
            if claimed.len() == MOST_AT_ONCE {
                break;
            }
            let put_off = self.put_off.borrow();
            let is_due = |put_off: &PutOff| retry.is_some_and(|retry| put_off.since.elapsed() >= retry);
            if put_off.get(&one.path).is_none_or(is_due) {
                drop(put_off);
                claimed.extend(self.take(&one, before)?);
            }
        }
        Ok(claimed)
    }

    /// The faults of this machine for which submissions wait.
    pub fn machine_faults(&self) -> MachineFaults {
        let mut faults = MachineFaults::default();
        self.put_off.borrow().values().for_each(|one| faults.add(&one.fault, &one.alias));
        faults
    }

    /// Whether files are there that are still being written.
    pub fn waits_for_more(&self) -> bool {
        !self.inbox.brought().is_empty() || !self.inbox.uploaded().is_empty()
    }

    fn waiting(&self, tell: &dyn Fn(&str)) -> anyhow::Result<Vec<Waiting>> {
        let mut all = Vec::new();
        let name_of = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for team in self.class.teams() {
            // An earlier process was killed at work.
            for (path, when) in self.inbox.in_work(&self.class.keys[team].alias) {
                let name = name_of(&path);
                all.push(Waiting { team, path, archive: name.clone(), name, when, may_be_old: false });
            }
        }
        for (path, when) in self.inbox.uploaded() {
            let name = name_of(&path);
            let alias = name.split('.').next().unwrap_or_default();
            match self.team_of_alias(alias) {
                Some(team) => {
                    all.push(Waiting { team, path, archive: name.clone(), name, when, may_be_old: false });
                }
                None => {
                    let why = "is of an alias that is not in the roster any more";
                    self.refuse_stranger(&path, why, tell)?;
                }
            }
        }
        let now = SystemTime::now();
        for (path, when) in self.inbox.brought() {
            if now.duration_since(when).unwrap_or_default() < self.settle {
                continue;
            }
            let archive = name_of(&path);
            match self.whose(&archive) {
                Ok((team, name)) => {
                    all.push(Waiting { team, path, archive, name, when, may_be_old: true });
                }
                Err(why) => self.refuse_stranger(&path, &why, tell)?,
            }
        }
        Ok(all)
    }

    /// The team of a file by its name, and the name as its author knows it.
    fn whose(&self, name: &str) -> Result<(usize, String), String> {
        use LearningSystem::{Brightspace, Canvas, Moodle, Plain};
        if let Some(team) = name.split('.').next().and_then(|alias| self.team_of_alias(alias)) {
            return Ok((team, name.to_owned()));
        }
        let mut why_not = "names nobody".to_owned();
        for system in [Canvas, Moodle, Brightspace, Plain] {
            let Some(read) = handed_in::read(system, name, false) else { continue };
            let Some(hint) = read.people.first() else { continue };
            match person_finder::find(hint, &self.class.students, GroupsOfNames::Unknown) {
                Ok(found) => {
                    let teams: BTreeSet<usize> =
                        found.students.iter().map(|student| self.class.students[*student].team).collect();
                    let [team] = teams.iter().copied().collect::<Vec<_>>()[..] else {
                        why_not = "is of a group that is no team of the roster".to_owned();
                        break;
                    };
                    let file = read.file.unwrap_or_else(|| name.to_owned());
                    let file =
                        Path::new(&file).file_name().unwrap_or_default().to_string_lossy().into_owned();
                    let is_plain = !file.is_empty() && !file.starts_with('.');
                    let file = if is_plain { file } else { "engine".to_owned() };
                    return Ok((team, file));
                }
                // A name of one of the systems is not read as another one.
                Err(doubt) => {
                    why_not = doubt.why;
                    break;
                }
            }
        }
        Err(why_not)
    }

    fn team_of_alias(&self, alias: &str) -> Option<usize> {
        let student = self.class.keys.iter().position(|key| key.alias == alias)?;
        Some(self.class.students[student].team)
    }

    /// Claims a file; `None` if it is what was answered before.
    fn take(&self, one: &Waiting, before: Vec<Waiting>) -> anyhow::Result<Option<ClaimedSubmission>> {
        let alias = self.class.keys[one.team].alias.clone();
        let folder = self.inbox.claimed().join(&alias);
        let mut path = folder.join(&one.name);
        if !one.path.starts_with(&folder) {
            // One of this name may wait there for the machine.
            let others = (2..).map(|number| folder.join(format!("{number}-{}", one.name)));
            let mut names = std::iter::once(path.clone()).chain(others);
            path = names.find(|path| !path.exists()).unwrap_or(path);
            fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", display_path(&folder)))?;
            match fs::rename(&one.path, &path) {
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None), // it was taken back
                moved => moved.with_context(|| format!("cannot move {}", display_path(&one.path)))?,
            }
            Inbox::note_arrival(&path, one.when)
                .with_context(|| format!("cannot write beside {}", display_path(&path)))?;
        }
        let version = match too_large(&path) {
            // It is refused unread, and told from others by its length.
            Some(_) => format!("large-{}", fs::metadata(&path).map_or(0, |about| about.len())),
            None => {
                let content = build_memory::content_of(&path).unwrap_or_default();
                content.get(..12).unwrap_or("unreadable").to_owned()
            }
        };
        let status = self.inbox.status(&alias);
        let is_known = status.last.is_some_and(|last| last.version == version)
            || status.plays.is_some_and(|plays| plays.version == version);
        if one.may_be_old && is_known {
            fs::remove_file(&path).with_context(|| format!("cannot remove {}", display_path(&path)))?;
            Inbox::forget_arrival(&path);
            return Ok(None);
        }
        let archive = escape(one.archive.as_bytes(), 60);
        Ok(Some(ClaimedSubmission { alias, team: one.team, path, archive, version, when: one.when, before }))
    }

    /// Builds submissions, each in a box, for at most `bound`.
    ///
    /// # Errors
    /// As [`EngineBuilder::build_all`]; or errors of the disk.
    pub fn build(
        &self,
        claimed: Vec<ClaimedSubmission>,
        bound: Duration,
        builder: &EngineBuilder<'_>,
    ) -> anyhow::Result<Vec<MadeSubmission>> {
        let terms = EngineTerms { to: &self.versions, bound, limits: UnpackLimits::UPLOAD, in_pool: true };
        let mut all = Vec::new();
        let (mut students, mut fitting): (Vec<(Student, KeyRow)>, Vec<ClaimedSubmission>) =
            Default::default();
        for claimed in claimed {
            if let Some(why) = too_large(&claimed.path) {
                let made = StudentSubmission::refused(&claimed.alias, why);
                all.push(MadeSubmission { claimed, made, was_there: true });
                continue;
            }
            let mut student = self.class.students[claimed.team].clone();
            student.submissions = vec![claimed.path.to_string_lossy().into_owned()];
            students.push((student, self.class.keys[claimed.team].clone()));
            fitting.push(claimed);
        }
        let was_there: Vec<bool> =
            fitting.iter().map(|one| self.versions.join(&one.alias).join(&one.version).exists()).collect();
        let pairs: Vec<(&Student, &KeyRow)> = students.iter().map(|(student, key)| (student, key)).collect();
        let made = submissions::engines(&pairs, Path::new(""), &terms, builder)?;
        for ((claimed, made), was_there) in fitting.into_iter().zip(made).zip(was_there) {
            all.push(MadeSubmission { claimed, made, was_there });
        }
        Ok(all)
    }

    /// Enters what has passed into the pool, answers the author, and puts the archive away. Returns
    /// a line for the staff.
    ///
    /// # Errors
    /// [`Misuse`] if something that is not agon's has the name in the pool; or errors of the disk.
    pub fn finish(&self, one: MadeSubmission) -> anyhow::Result<String> {
        let MadeSubmission { claimed, mut made, was_there } = one;
        let mut status = self.inbox.status(&claimed.alias);
        let when = now();
        let refused = match &made.engine {
            Ok(_) => None,
            Err(NoEngine::Author(why)) => Some(why.clone()),
            // Its author reads at once what is lacking, and may do without it or ask for it.
            Err(NoEngine::Machine(fault @ MachineFault::LacksLibrary(_))) => Some(fault.to_string()),
            Err(NoEngine::Machine(fault)) => {
                let plays = status.plays.as_ref().is_some_and(|plays| plays.version == claimed.version);
                if !was_there && !plays {
                    self.forget(&claimed)?;
                }
                return self.put_off(&claimed, fault);
            }
        };
        self.put_off.borrow_mut().remove(&claimed.path);
        self.write_logs(&claimed.alias, &made)?;
        match &refused {
            None => {
                self.enter(&claimed.alias, &made.folder)?;
                let version = claimed.version.clone();
                // The same once more is no later submission.
                let before = status.plays.take().filter(|plays| plays.version == version);
                let arrived = before.and_then(|plays| plays.arrived).or_else(|| Some(shown(claimed.when)));
                status.plays = Some(Accepted { when: when.clone(), arrived, version });
                self.put_away(&claimed.path, &self.inbox.accepted(), &claimed.alias)?;
                if let Some(newest) = self.refused.borrow_mut().remove(&claimed.team)
                    && newest.when > claimed.when
                {
                    made.remark(&format!("{}, which came later, was refused", newest.archive));
                }
                for older in &claimed.before {
                    let aside = format!("{}-{}", claimed.alias, older.name);
                    self.set_aside(&older.path, &self.inbox.rejected().join(aside))?;
                    self.put_off.borrow_mut().remove(&older.path);
                    let shown = escape(older.archive.as_bytes(), 60);
                    self.log(claimed.team, &format!("{shown} does not count: a newer one has come"))?;
                }
            }
            Some(_) => {
                let plays = status.plays.as_ref().is_some_and(|plays| plays.version == claimed.version);
                if !was_there && !plays {
                    self.forget(&claimed)?;
                }
                self.put_away(&claimed.path, &self.inbox.rejected(), &claimed.alias)?;
                let newest = RefusedNewest { when: claimed.when, archive: claimed.archive.clone() };
                self.refused.borrow_mut().entry(claimed.team).or_insert(newest);
            }
        }
        let line = match (&refused, &made.remark) {
            (None, None) => format!("{} accepted; it plays from the next night on", claimed.archive),
            (None, Some(remark)) => format!("{} accepted, with a remark: {remark}", claimed.archive),
            (Some(why), _) => {
                let old = if status.plays.is_some() { "; the version before it plays on" } else { "" };
                format!("{} rejected: {why}{old}", claimed.archive)
            }
        };
        let ClaimedSubmission { alias, archive, version, .. } = claimed;
        let arrived = Some(shown(claimed.when));
        status.last =
            Some(AnsweredSubmission { when, arrived, archive, version, refused, remark: made.remark });
        self.inbox.write_status(&alias, &status)?;
        self.log(claimed.team, &line)
    }

    /// Lets a submission wait that this machine could not build or try. Returns a line for the
    /// staff.
    fn put_off(&self, claimed: &ClaimedSubmission, fault: &MachineFault) -> anyhow::Result<String> {
        let ClaimedSubmission { alias, archive, .. } = claimed;
        let id = escape(self.class.keys[claimed.team].id.as_bytes(), 60);
        let line = format!("{id} ({alias}): {archive} waits: {fault}; {}", fault.hint());
        let put_off = PutOff { since: Instant::now(), fault: fault.clone(), alias: alias.clone() };
        let before = self.put_off.borrow_mut().insert(claimed.path.clone(), put_off);
        // It is told once.
        if before.is_none_or(|before| before.fault != *fault) {
            let told = format!("{archive} waits: this machine could not build or try it, and tries it again");
            self.append(&self.inbox.report(alias).join("log.txt"), &told, MOST_LINES)?;
            self.append(&self.inbox.log(), &line, usize::MAX)?;
        }
        Ok(line)
    }

    /// Lets the name in the pool lead to this folder, in one step: a night finds the old version or
    /// the new one.
    fn enter(&self, alias: &str, folder: &Path) -> anyhow::Result<()> {
        let link = self.pool.join(alias);
        if fs::symlink_metadata(&link).is_ok_and(|about| !about.is_symlink()) {
            return Err(Misuse::hinted(
                format!("{}: is not a link of agon inbox", display_path(&link)),
                "give this engine another name: it has the alias of a student",
            ));
        }
        let beside = self.pool.join(format!(".{alias}.new"));
        let _ = fs::remove_file(&beside); // of a process that was killed
        symlink(folder.canonicalize()?, &beside)
            .and_then(|()| fs::rename(&beside, &link))
            .with_context(|| format!("cannot make {}", display_path(&link)))
    }

    /// Removes a version that was never played.
    fn forget(&self, claimed: &ClaimedSubmission) -> anyhow::Result<()> {
        let version = self.versions.join(&claimed.alias).join(&claimed.version);
        match fs::remove_dir_all(&version) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(error).with_context(|| format!("cannot remove {}", display_path(&version)))
            }
            _ => Ok(()),
        }
    }

    /// Writes what the build and the engine have said, for the author.
    fn write_logs(&self, alias: &str, made: &StudentSubmission) -> anyhow::Result<()> {
        let report = self.inbox.report(alias);
        fs::create_dir_all(&report).with_context(|| format!("cannot make {}", display_path(&report)))?;
        let log = build::log_of(&made.folder).map(|bytes| harmless(&bytes)).unwrap_or_default();
        for (name, text) in [("build.log", &log), ("check.txt", &made.tried)] {
            let path = report.join(name);
            if text.is_empty() {
                let _ = fs::remove_file(path); // it may not be there
            } else {
                atomic::write_text(&path, text)?;
            }
        }
        Ok(())
    }

    /// Moves an archive into a folder in which each author has one.
    fn put_away(&self, from: &Path, folder: &Path, alias: &str) -> anyhow::Result<()> {
        let begin = format!("{alias}-");
        for old in fs::read_dir(folder).into_iter().flatten().flatten() {
            if old.file_name().to_string_lossy().starts_with(&begin) {
                let _ = fs::remove_file(old.path()); // the next one tries again
            }
        }
        let name = from.file_name().unwrap_or_default().to_string_lossy();
        let to = folder.join(format!("{begin}{name}"));
        Inbox::forget_arrival(from);
        fs::rename(from, &to).with_context(|| format!("cannot move {}", display_path(from)))
    }

    fn set_aside(&self, from: &Path, to: &Path) -> anyhow::Result<()> {
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder).with_context(|| format!("cannot make {}", display_path(folder)))?;
        }
        Inbox::forget_arrival(from);
        match fs::rename(from, to) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()), // it was taken back
            moved => moved.with_context(|| format!("cannot move {}", display_path(from))),
        }
    }

    /// Puts a file aside that belongs to nobody. What was refused before is not told again.
    fn refuse_stranger(&self, path: &Path, why: &str, tell: &dyn Fn(&str)) -> anyhow::Result<()> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let content = |path: &Path| too_large(path).or_else(|| build_memory::content_of(path));
        let own = content(path);
        let is_of_author = self.class.keys.iter().any(|key| name.starts_with(&format!("{}-", key.alias)));
        let is_equal = |other: &Path| own.is_some() && content(other) == own;
        let (place, is_old) = inbox_strangers::place(&self.inbox.rejected(), &name, is_of_author, &is_equal);
        self.set_aside(path, &place)?;
        if !is_old {
            let line = format!("{} rejected: {why}", escape(name.as_bytes(), 60));
            self.append(&self.inbox.log(), &line, usize::MAX)?;
            tell(&line);
        }
        Ok(())
    }

    /// Adds a line to the log of an author and to that of the staff, which names the student.
    fn log(&self, team: usize, line: &str) -> anyhow::Result<String> {
        let KeyRow { alias, id, .. } = &self.class.keys[team];
        self.append(&self.inbox.report(alias).join("log.txt"), line, MOST_LINES)?;
        let line = format!("{} ({alias}): {line}", escape(id.as_bytes(), 60));
        self.append(&self.inbox.log(), &line, usize::MAX)?;
        Ok(line)
    }

    /// Adds a line with the time to a file that keeps so many lines.
    fn append(&self, path: &Path, line: &str, most: usize) -> anyhow::Result<()> {
        let line = format!("{}  {}\n", now(), line.replace('\n', " "));
        let cannot = || format!("cannot write {}", display_path(path));
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).with_context(cannot)?;
        }
        if most < usize::MAX {
            let before = fs::read_to_string(path).unwrap_or_default();
            let lines: Vec<&str> = before.lines().collect();
            let kept = &lines[lines.len().saturating_sub(most - 1)..];
            let text: String = kept.iter().flat_map(|line| [line, "\n"]).chain([line.as_str()]).collect();
            return atomic::write_text(path, &text);
        }
        let mut file =
            OpenOptions::new().append(true).create(true).mode(0o600).open(path).with_context(cannot)?;
        file.write_all(line.as_bytes()).with_context(cannot)
    }
}

/// Why an archive is too large.
fn too_large(path: &Path) -> Option<String> {
    let bytes = fs::metadata(path).ok()?.len();
    (bytes > MOST_BYTES)
        .then(|| format!("what was handed in has {bytes} bytes; at most {} MiB are taken", MOST_BYTES >> 20))
}

fn now() -> String {
    Local::now().format("%Y-%m-%d %H:%M:%S").to_string()
}

/// A time with its zone: the clocks of this machine may change.
fn shown(when: SystemTime) -> String {
    DateTime::<Local>::from(when).format("%Y-%m-%d %H:%M:%S%:z").to_string()
}
