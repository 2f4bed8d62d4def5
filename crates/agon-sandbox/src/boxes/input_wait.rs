//! Whether a thread waits for the standard input of its process, as its system call shows.
//!
//! A read of standard input is a wait for it, and nothing else. An engine that waits for several
//! descriptors may wait for another one of them: `ssh` does, while the engine on the other machine
//! thinks. So a `poll`, a `select` or an `epoll_wait` counts only on one condition. Standard input
//! must be the one descriptor in it that can bring something from outside of the process. An
//! eventfd beside it cannot: event loops have one to wake themselves up.

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

/// No more descriptors than this are looked at in one call.
const MOST: u64 = 64;
/// `POLLIN` and `POLLRDNORM`, which are also the bits of an epoll.
const READABLE: u64 = 0x1 | 0x40;
/// The size of a `pollfd`.
const POLLFD: usize = 8;

/// A system call that may wait for input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum InputCall {
    /// A read of this descriptor.
    Read(u64),
    /// A poll: where the descriptors are, and how many.
    Poll(u64, u64),
    /// A select: how many bits, and where those are that are waited for to be read.
    Select(u64, u64),
    /// The same of a program of 32 bits by its oldest call: where its arguments are.
    OldSelect(u64),
    /// An epoll on this descriptor.
    Epoll(u64),
}

/// Whether this thread waits for the standard input of its process; nothing where the kernel does
/// not tell.
pub(super) fn waits_for_input(pid: i32, thread: i32) -> Option<bool> {
    let shown = fs::read_to_string(format!("/proc/{pid}/task/{thread}/syscall")).ok()?;
    let mut words = shown.split_ascii_whitespace();
    // "running", or -1 outside of a call.
    let Some(number) = words.next().and_then(|word| word.parse().ok()) else { return Some(false) };
    let argument = |word: &str| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok();
    let arguments: Vec<u64> = words.filter_map(argument).collect();
    let [first, second, ..] = arguments[..] else { return Some(false) };
    let (own, small) = (native(number, first, second), compat(number, first, second));
    // The same number is another call in a program of 32 bits.
    let call = if small != own && is_small(pid) { small } else { own };
    Some(call.and_then(|call| waits(pid, call)).unwrap_or(false))
}

/// The call with this number.
fn native(number: i64, first: u64, second: u64) -> Option<InputCall> {
    match number {
        libc::SYS_read | libc::SYS_readv => Some(InputCall::Read(first)),
        libc::SYS_ppoll => Some(InputCall::Poll(first, second)),
        libc::SYS_pselect6 => Some(InputCall::Select(first, second)),
        libc::SYS_epoll_pwait | libc::SYS_epoll_pwait2 => Some(InputCall::Epoll(first)),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_poll => Some(InputCall::Poll(first, second)),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_select => Some(InputCall::Select(first, second)),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_epoll_wait => Some(InputCall::Epoll(first)),
        libc::SYS_restart_syscall => restarted(first, second),
        _ => None,
    }
}

/// The call with this number in a program of 32 bits.
#[cfg(target_arch = "x86_64")]
fn compat(number: i64, first: u64, second: u64) -> Option<InputCall> {
    match number {
        3 | 145 => Some(InputCall::Read(first)),
        168 | 309 | 414 => Some(InputCall::Poll(first, second)),
        142 | 308 | 413 => Some(InputCall::Select(first, second)),
        82 => Some(InputCall::OldSelect(first)),
        256 | 319 | 441 => Some(InputCall::Epoll(first)),
        0 => restarted(first, second),
        _ => None,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn compat(number: i64, first: u64, second: u64) -> Option<InputCall> {
    native(number, first, second)
}

/// After a stop, a poll goes on under another number. The other calls that do so have a second
/// argument that is zero, an address, or a flag above these.
fn restarted(first: u64, second: u64) -> Option<InputCall> {
    (1..=8).contains(&second).then_some(InputCall::Poll(first, second))
}

/// Whether a process runs a program of 32 bits: the byte of an ELF file that says so.
fn is_small(pid: i32) -> bool {
    let mut head = [0; 5];
    let program = fs::File::open(format!("/proc/{pid}/exe"));
    program.and_then(|file| file.read_exact_at(&mut head, 0)).is_ok() && head == *b"\x7fELF\x01"
}

/// Whether a call waits for standard input; nothing if what it waits for cannot be read.
fn waits(pid: i32, call: InputCall) -> Option<bool> {
    match call {
        InputCall::Read(descriptor) => Some(is_stdin(pid, descriptor)),
        InputCall::Poll(at, count) => Some(is_only_stdin(pid, &polled(pid, at, count)?)),
        InputCall::Select(count, at) => Some(is_only_stdin(pid, &selected(pid, count, at)?)),
        InputCall::OldSelect(at) => {
            let arguments = memory(pid, at, 8)?;
            let word = |at: usize| Some(u32::from_ne_bytes(arguments.get(at..at + 4)?.try_into().ok()?));
            waits(pid, InputCall::Select(word(0)?.into(), word(4)?.into()))
        }
        InputCall::Epoll(descriptor) => Some(is_only_stdin(pid, &watched(pid, descriptor)?)),
    }
}

/// Bytes of a process.
fn memory(pid: i32, at: u64, length: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; length];
    fs::File::open(format!("/proc/{pid}/mem")).ok()?.read_exact_at(&mut bytes, at).ok()?;
    Some(bytes)
}

/// The descriptors of a poll that are to be readable.
fn polled(pid: i32, at: u64, count: u64) -> Option<Vec<u64>> {
    let count = usize::try_from(count.min(MOST + 1)).ok()?;
    let entries = memory(pid, at, count * POLLFD)?;
    let entry = |entry: &[u8]| {
        let descriptor = i32::from_ne_bytes(entry[..4].try_into().ok()?);
        let events = u16::from_ne_bytes(entry[4..6].try_into().ok()?);
        // A negative one is passed over.
        u64::try_from(descriptor).ok().filter(|_| u64::from(events) & READABLE != 0)
    };
    Some(entries.chunks_exact(POLLFD).filter_map(entry).collect())
}

/// The descriptors of a select that are to be readable.
fn selected(pid: i32, count: u64, at: u64) -> Option<Vec<u64>> {
    let count = count.min(1024);
    // Whole words, and the bits within them from the lowest on: the same bytes for words of both
    // lengths.
    let set = memory(pid, at, usize::try_from(count.div_ceil(8)).ok()?)?;
    let is_in = |bit: &u64| set[(bit / 8) as usize] & (1 << (bit % 8)) != 0;
    Some((0..count).filter(is_in).collect())
}

/// The descriptors of an epoll that are to be readable.
fn watched(pid: i32, descriptor: u64) -> Option<Vec<u64>> {
    let about = fs::read_to_string(format!("/proc/{pid}/fdinfo/{descriptor}")).ok()?;
    let target = |line: &str| {
        // tfd:        0 events:       19 data: ...
        let mut words = line.strip_prefix("tfd:")?.split_ascii_whitespace();
        let descriptor = words.next()?.parse().ok()?;
        let events = u64::from_str_radix(words.nth(1)?, 16).ok()?;
        (events & READABLE != 0).then_some(descriptor)
    };
    Some(about.lines().filter_map(target).collect())
}

/// Whether standard input is among these descriptors, and nothing else that brings something from
/// outside.
fn is_only_stdin(pid: i32, descriptors: &[u64]) -> bool {
    let is_few = descriptors.len() as u64 <= MOST;
    let (input, others): (Vec<u64>, Vec<u64>) =
        descriptors.iter().take(MOST as usize).partition(|descriptor| is_stdin(pid, **descriptor));
    is_few && !input.is_empty() && others.into_iter().all(|descriptor| is_own_event(pid, descriptor))
}

fn is_own_event(pid: i32, descriptor: u64) -> bool {
    file(pid, descriptor).is_some_and(|file| file.as_os_str() == "anon_inode:[eventfd]")
}

/// Whether a descriptor of a process is its standard input, or a copy of that: Wine reads a copy.
fn is_stdin(pid: i32, descriptor: u64) -> bool {
    // Not /dev/null, which helper processes have.
    let is_pipe = |file: &PathBuf| file.as_os_str().as_encoded_bytes().starts_with(b"pipe:");
    descriptor == 0
        || file(pid, descriptor).is_some_and(|own| is_pipe(&own) && file(pid, 0).as_ref() == Some(&own))
}

fn file(pid: i32, descriptor: u64) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{pid}/fd/{descriptor}")).ok()
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    use super::*;

    fn seen(child: &Child, wanted: bool) -> Option<bool> {
        let pid = i32::try_from(child.id()).unwrap();
        let until = Instant::now() + Duration::from_secs(10);
        while waits_for_input(pid, pid) != Some(wanted) && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
        // It stays so.
        std::thread::sleep(Duration::from_millis(20));
        waits_for_input(pid, pid)
    }

    fn assert_seen(mut child: Child, wanted: bool, what: &str) {
        let seen = seen(&child, wanted);
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(seen, Some(wanted), "{what}");
    }

    fn python(script: &str) -> Child {
        let script = format!("import os, select, socket\na, b = socket.socketpair()\n{script}");
        Command::new("python3").args(["-c", &script]).stdin(Stdio::piped()).spawn().unwrap()
    }

    #[test]
    fn every_call_that_waits_for_standard_input_alone_is_known() {
        for script in [
            "os.readv(0, [bytearray(9)])",
            "select.select([0], [], [])",
            "select.select([0], [], [], 1000)",
            "p = select.poll(); p.register(0, select.POLLIN); p.poll()",
            "p = select.epoll(); p.register(0, select.EPOLLIN); p.poll()",
            "p = select.poll(); p.register(0, 1); p.register(os.eventfd(0), 1); p.poll()",
            "select.select([os.dup(0)], [], [])",
        ] {
            assert_seen(python(script), true, script);
        }
    }

    #[test]
    fn a_wait_that_something_else_may_end_is_none_for_standard_input() {
        for script in [
            "select.select([0, a], [], [])",
            "select.select([a], [], [])",
            "p = select.poll(); p.register(0, 1); p.register(a, 1); p.poll()",
            "p = select.epoll(); p.register(0, select.EPOLLIN); p.register(a, select.EPOLLIN); p.poll()",
            "select.select([], [], [], 1000)",
            "os.readv(a.fileno(), [bytearray(9)])",
        ] {
            let mut child = python(script);
            std::thread::sleep(Duration::from_millis(300));
            assert!(child.try_wait().unwrap().is_none(), "{script}");
            assert_seen(child, false, script);
        }
    }

    #[test]
    fn a_poll_is_known_after_the_process_was_stopped() {
        let script = "p = select.poll(); p.register(0, select.POLLIN); p.poll()";
        let mut child = python(script);
        assert_eq!(seen(&child, true), Some(true));
        let pid = rustix::process::Pid::from_child(&child);
        for signal in [rustix::process::Signal::STOP, rustix::process::Signal::CONT] {
            rustix::process::kill_process(pid, signal).unwrap();
            std::thread::sleep(Duration::from_millis(50));
        }
        let after = seen(&child, true);
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(after, Some(true));
    }

    /// Reads with a call of 32 bits, and needs no library.
    #[cfg(target_arch = "x86_64")]
    const SMALL: &str = r#"
void _start(void) {
    char byte; int result; struct { int fd; short events, back; } input = { 0, 1, 0 };
    __asm__ volatile("int $0x80" : "=a"(result) : CALL : "memory");
    __asm__ volatile("int $0x80" : : "a"(1), "b"(0));
}
"#;

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn a_program_of_32_bits_is_known_too() {
        let place = tempfile::tempdir().unwrap();
        let (source, program) = (place.path().join("small.c"), place.path().join("small"));
        fs::write(&source, SMALL).unwrap();
        for call in [r#""a"(3), "b"(0), "c"(&byte), "d"(1)"#, r#""a"(168), "b"(&input), "c"(1), "d"(-1)"#] {
            let made = Command::new("cc")
                .args(["-m32", "-nostdlib", "-static", "-fno-pie", "-no-pie", "-fno-stack-protector"])
                .arg(format!("-DCALL={call}"))
                .arg("-o")
                .args([&program, &source])
                .output();
            if !made.is_ok_and(|made| made.status.success()) {
                return eprintln!("not tried: a program of 32 bits: cc -m32 does not work here");
            }
            match Command::new(&program).stdin(Stdio::piped()).spawn() {
                Ok(child) => assert_seen(child, true, call),
                Err(why) => return eprintln!("not tried: a program of 32 bits: {why}"),
            }
        }
    }
}
