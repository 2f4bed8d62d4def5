//! The levels on a system that has no boxes: `none`, what of `limits` every Unix has, and the refusal of the others.
//!
//! It has the same names as `sandbox`, which takes its place on Linux.

use std::io;
use std::path::{Path, PathBuf};

use super::levels::{Account, BuildOutcome, BuildWork, GuardTrial, LaunchSpec, Probe, Unavailable, Use};
use super::rlimits;
use super::spawn::{self, Child, Launch, NotStarted, Pipes};
use super::spec::EngineSpec;
use crate::config::{Confinement, Isolation};
use crate::record::Cause;

/// Where an engine is started in a box: there are none.
pub const OWN: &str = "/";

/// Says which levels are available: those without boxes.
///
/// # Errors
/// [`Unavailable`], with the reason and the next step.
pub fn available(confinement: &Confinement, _empty: &Path) -> Result<(), Unavailable> {
    let level = confinement.level;
    if !level.is_boxed() {
        return Ok(());
    }
    Err(Unavailable {
        level,
        why: "boxes are made of parts of Linux, and this system has none".to_owned(),
        remedy: "run agon on Linux, in a virtual machine if need be; or use --isolation limits, which promises less"
            .to_owned(),
    })
}

/// What a level does without here, though it is available.
pub fn goes_without(level: Isolation) -> Option<&'static str> {
    (level == Isolation::Limits).then_some(
        "on this system each process has its limits, and nobody looks at memory, processes and processor time of all of an \
         engine's together",
    )
}

/// Tries every mechanism: there is one.
pub fn probe(_empty: &Path) -> Vec<Probe> {
    let found = Ok("each process has its own".to_owned());
    vec![Probe { mechanism: "rlimits", level: Isolation::Limits, needed: true, found }]
}

/// Makes every attempt that a level promises to prevent: none that the system itself does not answer for.
///
/// # Errors
/// None here.
pub fn try_out(_level: Isolation, _place: &Path) -> io::Result<Vec<GuardTrial>> {
    Ok(Vec::new())
}

/// The same before a run.
///
/// # Errors
/// None here.
pub fn breaches(_level: Isolation, _place: &Path) -> io::Result<Vec<(&'static str, &'static str)>> {
    Ok(Vec::new())
}

/// What is in force at a level, in words.
pub fn in_force(confinement: &Confinement) -> Vec<String> {
    let mut all = vec!["process group", "stragglers by their mark"];
    if confinement.level >= Isolation::Limits {
        all.push("rlimits");
    }
    all.into_iter().map(str::to_owned).collect()
}

/// The files and directories that an engine's box shows.
pub fn shown(_engine: &EngineSpec) -> Vec<PathBuf> {
    Vec::new()
}

/// What a program needs in a box.
pub fn needed_by(_program: &Path) -> Vec<PathBuf> {
    Vec::new()
}

/// Whether a box can show an engine so that it runs.
///
/// # Errors
/// None here: nobody asks before [`available`] has refused.
pub fn admits(_engine: &EngineSpec) -> Result<(), String> {
    Ok(())
}

/// Builds a submission in a box.
///
/// # Errors
/// Always: there are no boxes. [`available`] has said so before.
pub fn build(_work: &BuildWork<'_>, _place: &Path) -> io::Result<BuildOutcome> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Becomes a helper, which nobody starts here.
pub fn help() {}

/// Ends what is left in control groups: there are none.
pub fn sweep_groups() {}

/// The warden of an engine's box: there is none.
pub(super) enum Warden {}

/// Starts an engine at `limits`. When this comes back its program has begun.
///
/// # Errors
/// [`NotStarted`]: a program that cannot be started is the engine's fault.
pub(super) fn start(
    launch: &Launch<'_>,
    pipes: Pipes,
    room: &LaunchSpec<'_>,
) -> Result<(Child, Option<Warden>), NotStarted> {
    let confinement = room.confinement;
    if confinement.level.is_boxed() {
        return Err(NotStarted::Ours(io::ErrorKind::Unsupported.into()));
    }
    let limits = rlimits::everywhere(rlimits::of_each(confinement.memory), confinement.disk);
    spawn::spawn(&Launch { limits: &limits, ..*launch }, pipes).map(|child| (child, None))
}

impl Warden {
    pub(super) fn freeze(&mut self) {
        match *self {}
    }

    pub(super) fn thaw(&mut self) -> bool {
        match *self {}
    }

    pub(super) fn ours(&self) -> usize {
        match *self {}
    }

    pub(super) fn uses(&self) -> Option<Use> {
        match *self {}
    }

    pub(super) fn over(&self, _confinement: &Confinement) -> Option<(Cause, String)> {
        match *self {}
    }

    pub(super) fn account(&self) -> Option<Account> {
        match *self {}
    }
}

/// What an engine's processes use: the system does not tell, except of one that has ended.
pub(super) mod tree {
    use std::time::Duration;

    use rustix::process::Pid;

    use crate::engine::levels::Use;

    /// The processor time of one process and its threads; nothing here.
    pub(in crate::engine) fn cpu_of(_pid: Pid) -> Option<Duration> {
        None
    }

    /// What a process and everything below it use; nothing here.
    pub(in crate::engine) fn of(_roots: &[Pid], _ours: usize, _bound: Duration) -> Use {
        Use { alone: true, whole: true, ..Use::default() }
    }

    /// Its memory, in which what several processes have counts once; nothing here.
    pub(in crate::engine) fn memory_without_sharing(_roots: &[Pid], _ours: usize, _bound: Duration) -> u64 {
        0
    }

    /// How long one of its threads has waited for a processor; nothing here.
    pub(in crate::engine) fn waited(_roots: &[Pid], _ours: usize, _bound: Duration) -> Duration {
        Duration::ZERO
    }

    /// Every thread of a process and of everything below it; nothing here.
    pub(in crate::engine) fn threads(_root: Pid) -> Vec<Pid> {
        Vec::new()
    }
}
