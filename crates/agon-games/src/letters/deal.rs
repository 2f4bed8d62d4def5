//! New boards, drawn letter by letter from a seed.

use std::fmt;
use std::str::FromStr;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::board::{Dimensions, LetterBoard};

/// The frequencies of letters on a new board.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Frequencies {
    /// As among the 98 lettered tiles of English Scrabble, so that there are words.
    #[default]
    Scrabble,
    /// Equal, so that there are few words.
    Uniform,
}

/// One letter for each lettered tile of English Scrabble.
const SCRABBLE: &[u8; 98] =
    b"aaaaaaaaabbccddddeeeeeeeeeeeeffggghhiiiiiiiiijkllllmmnnnnnnooooooooppqrrrrrrssssttttttuuuuvvwwxyyz";
const ALPHABET: &[u8; 26] = b"abcdefghijklmnopqrstuvwxyz";

impl Frequencies {
    /// The name in options: `scrabble`, `uniform`.
    pub fn name(self) -> &'static str {
        match self {
            Frequencies::Scrabble => "scrabble",
            Frequencies::Uniform => "uniform",
        }
    }

    fn bag(self) -> &'static [u8] {
        match self {
            Frequencies::Scrabble => SCRABBLE,
            Frequencies::Uniform => ALPHABET,
        }
    }
}

impl fmt::Display for Frequencies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Reads `scrabble` and `uniform`.
impl FromStr for Frequencies {
    type Err = UnknownFrequencies;

    fn from_str(text: &str) -> Result<Self, UnknownFrequencies> {
        [Frequencies::Scrabble, Frequencies::Uniform]
            .into_iter()
            .find(|known| known.name() == text)
            .ok_or_else(|| UnknownFrequencies(agon_printable::escape(text.as_bytes(), 40)))
    }
}

/// Unknown letter frequencies.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("\"{0}\" is not a kind of letter frequencies; write scrabble or uniform")]
pub struct UnknownFrequencies(String);

/// Draws a full board, row by row and plane by plane. The same arguments always give the same
/// board.
pub fn deal(dimensions: Dimensions, frequencies: Frequencies, seed: u64) -> LetterBoard {
    let bag = frequencies.bag();
    let sides = u32::try_from(bag.len()).expect("a bag holds a hundred letters");
    // Numbers above the last whole multiple are drawn again, so that all letters are equally
    // likely.
    let limit = u32::MAX - u32::MAX % sides;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    LetterBoard::from_fn(dimensions, || {
        loop {
            let draw = rng.next_u32();
            if draw < limit {
                return bag[(draw % sides) as usize];
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bag_holds_the_tiles_of_scrabble() {
        let counts = ALPHABET.map(|letter| SCRABBLE.iter().filter(|&&tile| tile == letter).count());
        assert_eq!(counts, [9, 2, 2, 4, 12, 2, 3, 2, 9, 1, 1, 4, 2, 6, 8, 2, 1, 6, 4, 6, 4, 2, 2, 1, 2, 1]);
    }

    #[test]
    fn every_letter_comes_as_often_as_the_bag_says() {
        let dimensions = Dimensions::new(64, 64, 64).unwrap();
        for frequencies in [Frequencies::Scrabble, Frequencies::Uniform] {
            let board = deal(dimensions, frequencies, 7);
            let bag = frequencies.bag();
            for letter in *ALPHABET {
                let drawn = (0..dimensions.stacks())
                    .flat_map(|stack| board.stack(stack))
                    .filter(|&&cell| cell == letter)
                    .count();
                let tiles = bag.iter().filter(|&&tile| tile == letter).count();
                let expected = dimensions.cells() * tiles / bag.len();
                assert!(drawn.abs_diff(expected) < 500, "{letter}: {drawn} for {expected}");
            }
        }
    }
}
