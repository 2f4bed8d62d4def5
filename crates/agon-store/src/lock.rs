//! The lock of a run directory: only the holder of `agon.lock` writes there, and others are told
//! its process.
//!
//! The kernel releases the lock when the process ends in any way. The text in the file is for
//! people.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};

use agon_match::processes::pauses::Pauses;
use agon_printable::escape;
use agon_programs::program::display_path;
use anyhow::{Context, Result, anyhow};
use chrono::{DateTime, Utc};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

const LOCK: &str = "agon.lock";
const NIGHT: &str = "nightly.lock";
const INBOX: &str = "inbox.lock";
const STOP: &str = "agon.stop";

/// A locked directory; dropped, it is unlocked.
#[derive(Debug)]
pub struct Lock {
    directory: PathBuf,
    _file: File,
}

impl Lock {
    /// Locks the directory. A request to stop that was meant for an earlier run is deleted.
    ///
    /// # Errors
    /// Another process holds the lock; the error names it. Otherwise errors of the disk.
    pub fn take(directory: &Path) -> Result<Self> {
        let file = held(directory, LOCK, in_use)?;
        match fs::remove_file(directory.join(STOP)) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(error)
                    .with_context(|| format!("cannot remove {}", display_path(&directory.join(STOP))));
            }
            _ => {}
        }
        let lock = Lock { directory: directory.to_owned(), _file: file };
        lock.pauses().forbid().with_context(|| {
            format!("cannot remove the pauses of an earlier run in {}", display_path(directory))
        })?;
        Ok(lock)
    }

    /// The pauses of the games that are played in it.
    pub fn pauses(&self) -> Pauses {
        Pauses::of_run(&self.directory)
    }

    /// A handle to the request to stop.
    pub fn stop(&self) -> StopRequest {
        StopRequest { path: self.directory.join(STOP) }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = fs::remove_file(self.directory.join(STOP)); // it has been obeyed, or comes too late
        let _ = self.pauses().forbid(); // the next run removes what is left
    }
}

/// Whether somebody has asked the run to stop.
#[derive(Clone, Debug)]
pub struct StopRequest {
    path: PathBuf,
}

impl StopRequest {
    /// Whether somebody has asked by now.
    pub fn is_there(&self) -> bool {
        self.path.exists()
    }
}

/// A directory in which one night is played, from its builds on; dropped, it is free.
#[derive(Debug)]
pub struct NightLock {
    _file: File,
}

impl NightLock {
    /// Keeps other nights out of the directory.
    ///
    /// # Errors
    /// As [`Lock::take`].
    pub fn take(directory: &Path) -> Result<Self> {
        Ok(NightLock { _file: held(directory, NIGHT, in_use)? })
    }
}

/// A folder of submissions in which one process works; dropped, it is free.
#[derive(Debug)]
pub struct InboxLock {
    _file: File,
}

impl InboxLock {
    /// Keeps other processes from the work in the folder. It does not keep out new submissions.
    ///
    /// # Errors
    /// As [`Lock::take`].
    pub fn take(directory: &Path) -> Result<Self> {
        let in_use = |directory: &Path, who: &str| {
            anyhow!("{} is in use by another agon inbox, {who}; end that one first", display_path(directory))
        };
        Ok(InboxLock { _file: held(directory, INBOX, in_use)? })
    }
}

/// The file of a lock in the directory, locked. `in_use` is the error if another process holds it.
fn held(directory: &Path, name: &str, in_use: fn(&Path, &str) -> anyhow::Error) -> Result<File> {
    let path = directory.join(name);
    let cannot = || format!("cannot write {}", display_path(&path));
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(&path)
        .with_context(cannot)?;
    // A process that only reads the lock holds it for a moment too.
    let mut tries = 5;
    while !locked(&file).with_context(cannot)? {
        tries -= 1;
        if tries > 0 {
            std::thread::sleep(std::time::Duration::from_millis(20));
            continue;
        }
        let who = holder_of(&mut file);
        return Err(in_use(directory, &who));
    }
    file.set_len(0).with_context(cannot)?;
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let since = DateTime::<Utc>::from(std::time::SystemTime::now()).format("%Y-%m-%d %H:%M:%S UTC");
    // The text is for people only; the lock itself needs no space on the disk.
    let _ = writeln!(file, "process {} on {host} since {since}", std::process::id());
    Ok(file)
}

fn in_use(directory: &Path, who: &str) -> anyhow::Error {
    anyhow!(
        "{} is in use by {who}; wait for it, end it with agon stop, or give another --out",
        display_path(directory)
    )
}

/// Checks that no process holds the directory, without taking it.
///
/// # Errors
/// As [`Lock::take`].
pub fn is_free(directory: &Path) -> Result<()> {
    holder(directory)?.map_or(Ok(()), |who| Err(in_use(directory, &who)))
}

/// The process that holds the directory, if there is one.
///
/// # Errors
/// Errors of the disk.
pub fn holder(directory: &Path) -> Result<Option<String>> {
    let path = directory.join(LOCK);
    let mut file = match File::open(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened.with_context(|| format!("cannot read {}", display_path(&path)))?,
    };
    if locked(&file).with_context(|| format!("cannot look at {}", display_path(&path)))? {
        return Ok(None);
    }
    Ok(Some(holder_of(&mut file)))
}

/// Asks the run in this directory to stop after the games in play.
///
/// # Errors
/// Errors of the disk.
pub fn ask_to_stop(directory: &Path) -> Result<()> {
    let path = directory.join(STOP);
    File::create(&path).with_context(|| format!("cannot write {}", display_path(&path)))?;
    Ok(())
}

fn locked(file: &File) -> std::io::Result<bool> {
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(true),
        Err(Errno::WOULDBLOCK) => Ok(false),
        // Said in several ways by file systems that have no locks.
        Err(Errno::NOSYS | Errno::OPNOTSUPP | Errno::NOLCK | Errno::INVAL) => Err(Errno::NOLCK.into()),
        Err(error) => Err(error.into()),
    }
}

fn holder_of(file: &mut File) -> String {
    let mut bytes = Vec::new();
    let _ = file.rewind(); // at worst the message names no process
    let _ = file.take(1000).read_to_end(&mut bytes);
    match escape(bytes.trim_ascii(), 200) {
        nobody if nobody.is_empty() => "another process".to_owned(),
        who => who,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_run_is_told_who_holds_the_directory() {
        let home = tempfile::tempdir().unwrap();
        assert_eq!(holder(home.path()).unwrap(), None);
        let lock = Lock::take(home.path()).unwrap();
        let words = Lock::take(home.path()).unwrap_err().to_string();
        assert!(words.contains(&format!("process {} on ", std::process::id())), "{words}");
        assert!(holder(home.path()).unwrap().is_some());
        assert!(!lock.stop().is_there());
        ask_to_stop(home.path()).unwrap();
        assert!(lock.stop().is_there());
        drop(lock);
        assert_eq!(holder(home.path()).unwrap(), None);
        assert!(!Lock::take(home.path()).unwrap().stop().is_there());
    }
}
