//! The comparison of two engines: how much stronger one is, and how certain that is.
//!
//! One estimator serves all results, from none to thousands. Before the first game, the results of
//! a game (or of a pair) have a symmetric Dirichlet prior (Good 1967, "A Bayesian significance test
//! for multinomial distributions") with the weight of three games. For single games that is the
//! uniform prior of Bayes and Laplace: a win, a draw and a loss are each seen once. With it the
//! likelihood of superiority of single games is that of a Beta distribution of wins and losses.

use std::ops::AddAssign;

use super::points::Wdl;
use super::posterior::Posterior;

/// The normalized Elo of a mean that is one standard deviation of a game above 1/2.
pub(super) const ELO_OF_T: f64 = 800.0 / std::f64::consts::LN_10;
/// The weight of the prior, in games.
const PRIOR_GAMES: f64 = 3.0;
/// The part of an interval of 95 % that lies beyond each of its ends.
const BEYOND: f64 = 0.025;

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

    /// The same as the other engine sees it.
    #[must_use]
    pub fn reversed(mut self) -> Self {
        self.0.reverse();
        self
    }
}

/// All games of two engines, as the first of them sees them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Encounter {
    /// Pairs of games, which cancel the luck of the board.
    pub pairs: Pairs,
    /// Games without another one on the same board: all games, if none is one of a pair.
    pub single: Wdl,
}

impl Encounter {
    /// Games that each count by itself.
    pub fn of_games(single: Wdl) -> Self {
        Encounter { pairs: Pairs::default(), single }
    }

    /// The same as the other engine sees it.
    #[must_use]
    pub fn reversed(self) -> Self {
        Encounter { pairs: self.pairs.reversed(), single: self.single.reversed() }
    }

    /// The number of games.
    pub fn games(self) -> u64 {
        2 * self.pairs.count() + self.single.games()
    }

    /// Whether pairs are the unit of the results. The only game is taken for the first half of a
    /// pair: whether games come in pairs, the second one tells.
    fn is_paired(self) -> bool {
        self.pairs.count() > 0 || self.single.games() < 2
    }

    /// The likelihood of superiority of the first, 0 to 1 without both ends: the probability that
    /// its expected score is above one half. One half without games.
    pub fn superiority(self) -> f64 {
        self.posterior(PRIOR_GAMES).above(0.5)
    }

    /// The comparison; `None` without games.
    ///
    /// The interval is sought by trial, which takes some milliseconds. [`Encounter::superiority`]
    /// alone takes a hundredth of that.
    pub fn versus(self) -> Option<Versus> {
        (self.games() > 0).then(|| Versus::of(&self.posterior(PRIOR_GAMES), self))
    }

    /// The weight of the prior, in results.
    pub(super) fn prior(self) -> f64 {
        if self.is_paired() { PRIOR_GAMES / 2.0 } else { PRIOR_GAMES }
    }

    /// What is known after these results and a prior of so many games. If there are pairs, a single
    /// game counts as half a pair in which the other half would have ended alike.
    fn posterior(self, prior: f64) -> Posterior {
        Posterior::new(&self.counts(), if self.is_paired() { prior / 2.0 } else { prior })
    }

    /// The number of each result, from the worst to the best.
    #[allow(clippy::cast_precision_loss)] // numbers of games are below 2^53
    pub(super) fn counts(self) -> Vec<f64> {
        let Wdl { wins, draws, losses } = self.single;
        let single = [losses, draws, wins].map(|count| count as f64);
        if !self.is_paired() {
            return single.to_vec();
        }
        let mut counts = self.pairs.0.map(|count| count as f64);
        (single.iter().enumerate()).for_each(|(result, count)| counts[2 * result] += count / 2.0);
        counts.to_vec()
    }

    #[allow(clippy::cast_precision_loss)] // numbers of games are below 2^53
    fn share(self) -> f64 {
        let halves: u64 = (0..).zip(self.pairs.0).map(|(halves, pairs)| halves * pairs).sum();
        let points = halves as f64 / 2.0 + self.single.wins as f64 + self.single.draws as f64 / 2.0;
        points / self.games() as f64
    }
}

impl AddAssign for Encounter {
    fn add_assign(&mut self, other: Encounter) {
        self.pairs.0.iter_mut().zip(other.pairs.0).for_each(|(own, more)| *own += more);
        self.single += other.single;
    }
}

/// The comparison, as the first engine sees it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Versus {
    /// The share of the points, a draw as half.
    pub score: f64,
    /// The difference in logistic Elo, of the expected score after the prior.
    pub elo: f64,
    /// The error bar: half the width of the interval of 95 %. Beyond each of its ends lies 2.5 %.
    pub elo_error: f64,
    /// The difference in normalized Elo: the expected score in standard deviations of a game.
    pub normalized: f64,
    /// The likelihood of superiority of the first: [`Encounter::superiority`].
    pub superiority: f64,
}

impl Versus {
    fn of(posterior: &Posterior, met: Encounter) -> Versus {
        let score = posterior.mean();
        let [low, high] =
            [1.0 - BEYOND, BEYOND].map(|probability| elo_of(posterior.exceeded_with(probability)));
        let above = score - 0.5;
        // The deviation of a game from that of a pair, whose score is the mean of both.
        let games: f64 = if met.is_paired() { 2.0 } else { 1.0 };
        Versus {
            score: met.share(),
            elo: elo_of(score),
            elo_error: (high - low) / 2.0,
            normalized: if above == 0.0 {
                0.0
            } else {
                above / (posterior.deviation() * games.sqrt()) * ELO_OF_T
            },
            superiority: posterior.above(0.5),
        }
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

/// A likelihood in per cent for people: `97.7 %`. It is never certain: `> 99.9 %`, `< 0.1 %`.
pub fn percent(likelihood: f64) -> String {
    let text = format!("{:.1}", 100.0 * likelihood);
    match text.as_str() {
        "100.0" => "> 99.9 %".to_owned(),
        "0.0" => "< 0.1 %".to_owned(),
        _ => text + " %",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn near(is: f64, should: f64, within: f64) {
        assert!((is - should).abs() < within, "{is} is not {should}");
    }

    fn games(losses: u64, draws: u64, wins: u64) -> Encounter {
        Encounter::of_games(Wdl { wins, draws, losses })
    }

    fn pairs(counts: [u64; 5]) -> Encounter {
        Encounter { pairs: Pairs(counts), single: Wdl::default() }
    }

    #[test]
    fn without_a_prior_the_numbers_are_those_of_the_reference() {
        let by_games = games(96, 111, 136);
        let found = Versus::of(&by_games.posterior(0.0), by_games);
        near(found.elo, 40.70, 0.005);
        near(found.elo_error, 30.43, 0.1);
        near(found.normalized, 49.77, 0.005);
        near(found.superiority, 0.9960, 2e-4);
        let by_pairs = pairs([34, 54, 63, 64, 75]);
        let found = Versus::of(&by_pairs.posterior(0.0), by_pairs);
        near(found.elo, 55.58, 0.005);
        near(found.elo_error, 27.65, 0.1);
        near(found.normalized, 57.94, 0.005);
        // With the prior they are hardly smaller.
        let found = by_pairs.versus().unwrap();
        assert!((55.2..55.58).contains(&found.elo) && (57.0..57.94).contains(&found.normalized), "{found:?}");
        near(found.elo_error, 27.65, 0.2);
    }

    #[test]
    fn small_results_have_the_numbers_of_their_closed_form() {
        assert_eq!(Encounter::default().versus(), None);
        near(Encounter::default().superiority(), 0.5, 1e-12);
        // Of single games the likelihood is that of Beta(wins + 1, losses + 1).
        for (wins, losses, should) in [(6, 0, 127.0 / 128.0), (3, 0, 15.0 / 16.0), (2, 1, 11.0 / 16.0)] {
            near(games(losses, 0, wins).superiority(), should, 1e-9);
            near(games(losses, 5, wins).superiority(), should, 1e-9);
        }
        let won = games(0, 0, 6).versus().unwrap();
        // A score of 7.5 from 9 games.
        near(won.elo, elo_of(7.5 / 9.0), 1e-9);
        assert_eq!(won.score, 1.0);
        let even = games(0, 3, 0).versus().unwrap();
        assert_eq!((even.elo, even.normalized), (0.0, 0.0));
        near(even.superiority, 0.5, 1e-12);
        near(elo_of(expected_score(123.0)), 123.0, 1e-9);
        assert_eq!([0.999_96, 0.5, 0.000_4, 0.999].map(percent), ["> 99.9 %", "50.0 %", "< 0.1 %", "99.9 %"]);
    }

    /// All results of so many games or pairs, by their counts.
    fn results<const KINDS: usize>(most: u64) -> Vec<[u64; KINDS]> {
        let mut all = vec![[0; KINDS]];
        for kind in 0..KINDS {
            let of = |counts: &[u64; KINDS]| {
                let counts = *counts;
                (0..=most - counts.iter().sum::<u64>()).map(move |more| {
                    let mut next = counts;
                    next[kind] = more;
                    next
                })
            };
            all = all.iter().flat_map(of).collect();
        }
        all.retain(|counts| counts.iter().sum::<u64>() > 0);
        all
    }

    /// The laws that all small results obey: `of` makes the encounter of counts.
    fn obey<const KINDS: usize>(most: u64, of: impl Fn([u64; KINDS]) -> Encounter) {
        let all: std::collections::HashMap<[u64; KINDS], Versus> =
            results::<KINDS>(most).into_iter().map(|counts| (counts, of(counts).versus().unwrap())).collect();
        assert!(all.len() > 100);
        for (counts, found) in &all {
            let mut other = *counts;
            other.reverse();
            let seen = &all[&other];
            near(found.superiority + seen.superiority, 1.0, 1e-9);
            near(found.elo + seen.elo, 0.0, 1e-9);
            near(found.normalized + seen.normalized, 0.0, 1e-9);
            near(found.elo_error, seen.elo_error, 1e-5);
            assert!(!["0.0 %", "100.0 %"].contains(&percent(found.superiority).as_str()), "{counts:?}");
            assert!(found.elo_error.is_finite() && found.elo_error > 20.0, "{counts:?}: {found:?}");
            for better in (1..KINDS).filter(|better| counts[*better] > 0) {
                let mut less = *counts;
                less[better] -= 1;
                less[better - 1] += 1;
                let worse = &all[&less];
                assert!(worse.elo < found.elo, "{less:?} {counts:?}");
                assert!(worse.normalized < found.normalized, "{less:?} {counts:?}");
                assert!(worse.superiority < found.superiority, "{less:?} {counts:?}");
            }
            let narrower = |more: [u64; KINDS]| {
                let Some(later) = all.get(&more) else { return };
                assert!(later.elo_error < found.elo_error, "{counts:?} {more:?}: {found:?} {later:?}");
            };
            // One more drawn result, one more of the only kind, and all of them again.
            let with = |kind: usize| std::array::from_fn(|at| counts[at] + u64::from(at == kind));
            narrower(with(KINDS / 2));
            if let [only] = (0..KINDS).filter(|kind| counts[*kind] > 0).collect::<Vec<_>>()[..] {
                narrower(with(only));
            }
            (2..5).for_each(|times| narrower(counts.map(|count| count * times)));
        }
    }

    #[test]
    fn all_results_of_up_to_eight_games_obey_the_laws() {
        obey::<3>(8, |[losses, draws, wins]| games(losses, draws, wins));
    }

    #[test]
    fn all_results_of_up_to_four_pairs_obey_the_laws() {
        obey::<5>(4, pairs);
    }

    #[test]
    fn pairs_and_games_of_the_same_points_have_the_same_elo_and_a_single_game_counts_as_half_a_pair() {
        for counts in results::<5>(3) {
            let by_pairs = pairs(counts).versus().unwrap();
            let points: u64 = (0..).zip(counts).map(|(halves, pairs)| halves * pairs).sum();
            let all = 2 * counts.iter().sum::<u64>();
            // The same points from wins and losses, or with one draw.
            let by_games = games(all - points.div_ceil(2), points % 2, points / 2);
            let by_games =
                if points % 2 == 1 { games(all - points / 2 - 1, 1, points / 2) } else { by_games };
            near(by_pairs.elo, by_games.versus().unwrap().elo, 1e-9);
            near(by_pairs.score, by_games.versus().unwrap().score, 1e-9);
        }
        let half = Encounter { single: Wdl { wins: 1, draws: 0, losses: 0 }, ..pairs([0, 0, 1, 0, 0]) };
        near(half.versus().unwrap().elo, elo_of((1.0 + 0.5 * 2.0 + 1.5) / 6.0), 1e-9);
        let [one, all] = [pairs([0, 0, 1, 0, 0]), pairs([0, 0, 1, 0, 1])].map(Encounter::superiority);
        assert!((one..all).contains(&half.superiority()));
        assert_eq!(half.reversed().reversed(), half);
        near(half.reversed().superiority() + half.superiority(), 1.0, 1e-9);
    }
}
