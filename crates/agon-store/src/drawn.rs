//! The games that the format of a run draws from round to round, and how the database has them.

use std::collections::HashSet;

use agon_standings::Standings;
use agon_standings::matches::Match;
use agon_standings::pairings::{Pairing, PlannedGame, Table, table_games};
use agon_standings::points::Amount;
use agon_standings::scoring::Scoring;
use agon_standings::stage::Format;
use agon_standings::tables::swiss_rounds;
use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::Store;

/// Whether a round of a stage with this format is known only when the one before is over.
pub fn draws_rounds(format: Format) -> bool {
    matches!(format, Format::Swiss { .. } | Format::Knockout { .. })
}

/// What the format of a run has drawn so far. Later rounds follow from results.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Drawn {
    /// The matches of a stage.
    Matches(Vec<Match>),
    /// The tables of a Swiss.
    Tables(Vec<Table>),
    /// The games of the pairs that were chosen for a question. They are not stored: they are chosen
    /// again.
    Pairs(Vec<PlannedGame>),
}

/// Round, pairing, first, second, group, games before, games, play-off.
type MatchRow = (u32, u32, usize, usize, usize, u32, u32, u32);

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Rows {
    Matches(Vec<MatchRow>),
    Tables {
        /// Round, number and entrants of each.
        tables: Vec<(u32, u32, Vec<usize>)>,
    },
}

impl Drawn {
    /// All games, with `games` at each table; a match has a number of its own. `None` if an entrant
    /// is not among these names.
    pub fn games<'a, S: AsRef<str> + Sync>(
        &'a self,
        names: &'a [S],
        games: u32,
        seed: u64,
    ) -> Option<Box<dyn Iterator<Item = PlannedGame> + Send + 'a>> {
        let is_there = |entrant: &usize| *entrant < names.len();
        match self {
            Drawn::Matches(matches) => {
                let known = |one: &Match| is_there(&one.pairing.first) && is_there(&one.pairing.second);
                matches.iter().all(known).then(|| {
                    Box::new(matches.iter().flat_map(move |one| one.games_of(names, seed)))
                        as Box<dyn Iterator<Item = _> + Send>
                })
            }
            Drawn::Tables(tables) => {
                tables.iter().flat_map(|table| &table.entrants).all(is_there).then(|| {
                    let of = move |table: &Table| table_games(table.clone(), names, games, seed);
                    Box::new(tables.iter().flat_map(of)) as Box<dyn Iterator<Item = _> + Send>
                })
            }
            Drawn::Pairs(games) => games
                .iter()
                .flat_map(|game| game.seats.values())
                .all(is_there)
                .then(|| Box::new(games.iter().cloned()) as Box<dyn Iterator<Item = _> + Send>),
        }
    }

    /// The last round that is known, 1 before any is drawn; `None` of pairs, which have no rounds.
    pub fn last_round(&self) -> Option<u32> {
        let last = match self {
            Drawn::Matches(matches) => matches.iter().map(|one| one.pairing.round).max(),
            Drawn::Tables(tables) => tables.iter().map(|table| table.round).max(),
            Drawn::Pairs(_) => return None,
        };
        Some(last.unwrap_or(1))
    }

    /// The matches of a stage; none at tables.
    pub fn matches(&self) -> &[Match] {
        match self {
            Drawn::Matches(matches) => matches,
            Drawn::Tables(_) | Drawn::Pairs(_) => &[],
        }
    }

    /// The form of the database; `None` of what is not stored.
    pub(super) fn written(&self) -> Option<Result<String>> {
        let rows = match self {
            Drawn::Matches(matches) => Rows::Matches(
                matches
                    .iter()
                    .map(|one| {
                        let Pairing { round, pairing, first, second } = one.pairing;
                        (round, pairing, first, second, one.group, one.before, one.games, one.play_off)
                    })
                    .collect(),
            ),
            Drawn::Tables(tables) => Rows::Tables {
                tables: tables
                    .iter()
                    .map(|table| (table.round, table.pairing, table.entrants.clone()))
                    .collect(),
            },
            Drawn::Pairs(_) => return None,
        };
        Some(serde_json::to_string(&rows).map_err(Into::into))
    }

    /// Reads the form of the database.
    pub(super) fn read(text: &str) -> Result<Drawn> {
        let one = |(round, pairing, first, second, group, before, games, play_off)| Match {
            pairing: Pairing { round, pairing, first, second },
            group,
            before,
            games,
            play_off,
        };
        let table = |(round, pairing, entrants)| Table { round, pairing, entrants };
        Ok(match serde_json::from_str(text)? {
            Rows::Matches(rows) => Drawn::Matches(rows.into_iter().map(one).collect()),
            Rows::Tables { tables } => Drawn::Tables(tables.into_iter().map(table).collect()),
        })
    }
}

impl Store {
    /// The tables of a Swiss that can be drawn by the games that count, with `games` at each table.
    /// An entrant that has not played yet has no points.
    ///
    /// # Errors
    /// There are no such tables, or errors of the database.
    pub fn swiss_tables(
        &self,
        names: &[&str],
        seats: usize,
        rounds: u32,
        games: u32,
        points: Scoring,
    ) -> Result<Vec<Table>> {
        let whole = names.len() as u64 / seats as u64 * u64::from(games);
        let mut standings = Standings::new(points, names.iter().copied());
        let mut after = Vec::new();
        let rulings = self.rulings()?;
        for round in 1..rounds {
            let counts: u64 = self.db.query_row(
                "SELECT count(*) FROM game WHERE current = 1 AND round = ?1",
                [round],
                |row| row.get(0),
            )?;
            if counts < whole {
                break;
            }
            let condition = format!("g.current = 1 AND g.round = {round}");
            standings = self.add_up(standings, &condition, &HashSet::new(), &rulings)?;
            let points = |name: &&str| standings.points_per_game(name).unwrap_or(Amount::ZERO);
            after.push(names.iter().map(points).collect());
        }
        Ok(swiss_rounds(names.len(), seats, rounds, |round| after.get(round as usize - 1).cloned())?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_drawn_reads_back_and_names_only_entrants() {
        let tables = Drawn::Tables(vec![
            Table { round: 1, pairing: 1, entrants: vec![2, 0, 1] },
            Table { round: 2, pairing: 2, entrants: vec![0, 1, 2] },
        ]);
        let pairing = Pairing { round: 1, pairing: 1, first: 1, second: 0 };
        let matches = Drawn::Matches(vec![Match { pairing, group: 0, before: 0, games: 2, play_off: 0 }]);
        assert_eq!(matches.written().unwrap().unwrap(), "[[1,1,1,0,0,0,2,0]]");
        for drawn in [&tables, &matches] {
            assert_eq!(&Drawn::read(&drawn.written().unwrap().unwrap()).unwrap(), drawn);
        }
        let names = ["a", "b", "c"];
        let seats: Vec<Vec<usize>> =
            tables.games(&names, 1, 7).unwrap().map(|game| game.seats.values().to_vec()).collect();
        assert_eq!(seats, [[2, 0, 1], [0, 1, 2]]);
        assert_eq!(matches.games(&names, 6, 7).unwrap().count(), 2, "a match has its own number");
        assert!(tables.games(&names[..2], 1, 7).is_none() && matches.games(&names[..1], 1, 7).is_none());
    }
}
