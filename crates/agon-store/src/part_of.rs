//! Which parts of its plan a run has played here. The table is made by the first run that plays a
//! part; `agon merge` and a run that plays everything remove what it says.

use agon_config::Part;
use agon_programs::program::display_path;
use anyhow::{Context, Result};
use rusqlite::{Connection, params};

use super::{Store, has_table};

pub(super) const TABLE: &str = "CREATE TABLE IF NOT EXISTS part (
    run       INTEGER NOT NULL REFERENCES run,
    -- as --part has it: 2/8
    part      TEXT NOT NULL,
    PRIMARY KEY (run, part)
) STRICT, WITHOUT ROWID";

/// Notes that the whole plan belongs here.
pub(super) fn forget(change: &Connection) -> rusqlite::Result<()> {
    if has_table(change, "part")? {
        change.execute("DELETE FROM part", [])?;
    }
    Ok(())
}

impl Store {
    /// Notes which part of its plan the current run plays; `None` is all of it.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn note_part(&self, part: Option<Part>) -> Result<()> {
        let run = self.run.as_ref().expect("a run has begun before its part is noted").number;
        let note = || -> rusqlite::Result<()> {
            let Some(part) = part else { return forget(&self.db) };
            self.db.execute_batch(TABLE)?;
            let sql = "INSERT OR IGNORE INTO part (run, part) VALUES (?1, ?2)";
            self.db.execute(sql, params![run, part.spelling()]).map(|_| ())
        };
        note().with_context(|| format!("cannot write {}", display_path(&self.path)))
    }

    /// The parts of its plan that the last run has here; none if all of it is here.
    ///
    /// # Errors
    /// Errors of the database, or a part cannot be read.
    pub fn parts_here(&self) -> Result<Vec<Part>> {
        if !has_table(&self.db, "part")? {
            return Ok(Vec::new());
        }
        let sql = "SELECT part FROM part WHERE run = (SELECT max(number) FROM run) ORDER BY part";
        let mut rows = self.db.prepare(sql)?;
        let parts = rows.query_map([], |row| row.get::<_, String>(0))?;
        parts.map(|part| part?.parse().map_err(|why| anyhow::anyhow!("a part of the run: {why}"))).collect()
    }
}
