//! What the examples that simulate tests and ratings share.

use std::time::Duration;

use agon_seats::PerSeat;
use agon_standings::Standings;
use agon_standings::candidate::{self, CandidateRating, NEAREST};
use agon_standings::points::{Points, Wdl};
use agon_standings::rating::normal;
use agon_standings::result::{FinalResult, GameId, SeatStats, Termination};
use agon_standings::sprt::{Sprt, SprtVerdict};
use agon_standings::versus::Pairs;

/// The bar of the own games at which the rating of a candidate is narrow enough, in Elo, and the
/// most games for it.
const BAR: f64 = 40.0;
const MOST_OF_A_RATING: u32 = 3000;

/// The two words behind the name of an example; without them, how to call it, and exit code 2.
pub(crate) fn seed_and_runs(name: &str) -> (u64, u64) {
    let numbers: Vec<u64> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let [seed, runs] = numbers[..] else {
        eprintln!("usage: {name} SEED RUNS");
        std::process::exit(2);
    };
    (seed, runs)
}

/// Plays pairs of games until a test is decided, or until there were so many. `pair` gives the half
/// points of the engine that is tested. Returns the verdict and the number of pairs.
pub(crate) fn tested(test: &Sprt, most: u64, mut pair: impl FnMut() -> usize) -> (SprtVerdict, u64) {
    let mut pairs = Pairs::default();
    loop {
        pairs.add(pair());
        let verdict = test.finding(test.ratio(Wdl::default(), pairs));
        if verdict != SprtVerdict::Open || pairs.count() >= most {
            return (verdict, pairs.count());
        }
    }
}

/// The errors of the tests here as they are asked for.
pub(crate) const ASKED: [f64; 2] = [0.05; 2];

/// The games of a test with a fixed number of them: it tells scores of a pair apart that differ by
/// `apart`, whose standard deviations at the two bounds are given, with these errors.
pub(crate) fn fixed_games(apart: f64, deviations: [f64; 2], errors: [f64; 2]) -> f64 {
    let [zero, one] = [0, 1].map(|at| deviations[at] * deviations_beyond(errors[at]));
    2.0 * ((zero + one) / apart).powi(2)
}

/// Beyond how many standard deviations this share of a normal distribution lies on one side.
pub(crate) fn deviations_beyond(share: f64) -> f64 {
    let (mut low, mut high) = (0.0, 10.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if 1.0 - normal(middle) > share { low = middle } else { high = middle }
    }
    low
}

/// Games that are rated.
pub(crate) struct Played {
    /// Their standings.
    pub(crate) standings: Standings,
    pairing: u32,
}

impl Played {
    /// No games.
    pub(crate) fn new() -> Self {
        Played { standings: Standings::new(Points::TWO_ONE_NONE, Vec::<String>::new()), pairing: 0 }
    }

    /// Adds a pair of games with swapped sides, in which the first of two has so many half points.
    pub(crate) fn pair(&mut self, names: [&str; 2], halves: [usize; 2]) {
        self.pairing += 1;
        for (game, halves) in (1..).zip(halves) {
            let places = [[2, 1], [1, 1], [1, 2]][halves];
            let (names, places) = match game {
                1 => (names, places),
                _ => ([names[1], names[0]], [places[1], places[0]]),
            };
            let none = Duration::ZERO;
            let seat = |entrant| SeatStats { entrant, plies: 0, time: none, longest: none, fault: None };
            self.standings.add_decided(
                GameId { round: 1, pairing: self.pairing, game },
                &PerSeat::two(seat(names[0]), seat(names[1])),
                &FinalResult {
                    places: PerSeat::from(places.to_vec()),
                    scores: PerSeat::from(vec![0, 0]),
                    termination: Termination::Normal,
                },
            );
        }
    }
}

/// Rates an engine by pairs of games against these opponents in turn, until the bar of the own
/// games is narrow enough. `pair` gives its half points in a pair of games against one of them, by
/// the number of games before. Returns the number of games and the rating.
pub(crate) fn rated(
    pool: &Standings,
    own: &str,
    opponents: &[String],
    mut pair: impl FnMut(&str, u32) -> [usize; 2],
) -> (u32, CandidateRating) {
    let mut played = Played::new();
    let mut games = 0;
    loop {
        // As many opponents at a time as the nearest are, so that the whole field is no coarser.
        for _ in 0..NEAREST {
            let name = &opponents[games as usize / 2 % opponents.len()];
            played.pair([own, name], pair(name, games));
            games += 2;
        }
        let rating = candidate::rated(pool, &played.standings, own).expect("there are games");
        if rating.own_error <= BAR || games >= MOST_OF_A_RATING {
            return (games, rating);
        }
    }
}
