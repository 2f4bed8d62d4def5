//! The harness's side: starts an engine through a helper, and talks to the warden of its box.

use std::ffi::CString;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rustix::process::{Signal, WaitOptions, kill_process, waitpid};

use super::groups::ControlGroup;
use super::helper::NAME;
use super::landlock;
use super::requests::{self, Allowance, BoxRequest, BoxSpec, MessageKind};
use super::rights;
use crate::config::{Confinement, Isolation, Ponder};
use crate::engine::levels::{Account, LaunchSpec, Use};
use crate::engine::rlimits;
use crate::engine::spawn::{self, Child, Launch, NotStarted, Pipes};
use crate::record::Cause;

/// How long a box may take to be built, or to answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// The first of the users that root's engines become, and how many there are.
const USERS: (u32, u32) = (64_000, 1_500);

/// The warden of an engine's box, as the harness has it.
pub(in crate::engine) struct Warden {
    socket: UnixStream,
    /// Whether everything in the box is stopped.
    frozen: bool,
    freezes: bool,
    /// How many processes there are of the harness's own above the engine's.
    ours: u32,
    /// Its control groups, at the level that has them.
    group: Option<ControlGroup>,
}

/// Starts an engine at `limits` or above. When this comes back its program has begun.
///
/// # Errors
/// [`NotStarted`]: a program that cannot be started is the engine's fault, a box that cannot be built is ours.
pub(in crate::engine) fn start(
    launch: &Launch<'_>,
    pipes: Pipes,
    room: &LaunchSpec<'_>,
) -> Result<(Child, Option<Warden>), NotStarted> {
    if !room.confinement.level.is_boxed() {
        let limits = rights::limits(&allowance(room.confinement, None));
        return spawn::spawn(&Launch { limits: &limits, ..*launch }, pipes).map(|child| (child, None));
    }
    let strict = room.confinement.level == Isolation::Strict;
    let stops = room.confinement.ponder == Ponder::Off;
    let mut group =
        strict.then(|| ControlGroup::new(room.confinement)).transpose().map_err(NotStarted::Ours)?;
    let ours = ours(room.confinement);
    let mut order = order(launch, room);
    order.home.groups =
        group.as_ref().map(ControlGroup::directories).transpose().map_err(NotStarted::Ours)?;
    let order = order.encode();
    let (socket, theirs) = UnixStream::pair().map_err(NotStarted::Ours)?;
    socket.set_read_timeout(Some(PATIENCE)).map_err(NotStarted::Ours)?;
    socket.set_write_timeout(Some(PATIENCE)).map_err(NotStarted::Ours)?;
    let arguments = [c"agon".to_owned(), CString::new(NAME).expect("it has no NUL")];
    let helper = Launch {
        program: c"/proc/self/exe",
        arguments: &arguments,
        environment: &[],
        directory: c"/",
        socket: Some(theirs.as_fd()),
        limits: &[],
    };
    let child = spawn::spawn(&helper, pipes).map_err(|error| match error {
        NotStarted::Program(error) | NotStarted::Ours(error) => {
            NotStarted::Ours(io::Error::new(error.kind(), format!("cannot start a helper: {error}")))
        }
    })?;
    drop(theirs);
    let said =
        requests::send(&socket, MessageKind::Request, &order).and_then(|()| requests::receive(&socket));
    let why = match said {
        Ok(Some((MessageKind::Running, _))) => {
            if let Some(group) = &mut group {
                group.begin();
            }
            return Ok((child, Some(Warden { socket, frozen: false, freezes: stops, group, ours })));
        }
        Ok(Some((MessageKind::NoProgram, number))) => {
            let number = number.first_chunk().map_or(libc::EIO, |number| i32::from_le_bytes(*number));
            spawn::blame(io::Error::from_raw_os_error(number))
        }
        Ok(Some((MessageKind::NoBox, words))) => NotStarted::Ours(io::Error::other(format!(
            "the engine's box could not be built: {}",
            String::from_utf8_lossy(&words)
        ))),
        Ok(_) => NotStarted::Ours(io::Error::other("the engine's box could not be built: its helper ended")),
        Err(error) => {
            let why = format!("the engine's box could not be built: {error}");
            NotStarted::Ours(io::Error::new(error.kind(), why))
        }
    };
    // It is our child and nobody has reaped it; what it has made dies with it.
    let _ = kill_process(child.pid, Signal::KILL); // it may have ended
    let _ = waitpid(Some(child.pid), WaitOptions::empty()); // as above
    Err(why)
}

/// How many processes of the harness's own there are with an engine: in a box the outer one and its warden.
pub(super) fn ours(confinement: &Confinement) -> u32 {
    if confinement.level.is_boxed() { 2 } else { 0 }
}

fn order(launch: &Launch<'_>, room: &LaunchSpec<'_>) -> BoxRequest {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let confinement = room.confinement;
    let identity = rustix::process::geteuid()
        .is_root()
        .then(|| USERS.0 + NEXT.fetch_add(1, Ordering::Relaxed) % USERS.1);
    // Where no root has started it, the helper and the warden are of the same user and count as well.
    let own = if identity.is_none() { 2 } else { 1 };
    BoxRequest {
        program: launch.program.to_owned(),
        arguments: launch.arguments.to_vec(),
        environment: launch.environment.to_vec(),
        directory: launch.directory.to_owned(),
        allowance: allowance(confinement, Some(own)),
        home: BoxSpec {
            files: room.files.clone(),
            shown: room.shown.to_vec(),
            identity,
            size: confinement.disk,
            pinned: confinement.level == Isolation::Strict && room.pinned,
            groups: None,
        },
    }
}

/// What each process of an engine may use. `own` are the processes of ours that count with its own, in a box.
fn allowance(confinement: &Confinement, own: Option<u32>) -> Allowance {
    Allowance {
        data: rlimits::of_each(confinement.memory),
        file: confinement.disk,
        // A group that counts them says so when there are too many; the other limit would come first.
        processes: own
            .filter(|_| confinement.level == Isolation::Sandbox)
            .map(|own| confinement.processes.saturating_add(own)),
    }
}

impl Warden {
    /// Stops everything in the box, if engines may not think now. Does not wait until it is done.
    pub(in crate::engine) fn freeze(&mut self) {
        if self.freezes && !self.frozen {
            // If the box is gone that is seen elsewhere.
            self.frozen = match &self.group {
                Some(group) => group.freeze(true),
                None => requests::send(&self.socket, MessageKind::Freeze, b"").is_ok(),
            };
        }
    }

    /// Lets everything in the box go on, and waits until it does and the engine itself waits, if that does not take
    /// long. Whether it was stopped.
    pub(in crate::engine) fn thaw(&mut self) -> bool {
        if !std::mem::take(&mut self.frozen) {
            return false;
        }
        let order = match &self.group {
            Some(group) => {
                group.freeze(false); // as above
                MessageKind::Settle
            }
            None => MessageKind::Thaw,
        };
        if requests::send(&self.socket, order, b"").is_err() {
            return true;
        }
        // An account of its end may come instead, and then there is nobody to wait for.
        let _ = requests::receive(&self.socket);
        true
    }

    /// What all processes below this one use, its outer one; those of the harness's own do not count.
    pub(in crate::engine) fn ours(&self) -> usize {
        self.ours as usize
    }

    /// What the box uses, where the kernel counts it.
    pub(in crate::engine) fn uses(&self) -> Option<Use> {
        self.group.as_ref().map(ControlGroup::uses)
    }

    /// The limit that the kernel has kept the box from going over, where the kernel sees to it.
    pub(in crate::engine) fn over(&self, confinement: &Confinement) -> Option<(Cause, String)> {
        self.group.as_ref()?.over(confinement)
    }

    /// What the warden had to say when the engine ended.
    pub(in crate::engine) fn account(&self) -> Option<Account> {
        self.socket.set_nonblocking(true).ok()?;
        loop {
            match requests::receive(&self.socket).ok()?? {
                (MessageKind::Ended, account) => return Account::decode(&account),
                _ => continue,
            }
        }
    }
}

/// What is in force at a level, in words.
pub fn in_force(confinement: &Confinement) -> Vec<String> {
    let mut all = vec!["process group", "child subreaper", "off-turn CPU measured"];
    if confinement.level >= Isolation::Limits {
        all.extend(["rlimits", "no new privileges", "memory, processes and CPU of the tree polled"]);
    }
    if confinement.level.is_boxed() {
        if rustix::process::geteuid().is_root() {
            all.push("a user of its own");
        }
        all.extend([
            "user namespace",
            "pid namespace",
            "mount namespace",
            "network namespace",
            "ipc namespace",
            "uts namespace",
            "cgroup namespace",
            "read-only system",
            "tmpfs",
            "no capabilities",
            "seccomp",
        ]);
        if landlock::version().is_some() {
            all.push("Landlock");
        }
        if confinement.level == Isolation::Strict {
            all.push("control groups for memory, processes and processor time");
        }
        if confinement.ponder == Ponder::Off {
            let by_group = confinement.level == Isolation::Strict;
            all.push(if by_group {
                "frozen off turn by a control group"
            } else {
                "frozen off turn by signals"
            });
        }
    }
    all.into_iter().map(str::to_owned).collect()
}
