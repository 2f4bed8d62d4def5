//! What is believed so far of each two entrants: the guess by which pairs are chosen. No verdict
//! depends on it being right.
//!
//! A rating of each entrant (Bradley and Terry 1952, with a normal prior) tells what to expect of
//! two that have hardly met. The results of the two themselves come to outweigh it, so that a field
//! in which A beats B, B beats C and C beats A is seen as it is.

/// The standard deviation of the prior of a rating, as the logarithm of the odds: 200 Elo.
const PRIOR_DEVIATION: f64 = 1.151;
/// After so many pairs of two entrants, their own results weigh as much as their ratings.
const WEIGHT_OF_RATINGS: f64 = 6.0;
/// A rating moves by no more than this in a step, against overshooting.
const MOST_STEP: f64 = 1.0;

/// What is expected of each two entrants after some pairs of games.
#[derive(Clone, Debug)]
pub(super) struct Estimates {
    entrants: usize,
    /// By two entrants: the sum of the scores of the first, and the number of pairs.
    sums: Vec<f64>,
    counts: Vec<f64>,
    /// The logarithm of the odds against an average entrant.
    ratings: Vec<f64>,
    /// By two entrants: the expected score of the first.
    expected: Vec<f64>,
    /// The mean of the expected scores against all others.
    means: Vec<f64>,
    /// How many results there were since all ratings were looked at.
    since_all: usize,
}

#[allow(clippy::cast_precision_loss)] // numbers of entrants are small
impl Estimates {
    pub(super) fn new(entrants: usize) -> Self {
        let all = entrants * entrants;
        Estimates {
            entrants,
            sums: vec![0.0; all],
            counts: vec![0.0; all],
            ratings: vec![0.0; entrants],
            expected: vec![0.5; all],
            means: vec![0.5; entrants],
            since_all: 0,
        }
    }

    /// Learns the score of the first of two in a pair of games, from 0 to 1.
    pub(super) fn learn(&mut self, [one, two]: [usize; 2], score: f64) {
        for (own, other, score) in [(one, two, score), (two, one, 1.0 - score)] {
            self.sums[own * self.entrants + other] += score;
            self.counts[own * self.entrants + other] += 1.0;
        }
        self.since_all += 1;
        if 2 * self.since_all >= self.entrants {
            self.since_all = 0;
            (0..self.entrants).for_each(|entrant| self.rate(entrant));
            (0..self.entrants).for_each(|entrant| self.expect_of(entrant));
        } else {
            for entrant in [one, two, one, two] {
                self.rate(entrant);
            }
            self.expect_of(one);
            self.expect_of(two);
        }
    }

    /// The row of an entrant in a table of all pairs.
    fn row(&self, entrant: usize) -> std::ops::Range<usize> {
        entrant * self.entrants..(entrant + 1) * self.entrants
    }

    /// Moves one rating to where its own games want it, by a step of Newton's method.
    fn rate(&mut self, entrant: usize) {
        let own = self.ratings[entrant];
        let precision = PRIOR_DEVIATION.powi(-2);
        let (mut slope, mut curve) = (-own * precision, precision);
        let row = self.row(entrant);
        for ((sum, count), rating) in self.sums[row.clone()].iter().zip(&self.counts[row]).zip(&self.ratings)
        {
            if *count > 0.0 {
                let expected = logistic(own - rating);
                // A pair is two games.
                slope += 2.0 * (sum - count * expected);
                curve += 2.0 * count * expected * (1.0 - expected);
            }
        }
        self.ratings[entrant] += (slope / curve).clamp(-MOST_STEP, MOST_STEP);
    }

    /// Computes what is expected of an entrant against each other one.
    fn expect_of(&mut self, entrant: usize) {
        let size = self.entrants;
        let own = self.ratings[entrant];
        let mut moved = 0.0;
        for other in (0..size).filter(|other| *other != entrant) {
            let at = entrant * size + other;
            let by_ratings = logistic(own - self.ratings[other]);
            let weight = WEIGHT_OF_RATINGS + self.counts[at];
            let expected = (WEIGHT_OF_RATINGS * by_ratings + self.sums[at]) / weight;
            let by = expected - self.expected[at];
            self.expected[at] = expected;
            self.expected[other * size + entrant] = 1.0 - expected;
            self.means[other] -= by / (size - 1) as f64;
            moved += by;
        }
        self.means[entrant] += moved / (size - 1) as f64;
    }

    /// The expected scores of an entrant against each other one; one half against itself.
    pub(super) fn expected(&self, entrant: usize) -> &[f64] {
        &self.expected[self.row(entrant)]
    }

    /// The expected score of each entrant against the whole field.
    pub(super) fn means(&self) -> &[f64] {
        &self.means
    }

    /// How many pairs each two have played, by the first of them.
    pub(super) fn counts(&self, entrant: usize) -> &[f64] {
        &self.counts[self.row(entrant)]
    }

    /// The ratings, as the logarithm of the odds, and their standard deviations as if those of the
    /// others were known.
    pub(super) fn ratings(&self) -> Vec<(f64, f64)> {
        let of = |entrant: usize| {
            let own = self.ratings[entrant];
            let counted = self.counts(entrant).iter().zip(&self.ratings).filter(|(count, _)| **count > 0.0);
            let known: f64 = counted
                .map(|(count, rating)| {
                    let expected = logistic(own - rating);
                    2.0 * count * expected * (1.0 - expected)
                })
                .sum();
            (own, (known + PRIOR_DEVIATION.powi(-2)).sqrt().recip())
        };
        (0..self.entrants).map(of).collect()
    }
}

/// The probability of these odds, which are given as a logarithm.
fn logistic(odds: f64) -> f64 {
    1.0 / (1.0 + (-odds).exp())
}
