//! agon started again as a small process of one thread: it gives up rights, builds the box, and
//! starts the engine in it.
//!
//! There are three processes then:
//!
//! * the outer one, which the harness knows and which ends as the engine ends;
//! * the warden, which is process 1 in the box;
//! * the engine.

use std::ffi::{CStr, CString, OsStr};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::process::exit;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{PidfdFlags, pidfd_open};

use super::cgroup_files::{self, CgroupFiles};
use super::failure::{at, check};
use super::mounts::Sockets;
use super::requests::{self, BoxRequest, BoxSpec, MessageKind};
use super::{filter, landlock, mounts, rights, warden};
use crate::system;

/// Where a helper finds its socket.
const SOCKET: i32 = 3;
/// So long a harness that has let go of a box may take to be seen to have ended.
const HARNESS_ENDS: Duration = Duration::from_millis(200);
/// The exit code of a helper that has failed; the reason goes over the socket.
const FAILED: i32 = 125;

/// Does the helper's part: builds the box and starts the program in it.
pub(super) fn help() -> ! {
    // SAFETY: the process that starts a helper leaves the socket at this number, and nothing else
    // here owns it.
    let socket = unsafe { UnixStream::from_raw_fd(SOCKET) };
    let Ok(Some((MessageKind::Request, request))) = requests::receive(&socket) else { exit(2) };
    let Some(request) = BoxRequest::decode(&request) else { exit(2) };
    // SAFETY: the standard library ignores this signal; an engine is to have it as usual.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
    let failed = outside(&request, &request.spec, socket.as_raw_fd());
    let _ = requests::send(&socket, MessageKind::NoBox, failed.as_bytes()); // nobody to tell if the harness is gone
    exit(FAILED);
}

fn number(error: &io::Error) -> [u8; 4] {
    error.raw_os_error().unwrap_or(libc::EIO).to_le_bytes()
}

/// Begins a program. Comes back only with the error.
fn execute(program: &CStr, arguments: &[CString], environment: &[CString]) -> io::Error {
    let pointers = |strings: &[CString]| -> Vec<*const libc::c_char> {
        strings.iter().map(|string| string.as_ptr()).chain([std::ptr::null()]).collect()
    };
    let (argv, envp) = (pointers(arguments), pointers(environment));
    // SAFETY: strings that end in NUL and arrays that end in a null pointer, all of which live
    // until it is done.
    unsafe { libc::execve(program.as_ptr(), argv.as_ptr(), envp.as_ptr()) };
    io::Error::last_os_error()
}

/// The process outside of the box. Returns what failed before there was anybody inside.
fn outside(request: &BoxRequest, spec: &BoxSpec, socket: i32) -> String {
    let harness = rustix::process::getppid().and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
    let opened = spec.groups.as_ref().map(CgroupFiles::open).transpose().map_err(|error| error.to_string());
    let groups = match opened {
        Ok(groups) => groups,
        Err(failure) => return failure,
    };
    let begun = || -> Result<(i32, File), String> {
        separate(spec)?;
        let (status, ours) = pipe_with(PipeFlags::CLOEXEC).map_err(at("making a pipe"))?;
        // SAFETY: this process has one thread, so the child may call anything.
        let warden = unsafe { libc::fork() };
        check(warden).map_err(at("starting the warden"))?;
        if warden == 0 {
            drop(status);
            inside(request, spec, socket, File::from(ours), groups.as_ref());
        }
        Ok((warden, File::from(status)))
    };
    let (warden, mut status) = match begun() {
        Ok(begun) => begun,
        Err(failure) => return failure,
    };
    let let_go = let_go_of_pipes();
    // SAFETY: nobody here uses the socket any more; the warden has its own.
    drop(unsafe { OwnedFd::from_raw_fd(socket) });
    if let_go.is_err() {
        exit(FAILED); // the warden dies with this process
    }
    // SAFETY: a child of this process, whose status nobody wants here.
    unsafe { libc::waitpid(warden, std::ptr::null_mut(), 0) };
    let mut word = [0; 4];
    let told = status.read_exact(&mut word).is_ok();
    // The harness reads its groups and removes them, and where it has been killed nobody else may
    // be left to do it. A process closes its files before it is seen to have ended: the warden may
    // know it a moment sooner.
    let patience = if told { Duration::ZERO } else { HARNESS_ENDS };
    if let Some(groups) = groups.filter(|_| harness.is_none_or(|harness| has_ended(&harness, patience))) {
        groups.remove();
    }
    // Without a word the warden was killed, and the box with it; or there never was one.
    end_as(if told { i32::from_le_bytes(word) } else { libc::SIGKILL })
}

/// Whether a process ends within this time.
fn has_ended(pidfd: &OwnedFd, patience: Duration) -> bool {
    let span = Timespec { tv_sec: 0, tv_nsec: patience.subsec_nanos().into() };
    poll(&mut [PollFd::new(pidfd, PollFlags::IN)], Some(&span)).is_ok_and(|ready| ready > 0)
}

/// Ends this process in the way that a status tells of another one.
fn end_as(status: i32) -> ! {
    if libc::WIFEXITED(status) {
        exit(libc::WEXITSTATUS(status));
    }
    let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: numbers, and structures that live through the call. No core is written for somebody
    // else's fault.
    unsafe {
        libc::setrlimit(libc::RLIMIT_CORE, &raw const none);
        libc::signal(libc::WTERMSIG(status), libc::SIG_DFL);
        libc::raise(libc::WTERMSIG(status));
    }
    exit(FAILED)
}

/// Namespaces of its own for everything that can have one but control groups. Processes begin to be
/// in theirs with the next child.
fn separate(spec: &BoxSpec) -> Result<(), String> {
    let mut flags =
        libc::CLONE_NEWNS | libc::CLONE_NEWPID | libc::CLONE_NEWNET | libc::CLONE_NEWIPC | libc::CLONE_NEWUTS;
    if spec.identity.is_none() {
        flags |= libc::CLONE_NEWUSER;
    }
    let (user, group) = (rustix::process::getuid().as_raw(), rustix::process::getgid().as_raw());
    // SAFETY: this process has one thread and shares nothing with anybody.
    check(unsafe { libc::unshare(flags) }).map_err(at("making namespaces"))?;
    if spec.identity.is_none() {
        rights::map_self(user, group).map_err(at("mapping the user"))?;
    }
    Ok(())
}

/// While another process holds an engine's pipes open, the harness cannot see that the engine
/// closed them.
fn let_go_of_pipes() -> io::Result<()> {
    let null = rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
    for fd in 0..3 {
        // SAFETY: three numbers; the standard descriptors are nobody's in this process.
        check(unsafe { libc::dup2(null.as_raw_fd(), fd) })?;
    }
    Ok(())
}

/// Process 1 of agon's own box.
fn inside(
    request: &BoxRequest,
    spec: &BoxSpec,
    socket: i32,
    status: File,
    groups: Option<&CgroupFiles>,
) -> ! {
    // SAFETY: as in `help`: in this process, nobody else has it.
    let socket = unsafe { UnixStream::from_raw_fd(socket) };
    be_warden(request, spec, &socket, status, groups.map(|groups| &groups.engine), || {
        groups.map_or(Ok(()), CgroupFiles::enter).map_err(at("joining the control groups"))?;
        // From within its groups, so that they are the top of what can be seen.
        // SAFETY: this process has one thread.
        check(unsafe { libc::unshare(libc::CLONE_NEWCGROUP) }).map_err(at("making namespaces"))?;
        let sockets = mounts::build(spec)?;
        rustix::system::sethostname(b"box").map_err(at("naming the box"))?;
        Ok(sockets)
    })
}

/// Process 1 of a box: makes it ready, starts the engine in it and becomes its warden.
fn be_warden(
    request: &BoxRequest,
    spec: &BoxSpec,
    socket: &UnixStream,
    mut status: File,
    procs: Option<&File>,
    make_ready: impl FnOnce() -> Result<Sockets, String>,
) -> ! {
    let built = || -> Result<(i32, OwnedFd, File), String> {
        rights::die_with_parent().map_err(at("binding to the parent"))?;
        let sockets = make_ready()?;
        let (ready, go) = pipe_with(PipeFlags::CLOEXEC).map_err(at("making a pipe"))?;
        let (failures, failure) = pipe_with(PipeFlags::CLOEXEC).map_err(at("making a pipe"))?;
        // SAFETY: as in `outside`.
        let engine = unsafe { libc::fork() };
        check(engine).map_err(at("starting the engine's process"))?;
        if engine == 0 {
            drop((go, failures));
            be_engine(request, spec, sockets, procs, File::from(ready), File::from(failure));
        }
        let_go_of_pipes().map_err(at("letting go of pipes"))?;
        if let Some(id) = spec.identity {
            rights::become_user(id).map_err(at("becoming another user"))?;
        }
        rights::no_capabilities().map_err(at("dropping capabilities"))?;
        system::no_new_privileges().map_err(at("giving up new privileges"))?;
        rights::dumpable(false).map_err(at("hiding the warden"))?;
        rights::die_with_parent().map_err(at("binding to the parent"))?;
        Ok((engine, go, File::from(failures)))
    };
    let (engine, go, mut failures) = match built() {
        Ok(built) => built,
        Err(failure) => {
            let _ = requests::send(socket, MessageKind::NoBox, failure.as_bytes()); // nobody to tell
            exit(FAILED)
        }
    };
    // From here on the engine may look at its warden, and finds it shut.
    let mut signals = warden::signals();
    drop(go);
    let mut word = Vec::new();
    let _ = failures.read_to_end(&mut word); // what cannot be read is no failure that was reported
    if let Some((kind, what)) = word.split_first() {
        let known = [MessageKind::NoProgram, MessageKind::NoDirectory];
        let about = known.into_iter().find(|about| *kind == *about as u8).unwrap_or(MessageKind::NoBox);
        let _ = requests::send(socket, about, what); // as above
        exit(FAILED);
    }
    let ended = warden::watch(socket, engine, &mut signals);
    let _ = status.write_all(&ended.to_le_bytes()); // the outer process is gone, and so is the harness
    exit(0)
}

/// The engine's process: gives up what is left and begins its program.
fn be_engine(
    request: &BoxRequest,
    spec: &BoxSpec,
    sockets: Sockets,
    procs: Option<&File>,
    mut ready: File,
    mut failure: File,
) -> ! {
    // The kind of the message and its content.
    type Unready = (MessageKind, Vec<u8>);
    let directory = OsStr::from_bytes(request.directory.as_bytes());
    let first = || -> Result<(), String> {
        procs.map_or(Ok(()), cgroup_files::join).map_err(at("joining the engine's control group"))?;
        rustix::process::setsid().map_err(at("making a session"))?;
        rights::limit(&request.allowance).map_err(at("setting limits"))?;
        // Where memory is short, an engine goes first: neither its warden nor the harness.
        std::fs::write("/proc/self/oom_score_adj", "1000").map_err(at("letting it go first"))?;
        if let Some(id) = spec.identity {
            rights::become_user(id).map_err(at("becoming another user"))?;
            // A change of user has hidden this process from itself.
            rights::dumpable(true).map_err(at("reading its own files"))?;
            // SAFETY: this process has one thread.
            check(unsafe { libc::unshare(libc::CLONE_NEWUSER) }).map_err(at("making a user namespace"))?;
            rights::map_self(id, id).map_err(at("mapping the user"))?;
        }
        Ok(())
    };
    let mut then = || -> Result<(), String> {
        rights::drop_capabilities().map_err(at("dropping capabilities"))?;
        system::no_new_privileges().map_err(at("giving up new privileges"))?;
        system::close_all_on_exec().map_err(at("closing descriptors"))?;
        if landlock::version().is_some() {
            landlock::put_up().map_err(at("putting up Landlock"))?;
        }
        for program in filter::programs(spec.pinned, sockets)? {
            seccompiler::apply_filter(&program).map_err(at("filtering system calls"))?;
        }
        // No stranger's program before the warden has hidden itself.
        ready.read_to_end(&mut Vec::new()).map_err(at("waiting for the warden")).map(|_| ())
    };
    let no_box = |failure: String| (MessageKind::NoBox, failure.into_bytes());
    let mut prepared = || -> Result<(), Unready> {
        first().map_err(no_box)?;
        std::env::set_current_dir(directory)
            .map_err(|error| (MessageKind::NoDirectory, number(&error).to_vec()))?;
        then().map_err(no_box)
    };
    let (kind, what) = match prepared() {
        Err(unready) => unready,
        Ok(()) => {
            let error = execute(&request.program, &request.arguments, &request.environment);
            (MessageKind::NoProgram, number(&error).to_vec())
        }
    };
    let _ = failure.write_all(&[&[kind as u8], &what[..]].concat()); // the warden is gone, and so will this process be
    exit(FAILED)
}
