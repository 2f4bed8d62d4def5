//! Runs the build command of an engine before its first game, when its program is missing or older than
//! something beside it.

use std::fs;
use std::io::{Read, Seek};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use rustix::process::{Pid, Signal, kill_process_group};
use wait_timeout::ChildExt;

use super::program;
use super::spec::EngineSpec;
use crate::printable::escape;

/// How long a build may take.
const BOUND: Duration = Duration::from_secs(300);
/// How much of the end of a failed build's output is shown.
const SHOWN: usize = 2000;

/// Builds the engine if it has a build command and needs it. Tells whether it did.
///
/// # Errors
/// Words with the end of the build's output.
pub fn build(engine: &EngineSpec) -> Result<bool, String> {
    let Some(words) = &engine.build else { return Ok(false) };
    if !is_stale(engine) {
        return Ok(false);
    }
    let what = program::shown(&engine.folder);
    let mut output =
        tempfile::tempfile().map_err(|error| format!("{what}: no room for a build log: {error}"))?;
    let share = || output.try_clone().map(Stdio::from);
    let mut child = Command::new(&words[0])
        .args(&words[1..])
        .current_dir(&engine.folder)
        .stdin(Stdio::null())
        .stdout(share().map_err(|error| error.to_string())?)
        .stderr(share().map_err(|error| error.to_string())?)
        .process_group(0)
        .spawn()
        .map_err(|error| {
            format!(
                "{what}: its build command {:?} cannot be run: {error}; install it",
                escape(words[0].as_bytes(), 80)
            )
        })?;
    let status = child.wait_timeout(BOUND).map_err(|error| format!("{what}: its build: {error}"))?;
    if status.is_none() {
        if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
            // Not reaped yet, so the group is still the one we made.
            let _ = kill_process_group(group, Signal::KILL); // it may have just ended
        }
        let _ = child.wait(); // killed
    }
    let failure = match status {
        Some(status) if status.success() => return Ok(true),
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
    let words: Vec<String> = words.iter().map(|word| escape(word.as_bytes(), 80)).collect();
    Err(format!("{what}: its build ({}) {failure}; it said\n{}", words.join(" "), said.join("\n").trim_end()))
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
