//! How many games a new version needs: for the test against its last version, compared with a test
//! of a fixed number of games, and for its rating, compared with the whole field:
//! `cargo run --release -p agon-standings --example candidate -- SEED RUNS`.

mod common;

use agon_standings::candidate::{self, NEAREST};
use agon_standings::pairings::round_robin;
use agon_standings::points::Wdl;
use agon_standings::simulated::GameModel;
use agon_standings::sprt::{Sprt, SprtVerdict};
use agon_standings::versus::Encounter;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use common::{ASKED, Played, fixed_games, rated, seed_and_runs, tested};

/// The field of the ratings.
const ENTRANTS: usize = 20;
/// What the first move is worth, in Elo.
const FIRST_MOVE: f64 = 30.0;
/// The strength of a new version swings by so much Elo from game to game, slowly, which no model
/// knows.
const DRIFT: f64 = 20.0;
/// The most pairs of a test.
const MOST_PAIRS: u64 = 1_000_000;

fn uniform(random: &mut ChaCha8Rng) -> f64 {
    (f64::from(random.next_u32()) + 0.5) / 2f64.powi(32)
}

fn normal(random: &mut ChaCha8Rng) -> f64 {
    let (radius, angle) = (uniform(random), uniform(random));
    (-2.0 * radius.ln()).sqrt() * (2.0 * std::f64::consts::PI * angle).cos()
}

fn model(draws: f64) -> GameModel {
    GameModel { draws, first_seat: FIRST_MOVE }
}

/// The half points of the first seat, if it is stronger by so much Elo.
fn halves(random: &mut ChaCha8Rng, model: GameModel, stronger: f64) -> usize {
    let ((win, draw), at) = (model.expected(stronger), uniform(random));
    if at < win { 2 } else { usize::from(at < win + draw) }
}

/// The half points of one in each of two games with swapped sides.
fn two_games(random: &mut ChaCha8Rng, model: GameModel, stronger: f64) -> [usize; 2] {
    [halves(random, model, stronger), 2 - halves(random, model, -stronger)]
}

/// The half points of one in a pair of such games.
fn pair(random: &mut ChaCha8Rng, model: GameModel, stronger: f64) -> usize {
    two_games(random, model, stronger).iter().sum()
}

/// By which score of a pair two strengths differ, and the standard deviations of such scores.
fn moments(test: &Sprt, model: GameModel) -> (f64, [f64; 2]) {
    let [zero, one] = [test.elo0, test.elo1].map(|elo| {
        // The mean and the variance of a pair, from both of its games.
        let both = [elo, -elo].map(|stronger| {
            let (win, draw) = model.expected(stronger);
            let mean = win + draw / 2.0;
            (mean, win + draw / 4.0 - mean * mean)
        });
        ((both[0].0 + 1.0 - both[1].0) / 2.0, ((both[0].1 + both[1].1) / 4.0).sqrt())
    });
    (one.0 - zero.0, [zero.1, one.1])
}

fn tests(seed: u64, runs: u64) {
    println!("test        draws  truth  games  wrong %  fixed, 5 %  ratio  fixed, as wrong  ratio");
    for bounds in ["0,10", "0,20", "0,50"] {
        let test: Sprt = bounds.parse().expect("a test");
        for draws in [0.0, 0.3, 0.6] {
            let truths = [(test.elo0, SprtVerdict::Refuted), (test.elo1, SprtVerdict::Shown)];
            let found = truths.map(|(truth, right)| {
                let (mut games, mut wrong) = (0.0, 0);
                for run in 0..runs {
                    let mut random = ChaCha8Rng::seed_from_u64(seed.wrapping_mul(1_000_003) + run);
                    let (verdict, pairs) =
                        tested(&test, MOST_PAIRS, || pair(&mut random, model(draws), truth));
                    games += 2.0 * pairs as f64 / runs as f64;
                    wrong += u32::from(verdict != right);
                }
                (games, f64::from(wrong) / runs as f64)
            });
            // The test is compared with one of the errors it was asked for, and with one of the
            // errors that it has.
            let (apart, deviations) = moments(&test, model(draws));
            let asked = fixed_games(apart, deviations, ASKED);
            let real = fixed_games(apart, deviations, found.map(|(_, wrong)| wrong));
            for ((truth, _), (games, wrong)) in truths.into_iter().zip(found) {
                println!(
                    "{bounds:<10}  {draws:>5}  {truth:>5}  {games:>5.0}  {:>7.1}  {asked:>10.0}  {:>5.2}  {real:>15.0}  {:>5.2}",
                    100.0 * wrong,
                    games / asked,
                    games / real
                );
            }
        }
    }
}

fn ratings(seed: u64, runs: u64) {
    println!(
        "\ndeviation  games before  nearest  field  ratio  off by (nearest, field)  first choice right of 5"
    );
    let test: Sprt = "0,50".parse().expect("a test");
    for deviation in [100.0, 200.0, 300.0] {
        for before in [4, 20, 400] {
            let (mut sums, mut off, mut right) = ([0.0; 2], [0.0; 2], 0.0);
            for run in 0..runs {
                let mut random = ChaCha8Rng::seed_from_u64(seed.wrapping_mul(2_000_003) + run);
                let strong: Vec<f64> = (0..ENTRANTS).map(|_| deviation * normal(&mut random)).collect();
                let name = |entrant: usize| format!("e{entrant:02}");
                let mut pool = Played::new();
                for pairing in round_robin(ENTRANTS) {
                    for _ in 0..before / 2 {
                        let names = [name(pairing.first), name(pairing.second)];
                        let stronger = strong[pairing.first] - strong[pairing.second];
                        pool.pair([&names[0], &names[1]], two_games(&mut random, model(0.3), stronger));
                    }
                }
                // Entrant 0 has a new version.
                let own = strong[0] + 50.0 * normal(&mut random);
                let mut met = Encounter::default();
                loop {
                    met.pairs.add(pair(&mut random, model(0.3), own - strong[0]));
                    let is_open = test.finding(test.ratio(Wdl::default(), met.pairs)) == SprtVerdict::Open;
                    if !is_open || met.pairs.count() >= 500 {
                        break;
                    }
                }
                let known = candidate::rated_pool(&pool.standings, "e00");
                let last = known.iter().find(|one| one.name == "e00").expect("it has played").elo;
                let others: Vec<_> = known.into_iter().filter(|one| one.name != "e00").collect();
                let elo_of = |name: &str| strong[name[1..].parse::<usize>().expect("a number")];
                let chosen = candidate::nearest(&others, candidate::expected(last, met), NEAREST);
                let near: Vec<String> = chosen.into_iter().map(|one| one.name.clone()).collect();
                let mut field: Vec<String> = others.iter().map(|one| one.name.clone()).collect();
                let away = |name: &str| (elo_of(name) - own).abs();
                field.sort_by(|one, two| away(one).total_cmp(&away(two)));
                right +=
                    near.iter().filter(|one| field[..NEAREST].contains(one)).count() as f64 / runs as f64;
                for at in (1..field.len()).rev() {
                    field.swap(at, random.next_u32() as usize % (at + 1));
                }
                // The scale of the ratings: the average of the pool and of both versions.
                let average = (strong.iter().sum::<f64>() + own) / (ENTRANTS as f64 + 1.0);
                let phase = uniform(&mut random) * std::f64::consts::TAU;
                for (way, opponents) in [near, field].iter().enumerate() {
                    let (games, rating) = rated(&pool.standings, "e00", opponents, |name, games| {
                        let now = own + DRIFT * (phase + f64::from(games) / 60.0).sin();
                        two_games(&mut random, model(0.3), now - elo_of(name))
                    });
                    sums[way] += f64::from(games) / runs as f64;
                    off[way] += (rating.elo - (own - average)).powi(2) / runs as f64;
                }
            }
            let off = off.map(f64::sqrt);
            println!(
                "{deviation:>9}  {before:>12}  {:>7.0}  {:>5.0}  {:>5.2}  {:>12.1} {:>10.1}  {right:>10.1}",
                sums[0],
                sums[1],
                sums[1] / sums[0],
                off[0],
                off[1]
            );
        }
    }
}

fn main() {
    let (seed, runs) = seed_and_runs("candidate");
    println!("seed {seed}, {runs} runs");
    tests(seed, runs);
    ratings(seed, runs);
}
