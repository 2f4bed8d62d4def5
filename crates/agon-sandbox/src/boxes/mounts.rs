//! Builds the file system that an engine sees. It has the system and the places of the manifest,
//! read-only, and one writable directory of bounded size. The directory vanishes with the box.
//!
//! A place of the machine is made read-only before it hangs anywhere, and nothing here ever takes
//! that from a mount. Only a tmpfs of the box can be written to.
//!
//! Mounts are made before anything is given up, by a process that is alone in a mount namespace of
//! its own.

use std::ffi::{CStr, CString};
use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, openat, readlink, statat};
use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags, mount, mount_change,
    move_mount, open_tree, unmount,
};

use super::failure::{Failure, at};
use super::requests::BoxSpec;
use crate::places::{self, SYSTEM};

/// Where an engine is started in a box, with the files of the game.
pub(super) const OWN: &str = places::BOX;
/// How many files and directories can be made in a box.
pub(super) const INODES: u32 = 16384;

/// What programs need of /etc: where libraries lie, what time it is, which of several programs is
/// meant.
const ETC: [&str; 13] = [
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "alternatives",
    "localtime",
    "timezone",
    "os-release",
    "java-17-openjdk",
    "java-21-openjdk",
    "java-11-openjdk",
    "mono",
    "fpc.cfg",
    "fpc-3.2.2.cfg",
];
/// The devices there are.
pub(super) const DEVICES: [&str; 5] = ["null", "zero", "full", "random", "urandom"];
/// The links beside them.
pub(super) const DEVICE_LINKS: [(&str, &str); 5] =
    [("fd", "/proc/self/fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2"), ("shm", "/tmp")];

/// What is to be thought of the sockets in the places that a box shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sockets {
    /// They are there by name only: behind them is nobody.
    Veiled,
    /// A program behind one would be reached.
    Open,
}

/// What every mount of a place of the machine has, from before it hangs anywhere.
const HELD: u64 = libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV;

/// Makes the new root and goes into it; nothing of the old root is left.
pub(super) fn build(spec: &BoxSpec) -> Result<Sockets, Failure> {
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)
        .map_err(at("making mounts private"))?;
    // Opened first: the new root is going to lie over it.
    let directory = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let files = openat(CWD, spec.files.as_c_str(), directory, Mode::empty())
        .map_err(at("opening the engine's directory"))?;
    let shown = open_shown(spec)?;
    let devices: Vec<(PathBuf, OwnedFd)> = DEVICES
        .iter()
        .map(|name| {
            let path = Path::new("/dev").join(name);
            let held = libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID;
            tree(&path, held).map(|tree| (path, tree)).map_err(at("opening a device"))
        })
        .collect::<Result<_, _>>()?;
    let quiet = MountFlags::NOSUID | MountFlags::NODEV;
    mount("root", spec.files.as_c_str(), "tmpfs", quiet, c"size=4m,nr_inodes=16384,mode=755")
        .map_err(at("mounting the root"))?;
    std::env::set_current_dir(as_path(&spec.files)).map_err(at("entering the root"))?;
    furnish(spec)?;
    let size = CString::new(format!("size={},nr_inodes={INODES},mode=1777", spec.size))
        .expect("numbers hold no NUL");
    mount("tmp", "tmp", "tmpfs", quiet, size.as_c_str()).map_err(at("mounting /tmp"))?;
    let mut sockets = Sockets::Veiled;
    for Shown { path, source } in &shown {
        let hung = hang(path, source).map_err(|error| format!("showing {}: {error}", path.display()))?;
        if hung == Sockets::Open {
            sockets = Sockets::Open;
        }
    }
    // The root alone: what hangs in it has been read-only all the time, and /tmp is to be written.
    let here = openat(CWD, ".", OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
        .map_err(at("making the root read-only"))?;
    set_attributes(here.as_fd(), HELD, false).map_err(at("making the root read-only"))?;
    for (path, tree) in &devices {
        attach(tree.as_fd(), path).map_err(at("placing a device"))?;
    }
    mount("proc", "proc", "proc", quiet | MountFlags::NOEXEC, None).map_err(at("mounting /proc"))?;
    bring(&files, spec.identity).map_err(at("copying the files of the game"))?;
    rustix::process::pivot_root(".", ".").map_err(at("changing the root"))?;
    unmount(".", UnmountFlags::DETACH).map_err(at("leaving the old root"))?;
    std::env::set_current_dir("/").map_err(at("entering the new root"))?;
    Ok(sockets)
}

/// A copy of the mounts at a path, which hangs nowhere yet and has these attributes already.
fn tree(path: &Path, held: u64) -> io::Result<OwnedFd> {
    let flags =
        OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC | OpenTreeFlags::AT_RECURSIVE;
    let tree = open_tree(CWD, path, flags)?;
    set_attributes(tree.as_fd(), held, true)?;
    Ok(tree)
}

/// Asks of everything of the system where it leads to, which is an error for what is no link and
/// for what is not there.
fn optional<T>(pick: impl Fn(PathBuf, rustix::io::Result<CString>) -> Option<T>) -> Vec<T> {
    let system = SYSTEM.iter().map(PathBuf::from);
    let all = system.chain(ETC.iter().map(|name| Path::new("/etc").join(name)));
    all.filter_map(|path| pick(path.clone(), readlink(&path, Vec::new()))).collect()
}

/// Everything that is shown and is there, in an order in which no one hides another.
pub(super) fn shown(spec: &BoxSpec) -> Vec<PathBuf> {
    let mut paths = optional(|path, looked| looked.is_err_and(|error| error == Errno::INVAL).then_some(path));
    let own: Vec<PathBuf> = spec.shown.iter().map(|path| as_path(path).to_owned()).collect();
    // What lies in a system directory is shown already.
    own.into_iter().for_each(|path| {
        if !paths.iter().any(|other| path.starts_with(other)) {
            paths.push(path);
        }
    });
    paths.sort();
    paths
}

/// A place of the machine that a box shows.
struct Shown {
    path: PathBuf,
    source: ShownSource,
}

/// How it is shown.
enum ShownSource {
    /// By a copy of its mount: a single file.
    Tree(OwnedFd),
    /// A directory, also of the system. There may be sockets in it, and a read-only mount keeps
    /// nobody from connecting.
    Directory {
        /// The directory itself.
        directory: OwnedFd,
        /// The same as a copy of its mount, for where it cannot be veiled.
        tree: OwnedFd,
    },
}

fn open_shown(spec: &BoxSpec) -> Result<Vec<Shown>, Failure> {
    let open = |path: PathBuf| -> Result<Shown, Failure> {
        if let Some(why) = places::why_not_shown(&path) {
            return Err(format!("opening {}: it {why}", path.display()));
        }
        let failed = |error: io::Error| format!("opening {}: {error}", path.display());
        let tree = tree(&path, HELD).map_err(failed)?;
        let kind = statat(&tree, "", AtFlags::EMPTY_PATH).map_err(|error| failed(error.into()))?.st_mode;
        let source = match kind & libc::S_IFMT {
            libc::S_IFDIR => {
                let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
                let directory =
                    openat(CWD, &path, flags, Mode::empty()).map_err(|error| failed(error.into()))?;
                ShownSource::Directory { directory, tree }
            }
            libc::S_IFSOCK => return Err(format!("opening {}: it is a socket", path.display())),
            _ => ShownSource::Tree(tree),
        };
        Ok(Shown { path, source })
    };
    let mut places = shown(spec);
    // A veil has only the file system of its directory.
    let mounted = fs::read_to_string("/proc/self/mountinfo").map_err(at("reading the mounts"))?;
    places.extend(mounts_of_system(&mounted));
    places.sort();
    places.dedup();
    places.into_iter().map(open).collect()
}

/// What is mounted below the directories of the system, by the lines of `mountinfo`.
fn mounts_of_system(lines: &str) -> impl Iterator<Item = PathBuf> {
    let paths = lines.lines().filter_map(|line| line.split(' ').nth(4)).map(unescaped);
    let is_below =
        |path: &PathBuf| SYSTEM.iter().any(|system| path.starts_with(system) && path != Path::new(system));
    // One that lies under another mount is not there.
    paths.filter(is_below).filter(|path| path.exists())
}

/// A path as `mountinfo` writes it, where blanks are `\040`.
fn unescaped(text: &str) -> PathBuf {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let digits =
            after.get(..3).filter(|_| *first == b'\\').and_then(|three| std::str::from_utf8(three).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[3..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    PathBuf::from(std::ffi::OsString::from_vec(bytes))
}

/// What every box shows besides its manifest, and whether it can be written to.
pub fn of_every_box() -> Vec<(PathBuf, bool)> {
    let system = optional(|path, looked| {
        let is_there = !matches!(looked, Err(Errno::NOENT | Errno::NOTDIR));
        is_there.then_some((path, false))
    });
    let own = [("/dev", false), ("/proc", false), ("/tmp", true)];
    system.into_iter().chain(own.map(|(path, writes)| (PathBuf::from(path), writes))).collect()
}

/// What of the system is a link, and where to.
pub(super) fn links() -> Vec<(PathBuf, PathBuf)> {
    optional(|path, looked| {
        let to = PathBuf::from(std::ffi::OsString::from_vec(looked.ok()?.into_bytes()));
        Some((path, to))
    })
}

/// The small files of the new root: path from there, and text.
pub(super) fn small_files(spec: &BoxSpec) -> [(&'static str, String); 4] {
    let user = spec.identity.unwrap_or_else(|| rustix::process::getuid().as_raw());
    let group = spec.identity.unwrap_or_else(|| rustix::process::getgid().as_raw());
    [
        ("etc/passwd", format!("engine:x:{user}:{group}::{OWN}:/bin/sh\n")),
        ("etc/group", format!("engine:x:{group}:\n")),
        ("etc/hosts", "127.0.0.1 localhost\n".to_owned()),
        ("etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n".to_owned()),
    ]
}

/// Makes the directories, links and small files of the new root, which is the current directory.
fn furnish(spec: &BoxSpec) -> Result<(), Failure> {
    let made = || -> io::Result<()> {
        for directory in ["proc", "dev", "tmp", "etc"] {
            fs::create_dir(directory)?;
        }
        for (path, to) in links() {
            std::os::unix::fs::symlink(to, inside(&path))?;
        }
        for (link, to) in DEVICE_LINKS {
            std::os::unix::fs::symlink(to, Path::new("dev").join(link))?;
        }
        for name in DEVICES {
            fs::write(Path::new("dev").join(name), "")?;
        }
        small_files(spec).iter().try_for_each(|(path, text)| fs::write(path, text))
    };
    made().map_err(at("furnishing the root"))
}

/// The path seen from the current directory, which is the new root.
fn inside(path: &Path) -> PathBuf {
    path.strip_prefix("/").unwrap_or(path).to_owned()
}

/// Makes the place for something that is shown, and hangs it there.
fn hang(path: &Path, source: &ShownSource) -> io::Result<Sockets> {
    let here = inside(path);
    let (tree, is_directory) = match source {
        ShownSource::Tree(tree) => {
            let mode = statat(tree, "", AtFlags::EMPTY_PATH)?.st_mode;
            (tree, mode & libc::S_IFMT == libc::S_IFDIR)
        }
        ShownSource::Directory { tree, .. } => (tree, true),
    };
    if is_directory {
        fs::create_dir_all(&here)?;
    } else {
        if let Some(parent) = here.parent() {
            fs::create_dir_all(parent)?;
        }
        // There already if the directory above is shown as well.
        if !here.exists() {
            fs::write(&here, "")?;
        }
    }
    match source {
        ShownSource::Directory { directory, .. } if veil(directory, &here).is_ok() => {
            return Ok(Sockets::Veiled);
        }
        ShownSource::Directory { .. } => attach(tree.as_fd(), path)?,
        ShownSource::Tree(_) => {
            attach(tree.as_fd(), path)?;
            return Ok(Sockets::Veiled);
        }
    }
    Ok(Sockets::Open)
}

/// Hangs a directory somewhere as an overlay of itself and of an empty directory.
///
/// The files of an overlay are files of its own, whose bytes come from below. A socket is found by
/// its file, and nobody listens at this one. Two layers without one to write to are read-only.
fn veil(directory: &OwnedFd, here: &Path) -> io::Result<()> {
    let empty = "proc"; // until /proc is mounted there
    let layers = format!("lowerdir=/proc/self/fd/{}:{empty}", directory.as_raw_fd());
    let layers = CString::new(layers).expect("numbers hold no NUL");
    let flags = MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV;
    Ok(mount("shown", here, "overlay", flags, layers.as_c_str())?)
}

fn attach(tree: BorrowedFd<'_>, path: &Path) -> rustix::io::Result<()> {
    move_mount(tree, "", CWD, inside(path), MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)
}

/// Gives attributes to a mount, or to all below it too. None is ever taken.
fn set_attributes(mount: BorrowedFd<'_>, set: u64, all: bool) -> io::Result<()> {
    let attributes = libc::mount_attr { attr_set: set, attr_clr: 0, propagation: 0, userns_fd: 0 };
    let flags = libc::AT_EMPTY_PATH | if all { libc::AT_RECURSIVE } else { 0 };
    // SAFETY: the structure has the size that is given, and lives through the call.
    let done = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            mount.as_raw_fd(),
            c"".as_ptr(),
            flags,
            &raw const attributes,
            size_of::<libc::mount_attr>(),
        )
    };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Copies the files of the game into the engine's own directory, and gives them to it.
pub(super) fn bring(files: &OwnedFd, identity: Option<u32>) -> io::Result<()> {
    bring_into(files, &inside(Path::new(OWN)), identity)
}

/// Copies the files and folders of a directory to a new one. Links are left out.
fn bring_into(files: &OwnedFd, own: &Path, identity: Option<u32>) -> io::Result<()> {
    fs::create_dir(own)?;
    let give = |path: &Path| match identity {
        Some(id) => std::os::unix::fs::chown(path, Some(id), Some(id)),
        None => Ok(()),
    };
    give(own)?;
    for entry in Dir::read_from(files)? {
        let entry = entry?;
        let name = entry.file_name();
        let to = own.join(std::ffi::OsStr::from_bytes(name.to_bytes()));
        let open = |more| {
            openat(files, name, OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | more, Mode::empty())
        };
        match entry.file_type() {
            FileType::RegularFile => {
                io::copy(&mut fs::File::from(open(OFlags::empty())?), &mut fs::File::create(&to)?)?;
                give(&to)?;
            }
            FileType::Directory if ![c".", c".."].contains(&name) => {
                bring_into(&open(OFlags::DIRECTORY)?, &to, identity)?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn as_path(path: &CStr) -> &Path {
    Path::new(std::ffi::OsStr::from_bytes(path.to_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mounts_below_the_system_are_shown_for_themselves() {
        let lines = "22 27 0:21 / /proc rw - proc proc rw\n27 1 254:0 / / rw - ext4 /dev/vda rw\n\
                     28 27 0:3 / /usr rw - ext4 x rw\n29 28 0:3 / /usr/bin rw - ext4 x rw\n\
                     30 28 0:3 / /usr/no/such/place rw - ext4 x rw\n31 27 0:3 / /usrx rw - ext4 x rw\n";
        assert_eq!(mounts_of_system(lines).collect::<Vec<_>>(), [Path::new("/usr/bin")]);
        assert_eq!(unescaped("/a\\040b\\134c\\x"), Path::new("/a b\\c\\x"));
    }
}
