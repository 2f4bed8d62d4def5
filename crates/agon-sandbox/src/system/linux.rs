//! The system calls of Linux: pidfds, epoll, a child that shares our memory until its program
//! begins, a parent that adopts orphans.

use std::ffi::CStr;
use std::fs::OpenOptions;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::buffer::spare_capacity;
use rustix::event::Timespec;
use rustix::event::epoll::{self, Event, EventData, EventFlags};
use rustix::fs::{IFlags, Mode, OFlags, ioctl_getflags, ioctl_setflags, openat};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, fcntl_setpipe_size, pipe_with};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open};
use rustix::pty::{OpenptFlags, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

use super::child::{Begin, ChildOutcome};
use crate::levels::Priority;

/// The size of the child's stack until its program begins; it calls nothing that is deep.
const STACK: usize = 32 * 1024;

/// A descriptor that becomes readable when this child of ours has ended.
///
/// # Errors
/// There are no more descriptors, or it is no child of ours.
pub fn end_of(pid: Pid) -> io::Result<OwnedFd> {
    Ok(pidfd_open(pid, PidfdFlags::empty())?)
}

/// Makes a pipe, its end to read from first. Both ends are closed on exec.
///
/// # Errors
/// There are no more descriptors.
pub(crate) fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(pipe_with(PipeFlags::CLOEXEC)?)
}

/// Makes a pseudo-terminal: our end, and the end of a program. Both are closed on exec, and it
/// controls no session.
///
/// # Errors
/// There are no more descriptors or terminals.
pub(crate) fn pseudo_terminal() -> io::Result<(OwnedFd, OwnedFd)> {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
    unlockpt(&ours)?;
    let theirs = other_end(&ours)?;
    Ok((ours, theirs))
}

/// The program's end of a pseudo-terminal, opened once more. It is not looked up by a path.
///
/// # Errors
/// The kernel's own.
pub(crate) fn other_end(ours: &OwnedFd) -> io::Result<OwnedFd> {
    Ok(ioctl_tiocgptpeer(ours, OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?)
}

/// Makes a pipe hold so many bytes. Returns whether that was done.
pub fn resize_pipe(pipe: &OwnedFd, bytes: usize) -> bool {
    fcntl_setpipe_size(pipe, bytes).is_ok()
}

/// Starts a child of ours, which borrows our memory, and waits until it has become a program or has
/// ended. What `child` and `outcome` point to lives that long, and nobody else has it.
///
/// # Errors
/// The kernel's own: there is no child.
pub(crate) fn start(act: Begin, child: *mut libc::c_void, _outcome: *mut ChildOutcome) -> io::Result<Pid> {
    let mut stack: Vec<MaybeUninit<u128>> = Vec::with_capacity(STACK / 16);
    let mut before = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: with CLONE_VFORK this thread waits until the child has a memory of its own or has
    // ended. So the borrowed data live long enough, and nothing else here changes them. Its stack
    // is as long as was said and grows down from the aligned end. No handler of ours runs in it:
    // every signal is blocked until each has its default there.
    let pid = unsafe {
        let mut all = MaybeUninit::<libc::sigset_t>::uninit();
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_BLOCK, all.as_ptr(), before.as_mut_ptr());
        let top = stack.as_mut_ptr().add(STACK / 16);
        let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
        let pid = libc::clone(act, top.cast(), flags, child);
        let why = io::Error::last_os_error();
        libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), ptr::null_mut());
        if pid == -1 {
            return Err(why);
        }
        pid
    };
    Ok(Pid::from_raw(pid).expect("the kernel gives a positive number"))
}

/// Marks every descriptor above the three standard ones to be closed on exec.
///
/// # Errors
/// Kernels before 5.11 do not know the call.
pub(crate) fn close_all_on_exec() -> io::Result<()> {
    // SAFETY: the call takes three numbers and only sets flags.
    let done = unsafe { libc::close_range(3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC as libc::c_int) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// No program that the calling process becomes gives it more rights than it has. It calls nothing
/// but the kernel.
///
/// # Errors
/// The kernel's own.
pub(crate) fn no_new_privileges() -> io::Result<()> {
    // SAFETY: five numbers.
    let done = unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Makes the calling process adopt the orphans below it. Returns whether it does now.
pub(crate) fn adopt() -> bool {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).is_ok()
}

/// The processes that have this variable in their environment, with its value. Nobody asks here:
/// orphans are adopted.
pub(crate) fn with_variable(_name: &str) -> Vec<(Pid, String)> {
    Vec::new()
}

/// Lets a directory within `top` be opened that was shut, without following a link.
pub(crate) fn open_up(top: &OwnedFd, name: &CStr) -> Result<(), Errno> {
    let place = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let place = openat(top, name, place, Mode::empty())?;
    // By the descriptor: by its name it might be a link by now.
    let _ = rustix::fs::chmod(format!("/proc/self/fd/{}", place.as_raw_fd()), Mode::RWXU); // it may be open as it is
    Ok(())
}

/// Lets a file or a directory be changed and removed again, where it was shut by a flag. Only root
/// has such files.
pub(crate) fn unseal(file: &OwnedFd) {
    let shut = IFlags::IMMUTABLE | IFlags::APPEND;
    if let Ok(flags) = ioctl_getflags(file)
        && flags.intersects(shut)
    {
        let _ = ioctl_setflags(file, flags - shut); // what cannot be mended stays
    }
}

/// Where this program can be started again, even if its file has been replaced.
///
/// # Errors
/// None here.
pub fn own_program() -> io::Result<PathBuf> {
    Ok(PathBuf::from("/proc/self/exe"))
}

/// Gives those signals their defaults that the library of C keeps for itself and that were ignored
/// by the parent. Programs would inherit that, and their threads could not be ended.
pub(crate) fn heed_reserved_signals() {
    /// What the kernel takes, on each architecture; zeros are the default.
    type Action = [libc::c_ulong; 8];
    for signal in 32..libc::SIGRTMIN() {
        let (mut now, default): (Action, Action) = ([0; 8], [0; 8]);
        // SAFETY: the structures are no smaller than the kernel's and live through the calls, and a
        // set of signals has eight bytes there.
        unsafe {
            let none = ptr::null::<Action>();
            let read = libc::syscall(libc::SYS_rt_sigaction, signal, none, &raw mut now, 8);
            if read == 0 && usize::try_from(now[0]) == Ok(libc::SIG_IGN) {
                libc::syscall(libc::SYS_rt_sigaction, signal, &raw const default, ptr::null::<Action>(), 8);
            }
        }
    }
}

/// Whether `/proc` is there and lists the processes of this process's own namespace. In another
/// namespace its numbers mean other processes.
pub fn processes_are_listed() -> bool {
    std::fs::read_link("/proc/self")
        .is_ok_and(|own| own.as_os_str() == std::process::id().to_string().as_str())
}

/// Sets which signal tells that somebody wants what a lease keeps.
const F_SETSIG: libc::c_int = 10;

/// Whether somebody has this file open for writing, as far as the kernel tells. It grants a lease
/// for reading only where nobody has, to the owner of the file and to root.
pub fn is_being_written(path: &Path) -> bool {
    // What is no file, such as a FIFO, could block.
    let opened = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path);
    let Ok(file) = opened else { return false };
    if !file.metadata().is_ok_and(|about| about.is_file()) {
        return false;
    }
    let fd = file.as_raw_fd();
    // SAFETY: the descriptor is open, and the calls take numbers. A writer who comes meanwhile
    // waits for the end of the lease; the signal that tells of it is ignored by default.
    unsafe {
        if libc::fcntl(fd, F_SETSIG, libc::SIGURG) != 0 {
            return false;
        }
        if libc::fcntl(fd, libc::F_SETLEASE, libc::F_RDLCK) != 0 {
            return io::Error::last_os_error().kind() == io::ErrorKind::WouldBlock;
        }
        libc::fcntl(fd, libc::F_SETLEASE, libc::F_UNLCK);
    }
    false
}

/// Has this process told by SIGTERM when its parent has ended.
///
/// # Errors
/// The kernel's own.
pub fn end_with_parent() -> io::Result<()> {
    Ok(rustix::process::set_parent_process_death_signal(Some(Signal::TERM))?)
}

/// Gives this process another name, as `ps` shows it.
pub fn set_name(name: &CStr) {
    let _ = rustix::thread::set_name(name); // it runs as well under its own
}

/// The scheduling of a thread, as `sched_setattr` takes it.
#[repr(C)]
#[derive(Default)]
struct Scheduling {
    size: u32,
    policy: u32,
    flags: u64,
    nice: i32,
    priority: u32,
    /// Nanoseconds.
    runtime: u64,
    deadline: u64,
    period: u64,
}

/// How long the calling thread runs at a time once it wakes: the shorter, the sooner it is let run.
const SLICE: Duration = Duration::from_micros(100);
/// The nice value of the calling thread where it may have one, and how far below it programs start
/// where it may not.
const NICE: i32 = -10;
const BELOW: libc::c_int = 2;
/// Whether threads of ours have a better nice value than what they start.
static RAISED: AtomicBool = AtomicBool::new(false);

/// Lets the calling thread run soon after it wakes, however many processes want to run. It uses a
/// short time slice (Linux 6.12 or newer) and, where it is allowed, a better nice value. The
/// thread's children are scheduled as usual.
pub fn wake_soon() {
    const RESET_ON_FORK: u64 = 1;
    let size = u32::try_from(size_of::<Scheduling>()).expect("it is small");
    let mut own = Scheduling::default();
    // SAFETY: the structure has the size that is given, and lives through the call.
    let read = unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut own, size, 0) };
    // A user who has chosen another policy keeps it.
    if read != 0 || own.policy != libc::SCHED_OTHER.cast_unsigned() {
        return;
    }
    own.size = size;
    own.flags = RESET_ON_FORK;
    own.runtime = u64::try_from(SLICE.as_nanos()).expect("it is short");
    // SAFETY: as above.
    let set =
        |own: &Scheduling| unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const *own, 0) == 0 };
    let raised = Scheduling { nice: own.nice.min(NICE), ..own };
    if set(&raised) {
        RAISED.store(true, Ordering::Relaxed);
    } else {
        set(&own); // a thread that is scheduled as usual plays as well
    }
}

/// Lets a program start below the harness, where the harness could not rise above it. It calls
/// nothing but the kernel.
pub(crate) fn step_down() {
    if !RAISED.load(Ordering::Relaxed) {
        // SAFETY: a number.
        unsafe { libc::nice(BELOW) };
    }
}

/// The priority at which programs start that the calling thread starts, in a box or outside.
pub fn given_priority(boxed: bool) -> Priority {
    let mut own = Scheduling::default();
    let size = u32::try_from(size_of::<Scheduling>()).expect("it is small");
    // SAFETY: the structure has the size that is given, and lives through the call.
    let read = unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut own, size, 0) };
    if read != 0 {
        return Priority::default();
    }
    // What rose above its children has left them where they usually are.
    let nice = match RAISED.load(Ordering::Relaxed) {
        true if own.nice < 0 => 0,
        true => own.nice,
        false if boxed => own.nice,
        false => (own.nice + BELOW).min(19),
    };
    Priority { nice, policy: own.policy.into() }
}

/// Which cores a thread may run on.
#[derive(Debug)]
pub struct Affinity(CpuSet);

impl Affinity {
    /// That of a thread; nothing where the system does not tell.
    pub fn of_thread(thread: Pid) -> Option<Self> {
        sched_getaffinity(Some(thread)).ok().map(Affinity)
    }

    /// That of the calling thread; nothing where the system does not tell.
    pub fn own() -> Option<Self> {
        sched_getaffinity(None).ok().map(Affinity)
    }

    /// These cores.
    pub fn of(cores: &[usize]) -> Self {
        let mut set = CpuSet::new();
        cores.iter().filter(|core| **core < CpuSet::MAX_CPU).for_each(|core| set.set(*core));
        Affinity(set)
    }

    /// The cores.
    pub fn cores(&self) -> Vec<usize> {
        (0..CpuSet::MAX_CPU).filter(|core| self.0.is_set(*core)).collect()
    }

    /// Keeps a thread, or the calling one, to these cores, if it can be had.
    pub fn hold(&self, thread: Option<Pid>) {
        let _ = sched_setaffinity(thread, &self.0); // a thread that cannot be pinned plays as well on another CPU
    }

    /// The core that the calling thread runs on.
    pub fn here() -> usize {
        sched_getcpu()
    }
}

/// The kernel's list of what is watched, each under a name.
pub struct List {
    epoll: OwnedFd,
    /// What has happened, reused.
    events: Vec<Event>,
}

impl List {
    /// An empty one.
    ///
    /// # Errors
    /// There are no more descriptors.
    pub fn new() -> io::Result<Self> {
        Ok(List { epoll: epoll::create(epoll::CreateFlags::CLOEXEC)?, events: Vec::new() })
    }

    /// Watches a descriptor until it can be read from, or written to.
    ///
    /// # Errors
    /// The kernel's own.
    pub fn add(&mut self, fd: BorrowedFd<'_>, name: u64, to_write: bool) -> io::Result<()> {
        let flags = if to_write { EventFlags::OUT } else { EventFlags::IN };
        Ok(epoll::add(&self.epoll, fd, EventData::new_u64(name), flags)?)
    }

    /// Watches it no longer. What was closed is off the list already.
    ///
    /// # Errors
    /// The kernel's own.
    pub fn delete(&mut self, fd: Option<BorrowedFd<'_>>, _name: u64) -> io::Result<()> {
        match fd {
            Some(fd) => Ok(epoll::delete(&self.epoll, fd)?),
            None => Ok(()),
        }
    }

    /// Waits until something has happened, at most for `time`.
    ///
    /// # Errors
    /// The kernel's own.
    pub fn wait(&mut self, time: Duration) -> io::Result<()> {
        self.events.clear();
        self.events.reserve(16);
        let waited = match epoll::wait(&self.epoll, spare_capacity(&mut self.events), Some(&timespec(time))) {
            // Kernels before 5.11 know whole milliseconds only.
            Err(Errno::NOSYS) => {
                let rounded = Duration::from_millis(u64::try_from(time.as_millis()).unwrap_or(u64::MAX) + 1);
                epoll::wait(&self.epoll, spare_capacity(&mut self.events), Some(&timespec(rounded)))
            }
            waited => waited,
        };
        match waited {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// What has happened: each name, and whether nobody is at the other end.
    pub fn happened(&self) -> impl Iterator<Item = (u64, bool)> + '_ {
        self.events.iter().map(|event| {
            let (data, flags) = (event.data, event.flags); // it is packed
            (data.u64(), flags.contains(EventFlags::ERR))
        })
    }
}

fn timespec(time: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(time.subsec_nanos()),
    }
}
