//! What is known of the mean of results after some were seen: the results have a Dirichlet prior,
//! so what is known of their probabilities is a Dirichlet distribution too.
//!
//! Its probabilities are independent gamma variables, divided by their sum (Ferguson 1973). So the
//! mean of the values v is above x with the probability that the sum of (v - x) G is positive. That
//! probability comes from the characteristic function (Gil-Pelaez 1951, Imhof 1961). A result that
//! is replaced by a better one moves an exponential variable to a larger factor. So whatever else
//! was played, the probability grows.

use std::f64::consts::PI;

/// No probability is nearer to 0 or 1: numbers that are added up are not more exact.
const LEAST: f64 = 1e-12;
/// The step of ln t in an integral, and the angle of its path. The error is near
/// exp(-2 pi TURN / STEP).
const STEP: f64 = 1.0 / 16.0;
const TURN: f64 = PI / 8.0;
/// Where a mean is sought, in the logarithm of its odds.
const FARTHEST: f64 = 40.0;

/// The posterior distribution of the mean of results.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Posterior {
    /// The weight of each result. Their values are equally spaced from 0 to 1.
    weights: Vec<f64>,
}

impl Posterior {
    /// After so many of each result, from the worst to the best. The prior is symmetric: its weight
    /// is that of so many results, spread evenly over all kinds.
    ///
    /// # Panics
    /// Without results and without a prior.
    #[allow(clippy::cast_precision_loss)] // few kinds of results
    pub(super) fn new(counts: &[f64], prior: f64) -> Self {
        let share = prior / counts.len() as f64;
        let weights: Vec<f64> = counts.iter().map(|count| count + share).collect();
        assert!(weights.len() > 1 && weights.iter().sum::<f64>() > 0.0, "nothing is known");
        Posterior { weights }
    }

    /// Each value with its weight.
    #[allow(clippy::cast_precision_loss)] // few kinds of results
    fn values(&self) -> impl Iterator<Item = (f64, f64)> {
        let last = (self.weights.len() - 1) as f64;
        self.weights.iter().enumerate().map(move |(at, weight)| (at as f64 / last, *weight))
    }

    fn average(&self, of: impl Fn(f64) -> f64) -> f64 {
        let sum: f64 = self.values().map(|(value, weight)| weight * of(value)).sum();
        sum / self.weights.iter().sum::<f64>()
    }

    /// The expected mean.
    pub(super) fn mean(&self) -> f64 {
        self.average(|value| value)
    }

    /// The standard deviation of a single result, by the expected probabilities.
    pub(super) fn deviation(&self) -> f64 {
        let mean = self.mean();
        self.average(|value| (value - mean).powi(2)).sqrt()
    }

    /// The probability that the mean is above this.
    pub(super) fn above(&self, level: f64) -> f64 {
        let terms: Vec<(f64, f64)> = self
            .values()
            .map(|(value, weight)| (value - level, weight))
            .filter(|term| term.1 > 0.0)
            .collect();
        let sum = |of: fn(f64) -> f64| terms.iter().map(|(factor, weight)| weight * of(*factor)).sum::<f64>();
        let (lean, scale) = (sum(|factor| factor), sum(|factor| factor * factor).sqrt());
        if scale <= 0.0 {
            return 0.5;
        }
        // In standard deviations. Farther out the tail is below LEAST.
        let far = lean / scale;
        if far.abs() > 40.0 {
            return if far > 0.0 { 1.0 - LEAST } else { LEAST };
        }
        // Towards the side of the mean phi has hardly any waves. Where the tail of a skewed
        // distribution decides, that is the other side.
        let start = 1e-6 / (scale * (1.0 + far.abs()));
        let turn = if lean == 0.0 { 0.0 } else { lean.signum() * TURN };
        let found = [turn, -turn, 0.0].into_iter().find_map(|turn| integral(&terms, lean, start, turn));
        found.unwrap_or(0.5).clamp(LEAST, 1.0 - LEAST)
    }

    /// The mean that is exceeded with this probability, 0 to 1 without both ends.
    pub(super) fn exceeded_with(&self, probability: f64) -> f64 {
        let of_odds = |odds: f64| 1.0 / (1.0 + (-odds).exp());
        let (mut low, mut high) = (-FARTHEST, FARTHEST);
        while high - low > 1e-10 {
            let middle = f64::midpoint(low, high);
            if self.above(of_odds(middle)) > probability {
                low = middle;
            } else {
                high = middle;
            }
        }
        of_odds(f64::midpoint(low, high))
    }
}

/// The probability that the sum of these factors times gamma variables of these weights is
/// positive: 1/2 and the integral of Im(phi(t)) / (pi t) over t > 0. It is taken on a ray, and the
/// turn of the ray about the pole at 0 counts as its angle. It is a sum at equal steps of ln t.
/// Below the start the function is nearly `lean` t, and the sum a geometric series. `None` if phi
/// grows on this ray.
fn integral(terms: &[(f64, f64)], lean: f64, start: f64, turn: f64) -> Option<f64> {
    let (along, up) = (turn.cos(), turn.sin());
    let ratio = STEP.exp();
    let mut at = start;
    let mut total = lean * along * at / (ratio - 1.0);
    loop {
        let (mut size, mut angle) = (0.0, 0.0);
        for (factor, weight) in terms {
            let x = factor * at;
            size += weight * (2.0 * x * up + x * x).ln_1p() / 2.0;
            angle += weight * (x * along).atan2(1.0 + x * up);
        }
        if size > 36.0 {
            return Some(0.5 + (turn + total * STEP) / PI);
        }
        if size < -2.0 {
            return None;
        }
        total += (-size).exp() * angle.sin();
        at *= ratio;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn near(is: f64, should: f64, within: f64) {
        assert!((is - should).abs() < within, "{is} is not {should}");
    }

    #[test]
    fn a_beta_distribution_is_that_of_its_closed_form() {
        // Of wins and losses alone, each with a weight of 1 before: Beta(1 + wins, 1).
        for wins in 0..30 {
            let found = Posterior::new(&[0.0, f64::from(wins)], 2.0);
            for level in [0.01, 0.3, 0.5, 0.77, 0.999] {
                near(found.above(level), 1.0 - f64::powi(level, wins + 1), 1e-9);
            }
            for probability in [0.025_f64, 0.5, 0.975] {
                let should = (1.0 - probability).powf(1.0 / f64::from(wins + 1));
                near(found.exceeded_with(probability), should, 1e-8);
            }
        }
        // The sum of both tails of draws is 1, and draws do not matter at the middle.
        let drawn = Posterior::new(&[0.0, 1000.0, 3.0], 3.0);
        near(drawn.above(0.5), 1.0 - 1.0 / 16.0, 1e-9);
    }

    #[test]
    fn many_results_are_normally_distributed() {
        let found = Posterior::new(&[250_000.0, 500_000.0, 250_000.0], 3.0);
        let error = (0.125_f64 / 1e6).sqrt();
        for (errors, should) in [(0.0, 0.5), (1.0, 0.841_344_7), (-1.959_964, 0.025), (20.0, 1.0)] {
            near(found.above(0.5 - errors * error), should, 2e-6);
        }
        near(found.exceeded_with(0.025), 0.5 + 1.959_964 * error, 1e-6);
        // Nearly one-sided, where the distribution is skewed: a gamma variable of the losses.
        let skewed = Posterior::new(&[0.0, 1e6], 2.0);
        near(skewed.above(1.0 - 3e-6), 1.0 - (-3.0_f64).exp(), 1e-6);
        near(skewed.exceeded_with(0.025) - 1.0, 1e-6 * 0.975_f64.ln(), 1e-12);
        near(skewed.exceeded_with(0.975) - 1.0, 1e-6 * 0.025_f64.ln(), 1e-10);
    }

    #[test]
    fn the_moments_are_those_of_a_dirichlet_distribution() {
        let found = Posterior::new(&[1.0, 2.0, 5.0], 0.0);
        near(found.mean(), 0.75, 1e-12);
        near(found.deviation(), (5.5_f64 / 8.0 - 0.5625).sqrt(), 1e-12);
    }

    #[test]
    fn whatever_the_counts_the_levels_and_their_probabilities_agree() {
        use rand_chacha::rand_core::{Rng, SeedableRng};
        let mut draw = rand_chacha::ChaCha8Rng::seed_from_u64(5);
        for kinds in [3, 5].repeat(30) {
            // From nothing to a million of each kind.
            let counts: Vec<f64> =
                (0..kinds).map(|_| f64::from((1_u32 << (draw.next_u32() % 21)) - 1)).collect();
            let found = Posterior::new(&counts, if kinds == 3 { 3.0 } else { 1.5 });
            let reversed: Vec<f64> = counts.iter().rev().copied().collect();
            let other = Posterior::new(&reversed, if kinds == 3 { 3.0 } else { 1.5 });
            let mut last = 0.0;
            for probability in [0.999, 0.975, 0.5, 0.025, 0.001] {
                let level = found.exceeded_with(probability);
                assert!(level > last && level < 1.0, "{counts:?} {probability}: {level}");
                last = level;
                near(found.above(level), probability, 1e-6);
                near(found.above(level) + other.above(1.0 - level), 1.0, 1e-6);
            }
            let mean = found.mean();
            assert!((0.25..0.75).contains(&found.above(mean)), "{counts:?}: {}", found.above(mean));
        }
    }
}
