//! Ratings from games of more than two seats. They are the strengths, the advantages of the seats
//! and the tendencies to share a place that explain all results best (Plackett 1975, Luce 1959).
//!
//! The places of a game are a row of choices: who is first among all, then who is next among the
//! others, and so on. With u = ln 10 / 400 (rating + advantage of the seat), a seat is chosen with
//! a probability in proportion to e^u.
//!
//! Shared places follow Davidson and Luce (Firth, Kosmidis and Turner 2019; Turner et al. 2020). A
//! set of t seats is chosen as one, with a weight of delta_t e^(the mean of its u). A single seat
//! has the delta 1, and only numbers of seats that were equal in some game have another. For two
//! seats this is Davidson's model of [`crate::rating`], with delta_2 as its nu. The other usual
//! choice is the average over all orders of the equals. It was rejected: it takes 2^t terms for t
//! equals, and it would rate two seats by another model than today's.
//!
//! Each choice is a logit in the unknowns, so the logarithm of the likelihood is concave. Hunter
//! (2004) finds its maximum by minorising; with the second derivatives at hand, Newton's method
//! takes fewer steps and gives the errors.

use std::ops::Range;

use crate::newton::{Covariances, maximum};
use crate::rating::{
    MOST_RATING, Meeting, NINETY_FIVE, Prior, SCALE, centred, elo_against_average, slope, superiority,
};
use crate::symmetric::{Factor, Symmetric};

/// The standard deviation of ln delta around 0 where the prior says nothing of draws. It is wide:
/// it only keeps a tendency finite when every choice was shared.
const TIES: f64 = 10.0;

/// Games with the same entrants on the same seats and the same places.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableResult {
    /// The entrant on each seat, by its index in a list of entrants, and its place, 1 the best.
    pub seats: Vec<(usize, u8)>,
    /// The number of these games.
    pub games: u64,
}

impl TableResult {
    /// The games of two seats, result by result.
    pub fn of_meeting(meeting: &Meeting) -> impl Iterator<Item = TableResult> + use<> {
        let Meeting { first, second, games } = *meeting;
        [([1, 2], games.wins), ([1, 1], games.draws), ([2, 1], games.losses)]
            .into_iter()
            .filter(|(_, games)| *games > 0)
            .map(move |(places, games)| TableResult {
                seats: vec![(first, places[0]), (second, places[1])],
                games,
            })
    }
}

/// The ratings of a list of entrants, on the model's own scale around 0. [`TableRatings::to_elo`]
/// converts it.
#[derive(Clone, Debug)]
pub struct TableRatings {
    /// The rating of each entrant; their sum is 0.
    pub ratings: Vec<f64>,
    /// The advantage of each seat; their sum is 0.
    pub seats: Vec<f64>,
    /// The number of seats that share a place, and delta for it, in growing order.
    pub ties: Vec<(usize, f64)>,
    /// The logarithm of the probability of all these results.
    pub log_likelihood: f64,
    covariances: Covariances,
}

impl TableRatings {
    /// The best ratings for these games. Without a prior there may be none (`None`): an entrant has
    /// been first or last in everything, or two groups have not met.
    ///
    /// The prior of the advantage is that of one seat against another one. A step takes time in
    /// proportion to the number of different results, and to the third power of the number of
    /// entrants.
    pub fn fit(entrants: usize, results: &[TableResult], prior: Prior) -> Option<TableRatings> {
        let rows: Vec<TableRow<'_>> = results.iter().map(TableRow::of).collect();
        let seats = results.iter().map(|result| result.seats.len()).max().unwrap_or(0);
        let mut ties: Vec<usize> =
            rows.iter().flat_map(TableRow::choices).map(|(chosen, _)| chosen).collect();
        ties.retain(|sharing| *sharing > 1);
        // Two could have shared a place in any game.
        ties.extend((prior.draws > 0.0 && !rows.is_empty()).then_some(2));
        ties.sort_unstable();
        ties.dedup();
        let problem = TableProblem { entrants, seats, ties, rows, prior };
        let start = vec![0.0; problem.unknowns()];
        let at = maximum(start, |at| problem.value(at), |at| problem.slope(at))?;
        problem.ratings(&at)
    }

    /// How many choices of these games took one seat alone, and how many took several.
    pub fn choices(results: &[TableResult]) -> (u64, u64) {
        let (mut alone, mut shared) = (0, 0);
        for result in results {
            let row = TableRow::of(result);
            for (chosen, _) in row.choices() {
                *(if chosen == 1 { &mut alone } else { &mut shared }) += result.games;
            }
        }
        (alone, shared)
    }

    /// The factor from the model's scale to Elo, as [`crate::rating::Ratings::to_elo`] for two.
    pub fn to_elo(&self) -> f64 {
        2.0 / (2.0 + self.nu())
    }

    /// The Elo of each entrant: that of the score that the model expects of it against an average
    /// opponent. The average of all is 0.
    pub fn elos(&self) -> Vec<f64> {
        centred(self.ratings.iter().map(|rating| self.elo(*rating)).collect())
    }

    /// The Elo against an average opponent of a rating on the model's scale.
    pub fn elo(&self, rating: f64) -> f64 {
        elo_against_average(rating, 0.0, self.nu())
    }

    /// Half the width in Elo of the interval of 95 % of a rating.
    pub fn elo_error(&self, entrant: usize) -> f64 {
        let (rating, error) = (self.ratings[entrant], NINETY_FIVE * self.error(entrant));
        (self.elo(rating + error) - self.elo(rating - error)) / 2.0
    }

    /// Half the width in Elo of the interval of 95 % of the difference of two ratings.
    pub fn difference_error(&self, one: usize, other: usize) -> f64 {
        let variance = self.covariances.of_difference(one, other);
        let slope = slope([self.ratings[one], self.ratings[other]], |rating| self.elo(rating), self.to_elo());
        NINETY_FIVE * variance.max(0.0).sqrt() * slope
    }

    /// The tendency of two equals to share a place, if they are the last two or play alone: a share
    /// of nu / (2 + nu).
    pub fn nu(&self) -> f64 {
        self.ties.iter().find(|(sharing, _)| *sharing == 2).map_or(0.0, |(_, delta)| *delta)
    }

    /// The advantage of the first seat over the average of the others.
    #[allow(clippy::cast_precision_loss)] // at most 16 seats
    pub fn advantage(&self) -> f64 {
        // The others have the opposite sum.
        let seats = self.seats.len() as f64;
        self.seats.first().map_or(0.0, |first| first * seats / (seats - 1.0))
    }

    /// The standard error of a rating against the average of all, on the model's scale.
    pub fn error(&self, entrant: usize) -> f64 {
        self.covariances.error_in_the_field(entrant)
    }

    /// The standard error of the advantage of a seat, from 0, on the model's scale.
    pub fn seat_error(&self, seat: usize) -> f64 {
        let first = self.ratings.len();
        self.covariances.error_among(first..first + self.seats.len(), first + seat)
    }

    /// The likelihood of superiority of one over the other, 0 to 1.
    pub fn superiority(&self, one: usize, other: usize) -> f64 {
        let variance = self.covariances.of_difference(one, other);
        if one == other { 0.5 } else { superiority(self.ratings[one] - self.ratings[other], variance) }
    }
}

/// A result as a row of choices.
struct TableRow<'a> {
    result: &'a TableResult,
    /// The seats in the order of their places.
    order: Vec<usize>,
}

impl<'a> TableRow<'a> {
    fn of(result: &'a TableResult) -> Self {
        let mut order: Vec<usize> = (0..result.seats.len()).collect();
        order.sort_by_key(|seat| result.seats[*seat].1);
        TableRow { result, order }
    }

    /// Each choice: how many were chosen, and among whom, the chosen first. A single seat that is
    /// left is no choice.
    fn choices(&self) -> impl Iterator<Item = (usize, &[usize])> {
        let place = |seat: &usize| self.result.seats[*seat].1;
        let mut left = &self.order[..];
        std::iter::from_fn(move || {
            let first = left.first().filter(|_| left.len() > 1)?;
            let chosen = left.iter().take_while(|seat| place(seat) == place(first)).count();
            let among = left;
            left = &left[chosen..];
            Some((chosen, among))
        })
    }
}

/// The probabilities of one choice.
struct Choice {
    /// The logarithm of the sum of all weights.
    log_total: f64,
    /// For each number that can be chosen at once, 1 and those of the ties in order.
    sizes: Vec<ChoiceSize>,
}

/// The sets of one size among which is chosen.
struct ChoiceSize {
    size: usize,
    /// The probability that a set of this size is chosen.
    chance: f64,
    /// The weight of each seat: that of a set is the product.
    weights: Vec<f64>,
    /// The sum of the weights of all these sets.
    total: f64,
}

impl ChoiceSize {
    /// The probability that these are among the chosen, if a set of this size is.
    fn with(&self, some: &[usize]) -> f64 {
        if self.size < some.len() || self.total <= 0.0 {
            return 0.0;
        }
        let own: f64 = some.iter().map(|seat| self.weights[*seat]).product();
        let others = (0..self.weights.len()).filter(|seat| !some.contains(seat));
        own * sum_of_products(others.map(|seat| self.weights[seat]), self.size - some.len()) / self.total
    }
}

/// The sum of the products of all sets of so many numbers (the elementary symmetric polynomial).
fn sum_of_products(numbers: impl Iterator<Item = f64>, size: usize) -> f64 {
    let mut sums = vec![0.0; size + 1];
    sums[0] = 1.0;
    for number in numbers {
        for size in (1..=size).rev() {
            sums[size] += number * sums[size - 1];
        }
    }
    sums[size]
}

/// The unknowns in natural units: the ratings, the advantages of the seats, and each ln delta.
struct TableProblem<'a> {
    entrants: usize,
    seats: usize,
    ties: Vec<usize>,
    rows: Vec<TableRow<'a>>,
    prior: Prior,
}

#[allow(clippy::cast_precision_loss)] // numbers of games and seats are below 2^53
impl TableProblem<'_> {
    fn unknowns(&self) -> usize {
        self.entrants + self.seats + self.ties.len()
    }

    /// The place of the advantages among the unknowns.
    fn advantages(&self) -> Range<usize> {
        self.entrants..self.entrants + self.seats
    }

    /// One over the variance of each unknown in the prior.
    fn precision(&self, unknown: usize) -> f64 {
        let (rating, advantage) = self.prior.precisions();
        if unknown < self.entrants {
            rating
        } else if self.advantages().contains(&unknown) {
            // The difference of two seats has twice the variance of one.
            2.0 * advantage
        } else {
            if self.prior.draws > 0.0 { 0.0 } else { TIES.powi(-2) }
        }
    }

    /// Each tendency with a prior of its own: the number of the equals, and its place among the
    /// unknowns.
    fn tendencies(&self) -> impl Iterator<Item = (f64, usize)> {
        let with_prior = (self.prior.draws > 0.0).then_some(&self.ties);
        let first = self.advantages().end;
        with_prior.into_iter().flatten().enumerate().map(move |(at, size)| (*size as f64, first + at))
    }

    /// The place of ln delta among the unknowns; `None` for a single seat.
    fn tie(&self, size: usize) -> Option<usize> {
        Some(self.advantages().end + self.ties.iter().position(|tie| *tie == size)?)
    }

    fn log_delta(&self, at: &[f64], size: usize) -> f64 {
        self.tie(size).map_or(0.0, |unknown| at[unknown])
    }

    /// The strength of each of these seats of a game.
    fn strengths(&self, at: &[f64], row: &TableRow<'_>, seats: &[usize]) -> Vec<f64> {
        seats.iter().map(|seat| at[row.result.seats[*seat].0] + at[self.entrants + seat]).collect()
    }

    fn choice(&self, at: &[f64], strengths: &[f64]) -> Choice {
        // The largest is factored out, so that nothing overflows.
        let most = strengths.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let of_size = |size: usize| {
            let weights: Vec<f64> = strengths.iter().map(|own| ((own - most) / size as f64).exp()).collect();
            let total = sum_of_products(weights.iter().copied(), size);
            ChoiceSize { size, chance: self.log_delta(at, size).exp() * total, weights, total }
        };
        let sizes = std::iter::once(1).chain(self.ties.iter().copied());
        let mut sizes: Vec<ChoiceSize> = sizes.filter(|size| *size <= strengths.len()).map(of_size).collect();
        let total: f64 = sizes.iter().map(|size| size.chance).sum();
        sizes.iter_mut().for_each(|size| size.chance /= total);
        Choice { log_total: most + total.ln(), sizes }
    }

    fn log_likelihood(&self, at: &[f64]) -> f64 {
        let of = |row: &TableRow<'_>| {
            let choices = row.choices().map(|(chosen, among)| {
                let strengths = self.strengths(at, row, among);
                let own = strengths[..chosen].iter().sum::<f64>() / chosen as f64;
                self.log_delta(at, chosen) + own - self.choice(at, &strengths).log_total
            });
            row.result.games as f64 * choices.sum::<f64>()
        };
        self.rows.iter().map(of).sum()
    }

    /// The function to maximise: the logarithm of the posterior.
    fn value(&self, at: &[f64]) -> f64 {
        let prior: f64 = at.iter().enumerate().map(|(unknown, x)| self.precision(unknown) * x * x).sum();
        let of = |(equals, unknown): (f64, usize)| self.prior.of_tendency(equals, at[unknown]);
        self.log_likelihood(at) - prior / 2.0 + self.tendencies().map(of).sum::<f64>()
    }

    /// The gradient, and the factor of the negative Hessian.
    fn slope(&self, at: &[f64]) -> Option<(Vec<f64>, Factor)> {
        let mut gradient = vec![0.0; self.unknowns()];
        let mut bend = Symmetric::zero(self.unknowns());
        // Games say nothing about a common shift of all ratings, or of all seats. This fixes it and
        // changes nothing else.
        for block in [0..self.entrants, self.advantages()] {
            for row in block.clone() {
                (block.start..=row).for_each(|column| *bend.at_mut(row, column) = 1.0);
            }
        }
        for unknown in 0..self.unknowns() {
            gradient[unknown] = -self.precision(unknown) * at[unknown];
            *bend.at_mut(unknown, unknown) += self.precision(unknown);
        }
        for (equals, unknown) in self.tendencies() {
            let (slope, bent) = self.prior.slope_of_tendency(equals, at[unknown]);
            gradient[unknown] += slope;
            *bend.at_mut(unknown, unknown) += bent;
        }
        for row in &self.rows {
            for (chosen, among) in row.choices() {
                self.add_choice(at, row, chosen, among, &mut gradient, &mut bend);
            }
        }
        bend.factor().map(|factor| (gradient, factor))
    }

    /// Adds the gradient and the negative Hessian of one choice: what was chosen minus what was
    /// expected, and the covariances of what can be chosen.
    fn add_choice(
        &self,
        at: &[f64],
        row: &TableRow<'_>,
        chosen: usize,
        among: &[usize],
        gradient: &mut [f64],
        bend: &mut Symmetric,
    ) {
        let games = row.result.games as f64;
        let choice = self.choice(at, &self.strengths(at, row, among));
        // What a choice counts for a seat is 1 / size if it is among the chosen, else 0.
        let part = |size: &ChoiceSize, seats: &[usize]| size.with(seats) / size.size as f64;
        let means: Vec<f64> = (0..among.len())
            .map(|one| choice.sizes.iter().map(|size| size.chance * part(size, &[one])).sum())
            .collect();
        let own = |place: usize| [row.result.seats[among[place]].0, self.entrants + among[place]];
        for one in 0..among.len() {
            let was = if one < chosen { 1.0 / chosen as f64 } else { 0.0 };
            own(one).iter().for_each(|unknown| gradient[*unknown] += games * (was - means[one]));
            for other in 0..=one {
                let both: &[usize] = if one == other { &[one] } else { &[one, other] };
                let products =
                    choice.sizes.iter().map(|size| size.chance * part(size, both) / size.size as f64);
                let weight = games * (products.sum::<f64>() - means[one] * means[other]);
                let ([rating, seat], [other_rating, other_seat]) = (own(one), own(other));
                // An entrant with two seats has both orders of the two on the diagonal.
                let times = if one != other && rating == other_rating { 2.0 } else { 1.0 };
                *bend.at_mut(rating, other_rating) += times * weight;
                *bend.at_mut(seat, other_seat) += weight;
                *bend.at_mut(rating, other_seat) += weight;
                if one != other {
                    *bend.at_mut(other_rating, seat) += weight;
                }
            }
        }
        for size in &choice.sizes {
            let Some(tie) = self.tie(size.size) else { continue };
            gradient[tie] += games * (f64::from(u8::from(size.size == chosen)) - size.chance);
            for other in choice.sizes.iter().filter(|other| other.size <= size.size) {
                let Some(other_tie) = self.tie(other.size) else { continue };
                let both = if tie == other_tie { size.chance } else { 0.0 };
                *bend.at_mut(tie, other_tie) += games * (both - size.chance * other.chance);
            }
            for (one, mean) in means.iter().enumerate() {
                let weight = games * size.chance * (part(size, &[one]) - mean);
                own(one).iter().for_each(|unknown| *bend.at_mut(tie, *unknown) += weight);
            }
        }
    }

    fn ratings(&self, at: &[f64]) -> Option<TableRatings> {
        if at[..self.advantages().end].iter().any(|x| (x / SCALE).abs() > MOST_RATING) {
            return None;
        }
        let (_, factor) = self.slope(at)?;
        let tendency = |size: &usize| (*size, self.log_delta(at, *size).exp());
        Some(TableRatings {
            ratings: at[..self.entrants].iter().map(|x| x / SCALE).collect(),
            seats: at[self.advantages()].iter().map(|x| x / SCALE).collect(),
            ties: self.ties.iter().map(tendency).collect(),
            log_likelihood: self.log_likelihood(at),
            covariances: Covariances::of(&factor, self.entrants, self.advantages().end, SCALE),
        })
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{Rng, SeedableRng};

    use super::*;
    use crate::points::Wdl;
    use crate::rating::Ratings;

    #[track_caller]
    fn near(is: f64, should: f64, within: f64) {
        assert!((is - should).abs() < within, "{is} is not {should}");
    }

    /// Random games of two seats between four entrants.
    fn meetings(draws: u64) -> Vec<Meeting> {
        let mut random = ChaCha8Rng::seed_from_u64(3);
        let mut some = |most: u64| random.next_u64() % (most + 1);
        (0..4)
            .flat_map(|first| (0..4).map(move |second| (first, second)))
            .filter(|(first, second)| first != second)
            .map(|(first, second)| {
                let games = Wdl { wins: 3 + some(9), draws: some(draws), losses: 1 + some(6) };
                Meeting { first, second, games }
            })
            .collect()
    }

    #[test]
    fn two_seats_are_rated_as_ever() {
        for (draws, prior, within) in
            [(0, Prior::USUAL, 1e-7), (0, Prior::NONE, 1e-7), (5, Prior::USUAL, 1e-7), (5, Prior::NONE, 0.1)]
        {
            let meetings = meetings(draws);
            let results: Vec<TableResult> = meetings.iter().flat_map(TableResult::of_meeting).collect();
            let should = Ratings::fit(4, &meetings, prior).unwrap();
            let is = TableRatings::fit(4, &results, prior).unwrap();
            for entrant in 0..4 {
                near(is.ratings[entrant], should.ratings[entrant], within);
                near(is.error(entrant), should.error(entrant), within);
            }
            near(is.advantage(), should.advantage, within);
            near(2.0 * is.seat_error(0), should.advantage_error(), within);
            near(is.nu(), should.nu, within);
            near(is.log_likelihood, should.log_likelihood, within / 10.0);
            near(is.superiority(0, 1), should.superiority(0, 1), within / 10.0);
            near(is.to_elo(), should.to_elo(), within / 10.0);
        }
    }

    /// The logarithm of the probability of a result by the definition: all sets of seats, listed.
    fn by_definition(strengths: &[f64], deltas: &[(usize, f64)], places: &[u8]) -> f64 {
        let weight = |set: &[usize]| {
            let delta = if set.len() == 1 {
                1.0
            } else {
                deltas.iter().find(|(size, _)| *size == set.len()).map_or(0.0, |(_, delta)| *delta)
            };
            delta * (set.iter().map(|seat| strengths[*seat]).sum::<f64>() / set.len() as f64).exp()
        };
        let mut left: Vec<usize> = (0..strengths.len()).collect();
        let mut log = 0.0;
        while left.len() > 1 {
            let best = left.iter().map(|seat| places[*seat]).min().unwrap();
            let chosen: Vec<usize> = left.iter().copied().filter(|seat| places[*seat] == best).collect();
            let all: f64 = (1_u32..1 << left.len())
                .map(|bits| {
                    let set: Vec<usize> =
                        (0..left.len()).filter(|at| bits >> at & 1 == 1).map(|at| left[at]).collect();
                    weight(&set)
                })
                .sum();
            log += (weight(&chosen) / all).ln();
            left.retain(|seat| !chosen.contains(seat));
        }
        log
    }

    /// Random games of tables of these sizes, with the places of random scores.
    fn random_results(entrants: usize, seats: &[usize], scores: u32, seed: u64) -> Vec<TableResult> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut results = Vec::new();
        for seats in seats.iter().cycle().take(40) {
            let start = random.next_u32() as usize;
            let own: Vec<u32> = (0..*seats).map(|_| random.next_u32() % scores).collect();
            let place = |score: u32| 1 + own.iter().filter(|other| **other > score).count() as u8;
            let at = |seat: usize| ((start + seat * (1 + start % 2)) % entrants, place(own[seat]));
            results.push(TableResult { seats: (0..*seats).map(at).collect(), games: 1 + seed % 3 });
        }
        results
    }

    #[test]
    fn no_other_place_has_a_greater_posterior_and_its_bend_gives_the_errors() {
        for (seats, scores) in [(&[3][..], 100_000), (&[4], 3), (&[5, 3], 4), (&[3], 1)] {
            let results = random_results(7, seats, scores, 1);
            let found = TableRatings::fit(7, &results, Prior::USUAL).unwrap();
            let most = *seats.iter().max().unwrap();
            // The posterior by the definition; nothing of the fit is used but the place.
            let value = |at: &[f64]| {
                let deltas: Vec<(usize, f64)> = (found.ties.iter().zip(&at[7 + most..]))
                    .map(|((size, _), log)| (*size, log.exp()))
                    .collect();
                let log: f64 = (results.iter())
                    .map(|result| {
                        let strengths: Vec<f64> = (result.seats.iter().enumerate())
                            .map(|(seat, (entrant, _))| SCALE * (at[*entrant] + at[7 + seat]))
                            .collect();
                        let places: Vec<u8> = result.seats.iter().map(|(_, place)| *place).collect();
                        result.games as f64 * by_definition(&strengths, &deltas, &places)
                    })
                    .sum();
                let square = |some: &[f64], deviation: f64| {
                    some.iter().map(|x| (x / deviation).powi(2)).sum::<f64>() / 2.0
                };
                // Of so many equals one alone was ahead twice, and all of them shared once.
                let tendencies = found.ties.iter().zip(&at[7 + most..]).map(|((size, _), log)| {
                    let equals = *size as f64;
                    (log.exp() / (equals + log.exp())).ln() + 2.0 * (equals / (equals + log.exp())).ln()
                });
                (
                    log,
                    log - square(&at[..7], 350.0) - square(&at[7..7 + most], 100.0 / 2f64.sqrt())
                        + tendencies.sum::<f64>(),
                )
            };
            let logs = found.ties.iter().map(|(_, delta)| delta.ln());
            let at: Vec<f64> = found.ratings.iter().chain(&found.seats).copied().chain(logs).collect();
            near(found.log_likelihood, value(&at).0, 1e-8);
            let moved = |steps: &[(usize, f64)]| {
                let mut there = at.clone();
                steps.iter().for_each(|(unknown, step)| there[*unknown] += step);
                value(&there).1
            };
            let step = |unknown: usize| if unknown < 7 + most { 4.0 } else { 0.002 };
            let mut bend = Symmetric::zero(at.len());
            for one in 0..at.len() {
                let a = step(one);
                let slope = (moved(&[(one, a)]) - moved(&[(one, -a)])) / 2.0;
                near(slope / a, 0.0, 1e-5);
                for other in 0..=one {
                    let b = step(other);
                    let cross = moved(&[(one, a), (other, b)])
                        - moved(&[(one, a), (other, -b)])
                        - moved(&[(one, -a), (other, b)])
                        + moved(&[(one, -a), (other, -b)]);
                    *bend.at_mut(one, other) = -cross / (4.0 * a * b);
                }
            }
            // The numerical inverse, of the ratings with their shift taken out.
            let inverse = bend.factor().unwrap().inverse();
            let centred = |block: Range<usize>, one: usize| {
                let size = block.len() as f64;
                let mean =
                    |row: usize| block.clone().map(|column| inverse.at(row, column)).sum::<f64>() / size;
                inverse.at(one, one) - 2.0 * mean(one) + block.clone().map(mean).sum::<f64>() / size
            };
            for entrant in 0..7 {
                let should = centred(0..7, entrant).sqrt();
                near(found.error(entrant) / should, 1.0, 1e-3);
            }
            for seat in 0..most {
                near(found.seat_error(seat) / centred(7..7 + most, 7 + seat).sqrt(), 1.0, 1e-3);
            }
        }
    }

    /// Draws places by the definition, choice by choice.
    fn drawn(random: &mut ChaCha8Rng, strengths: &[f64], deltas: &[(usize, f64)]) -> Vec<u8> {
        let mut places = vec![0; strengths.len()];
        let mut left: Vec<usize> = (0..strengths.len()).collect();
        while !left.is_empty() {
            let place = (strengths.len() - left.len() + 1) as u8;
            let sets: Vec<(Vec<usize>, f64)> = (1_u32..1 << left.len())
                .map(|bits| (0..left.len()).filter(|at| bits >> at & 1 == 1).map(|at| left[at]).collect())
                .map(|set: Vec<usize>| {
                    let delta = match set.len() {
                        1 => 1.0,
                        size => deltas.iter().find(|(tie, _)| *tie == size).map_or(0.0, |(_, delta)| *delta),
                    };
                    let mean = set.iter().map(|seat| strengths[*seat]).sum::<f64>() / set.len() as f64;
                    (set, delta * mean.exp())
                })
                .collect();
            let all: f64 = sets.iter().map(|(_, weight)| weight).sum();
            let mut at = f64::from(random.next_u32()) / 4_294_967_296.0 * all;
            let chosen = sets.iter().find(|(_, weight)| {
                at -= weight;
                at < 0.0
            });
            let chosen = &chosen.unwrap_or(sets.last().unwrap()).0;
            chosen.iter().for_each(|seat| places[*seat] = place);
            left.retain(|seat| !chosen.contains(seat));
        }
        places
    }

    #[test]
    #[ignore = "slow"]
    fn the_strengths_behind_simulated_games_are_found_within_their_errors() {
        let strengths = [250.0, 120.0, 40.0, -30.0, -110.0, -270.0];
        let seats = [60.0, 10.0, -20.0, -50.0];
        let deltas = [(2, 0.3), (3, 0.1)];
        let mut random = ChaCha8Rng::seed_from_u64(11);
        let (mut squares, mut count) = (0.0, 0.0);
        for _ in 0..4 {
            let mut results = Vec::new();
            for _ in 0..1500 {
                let mut order: Vec<usize> = (0..6).collect();
                crate::seating::shuffle(&mut random, &mut order);
                let own: Vec<f64> =
                    (0..4).map(|seat| SCALE * (strengths[order[seat]] + seats[seat])).collect();
                let places = drawn(&mut random, &own, &deltas);
                let at = order.into_iter().zip(places).take(4).collect();
                results.push(TableResult { seats: at, games: 1 });
            }
            let found = TableRatings::fit(6, &results, Prior::USUAL).unwrap();
            let is = (0..6).map(|one| (found.ratings[one] - strengths[one]) / found.error(one));
            let seats = (0..4).map(|seat| (found.seats[seat] - seats[seat]) / found.seat_error(seat));
            for off in is.chain(seats) {
                assert!(off.abs() < 4.0, "{off} errors: {found:?}");
                squares += off * off;
                count += 1.0;
            }
            near(found.ties[0].1, 0.3, 0.06);
            near(found.ties[1].1, 0.1, 0.06);
            assert!(found.error(0) < 15.0, "{}", found.error(0));
        }
        // Errors that are too small or too large would show here.
        assert!((0.4..1.8).contains(&(squares / count)), "{}", squares / count);
    }

    #[test]
    fn the_first_and_the_last_of_everything_and_games_without_a_winner_are_rated() {
        let of = |places: [u8; 3]| TableResult {
            seats: vec![(0, places[0]), (1, places[1]), (2, places[2])],
            games: 9,
        };
        let found = TableRatings::fit(3, &[of([1, 2, 3])], Prior::USUAL).unwrap();
        assert!(found.ratings[0] > found.ratings[1] && found.ratings[1] > found.ratings[2], "{found:?}");
        near(found.ratings.iter().sum(), 0.0, 1e-6);
        near(found.seats.iter().sum(), 0.0, 1e-6);
        assert!(TableRatings::fit(3, &[of([1, 2, 3])], Prior::NONE).is_none());
        let level = TableRatings::fit(3, &[of([1, 1, 1])], Prior::USUAL).unwrap();
        level.ratings.iter().for_each(|rating| near(*rating, 0.0, 1e-6));
        // One loses by a fault, the others share the first place.
        let fault = TableRatings::fit(3, &[of([1, 1, 3])], Prior::USUAL).unwrap();
        near(fault.ratings[0], fault.ratings[1], 1e-6);
        assert!(fault.ratings[0] > fault.ratings[2]);
        let nobody = TableRatings::fit(3, &[], Prior::USUAL).unwrap();
        near(nobody.superiority(0, 1), 0.5, 1e-9);
        assert_eq!((nobody.advantage(), nobody.nu()), (0.0, 0.0));
        assert!(TableRatings::fit(0, &[], Prior::USUAL).unwrap().ratings.is_empty());
    }

    #[test]
    #[ignore = "slow"]
    fn whatever_the_games_of_many_seats_there_are_ratings() {
        for seed in 0..60 {
            let seats = [2 + (seed % 5) as usize, 3 + (seed % 4) as usize];
            let results = random_results(9, &seats, 1 + (seed % 7) as u32, seed);
            let found = TableRatings::fit(9, &results, Prior::USUAL);
            assert!(found.is_some_and(|found| found.ratings.iter().all(|x| x.is_finite())), "{seed}");
        }
        let many = random_results(20, &[16], 5, 4);
        assert!(TableRatings::fit(20, &many, Prior::USUAL).is_some());
    }
}
