//! The levels, and the types that every operating system uses for them: what is to be started or
//! built, and what it used.

use std::ffi::{CStr, CString, OsString};
use std::fmt;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

/// What a program is kept from, from least to most. A level that is not available is refused, never
/// weakened.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Isolation {
    /// It cannot hang or corrupt a game; it can do anything else that the user can.
    None,
    /// One that runs away by accident is stopped. No protection from malice.
    #[default]
    Limits,
    /// It sees and changes nothing of the user's: no files, no other processes, no network.
    Sandbox,
    /// As `Sandbox`, with exact limits for the whole tree of its processes.
    Strict,
}

impl Isolation {
    /// Every level, from least to most.
    pub const ALL: [Isolation; 4] =
        [Isolation::None, Isolation::Limits, Isolation::Sandbox, Isolation::Strict];

    /// Whether programs are put into a box of their own.
    pub fn is_boxed(self) -> bool {
        self >= Isolation::Sandbox
    }
}

impl fmt::Display for Isolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Isolation::None => "none",
            Isolation::Limits => "limits",
            Isolation::Sandbox => "sandbox",
            Isolation::Strict => "strict",
        })
    }
}

impl FromStr for Isolation {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let found = Isolation::ALL.into_iter().find(|level| level.to_string() == text);
        found.ok_or_else(|| "the levels are none, limits, sandbox and strict".to_owned())
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Isolation {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
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
    /// How it has ended.
    pub end: BuildEnd,
}

/// How a build has ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BuildEnd {
    /// All is well, and its files are in the folder.
    Made,
    /// Why it cannot be built.
    Failed(String),
    /// What this machine was short of: nobody knows whether it can be built.
    Machine(String),
}

/// What one program may use, all its processes together unless it says otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ResourceLimits {
    /// The most memory, in bytes.
    pub memory: u64,
    /// The most it may write to files, in bytes: each file at `limits`, all together in a box.
    pub disk: u64,
    /// The most processes and threads.
    pub processes: u32,
}

impl Default for ResourceLimits {
    /// Enough for programs with large runtimes.
    fn default() -> Self {
        ResourceLimits { memory: 1 << 30, disk: 64 << 20, processes: 256 }
    }
}

/// What is to be started, and how closely it is confined.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The program, absolute.
    pub program: &'a CStr,
    /// Its arguments; the first is the name it is called by.
    pub arguments: &'a [CString],
    /// Its whole environment, `NAME=value`.
    pub environment: &'a [CString],
    /// The directory it is started in, absolute; in a box that is seen from inside.
    pub directory: &'a CStr,
    /// The directory whose files become files of the box, absolute.
    pub files: &'a CStr,
    /// What a box shows besides the system, each file and directory at its own place.
    pub shown: &'a [CString],
    /// The level.
    pub level: Isolation,
    /// What it may use.
    pub limits: ResourceLimits,
    /// Whether its warden is to freeze and thaw it.
    pub freezes: bool,
    /// Whether it is started on the one core that it may use, where the level keeps it there.
    pub pinned: bool,
}

/// A limit that the kernel itself has kept a box from going over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LimitHit {
    /// It wanted more memory, and one of its processes was killed.
    Memory,
    /// It wanted more processes or threads, and was refused.
    Processes,
}

/// What was seen of one thread at an instant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ThreadSample {
    /// Its number.
    pub id: i32,
    /// When it began, in ticks since the start of the system: numbers are used again.
    pub born: u64,
    /// Whether it runs or waits for a processor.
    pub runnable: bool,
    /// Its processor time.
    pub ran: Duration,
    /// How long it has waited for a processor, without a wait that goes on.
    pub waited: Duration,
    /// Its priority.
    pub priority: Priority,
    /// The cores that it may use.
    pub cores: Vec<usize>,
}

/// How the kernel prefers a thread to others.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Priority {
    /// The nice value.
    pub nice: i32,
    /// The scheduling policy, by the kernel's number.
    pub policy: u64,
}

/// What was seen of all threads of a tree of processes at an instant.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TreeSample {
    /// The processor time of all its processes, of those that have ended as well if their parent
    /// has heard of it.
    pub cpu: Duration,
    /// Its threads.
    pub threads: Vec<ThreadSample>,
    /// Whether all of it was looked at.
    pub whole: bool,
}

/// What a tree of processes uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Use {
    /// Processor time, of those that have ended as well if their parent has heard of it.
    pub cpu: Duration,
    /// Resident memory in bytes. What several of them share is counted once for each, so it is only
    /// a first look.
    pub memory: u64,
    /// Threads.
    pub threads: u32,
    /// Whether there is but one process, which has waited for no other.
    pub alone: bool,
    /// Whether all of it was counted: not if that took too long.
    pub whole: bool,
}

/// What a warden has to say of a program that has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Account {
    /// Processes that were still there, which ended with the box.
    pub left: u32,
    /// Processor time of all that have ended in the box before.
    pub cpu: Duration,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_reads_back_and_an_unknown_one_is_refused() {
        for level in Isolation::ALL {
            assert_eq!(level.to_string().parse(), Ok(level));
        }
        assert!("Sandbox".parse::<Isolation>().is_err());
        assert!(Isolation::Strict.is_boxed() && !Isolation::Limits.is_boxed());
    }
}
