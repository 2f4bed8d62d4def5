//! System calls that no safe library offers.

#![allow(unsafe_code)] // a stub of one thread may fork, and hand the kernel numbers of its own making

use std::fs::File;
use std::io;
use std::os::fd::{FromRawFd, OwnedFd};
use std::time::Duration;

use rustix::process::Pid;
use rustix::time::{ClockId, clock_gettime};

/// The result of fork.
pub(crate) enum Fork {
    /// This is the new process.
    Child,
    /// This is the old one, with the new one's number.
    Parent(Pid),
    /// There is no new process.
    Refused,
}

/// Forks. The child is ended by an alarm after `life`. Only for a process of one thread.
pub(crate) fn fork(life: Duration) -> Fork {
    // SAFETY: this process has one thread, so the child finds every lock free and may call
    // anything.
    match unsafe { libc::fork() } {
        0 => {
            alarm(u32::try_from(life.as_secs()).unwrap_or(u32::MAX)); // a child does not inherit its parent's
            Fork::Child
        }
        -1 => Fork::Refused,
        number => Pid::from_raw(number).map_or(Fork::Refused, Fork::Parent),
    }
}

/// Lets SIGALRM end this process after this many seconds; 0 cancels that.
pub(crate) fn alarm(seconds: u32) {
    // SAFETY: it only sets a timer, and its signal has no handler here.
    unsafe { libc::alarm(seconds) };
}

/// Reserves addresses without memory behind them, as the runtimes of Java and Go do.
pub(crate) fn reserve(bytes: usize) -> io::Result<()> {
    map(bytes, libc::PROT_NONE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE).map(|_| ())
}

/// Memory that a child would share, which counts for no process.
pub(crate) fn shared_memory(bytes: usize) -> io::Result<&'static mut [u8]> {
    let place = map(bytes, libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS)?;
    // SAFETY: it was mapped with this size, is never unmapped, and has no other owner.
    Ok(unsafe { std::slice::from_raw_parts_mut(place.cast(), bytes) })
}

fn map(bytes: usize, how: i32, flags: i32) -> io::Result<*mut libc::c_void> {
    // SAFETY: the system chooses the address.
    let place = unsafe { libc::mmap(std::ptr::null_mut(), bytes, how, flags, -1, 0) };
    if place == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(place) }
}

/// A segment of shared memory that disappears with the last process that uses it.
pub(crate) fn sysv_memory(bytes: usize) -> io::Result<&'static mut [u8]> {
    // SAFETY: numbers only, and the segment is marked to be removed before anything can fail.
    let place = unsafe {
        let id = libc::shmget(libc::IPC_PRIVATE, bytes, libc::IPC_CREAT | 0o600);
        checked(id.into())?;
        let place = libc::shmat(id, std::ptr::null(), 0);
        libc::shmctl(id, libc::IPC_RMID, std::ptr::null_mut());
        place
    };
    if place as isize == -1 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: as for the memory above.
    Ok(unsafe { std::slice::from_raw_parts_mut(place.cast(), bytes) })
}

/// Reads another process's memory. Returns the number of bytes.
pub(crate) fn read_memory(of: i32, at: usize, into: &mut [u8]) -> io::Result<usize> {
    let here = libc::iovec { iov_base: into.as_mut_ptr().cast(), iov_len: into.len() };
    let there = libc::iovec { iov_base: at as *mut libc::c_void, iov_len: into.len() };
    // SAFETY: the kernel writes into `into` only, and checks the other side.
    let read = unsafe { libc::process_vm_readv(of, &raw const here, 1, &raw const there, 1, 0) };
    usize::try_from(read).map_err(|_| io::Error::last_os_error())
}

/// Attaches to another process as a debugger does, without stopping it, and detaches.
pub(crate) fn seize(pid: i32) -> io::Result<()> {
    let nothing = std::ptr::null_mut::<libc::c_void>();
    // SAFETY: no memory is passed; at the latest, the process is detached when the tracer ends.
    unsafe {
        checked(libc::ptrace(libc::PTRACE_SEIZE, pid, nothing, nothing))?;
        libc::ptrace(libc::PTRACE_INTERRUPT, pid, nothing, nothing);
        libc::waitpid(pid, std::ptr::null_mut(), libc::__WALL);
        libc::ptrace(libc::PTRACE_DETACH, pid, nothing, nothing);
    }
    Ok(())
}

/// Sets a limit of another process to its present value.
pub(crate) fn touch_limits(pid: i32) -> io::Result<()> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the structure lives through both calls.
    unsafe {
        checked(libc::prlimit(pid, libc::RLIMIT_NOFILE, std::ptr::null(), &raw mut limit).into())?;
        checked(libc::prlimit(pid, libc::RLIMIT_NOFILE, &raw const limit, std::ptr::null_mut()).into())
    }
}

/// Leaves namespaces for new ones.
pub(crate) fn unshare(flags: i32) -> io::Result<()> {
    // SAFETY: this process has one thread and relies on none of its namespaces.
    checked(unsafe { libc::unshare(flags) }.into())
}

/// A socket of any kind.
pub(crate) fn socket(family: i32, kind: i32, protocol: i32) -> io::Result<OwnedFd> {
    // SAFETY: numbers only.
    let fd = unsafe { libc::socket(family, kind | libc::SOCK_CLOEXEC, protocol) };
    checked(fd.into())?;
    // SAFETY: the kernel has just returned it, and it has no other owner.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Asks for real-time scheduling for a moment.
pub(crate) fn real_time() -> io::Result<()> {
    let (first, last) = (libc::sched_param { sched_priority: 1 }, libc::sched_param { sched_priority: 0 });
    // SAFETY: the structures live through the calls, which concern this process only.
    unsafe {
        checked(libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const first).into())?;
        checked(libc::sched_setscheduler(0, libc::SCHED_OTHER, &raw const last).into())
    }
}

/// Pushes a character into a terminal as if it had been typed.
pub(crate) fn type_into(terminal: i32) -> io::Result<()> {
    // SAFETY: the character lives through the call.
    checked(unsafe { libc::ioctl(terminal, libc::TIOCSTI, c"#".as_ptr()) }.into())
}

/// Makes a file immutable, or mutable again.
pub(crate) fn set_immutable(file: &impl std::os::fd::AsRawFd, yes: bool) -> io::Result<()> {
    const IMMUTABLE: libc::c_int = 0x10;
    let mut flags: libc::c_int = 0;
    // SAFETY: the number lives through the calls.
    unsafe {
        checked(libc::ioctl(file.as_raw_fd(), libc::FS_IOC_GETFLAGS, &raw mut flags).into())?;
        flags = if yes { flags | IMMUTABLE } else { flags & !IMMUTABLE };
        checked(libc::ioctl(file.as_raw_fd(), libc::FS_IOC_SETFLAGS, &raw const flags).into())
    }
}

/// The process group of another process; an error also if it is not visible.
pub(crate) fn group_of(pid: Pid) -> io::Result<Pid> {
    // SAFETY: a number.
    let group = unsafe { libc::getpgid(pid.as_raw_nonzero().get()) };
    checked(group.into())?;
    Pid::from_raw(group).ok_or_else(|| io::Error::other("it is out of sight"))
}

/// The processor time of all children that were reaped.
pub(crate) fn time_of_children() -> Duration {
    // SAFETY: a structure of numbers, which lives through the call.
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

/// This process's stdin. It is closed when the returned file is dropped.
pub(crate) fn stdin() -> File {
    // SAFETY: no other code in this program owns or closes it.
    unsafe { File::from_raw_fd(0) }
}

/// Ends the calling thread and nothing else, even if it is the first.
pub(crate) fn end_thread() -> ! {
    // SAFETY: the stack stays as it is, and no thread waits for this one.
    unsafe { libc::syscall(libc::SYS_exit, 0) };
    unreachable!("the thread has ended")
}

/// The processor time of all threads of this process.
pub(crate) fn own_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Starts a process that borrows this one's memory, as `vfork` does, and ends at once; and waits
/// for it.
pub(crate) fn start_and_end() {
    extern "C" fn end(_: *mut libc::c_void) -> libc::c_int {
        0
    }
    let mut stack = [0_u128; 1024];
    // SAFETY: the stack grows downwards from its end and lives until the child has ended, as the
    // parent waits.
    unsafe {
        let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
        let child = libc::clone(end, stack.as_mut_ptr().add(stack.len()).cast(), flags, std::ptr::null_mut());
        if child > 0 {
            libc::waitpid(child, std::ptr::null_mut(), 0);
        }
    }
}

/// Starts a copy of this process that ends at once, with this signal to the parent.
pub(crate) fn child_that_ends_by(signal: libc::c_int) {
    let none = std::ptr::null_mut::<libc::c_void>();
    // SAFETY: the child has a copy of the stack, and only calls the kernel, whatever locks other
    // threads held.
    unsafe {
        if libc::syscall(libc::SYS_clone, signal, none, none, none, none) == 0 {
            libc::_exit(0);
        }
    }
}

/// Kills every process that this one may signal, except itself and the first.
pub(crate) fn kill_everybody() -> io::Result<()> {
    // SAFETY: two numbers. The caller has made sure of the targets.
    match checked(unsafe { libc::kill(-1, libc::SIGKILL) }.into()) {
        Err(why) if why.raw_os_error() == Some(libc::ESRCH) => Ok(()), // no target
        other => other,
    }
}

/// Any system call by its number, with numbers as arguments. Returns its result.
///
/// # Safety
/// No argument may be an address, unless the call only reads there or the memory lives long enough.
pub(crate) unsafe fn call(number: libc::c_long, arguments: [usize; 5]) -> io::Result<libc::c_long> {
    let [a, b, c, d, e] = arguments;
    // SAFETY: as said above.
    let result = unsafe { libc::syscall(number, a, b, c, d, e) };
    checked(result).map(|()| result)
}

fn checked(result: libc::c_long) -> io::Result<()> {
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
