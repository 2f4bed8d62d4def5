//! Counts all move sequences of `fixtures/perft.txt`, also those too long for a test. `cargo bench
//! --bench perft` prints a line for each of more than a million and fails on the first wrong one.

use std::sync::Arc;
use std::time::Instant;

use agon_games::lexicon::Lexicon;
use agon_games::{Needs, find};

fn main() {
    let list = std::fs::read("fixtures/words.txt").expect("the word list lies in fixtures");
    let lexicon = Arc::new(Lexicon::parse(&list).expect("the word list is good"));
    let table = std::fs::read_to_string("fixtures/perft.txt").expect("the table lies in fixtures");
    println!("{:<20} {:>5} {:>12} {:>9} {:>14}  from", "game", "depth", "number", "seconds", "million a s");
    for line in table.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let cells: Vec<&str> = line.split(';').map(str::trim).collect();
        let &[spec, position, depth, number, source] = cells.as_slice() else { panic!("no line: {line}") };
        let rules = find(spec, &Needs { lexicon: Some(lexicon.clone()) }).expect("there is such a game");
        let mut game = rules.resume(position).expect("it is a position");
        let start = Instant::now();
        let found = game.perft(depth.parse().expect("a depth is a number"));
        let seconds = start.elapsed().as_secs_f64();
        assert_eq!(found.to_string(), number, "{line}");
        if found > 1_000_000 {
            let rate = found as f64 / seconds / 1e6;
            println!("{spec:<20} {depth:>5} {number:>12} {seconds:>9.3} {rate:>14.1}  {source}");
        }
    }
}
