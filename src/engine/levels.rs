//! What is said of the levels above `none`, whichever system they are tried on: what is missing, what was tried, what is
//! to be started or built there, and what it used.

use std::ffi::{CString, OsString};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::config::{Confinement, Isolation};

/// The level that was asked for is not available on this machine. The program leaves with exit code 3.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("isolation level {level} is not available on this machine: {why}; {remedy}")]
pub struct Unavailable {
    /// The level.
    pub level: Isolation,
    /// What is missing, or which step failed.
    pub why: String,
    /// What to do.
    pub remedy: String,
}

/// One mechanism and what became of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Probe {
    /// Its name, as records have it in `in_force`.
    pub mechanism: &'static str,
    /// The lowest level that needs it, or would use it.
    pub level: Isolation,
    /// Whether the level is not available without it.
    pub needed: bool,
    /// What was found: a word about it, or what is missing.
    pub found: Result<String, Lack>,
}

/// Why a mechanism is not available, and what to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lack {
    /// The reason.
    pub why: String,
    /// The next step.
    pub remedy: String,
}

/// One small attack, and what came of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GuardTrial {
    /// What an engine would do.
    pub what: &'static str,
    /// The mechanism that is to prevent it.
    pub guard: &'static str,
    /// The lowest level that promises it.
    pub level: Isolation,
    /// Whether it works outside, where nothing prevents it; else why not. Then nothing is proved.
    pub outside: Result<(), String>,
    /// Whether it works inside; else why not.
    pub inside: Result<(), String>,
}

/// What a trial shows of its guard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shown {
    /// It works outside and not inside.
    Holds,
    /// It works inside.
    Fails,
    /// It does not work outside either.
    Nothing,
}

impl GuardTrial {
    /// What it shows.
    pub fn shown(&self) -> Shown {
        match (&self.outside, &self.inside) {
            (_, Ok(())) => Shown::Fails,
            (Ok(()), Err(_)) => Shown::Holds,
            (Err(_), Err(_)) => Shown::Nothing,
        }
    }
}

/// What is to be built.
pub struct BuildWork<'a> {
    /// The submission's folder, absolute.
    pub folder: &'a Path,
    /// The build command: a program that was found, and its arguments.
    pub command: &'a [OsString],
    /// What is to be read besides the system and the folder.
    pub shown: &'a [PathBuf],
    /// How long it may take.
    pub bound: Duration,
    /// Becomes readable when it is to stop.
    pub stop: &'a OwnedFd,
}

/// What became of a build.
pub struct BuildOutcome {
    /// The end of what it has written.
    pub log: Vec<u8>,
    /// Nothing if all is well and its files are in the folder; else why not.
    pub failure: Option<String>,
}

/// What is needed to start an engine at a level that has a helper.
#[cfg_attr(any(not(target_os = "linux"), agon_posix), allow(dead_code))] // most of it is for a box
pub(in crate::engine) struct LaunchSpec<'a> {
    /// How it is confined.
    pub(in crate::engine) confinement: &'a Confinement,
    /// The directory with the files of the game.
    pub(in crate::engine) files: &'a CString,
    /// What it can read besides the system.
    pub(in crate::engine) shown: &'a [CString],
    /// Whether it is started on the one core that it may use, where the level keeps it there.
    pub(in crate::engine) pinned: bool,
}

/// What a tree of processes uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(in crate::engine) struct Use {
    /// Processor time, of those that have ended as well if their parent has heard of it.
    pub(in crate::engine) cpu: Duration,
    /// Resident memory in bytes. What several of them share is counted once for each, so it is only a first look.
    pub(in crate::engine) memory: u64,
    /// Threads.
    pub(in crate::engine) threads: u32,
    /// Whether there is but one process, which has waited for no other.
    pub(in crate::engine) alone: bool,
    /// Whether all of it was counted: not if that took too long.
    pub(in crate::engine) whole: bool,
}

/// What a warden has to say of an engine that has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(in crate::engine) struct Account {
    /// Processes that were still there, which ended with the box.
    pub(in crate::engine) left: u32,
    /// Processor time of all that have ended in the box before.
    pub(in crate::engine) cpu: Duration,
}
