//! The pauses of games. Their table is created with the first pause, so other databases stay
//! unchanged.

use agon_record::{GameRecord, Pause, SeatRecord};
use agon_seats::PerSeat;
use anyhow::{Context, Result};
use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::{Store, has_table};

/// The name of the cell in the chain, and of the table.
pub(super) const CELL: &str = "pauses";

/// The table of pauses.
pub(super) const TABLE: &str = "CREATE TABLE IF NOT EXISTS pauses \
    (game INTEGER PRIMARY KEY REFERENCES game, record TEXT NOT NULL) STRICT";

/// Stores the pauses of a game, if there were any. Returns the stored text: a JSON list for each
/// seat.
pub(super) fn insert(change: &Transaction<'_>, number: i64, record: &GameRecord) -> Result<Option<String>> {
    if record.seats.values().iter().all(|seat| seat.pauses.is_empty()) {
        return Ok(None);
    }
    change.execute_batch(TABLE)?;
    let lists: Vec<&Vec<Pause>> = record.seats.values().iter().map(|seat| &seat.pauses).collect();
    let text = serde_json::to_string(&lists)?;
    change
        .prepare_cached("INSERT INTO pauses (game, record) VALUES (?1, ?2)")?
        .execute(params![number, text])?;
    Ok(Some(text))
}

/// The stored text of a game, if it was paused.
pub(super) fn text(db: &Connection, number: i64) -> rusqlite::Result<Option<String>> {
    if !has_table(db, CELL)? {
        return Ok(None);
    }
    let mut found = db.prepare_cached("SELECT record FROM pauses WHERE game = ?1")?;
    found.query_row([number], |row| row.get(0)).optional()
}

/// Removes the pauses of pruned games.
pub(super) fn remove_pruned(change: &Connection) -> rusqlite::Result<()> {
    if has_table(change, CELL)? {
        change.execute("DELETE FROM pauses WHERE game IN (SELECT number FROM pruned)", [])?;
    }
    Ok(())
}

/// Games whose pauses are left over.
pub(super) fn loose_ends(db: &Connection) -> rusqlite::Result<Vec<i64>> {
    if !has_table(db, CELL)? {
        return Ok(Vec::new());
    }
    let mut rows = db.prepare("SELECT game FROM pauses WHERE game NOT IN (SELECT number FROM game)")?;
    let rows = rows.query_map([], |row| row.get(0))?;
    rows.collect()
}

impl Store {
    /// Fills in the pauses of each seat of a game.
    pub(super) fn read_pauses(&self, number: i64, seats: &mut PerSeat<SeatRecord>) -> Result<()> {
        let Some(text) = text(&self.db, number)? else { return Ok(()) };
        let lists: Vec<Vec<Pause>> = serde_json::from_str(&text)
            .with_context(|| format!("the pauses of game number {number} cannot be read"))?;
        for ((_, seat), pauses) in seats.iter_mut().zip(lists) {
            seat.pauses = pauses;
        }
        Ok(())
    }
}
