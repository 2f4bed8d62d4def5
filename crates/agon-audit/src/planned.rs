//! The keys of the games that a run has planned.

use agon_standings::result::GameId;
use agon_store::inside::Ran;

use super::plan::MATCH;

/// The number of each planned game by its key.
pub struct PlannedKeys {
    /// Ordered by key.
    games: Vec<(i64, GameId)>,
}

impl PlannedKeys {
    /// The games of a run; `None` if its plan names an engine that was not entered.
    pub fn of(run: &Ran) -> Option<Self> {
        let (keys, mut games) = (run.keys(), Vec::new());
        // A single board may have been given by its own seed.
        let given = run.seed().filter(|_| run.event == MATCH && run.games == 2);
        for mut game in run.planned()? {
            games.push((keys.of(&game), game.id));
            if let Some(seed) = given {
                game.seed = seed;
                games.push((keys.of(&game), game.id));
            }
        }
        games.sort_unstable_by_key(|(key, _)| *key);
        Some(PlannedKeys { games })
    }

    /// The number of the game with this key; `None` if none is planned.
    pub fn id(&self, key: i64) -> Option<GameId> {
        let at = self.games.binary_search_by_key(&key, |(key, _)| *key).ok()?;
        Some(self.games[at].1)
    }
}
