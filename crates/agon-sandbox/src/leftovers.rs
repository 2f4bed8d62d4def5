//! Directories for temporary files that a run has left behind, because its harness and its keeper
//! were killed together. The next run of the same user removes them.
//!
//! A harness holds a lock on its directory. The kernel releases it however the harness ends, so a
//! directory with a free lock is unused. Other users may write to the same place. So only
//! directories of the same user count, and links are not followed. The directory that was checked
//! is emptied by its descriptor, not by its name.

use std::ffi::{CStr, CString, OsStr};
use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, FlockOperation, Mode, OFlags, Stat, flock, fstat, lstat, openat, statat,
    unlinkat,
};
use rustix::io::Errno;
use rustix::process::{Pid, geteuid, getpid, test_kill_process};

use crate::orphans::is_zombie;
use crate::removal::{dir_flags, empty};
use crate::system;

/// The prefix of their names. The keeper's process number and eight hexadecimal digits follow.
const NAME: &str = "agon-";

/// The directory for temporary files of a run. `number` tells it from those of earlier keepers.
pub fn scratch_of(place: &Path, keeper: u32, number: u32) -> PathBuf {
    place.join(format!("{NAME}{keeper}-{number:08x}"))
}

/// The keeper whose directory has this name.
fn keeper_of(name: &CStr) -> Option<Pid> {
    let (keeper, number) = name.to_str().ok()?.strip_prefix(NAME)?.split_once('-')?;
    let is_number = number.len() == 8 && number.bytes().all(|byte| byte.is_ascii_hexdigit());
    Pid::from_raw(keeper.parse().ok().filter(|_| is_number)?)
}

/// Locks a directory that was just made; `None` if another run has removed it before it was locked.
///
/// # Errors
/// The system's own.
pub fn hold(path: &Path) -> Result<Option<OwnedFd>, Errno> {
    let held = match openat(CWD, path, dir_flags(), Mode::empty()) {
        Err(Errno::NOENT) => return Ok(None),
        opened => opened?,
    };
    // On a file system without locks nothing is swept either.
    let _ = flock(&held, FlockOperation::LockExclusive);
    Ok(lstat(path).is_ok_and(|now| is_same(&held, &now)).then_some(held))
}

fn is_same(opened: &OwnedFd, now: &Stat) -> bool {
    fstat(opened).is_ok_and(|about| (about.st_dev, about.st_ino) == (now.st_dev, now.st_ino))
}

/// Removes the directories in this place that ended runs of the same user have left. Returns which.
pub fn sweep_directories(place: &Path) -> Vec<PathBuf> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let Ok(opened) = openat(CWD, place, flags, Mode::empty()) else { return Vec::new() };
    let Ok(listed) = Dir::read_from(&opened) else { return Vec::new() };
    let names: Vec<CString> = listed.flatten().map(|entry| entry.file_name().to_owned()).collect();
    let gone = names.iter().filter(|name| keeper_of(name).is_some_and(is_gone));
    // A directory that stays does no harm.
    let swept = gone.filter(|name| sweep(&opened, name) == Ok(true));
    swept.map(|name| place.join(OsStr::from_bytes(name.to_bytes()))).collect()
}

/// Whether the keeper with this number has ended. Our own number was that of an earlier keeper.
fn is_gone(keeper: Pid) -> bool {
    keeper == getpid() || test_kill_process(keeper) == Err(Errno::SRCH) || is_zombie(keeper)
}

/// Removes one. Returns whether it was there and a directory of this user.
fn sweep(place: &OwnedFd, name: &CString) -> Result<bool, Errno> {
    let is_ours = |about: &Stat| about.st_uid == geteuid().as_raw();
    if !is_ours(&statat(place, name.as_c_str(), AtFlags::SYMLINK_NOFOLLOW)?) {
        return Ok(false);
    }
    let open = || openat(place, name.as_c_str(), dir_flags(), Mode::empty());
    let opened = match open() {
        // The program has taken the access rights away.
        Err(Errno::ACCESS) => system::open_up(place, name).and_then(|()| open()),
        opened => opened,
    }?;
    // Checked again: the name may refer to another directory by now.
    if !is_ours(&fstat(&opened)?) {
        return Ok(false);
    }
    flock(&opened, FlockOperation::NonBlockingLockExclusive)?;
    empty(&opened)?;
    if is_same(&opened, &statat(place, name.as_c_str(), AtFlags::SYMLINK_NOFOLLOW)?) {
        unlinkat(place, name.as_c_str(), AtFlags::REMOVEDIR)?;
    }
    Ok(true)
}

/// Locks a file that is written and gets its name when it is whole, until it is closed.
pub fn hold_file(file: &File) {
    // On a file system without locks nothing is swept either.
    let _ = flock(file, FlockOperation::LockExclusive);
}

/// Removes the files in this place that a process has left half written: those of the same user
/// whose names this accepts and that nobody has locked with [`hold_file`]. Returns how many.
pub fn sweep_files(place: &Path, is_half: impl Fn(&str) -> bool) -> usize {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let Ok(place) = openat(CWD, place, flags, Mode::empty()) else { return 0 };
    let Ok(listed) = Dir::read_from(&place) else { return 0 };
    let names: Vec<CString> = listed.flatten().map(|entry| entry.file_name().to_owned()).collect();
    let half = names.iter().filter(|name| name.to_str().is_ok_and(&is_half));
    half.filter(|name| sweep_file(&place, name) == Ok(true)).count()
}

fn sweep_file(place: &OwnedFd, name: &CString) -> Result<bool, Errno> {
    // Not blocking: the name may be that of a pipe.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let opened = openat(place, name.as_c_str(), flags, Mode::empty())?;
    let about = fstat(&opened)?;
    if about.st_uid != geteuid().as_raw() || !FileType::from_raw_mode(about.st_mode).is_file() {
        return Ok(false);
    }
    flock(&opened, FlockOperation::NonBlockingLockExclusive)?;
    if !is_same(&opened, &statat(place, name.as_c_str(), AtFlags::SYMLINK_NOFOLLOW)?) {
        return Ok(false);
    }
    unlinkat(place, name.as_c_str(), AtFlags::empty())?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    /// The number of a process that has ended and was reaped.
    fn nobody() -> u32 {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        child.id()
    }

    fn left_behind(place: &Path, keeper: u32) -> PathBuf {
        let path = scratch_of(place, keeper, 0xabc);
        fs::create_dir_all(path.join("0/inner")).unwrap();
        fs::write(path.join("0/inner/notes"), "x").unwrap();
        path
    }

    #[test]
    fn only_directories_of_a_run_that_lives_no_more_are_removed() {
        let place = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        let precious = outside.path().join("precious");
        fs::write(&precious, "x").unwrap();
        let gone = left_behind(place.path(), nobody());
        symlink(outside.path(), gone.join("link")).unwrap();
        let shut = scratch_of(place.path(), nobody(), 1);
        fs::create_dir(&shut).unwrap();
        fs::set_permissions(&shut, fs::Permissions::from_mode(0o0)).unwrap();
        let own = left_behind(place.path(), std::process::id());
        let init = left_behind(place.path(), 1);
        let held = left_behind(place.path(), nobody() + 1_000_000);
        let lock = hold(&held).unwrap().unwrap();
        let linked = place.path().join(format!("agon-{}-00000002", nobody()));
        symlink(outside.path(), &linked).unwrap();
        let others = ["agon-7-1", "agon-7-0000000g", "agon--00000000", "agon-7", "agon-x-00000000"];
        others.iter().for_each(|name| fs::create_dir(place.path().join(name)).unwrap());

        let mut swept = sweep_directories(place.path());
        swept.sort();
        let mut wanted = vec![gone.clone(), shut.clone(), own.clone()];
        wanted.sort();
        assert_eq!(swept, wanted);
        for (path, stays) in [(&gone, false), (&shut, false), (&own, false), (&init, true), (&held, true)] {
            assert_eq!(path.exists(), stays, "{}", path.display());
        }
        assert!(held.join("0/inner/notes").exists(), "its harness lives");
        assert!(precious.exists() && linked.is_symlink());
        assert!(others.iter().all(|name| place.path().join(name).exists()));

        drop(lock);
        // A process that another test starts has the lock too until it executes its program.
        for _ in 0..500 {
            sweep_directories(place.path());
            if !held.exists() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        assert!(!held.exists(), "now it lives no more");
    }

    #[test]
    fn only_half_files_that_nobody_writes_any_more_are_removed() {
        let place = tempfile::tempdir().unwrap();
        let put = |name: &str| {
            fs::write(place.path().join(name), "x").unwrap();
            place.path().join(name)
        };
        let (left, written, whole) = (put(".a.1.half"), put(".a.2.half"), put("a.zip"));
        let held = File::open(&written).unwrap();
        hold_file(&held);
        let linked = place.path().join(".a.3.half");
        symlink(&whole, &linked).unwrap();
        fs::create_dir(place.path().join(".a.4.half")).unwrap();
        let swept = || sweep_files(place.path(), |name| name.starts_with('.') && name.ends_with(".half"));
        assert_eq!(swept(), 1);
        assert!(!left.exists() && written.exists() && whole.exists() && linked.is_symlink());
        drop(held);
        // A process that another test starts has the lock too until it executes its program.
        for _ in 0..500 {
            if swept() == 1 {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        assert!(!written.exists(), "its writer lives no more");
    }

    /// Only root can make a directory of another user.
    #[test]
    fn a_directory_of_somebody_else_stays() {
        let place = tempfile::tempdir().unwrap();
        let theirs = left_behind(place.path(), nobody());
        if std::os::unix::fs::chown(&theirs, Some(65534), Some(65534)).is_err() {
            eprintln!("not tried: only root can give a directory away");
            return;
        }
        sweep_directories(place.path());
        assert!(theirs.join("0/inner/notes").exists());
    }

    #[test]
    fn a_directory_that_was_removed_before_it_was_held_is_not_taken_for_ours() {
        let place = tempfile::tempdir().unwrap();
        let path = scratch_of(place.path(), 7, 7);
        assert!(hold(&path).unwrap().is_none());
        fs::create_dir(&path).unwrap();
        assert!(hold(&path).unwrap().is_some());
    }
}
