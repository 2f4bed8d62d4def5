//! A tournament for a question, played by a model many times: how often it is settled, and how
//! often it finds the best entrants.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::pairings::board_seed;
use super::question::RunQuestion;
use super::simulated::{SimulatedCup, SimulatedSums, score_of_pair};
use super::until::{PairChooser, PairResult};

/// A pair is chosen without the results of so many pairs before it; the numbers hardly depend on
/// it.
const LAG: u32 = 4;

impl SimulatedCup<'_> {
    /// Plays pairs of games for a question so many times, each time at most so many pairs. Its
    /// stages are not looked at. The entrants are ranked by their scores against the whole field,
    /// the `pairings` are pairs of games. The same arguments give the same numbers.
    ///
    /// # Panics
    /// If the question does not fit the entrants, or an entrant has no strength.
    pub fn run_question(
        &self,
        question: RunQuestion,
        most_pairs: u32,
        runs: u32,
        seed: u64,
    ) -> SimulatedSums {
        let mut sums = SimulatedSums { runs, settled: Some(0), ..SimulatedSums::default() };
        let names: Vec<&String> = self.pots.iter().flatten().collect();
        for run in 1..=runs {
            let seed = board_seed(seed, "simulated", "question", run);
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            let drawn = self.drawn(&mut random);
            let strong: Vec<f64> = names.iter().map(|name| drawn[*name]).collect();
            let mut chooser = PairChooser::new(question, names.len(), seed, LAG);
            for number in 1..=most_pairs {
                let [one, two] = chooser.choose().expect("every result is known");
                if chooser.is_settled() {
                    break;
                }
                let score = Some(score_of_pair(self.model, strong[one] - strong[two], &mut random));
                chooser.take(number, PairResult { seen: score, counts: score });
            }
            let stand = chooser.stand();
            let mut best: Vec<usize> = (0..names.len()).collect();
            best.sort_by(|a, b| strong[*b].total_cmp(&strong[*a]).then_with(|| names[*a].cmp(names[*b])));
            best.truncate(self.cut);
            let place = |one: usize| stand.ranking.iter().position(|other| *other == one).expect("it plays");
            let right = best.iter().filter(|one| place(**one) < best.len()).count();
            sums.pairings += u64::from(stand.pairs);
            sums.games += 2 * u64::from(stand.pairs);
            sums.best_first += u32::from(place(best[0]) == 0);
            sums.places_of_best += place(best[0]) as u64 + 1;
            sums.cut_right += u32::from(right == best.len());
            sums.right += right as u64;
            sums.settled = sums.settled.map(|settled| settled + u32::from(stand.is_settled));
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::{GameModel, Strong};

    #[test]
    fn far_strengths_are_settled_with_the_best_first_and_equal_ones_play_all_games() {
        let names: Vec<String> = ["b", "a", "c", "d"].map(str::to_owned).to_vec();
        let pots = [names.clone()];
        let of = |step: f64| {
            let elos = names.iter().zip([0.0, 1.0, -1.0, -2.0]).map(|(name, at)| (name.clone(), step * at));
            let strong = Strong::Known(elos.collect());
            let model = GameModel { draws: 0.3, first_seat: 20.0 };
            let cup = SimulatedCup { stages: &[], pots: &pots, model, strong, cut: 2 };
            let sums = cup.run_question(RunQuestion::Cut(2), 150, 20, 3);
            assert_eq!(sums, cup.run_question(RunQuestion::Cut(2), 150, 20, 3));
            sums
        };
        let far = of(400.0);
        assert_eq!((far.settled, far.cut_right, far.right), (Some(20), 20, 40));
        assert!(far.best_first >= 19 && far.games < 20 * 300, "{far:?}");
        let equal = of(0.0);
        assert!(equal.settled <= Some(1) && equal.games > 20 * 280, "{equal:?}");
    }
}
