//! The 3-D letter cube: words are taken off a cube of letters, and the columns close upwards.
//!
//! Each step has a file: [`Board`] is what a file shows, [`deal`] draws a new one, [`Move`] is what may be
//! played, [`Cube`] is a position. This one ties them to the rules of a game.

mod board;
mod cube;
mod deal;
mod moves;

use std::sync::Arc;

pub use board::{Board, BoardError, BoardFault, Dimensions, DimensionsError};
pub use cube::{Cube, Undo};
pub use deal::{Frequencies, UnknownFrequencies, deal};
pub use moves::{Axis, Line, Move, Word, value};

use crate::game::{Game, Refereed, Refusal, Rules, Supply};
use crate::games::lexicon::Lexicon;

const SEATS: &[&str] = &["W", "B"];

/// The rules of the letter cube, with the size of the cube, the words, and where boards come from.
#[derive(Clone, Debug)]
pub struct Letters {
    dimensions: Dimensions,
    lexicon: Arc<Lexicon>,
    boards: Boards,
}

#[derive(Clone, Debug)]
enum Boards {
    Dealt(Frequencies),
    Given(Arc<Board>),
}

/// Why options are none of this game.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OptionsError {
    /// The size of the cube is wrong.
    #[error("{0}")]
    Dimensions(#[from] DimensionsError),
    /// The letter frequencies are.
    #[error("{0}")]
    Frequencies(#[from] UnknownFrequencies),
}

impl Letters {
    /// The game on boards that are dealt from a seed.
    pub fn new(dimensions: Dimensions, frequencies: Frequencies, lexicon: Arc<Lexicon>) -> Self {
        Letters { dimensions, lexicon, boards: Boards::Dealt(frequencies) }
    }

    /// The game with options as `--game` takes them after the colon: `6x6x3`, `6x6x3,uniform` or `uniform`.
    /// Without a size, the cube is 6x6x3; without frequencies, letters come as often as in Scrabble.
    ///
    /// # Errors
    /// [`OptionsError`], which says what may be written.
    pub fn with_options(options: &str, lexicon: Arc<Lexicon>) -> Result<Self, OptionsError> {
        let (size, frequencies) = match options.split_once(',') {
            Some(both) => both,
            // A word alone is no size: a size has a digit in it.
            None if options.starts_with(|c: char| c.is_ascii_alphabetic()) => ("", options),
            None => (options, ""),
        };
        let dimensions = if size.is_empty() { Dimensions::new(6, 6, 3)? } else { size.parse()? };
        let frequencies =
            if frequencies.is_empty() { Frequencies::default() } else { frequencies.parse()? };
        Ok(Self::new(dimensions, frequencies, lexicon))
    }

    /// The game on one given board, whatever the seed.
    ///
    /// # Errors
    /// [`BoardError`], which names the line of the file and what to do.
    pub fn from_board(file: &[u8], lexicon: Arc<Lexicon>) -> Result<Self, BoardError> {
        let board = Board::parse(file)?;
        Ok(Letters { dimensions: board.dimensions(), lexicon, boards: Boards::Given(Arc::new(board)) })
    }

    /// The start position of this seed, for programs that think.
    pub fn position(&self, seed: u64) -> Cube {
        let board = match &self.boards {
            Boards::Dealt(frequencies) => Arc::new(deal(self.dimensions, *frequencies, seed)),
            Boards::Given(board) => board.clone(),
        };
        Cube::new(board, self.lexicon.clone())
    }
}

impl Rules for Letters {
    fn spec(&self) -> String {
        match self.boards {
            Boards::Dealt(Frequencies::Uniform) => format!("letters:{},uniform", self.dimensions),
            Boards::Dealt(Frequencies::Scrabble) | Boards::Given(_) => format!("letters:{}", self.dimensions),
        }
    }

    fn seats(&self) -> &'static [&'static str] {
        SEATS
    }

    fn settings(&self) -> Vec<(&'static str, String)> {
        vec![
            ("rows", self.dimensions.rows().to_string()),
            ("columns", self.dimensions.columns().to_string()),
            ("planes", self.dimensions.planes().to_string()),
        ]
    }

    fn supplies(&self) -> Vec<Supply> {
        vec![
            Supply { name: "dictionary", bytes: self.lexicon.text() },
            Supply { name: "dictionary.sorted", bytes: self.lexicon.by_letters() },
        ]
    }

    fn start(&self, seed: u64) -> Box<dyn Game> {
        Box::new(Refereed::new(self.position(seed), SEATS))
    }

    /// The text's cube must be as large as this game's.
    fn resume(&self, text: &str) -> Result<Box<dyn Game>, Refusal> {
        let cube = Cube::parse_text(text, self.lexicon.clone())?;
        if cube.dimensions() != self.dimensions {
            return Err(Refusal::unreadable(format!(
                "field 1, dimensions: the position is {}, and the game is {}",
                cube.dimensions(),
                self.dimensions
            )));
        }
        Ok(Box::new(Refereed::new(cube, SEATS)))
    }
}
