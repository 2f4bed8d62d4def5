//! Attacks on the disk: too much in one file or in many, files that are hard to remove, and files
//! left for the next game.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;

use rustix::fs::{CWD, FileType, Mode as Bits, OFlags, mkdirat, mknodat, openat};

use crate::attacks::honest::Stub;
use crate::attacks::tried::{given, not_tried, tell};
use crate::attacks::{Level, Mode, mode, sys};

pub(crate) const MODES: &[Mode] = &[
    mode("disk", "normal", "D06", "writes --mb (64) into a file", disk)
        .later(&[(Level::Limits, "crash"), (Level::Sandbox, "normal")])
        .blocked(Level::Limits),
    mode("disk-in-parts", "normal", "D06", "writes --mb (64) into files of 1 MiB", disk_in_parts)
        .blocked(Level::Sandbox),
    mode("many-files", "normal", "D06", "makes --count (20000) files", many_files).blocked(Level::Sandbox),
    mode("sparse", "normal", "D06", "a file of 1 TiB without anything in it", sparse)
        .later(&[(Level::Limits, "crash")])
        .blocked(Level::Limits),
    mode(
        "files",
        "normal",
        "D07",
        "leaves --count (200) files, --depth (1100) directories, and traps",
        files,
    ),
    mode("devices", "normal", "D07", "makes a device of its own", devices).blocked(Level::Sandbox),
    mode("immutable", "normal", "D07", "leaves a file that cannot be removed", immutable)
        .blocked(Level::Sandbox),
    mode(
        "keepsake",
        "normal",
        "D08",
        "leaves things in many places, and looks for those of before",
        keepsake,
    )
    .blocked(Level::Sandbox),
];

/// D06: a process that exceeds its own limit is ended by a signal.
fn disk(stub: &mut Stub) -> io::Result<()> {
    stub.play_after(|stub| {
        let block = vec![1; 1 << 20];
        let mut file = File::create("full")?;
        let written = (0..stub.options.number("mb", 64).min(1024)).try_for_each(|_| file.write_all(&block));
        tell("D06", "one file", written)
    })
}

/// D06: none of them is large.
fn disk_in_parts(stub: &mut Stub) -> io::Result<()> {
    stub.play_after(|stub| {
        let block = vec![1; 1 << 20];
        let parts = stub.options.number("mb", 64).min(1024);
        tell(
            "D06",
            "many files of 1 MiB",
            (0..parts).try_for_each(|part| fs::write(format!("part-{part}"), &block)),
        )
    })
}

/// D06: after the first answer, as it takes a while.
fn many_files(stub: &mut Stub) -> io::Result<()> {
    if stub.turn()?.is_some() {
        stub.answer()?;
        tell("D06", "number of files", leave_many(stub.options.number("count", 20_000).min(100_000)))?;
    }
    stub.play_on()
}

/// D06: it uses no space on the disk, so a limit on written bytes does not see it.
fn sparse(stub: &mut Stub) -> io::Result<()> {
    stub.play_after(|_| tell("D06", "sparse file", File::create("sparse")?.set_len(1 << 40)))
}

/// D07: the removal must not follow links, open the files, or use recursion. Done after the first
/// answer, as it may take half a second.
fn files(stub: &mut Stub) -> io::Result<()> {
    if stub.turn()?.is_some() {
        stub.answer()?;
        tell("D07", "many files", leave_many(stub.options.number("count", 200)))?;
        tell("D07", "deep directories", leave_deep(stub.options.number("depth", 1100)))?;
        tell("D07", "traps", leave_traps())?;
    }
    stub.play_on()
}

fn leave_many(count: u64) -> io::Result<()> {
    fs::create_dir("many")?;
    (0..count).try_for_each(|number| fs::write(format!("many/{number}"), b"litter\n"))
}

/// Each is made from within the one above, so the path may grow too long to be opened.
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

/// D07: the device is /dev/null, but any other could be made in the same way.
fn devices(stub: &mut Stub) -> io::Result<()> {
    let null = rustix::fs::makedev(1, 3);
    tell("D07", "device", mknodat(CWD, "device", FileType::CharacterDevice, Bits::RUSR, null))?;
    stub.play_on()
}

/// D07
fn immutable(stub: &mut Stub) -> io::Result<()> {
    let file = File::create("for ever")?;
    tell("D07", "immutable file", sys::set_immutable(&file, true))?;
    stub.play_on()
}

/// D08: the next game finds the files, unless each game has its own places.
fn keepsake(stub: &mut Stub) -> io::Result<()> {
    let Ok(token) = given("TOKEN") else {
        not_tried("D08", "a name for what is left is not given")?;
        return stub.play_on();
    };
    let places = ["./", "/tmp/", "/var/tmp/", "/dev/shm/"];
    for place in places {
        tell("D08", &format!("keepsake in {place}"), fs::read(format!("{place}keepsake-{token}")))?;
    }
    // Written afterwards: in a box, some of them are the same place.
    for place in places {
        let _ = fs::write(format!("{place}keepsake-{token}"), b"I was here\n"); // not everywhere
    }
    tell("D08", "keepsake among the user's keys", keys(&token))?;
    stub.play_on()
}

/// Looks for a key with this name, and leaves one that expires after two minutes.
#[allow(unsafe_code)]
fn keys(token: &str) -> io::Result<()> {
    /// The keyring of the user, in any session.
    const OF_THE_USER: i32 = -4;
    let name = std::ffi::CString::new(token).map_err(io::Error::other)?;
    let (kind, ring) = (c"user".as_ptr() as usize, OF_THE_USER as usize);
    let length = token.len();
    // SAFETY: the strings live through the calls, which only read them; the rest are numbers.
    unsafe {
        let search = libc::KEYCTL_SEARCH as usize;
        let found = sys::call(libc::SYS_keyctl, [search, ring, kind, name.as_ptr() as usize, 0]);
        if found.is_err() {
            let key = sys::call(
                libc::SYS_add_key,
                [kind, name.as_ptr() as usize, name.as_ptr() as usize, length, ring],
            )?;
            let timeout = libc::KEYCTL_SET_TIMEOUT as usize;
            sys::call(libc::SYS_keyctl, [timeout, usize::try_from(key).unwrap_or(0), 120, 0, 0])?;
        }
        found.map(|_| ())
    }
}
