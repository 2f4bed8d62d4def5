//! Attacks around the life of the process: not listening, dying, not dying, stopping, and signals
//! to others.

use std::fs::OpenOptions;
use std::io::{self, IsTerminal};
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread::sleep;

use rustix::process::{Pid, Signal, getpid, getppid, getuid, kill_process, kill_process_group};

use crate::attacks::honest::{Stub, burn, complain, idle};
use crate::attacks::neighbours::{self, all_are_of_this_test};
use crate::attacks::tried::{not_tried, tell, tell_if};
use crate::attacks::{Level, Mode, mode, sys};

pub(crate) const MODES: &[Mode] = &[
    mode("deaf", "time forfeit | stdin blocked", "B01", "never reads; blocked if told over 64 KiB", deaf),
    mode("exit-now", "crash", "B04", "exits with --code (0) before it reads anything", exit_now),
    mode("exit-after", "crash", "B05", "exits with --code (0) after its move number --move (2)", exit_after),
    mode("signal", "crash", "B06", "dies of signal --number (11) when asked for move --move (1)", signal),
    mode("stack-overflow", "crash", "B06", "calls itself until the stack ends", stack_overflow),
    mode("stubborn", "normal", "B07", "ignores every signal it can, and the end of its input", stubborn),
    mode("slow-leave", "normal", "B08", "computes for --ms (10000) after the end of its input", slow_leave),
    mode("slow-start", "normal", "B09", "sleeps --ms (300) before it reads anything", slow_start),
    mode("stop-self", "time forfeit", "B10", "stops itself with SIGSTOP when asked", stop_self),
    mode(
        "stop-parent",
        "time forfeit",
        "B11",
        "stops its parent by --number (19) for --ms (3000)",
        stop_parent,
    )
    .later(&[(Level::Sandbox, "normal")])
    .blocked(Level::Sandbox),
    mode(
        "kill-parent",
        "no result",
        "B11",
        "sends signal --number (9) to its parent, then plays",
        kill_parent,
    )
    .later(&[(Level::Sandbox, "normal")])
    .blocked(Level::Sandbox),
    mode("kill-group", "any", "B11", "sends SIGINT to its parent's process group", kill_group)
        .later(&[(Level::Sandbox, "normal")])
        .blocked(Level::Sandbox),
    mode("kill-all", "any", "B11", "kills everybody it may, unless it is root", kill_all)
        .later(&[(Level::Sandbox, "normal")])
        .blocked(Level::Sandbox),
    mode("tty", "normal", "B12", "looks for a terminal, and types into it", tty).blocked(Level::None),
];

/// B01: the harness must not block in its write; this engine's time runs, not the opponent's.
fn deaf(_: &mut Stub) -> io::Result<()> {
    idle()
}

/// B04
fn exit_now(stub: &mut Stub) -> io::Result<()> {
    exit_with_code(stub)
}

/// B05: the move counts; the loss comes with the next question.
fn exit_after(stub: &mut Stub) -> io::Result<()> {
    if stub.play_until(stub.options.number("move", 2))? {
        stub.answer()?;
        exit_with_code(stub);
    }
    Ok(())
}

fn exit_with_code(stub: &Stub) -> ! {
    std::process::exit(i32::try_from(stub.options.number("code", 0)).unwrap_or(255))
}

/// B06: 11 is a bad pointer, 8 a division by zero, 6 an assertion, 4 a bad instruction.
fn signal(stub: &mut Stub) -> io::Result<()> {
    let number = stub.options.number("number", 11);
    if stub.play_until(stub.options.number("move", 1))? {
        // The runtime's handler for stack overflows takes the first SIGSEGV and restores the
        // default.
        for _ in 0..3 {
            kill_process(getpid(), named(number)?)?;
        }
        complain(b"signal: still alive\n")?;
    }
    stub.play_on()
}

fn named(number: u64) -> io::Result<Signal> {
    let signal = i32::try_from(number).ok().and_then(Signal::from_named_raw);
    signal.ok_or_else(|| io::Error::other("there is no such signal"))
}

/// B06
fn stack_overflow(stub: &mut Stub) -> io::Result<()> {
    fn deeper(depth: u64) -> u64 {
        let frame = std::hint::black_box([depth; 512]);
        if frame[0] == u64::MAX { 0 } else { deeper(depth + 1) + frame[511] }
    }
    stub.play_after(|_| {
        std::hint::black_box(deeper(0));
        Ok(())
    })
}

/// B07: only SIGKILL ends it, or its own alarm.
fn stubborn(stub: &mut Stub) -> io::Result<()> {
    for signal in [Signal::HUP, Signal::INT, Signal::QUIT, Signal::TERM, Signal::USR1, Signal::USR2] {
        // The flag is never read: to catch the signal is to ignore it.
        signal_hook::flag::register(signal.as_raw(), Arc::new(AtomicBool::new(false)))?;
    }
    // A broken pipe must not end it either.
    let _ = stub.play_on();
    idle()
}

/// B08
fn slow_leave(stub: &mut Stub) -> io::Result<()> {
    stub.play_on()?;
    burn(stub.ms(10_000));
    Ok(())
}

/// B09: starting is not thinking, up to the start-up budget.
fn slow_start(stub: &mut Stub) -> io::Result<()> {
    sleep(stub.ms(300));
    stub.play_on()
}

/// B10: an alarm does not reach a stopped process, so here the end of the parent is the bound.
fn stop_self(stub: &mut Stub) -> io::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    stub.play_after(|_| Ok(kill_process(getpid(), Signal::STOP)?))
}

/// B11: works without isolation. While it is stopped, the harness does nothing.
fn stop_parent(stub: &mut Stub) -> io::Result<()> {
    let signal = named(stub.options.number("number", 19))?;
    stub.play_after(|stub| {
        let Some(parent) = parent()? else { return Ok(()) };
        tell("B11", "stop the parent", kill_process(parent, signal))?;
        if parent == Pid::INIT {
            // A warden cannot be stopped from inside, and waiting shows nothing more.
            return Ok(());
        }
        sleep(stub.ms(3000));
        let _ = kill_process(parent, Signal::CONT); // refused if the stop was
        Ok(())
    })
}

/// B11: works without isolation, and the opponent must not outlive the harness.
fn kill_parent(stub: &mut Stub) -> io::Result<()> {
    let signal = named(stub.options.number("number", 9))?;
    stub.play_after(|_| {
        let Some(parent) = parent()? else { return Ok(()) };
        tell("B11", "kill the parent", kill_process(parent, signal))
    })
}

/// B11: the signal must not reach a person's shell.
fn kill_group(stub: &mut Stub) -> io::Result<()> {
    stub.play_after(|_| {
        let Some(parent) = parent()? else { return Ok(()) };
        match sys::group_of(parent) {
            Ok(group) if all_are_of_this_test(|other| other.group == group.as_raw_nonzero().get()) => {
                tell("B11", "signal to the parent's group", kill_process_group(group, Signal::INT))
            }
            Ok(_) => not_tried("B11", "others are in the parent's group"),
            Err(why) => tell("B11", "find the parent's group", Err::<(), _>(why)),
        }
    })
}

/// B11: if it may signal all processes of the same user, it ends the harness, the keeper and the
/// opponent.
fn kill_all(stub: &mut Stub) -> io::Result<()> {
    stub.play_after(|_| {
        let user = getuid();
        if user.is_root() || !all_are_of_this_test(|other| other.user == user.as_raw()) {
            return not_tried("B11", "it would reach others than this test's");
        }
        // Reported first: the harness may be dead afterwards.
        let others =
            neighbours::all().into_iter().filter(|other| other.pid != 1 && other.user == user.as_raw());
        tell_if("B11", "somebody to kill is in sight", others.count() > 0)?;
        sys::kill_everybody()
    })
}

/// The process to attack. Neither the shell of a person who tries this by hand, nor the first
/// process of the machine, which adopts orphans.
fn parent() -> io::Result<Option<Pid>> {
    if io::stdin().is_terminal() {
        eprintln!("agon-stub: not from a terminal: the parent would be your shell");
        std::process::exit(2);
    }
    match getppid() {
        Some(Pid::INIT) if !neighbours::in_a_box() => not_tried("B11", "the parent is gone").map(|()| None),
        Some(parent) => Ok(Some(parent)),
        None => tell("B11", "find the parent", Err::<(), _>("it is out of sight")).map(|()| None),
    }
}

/// B12: there must be no terminal to type into.
fn tty(stub: &mut Stub) -> io::Result<()> {
    let terminal = OpenOptions::new().read(true).write(true).open("/dev/tty");
    tell("B12", "/dev/tty", terminal.as_ref())?;
    if let Ok(terminal) = terminal {
        tell("B12", "typing into it", sys::type_into(terminal.as_raw_fd()))?;
    }
    for (name, fd, is_terminal) in [
        ("stdin", 0, io::stdin().is_terminal()),
        ("stdout", 1, io::stdout().is_terminal()),
        ("stderr", 2, io::stderr().is_terminal()),
    ] {
        tell_if("B12", &format!("{name} is a terminal"), is_terminal)?;
        tell("B12", &format!("typing into {name}"), sys::type_into(fd))?;
    }
    stub.play_on()
}
