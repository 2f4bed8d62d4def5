//! The harness's side: starts an engine through a helper, and talks to the warden of its box.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal, WaitOptions, kill_process_group, waitpid};

use super::cgroups::ControlGroup;
use super::landlock;
use super::requests::{self, Allowance, BoxRequest, BoxSpec, MessageKind};
use super::{mounts, process_tree, rights, roles};
use crate::levels::{Account, Isolation, LimitHit, Request, Use};
use crate::orphans;
use crate::rlimits;
use crate::spawn::{self, Child, Launch, NotStarted, Pipes};

/// How long a box may take to be built, or to answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// How many processes of ours there are with a program in a box: the helper and the warden.
const OURS: u32 = 2;
/// The first of the users that root's engines become, and how many there are.
const USERS: (u32, u32) = (64_000, 1_500);

/// The warden of a box, as the harness has it.
pub struct Warden {
    socket: UnixStream,
    /// Whether everything in the box is stopped.
    frozen: bool,
    freezes: bool,
    /// Its control groups, at the level that has them.
    group: Option<ControlGroup>,
    /// The program's own directory. It outlives the box.
    own: Option<OwnedFd>,
}

/// Starts a program at a level. When this comes back it has begun. Boxes come with a warden.
///
/// # Errors
/// [`NotStarted`]: a program that cannot be started is its author's fault, a box that cannot be
/// built is ours.
pub fn start(request: &Request<'_>, pipes: Pipes) -> Result<(Child, Option<Warden>), NotStarted> {
    if !request.level.is_boxed() {
        let limits = match request.level {
            Isolation::None => Vec::new(),
            _ => rights::limits(&allowance(request, None)),
        };
        let launch = Launch {
            program: request.program,
            arguments: request.arguments,
            environment: request.environment,
            directory: request.directory,
            socket: None,
            limits: &limits,
        };
        return spawn::spawn(&launch, pipes).map(|child| (child, None));
    }
    if let Some(error) = spawn::too_long(request.arguments, request.environment) {
        return Err(NotStarted::Program(error));
    }
    let mut group = (request.level == Isolation::Strict)
        .then(|| ControlGroup::new(request.limits))
        .transpose()
        .map_err(NotStarted::Ours)?;
    let mut sent = box_request(request);
    sent.spec.groups = group.as_ref().map(ControlGroup::directories).transpose().map_err(NotStarted::Ours)?;
    let message = sent.encode();
    let (socket, theirs) = UnixStream::pair().map_err(NotStarted::Ours)?;
    socket.set_read_timeout(Some(PATIENCE)).map_err(NotStarted::Ours)?;
    socket.set_write_timeout(Some(PATIENCE)).map_err(NotStarted::Ours)?;
    let arguments = [c"agon".to_owned(), CString::new(roles::HELPER).expect("it has no NUL")];
    let helper = Launch {
        program: c"/proc/self/exe",
        arguments: &arguments,
        environment: &[],
        directory: c"/",
        socket: Some(theirs.as_fd()),
        limits: &[],
    };
    let child = spawn::spawn(&helper, pipes).map_err(|error| match error {
        NotStarted::Program(error) | NotStarted::Directory(error) | NotStarted::Ours(error) => {
            NotStarted::Ours(io::Error::new(error.kind(), format!("cannot start a helper: {error}")))
        }
    })?;
    drop(theirs);
    let said =
        requests::send(&socket, MessageKind::Request, &message).and_then(|()| requests::receive(&socket));
    let why = match said {
        Ok(Some((MessageKind::Running, _))) => {
            if let Some(group) = &mut group {
                group.begin();
            }
            let own = own_directory(child.pid);
            return Ok((child, Some(Warden { socket, frozen: false, freezes: request.freezes, group, own })));
        }
        Ok(Some((MessageKind::NoProgram, number))) => {
            let number = number.first_chunk().map_or(libc::EIO, |number| i32::from_le_bytes(*number));
            spawn::blame(io::Error::from_raw_os_error(number), request.program)
        }
        Ok(Some((MessageKind::NoDirectory, number))) => {
            let number = number.first_chunk().map_or(libc::EIO, |number| i32::from_le_bytes(*number));
            NotStarted::Directory(io::Error::from_raw_os_error(number))
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
    end(&child);
    Err(why)
}

/// Ends a process that was started here, with its box, and reaps all of it. Its owner has no other
/// use for it.
pub(super) fn end(child: &Child) {
    // It is our child and nobody has reaped it, so the group is its own. The warden is in it as
    // well.
    let _ = kill_process_group(child.pid, Signal::KILL); // it may be empty
    let _ = waitpid(Some(child.pid), WaitOptions::empty()); // it is killed
    // The warden has lost its parent, and so it has become a child of this process where orphans
    // are adopted.
    orphans::sweep(&[]);
}

/// The own directory of the program that this helper has started, from outside; nothing if it is
/// gone already.
fn own_directory(helper: Pid) -> Option<OwnedFd> {
    let program = *process_tree::children(*process_tree::children(helper, 1).first()?, 1).first()?;
    let path = format!("/proc/{}/root{}", program.as_raw_nonzero(), mounts::OWN);
    rustix::fs::open(path, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).ok()
}

/// The user of the next program that root starts in a box. The kernel counts all processes of a
/// user together. So runs side by side begin with different users, and a program of one run does
/// not use up the processes of another run's.
fn next_user() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    static FIRST: LazyLock<u32> = LazyLock::new(|| {
        // Containers may have the same users and each a process of this number.
        let namespace = std::fs::metadata("/proc/self/ns/pid").map_or(0, |file| file.ino());
        first_user(std::process::id(), namespace)
    });
    USERS.0 + (*FIRST + NEXT.fetch_add(1, Ordering::Relaxed)) % USERS.1
}

/// Where a process begins in the range of users, far from those whose numbers are near.
fn first_user(process: u32, namespace: u64) -> u32 {
    const APART: u64 = 61;
    let first = (u64::from(process) * APART + namespace) % u64::from(USERS.1);
    u32::try_from(first).unwrap_or(0) // it is below the number of users
}

fn box_request(request: &Request<'_>) -> BoxRequest {
    let identity = rustix::process::geteuid().is_root().then(next_user);
    // Where no root has started it, the helper and the warden are of the same user and count as
    // well.
    let own = if identity.is_none() { OURS } else { 1 };
    BoxRequest {
        program: request.program.to_owned(),
        arguments: request.arguments.to_vec(),
        environment: request.environment.to_vec(),
        directory: request.directory.to_owned(),
        allowance: allowance(request, Some(own)),
        spec: BoxSpec {
            files: request.files.to_owned(),
            shown: request.shown.to_vec(),
            identity,
            size: request.limits.disk,
            pinned: request.level == Isolation::Strict && request.pinned,
            groups: None,
        },
    }
}

/// What each process may use. `own` are the processes of ours that count with the program's own, in
/// a box.
fn allowance(request: &Request<'_>, own: Option<u32>) -> Allowance {
    Allowance {
        data: rlimits::of_each(request.limits.memory),
        file: request.limits.disk,
        // A group that counts them says so when there are too many; the other limit would come
        // first.
        processes: own
            .filter(|_| request.level == Isolation::Sandbox)
            .map(|own| request.limits.processes.saturating_add(own)),
    }
}

impl Warden {
    /// Stops everything in the box, if engines may not think now. Does not wait until it is done.
    pub fn freeze(&mut self) {
        if self.freezes && !self.frozen {
            // If the box is gone that is seen elsewhere.
            self.frozen = match &self.group {
                Some(group) => group.freeze(true),
                None => requests::send(&self.socket, MessageKind::Freeze, b"").is_ok(),
            };
        }
    }

    /// Lets everything in the box go on. Waits until it does and the engine itself waits, if that
    /// does not take long. Returns whether it was stopped.
    pub fn thaw(&mut self) -> bool {
        if !std::mem::take(&mut self.frozen) {
            return false;
        }
        let message = match &self.group {
            Some(group) => {
                group.freeze(false); // as above
                MessageKind::Settle
            }
            None => MessageKind::Thaw,
        };
        if requests::send(&self.socket, message, b"").is_err() {
            return true;
        }
        // An account of its end may come instead, and then there is nobody to wait for.
        let _ = requests::receive(&self.socket);
        true
    }

    /// How many generations of the box's processes are the harness's own: the helper and the
    /// warden.
    pub fn ours(&self) -> usize {
        OURS as usize
    }

    /// What the box uses, where the kernel counts it.
    pub fn uses(&self) -> Option<Use> {
        self.group.as_ref().map(ControlGroup::uses)
    }

    /// Whether nothing more can be written to the files of the box.
    pub fn disk_is_full(&self) -> bool {
        let left = self.own.as_ref().and_then(|own| rustix::fs::fstatvfs(own).ok());
        left.is_some_and(|left| left.f_bavail == 0 || left.f_favail == 0)
    }

    /// The limit that the kernel has kept the box from going over, where the kernel sees to it.
    pub fn limit_hit(&self) -> Option<LimitHit> {
        self.group.as_ref()?.limit_hit()
    }

    /// What the warden had to say when the engine ended.
    pub fn account(&self) -> Option<Account> {
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
pub fn in_force(level: Isolation, freezes: bool) -> Vec<&'static str> {
    let mut all = vec!["process group", "child subreaper", "off-turn CPU measured"];
    if level >= Isolation::Limits {
        all.extend(["rlimits", "no new privileges", "memory, processes and CPU of the tree polled"]);
    }
    if level.is_boxed() {
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
        if level == Isolation::Strict {
            all.push("control groups for memory, processes and processor time");
        }
        if freezes {
            let by_group = level == Isolation::Strict;
            all.push(if by_group {
                "frozen off turn by a control group"
            } else {
                "frozen off turn by signals"
            });
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_side_by_side_begin_with_users_far_from_each_other() {
        for process in [1, 7, 32_760, 4_194_000] {
            let first = first_user(process, 4_026_531_836);
            for other in (1..=20).map(|more| first_user(process + more, 4_026_531_836)) {
                let apart = first.abs_diff(other).min(USERS.1 - first.abs_diff(other));
                assert!(apart > 30, "{process}: {first} and {other}");
            }
            // Two containers, in which the process has the same number.
            assert_ne!(first, first_user(process, 4_026_532_200), "{process}");
        }
    }
}
