//! How many games a new version needs: for the test against its last version, compared with a test
//! of a fixed number of games, and for its rating, compared with the whole field:
//! `cargo run --release -p agon-standings --example candidate -- SEED RUNS`.

use std::time::Duration;

use agon_seats::PerSeat;
use agon_standings::Standings;
use agon_standings::candidate::{self, CandidateRating, NEAREST};
use agon_standings::pairings::round_robin;
use agon_standings::points::{Points, Wdl};
use agon_standings::result::{FinalResult, GameId, SeatStats, Termination};
use agon_standings::simulated::GameModel;
use agon_standings::sprt::{Sprt, SprtVerdict};
use agon_standings::versus::{Encounter, Pairs};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The field of the ratings.
const ENTRANTS: usize = 20;
/// What the first move is worth, in Elo.
const FIRST_MOVE: f64 = 30.0;
/// The strength of a new version swings by so much Elo from game to game, slowly, which no model
/// knows.
const DRIFT: f64 = 20.0;
/// The bar of the own games at which a rating is narrow enough, in Elo, and the most games for it.
const BAR: f64 = 40.0;
const MOST: u32 = 3000;
/// The most pairs of a test.
const MOST_PAIRS: u32 = 1_000_000;

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

/// The half points of one in a pair of games with swapped sides.
fn pair(random: &mut ChaCha8Rng, model: GameModel, stronger: f64) -> usize {
    halves(random, model, stronger) + 2 - halves(random, model, -stronger)
}

/// The games of a test with a fixed number of games and these errors, for results of these pairs.
fn fixed_games(test: &Sprt, model: GameModel) -> f64 {
    let [zero, one] = [test.elo0, test.elo1].map(|elo| {
        // The mean and the variance of a pair, from both of its games.
        let both = [elo, -elo].map(|stronger| {
            let (win, draw) = model.expected(stronger);
            let mean = win + draw / 2.0;
            (mean, win + draw / 4.0 - mean * mean)
        });
        ((both[0].0 + 1.0 - both[1].0) / 2.0, ((both[0].1 + both[1].1) / 4.0).sqrt())
    });
    // 5 % lie beyond 1.645 standard deviations, the errors of all tests here.
    let deviations = 1.644_853_6 * (zero.1 + one.1);
    2.0 * (deviations / (one.0 - zero.0)).powi(2)
}

fn tests(seed: u64, runs: u64) {
    println!("test        draws  truth  games  fixed  ratio  wrong %");
    for bounds in ["0,10", "0,20", "0,50"] {
        let test: Sprt = bounds.parse().expect("a test");
        for draws in [0.0, 0.3, 0.6] {
            let fixed = fixed_games(&test, model(draws));
            for (truth, right) in [(test.elo0, SprtVerdict::Refuted), (test.elo1, SprtVerdict::Shown)] {
                let (mut games, mut wrong) = (0.0, 0);
                for run in 0..runs {
                    let mut random = ChaCha8Rng::seed_from_u64(seed.wrapping_mul(1_000_003) + run);
                    let mut pairs = Pairs::default();
                    let verdict = loop {
                        pairs.add(pair(&mut random, model(draws), truth));
                        let verdict = test.finding(test.ratio(Wdl::default(), pairs));
                        if verdict != SprtVerdict::Open || pairs.count() >= u64::from(MOST_PAIRS) {
                            break verdict;
                        }
                    };
                    games += 2.0 * pairs.count() as f64 / runs as f64;
                    wrong += u32::from(verdict != right);
                }
                let share = 100.0 * f64::from(wrong) / runs as f64;
                println!(
                    "{bounds:<10}  {draws:>5}  {truth:>5}  {games:>5.0}  {fixed:>5.0}  {:>5.2}  {share:>7.1}",
                    games / fixed
                );
            }
        }
    }
}

/// Games that are rated.
struct Played {
    standings: Standings,
    pairing: u32,
}

impl Played {
    fn new() -> Self {
        Played { standings: Standings::new(Points::TWO_ONE_NONE, Vec::<String>::new()), pairing: 0 }
    }

    /// Adds a pair of games of two with swapped sides.
    fn pair(&mut self, random: &mut ChaCha8Rng, model: GameModel, names: [&str; 2], stronger: f64) {
        self.pairing += 1;
        for (game, swapped) in [(1, false), (2, true)] {
            let (seats, stronger) =
                if swapped { ([names[1], names[0]], -stronger) } else { (names, stronger) };
            let places = match halves(random, model, stronger) {
                2 => [1, 2],
                1 => [1, 1],
                _ => [2, 1],
            };
            let none = Duration::ZERO;
            let seat = |entrant| SeatStats { entrant, plies: 0, time: none, longest: none, fault: None };
            self.standings.add_decided(
                GameId { round: 1, pairing: self.pairing, game },
                &PerSeat::two(seat(seats[0]), seat(seats[1])),
                &FinalResult {
                    places: PerSeat::from(places.to_vec()),
                    scores: PerSeat::from(vec![0, 0]),
                    termination: Termination::Normal,
                },
            );
        }
    }
}

/// The games until the bar is narrow enough, and the rating then.
fn rating_of(
    random: &mut ChaCha8Rng,
    pool: &Standings,
    opponents: &[(String, f64)],
    own: f64,
    phase: f64,
) -> (u32, CandidateRating) {
    let mut played = Played::new();
    let mut games = 0;
    loop {
        // As many opponents at a time as the nearest are, so that the whole field is no coarser.
        for _ in 0..NEAREST {
            let (name, elo) = &opponents[games as usize / 2 % opponents.len()];
            let now = own + DRIFT * (phase + f64::from(games) / 60.0).sin();
            played.pair(random, model(0.3), ["e00", name], now - elo);
            games += 2;
        }
        let rating = candidate::rated(pool, &played.standings, "e00").expect("there are games");
        if rating.own_error <= BAR || games >= MOST {
            return (games, rating);
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
                        pool.pair(&mut random, model(0.3), [&names[0], &names[1]], stronger);
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
                let with_elo = |one: &candidate::PoolMember| (one.name.clone(), elo_of(&one.name));
                let chosen = candidate::nearest(&others, candidate::expected(last, met), NEAREST);
                let near: Vec<(String, f64)> = chosen.into_iter().map(with_elo).collect();
                let mut field: Vec<(String, f64)> = others.iter().map(with_elo).collect();
                field.sort_by(|a, b| (a.1 - own).abs().total_cmp(&(b.1 - own).abs()));
                right +=
                    near.iter().filter(|one| field[..NEAREST].contains(one)).count() as f64 / runs as f64;
                for at in (1..field.len()).rev() {
                    field.swap(at, random.next_u32() as usize % (at + 1));
                }
                // The scale of the ratings: the average of the pool and of both versions.
                let average = (strong.iter().sum::<f64>() + own) / (ENTRANTS as f64 + 1.0);
                let phase = uniform(&mut random) * std::f64::consts::TAU;
                for (way, opponents) in [near, field].iter().enumerate() {
                    let (games, rating) = rating_of(&mut random, &pool.standings, opponents, own, phase);
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
    let numbers: Vec<u64> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let [seed, runs] = numbers[..] else {
        eprintln!("usage: candidate SEED RUNS");
        std::process::exit(2);
    };
    println!("seed {seed}, {runs} runs");
    tests(seed, runs);
    ratings(seed, runs);
}
