//! The plan of a run for a question: the games of the pairs that are chosen, in their order.

use std::collections::HashMap;

use super::super::encounters::halves;
use super::super::pairings::{Pairing, PlannedGame, board_games, round_robin};
use super::super::question::RunQuestion;
use super::super::result::GameId;
use super::chooser::{PairChooser, PairResult, QuestionStand};

/// A pair of games that was chosen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChosenPair {
    /// Its number in the plan, from 1.
    pub number: u32,
    /// Its two games, which have the numbers that a round robin would give them.
    pub games: [PlannedGame; 2],
}

/// The result of a game, by the places of its two seats; `None` of a game without one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeenGame {
    /// As it was first played. It never changes; `None` of a void game.
    pub seen: Option<[u8; 2]>,
    /// As it counts.
    pub counts: Option<[u8; 2]>,
}

/// A pair whose games are not both known.
#[derive(Clone, Debug)]
struct Waiting {
    games: [PlannedGame; 2],
    known: [Option<SeenGame>; 2],
}

/// Chooses pairs of games and takes the results of single games.
#[derive(Clone, Debug)]
pub struct PairPlan {
    chooser: PairChooser,
    names: Vec<String>,
    seed: u64,
    /// The pairing of each two entrants, the lower one first.
    pairings: HashMap<[usize; 2], Pairing>,
    /// How many pairs of games each pairing has, by its number.
    boards: HashMap<u32, u32>,
    /// The pairs whose results are missing, and the pair of each of their games.
    waiting: HashMap<u32, Waiting>,
    pair_of: HashMap<GameId, u32>,
}

impl PairPlan {
    /// The plan of a run of these entrants. The seed is that of its boards.
    ///
    /// # Panics
    /// If the question does not fit the entrants.
    pub fn new(question: RunQuestion, names: Vec<String>, seed: u64, lag: u32) -> Self {
        let pairings = round_robin(names.len())
            .map(|one| ([one.first.min(one.second), one.first.max(one.second)], one))
            .collect();
        PairPlan {
            chooser: PairChooser::new(question, names.len(), seed, lag),
            names,
            seed,
            pairings,
            boards: HashMap::new(),
            waiting: HashMap::new(),
            pair_of: HashMap::new(),
        }
    }

    /// How many pairs were chosen.
    pub fn chosen(&self) -> u32 {
        self.chooser.chosen()
    }

    /// Chooses the next pair; `None` if more results must be known before.
    pub fn choose(&mut self) -> Option<ChosenPair> {
        let two = self.chooser.choose()?;
        let number = self.chooser.chosen();
        let pairing = self.pairings[&two];
        let board = self.boards.entry(pairing.pairing).or_default();
        *board += 1;
        let games: Vec<PlannedGame> = board_games(pairing, &self.names, *board, self.seed).collect();
        let games: [PlannedGame; 2] = games.try_into().expect("a board has two games");
        self.pair_of.extend(games.iter().map(|game| (game.id, number)));
        self.waiting.insert(number, Waiting { games: games.clone(), known: [None; 2] });
        Some(ChosenPair { number, games })
    }

    /// Takes the result of a game by its number. What was taken first stays. A pair is known when
    /// both its games are, or when one of them has no result.
    pub fn take(&mut self, id: GameId, result: SeenGame) {
        let Some(number) = self.pair_of.get(&id).copied() else { return };
        let Some(pair) = self.waiting.get_mut(&number) else { return };
        let at = usize::from(pair.games[1].id == id);
        pair.known[at].get_or_insert(result);
        let score = |get: fn(&SeenGame) -> Option<[u8; 2]>| -> Option<f64> {
            let lower = pair.games[0].seats.values().iter().min()?;
            let of = |(game, known): (&PlannedGame, &Option<SeenGame>)| {
                let points = halves(get(known.as_ref()?)?);
                let is_first = game.seats.values().first() == Some(lower);
                u32::try_from(if is_first { points } else { 2 - points }).ok()
            };
            let points: Option<u32> = pair.games.iter().zip(&pair.known).map(of).sum();
            points.map(|halves| f64::from(halves) / 4.0)
        };
        let is_without = pair.known.iter().flatten().any(|known| known.seen.is_none());
        let is_whole = pair.known.iter().all(Option::is_some);
        if is_whole || is_without {
            let result = PairResult { seen: score(|game| game.seen), counts: score(|game| game.counts) };
            self.chooser.take(number, result);
            self.waiting.remove(&number);
            self.pair_of.retain(|_, of| *of != number);
        }
    }

    /// Whether the question is settled by the results that the last choice followed from.
    pub fn is_settled(&self) -> bool {
        self.chooser.is_settled()
    }

    /// How far the question is settled by all results that are known.
    pub fn stand(&self) -> QuestionStand {
        self.chooser.stand()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        ["a", "b", "c", "d"].map(str::to_owned).to_vec()
    }

    fn won(places: [u8; 2]) -> SeenGame {
        SeenGame { seen: Some(places), counts: Some(places) }
    }

    #[test]
    fn games_have_the_numbers_and_boards_of_a_round_robin() {
        let names = names();
        let mut plan = PairPlan::new(RunQuestion::Cut(1), names.clone(), 7, 2);
        let all: Vec<PlannedGame> = crate::pairings::plan(&names, 200, 7).collect();
        let mut seen = std::collections::HashSet::new();
        for number in 1..=100 {
            let pair = plan.choose().unwrap();
            assert_eq!(pair.number, number);
            for game in pair.games {
                assert!(all.contains(&game) && seen.insert(game.id), "{game:?}");
                plan.take(game.id, won([1, 2]));
            }
        }
        // Each pairing has its first boards, without a gap.
        for id in &seen {
            assert!(id.game == 1 || seen.contains(&GameId { game: id.game - 1, ..*id }));
        }
        assert_eq!(plan.stand().pairs, 100);
    }

    #[test]
    fn a_pair_is_known_with_both_games_or_with_one_that_is_void() {
        let mut plan = PairPlan::new(RunQuestion::Cut(1), names(), 7, 0);
        let pair = plan.choose().unwrap();
        assert!(plan.choose().is_none());
        plan.take(pair.games[1].id, won([2, 1]));
        assert!(plan.choose().is_none(), "the first game is missing");
        plan.take(pair.games[0].id, won([1, 2]));
        let next = plan.choose().expect("both are known");
        plan.take(next.games[0].id, SeenGame { seen: None, counts: None });
        assert!(plan.choose().is_some(), "a void game is not waited for");
        // What comes later for the same game changes nothing.
        plan.take(next.games[0].id, won([1, 2]));
        plan.take(next.games[1].id, won([1, 2]));
        assert_eq!(plan.stand().pairs, 1);
    }

    #[test]
    fn the_score_is_that_of_the_lower_entrant_whichever_seat_it_has() {
        let mut plan = PairPlan::new(RunQuestion::Cut(1), names(), 7, 2);
        for _ in 0..300 {
            let pair = plan.choose().unwrap();
            for game in &pair.games {
                // The lower number always wins.
                let [one, two] = [game.seats.values()[0], game.seats.values()[1]];
                plan.take(game.id, won(if one < two { [1, 2] } else { [2, 1] }));
            }
        }
        let stand = plan.stand();
        assert_eq!((stand.is_settled, &stand.ranking[..]), (true, &[0, 1, 2, 3][..]));
    }
}
