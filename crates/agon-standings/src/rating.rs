//! Ratings: the strengths, the advantage of the first seat and the tendency to draw that explain
//! all results best (Davidson 1970). The order of play is modelled as in Davidson and Beaver 1977.
//!
//! Let d = ln 10 / 400 (first - second + advantage) and T = e^(d/2) + nu + e^(-d/2). Then the first
//! seat wins with probability e^(d/2) / T, and the game is drawn with probability nu / T. The
//! logarithm of that is concave in the ratings, the advantage and ln nu. So there is one best
//! answer, and Newton's method finds it.
//!
//! The priors are those of [`crate::versus`] and of normal ratings. Between equals a win, a draw
//! and a loss were each seen once before the first game, so that nu is never 0 and never infinite.

use super::newton::{Covariances, maximum};
use super::points::Wdl;
use super::symmetric::{Factor, Symmetric};

/// Natural units per rating point.
pub(super) const SCALE: f64 = std::f64::consts::LN_10 / 400.0;
/// Half the width of a 95 % interval, in standard errors.
pub const NINETY_FIVE: f64 = 1.959_963_984_540_054;
/// A `nu` for "every game is drawn", without a prior: the likelihood has no maximum then.
const ALL_DRAWN: f64 = 1e4;
/// Beyond such ratings the search diverged and was stopped by rounding, not by the games.
pub(super) const MOST_RATING: f64 = 10_000.0;

/// The games of two entrants in which the first of them had the first seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Meeting {
    /// The entrant with the first seat, by its index in a list of entrants.
    pub first: usize,
    /// The entrant with the second seat.
    pub second: usize,
    /// The results as the first sees them.
    pub games: Wdl,
}

/// What is assumed before the first game: ratings and advantage are normal around 0, and the
/// tendency to draw is that of some games between equals.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Prior {
    /// The standard deviation of a rating; infinite for no prior.
    pub rating: f64,
    /// The standard deviation of the first seat's advantage; infinite for no prior.
    pub advantage: f64,
    /// The weight of the prior of nu, in games between equals: a third of them was drawn. That is
    /// the uniform prior of Bayes and Laplace for three games (a symmetric Dirichlet distribution,
    /// Good 1967). 0 for no prior.
    pub draws: f64,
}

impl Prior {
    /// The prior of the tables, in Elo: an entrant that has won all its games gets a finite rating.
    /// A fit takes it by [`Prior::on_the_model_scale`].
    pub const USUAL: Prior = Prior { rating: 350.0, advantage: 100.0, draws: 3.0 };
    /// The prior of tables that were stored before nu had one, on the model's scale. A fit takes it
    /// as it is.
    pub const WITHOUT_DRAWS: Prior = Prior { rating: 350.0, advantage: 100.0, draws: 0.0 };
    /// No prior: the fit is the maximum of the likelihood, if there is one.
    pub const NONE: Prior = Prior { rating: f64::INFINITY, advantage: f64::INFINITY, draws: 0.0 };

    /// Widths in Elo on the model's scale, for games of which so many were decided and drawn. Where
    /// nearly all games are drawn, an Elo is many units of the model. A prior that was as wide on
    /// the model's scale would say more than the games.
    #[must_use]
    #[allow(clippy::cast_precision_loss)] // numbers of games are below 2^53
    pub fn on_the_model_scale(self, decided: u64, drawn: u64) -> Prior {
        let (decided, drawn) = (decided as f64 + 2.0 / 3.0 * self.draws, drawn as f64 + self.draws / 3.0);
        // The inverse of 2 / (2 + nu), which is the share of decided games between equals.
        let units = if decided > 0.0 { (decided + drawn) / decided } else { 1.0 };
        Prior { rating: self.rating * units, advantage: self.advantage * units, draws: self.draws }
    }

    /// The logarithm of the prior of one tendency: of so many equals, one is alone or all share the
    /// place.
    pub(super) fn of_tendency(self, equals: f64, log_delta: f64) -> f64 {
        self.draws * (log_delta / 3.0 - (equals + log_delta.exp()).ln())
    }

    /// The slope of [`Prior::of_tendency`], and how much it bends.
    pub(super) fn slope_of_tendency(self, equals: f64, log_delta: f64) -> (f64, f64) {
        let delta = log_delta.exp();
        let share = delta / (equals + delta);
        (self.draws * (1.0 / 3.0 - share), self.draws * share * (1.0 - share))
    }
}

/// The ratings of a list of entrants, on the model's own scale around 0. [`Ratings::to_elo`]
/// converts it.
#[derive(Clone, Debug)]
pub struct Ratings {
    /// The rating of each entrant; their sum is 0.
    pub ratings: Vec<f64>,
    /// The advantage of the first seat.
    pub advantage: f64,
    /// The tendency to draw: between equals a share of nu / (2 + nu) is drawn.
    pub nu: f64,
    /// The logarithm of the probability of all these results.
    pub log_likelihood: f64,
    /// The covariances of the ratings and, in the last row, of the advantage.
    covariances: Covariances,
}

impl Ratings {
    /// The best ratings for these games. Without a prior there may be none (`None`): an entrant has
    /// won or lost everything, or two groups have not met.
    ///
    /// Takes a fraction of a second for 100 entrants and seconds for 500, however many games they
    /// have played.
    pub fn fit(entrants: usize, meetings: &[Meeting], prior: Prior) -> Option<Ratings> {
        let all: Wdl = meetings.iter().map(|meeting| meeting.games).sum();
        let draws = prior.draws > 0.0 || (all.draws > 0 && all.draws < all.games());
        // Without a prior and without draws nu is 0 and its logarithm infinite; if all games are
        // drawn, nu has no maximum.
        let nu = match (all.draws, draws) {
            (_, true) => 1.0,
            (0, false) => 0.0,
            (_, false) => ALL_DRAWN,
        };
        // The ratings, the advantage and ln nu, in natural units.
        let mut start = vec![0.0; entrants + 1];
        start.push(nu.ln());
        let problem = Problem { entrants, meetings, prior, draws };
        let at = maximum(start, |at| problem.value(at), |at| problem.slope(at))?;
        problem.ratings(&at)
    }

    /// The factor from the model's scale to Elo: between equals, a small difference then changes
    /// the expected score as in Elo's formula.
    pub fn to_elo(&self) -> f64 {
        2.0 / (2.0 + self.nu)
    }

    /// The Elo of each entrant: that of the score that the model expects of it against an average
    /// opponent, on both seats in turn. The average of all is 0.
    ///
    /// [`Ratings::to_elo`] agrees with it for small differences. Where most games are drawn or the
    /// first seat decides, it does not: the tendency to draw grows with the advantage then, and a
    /// rating times that factor would become 0, although the score does not.
    pub fn elos(&self) -> Vec<f64> {
        centred(self.ratings.iter().map(|rating| self.elo(*rating)).collect())
    }

    /// The Elo against an average opponent of a rating on the model's scale.
    pub fn elo(&self, rating: f64) -> f64 {
        elo_against_average(rating, self.advantage, self.nu)
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

    /// The share of drawn games between equals.
    pub fn draw_rate(&self) -> f64 {
        let d = SCALE * self.advantage;
        probabilities(d, self.nu).1
    }

    /// The standard error of a rating against the average of all, on the model's scale. Games say
    /// nothing about a shift of all ratings, so it is left out.
    pub fn error(&self, entrant: usize) -> f64 {
        self.covariances.error_in_the_field(entrant)
    }

    /// The standard error of the first seat's advantage, on the model's scale.
    pub fn advantage_error(&self) -> f64 {
        self.covariances.error(self.ratings.len())
    }

    /// The likelihood of superiority of one over the other, 0 to 1.
    pub fn superiority(&self, one: usize, other: usize) -> f64 {
        let variance = self.covariances.of_difference(one, other);
        if one == other { 0.5 } else { superiority(self.ratings[one] - self.ratings[other], variance) }
    }

    /// The probabilities of a win of the first seat, a draw, and a win of the second.
    pub fn expected(&self, first: usize, second: usize) -> (f64, f64, f64) {
        probabilities(SCALE * (self.ratings[first] - self.ratings[second] + self.advantage), self.nu)
    }
}

/// The Elo for each unit of the model's scale between two ratings; of equals `to_elo`.
pub(super) fn slope([one, other]: [f64; 2], elo: impl Fn(f64) -> f64, to_elo: f64) -> f64 {
    if (one - other).abs() < 1e-6 { to_elo } else { (elo(one) - elo(other)) / (one - other) }
}

/// The probability that a normal variable with this mean and variance is positive.
pub(super) fn superiority(mean: f64, variance: f64) -> f64 {
    // It is never certain.
    if variance <= 0.0 { 0.5 } else { normal(mean / variance.sqrt()).clamp(1e-12, 1.0 - 1e-12) }
}

/// The Elo of the score that is expected of a rating on the model's scale against the rating 0, on
/// both seats in turn.
pub(super) fn elo_against_average(rating: f64, advantage: f64, nu: f64) -> f64 {
    let on_both = |rating: f64| {
        let share = |d: f64| {
            let (win, draw, _) = probabilities(d, nu);
            win + draw / 2.0
        };
        share(SCALE * (rating + advantage)) + share(SCALE * (rating - advantage))
    };
    // Each tail by itself, so that none is lost next to 1.
    400.0 * (on_both(rating) / on_both(-rating)).log10()
}

/// The numbers less their average.
#[allow(clippy::cast_precision_loss)] // fewer than 2^53 entrants
pub(super) fn centred(mut numbers: Vec<f64>) -> Vec<f64> {
    let average = numbers.iter().sum::<f64>() / (numbers.len().max(1) as f64);
    numbers.iter_mut().for_each(|number| *number -= average);
    numbers
}

/// The probability of each result at this difference, in natural units.
pub(super) fn probabilities(d: f64, nu: f64) -> (f64, f64, f64) {
    // The larger exponential is factored out, so that nothing overflows.
    let less = (-d.abs()).exp();
    let (win, loss) = if d >= 0.0 { (1.0, less) } else { (less, 1.0) };
    let draw = nu * (-d.abs() / 2.0).exp();
    let total = win + draw + loss;
    (win / total, draw / total, loss / total)
}

struct Problem<'a> {
    entrants: usize,
    meetings: &'a [Meeting],
    prior: Prior,
    /// Whether ln nu is one of the unknowns.
    draws: bool,
}

impl Prior {
    /// One over the variance of a rating and of the advantage, in natural units.
    pub(super) fn precisions(self) -> (f64, f64) {
        let precision = |deviation: f64| (SCALE * deviation).powi(-2);
        (precision(self.rating), precision(self.advantage))
    }
}

#[allow(clippy::cast_precision_loss)] // numbers of games and entrants are below 2^53
impl Problem<'_> {
    fn difference(&self, at: &[f64], meeting: &Meeting) -> f64 {
        at[meeting.first] - at[meeting.second] + at[self.entrants]
    }

    fn log_likelihood(&self, at: &[f64]) -> f64 {
        let log_nu = at[self.entrants + 1];
        let nu = log_nu.exp();
        let of = |meeting: &Meeting| {
            let d = self.difference(at, meeting);
            // The larger exponential is factored out, so that nothing overflows.
            let total = d.abs() / 2.0 + (1.0 + nu * (-d.abs() / 2.0).exp() + (-d.abs()).exp()).ln();
            let Wdl { wins, draws, losses } = meeting.games;
            let drawn = if draws == 0 { 0.0 } else { draws as f64 * log_nu };
            (wins as f64 - losses as f64) * d / 2.0 + drawn - meeting.games.games() as f64 * total
        };
        self.meetings.iter().map(of).sum()
    }

    /// The function to maximise: the logarithm of the posterior.
    fn value(&self, at: &[f64]) -> f64 {
        let (rating, advantage) = self.prior.precisions();
        let squares: f64 = at[..self.entrants].iter().map(|x| x * x).sum();
        let tendency = if self.draws { self.prior.of_tendency(2.0, at[self.entrants + 1]) } else { 0.0 };
        self.log_likelihood(at) + tendency
            - rating * squares / 2.0
            - advantage * at[self.entrants].powi(2) / 2.0
    }

    /// The gradient, and the factor of the negative Hessian.
    fn slope(&self, at: &[f64]) -> Option<(Vec<f64>, Factor)> {
        let size = at.len() - usize::from(!self.draws);
        let (rating, advantage) = self.prior.precisions();
        let (adv, draw) = (self.entrants, self.entrants + 1);
        let nu = at[draw].exp();
        let mut gradient = vec![0.0; size];
        let mut bend = Symmetric::zero(size);
        for (row, (pull, rating_at)) in gradient.iter_mut().zip(at).take(self.entrants).enumerate() {
            *pull = -rating * rating_at;
            // Games say nothing about the common shift. This fixes it and changes nothing else.
            for column in 0..=row {
                *bend.at_mut(row, column) = 1.0;
            }
            *bend.at_mut(row, row) += rating;
        }
        gradient[adv] = -advantage * at[adv];
        // Without games the advantage is unknown and stays as it is.
        *bend.at_mut(adv, adv) = advantage.max(1e-12);
        if self.draws {
            let (slope, bent) = self.prior.slope_of_tendency(2.0, at[draw]);
            gradient[draw] = slope;
            *bend.at_mut(draw, draw) = bent;
        }
        for meeting in self.meetings {
            let Meeting { first, second, games } = *meeting;
            let played = games.games() as f64;
            let (win, drawn, loss) = probabilities(self.difference(at, meeting), nu);
            let pull = (games.wins as f64 - games.losses as f64 - played * (win - loss)) / 2.0;
            // The variance of the result, counted as 1/2, 0 and -1/2.
            let weight = played * (win + loss - (win - loss).powi(2)) / 4.0;
            gradient[first] += pull;
            gradient[second] -= pull;
            gradient[adv] += pull;
            *bend.at_mut(first, first) += weight;
            *bend.at_mut(second, second) += weight;
            *bend.at_mut(first, second) -= weight;
            *bend.at_mut(adv, adv) += weight;
            *bend.at_mut(adv, first) += weight;
            *bend.at_mut(adv, second) -= weight;
            if self.draws {
                let cross = -played * drawn * (win - loss) / 2.0;
                gradient[draw] += games.draws as f64 - played * drawn;
                *bend.at_mut(draw, draw) += played * drawn * (1.0 - drawn);
                *bend.at_mut(draw, adv) += cross;
                *bend.at_mut(draw, first) += cross;
                *bend.at_mut(draw, second) -= cross;
            }
        }
        bend.factor().map(|factor| (gradient, factor))
    }

    fn ratings(&self, at: &[f64]) -> Option<Ratings> {
        if at[..=self.entrants].iter().any(|x| (x / SCALE).abs() > MOST_RATING) {
            return None;
        }
        let (_, factor) = self.slope(at)?;
        let entrants = self.entrants;
        let covariances = Covariances::of(&factor, entrants, entrants + 1, SCALE);
        Some(Ratings {
            ratings: at[..entrants].iter().map(|x| x / SCALE).collect(),
            advantage: at[entrants] / SCALE,
            nu: at[entrants + 1].exp(),
            log_likelihood: self.log_likelihood(at),
            covariances,
        })
    }
}

/// The probability that a normal variable is below this, with an error below 1e-15.
pub fn normal(x: f64) -> f64 {
    // The continued fraction of Laplace far from the middle, the series of Marsaglia (2004) near
    // it.
    if x.abs() > 7.0 {
        let t = x.abs();
        let mut fraction = t;
        for k in (1..=60).rev() {
            fraction = t + f64::from(k) / fraction;
        }
        let tail = (-t * t / 2.0).exp() / fraction / (2.0 * std::f64::consts::PI).sqrt();
        return if x > 0.0 { 1.0 - tail } else { tail };
    }
    let (mut sum, mut term, mut k) = (x, x, 1.0);
    while term.abs() > 1e-18 {
        k += 2.0;
        term *= x * x / k;
        sum += term;
    }
    0.5 + sum * (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reference games: `round,first,second,result`.
    const GAMES: &str = include_str!("../fixtures/ratings/four-engines.csv");
    const NAMES: [&str; 4] = ["alpha", "bravo", "charlie", "delta"];

    fn meetings() -> Vec<Meeting> {
        let number = |name: &str| NAMES.iter().position(|other| *other == name).unwrap();
        GAMES
            .lines()
            .skip(1)
            .map(|line| {
                let parts: Vec<&str> = line.split(',').collect();
                let games = match parts[3] {
                    "1-0" => Wdl { wins: 1, draws: 0, losses: 0 },
                    "0-1" => Wdl { wins: 0, draws: 0, losses: 1 },
                    _ => Wdl { wins: 0, draws: 1, losses: 0 },
                };
                Meeting { first: number(parts[1]), second: number(parts[2]), games }
            })
            .collect()
    }

    #[track_caller]
    fn near(is: f64, should: f64, within: f64) {
        assert!((is - should).abs() < within, "{is} is not {should}");
    }

    #[test]
    fn whatever_the_games_there_are_ratings() {
        use rand_chacha::rand_core::{Rng, SeedableRng};
        let mut draw = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        for _ in 0..20_000 {
            let entrants = 2 + (draw.next_u32() % 3) as usize;
            let mut meetings = Vec::new();
            let kinds = draw.next_u32();
            for (first, second) in (0..entrants).flat_map(|a| (0..entrants).map(move |b| (a, b))) {
                let mut some =
                    |bit: u32| if kinds >> bit & 1 == 1 { u64::from(draw.next_u32() % 5) } else { 0 };
                let games = Wdl { wins: some(0), draws: some(1), losses: some(2) };
                if first != second {
                    meetings.push(Meeting { first, second, games });
                }
            }
            let found = Ratings::fit(entrants, &meetings, Prior::USUAL);
            assert!(found.is_some_and(|found| found.ratings.iter().all(|x| x.is_finite())), "{meetings:?}");
        }
    }

    #[test]
    fn the_maximum_of_the_likelihood_is_that_of_the_reference() {
        let found = Ratings::fit(4, &meetings(), Prior::NONE).unwrap();
        for (rating, should) in found.ratings.iter().zip([94.341, 31.092, -31.092, -94.341]) {
            near(*rating, should, 0.001);
        }
        near(NINETY_FIVE * found.error(0), 105.91, 0.01);
        near(NINETY_FIVE * found.error(1), 102.58, 0.01);
        near(found.advantage, 49.751, 0.001);
        near(found.nu, 0.762_218, 1e-6);
        near(found.log_likelihood, -75.178_62, 1e-5);
        near(found.ratings[0] * found.to_elo(), 68.308, 0.001);
        near(found.ratings[1] * found.to_elo(), 22.512, 0.001);
    }

    #[test]
    fn the_maximum_of_the_posterior_is_that_of_the_reference() {
        let found = Ratings::fit(4, &meetings(), Prior::WITHOUT_DRAWS).unwrap();
        near(found.ratings[0], 90.902, 0.001);
        near(found.ratings[1], 29.985, 0.001);
        near(NINETY_FIVE * found.error(0), 103.618, 0.001);
        near(NINETY_FIVE * found.error(1), 100.676, 0.001);
        near(found.advantage, 39.675, 0.001);
        near(found.nu, 0.757_092, 1e-6);
        near(found.superiority(0, 1), 0.7647, 1e-4);
        near(found.superiority(0, 3), 0.98124, 1e-5);
        near(found.superiority(1, 0) + found.superiority(0, 1), 1.0, 1e-12);
    }

    #[test]
    fn elo_is_that_of_the_expected_score_however_many_games_the_first_seat_wins() {
        // Each of three beats the next on the first seat and draws on the second, in all games.
        let once = |games: u64| {
            [(0, 1), (1, 2), (0, 2)].map(|(one, other)| {
                let all = |wins, draws| Wdl { wins, draws, losses: 0 };
                [
                    Meeting { first: one, second: other, games: all(games, 0) },
                    Meeting { first: other, second: one, games: all(0, games) },
                ]
            })
        };
        let of = |games: u64| {
            let meetings = once(games).concat();
            let prior = Prior::USUAL.on_the_model_scale(3 * games, 3 * games);
            Ratings::fit(3, &meetings, prior).unwrap().elos()
        };
        // A share of three quarters is 190.8 Elo, and the more games the nearer to it.
        let elos: Vec<f64> = [1, 8, 32, 128, 512].map(|games| of(games)[0]).to_vec();
        assert!(elos.is_sorted_by(|one, more| (one - 190.8).abs() > (more - 190.8).abs()), "{elos:?}");
        near(elos[4], 190.8, 15.0);
        for games in [1, 100] {
            let found = of(games);
            near(found.iter().sum(), 0.0, 1e-9);
            near(found[1], 0.0, 1e-6);
        }
        // Small differences are those of the factor.
        let found = Ratings::fit(4, &meetings(), Prior::NONE).unwrap();
        near(found.elos()[1], found.ratings[1] * found.to_elo(), 2.0);
        near(elo_against_average(4000.0, 0.0, 0.0), 4000.0, 1e-6);
    }

    #[test]
    fn a_loss_in_place_of_a_draw_makes_no_engine_of_three_stronger() {
        for games in [2, 6, 16] {
            let mut last = f64::INFINITY;
            for lost in 0..=games {
                let half = |wins, draws, losses| Wdl { wins, draws, losses };
                let mut meetings = Vec::new();
                for (one, other) in [(0, 1), (1, 2), (0, 2)] {
                    let lost = if (one, other) == (0, 1) { lost } else { 0 };
                    meetings.push(Meeting { first: one, second: other, games: half(games, 0, 0) });
                    meetings.push(Meeting { first: other, second: one, games: half(lost, games - lost, 0) });
                }
                let all: Wdl = meetings.iter().map(|meeting| meeting.games).sum();
                let prior = Prior::USUAL.on_the_model_scale(all.wins + all.losses, all.draws);
                let elo = Ratings::fit(3, &meetings, prior).unwrap().elos()[0];
                assert!(elo < last, "{games} {lost}: {elo} {last}");
                last = elo;
            }
        }
    }

    fn all_against_all(entrants: usize, games: impl Fn(usize, usize) -> Wdl) -> Vec<Meeting> {
        (0..entrants)
            .flat_map(|first| (0..entrants).map(move |second| (first, second)))
            .filter(|(first, second)| first != second)
            .map(|(first, second)| Meeting { first, second, games: games(first, second) })
            .collect()
    }

    #[test]
    fn a_perfect_and_a_winless_score_are_finite_and_equal_points_equal_ratings() {
        // 0 wins everything, 3 loses everything, 1 and 2 win one game each.
        let games = all_against_all(4, |first, second| {
            let (first, second) = (if first == 2 { 1 } else { first }, if second == 2 { 1 } else { second });
            Wdl { wins: u64::from(first <= second), draws: 0, losses: u64::from(first > second) }
        });
        let found = Ratings::fit(4, &games, Prior::USUAL).unwrap();
        assert!(found.ratings[0] > found.ratings[1] && found.ratings[0] < 1500.0, "{:?}", found.ratings);
        near(found.ratings[1], found.ratings[2], 1e-6);
        near(found.ratings.iter().sum(), 0.0, 1e-6);
        assert!(found.nu > 0.0 && found.nu < 0.3, "{}", found.nu);
        assert!(found.error(0).is_finite() && found.error(0) > found.error(1));
        assert!(Ratings::fit(4, &games, Prior::NONE).is_none());
    }

    #[test]
    fn nobody_one_alone_no_games_and_nothing_but_draws_are_rated_too() {
        assert!(Ratings::fit(0, &[], Prior::USUAL).unwrap().ratings.is_empty());
        let alone = Ratings::fit(1, &[], Prior::USUAL).unwrap();
        near(alone.ratings[0], 0.0, 1e-9);
        near(alone.error(0), 0.0, 1e-6);
        let unknown = Ratings::fit(2, &[], Prior::USUAL).unwrap();
        near(unknown.superiority(0, 1), 0.5, 1e-9);
        near(unknown.error(0), 350.0 / 2f64.sqrt(), 1e-6);
        let drawn = all_against_all(3, |_, _| Wdl { wins: 0, draws: 5, losses: 0 });
        let found = Ratings::fit(3, &drawn, Prior::USUAL).unwrap();
        near(found.ratings[0], 0.0, 1e-6);
        // 30 games, and the three of the prior.
        near(found.draw_rate(), 31.0 / 33.0, 1e-6);
    }

    #[test]
    fn equal_points_of_a_balanced_round_robin_are_equal_ratings() {
        // A ring of five, in which each beats the next two, as often on either seat, with some
        // draws.
        let games = all_against_all(5, |first, second| match (second + 5 - first) % 5 {
            1 | 2 => Wdl { wins: 6, draws: 3, losses: 1 },
            _ => Wdl { wins: 1, draws: 3, losses: 6 },
        });
        let found = Ratings::fit(5, &games, Prior::USUAL).unwrap();
        found.ratings.iter().for_each(|rating| near(*rating, 0.0, 1e-6));
    }

    #[test]
    #[ignore = "slow"]
    fn five_hundred_entrants_are_rated_in_the_order_of_their_strength() {
        // The lower number wins about as often as at a distance of 2 Elo per place.
        let games = all_against_all(500, |first, second| {
            let ahead = i64::try_from(second).unwrap() - i64::try_from(first).unwrap();
            let wins = (2 + ahead.signum() + ahead / 250).clamp(0, 4).unsigned_abs();
            Wdl { wins, draws: 1, losses: 4 - wins }
        });
        let found = Ratings::fit(500, &games, Prior::USUAL).unwrap();
        assert!(found.ratings.is_sorted_by(|a, b| a > b));
    }

    #[test]
    fn the_normal_distribution_is_that_of_the_tables() {
        near(normal(1.0), 0.841_344_746_068_542_9, 1e-14);
        near(normal(-1.959_963_984_540_054), 0.025, 1e-14);
        near(normal(6.999), normal(7.001), 1e-11);
        assert_eq!((normal(50.0), normal(-50.0)), (1.0, 0.0));
        near(normal(-8.0) / 6.220_960_574_271_786e-16, 1.0, 1e-9);
    }
}
