//! Attacks with many processes and threads. Every child ends by its own alarm after [`CHILD_LIFE`].
//! Arguments and environment are inherited, so a token in either finds all of them in /proc.

use std::fs::OpenOptions;
use std::io;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::pipe::PipeFlags;
use rustix::process::{Signal, WaitOptions, setsid, waitpid};

use crate::attacks::honest::{Stub, burn, complain, idle};
use crate::attacks::sys::{self, Fork};
use crate::attacks::tried::{tell, tell_if};
use crate::attacks::{Level, Mode, mode};

pub(crate) const MODES: &[Mode] = &[
    mode("fork-bomb", "normal", "C01", "everybody forks in every round, up to --count (200)", fork_bomb)
        .later(&[
            (Level::Limits, "process limit"),
            (Level::Sandbox, "normal"),
            (Level::Strict, "process limit"),
        ])
        .blocked(Level::Limits),
    mode("threads", "normal", "C02", "starts up to --count (200) threads", threads)
        .later(&[
            (Level::Limits, "process limit"),
            (Level::Sandbox, "normal"),
            (Level::Strict, "process limit"),
        ])
        .blocked(Level::Limits),
    mode("daemon", "normal", "C03", "leaves a daemon that ignores SIGTERM and burns a core", daemon),
    mode(
        "daemon-holds-stdout",
        "normal",
        "C04",
        "the same, and the daemon keeps the pipes",
        daemon_holds_stdout,
    ),
    mode("child-answers", "crash", "C05", "exits after move --move (2); its child answers on", child_answers),
    mode(
        "hydra",
        "normal",
        "C06",
        "--count (20) heads, each starts the next and exits after --ms (200)",
        hydra,
    ),
    mode("zombies", "normal", "C07", "--count (500) children that exit and are never waited for", zombies)
        .later(&[
            (Level::Limits, "process limit"),
            (Level::Sandbox, "normal"),
            (Level::Strict, "process limit"),
        ])
        .blocked(Level::Limits),
    mode("sleepers", "normal", "C08", "--count (300) sleeping children, each in its own session", sleepers)
        .later(&[
            (Level::Limits, "process limit | memory limit"),
            (Level::Sandbox, "normal"),
            (Level::Strict, "process limit"),
        ])
        .blocked(Level::Limits),
    mode("nested", "normal", "C11", "hides a child in user and pid namespaces of its own", nested)
        .blocked(Level::Sandbox),
];

/// The longest life of a forked process.
pub(crate) const CHILD_LIFE: Duration = Duration::from_secs(120);

/// Forks a child that does this and ends. Returns false if the system refused.
pub(crate) fn child(work: impl FnOnce()) -> bool {
    match sys::fork(CHILD_LIFE) {
        Fork::Child => {
            work();
            std::process::exit(0)
        }
        Fork::Parent(_) => true,
        Fork::Refused => false,
    }
}

/// Forks children that do this. Returns their number.
pub(crate) fn children(count: u64, work: impl Fn()) -> u64 {
    (0..count).take_while(|_| child(&work)).map(|_| 1).sum()
}

/// Waits for a moment, so that they can be counted, and reports how many of the wanted ones exist.
fn show(attack: &str, what: &str, started: u64, wanted: u64) -> io::Result<()> {
    sleep(SHOWN);
    tell_if(attack, &format!("{started} of {wanted} {what}"), started == wanted)
}

/// How long the processes exist before the answer.
const SHOWN: Duration = Duration::from_secs(1);

/// C01: n rounds make 2^n processes. A refused process writes to a pipe.
fn fork_bomb(stub: &mut Stub) -> io::Result<()> {
    stub.play_after(|stub| {
        let (told, teller) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        let tell = |what: &[u8; 1]| _ = rustix::io::write(&teller, what); // a full pipe is enough
        let mut is_child = false;
        let rounds = stub.options.number("count", 200).clamp(1, 10_000).ilog2();
        for _ in 0..rounds {
            match sys::fork(CHILD_LIFE) {
                Fork::Child => is_child = true,
                Fork::Parent(_) => {}
                Fork::Refused => tell(b"!"),
            }
        }
        tell(b".");
        if is_child {
            idle();
        }
        // Until all have tried, which takes its time on a busy machine.
        let wanted = 1 << rounds;
        let until = Instant::now() + Duration::from_secs(20);
        let (mut tried, mut refused) = (0, false);
        while tried < wanted && !refused && Instant::now() < until {
            let mut bytes = [0; 64];
            match rustix::io::read(&told, &mut bytes) {
                Ok(more) => {
                    tried += more;
                    refused = bytes.contains(&b'!');
                }
                Err(_) => sleep(Duration::from_millis(10)),
            }
        }
        show("C01", "processes", if refused { 0 } else { tried as u64 }, wanted as u64)
    })
}

/// C02
fn threads(stub: &mut Stub) -> io::Result<()> {
    stub.play_after(|stub| {
        let count = stub.options.number("count", 200).min(10_000);
        let thread = || std::thread::Builder::new().stack_size(64 << 10).spawn(|| idle());
        let started = (0..count).take_while(|_| thread().is_ok()).map(|_| 1).sum();
        show("C02", "threads", started, count)
    })
}

/// C03
fn daemon(stub: &mut Stub) -> io::Result<()> {
    stub.play_after(|_| {
        start_daemon(|| {
            let Ok(null) = OpenOptions::new().read(true).write(true).open("/dev/null") else { return };
            // If one fails, that pipe stays open, which makes the attack stronger.
            let _ = rustix::stdio::dup2_stdin(&null);
            let _ = rustix::stdio::dup2_stdout(&null);
            let _ = rustix::stdio::dup2_stderr(&null);
        })
    })
}

/// C04: a harness that waits for EOF waits for the daemon.
fn daemon_holds_stdout(stub: &mut Stub) -> io::Result<()> {
    stub.play_after(|_| start_daemon(|| ()))
}

/// Forks twice, so that the daemon is an orphan, in a session of its own.
fn start_daemon(prepare: impl FnOnce()) -> io::Result<()> {
    match sys::fork(CHILD_LIFE) {
        Fork::Child => {
            let _ = setsid(); // cannot fail in a fresh child, and a daemon works without a session as well
            child(|| {
                for signal in [Signal::HUP, Signal::TERM, Signal::INT] {
                    // The flag is never read: to catch the signal is to ignore it.
                    let _ = signal_hook::flag::register(signal.as_raw(), std::sync::Arc::default());
                }
                prepare();
                burn(CHILD_LIFE);
            });
            std::process::exit(0)
        }
        Fork::Parent(between) => {
            waitpid(Some(between), WaitOptions::empty())?;
            Ok(())
        }
        Fork::Refused => complain(b"daemon: fork refused\n"),
    }
}

/// C05: the end of the engine's process is its end, even if another process holds its pipes.
fn child_answers(stub: &mut Stub) -> io::Result<()> {
    if !stub.play_until(stub.options.number("move", 2))? {
        return Ok(());
    }
    stub.answer()?;
    match sys::fork(CHILD_LIFE) {
        Fork::Child => stub.play_on(),
        Fork::Parent(_) | Fork::Refused => Ok(()),
    }
}

/// C06: a list of processes is out of date as soon as it is read.
fn hydra(stub: &mut Stub) -> io::Result<()> {
    fn head(left: u64, life: Duration) {
        let _ = setsid(); // cannot fail in a fresh child
        sleep(life);
        if left > 1 {
            child(|| head(left - 1, life));
        }
    }
    stub.play_after(|stub| {
        let heads = stub.options.number("count", 20).min(1000);
        child(|| head(heads, stub.ms(200)));
        Ok(())
    })
}

/// C07
fn zombies(stub: &mut Stub) -> io::Result<()> {
    stub.play_after(|stub| {
        let count = stub.options.number("count", 500).min(5000);
        show("C07", "zombies", children(count, || ()), count)
    })
}

/// C08
fn sleepers(stub: &mut Stub) -> io::Result<()> {
    stub.play_after(|stub| {
        let count = stub.options.number("count", 300).min(5000);
        let started = children(count, || {
            let _ = setsid(); // cannot fail in a fresh child
            idle();
        });
        show("C08", "sleepers", started, count)
    })
}

/// C11: the child stays; only the end of the outer namespace, or adoption of orphans, finds it.
fn nested(stub: &mut Stub) -> io::Result<()> {
    stub.play_after(|_| {
        child(|| {
            let hidden = sys::unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWPID);
            let worked = hidden.is_ok() && child(|| idle());
            let _ = tell(
                "C11",
                "namespaces of its own",
                hidden.and(if worked { Ok(()) } else { Err(io::Error::other("no child in them")) }),
            ); // no other process reports it
        });
        sleep(SHOWN);
        Ok(())
    })
}
