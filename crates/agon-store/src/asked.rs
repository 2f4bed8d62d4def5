//! Which file asked for the tournament of a directory: two files without `out` would share one. The
//! table is made when a cup, a league or a grading begins.

use agon_programs::program::display_path;
use anyhow::{Context, Result};
use rusqlite::{OptionalExtension, params};

use super::{Store, has_table};

pub(super) const TABLE: &str = "CREATE TABLE IF NOT EXISTS asked_by (
    run       INTEGER PRIMARY KEY REFERENCES run,
    -- tournament or grades
    what      TEXT NOT NULL,
    file      TEXT NOT NULL
) STRICT";

/// A tournament as a file asks for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AskedBy {
    /// `tournament` or `grades`.
    pub what: String,
    /// The path of the file.
    pub file: String,
}

impl Store {
    /// Notes who asked for the current run.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn note_asked_by(&self, asked: &AskedBy) -> Result<()> {
        let run = self.run.as_ref().expect("a run has begun before its file is noted");
        let sql = "INSERT OR REPLACE INTO asked_by (run, what, file) VALUES (?1, ?2, ?3)";
        self.db
            .execute_batch(TABLE)
            .and_then(|()| self.db.execute(sql, params![run.number, asked.what, asked.file]))
            .with_context(|| format!("cannot write {}", display_path(&self.path)))
            .map(|_| ())
    }

    /// Who asked for the last run that says so.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn asked_by(&self) -> Result<Option<AskedBy>> {
        if !has_table(&self.db, "asked_by")? {
            return Ok(None);
        }
        let sql = "SELECT what, file FROM asked_by ORDER BY run DESC LIMIT 1";
        let row = self.db.query_row(sql, [], |row| Ok(AskedBy { what: row.get(0)?, file: row.get(1)? }));
        Ok(row.optional()?)
    }
}
