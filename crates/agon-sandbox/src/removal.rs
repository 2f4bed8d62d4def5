//! The removal of directories, with anything that programs have left in them.
//!
//! It follows no link and opens no FIFO. A nested directory is moved up to the top and emptied
//! there, so depth costs neither stack nor descriptors.

use std::ffi::{CStr, CString};
use std::fs;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, chmodat, fchmod, openat, renameat, statat, unlinkat,
};
use rustix::io::Errno;

use crate::system;

/// The longest time for one removal. A slow disk needs time; a process that escaped the kill could
/// make files for ever.
const BOUND: Duration = Duration::from_secs(60);
/// How many names are read before they are removed: the memory might not hold all of them.
const AT_ONCE: usize = 10_000;

/// Removes a directory and everything in it, as far as the system permits. The rest stays among the
/// system's temporary files and harms no game.
pub fn remove(path: &Path) {
    if fs::remove_dir(path).is_ok() {
        return;
    }
    let _ = open_dir(path).and_then(|top| empty(&top)); // what stays does no harm
    let _ = fs::remove_dir(path); // what stays does no harm
}

/// Removes everything in a directory, as far as the system permits.
pub(crate) fn empty(top: &OwnedFd) -> Result<(), Errno> {
    let until = Instant::now() + BOUND;
    let mut moved = 0u64;
    let _ = fchmod(top, Mode::RWXU); // it may be open already
    system::unseal(top);
    loop {
        let mut progress = false;
        let names: Vec<CString> = Dir::read_from(top)?
            .filter_map(|entry| entry.ok().map(|entry| entry.file_name().to_owned()))
            .filter(|name| !matches!(name.as_bytes(), b"." | b".."))
            .take(AT_ONCE)
            .collect();
        for name in &names {
            if Instant::now() > until {
                return Err(Errno::TIMEDOUT);
            }
            match unlink(top, name) {
                Err(Errno::ISDIR | Errno::PERM | Errno::ACCESS) => {}
                unlinked => {
                    progress |= unlinked.is_ok();
                    continue;
                }
            }
            if unlinkat(top, name.as_c_str(), AtFlags::REMOVEDIR).is_ok() {
                progress = true;
                continue;
            }
            // A directory that is not empty: its contents move up here, then it is removed.
            let Ok(inner) = enter(top, name) else { continue };
            progress |= raise(&inner, top, &mut moved)?;
            progress |= unlinkat(top, name.as_c_str(), AtFlags::REMOVEDIR).is_ok(); // or in the next round
        }
        if !progress {
            return Ok(());
        }
    }
}

/// Unlinks a file, even if a program of root has made it immutable.
fn unlink(directory: &OwnedFd, name: &CStr) -> Result<(), Errno> {
    match unlinkat(directory, name, AtFlags::empty()) {
        Err(Errno::PERM) => {
            let kind = FileType::from_raw_mode(statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)?.st_mode);
            // Only these have such flags, and opening another kind may have side effects.
            if !matches!(kind, FileType::RegularFile | FileType::Directory) {
                return Err(Errno::PERM);
            }
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
            system::unseal(&openat(directory, name, flags, Mode::empty())?);
            unlinkat(directory, name, AtFlags::empty())
        }
        other => other,
    }
}

/// Opens a directory within `top`, even if its access rights were removed. A link is not followed,
/// not even to change the rights of its target.
fn enter(top: &OwnedFd, name: &CString) -> Result<OwnedFd, Errno> {
    system::open_up(top, name)?;
    let opened = openat(top, name.as_c_str(), dir_flags(), Mode::empty())?;
    system::unseal(&opened);
    Ok(opened)
}

/// Unlinks the files in `inner` and moves its directories up to `top`. Returns whether it moved
/// any.
fn raise(inner: &OwnedFd, top: &OwnedFd, moved: &mut u64) -> Result<bool, Errno> {
    let mut any = false;
    for entry in Dir::read_from(inner)?.flatten() {
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") || unlink(inner, name).is_ok() {
            continue;
        }
        if unlinkat(inner, name, AtFlags::REMOVEDIR).is_ok() {
            continue;
        }
        if let Ok(name) = CString::new(name.to_bytes()) {
            let _ = enter(inner, &name); // moving a directory rewrites its `..`, so it must be writable
        }
        *moved += 1;
        any |= renameat(inner, name, top, format!(".moved-{moved}").as_str()).is_ok();
    }
    Ok(any)
}

fn open_dir(path: &Path) -> Result<OwnedFd, Errno> {
    let open = || openat(CWD, path, dir_flags(), Mode::empty());
    match open() {
        // The program has removed its own access rights.
        Err(Errno::ACCESS) => chmodat(CWD, path, Mode::RWXU, AtFlags::empty()).and_then(|()| open()),
        opened => opened,
    }
}

/// The flags that open a directory itself, not the target of a link.
pub(crate) fn dir_flags() -> OFlags {
    OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn whatever_an_engine_leaves_goes_and_nothing_outside() {
        let root = tempfile::tempdir().unwrap();
        let outside = root.path().join("outside");
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("precious"), "x").unwrap();
        let dir = root.path().join("engine");
        fs::create_dir(&dir).unwrap();
        symlink(&outside, dir.join("link")).unwrap();
        rustix::fs::mknodat(CWD, dir.join("fifo"), rustix::fs::FileType::Fifo, Mode::RUSR, 0).unwrap();
        fs::create_dir_all(dir.join("a/b/c")).unwrap();
        fs::write(dir.join("a/b/c/file"), "x").unwrap();
        symlink("/", dir.join("a/b/root")).unwrap();
        fs::set_permissions(dir.join("a/b/c"), fs::Permissions::from_mode(0o0)).unwrap();
        fs::set_permissions(dir.join("a"), fs::Permissions::from_mode(0o0)).unwrap();
        remove(&dir);
        assert!(!dir.exists());
        assert!(outside.join("precious").exists());
    }

    /// Only root can make such a file, and not on every file system.
    #[cfg(all(target_os = "linux", not(agon_posix)))]
    #[test]
    fn a_file_that_nobody_may_remove_goes() {
        use rustix::fs::{IFlags, ioctl_getflags, ioctl_setflags};
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join("engine");
        fs::create_dir_all(dir.join("inner")).unwrap();
        for path in [dir.join("file"), dir.join("inner/file"), dir.join("inner")] {
            if path != dir.join("inner") {
                fs::write(&path, "x").unwrap();
            }
            let file = OwnedFd::from(fs::File::open(&path).unwrap());
            let made =
                ioctl_getflags(&file).and_then(|flags| ioctl_setflags(&file, flags | IFlags::IMMUTABLE));
            if made.is_err() {
                eprintln!("not tried: {made:?}");
                return;
            }
        }
        remove(&dir);
        assert!(!dir.exists());
    }

    #[test]
    fn a_tree_deeper_than_any_stack_goes() {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join("engine");
        fs::create_dir(&dir).unwrap();
        let mut at = openat(CWD, &dir, dir_flags(), Mode::empty()).unwrap();
        for _ in 0..10_000 {
            rustix::fs::mkdirat(&at, "d", Mode::RWXU).unwrap();
            at = openat(&at, "d", dir_flags(), Mode::empty()).unwrap();
        }
        remove(&dir);
        assert!(!dir.exists());
    }
}
