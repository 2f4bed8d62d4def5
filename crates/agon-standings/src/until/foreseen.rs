//! How many games a question is likely to cost: runs are simulated by a model.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::super::question::RunQuestion;
use super::super::simulated::{GameModel, normal, score_of_pair};
use super::chooser::{PairChooser, PairResult};

/// The standard deviation of strengths that are not known, in Elo.
pub const USUAL_DEVIATION: f64 = 200.0;
/// The most runs, and about how much they may cost all together: pairs, times entrants squared.
const MOST_RUNS: u64 = 40;
const MOST_WORK: u64 = 20_000_000;

/// How runs for a question are likely to go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ForeseenCost {
    /// How many runs were simulated. None is, of too many entrants and games.
    pub runs: u32,
    /// How many of them were settled.
    pub settled: u32,
    /// The games of those that were settled, as their quartiles; `None` if none was.
    pub games: Option<[u64; 3]>,
}

/// Simulates runs of so many entrants with at most so many pairs. Their strengths in Elo and the
/// model of their games are `known`; or strengths are drawn from a normal distribution with
/// [`USUAL_DEVIATION`], and the model is the usual one. The same arguments give the same numbers.
///
/// # Panics
/// If the question does not fit the entrants.
pub fn foreseen(
    question: RunQuestion,
    entrants: usize,
    known: Option<(&[f64], GameModel)>,
    most_pairs: u32,
    lag: u32,
) -> ForeseenCost {
    let work = u64::from(most_pairs.max(1)) * (entrants * entrants) as u64;
    let runs = if work > MOST_WORK { 0 } else { (MOST_WORK / work).min(MOST_RUNS) };
    let model = known.map_or(GameModel::USUAL, |(_, model)| model);
    let mut games = Vec::new();
    for seed in 1..=runs {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let strong: Vec<f64> = match known {
            Some((known, _)) => known.to_vec(),
            None => (0..entrants).map(|_| USUAL_DEVIATION * normal(&mut random)).collect(),
        };
        let mut chooser = PairChooser::new(question, entrants, seed, lag);
        for number in 1..=most_pairs {
            let [one, two] = chooser.choose().expect("every result is known");
            if chooser.is_settled() {
                games.push(2 * u64::from(number - 1));
                break;
            }
            let score = Some(score_of_pair(model, strong[one] - strong[two], &mut random));
            chooser.take(number, PairResult { seen: score, counts: score });
        }
    }
    games.sort_unstable();
    let quartile = |at: usize| games[at * (games.len() - 1) / 4];
    ForeseenCost {
        runs: u32::try_from(runs).unwrap_or(u32::MAX),
        settled: u32::try_from(games.len()).unwrap_or(u32::MAX),
        games: (!games.is_empty()).then(|| [1, 2, 3].map(quartile)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clear_strengths_cost_little_and_equal_ones_are_never_settled() {
        let of =
            |known: &[f64], most| foreseen(RunQuestion::Cut(1), 3, Some((known, GameModel::USUAL)), most, 4);
        let clear = of(&[400.0, 0.0, -100.0], 400);
        assert_eq!((clear.runs, clear.settled), (40, 40));
        let [low, middle, high] = clear.games.unwrap();
        assert!(20 < low && low <= middle && middle <= high && high < 500, "{clear:?}");
        let equal = of(&[0.0; 3], 100);
        assert!(equal.settled <= 3, "{equal:?}");
        assert_eq!(of(&[0.0; 3], 2).games, None);
        // A first move that nearly decides a game hides who is better.
        let known = [60.0, 0.0, -60.0];
        let decisive = GameModel { draws: 0.0, first_seat: 400.0 };
        let [usual, hidden] = [GameModel::USUAL, decisive]
            .map(|model| foreseen(RunQuestion::Cut(1), 3, Some((&known, model)), 300, 4).settled);
        assert!(usual > hidden, "{usual} {hidden}");
        assert_eq!(foreseen(RunQuestion::Order, 500, None, 1000, 4).runs, 0, "it would take hours");
    }
}
