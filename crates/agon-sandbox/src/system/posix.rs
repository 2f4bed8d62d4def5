//! What every other system has: `fork`, `poll`, `waitid`. It costs more than what Linux is asked
//! for, and less comes of it. What has left a program's process group is not found again, and
//! threads are kept to no core.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::{Errno, FdFlags, fcntl_setfd};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, getpid, getppid, kill_process, waitid};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use super::child::{Begin, ChildOutcome};
use crate::levels::Priority;

/// Held while descriptors are made that are not yet close-on-exec, and while a child starts. No
/// call here sets the flag from the beginning, and another program must not get them.
static STARTING: Mutex<()> = Mutex::new(());

/// How often a process looks whether its parent is still there.
const LOOK: Duration = Duration::from_millis(50);

/// Enough for a thread that only waits.
const STACK: usize = 64 * 1024;

fn starting() -> MutexGuard<'static, ()> {
    STARTING.lock().unwrap_or_else(PoisonError::into_inner) // it holds nothing
}

/// A descriptor that becomes readable when this child of ours has ended: a thread waits for that
/// and closes its end.
///
/// # Errors
/// There are no more descriptors or threads.
pub fn end_of(pid: Pid) -> io::Result<OwnedFd> {
    let (end, open) = pipe()?;
    thread::Builder::new().stack_size(STACK).spawn(move || {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while matches!(waitid(WaitId::Pid(pid), look), Err(Errno::INTR)) {}
        drop(open);
    })?;
    Ok(end)
}

/// Makes a pipe, its end to read from first. Both ends are closed on exec.
///
/// # Errors
/// There are no more descriptors.
pub(crate) fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let _starting = starting();
    let (read, write) = rustix::pipe::pipe()?;
    fcntl_setfd(&read, FdFlags::CLOEXEC)?;
    fcntl_setfd(&write, FdFlags::CLOEXEC)?;
    Ok((read, write))
}

/// Makes a pseudo-terminal: our end, and the end of a program. Both are closed on exec, and it
/// controls no session.
///
/// # Errors
/// There are no more descriptors or terminals.
pub(crate) fn pseudo_terminal() -> io::Result<(OwnedFd, OwnedFd)> {
    let ours = {
        let _starting = starting();
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
        fcntl_setfd(&ours, FdFlags::CLOEXEC)?;
        ours
    };
    grantpt(&ours)?;
    unlockpt(&ours)?;
    let theirs = other_end(&ours)?;
    Ok((ours, theirs))
}

/// The program's end of a pseudo-terminal, opened once more.
///
/// # Errors
/// The kernel's own.
pub(crate) fn other_end(ours: &OwnedFd) -> io::Result<OwnedFd> {
    let name = ptsname(ours, Vec::new())?;
    Ok(rustix::fs::open(name.as_c_str(), OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())?)
}

/// Would make a pipe hold so many bytes. Returns `false`: that is not possible here.
pub fn resize_pipe(_pipe: &OwnedFd, _bytes: usize) -> bool {
    false
}

/// Starts a child of ours, which has a copy of our memory, and waits until it has become a program
/// or has ended. What it wrote to `outcome` is here then, too.
///
/// # Errors
/// The kernel's own: there is no child.
pub(crate) fn start(act: Begin, child: *mut libc::c_void, outcome: *mut ChildOutcome) -> io::Result<Pid> {
    let (report, told) = pipe()?;
    let _starting = starting();
    // SAFETY: the child calls `act`, which calls nothing but the kernel, and ends. `outcome` is
    // what the caller said. Numbers are whole with any bytes.
    let pid = unsafe {
        let pid = libc::fork();
        if pid == -1 {
            return Err(io::Error::last_os_error());
        }
        if pid == 0 {
            let code = act(child);
            libc::write(told.as_raw_fd(), outcome.cast(), size_of::<ChildOutcome>());
            libc::_exit(code);
        }
        pid
    };
    drop(told);
    let mut bytes = [0; size_of::<ChildOutcome>()];
    // Nothing comes, and the pipe is closed, when the program begins.
    let read = loop {
        match rustix::io::read(&report, &mut bytes) {
            Err(Errno::INTR) => {}
            read => break read.unwrap_or(0),
        }
    };
    if read == bytes.len() {
        // SAFETY: as above.
        unsafe { outcome.copy_from(bytes.as_ptr().cast(), 1) };
    }
    Ok(Pid::from_raw(pid).expect("the kernel gives a positive number"))
}

/// Marks every descriptor above the three standard ones to be closed on exec.
///
/// # Errors
/// Always: there is no call for it here.
pub(crate) fn close_all_on_exec() -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// No program that the calling process becomes gives it more rights than it has: there is no such
/// word here.
///
/// # Errors
/// None: nothing more is to be done.
pub(crate) fn no_new_privileges() -> io::Result<()> {
    Ok(())
}

/// Would make the calling process adopt the orphans below it. Returns `false`: that is not possible
/// here.
pub(crate) fn adopt() -> bool {
    false
}

/// The processes that have this variable in their environment, with its value, as `ps` tells.
pub(crate) fn with_variable(name: &str) -> Vec<(Pid, String)> {
    let words = if cfg!(target_vendor = "apple") { "-AEww" } else { "axeww" };
    let mut ps = Command::new("ps");
    ps.args([words, "-o", "pid=,command="]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let child = {
        let _starting = starting();
        ps.spawn()
    };
    let Ok(output) = child.and_then(Child::wait_with_output) else { return Vec::new() };
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().filter_map(|line| marked(line, name)).collect()
}

/// A line of `ps`: a number, and words that end with the environment.
fn marked(line: &str, name: &str) -> Option<(Pid, String)> {
    let mut words = line.split_ascii_whitespace();
    let pid = Pid::from_raw(words.next()?.parse().ok()?)?;
    let mark = words.find_map(|word| word.strip_prefix(name)?.strip_prefix('='))?;
    Some((pid, mark.to_owned()))
}

/// Lets a directory within `top` be opened that was shut, without following a link.
pub(crate) fn open_up(top: &OwnedFd, name: &CStr) -> Result<(), Errno> {
    let flags = AtFlags::SYMLINK_NOFOLLOW.bits().cast_signed();
    // SAFETY: numbers, and a string that ends in NUL. It may be open as it is.
    unsafe { libc::fchmodat(top.as_raw_fd(), name.as_ptr(), libc::S_IRWXU, flags) };
    Ok(())
}

/// Lets a file or a directory be changed and removed again, where it was shut by a flag.
pub(crate) fn unseal(file: &OwnedFd) {
    #[cfg(any(target_vendor = "apple", target_os = "freebsd"))]
    // SAFETY: two numbers. What cannot be mended stays.
    unsafe {
        libc::fchflags(file.as_raw_fd(), 0);
    }
    let _ = file; // systems without such flags
}

/// Where this program can be started again.
///
/// # Errors
/// The system's own.
pub fn own_program() -> io::Result<PathBuf> {
    std::env::current_exe()
}

/// Gives signals that the library keeps for itself their defaults, of which there are none here.
pub(crate) fn heed_reserved_signals() {}

/// Would be process 1 of a container, of which there are none here.
///
/// # Errors
/// None here.
pub fn be_init(_own_program: &Path) -> io::Result<Option<u8>> {
    Ok(None)
}

/// Whether the system lists its processes, as far as it is asked for them: `ps` does.
pub fn processes_are_listed() -> bool {
    true
}

/// Whether somebody has this file open for writing. Here nobody tells.
pub fn is_being_written(_path: &Path) -> bool {
    false
}

/// Has this process told by SIGTERM when its parent has ended: a thread looks for that.
///
/// # Errors
/// There are no more threads.
pub fn end_with_parent() -> io::Result<()> {
    let parent = getppid();
    thread::Builder::new().stack_size(STACK).spawn(move || {
        while getppid() == parent {
            thread::sleep(LOOK);
        }
        let _ = kill_process(getpid(), Signal::TERM); // it is always there
    })?;
    Ok(())
}

/// Lets the calling thread run soon after it wakes: there is no way to ask for that here.
pub fn wake_soon() {}

/// Lets a program start below the harness. It calls nothing but the kernel.
pub(crate) fn step_down() {
    // SAFETY: a number.
    unsafe { libc::nice(2) };
}

/// The priority at which programs start: nobody asks here.
pub fn given_priority(_boxed: bool) -> Priority {
    Priority::default()
}

/// Gives this process another name, which is not possible here.
pub fn set_name(_name: &CStr) {}

/// Which cores a thread may run on: the system knows, and does not tell.
#[derive(Debug)]
pub struct Affinity;

impl Affinity {
    /// That of a thread; nothing here.
    pub fn of_thread(_thread: Pid) -> Option<Self> {
        None
    }

    /// That of the calling thread; nothing here.
    pub fn own() -> Option<Self> {
        None
    }

    /// These cores.
    pub fn of(_cores: &[usize]) -> Self {
        Affinity
    }

    /// The cores.
    pub fn cores(&self) -> Vec<usize> {
        Vec::new()
    }

    /// Keeps a thread to these cores, which is not possible here.
    pub fn hold(&self, _thread: Option<Pid>) {}

    /// The core that the calling thread runs on.
    pub fn here() -> usize {
        0
    }
}

/// What is watched, each under a name.
pub struct List {
    watched: Vec<(RawFd, u64, libc::c_short)>,
    /// What the kernel said last, in the same order.
    said: Vec<libc::pollfd>,
    /// The names then: what is watched may have changed since.
    names: Vec<u64>,
}

impl List {
    /// An empty one.
    ///
    /// # Errors
    /// None here.
    pub fn new() -> io::Result<Self> {
        Ok(List { watched: Vec::new(), said: Vec::new(), names: Vec::new() })
    }

    /// Watches a descriptor until it can be read from, or written to.
    ///
    /// # Errors
    /// None here.
    pub fn add(&mut self, fd: BorrowedFd<'_>, name: u64, to_write: bool) -> io::Result<()> {
        let what = if to_write { libc::POLLOUT } else { libc::POLLIN };
        self.watched.push((fd.as_raw_fd(), name, what));
        Ok(())
    }

    /// Watches it no longer, also if it has been closed.
    ///
    /// # Errors
    /// None here.
    pub fn delete(&mut self, _fd: Option<BorrowedFd<'_>>, name: u64) -> io::Result<()> {
        self.watched.retain(|(_, other, _)| *other != name);
        Ok(())
    }

    /// Waits until something has happened, at most for `time`, or a millisecond longer.
    ///
    /// # Errors
    /// The kernel's own.
    pub fn wait(&mut self, time: Duration) -> io::Result<()> {
        self.said.clear();
        self.said.extend(self.watched.iter().map(|(fd, _, what)| libc::pollfd {
            fd: *fd,
            events: *what,
            revents: 0,
        }));
        self.names.clear();
        self.names.extend(self.watched.iter().map(|(_, name, _)| *name));
        let rounded = if time.is_zero() { 0 } else { time.as_millis().saturating_add(1) };
        let rounded = libc::c_int::try_from(rounded).unwrap_or(libc::c_int::MAX);
        let number = libc::nfds_t::try_from(self.said.len()).expect("they are few");
        // SAFETY: the structures are as many as is said and live through the call.
        let done = unsafe { libc::poll(self.said.as_mut_ptr(), number, rounded) };
        if done >= 0 {
            return Ok(());
        }
        let error = io::Error::last_os_error(); // at once: another call might set it anew
        self.said.clear();
        if error.kind() == io::ErrorKind::Interrupted { Ok(()) } else { Err(error) }
    }

    /// What has happened: each name, and whether nobody is at the other end.
    pub fn happened(&self) -> impl Iterator<Item = (u64, bool)> + '_ {
        let gone = libc::POLLERR | libc::POLLHUP | libc::POLLNVAL;
        let happened = self.said.iter().zip(&self.names).filter(|(said, _)| said.revents != 0);
        happened.map(move |(said, name)| (*name, said.revents & gone != 0))
    }
}
