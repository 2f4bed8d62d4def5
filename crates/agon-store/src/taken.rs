//! The intake with which a class has played: the hash of who has handed in what, and when. The
//! table is made when a grading begins.

use agon_programs::program::display_path;
use anyhow::{Context, Result};
use rusqlite::{OptionalExtension, params};

use super::{Store, has_table};

pub(super) const TABLE: &str = "CREATE TABLE IF NOT EXISTS taken_in (
    run       INTEGER NOT NULL REFERENCES run,
    hash      TEXT NOT NULL,
    -- how many questions were open when it was accepted
    open      INTEGER NOT NULL,
    PRIMARY KEY (run, hash)
) STRICT";

/// The intake of a class.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IntakeNote {
    /// The hash of it.
    pub hash: String,
    /// How many questions were open, and left so by the organiser.
    pub open: u32,
}

impl Store {
    /// Notes the intake with which the current run goes on.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn note_intake(&self, intake: &IntakeNote) -> Result<()> {
        let run = self.run.as_ref().expect("a run has begun before its intake is noted");
        // The last one is that of today, also if it was here before.
        let sql = "INSERT OR REPLACE INTO taken_in (run, hash, open) VALUES (?1, ?2, ?3)";
        self.db
            .execute_batch(TABLE)
            .and_then(|()| self.db.execute(sql, params![run.number, intake.hash, intake.open]))
            .with_context(|| format!("cannot write {}", display_path(&self.path)))
            .map(|_| ())
    }

    /// The intake with which the class has played last.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn intake(&self) -> Result<Option<IntakeNote>> {
        if !has_table(&self.db, "taken_in")? {
            return Ok(None);
        }
        let sql = "SELECT hash, open FROM taken_in ORDER BY rowid DESC LIMIT 1";
        let row = self.db.query_row(sql, [], |row| Ok(IntakeNote { hash: row.get(0)?, open: row.get(1)? }));
        Ok(row.optional()?)
    }
}
