//! From which run on ratings are stored as they are computed today. Ratings of runs before it had
//! no prior for the tendency to draw, and were those of the whole field.

use anyhow::Result;
use rusqlite::Connection;

use super::{Store, has_table};

/// The table is made by the first run that is finished with today's ratings.
pub(super) const TABLE: &str =
    "CREATE TABLE IF NOT EXISTS rated (run INTEGER PRIMARY KEY REFERENCES run) STRICT";

/// Notes that the ratings of a run are today's.
pub(super) fn keep(db: &Connection, run: i64) -> rusqlite::Result<()> {
    db.execute_batch(TABLE)?;
    db.execute("INSERT OR IGNORE INTO rated (run) VALUES (?1)", [run])?;
    Ok(())
}

impl Store {
    /// Whether the ratings of this run are those of an earlier version. A run after one with
    /// today's ratings has today's.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn is_rated_as_once(&self, run: i64) -> Result<bool> {
        if !has_table(&self.db, "rated")? {
            return Ok(true);
        }
        let words = "SELECT NOT EXISTS (SELECT 1 FROM rated WHERE run <= ?1)";
        Ok(self.db.query_row(words, [run], |row| row.get(0))?)
    }
}
