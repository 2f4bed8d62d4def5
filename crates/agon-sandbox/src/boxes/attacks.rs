//! What `agon doctor` tries inside of a box and outside: small attacks, each of which one mechanism is to prevent.
//!
//! They are made by agon itself, started again as an engine would be, and say on stdout what came of them.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixStream};
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

/// What somebody outside has put there for the attempts to reach for.
pub(super) struct World {
    /// A file of his.
    pub(super) file: String,
    /// A port of his, and the name of a socket.
    pub(super) port: u16,
    pub(super) name: String,
    /// A process of his.
    pub(super) pid: i32,
}

impl World {
    /// As arguments.
    pub(super) fn words(&self) -> [String; 4] {
        [self.file.clone(), self.port.to_string(), self.name.clone(), self.pid.to_string()]
    }

    fn read(words: &[String]) -> Option<Self> {
        let [file, port, name, pid] = words else { return None };
        Some(World {
            file: file.clone(),
            port: port.parse().ok()?,
            name: name.clone(),
            pid: pid.parse().ok()?,
        })
    }
}

/// One attempt.
pub(super) struct Attempt {
    /// What an engine would do, in a few words.
    pub(super) what: &'static str,
    /// What is to prevent it.
    pub(super) guard: &'static str,
    /// From which level on.
    pub(super) level: Isolation,
    make: fn(&World) -> io::Result<()>,
}

const fn attempt(
    what: &'static str,
    guard: &'static str,
    level: Isolation,
    make: fn(&World) -> io::Result<()>,
) -> Attempt {
    Attempt { what, guard, level, make }
}

/// All of them. The last ones use up what there is.
pub(super) const ALL: &[Attempt] = &[
    attempt("gain privileges by a program", "no new privileges", Isolation::Limits, |_| {
        // SAFETY: five numbers.
        let given_up = unsafe { libc::prctl(libc::PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) };
        refused_if(given_up != 0, "they were given up")
    }),
    attempt("read a file of yours", "mount namespace", Isolation::Sandbox, |world| {
        fs::read(&world.file).map(|_| ())
    }),
    attempt("change a file of yours", "mount namespace", Isolation::Sandbox, |world| {
        OpenOptions::new().append(true).open(&world.file).map(|_| ())
    }),
    attempt("see your processes", "pid namespace", Isolation::Sandbox, |world| {
        fs::read(format!("/proc/{}/cmdline", world.pid)).map(|_| ())
    }),
    attempt("signal your processes", "pid namespace", Isolation::Sandbox, |world| {
        // SAFETY: two numbers; the signal 0 does nothing.
        check(unsafe { libc::kill(world.pid, 0) })
    }),
    attempt("reach a port of yours", "network namespace", Isolation::Sandbox, |world| {
        TcpStream::connect((Ipv4Addr::LOCALHOST, world.port)).map(|_| ())
    }),
    attempt("reach a socket of yours by its name", "network namespace", Isolation::Sandbox, |world| {
        UnixStream::connect_addr(&SocketAddr::from_abstract_name(&world.name)?).map(|_| ())
    }),
    attempt("make a socket of another kind", "seccomp", Isolation::Sandbox, |_| {
        // SAFETY: three numbers; the descriptor goes with this process.
        check(unsafe { libc::socket(libc::AF_NETLINK, libc::SOCK_RAW, 0) })
    }),
    attempt("use keys that outlive a game", "seccomp", Isolation::Sandbox, |_| {
        const OF_THIS_PROCESS: libc::c_int = -2;
        const MAKE_IT: libc::c_int = 1;
        // SAFETY: numbers.
        let key =
            unsafe { libc::syscall(libc::SYS_keyctl, libc::KEYCTL_GET_KEYRING_ID, OF_THIS_PROCESS, MAKE_IT) };
        check(if key == -1 { -1 } else { 0 })
    }),
    attempt("wake itself by a timer", "seccomp", Isolation::Sandbox, |_| {
        // SAFETY: structures that live through the call.
        check(unsafe {
            let mut event = std::mem::zeroed::<libc::sigevent>();
            event.sigev_notify = libc::SIGEV_SIGNAL;
            event.sigev_signo = libc::SIGCONT;
            let mut timer = std::mem::zeroed::<libc::timer_t>();
            libc::timer_create(libc::CLOCK_MONOTONIC, &raw mut event, &raw mut timer)
        })
    }),
    attempt("use rights of root", "no capabilities", Isolation::Sandbox, |_| {
        let status = fs::read_to_string("/proc/self/status")?;
        let rights = status.lines().find_map(|line| line.strip_prefix("CapBnd:"));
        let none = rights.is_some_and(|rights| rights.trim().bytes().all(|digit| digit == b'0'));
        refused_if(none, "they were given up")
    }),
    attempt("make a namespace of its own", "seccomp", Isolation::Sandbox, |_| {
        // SAFETY: this process has one thread and relies on none of its namespaces.
        check(unsafe { libc::unshare(libc::CLONE_NEWUTS | libc::CLONE_NEWUSER) })
    }),
    attempt("write to the system's directories", "read-only system", Isolation::Sandbox, |_| {
        let path = format!("/usr/agon-doctor-{}", std::process::id());
        fs::write(&path, "")?;
        fs::remove_file(path)
    }),
    attempt("use more memory than it may", "rlimits", Isolation::Limits, |_| {
        let bytes = usize::try_from(4 * LIMITS.memory).expect("it is a small number");
        let (how, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: the system picks the place, and nobody uses it.
        let place = unsafe { libc::mmap(std::ptr::null_mut(), bytes, how, flags, -1, 0) };
        check(if place == libc::MAP_FAILED { -1 } else { 0 })
    }),
    attempt("write a file larger than it may", "rlimits", Isolation::Limits, |_| {
        let mut file = fs::File::create("large")?;
        let written = (0..3).try_for_each(|_| file.write_all(&[0; (LIMITS.disk / 2) as usize]));
        fs::remove_file("large").and(written)
    }),
    attempt("fill the disk with small files", "tmpfs", Isolation::Sandbox, |_| {
        let names = (0..12).map(|number| format!("small-{number}"));
        let filled = names.clone().try_for_each(|name| fs::write(name, [0; (LIMITS.disk / 8) as usize]));
        names.for_each(|name| _ = fs::remove_file(name)); // some may not be there
        filled
    }),
    attempt("make more processes than it may", "rlimits", Isolation::Sandbox, |_| {
        let mut children = Vec::new();
        let mut made = Ok(());
        while made.is_ok() && children.len() < 2 * LIMITS.processes as usize {
            // SAFETY: this process has one thread, so the child may do whatever it likes.
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
];

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
    for attempt in ALL {
        let line = match (attempt.make)(&world) {
            Ok(()) => "worked\n".to_owned(),
            Err(error) => format!("refused {error}\n"),
        };
        if out.write_all(line.as_bytes()).is_err() {
            break; // nobody listens
        }
    }
    exit(0)
}
