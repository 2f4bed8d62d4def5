//! Process 1 of a container: it starts the program once more as its child, passes signals on to it,
//! and reaps every process that is left to it.
//!
//! A process 1 does not get a signal that it neither handles nor blocks, and orphans of others
//! become its children. So the program itself is never process 1.

use std::io;
use std::mem::MaybeUninit;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::ptr;

use rustix::process::{Pid, Signal, WaitOptions, kill_process, wait};

/// Starts the program, which is this one, again if this is process 1, and waits for its end.
/// Returns the exit code, as a shell would tell it; nothing if this is another process.
///
/// # Errors
/// The program cannot be started.
pub fn be_init(own_program: &Path) -> io::Result<Option<u8>> {
    if rustix::process::getpid() != Pid::INIT {
        return Ok(None);
    }
    let all = block_all();
    let mut arguments = std::env::args_os();
    let mut command = Command::new(own_program);
    if let Some(name) = arguments.next() {
        command.arg0(name);
    }
    // The standard library blocks no signal in what it starts.
    let program = Pid::from_child(&command.args(arguments).spawn()?);
    loop {
        let (signal, by_a_process) = next(&all);
        if signal == libc::SIGCHLD {
            if let Some(status) = reap(program) {
                return Ok(Some(status));
            }
        } else if by_a_process && let Some(signal) = Signal::from_named_raw(signal) {
            // A key in the terminal has reached the program already: it is in the same group.
            let _ = kill_process(program, signal); // it is not reaped yet
        }
    }
}

/// Blocks every signal, so that each waits until it is asked for.
fn block_all() -> libc::sigset_t {
    let mut all = MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: zeros are a whole set, which is filled before it is used and lives through the calls.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::sigprocmask(libc::SIG_SETMASK, all.as_ptr(), ptr::null_mut());
        all.assume_init()
    }
}

/// Waits for a signal. Returns its number, and whether a process has sent it and not the kernel.
fn next(all: &libc::sigset_t) -> (libc::c_int, bool) {
    let mut about = MaybeUninit::<libc::siginfo_t>::zeroed();
    loop {
        // SAFETY: both structures live through the call, and zeros are a whole one.
        let (signal, about) = unsafe { (libc::sigwaitinfo(all, about.as_mut_ptr()), about.assume_init()) };
        if signal > 0 {
            return (signal, about.si_code <= 0);
        }
    }
}

/// Reaps all that have ended. Returns the exit code if the program was among them.
fn reap(program: Pid) -> Option<u8> {
    while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
        if pid == program {
            let status = ExitStatus::from_raw(status.as_raw());
            let code = status.code().or_else(|| Some(128 + status.signal()?));
            return Some(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1));
        }
    }
    None
}
