//! Random: plays any word. The position is the seed, so that the same game always gives the same
//! moves.

#[path = "../cube.rs"]
mod cube;

use std::time::Instant;

use cube::{Cube, Lexicon, Line};

fn main() -> std::io::Result<()> {
    cube::play(choose)
}

fn choose<'a>(cube: &Cube, lexicon: &Lexicon<'a>, _: Instant) -> Option<(Line, &'a str)> {
    let found = cube.words(lexicon);
    let drawn = draw(cube.cells());
    let line = found.get(drawn % found.len().max(1))?;
    let words: Vec<&str> = line.words.split(' ').collect();
    Some((line.line, words[drawn / found.len() % words.len()]))
}

/// A number from these bytes.
fn draw(bytes: &[u8]) -> usize {
    cube::hash(bytes) as usize >> 1
}
