//! Attacks that spy: on the opponent's memory, on other processes, on files, on inherited
//! resources, and on the supervising process.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::ffi::OsStringExt;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, getppid, pidfd_getfd, pidfd_open};

use crate::attacks::honest::{Stub, complain};
use crate::attacks::neighbours::{self, Neighbour};
use crate::attacks::tried::{given, tell, tell_if};
use crate::attacks::{Level, Mode, mode, sys};

pub(crate) const MODES: &[Mode] = &[
    mode("read-memory", "normal", "E01", "reads the opponent's memory in three ways", read_memory)
        .blocked(Level::Sandbox),
    mode("forge", "any", "E01", "takes the opponent's stdout and passes in its name", forge)
        .later(&[(Level::Sandbox, "normal")])
        .blocked(Level::Sandbox),
    mode("neighbours", "normal", "E03", "looks for its opponent among all processes", look_for_neighbours)
        .blocked(Level::Sandbox),
    mode("look-around", "normal", "E04", "tries to list and read what is not its own", look_around)
        .blocked(Level::Sandbox),
    mode("environ", "normal", "E09", "prints its environment to stderr, and looks for a secret", environ)
        .blocked(Level::None),
    mode("fds", "normal", "E10", "prints its open files to stderr", fds).blocked(Level::None),
    mode("supervisor", "normal", "E15", "reaches for the memory and files of its parent", supervisor)
        .blocked(Level::Sandbox),
];

/// The opponent, once it has started.
fn opponent() -> Option<Neighbour> {
    let until = Instant::now() + Duration::from_millis(200);
    loop {
        let found = neighbours::opponent();
        if found.is_some() || Instant::now() > until {
            return found;
        }
        sleep(Duration::from_millis(10));
    }
}

/// E01: the opponent's stack contains its environment.
fn read_memory(stub: &mut Stub) -> io::Result<()> {
    stub.play_after(|_| {
        let Some(Neighbour { pid, .. }) = opponent() else {
            return tell_if("E01", "the opponent is in sight", false);
        };
        let stack = stack_of(pid);
        let mut bytes = vec![0; 4096];
        let read = stack.and_then(|end| sys::read_memory(pid, end - bytes.len(), &mut bytes));
        tell("E01", "process_vm_readv", read.and_then(|_| find_token(&bytes)))?;
        tell("E01", "/proc/PID/mem", read_file_of_memory(pid))?;
        tell("E01", "ptrace", sys::seize(pid))
    })
}

fn read_file_of_memory(pid: i32) -> io::Result<()> {
    let end = stack_of(pid)?;
    let mut memory = File::open(format!("/proc/{pid}/mem"))?;
    let mut bytes = vec![0; 4096];
    memory.seek(SeekFrom::Start((end - bytes.len()) as u64))?;
    memory.read_exact(&mut bytes)?;
    find_token(&bytes)
}

/// The address at the end of the stack.
fn stack_of(pid: i32) -> io::Result<usize> {
    let maps = fs::read_to_string(format!("/proc/{pid}/maps"))?;
    let line = maps.lines().find(|line| line.ends_with("[stack]"));
    let end = line.and_then(|line| line.split([' ', '-']).nth(1));
    let end = end.and_then(|end| usize::from_str_radix(end, 16).ok());
    end.ok_or_else(|| io::Error::other("no stack in sight"))
}

fn find_token(bytes: &[u8]) -> io::Result<()> {
    let token = given("TOKEN")?;
    let found = bytes.windows(token.len()).any(|part| part == token.as_bytes());
    if found { Ok(()) } else { Err(io::Error::other("nothing of the opponent's there")) }
}

/// E01: a move in the opponent's name, while it thinks.
fn forge(stub: &mut Stub) -> io::Result<()> {
    let mut pipe = None;
    while stub.turn()?.is_some() {
        if pipe.is_none() {
            let stolen = opponent()
                .ok_or_else(|| io::Error::other("the opponent is out of sight"))
                .and_then(|other| steal(other.pid, 1));
            tell("E01", "the opponent's stdout", stolen.as_ref())?;
            pipe = stolen.ok();
        }
        stub.answer()?;
        if let Some(pipe) = &pipe {
            sleep(Duration::from_millis(20));
            let other = if stub.side == "W" { "B" } else { "W" };
            let _ = rustix::io::write(pipe, format!("{other},P\n").as_bytes()); // it may be gone by now
        }
    }
    Ok(())
}

/// A descriptor of another process, duplicated into this one.
fn steal(pid: i32, fd: i32) -> io::Result<rustix::fd::OwnedFd> {
    let pid = Pid::from_raw(pid).ok_or_else(|| io::Error::other("no process"))?;
    let process = pidfd_open(pid, PidfdFlags::empty())?;
    Ok(pidfd_getfd(&process, fd, PidfdGetfdFlags::empty())?)
}

/// E03
fn look_for_neighbours(stub: &mut Stub) -> io::Result<()> {
    stub.play_after(|_| {
        let found = opponent();
        tell_if("E03", "the opponent's arguments and environment", found.is_some())?;
        let strangers = neighbours::all().into_iter().filter(|other| other.pid != 1).count();
        tell_if("E03", "other processes", strangers > 0)
    })
}

/// E04
fn look_around(stub: &mut Stub) -> io::Result<()> {
    for name in ["SECRET_FILE", "OTHERS_FILE", "RESULTS_FILE"] {
        let read = given(name).and_then(fs::read);
        tell("E04", &name.to_lowercase().replace('_', " "), read)?;
    }
    for place in ["..", "/", "/home", "/root", "/tmp", "/etc/ssh", "/proc/1/root"] {
        let listed = match fs::read_dir(place) {
            Ok(entries) => format!("{} entries", entries.count()),
            Err(why) => why.to_string(),
        };
        complain(format!("look-around: {place}: {listed}\n").as_bytes())?;
    }
    tell("E04", "/etc/shadow", File::open("/etc/shadow"))?;
    stub.play_on()
}

/// E09: the environment of the person who started the harness must stay secret.
fn environ(stub: &mut Stub) -> io::Result<()> {
    tell("E09", "a secret of the environment", given("AWS_SECRET_ACCESS_KEY"))?;
    for (name, value) in std::env::vars_os() {
        complain(&[name.into_vec(), b"=".to_vec(), value.into_vec(), b"\n".to_vec()].concat())?;
    }
    stub.play_on()
}

/// E10, E11
fn fds(stub: &mut Stub) -> io::Result<()> {
    let entries: Vec<_> = fs::read_dir("/proc/self/fd")?.flatten().map(|entry| entry.path()).collect();
    let mut others = 0;
    for path in entries {
        // The directory that was read for this is closed by now, and not reported.
        if let Ok(target) = fs::read_link(&path) {
            let number = path.file_name().and_then(|name| name.to_str()?.parse::<i32>().ok());
            others += usize::from(number.is_some_and(|number| number > 2));
            complain(format!("{} -> {}\n", path.display(), target.display()).as_bytes())?;
        }
    }
    tell_if("E10", &format!("{others} open files more than three"), others > 0)?;
    stub.play_on()
}

/// E15: the parent is the warden in a box, and the harness elsewhere.
fn supervisor(stub: &mut Stub) -> io::Result<()> {
    stub.play_after(|_| {
        let parent = getppid().map_or(1, |parent| parent.as_raw_nonzero().get());
        let mut bytes = [0; 64];
        let read = stack_of(parent).and_then(|end| sys::read_memory(parent, end - bytes.len(), &mut bytes));
        tell("E15", "the parent's memory", read)?;
        tell("E15", "the parent's files", fs::read_link(format!("/proc/{parent}/fd/0")))?;
        tell("E15", "a descriptor of the parent", steal(parent, 0))?;
        tell("E15", "the parent's limits", sys::touch_limits(parent))
    })
}
