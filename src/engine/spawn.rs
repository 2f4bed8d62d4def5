//! Starts a program with three pipes of ours, by `posix_spawn`, and keeps hold of it by a pidfd.
//!
//! The standard library's `Command` would have to fork to give the child a session of its own (it knows no other
//! way than a `pre_exec` hook), and forking a large harness costs 30 ms where `posix_spawn` costs half a one.
//! There is `unsafe` here and in `sandbox`, and nowhere else: the C structures of `posix_spawn` have no safe owner.

#![allow(unsafe_code)]

use std::ffi::{CStr, CString};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::ptr;
use std::time::Duration;

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

/// A program that runs, and our ends of its pipes. They do not block and are closed on exec.
pub(super) struct Child {
    pub(super) pid: Pid,
    pub(super) pidfd: OwnedFd,
    pub(super) stdin: OwnedFd,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
}

/// What to start and where.
pub(super) struct Launch<'a> {
    pub(super) program: &'a CStr,
    pub(super) arguments: &'a [CString],
    pub(super) environment: &'a [CString],
    pub(super) directory: &'a CStr,
    /// What it finds as descriptor 3, besides its pipes.
    pub(super) socket: Option<BorrowedFd<'a>>,
}

/// Why nothing was started.
pub(super) enum NotStarted {
    /// The operating system refuses this program. The engine's fault.
    Program(io::Error),
    /// We ran out of something: processes, memory, descriptors. Our fault.
    Ours(io::Error),
}

/// The pipes of a child to be: our ends, and its own.
pub(super) struct Pipes {
    pub(super) stdin: OwnedFd,
    stdout: OwnedFd,
    stderr: OwnedFd,
    theirs: [OwnedFd; 3],
}

/// Makes the three pipes.
///
/// # Errors
/// Ours: there are no more descriptors.
pub(super) fn pipes() -> io::Result<Pipes> {
    let (their_stdin, stdin) = pipe_with(PipeFlags::CLOEXEC)?;
    let (stdout, their_stdout) = pipe_with(PipeFlags::CLOEXEC)?;
    let (stderr, their_stderr) = pipe_with(PipeFlags::CLOEXEC)?;
    // Only our ends: a child that finds its stdout not blocking loses output.
    for ours in [&stdin, &stdout, &stderr] {
        fcntl_setfl(ours, fcntl_getfl(ours)? | OFlags::NONBLOCK)?;
    }
    Ok(Pipes { stdin, stdout, stderr, theirs: [their_stdin, their_stdout, their_stderr] })
}

/// Starts the program in a session and process group of its own, with every signal at its default and nothing
/// open but its three pipes.
///
/// # Errors
/// [`NotStarted`], which says whose fault it is.
pub(super) fn spawn(launch: &Launch<'_>, pipes: Pipes) -> Result<Child, NotStarted> {
    let pid = posix_spawn(launch, &pipes.theirs).map_err(|error| blame_for(error, launch.directory))?;
    // It is our child and nobody has reaped it, so the number is its own.
    match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(pidfd) => Ok(Child { pid, pidfd, stdin: pipes.stdin, stdout: pipes.stdout, stderr: pipes.stderr }),
        Err(error) => {
            // Without the pidfd nobody would watch it: it must not live.
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL); // it may have ended
            let _ = rustix::process::waitpid(Some(pid), rustix::process::WaitOptions::empty()); // as above
            Err(NotStarted::Ours(error.into()))
        }
    }
}

/// Reaps a child that has ended. Gives how, and the processor time that it and those it has waited for have used;
/// nothing while it runs.
///
/// # Errors
/// It is no child of ours, or has been reaped.
pub(super) fn reap(pid: Pid) -> io::Result<Option<(ExitStatus, Duration)>> {
    let (mut status, mut used) = (0, MaybeUninit::<libc::rusage>::zeroed());
    // SAFETY: both structures live through the call, and zeros are a whole rusage.
    let (reaped, used) = unsafe {
        (
            libc::wait4(pid.as_raw_nonzero().get(), &mut status, libc::WNOHANG, used.as_mut_ptr()),
            used.assume_init(),
        )
    };
    match reaped {
        0 => Ok(None),
        -1 => Err(io::Error::last_os_error()),
        _ => {
            let time = |time: libc::timeval| {
                Duration::from_secs(time.tv_sec.unsigned_abs())
                    + Duration::from_micros(time.tv_usec.unsigned_abs())
            };
            Ok(Some((ExitStatus::from_raw(status), time(used.ru_utime) + time(used.ru_stime))))
        }
    }
}

/// Whose fault it is that a program was not started.
pub(super) fn blame(error: io::Error) -> NotStarted {
    // Out of something; or the program is just being written; or the disk fails.
    let ours =
        [libc::EAGAIN, libc::ENOMEM, libc::EMFILE, libc::ENFILE, libc::ETXTBSY, libc::EIO, libc::ESTALE];
    if error.raw_os_error().is_some_and(|number| ours.contains(&number)) {
        NotStarted::Ours(error)
    } else {
        NotStarted::Program(error)
    }
}

/// The same, where it may have been the directory.
fn blame_for(error: io::Error, directory: &CStr) -> NotStarted {
    let error = match blame(error) {
        NotStarted::Program(error) => error,
        ours @ NotStarted::Ours(_) => return ours,
    };
    // posix_spawn does not say which of the two files was not there.
    match rustix::fs::stat(directory) {
        Ok(_) => NotStarted::Program(error),
        Err(gone) => {
            let why = format!("the directory it was to be started in is gone: {gone}");
            NotStarted::Ours(io::Error::new(error.kind(), why))
        }
    }
}

/// A `posix_spawn` structure, destroyed when it goes.
struct Owned<T>(Box<MaybeUninit<T>>, unsafe extern "C" fn(*mut T) -> libc::c_int);

impl<T> Owned<T> {
    fn new(
        init: unsafe extern "C" fn(*mut T) -> libc::c_int,
        destroy: unsafe extern "C" fn(*mut T) -> libc::c_int,
    ) -> io::Result<Self> {
        let mut value = Box::new(MaybeUninit::uninit());
        // SAFETY: `init` is the initialiser of `T`, and the box gives it the room.
        check(unsafe { init(value.as_mut_ptr()) })?;
        Ok(Owned(value, destroy))
    }

    fn ptr(&mut self) -> *mut T {
        self.0.as_mut_ptr()
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: `new` has initialised it, and nobody uses it after this.
        unsafe { (self.1)(self.0.as_mut_ptr()) };
    }
}

fn posix_spawn(launch: &Launch<'_>, theirs: &[OwnedFd; 3]) -> io::Result<Pid> {
    let mut actions =
        Owned::new(libc::posix_spawn_file_actions_init, libc::posix_spawn_file_actions_destroy)?;
    let mut attributes = Owned::new(libc::posix_spawnattr_init, libc::posix_spawnattr_destroy)?;
    let argv = pointers(launch.arguments);
    let envp = pointers(launch.environment);
    let mut signals = MaybeUninit::<libc::sigset_t>::uninit();
    let mut pid: libc::pid_t = 0;
    // SAFETY: every pointer is to a live, initialised value of the type the call wants; the strings end in NUL
    // and the arrays in a null pointer; dup2 onto 0, 1 and 2 clears close-on-exec there, because the pipes'
    // own numbers are above 2 (Rust keeps 0 to 2 open).
    unsafe {
        for (fd, theirs) in (0..).zip(theirs) {
            check(libc::posix_spawn_file_actions_adddup2(actions.ptr(), theirs.as_raw_fd(), fd))?;
        }
        if let Some(socket) = launch.socket {
            // After the others, one of which may have this number here.
            check(libc::posix_spawn_file_actions_adddup2(actions.ptr(), socket.as_raw_fd(), 3))?;
        }
        check(libc::posix_spawn_file_actions_addchdir_np(actions.ptr(), launch.directory.as_ptr()))?;
        libc::sigfillset(signals.as_mut_ptr());
        check(libc::posix_spawnattr_setsigdefault(attributes.ptr(), signals.as_ptr()))?;
        libc::sigemptyset(signals.as_mut_ptr());
        check(libc::posix_spawnattr_setsigmask(attributes.ptr(), signals.as_ptr()))?;
        let flags =
            libc::POSIX_SPAWN_SETSID as i32 | libc::POSIX_SPAWN_SETSIGDEF | libc::POSIX_SPAWN_SETSIGMASK;
        let flags = libc::c_short::try_from(flags).expect("the flags are three small bits");
        check(libc::posix_spawnattr_setflags(attributes.ptr(), flags))?;
        check(libc::posix_spawn(
            &mut pid,
            launch.program.as_ptr(),
            actions.ptr(),
            attributes.ptr(),
            argv.as_ptr().cast(),
            envp.as_ptr().cast(),
        ))?;
    }
    Ok(Pid::from_raw(pid).expect("posix_spawn gives a positive number"))
}

fn pointers(strings: &[CString]) -> Vec<*const libc::c_char> {
    strings.iter().map(|string| string.as_ptr()).chain([ptr::null()]).collect()
}

/// These calls give the error itself, not -1 and errno.
fn check(code: libc::c_int) -> io::Result<()> {
    if code == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(code)) }
}

/// Marks every descriptor we inherited to be closed on exec, so that no engine is handed one. Called once, when
/// the harness starts; everything it opens later is opened so.
pub fn close_inherited_on_exec() {
    // SAFETY: the call takes three numbers and only sets flags.
    let done = unsafe { libc::close_range(3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC as libc::c_int) };
    if done == 0 {
        return;
    }
    // Kernels before 5.11 do not know the flag: one by one, then.
    let Ok(listed) = std::fs::read_dir("/proc/self/fd") else { return };
    for fd in listed.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok()) {
        if fd > 2 {
            // SAFETY: setting the flag of a number that is no descriptor fails and harms nobody.
            unsafe { libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) };
        }
    }
}

/// Lets a process in the background of its terminal write there, whatever the terminal's settings say.
pub fn ignore_terminal_stops() {
    // SAFETY: ignoring a signal runs no code of ours.
    unsafe { libc::signal(libc::SIGTTOU, libc::SIG_IGN) };
}
