//! The sequential probability ratio test: stops a match when one of two engines is known to be
//! stronger.
//!
//! The log-likelihood ratio compares the most likely distributions of results under two hypotheses.
//! These are about the mean of the results (logistic Elo), or about their mean in standard
//! deviations (normalized Elo). The method follows M. Van den Bergh, "Comments on normalized Elo".
//! The older test about BayesElo takes the share of draws from the games and compares the three
//! probabilities of its model (R. Coulom, "Bayesian Elo rating").
//! The results of one game, or of a pair of games on one board with sides swapped, are equally
//! spaced scores from 0 to 1.

use std::fmt;
use std::str::FromStr;

use super::points::Wdl;
use super::versus::{ELO_OF_T, Pairs, expected_score};

/// A test between two hypotheses about the strength of the first engine.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sprt {
    /// The Elo difference to refute.
    pub elo0: f64,
    /// The Elo difference to show.
    pub elo1: f64,
    /// The probability of accepting `elo1` although `elo0` is true.
    pub alpha: f64,
    /// The probability of accepting `elo0` although `elo1` is true.
    pub beta: f64,
    /// The unit of the differences.
    pub model: Model,
    /// The unit of results.
    pub unit: Unit,
}

/// The meaning of a difference in Elo.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Model {
    /// The expected score of a game.
    Logistic,
    /// The expected score in standard deviations of a game, which many draws do not blur.
    Normalized,
    /// The difference in the model of BayesElo, in which draws have a parameter of their own. It is
    /// about single games.
    Bayesian,
}

/// The unit of results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// Two games on one board with sides swapped. The advantage of the board cancels out.
    Pair,
    /// One game.
    Game,
}

/// The verdict of a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SprtVerdict {
    /// Not enough games yet.
    Open,
    /// `elo0` holds.
    Refuted,
    /// `elo1` holds.
    Shown,
}

/// `H0 accepted`, `H1 accepted`: the words of the literature, and of all tools for it.
impl fmt::Display for SprtVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SprtVerdict::Open => "not decided",
            SprtVerdict::Refuted => "H0 accepted",
            SprtVerdict::Shown => "H1 accepted",
        })
    }
}

/// How far a test has come.
#[derive(Clone, PartialEq, Debug)]
pub struct TestStand {
    /// The test.
    pub test: Sprt,
    /// The engine whose strength it is about.
    pub engine: String,
    /// Its results in single games.
    pub games: Wdl,
    /// The log-likelihood ratio.
    pub ratio: f64,
    /// The verdict by the ratio.
    pub verdict: SprtVerdict,
}

impl TestStand {
    /// Of these results: of pairs or of single games, as the test has it.
    pub fn of(test: Sprt, engine: &str, games: Wdl, pairs: Pairs) -> Self {
        let ratio = test.ratio(games, pairs);
        TestStand { test, engine: engine.to_owned(), games, ratio, verdict: test.finding(ratio) }
    }

    /// Whether one of the two hypotheses is accepted.
    pub fn is_decided(&self) -> bool {
        self.verdict != SprtVerdict::Open
    }
}

impl Sprt {
    /// Between 0 and 50 logistic Elo, by pairs of games: it decides soon if engines are far apart.
    pub const USUAL: Sprt =
        Sprt { elo0: 0.0, elo1: 50.0, alpha: 0.05, beta: 0.05, model: Model::Logistic, unit: Unit::Pair };

    /// The test is decided when the ratio is below or above these bounds.
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The log-likelihood ratio of these results: of `pairs` or of `games`, by [`Sprt::unit`].
    pub fn ratio(&self, games: Wdl, pairs: Pairs) -> f64 {
        match self.unit {
            Unit::Game => self.of_counts(&[games.losses, games.draws, games.wins]),
            Unit::Pair => self.of_counts(&pairs.0),
        }
    }

    /// The verdict for a ratio.
    pub fn finding(&self, ratio: f64) -> SprtVerdict {
        let (lower, upper) = self.bounds();
        if ratio >= upper {
            SprtVerdict::Shown
        } else if ratio <= lower {
            SprtVerdict::Refuted
        } else {
            SprtVerdict::Open
        }
    }

    #[allow(clippy::cast_precision_loss)] // numbers of games are below 2^53
    fn of_counts(&self, counts: &[u64]) -> f64 {
        if counts.iter().sum::<u64>() == 0 {
            return 0.0;
        }
        let last = (counts.len() - 1) as f64;
        // A result that has not occurred is not impossible.
        let seen: Vec<f64> = counts.iter().map(|count| (*count as f64).max(0.001)).collect();
        let all: f64 = seen.iter().sum();
        let results: Vec<(f64, f64)> =
            seen.iter().enumerate().map(|(k, count)| (k as f64 / last, count / all)).collect();
        let (zero, one) = match self.model {
            Model::Bayesian => (of_bayes_elo(&results, self.elo0), of_bayes_elo(&results, self.elo1)),
            Model::Logistic => {
                (of_mean(&results, expected_score(self.elo0)), of_mean(&results, expected_score(self.elo1)))
            }
            Model::Normalized => {
                let games = (last / 2.0).sqrt();
                let t = |elo: f64| elo / ELO_OF_T * games;
                (of_deviations(&results, t(self.elo0)), of_deviations(&results, t(self.elo1)))
            }
        };
        all * results.iter().zip(zero).zip(one).map(|(((_, p), p0), p1)| p * (p1 / p0).ln()).sum::<f64>()
    }
}

/// The probabilities of a loss, a draw and a win at a difference in BayesElo, with as many draws
/// between equals as these results show. With `L` and `W` the shares of losses and wins, that is
/// `drawelo = 200 log10((1 - L) / L (1 - W) / W)`, and a win has the probability
/// `1 / (1 + 10^((drawelo - elo) / 400))`.
fn of_bayes_elo(results: &[(f64, f64)], elo: f64) -> Vec<f64> {
    let odds_against = |share: f64| (1.0 - share) / share;
    let (losses, wins) = (results[0].1, results[results.len() - 1].1);
    let draw_elo = 200.0 * (odds_against(losses) * odds_against(wins)).log10();
    let decisive = |elo: f64| 1.0 / (1.0 + 10f64.powf((draw_elo - elo) / 400.0));
    let (loss, win) = (decisive(-elo), decisive(elo));
    vec![loss, 1.0 - loss - win, win]
}

/// The most likely distribution with this mean.
fn of_mean(results: &[(f64, f64)], mean: f64) -> Vec<f64> {
    tilted(results, &results.iter().map(|(score, _)| score - mean).collect::<Vec<_>>())
}

/// The most likely distribution whose mean is this many of its standard deviations above 1/2.
fn of_deviations(results: &[(f64, f64)], t: f64) -> Vec<f64> {
    #[allow(clippy::cast_precision_loss)] // there are five results at most
    let mut likely = vec![1.0 / results.len() as f64; results.len()];
    // The condition is not linear in the probabilities; it is linearised around the last answer.
    for _ in 0..50 {
        let mean: f64 = results.iter().zip(&likely).map(|((score, _), p)| score * p).sum();
        let variance: f64 =
            results.iter().zip(&likely).map(|((score, _), p)| (score - mean).powi(2) * p).sum();
        let deviation = variance.sqrt();
        let above =
            |score: f64| score - 0.5 - t * deviation * (1.0 + ((score - mean) / deviation).powi(2)) / 2.0;
        let next = tilted(results, &results.iter().map(|(score, _)| above(*score)).collect::<Vec<_>>());
        let moved = next.iter().zip(&likely).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        likely = next;
        if moved < 1e-12 {
            break;
        }
    }
    likely
}

/// The most likely distribution in which these values have the mean 0: p / (1 + t value), with the
/// right t.
fn tilted(results: &[(f64, f64)], values: &[f64]) -> Vec<f64> {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // Between the poles the sum falls from plus to minus infinity as t grows.
    let (mut left, mut right) = (-1.0 / high, -1.0 / low);
    for _ in 0..200 {
        let t = f64::midpoint(left, right);
        let sum: f64 = results.iter().zip(values).map(|((_, p), value)| p * value / (1.0 + t * value)).sum();
        if sum > 0.0 { left = t } else { right = t }
    }
    let t = f64::midpoint(left, right);
    results.iter().zip(values).map(|((_, p), value)| p / (1.0 + t * value)).collect()
}

/// Why a text is not a test.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SprtError {
    /// A part of it is unknown.
    #[error(
        "{0:?} is not a part of a test; write ELO0,ELO1 and optionally alpha=0.05, beta=0.05, \
         normalized, bayesian or games, as in 0,10,normalized"
    )]
    Word(String),
    /// A difference has one unit.
    #[error("the Elo of a test is normalized or bayesian, and not both; leave one of them out")]
    Models,
    /// BayesElo is about single games.
    #[error("bayesian is about single games, and a test counts pairs of games; write 0,10,bayesian,games")]
    Bayesian,
    /// The hypotheses are in the wrong order.
    #[error("the first Elo of a test must be below the second, as in 0,10, and both between -1000 and 1000")]
    Order,
    /// An error is not a probability.
    #[error("alpha and beta must be above 0 and below 0.5")]
    Error,
}

/// `0,10` or `0,10,alpha=0.01,beta=0.01,normalized,games`.
impl FromStr for Sprt {
    type Err = SprtError;

    fn from_str(text: &str) -> Result<Self, SprtError> {
        let wrong = |word: &str| SprtError::Word(word.to_owned());
        let number = |word: &str, number: &str| -> Result<f64, SprtError> {
            number.parse().ok().filter(|number: &f64| number.is_finite()).ok_or_else(|| wrong(word))
        };
        let mut words = text.split(',').map(str::trim);
        let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let mut test = Sprt {
            elo0: number(first, first)?,
            elo1: number(second, second)?,
            alpha: 0.05,
            beta: 0.05,
            model: Model::Logistic,
            unit: Unit::Pair,
        };
        for word in words {
            match (word, word.split_once('=')) {
                (_, Some(("alpha", value))) => test.alpha = number(word, value)?,
                (_, Some(("beta", value))) => test.beta = number(word, value)?,
                ("normalized", _) if test.model == Model::Logistic => test.model = Model::Normalized,
                ("bayesian", _) if test.model == Model::Logistic => test.model = Model::Bayesian,
                ("normalized" | "bayesian", _) => return Err(SprtError::Models),
                ("games", _) => test.unit = Unit::Game,
                _ => return Err(wrong(word)),
            }
        }
        if test.elo0 >= test.elo1 || test.elo0.abs().max(test.elo1.abs()) > 1000.0 {
            return Err(SprtError::Order);
        }
        if test.model == Model::Bayesian && test.unit == Unit::Pair {
            return Err(SprtError::Bayesian);
        }
        let is_error = |error: f64| error > 0.0 && error < 0.5;
        if !is_error(test.alpha) || !is_error(test.beta) {
            return Err(SprtError::Error);
        }
        Ok(test)
    }
}

/// `0,10,alpha=0.05,beta=0.05`, which can be read back.
impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{},alpha={},beta={}", self.elo0, self.elo1, self.alpha, self.beta)?;
        f.write_str(match self.model {
            Model::Logistic => "",
            Model::Normalized => ",normalized",
            Model::Bayesian => ",bayesian",
        })?;
        if self.unit == Unit::Game {
            f.write_str(",games")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn ratio(test: &str, counts: &[u64], should: f64) {
        let test: Sprt = test.parse().unwrap();
        let is = match *counts {
            [wins, draws, losses] => test.ratio(Wdl { wins, draws, losses }, Pairs::default()),
            _ => test.ratio(Wdl::default(), Pairs(counts.try_into().unwrap())),
        };
        assert!((is - should).abs() < 0.01, "{is} is not {should}");
    }

    #[test]
    fn ratios_are_those_of_the_reference() {
        ratio("0.5,2.5,games", &[21404, 40708, 21184], -1.57);
        ratio("0.5,2.5", &[223, 9863, 21279, 10037, 246], -3.07);
        ratio("0,2,normalized,games", &[36433, 68692, 36027], 0.92);
    }

    #[test]
    fn the_ratio_of_bayes_elo_is_that_of_its_formula() {
        ratio("0,5,bayesian,games", &[4200, 9300, 3900], 4.6514);
        ratio("-3,1,bayesian,games", &[1200, 600, 1250], -0.5727);
        ratio("0,50,bayesian,games", &[30, 0, 12], 2.1570);
    }

    #[test]
    fn nothing_is_decided_before_the_first_game_and_everything_after_many() {
        let test: Sprt = "0,10,normalized".parse().unwrap();
        let said = |pairs| test.finding(test.ratio(Wdl::default(), Pairs(pairs)));
        assert_eq!(said([0; 5]), SprtVerdict::Open);
        assert_eq!(said([0, 0, 1, 0, 0]), SprtVerdict::Open);
        assert_eq!(said([0, 0, 0, 0, 2000]), SprtVerdict::Shown);
        assert_eq!(said([2000, 0, 0, 0, 0]), SprtVerdict::Refuted);
        let (lower, upper) = test.bounds();
        assert!((upper - 2.944).abs() < 0.001 && (lower + upper).abs() < 1e-12);
    }

    #[test]
    fn a_test_reads_back_and_a_wrong_one_is_refused() {
        for text in [
            "0,10,alpha=0.05,beta=0.05",
            "-5.5,0,alpha=0.01,beta=0.1,normalized,games",
            "0,10,alpha=0.05,beta=0.05,bayesian,games",
        ] {
            assert_eq!(text.parse::<Sprt>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "0",
            "0,x",
            "0,nan",
            "10,0",
            "0,5000",
            "0,10,alpha=0.7",
            "0,10,beta",
            "0,10,often",
            "0,10,bayesian",
            "0,10,normalized,bayesian,games",
        ] {
            assert!(text.parse::<Sprt>().is_err(), "{text}");
        }
    }
}
