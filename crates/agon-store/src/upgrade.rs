//! Databases of earlier versions: they are read as they are, and converted when they are opened for
//! writing.
//!
//! A step adds tables, or columns that are NULL in the games that are there. It changes no game, so
//! the chain of a database is kept: its head is the same before and after. What is new is stored in
//! new columns alone, and what is old is read as it was stored: nothing is converted that a hash
//! covers.

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use agon_config::Misuse;
use agon_printable::clean;
use agon_programs::program::display_path;
use anyhow::{Context, Result};
use rusqlite::{Connection, OptionalExtension};

use super::{Store, VERSION, lock};

/// The oldest version that is read. agon 0.1.0 has written it.
pub(super) const OLDEST: i64 = 7;
/// The statements that make a database of one version one of the next, from [`OLDEST`] on.
pub(super) const STEPS: [&str; 2] = [include_str!("version-8.sql"), include_str!("version-9.sql")];

/// The steps that a database of this version has behind it.
pub(super) fn steps_to(version: i64) -> &'static [&'static str] {
    &STEPS[..steps_before(version)]
}

fn steps_before(version: i64) -> usize {
    usize::try_from(version - OLDEST).unwrap_or(0).min(STEPS.len())
}

/// Makes a database of an earlier version one of this version. A copy lies beside it until that is
/// done.
///
/// # Errors
/// Errors of the disk. The database is unchanged then.
pub(super) fn upgrade(db: &mut Connection, path: &Path, version: i64) -> Result<()> {
    let copy = copy_of(path, version);
    // A killed upgrade leaves its copy, which may be incomplete; the database itself is unchanged.
    remove(&copy)?;
    let to = copy.to_str().context("the name of the copy is not UTF-8")?;
    db.execute("VACUUM INTO ?1", [to])
        .with_context(|| format!("cannot keep {} while it is upgraded", display_path(&copy)))?;
    let change = db.transaction()?;
    for step in &STEPS[steps_before(version)..] {
        change.execute_batch(step)?;
    }
    change.pragma_update(None, "user_version", VERSION)?;
    change.commit()?;
    remove(&copy)
}

/// Where the copy of a database lies while it is upgraded.
fn copy_of(path: &Path, version: i64) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(format!(".version-{version}"));
    name.into()
}

fn remove(copy: &Path) -> Result<()> {
    match fs::remove_file(copy) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", display_path(copy)))
        }
        _ => Ok(()),
    }
}

/// The message about a database of a version that this agon does not read.
pub(super) fn refused(db: &Connection, path: &Path, version: i64) -> anyhow::Error {
    let own = env!("CARGO_PKG_VERSION");
    let what = format!(
        "{} has schema version {version}; this is agon {own}, which reads versions {OLDEST} to {VERSION}",
        display_path(path)
    );
    let hint = match writer(db).filter(|_| version > VERSION) {
        Some(writer) => format!("use agon {writer}, which wrote it, or a newer one"),
        None if version > VERSION => "use a newer agon, at least the one that wrote it".to_owned(),
        None => "use the agon that wrote it, or play anew into another directory".to_owned(),
    };
    Misuse::hinted(what, hint)
}

/// The version of the agon that began the last run. The tables of a newer database are not known,
/// so only a plain table is asked.
fn writer(db: &Connection) -> Option<String> {
    let sql = "SELECT sql FROM main.sqlite_master WHERE type = 'table' AND name = 'run'";
    let words: String = db.query_row(sql, [], |row| row.get(0)).optional().ok()??;
    if !words.starts_with("CREATE TABLE") {
        return None;
    }
    let sql = "SELECT agon FROM run ORDER BY number DESC LIMIT 1";
    let version: String = db.query_row(sql, [], |row| row.get(0)).optional().ok()??;
    Some(clean(&version)).filter(|version| version.len() < 40)
}

/// What [`Store::upgrade`] has found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Upgrade {
    /// The database had this version, and has the present one now.
    From(i64),
    /// It has the present version already.
    Present,
}

impl Store {
    /// The version of the schema that this agon writes.
    pub const SCHEMA_VERSION: i64 = VERSION;

    /// Makes the database of a directory one of the present version.
    ///
    /// # Errors
    /// [`Misuse`] if there is none, if an agon works in the directory, or as [`Store::open`].
    pub fn upgrade(directory: &Path) -> Result<Upgrade> {
        let _lock = lock::Lock::take(directory)?;
        // What cannot be read is not opened for writing either; nor is a directory without a run.
        let before = super::version(&Store::read(directory)?.db)?;
        drop(Store::open(directory)?);
        Ok(if before < VERSION { Upgrade::From(before) } else { Upgrade::Present })
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;
    use crate::schema::{LATER, bare};
    use crate::{NAME, SCHEMA};

    /// Each version of the schema: the program that first wrote it, and the beginning of a hash of
    /// its tables.
    const VERSIONS: [(i64, &str, &str); 3] =
        [(7, "0.1.0", ""), (8, "0.2.0", ""), (9, "0.2.1", "21259071d8526256")];

    #[test]
    fn another_schema_has_another_version_and_is_of_another_program() {
        let mut hash = Sha256::new();
        for table in [SCHEMA].iter().chain(&STEPS).chain(&LATER) {
            hash.update(bare(table));
        }
        let found: String = hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        let [.., (before, old_program, _), (version, program, known)] = VERSIONS;
        assert_eq!(
            found, known,
            "the tables have changed: they need a step in STEPS, the next VERSION, the next version of agon, \
             and a line here (while this version of agon is not released yet, a new hash is enough)"
        );
        assert_eq!((version, program), (VERSION, env!("CARGO_PKG_VERSION")));
        assert!(before < version && old_program != program);
        assert_eq!(OLDEST + STEPS.len() as i64, VERSION, "each version has the step that makes it");
    }

    /// A database as version 7 had it.
    fn old() -> tempfile::TempDir {
        let home = tempfile::tempdir().unwrap();
        let db = Connection::open(home.path().join(NAME)).unwrap();
        db.execute_batch(SCHEMA).unwrap();
        db.pragma_update(None, "application_id", crate::APPLICATION).unwrap();
        db.pragma_update(None, "user_version", 7).unwrap();
        home
    }

    #[test]
    fn an_earlier_version_is_read_as_it_is_and_converted_when_it_is_written() {
        let home = old();
        let store = Store::read(home.path()).unwrap();
        assert_eq!(super::super::version(&store.db).unwrap(), 7);
        drop(store);
        assert_eq!(Store::upgrade(home.path()).unwrap(), Upgrade::From(7));
        assert_eq!(Store::upgrade(home.path()).unwrap(), Upgrade::Present);
        assert!(!copy_of(&home.path().join(NAME), 7).exists());
    }

    #[test]
    fn a_killed_upgrade_has_changed_nothing_and_the_next_one_goes_through() {
        let home = old();
        let path = home.path().join(NAME);
        // The copy of an upgrade that was killed while it wrote it.
        fs::write(copy_of(&path, 7), "incomplete").unwrap();
        {
            // Killed before the commit: the connection is gone, and with it the transaction.
            let mut db = Connection::open(&path).unwrap();
            let change = db.transaction().unwrap();
            STEPS.iter().for_each(|step| change.execute_batch(step).unwrap());
            change.pragma_update(None, "user_version", VERSION).unwrap();
        }
        let store = Store::read(home.path()).unwrap();
        assert_eq!(super::super::version(&store.db).unwrap(), 7);
        drop(store);
        assert_eq!(Store::upgrade(home.path()).unwrap(), Upgrade::From(7));
        assert!(!copy_of(&path, 7).exists());
    }

    #[test]
    fn a_directory_in_use_is_not_upgraded() {
        let home = old();
        let _held = lock::Lock::take(home.path()).unwrap();
        assert!(Store::upgrade(home.path()).is_err());
        assert_eq!(super::super::version(&Store::read(home.path()).unwrap().db).unwrap(), 7);
    }

    #[test]
    fn a_newer_database_is_refused_with_the_version_that_wrote_it() {
        let home = tempfile::tempdir().unwrap();
        let store = Store::open(home.path()).unwrap();
        let began = "INSERT INTO run (started, agon, event, games, terms, machine, points) \
                     VALUES ('', '0.9.3', '', 1, '{}', '', '2-1-0')";
        store.db.execute(began, []).unwrap();
        store.db.execute_batch("CREATE TABLE later (x); PRAGMA user_version = 99").unwrap();
        drop(store);
        for refused in [Store::read(home.path()).err(), Store::open(home.path()).err()] {
            let words = format!("{:#}", refused.unwrap());
            assert!(words.contains("has schema version 99") && words.contains("use agon 0.9.3"), "{words}");
        }
    }
}
