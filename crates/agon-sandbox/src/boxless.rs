//! The levels on a system that has no boxes: `none`, what of `limits` every Unix has, and the
//! refusal of the others.
//!
//! It has the same names as `boxes`, which takes its place on Linux.

use std::io;
use std::path::{Path, PathBuf};

use crate::checked::{CheckRow, Unavailable};
use crate::levels::{Account, BuildOutcome, BuildWork, Isolation, LimitHit, Request, ResourceLimits, Use};
use crate::rlimits;
use crate::spawn::{self, Child, Launch, NotStarted, Pipes};

/// Where a program is started in a box: there are none.
pub const OWN: &str = "/";

/// What every box shows of the system: there are none.
pub fn of_every_box() -> Vec<(PathBuf, bool)> {
    Vec::new()
}

/// Says which levels are available: those without boxes.
///
/// # Errors
/// [`Unavailable`], with the reason and the next step.
pub fn available(level: Isolation, _limits: ResourceLimits, _empty: &Path) -> Result<(), Unavailable> {
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

/// Confines this process: this system has no means for it, so nothing is returned.
///
/// # Errors
/// None here.
pub fn confine(_places: &[&Path], _readable: &[&Path]) -> Result<Vec<&'static str>, String> {
    Ok(Vec::new())
}

/// What a level does without here, though it is available.
pub fn goes_without(level: Isolation) -> Option<&'static str> {
    (level == Isolation::Limits).then_some(
        "on this system each process has its limits, and nobody looks at memory, processes and processor time of all of an \
         engine's together",
    )
}

/// Makes every check: there is one, of which the system itself answers for what it prevents.
///
/// # Errors
/// None here.
pub fn self_test(_tried_at: Option<Isolation>, _place: &Path) -> io::Result<Vec<CheckRow>> {
    Ok(vec![CheckRow {
        mechanism: "rlimits",
        attack: None,
        level: Isolation::Limits,
        needed: true,
        found: Ok("each process has its own".to_owned()),
        tried: None,
    }])
}

/// The attacks that work inside a box: there is none to try them in.
///
/// # Errors
/// None here.
pub fn breaches(_level: Isolation, _place: &Path) -> io::Result<Vec<(&'static str, &'static str)>> {
    Ok(Vec::new())
}

/// What is in force at a level, in words.
pub fn in_force(level: Isolation, _freezes: bool) -> Vec<&'static str> {
    let mut all = vec!["process group", "stragglers by their mark"];
    if level >= Isolation::Limits {
        all.push("rlimits");
    }
    all
}

/// Builds a submission in a box.
///
/// # Errors
/// Always: there are no boxes. [`available`] has said so before.
pub fn build(_work: &BuildWork<'_>, _place: &Path) -> io::Result<BuildOutcome> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Becomes a helper, which nobody starts here.
pub fn become_helper() {}

/// Ends what is left in control groups: there are none.
pub fn sweep_groups() {}

/// The warden of a box: there is none.
pub enum Warden {}

/// Starts a program at `none` or `limits`. When this comes back it has begun.
///
/// # Errors
/// [`NotStarted`]: a program that cannot be started is its author's fault.
pub fn start(request: &Request<'_>, pipes: Pipes) -> Result<(Child, Option<Warden>), NotStarted> {
    let limits = match request.level {
        Isolation::None => Vec::new(),
        Isolation::Limits => {
            rlimits::everywhere(rlimits::of_each(request.limits.memory), request.limits.disk)
        }
        _ => return Err(NotStarted::Ours(io::ErrorKind::Unsupported.into())),
    };
    let launch = Launch {
        program: request.program,
        arguments: request.arguments,
        environment: request.environment,
        directory: request.directory,
        socket: None,
        limits: &limits,
    };
    spawn::spawn(&launch, pipes).map(|child| (child, None))
}

impl Warden {
    /// Stops everything in the box.
    pub fn freeze(&mut self) {
        match *self {}
    }

    /// Lets everything in the box go on.
    pub fn thaw(&mut self) -> bool {
        match *self {}
    }

    /// How many generations of the box's processes are the harness's own.
    pub fn ours(&self) -> usize {
        match *self {}
    }

    /// What the box uses.
    pub fn uses(&self) -> Option<Use> {
        match *self {}
    }

    /// The limit that the kernel has kept the box from going over.
    pub fn limit_hit(&self) -> Option<LimitHit> {
        match *self {}
    }

    /// Whether nothing more can be written to the files of the box.
    pub fn disk_is_full(&self) -> bool {
        match *self {}
    }

    /// What the warden had to say when the program ended.
    pub fn account(&self) -> Option<Account> {
        match *self {}
    }
}

/// What a program's processes use: the system does not tell, except of one that has ended.
pub mod process_tree {
    use std::collections::HashMap;
    use std::time::Duration;

    use rustix::process::Pid;

    use crate::levels::{TreeSample, Use};

    /// The processor time of one process and its threads; nothing here.
    pub fn cpu_of(_pid: Pid) -> Option<Duration> {
        None
    }

    /// What a process and everything below it use; nothing here.
    pub fn of(_roots: &[Pid], _ours: usize, _bound: Duration) -> Use {
        Use { alone: true, whole: true, ..Use::default() }
    }

    /// Its memory, in which what several processes have counts once; nothing here.
    pub fn memory_without_sharing(_roots: &[Pid], _ours: usize, _bound: Duration) -> u64 {
        0
    }

    /// Whether it sits in a read of its standard input; unknown here.
    pub fn reads_input(_roots: &[Pid], _ours: usize, _bound: Duration) -> Option<bool> {
        None
    }

    /// Whether every thread of its processes waits; nothing here.
    pub fn all_wait(_roots: &[Pid], _ours: usize, _bound: Duration) -> Option<bool> {
        None
    }

    /// What is seen of its threads; nothing here.
    pub fn sample(_roots: &[Pid], _ours: usize, _bound: Duration) -> TreeSample {
        TreeSample::default()
    }

    /// The processor time of all other processes; nothing here.
    pub fn outside(_roots: &[Pid], _bound: Duration) -> HashMap<i32, Duration> {
        HashMap::new()
    }

    /// Whether its processes are in the control groups of the calling one; there are none here.
    pub fn are_in_own_groups(_roots: &[Pid], _ours: usize, _bound: Duration) -> bool {
        true
    }

    /// The worst nice value of its sessions; sessions have none here.
    pub fn worst_session(_roots: &[Pid], _ours: usize, _bound: Duration) -> i32 {
        0
    }

    /// Every thread of a process and of everything below it; nothing here.
    pub fn threads(_root: Pid) -> Vec<Pid> {
        Vec::new()
    }
}
