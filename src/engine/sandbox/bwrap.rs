//! The second way into a box: bubblewrap makes the namespaces and the mounts, for systems whose policy lets only that
//! program do so. What is in the box is the same: agon's own warden as process 1, and all that it and the engine give up.

use std::ffi::{CStr, CString, OsStr};
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio, exit};
use std::sync::OnceLock;

use rustix::fs::{CWD, MemfdFlags, Mode, OFlags, memfd_create, openat};
use rustix::mount::{MountFlags, mount_remount};
use rustix::pipe::{PipeFlags, pipe_with};

use super::doors::Doors;
use super::helper::{self, FAILED, SOCKET};
use super::orders::{Home, Order, Wrapper};
use super::rights::{self, check};
use super::room::{self, at};
use crate::config::{Backend, Confinement};
use crate::engine::program;

/// The first argument of a warden that bubblewrap has started. Nobody types it.
pub(super) const NAME: &str = "\u{1}warden";
/// The first argument of a process that finds out what policy leaves to those that bubblewrap starts.
pub(super) const MAY: &str = "\u{1}may";
/// What to do where there is no bubblewrap, or none that will do.
pub(super) const INSTALL: &str =
    "install bubblewrap 0.7 or newer: apt-get install bubblewrap, dnf install bubblewrap, or the like";

/// What the warden finds beside its socket: the engine's pipes, the directory with the files of the game, agon, the
/// order, and where to say how the engine ended.
const STDIN: RawFd = 4;
const STDOUT: RawFd = 5;
const STDERR: RawFd = 6;
const FILES: RawFd = 7;
const AGON: RawFd = 8;
const ORDER: RawFd = 9;
const STATUS: RawFd = 10;
/// The door to the engine's control group, at the level that has one.
const DOOR: RawFd = 11;
/// Where bubblewrap finds the small files of /etc.
const ETC: RawFd = 12;
/// Above all of these.
const ABOVE: RawFd = 32;
/// What lets a warden count the files of a box, and give that right up again.
const RIGHTS: [&CStr; 4] = [c"--cap-add", c"CAP_SYS_ADMIN", c"--cap-add", c"CAP_SETPCAP"];

/// The bubblewrap of this machine.
pub(super) struct Here {
    program: PathBuf,
    version: String,
    /// Whether what it starts may be given the right to cap the number of files.
    caps_files: bool,
}

/// Looks for it, once.
///
/// # Errors
/// It is not there, or does not tell its version, in words.
pub(super) fn here() -> Result<&'static Here, String> {
    static HERE: OnceLock<Result<Here, String>> = OnceLock::new();
    let found = HERE.get_or_init(|| {
        let program = program::find(Path::new("bwrap"))
            .map_err(|_| "bubblewrap is not on this machine (no bwrap in PATH)".to_owned())?;
        let said = Command::new(&program).arg("--version").stdin(Stdio::null()).output();
        let said = said.map_err(|error| format!("{}: {error}", program.display()))?;
        let said = String::from_utf8_lossy(&said.stdout).into_owned();
        let version = said.trim().strip_prefix("bubblewrap ").map(str::to_owned);
        let version = version.ok_or_else(|| format!("{} is no bubblewrap", program.display()))?;
        let caps_files = caps_files(&program);
        Ok(Here { program, version, caps_files })
    });
    found.as_ref().map_err(Clone::clone)
}

/// What the harness puts into an order for it; nothing where the box is agon's own.
pub(super) fn wrapper(confinement: &Confinement) -> Result<Option<Wrapper>, String> {
    if confinement.backend != Backend::Bwrap || !confinement.level.is_boxed() {
        return Ok(None);
    }
    let here = here()?;
    let program = CString::new(here.program.as_os_str().as_bytes()).map_err(|error| error.to_string())?;
    Ok(Some(Wrapper { program, caps_files: here.caps_files }))
}

/// What is in force because of it, in words.
pub(super) fn in_force() -> Vec<String> {
    let Ok(here) = here() else { return Vec::new() }; // whoever asks has begun no game
    let mut all = vec![format!("bwrap {}", here.version)];
    if !here.caps_files {
        all.push("number of files not limited".to_owned());
    }
    all
}

/// Whether process 1 of a box may change the mount that engines write to. A policy may keep that from whatever
/// bubblewrap starts.
fn caps_files(program: &Path) -> bool {
    let mut command = Command::new(program);
    command.args([
        "--unshare-pid",
        "--unshare-net",
        "--as-pid-1",
        "--die-with-parent",
        "--ro-bind",
        "/",
        "/",
    ]);
    if !rustix::process::geteuid().is_root() {
        command.arg("--unshare-user");
    }
    command.args(RIGHTS.map(|word| OsStr::from_bytes(word.to_bytes())));
    command.args(["--tmpfs", "/tmp", "--proc", "/proc", "--"]);
    let Ok(own) = std::env::current_exe() else { return false };
    // Its own file may lie below what /tmp now hides.
    let Ok(file) = File::open(own) else { return false };
    let Ok(file) = rustix::io::dup(&file) else { return false };
    let done = command
        .arg(format!("/proc/self/fd/{}", file.as_raw_fd()))
        .arg(MAY)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    done.is_ok_and(|status| status.success())
}

/// The part of the process that tries it.
pub(super) fn may() -> ! {
    let done = cap_files(4096).map_err(at("")).and_then(|()| rights::drop_capabilities().map_err(at("")));
    exit(if done.is_ok() { 0 } else { 1 })
}

/// Limits how many files there can be in the place that engines write to.
fn cap_files(size: u64) -> rustix::io::Result<()> {
    let options =
        CString::new(format!("size={size},nr_inodes={}", room::INODES)).expect("numbers hold no NUL");
    mount_remount("/tmp", MountFlags::NOSUID | MountFlags::NODEV, options.as_c_str())
}

/// The process outside of the box: starts bubblewrap and waits for it. Gives its number, where the warden will say
/// how the engine ended, and where bubblewrap says what it has to complain about.
pub(super) fn wrap(
    order: &Order,
    home: &Home,
    wrapper: &Wrapper,
    doors: Option<&Doors>,
) -> Result<(i32, File, File), String> {
    let (status, theirs) = pipe_with(PipeFlags::CLOEXEC).map_err(at("making a pipe"))?;
    let (complaints, complaint) = pipe_with(PipeFlags::CLOEXEC).map_err(at("making a pipe"))?;
    let etc = room::small_files(home);
    let arguments = arguments(home, wrapper, &etc);
    let mut given =
        given(order, home, &theirs, &complaint, &etc).map_err(at("making files for bubblewrap"))?;
    if let Some(doors) = doors {
        given.push((high_copy(doors.engine.as_raw_fd()).map_err(at("making files for bubblewrap"))?, DOOR));
    }
    // SAFETY: this process has one thread, so the child may do whatever it likes.
    let child = unsafe { libc::fork() };
    check(child).map_err(at("starting bubblewrap"))?;
    if child == 0 {
        let error = become_it(wrapper, &arguments, &given, doors);
        let _ = writeln!(io::stderr(), "it cannot be started: {error}"); // nobody else to tell
        exit(FAILED);
    }
    Ok((child, File::from(status), File::from(complaints)))
}

/// Only comes back with the error.
fn become_it(
    wrapper: &Wrapper,
    arguments: &[CString],
    given: &[(OwnedFd, RawFd)],
    doors: Option<&Doors>,
) -> io::Error {
    let ready = || -> io::Result<()> {
        rights::die_with_parent()?;
        doors.map_or(Ok(()), Doors::enter)?;
        // Its own process outside of the box must not hold the engine's pipes.
        helper::let_go_of_pipes()?;
        for (from, to) in given {
            // SAFETY: two numbers; nobody in this process uses the second any more.
            check(unsafe { libc::dup2(from.as_raw_fd(), *to) })?;
        }
        Ok(())
    };
    match ready() {
        Ok(()) => helper::execute(&wrapper.program, arguments, &[]),
        Err(error) => error,
    }
}

/// What is handed on, and as which descriptor.
fn given(
    order: &Order,
    home: &Home,
    status: &OwnedFd,
    complaint: &OwnedFd,
    etc: &[(&str, String)],
) -> io::Result<Vec<(OwnedFd, RawFd)>> {
    let mut given = Vec::new();
    let mut give = |from: RawFd, to: RawFd| -> io::Result<()> {
        given.push((high_copy(from)?, to));
        Ok(())
    };
    for (from, to) in [(0, STDIN), (1, STDOUT), (2, STDERR), (SOCKET, SOCKET)] {
        give(from, to)?;
    }
    let directory = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    give(openat(CWD, home.files.as_c_str(), directory, Mode::empty())?.as_raw_fd(), FILES)?;
    let own = rustix::fs::open("/proc/self/exe", OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
    give(own.as_raw_fd(), AGON)?;
    give(memory(&serde_json::to_vec(order)?)?.as_raw_fd(), ORDER)?;
    give(status.as_raw_fd(), STATUS)?;
    give(complaint.as_raw_fd(), 2)?;
    for ((_, text), to) in etc.iter().zip(ETC..) {
        give(memory(text.as_bytes())?.as_raw_fd(), to)?;
    }
    Ok(given)
}

/// A second descriptor of the same, above all that bubblewrap is told of.
fn high_copy(of: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: a number, of which a second one is made that is nobody else's.
    let copy = unsafe { libc::fcntl(of, libc::F_DUPFD_CLOEXEC, ABOVE) };
    check(copy)?;
    // SAFETY: as above.
    Ok(unsafe { OwnedFd::from_raw_fd(copy) })
}

/// A file that lies nowhere.
fn memory(text: &[u8]) -> io::Result<File> {
    let mut file = File::from(memfd_create("agon", MemfdFlags::CLOEXEC)?);
    file.write_all(text)?;
    file.rewind()?;
    Ok(file)
}

/// The same box that agon makes itself, as bubblewrap is told of it.
fn arguments(home: &Home, wrapper: &Wrapper, etc: &[(&str, String)]) -> Vec<CString> {
    let mut all = Vec::new();
    let mut add = |words: &[&[u8]]| {
        all.extend(words.iter().map(|word| CString::new(*word).expect("paths and options hold no NUL")));
    };
    add(&[
        b"bwrap",
        b"--unshare-pid",
        b"--unshare-net",
        b"--unshare-ipc",
        b"--unshare-uts",
        b"--unshare-cgroup",
    ]);
    add(&[b"--hostname", b"box", b"--die-with-parent", b"--as-pid-1"]);
    if home.identity.is_some() {
        // Root's warden needs all that is root's to make the engine somebody else.
        add(&[b"--cap-add", b"ALL"]);
    } else {
        add(&[b"--unshare-user"]);
        if wrapper.caps_files {
            add(&RIGHTS.map(CStr::to_bytes));
        }
    }
    add(&[b"--size", home.size.to_string().as_bytes(), b"--perms", b"1777", b"--tmpfs", b"/tmp"]);
    add(&[b"--perms", b"0755", b"--dir", b"/etc"]);
    for (path, to) in room::links() {
        add(&[b"--symlink", to.as_os_str().as_bytes(), path.as_os_str().as_bytes()]);
    }
    let shown = room::shown(home);
    for path in &shown {
        // Made by itself, a directory above would be its owner's alone.
        let above: Vec<&Path> = path.ancestors().skip(1).collect();
        for directory in above.into_iter().rev().skip(1) {
            if directory != Path::new("/tmp") && !shown.iter().any(|other| directory.starts_with(other)) {
                add(&[b"--perms", b"0755", b"--dir", directory.as_os_str().as_bytes()]);
            }
        }
        let path = path.as_os_str().as_bytes();
        add(&[b"--ro-bind", path, path]);
    }
    add(&[b"--proc", b"/proc", b"--perms", b"0755", b"--dir", b"/dev"]);
    for name in room::DEVICES {
        let path = format!("/dev/{name}");
        add(&[b"--dev-bind", path.as_bytes(), path.as_bytes()]);
    }
    for (link, to) in room::DEVICE_LINKS {
        add(&[b"--symlink", to.as_bytes(), format!("/dev/{link}").as_bytes()]);
    }
    for ((path, _), fd) in etc.iter().zip(ETC..) {
        add(&[b"--perms", b"0644", b"--file", fd.to_string().as_bytes(), format!("/{path}").as_bytes()]);
    }
    add(&[b"--remount-ro", b"/", b"--", format!("/proc/self/fd/{AGON}").as_bytes(), NAME.as_bytes()]);
    all
}

/// What it complained about, in words.
pub(super) fn complaint(mut from: File) -> Option<String> {
    let mut said = Vec::new();
    let _ = from.read_to_end(&mut said); // what cannot be read is no complaint
    let said = String::from_utf8_lossy(&said);
    let said = said.trim();
    (!said.is_empty()).then(|| format!("bubblewrap: {}", said.strip_prefix("bwrap: ").unwrap_or(said)))
}

/// Becomes the warden of a box that bubblewrap has made.
pub(super) fn help() -> ! {
    // SAFETY: whoever starts this leaves each of them there, and nobody else here has them.
    let taken = |fd| unsafe { OwnedFd::from_raw_fd(fd) };
    let mut order = Vec::new();
    let read = File::from(taken(ORDER)).read_to_end(&mut order);
    let Ok(order) = read.map_err(io::Error::other).and_then(|_| Ok(serde_json::from_slice::<Order>(&order)?))
    else {
        exit(FAILED)
    };
    let home = &order.home;
    let files = taken(FILES);
    let door = home.groups.as_ref().map(|_| File::from(taken(DOOR)));
    drop(taken(AGON));
    let furnish = || -> Result<(), String> {
        for (fd, to) in [(STDIN, 0), (STDOUT, 1), (STDERR, 2)] {
            let pipe = taken(fd);
            // SAFETY: two numbers; the standard descriptors are nobody's in this process.
            check(unsafe { libc::dup2(pipe.as_raw_fd(), to) }).map_err(at("taking the engine's pipes"))?;
        }
        if home.wrapper.as_ref().is_some_and(|wrapper| wrapper.caps_files) {
            cap_files(home.size).map_err(at("limiting the number of files"))?;
        }
        std::env::set_current_dir("/").map_err(at("entering the new root"))?;
        room::bring(&files, home.identity).map_err(at("copying the files of the game"))
    };
    let socket = UnixStream::from(taken(SOCKET));
    helper::be_warden(&order, home, &socket, File::from(taken(STATUS)), door.as_ref(), furnish)
}
