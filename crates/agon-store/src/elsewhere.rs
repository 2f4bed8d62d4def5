//! Where and how engines played elsewhere. The table is created with the first run of such an
//! engine, so other databases stay unchanged.

use agon_programs::program::display_path;
use agon_record::{GameRecord, PlayedElsewhere, SeatRecord};
use agon_seats::PerSeat;
use anyhow::{Context, Result};
use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::{Store, has_table};

/// The name of the cell in the chain, and of the table.
pub(super) const CELL: &str = "elsewhere";

pub(super) const TABLE: &str = "CREATE TABLE IF NOT EXISTS elsewhere \
    (game INTEGER PRIMARY KEY REFERENCES game, record TEXT NOT NULL) STRICT";

/// Stores which engines of a game played elsewhere, if one did. Returns the stored text: a JSON
/// list with `null` for each seat that played here.
pub(super) fn insert(change: &Transaction<'_>, number: i64, record: &GameRecord) -> Result<Option<String>> {
    if record.seats.values().iter().all(|seat| seat.elsewhere.is_none()) {
        return Ok(None);
    }
    change.execute_batch(TABLE)?;
    let list: Vec<&Option<PlayedElsewhere>> =
        record.seats.values().iter().map(|seat| &seat.elsewhere).collect();
    let text = serde_json::to_string(&list)?;
    change
        .prepare_cached("INSERT INTO elsewhere (game, record) VALUES (?1, ?2)")?
        .execute(params![number, text])?;
    Ok(Some(text))
}

/// The stored text of a game, if an engine played elsewhere.
pub(super) fn text(db: &Connection, number: i64) -> rusqlite::Result<Option<String>> {
    if !has_table(db, CELL)? {
        return Ok(None);
    }
    let mut found = db.prepare_cached("SELECT record FROM elsewhere WHERE game = ?1")?;
    found.query_row([number], |row| row.get(0)).optional()
}

/// Removes what belongs to pruned games.
pub(super) fn remove_pruned(change: &Connection) -> rusqlite::Result<()> {
    if has_table(change, CELL)? {
        change.execute("DELETE FROM elsewhere WHERE game IN (SELECT number FROM pruned)", [])?;
    }
    Ok(())
}

/// Games that are gone, and of which this is left over.
pub(super) fn loose_ends(db: &Connection) -> rusqlite::Result<Vec<i64>> {
    if !has_table(db, CELL)? {
        return Ok(Vec::new());
    }
    let mut rows = db.prepare("SELECT game FROM elsewhere WHERE game NOT IN (SELECT number FROM game)")?;
    let rows = rows.query_map([], |row| row.get(0))?;
    rows.collect()
}

impl Store {
    /// Notes before the first game that engines play elsewhere in this run: its tables have columns
    /// for that from the beginning.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn expect_elsewhere(&self) -> Result<()> {
        self.db.execute_batch(TABLE).with_context(|| format!("cannot write {}", display_path(&self.path)))
    }

    /// Whether engines have played elsewhere, or are to.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn has_elsewhere(&self) -> Result<bool> {
        Ok(has_table(&self.db, CELL)?)
    }

    /// Fills in how each seat of a game played elsewhere.
    pub(super) fn read_elsewhere(&self, number: i64, seats: &mut PerSeat<SeatRecord>) -> Result<()> {
        let Some(text) = text(&self.db, number)? else { return Ok(()) };
        let list: Vec<Option<PlayedElsewhere>> = serde_json::from_str(&text)
            .with_context(|| format!("how game number {number} was played elsewhere cannot be read"))?;
        for ((_, seat), elsewhere) in seats.iter_mut().zip(list) {
            seat.elsewhere = elsewhere;
        }
        Ok(())
    }
}
