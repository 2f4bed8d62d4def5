//! What a database may consist of: the tables and indexes that agon makes, word for word.
//!
//! A database may come from somebody else. Its triggers, views and virtual tables would act while
//! its games are read or copied, so it is refused before any of its tables is read.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use agon_config::Misuse;
use agon_printable::clean;
use agon_programs::program::display_path;
use anyhow::Result;
use rusqlite::Connection;
use rusqlite::config::DbConfig;

use super::{
    SCHEMA, VERSION, arrangements, asked, begin, elsewhere, event, finishes, forget, host, imported,
    manifests, part_of, pauses, programs, prune, ranking, rated, refereed, rulings, spent, taken, tested,
    upgrade, whole,
};

/// The tables that are made when they are first needed.
pub(super) const LATER: [&str; 27] = [
    asked::TABLE,
    begin::OUTSIDE,
    rulings::TABLE,
    elsewhere::TABLE,
    event::LOGO,
    event::PRIZES,
    finishes::TABLE,
    forget::FORGOTTEN,
    host::TABLES,
    imported::TABLE,
    manifests::TABLE,
    manifests::OF_GAMES,
    part_of::TABLE,
    pauses::TABLE,
    programs::TABLE,
    prune::TABLE,
    ranking::TABLE,
    rated::TABLE,
    refereed::TABLE,
    refereed::SEAT_FAULTS,
    refereed::FOLDERS,
    refereed::OUTSIDE,
    spent::TABLE,
    taken::TABLE,
    tested::TABLE,
    whole::TABLE,
    arrangements::TABLE,
];

/// A table that agon makes.
pub struct MadeTable {
    /// Its name.
    pub name: String,
    /// The statement that makes it.
    pub sql: String,
    /// The names of its columns.
    pub columns: Vec<String>,
}

/// Every table that a database may have, by name. docs/verify.md tells which columns are not
/// covered, and a test changes each of them.
///
/// # Errors
/// Errors of SQLite.
pub fn every_table() -> Result<Vec<MadeTable>> {
    let db = Connection::open_in_memory()?;
    let steps = upgrade::steps_to(VERSION).iter().copied();
    std::iter::once(SCHEMA).chain(steps).chain(LATER).try_for_each(|made| db.execute_batch(made))?;
    let mut columns = db.prepare("SELECT name FROM pragma_table_info(?1) ORDER BY cid")?;
    let mut rows = db.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name")?;
    let rows = rows.query_map([], |row| {
        let name: String = row.get(0)?;
        let columns = columns.query_map([&name], |row| row.get(0))?.collect::<Result<_, _>>()?;
        Ok(MadeTable { name, sql: row.get(1)?, columns })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The type of an object, its name, and its table.
type Object = (String, String, String);
/// Objects with the words that made them; SQLite's own indexes have none.
type Objects = HashMap<Object, Option<String>>;

/// Lets nothing of the database act by itself, whatever it holds. Agon has no triggers or views.
pub(super) fn guard(db: &Connection) -> rusqlite::Result<()> {
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    Ok(())
}

/// Checks that a database of this version has what agon makes, and nothing else.
///
/// # Errors
/// [`Misuse`] that names every other object, or a table that is missing; or errors of the database.
pub(super) fn check(db: &Connection, path: &Path, version: i64) -> Result<()> {
    let own = &Own::of(version)?;
    let found = objects(db)?;
    let mut missing: Vec<&Object> = own.always.keys().filter(|object| !found.contains_key(*object)).collect();
    missing.sort();
    let others = found.iter().filter(|(object, words)| own.all.get(*object) != Some(*words));
    let mut others: Vec<Other<'_>> = others.map(|(object, words)| (object, words.as_deref())).collect();
    others.sort();
    if !others.is_empty() {
        return Err(of_others(&others, own, missing.is_empty(), path));
    }
    let Some((kind, name, _)) = missing.iter().max_by_key(|(kind, ..)| kind.as_str() == "table") else {
        return Ok(());
    };
    Err(Misuse::hinted(
        format!("{} has no {kind} {name}: it is damaged, or somebody has changed it", display_path(path)),
        "copy agon.db once more from where its games were played",
    ))
}

/// How many other objects are named.
const NAMED: usize = 5;

/// An object that agon does not make, with its words.
type Other<'a> = (&'a Object, Option<&'a str>);

/// The message about such objects, where all that agon makes is there, or not.
fn of_others(others: &[Other<'_>], own: &Own, is_whole: bool, path: &Path) -> anyhow::Error {
    let mut named: Vec<String> = others.iter().take(NAMED).map(|other| words_of(*other, own)).collect();
    if others.len() > named.len() {
        named.push(format!("{} more", others.len() - named.len()));
    }
    let copy = "copy agon.db once more from where its games were played, with the agon that wrote it";
    let hint = match dropped(others, own).filter(|_| is_whole) {
        None => format!("a database is read as data alone: {copy}"),
        Some(sql) => format!(
            "a database is read as data alone: if you have made it, remove it with sqlite3 {} \"{sql}\"; otherwise {copy}",
            display_path(path)
        ),
    };
    Misuse::hinted(format!("{} has {}", display_path(path), named.join(", and ")), hint)
}

fn words_of((object, words): Other<'_>, own: &Own) -> String {
    let (kind, name, table) = object;
    let is_own = own.all.contains_key(object);
    let is_virtual = words.is_some_and(|words| words.starts_with("CREATEVIRTUAL"));
    let what = match kind.as_str() {
        "table" if is_own => "a table with other columns than agon makes:",
        "table" if is_virtual => "a virtual table,",
        "table" if name.starts_with(STATISTICS) => "the statistics of ANALYZE,",
        "table" => "a table that agon does not make:",
        "trigger" => "a trigger,",
        "view" => "a view,",
        _ => "an index that agon does not make:",
    };
    let place = if name == table { String::new() } else { format!(" of {}", clean(table)) };
    format!("{what} {}{place}", clean(name))
}

/// How the tables of `ANALYZE` are called.
const STATISTICS: &str = "sqlite_stat";

/// The statements that remove these objects, if all of them can be removed, and nothing is lost by
/// it that agon has made.
fn dropped(others: &[Other<'_>], own: &Own) -> Option<String> {
    let is_plain = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    // SQLite removes its own indexes, which have no words, with their tables.
    let made = || others.iter().filter(|(_, words)| words.is_some()).map(|(object, _)| *object);
    if made().any(|object| own.all.contains_key(object) || !is_plain(&object.1)) {
        return None;
    }
    let all: Vec<String> =
        made().map(|(kind, name, _)| format!("DROP {} {name}", kind.to_uppercase())).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// What agon makes.
struct Own {
    /// In every database.
    always: Objects,
    /// With the tables that are made when they are first needed.
    all: Objects,
}

impl Own {
    /// In a database of this version. The present one is asked for often, and made once.
    fn of(version: i64) -> rusqlite::Result<Arc<Own>> {
        static PRESENT: OnceLock<Arc<Own>> = OnceLock::new();
        if version != VERSION {
            return Own::made(version).map(Arc::new);
        }
        if let Some(own) = PRESENT.get() {
            return Ok(own.clone());
        }
        let own = Arc::new(Own::made(version)?);
        Ok(PRESENT.get_or_init(|| own).clone())
    }

    fn made(version: i64) -> rusqlite::Result<Own> {
        let db = Connection::open_in_memory()?;
        db.execute_batch(SCHEMA)?;
        for step in upgrade::steps_to(version) {
            db.execute_batch(step)?;
        }
        let always = objects(&db)?;
        for table in LATER {
            db.execute_batch(table)?;
        }
        let all = objects(&db)?;
        Ok(Own { always, all })
    }
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
pub(super) fn bare(sql: &str) -> String {
    let lines = sql.split('\n').map(|line| line.split_once("--").map_or(line, |(words, _)| words));
    lines.flat_map(str::chars).filter(|letter| !letter.is_ascii_whitespace()).collect()
}
