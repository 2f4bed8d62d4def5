//! What referee programs wrote in their games, and where they were found. The tables are made when
//! they are first needed, so that databases of built-in games are as they were.

use std::path::Path;

use agon_programs::program::display_path;
use agon_record::{GameRecord, RefereeRecord};
use anyhow::{Context, Result};
use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::{Store, has_table};

/// The name of the cell in the chain.
pub(super) const CELL: &str = "referee";

/// The table of what a referee program wrote.
pub(super) const TABLE: &str = "CREATE TABLE IF NOT EXISTS refereed \
    (game INTEGER PRIMARY KEY REFERENCES game, record TEXT NOT NULL) STRICT";

/// Stores what the referee program of a game wrote, if it has one. Returns the stored text.
pub(super) fn insert(change: &Transaction<'_>, number: i64, record: &GameRecord) -> Result<Option<String>> {
    let Some(referee) = &record.referee else { return Ok(None) };
    change.execute_batch(TABLE)?;
    let text = serde_json::to_string(referee)?;
    change
        .prepare_cached("INSERT INTO refereed (game, record) VALUES (?1, ?2)")?
        .execute(params![number, text])?;
    change.execute_batch(SEAT_FAULTS)?;
    for fault in referee.faults.iter().flatten() {
        let seat = i64::try_from(fault.seat.index()).expect("a seat is a small number");
        change
            .prepare_cached("INSERT INTO seat_fault (game, seat, cause) VALUES (?1, ?2, ?3)")?
            .execute(params![number, seat, fault.cause.name()])?;
    }
    Ok(Some(text))
}

/// The cause of the fault of each seat that had one, taken from the record for queries.
pub(super) const SEAT_FAULTS: &str = "CREATE TABLE IF NOT EXISTS seat_fault (
    game      INTEGER NOT NULL REFERENCES game,
    seat      INTEGER NOT NULL,
    cause     TEXT NOT NULL,
    PRIMARY KEY (game, seat)
) STRICT, WITHOUT ROWID";

/// Whether the faults of single seats are stored.
pub(super) fn has_seat_faults(db: &Connection) -> rusqlite::Result<bool> {
    let mut found =
        db.prepare_cached("SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'seat_fault')")?;
    found.query_row([], |row| row.get(0))
}

/// The stored text of a game, if a referee program has refereed it.
pub(super) fn text(db: &Connection, number: i64) -> rusqlite::Result<Option<String>> {
    if !exists(db)? {
        return Ok(None);
    }
    let mut found = db.prepare_cached("SELECT record FROM refereed WHERE game = ?1")?;
    found.query_row([number], |row| row.get(0)).optional()
}

fn exists(db: &Connection) -> rusqlite::Result<bool> {
    let mut found =
        db.prepare_cached("SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'refereed')")?;
    found.query_row([], |row| row.get(0))
}

/// Whether a game that counts is one of a referee program.
pub(super) fn has_games_that_count(db: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM refereed JOIN game ON number = refereed.game WHERE current = 1)";
    Ok(exists(db)? && db.query_row(sql, [], |row| row.get(0))?)
}

/// About how many bytes the lines of a game take, in SQL; `0` where there are none.
pub(super) fn size(db: &Connection) -> rusqlite::Result<&'static str> {
    Ok(match exists(db)? {
        true => "coalesce((SELECT length(record) FROM refereed WHERE refereed.game = number), 0)",
        false => "0",
    })
}

/// Removes the lines of pruned games.
pub(super) fn remove_pruned(change: &Connection) -> rusqlite::Result<()> {
    if exists(change)? {
        change.execute("DELETE FROM refereed WHERE game IN (SELECT number FROM pruned)", [])?;
    }
    if has_seat_faults(change)? {
        change.execute("DELETE FROM seat_fault WHERE game IN (SELECT number FROM pruned)", [])?;
    }
    Ok(())
}

/// Games whose stored faults differ from their records.
pub(super) fn wrong_faults(db: &Connection) -> Result<Vec<i64>> {
    if !has_seat_faults(db)? {
        return Ok(Vec::new());
    }
    let mut rows = db.prepare(
        "SELECT g.number, r.record FROM game g LEFT JOIN refereed r ON r.game = g.number \
         WHERE r.game IS NOT NULL OR g.number IN (SELECT game FROM seat_fault)",
    )?;
    let mut own = db.prepare("SELECT seat, cause FROM seat_fault WHERE game = ?1 ORDER BY seat")?;
    let mut rows = rows.query([])?;
    let mut wrong = Vec::new();
    while let Some(row) = rows.next()? {
        let (number, text) = (row.get::<_, i64>(0)?, row.get::<_, Option<String>>(1)?);
        let referee: Option<RefereeRecord> = text.map(|text| serde_json::from_str(&text)).transpose()?;
        let faults = referee.and_then(|referee| referee.faults).unwrap_or_default();
        let mut expected: Vec<(usize, String)> =
            faults.iter().map(|fault| (fault.seat.index(), fault.cause.name().to_owned())).collect();
        expected.sort();
        let found = own.query_map([number], |row| Ok((row.get(0)?, row.get(1)?)))?;
        if found.collect::<rusqlite::Result<Vec<(usize, String)>>>()? != expected {
            wrong.push(number);
        }
    }
    Ok(wrong)
}

/// Games whose lines are left over.
pub(super) fn loose_ends(db: &Connection) -> rusqlite::Result<Vec<i64>> {
    if !exists(db)? {
        return Ok(Vec::new());
    }
    let mut rows = db.prepare("SELECT game FROM refereed WHERE game NOT IN (SELECT number FROM game)")?;
    let rows = rows.query_map([], |row| row.get(0))?;
    rows.collect()
}

/// Where the referee program of a run was found. Its hash is in the terms of the run.
pub(super) const FOLDERS: &str = "CREATE TABLE IF NOT EXISTS referee_folder (
    run       INTEGER PRIMARY KEY REFERENCES run,
    folder    TEXT NOT NULL
) STRICT";

/// The program that started the referee of a run, such as an interpreter, where it lies outside of
/// the folder.
pub(super) const OUTSIDE: &str = "CREATE TABLE IF NOT EXISTS referee_outside (
    run       INTEGER PRIMARY KEY REFERENCES run,
    program   TEXT NOT NULL
) STRICT";

impl Store {
    /// Notes the folder of the referee program of the current run, and its program if that lies
    /// outside.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn note_referee(&self, folder: &Path, outside: Option<&str>) -> Result<()> {
        let run = self.run.as_ref().expect("a run has begun before its referee is noted");
        let note_outside = |program: &str| {
            self.db.execute_batch(OUTSIDE)?;
            let sql = "INSERT OR REPLACE INTO referee_outside (run, program) VALUES (?1, ?2)";
            self.db.execute(sql, params![run.number, program])
        };
        self.db
            .execute_batch(FOLDERS)
            .and_then(|()| {
                let sql = "INSERT OR REPLACE INTO referee_folder (run, folder) VALUES (?1, ?2)";
                self.db.execute(sql, params![run.number, folder.to_string_lossy()])
            })
            .and_then(|_| outside.map_or(Ok(0), note_outside))
            .with_context(|| format!("cannot write {}", display_path(&self.path)))
            .map(|_| ())
    }

    /// The folder of the referee program of a run, or of the last run that has one if this run has
    /// none, as imported games.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn referee_folder(&self, run: i64) -> Result<Option<String>> {
        let noted = match has_table(&self.db, "referee_folder")? {
            false => None,
            true => {
                let sql =
                    "SELECT folder FROM referee_folder WHERE run = ?1 OR ?1 = 0 ORDER BY run DESC LIMIT 1";
                self.db.query_row(sql, [run], |row| row.get(0)).optional()?
            }
        };
        match noted {
            None if run == 0 => Ok(self.imported()?.and_then(|imported| imported.folder)),
            noted => Ok(noted),
        }
    }

    /// The program outside of its folder that started the referee of a run, if there was one and it
    /// is known.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn referee_outside(&self, run: i64) -> Result<Option<String>> {
        if !has_table(&self.db, "referee_outside")? {
            return Ok(None);
        }
        let sql = "SELECT program FROM referee_outside WHERE run = ?1";
        Ok(self.db.query_row(sql, [run], |row| row.get(0)).optional()?)
    }

    /// Whether there are games of referee programs.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn has_refereed_games(&self) -> Result<bool> {
        Ok(exists(&self.db)?)
    }

    /// What the referee program of a game wrote.
    pub(super) fn refereed(&self, number: i64) -> Result<Option<Box<RefereeRecord>>> {
        let Some(text) = text(&self.db, number)? else { return Ok(None) };
        let record = serde_json::from_str(&text)
            .with_context(|| format!("the lines of the referee in game number {number} cannot be read"))?;
        Ok(Some(Box::new(record)))
    }
}
