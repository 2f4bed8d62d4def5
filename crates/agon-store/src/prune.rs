//! Games that are removed from a database although the chain of hashes names them.
//!
//! A removed game leaves its number and its hash in the table `pruned`. So the chain goes on over
//! it, and an audit says how many games are gone. The last stored game is never removed: the
//! numbers of new games follow from it.

use agon_programs::program::display_path;
use anyhow::{Context, Result};
use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, params};

use super::{Store, chain, elsewhere, host, manifests, pauses, refereed, spent};

/// Made when games are first removed, so that other databases stay as they are.
pub(super) const TABLE: &str = "CREATE TABLE IF NOT EXISTS pruned (
    -- of the game, in the order of storage
    number    INTEGER PRIMARY KEY,
    -- its hash in the chain
    link      BLOB NOT NULL
) STRICT";

/// The games that can go: history and void attempts of earlier runs than the last ?1, and never
/// those of the last one.
///
/// What is chosen for a question follows from the first attempt of each game that was chosen, void
/// or not. So the first game of each of these keys stays; ?2 has them as JSON.
const GOING: &str = "current IS NULL AND link IS NOT NULL AND number < (SELECT max(number) FROM game) \
    AND run <= (SELECT max(number) FROM run) - max(?1, 1) \
    AND number NOT IN (SELECT min(number) FROM game WHERE key IN (SELECT value FROM json_each(?2)) GROUP BY key)";

/// Games to be removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PrunableGames {
    /// How many there are.
    pub games: u64,
    /// About how many bytes they take: those of their texts.
    pub bytes: u64,
}

impl Store {
    /// The games that do not count and were played before the last `runs` runs.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn prunable(&self, runs: u32) -> Result<PrunableGames> {
        let sizes = format!(
            "SELECT count(*), coalesce(sum(200 + length(start) + length(last) + length(plies) + {} \
             + (SELECT sum(100 + length(traffic)) FROM seat WHERE seat.game = number) \
             + (SELECT coalesce(sum(length(stderr) + coalesce(length(evidence), 0)), 0) FROM log WHERE log.game = number)), 0) \
             FROM game JOIN moves ON moves.game = number WHERE {GOING}",
            refereed::size(&self.db)?
        );
        let keys = self.chosen_keys()?;
        let read = |row: &rusqlite::Row<'_>| Ok(PrunableGames { games: row.get(0)?, bytes: row.get(1)? });
        self.db
            .query_row(&sizes, params![runs, keys], read)
            .with_context(|| format!("cannot read {}", display_path(&self.path)))
    }

    /// Removes those games, all or none, and gives their space back. Returns how many there were.
    ///
    /// # Errors
    /// The chain is broken already, or errors of the database.
    pub fn prune(&mut self, runs: u32) -> Result<u64> {
        let cannot = || format!("cannot write {}", display_path(&self.path));
        // A removed game could not show any more that it was changed.
        let breaks = self.chain()?.breaks;
        anyhow::ensure!(
            breaks.is_empty(),
            "{}: the chain of the games is broken; agon verify says where",
            display_path(&self.path)
        );
        let keys = self.chosen_keys()?;
        let change = self.db.transaction().with_context(cannot)?;
        let removed = remove(&change, runs, &keys).with_context(cannot)?;
        change.commit().with_context(cannot)?;
        self.db.execute_batch("VACUUM").with_context(cannot)?;
        Ok(removed)
    }

    /// The keys of the games that were chosen for the question of the last run, as JSON.
    fn chosen_keys(&self) -> Result<String> {
        let run = if self.until()?.is_some() { self.runs()?.pop() } else { None };
        let keys = run.and_then(|run| {
            let keys = run.keys();
            Some(run.planned()?.map(|game| keys.of(&game)).collect::<Vec<_>>())
        });
        Ok(serde_json::to_string(&keys.unwrap_or_default())?)
    }

    /// When the first of the last `runs` runs began; `None` if there are fewer.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn began(&self, runs: u32) -> Result<Option<DateTime<Utc>>> {
        let sql = "SELECT started FROM run ORDER BY number DESC LIMIT 1 OFFSET ?1";
        let text = self.db.query_row(sql, [runs.saturating_sub(1)], |row| row.get::<_, String>(0));
        text.optional()?.map(|text| Ok(DateTime::parse_from_rfc3339(&text)?.to_utc())).transpose()
    }

    /// How many games with numbers up to this one were removed.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn pruned_up_to(&self, number: i64) -> Result<u64> {
        Ok(chain::pruned(&self.db)?.iter().filter(|(pruned, _)| *pruned <= number).count() as u64)
    }

    /// Where the engines were found that have games that count, or are entered in the last run.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn sources_in_use(&self) -> Result<Vec<String>> {
        let mut rows = self.db.prepare(
            "SELECT DISTINCT source FROM engine WHERE id IN \
             (SELECT seat.engine FROM seat JOIN game ON game.number = seat.game WHERE current = 1) \
             OR id IN (SELECT engine FROM entrant WHERE run = (SELECT max(number) FROM run))",
        )?;
        let rows = rows.query_map([], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

fn remove(change: &Connection, runs: u32, keys: &str) -> Result<u64> {
    change.execute_batch(TABLE)?;
    let removed = change.execute(
        &format!("INSERT INTO pruned (number, link) SELECT number, link FROM game WHERE {GOING}"),
        params![runs, keys],
    )?;
    refereed::remove_pruned(change)?;
    pauses::remove_pruned(change)?;
    spent::remove_pruned(change)?;
    elsewhere::remove_pruned(change)?;
    host::remove_pruned(change)?;
    manifests::remove_pruned(change)?;
    for (table, key) in [("log", "game"), ("seat", "game"), ("moves", "game"), ("game", "number")] {
        change.execute(&format!("DELETE FROM {table} WHERE {key} IN (SELECT number FROM pruned)"), [])?;
    }
    Ok(removed as u64)
}
