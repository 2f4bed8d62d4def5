//! Greedy: plays the word with the most points, the first one if there are several.

#[path = "../cube.rs"]
mod cube;

use std::time::Instant;

use cube::{Cube, Lexicon, Line};

fn main() -> std::io::Result<()> {
    cube::play(choose)
}

fn choose<'a>(cube: &Cube, lexicon: &Lexicon<'a>, _: Instant) -> Option<(Line, &'a str)> {
    // `max_by_key` returns the last of equals; in reverse order, that is the first.
    let best = cube.words(lexicon).into_iter().rev().max_by_key(|found| found.points)?;
    Some((best.line, best.word()))
}
