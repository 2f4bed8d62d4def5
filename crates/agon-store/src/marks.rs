//! What stored games are known by, so that a server reads each of them once.

use std::collections::HashMap;

use agon_programs::program::display_path;
use agon_standings::result::GameId;
use anyhow::{Context, Result};

use super::{Store, Stored, rulings};

/// What a stored game is known by. After [`Store::prune`], or in another database of the same name,
/// another game may have the same number. So the mark also has the game's link of the chain: the
/// first bytes of a hash of all that is stored of the game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct StoredMark {
    number: i64,
    key: i64,
    started: i64,
    link: [u8; 8],
    /// How many decisions there are about it, and whether it counts for nobody because an engine
    /// has withdrawn: with another one it is shown otherwise.
    decisions: u32,
}

impl StoredMark {
    /// Its number in the order of storage.
    pub(super) fn number(&self) -> i64 {
        self.number
    }
}

impl Store {
    /// The games that count, in the order of the plan: the number of each, and what it is known by.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn marks(&self) -> Result<Vec<(GameId, StoredMark)>> {
        let mut decided: HashMap<i64, u32> = HashMap::new();
        for row in rulings::links(&self.db)? {
            *decided.entry(row.game).or_default() += 1;
        }
        for (game, _) in self.withdrawn()?.expunged(&self.db)? {
            *decided.entry(game).or_default() |= 1 << 31;
        }
        let read = || -> rusqlite::Result<Vec<(GameId, StoredMark)>> {
            let mut rows = self.db.prepare_cached(
                "SELECT round, pairing, game, number, key, started, link FROM game WHERE current = 1 \
                 ORDER BY round, pairing, game, number",
            )?;
            let rows = rows.query_map([], |row| {
                let id = GameId { round: row.get(0)?, pairing: row.get(1)?, game: row.get(2)? };
                let link = row.get_ref(6)?.as_blob_or_null()?.and_then(|link| link.first_chunk());
                let link = link.copied().unwrap_or_default();
                let number = row.get(3)?;
                let decisions = decided.get(&number).copied().unwrap_or(0);
                Ok((id, StoredMark { number, key: row.get(4)?, started: row.get(5)?, link, decisions }))
            })?;
            rows.collect()
        };
        read().with_context(|| format!("cannot read {}", display_path(&self.path)))
    }

    /// The game that is known by this.
    ///
    /// # Errors
    /// Errors of the database, or the game cannot be read.
    pub fn marked(&self, mark: &StoredMark) -> Result<Stored> {
        self.game(mark.number).with_context(|| format!("cannot read {}", display_path(&self.path)))
    }
}
