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

use agon_printable::{clean_lines, escape, harmless};
use agon_sandbox::{BuildOutcome, BuildWork};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process_group};
use wait_timeout::ChildExt;

use super::bounded;
use super::hidden;
use super::manifest::Manifest;
use super::program;
use super::spec::EngineSpec;
use super::stamp;
use super::submission::{self, Submission};

/// How long a build may take, if nobody says otherwise.
pub const BOUND: Duration = Duration::from_secs(300);
/// The output of a build, in the submission's folder.
pub const LOG: &str = "build.log";
const SETTINGS: &str = "engine.toml";
/// How often a build looks whether it is to stop.
const LOOK: Duration = Duration::from_millis(100);
/// How much of the end of a failed build's output is shown.
const SHOWN: usize = 2000;
/// How many of a compiler's errors are shown.
const SHOWN_ERRORS: usize = 3;
/// How much of a build's output is read.
const LOG_BYTES: u64 = 8 << 20;

/// Why there is no engine.
pub enum BuildFailure {
    /// Words for its author, with the end of the build's output.
    Words(String),
    /// We were told to stop.
    Stopped,
    /// A box could not be made, or the machine is out of something.
    Ours(io::Error),
}

impl From<String> for BuildFailure {
    fn from(words: String) -> Self {
        BuildFailure::Words(words)
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
    let found = submission::with_command(engine).map_err(named)?;
    match made_as(&found, || Ok(engine.clone()), bench, bound, stop) {
        // What comes from reading an engine.toml names its file already.
        Err(BuildFailure::Words(why)) if !why.starts_with(&what) => Err(named(why).into()),
        other => other.map(drop),
    }
}

/// Builds a submission, writes the `engine.toml` it has not, and gives its engine, whose program
/// can be started. `stop` becomes readable when the run is to stop.
///
/// # Errors
/// [`BuildFailure`].
pub fn make(
    found: &Submission,
    bench: Bench<'_>,
    bound: Duration,
    stop: &OwnedFd,
) -> Result<EngineSpec, BuildFailure> {
    made_as(found, || EngineSpec::submitted(&found.folder), bench, bound, stop)
}

/// Builds a submission whose engine, once it is built, is what `spec` gives.
fn made_as(
    found: &Submission,
    spec: impl FnOnce() -> Result<EngineSpec, String>,
    bench: Bench<'_>,
    bound: Duration,
    stop: &OwnedFd,
) -> Result<EngineSpec, BuildFailure> {
    let is_boxed = matches!(bench, Bench::Boxed { .. });
    let mut stamp = None;
    if let Some(command) = &found.build {
        let log = (!matches!(bench, Bench::Open)).then_some(LOG);
        let settings = found.settings.as_ref().map(|_| SETTINGS);
        let before = stamp::before(&found.folder, log.into_iter().chain(settings).collect(), is_boxed);
        let built = run(found, command, bench, bound, stop);
        stamp = before.and_then(|before| before.after(&found.folder, command, built.is_ok()));
        if built.is_err() {
            stamp.take().map(|stamp| stamp.write(&found.folder));
            built?;
        }
    }
    if let Some(settings) = &found.settings {
        write_new(&found.folder, SETTINGS, settings.as_bytes())?;
    }
    let engine = spec()?;
    if engine.build.is_some() && !matches!(bench, Bench::Open) {
        is_newest(&engine);
    }
    stamp.map(|stamp| stamp.write(&found.folder));
    if found.build.is_some() && !engine.program.exists() {
        return Err(format!("its build made no {}", program::display_path(&engine.program)).into());
    }
    engine.can_start().map_err(|why| format!("{}: {why}", program::display_path(&engine.program)))?;
    Ok(engine)
}

fn run(
    found: &Submission,
    command: &[OsString],
    bench: Bench<'_>,
    bound: Duration,
    stop: &OwnedFd,
) -> Result<(), BuildFailure> {
    match bench {
        Bench::Open => {
            let built = in_the_open(&found.folder, command, bound, stop)?;
            match built.failure {
                Some(why) => Err(format!("{why}{}", said(&built.log)).into()),
                None => Ok(()),
            }
        }
        Bench::Logged => logged(&found.folder, in_the_open(&found.folder, command, bound, stop)?),
        Bench::Boxed { place, asked } => {
            let manifest = Manifest::of_build(asked);
            let shown: Vec<PathBuf> = manifest.places().iter().map(|place| place.path.clone()).collect();
            let program = Path::new(&command[0]);
            // A relative one is found in its folder.
            let is_there = |path: &Path| path.is_relative() || manifest.reaches(path);
            if let Some(why) = hidden::why(program, &is_there) {
                return Err(format!("its build command cannot be run: {why}").into());
            }
            let work = BuildWork { folder: &found.folder, command, shown: &shown, bound, stop };
            in_a_box(&work, place)
        }
    }
}

fn in_a_box(work: &BuildWork<'_>, place: &Path) -> Result<(), BuildFailure> {
    let built = agon_sandbox::build(work, place).map_err(BuildFailure::Ours)?;
    if is_readable(work.stop) {
        return Err(BuildFailure::Stopped);
    }
    logged(work.folder, built)
}

/// Keeps the log of a build in its folder, and gives its failure in words, with the first errors of
/// its compiler.
fn logged(folder: &Path, built: BuildOutcome) -> Result<(), BuildFailure> {
    let log = harmless(&built.log);
    // Its author reads it elsewhere.
    let log = log.replace(&format!("{}/", program::display_path(folder)), "");
    write_new(folder, LOG, log.as_bytes())?;
    match built.failure {
        Some(why) => Err(format!("{}; {}", clean_lines(&why), first_errors(&log)).into()),
        None => Ok(()),
    }
}

/// The output of the last build in a submission's folder. A file of this name that was handed in
/// may be a link that leads elsewhere, or longer than any output that is kept.
pub fn log_of(folder: &Path) -> Option<Vec<u8>> {
    let path = folder.join(LOG);
    fs::symlink_metadata(&path).ok().filter(|about| about.is_file())?;
    bounded::bytes(&path, LOG_BYTES).ok()
}

/// Writes a file into a submission's folder: a new one, so that no link there leads elsewhere.
fn write_new(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), String> {
    let path = folder.join(name);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => fs::File::create_new(&path).and_then(|mut file| file.write_all(bytes)),
    }
    .map_err(|error| format!("cannot write {}: {error}", program::display_path(&path)))
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

/// The first errors in a compiler's output, or else its last line.
fn first_errors(log: &str) -> String {
    let lines: Vec<&str> = log.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    let errors: Vec<String> = (lines.iter().enumerate())
        .filter(|(_, line)| is_error(line))
        .map(|(number, line)| {
            // Where rustc has seen it.
            let place = lines.get(number + 1).and_then(|next| next.trim_start().strip_prefix("--> "));
            let place = place.map(|place| format!(" ({place})")).unwrap_or_default();
            escape(format!("{}{place}", line.trim_start()).as_bytes(), 200)
        })
        .collect();
    match errors.len() {
        0 => {
            // make only says that a command of its own has failed.
            let is_told = |line: &&&str| !line.contains(": *** [");
            let last = lines.iter().rev().find(is_told).or(lines.last());
            let last = last.map_or_else(|| "(nothing)".to_owned(), |line| escape(line.as_bytes(), 160));
            format!("{LOG} ends: {last}")
        }
        count if count > SHOWN_ERRORS => {
            format!(
                "its first errors: {} (and {} more in {LOG})",
                errors[..SHOWN_ERRORS].join(" | "),
                count - SHOWN_ERRORS
            )
        }
        _ => format!("its first errors: {}", errors.join(" | ")),
    }
}

/// Whether a compiler says in this line what is wrong. `make: *** Error 1` and `2 errors` only say
/// that something is.
fn is_error(line: &str) -> bool {
    let line = line.trim_start().to_lowercase();
    let is_sum = line.split_once(' ').is_some_and(|(count, rest)| {
        count.bytes().all(|byte| byte.is_ascii_digit()) && rest.starts_with("error")
    });
    let marks =
        ["error:", "error[", "fatal:", "undefined reference", "multiple definition", "no rule to make"];
    !is_sum && marks.iter().any(|mark| line.contains(mark))
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
    let mut output = tempfile::tempfile().map_err(|error| format!("no room for a build log: {error}"))?;
    let share = || output.try_clone().map(Stdio::from);
    let mut child = Command::new(&words[0])
        .args(&words[1..])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(share().map_err(|error| error.to_string())?)
        .stderr(share().map_err(|error| error.to_string())?)
        .process_group(0)
        .spawn()
        .map_err(|error| {
            format!(
                "its build command {:?} cannot be run: {error}; install it",
                escape(words[0].as_encoded_bytes(), 80)
            )
        })?;
    let pid = Pid::from_child(&child);
    let waited = wait(&mut child, bound, stop);
    if !matches!(waited, Ok(Waited::Ended)) {
        // Not reaped yet, so the group is still the one we made.
        let _ = kill_process_group(pid, Signal::KILL); // it may have just ended
    }
    let status = child.wait().map_err(|error| format!("its build: {error}"))?;
    let failure = match waited.map_err(|error| format!("its build: {error}"))? {
        Waited::Ended if status.success() => None,
        Waited::Ended => Some(format!("failed with {status}")),
        Waited::TooLong => Some(format!("was not done after {} s and was killed", bound.as_secs())),
        Waited::Stopped => return Err(BuildFailure::Stopped),
    };
    let mut log = Vec::new();
    let _ = output.rewind(); // without it there is just less to show
    let _ = output.take(LOG_BYTES).read_to_end(&mut log); // as above
    let words: Vec<String> = words.iter().map(|word| escape(word.as_encoded_bytes(), 80)).collect();
    let failure = failure.map(|why| format!("its build ({}) {why}", escape(words.join(" ").as_bytes(), 200)));
    Ok(BuildOutcome { log, failure })
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
    Stopped,
}

/// Waits for the build's end, for the order to stop, or until it has taken too long.
fn wait(child: &mut Child, bound: Duration, stop: &OwnedFd) -> io::Result<Waited> {
    let until = Instant::now() + bound;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if child.wait_timeout(left.min(LOOK))?.is_some() {
            return Ok(Waited::Ended);
        }
        if is_readable(stop) {
            return Ok(Waited::Stopped);
        }
        if left.is_zero() {
            return Ok(Waited::TooLong);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_errors_of_each_compiler_are_found_and_not_its_last_line() {
        for (log, told) in [
            (
                "cc a.c\na.c: In function 'main':\na.c:3:5: error: 'x' undeclared\na.c:9:1: error: no y\nmake: *** [all] Error 1\n",
                "its first errors: a.c:3:5: error: 'x' undeclared | a.c:9:1: error: no y",
            ),
            (
                "Main.java:1: error: ';' expected\nint x\n     ^\n1 error\n",
                "its first errors: Main.java:1: error: ';' expected",
            ),
            (
                "error[E0425]: cannot find value `x`\n --> src/main.rs:2:5\n  |\n",
                "its first errors: error[E0425]: cannot find value `x` (src/main.rs:2:5)",
            ),
            (
                "/usr/bin/ld: a.o: undefined reference to `f'\n",
                "its first errors: /usr/bin/ld: a.o: undefined reference to `f'",
            ),
            ("no header\nmake: *** [Makefile:2: all] Error 1\n", "build.log ends: no header"),
            ("", "build.log ends: (nothing)"),
        ] {
            assert_eq!(first_errors(log), told);
        }
        let many = "a.c:1: error: x\n".repeat(5);
        assert!(first_errors(&many).ends_with("(and 2 more in build.log)"));
    }
}
