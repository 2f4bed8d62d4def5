//! The plan of a run whose games have any number of seats: which tables there are, and their games.

use std::fmt;
use std::str::FromStr;

use crate::pairings::{self, PlannedGame, table_games};
use crate::tables::{self, TablesError};

/// Which tables a run has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TableFormat {
    /// Every combination of entrants.
    #[default]
    All,
    /// Balanced random tables in so many rounds.
    Random {
        /// The number of rounds.
        rounds: u32,
    },
    /// A Swiss by tables in so many rounds: each follows from the points before it.
    Swiss {
        /// The number of rounds.
        rounds: u32,
    },
}

/// `all`, the number of random rounds, or `swiss:` and the number of rounds.
impl fmt::Display for TableFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TableFormat::All => f.write_str("all"),
            TableFormat::Random { rounds } => write!(f, "{rounds}"),
            TableFormat::Swiss { rounds } => write!(f, "swiss:{rounds}"),
        }
    }
}

impl FromStr for TableFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let rounds = |text: &str| text.parse().ok().filter(|rounds| (1..=100_000).contains(rounds));
        let found = match text.strip_prefix("swiss:") {
            Some(swiss) => rounds(swiss).map(|rounds| TableFormat::Swiss { rounds }),
            None if text == "all" => Some(TableFormat::All),
            None => rounds(text).map(|rounds| TableFormat::Random { rounds }),
        };
        found.ok_or_else(|| {
            format!("{text:?} are no tables; write all, a number of random rounds from 1 to 100000, or swiss:ROUNDS")
        })
    }
}

/// The tables of a run and their size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TablePlan {
    /// The number of seats of each table.
    pub seats: usize,
    /// Which tables there are. Tables of two seats are a round robin.
    pub format: TableFormat,
}

impl TablePlan {
    /// A round robin of games for two.
    pub const ROUND_ROBIN: TablePlan = TablePlan { seats: 2, format: TableFormat::All };

    /// The number of games, with `games` at each table.
    ///
    /// # Errors
    /// There is no table, or there are too many. A round robin of fewer than two has no games.
    pub fn count(self, entrants: usize, games: u32) -> Result<u64, TablesError> {
        if self == Self::ROUND_ROBIN {
            return Ok(pairings::games(entrants, games));
        }
        let tables = match self.format {
            TableFormat::All => tables::count_all(entrants, self.seats)?,
            TableFormat::Random { rounds } | TableFormat::Swiss { rounds } => {
                tables::count_random(entrants, self.seats, rounds)?
            }
        };
        Ok(u64::from(tables) * u64::from(games))
    }

    /// Every game, with `games` at each table. Of a Swiss it is the first round: only this one is
    /// known before there are results. [`crate::tables::swiss_rounds`] draws the others.
    ///
    /// # Errors
    /// As [`TablePlan::count`].
    pub fn games<'a, S: AsRef<str> + Sync>(
        self,
        entrants: &'a [S],
        games: u32,
        seed: u64,
    ) -> Result<Box<dyn Iterator<Item = PlannedGame> + Send + 'a>, TablesError> {
        if self == Self::ROUND_ROBIN {
            return Ok(Box::new(pairings::plan(entrants, games, seed)));
        }
        Ok(match self.format {
            TableFormat::All => Box::new(tables::plan_all(entrants, self.seats, games, seed)?),
            TableFormat::Random { rounds } => {
                Box::new(tables::plan_random(entrants, self.seats, rounds, games, seed)?)
            }
            TableFormat::Swiss { .. } => {
                let first = tables::swiss_rounds(entrants.len(), self.seats, 1, |_| None)?;
                Box::new(first.into_iter().flat_map(move |table| table_games(table, entrants, games, seed)))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_seats_are_a_round_robin_and_formats_read_back() {
        let names = ["a", "b", "c", "d"];
        let plan: Vec<PlannedGame> = TablePlan::ROUND_ROBIN.games(&names, 4, 7).unwrap().collect();
        assert_eq!(plan, pairings::plan(&names, 4, 7).collect::<Vec<_>>());
        assert_eq!(TablePlan::ROUND_ROBIN.count(4, 4), Ok(24));
        let tables = TablePlan { seats: 3, format: TableFormat::Random { rounds: 5 } };
        assert_eq!(tables.count(4, 6), Ok(30));
        assert_eq!(tables.games(&names, 6, 7).unwrap().count(), 30);
        assert_eq!("5".parse(), Ok(tables.format));
        let swiss = TablePlan { seats: 3, format: TableFormat::Swiss { rounds: 5 } };
        assert_eq!(swiss.count(7, 6), Ok(60));
        assert_eq!(swiss.games(&["a", "b", "c", "d", "e", "f", "g"], 6, 7).unwrap().count(), 12);
        for format in [TableFormat::All, swiss.format] {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        for wrong in ["0", "some", "swiss", "swiss:", "swiss:0", "swiss:x"] {
            assert!(wrong.parse::<TableFormat>().is_err(), "{wrong}");
        }
        assert!(TablePlan { seats: 5, format: TableFormat::All }.count(4, 5).is_err());
    }
}
