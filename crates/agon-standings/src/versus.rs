//! The comparison of two engines: how much stronger one is, and how certain that is.

use super::points::Wdl;
use super::rating::{NINETY_FIVE, normal};

/// The normalized Elo of a mean that is one standard deviation of a game above 1/2.
pub(super) const ELO_OF_T: f64 = 800.0 / std::f64::consts::LN_10;

/// Pairs of games on one board with sides swapped, by the points of the first engine in both: none,
/// a half, one, one and a half, two.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pairs(pub [u64; 5]);

impl Pairs {
    /// Adds a pair by the half points of the first engine in it, 0 to 4.
    pub fn add(&mut self, halves: usize) {
        self.0[halves] += 1;
    }

    /// The number of pairs.
    pub fn count(self) -> u64 {
        self.0.iter().sum()
    }
}

/// The comparison, as the first engine sees it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Versus {
    /// The share of the points, a draw as half.
    pub score: f64,
    /// The difference in logistic Elo; infinite if all or none were won.
    pub elo: f64,
    /// The error bar; not a number if `elo` is infinite.
    pub elo_error: f64,
    /// The difference in normalized Elo: the score in standard deviations of a game. Infinite if
    /// `elo` is.
    pub normalized: f64,
    /// The likelihood of superiority of the first, 0 to 1.
    pub superiority: f64,
}

impl Versus {
    /// From single games; `None` without games.
    pub fn of_games(games: Wdl) -> Option<Versus> {
        of_counts(&[games.losses, games.draws, games.wins])
    }

    /// From pairs of games, which cancel the luck of the board; `None` without pairs.
    pub fn of_pairs(pairs: Pairs) -> Option<Versus> {
        of_counts(&pairs.0)
    }
}

/// The expected score of an engine that is stronger by this much Elo.
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The logistic Elo of a score.
pub fn elo_of(score: f64) -> f64 {
    // Adding zero turns -0 into 0.
    -400.0 * (1.0 / score - 1.0).log10() + 0.0
}

#[allow(clippy::cast_precision_loss)] // numbers of games are below 2^53
fn of_counts(counts: &[u64]) -> Option<Versus> {
    let all = counts.iter().sum::<u64>() as f64;
    if all == 0.0 {
        return None;
    }
    let last = (counts.len() - 1) as f64;
    let mean = |value: &dyn Fn(f64) -> f64| {
        counts.iter().enumerate().map(|(k, count)| *count as f64 * value(k as f64 / last)).sum::<f64>() / all
    };
    let score = mean(&|result| result);
    let variance = mean(&|result| (result - score).powi(2));
    let deviation = (variance / all).sqrt();
    let (low, high) = (score - NINETY_FIVE * deviation, score + NINETY_FIVE * deviation);
    let clamped = |score: f64| elo_of(score.clamp(1e-6, 1.0 - 1e-6));
    let above = score - 0.5;
    Some(Versus {
        score,
        elo: elo_of(score),
        elo_error: if score == 0.0 || score == 1.0 { f64::NAN } else { (clamped(high) - clamped(low)) / 2.0 },
        normalized: if above == 0.0 { 0.0 } else { above / (variance * last / 2.0).sqrt() * ELO_OF_T },
        superiority: if above == 0.0 { 0.5 } else { normal(above / deviation) },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn near(is: f64, should: f64, within: f64) {
        assert!((is - should).abs() < within, "{is} is not {should}");
    }

    #[test]
    fn games_give_the_numbers_of_the_reference() {
        let found = Versus::of_games(Wdl { wins: 136, draws: 111, losses: 96 }).unwrap();
        near(found.elo, 40.70, 0.005);
        near(found.elo_error, 30.43, 0.01);
        near(found.normalized, 49.77, 0.005);
        near(found.superiority, 0.9960, 5e-5);
    }

    #[test]
    fn pairs_give_the_numbers_of_the_reference() {
        let found = Versus::of_pairs(Pairs([34, 54, 63, 64, 75])).unwrap();
        near(found.elo, 55.58, 0.005);
        near(found.elo_error, 27.65, 0.01);
        near(found.normalized, 57.94, 0.005);
    }

    #[test]
    fn one_sided_and_even_results_have_no_surprises() {
        assert_eq!(Versus::of_games(Wdl::default()), None);
        let won = Versus::of_games(Wdl { wins: 3, draws: 0, losses: 0 }).unwrap();
        assert!(won.elo.is_infinite() && won.elo_error.is_nan() && won.superiority == 1.0);
        let even = Versus::of_games(Wdl { wins: 0, draws: 3, losses: 0 }).unwrap();
        assert_eq!((even.elo, even.normalized, even.superiority), (0.0, 0.0, 0.5));
        near(elo_of(expected_score(123.0)), 123.0, 1e-9);
    }
}
