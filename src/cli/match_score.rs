//! The score of a match of two, game by game and pair by pair, from which SPRT decides.

use std::collections::HashMap;

use agon_games::Seat;
use agon_printable::{clean, decimal};
use agon_standings::points::Wdl;
use agon_standings::sprt::{Sprt, SprtVerdict, Unit};
use agon_standings::versus::{Pairs, Versus};

use crate::record::GameRecord;
use crate::store::scores::GameResult;

/// The score from the view of the first engine.
pub(super) struct MatchScore {
    first: String,
    games: Wdl,
    pairs: Pairs,
    /// The half points of pairs with one game over.
    open: HashMap<u32, usize>,
}

impl MatchScore {
    pub(super) fn new(first: &str) -> Self {
        MatchScore {
            first: first.to_owned(),
            games: Wdl::default(),
            pairs: Pairs::default(),
            open: HashMap::new(),
        }
    }

    /// Counts a game that has just ended.
    pub(super) fn add(&mut self, record: &GameRecord) {
        let Some(decided) = record.decided() else { return };
        let places = [decided.places[Seat::FIRST], decided.places[Seat::SECOND]];
        let own = record.seats[Seat::FIRST].entrant == self.first;
        self.count(record.id.game, places, own);
    }

    /// Counts a game that was played before.
    pub(super) fn add_result(&mut self, result: &GameResult) {
        self.count(result.game, result.places, result.names[0] == self.first);
    }

    fn count(&mut self, game: u32, mut places: [u8; 2], own_is_first: bool) {
        if !own_is_first {
            places.reverse();
        }
        let halves = match places[0].cmp(&places[1]) {
            std::cmp::Ordering::Less => {
                self.games.wins += 1;
                2
            }
            std::cmp::Ordering::Equal => {
                self.games.draws += 1;
                1
            }
            std::cmp::Ordering::Greater => {
                self.games.losses += 1;
                0
            }
        };
        let pair = game.div_ceil(2);
        match self.open.remove(&pair) {
            Some(other) => self.pairs.add(other + halves),
            None => _ = self.open.insert(pair, halves),
        }
    }

    /// Whether the test is decided.
    pub(super) fn decides(&self, test: &Sprt) -> bool {
        test.finding(test.ratio(self.games, self.pairs)) != SprtVerdict::Open
    }

    /// The result of the test, in words.
    pub(super) fn told(&self, test: &Sprt) -> String {
        let ratio = test.ratio(self.games, self.pairs);
        let (lower, upper) = test.bounds();
        let finding = match test.finding(ratio) {
            SprtVerdict::Open => "not decided",
            SprtVerdict::Refuted => "the first number of Elo holds",
            SprtVerdict::Shown => "the second number of Elo holds",
        };
        let found = match test.unit {
            Unit::Pair => Versus::of_pairs(self.pairs),
            Unit::Game => Versus::of_games(self.games),
        };
        let strength = found.map_or_else(String::new, |found| {
            // A one-sided score has no finite Elo.
            let elo = if found.elo.is_finite() {
                format!("Elo {} +- {}", decimal(found.elo, 1), decimal(found.elo_error, 1))
            } else {
                "Elo without bound".to_owned()
            };
            let normalized = if found.normalized.is_finite() {
                format!("nElo {}", decimal(found.normalized, 1))
            } else {
                "nElo without bound".to_owned()
            };
            let sure = decimal(100.0 * found.superiority, 1);
            format!("{elo}, {normalized}, stronger with {sure} %\n")
        });
        let [none, half, one, more, two] = self.pairs.0;
        format!(
            "{}: {} in {} games; pairs with 0, 1/2, 1, 1 1/2 and 2 points: {none} {half} {one} {more} {two}\n{strength}\
             SPRT {test}: LLR {} [{}, {}]: {finding}",
            clean(&self.first),
            self.games,
            self.games.games(),
            decimal(ratio, 2),
            decimal(lower, 2),
            decimal(upper, 2),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_sided_and_even_matches_are_told_without_infinities() {
        let test: Sprt = "0,400".parse().unwrap();
        // The places of the first engine in both games of each pair.
        for places in [[1, 1], [2, 2], [1, 2]] {
            let mut score = MatchScore::new("mine");
            for pair in 0..4 {
                for (number, place) in (1..).zip(places) {
                    score.count(2 * pair + number, [place, 3 - place], true);
                }
                let told = score.told(&test);
                assert!(!told.contains("inf") && !told.contains("NaN") && !told.contains("-0.0"), "{told}");
                assert_eq!(told.contains("Elo without bound"), places[0] == places[1], "{told}");
            }
        }
    }

    #[test]
    fn a_pair_counts_when_both_its_games_are_over_whichever_ends_first() {
        let mut score = MatchScore::new("mine");
        // Game 2 ends before game 1; mine has the second seat in it and wins.
        score.count(2, [2, 1], false);
        assert_eq!(score.pairs.count(), 0);
        score.count(1, [1, 1], true);
        score.count(3, [2, 1], true);
        assert_eq!(score.pairs.0, [0, 0, 0, 1, 0]);
        assert_eq!(score.games, Wdl { wins: 1, draws: 1, losses: 1 });
        let test: Sprt = "0,400".parse().unwrap();
        assert!(!score.decides(&test));
        for pair in 2..40 {
            score.count(2 * pair + 1, [1, 2], true);
            score.count(2 * pair + 2, [2, 1], false);
        }
        assert!(score.decides(&test));
        assert!(score.told(&test).contains("the second number of Elo holds"), "{}", score.told(&test));
    }
}
