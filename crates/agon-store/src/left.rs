//! Leaves an empty log beside a database that is closed.
//!
//! SQLite removes the log of the last connection. A program that deletes nothing may bring an older
//! copy of the directory up to date. The copy would then have the new database beside the old log,
//! and SQLite would take the database back to it. An empty log replaces the old one.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

/// The log of a database; dropped, it is there and empty, unless another connection has one.
pub(super) struct EmptyLog(PathBuf);

impl EmptyLog {
    /// The log of the database at `path`.
    pub(super) fn of(path: &Path) -> Self {
        EmptyLog(path.with_extension("db-wal"))
    }
}

impl Drop for EmptyLog {
    fn drop(&mut self) {
        // Where the directory is gone or the disk is full, agon merge finds a log that is too old.
        let _ = OpenOptions::new().write(true).create_new(true).open(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use crate::{Journal, Store};

    #[test]
    fn a_database_that_is_closed_leaves_an_empty_log_or_none() {
        let home = tempfile::tempdir().unwrap();
        let log = home.path().join("agon.db-wal");
        drop(Store::open(home.path()).unwrap());
        assert_eq!(log.metadata().unwrap().len(), 0);
        drop(Store::open_with(home.path(), Journal::Rollback).unwrap());
        assert!(!log.exists());
        assert!(Store::read(home.path()).unwrap().runs().unwrap().is_empty());
        drop(Store::open(home.path()).unwrap());
        assert_eq!(log.metadata().unwrap().len(), 0);
    }
}
