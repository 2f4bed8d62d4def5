//! What a process inherits from the one that started it, brought to known values: its signals, and
//! the rights of files that it makes.
//!
//! A parent may block signals, or ignore them, and what it starts does too. With SIGCHLD blocked
//! nobody is woken by the end of a child; with SIGCHLD ignored the kernel reaps children and their
//! status is lost.

use std::mem::MaybeUninit;
use std::ptr;

use rustix::fs::Mode;
use rustix::process::umask;

/// The signals that stay ignored where they are. `nohup` ignores SIGHUP, and a shell without job
/// control lets what it starts in the background ignore SIGINT and SIGQUIT. The others stop a
/// process for the sake of a terminal.
const LEFT_IGNORED: [libc::c_int; 6] =
    [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTSTP, libc::SIGTTIN, libc::SIGTTOU];

/// Gives every signal its default, but those that were ignored for a good reason; blocks none; and
/// lets this process use the files that it makes. Called once, before there are threads.
pub fn settle() {
    for signal in 1..=64 {
        if !(LEFT_IGNORED.contains(&signal) && is_ignored(signal)) {
            let wanted = if signal == libc::SIGPIPE { libc::SIG_IGN } else { libc::SIG_DFL };
            // SAFETY: no code of ours runs at a signal. Nobody can set some of these numbers, and
            // then nothing is changed.
            unsafe { set(signal, wanted) };
        }
    }
    super::heed_reserved_signals();
    // SAFETY: the set is filled before it is used, and lives through the call.
    unsafe {
        let mut none = MaybeUninit::<libc::sigset_t>::uninit();
        libc::sigemptyset(none.as_mut_ptr());
        libc::sigprocmask(libc::SIG_SETMASK, none.as_ptr(), ptr::null_mut());
    }
    let old = umask(Mode::empty());
    umask(old - Mode::RWXU);
}

/// Sets what a signal does, unless it has a handler: the standard library has one for the end of
/// the stack.
///
/// # Safety
/// `wanted` is no address of a function.
unsafe fn set(signal: libc::c_int, wanted: libc::sighandler_t) {
    let mut now = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: the call writes one structure, and zeros are a whole one.
    unsafe {
        if libc::sigaction(signal, ptr::null(), now.as_mut_ptr()) == 0
            && [libc::SIG_IGN, libc::SIG_DFL].contains(&now.assume_init().sa_sigaction)
        {
            libc::signal(signal, wanted);
        }
    }
}

/// Whether a signal is ignored here, as it is by what `nohup` starts.
pub fn is_ignored(signal: i32) -> bool {
    // SAFETY: the call writes one structure, and zeros are a whole one.
    unsafe {
        let mut now = MaybeUninit::<libc::sigaction>::zeroed();
        libc::sigaction(signal, ptr::null(), now.as_mut_ptr()) == 0
            && now.assume_init().sa_sigaction == libc::SIG_IGN
    }
}
