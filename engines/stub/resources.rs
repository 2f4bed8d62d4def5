//! Attacks on the processor: several cores, the opponent's time, processes that outlive the turn,
//! and scheduling priorities.

use std::cell::RefCell;
use std::fs;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, Signal, WaitOptions, getpid, getppid, kill_process, setpriority_process, setsid, waitpid,
};

use crate::attacks::honest::{Stub, burn};
use crate::attacks::processes::CHILD_LIFE;
use crate::attacks::sys::{self, Fork};
use crate::attacks::tried::{tell, tell_if};
use crate::attacks::{Level, Mode, mode};

pub(crate) const MODES: &[Mode] = &[
    mode("cores", "normal", "D09", "--count (8) threads burn for --ms (500) in its first turn", cores)
        .blocked(Level::Strict),
    mode("ponder", "normal", "D10", "burns a core in the other's time", ponder).blocked(Level::Sandbox),
    mode(
        "ponder-helper",
        "normal",
        "D11",
        "a child in its own session burns and wakes its parent",
        ponder_helper,
    )
    .blocked(Level::Sandbox),
    mode("hammer", "normal", "D14", "writes all over 64 MiB in the other's time", hammer)
        .blocked(Level::Sandbox),
    mode("priority", "normal", "D15", "asks for a better priority, and for real time", priority)
        .blocked(Level::Sandbox),
    mode("hogs", "normal", "F09", "leaves --count (2) children burning for --ms (300) with every move", hogs)
        .blocked(Level::Sandbox),
    mode("cpu-relay", "normal", "F10", "in every turn another child burns for --ms (600)", relay)
        .later(&[(Level::Limits, "cpu limit")])
        .blocked(Level::Limits),
];

/// More time than this off turn counts as worked: an engine runs for a moment before it is stopped.
const A_MOMENT: Duration = Duration::from_millis(25);

/// D09: reports the number of cores on which they ran.
fn cores(stub: &mut Stub) -> io::Result<()> {
    stub.play_after(|stub| {
        let length = stub.ms(500);
        let seen = Arc::new(AtomicU64::new(0));
        std::thread::scope(|scope| {
            for _ in 0..stub.options.number("count", 8).min(64) {
                let seen = Arc::clone(&seen);
                scope.spawn(move || {
                    let until = Instant::now() + length;
                    while Instant::now() < until {
                        burn(Duration::from_millis(10));
                        seen.fetch_or(1 << (rustix::thread::sched_getcpu() % 64), Ordering::Relaxed);
                    }
                });
            }
        });
        let cores = seen.load(Ordering::Relaxed).count_ones();
        tell_if("D09", &format!("{cores} cores"), cores > 1)
    })
}

/// Plays, and reports whether `used` grows in the other's turns. `begin` is called before every
/// answer.
pub(crate) fn play_and_measure(
    stub: &mut Stub,
    attack: &str,
    mut begin: impl FnMut(),
    used: impl Fn() -> Duration,
) -> io::Result<()> {
    /// So many of the other's turns must show it. On a busy machine it has no processor in some.
    const SHOWN: usize = 3;
    let mut off_turn: Vec<Duration> = Vec::new();
    let mut before = None;
    let shown = |off_turn: &[Duration]| off_turn.get(SHOWN - 1).copied().unwrap_or_default();
    let what = |shown: Duration| format!("{} ms of processor time in the other's turn", shown.as_millis());
    while stub.turn()?.is_some() {
        let was_seen = shown(&off_turn) > A_MOMENT;
        off_turn.extend(before.take().map(|before| used().saturating_sub(before)));
        off_turn.sort_by(|one, other| other.cmp(one));
        // A harness may end the game before its last turn.
        if !was_seen && (shown(&off_turn) > A_MOMENT || off_turn.len() == SHOWN) {
            tell_if(attack, &what(shown(&off_turn)), shown(&off_turn) > A_MOMENT)?;
        }
        begin();
        stub.answer()?;
        before = Some(used());
    }
    Ok(())
}

/// D10
fn ponder(stub: &mut Stub) -> io::Result<()> {
    std::thread::spawn(|| burn(CHILD_LIFE));
    play_and_measure(stub, "D10", || (), sys::own_time)
}

/// D14: a shared cache is the opponent's too.
fn hammer(stub: &mut Stub) -> io::Result<()> {
    std::thread::spawn(|| {
        let mut memory = vec![0u8; 64 << 20];
        let until = Instant::now() + CHILD_LIFE;
        let mut turn = 0;
        while Instant::now() < until {
            turn += 1;
            memory.iter_mut().skip(turn % 64).step_by(64).for_each(|byte| *byte = byte.wrapping_add(1));
            std::hint::black_box(&memory);
        }
    });
    play_and_measure(stub, "D14", || (), sys::own_time)
}

/// D11: freezing only the parent does not help.
fn ponder_helper(stub: &mut Stub) -> io::Result<()> {
    let parent = getpid();
    let helper = match sys::fork(CHILD_LIFE) {
        Fork::Child => {
            let _ = setsid(); // cannot fail in a fresh child
            // Once the parent has ended, its number may belong to another process.
            while getppid() == Some(parent) {
                burn(Duration::from_millis(10));
                let _ = kill_process(parent, Signal::CONT); // if refused, it still burns
            }
            std::process::exit(0)
        }
        Fork::Parent(helper) => helper,
        Fork::Refused => {
            tell_if("D11", "a helper", false)?;
            return stub.play_on();
        }
    };
    play_and_measure(stub, "D11", || (), || time_of(helper))
}

/// The processor time of a process of one thread.
fn time_of(pid: Pid) -> Duration {
    let text = fs::read_to_string(format!("/proc/{}/schedstat", pid.as_raw_nonzero())).unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|number| number.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}

/// D15
fn priority(stub: &mut Stub) -> io::Result<()> {
    tell("D15", "priority -20", setpriority_process(None, -20).and_then(|()| setpriority_process(None, 0)))?;
    tell("D15", "real time", sys::real_time())?;
    stub.play_on()
}

/// F09: the opponent thinks while they burn.
fn hogs(stub: &mut Stub) -> io::Result<()> {
    let (count, length) = (stub.options.number("count", 2).min(64), stub.ms(300));
    let hogs = RefCell::new(Vec::new());
    let begin = || {
        for _ in 0..count {
            match sys::fork(CHILD_LIFE) {
                Fork::Child => {
                    burn(length);
                    std::process::exit(0)
                }
                Fork::Parent(hog) => hogs.borrow_mut().push(hog),
                Fork::Refused => break,
            }
        }
    };
    // They are not reaped, so their processor time can still be read when they have ended.
    play_and_measure(stub, "F09", begin, || hogs.borrow().iter().copied().map(time_of).sum())
}

/// F10: a limit per process restarts with every new process.
fn relay(stub: &mut Stub) -> io::Result<()> {
    /// The test's limit and a large reserve, as a harness may sample only now and then.
    const TOO_MUCH: Duration = Duration::from_millis(1400);
    let mut told = false;
    while stub.turn()?.is_some() {
        match sys::fork(CHILD_LIFE) {
            Fork::Child => {
                // Of its own time: a busy machine needs longer for that.
                let until = Instant::now() + Duration::from_secs(20);
                while sys::own_time() < stub.ms(600) && Instant::now() < until {
                    burn(Duration::from_millis(5));
                }
                std::process::exit(0)
            }
            Fork::Parent(runner) => _ = waitpid(Some(runner), WaitOptions::empty())?,
            Fork::Refused => {}
        }
        if !told && sys::time_of_children() > TOO_MUCH {
            told = true;
            tell_if("F10", "more than a second of processor time", true)?;
        }
        stub.answer()?;
    }
    Ok(())
}
