//! The plan of a run: its entrants, its conditions and its games.

use agon_config::EventFile;
use agon_games::GameFile;
use agon_standings::pairings::PlannedGame;
use agon_standings::scoring::Scoring;
use agon_standings::sprt::Sprt;
use anyhow::Result;
use rusqlite::Connection;

use super::Store;
use super::drawn::Drawn;
use super::key::{GameConditions, Player, tables_of};
use super::ranking::RankingSpec;
use super::until::UntilSpec;

/// The plan of a run, with everything its games depend on.
pub struct Plan<'a> {
    /// The name of the tournament.
    pub event: &'a str,
    /// What the user calls this run; `None` leaves the label that it has.
    pub label: Option<&'a str>,
    /// What the organiser says of the event; `None` leaves what was said of this run.
    pub of_event: Option<&'a EventFile>,
    /// The entrants, in the order of the plan.
    pub players: &'a [Player],
    /// The conditions of all games.
    pub terms: &'a GameConditions,
    /// Games in each pairing.
    pub games: u32,
    /// The seed of all boards; one of the conditions too.
    pub seed: u64,
    /// The points for the standings. They are not part of the conditions.
    pub points: Scoring,
    /// Files needed to play the games again.
    pub supplies: &'a [GameFile],
    /// How the entrants are ranked; `None` for the usual way.
    pub ranking: Option<&'a RankingSpec>,
    /// What a stage or a Swiss has drawn so far; `None` if the conditions say all games.
    pub drawn: Option<&'a Drawn>,
    /// The test that ends it, which is about the first of two engines.
    pub test: Option<&'a Sprt>,
    /// The question that it is played for.
    pub until: Option<UntilSpec>,
}

impl Plan<'_> {
    /// All games. A plan without tables has none: it is refused before.
    pub(super) fn all_games(&self) -> Box<dyn Iterator<Item = PlannedGame> + '_> {
        let games = match self.drawn {
            Some(drawn) => drawn.games(self.players, self.games, self.seed),
            None => tables_of(self.terms).games(self.players, self.games, self.seed).ok(),
        };
        match games {
            Some(games) => games,
            None => Box::new(std::iter::empty()),
        }
    }
}

/// The games of a plan that have been played, by key: eight bytes per game.
#[derive(Clone, Debug, Default)]
pub struct PlayedKeys {
    pub(super) keys: Vec<i64>,
}

impl Store {
    /// The games that count, by key.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn played(&self) -> Result<PlayedKeys> {
        PlayedKeys::of(&self.db)
    }
}

impl PlayedKeys {
    /// Those of a database.
    pub(super) fn of(db: &Connection) -> Result<Self> {
        let mut rows = db.prepare("SELECT key FROM game WHERE current = 1 ORDER BY key")?;
        let keys = rows.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        Ok(PlayedKeys { keys })
    }

    /// Whether this game has been played.
    pub fn has(&self, key: i64) -> bool {
        self.keys.binary_search(&key).is_ok()
    }

    /// The number of games.
    pub fn count(&self) -> u64 {
        self.keys.len() as u64
    }
}
