//! Bars of a score: one that may be looked at at any time, and the usual one, which is right at a
//! number of games that was fixed before the first one.
//!
//! Somebody bets on each result against the claim that the expected score is m. With a stake s from
//! -2 to 2, the capital is multiplied by `(1 + s (x - 1/2)) / (1 + s (m - 1/2))` at a result x. If
//! the claim holds, that is a fair bet: capital exceeds 20 times its start at any time with a
//! probability of at most 5 % (Ville 1939). The bar holds all m against which the capital stays
//! below that. The stake that suits the variance of the results is not known, so the capital is
//! spread over many stakes of both signs. This is the betting of I. Waudby-Smith and A. Ramdas,
//! "Estimating means of bounded random variables by betting" (2023), mixed over fixed stakes as in
//! F. Orabona and K.-S. Jun, "Tight concentrations and confidence sequences from the regret of
//! universal portfolio" (2024).
//!
//! The expected score may change from result to result, as against one opponent after another.
//! Then each denominator has its own m, and their product is at most that of their average, since
//! the logarithm is concave. So the bar holds the average of the expected scores so far, with all
//! pairings, and also if these followed from earlier results. Only the number of each result
//! counts, so the order in which games were stored makes no difference.
//!
//! A result is a pair of games on one board with sides swapped: the board makes its two games
//! depend on each other. For the bar at any time, a game whose other one is missing waits for it.
//! For the usual one it counts as half a pair, as in the Elo. Where no game is one of a pair, each
//! game is a result.

use super::posterior::Posterior;
use super::rating::NINETY_FIVE;
use super::versus::{Encounter, elo_of};

/// The capital that refutes a score: one over the probability of refuting the true one.
const REFUTED: f64 = 20.0;
/// The number of stakes of each sign, and the largest and the smallest on a pair. They are evenly
/// spaced in the logarithm. On 50 to 1000 pairs, results with up to 60 % draws call for stakes from
/// a seventh to two.
const STAKES: usize = 16;
const MOST_STAKE: f64 = 1.98;
const LEAST_STAKE: f64 = 0.03;
/// Stakes below this one get little capital: they are for tens of thousands of games.
const USUAL_STAKE: f64 = 0.25;
/// An end is found when it moves by less, which takes ten steps or so.
const NEAR: f64 = 1e-7;
const MOST_STEPS: u32 = 100;

/// An interval of an expected score, each from 0 to 1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ScoreBar {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl ScoreBar {
    /// The same as the other engine sees it.
    #[must_use]
    pub fn reversed(self) -> Self {
        ScoreBar { low: 1.0 - self.high, high: 1.0 - self.low }
    }

    /// Its ends in Elo; infinite where a score is 0 or 1.
    pub fn elos(self) -> [f64; 2] {
        [self.low, self.high].map(elo_of)
    }

    /// Half its width.
    pub fn half_width(self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

/// Two bars of 95 % for one score.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ScoreBars {
    /// It may be looked at at any time, after each game: it ever misses the score with a
    /// probability of at most 5 %.
    pub any_time: ScoreBar,
    /// The usual bar: right if it is looked at once, after a number of games fixed before.
    pub fixed: ScoreBar,
}

/// The number of each result that is bet on, from the worst to the best.
struct Results {
    counts: Vec<f64>,
    /// The factor of the stakes. Two games on the same side are worth a pair at half the stake.
    scale: f64,
}

impl Encounter {
    /// The bars of the score of the first; `None` before its first result. A result is a pair of
    /// games, or a game if no games are pairs.
    pub fn bars(self) -> Option<ScoreBars> {
        let any_time = self.results()?.any_time();
        // Only who looks again and again must wait for the other game of a pair.
        let all = Results { counts: self.counts(), scale: 1.0 };
        Some(ScoreBars { any_time, fixed: all.fixed(self.prior()) })
    }

    /// Whether the bar for any time has this score of the first outside of it. It costs a hundredth
    /// of the bar.
    pub fn refutes(self, score: f64) -> bool {
        self.results().is_some_and(|results| results.log_capital(score) >= REFUTED.ln())
    }

    #[allow(clippy::cast_precision_loss)] // numbers of games are below 2^53
    fn results(self) -> Option<Results> {
        if self.pairs.count() > 0 {
            return Some(Results { counts: self.pairs.0.map(|count| count as f64).to_vec(), scale: 1.0 });
        }
        // The only game may be the first half of a pair.
        let counts = [self.single.losses, self.single.draws, self.single.wins];
        (self.single.games() > 1)
            .then(|| Results { counts: counts.map(|count| count as f64).to_vec(), scale: 0.5 })
    }
}

#[allow(clippy::cast_precision_loss)] // few kinds of results, and few stakes
impl Results {
    /// The number of results, and their average.
    fn mean(&self) -> (f64, f64) {
        let all: f64 = self.counts.iter().sum();
        let last = (self.counts.len() - 1) as f64;
        let sum: f64 = self.counts.iter().enumerate().map(|(at, count)| at as f64 / last * count).sum();
        (all, sum / all)
    }

    /// Each stake with the logarithm of what is won with it against the score 1/2, times its share
    /// of the capital.
    fn bets(&self) -> Vec<(f64, f64)> {
        let last = (self.counts.len() - 1) as f64;
        let stakes: Vec<(f64, f64)> = (0..STAKES)
            .map(|at| {
                let part = at as f64 / (STAKES - 1) as f64;
                let stake = MOST_STAKE * (LEAST_STAKE / MOST_STAKE).powf(part);
                let of_usual = stake / USUAL_STAKE;
                (stake, of_usual.powf(if of_usual < 1.0 { 2.0 } else { 0.2 }))
            })
            .collect();
        let all: f64 = 2.0 * stakes.iter().map(|(_, weight)| weight).sum::<f64>();
        let signed = stakes.into_iter().flat_map(|(stake, weight)| [(stake, weight), (-stake, weight)]);
        signed
            .map(|(stake, weight)| {
                let stake = stake * self.scale;
                let won = |(at, count): (usize, &f64)| count * (stake * (at as f64 / last - 0.5)).ln_1p();
                let won: f64 = self.counts.iter().enumerate().map(won).sum();
                (stake, won + (weight / all).ln())
            })
            .collect()
    }

    /// The logarithm of the capital against this expected score.
    fn log_capital(&self, score: f64) -> f64 {
        let (count, _) = self.mean();
        log_capital(&self.bets(), count, score).0
    }

    /// The logarithm of the capital is convex in the score, and not positive at the average. So
    /// Newton's method comes nearer to an end from outside with each step, and never passes it.
    fn any_time(&self) -> ScoreBar {
        let (bets, (count, _)) = (self.bets(), self.mean());
        let end = |mut outside: f64| {
            for _ in 0..MOST_STEPS {
                let (capital, slope) = log_capital(&bets, count, outside);
                let step = (capital - REFUTED.ln()) / slope;
                if capital <= REFUTED.ln() || step.abs() < NEAR {
                    break;
                }
                outside -= step;
            }
            outside
        };
        ScoreBar { low: end(0.0), high: end(1.0) }
    }

    /// The mean after the prior of [`super::versus`] and its standard deviation, taken as normal.
    fn fixed(&self, prior: f64) -> ScoreBar {
        let posterior = Posterior::new(&self.counts, prior);
        let half = NINETY_FIVE * posterior.deviation() / (self.mean().0 + prior + 1.0).sqrt();
        let mean = posterior.mean();
        ScoreBar { low: (mean - half).max(0.0), high: (mean + half).min(1.0) }
    }
}

/// The logarithm of the capital of all bets together against this score, and its slope.
fn log_capital(bets: &[(f64, f64)], count: f64, score: f64) -> (f64, f64) {
    let each = || {
        bets.iter().map(|(stake, won)| {
            let fair = stake * (score - 0.5);
            (won - count * fair.ln_1p(), -count * stake / (1.0 + fair))
        })
    };
    let most = each().map(|(capital, _)| capital).fold(f64::NEG_INFINITY, f64::max);
    let (mut sum, mut slope) = (0.0, 0.0);
    for (capital, slope_of_one) in each() {
        let part = (capital - most).exp();
        sum += part;
        slope += part * slope_of_one;
    }
    (most + sum.ln(), slope / sum)
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{Rng, SeedableRng};

    use super::*;
    use crate::points::Wdl;
    use crate::versus::Pairs;

    /// A game of somebody with this expected score, as half points.
    fn drawn(random: &mut ChaCha8Rng, score: f64, draws: f64) -> usize {
        let at = f64::from(random.next_u32()) / 2f64.powi(32);
        if at < score - draws / 2.0 { 2 } else { usize::from(at < score + draws / 2.0) }
    }

    /// So many pairs, in which the first seat is ahead by twice this score.
    fn pairs(seed: u64, count: usize, draws: f64, ahead: f64) -> Vec<usize> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        (0..count)
            .map(|_| drawn(&mut random, 0.5 + ahead, draws) + drawn(&mut random, 0.5 - ahead, draws))
            .collect()
    }

    #[test]
    fn equal_engines_are_rarely_told_apart_however_often_one_looks() {
        let mut deceived = [0, 0];
        for seed in 0..200 {
            let draws = [0.0, 0.3, 0.6][usize::try_from(seed % 3).unwrap()];
            let mut met = Encounter::default();
            let (mut any_time, mut fixed) = (false, false);
            for halves in pairs(seed, 300, draws, 0.05) {
                met.pairs.add(halves);
                any_time |= met.refutes(0.5);
                let results = met.results().unwrap();
                let bar = results.fixed(met.prior());
                fixed |= results.mean().0 > 9.0 && !(bar.low..=bar.high).contains(&0.5);
            }
            deceived[0] += u32::from(any_time);
            deceived[1] += u32::from(fixed);
        }
        // The usual bar shows that the test can fail.
        assert!(deceived[0] <= 10 && deceived[1] > 50, "{deceived:?} of 200");
    }

    #[test]
    fn an_average_over_opponents_of_all_strengths_is_inside_at_any_time() {
        // The strongest opponents come first, so the average rises all the time.
        let mut deceived = 0;
        for seed in 0..100 {
            let mut random = ChaCha8Rng::seed_from_u64(1000 + seed);
            let (mut met, mut sum) = (Encounter::default(), 0.0);
            let mut ever = false;
            for game in 0..300 {
                let score = 0.1 + 0.8 * f64::from(game / 15) / 19.0;
                met.pairs.add(drawn(&mut random, score, 0.1) + drawn(&mut random, score, 0.1));
                sum += score;
                ever |= met.refutes(sum / f64::from(game + 1));
            }
            deceived += u32::from(ever);
        }
        assert!(deceived <= 5, "{deceived} of 100");
    }

    #[test]
    fn the_bar_for_any_time_is_at_most_one_point_seven_times_as_wide() {
        for draws in [0.0, 0.3, 0.6] {
            for games in [100, 400, 2000] {
                let (mut paired, mut single) = (0.0, 0.0);
                for seed in 0..20 {
                    let mut met = Encounter::default();
                    for halves in pairs(seed, games / 2, draws, 0.0) {
                        met.pairs.add(halves);
                    }
                    let wide = |met: Encounter| {
                        let ScoreBars { any_time, fixed } = met.bars().unwrap();
                        any_time.half_width() / fixed.half_width() / 20.0
                    };
                    paired += wide(met);
                    let mut random = ChaCha8Rng::seed_from_u64(seed);
                    let mut counts = [0; 3];
                    (0..games).for_each(|_| counts[drawn(&mut random, 0.5, draws)] += 1);
                    let [losses, draws, wins] = counts;
                    single += wide(Encounter::of_games(Wdl { wins, draws, losses }));
                }
                assert!((1.4..=1.7).contains(&paired), "{draws} {games}: {paired}");
                assert!((1.4..=1.7).contains(&single), "{draws} {games}: {single}");
            }
        }
    }

    #[test]
    fn a_bar_ends_where_a_score_is_refuted_and_is_mirrored_for_the_other() {
        let met = Encounter { pairs: Pairs([3, 10, 25, 30, 12]), ..Encounter::default() };
        let bar = met.bars().unwrap().any_time;
        for (end, inwards) in [(bar.low, 1e-5), (bar.high, -1e-5)] {
            assert!(met.refutes(end - inwards) && !met.refutes(end + inwards), "{bar:?}");
        }
        let mirrored = met.reversed().bars().unwrap().any_time.reversed();
        assert!((mirrored.low - bar.low).abs() < 1e-6 && (mirrored.high - bar.high).abs() < 1e-6);
        let [low, high] = bar.elos();
        assert!(low < 61.0 && 61.0 < high, "{low} {high}");
    }

    #[test]
    fn a_game_waits_for_the_other_one_of_its_pair() {
        let mut met = Encounter::default();
        assert_eq!(met.bars(), None);
        met.single.wins = 1;
        assert_eq!(met.bars(), None);
        met.pairs.add(4);
        let before = met.bars().unwrap();
        met.single.wins = 0;
        assert_eq!(met.bars().unwrap().any_time, before.any_time);
        let few = before.any_time;
        assert_eq!((few.low, few.high), (0.0, 1.0));
    }

    #[test]
    fn the_usual_bar_holds_the_score_that_stands_beside_it() {
        // One pair, and games whose other ones are void.
        let pairs = Pairs([0, 0, 1, 0, 0]);
        for single in [Wdl { wins: 2, draws: 0, losses: 1 }, Wdl { wins: 3, draws: 0, losses: 0 }] {
            let met = Encounter { pairs, single };
            let (bar, versus) = (met.bars().unwrap().fixed, met.versus().unwrap());
            assert!((bar.low..=bar.high).contains(&versus.score), "{bar:?} {versus:?}");
            let middle = (bar.low + bar.high) / 2.0;
            assert!(bar.high == 1.0 || (elo_of(middle) - versus.elo).abs() < 1e-6, "{bar:?} {versus:?}");
        }
    }

    #[test]
    fn who_wins_every_game_has_no_upper_end_and_a_lower_one_that_rises() {
        let mut before = 0.0;
        for count in [10, 100, 1_000, 100_000] {
            let met = Encounter { pairs: Pairs([0, 0, 0, 0, count]), ..Encounter::default() };
            let ScoreBars { any_time, fixed } = met.bars().unwrap();
            assert!(any_time.low > before && any_time.high > 1.0 - 1e-9, "{any_time:?}");
            assert_eq!(any_time.elos()[1], f64::INFINITY);
            assert!(fixed.low > any_time.low);
            before = any_time.low;
        }
        assert!(before > 0.999);
    }
}
