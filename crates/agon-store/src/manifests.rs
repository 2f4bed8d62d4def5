//! What the boxes of a run's engines show, each place with its reason. The table is made with the
//! first run in boxes, so other databases stay unchanged. Games from elsewhere bring their own
//! list, in a table that the first of them makes.

use agon_programs::manifest::Manifest;
use agon_programs::program::display_path;
use agon_record::BoxPlace;
use agon_seats::PerSeat;
use anyhow::{Context, Result};
use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::read::Stored;
use super::{Store, has_table};

pub(super) const TABLE: &str = "CREATE TABLE IF NOT EXISTS manifest (
    run       INTEGER NOT NULL REFERENCES run,
    engine    INTEGER NOT NULL REFERENCES engine,
    path      TEXT NOT NULL,
    reason    TEXT NOT NULL,
    PRIMARY KEY (run, engine, path)
) STRICT, WITHOUT ROWID";

/// The lists of games that were played in another database.
pub(super) const OF_GAMES: &str = "CREATE TABLE IF NOT EXISTS boxed (
    game      INTEGER PRIMARY KEY REFERENCES game,
    -- a word: for each seat a JSON list of the places, each with its reason
    shown     INTEGER NOT NULL REFERENCES word
) STRICT";

/// Stores what the boxes of a game from elsewhere showed, if they showed anything. `word` gives a
/// text its number.
pub(super) fn insert(
    change: &Transaction<'_>,
    number: i64,
    shown: Option<&PerSeat<Vec<BoxPlace>>>,
    word: impl FnOnce(&str) -> Result<i64>,
) -> Result<()> {
    let Some(shown) = shown.filter(|shown| shown.values().iter().any(|seat| !seat.is_empty())) else {
        return Ok(());
    };
    if !has_table(change, "boxed")? {
        change.execute_batch(OF_GAMES)?;
    }
    let text = word(&serde_json::to_string(shown)?)?;
    change
        .prepare_cached("INSERT INTO boxed (game, shown) VALUES (?1, ?2)")?
        .execute(params![number, text])?;
    Ok(())
}

/// Removes the lists of pruned games.
pub(super) fn remove_pruned(change: &Connection) -> rusqlite::Result<()> {
    if has_table(change, "boxed")? {
        change.execute("DELETE FROM boxed WHERE game IN (SELECT number FROM pruned)", [])?;
    }
    Ok(())
}

/// Games that are gone, and whose lists are left over.
pub(super) fn loose_ends(db: &Connection) -> rusqlite::Result<Vec<i64>> {
    if !has_table(db, "boxed")? {
        return Ok(Vec::new());
    }
    let mut rows = db.prepare("SELECT game FROM boxed WHERE game NOT IN (SELECT number FROM game)")?;
    let rows = rows.query_map([], |row| row.get(0))?;
    rows.collect()
}

impl Store {
    /// What the boxes of a game's engines showed besides what every box has; `None` if nobody noted
    /// it, or if they were in none.
    ///
    /// # Errors
    /// Errors of the database, or the list cannot be read.
    pub fn shown(&self, stored: &Stored) -> Result<Option<PerSeat<Vec<BoxPlace>>>> {
        let shown =
            if stored.run == 0 { self.shown_elsewhere(stored.number)? } else { self.shown_here(stored)? };
        Ok(shown.filter(|shown| shown.values().iter().any(|seat| !seat.is_empty())))
    }

    fn shown_elsewhere(&self, number: i64) -> Result<Option<PerSeat<Vec<BoxPlace>>>> {
        if !has_table(&self.db, "boxed")? {
            return Ok(None);
        }
        let mut found =
            self.db.prepare_cached("SELECT text FROM boxed JOIN word ON id = shown WHERE game = ?1")?;
        let text: Option<String> = found.query_row([number], |row| row.get(0)).optional()?;
        text.map(|text| serde_json::from_str(&text))
            .transpose()
            .with_context(|| format!("what the boxes of game number {number} showed cannot be read"))
    }

    fn shown_here(&self, stored: &Stored) -> Result<Option<PerSeat<Vec<BoxPlace>>>> {
        let mut seats = Vec::new();
        for (seat, hash) in stored.hashes.iter() {
            seats.push(self.manifest(stored.run, &stored.record.seats[seat].entrant, hash)?);
        }
        Ok(Some(seats.into()))
    }

    /// Notes what the boxes of the current run show besides what every box has, for each engine in
    /// the order of the plan. What was noted of the run before stays: it may have begun with other
    /// options.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn note_manifests(&self, manifests: &[Manifest]) -> Result<()> {
        let run = self.run.as_ref().expect("a run has begun before its boxes are noted");
        let note = || -> rusqlite::Result<()> {
            self.db.execute_batch(TABLE)?;
            let sql = "INSERT OR REPLACE INTO manifest (run, engine, path, reason) VALUES (?1, ?2, ?3, ?4)";
            let mut insert = self.db.prepare_cached(sql)?;
            for (engine, manifest) in run.engines.iter().zip(manifests) {
                for place in manifest.places() {
                    let path = display_path(&place.path);
                    insert.execute(params![run.number, engine, path, place.reason.to_string()])?;
                }
            }
            Ok(())
        };
        note().with_context(|| format!("cannot write {}", display_path(&self.path)))
    }

    /// What the box of an engine showed in a run, by its name and its hash, in the order of paths.
    /// Empty if it played in none, or if nobody noted it.
    fn manifest(&self, run: i64, name: &str, hash: &str) -> Result<Vec<BoxPlace>> {
        if !has_table(&self.db, "manifest")? {
            return Ok(Vec::new());
        }
        let sql = "SELECT path, reason FROM manifest JOIN engine ON engine.id = manifest.engine \
                   WHERE manifest.run = ?1 AND engine.name = ?2 AND engine.hash = ?3 ORDER BY path";
        let mut rows = self.db.prepare_cached(sql)?;
        let rows = rows.query_map(params![run, name, hash], |row| {
            Ok(BoxPlace { path: row.get(0)?, reason: row.get(1)? })
        })?;
        rows.collect::<rusqlite::Result<_>>()
            .with_context(|| format!("cannot read {}", display_path(&self.path)))
    }
}
