//! What is certain at 95 %, however often one looks and however pairs are chosen.
//!
//! Somebody bets against the claim that an entrant i is no better than j: that its mean expected
//! score against all others is not higher. A pair is drawn with known probabilities. The result y
//! of i against k, drawn with the probability q, counts as `(y - c) / q`, where c is what one
//! expected, shifted so that i and j are expected to be equal; the result of j counts with the
//! other sign. All other pairs count 0. Whatever the true scores are, the mean of that is the
//! difference of the two scores, times the number of others; the expected scores cancel out. So if
//! the claim holds, a stake multiplies the capital by at most 1 on average. It exceeds x with a
//! probability of at most 1/x at any time (Ville 1939). Weighting by inverse probabilities is that
//! of D. Horvitz and D. Thompson (1952); that expectations lessen its variance and need not be
//! true, of J. Robins, A. Rotnitzky and L. Zhao (1994). The capital is spread over fixed stakes, as
//! in [`crate::any_time`].
//!
//! Nothing of this assumes ratings, independent draws of strength, or that who beats the one that
//! beats another beats that other too.

use super::super::question::RunQuestion;
use super::super::versus::expected_score;
use super::draw::Chances;
use super::estimates::Estimates;

/// The probability of a wrong verdict.
const WRONG: f64 = 0.05;
/// The parts of the highest stake that leaves something whatever happens.
const STAKES: [f64; 9] = [0.02, 0.04, 0.08, 0.14, 0.23, 0.36, 0.54, 0.75, 0.95];
/// The bars of engines are looked for up to so many Elo, in steps of this part of what was asked.
const MOST_ELO: f64 = 1000.0;
const STEPS_OF_A_BAR: f64 = 10.0;

/// What was known when a pair was drawn, as far as the bets on it need it.
#[derive(Clone, Debug)]
pub(super) struct DrawnPair {
    /// The two.
    pub(super) pair: [usize; 2],
    /// The expected score of each entrant against the field.
    means: Vec<f64>,
    /// Of each of the two: what it was expected to score against each other one, and the chance of
    /// the two to meet.
    rows: [(Vec<f64>, Vec<f64>); 2],
    /// Of each entrant: the most that it can fall short of the expectation against one opponent, by
    /// the chance of them; the most that it can exceed it; and the highest of the chances'
    /// inverses.
    most: Vec<[f64; 3]>,
}

impl DrawnPair {
    pub(super) fn new(pair: [usize; 2], estimates: &Estimates, chances: &Chances) -> Self {
        let most = (0..estimates.means().len())
            .map(|own| {
                let mut most = [0f64; 3];
                let others = estimates.expected(own).iter().zip(chances.with(own));
                for (expected, chance) in others.filter(|(_, chance)| **chance > 0.0) {
                    let these = [expected / chance, (1.0 - expected) / chance, chance.recip()];
                    most.iter_mut().zip(these).for_each(|(most, this)| *most = most.max(this));
                }
                most
            })
            .collect();
        let row = |own| (estimates.expected(own).to_vec(), chances.with(own).to_vec());
        DrawnPair { pair, means: estimates.means().to_vec(), rows: pair.map(row), most }
    }
}

/// The capitals of all bets so far.
#[derive(Clone, Debug)]
pub(super) struct BetCapitals {
    entrants: usize,
    /// By two entrants and stake: the logarithm of the capital against the claim that the first is
    /// no better.
    ahead: Vec<f64>,
    /// By two entrants: whether the first is certainly better.
    is_ahead: Vec<bool>,
    /// The capital that refutes a claim about two, as a logarithm.
    refuted: f64,
    bars: Option<Bars>,
}

/// The bars of the scores of all entrants.
#[derive(Clone, Debug)]
struct Bars {
    /// The scores that are tried, rising, and their Elo.
    scores: Vec<f64>,
    elos: Vec<f64>,
    /// By entrant, score and stake: the capitals against the claims that its score is no higher,
    /// and no lower.
    above: Vec<f64>,
    below: Vec<f64>,
    /// Of each entrant: how many of the lowest, and of the highest scores are refuted.
    ends: Vec<[usize; 2]>,
    refuted: f64,
}

#[allow(clippy::cast_precision_loss)] // numbers of entrants and of stakes are small
impl BetCapitals {
    pub(super) fn new(question: RunQuestion, entrants: usize) -> Self {
        // The claims of which a wrong verdict refutes a true one. That two equal ones differ is
        // wrong too, so both of their directions count.
        let claims = match question {
            // Somebody of the others ahead of one of the best, or one of the best of an equal
            // other.
            RunQuestion::Cut(cut) => 2 * cut * (entrants - cut),
            RunQuestion::Order => entrants * (entrants - 1),
            RunQuestion::Bars(_) => 2 * entrants,
        };
        let refuted = (claims as f64 / WRONG).ln();
        let bars = match question {
            RunQuestion::Bars(width) => Some(Bars::new(width, entrants, refuted)),
            RunQuestion::Cut(_) | RunQuestion::Order => None,
        };
        let pairs = if bars.is_some() { 0 } else { entrants * entrants };
        BetCapitals {
            entrants,
            ahead: vec![-(STAKES.len() as f64).ln(); pairs * STAKES.len()],
            is_ahead: vec![false; pairs],
            refuted,
            bars,
        }
    }

    /// Counts the score of the first of the two that were drawn.
    pub(super) fn add(&mut self, drawn: &DrawnPair, score: f64) {
        let [one, two] = drawn.pair;
        if let Some(bars) = &mut self.bars {
            bars.add(drawn, 0, score);
            bars.add(drawn, 1, 1.0 - score);
            return;
        }
        for other in 0..self.entrants {
            if other != one && other != two {
                self.bet(drawn, [one, other], score);
                self.bet(drawn, [other, one], score);
                self.bet(drawn, [two, other], score);
                self.bet(drawn, [other, two], score);
            }
        }
        self.bet(drawn, [one, two], score);
        self.bet(drawn, [two, one], score);
    }

    /// Bets that the first of two is better than the second.
    fn bet(&mut self, drawn: &DrawnPair, [better, worse]: [usize; 2], score: f64) {
        let at = better * self.entrants + worse;
        if self.is_ahead[at] {
            return;
        }
        let [one, two] = drawn.pair;
        let half = (drawn.means[better] - drawn.means[worse]) / 2.0;
        let lack = (-half).max(0.0);
        let chance = drawn.rows[0].1[two];
        // What the pair counts, and the most that any pair may count against the bet.
        let mut gain = 0.0;
        for (own, result, row) in [(one, score, &drawn.rows[0]), (two, 1.0 - score, &drawn.rows[1])] {
            let expected = row.0[if own == one { two } else { one }];
            if own == better {
                gain += (result - expected + half) / chance;
            } else if own == worse {
                gain -= (result - expected - half) / chance;
            }
        }
        let mut loss = (drawn.most[better][0] + lack * drawn.most[better][2])
            .max(drawn.most[worse][1] + lack * drawn.most[worse][2]);
        // The game of the two themselves counts for both.
        let row = if better == one || worse == one { &drawn.rows[0] } else { &drawn.rows[1] };
        let (own, other) = if better == one || worse == one {
            (one, better + worse - one)
        } else {
            (two, better + worse - two)
        };
        let expected = if own == better { row.0[other] } else { 1.0 - row.0[other] };
        loss = loss.max(2.0 * (expected - half) / row.1[other]);
        let capital = &mut self.ahead[at * STAKES.len()..(at + 1) * STAKES.len()];
        if stake(capital, gain / loss) >= self.refuted {
            self.is_ahead[at] = true;
        }
    }

    /// Whether the first of two is certainly better.
    pub(super) fn is_ahead(&self, better: usize, worse: usize) -> bool {
        self.bars.is_none() && self.is_ahead[better * self.entrants + worse]
    }

    /// The certain bar of an entrant in Elo, if bars were asked for; an end may be infinite.
    pub(super) fn bar(&self, entrant: usize) -> Option<[f64; 2]> {
        self.bars.as_ref().map(|bars| bars.of(entrant))
    }
}

/// Multiplies what each stake has by what it wins, as a part of the most that it can lose. Returns
/// the logarithm of all together.
fn stake(capital: &mut [f64], won: f64) -> f64 {
    let mut most = f64::NEG_INFINITY;
    for (capital, stake) in capital.iter_mut().zip(STAKES) {
        *capital += (stake * won).ln_1p();
        most = most.max(*capital);
    }
    most + capital.iter().map(|capital| (capital - most).exp()).sum::<f64>().ln()
}

#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a few hundred steps
impl Bars {
    fn new(width: f64, entrants: usize, refuted: f64) -> Self {
        let step = width / STEPS_OF_A_BAR;
        let steps = (MOST_ELO / step).floor() as i32;
        let elos: Vec<f64> = (-steps..=steps).map(|at| f64::from(at) * step).collect();
        let capitals = vec![-(STAKES.len() as f64).ln(); entrants * elos.len() * STAKES.len()];
        Bars {
            scores: elos.iter().map(|elo| expected_score(*elo)).collect(),
            elos,
            above: capitals.clone(),
            below: capitals,
            ends: vec![[0, 0]; entrants],
            refuted,
        }
    }

    /// Counts the score of one of the two that were drawn.
    fn add(&mut self, drawn: &DrawnPair, place: usize, score: f64) {
        let (own, other) = (drawn.pair[place], drawn.pair[1 - place]);
        let (expected, chances) = &drawn.rows[place];
        let [short, over, inverse] = drawn.most[own];
        let size = self.scores.len();
        let refuted = self.refuted;
        let [low, high] = self.ends[own];
        // The lowest and the highest score that may be the right one.
        let (mut first, mut last) = (None, None);
        for at in low..size - high {
            let shift = self.scores[at] - drawn.means[own];
            let won = (score - expected[other] - shift) / chances[other];
            let range = (own * size + at) * STAKES.len()..(own * size + at + 1) * STAKES.len();
            let most = [short + shift.max(0.0) * inverse, over + (-shift).max(0.0) * inverse];
            if stake(&mut self.above[range.clone()], won / most[0]) < refuted {
                first = first.or(Some(at));
            }
            if stake(&mut self.below[range], -won / most[1]) < refuted {
                last = Some(at);
            }
        }
        // A score is refuted with all lower ones, or with all higher ones. So a wrong end needs
        // that the one next to the true score is refuted.
        let (first, last) = (first.unwrap_or(size - high), last.map_or(low, |last| last + 1));
        self.ends[own] = [first, size - last];
    }

    fn of(&self, entrant: usize) -> [f64; 2] {
        let [low, high] = self.ends[entrant];
        let size = self.elos.len();
        let lower = if low == 0 { f64::NEG_INFINITY } else { self.elos[low - 1] };
        let upper = if high == 0 { f64::INFINITY } else { self.elos[size - high] };
        [lower, upper]
    }
}
