//! What a database may consist of: the tables and indexes that agon makes, word for word.
//!
//! A database may come from somebody else. Its triggers, views and virtual tables would act while
//! its games are read or copied, so it is refused before any of its tables is read.

use std::collections::HashMap;
use std::path::Path;
use std::sync::OnceLock;

use agon_printable::clean;
use anyhow::Result;
use rusqlite::Connection;
use rusqlite::config::DbConfig;

use super::{
    SCHEMA, begin, elsewhere, finishes, forget, host, manifests, pauses, programs, prune, ranking, refereed,
    spent,
};
use crate::config::Misuse;
use crate::engine::program::display_path;

/// The tables that are made when they are first needed.
const LATER: [&str; 15] = [
    begin::OUTSIDE,
    elsewhere::TABLE,
    finishes::TABLE,
    forget::FORGOTTEN,
    host::TABLES,
    manifests::TABLE,
    pauses::TABLE,
    programs::TABLE,
    prune::TABLE,
    ranking::TABLE,
    refereed::TABLE,
    refereed::SEAT_FAULTS,
    refereed::FOLDERS,
    refereed::OUTSIDE,
    spent::TABLE,
];

/// Objects by type, name and table, with the words that made them; SQLite's own indexes have none.
type Objects = HashMap<(String, String, String), Option<String>>;

/// Lets nothing of the database act by itself, whatever it holds. Agon has no triggers or views.
pub(super) fn guard(db: &Connection) -> rusqlite::Result<()> {
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    Ok(())
}

/// Checks that the database has nothing but what agon makes.
///
/// # Errors
/// [`Misuse`] that names the first other object, or errors of the database.
pub(super) fn check(db: &Connection, path: &Path) -> Result<()> {
    let own = own()?;
    let mut found: Vec<_> = objects(db)?.into_iter().collect();
    found.sort();
    for (object, words) in found {
        if own.get(&object) == Some(&words) {
            continue;
        }
        let (kind, name, table) = &object;
        let what = match kind.as_str() {
            "table" if own.contains_key(&object) => "a table with other columns than agon makes:",
            "table" if words.is_some_and(|words| words.starts_with("CREATEVIRTUAL")) => "a virtual table,",
            "table" => "a table that agon does not make:",
            "trigger" => "a trigger,",
            "view" => "a view,",
            _ => "an index that agon does not make:",
        };
        let place = if name == table { String::new() } else { format!(" of {}", clean(table)) };
        return Err(Misuse::hinted(
            format!("{} has {what} {}{place}", display_path(path), clean(name)),
            "a database is read as data alone: copy agon.db once more from where its games were played, with the agon \
             that wrote it",
        ));
    }
    Ok(())
}

/// What agon makes.
fn own() -> rusqlite::Result<&'static Objects> {
    static OWN: OnceLock<Objects> = OnceLock::new();
    if let Some(own) = OWN.get() {
        return Ok(own);
    }
    let db = Connection::open_in_memory()?;
    db.execute_batch(SCHEMA)?;
    for table in LATER {
        db.execute_batch(table)?;
    }
    let made = objects(&db)?;
    Ok(OWN.get_or_init(|| made))
}

/// Every object of a database. The oldest name of the table of objects is taken, which no view can
/// have.
fn objects(db: &Connection) -> rusqlite::Result<Objects> {
    let mut rows = db.prepare("SELECT type, name, tbl_name, sql FROM main.sqlite_master")?;
    let rows = rows.query_map([], |row| {
        let words = row.get::<_, Option<String>>(3)?.map(|sql| bare(&sql));
        Ok(((row.get(0)?, row.get(1)?, row.get(2)?), words))
    })?;
    rows.collect()
}

/// The words without blanks and comments, which differ between versions of agon. Our tables have no
/// quotes, in which two dashes would be no comment.
fn bare(sql: &str) -> String {
    let lines = sql.split('\n').map(|line| line.split_once("--").map_or(line, |(words, _)| words));
    lines.flat_map(str::chars).filter(|letter| !letter.is_ascii_whitespace()).collect()
}
