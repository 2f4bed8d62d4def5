//! Attacks that keep the harness from waking in time, or an engine from being stopped.

use std::io;
use std::time::Instant;

use rustix::process::setsid;

use crate::attacks::honest::{Stub, burn, idle};
use crate::attacks::processes::{CHILD_LIFE, children};
use crate::attacks::resources::play_and_measure;
use crate::attacks::sys;
use crate::attacks::{Level, Mode, mode};

pub(crate) const MODES: &[Mode] = &[
    mode("swarm", "time forfeit", "F11", "--count (40) burning children, and no move --move (1)", swarm),
    mode(
        "vfork-swarm",
        "time forfeit",
        "F12",
        "--count (10) children that start others all the time, and no move --move (1)",
        vfork_swarm,
    )
    .later(&[
        (Level::Limits, "time forfeit | process limit"),
        (Level::Sandbox, "time forfeit"),
        (Level::Strict, "time forfeit | process limit"),
    ]),
    mode(
        "early-swarm",
        "normal",
        "F13",
        "--count (40) children burn for --ms (600) before it reads the board",
        early_swarm,
    ),
    mode("wake-by-child", "normal", "F14", "children whose end lets their parent go on", wake_by_child)
        .later(&[(Level::Sandbox, "normal | pondering"), (Level::Strict, "normal")])
        .blocked(Level::Sandbox),
];

/// Leaves its turn unanswered after this work.
fn stall_after(stub: &mut Stub, work: impl FnOnce(&Stub)) -> io::Result<()> {
    if stub.play_until(stub.options.number("move", 1))? {
        work(stub);
        idle();
    }
    Ok(())
}

/// F11: each child has its own session. If the system divides the processor among sessions, each
/// child gets as much of it as the harness.
fn swarm(stub: &mut Stub) -> io::Result<()> {
    stall_after(stub, |stub| {
        children(stub.options.number("count", 40).min(200), || {
            let _ = setsid(); // cannot fail in a fresh child
            burn(CHILD_LIFE);
        });
    })
}

/// F12: the system does the work, mostly for processes that have ended when they are counted.
fn vfork_swarm(stub: &mut Stub) -> io::Result<()> {
    stall_after(stub, |stub| {
        children(stub.options.number("count", 10).min(200), || {
            let _ = setsid(); // as above
            let until = Instant::now() + CHILD_LIFE;
            while Instant::now() < until {
                sys::start_and_end();
            }
        });
    })
}

/// F13: on the second seat, the work before it reads the board is done in the other's time.
fn early_swarm(stub: &mut Stub) -> io::Result<()> {
    let (count, length) = (stub.options.number("count", 40).min(200), stub.ms(600));
    children(count, || {
        let _ = setsid(); // as above
        burn(length);
    });
    burn(length);
    stub.play_on()
}

/// F14: SIGCONT lets a stopped parent continue, and any signal can report a child's end. A large
/// process takes a while to end, so some end after their parent was stopped.
fn wake_by_child(stub: &mut Stub) -> io::Result<()> {
    std::thread::spawn(|| burn(CHILD_LIFE));
    let mut memory = vec![1_u8; 64 << 20];
    let begin = || {
        memory.iter_mut().step_by(4096).for_each(|byte| *byte = byte.wrapping_add(1));
        for _ in 0..8 {
            sys::child_that_ends_by(libc::SIGCONT);
        }
    };
    play_and_measure(stub, "F14", begin, sys::own_time)
}
