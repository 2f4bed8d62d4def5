//! Starts a program with three pipes, as `posix_spawn` does, and holds it by a descriptor.
//!
//! The standard library's `Command` can give the child a session of its own only by a `pre_exec`
//! hook, and then it forks. Forking a large harness takes 30 ms. This takes 0.5 ms: on Linux the
//! child shares our memory until its program begins, and we wait for that. `posix_spawn` sets no
//! resource limits, and a helper that sets them would be a second start of a program. There is
//! `unsafe` here, in `system` and in `boxes`, and nowhere else.
//!
//! So a [`Child`] is none of the standard library's, and `wait-timeout` cannot wait for it: its
//! owner polls [`Child::end`] beside its pipes.

#![allow(unsafe_code)]

use std::ffi::{CStr, CString, OsStr};
use std::fs::File;
use std::io::{self, Read};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::ptr;
use std::time::Duration;

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::Pid;

use crate::rlimits::Limit;
use crate::system::child::ChildOutcome;
use crate::{system, terminal};

/// A program that runs, and our ends of its pipes. They do not block and are closed on exec.
pub struct Child {
    /// Its number, which is its own until it is reaped.
    pub pid: Pid,
    /// Becomes readable when it has ended.
    pub end: OwnedFd,
    /// What it reads from.
    pub stdin: OwnedFd,
    /// What it writes to.
    pub stdout: OwnedFd,
    /// What it complains to.
    pub stderr: OwnedFd,
}

/// What to start and where.
#[derive(Clone, Copy)]
pub struct Launch<'a> {
    /// The program, absolute.
    pub program: &'a CStr,
    /// Its arguments; the first is the name it is called by.
    pub arguments: &'a [CString],
    /// Its whole environment, `NAME=value`.
    pub environment: &'a [CString],
    /// The directory it is started in.
    pub directory: &'a CStr,
    /// What it finds as descriptor 3, besides its pipes.
    pub socket: Option<BorrowedFd<'a>>,
    /// What the kernel is to keep it from; it gets no new privileges either, if there is anything.
    pub limits: &'a [Limit],
}

/// Why nothing was started.
pub enum NotStarted {
    /// The operating system refuses this program, its arguments or its environment. Its author's
    /// fault.
    Program(io::Error),
    /// The directory that it is to be started in cannot be entered. The fault of its author, if it
    /// is one that the program can change.
    Directory(io::Error),
    /// We ran out of something: processes, memory, descriptors. Our fault.
    Ours(io::Error),
}

/// The most bytes of one argument or variable that Linux takes.
#[cfg(all(target_os = "linux", not(agon_posix)))]
const MOST_IN_ONE: usize = 32 * 4096;
/// The most bytes of all of them that it takes, whatever the limit on the stack. With each goes a
/// pointer.
#[cfg(all(target_os = "linux", not(agon_posix)))]
const MOST_IN_ALL: usize = 6 << 20;

/// How much of a program is read to see whether its disk works.
const MOST_READ: u64 = 64 << 20;

/// The error of arguments and an environment that no kernel takes, so that nobody else has to carry
/// them that far. Only boxes are made by others.
#[cfg(all(target_os = "linux", not(agon_posix)))]
pub(crate) fn too_long(arguments: &[CString], environment: &[CString]) -> Option<io::Error> {
    let mut all = 0_usize;
    let fits = arguments.iter().chain(environment).all(|text| {
        let length = text.as_bytes_with_nul().len();
        all += length + size_of::<*const libc::c_char>();
        length <= MOST_IN_ONE && all <= MOST_IN_ALL
    });
    (!fits).then(|| io::Error::from_raw_os_error(libc::E2BIG))
}

/// The pipes of a child to be: our ends, and its own.
pub struct Pipes {
    /// What the child reads from.
    pub stdin: OwnedFd,
    stdout: OwnedFd,
    stderr: OwnedFd,
    theirs: [OwnedFd; 3],
}

impl Pipes {
    /// The end that the child reads from, once more for us.
    pub fn copy_of_their_stdin(&self) -> Option<OwnedFd> {
        self.theirs[0].try_clone().ok()
    }
}

/// Makes the three pipes.
///
/// # Errors
/// Ours: there are no more descriptors.
pub fn pipes() -> io::Result<Pipes> {
    let (their_stdin, stdin) = system::pipe()?;
    let (stdout, their_stdout) = system::pipe()?;
    let (stderr, their_stderr) = system::pipe()?;
    // Only our ends: a child that finds its stdout not blocking loses output.
    for ours in [&stdin, &stdout, &stderr] {
        fcntl_setfl(ours, fcntl_getfl(ours)? | OFlags::NONBLOCK)?;
    }
    Ok(Pipes { stdin, stdout, stderr, theirs: [their_stdin, their_stdout, their_stderr] })
}

/// The same, but stdin and stdout are a pseudo-terminal. It is made here, so a box needs none of
/// its own.
///
/// # Errors
/// Ours: there are no more descriptors or terminals.
pub fn terminal_pipes() -> io::Result<Pipes> {
    let (stdout, their_stdout) = terminal::open()?;
    let (stderr, their_stderr) = system::pipe()?;
    for ours in [&stdout, &stderr] {
        fcntl_setfl(ours, fcntl_getfl(ours)? | OFlags::NONBLOCK)?;
    }
    let (stdin, their_stdin) = (stdout.try_clone()?, their_stdout.try_clone()?);
    Ok(Pipes { stdin, stdout, stderr, theirs: [their_stdin, their_stdout, their_stderr] })
}

/// Starts the program in a session and process group of its own, with every signal at its default
/// and nothing open but its three pipes.
///
/// # Errors
/// [`NotStarted`], which says whose fault it is.
pub fn spawn(launch: &Launch<'_>, pipes: Pipes) -> Result<Child, NotStarted> {
    let pid = begin(launch, &pipes.theirs)?;
    // It is our child and nobody has reaped it, so the number is its own.
    match system::end_of(pid) {
        Ok(end) => Ok(Child { pid, end, stdin: pipes.stdin, stdout: pipes.stdout, stderr: pipes.stderr }),
        Err(error) => {
            // Nobody would see its end: it must not live.
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL); // it may have ended
            let _ = rustix::process::waitpid(Some(pid), rustix::process::WaitOptions::empty()); // as above
            Err(NotStarted::Ours(error))
        }
    }
}

/// Reaps a child that has ended. Returns how, and the processor time that it and those it has
/// waited for have used; nothing while it runs.
///
/// # Errors
/// It is no child of ours, or has been reaped.
pub fn reap(pid: Pid) -> io::Result<Option<(ExitStatus, Duration)>> {
    let (mut status, mut used) = (0, MaybeUninit::<libc::rusage>::zeroed());
    // SAFETY: both structures live through the call.
    let reaped =
        unsafe { libc::wait4(pid.as_raw_nonzero().get(), &mut status, libc::WNOHANG, used.as_mut_ptr()) };
    match reaped {
        0 => Ok(None),
        -1 => Err(io::Error::last_os_error()),
        _ => {
            // SAFETY: zeros are a whole rusage, and so is what the kernel has written.
            let used = unsafe { used.assume_init() };
            let time = |time: libc::timeval| {
                let whole = Duration::from_secs(u64::try_from(time.tv_sec).unwrap_or(0)); // it is never below
                whole + Duration::from_micros(u64::try_from(time.tv_usec).unwrap_or(0))
            };
            Ok(Some((ExitStatus::from_raw(status), time(used.ru_utime) + time(used.ru_stime))))
        }
    }
}

/// Whose fault it is that a program was not started.
pub(crate) fn blame(error: io::Error, program: &CStr) -> NotStarted {
    // A compiled program that names what lies behind its own end cannot be read either, for the
    // kernel.
    if error.raw_os_error() == Some(libc::EIO) && is_readable(program) {
        return NotStarted::Program(error);
    }
    // Out of something; or the program is just being written; or the disk fails.
    let ours =
        [libc::EAGAIN, libc::ENOMEM, libc::EMFILE, libc::ENFILE, libc::ETXTBSY, libc::EIO, libc::ESTALE];
    if error.raw_os_error().is_some_and(|number| ours.contains(&number)) {
        NotStarted::Ours(error)
    } else {
        NotStarted::Program(error)
    }
}

/// Whether the disk gives the bytes of a program, and of the interpreter of a script.
fn is_readable(program: &CStr) -> bool {
    let read = |path: &Path| {
        let mut file = File::open(path)?;
        let mut head = Vec::new();
        (&mut file).take(256).read_to_end(&mut head)?;
        io::copy(&mut file.take(MOST_READ), &mut io::sink())?;
        Ok::<_, io::Error>(head)
    };
    let Ok(head) = read(Path::new(OsStr::from_bytes(program.to_bytes()))) else { return false };
    let line = head.strip_prefix(b"#!").and_then(|rest| rest.split(|byte| *byte == b'\n').next());
    let interpreter = line.and_then(|line| line.split(u8::is_ascii_whitespace).find(|word| !word.is_empty()));
    interpreter.is_none_or(|path| read(Path::new(OsStr::from_bytes(path))).is_ok())
}

/// How far a child has come. It tells what it is about to do, so that we know what failed.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
enum StartStep {
    Pipes,
    Limits,
    Directory,
    Program,
}

impl StartStep {
    const ALL: [StartStep; 4] =
        [StartStep::Pipes, StartStep::Limits, StartStep::Directory, StartStep::Program];
}

/// What a child needs, all of it made beforehand: it must not allocate.
struct ChildStart<'a> {
    launch: &'a Launch<'a>,
    /// The numbers of its ends of the pipes here.
    theirs: [libc::c_int; 3],
    argv: Vec<*const libc::c_char>,
    envp: Vec<*const libc::c_char>,
    /// Written by the child, read when it has gone its way.
    outcome: ChildOutcome,
}

/// Starts the program and waits until it has begun, or has failed to.
fn begin(launch: &Launch<'_>, theirs: &[OwnedFd; 3]) -> Result<Pid, NotStarted> {
    let mut child = ChildStart {
        launch,
        theirs: [0, 1, 2].map(|number: usize| theirs[number].as_raw_fd()),
        argv: pointers(launch.arguments),
        envp: pointers(launch.environment),
        outcome: [0, 0],
    };
    let pid = system::start(become_program, (&raw mut child).cast(), &raw mut child.outcome)
        .map_err(NotStarted::Ours)?;
    // SAFETY: the child is done with it; it was written through a pointer that the compiler does
    // not know.
    let [step, error] = unsafe { ptr::read_volatile(&raw const child.outcome) };
    if error == 0 {
        return Ok(pid);
    }
    let _ = rustix::process::waitpid(Some(pid), rustix::process::WaitOptions::empty()); // it has ended
    let error = io::Error::from_raw_os_error(error);
    let ours = |what: &str| {
        NotStarted::Ours(io::Error::new(error.kind(), format!("{what} before an engine began: {error}")))
    };
    Err(match StartStep::ALL.into_iter().find(|known| *known as i32 == step).unwrap_or(StartStep::Pipes) {
        StartStep::Pipes => ours("cannot hand over the pipes"),
        StartStep::Limits => ours("cannot set the limits"),
        StartStep::Directory => NotStarted::Directory(error),
        StartStep::Program => blame(error, launch.program),
    })
}

/// The child, from its beginning to its program. It calls nothing but the kernel.
extern "C" fn become_program(child: *mut libc::c_void) -> libc::c_int {
    // SAFETY: `begin` hands over its own, and stands still meanwhile.
    let child = unsafe { &mut *child.cast::<ChildStart<'_>>() };
    let failed = |child: &mut ChildStart<'_>, step: StartStep, error: &io::Error| -> libc::c_int {
        child.outcome = [step as i32, error.raw_os_error().unwrap_or(libc::EIO)];
        127
    };
    // Right after the call that has failed: another one might set the number anew.
    let fail = |child: &mut ChildStart<'_>, step| failed(child, step, &io::Error::last_os_error());
    // SAFETY: numbers, and pointers to live values of the types the calls want; strings end in NUL
    // and arrays in a null pointer. The pipes' own numbers are above 2 (Rust keeps 0 to 2 open), so
    // each is a copy without close-on-exec.
    unsafe {
        for signal in 1..=64 {
            libc::signal(signal, libc::SIG_DFL); // two of them are the library's own, and KILL and STOP nobody's
        }
        libc::setsid(); // a new process leads no group yet
        for (to, from) in (0..).zip(child.theirs) {
            if libc::dup2(from, to) == -1 {
                return fail(child, StartStep::Pipes);
            }
        }
        if let Some(socket) = child.launch.socket.map(|socket| socket.as_raw_fd()) {
            // After the others, one of which may have this number here.
            let done = if socket == 3 { libc::fcntl(3, libc::F_SETFD, 0) } else { libc::dup2(socket, 3) };
            if done == -1 {
                return fail(child, StartStep::Pipes);
            }
        }
        if child.launch.socket.is_none() {
            system::step_down(); // a helper is the harness's own
        }
        if libc::chdir(child.launch.directory.as_ptr()) == -1 {
            return fail(child, StartStep::Directory);
        }
        for limit in child.launch.limits {
            if let Err(error) = limit.set() {
                return failed(child, StartStep::Limits, &error.into());
            }
        }
        if !child.launch.limits.is_empty()
            && let Err(error) = system::no_new_privileges()
        {
            return failed(child, StartStep::Limits, &error);
        }
        let mut none = MaybeUninit::<libc::sigset_t>::uninit();
        libc::sigemptyset(none.as_mut_ptr());
        libc::sigprocmask(libc::SIG_SETMASK, none.as_ptr(), ptr::null_mut());
        libc::execve(child.launch.program.as_ptr(), child.argv.as_ptr(), child.envp.as_ptr());
        fail(child, StartStep::Program)
    }
}

fn pointers(strings: &[CString]) -> Vec<*const libc::c_char> {
    strings.iter().map(|string| string.as_ptr()).chain([ptr::null()]).collect()
}

/// Marks every descriptor we inherited to be closed on exec, so that no program is handed one.
/// Called once, when the harness starts; everything it opens later is opened so.
pub fn close_inherited_on_exec() {
    if system::close_all_on_exec().is_ok() {
        return;
    }
    // One by one, then.
    let Ok(listed) = std::fs::read_dir("/dev/fd") else { return };
    for fd in listed.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok()) {
        if fd > 2 {
            // SAFETY: setting the flag of a number that is no descriptor fails and harms nobody.
            unsafe { libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) };
        }
    }
}

/// Lets a process in the background of its terminal write there, with any settings of the terminal.
pub fn ignore_terminal_stops() {
    // SAFETY: ignoring a signal runs no code of ours.
    unsafe { libc::signal(libc::SIGTTOU, libc::SIG_IGN) };
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::process::{Signal, kill_process};

    use super::*;

    /// How a program with these arguments fails to start in a directory.
    fn failure(program: &Path, arguments: &[CString], directory: &CStr) -> NotStarted {
        let program = CString::new(program.as_os_str().as_bytes()).unwrap();
        let (environment, socket, limits) = (&[], None, &[]);
        let launch = Launch { program: &program, arguments, environment, directory, socket, limits };
        match spawn(&launch, pipes().unwrap()) {
            Ok(_) => panic!("it was started"),
            Err(failure) => failure,
        }
    }

    #[test]
    #[cfg(all(target_os = "linux", not(agon_posix)))]
    fn what_the_files_of_a_program_ask_for_is_the_fault_of_its_author() {
        let cat = Path::new("/bin/cat");
        let long = [c"cat".to_owned(), CString::new(vec![b'x'; MOST_IN_ONE]).unwrap()];
        let many = vec![c"".to_owned(); MOST_IN_ALL / 8];
        for arguments in [&long[..], &many] {
            assert!(too_long(arguments, &[]).is_some());
            let NotStarted::Program(error) = failure(cat, arguments, c"/") else { panic!("ours") };
            assert_eq!(error.raw_os_error(), Some(libc::E2BIG), "the kernel says the same");
        }
        let most = [c"cat".to_owned(), CString::new(vec![b'x'; MOST_IN_ONE - 1]).unwrap()];
        assert!(too_long(&most, &[]).is_none() && too_long(&[], &long).is_some());
        assert!(matches!(failure(cat, &[], c"/no/such/place"), NotStarted::Directory(_)));
        assert!(matches!(failure(Path::new("/no/such"), &[], c"/"), NotStarted::Program(_)));
    }

    /// The name of its loader is said to lie behind the end of the file: the kernel gives the error
    /// of a disk that fails.
    #[test]
    #[cfg(all(target_os = "linux", target_pointer_width = "64", target_endian = "little"))]
    fn a_program_that_is_cut_short_is_no_failing_disk() {
        let home = tempfile::tempdir().unwrap();
        let mut bytes = fs::read("/bin/cat").unwrap();
        let word =
            |bytes: &[u8], at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
        let (table, count) = (word(&bytes, 32), usize::from(bytes[56]));
        let loader = (0..count).map(|part| table + 56 * part).find(|at| bytes[*at..at + 4] == [3, 0, 0, 0]);
        let at = loader.expect("cat has a loader");
        bytes[at + 8..at + 16].copy_from_slice(&(1_u64 << 30).to_le_bytes());
        let path = home.path().join("cut");
        fs::write(&path, bytes).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        let NotStarted::Program(error) = failure(&path, &[], c"/") else { panic!("ours") };
        assert_eq!(error.raw_os_error(), Some(libc::EIO));
        assert!(matches!(blame(io::Error::from_raw_os_error(libc::EIO), c"/no/such"), NotStarted::Ours(_)));
    }

    /// What a parent's death does to its children, the kernel does when the *thread* ends that has
    /// made them.
    #[test]
    fn an_engine_does_not_end_with_the_thread_that_started_it() {
        for limits in [Vec::new(), crate::rlimits::everywhere(1 << 30, 1 << 20)] {
            let starting = std::thread::spawn(move || {
                let launch = Launch {
                    program: c"/bin/cat",
                    arguments: &[c"cat".to_owned()],
                    environment: &[],
                    directory: c"/",
                    socket: None,
                    limits: &limits,
                };
                spawn(&launch, pipes().unwrap()).unwrap_or_else(|_| panic!("there is no /bin/cat"))
            });
            let child = starting.join().unwrap();
            std::thread::sleep(Duration::from_millis(50));
            rustix::io::write(&child.stdin, b"still here\n").unwrap();
            let (mut said, until) = ([0; 64], Instant::now() + Duration::from_secs(10));
            let a_while = Timespec { tv_sec: 1, tv_nsec: 0 };
            while Instant::now() < until
                && poll(&mut [PollFd::new(&child.stdout, PollFlags::IN)], Some(&a_while)) != Ok(1)
            {
            }
            assert_eq!(rustix::io::read(&child.stdout, &mut said), Ok(11));
            kill_process(child.pid, Signal::KILL).unwrap();
            let mut ended = [PollFd::new(&child.end, PollFlags::IN)];
            assert_eq!(poll(&mut ended, Some(&Timespec { tv_sec: 10, tv_nsec: 0 })), Ok(1));
            let (status, _) = reap(child.pid).unwrap().unwrap();
            assert_eq!(status.signal(), Some(9));
        }
    }
}
