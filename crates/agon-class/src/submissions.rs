//! The submissions of students: unpacks each under an alias, and builds it.
//!
//! Each content has a folder of its own, named by its hash. So the program that has played a game
//! is there as long as somebody may ask for the game to be played again.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agon_match::keeper::Interrupted;
use agon_printable::{escape, harmless};
use agon_programs::build::{self, Bench, BuildFailure};
use agon_programs::extent::{self, FolderLimits};
use agon_programs::machine_fault::{MachineFault, NoEngine};
use agon_programs::program::display_path;
use agon_programs::spec::EngineSpec;
use agon_programs::submission::{self, Submission};
use agon_programs::{bounded, sandbox, stopping};
use agon_store::hash;
use agon_tournament::entrants::{Built, EngineBuilder};
use agon_tournament::tryout::TryoutVerdict;
use anyhow::Context;
use toml::Spanned;

use super::build_memory::{self, BuildMemory};
use super::contents;
use super::entry_names;
use super::extracted::UnpackLimits;
use super::key::KeyRow;
use super::links;
use super::private;
use super::roster::Student;
use super::unpack;

/// The submission of a student.
#[derive(Clone)]
pub(super) struct StudentSubmission {
    pub(super) alias: String,
    /// The engine, or why there is none: by the fault of its author or of this machine.
    pub(super) engine: Result<EngineSpec, NoEngine>,
    /// A remark for the teacher.
    pub(super) remark: Option<String>,
    /// The folder in which it was built.
    pub(super) folder: PathBuf,
    /// What it wrote to stderr when it failed before the tournament.
    pub(super) tried: String,
    /// By what it was built, for people: `Makefile`. Nothing if there is no engine.
    pub(super) by: &'static str,
    /// Whether it was built, or needed no build.
    pub(super) is_built: bool,
}

/// The longest `engine.toml` that is written anew. A longer one is refused later.
const MOST_SETTINGS: u64 = 64 << 10;

/// What is to be done with a submission before it can play.
enum Work {
    /// Nothing: it is an engine, or it is refused.
    Done(Built<Box<ReadyEngine>>),
    /// To be built from this content.
    Build(Box<Submission>, String),
}

/// An engine, with a remark about how it was made.
struct ReadyEngine {
    spec: EngineSpec,
    remark: Option<String>,
    by: &'static str,
}

/// How engines are made of submissions.
pub(super) struct EngineTerms<'a> {
    /// The folder of all of them.
    pub(super) to: &'a Path,
    /// The most time for a build.
    pub(super) bound: Duration,
    /// The most of what is unpacked.
    pub(super) limits: UnpackLimits,
    /// Whether they go into a folder of engines, where an engine has the name of its folder: the
    /// alias.
    pub(super) in_pool: bool,
}

impl StudentSubmission {
    /// One that is refused before it is unpacked.
    pub(super) fn refused(alias: &str, why: String) -> StudentSubmission {
        let (engine, folder) = (Err(why.into()), PathBuf::new());
        StudentSubmission {
            alias: alias.to_owned(),
            engine,
            remark: None,
            folder,
            tried: String::new(),
            by: "",
            is_built: false,
        }
    }

    /// Takes its engine away.
    pub(super) fn refuse(&mut self, why: NoEngine) {
        self.engine = Err(why);
    }

    /// Adds a remark for the teacher.
    pub(super) fn remark(&mut self, more: &str) {
        let before = self.remark.take().map(|before| format!("{before}; "));
        self.remark = Some(before.unwrap_or_default() + more);
    }

    /// Notes the verdict on its engine. An engine that cannot play is none.
    pub(super) fn note(&mut self, verdict: &TryoutVerdict) {
        match verdict {
            TryoutVerdict::Plays => {}
            TryoutVerdict::Doubtful(why) | TryoutVerdict::Untried(why) => {
                self.remark(why);
            }
            TryoutVerdict::Cannot { why, stderr } => {
                let stderr = contents::without_paths(&harmless(stderr), &self.folder);
                // A script may start an interpreter that is not here.
                if let Some(fault) = MachineFault::told_in(&stderr, &self.folder) {
                    self.engine = Err(fault.into());
                    return;
                }
                let told = error_line(&stderr).map(|line| format!("; its stderr says: {line}"));
                let told = told.unwrap_or_default();
                // Perhaps another file of it was meant.
                let built = self.remark.as_ref().map_or(String::new(), |remark| format!("; {remark}"));
                self.engine = Err(format!("it failed when it was tried: {why}{told}{built}").into());
                self.tried = stderr;
            }
        }
    }

    /// Refuses an engine whose `engine.toml` lists other games than this one.
    pub(super) fn refuse_other_game(&mut self, game: &str) {
        if let Ok(engine) = &self.engine
            && !engine.plays(game)
        {
            let games = engine.games.join(", ");
            self.engine = Err(format!("its engine.toml lists the games {games}, not {game}").into());
        }
    }
}

/// The line of a stderr that most likely names the error: the last one that is not indented, as the
/// lines of a stack are.
fn error_line(stderr: &str) -> Option<String> {
    let is_told = |line: &&str| !line.is_empty() && !line.starts_with([' ', '\t']);
    stderr.lines().rfind(is_told).map(|line| escape(line.trim_end().as_bytes(), 200))
}

impl EngineTerms<'_> {
    /// The folder of a content that a student has handed in.
    fn place(&self, alias: &str, content: &str) -> PathBuf {
        let version = content.get(..12).unwrap_or("unreadable");
        let place = self.to.join(alias).join(version);
        if self.in_pool { place.join(alias) } else { place }
    }
}

/// Makes an engine of the submission of each student that counts, in `ALIAS/CONTENT`. Paths in the
/// roster are relative to `home`.
pub(super) fn engines(
    students: &[(&Student, &KeyRow)],
    home: &Path,
    terms: &EngineTerms<'_>,
    builder: &EngineBuilder<'_>,
) -> anyhow::Result<Vec<StudentSubmission>> {
    let (to, bound) = (terms.to, terms.bound);
    private::make_top(to).with_context(|| format!("cannot make {}", display_path(to)))?;
    let level = builder.confinement.level;
    let memory = BuildMemory { bound, level: level.to_string() };
    let (mut works, mut places) = (Vec::new(), Vec::new());
    for (student, key) in students {
        let newest = student.submissions.last().map(|name| home.join(name));
        if let Some(why) = newest.as_deref().map(too_large).transpose()?.flatten() {
            places.push(terms.place(&key.alias, ""));
            works.push(Work::Done(Err(format!("what was handed in {why}").into())));
            continue;
        }
        let content = newest.as_ref().and_then(|from| build_memory::content_of(from)).unwrap_or_default();
        let place = terms.place(&key.alias, &content);
        works.push(match newest {
            None => Work::Done(Err("nothing was handed in".to_owned().into())),
            Some(from) => match links::led_astray(&from, home) {
                // The name of a file is often that of its author, who has an alias here.
                Some(why) => Work::Done(Err(format!("what was handed in {why}").into())),
                None => work(&from, &place, content, &memory, terms).or_else(of_machine)?,
            },
        });
        places.push(place);
        // What was left half done is no fault of its author.
        if stopping::is_asked() {
            return Err(Interrupted.into());
        }
    }
    let mut jobs = Vec::new();
    for ((work, place), (_, key)) in works.iter().zip(&places).zip(students) {
        if let Work::Build(found, content) = work {
            jobs.push((key.alias.clone(), (found, content, place)));
        }
    }
    let stop = &builder.context.stop;
    let built = builder.build_all(&jobs, |(found, content, place), bench| {
        // A student reads the log, at every level.
        let bench = if matches!(bench, Bench::Open) { Bench::Logged } else { bench };
        make(found, content, place, bench, &memory, stop)
    })?;
    drop(jobs);
    let mut built = built.into_iter();
    let mut all = Vec::new();
    for ((work, place), (_, key)) in works.into_iter().zip(&places).zip(students) {
        let engine = match work {
            Work::Done(engine) => engine.map(|engine| *engine),
            Work::Build(..) => built.next().unwrap_or_else(|| Err("it was not built".to_owned().into())),
        };
        let told = |words: String| contents::in_one_line(&contents::without_paths(&words, place));
        let (mut of_build, mut built_by) = (None, "");
        let engine = engine.and_then(|ReadyEngine { mut spec, remark, by }| {
            key.alias.clone_into(&mut spec.name);
            spec.names_itself = false;
            if level.is_boxed() {
                sandbox::admits(&spec)?;
            }
            (of_build, built_by) = (remark.map(told), by);
            Ok(spec)
        });
        let mut made = StudentSubmission {
            is_built: engine.is_ok(),
            alias: key.alias.clone(),
            engine: engine.map_err(|why| why.map_words(told)),
            remark: None,
            folder: place.clone(),
            tried: String::new(),
            by: built_by,
        };
        of_build.iter().for_each(|remark| made.remark(remark));
        all.push(made);
    }
    Ok(all)
}

/// Builds a submission in its place, and keeps what came of it.
fn make(
    found: &Submission,
    content: &str,
    place: &Path,
    bench: Bench<'_>,
    memory: &BuildMemory,
    stop: &OwnedFd,
) -> Result<ReadyEngine, BuildFailure> {
    // A compiler says itself what is wrong. The list is made before the build adds files.
    let inside = if found.is_built() { String::new() } else { contents::listed(place) };
    let made = build::make(found, bench, memory.bound, stop).map_err(|failure| match failure {
        BuildFailure::NoEngine(why) => BuildFailure::NoEngine(why.map_words(|words| words + &inside)),
        BuildFailure::Stopped => BuildFailure::Stopped,
    });
    let kept = match &made {
        Ok(made) => memory.keep(place, content, Ok(made.remark.as_deref())),
        Err(BuildFailure::NoEngine(NoEngine::Author(why))) => memory.keep(place, content, Err(why)),
        // Nothing is known of it.
        Err(_) => Ok(()),
    };
    kept.map_err(|error| MachineFault::Short(format!("the result of a build cannot be kept: {error}")))?;
    made.map(|made| ReadyEngine { spec: made.engine, remark: made.remark, by: made.by })
}

/// The fault of the machine behind an error of our own work.
fn of_machine(error: anyhow::Error) -> anyhow::Result<Work> {
    let cause = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>());
    match cause.and_then(|cause| MachineFault::of("it cannot be unpacked", cause)) {
        Some(fault) => Ok(Work::Done(Err(fault.into()))),
        None => Err(error),
    }
}

/// Why a submission is refused before any of it is read: it holds too much. What is not there is
/// told elsewhere.
fn too_large(from: &Path) -> anyhow::Result<Option<String>> {
    let is_left_out = |name: &[u8]| entry_names::is_junk(Path::new(std::ffi::OsStr::from_bytes(name)));
    match extent::check(from, FolderLimits::SUBMISSION, &is_left_out) {
        Ok(found) => Ok(found.err()),
        Err(error) if stopping::was_asked(&error) => Err(error),
        Err(_) => Ok(None),
    }
}

/// The engine of an earlier submission under this alias whose hash fits. `None` if it is gone.
pub(super) fn earlier(
    to: &Path,
    alias: &str,
    fits: impl Fn(&str) -> anyhow::Result<bool>,
) -> anyhow::Result<Option<EngineSpec>> {
    let folders = fs::read_dir(to.join(alias)).into_iter().flatten().flatten().map(|entry| entry.path());
    for folder in folders.filter(|path| path.is_dir()) {
        let Some(mut engine) = ready(&folder, build_memory::was_built(&folder)) else { continue };
        alias.clone_into(&mut engine.name);
        engine.names_itself = false;
        if fits(&hash::of_engine(&engine)?)? {
            return Ok(Some(engine));
        }
    }
    Ok(None)
}

/// Unpacks a submission into `place`, unless the same content lies there already.
fn work(
    from: &Path,
    place: &Path,
    content: String,
    memory: &BuildMemory,
    terms: &EngineTerms<'_>,
) -> anyhow::Result<Work> {
    // An existing folder is used unchanged, so that a stopped cup continues with the same programs.
    let is_there = memory.is_made_of(place, &content);
    if !is_there {
        if let Some(parent) = place.parent() {
            fs::create_dir_all(parent).with_context(|| format!("cannot make {}", display_path(parent)))?;
        }
        build_memory::forget(place)?;
        if let Err(why) = unpack::unpack(from, place, terms.limits) {
            if let NoEngine::Machine(_) = &why {
                let _ = build_memory::forget(place); // without a note it is not used
                return Ok(Work::Done(Err(why)));
            }
            let is_empty = fs::read_dir(place).map_or(true, |mut all| all.next().is_none());
            // What was refused before anything was unpacked is not empty.
            let inside = if is_empty { String::new() } else { contents::listed(place) };
            // The next invocation must not take half a submission for a whole one.
            build_memory::forget(place)?;
            return Ok(Work::Done(Err(format!("what was handed in {why}{inside}").into())));
        }
        if terms.in_pool {
            take_name_of_folder(place).with_context(|| format!("cannot write in {}", display_path(place)))?;
        }
    }
    if is_there && let Some(why) = memory.failed_before(place) {
        return Ok(Work::Done(Err(why.into())));
    }
    if let Some(spec) = ready(place, is_there && build_memory::was_built(place)) {
        if !is_there {
            memory
                .keep(place, &content, Ok(None))
                .with_context(|| format!("cannot write beside {}", display_path(place)))?;
        }
        let remark = if is_there { memory.remark_of(place) } else { None };
        let by = if spec.source.is_dir() { "engine.toml" } else { "program" };
        return Ok(Work::Done(Ok(Box::new(ReadyEngine { spec, remark, by }))));
    }
    Ok(match submission::look(place) {
        Ok(found) => Work::Build(Box::new(found), content),
        Err(why) => Work::Done(Err(why.map_words(|words| words + &contents::listed(place)))),
    })
}

/// Lets an engine have the name of its folder: it plays under an alias, whatever its `engine.toml`
/// says, and a program without one gets one.
fn take_name_of_folder(place: &Path) -> std::io::Result<()> {
    let toml = place.join("engine.toml");
    let entries = fs::read_dir(place)?.take(2).count();
    if entries == 1 && place.join("engine").is_file() {
        return fs::write(toml, format!("{}command = [\"./engine\"]\n", submission::WRITTEN));
    }
    // One that cannot be read is refused later, with its lines as its author knows them.
    let Ok(mut text) = bounded::text(&toml, MOST_SETTINGS) else { return Ok(()) };
    let Ok(table) = toml::from_str::<BTreeMap<Spanned<String>, Spanned<toml::Value>>>(&text) else {
        return Ok(());
    };
    let name = table.iter().find(|(key, value)| key.get_ref() == "name" && value.get_ref().is_str());
    let Some(place) = name.map(|(key, value)| key.span().start..value.span().end) else { return Ok(()) };
    // The other keys stay on their lines.
    let lines = text[place.clone()].matches('\n').count();
    text.replace_range(place, &"\n".repeat(lines));
    fs::write(toml, text)
}

/// An engine that needs no build: a single program, one that is newer than its sources, or one that
/// we have built. The age of an interpreter says nothing.
fn ready(place: &Path, was_built: bool) -> Option<EngineSpec> {
    let (toml, single) = (place.join("engine.toml"), place.join("engine"));
    let alone = || fs::read_dir(place).is_ok_and(|all| all.count() == 1);
    let path = match toml.is_file() {
        true => place,
        false if single.is_file() && alone() => &single,
        false => return None,
    };
    let engine = EngineSpec::submitted(path).ok()?;
    ((was_built || !build::is_due(&engine)) && engine.can_start().is_ok()).then_some(engine)
}
