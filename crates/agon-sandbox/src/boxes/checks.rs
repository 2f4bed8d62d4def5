//! The table of the self-test: each mechanism, a small attack that it is to prevent, and the level
//! that promises it.
//!
//! The attacks are made by this program itself, started again as a stranger's would be. It writes
//! to stdout what came of them.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::os::fd::AsRawFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixStream};
use std::process::exit;
use std::time::{Duration, Instant};

use super::failure::check;
use crate::levels::{Isolation, ResourceLimits};

/// The second argument of one that writes a byte every millisecond instead.
pub(super) const TICK: &str = "tick";
/// How long that one goes on.
const TICKING: Duration = Duration::from_secs(5);

/// What the limits are while this is tried: small, so that to be over them costs nothing.
pub(super) const LIMITS: ResourceLimits = ResourceLimits { memory: 64 << 20, disk: 1 << 20, processes: 8 };

/// What the harness has put there for the attacks to reach for.
pub(super) struct World {
    /// A file of the user's.
    pub(super) file: String,
    /// A folder that the box shows, with the sockets [`STREAM`] and [`MESSAGES`]. Everybody may
    /// write there.
    pub(super) shown: String,
    /// A port of the user's, and the name of a socket.
    pub(super) port: u16,
    pub(super) name: String,
    /// A process of the user's.
    pub(super) process: Identity,
    /// The user's namespaces, in the order of [`SHARED`].
    pub(super) namespaces: [String; 3],
}

/// A socket in the folder that is shown, which listens.
pub(super) const STREAM: &str = "stream";
/// Another one, which takes messages.
pub(super) const MESSAGES: &str = "messages";

/// The path of a file in an open folder. It is short, as those of sockets have to be.
pub(super) fn near(folder: &fs::File, name: &str) -> String {
    format!("/proc/self/fd/{}/{name}", folder.as_raw_fd())
}

/// Which process is meant. In another namespace its number is that of another process, or of this
/// one: agon has low numbers in a container, and so have the processes of a box.
pub(super) struct Identity {
    pid: i32,
    /// Its name, and when it began: from `/proc/PID/stat`.
    about: String,
}

impl Identity {
    /// That of the calling process.
    pub(super) fn own() -> io::Result<Self> {
        let pid = i32::try_from(std::process::id()).map_err(io::Error::other)?;
        Ok(Identity { pid, about: about(pid)? })
    }

    /// Checks that the process with this number here is meant, and not another one. Where nothing
    /// is told of it, it counts as the one that is meant.
    fn is_here(&self) -> io::Result<()> {
        let is_another = about(self.pid).is_ok_and(|here| here != self.about);
        let is_this = u32::try_from(self.pid) == Ok(std::process::id());
        refused_if(is_another || is_this, "its number is that of another process here")
    }
}

/// The name of a process, in hexadecimal, and the time at which it began, in ticks.
fn about(pid: i32) -> io::Result<String> {
    const BEGAN: usize = 22; // numbered as the manual has them
    let stat = fs::read(format!("/proc/{pid}/stat"))?;
    let parts = || {
        let (from, to) =
            (stat.iter().position(|byte| *byte == b'(')?, stat.iter().rposition(|byte| *byte == b')')?);
        let rest = std::str::from_utf8(stat.get(to + 2..)?).ok()?;
        let name: String = stat.get(from + 1..to)?.iter().map(|byte| format!("{byte:02x}")).collect();
        Some(format!("{name}@{}", rest.split(' ').nth(BEGAN - 3)?))
    };
    parts().ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// The namespaces of which a process sees only which one it is in.
const SHARED: [&str; 3] = ["ipc", "uts", "cgroup"];

/// The namespace of this kind that the calling process is in.
fn namespace(kind: &str) -> io::Result<String> {
    Ok(fs::read_link(format!("/proc/self/ns/{kind}"))?.to_string_lossy().into_owned())
}

/// Those of [`SHARED`]; empty where the kernel does not have one.
pub(super) fn namespaces() -> [String; 3] {
    SHARED.map(|kind| namespace(kind).unwrap_or_default())
}

impl World {
    /// As arguments.
    pub(super) fn words(&self) -> Vec<String> {
        let Identity { pid, about } = &self.process;
        let (port, pid) = (self.port.to_string(), pid.to_string());
        let own = [&self.file, &self.shown, &port, &self.name, &pid, about].map(String::clone);
        own.into_iter().chain(self.namespaces.clone()).collect()
    }

    /// Whether this process is in the same namespace of a kind.
    fn shares(&self, kind: &str) -> io::Result<()> {
        let theirs = SHARED.iter().zip(&self.namespaces).find(|(other, _)| **other == kind);
        let own = namespace(kind)?;
        refused_if(theirs.is_none_or(|(_, theirs)| *theirs != own), "it has one of its own")
    }

    fn read(words: &[String]) -> Option<Self> {
        let [file, shown, port, name, pid, about, namespaces @ ..] = words else { return None };
        Some(World {
            file: file.clone(),
            shown: shown.clone(),
            port: port.parse().ok()?,
            name: name.clone(),
            process: Identity { pid: pid.parse().ok()?, about: about.clone() },
            namespaces: namespaces.to_vec().try_into().ok()?,
        })
    }
}

/// A mechanism that keeps a program from something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mechanism {
    Rlimits,
    NoNewPrivileges,
    /// By its name, and by its number as `unshare` has it.
    Namespace(&'static str, libc::c_int),
    NoCapabilities,
    Seccomp,
    Landlock,
    ReadOnlySystem,
    Tmpfs,
    Freeze,
    ControlGroups,
}

const USER: Mechanism = Mechanism::Namespace("user namespace", libc::CLONE_NEWUSER);
const PID: Mechanism = Mechanism::Namespace("pid namespace", libc::CLONE_NEWPID);
const MOUNT: Mechanism = Mechanism::Namespace("mount namespace", libc::CLONE_NEWNS);
const NETWORK: Mechanism = Mechanism::Namespace("network namespace", libc::CLONE_NEWNET);
const IPC: Mechanism = Mechanism::Namespace("ipc namespace", libc::CLONE_NEWIPC);
const UTS: Mechanism = Mechanism::Namespace("uts namespace", libc::CLONE_NEWUTS);
const CGROUP: Mechanism = Mechanism::Namespace("cgroup namespace", libc::CLONE_NEWCGROUP);

impl Mechanism {
    /// Its name, as records have it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Mechanism::Rlimits => "rlimits",
            Mechanism::NoNewPrivileges => "no new privileges",
            Mechanism::Namespace(name, _) => name,
            Mechanism::NoCapabilities => "no capabilities",
            Mechanism::Seccomp => "seccomp",
            Mechanism::Landlock => "Landlock",
            Mechanism::ReadOnlySystem => "read-only system",
            Mechanism::Tmpfs => "tmpfs",
            Mechanism::Freeze => "frozen off turn",
            Mechanism::ControlGroups => "control groups",
        }
    }

    /// Whether a level is not available without it.
    pub(super) fn is_needed(self) -> bool {
        self != Mechanism::Landlock
    }
}

/// The steps of building a box by which a missing mechanism is noticed, as their failures begin.
const STEPS: [(&str, Mechanism); 6] = [
    ("control groups", Mechanism::ControlGroups),
    ("making namespaces", USER),
    ("making a user namespace", USER),
    ("mapping the user", USER),
    ("filtering system calls", Mechanism::Seccomp),
    ("putting up Landlock", Mechanism::Landlock),
];

impl Mechanism {
    /// The mechanism that a level lacks here, by the words with which building a box has failed.
    pub(super) fn behind(why: &str) -> Option<Self> {
        STEPS.into_iter().find(|(step, _)| why.contains(step)).map(|(_, mechanism)| mechanism)
    }

    /// What to do where it is missing.
    pub(super) fn remedy(self) -> &'static str {
        match self {
            Mechanism::Namespace(..) if rustix::process::geteuid().is_root() => {
                "this root has not the rights of root (a container?): give it CAP_SYS_ADMIN and allow unshare, or run \
                 agon as a plain user outside"
            }
            Mechanism::Namespace(..) => {
                "let users make user namespaces (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone=1; \
                 where AppArmor restricts them, as on Ubuntu 24.04, install the profile that scripts/apparmor-profile \
                 prints), or run agon as root"
            }
            Mechanism::Seccomp => "use a kernel with CONFIG_SECCOMP_FILTER, which all distributions have",
            Mechanism::Landlock => {
                "add landlock to the kernel's lsm= list (Linux 5.13 or newer); boxes stand without it"
            }
            Mechanism::ControlGroups => {
                "run agon as root, or where systemd has delegated a group to it: systemd-run --user --scope -p \
                 Delegate=yes agon ..."
            }
            _ => "see docs/isolation.md",
        }
    }
}

/// How an attack is made.
#[derive(Clone, Copy)]
pub(super) enum Attack {
    /// By this, in the program itself: what a program would do, in a few words, and doing it.
    Made(&'static str, fn(&World) -> io::Result<()>),
    /// By going on while it is to be stopped, which is seen from outside.
    Watched(&'static str),
    /// None shows this mechanism alone: the others prevent the same.
    None,
}

/// One check: a mechanism, what it is to prevent, and the lowest level that promises it.
pub(super) struct Check {
    pub(super) mechanism: Mechanism,
    pub(super) level: Isolation,
    pub(super) attack: Attack,
}

impl Check {
    /// What a program would do.
    pub(super) fn what(&self) -> Option<&'static str> {
        match self.attack {
            Attack::Made(what, _) | Attack::Watched(what) => Some(what),
            Attack::None => None,
        }
    }

    /// The attack that the program makes itself.
    fn make(&self) -> Option<fn(&World) -> io::Result<()>> {
        match self.attack {
            Attack::Made(_, make) => Some(make),
            Attack::Watched(_) | Attack::None => None,
        }
    }

    /// Whether the program makes it itself.
    pub(super) fn is_made(&self) -> bool {
        self.make().is_some()
    }
}

const fn made(
    what: &'static str,
    mechanism: Mechanism,
    level: Isolation,
    make: fn(&World) -> io::Result<()>,
) -> Check {
    Check { mechanism, level, attack: Attack::Made(what, make) }
}

const fn unseen(mechanism: Mechanism, level: Isolation) -> Check {
    Check { mechanism, level, attack: Attack::None }
}

/// All of them. The last attacks use up what there is.
pub(super) const ALL: &[Check] = &[
    made("gain privileges by a program", Mechanism::NoNewPrivileges, Isolation::Limits, |_| {
        // SAFETY: five numbers.
        let given_up = unsafe { libc::prctl(libc::PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) };
        refused_if(given_up != 0, "they were given up")
    }),
    made("read a file of yours", MOUNT, Isolation::Sandbox, |world| fs::read(&world.file).map(|_| ())),
    made("change a file of yours", MOUNT, Isolation::Sandbox, |world| {
        OpenOptions::new().append(true).open(&world.file).map(|_| ())
    }),
    made("write to a folder that is shown", MOUNT, Isolation::Sandbox, |world| {
        let path = format!("{}/agon-doctor-{}", world.shown, std::process::id());
        fs::write(&path, "")?;
        fs::remove_file(path)
    }),
    made("connect to a socket in a folder that is shown", MOUNT, Isolation::Sandbox, |world| {
        let folder = fs::File::open(&world.shown)?;
        UnixStream::connect(near(&folder, STREAM)).map(|_| ())
    }),
    made("send to a socket in a folder that is shown", MOUNT, Isolation::Sandbox, |world| {
        let folder = fs::File::open(&world.shown)?;
        let (one, _other) = UnixDatagram::pair()?;
        one.send_to(b"x", near(&folder, MESSAGES)).map(|_| ())
    }),
    made("see your processes", PID, Isolation::Sandbox, |world| {
        fs::read(format!("/proc/{}/cmdline", world.process.pid))?;
        world.process.is_here()
    }),
    made("signal your processes", PID, Isolation::Sandbox, |world| {
        // SAFETY: two numbers; the signal 0 does nothing.
        check(unsafe { libc::kill(world.process.pid, 0) })?;
        world.process.is_here()
    }),
    made("reach a port of yours", NETWORK, Isolation::Sandbox, |world| {
        TcpStream::connect((Ipv4Addr::LOCALHOST, world.port)).map(|_| ())
    }),
    made("reach a socket of yours by its name", NETWORK, Isolation::Sandbox, |world| {
        UnixStream::connect_addr(&SocketAddr::from_abstract_name(&world.name)?).map(|_| ())
    }),
    made("see your message queues", IPC, Isolation::Sandbox, |world| world.shares("ipc")),
    made("see the name of your machine", UTS, Isolation::Sandbox, |world| world.shares("uts")),
    made("see your control groups", CGROUP, Isolation::Sandbox, |world| world.shares("cgroup")),
    made("be another user of yours", USER, Isolation::Sandbox, |_| {
        let users = fs::read_to_string("/proc/self/uid_map")?;
        let many = users.split_ascii_whitespace().nth(2) != Some("1");
        refused_if(!many, "there is one user")
    }),
    made("make a socket of another kind", Mechanism::Seccomp, Isolation::Sandbox, |_| {
        // SAFETY: three numbers; the descriptor goes with this process.
        check(unsafe { libc::socket(libc::AF_NETLINK, libc::SOCK_RAW, 0) })
    }),
    made("use keys that outlive a game", Mechanism::Seccomp, Isolation::Sandbox, |_| {
        const OF_THIS_PROCESS: libc::c_int = -2;
        const MAKE_IT: libc::c_int = 1;
        // SAFETY: numbers.
        let key =
            unsafe { libc::syscall(libc::SYS_keyctl, libc::KEYCTL_GET_KEYRING_ID, OF_THIS_PROCESS, MAKE_IT) };
        check(if key == -1 { -1 } else { 0 })
    }),
    made("wake itself by a timer", Mechanism::Seccomp, Isolation::Sandbox, |_| {
        // SAFETY: structures that live through the call.
        check(unsafe {
            let mut event = std::mem::zeroed::<libc::sigevent>();
            event.sigev_notify = libc::SIGEV_SIGNAL;
            event.sigev_signo = libc::SIGCONT;
            let mut timer = std::mem::zeroed::<libc::timer_t>();
            libc::timer_create(libc::CLOCK_MONOTONIC, &raw mut event, &raw mut timer)
        })
    }),
    made("use rights of root", Mechanism::NoCapabilities, Isolation::Sandbox, |_| {
        let status = fs::read_to_string("/proc/self/status")?;
        let rights = status.lines().find_map(|line| line.strip_prefix("CapBnd:"));
        let none = rights.is_some_and(|rights| rights.trim().bytes().all(|digit| digit == b'0'));
        refused_if(none, "they were given up")
    }),
    made("make a namespace of its own", Mechanism::Seccomp, Isolation::Sandbox, |_| {
        // SAFETY: this process has one thread and relies on none of its namespaces.
        check(unsafe { libc::unshare(libc::CLONE_NEWUTS | libc::CLONE_NEWUSER) })
    }),
    unseen(Mechanism::Landlock, Isolation::Sandbox),
    made("write to the system's directories", Mechanism::ReadOnlySystem, Isolation::Sandbox, |_| {
        let path = format!("/usr/agon-doctor-{}", std::process::id());
        fs::write(&path, "")?;
        fs::remove_file(path)
    }),
    made("use more memory than it may", Mechanism::Rlimits, Isolation::Limits, |_| {
        let bytes = usize::try_from(4 * LIMITS.memory).expect("it is a small number");
        let (how, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: the system picks the place, and nobody uses it.
        let place = unsafe { libc::mmap(std::ptr::null_mut(), bytes, how, flags, -1, 0) };
        check(if place == libc::MAP_FAILED { -1 } else { 0 })
    }),
    made("write a file larger than it may", Mechanism::Rlimits, Isolation::Limits, |_| {
        let mut file = fs::File::create("large")?;
        let half = zeros(LIMITS.disk / 2);
        let written = (0..3).try_for_each(|_| file.write_all(&half));
        fs::remove_file("large").and(written)
    }),
    made("fill the disk with small files", Mechanism::Tmpfs, Isolation::Sandbox, |_| {
        let names = (0..12).map(|number| format!("small-{number}"));
        let content = zeros(LIMITS.disk / 8);
        let filled = names.clone().try_for_each(|name| fs::write(name, &content));
        names.for_each(|name| _ = fs::remove_file(name)); // some may not be there
        filled
    }),
    made("make more processes than it may", Mechanism::Rlimits, Isolation::Sandbox, |_| {
        let mut children = Vec::new();
        let mut made = Ok(());
        while made.is_ok() && children.len() < 2 * LIMITS.processes as usize {
            // SAFETY: this process has one thread, so the child may call anything.
            match unsafe { libc::fork() } {
                0 => {
                    std::thread::sleep(TICKING);
                    exit(0);
                }
                -1 => made = Err(io::Error::last_os_error()),
                child => children.push(child),
            }
        }
        for child in children {
            // SAFETY: numbers of children of this process, none of which was waited for.
            unsafe {
                libc::kill(child, libc::SIGKILL);
                libc::waitpid(child, std::ptr::null_mut(), 0);
            }
        }
        made
    }),
    Check {
        mechanism: Mechanism::Freeze,
        level: Isolation::Sandbox,
        attack: Attack::Watched("think in the other's time"),
    },
    unseen(Mechanism::ControlGroups, Isolation::Strict),
];

/// This many bytes of zero. As an array they would stand in the program.
fn zeros(count: u64) -> Vec<u8> {
    vec![0; usize::try_from(count).expect("it is a small number")]
}

fn refused_if(refused: bool, why: &str) -> io::Result<()> {
    if refused { Err(io::Error::other(why)) } else { Ok(()) }
}

/// Makes all of them, and writes a line for each: `worked`, or `refused` and why.
pub(super) fn help(arguments: impl Iterator<Item = OsString>) -> ! {
    let words: Vec<String> = arguments.filter_map(|word| word.into_string().ok()).collect();
    let mut out = io::stdout();
    if words.first().is_some_and(|word| word == TICK) {
        let until = Instant::now() + TICKING;
        while Instant::now() < until && out.write_all(b".").and_then(|()| out.flush()).is_ok() {
            std::thread::sleep(Duration::from_millis(1));
        }
        exit(0);
    }
    let Some(world) = World::read(&words) else { exit(2) };
    // SAFETY: a signal that would end this process is to be an error of the call instead.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    for make in ALL.iter().filter_map(Check::make) {
        let line = match make(&world) {
            Ok(()) => "worked\n".to_owned(),
            Err(error) => format!("refused {error}\n"),
        };
        if out.write_all(line.as_bytes()).is_err() {
            break; // nobody listens
        }
    }
    exit(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_step_leads_to_what_its_mechanism_needs() {
        for (why, word) in [
            (
                "the engine's box could not be built: control groups: making /x: Permission denied",
                "systemd-run",
            ),
            ("the engine's box could not be built: filtering system calls: no", "CONFIG_SECCOMP_FILTER"),
            (
                "the engine's box could not be built: making namespaces: No space left on device",
                "run agon as",
            ),
        ] {
            assert!(Mechanism::behind(why).unwrap().remedy().contains(word), "{why}");
        }
        assert_eq!(Mechanism::behind("mounting /proc: no"), None);
    }

    #[test]
    fn a_number_of_another_process_is_not_taken_for_the_process_that_is_meant() {
        let mut child =
            std::process::Command::new("/bin/cat").stdin(std::process::Stdio::piped()).spawn().unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        let of = |about: String| Identity { pid, about };
        assert!(of(about(pid).unwrap()).is_here().is_ok());
        // In a box, agon's own number may be that of the attack itself, or of something else there.
        assert!(of("6d65@1".to_owned()).is_here().is_err());
        assert!(Identity::own().unwrap().is_here().is_err());
        drop(child.stdin.take());
        child.wait().unwrap();
    }

    #[test]
    fn each_mechanism_is_checked_at_the_level_that_promises_it() {
        let steps: Vec<Mechanism> = STEPS.into_iter().map(|(_, mechanism)| mechanism).collect();
        assert!(steps.iter().all(|mechanism| ALL.iter().any(|check| check.mechanism == *mechanism)));
        assert!(ALL.iter().all(|check| check.level > Isolation::None && check.mechanism.name() != ""));
        let boxed = |check: &&Check| matches!(check.mechanism, Mechanism::Namespace(..));
        assert!(ALL.iter().filter(boxed).all(|check| check.level == Isolation::Sandbox));
    }
}
