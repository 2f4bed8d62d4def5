//! System calls that no game needs and that have been used to escape from boxes. Each has no effect
//! even if it is allowed; the mode reports only whether the kernel accepted the call.

#![allow(unsafe_code)] // calls by number, each with arguments that do nothing

use std::io;

use crate::attacks::honest::Stub;
use crate::attacks::sys::{self, call};
use crate::attacks::tamper::in_a_child;
use crate::attacks::tried::{tell, tell_if};
use crate::attacks::{Level, Mode, mode};

pub(crate) const MODES: &[Mode] = &[
    mode("kernel-calls", "normal", "E16", "tries calls of the kernel that no game needs", kernel_calls)
        .blocked(Level::Sandbox),
    mode("set-clock", "normal", "F04", "asks to change the system's clock, by nothing", set_clock)
        .blocked(Level::Sandbox),
    mode(
        "wake-up-calls",
        "normal",
        "D11",
        "timers and pipes that would wake a stopped process",
        wake_up_calls,
    )
    .blocked(Level::Sandbox),
];

/// The error of a call that was refused by its number. Any other result, even an error about its
/// arguments, means that the kernel accepted it.
fn was_refused(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EPERM | libc::ENOSYS | libc::EACCES))
}

/// E16
fn kernel_calls(stub: &mut Stub) -> io::Result<()> {
    /// An attribute of `bpf` and of `perf_event_open` that is too short to be valid.
    static NOTHING: [u64; 16] = [0; 16];
    let nothing = NOTHING.as_ptr() as usize;
    const NONE: usize = usize::MAX; // the descriptor -1
    let calls: [(&str, libc::c_long, [usize; 5]); 14] = [
        ("bpf", libc::SYS_bpf, [0, nothing, 0, 0, 0]),
        ("perf_event_open", libc::SYS_perf_event_open, [nothing, 0, NONE, NONE, 0]),
        ("userfaultfd", libc::SYS_userfaultfd, [0, 0, 0, 0, 0]),
        ("io_uring_setup", libc::SYS_io_uring_setup, [0, nothing, 0, 0, 0]),
        ("keyctl", libc::SYS_keyctl, [libc::KEYCTL_GET_KEYRING_ID as usize, -3i32 as usize, 0, 0, 0]),
        ("setns", libc::SYS_setns, [NONE, 0, 0, 0, 0]),
        ("mount", libc::SYS_mount, [0, 0, 0, 0, 0]),
        ("fsopen", libc::SYS_fsopen, [0, 0, 0, 0, 0]),
        ("open_by_handle_at", libc::SYS_open_by_handle_at, [NONE, 0, 0, 0, 0]),
        ("fanotify_init", libc::SYS_fanotify_init, [NONE, NONE, 0, 0, 0]),
        ("kexec_load", libc::SYS_kexec_load, [0, NONE, 0, NONE, 0]),
        ("init_module", libc::SYS_init_module, [0, 0, 0, 0, 0]),
        ("personality", libc::SYS_personality, [0x0040_0000 /* no random addresses */, 0, 0, 0, 0]),
        ("syslog", libc::SYS_syslog, [10 /* the size of its buffer */, 0, 0, 0, 0]),
    ];
    for (name, number, arguments) in calls {
        // SAFETY: null, a static that is only read, and meaningless numbers.
        let told = unsafe { call(number, arguments) };
        match told {
            Err(why) if was_refused(&why) => tell("E16", name, Err::<(), _>(why))?,
            _ => tell_if("E16", name, true)?,
        }
    }
    for (name, flag) in [
        ("a mount namespace", libc::CLONE_NEWNS),
        ("a user namespace", libc::CLONE_NEWUSER),
        ("a pid namespace", libc::CLONE_NEWPID),
        ("a network namespace", libc::CLONE_NEWNET),
    ] {
        tell("E16", name, in_a_child(|| sys::unshare(flag)))?;
    }
    tell("E16", "a namespace by clone", clone_into_namespace())?;
    stub.play_on()
}

/// The other system call that makes namespaces.
fn clone_into_namespace() -> io::Result<()> {
    let flags = (libc::CLONE_NEWUSER | libc::SIGCHLD) as usize;
    // SAFETY: without a stack of its own it is a fork, in a process of one thread.
    let child = unsafe { call(libc::SYS_clone, [flags, 0, 0, 0, 0]) }?;
    if child == 0 {
        std::process::exit(0);
    }
    let _ = rustix::process::wait(rustix::process::WaitOptions::empty()); // it has ended, or will
    Ok(())
}

/// F04: sets the clock's rate to its present value.
fn set_clock(stub: &mut Stub) -> io::Result<()> {
    const TICK: u32 = 0x4000;
    // SAFETY: a structure of numbers, which lives through both calls.
    let done = unsafe {
        let mut time = std::mem::zeroed::<libc::timex>();
        libc::adjtimex(&raw mut time); // to know the tick
        time.modes = TICK;
        libc::adjtimex(&raw mut time)
    };
    tell("F04", "the clock", if done == -1 { Err(io::Error::last_os_error()) } else { Ok(()) })?;
    stub.play_on()
}

/// D11: each of them could send SIGCONT to a stopped process.
fn wake_up_calls(stub: &mut Stub) -> io::Result<()> {
    // SAFETY: a structure of numbers and a number, which live through the call.
    let timer = unsafe {
        let mut event = std::mem::zeroed::<libc::sigevent>();
        event.sigev_notify = libc::SIGEV_SIGNAL;
        event.sigev_signo = libc::SIGCONT;
        let mut timer = 0i32;
        let (event, timer) = (&raw const event as usize, &raw mut timer as usize);
        call(libc::SYS_timer_create, [libc::CLOCK_MONOTONIC as usize, event, timer, 0, 0])
    };
    tell("D11", "a timer's signal", timer)?;
    const F_SETSIG: usize = 10;
    // SAFETY: numbers.
    let pipe = unsafe { call(libc::SYS_fcntl, [0, F_SETSIG, libc::SIGCONT as usize, 0, 0]) };
    tell("D11", "a signal of stdin", pipe)?;
    stub.play_on()
}
