//! The results of a plan's games, without their moves.

use anyhow::{Context, Result};

use super::Store;
use crate::engine::program::display_path;

/// The result of a two-seat game that counts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameResult {
    /// The number of its pairing.
    pub pairing: u32,
    /// Its number in the pairing. In odd games the first entrant of the pairing has the first seat.
    pub game: u32,
    /// The entrants of the first and the second seat.
    pub names: [String; 2],
    /// Their places.
    pub places: [u8; 2],
    /// Whether each lost by a fault.
    pub faults: [bool; 2],
    /// How many legal moves each made.
    pub plies: [u64; 2],
    /// Whether it repeats an earlier game, and so counts for nobody.
    pub is_repeat: bool,
}

impl Store {
    /// Every two-seat game that counts.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn results(&self) -> Result<Vec<GameResult>> {
        let read = || -> Result<Vec<GameResult>> {
            let mut rows = self.db.prepare(
                "SELECT g.pairing, a.name, b.name, s.place, t.place, \
                        ifnull(g.loser = 0 AND w.text <> 'resignation', 0), \
                        ifnull(g.loser = 1 AND w.text <> 'resignation', 0), s.plies, t.plies, g.game, g.number \
                 FROM game g JOIN seat s ON s.game = g.number AND s.seat = 0 \
                 JOIN seat t ON t.game = g.number AND t.seat = 1 \
                 JOIN engine a ON a.id = s.engine JOIN engine b ON b.id = t.engine \
                 JOIN word w ON w.id = g.ending \
                 WHERE g.current = 1 ORDER BY g.pairing, g.game",
            )?;
            let repeats = self.repeats()?;
            let rows = rows.query_map([], |row| {
                Ok(GameResult {
                    pairing: row.get(0)?,
                    names: [row.get(1)?, row.get(2)?],
                    places: [row.get(3)?, row.get(4)?],
                    faults: [row.get(5)?, row.get(6)?],
                    plies: [row.get(7)?, row.get(8)?],
                    game: row.get(9)?,
                    is_repeat: repeats.contains(&row.get(10)?),
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        };
        read().with_context(|| format!("cannot read {}", display_path(&self.path)))
    }
}
