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

/// A hash of these bytes: FNV-1a, with its bits mixed at the end, because its low bits are poor.
fn draw(bytes: &[u8]) -> usize {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in bytes {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    (hash ^ (hash >> 33)) as usize >> 1
}
