//! Attacks on memory, disk and cores, and looks at what an engine has no business to see. What was seen is told
//! on stderr, a line each, so that a test can read it there.

use std::fs::{self, File};
use std::io::{self, Write};
use std::net::{TcpStream, UdpSocket};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::time::Duration;

use rustix::fs::{CWD, FileType, MemfdFlags, Mode as Bits, OFlags, memfd_create, mkdirat, mknodat, openat};
use rustix::process::{Signal, getpid, getppid, kill_process, setsid};

use crate::honest::{Stub, burn, complain, idle};
use crate::life::report;
use crate::processes::{CHILD_LIFE, child, children};
use crate::sys;
use crate::{Mode, mode};

pub(crate) const MODES: &[Mode] = &[
    mode(
        "memory",
        "normal",
        "D01",
        "touches --mb (64) of memory and keeps it; a crash under a limit",
        memory,
    ),
    mode("memory-family", "normal", "D02", "the same, shared out among 8 children", memory_family),
    mode("memfd", "normal", "D03", "the same in a file that lives in memory", memfd),
    mode("reserve", "normal", "D04", "reserves 64 GiB of addresses and touches 10 MiB", reserve),
    mode("disk", "normal", "D06", "writes --mb (64) into a file, and a sparse one of 1 TiB", disk),
    mode(
        "files",
        "normal",
        "D07",
        "leaves --count (200) files, --depth (1100) directories, and traps",
        files,
    ),
    mode("keepsake", "normal", "D08", "leaves a file, and tells if one was there already", keepsake),
    mode("cores", "normal", "D09", "--count (8) threads burn for --ms (500) in its first turn", cores),
    mode("ponder", "normal", "D10", "burns a core in the other's time", ponder),
    mode(
        "ponder-helper",
        "normal",
        "D11",
        "a child in its own session burns and wakes its parent",
        ponder_helper,
    ),
    mode("hogs", "normal", "F09", "leaves --count (4) children burning for --ms (300) with every move", hogs),
    mode("neighbours", "normal", "E03", "counts the other processes it can see", neighbours),
    mode("look-around", "normal", "E04", "tries to list directories that are not its own", look_around),
    mode("environ", "normal", "E09", "prints its environment to stderr", environ),
    mode("fds", "normal", "E10", "prints its open files to stderr", fds),
    mode("network", "normal", "E13", "tries to make sockets, to itself only", network),
];

/// D01: the pages are written to, so they are really there.
fn memory(stub: &mut Stub) -> io::Result<()> {
    let mut kept = Vec::new();
    stub.play_after(|stub| {
        kept = touch(stub.options.number("mb", 64));
        Ok(())
    })?;
    std::hint::black_box(kept); // until the game is over
    Ok(())
}

fn touch(megabytes: u64) -> Vec<Vec<u8>> {
    (0..megabytes).map(|_| std::hint::black_box(vec![1; 1 << 20])).collect()
}

/// D02: no child has much.
fn memory_family(stub: &mut Stub) -> io::Result<()> {
    stub.play_after(|stub| {
        let each = stub.options.number("mb", 64) / 8;
        children(8, || {
            let kept = touch(each); // never dropped, as this child never comes back
            std::hint::black_box(&kept);
            idle();
        })
    })
}

/// D03: it belongs to no process's own memory.
fn memfd(stub: &mut Stub) -> io::Result<()> {
    let mut file = File::from(memfd_create("keep", MemfdFlags::CLOEXEC)?);
    stub.play_after(|stub| {
        for _ in 0..stub.options.number("mb", 64) {
            file.write_all(&vec![1; 1 << 20])?;
        }
        Ok(())
    })
}

/// D04: addresses are not memory, and must not be punished.
fn reserve(stub: &mut Stub) -> io::Result<()> {
    if let Err(why) = sys::reserve(64 << 30) {
        complain(format!("reserve: refused: {why}\n").as_bytes())?;
        std::process::exit(1);
    }
    let kept = touch(10);
    stub.play_on()?;
    std::hint::black_box(kept);
    Ok(())
}

/// D06
fn disk(stub: &mut Stub) -> io::Result<()> {
    stub.play_after(|stub| {
        report("sparse", File::create("sparse")?.set_len(1 << 40))?;
        let mut file = File::create("full")?;
        let block = vec![1; 1 << 20];
        let written = (0..stub.options.number("mb", 64)).try_for_each(|_| file.write_all(&block));
        report("full", written)
    })
}

/// D07: whoever cleans up must not follow, open, or go down by recursion. It is done after the first answer, as
/// it may take half a second.
fn files(stub: &mut Stub) -> io::Result<()> {
    if stub.turn()?.is_some() {
        stub.answer()?;
        report("many files", leave_many(stub.options.number("count", 200)))?;
        report("deep directories", leave_deep(stub.options.number("depth", 1100)))?;
        report("traps", leave_traps())?;
    }
    stub.play_on()
}

fn leave_many(count: u64) -> io::Result<()> {
    fs::create_dir("many")?;
    (0..count).try_for_each(|number| fs::write(format!("many/{number}"), b"litter\n"))
}

/// Each is made from within the one above, so the path may grow longer than any path that can be opened.
fn leave_deep(depth: u64) -> io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut here = openat(CWD, ".", flags, Bits::empty())?;
    for _ in 0..depth {
        mkdirat(&here, "deep", Bits::RWXU)?;
        here = openat(&here, "deep", flags, Bits::empty())?;
    }
    Ok(())
}

fn leave_traps() -> io::Result<()> {
    mknodat(CWD, "fifo", FileType::Fifo, Bits::RUSR | Bits::WUSR, 0)?;
    drop(UnixListener::bind("socket")?); // its name stays
    for (name, target) in [("root", "/"), ("above", ".."), ("self", "self"), ("nowhere", "/no/such/place")] {
        symlink(target, name)?;
    }
    fs::write("-rf", b"a name like an option\n")?;
    fs::write("two\nlines \u{1b}[31m", b"a name that is no line\n")?;
    fs::write(std::ffi::OsString::from_vec(b"no \xff text".to_vec()), b"a name that is no text\n")?;
    fs::hard_link("-rf", "second name")?;
    fs::create_dir("locked")?;
    fs::write("locked/inside", b"hard to reach\n")?;
    fs::set_permissions("locked/inside", fs::Permissions::from_mode(0o0))?;
    fs::set_permissions("locked", fs::Permissions::from_mode(0o0))
}

/// D08: a directory that was used before would give this away.
fn keepsake(stub: &mut Stub) -> io::Result<()> {
    report("keepsake of an earlier game", fs::read("keepsake"))?;
    fs::write("keepsake", b"I was here\n")?;
    stub.play_on()
}

/// D09
fn cores(stub: &mut Stub) -> io::Result<()> {
    stub.play_after(|stub| {
        let length = stub.ms(500);
        std::thread::scope(|scope| {
            for _ in 0..stub.options.number("count", 8).min(64) {
                scope.spawn(move || burn(length));
            }
        });
        Ok(())
    })
}

/// D10
fn ponder(stub: &mut Stub) -> io::Result<()> {
    std::thread::spawn(|| burn(CHILD_LIFE));
    stub.play_on()
}

/// D11: to freeze the parent alone does not help.
fn ponder_helper(stub: &mut Stub) -> io::Result<()> {
    let parent = getpid();
    child(|| {
        let _ = setsid(); // cannot fail in a fresh child
        // Once the parent is gone, its number may belong to somebody else.
        while getppid() == Some(parent) {
            burn(Duration::from_millis(10));
            let _ = kill_process(parent, Signal::CONT); // refused is as good: it goes on burning
        }
    });
    stub.play_on()
}

/// F09: the opponent thinks while they burn.
fn hogs(stub: &mut Stub) -> io::Result<()> {
    stub.play_with(|stub, text| {
        children(stub.options.number("count", 4).min(64), || burn(stub.ms(300)))?;
        crate::honest::say(text.as_bytes())
    })
}

/// E03
fn neighbours(stub: &mut Stub) -> io::Result<()> {
    let own = getpid().as_raw_nonzero().get();
    let numbers = fs::read_dir("/proc").into_iter().flatten().flatten();
    let others: Vec<i32> = numbers
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid| *pid != own)
        .collect();
    let readable = others.iter().filter(|pid| fs::read(format!("/proc/{pid}/environ")).is_ok()).count();
    complain(format!("processes: {}\nenvironments: {readable}\n", others.len()).as_bytes())?;
    stub.play_on()
}

/// E04
fn look_around(stub: &mut Stub) -> io::Result<()> {
    for place in ["..", "/", "/home", "/root", "/tmp", "/etc/ssh", "/proc/1/root"] {
        report(place, fs::read_dir(place))?;
    }
    report("/etc/shadow", File::open("/etc/shadow"))?;
    stub.play_on()
}

/// E09
fn environ(stub: &mut Stub) -> io::Result<()> {
    for (name, value) in std::env::vars_os() {
        complain(&[name.into_vec(), b"=".to_vec(), value.into_vec(), b"\n".to_vec()].concat())?;
    }
    stub.play_on()
}

/// E10
fn fds(stub: &mut Stub) -> io::Result<()> {
    let entries: Vec<_> = fs::read_dir("/proc/self/fd")?.flatten().map(|entry| entry.path()).collect();
    for path in entries {
        // The directory that was read for this is closed by now, and is not told.
        if let Ok(target) = fs::read_link(&path) {
            complain(format!("{} -> {}\n", path.display(), target.display()).as_bytes())?;
        }
    }
    stub.play_on()
}

/// E13
fn network(stub: &mut Stub) -> io::Result<()> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0");
    let address = listener.as_ref().ok().and_then(|listener| listener.local_addr().ok());
    report("tcp socket", listener.as_ref())?;
    if let Some(address) = address {
        report("tcp connection", TcpStream::connect_timeout(&address, Duration::from_millis(100)))?;
    }
    report("udp socket", UdpSocket::bind("127.0.0.1:0"))?;
    stub.play_on()
}
