//! How far ratings would vary if the same tournament were repeated: all games are drawn again from
//! the fitted model, and rated.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::points::Wdl;
use super::rating::{Meeting, NINETY_FIVE, Prior, Ratings};

/// The number of repetitions that a report can wait for. 200 take seconds with 100 entrants, and 20
/// some twenty seconds with 500. The time of a fit grows as the third power of the number of
/// entrants. An error bar from 20 is itself off by a sixth in two cases of three. With more than
/// 600 entrants there are none.
pub fn times(entrants: usize) -> usize {
    match entrants {
        0..=100 => 200,
        // 200 * (100 / n)^1.5, without rounding errors.
        101..=600 => (0..200)
            .rev()
            .find(|times| times * times * entrants.pow(3) <= 40_000 * 1_000_000)
            .unwrap_or(0)
            .max(20),
        _ => 0,
    }
}

/// The error bar of each rating, in Elo: half the width of the interval that holds 95 % of the
/// ratings. The same arguments give the same numbers.
///
/// Takes as much time as `times` fits. Give at least two, and a hundred for reliable numbers.
#[allow(clippy::cast_precision_loss)] // nobody waits for 2^53 fits
pub fn errors(found: &Ratings, meetings: &[Meeting], prior: Prior, times: usize, seed: u64) -> Vec<f64> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let entrants = found.ratings.len();
    let (mut sums, mut squares, mut fits) = (vec![0.0; entrants], vec![0.0; entrants], 0);
    for _ in 0..times {
        let drawn: Vec<Meeting> = meetings.iter().map(|meeting| again(found, meeting, &mut random)).collect();
        // Without a prior the drawn games may have no best ratings.
        let Some(fitted) = Ratings::fit(entrants, &drawn, prior) else { continue };
        fits += 1;
        for (entrant, elo) in fitted.elos().into_iter().enumerate() {
            sums[entrant] += elo;
            squares[entrant] += elo * elo;
        }
    }
    let fits = f64::from(fits);
    let error = |(sum, square): (f64, f64)| {
        let variance = (square - sum * sum / fits) / (fits - 1.0);
        NINETY_FIVE * variance.max(0.0).sqrt()
    };
    sums.into_iter().zip(squares).map(error).collect()
}

/// The same number of games between the same two, drawn from the model.
fn again(found: &Ratings, meeting: &Meeting, random: &mut ChaCha8Rng) -> Meeting {
    let (win, draw, _) = found.expected(meeting.first, meeting.second);
    let mut games = Wdl::default();
    for _ in 0..meeting.games.games() {
        let drawn = f64::from(random.next_u32()) / f64::from(u32::MAX);
        if drawn < win {
            games.wins += 1;
        } else if drawn < win + draw {
            games.draws += 1;
        } else {
            games.losses += 1;
        }
    }
    Meeting { games, ..*meeting }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_repeatable_and_those_of_the_hessian_where_there_are_many_games() {
        let games =
            |first, second, wins, losses| Meeting { first, second, games: Wdl { wins, draws: 100, losses } };
        let meetings = [
            games(0, 1, 200, 120),
            games(1, 0, 150, 170),
            games(1, 2, 210, 110),
            games(2, 1, 150, 160),
            games(0, 2, 240, 90),
            games(2, 0, 120, 190),
        ];
        let found = Ratings::fit(3, &meetings, Prior::USUAL).unwrap();
        let drawn = errors(&found, &meetings, Prior::USUAL, 300, 7);
        assert_eq!(drawn, errors(&found, &meetings, Prior::USUAL, 300, 7));
        assert_ne!(drawn, errors(&found, &meetings, Prior::USUAL, 300, 8));
        for (entrant, error) in drawn.iter().enumerate() {
            let hessian = found.elo_error(entrant);
            assert!((error / hessian - 1.0).abs() < 0.15, "{error} and {hessian}");
        }
    }

    #[test]
    fn the_more_entrants_the_fewer_tournaments_are_drawn() {
        assert_eq!([2, 100, 200, 500, 600, 601].map(times), [200, 200, 70, 20, 20, 0]);
    }
}
