//! Hashes of engines with all their files. Hidden files and links to folders were no part of the
//! hash once. An engine of that time has another hash now, and its games count on.

use std::collections::BTreeSet;

use agon_programs::program::display_path;
use anyhow::{Context, Result};
use rusqlite::{OptionalExtension, params};

use super::key::Player;
use super::{Store, has_table};

pub(super) const TABLE: &str = "CREATE TABLE IF NOT EXISTS whole (
    engine    INTEGER PRIMARY KEY REFERENCES engine,
    -- its hash with its hidden files and links to folders, as it is or was when they were first seen
    hash      TEXT NOT NULL
) STRICT";

impl Store {
    /// Gives players the hash under which their games are stored. `before` has for each player its
    /// hash without its hidden files and links to folders, if that differs. Returns the names of
    /// those that are known by such a hash for the first time.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn recognise(&self, players: &mut [Player], before: &[Option<String>]) -> Result<BTreeSet<String>> {
        let mut first = BTreeSet::new();
        for (player, before) in players.iter_mut().zip(before) {
            let Some(before) = before else { continue };
            let known = || -> Result<Option<bool>> {
                if self.engine_row(&player.name, &player.hash)?.is_some() {
                    return Ok(None);
                }
                let Some(row) = self.engine_row(&player.name, before)? else { return Ok(None) };
                let whole = self.whole_hash(row)?;
                Ok((whole.as_ref().is_none_or(|whole| *whole == player.hash)).then_some(whole.is_none()))
            };
            let known = known().with_context(|| format!("cannot read {}", display_path(&self.path)))?;
            if let Some(is_first) = known {
                player.hash.clone_from(before);
                first.extend(is_first.then(|| player.name.clone()));
            }
        }
        Ok(first)
    }

    /// Notes the hashes of these players with all their files, in the order of players, as far as
    /// they are known.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn note_whole(&self, players: &[Player], hashes: &[Option<String>]) -> Result<()> {
        let note = || -> Result<()> {
            self.db.execute_batch(TABLE)?;
            for (player, hash) in players.iter().zip(hashes) {
                let Some(hash) = hash else { continue };
                self.db.execute(
                    "INSERT OR IGNORE INTO whole (engine, hash) SELECT id, ?3 FROM engine WHERE name = ?1 AND hash = ?2",
                    params![player.name, player.hash, hash],
                )?;
            }
            Ok(())
        };
        note().with_context(|| format!("cannot write {}", display_path(&self.path)))
    }

    fn engine_row(&self, name: &str, hash: &str) -> Result<Option<i64>> {
        let sql = "SELECT id FROM engine WHERE name = ?1 AND hash = ?2";
        Ok(self.db.query_row(sql, [name, hash], |row| row.get(0)).optional()?)
    }

    fn whole_hash(&self, engine: i64) -> Result<Option<String>> {
        if !has_table(&self.db, "whole")? {
            return Ok(None);
        }
        let sql = "SELECT hash FROM whole WHERE engine = ?1";
        Ok(self.db.query_row(sql, [engine], |row| row.get(0)).optional()?)
    }

    /// The words of SQL for a hash of an engine, by the number of its parameter: that of the row,
    /// or the one with all its files.
    pub(super) fn has_hash(&self, parameter: u32) -> Result<String> {
        let own = format!("engine.hash = ?{parameter}");
        Ok(match has_table(&self.db, "whole")? {
            true => format!(
                "({own} OR engine.id IN (SELECT whole.engine FROM whole WHERE whole.hash = ?{parameter}))"
            ),
            false => own,
        })
    }
}
