//! The probabilities with which the next pair is drawn, and the draw.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::super::pairings::table_seed;

/// The part of the draws in which all pairs are equally likely.
const EVEN: f64 = 0.25;
/// When each entrant has played so many pairs on average, half of the opponents of those in
/// question are drawn from all others. Before, more of them are in question themselves, which finds
/// the border soonest. Later, fewer are, which makes it certain soonest.
const HALF_OF_ALL: f64 = 40.0;
/// How the draws are named in the seeds. The values never change.
const DRAW: &str = "the pair to be played";

/// The probability of each two entrants to be the next pair.
#[derive(Clone, Debug)]
pub(super) struct Chances {
    entrants: usize,
    /// By two entrants.
    all: Vec<f64>,
}

#[allow(clippy::cast_precision_loss)] // numbers of entrants are small
impl Chances {
    /// By how much each entrant is in question, after so many pairs; all alike if none is.
    pub(super) fn of(focus: &[f64], played: u32) -> Self {
        let size = focus.len();
        let each = 2.0 * f64::from(played) / size as f64;
        let any_opponent = each / (each + HALF_OF_ALL);
        let pairs = (size * (size - 1) / 2) as f64;
        let sum: f64 = focus.iter().sum();
        let (even, sum) = if sum > 0.0 { (EVEN, sum) } else { (1.0, 1.0) };
        let focus: Vec<f64> = focus.iter().map(|one| one / sum).collect();
        let others = (size - 1) as f64;
        let mut all = vec![0.0; size * size];
        for one in 0..size {
            for two in one + 1..size {
                let chosen = |own: f64, other: f64| {
                    // Nobody else is in question if one entrant alone is.
                    let in_question = if own < 1.0 - 1e-9 { other / (1.0 - own) } else { 1.0 / others };
                    own * (any_opponent / others + (1.0 - any_opponent) * in_question)
                };
                let asked = chosen(focus[one], focus[two]) + chosen(focus[two], focus[one]);
                let chance = even / pairs + (1.0 - even) * asked;
                all[one * size + two] = chance;
                all[two * size + one] = chance;
            }
        }
        Chances { entrants: size, all }
    }

    /// Those of an entrant with each other one; 0 with itself.
    pub(super) fn with(&self, entrant: usize) -> &[f64] {
        &self.all[entrant * self.entrants..(entrant + 1) * self.entrants]
    }

    /// Draws the pair of this number, from 1: two entrants, the lower one first.
    pub(super) fn draw(&self, seed: u64, number: u32) -> [usize; 2] {
        let mut random = ChaCha8Rng::seed_from_u64(table_seed(seed, &[DRAW], number));
        // 53 bits, as many as a number from 0 to 1 has.
        #[allow(clippy::cast_precision_loss)]
        let at = (random.next_u64() >> 11) as f64 / 2f64.powi(53);
        let mut sum = 0.0;
        let mut last = [0, 1];
        for one in 0..self.entrants {
            for two in one + 1..self.entrants {
                last = [one, two];
                sum += self.all[one * self.entrants + two];
                if at < sum {
                    return last;
                }
            }
        }
        // The sum may be less than 1 by what rounding took.
        last
    }
}
