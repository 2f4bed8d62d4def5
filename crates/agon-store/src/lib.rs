//! The database `agon.db`, the only truth of a run: a game is stored whole or not at all.
//!
//! It is SQLite in WAL mode. One process writes on one thread, under [`lock::Lock`]; others may
//! read meanwhile. A commit does not wait for the disk: another thread syncs the log once a second.
//! A killed process loses nothing. A power failure loses at most the games of the last second,
//! which are then played again.
//!
//! A part of a run that is played on a network folder has a rollback journal instead. The memory
//! that the users of a WAL share does not reach over a network.

#![warn(missing_docs)]

mod anchor;
mod arranged;
mod arrangements;
pub mod asked;
mod begin;
mod cells;
pub mod chain;
mod changes;
mod columns;
mod consent;
mod counted;
mod decide;
mod decisions;
mod drawn;
mod elsewhere;
mod entered;
pub mod event;
pub mod finishes;
mod forget;
pub mod hash;
pub mod history;
pub mod host;
pub mod imported;
pub mod inside;
pub mod key;
mod labels;
mod left;
mod link;
pub mod lock;
mod manifests;
mod marks;
mod part_of;
mod pauses;
mod plan;
pub mod programs;
pub mod prune;
pub mod ranking;
mod rated;
mod read;
mod refereed;
pub mod repeats;
mod rulings;
mod run_facts;
mod schema;
pub mod scores;
mod spent;
mod standing;
mod statements;
pub mod status;
mod stored_verdict;
mod sync;
pub mod taken;
pub mod tested;
pub mod times;
mod unplayed;
pub mod until;
pub mod upgrade;
mod whole;
mod withdraw;
mod write;

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use agon_config::Misuse;
use agon_programs::program::display_path;
use anyhow::{Context, Result};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

pub use arranged::{StoredClosing, StoredEntry, StoredWithdrawal};
pub use arrangements::Withdrawals;
pub use begin::RunStart;
pub use chain::WHAT_THE_HEAD_IS;
pub use consent::{Consent, WouldBeHistory};
pub use counted::CountedGames;
pub use decide::{Consequences, Decidable};
pub use drawn::{Drawn, draws_rounds};
pub use entered::EntrantTerms;
pub use marks::StoredMark;
pub use plan::{Plan, PlayedKeys};
pub use read::{Filter, Stored};
pub use rulings::{MadeDecision, StoredDecision};
pub use schema::{MadeTable, every_table};
pub use withdraw::EngineRounds;
use write::SharedTexts;
pub use write::{FinishedGame, ImportedGame};

/// The version of the schema, in `user_version`.
const VERSION: i64 = 9;
/// "agon", in `application_id`.
const APPLICATION: i64 = 0x6167_6f6e;
const SCHEMA: &str = include_str!("schema.sql");
const NAME: &str = "agon.db";
/// How long a server waits for a writer that keeps readers out, as those of a rollback journal do.
const SERVER_WAIT: Duration = Duration::from_secs(2);
/// How long the end of a writer waits for readers.
const LAST_WAIT: Duration = Duration::from_millis(500);

/// How a database that is written keeps its last changes apart until they are complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Journal {
    /// A write-ahead log: a commit is one write to the end of the log.
    Wal,
    /// A rollback journal, which stays as an empty file: it is safe on a network folder.
    Rollback,
}

/// The database of one directory.
pub struct Store {
    db: Connection,
    /// Dropped after the connection, which removes its log.
    left: Option<left::EmptyLog>,
    path: PathBuf,
    /// The numbers of texts that were used before.
    shared: SharedTexts,
    /// The run to which games are added, with its engines.
    run: Option<begin::Current>,
    /// Whether only a part of the plan is played here, so that the run is never done.
    only_part: bool,
    /// The head of the chain, once it is known: no other process writes.
    head: Option<chain::Link>,
    /// The place where it was opened for writing.
    anchor: Option<anchor::Anchor>,
    _sync: Option<sync::LogSync>,
    /// The directory of a temporary copy, if the database itself cannot be read in its place.
    _copy: Option<tempfile::TempDir>,
}

/// Where others read a database, SQLite leaves its log as it is. A database that is put in the
/// place of this one would then be read with the log of this one. So the log is emptied before the
/// end.
impl Drop for Store {
    fn drop(&mut self) {
        if self.left.is_some() {
            // Somebody may be reading just now; then the log stays, as SQLite would leave it.
            let _ = self.db.busy_timeout(LAST_WAIT);
            let _ = self.db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        }
    }
}

impl Store {
    /// Opens the database of a directory for writing, and makes one if there is none. One of an
    /// earlier version is converted. The caller holds the directory's lock.
    ///
    /// # Errors
    /// [`Misuse`] if the file is not a database of agon, or of a version that is not read; it stays
    /// unchanged.
    /// Otherwise errors of the disk.
    pub fn open(directory: &Path) -> Result<Self> {
        Store::open_with(directory, Journal::Wal)
    }

    /// The same with another journal.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn open_with(directory: &Path, journal: Journal) -> Result<Self> {
        let path = directory.join(NAME);
        let cannot = || format!("cannot write {}", display_path(&path));
        let opened = || -> Result<Connection> {
            let mut db = Connection::open(&path)?;
            db.busy_timeout(Duration::from_secs(10))?;
            schema::guard(&db)?;
            // A killed run leaves a log beside the file. A refused database keeps both.
            db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
            let version = check(&db, &path)?;
            db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
            db.pragma_update(None, "journal_mode", journal.name())?;
            db.pragma_update(None, "synchronous", "NORMAL")?;
            db.pragma_update(None, "foreign_keys", "ON")?;
            match version {
                None => make(&mut db)?,
                Some(VERSION) => {}
                Some(earlier) => upgrade::upgrade(&mut db, &path, earlier)?,
            }
            Ok(db)
        };
        let db = opened().map_err(|error| told(error, &path)).with_context(cannot)?;
        let sync = (journal == Journal::Wal).then(|| sync::LogSync::start(&path));
        Ok(Store {
            db,
            left: (journal == Journal::Wal).then(|| left::EmptyLog::of(&path)),
            anchor: Some(anchor::Anchor::cast(&path)),
            path,
            shared: SharedTexts::default(),
            run: None,
            only_part: false,
            head: None,
            _sync: sync,
            _copy: None,
        })
    }

    /// The directory that it lies in.
    pub fn directory(&self) -> &Path {
        self.path.parent().unwrap_or(&self.path)
    }

    /// Checks that the database still lies where it was opened. It is called after every game.
    ///
    /// # Errors
    /// The database or its directory was removed, moved or replaced.
    pub fn is_still_there(&self) -> Result<()> {
        self.anchor.as_ref().map_or(Ok(()), anchor::Anchor::holds)
    }

    /// The subdirectories that hold a database, ordered by name: those of a tournament's stages or
    /// time controls.
    pub fn below(directory: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        let mut all: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        all.retain(|path| path.join(NAME).is_file());
        all.sort();
        all
    }

    /// Opens the database of a directory for reading, even during a run.
    ///
    /// # Errors
    /// [`Misuse`] if there is none; otherwise as [`Store::open`].
    pub fn read(directory: &Path) -> Result<Self> {
        let path = directory.join(NAME);
        if !path.is_file() {
            let below = Self::below(directory);
            let named = below.iter().take(8).map(|path| display_path(path)).collect::<Vec<_>>().join(" or ");
            let place = if below.is_empty() { "the directory of a run" } else { &named };
            let what =
                if directory.exists() { "there is no agon.db in it" } else { "there is no such directory" };
            if let Err(error) = fs::metadata(&path)
                && error.kind() == io::ErrorKind::PermissionDenied
            {
                return Err(Misuse::hinted(
                    format!("{}: it may not be looked into: permission denied", display_path(directory)),
                    "let its owner do that, or ask for the right to read it and the directories above it",
                ));
            }
            return Err(Misuse::hinted(
                format!("{}: {what}", display_path(directory)),
                format!("give {place}"),
            ));
        }
        let (db, copy, is_empty) = connected(&path)
            .and_then(|(db, copy)| check(&db, &path).map(|version| (db, copy, version.is_none())))
            .map_err(|error| told(error, &path))
            .with_context(|| format!("cannot read {}", display_path(&path)))?;
        if is_empty {
            return Err(Misuse::hinted(
                format!("{}: no run has begun in it yet", display_path(directory)),
                "start the run again, or give the directory of another one",
            ));
        }
        Ok(Store {
            db,
            left: None,
            path,
            shared: SharedTexts::default(),
            run: None,
            only_part: false,
            head: None,
            anchor: None,
            _sync: None,
            _copy: copy,
        })
    }

    /// Checks that the database of a directory has nothing but what agon makes. One that is of
    /// another program or version, or cannot be read at all, is not judged here.
    ///
    /// # Errors
    /// [`Misuse`] that names a trigger, a view or a table of somebody else.
    pub fn has_only_data(directory: &Path) -> Result<()> {
        let path = directory.join(NAME);
        let Ok((db, _copy)) = connected(&path) else { return Ok(()) };
        match (application(&db), version(&db)) {
            (Ok(APPLICATION), Ok(version @ upgrade::OLDEST..=VERSION)) => {
                schema::check(&db, &path, version).map_err(|error| told(error, &path))
            }
            _ => Ok(()),
        }
    }

    /// As [`Store::read`], for a process that may write no temporary files.
    ///
    /// # Errors
    /// As [`Store::read`].
    pub fn read_confined(directory: &Path) -> Result<Self> {
        let store = Store::read(directory)?;
        store.db.pragma_update(None, "temp_store", "MEMORY")?;
        // A server has others who wait.
        store.db.busy_timeout(SERVER_WAIT)?;
        Ok(store)
    }

    /// The seed of the last run in a directory, for a run without `--seed`; `None` without a run.
    ///
    /// # Errors
    /// As [`Store::read`].
    pub fn seed_in(directory: &Path) -> Result<Option<u64>> {
        Ok(Store::terms_in(directory)?.and_then(|terms| terms.get("seed")?.parse().ok()))
    }

    /// The conditions of the last run in a directory; `None` without a run.
    ///
    /// # Errors
    /// As [`Store::read`].
    pub fn terms_in(directory: &Path) -> Result<Option<key::GameConditions>> {
        let path = directory.join(NAME);
        if !path.is_file() {
            return Ok(None);
        }
        let begun =
            Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY).and_then(|db| version(&db));
        if matches!(begun, Ok(0)) {
            return Ok(None);
        }
        Store::read(directory)?.last_terms()
    }

    /// Whether a directory holds a database.
    pub fn is_in(directory: &Path) -> bool {
        directory.join(NAME).symlink_metadata().is_ok()
    }

    /// The number of the file of the database in a directory: another one has another number.
    ///
    /// # Errors
    /// There is no such file.
    pub fn inode_in(directory: &Path) -> io::Result<u64> {
        Ok(fs::metadata(Store::file_in(directory))?.ino())
    }

    /// The file of the database in a directory.
    pub fn file_in(directory: &Path) -> PathBuf {
        directory.join(NAME)
    }

    /// A number that changes when another process has written.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn data_version(&self) -> Result<i64> {
        Ok(self.db.query_row("PRAGMA data_version", [], |row| row.get(0))?)
    }

    /// Does several reads of the same state, whatever another process writes meanwhile.
    ///
    /// # Errors
    /// Errors of the database or of `read`.
    pub fn at_one_moment<T>(&self, read: impl FnOnce() -> Result<T>) -> Result<T> {
        let _moment = self
            .db
            .unchecked_transaction()
            .with_context(|| format!("cannot read {}", display_path(&self.path)))?;
        read()
    }

    /// Copies the database, in its present state, to a new file.
    ///
    /// # Errors
    /// The file exists already, or errors of the disk.
    pub fn copy_to(&self, path: &Path) -> Result<()> {
        let to = path.to_str().context("the name of the copy is not UTF-8")?;
        self.db
            .execute("VACUUM INTO ?1", [to])
            .with_context(|| format!("cannot write {}", display_path(path)))
            .map(|_| ())
    }

    /// The same for a merge: in the copy the games with these keys do not count, and the whole plan
    /// belongs there.
    ///
    /// # Errors
    /// As [`Store::copy_to`].
    pub fn copy_without(&self, path: &Path, keys: &[i64]) -> Result<()> {
        self.copy_to(path)?;
        let uncounted = || -> Result<()> {
            let mut db = Connection::open(path)?;
            let change = db.transaction()?;
            part_of::forget(&change)?;
            if keys.is_empty() {
                return Ok(change.commit()?);
            }
            for key in keys {
                change.execute("UPDATE game SET current = NULL WHERE key = ?1 AND current = 1", [key])?;
            }
            chain::select(&change)?;
            Ok(change.commit()?)
        };
        uncounted().with_context(|| format!("cannot write {}", display_path(path)))
    }

    /// Whether the database is well-formed, in SQLite's words: `ok`.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn integrity(&self) -> Result<String> {
        self.db
            .query_row("PRAGMA integrity_check(3)", [], |row| row.get(0))
            .with_context(|| format!("cannot read {}", display_path(&self.path)))
    }
}

/// The numbers of network file systems, as Linux has them: NFS, SMB, Lustre, GPFS, BeeGFS, CephFS,
/// AFS, FUSE.
const NETWORK: [u32; 10] = [
    0x6969,
    0x517b,
    0xff53_4d42,
    0xfe53_4d42,
    0x0bd0_0bd0,
    0x4750_4653,
    0x1983_0326,
    0x00c3_6400,
    0x5346_414f,
    0x6573_5546,
];

impl Journal {
    /// The journal for a part that is played in this directory. A rollback journal costs three
    /// syncs for each game, so a part on a disk of its own machine has none.
    pub fn of_part(directory: &Path) -> Self {
        // The type is of another size and sign on other systems.
        let kind = rustix::fs::statfs(directory).ok().and_then(|about| u32::try_from(about.f_type).ok());
        if kind.is_some_and(|kind| NETWORK.contains(&kind)) { Journal::Rollback } else { Journal::Wal }
    }

    /// As SQLite calls it.
    fn name(self) -> &'static str {
        match self {
            Journal::Wal => "WAL",
            Journal::Rollback => "TRUNCATE",
        }
    }
}

/// A database for reading, and the copy that is read if it cannot be read in its place.
fn connected(path: &Path) -> Result<(Connection, Option<tempfile::TempDir>)> {
    let (db, copy) = connected_where_it_lies(path)?;
    schema::guard(&db)?;
    Ok((db, copy))
}

fn connected_where_it_lies(path: &Path) -> Result<(Connection, Option<tempfile::TempDir>)> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path, flags)?;
    db.busy_timeout(Duration::from_secs(10))?;
    if let Err(error) = db.query_row("SELECT count(*) FROM main.sqlite_master", [], |_| Ok(())) {
        // In a directory without write access SQLite cannot make a log; then no other process
        // writes either. The journal of a killed run it would have to play back.
        let unwritable =
            matches!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly));
        if !unwritable {
            return Err(error.into());
        }
        let logs = ["db-wal", "db-journal"].map(|name| path.with_extension(name));
        if let Some(log) = logs.iter().find(|log| fs::metadata(log).is_ok_and(|log| log.len() > 0)) {
            return copied(path, log).map(|(db, copy)| (db, Some(copy)));
        }
        return open_unchanging(path).map(|db| (db, None));
    }
    Ok((db, None))
}

/// A copy of a database with the log or journal of a killed run, for a place where SQLite cannot
/// write.
fn copied(path: &Path, log: &Path) -> Result<(Connection, tempfile::TempDir)> {
    let copy = tempfile::tempdir().context("cannot make a copy of it")?;
    let to = copy.path().join(NAME);
    let log_to = to.with_extension(log.extension().unwrap_or_default());
    fs::copy(path, &to).and_then(|_| fs::copy(log, &log_to)).context("cannot copy it")?;
    for copied in [&to, &log_to] {
        let mut open = fs::metadata(copied)?.permissions();
        open.set_mode(0o600);
        fs::set_permissions(copied, open)?;
    }
    Ok((Connection::open(&to)?, copy))
}

/// A database that no process writes, in a directory without write access.
fn open_unchanging(path: &Path) -> Result<Connection> {
    let absolute = std::path::absolute(path)?;
    let text = absolute.to_str().context("the path is not UTF-8")?;
    let escaped = agon_printable::percent(text);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    Ok(Connection::open_with_flags(format!("file:{escaped}?immutable=1"), flags)?)
}

/// Checks before anything is written that the file is a database of agon and of a version that is
/// read, with nothing in it that agon does not make.
/// Returns its version; `None` if it is empty, because a run was killed before it had tables.
fn check(db: &Connection, path: &Path) -> Result<Option<i64>> {
    let tables: i64 = db.query_row("SELECT count(*) FROM main.sqlite_master", [], |row| row.get(0))?;
    let application = application(db)?;
    let version = version(db)?;
    if tables == 0 && version == 0 {
        return Ok(None);
    }
    if application != APPLICATION {
        return Err(Misuse::hinted(
            format!("{} is a database of another program", display_path(path)),
            "give another directory with --out",
        ));
    }
    if !(upgrade::OLDEST..=VERSION).contains(&version) {
        return Err(upgrade::refused(db, path, version));
    }
    schema::check(db, path, version)?;
    Ok(Some(version))
}

fn version(db: &Connection) -> rusqlite::Result<i64> {
    db.query_row("PRAGMA user_version", [], |row| row.get(0))
}

fn application(db: &Connection) -> rusqlite::Result<i64> {
    db.query_row("PRAGMA application_id", [], |row| row.get(0))
}

/// Makes the tables of an empty database.
fn make(db: &mut Connection) -> Result<()> {
    let change = db.transaction()?;
    change.execute_batch(SCHEMA)?;
    for step in upgrade::STEPS {
        change.execute_batch(step)?;
    }
    change.pragma_update(None, "application_id", APPLICATION)?;
    change.pragma_update(None, "user_version", VERSION)?;
    Ok(change.commit()?)
}

/// Turns SQLite's errors into ours: a damaged or foreign file is an error of the user.
fn told(error: anyhow::Error, path: &Path) -> anyhow::Error {
    match error.downcast_ref::<rusqlite::Error>().and_then(rusqlite::Error::sqlite_error_code) {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => Misuse::hinted(
            format!("{} is not a database, or is damaged: {error}", display_path(path)),
            "move it away, or give another directory with --out",
        ),
        Some(ErrorCode::CannotOpen | ErrorCode::SystemIoFailure) => match refusal(path) {
            Some(system) => error.context(system),
            None => error,
        },
        _ => error,
    }
}

/// Why the system does not open a database, or the files that SQLite has beside it. SQLite does not
/// say so, and the last error of the system may be of another call: so it is tried once more.
fn refusal(path: &Path) -> Option<io::Error> {
    match fs::File::open(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Some(error),
        _ => tempfile::tempfile_in(path.parent()?).err(),
    }
}

/// Whether the database has a table that is made only when it is needed.
fn has_table(db: &Connection, name: &str) -> rusqlite::Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1)";
    db.prepare_cached(sql)?.query_row([name], |row| row.get(0))
}

#[cfg(test)]
mod tests;
