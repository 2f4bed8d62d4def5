//! How engines spent the turns in which others kept them from a processor, and those that they lost
//! on time. The table is created with the first such turn, so other databases stay unchanged.

use agon_record::{GameRecord, SeatRecord, SpentTime};
use agon_seats::PerSeat;
use anyhow::{Context, Result};
use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::{Store, has_table};

/// The name of the cell in the chain, and of the table.
pub(super) const CELL: &str = "spent";

/// The table of how turns were spent.
pub(super) const TABLE: &str = "CREATE TABLE IF NOT EXISTS spent \
    (game INTEGER PRIMARY KEY REFERENCES game, record TEXT NOT NULL) STRICT";

/// Stores these turns of a game, if there are any. Returns the stored text: a JSON list for each
/// seat.
pub(super) fn insert(change: &Transaction<'_>, number: i64, record: &GameRecord) -> Result<Option<String>> {
    if record.seats.values().iter().all(|seat| seat.spent.is_empty()) {
        return Ok(None);
    }
    change.execute_batch(TABLE)?;
    let lists: Vec<&Vec<SpentTime>> = record.seats.values().iter().map(|seat| &seat.spent).collect();
    let text = serde_json::to_string(&lists)?;
    change
        .prepare_cached("INSERT INTO spent (game, record) VALUES (?1, ?2)")?
        .execute(params![number, text])?;
    Ok(Some(text))
}

/// The stored text of a game, if there is one.
pub(super) fn text(db: &Connection, number: i64) -> rusqlite::Result<Option<String>> {
    if !has_table(db, CELL)? {
        return Ok(None);
    }
    let mut found = db.prepare_cached("SELECT record FROM spent WHERE game = ?1")?;
    found.query_row([number], |row| row.get(0)).optional()
}

/// Removes the turns of pruned games.
pub(super) fn remove_pruned(change: &Connection) -> rusqlite::Result<()> {
    if has_table(change, CELL)? {
        change.execute("DELETE FROM spent WHERE game IN (SELECT number FROM pruned)", [])?;
    }
    Ok(())
}

/// Games that are gone, and whose turns are left over.
pub(super) fn loose_ends(db: &Connection) -> rusqlite::Result<Vec<i64>> {
    if !has_table(db, CELL)? {
        return Ok(Vec::new());
    }
    let mut rows = db.prepare("SELECT game FROM spent WHERE game NOT IN (SELECT number FROM game)")?;
    let rows = rows.query_map([], |row| row.get(0))?;
    rows.collect()
}

impl Store {
    /// Fills in how each seat of a game spent these turns.
    pub(super) fn read_spent(&self, number: i64, seats: &mut PerSeat<SeatRecord>) -> Result<()> {
        let Some(text) = text(&self.db, number)? else { return Ok(()) };
        let lists: Vec<Vec<SpentTime>> = serde_json::from_str(&text)
            .with_context(|| format!("how the turns of game number {number} were spent cannot be read"))?;
        for ((_, seat), spent) in seats.iter_mut().zip(lists) {
            seat.spent = spent;
        }
        Ok(())
    }
}
