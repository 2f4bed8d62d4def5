//! A tournament played by a model many times: how often its format finds the best entrants.
//!
//! The model of a game is that of [`crate::rating`]: Davidson's, with draws and an advantage of the
//! first seat. The pairings, cuts, play-offs and tie-breaks are those of the stages themselves.

use std::collections::HashMap;
use std::time::Duration;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::cup::{self, CupStage};
use super::matches::{Match, MatchGame, Score, Scores};
use super::pairings::board_seed;
use super::rating::{SCALE, probabilities};
use super::stage::{Field, Ranking, progress};

/// How games between entrants of known strength end.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GameModel {
    /// The share of draws between equals without an advantage of the first seat, 0 to less than 1.
    pub draws: f64,
    /// What the first seat is worth, in Elo.
    pub first_seat: f64,
}

impl GameModel {
    /// The model of games of which nothing is known.
    pub const USUAL: GameModel = GameModel { draws: 0.3, first_seat: 30.0 };
}

impl GameModel {
    /// The probabilities that the first seat wins, and that the game is drawn, if its entrant is
    /// stronger by so much Elo.
    pub fn expected(self, stronger: f64) -> (f64, f64) {
        // On the model's scale, so that small differences change the score as in Elo's formula.
        let to_model = 1.0 / (1.0 - self.draws);
        let nu = 2.0 * self.draws * to_model;
        let (win, draw, _) = probabilities(SCALE * (stronger + self.first_seat) * to_model, nu);
        (win, draw)
    }
}

/// How strong the entrants are.
#[derive(Clone, PartialEq, Debug)]
pub enum Strong {
    /// Drawn anew in each run, from a normal distribution with this standard deviation in Elo.
    /// Seeds are the strongest, in their order.
    Drawn(f64),
    /// In Elo, by name.
    Known(HashMap<String, f64>),
}

/// A tournament to be simulated.
#[derive(Clone, Debug)]
pub struct SimulatedCup<'a> {
    /// Its stages.
    pub stages: &'a [CupStage],
    /// The entrants of the first stage: a pot for each seed, then all others.
    pub pots: &'a [Vec<String>],
    /// How games end.
    pub model: GameModel,
    /// How strong the entrants are.
    pub strong: Strong,
    /// How many of the best it is to find.
    pub cut: usize,
}

/// What became of the best entrants, summed over all runs.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SimulatedSums {
    /// The number of runs.
    pub runs: u32,
    /// The pairings that were played, with play-offs.
    pub pairings: u64,
    /// The games that were played.
    pub games: u64,
    /// In how many runs the best one was first.
    pub best_first: u32,
    /// The places of the best one.
    pub places_of_best: u64,
    /// In how many runs the first places were those of the best ones, up to the cut.
    pub cut_right: u32,
    /// How many of the best ones were there.
    pub right: u64,
    /// Of each stage but the last: in how many runs the best one advanced.
    pub best_in: Vec<u32>,
    /// Of each stage but the last: in how many runs all of the best advanced.
    pub all_in: Vec<u32>,
    /// In how many runs the question was settled, if it was played for one.
    pub settled: Option<u32>,
}

impl SimulatedCup<'_> {
    /// Plays it so many times. The same arguments give the same numbers.
    ///
    /// # Panics
    /// If the stages do not fit the entrants ([`cup::check`]), or an entrant has no strength.
    pub fn run(&self, runs: u32, seed: u64) -> SimulatedSums {
        let later = self.stages.len().saturating_sub(1);
        let mut sums = SimulatedSums {
            runs,
            best_in: vec![0; later],
            all_in: vec![0; later],
            ..SimulatedSums::default()
        };
        for run in 1..=runs {
            // Each run draws its groups and lots anew.
            let seed = board_seed(seed, "simulated", "tournament", run);
            self.play(seed, &mut sums);
        }
        sums
    }

    fn play(&self, seed: u64, sums: &mut SimulatedSums) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let strong = self.drawn(&mut random);
        let mut best: Vec<&String> = self.pots.iter().flatten().collect();
        best.sort_by(|a, b| strong[*b].total_cmp(&strong[*a]).then_with(|| a.cmp(b)));
        let best = &best[..self.cut.min(best.len())];
        let mut pots = self.pots.to_vec();
        let mut played = Vec::new();
        for (number, stage) in self.stages.iter().enumerate() {
            let field = cup::field(self.stages, number, &pots, seed);
            let result = self.stage(stage, &field, &strong, &mut random, sums);
            if let Some(go_on) = stage.advance {
                pots = cup::pots(&field, &result, go_on);
                let is_in = |name: &&String| pots.iter().flatten().any(|other| other == *name);
                sums.best_in[number] += u32::from(is_in(&best[0]));
                sums.all_in[number] += u32::from(best.iter().all(is_in));
            }
            let ranked = |ranking: Ranking| ranking.order.into_iter().zip(1..).collect();
            played.push((field, result.into_iter().map(ranked).collect::<Vec<Vec<_>>>()));
        }
        let outcomes: Vec<_> = (self.stages.iter().zip(&played))
            .map(|(stage, (field, orders))| stage.outcome(field, Some(orders)))
            .collect();
        let mut places: Vec<(usize, u32, String)> = cup::places(&outcomes)
            .into_iter()
            // A shared place is settled by lot.
            .map(|place| (place.place, random.next_u32(), place.name))
            .collect();
        places.sort();
        let place =
            |name: &String| places.iter().position(|(_, _, other)| other == name).expect("it has played");
        let right = best.iter().filter(|name| place(name) < best.len()).count();
        sums.best_first += u32::from(place(best[0]) == 0);
        sums.places_of_best += place(best[0]) as u64 + 1;
        sums.cut_right += u32::from(right == best.len());
        sums.right += right as u64;
    }

    /// The strength of each entrant.
    pub(super) fn drawn(&self, random: &mut ChaCha8Rng) -> HashMap<String, f64> {
        let deviation = match &self.strong {
            Strong::Known(known) => return known.clone(),
            Strong::Drawn(deviation) => *deviation,
        };
        let names: Vec<&String> = self.pots.iter().flatten().collect();
        let drawn: Vec<f64> = names.iter().map(|_| deviation * normal(random)).collect();
        // The pots before the last one are seeds.
        let seeds = self.pots[..self.pots.len() - 1].iter().flatten().count();
        let mut order: Vec<usize> = (0..drawn.len()).collect();
        order.sort_by(|a, b| drawn[*b].total_cmp(&drawn[*a]));
        // The others stay in the order in which they were drawn.
        order[seeds..].sort_unstable();
        let strong = order.into_iter().map(|at| drawn[at]);
        names.into_iter().cloned().zip(strong).collect()
    }

    /// Plays a stage to its end.
    fn stage(
        &self,
        stage: &CupStage,
        field: &Field<String>,
        strong: &HashMap<String, f64>,
        random: &mut ChaCha8Rng,
        sums: &mut SimulatedSums,
    ) -> Vec<Ranking> {
        let strong: Vec<f64> = field.names.iter().map(|name| strong[name]).collect();
        let mut scores = Scores::new();
        loop {
            let now = progress(&stage.rules, field, &scores);
            if let Some(result) = now.result {
                return result;
            }
            let due: Vec<Match> = now.matches.into_iter().filter(|one| !one.is_over(&scores)).collect();
            assert!(!due.is_empty(), "a stage that is not over has a match that is not over");
            for one in due {
                sums.pairings += 1;
                sums.games += u64::from(one.games);
                let stronger = strong[one.pairing.first] - strong[one.pairing.second];
                scores.insert(one.pairing.pairing, self.score(&one, stronger, random));
            }
        }
    }

    fn score(&self, one: &Match, stronger: f64, random: &mut ChaCha8Rng) -> Score {
        let expected = [self.model.expected(stronger), self.model.expected(-stronger)];
        let mut score = Score::default();
        for game in one.before + 1..=one.before + one.games {
            let is_swapped = game % 2 == 0;
            let (win, draw) = expected[usize::from(is_swapped)];
            let at = uniform(random);
            let places = if at < win {
                [1, 2]
            } else if at < win + draw {
                [1, 1]
            } else {
                [2, 1]
            };
            // Thinking times settle what is level to the end, so they are a lot.
            let times = [0; 2].map(|_| Duration::from_nanos(u64::from(random.next_u32())));
            score.add(&MatchGame { is_swapped, places, faults: [false; 2], times });
        }
        score
    }
}

/// The score, from 0 to 1, of an entrant that is stronger by so much Elo, in two games with sides
/// swapped.
pub(super) fn score_of_pair(model: GameModel, stronger: f64, random: &mut ChaCha8Rng) -> f64 {
    let mut score = 0.0;
    for side in [1.0, -1.0] {
        let (win, draw) = model.expected(side * stronger);
        let at = uniform(random);
        let of_first_seat = match at {
            at if at < win => 1.0,
            at if at < win + draw => 0.5,
            _ => 0.0,
        };
        score += if side > 0.0 { of_first_seat } else { 1.0 - of_first_seat };
    }
    score / 2.0
}

/// A number from 0 to less than 1.
pub(super) fn uniform(random: &mut ChaCha8Rng) -> f64 {
    f64::from(random.next_u32()) / 2f64.powi(32)
}

/// A number of the standard normal distribution (Box and Muller 1958).
pub(super) fn normal(random: &mut ChaCha8Rng) -> f64 {
    let (radius, angle) = (1.0 - uniform(random), uniform(random));
    (-2.0 * radius.ln()).sqrt() * (2.0 * std::f64::consts::PI * angle).cos()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cup::GroupShape;
    use crate::pairings::Pairing;
    use crate::points::{Points, Wdl};
    use crate::stage::{Format, StageRules};
    use crate::versus::expected_score;

    fn stage(format: Format, games: u32, shape: GroupShape, advance: Option<usize>) -> CupStage {
        let tiebreaks = format.tiebreaks();
        let points = Points::TWO_ONE_NONE;
        let rules = StageRules { format, games, play_off_games: 2, play_offs: 2, tiebreaks, points };
        CupStage { name: "stage".to_owned(), rules, shape, advance, listed: false }
    }

    fn round_robin(games: u32) -> Vec<CupStage> {
        vec![stage(Format::RoundRobin { cycles: 1 }, games, GroupShape::Groups(1), None)]
    }

    fn names(entrants: usize) -> Vec<Vec<String>> {
        vec![(0..entrants).map(|number| format!("e{number:02}")).collect()]
    }

    fn of<'a>(stages: &'a [CupStage], pots: &'a [Vec<String>], strong: Strong) -> SimulatedCup<'a> {
        SimulatedCup { stages, pots, model: GameModel { draws: 0.3, first_seat: 20.0 }, strong, cut: 4 }
    }

    #[test]
    fn the_model_has_the_draws_and_the_elo_that_were_asked_for() {
        for draws in [0.0, 0.3, 0.6] {
            let model = GameModel { draws, first_seat: 0.0 };
            assert!((model.expected(0.0).1 - draws).abs() < 1e-12);
            for stronger in [10.0, 50.0, 200.0, -200.0] {
                let (win, draw) = model.expected(stronger);
                let off = win + draw / 2.0 - expected_score(stronger);
                assert!(off.abs() < stronger.abs() / 10_000.0, "{draws} {stronger}: {off}");
            }
            let ahead = GameModel { draws, first_seat: 40.0 };
            assert_eq!(ahead.expected(-40.0), model.expected(0.0));
        }
    }

    #[test]
    fn known_strengths_far_apart_come_out_in_their_order_in_every_format() {
        let pots = names(8);
        let known: HashMap<String, f64> =
            pots[0].iter().zip(0..).map(|(name, place)| (name.clone(), -1500.0 * f64::from(place))).collect();
        for (stages, games) in [
            (round_robin(2), 56),
            (vec![stage(Format::Knockout { third_place: true }, 2, GroupShape::Groups(1), None)], 16),
            (
                vec![
                    stage(Format::RoundRobin { cycles: 2 }, 2, GroupShape::Groups(2), Some(2)),
                    stage(Format::RoundRobin { cycles: 1 }, 4, GroupShape::Groups(1), None),
                ],
                72,
            ),
        ] {
            let mut simulated = of(&stages, &pots, Strong::Known(known.clone()));
            simulated.cut = 1;
            let sums = simulated.run(20, 5);
            assert_eq!((sums.best_first, sums.places_of_best, sums.cut_right), (20, 20, 20));
            assert_eq!((sums.games, sums.best_in.iter().all(|runs| *runs == 20)), (20 * games, true));
            assert_eq!(sums, simulated.run(20, 5));
        }
    }

    #[test]
    fn more_games_find_the_best_more_often_and_equals_are_found_by_chance() {
        let pots = names(8);
        let found = |games, deviation| {
            let stages = round_robin(games);
            let sums = of(&stages, &pots, Strong::Drawn(deviation)).run(150, 3);
            assert_eq!(sums.games, 150 * 28 * u64::from(games));
            (sums.best_first, sums.right)
        };
        let (chance, few, many) = (found(2, 1e-6), found(2, 200.0), found(20, 200.0));
        assert!(chance.0 < 40 && few.0 > 50 && many.0 > few.0, "{chance:?} {few:?} {many:?}");
        assert!(chance.1 < few.1 && few.1 < many.1, "{chance:?} {few:?} {many:?}");
    }

    #[test]
    fn sides_are_swapped_in_every_second_game_of_a_match() {
        let stages = round_robin(2);
        let pots = names(2);
        let mut simulated = of(&stages, &pots, Strong::Drawn(1.0));
        // The first move always wins.
        simulated.model = GameModel { draws: 0.0, first_seat: 9000.0 };
        let pairing = Pairing { round: 1, pairing: 1, first: 0, second: 1 };
        for (before, games, [wins, losses]) in [(0, 1, [1, 0]), (1, 1, [0, 1]), (0, 4, [2, 2])] {
            let one = Match { pairing, group: 0, before, games, play_off: 0 };
            let score = simulated.score(&one, 0.0, &mut ChaCha8Rng::seed_from_u64(1));
            assert_eq!((score.games, score.black_wins), (Wdl { wins, draws: 0, losses }, [0, 0]));
        }
    }

    #[test]
    fn seeds_are_the_strongest_in_their_order() {
        let mut pots = vec![vec!["second".to_owned()], vec!["third".to_owned()]];
        pots.extend(names(6));
        let stages = round_robin(2);
        let simulated = of(&stages, &pots, Strong::Drawn(100.0));
        for seed in 0..20 {
            let strong = simulated.drawn(&mut ChaCha8Rng::seed_from_u64(seed));
            assert!(strong["second"] > strong["third"]);
            assert!(pots[2].iter().all(|other| strong[other] < strong["third"]));
            assert_eq!(strong.len(), 8);
        }
    }
}
