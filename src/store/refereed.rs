//! What referee programs wrote in their games. Its table is made with the first such game, so that
//! databases of built-in games are as they were.

use anyhow::{Context, Result};
use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::Store;
use super::chain::Content;
use crate::record::{GameRecord, RefereeRecord};

/// The name of the cell in the chain.
pub(super) const CELL: &str = "referee";

/// Stores what the referee program of a game wrote, if it has one.
pub(super) fn insert(
    change: &Transaction<'_>,
    number: i64,
    record: &GameRecord,
    content: &mut Content,
) -> Result<()> {
    let Some(referee) = &record.referee else { return Ok(()) };
    change.execute_batch(
        "CREATE TABLE IF NOT EXISTS refereed (game INTEGER PRIMARY KEY REFERENCES game, record TEXT NOT NULL) STRICT",
    )?;
    let text = serde_json::to_string(referee)?;
    content.text(CELL, &text);
    change
        .prepare_cached("INSERT INTO refereed (game, record) VALUES (?1, ?2)")?
        .execute(params![number, text])?;
    Ok(())
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

impl Store {
    /// What the referee program of a game wrote.
    pub(super) fn refereed(&self, number: i64) -> Result<Option<Box<RefereeRecord>>> {
        let Some(text) = text(&self.db, number)? else { return Ok(None) };
        let record = serde_json::from_str(&text)
            .with_context(|| format!("the lines of the referee in game number {number} cannot be read"))?;
        Ok(Some(Box::new(record)))
    }
}
