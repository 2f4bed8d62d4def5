//! The comparison of two engines: how much stronger one is, and how certain that is.

use super::points::Wdl;
use super::rating::{NINETY_FIVE, normal};

/// The normalized Elo of a mean that is one standard deviation of a game above 1/2.
pub(super) const ELO_OF_T: f64 = 800.0 / std::f64::consts::LN_10;

/// Pairs of games on one board with sides swapped, by the points of the first engine in both. These
/// are none, a half, one, one and a half, two.
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
    /// The difference in logistic Elo. If all results are the same, one drawn result more makes it
    /// finite, as the most likely value under a prior of one draw.
    pub elo: f64,
    /// The error bar of 95 %. If all results are the same, which have no spread, it comes from the
    /// curvature of the likelihood with that drawn result. Of nearly uniform results, whose spread
    /// reaches beyond a score of 0 or 1, it is no larger than that.
    pub elo_error: f64,
    /// The difference in normalized Elo: the score in standard deviations of a game, also with that
    /// drawn result.
    pub normalized: f64,
    /// The likelihood of superiority of the first, 0 to 1: the normal distribution at the score
    /// above one half in standard errors. If all results are the same, at the square root of their
    /// number.
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
    let played = counts.iter().sum::<u64>() as f64;
    if played == 0.0 {
        return None;
    }
    let last = (counts.len() - 1) as f64;
    let mut counts: Vec<f64> = counts.iter().map(|count| *count as f64).collect();
    let average = |counts: &[f64], value: &dyn Fn(f64) -> f64| {
        let sum = counts.iter().enumerate().map(|(k, count)| count * value(k as f64 / last)).sum::<f64>();
        sum / counts.iter().sum::<f64>()
    };
    let share = average(&counts, &|result| result);
    let is_uniform = counts.contains(&played);
    if is_uniform {
        let middle = counts.len() / 2;
        counts[middle] += 1.0;
    }
    let all: f64 = counts.iter().sum();
    let mean = |value: &dyn Fn(f64) -> f64| average(&counts, value);
    let score = mean(&|result| result);
    let variance = mean(&|result| (result - score).powi(2));
    let deviation = (variance / all).sqrt();
    let (low, high) = (score - NINETY_FIVE * deviation, score + NINETY_FIVE * deviation);
    let clamped = |score: f64| elo_of(score.clamp(1e-6, 1.0 - 1e-6));
    let above = score - 0.5;
    // The information of one game about the Elo is p (1 - p) for the score p.
    let by_curvature = |all: f64, score: f64| {
        NINETY_FIVE * 400.0 / std::f64::consts::LN_10 / (all * last / 2.0 * score * (1.0 - score)).sqrt()
    };
    let elo_error = if is_uniform {
        by_curvature(all, score)
    } else if low <= 0.0 || high >= 1.0 {
        // The Elo of such an end is infinite. The bar is that of the score with one draw added,
        // which is nearer to one half.
        ((clamped(high) - clamped(low)) / 2.0).min(by_curvature(all + 1.0, (score * all + 0.5) / (all + 1.0)))
    } else {
        (clamped(high) - clamped(low)) / 2.0
    };
    Some(Versus {
        score: share,
        elo: elo_of(score),
        elo_error,
        normalized: if above == 0.0 { 0.0 } else { above / (variance * last / 2.0).sqrt() * ELO_OF_T },
        superiority: match above {
            0.0 => 0.5,
            // Without a spread the deviation says nothing: (W - L) / sqrt(W + L), as for games
            // without draws.
            _ if is_uniform => normal(above.signum() * played.sqrt()),
            _ => normal(above / deviation),
        },
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
        assert_eq!(won.score, 1.0);
        // Three wins and a draw: a score of 7/8, which is 338 Elo; 1.96 * 173.7 / sqrt(4 * 7/64).
        near(won.elo, 338.04, 0.01);
        near(won.elo_error, 514.8, 0.1);
        assert!(won.normalized.is_finite());
        // Three wins in a row prove little: the normal distribution at 3 / sqrt(3).
        near(won.superiority, 0.9584, 5e-5);
        let lost = Versus::of_pairs(Pairs([50, 0, 0, 0, 0])).unwrap();
        assert!(lost.elo < -700.0 && lost.elo + lost.elo_error < -300.0, "{lost:?}");
        let even = Versus::of_games(Wdl { wins: 0, draws: 3, losses: 0 }).unwrap();
        assert_eq!((even.elo, even.normalized, even.superiority), (0.0, 0.0, 0.5));
        // A match that is nearly one-sided: the bar shrinks with the games and never jumps.
        let bars = [[0, 0, 1, 0, 5], [0, 0, 1, 0, 10], [0, 0, 2, 0, 13], [0, 0, 2, 0, 20]]
            .map(|pairs| Versus::of_pairs(Pairs(pairs)).unwrap().elo_error);
        assert!(bars.is_sorted_by(|one, later| one > later) && bars[0] < 400.0, "{bars:?}");
        near(even.elo_error, 340.5, 0.1);
        near(elo_of(expected_score(123.0)), 123.0, 1e-9);
    }
}
