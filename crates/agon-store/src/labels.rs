//! The labels of runs: words of the user, such as the version of an engine.

use anyhow::Result;
use rusqlite::{Connection, OptionalExtension, Transaction};

use super::{Store, has_table};

/// Gives a run this label instead of the one that it had.
pub(super) fn put(change: &Transaction<'_>, run: i64, label: &str) -> rusqlite::Result<()> {
    change.execute("INSERT OR REPLACE INTO run_label (run, label) VALUES (?1, ?2)", (run, label))?;
    Ok(())
}

/// The label of a run.
pub(super) fn of(db: &Connection, run: i64) -> rusqlite::Result<Option<String>> {
    // A database of version 7 is read as it is.
    if !has_table(db, "run_label")? {
        return Ok(None);
    }
    db.query_row("SELECT label FROM run_label WHERE run = ?1", [run], |row| row.get(0)).optional()
}

impl Store {
    /// The labels that runs have, each once, in the order of the runs.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn labels(&self) -> Result<Vec<String>> {
        if !has_table(&self.db, "run_label")? {
            return Ok(Vec::new());
        }
        let mut rows = self.db.prepare("SELECT label FROM run_label GROUP BY label ORDER BY min(run)")?;
        let labels = rows.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        Ok(labels)
    }
}
