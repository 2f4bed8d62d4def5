//! The game of a run, by who judges its moves: agon, or a referee program.

use std::sync::Arc;

use agon_config::Misuse;
use agon_games::{GameFile, Rules};

use super::rules::HostedRules;

/// The text of a position that the referee program alone knows.
pub const UNKNOWN: &str = "-";

/// A game with its options fixed, by who knows its positions.
#[derive(Clone)]
pub enum GameRules {
    /// A built-in game: agon knows its positions and judges its moves.
    BuiltIn(Arc<dyn Rules>),
    /// The game of a referee program.
    Hosted(Arc<HostedRules>),
}

impl GameRules {
    /// The game and its options in the form of `--game`; of a referee program, with the name of its
    /// game.
    pub fn spec(&self) -> String {
        match self {
            GameRules::BuiltIn(rules) => rules.spec(),
            GameRules::Hosted(rules) => rules.spec(),
        }
    }

    /// The names of the seats in order of play.
    pub fn seats(&self) -> &'static [&'static str] {
        match self {
            GameRules::BuiltIn(rules) => rules.seats(),
            GameRules::Hosted(rules) => rules.seats(),
        }
    }

    /// The files of the game besides its board.
    pub fn supplies(&self) -> Vec<GameFile> {
        match self {
            GameRules::BuiltIn(rules) => rules.supplies(),
            GameRules::Hosted(_) => Vec::new(),
        }
    }

    /// The start position drawn from this seed, as one line: [`UNKNOWN`] if only the referee knows
    /// it.
    pub fn start_text(&self, seed: u64) -> String {
        match self {
            GameRules::BuiltIn(rules) => rules.start(seed).text(),
            GameRules::Hosted(_) => UNKNOWN.to_owned(),
        }
    }

    /// The rules of a built-in game.
    pub fn built_in(&self) -> Option<&dyn Rules> {
        match self {
            GameRules::BuiltIn(rules) => Some(rules.as_ref()),
            GameRules::Hosted(_) => None,
        }
    }

    /// The rules of the game of a referee program.
    pub fn hosted(&self) -> Option<&HostedRules> {
        match self {
            GameRules::BuiltIn(_) => None,
            GameRules::Hosted(rules) => Some(rules),
        }
    }

    /// The rules, for what needs positions.
    ///
    /// # Errors
    /// [`Misuse`]: a referee program alone knows them.
    pub fn with_positions(self) -> anyhow::Result<Arc<dyn Rules>> {
        match self {
            GameRules::BuiltIn(rules) => Ok(rules),
            GameRules::Hosted(rules) => Err(Misuse::error(format!(
                "{}: the positions of this game are known to its referee program alone",
                rules.spec()
            ))),
        }
    }
}

impl From<Arc<dyn Rules>> for GameRules {
    fn from(rules: Arc<dyn Rules>) -> Self {
        GameRules::BuiltIn(rules)
    }
}

impl From<HostedRules> for GameRules {
    fn from(rules: HostedRules) -> Self {
        GameRules::Hosted(Arc::new(rules))
    }
}
