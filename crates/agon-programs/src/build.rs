//! Runs build commands, inside a box or without one. An engine is built before its first game if
//! its program is missing or older than a file beside it. A submission is always built.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Seek, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use agon_printable::{clean, clean_lines, escape, harmless};
use agon_sandbox::{BuildClock, BuildEnd, BuildOutcome, BuildTime, BuildWork, process_tree, shortage};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process_group};
use wait_timeout::ChildExt;

use super::bounded;
use super::hidden;
use super::machine_fault::{MachineFault, Maker, NoEngine};
use super::made_program::{self, ProgramsBefore};
use super::manifest::Manifest;
use super::origin::Origin;
use super::program;
use super::spec::EngineSpec;
use super::stamp;
use super::submission::{self, BuildWay, Submission, WaySettings};
use super::telling_lines::{self, first_errors};

/// How long a build may take, if nobody says otherwise.
pub const BOUND: Duration = Duration::from_secs(300);
/// The output of a build, in the submission's folder.
pub const LOG: &str = telling_lines::LOG;
const SETTINGS: &str = "engine.toml";
/// How often a build looks whether it is to stop.
const LOOK: Duration = Duration::from_millis(100);
/// How much of the end of a failed build's output is shown.
const SHOWN: usize = 2000;
/// How much of a build's output is read.
const LOG_BYTES: u64 = 8 << 20;

/// Why a build ends without an engine.
#[derive(Debug)]
pub enum BuildFailure {
    /// There is none, by the fault of its author or of this machine.
    NoEngine(NoEngine),
    /// We were told to stop.
    Stopped,
}

/// An engine that was made of a submission.
#[derive(Debug)]
pub struct MadeEngine {
    /// The engine.
    pub engine: EngineSpec,
    /// By what it was built, for people: `Makefile`.
    pub by: &'static str,
    /// What is to be told of ways that made none.
    pub remark: Option<String>,
}

impl From<String> for BuildFailure {
    fn from(words: String) -> Self {
        BuildFailure::NoEngine(NoEngine::Author(words))
    }
}

impl From<NoEngine> for BuildFailure {
    fn from(why: NoEngine) -> Self {
        BuildFailure::NoEngine(why)
    }
}

impl From<MachineFault> for BuildFailure {
    fn from(fault: MachineFault) -> Self {
        BuildFailure::NoEngine(NoEngine::Machine(fault))
    }
}

/// Whether the engine has a build command, and its program is missing or older than something
/// beside it.
pub fn is_due(engine: &EngineSpec) -> bool {
    engine.build.is_some() && is_stale(engine)
}

/// Where builds run.
#[derive(Clone, Copy, Debug)]
pub enum Bench<'a> {
    /// Like any other program of the user's.
    Open,
    /// As `Open`, with what the build writes in `build.log` of the folder: the work of somebody who
    /// is to read it.
    Logged,
    /// Each in a box of its own. `place` is an empty directory of the run. On the thread that
    /// sweeps up orphans it cannot be done: what helps to build is one.
    Boxed {
        /// Where what comes out waits.
        place: &'a Path,
        /// What else the box shows: the places of `--show`.
        asked: &'a [PathBuf],
    },
}

/// Runs the build command of an engine that is due, and sees that there is a program then.
///
/// # Errors
/// [`BuildFailure`].
pub fn build(
    engine: &EngineSpec,
    bench: Bench<'_>,
    bound: Duration,
    stop: &OwnedFd,
) -> Result<(), BuildFailure> {
    let what = program::display_path(&engine.folder);
    let named = |why: String| format!("{what}: {why}");
    // Its own command: what lies in the folder of a referee program is no submission.
    let found = submission::with_command(engine).map_err(|why| why.map_words(named))?;
    let job = BuildJob { folder: &found.folder, bench, bound, stop };
    match job.made_by(&found.ways[0], true, &|| Ok(engine.clone())) {
        // What comes from reading an engine.toml names its file already.
        Err(BuildFailure::NoEngine(why)) if !why.to_string().starts_with(&what) => {
            Err(why.map_words(named).into())
        }
        other => other.map(drop),
    }
}

/// Builds a submission, in one way after the other until there is an engine whose program can be
/// started. Writes the `engine.toml` it has not. `stop` becomes readable when the run is to stop.
///
/// # Errors
/// [`BuildFailure`].
pub fn make(
    found: &Submission,
    bench: Bench<'_>,
    bound: Duration,
    stop: &OwnedFd,
) -> Result<MadeEngine, BuildFailure> {
    let folder = found.folder.as_path();
    let job = BuildJob { folder, bench, bound, stop };
    let mut failed: Vec<(&'static str, NoEngine)> = Vec::new();
    let mut logs: Vec<Vec<u8>> = Vec::new();
    for (number, way) in found.ways.iter().enumerate() {
        let is_last = number + 1 == found.ways.len();
        let made = job.made_by(way, is_last, &|| submission::engine_of(folder));
        logs.extend(way.build.as_ref().and_then(|_| log_of(folder)));
        match made {
            Ok(engine) => {
                keep_logs(folder, &logs);
                let before = failed.iter().filter(|(by, _)| *by != way.by).map(told);
                let is_other = |(by, _): &&(&str, String)| {
                    *by != way.by && failed.iter().all(|(failed, _)| failed != by)
                };
                let beside = found.starts.iter().filter(is_other);
                let beside = beside.map(|(_, name)| format!("{} is not used", clean(name)));
                let more: Vec<String> = before.chain(beside).collect();
                let by = (!more.is_empty())
                    .then(|| format!("it was built by {}; {}", label(way.by), more.join("; ")));
                let told: Vec<String> = by.into_iter().chain(found.ignored.iter().cloned()).collect();
                let remark = (!told.is_empty()).then(|| told.join("; "));
                return Ok(MadeEngine { engine, by: way.by, remark });
            }
            // Nobody knows what it would be here, so no other language is taken for it.
            Err(BuildFailure::NoEngine(fault @ NoEngine::Machine(_))) if way.by != "Makefile" => {
                keep_logs(folder, &logs);
                return Err(fault.into());
            }
            // The first failure of a way is the telling one.
            Err(BuildFailure::NoEngine(why)) => {
                if failed.iter().all(|(by, _)| *by != way.by) {
                    failed.push((way.by, why));
                }
            }
            Err(stopped @ BuildFailure::Stopped) => return Err(stopped),
        }
    }
    keep_logs(folder, &logs);
    // Nobody knows what it would be on a machine that lacks nothing.
    if let Some((_, fault)) = failed.iter().find(|(_, why)| matches!(why, NoEngine::Machine(_))) {
        return Err(fault.clone().into());
    }
    if let Some(fault) = &found.lacks {
        return Err(fault.clone().into());
    }
    let unfit = found.unfit.iter().map(|why| format!("its other sources are not built: {why}"));
    let all: Vec<String> = match (&failed[..], &found.unfit) {
        ([(_, only)], None) => vec![only.to_string()],
        (all, _) => all.iter().map(told).chain(unfit).collect(),
    };
    Err(all.join("; ").into())
}

/// What is told of a way that made no engine.
fn told((by, why): &(&'static str, NoEngine)) -> String {
    format!("by {}: {why}", label(by))
}

fn label(by: &str) -> String {
    match by {
        "Makefile" | "Cargo.toml" | "engine.toml" | "program" => format!("its {by}"),
        language => format!("its sources in {language}"),
    }
}

/// Keeps the outputs of several builds in one log.
fn keep_logs(folder: &Path, logs: &[Vec<u8>]) {
    if logs.len() > 1 {
        let _ = write_new(folder, LOG, &logs.join(&b"\n----\n"[..])); // that of the last is there
    }
}

/// A folder that is built.
#[derive(Clone, Copy)]
struct BuildJob<'a> {
    folder: &'a Path,
    bench: Bench<'a>,
    bound: Duration,
    stop: &'a OwnedFd,
}

impl BuildJob<'_> {
    /// Builds in this way. The engine, once it is built, is what `spec` gives.
    fn made_by(
        self,
        way: &BuildWay,
        is_last: bool,
        spec: &dyn Fn() -> Result<EngineSpec, NoEngine>,
    ) -> Result<EngineSpec, BuildFailure> {
        let BuildJob { folder, bench, .. } = self;
        let is_boxed = matches!(bench, Bench::Boxed { .. });
        let mut stamp = None;
        let programs = ProgramsBefore::of(folder);
        if let Some(command) = &way.build {
            let log = (!matches!(bench, Bench::Open)).then_some(LOG);
            let settings = (way.settings != WaySettings::Own).then_some(SETTINGS);
            let before = stamp::before(folder, log.into_iter().chain(settings).collect(), is_boxed);
            let maker = match way.by {
                "Makefile" | "engine.toml" | "program" => Maker::Author,
                "Cargo.toml" if folder.join("build.rs").exists() => Maker::Author,
                _ => Maker::Agon,
            };
            let built = self.run(command, maker);
            stamp = before.and_then(|before| before.after(folder, command, built.is_ok()));
            if built.is_err() {
                stamp.take().map(|stamp| stamp.write(folder));
                built?;
            }
        }
        match &way.settings {
            WaySettings::Own => {}
            WaySettings::Text(text) => write_new(folder, SETTINGS, text.as_bytes())?,
            WaySettings::OfMadeProgram(own) => {
                let made = match programs.made_since(folder)? {
                    // It says where it is in another way than by making it.
                    None if is_last => {
                        made_program::only_program(folder)?.filter(|path| !made_program::is_test(path))
                    }
                    made => made,
                };
                let made = made.ok_or_else(|| "it made no program".to_owned())?;
                let text = submission::started_by(&[format!("./{}", made.display())], own);
                write_new(folder, SETTINGS, text.as_bytes())?;
            }
        }
        let engine = spec()?;
        if engine.build.is_some() && !matches!(bench, Bench::Open) {
            is_newest(&engine);
        }
        stamp.map(|stamp| stamp.write(folder));
        if way.build.is_some() && !engine.program.exists() {
            return Err(format!("its build made no {}", program::display_path(&engine.program)).into());
        }
        // An archive of Windows does not keep this right, and an engine.toml says what is a
        // program.
        if engine.origin == Origin::Submission && engine.program.starts_with(folder) {
            made_program::let_execute(&engine.program);
        }
        engine.can_start().map_err(|why| match MachineFault::of_script(&engine.program) {
            Some(fault) => NoEngine::Machine(fault),
            None => format!("{}: {why}", program::display_path(&engine.program)).into(),
        })?;
        Ok(engine)
    }

    fn run(self, command: &[OsString], maker: Maker) -> Result<(), BuildFailure> {
        let BuildJob { folder, bench, bound, stop } = self;
        match bench {
            Bench::Open => {
                let built = in_the_open(folder, command, bound, stop)?;
                match built.end {
                    BuildEnd::Made => Ok(()),
                    BuildEnd::Failed(why) => Err(format!("{why}{}", said(&built.log)).into()),
                    BuildEnd::Machine(why) => Err(MachineFault::Short(why).into()),
                }
            }
            Bench::Logged => {
                let built = in_the_open(folder, command, bound, stop)?;
                logged(folder, built, maker, |log| MachineFault::of_disk(log, folder))
            }
            Bench::Boxed { place, asked } => {
                let manifest = Manifest::of_build(asked);
                let shown: Vec<PathBuf> = manifest.places().iter().map(|place| place.path.clone()).collect();
                let program = Path::new(&command[0]);
                // A relative one is found in its folder.
                let is_there = |path: &Path| path.is_relative() || manifest.reaches(path);
                if let Some(why) = hidden::why(program, &is_there) {
                    return Err(format!("its build command cannot be run: {why}").into());
                }
                let work = BuildWork { folder, command, shown: &shown, bound, stop };
                in_a_box(&work, place, maker)
            }
        }
    }
}

fn in_a_box(work: &BuildWork<'_>, place: &Path, maker: Maker) -> Result<(), BuildFailure> {
    let built = agon_sandbox::build(work, place);
    if is_readable(work.stop) {
        return Err(BuildFailure::Stopped);
    }
    let built = built.map_err(|error| MachineFault::Short(format!("cannot build in a box: {error}")))?;
    // The disk of a box is its own.
    logged(work.folder, built, maker, |_| None)
}

/// Keeps the log of a build in its folder, and gives its failure in words, with the first errors of
/// its compiler. `of_disk` tells whether the disk was full.
fn logged(
    folder: &Path,
    built: BuildOutcome,
    maker: Maker,
    of_disk: impl FnOnce(&str) -> Option<MachineFault>,
) -> Result<(), BuildFailure> {
    let log = harmless(&built.log);
    // Its author reads it elsewhere.
    let log = log.replace(&format!("{}/", program::display_path(folder)), "");
    let why = match built.end {
        BuildEnd::Made => return Ok(write_new(folder, LOG, log.as_bytes())?),
        BuildEnd::Machine(why) => return Err(MachineFault::Short(why).into()),
        BuildEnd::Failed(why) => why,
    };
    let fault =
        MachineFault::of_build(&log, folder, maker).or_else(|| MachineFault::of_killed(&why, &log, maker));
    if let Some(fault) = fault.or_else(|| of_disk(&log)) {
        return Err(fault.into());
    }
    write_new(folder, LOG, log.as_bytes())?;
    Err(format!("{}; {}", clean_lines(&why), first_errors(&log)).into())
}

/// The output of the last build in a submission's folder. A file of this name that was handed in
/// may be a link that leads elsewhere, or longer than any output that is kept.
pub fn log_of(folder: &Path) -> Option<Vec<u8>> {
    let path = folder.join(LOG);
    fs::symlink_metadata(&path).ok().filter(|about| about.is_file())?;
    bounded::bytes(&path, LOG_BYTES).ok()
}

/// Writes a file into a submission's folder: a new one, so that no link there leads elsewhere.
fn write_new(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), NoEngine> {
    let path = folder.join(name);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => fs::File::create_new(&path).and_then(|mut file| file.write_all(bytes)),
    }
    .map_err(|error| NoEngine::of(&format!("cannot write {}", program::display_path(&path)), &error))
}

/// A program older than the log beside it would be built again before each run. One that lies
/// elsewhere, an interpreter, is not ours to touch.
fn is_newest(engine: &EngineSpec) {
    use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, UTIME_NOW, utimensat};
    if engine.program.starts_with(&engine.folder) {
        let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
        let times = Timestamps { last_access: now, last_modification: now };
        let _ = utimensat(CWD, &engine.program, &times, AtFlags::SYMLINK_NOFOLLOW); // it is looked at next
    }
}

fn is_readable(stop: &OwnedFd) -> bool {
    let no_time = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut [PollFd::new(stop, PollFlags::IN)], Some(&no_time)).is_ok_and(|ready| ready > 0)
}

fn in_the_open(
    folder: &Path,
    words: &[OsString],
    bound: Duration,
    stop: &OwnedFd,
) -> Result<BuildOutcome, BuildFailure> {
    // A log that cannot be written is never the fault of what is built.
    let short = |what: &'static str| move |error: io::Error| MachineFault::Short(format!("{what}: {error}"));
    let mut output = tempfile::tempfile().map_err(short("there is no room for the log of a build"))?;
    let share = || output.try_clone().map(Stdio::from).map_err(short("its build cannot be started"));
    let kills = shortage::oom_kills();
    let mut child = Command::new(&words[0])
        .args(&words[1..])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(share()?)
        .stderr(share()?)
        .process_group(0)
        .spawn()
        .map_err(|error| {
            let what =
                format!("its build command {:?} cannot be run", escape(words[0].as_encoded_bytes(), 80));
            NoEngine::of(&what, &error).map_words(|why| format!("{why}; install it"))
        })?;
    let pid = Pid::from_child(&child);
    let waited = wait(&mut child, bound, stop);
    if !matches!(waited, Ok(Waited::Ended)) {
        // Not reaped yet, so the group is still the one we made.
        let _ = kill_process_group(pid, Signal::KILL); // it may have just ended
    }
    let status = child.wait().map_err(short("its build"))?;
    let words: Vec<String> = words.iter().map(|word| escape(word.as_encoded_bytes(), 80)).collect();
    let failed = |why: String| {
        BuildEnd::Failed(format!("its build ({}) {why}", escape(words.join(" ").as_bytes(), 200)))
    };
    let end = match waited.map_err(short("its build"))? {
        Waited::Ended if status.success() => BuildEnd::Made,
        Waited::Ended if kills < shortage::oom_kills() => {
            BuildEnd::Machine("memory was short while it was built, and a process was killed".to_owned())
        }
        Waited::Ended => failed(format!("failed with {status}")),
        Waited::TooLong => failed(format!("was not done after {} s and was killed", bound.as_secs())),
        Waited::Starved(why) => BuildEnd::Machine(why),
        Waited::Stopped => return Err(BuildFailure::Stopped),
    };
    let mut log = Vec::new();
    let _ = output.rewind(); // without it there is just less to show
    let _ = output.take(LOG_BYTES).read_to_end(&mut log); // as above
    Ok(BuildOutcome { log, end })
}

/// The end of a failed build's output, for its author, who is the user.
fn said(log: &[u8]) -> String {
    let end = &log[log.len().saturating_sub(SHOWN)..];
    let lines: Vec<String> =
        end.split(|byte| *byte == b'\n').map(|line| format!("  {}", escape(line, 200))).collect();
    let said = lines.join("\n").trim_end().to_owned();
    if said.is_empty() { "; it said nothing".to_owned() } else { format!("; it said\n{said}") }
}

enum Waited {
    Ended,
    TooLong,
    Starved(String),
    Stopped,
}

/// Waits for the build's end, for the order to stop, or until it has taken too long.
fn wait(child: &mut Child, bound: Duration, stop: &OwnedFd) -> io::Result<Waited> {
    let pid = Pid::from_child(child);
    let mut clock = BuildClock::start(bound, Instant::now());
    loop {
        let now = Instant::now();
        clock.look(now, || process_tree::sample(&[pid], 0, Duration::MAX));
        let time = clock.time(now);
        let left = match &time {
            BuildTime::Until(until) => until.saturating_duration_since(now),
            BuildTime::Over | BuildTime::Starved(_) => Duration::ZERO,
        };
        if child.wait_timeout(left.min(LOOK))?.is_some() {
            return Ok(Waited::Ended);
        }
        if is_readable(stop) {
            return Ok(Waited::Stopped);
        }
        match time {
            BuildTime::Until(_) => {}
            BuildTime::Over => return Ok(Waited::TooLong),
            BuildTime::Starved(why) => return Ok(Waited::Starved(why)),
        }
    }
}

fn is_stale(engine: &EngineSpec) -> bool {
    let Ok(made) = modified(&engine.program) else { return true };
    let Ok(listed) = fs::read_dir(&engine.folder) else { return true };
    listed
        .flatten()
        .filter(|entry| entry.path() != engine.program && entry.file_name() != stamp::NAME)
        .any(|entry| modified(&entry.path()).is_ok_and(|time| time > made))
}

fn modified(path: &Path) -> std::io::Result<SystemTime> {
    fs::metadata(path)?.modified()
}
