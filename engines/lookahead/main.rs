//! Lookahead: plays the word with the best difference after the opponent's best reply.

#[path = "../cube.rs"]
mod cube;

use std::cmp::Reverse;
use std::time::Instant;

use cube::{Cube, Lexicon, Line};

fn main() -> std::io::Result<()> {
    cube::play(choose)
}

fn choose<'a>(cube: &Cube, lexicon: &Lexicon<'a>, until: Instant) -> Option<(Line, &'a str)> {
    let mut words = cube.words(lexicon);
    words.sort_by_key(|found| Reverse(found.points)); // stable: equals stay in the order of the board
    let mut best = words.first()?;
    let mut most = i64::MIN;
    for found in &words {
        // A reply has at least 0 points, so a word gains at most its own points, and so do all
        // later ones.
        if i64::from(found.points) <= most || Instant::now() >= until {
            break;
        }
        let gain = i64::from(found.points) - i64::from(best_reply(cube, lexicon, found.line));
        if gain > most {
            (best, most) = (found, gain);
        }
    }
    Some((best.line, best.word()))
}

/// The points of the best word after this line has been taken; 0 if there is none.
fn best_reply(cube: &Cube, lexicon: &Lexicon, line: Line) -> u32 {
    let mut after = cube.clone();
    after.take(line);
    after.words(lexicon).iter().map(|found| found.points).max().unwrap_or(0)
}
