//! Chosen pairs and candidates on the stored games of twenty real engines, 19,000 games of the
//! letter cube: `cargo run --release -p agon-standings --example replay -- SEED RUNS`.
//!
//! `scripts/twenty-engines` has played `fixtures/twenty-engines.csv`. The result of a pair of games
//! is drawn from the fifty stored ones of the two engines, with replacement. So the truth is known:
//! the scores and ratings of all stored games. No model takes part, and the field is what it is.

mod common;

use agon_standings::candidate::{self, NEAREST};
use agon_standings::pairings::round_robin;
use agon_standings::question::RunQuestion;
use agon_standings::sprt::{Sprt, SprtVerdict};
use agon_standings::until::{PairChooser, PairResult};
use agon_standings::versus::{elo_of, expected_score};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use common::{ASKED, Played, deviations_beyond, fixed_games, rated, seed_and_runs, tested};

const STORED: &str = include_str!("../../../fixtures/twenty-engines.csv");
/// How many pairs are in play at once.
const LAG: u32 = 8;
/// The pairs of games after which the best are looked at.
const MARKS: [u32; 4] = [160, 320, 640, 1280];
/// The most pairs until a question is settled, and the most of a test.
const MOST_PAIRS: u32 = 3000;
const MOST_OF_A_TEST: u64 = 20_000;
/// The stored results.
struct Field {
    names: Vec<String>,
    /// By two engines, the lower one first: the half points of the lower one in each pair of games.
    pairs: Vec<Vec<Vec<usize>>>,
}

impl Field {
    fn read() -> Self {
        let mut field = Field { names: Vec::new(), pairs: Vec::new() };
        let rows = STORED.lines().filter(|line| !line.starts_with('#'));
        let rows: Vec<Vec<&str>> = rows.map(|line| line.split(',').collect()).collect();
        for name in rows.iter().flat_map(|row| &row[..2]) {
            if !field.names.iter().any(|known| known == name) {
                field.names.push((*name).to_owned());
            }
        }
        let size = field.names.len();
        field.pairs = vec![vec![Vec::new(); size]; size];
        for row in &rows {
            let at = |name: &str| field.names.iter().position(|known| known == name).expect("it was read");
            let (one, two) = (at(row[0]), at(row[1]));
            let halves = row[2].bytes().map(|digit| usize::from(digit - b'0'));
            field.pairs[one.min(two)][one.max(two)] =
                halves.map(|halves| if one < two { halves } else { 4 - halves }).collect();
        }
        field
    }

    /// The half points of the first of two in a pair of games that is drawn.
    fn draw(&self, one: usize, two: usize, random: &mut ChaCha8Rng) -> usize {
        let all = &self.pairs[one.min(two)][one.max(two)];
        let halves = all[random.next_u32() as usize % all.len()];
        if one < two { halves } else { 4 - halves }
    }

    /// The mean and the variance of the score of the first of two in a pair, from 0 to 1.
    fn moments(&self, one: usize, two: usize) -> (f64, f64) {
        let all = &self.pairs[one.min(two)][one.max(two)];
        let scores = all.iter().map(|halves| *halves as f64 / 4.0);
        let mean = scores.clone().sum::<f64>() / all.len() as f64;
        let variance = scores.map(|score| (score - mean).powi(2)).sum::<f64>() / all.len() as f64;
        (if one < two { mean } else { 1.0 - mean }, variance)
    }

    /// The score of each against the whole field.
    fn scores(&self) -> Vec<f64> {
        let size = self.names.len();
        let of = |one: usize| {
            let others = (0..size).filter(|two| *two != one);
            others.map(|two| self.moments(one, two).0).sum::<f64>() / (size - 1) as f64
        };
        (0..size).map(of).collect()
    }
}

fn ranking(scores: &[f64]) -> Vec<usize> {
    let mut ranking: Vec<usize> = (0..scores.len()).collect();
    ranking.sort_by(|one, two| scores[*two].total_cmp(&scores[*one]));
    ranking
}

fn same(one: &[usize], two: &[usize]) -> bool {
    one.iter().all(|one| two.contains(one))
}

/// How often the right ones are found, by pairs chosen for their number and by a round robin.
fn right_ones(field: &Field, seed: u64, runs: u64) {
    let size = field.names.len();
    let truth = ranking(&field.scores());
    println!("the right ones of {size} in {runs} runs");
    println!("cut  games: chosen, round robin, round robin of twice the games");
    for cut in [2, 3, 4, 5, 6, 8, 10] {
        let (mut ours, mut theirs) = ([0; 4], [0; 4]);
        for run in 0..runs {
            let mut random =
                ChaCha8Rng::seed_from_u64(seed.wrapping_mul(1_000_003) + 1000 * run + cut as u64);
            let mut chooser = PairChooser::new(RunQuestion::Cut(cut), size, seed + 31 * run, LAG);
            for number in 1..=MARKS[2] {
                let [one, two] = chooser.choose().expect("every result is known");
                let score = Some(field.draw(one, two, &mut random) as f64 / 4.0);
                chooser.take(number, PairResult { seen: score, counts: score });
                if let Some(at) = MARKS.iter().position(|mark| *mark == number) {
                    ours[at] += u32::from(same(&truth[..cut], &chooser.stand().ranking[..cut]));
                }
            }
            let (mut points, mut played) = (vec![0.0; size], vec![0.0; size]);
            let all: Vec<[usize; 2]> = round_robin(size).map(|pair| [pair.first, pair.second]).collect();
            for (number, [one, two]) in (1..=MARKS[3]).zip(all.into_iter().cycle()) {
                let score = field.draw(one, two, &mut random) as f64 / 4.0;
                points[one] += score;
                points[two] += 1.0 - score;
                played[one] += 1.0;
                played[two] += 1.0;
                if let Some(at) = MARKS.iter().position(|mark| *mark == number) {
                    let shares: Vec<f64> = points.iter().zip(&played).map(|(sum, all)| sum / all).collect();
                    theirs[at] += u32::from(same(&truth[..cut], &ranking(&shares)[..cut]));
                }
            }
        }
        let of = |at: usize| {
            let percent = |count: u32| 100.0 * f64::from(count) / runs as f64;
            let numbers = [ours[at], theirs[at], theirs[at + 1]].map(percent);
            format!("{}: {:.0} {:.0} {:.0}", 2 * MARKS[at], numbers[0], numbers[1], numbers[2])
        };
        println!("{cut:>3}  {}   {}   {}", of(0), of(1), of(2));
    }
}

/// How often a question is settled, after how many pairs in the middle, and how often falsely.
fn verdicts(field: &Field, seed: u64, runs: u64) {
    let scores = field.scores();
    println!("settled within {MOST_PAIRS} pairs in {runs} runs, pairs in the middle, false");
    for cut in [2, 4, 10] {
        let (mut after, mut wrong) = (Vec::new(), 0);
        for run in 0..runs {
            let mut random =
                ChaCha8Rng::seed_from_u64(seed.wrapping_mul(7_000_003) + 1000 * run + cut as u64);
            let mut chooser = PairChooser::new(RunQuestion::Cut(cut), scores.len(), seed + 17 * run, LAG);
            for number in 1..=MOST_PAIRS {
                let [one, two] = chooser.choose().expect("every result is known");
                if chooser.is_settled() {
                    after.push(number);
                    let found = chooser.stand().ranking;
                    wrong += u32::from(!same(&ranking(&scores)[..cut], &found[..cut]));
                    break;
                }
                let score = Some(field.draw(one, two, &mut random) as f64 / 4.0);
                chooser.take(number, PairResult { seen: score, counts: score });
            }
        }
        after.sort_unstable();
        println!("cut={cut}: {} {:?} {wrong}", after.len(), after.get(after.len() / 2));
    }
}

/// The games of the test of one engine against another at its bounds, and those of a fixed test
/// of the same errors.
fn tests(field: &Field, seed: u64, runs: u64) {
    println!("test of two neighbours, bounds, which is true: games, fixed, ratio, wrong %");
    let order = ranking(&field.scores());
    let (mut ratios, mut wrongs) = (Vec::new(), Vec::new());
    for two in order.windows(2) {
        let (mean, variance) = field.moments(two[0], two[1]);
        let apart = elo_of(mean);
        if !(15.0..=150.0).contains(&apart) {
            continue;
        }
        for (bounds, right) in
            [([0.0, apart], SprtVerdict::Shown), ([apart, 2.0 * apart], SprtVerdict::Refuted)]
        {
            let test: Sprt = format!("{:.1},{:.1}", bounds[0], bounds[1]).parse().expect("a test");
            let [zero, one] = bounds.map(expected_score);
            let (mut games, mut wrong) = (0.0, 0);
            for run in 0..runs {
                let mut random = ChaCha8Rng::seed_from_u64(seed.wrapping_mul(3_000_003) + run);
                let (verdict, pairs) =
                    tested(&test, MOST_OF_A_TEST, || field.draw(two[0], two[1], &mut random));
                games += 2.0 * pairs as f64 / runs as f64;
                wrong += u32::from(verdict != right);
            }
            let wrong = f64::from(wrong) / runs as f64;
            let fixed = fixed_games(one - zero, [variance.sqrt(); 2], ASKED);
            let names = [&field.names[two[0]], &field.names[two[1]]];
            println!(
                "{} {}, {test}, {right:?}: {games:.0} {fixed:.0} {:.2} {:.1}",
                names[0],
                names[1],
                games / fixed,
                100.0 * wrong
            );
            ratios.push(games / fixed);
            wrongs.push(wrong);
        }
    }
    let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
    let (ratio, wrong) = (mean(&ratios), mean(&wrongs));
    // A test that is as often wrong as this one has so many more games.
    let longer = (deviations_beyond(wrong) / deviations_beyond(ASKED[0])).powi(2);
    println!(
        "all: ratio {ratio:.2}, wrong {:.1} %; ratio to tests that are as often wrong {:.2}",
        100.0 * wrong,
        ratio / longer
    );
}

/// The half points in each of two games with so many together: of two games with three, one is won
/// and one drawn.
fn games_of(halves: usize) -> [usize; 2] {
    let first = halves.min(2);
    [first, halves - first]
}

/// The games for the rating of an engine that plays against the nearest, and against the field.
fn ratings(field: &Field, seed: u64, runs: u64) {
    let size = field.names.len();
    let mut whole = Played::new();
    for pair in round_robin(size) {
        let (one, two) = (pair.first.min(pair.second), pair.first.max(pair.second));
        for halves in &field.pairs[one][two] {
            whole.pair([&field.names[one], &field.names[two]], games_of(*halves));
        }
    }
    let truth = candidate::rated_pool(&whole.standings, &field.names[0]);
    let elo_of = |name: &str| truth.iter().find(|one| one.name == name).expect("it has played").elo;
    let spread = truth.iter().map(|one| one.elo.powi(2)).sum::<f64>() / (size - 1) as f64;
    println!("ratings: deviation {:.0} Elo; games nearest, field, ratio; off by", spread.sqrt());
    let (mut sums, mut off, mut count) = ([0.0; 2], [0.0; 2], 0.0);
    for run in 0..runs {
        let mut random = ChaCha8Rng::seed_from_u64(seed.wrapping_mul(2_000_003) + run);
        let own = run as usize % size;
        let mut pool = Played::new();
        for pair in round_robin(size) {
            for _ in 0..10 {
                let halves = field.draw(pair.first, pair.second, &mut random);
                pool.pair([&field.names[pair.first], &field.names[pair.second]], games_of(halves));
            }
        }
        let name = &field.names[own];
        let known = candidate::rated_pool(&pool.standings, name);
        let last = known.iter().find(|one| one.name == *name).expect("it has played").elo;
        let others: Vec<_> = known.into_iter().filter(|one| one.name != *name).collect();
        let near = candidate::nearest(&others, last, NEAREST).into_iter().map(|one| one.name.clone());
        let mut all: Vec<String> = others.iter().map(|one| one.name.clone()).collect();
        for at in (1..all.len()).rev() {
            all.swap(at, random.next_u32() as usize % (at + 1));
        }
        for (way, opponents) in [near.collect(), all].iter().enumerate() {
            let (games, rating) = rated(&pool.standings, name, opponents, |name, _| {
                let other = field.names.iter().position(|known| known == name).expect("it was read");
                games_of(field.draw(own, other, &mut random))
            });
            sums[way] += f64::from(games);
            // The average of all and of both versions is 0.
            let known = elo_of(name) * size as f64 / (size + 1) as f64;
            off[way] += (rating.elo - known).powi(2);
        }
        count += 1.0;
    }
    let off = off.map(|sum: f64| (sum / count).sqrt());
    println!(
        "{:.0} {:.0} {:.2}; {:.1} {:.1} Elo",
        sums[0] / count,
        sums[1] / count,
        sums[1] / sums[0],
        off[0],
        off[1]
    );
}

fn main() {
    let (seed, runs) = seed_and_runs("replay");
    let field = Field::read();
    right_ones(&field, seed, runs);
    verdicts(&field, seed, runs.min(100));
    tests(&field, seed, runs);
    ratings(&field, seed, runs.min(200));
}
