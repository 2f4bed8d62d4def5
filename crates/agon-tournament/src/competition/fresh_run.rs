//! A directory as it was before a command: a command that is refused takes away what it has made.

use std::fs;
use std::path::{Path, PathBuf};

use agon_store::Store;

/// The files that a store and its lock make.
const FILES: [&str; 4] = ["agon.db", "agon.db-wal", "agon.db-shm", "agon.lock"];

/// What was in a directory before the command.
pub struct FreshRun {
    directory: PathBuf,
    is_new: bool,
    has_store: bool,
    had: Vec<&'static str>,
}

impl FreshRun {
    /// Looks at a directory that may not exist.
    pub fn of(directory: &Path) -> Self {
        let had = FILES.into_iter().filter(|name| directory.join(name).symlink_metadata().is_ok());
        FreshRun {
            directory: directory.to_owned(),
            is_new: directory.symlink_metadata().is_err(),
            has_store: Store::is_in(directory),
            had: had.collect(),
        }
    }

    /// Removes what the command has made, unless there was a run before: the directory too, if it
    /// is new. Nobody may hold the store or the lock by then.
    pub fn remove(&self) {
        self.clear();
        if self.is_new {
            let _ = fs::remove_dir(&self.directory); // what others have put there stays
        }
    }

    /// The same, but the directory stays.
    pub fn clear(&self) {
        if self.has_store {
            return;
        }
        for name in FILES.into_iter().filter(|name| !self.had.contains(name)) {
            let _ = fs::remove_file(self.directory.join(name)); // it may not have been made
        }
    }
}
