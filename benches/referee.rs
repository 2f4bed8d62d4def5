//! The cost of a ply for the referee. `cargo bench --bench referee` plays the longest games of each
//! kind, text in and text out like an engine, and prints a line for each. Nothing is asserted; the
//! limit is 5000 ns per ply.

#[path = "harness/figures.rs"]
mod figures;

use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use agon_games::lexicon::Lexicon;
use agon_games::{Needs, Rules, Status, find};

/// How long each game is repeated.
const TIME: Duration = Duration::from_millis(500);

/// A game with moves in engines' notation, on a seeded board.
struct Played {
    seed: u64,
    moves: Vec<String>,
    ending: String,
}

fn main() {
    let list = std::fs::read("fixtures/words.txt").expect("the word list lies in fixtures");
    let lexicon = Arc::new(Lexicon::parse(&list).expect("the word list is good"));
    let rules = |spec| find(spec, &Needs { lexicon: Some(lexicon.clone()) }).expect("there is such a game");
    println!("{:<16} {:>6} {:>10} {:>12}  how it ends", "game", "plies", "ns a ply", "longest ns");
    let mut kept = BTreeMap::new();
    for (spec, game) in [
        ("mnk:15x15,5", full_board as fn(&dyn Rules) -> Played),
        ("mill", full_cube),
        ("connect4", |rules| longest(rules, 300, |_| true)),
        ("abalone", |rules| longest(rules, 4, |_| true)),
        ("morris", |rules| longest(rules, 3000, |ending| ending.contains("third time"))),
        ("morris:nine", |rules| longest(rules, 2000, |ending| ending.contains("third time"))),
        ("letters:6x6x3", |rules| longest(rules, 50, |_| true)),
        ("letters:10x20x30", |rules| longest(rules, 1, |_| true)),
    ] {
        let rules = rules(spec);
        let played = game(rules.as_ref());
        let (mean, worst) = cost(rules.as_ref(), &played);
        println!("{spec:<16} {:>6} {mean:>10.0} {worst:>12}  {}", played.moves.len(), played.ending);
        kept.insert(format!("referee, {spec}, ns a ply"), mean);
    }
    figures::keep(kept);
}

/// Nanoseconds of `play` and `status` per ply: the mean of all, and the mean of the most expensive
/// ply.
fn cost(rules: &dyn Rules, played: &Played) -> (f64, u128) {
    let (mut total, mut turns) = (Duration::ZERO, 0_u32);
    let mut each = vec![Duration::ZERO; played.moves.len()];
    let begin = Instant::now();
    while turns < 2 || begin.elapsed() < TIME {
        // One run without, and one with a reading of the clock at each ply.
        let mut game = rules.start(played.seed);
        let start = Instant::now();
        for line in &played.moves {
            game.play(line.as_bytes()).expect("the move was legal");
            black_box(game.status());
        }
        total += start.elapsed();
        let mut game = rules.start(played.seed);
        for (line, spent) in played.moves.iter().zip(&mut each) {
            let start = Instant::now();
            game.play(line.as_bytes()).expect("the move was legal");
            black_box(game.status());
            *spent += start.elapsed();
        }
        turns += 1;
    }
    let worst = each.iter().max().map_or(0, |worst| worst.as_nanos() / u128::from(turns));
    (total.as_nanos() as f64 / f64::from(turns) / played.moves.len() as f64, worst)
}

/// The longest of `games` random games with such an ending, without passes.
fn longest(rules: &dyn Rules, games: u64, wanted: impl Fn(&str) -> bool) -> Played {
    let mut best: Option<Played> = None;
    for seed in 0..games {
        let mut game = rules.start(seed);
        let (mut moves, mut random) = (Vec::new(), seed);
        let ending = loop {
            if let Status::Over(outcome) = game.status() {
                break outcome.why;
            }
            let mut list = game.moves();
            list.retain(|mv| !mv.ends_with(",P"));
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let mv = list.swap_remove((random >> 33) as usize % list.len());
            game.play(mv.as_bytes()).expect("a listed move is legal");
            moves.push(mv);
        };
        let longer = best.as_ref().is_none_or(|best| moves.len() > best.moves.len());
        if wanted(&ending) && longer {
            best = Some(Played { seed, moves, ending });
        }
    }
    best.expect("one of so many games ends that way")
}

/// Every cell of 15x15 is filled, and neither side has five: pairs of marks, shifted by one from
/// row to row.
fn full_board(rules: &dyn Rules) -> Played {
    let cells = || (0..15_u8).flat_map(|row| (0..15_u8).map(move |column| (column, row)));
    let of = |mark| {
        cells()
            .filter(move |(column, row)| (column / 2 + row) % 2 == mark)
            .map(|(column, row)| format!("{}{}", char::from(b'a' + column), row + 1))
    };
    let mut second = of(1);
    let mut moves = Vec::new();
    for cell in of(0) {
        moves.push(format!("X,{cell}"));
        moves.extend(second.next().map(|cell| format!("O,{cell}")));
    }
    finished(rules, moves)
}

/// 64 balls and no line, from a cube known to have none.
fn full_cube(rules: &dyn Rules) -> Played {
    let planes = ["1112122121111112", "2212212212121121", "2121112112212212", "2121221222111222"];
    let balls: Vec<&[u8]> = planes.iter().map(|plane| plane.as_bytes()).collect();
    let mut heights = [0; 16];
    let mut order = Vec::new();
    assert!(fill(&balls, &mut heights, &mut order), "the balls can be dropped in turn");
    let moves = (0..).zip(order).map(|(ply, column): (usize, usize)| {
        format!("{},{}{}", ["W", "B"][ply % 2], column % 4 + 1, column / 4 + 1)
    });
    finished(rules, moves.collect())
}

/// Finds an order in which the sides can drop these balls in turn.
fn fill(balls: &[&[u8]], heights: &mut [usize; 16], order: &mut Vec<usize>) -> bool {
    if order.len() == 64 {
        return true;
    }
    let mover = [b'1', b'2'][order.len() % 2];
    // The lowest columns first: balls at the bottom are the hardest to reach.
    let mut columns: Vec<usize> = (0..16).filter(|&column| heights[column] < 4).collect();
    columns.sort_by_key(|&column| heights[column]);
    for column in columns {
        if balls[heights[column]][column] == mover {
            heights[column] += 1;
            order.push(column);
            if fill(balls, heights, order) {
                return true;
            }
            order.pop();
            heights[column] -= 1;
        }
    }
    false
}

fn finished(rules: &dyn Rules, moves: Vec<String>) -> Played {
    let mut game = rules.start(0);
    for mv in &moves {
        game.play(mv.as_bytes()).unwrap_or_else(|refusal| panic!("{mv}: {refusal}"));
    }
    let Status::Over(outcome) = game.status() else { panic!("the game is over: {}", game.text()) };
    Played { seed: 0, moves, ending: outcome.why }
}
