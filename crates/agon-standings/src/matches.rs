//! Matches: two entrants, an even number of games, and the score so far. Every format consists of
//! them.

use std::collections::HashMap;
use std::time::Duration;

use agon_seats::PerSeat;

use super::pairings::{Pairing, PlannedGame, board_seed};
use crate::points::Wdl;
use crate::result::GameId;

/// A match of two entrants in a stage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Match {
    /// The round, the number in the stage, and the entrants.
    pub pairing: Pairing,
    /// The group it belongs to, from 0.
    pub group: usize,
    /// How many games these two have had in this stage before. Numbers of games, and boards,
    /// continue from it.
    pub before: u32,
    /// The number of its games.
    pub games: u32,
    /// 0 for a match of the format itself; 1 for the first play-off of a tie, and so on.
    pub play_off: u32,
}

/// The score of a match. Lists have the first entrant first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Score {
    /// The games as the first entrant sees them.
    pub games: Wdl,
    /// How many games each lost by a fault.
    pub faults: [u64; 2],
    /// How many games each won with the second seat.
    pub black_wins: [u64; 2],
    /// The time that each thought.
    pub times: [Duration; 2],
    /// How many more games were played and repeat earlier ones. They give no points.
    pub repeats: u64,
    /// The games that are not played, because an entrant has withdrawn.
    pub unplayed: Unplayed,
}

/// The games of a match that are not played.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Unplayed {
    /// As the first entrant sees them: a forfeit win is won, a forfeit loss is lost, and games of a
    /// run that was closed may be drawn.
    pub games: Wdl,
    /// Those that count for nobody.
    pub nobody: u64,
}

impl Unplayed {
    /// Their number.
    pub fn count(self) -> u64 {
        self.games.games() + self.nobody
    }
}

/// A game of a match, by seat, the first seat first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MatchGame {
    /// Whether the second entrant of the match has the first seat.
    pub is_swapped: bool,
    /// The place of each seat.
    pub places: [u8; 2],
    /// Whether each lost it by a fault.
    pub faults: [bool; 2],
    /// The time that each thought.
    pub times: [Duration; 2],
}

/// The scores of a stage's matches, by the number of the pairing.
pub type Scores = HashMap<u32, Score>;

impl Score {
    /// The number of its games that are settled: played, or not to be played any more.
    pub fn played(&self) -> u64 {
        self.games.games() + self.repeats + self.unplayed.count()
    }

    /// How games of the match came to a result that nobody played, in words; `None` if there are
    /// none.
    pub fn unplayed_words(&self) -> Option<String> {
        self.unplayed.games.unplayed_words(self.games.games() > 0)
    }

    /// The games that give points, as the first entrant sees them, with those won and lost by
    /// forfeit.
    pub fn total(&self) -> Wdl {
        self.games + self.unplayed.games
    }

    /// Counts a game.
    pub fn add(&mut self, game: &MatchGame) {
        let seats = if game.is_swapped { [1, 0] } else { [0, 1] };
        match game.places[seats[0]].cmp(&game.places[seats[1]]) {
            std::cmp::Ordering::Less => self.games.wins += 1,
            std::cmp::Ordering::Equal => self.games.draws += 1,
            std::cmp::Ordering::Greater => self.games.losses += 1,
        }
        for (entrant, seat) in seats.into_iter().enumerate() {
            self.faults[entrant] += u64::from(game.faults[seat]);
            self.times[entrant] += game.times[seat];
            let has_won = game.places[seat] < game.places[1 - seat];
            self.black_wins[entrant] += u64::from(seat == 1 && has_won);
        }
    }
}

impl Match {
    /// Its games: sides swapped in every second one, each pair of games on a board of its own.
    ///
    /// Panics if it names an entrant that the list does not have.
    pub fn games_of<S: AsRef<str>>(
        &self,
        names: &[S],
        seed: u64,
    ) -> impl Iterator<Item = PlannedGame> + use<S> {
        let Pairing { round, pairing, first, second } = self.pairing;
        let (one, other) = (names[first].as_ref(), names[second].as_ref());
        let pairs = self.before / 2 + 1..=(self.before + self.games).div_ceil(2);
        let boards: Vec<u64> = pairs.map(|pair| board_seed(seed, one, other, pair)).collect();
        let before = self.before;
        (before + 1..=before + self.games).map(move |game| PlannedGame {
            id: GameId { round, pairing, game },
            seats: if game % 2 == 1 { PerSeat::two(first, second) } else { PerSeat::two(second, first) },
            seed: boards[(game.div_ceil(2) - before / 2 - 1) as usize],
        })
    }

    /// Whether all its games are settled.
    pub fn is_over(&self, scores: &Scores) -> bool {
        scores.get(&self.pairing.pairing).is_some_and(|score| score.played() >= u64::from(self.games))
    }
}

/// Adds matches with consecutive numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Sheet {
    pub(super) matches: Vec<Match>,
    /// How many games two entrants have had, the lower number first.
    had: HashMap<(usize, usize), u32>,
}

impl Sheet {
    /// Adds a match of two in a round. Their earlier matches in this stage are known here.
    pub(super) fn add(
        &mut self,
        group: usize,
        round: u32,
        (first, second): (usize, usize),
        games: u32,
        play_off: u32,
    ) {
        let had = self.had.entry((first.min(second), first.max(second))).or_default();
        let before = *had;
        *had += games;
        let pairing = u32::try_from(self.matches.len() + 1).expect("a stage has fewer than 2^32 pairings");
        self.matches.push(Match {
            pairing: Pairing { round, pairing, first, second },
            group,
            before,
            games,
            play_off,
        });
    }

    /// The last round with a match, 0 before the first.
    pub(super) fn last_round(&self) -> u32 {
        self.matches.iter().map(|one| one.pairing.round).max().unwrap_or(0)
    }

    pub(super) fn is_over(&self, scores: &Scores) -> bool {
        self.matches.iter().all(|one| one.is_over(scores))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairings;

    #[test]
    fn a_first_match_has_the_games_of_a_round_robin_and_a_second_one_the_boards_that_follow() {
        let names = ["alpha", "bravo"];
        let mut sheet = Sheet::default();
        sheet.add(0, 1, (0, 1), 4, 0);
        sheet.add(0, 2, (1, 0), 2, 1);
        let first: Vec<PlannedGame> = sheet.matches[0].games_of(&names, 7).collect();
        assert_eq!(first, pairings::plan(&names, 4, 7).collect::<Vec<_>>());
        let second: Vec<PlannedGame> = sheet.matches[1].games_of(&names, 7).collect();
        assert_eq!(second[0].id, GameId { round: 2, pairing: 2, game: 5 });
        assert_eq!((second[0].seats[agon_seats::Seat::FIRST], second.len()), (1, 2));
        assert_eq!(second[0].seed, board_seed(7, "alpha", "bravo", 3));
        assert_eq!(second[0].seed, second[1].seed);
    }
}
