//! `agon.db`: the only truth of a run. A game is there whole or not at all; everything else is made from it.
//!
//! SQLite in WAL mode. One process writes, under [`lock::Lock`], on one thread; any number read meanwhile. A
//! commit does not wait for the disk: another thread syncs the log once a second, so that a process that is killed
//! loses nothing, a machine that loses its power the games of the last second at most, which are then played again,
//! and no game ever waits.

mod anchor;
mod begin;
pub mod chain;
pub mod hash;
pub mod history;
pub mod inside;
pub mod key;
pub mod lock;
mod read;
pub mod scores;
mod sync;
mod write;

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::config::Misuse;
use crate::engine::program::display_path;

pub use begin::{Plan, RunStart, StoredResult};
pub use read::{Filter, Stored};
pub use write::ImportedGame;

/// The version of the schema, in `user_version`.
const VERSION: i64 = 7;
/// "agon", in `application_id`.
const APPLICATION: i64 = 0x6167_6f6e;
const SCHEMA: &str = include_str!("schema.sql");
const NAME: &str = "agon.db";

/// The database of one directory.
pub struct Store {
    db: Connection,
    path: PathBuf,
    /// Numbers of texts in `word` that have been seen.
    words: HashMap<String, i64>,
    /// The run that games are added to, and the engines that play in it.
    run: Option<begin::Current>,
    /// The head of the chain, if it is known: nobody else writes.
    head: Option<chain::Link>,
    /// Where it lay when it was opened for writing.
    anchor: Option<anchor::Anchor>,
    _sync: Option<sync::LogSync>,
    /// Where the copy is that is read instead of a database that cannot be read where it lies.
    _copy: Option<tempfile::TempDir>,
}

impl Store {
    /// Opens the database of a directory for writing, and makes it if there is none. Only for the holder of the
    /// directory's lock.
    ///
    /// # Errors
    /// [`Misuse`] when the file is no database of agon, or one of another version; it is unchanged then. Else the
    /// disk's own.
    pub fn open(directory: &Path) -> Result<Self> {
        let path = directory.join(NAME);
        let cannot = || format!("cannot write {}", display_path(&path));
        let opened = || -> Result<Connection> {
            let mut db = Connection::open(&path)?;
            db.busy_timeout(std::time::Duration::from_secs(10))?;
            // A killed run leaves a log beside the file. A refused database keeps both as they are.
            db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
            let is_empty = check(&db, &path)?;
            db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
            // Whoever reads meanwhile sees what was committed, and a commit is one write to the end of the log.
            db.pragma_update(None, "journal_mode", "WAL")?;
            db.pragma_update(None, "synchronous", "NORMAL")?;
            db.pragma_update(None, "foreign_keys", "ON")?;
            if is_empty {
                make(&mut db)?;
            }
            Ok(db)
        };
        let db = opened().map_err(|error| told(error, &path)).with_context(cannot)?;
        let sync = sync::LogSync::start(&path);
        Ok(Store {
            db,
            anchor: Some(anchor::Anchor::cast(&path)),
            path,
            words: HashMap::new(),
            run: None,
            head: None,
            _sync: Some(sync),
            _copy: None,
        })
    }

    /// Sees that the database still lies where it was opened. Cheap enough to be asked after every game.
    ///
    /// # Errors
    /// It, or its directory, was removed, moved or replaced.
    pub fn is_still_there(&self) -> Result<()> {
        self.anchor.as_ref().map_or(Ok(()), anchor::Anchor::holds)
    }

    /// The directories in this one that hold a database, in the order of their names: those of a tournament's stages, or of
    /// its time controls.
    pub fn below(directory: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        let mut all: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        all.retain(|path| path.join(NAME).is_file());
        all.sort();
        all
    }

    /// Opens the database of a directory to look into it, also while a run goes on.
    ///
    /// # Errors
    /// [`Misuse`] when there is none, or as [`Store::open`].
    pub fn read(directory: &Path) -> Result<Self> {
        let path = directory.join(NAME);
        if !path.is_file() {
            let below = Self::below(directory);
            let named = below.iter().take(8).map(|path| display_path(path)).collect::<Vec<_>>().join(" or ");
            return Err(Misuse::error(format!(
                "{}: there is no agon.db in it; give {}",
                display_path(directory),
                if below.is_empty() { "the directory of a run" } else { &named }
            )));
        }
        let opened = || -> Result<(Connection, Option<tempfile::TempDir>)> {
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let db = Connection::open_with_flags(&path, flags)?;
            db.busy_timeout(std::time::Duration::from_secs(10))?;
            if let Err(error) = db.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(())) {
                // Where nothing can be written, a log that is not there cannot be made; then nobody writes either.
                let log = path.with_extension("db-wal");
                let unwritable =
                    matches!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly));
                if !unwritable {
                    return Err(error.into());
                }
                if fs::metadata(&log).is_ok_and(|log| log.len() > 0) {
                    return copied(&path, &log).map(|(db, copy)| (db, Some(copy)));
                }
                return open_unchanging(&path).map(|db| (db, None));
            }
            Ok((db, None))
        };
        let (db, copy, is_empty) = opened()
            .and_then(|(db, copy)| check(&db, &path).map(|is_empty| (db, copy, is_empty)))
            .map_err(|error| told(error, &path))
            .with_context(|| format!("cannot read {}", display_path(&path)))?;
        if is_empty {
            return Err(Misuse::error(format!("{}: no run has begun in it yet", display_path(directory))));
        }
        Ok(Store {
            db,
            path,
            words: HashMap::new(),
            run: None,
            head: None,
            anchor: None,
            _sync: None,
            _copy: copy,
        })
    }

    /// The seed of the last run in a directory, to go on with it when none is given.
    ///
    /// # Errors
    /// As [`Store::read`], but where there is no run there is no seed.
    pub fn seed_in(directory: &Path) -> Result<Option<u64>> {
        let path = directory.join(NAME);
        if !path.is_file() {
            return Ok(None);
        }
        let begun =
            Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY).and_then(|db| version(&db));
        if matches!(begun, Ok(0)) {
            return Ok(None);
        }
        Store::read(directory)?.seed()
    }

    /// Whether a directory holds a database.
    pub fn is_in(directory: &Path) -> bool {
        directory.join(NAME).symlink_metadata().is_ok()
    }

    /// Writes a copy of the database, as it is now, to a file that is not there yet.
    ///
    /// # Errors
    /// The disk's own, or the file is there.
    pub fn copy_to(&self, path: &Path) -> Result<()> {
        let to = path.to_str().context("the name of the copy is not UTF-8")?;
        self.db
            .execute("VACUUM INTO ?1", [to])
            .with_context(|| format!("cannot write {}", display_path(path)))
            .map(|_| ())
    }

    /// Whether the database is well-formed, in SQLite's own words: `ok`.
    ///
    /// # Errors
    /// The disk's own.
    pub fn integrity(&self) -> Result<String> {
        self.db
            .query_row("PRAGMA integrity_check(3)", [], |row| row.get(0))
            .with_context(|| format!("cannot read {}", display_path(&self.path)))
    }
}

/// A copy of a database with a log that a killed run has left, where SQLite cannot make the third file it needs.
fn copied(path: &Path, log: &Path) -> Result<(Connection, tempfile::TempDir)> {
    let copy = tempfile::tempdir().context("cannot make a copy of it")?;
    let to = copy.path().join(NAME);
    fs::copy(path, &to).and_then(|_| fs::copy(log, to.with_extension("db-wal"))).context("cannot copy it")?;
    for copied in [&to, &to.with_extension("db-wal")] {
        let mut open = fs::metadata(copied)?.permissions();
        open.set_mode(0o600);
        fs::set_permissions(copied, open)?;
    }
    Ok((Connection::open(&to)?, copy))
}

/// A database that nobody writes, in a directory where nothing can be written.
fn open_unchanging(path: &Path) -> Result<Connection> {
    let absolute = std::path::absolute(path)?;
    let text = absolute.to_str().context("the path is not UTF-8")?;
    let escaped: String = text
        .bytes()
        .map(|byte| match byte {
            b'/' | b'.' | b'_' | b'-' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect();
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    Ok(Connection::open_with_flags(format!("file:{escaped}?immutable=1"), flags)?)
}

/// Checks that the file is a database of ours and of this version, before anything is written to it. Gives whether it
/// is empty: a run was killed before it had tables.
fn check(db: &Connection, path: &Path) -> Result<bool> {
    let tables: i64 = db.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let application: i64 = db.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    let version = version(db)?;
    if tables == 0 && version == 0 {
        return Ok(true);
    }
    if application != APPLICATION {
        return Err(Misuse::error(format!("{} is a database of another program", display_path(path))));
    }
    if version != VERSION {
        return Err(Misuse::error(format!(
            "{} is of schema version {version}, and this agon reads version {VERSION} only; use the agon that wrote it, \
             or play anew into another directory",
            display_path(path)
        )));
    }
    Ok(false)
}

fn version(db: &Connection) -> rusqlite::Result<i64> {
    db.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// Makes the tables of an empty database.
fn make(db: &mut Connection) -> Result<()> {
    let change = db.transaction()?;
    change.execute_batch(SCHEMA)?;
    change.pragma_update(None, "application_id", APPLICATION)?;
    change.pragma_update(None, "user_version", VERSION)?;
    Ok(change.commit()?)
}

/// SQLite's error in the words of this program: what is no database is the user's to mend.
fn told(error: anyhow::Error, path: &Path) -> anyhow::Error {
    // Before anything else is asked of the system: SQLite does not say why a file could not be opened.
    let system = std::io::Error::last_os_error();
    match error.downcast_ref::<rusqlite::Error>().and_then(rusqlite::Error::sqlite_error_code) {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => Misuse::error(format!(
            "{} is no database, or a damaged one: {error}; move it away, or give another --out",
            display_path(path)
        )),
        Some(ErrorCode::CannotOpen | ErrorCode::SystemIoFailure) if system.raw_os_error() != Some(0) => {
            error.context(system)
        }
        _ => error,
    }
}

#[cfg(test)]
mod tests;
