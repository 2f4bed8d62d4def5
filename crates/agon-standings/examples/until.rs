//! How well pairs are chosen for a question, how often its verdicts are false, and what a choice
//! costs. `cargo run --release -p agon-standings --example until -- SEED RUNS` tells all of it. A
//! third word, `costs`, `four` or `verdicts`, tells one part.
//!
//! The games have draws and an advantage of the first move, and both change in the course of a run,
//! as do the distances between the entrants. The chooser knows nothing of that.

use std::fmt::Write;
use std::time::Instant;

use agon_standings::pairings::round_robin;
use agon_standings::question::RunQuestion;
use agon_standings::simulated::GameModel;
use agon_standings::until::{PairChooser, PairResult};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// How many pairs are in play at once.
const LAG: u32 = 8;

fn uniform(random: &mut ChaCha8Rng) -> f64 {
    (f64::from(random.next_u32()) + 0.5) / 2f64.powi(32)
}

fn normal(random: &mut ChaCha8Rng) -> f64 {
    let (radius, angle) = (uniform(random), uniform(random));
    (-2.0 * radius.ln()).sqrt() * (2.0 * std::f64::consts::PI * angle).cos()
}

/// Entrants whose games are simulated.
struct World {
    /// By two entrants: how much Elo the first is ahead in games of the two.
    ahead: Vec<Vec<f64>>,
    /// By how much the draws, the distances and the first move drift.
    drift: f64,
}

impl World {
    /// Entrants of normally distributed strength, of which each three beat each other in a ring by
    /// so much Elo.
    fn new(entrants: usize, deviation: f64, ring: f64, drift: f64, random: &mut ChaCha8Rng) -> Self {
        let strong: Vec<f64> = (0..entrants).map(|_| deviation * normal(random)).collect();
        let ahead = |one: usize, two: usize| {
            let turn = [0.0, ring, -ring][(3 + two % 3 - one % 3) % 3];
            strong[one] - strong[two] + turn
        };
        let row = |one| (0..entrants).map(|two| ahead(one, two)).collect();
        World { ahead: (0..entrants).map(row).collect(), drift }
    }

    fn model(&self, number: u32) -> (GameModel, f64) {
        let wave = self.drift * (f64::from(number) / 150.0).sin();
        (GameModel { draws: 0.3 + 0.2 * wave, first_seat: 30.0 + 30.0 * wave }, 1.0 + 0.2 * wave)
    }

    /// The score of the first of two in the pair of this number.
    fn pair(&self, [one, two]: [usize; 2], number: u32, random: &mut ChaCha8Rng) -> f64 {
        let (model, stretch) = self.model(number);
        let mut score = 0.0;
        for side in [1.0, -1.0] {
            let (win, draw) = model.expected(side * self.ahead[one][two] * stretch);
            let at = uniform(random);
            let of_first_seat = if at < win {
                1.0
            } else if at < win + draw {
                0.5
            } else {
                0.0
            };
            score += if side > 0.0 { of_first_seat } else { 1.0 - of_first_seat };
        }
        score / 2.0
    }

    /// The expected score of each against the whole field, in the middle of the drift.
    fn scores(&self) -> Vec<f64> {
        let model = self.model(0).0;
        let expected = |elo: f64| {
            let half = |elo| {
                let (win, draw) = model.expected(elo);
                win + draw / 2.0
            };
            f64::midpoint(half(elo), 1.0 - half(-elo))
        };
        let of = |one: usize| {
            let others = (0..self.ahead.len()).filter(|two| *two != one);
            others.map(|two| expected(self.ahead[one][two])).sum::<f64>() / (self.ahead.len() - 1) as f64
        };
        (0..self.ahead.len()).map(of).collect()
    }
}

fn best(scores: &[f64], cut: usize) -> Vec<usize> {
    let mut ranking: Vec<usize> = (0..scores.len()).collect();
    ranking.sort_by(|one, two| scores[*two].total_cmp(&scores[*one]));
    sorted(&ranking[..cut])
}

fn sorted(some: &[usize]) -> Vec<usize> {
    let mut sorted = some.to_vec();
    sorted.sort_unstable();
    sorted
}

/// How often the right four of twenty are found, by chosen pairs and by a round robin.
fn right_four(seed: u64, runs: u64) -> String {
    const ENTRANTS: usize = 20;
    const MARKS: [u32; 4] = [160, 320, 640, 1280];
    let (mut ours, mut theirs) = ([0; 4], [0; 4]);
    for run in 0..runs {
        let mut random = ChaCha8Rng::seed_from_u64(seed.wrapping_mul(1_000_003) + run);
        let world = World::new(ENTRANTS, 200.0, 0.0, 1.0, &mut random);
        let four = best(&world.scores(), 4);
        let mut chooser = PairChooser::new(RunQuestion::Cut(4), ENTRANTS, seed + 31 * run, LAG);
        for number in 1..=MARKS[2] {
            let pair = chooser.choose().expect("every result is known");
            let score = Some(world.pair(pair, number, &mut random));
            chooser.take(number, PairResult { seen: score, counts: score });
            if let Some(at) = MARKS.iter().position(|mark| *mark == number) {
                ours[at] += u32::from(sorted(&chooser.stand().ranking[..4]) == four);
            }
        }
        let (mut points, mut played) = ([0.0; ENTRANTS], [0.0; ENTRANTS]);
        let all: Vec<[usize; 2]> = round_robin(ENTRANTS).map(|pair| [pair.first, pair.second]).collect();
        for (number, [one, two]) in (1..=MARKS[3]).zip(all.into_iter().cycle()) {
            let score = world.pair([one, two], number, &mut random);
            points[one] += score;
            points[two] += 1.0 - score;
            played[one] += 1.0;
            played[two] += 1.0;
            if let Some(at) = MARKS.iter().position(|mark| *mark == number) {
                let shares: Vec<f64> = points.iter().zip(played).map(|(points, all)| points / all).collect();
                theirs[at] += u32::from(best(&shares, 4) == four);
            }
        }
    }
    let mut text = format!("the right four of {ENTRANTS} in {runs} runs\n");
    for at in 0..3 {
        let (games, double) = (2 * MARKS[at], 4 * MARKS[at]);
        let (ours, same, twice) = (ours[at], theirs[at], theirs[at + 1]);
        let _ = writeln!(
            text,
            "  {games} chosen games {ours}, round robin of {games} games {same}, of {double} {twice}"
        );
    }
    text
}

/// Whether what was settled contradicts the true scores.
fn is_false(question: RunQuestion, chooser: &PairChooser, scores: &[f64]) -> bool {
    let stand = chooser.stand();
    match question {
        RunQuestion::Cut(cut) => {
            let (best, others) = stand.ranking.split_at(cut);
            let least = best.iter().map(|one| scores[*one]).fold(f64::INFINITY, f64::min);
            others.iter().any(|other| scores[*other] > least + 1e-9)
        }
        RunQuestion::Order => stand.ranking.windows(2).any(|two| scores[two[0]] < scores[two[1]] - 1e-9),
        RunQuestion::Bars(_) => stand.bars.iter().zip(scores).any(|([low, high], score)| {
            let elo = agon_standings::versus::elo_of(*score);
            elo < *low || elo > *high
        }),
    }
}

/// How often a question is settled within so many pairs, after how many, and how often falsely.
fn verdicts(seed: u64, runs: u64) {
    println!("verdicts in {runs} runs: settled, false, pairs until then in the middle");
    for (what, question, entrants, deviation, ring, drift, most) in [
        ("four of twenty", RunQuestion::Cut(4), 20, 200.0, 0.0, 1.0, 3000),
        ("two of six", RunQuestion::Cut(2), 6, 150.0, 0.0, 1.0, 2000),
        ("order of five", RunQuestion::Order, 5, 200.0, 0.0, 1.0, 2000),
        ("bars of six", RunQuestion::Bars(40.0), 6, 150.0, 0.0, 0.0, 2000),
        ("rings, equal", RunQuestion::Cut(3), 9, 0.0, 400.0, 1.0, 1000),
        ("rings, nearly equal", RunQuestion::Cut(3), 9, 15.0, 400.0, 1.0, 2000),
        ("rings, order", RunQuestion::Order, 6, 60.0, 300.0, 1.0, 2000),
        ("rings, some better", RunQuestion::Cut(2), 6, 250.0, 300.0, 1.0, 2000),
        ("rings, bars", RunQuestion::Bars(40.0), 6, 60.0, 300.0, 0.0, 2000),
        ("two copies", RunQuestion::Order, 2, 0.0, 0.0, 1.0, 2000),
    ] {
        let (mut after, mut wrong) = (Vec::new(), 0);
        for run in 0..runs {
            let mut random = ChaCha8Rng::seed_from_u64(seed.wrapping_mul(7_000_003) + run);
            let world = World::new(entrants, deviation, ring, drift, &mut random);
            let scores = world.scores();
            let mut chooser = PairChooser::new(question, entrants, seed + 17 * run, LAG);
            for number in 1..=most {
                let pair = chooser.choose().expect("every result is known");
                if chooser.is_settled() {
                    after.push(number);
                    // Of equal entrants each verdict about two is false.
                    let is_equal = deviation == 0.0;
                    wrong += u32::from(is_equal || is_false(question, &chooser, &scores));
                    break;
                }
                let score = Some(world.pair(pair, number, &mut random));
                chooser.take(number, PairResult { seen: score, counts: score });
            }
        }
        after.sort_unstable();
        let middle = after.get(after.len() / 2).copied().unwrap_or(0);
        println!("  {what} ({question}, at most {most}): {} {wrong} {middle}", after.len());
    }
}

/// What a choice takes, and a result.
fn costs() -> String {
    let mut text = String::new();
    for (entrants, pairs) in [(20, 2000), (50, 2000), (500, 300)] {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let world = World::new(entrants, 200.0, 0.0, 0.0, &mut random);
        let mut chooser = PairChooser::new(RunQuestion::Cut(4), entrants, 1, LAG);
        let mut took = Vec::new();
        for number in 1..=pairs {
            let begun = Instant::now();
            let pair = chooser.choose().expect("every result is known");
            let _ = chooser.is_settled();
            took.push(begun.elapsed());
            let score = Some(world.pair(pair, number, &mut random));
            chooser.take(number, PairResult { seen: score, counts: score });
        }
        took.sort_unstable();
        let (middle, most) = (took[took.len() / 2], took[took.len() - 1]);
        let _ = writeln!(text, "a choice of {entrants} entrants takes {middle:?}, at most {most:?}");
    }
    text
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number =
        |at: usize, usual| words.get(at).map_or(usual, |text| text.parse().expect("give a seed and runs"));
    let (seed, runs) = (number(0, 1), number(1, 100));
    let is_told = |part: &str| words.get(2).is_none_or(|word| word == part);
    if is_told("costs") {
        print!("{}", costs());
    }
    if is_told("four") {
        print!("{}", right_four(seed, runs));
    }
    if is_told("verdicts") {
        verdicts(seed, runs);
    }
}
