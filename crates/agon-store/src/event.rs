//! The event that a run is played for, as the organiser describes it.

use agon_config::EventFile;
use anyhow::Result;
use rusqlite::{OptionalExtension, Transaction, params_from_iter};

use super::{Store, has_table};

/// A column: its name, and the value that it holds.
type Column = (&'static str, fn(&mut EventFile) -> &mut Option<String>);

/// The columns of the table, from which it is written and read.
const COLUMNS: [Column; 5] = [
    ("title", |event| &mut event.title),
    ("date", |event| &mut event.date),
    ("place", |event| &mut event.place),
    ("organiser", |event| &mut event.organiser),
    ("text", |event| &mut event.text),
];

fn names() -> String {
    COLUMNS.map(|(name, _)| name).join(", ")
}

/// Stores what is said of the event of a run instead of what was said of it before.
pub(super) fn put(change: &Transaction<'_>, run: i64, event: &EventFile) -> rusqlite::Result<()> {
    let mut event = event.clone();
    let values = COLUMNS.map(|(_, value)| value(&mut event).take());
    let sql = format!("INSERT OR REPLACE INTO event (run, {}) VALUES ({run}, ?1, ?2, ?3, ?4, ?5)", names());
    change.execute(&sql, params_from_iter(values))?;
    Ok(())
}

impl Store {
    /// What is said of the event of the last run that says something of it.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn event(&self) -> Result<Option<EventFile>> {
        // A database of version 7 is read as it is.
        if !has_table(&self.db, "event")? {
            return Ok(None);
        }
        let sql = format!("SELECT {} FROM event ORDER BY run DESC LIMIT 1", names());
        let read = |row: &rusqlite::Row<'_>| {
            let mut event = EventFile::default();
            for (at, (_, value)) in COLUMNS.iter().enumerate() {
                *value(&mut event) = row.get(at)?;
            }
            Ok(event)
        };
        Ok(self.db.query_row(&sql, [], read).optional()?)
    }
}
