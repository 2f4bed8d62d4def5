//! The 3-D letter cube: words are taken off a cube of letters, and the letters below move up.
//!
//! [`LetterBoard`] is a board file, [`deal()`] draws a new one, [`LetterMove`] is a move, [`Cube`]
//! is a position. This file joins them to the rules of a game.

mod board;
mod cube;
mod deal;
mod moves;

use std::sync::Arc;

pub use board::{BoardError, BoardFault, Dimensions, DimensionsError, LetterBoard};
pub use cube::{Cube, LetterUndo};
pub use deal::{Frequencies, UnknownFrequencies, deal};
pub use moves::{Axis, LetterMove, Line, Word, value};

use crate::lexicon::Lexicon;
use crate::result::{Finish, Lost};
use crate::{About, GameCard};
use crate::{Game, GameFile, Refereed, Refusal, Rules, Seat};

const SEATS: &[&str] = &["W", "B"];

/// The description for people.
pub(super) const ABOUT: About = About {
    card: GameCard {
        name: "Letter cube",
        aim: "Take words off a cube of letters; rare letters make more points, and the higher total wins.",
    },
    title: "The 3-D letter cube: words are taken off a cube of letters",
    rules: "\
W begins. In turn each takes a word: a straight line of three cells or more along a row or a column of plane 1 \
(the top one), or from plane 1 straight down, none of them blank, whose letters in any order make the word; the \
word is in the dictionary. Its letters are removed and every column closes upwards. Or one passes. The game ends \
after two passes in a row, or when no line makes a word, and the higher total wins; equal totals tie. A board is \
drawn from a seed, its letters as often as among the tiles of English Scrabble (or uniform), or read from a \
file.",
    moves: "\
The two ends, x1,y1,z1,x2,y2,z2 (row, column, plane, all from 1), and the word: W,1,1,1,1,5,1,apple. The ends of \
a row or column word may come in either order; a word that goes down is written downwards. P passes: W,P.",
    position: "\
The dimensions, the rows of all planes joined by / with _ for a blank, the side to move w or b, the totals of \
white and black, and the passes just played in a row.",
    score: "\
The sum of the letters' values a1 b3 c3 d2 e1 f4 g2 h4 i1 j8 k5 l1 m3 n1 o1 p3 q10 r1 s1 t1 u1 v4 w4 x8 y4 z10. A \
result is the two totals, 73-72; if a side lost before the game was over each is marked W (won), L (lost), R \
(resigned) or * (out of time): 40(W)-61(*).",
    result,
};

/// The totals; with marks if something else decided.
fn result(finish: &Finish<'_>) -> String {
    let half = |seat: Seat| {
        let total = finish.scores[seat];
        match finish.lost {
            None => total.to_string(),
            Some((loser, lost)) => {
                let mark = match lost {
                    _ if loser != seat => 'W',
                    Lost::Resigned => 'R',
                    Lost::OutOfTime => '*',
                    Lost::Fault => 'L',
                };
                format!("{total}({mark})")
            }
        }
    };
    finish.scores.seats().map(half).collect::<Vec<_>>().join("-")
}

/// The rules of the letter cube, with its size, the words, and the source of boards.
#[derive(Clone, Debug)]
pub struct Letters {
    dimensions: Dimensions,
    lexicon: Arc<Lexicon>,
    boards: Boards,
}

#[derive(Clone, Debug)]
enum Boards {
    Dealt(Frequencies),
    Given(Arc<LetterBoard>),
}

/// Why the options are wrong.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OptionsError {
    /// The size of the cube is wrong.
    #[error("{0}")]
    Dimensions(#[from] DimensionsError),
    /// The letter frequencies are unknown.
    #[error("{0}")]
    Frequencies(#[from] UnknownFrequencies),
}

impl Letters {
    /// The game on boards drawn from a seed.
    pub fn new(dimensions: Dimensions, frequencies: Frequencies, lexicon: Arc<Lexicon>) -> Self {
        Letters { dimensions, lexicon, boards: Boards::Dealt(frequencies) }
    }

    /// The game with options in the form of `--game`, after the colon: `6x6x3`, `6x6x3,uniform` or
    /// `uniform`. Without a size, the cube is 6x6x3; without frequencies, letters are as frequent
    /// as in Scrabble.
    ///
    /// # Errors
    /// [`OptionsError`], which says what to write.
    pub fn with_options(options: &str, lexicon: Arc<Lexicon>) -> Result<Self, OptionsError> {
        let (size, frequencies) = match options.split_once(',') {
            Some(both) => both,
            // A size has a digit in it, so a word alone is not a size.
            None if options.starts_with(|c: char| c.is_ascii_alphabetic()) => ("", options),
            None => (options, ""),
        };
        let dimensions = if size.is_empty() { Dimensions::new(6, 6, 3)? } else { size.parse()? };
        let frequencies =
            if frequencies.is_empty() { Frequencies::default() } else { frequencies.parse()? };
        Ok(Self::new(dimensions, frequencies, lexicon))
    }

    /// The game on one given board, for every seed.
    ///
    /// # Errors
    /// [`BoardError`], with the line of the file and what to do.
    pub fn from_board(file: &[u8], lexicon: Arc<Lexicon>) -> Result<Self, BoardError> {
        let board = LetterBoard::parse(file)?;
        Ok(Letters { dimensions: board.dimensions(), lexicon, boards: Boards::Given(Arc::new(board)) })
    }

    /// The start position of this seed, for programs that search.
    pub fn position(&self, seed: u64) -> Cube {
        let board = match &self.boards {
            Boards::Dealt(frequencies) => Arc::new(deal(self.dimensions, *frequencies, seed)),
            Boards::Given(board) => board.clone(),
        };
        Cube::new(board, self.lexicon.clone())
    }

    /// A position from its one-line text, for programs that search. The cube in the text must have
    /// the size of this game.
    ///
    /// # Errors
    /// [`Refusal::Unreadable`], with the place in the text and what is wrong there.
    pub fn position_from(&self, text: &str) -> Result<Cube, Refusal> {
        let cube = Cube::parse_text(text, self.lexicon.clone())?;
        if cube.dimensions() != self.dimensions {
            return Err(Refusal::unreadable(format!(
                "field 1, dimensions: the position is {}, and the game is {}",
                cube.dimensions(),
                self.dimensions
            )));
        }
        Ok(cube)
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

    fn supplies(&self) -> Vec<GameFile> {
        vec![
            GameFile { name: "dictionary", bytes: self.lexicon.text() },
            GameFile { name: "dictionary.sorted", bytes: self.lexicon.by_letters() },
        ]
    }

    /// The board shows neither whose turn it is nor how many moves were made; a pass changes
    /// nothing on it.
    fn turn_sign(&self) -> Option<&'static str> {
        Some("P")
    }

    fn start(&self, seed: u64) -> Box<dyn Game> {
        Box::new(Refereed::new(self.position(seed), SEATS))
    }

    /// The cube in the text must have the size of this game.
    fn resume(&self, text: &str) -> Result<Box<dyn Game>, Refusal> {
        Ok(Box::new(Refereed::new(self.position_from(text)?, SEATS)))
    }
}
