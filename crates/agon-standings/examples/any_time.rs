//! How often bars of 95 % deceive who looks after every game, how wide they are, and what they
//! cost: `cargo run --release -p agon-standings --example any_time -- SEED RUNS`.

use std::time::Instant;

use agon_standings::any_time::ScoreBars;
use agon_standings::points::Wdl;
use agon_standings::versus::Encounter;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

const GAMES: usize = 2000;
const DRAWS: [f64; 3] = [0.0, 0.3, 0.6];
/// What the first seat is ahead of an equal, as a score.
const AHEAD: f64 = 0.05;

fn drawn(random: &mut ChaCha8Rng, score: f64, draws: f64) -> usize {
    let at = f64::from(random.next_u32()) / 2f64.powi(32);
    // Near the ends of the scale there is no room for that many draws.
    let draws = draws.min(2.0 * score).min(2.0 - 2.0 * score);
    if at < score - draws / 2.0 { 2 } else { usize::from(at < score + draws / 2.0) }
}

fn pair(random: &mut ChaCha8Rng, score: f64, draws: f64) -> usize {
    drawn(random, score + AHEAD, draws) + drawn(random, score - AHEAD, draws)
}

fn add_game(games: &mut Wdl, halves: usize) {
    match halves {
        0 => games.losses += 1,
        1 => games.draws += 1,
        _ => games.wins += 1,
    }
}

/// Whether the bars ever miss the average of what was expected, for any time and fixed.
fn looked_at(steps: impl Iterator<Item = (Encounter, f64)>) -> [bool; 2] {
    let mut missed = [false; 2];
    for (at, (met, truth)) in steps.enumerate() {
        missed[0] |= met.refutes(truth);
        // A look at the fixed bar costs more; every tenth is enough to be deceived.
        if at >= 50 && at % 10 == 0 && !missed[1] {
            let bar = met.bars().expect("there are results").fixed;
            missed[1] = !(bar.low..=bar.high).contains(&truth);
        }
    }
    missed
}

fn main() {
    let numbers: Vec<u64> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let [seed, runs] = numbers[..] else {
        eprintln!("usage: any_time SEED RUNS");
        std::process::exit(2);
    };
    println!("seed {seed}, {runs} runs of {GAMES} games, looked at after each result");
    let share = |count: u64| 100.0 * count as f64 / runs as f64;
    for draws in DRAWS {
        // Equals in pairs; in games; one that grows by 20 % of the points; all strengths.
        let mut missed = [[0; 2]; 4];
        for run in 0..runs {
            let mut random = ChaCha8Rng::seed_from_u64(seed.wrapping_mul(1_000_003).wrapping_add(run));
            let mut met = Encounter::default();
            let equals = looked_at((0..GAMES / 2).map(|_| {
                met.pairs.add(pair(&mut random, 0.5, draws));
                (met, 0.5)
            }));
            let mut games = Wdl::default();
            let singles = looked_at((0..GAMES).map(|_| {
                add_game(&mut games, drawn(&mut random, 0.5, draws));
                (Encounter::of_games(games), 0.5)
            }));
            let average_of = |random: &mut ChaCha8Rng, expected: &dyn Fn(usize) -> f64| {
                let (mut met, mut sum) = (Encounter::default(), 0.0);
                looked_at((0..GAMES / 2).map(|at| {
                    let score = expected(at);
                    met.pairs.add(pair(random, score, draws));
                    sum += score;
                    (met, sum / (at + 1) as f64)
                }))
            };
            let drift = average_of(&mut random, &|at| 0.4 + 0.2 * at as f64 / (GAMES / 2) as f64);
            // Nineteen opponents, the strongest first, five pairs against each in turn.
            let field = average_of(&mut random, &|at| 0.1 + 0.8 * ((at / 5) % 19) as f64 / 18.0);
            for (counts, found) in missed.iter_mut().zip([equals, singles, drift, field]) {
                counts.iter_mut().zip(found).for_each(|(count, ever)| *count += u64::from(ever));
            }
        }
        for (what, [any_time, fixed]) in
            ["equals, pairs", "equals, games", "drift, pairs", "field, pairs"].iter().zip(missed)
        {
            println!(
                "draws {:>2.0} %, {what:13}: ever outside of the bar for any time {:4.1} %, of the fixed bar {:4.1} %",
                100.0 * draws,
                share(any_time),
                share(fixed)
            );
        }
    }
    println!("how many times as wide as the fixed bar, on the average of {} runs", runs.min(200));
    for draws in DRAWS {
        for score in [0.5, 0.65] {
            let widths = [100, 140, 200, 400, 700, 1000, 1400, 2000].map(|games| {
                let (mut paired, mut single) = (0.0, 0.0);
                for run in 0..runs.min(200) {
                    let mut random =
                        ChaCha8Rng::seed_from_u64(seed.wrapping_mul(7_368_787).wrapping_add(run));
                    let (mut met, mut alone) = (Encounter::default(), Wdl::default());
                    (0..games / 2).for_each(|_| met.pairs.add(pair(&mut random, score, draws)));
                    (0..games).for_each(|_| add_game(&mut alone, drawn(&mut random, score, draws)));
                    let ratio = |met: Encounter| {
                        let ScoreBars { any_time, fixed } = met.bars().expect("there are results");
                        any_time.half_width() / fixed.half_width()
                    };
                    paired += ratio(met);
                    single += ratio(Encounter::of_games(alone));
                }
                let of = runs.min(200) as f64;
                format!("{games}: {:.2} {:.2}", paired / of, single / of)
            });
            println!("draws {:>2.0} %, score {score}: pairs and games {}", 100.0 * draws, widths.join(", "));
        }
    }
    // A table of 20 engines after each of 10,000 games: a bar for each engine, and for each pair.
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut fields = vec![Encounter::default(); 20];
    let mut between = vec![Encounter::default(); 400];
    let (mut updates, mut bars, mut sum) = (0.0, 0.0, 0.0);
    for at in 0..5000_usize {
        let start = Instant::now();
        let (one, other) = (at % 20, (at % 20 + 1 + at / 20 % 19) % 20);
        let halves = pair(&mut random, 0.5, 0.3);
        fields[one].pairs.add(halves);
        fields[other].pairs.add(4 - halves);
        between[20 * one.min(other) + one.max(other)].pairs.add(halves);
        updates += start.elapsed().as_secs_f64();
        if at % 100 == 99 {
            let start = Instant::now();
            let wide = |met: &Encounter| met.bars().map_or(0.0, |bars| bars.any_time.half_width());
            sum += fields.iter().chain(&between).map(wide).sum::<f64>();
            bars += start.elapsed().as_secs_f64();
        }
    }
    println!(
        "10,000 games of 20 engines: {:.3} ms for all games, {:.2} ms for the 20 and 190 bars of a table (sum {sum:.1})",
        1000.0 * updates,
        1000.0 * bars / 50.0
    );
}
