//! Process 1 of a box: it freezes and thaws the engine's processes when the harness asks for it,
//! and reports how the engine ended.
//!
//! Signals from inside the box do not reach it. When it ends, the kernel ends everything in the
//! box.

use std::fs;
use std::os::fd::{AsFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::exit;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::process_tree;
use super::requests::{self, MessageKind};
use crate::levels::Account;

/// How long after everybody was stopped the warden sees to it that nobody goes on, and how long
/// after somebody did.
const LOOK_AGAIN: Duration = Duration::from_millis(10);
const LOOK_SOON: Duration = Duration::from_micros(500);
/// How long an engine that goes on may run before it is asked.
const SETTLING: Duration = Duration::from_micros(500);

/// A descriptor that can be read when a child has ended. Made before the engine's program begins.
pub(super) fn signals() -> OwnedFd {
    // SAFETY: a set that is filled before it is used, and a descriptor that is nobody else's.
    unsafe {
        let mut set = std::mem::zeroed::<libc::sigset_t>();
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, libc::SIGCHLD);
        libc::sigprocmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut());
        let fd = libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK);
        assert!(fd >= 0, "a process with a dozen descriptors can have one more");
        OwnedFd::from_raw_fd(fd)
    }
}

/// Watches over the box until the engine's own process ends. Returns how it did, as `waitpid` tells
/// it.
pub(super) fn watch(socket: &UnixStream, engine: i32, signals: &mut OwnedFd) -> i32 {
    if requests::send(socket, MessageKind::Running, b"").is_err() {
        exit(0); // nobody is interested any more
    }
    // How long to wait until the next look at everybody, while they are stopped.
    let mut stopped = None;
    loop {
        let mut fds = [PollFd::new(socket, PollFlags::IN), PollFd::new(&*signals, PollFlags::IN)];
        match poll(&mut fds, stopped.map(span).as_ref()) {
            Ok(0) => stopped = Some(stop_again()),
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => exit(0), // the box ends with it
        }
        let (said, died) = (!fds[0].revents().is_empty(), !fds[1].revents().is_empty());
        if died {
            let mut room = [0u8; 512];
            let _ = rustix::io::read(signals.as_fd(), &mut room); // what is counted are the children themselves
            if let Some(status) = reap(engine) {
                let account = Account { left: left(), cpu: used() };
                let _ = requests::send(socket, MessageKind::Ended, &account.encode()); // the harness may be gone
                return status;
            }
        }
        if said {
            match heed(socket, engine) {
                Some(FreezeState::By) => stopped = Some(stop_again()),
                Some(FreezeState::Not) => stopped = None,
                None => exit(0),
            }
        }
    }
}

/// Whether everybody in the box is to be stopped by signals now.
enum FreezeState {
    By,
    Not,
}

/// Everybody in the box but this process; there may be nobody any more.
fn all(signal: libc::c_int) {
    // SAFETY: two numbers.
    unsafe { libc::kill(-1, signal) };
}

/// Does what the harness says; nothing when it says nothing more.
fn heed(socket: &UnixStream, engine: i32) -> Option<FreezeState> {
    match requests::receive(socket) {
        Ok(Some((MessageKind::Freeze, _))) => {
            all(libc::SIGSTOP);
            Some(FreezeState::By)
        }
        Ok(Some((about @ (MessageKind::Thaw | MessageKind::Settle), _))) => {
            if about == MessageKind::Thaw {
                all(libc::SIGCONT);
            }
            settle(engine);
            requests::send(socket, MessageKind::Thaw, b"").ok()?;
            Some(FreezeState::Not)
        }
        _ => None,
    }
}

/// Stops processes that another one continued, and processes that are new: one that was about to
/// end when all were stopped can do both. Returns how long to wait until the next look.
fn stop_again() -> Duration {
    let runs = |pid: i32| {
        let stat = fs::read(format!("/proc/{pid}/stat")).unwrap_or_default();
        matches!(process_tree::state(&stat), Some(state) if !b"TtZXD".contains(&state))
    };
    if others().any(runs) {
        all(libc::SIGSTOP);
        return LOOK_SOON;
    }
    LOOK_AGAIN
}

fn span(time: Duration) -> Timespec {
    Timespec { tv_sec: time.as_secs().cast_signed(), tv_nsec: time.subsec_nanos().into() }
}

/// Waits until every thread of the engine waits for something, at most for [`SETTLING`]. What it
/// was about to write when it was stopped comes out now. It is not taken for an answer, since the
/// engine is asked again only after that.
fn settle(engine: i32) {
    let until = Instant::now() + SETTLING;
    while Instant::now() < until && !process_tree::waits(engine) {
        // On one core it runs only while nobody else does.
        let _ = poll(&mut [], Some(&Timespec { tv_sec: 0, tv_nsec: 30_000 })); // an error ends it early, and there is a bound
    }
}

/// Takes every child that has ended; gives the engine's status if it was among them.
fn reap(engine: i32) -> Option<i32> {
    let mut ended = None;
    loop {
        let mut status = 0;
        // SAFETY: the status lives through the call.
        let pid = unsafe { libc::waitpid(-1, &raw mut status, libc::WNOHANG) };
        if pid <= 0 {
            return ended;
        }
        if pid == engine {
            ended = Some(status);
        }
    }
}

/// The processor time of every child that has ended, and of theirs.
fn used() -> Duration {
    // SAFETY: numbers, which are all zero at first, and live through the call.
    let usage = unsafe {
        let mut usage = std::mem::zeroed::<libc::rusage>();
        libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage);
        usage
    };
    let span = |time: libc::timeval| {
        Duration::from_secs(time.tv_sec.unsigned_abs()) + Duration::from_micros(time.tv_usec.unsigned_abs())
    };
    span(usage.ru_utime) + span(usage.ru_stime)
}

/// How many processes there are besides this one.
fn left() -> u32 {
    u32::try_from(others().count()).unwrap_or(u32::MAX)
}

/// The processes in the box besides this one.
fn others() -> impl Iterator<Item = i32> {
    let listed = fs::read_dir("/proc").into_iter().flatten().flatten();
    listed.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter(|pid| *pid != 1)
}
