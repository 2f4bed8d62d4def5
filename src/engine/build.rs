//! Runs the build command of an engine before its first game, when its program is missing or older than
//! something beside it.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Seek};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};

use super::program;
use super::spec::EngineSpec;
use crate::printable::escape;

/// How long a build may take.
const BOUND: Duration = Duration::from_secs(300);
/// How much of the end of a failed build's output is shown.
const SHOWN: usize = 2000;

/// Why there is no engine.
pub enum Failure {
    /// Words for its author, with the end of the build's output.
    Words(String),
    /// We were told to stop.
    Stopped,
}

impl From<String> for Failure {
    fn from(words: String) -> Self {
        Failure::Words(words)
    }
}

/// Whether the engine has a build command, and its program is missing or older than something beside it.
pub fn is_due(engine: &EngineSpec) -> bool {
    engine.build.is_some() && is_stale(engine)
}

/// Runs the build command of an engine that is due. `stop` becomes readable when the run is to stop.
///
/// # Errors
/// [`Failure`].
pub fn build(engine: &EngineSpec, stop: &OwnedFd) -> Result<(), Failure> {
    let Some(words) = &engine.build else { return Ok(()) };
    let words: Vec<OsString> = words.iter().map(OsString::from).collect();
    run(&engine.folder, &words, Some(&engine.program), stop)
}

/// Runs a build command in a folder, where it is to make a program, if it is known which.
///
/// # Errors
/// [`Failure`].
pub fn run(folder: &Path, words: &[OsString], makes: Option<&Path>, stop: &OwnedFd) -> Result<(), Failure> {
    let what = program::shown(folder);
    let mut output =
        tempfile::tempfile().map_err(|error| format!("{what}: no room for a build log: {error}"))?;
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
                "{what}: its build command {:?} cannot be run: {error}; install it",
                escape(words[0].as_encoded_bytes(), 80)
            )
        })?;
    let pid = Pid::from_child(&child);
    let waited = wait(pid, stop);
    if !matches!(waited, Ok(Waited::Ended)) {
        // Not reaped yet, so the group is still the one we made.
        let _ = kill_process_group(pid, Signal::KILL); // it may have just ended
    }
    let status = child.wait().map_err(|error| format!("{what}: its build: {error}"))?;
    let status = match waited.map_err(|error| format!("{what}: its build: {error}"))? {
        Waited::Ended => Some(status),
        Waited::TooLong => None,
        Waited::Stopped => return Err(Failure::Stopped),
    };
    let failure = match status {
        Some(status) if status.success() => match makes.filter(|program| !program.exists()) {
            None => return Ok(()),
            Some(program) => format!("made no {}", program::shown(program)),
        },
        Some(status) => format!("failed with {status}"),
        None => format!("was not done after {} s and was killed", BOUND.as_secs()),
    };
    let mut said = Vec::new();
    let length = output.metadata().map_or(0, |about| about.len());
    let tail = length.saturating_sub(SHOWN as u64);
    let _ = output.seek(std::io::SeekFrom::Start(tail)); // without it there is just less to show
    let _ = output.take(SHOWN as u64).read_to_end(&mut said); // as above
    let said: Vec<String> =
        said.split(|byte| *byte == b'\n').map(|line| format!("  {}", escape(line, 200))).collect();
    let words: Vec<String> = words.iter().map(|word| escape(word.as_encoded_bytes(), 80)).collect();
    let said = said.join("\n").trim_end().to_owned();
    let said = if said.is_empty() { "; it said nothing".to_owned() } else { format!("; it said\n{said}") };
    Err(format!("{what}: its build ({}) {failure}{said}", escape(words.join(" ").as_bytes(), 200)).into())
}

enum Waited {
    Ended,
    TooLong,
    Stopped,
}

/// Waits for the build's end, for the order to stop, or until it has taken too long.
fn wait(pid: Pid, stop: &OwnedFd) -> io::Result<Waited> {
    let process = pidfd_open(pid, PidfdFlags::empty())?;
    let until = Instant::now() + BOUND;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let mut fds = [PollFd::new(&process, PollFlags::IN), PollFd::new(stop, PollFlags::IN)];
        let left = Timespec { tv_sec: left.as_secs().cast_signed(), tv_nsec: left.subsec_nanos().into() };
        match poll(&mut fds, Some(&left)) {
            Ok(0) => return Ok(Waited::TooLong),
            Ok(_) if !fds[0].revents().is_empty() => return Ok(Waited::Ended),
            Ok(_) => return Ok(Waited::Stopped),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn is_stale(engine: &EngineSpec) -> bool {
    let Ok(made) = modified(&engine.program) else { return true };
    let Ok(listed) = fs::read_dir(&engine.folder) else { return true };
    listed
        .flatten()
        .filter(|entry| entry.path() != engine.program)
        .any(|entry| modified(&entry.path()).is_ok_and(|time| time > made))
}

fn modified(path: &Path) -> std::io::Result<SystemTime> {
    fs::metadata(path)?.modified()
}
