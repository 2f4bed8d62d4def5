//! The plan of a run: its entrants, its conditions and its games.

use agon_games::GameFile;
use agon_standings::matches::Match;
use agon_standings::pairings::PlannedGame;
use agon_standings::scoring::Scoring;

use super::key::{GameConditions, Player, tables_of};
use super::ranking::RankingSpec;

/// A round robin, with everything its games depend on.
pub struct Plan<'a> {
    /// The name of the tournament.
    pub event: &'a str,
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
}

impl Plan<'_> {
    /// All games. A plan without tables has none: it is refused before.
    fn games(&self) -> Box<dyn Iterator<Item = PlannedGame> + '_> {
        match tables_of(self.terms).games(self.players, self.games, self.seed) {
            Ok(games) => games,
            Err(_) => Box::new(std::iter::empty()),
        }
    }
}

/// The games of a plan that have been played, by key: eight bytes per game.
#[derive(Clone, Debug, Default)]
pub struct StoredResult {
    pub(super) keys: Vec<i64>,
}

impl StoredResult {
    /// Whether this game has been played.
    pub fn has(&self, key: i64) -> bool {
        self.keys.binary_search(&key).is_ok()
    }

    /// The number of games.
    pub fn count(&self) -> u64 {
        self.keys.len() as u64
    }
}

/// The games of the matches, or of the round robin.
pub(super) fn games_of<'a>(
    plan: &'a Plan<'_>,
    matches: Option<&'a [Match]>,
) -> Box<dyn Iterator<Item = PlannedGame> + 'a> {
    let Some(matches) = matches else { return Box::new(plan.games()) };
    let names: Vec<&str> = plan.players.iter().map(|player| player.name.as_str()).collect();
    let seed = plan.seed;
    Box::new(matches.iter().flat_map(move |one| one.games_of(&names, seed).collect::<Vec<_>>()))
}
