//! Standings that are kept while a run goes on, so that a change costs the reading of its new games
//! alone.

use std::collections::HashSet;

use agon_programs::program::display_path;
use agon_standings::Standings;
use agon_standings::result::GameId;
use agon_standings::scoring::Scoring;
use anyhow::{Context, Result};

use super::ranking::RankingSpec;
use super::repeats::but_ruled;
use super::{Store, StoredMark};

/// The games that were counted so far, and their sums.
#[derive(Default)]
pub struct CountedGames(Option<Counted>);

struct Counted {
    basis: Basis,
    /// In the order of storage.
    games: Vec<(StoredMark, GameId)>,
    courses: HashSet<[u8; 16]>,
    sums: Standings,
}

/// What the sums depend on besides the games.
#[derive(PartialEq)]
struct Basis {
    points: Scoring,
    entrants: Vec<String>,
    ranking: Option<RankingSpec>,
    is_once: bool,
    decisions: u64,
}

impl Store {
    /// What [`Store::standings`] returns, where `games` are the games that count now, as
    /// [`Store::marks`] returns them in the same transaction.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn standings_of(
        &self,
        points: Scoring,
        games: &[(GameId, StoredMark)],
        counted: &mut CountedGames,
    ) -> Result<Standings> {
        let mut read = || -> Result<Standings> {
            let ranking = self.ranking()?;
            // The sums of a stage depend on which of its matches are play-offs, and so on its
            // games.
            if ranking.as_ref().is_some_and(|ranking| ranking.stage.is_some()) {
                return self.standings(points);
            }
            let is_once = self.counts_once()?;
            let decisions = self.count_decisions()? + self.arrangements()?;
            let basis = Basis { points, entrants: self.entrants()?, ranking, is_once, decisions };
            self.count(points, |empty| self.extend(empty, basis, games, counted))
        };
        read().with_context(|| format!("cannot read {}", display_path(&self.path)))
    }

    /// The sums of all games: those that were counted before, if they still count, and the new
    /// ones.
    fn extend(
        &self,
        empty: Standings,
        basis: Basis,
        games: &[(GameId, StoredMark)],
        counted: &mut CountedGames,
    ) -> Result<Standings> {
        let mut stored: Vec<(StoredMark, GameId)> = games.iter().map(|(id, mark)| (*mark, *id)).collect();
        stored.sort_unstable_by_key(|(mark, _)| mark.number());
        let (mut courses, sums, last) = match counted.0.take() {
            Some(kept) if kept.basis == basis && stored.starts_with(&kept.games) => {
                (kept.courses, kept.sums, kept.games.last().map_or(0, |(mark, _)| mark.number()))
            }
            _ => (HashSet::new(), empty, 0),
        };
        let new = format!("g.current = 1 AND g.number > {last}");
        let mut repeats = HashSet::new();
        let rulings = self.rulings()?;
        if basis.is_once {
            let repeating = format!("{new}{}", but_ruled(&rulings));
            self.each_course(&repeating, "TRUE", |number, course| {
                if !courses.insert(course) {
                    repeats.insert(number);
                }
            })?;
        }
        let sums = self.add_up(sums, &new, &repeats, &rulings)?;
        counted.0 = Some(Counted { basis, games: stored, courses, sums: sums.clone() });
        Ok(sums)
    }
}
