//! The three calls of the system that no safe library offers.

#![allow(unsafe_code)] // fork, alarm and mmap have no safe form; a stub of one thread may use them

use std::io;
use std::time::Duration;

use rustix::process::Pid;

/// What fork gave.
pub(crate) enum Fork {
    /// This is the new process.
    Child,
    /// This is the old one, and here is the new one's number.
    Parent(Pid),
    /// There is no new process.
    Refused,
}

/// Forks. The child is ended by an alarm after `life`. Only for a process of one thread.
pub(crate) fn fork(life: Duration) -> Fork {
    // SAFETY: this process has one thread, so the child finds every lock free and may do whatever it likes.
    match unsafe { libc::fork() } {
        0 => {
            alarm(u32::try_from(life.as_secs()).unwrap_or(u32::MAX)); // a child does not inherit its parent's
            Fork::Child
        }
        number => Pid::from_raw(number).filter(|_| number > 0).map_or(Fork::Refused, Fork::Parent),
    }
}

/// Lets SIGALRM end this process after so many seconds; 0 takes that back.
pub(crate) fn alarm(seconds: u32) {
    // SAFETY: it only sets a timer, and nobody here handles its signal.
    unsafe { libc::alarm(seconds) };
}

/// Reserves addresses without any memory behind them, as the runtimes of Java and Go do.
pub(crate) fn reserve(bytes: usize) -> io::Result<()> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: the system picks the place, and the addresses are never used.
    let place = unsafe { libc::mmap(std::ptr::null_mut(), bytes, libc::PROT_NONE, flags, -1, 0) };
    if place == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(()) }
}
