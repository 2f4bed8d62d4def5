//! The event that a run is played for, as the organiser describes it.

use agon_config::{EventFile, Logo};
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

/// The picture of the event of a run.
pub(super) const LOGO: &str = "CREATE TABLE IF NOT EXISTS event_logo (
    run     INTEGER PRIMARY KEY REFERENCES run (number),
    address TEXT NOT NULL                 -- data:image/...
) STRICT";

/// The prizes of the event of a run.
pub(super) const PRIZES: &str = "CREATE TABLE IF NOT EXISTS event_prizes (
    run  INTEGER PRIMARY KEY REFERENCES run (number),
    text TEXT NOT NULL
) STRICT";

fn names() -> String {
    COLUMNS.map(|(name, _)| name).join(", ")
}

/// Stores what is said of the event of a run instead of what was said of it before.
pub(super) fn put(change: &Transaction<'_>, run: i64, event: &EventFile) -> rusqlite::Result<()> {
    let mut event = event.clone();
    let values = COLUMNS.map(|(_, value)| value(&mut event).take());
    let sql = format!("INSERT OR REPLACE INTO event (run, {}) VALUES ({run}, ?1, ?2, ?3, ?4, ?5)", names());
    change.execute(&sql, params_from_iter(values))?;
    if let Some(logo) = &event.logo {
        change.execute_batch(LOGO)?;
        let sql = "INSERT OR REPLACE INTO event_logo (run, address) VALUES (?1, ?2)";
        change.execute(sql, (run, logo.address()))?;
    } else if has_table(change, "event_logo")? {
        change.execute("DELETE FROM event_logo WHERE run = ?1", [run])?;
    }
    if let Some(prizes) = &event.prizes {
        change.execute_batch(PRIZES)?;
        change.execute("INSERT OR REPLACE INTO event_prizes (run, text) VALUES (?1, ?2)", (run, prizes))?;
    } else if has_table(change, "event_prizes")? {
        change.execute("DELETE FROM event_prizes WHERE run = ?1", [run])?;
    }
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
        let sql = format!("SELECT {}, run FROM event ORDER BY run DESC LIMIT 1", names());
        let read = |row: &rusqlite::Row<'_>| {
            let mut event = EventFile::default();
            for (at, (_, value)) in COLUMNS.iter().enumerate() {
                *value(&mut event) = row.get(at)?;
            }
            Ok((event, row.get::<_, i64>(COLUMNS.len())?))
        };
        let Some((mut event, run)) = self.db.query_row(&sql, [], read).optional()? else { return Ok(None) };
        if has_table(&self.db, "event_logo")? {
            let sql = "SELECT address FROM event_logo WHERE run = ?1";
            let address: Option<String> = self.db.query_row(sql, [run], |row| row.get(0)).optional()?;
            event.logo = address.and_then(Logo::of_address);
        }
        if has_table(&self.db, "event_prizes")? {
            let sql = "SELECT text FROM event_prizes WHERE run = ?1";
            event.prizes = self.db.query_row(sql, [run], |row| row.get(0)).optional()?;
        }
        Ok(Some(event))
    }
}
