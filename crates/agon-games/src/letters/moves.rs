//! A move of the letter cube: its parts, its text, and the errors that need no position.

use std::fmt;

use agon_printable::escape;

use super::board::Dimensions;
use crate::Refusal;
use crate::lexicon::Lexicon;

/// A move: a pass, or a word taken off the cube.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LetterMove {
    /// A pass, written `P`.
    Pass,
    /// Takes the letters on this line for this word.
    Take(Line, Word),
}

/// `P`, or the ends of the line in ascending order, and the word: `1,1,1,1,5,1,apple`.
impl fmt::Display for LetterMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LetterMove::Pass => f.write_str("P"),
            LetterMove::Take(line, word) => {
                let ([x1, y1, z1], [x2, y2, z2]) = (line.at(0), line.at(line.cells() - 1));
                write!(f, "{x1},{y1},{z1},{x2},{y2},{z2},{word}")
            }
        }
    }
}

/// The direction of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Axis {
    /// Along a row of plane 1: y changes.
    Row,
    /// Along a column of plane 1: x changes.
    Column,
    /// From plane 1 down: z changes.
    Burrow,
}

/// Cells in a straight line that begins on plane 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line {
    /// Its direction.
    pub axis: Axis,
    /// Its first row and column, from 0.
    start: (u8, u8),
    cells: u8,
}

impl Line {
    /// The line of this many cells that begins at this row and column of plane 1, from 0.
    pub(super) fn new(axis: Axis, x: usize, y: usize, cells: usize) -> Self {
        let small = |value: usize| u8::try_from(value).expect("no side is longer than 64 cells");
        Line { axis, start: (small(x), small(y)), cells: small(cells) }
    }

    /// The number of its cells.
    pub fn cells(self) -> usize {
        usize::from(self.cells)
    }

    /// The coordinates x, y, z of one of its cells, from 1; the cells are counted from 0.
    pub fn at(self, cell: usize) -> [usize; 3] {
        let (x, y) = (usize::from(self.start.0) + 1, usize::from(self.start.1) + 1);
        match self.axis {
            Axis::Row => [x, y + cell, 1],
            Axis::Column => [x + cell, y, 1],
            Axis::Burrow => [x, y, 1 + cell],
        }
    }

    /// The line between two ends, which may be in either order on plane 1.
    fn between(ends: &[Coordinate; 6], dimensions: Dimensions) -> Result<Self, Refusal> {
        let sides = [dimensions.rows(), dimensions.columns(), dimensions.planes()];
        let mut inside = [0; 6];
        for (i, coordinate) in ends.iter().enumerate() {
            inside[i] = coordinate.within(i, sides[i % 3])?;
        }
        let [x1, y1, z1, x2, y2, z2] = inside;
        let axis = match (x1 != x2, y1 != y2, z1 != z2) {
            (false, false, false) => {
                return Err(Refusal::illegal("the line is one cell, and a word has three letters or more"));
            }
            (false, true, false) => Axis::Row,
            (true, false, false) => Axis::Column,
            (false, false, true) => Axis::Burrow,
            _ => {
                return Err(Refusal::illegal(format!(
                    "{x1},{y1},{z1} and {x2},{y2},{z2} are not in a straight line along a row, a column or downwards"
                )));
            }
        };
        if axis == Axis::Burrow && z1 > z2 {
            return Err(Refusal::illegal("a burrow is written downwards, from plane 1"));
        }
        if axis == Axis::Burrow && z1 > 1 {
            return Err(Refusal::illegal(format!(
                "the burrow begins on plane {z1}; a word begins on plane 1"
            )));
        }
        if z1 > 1 {
            return Err(Refusal::illegal(format!("the line lies on plane {z1}; a word begins on plane 1")));
        }
        let cells = x1.abs_diff(x2) + y1.abs_diff(y2) + z1.abs_diff(z2) + 1;
        if cells < 3 {
            return Err(Refusal::illegal("the line is two cells, and a word has three letters or more"));
        }
        Ok(Line::new(axis, x1.min(x2) - 1, y1.min(y2) - 1, cells))
    }
}

/// Three or more letters `a` to `z`, as many as a line has cells.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Word {
    letters: [u8; Lexicon::MAX_WORD],
    length: u8,
}

impl Word {
    /// A word of at most 64 lower-case letters.
    pub(super) fn new(word: &[u8]) -> Self {
        let mut letters = [0; Lexicon::MAX_WORD];
        letters[..word.len()].copy_from_slice(word);
        Word { letters, length: u8::try_from(word.len()).expect("no word is longer than 64 letters") }
    }

    /// Its letters.
    pub fn letters(&self) -> &[u8] {
        &self.letters[..usize::from(self.length)]
    }

    /// The sum of its letters' values.
    pub fn points(&self) -> i32 {
        self.letters().iter().map(|&letter| value(letter)).sum()
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(std::str::from_utf8(self.letters()).expect("letters a to z are UTF-8"))
    }
}

impl fmt::Debug for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// The value of a letter `a` to `z`.
pub fn value(letter: u8) -> i32 {
    const VALUES: [i32; 26] =
        [1, 3, 3, 2, 1, 4, 2, 4, 1, 8, 5, 1, 3, 1, 1, 3, 10, 1, 1, 1, 1, 4, 4, 8, 4, 10];
    VALUES[usize::from(letter - b'a')]
}

/// A move as text, before it is compared with a board.
pub(super) enum Written<'a> {
    Pass,
    Take([Coordinate<'a>; 6], String),
}

/// A coordinate as text: digits without a leading zero, or a single 0.
#[derive(Clone, Copy)]
pub(super) struct Coordinate<'a>(&'a str);

const NAMES: [&str; 6] = ["x1", "y1", "z1", "x2", "y2", "z2"];
const SIDES: [[&str; 2]; 3] = [["row", "rows"], ["column", "columns"], ["plane", "planes"]];

impl<'a> Written<'a> {
    /// Reads `P` or `x1,y1,z1,x2,y2,z2,word`; case is ignored.
    pub(super) fn read(text: &'a str) -> Result<Self, Refusal> {
        if text.eq_ignore_ascii_case("p") {
            return Ok(Written::Pass);
        }
        let mut fields = [""; 7];
        let mut found = 0;
        for field in text.split(',') {
            if let Some(place) = fields.get_mut(found) {
                *place = field;
            }
            found += 1;
        }
        if found != 7 {
            return Err(Refusal::unreadable(format!(
                "a move is P or x1,y1,z1,x2,y2,z2,word, which is 7 fields after the side; this has {found}"
            )));
        }
        let mut ends = [Coordinate(""); 6];
        for i in 0..6 {
            ends[i] = Coordinate::read(fields[i], NAMES[i])?;
        }
        Ok(Written::Take(ends, read_word(fields[6])?))
    }
}

impl<'a> Coordinate<'a> {
    fn read(text: &'a str, name: &str) -> Result<Self, Refusal> {
        if text.is_empty() {
            return Err(Refusal::unreadable(format!("{name} is empty")));
        }
        if !text.bytes().all(|byte| byte.is_ascii_digit()) {
            let shown = escape(text.as_bytes(), 40);
            return Err(Refusal::unreadable(format!(
                "{name} is \"{shown}\", which is not a number of digits alone"
            )));
        }
        if text.len() > 1 && text.starts_with('0') {
            let shown = escape(text.as_bytes(), 40);
            return Err(Refusal::unreadable(format!("{name} is {shown}; write it without the leading zero")));
        }
        Ok(Coordinate(text))
    }

    /// Its value, if it is on the board. It is coordinate `i` of a move, and the board has `side`
    /// of that kind.
    fn within(self, i: usize, side: usize) -> Result<usize, Refusal> {
        match self.0.parse() {
            Ok(0) => {
                Err(Refusal::illegal(format!("{} is 0, and {} count from 1", NAMES[i], SIDES[i % 3][1])))
            }
            Ok(value) if value <= side => Ok(value),
            _ => {
                let shown = escape(self.0.as_bytes(), 20);
                let are = if side == 1 { "is" } else { "are" };
                let of = SIDES[i % 3][usize::from(side != 1)];
                Err(Refusal::illegal(format!("{} is {shown}, and there {are} {side} {of}", NAMES[i])))
            }
        }
    }
}

fn read_word(text: &str) -> Result<String, Refusal> {
    if text.is_empty() {
        return Err(Refusal::unreadable("the word is empty"));
    }
    match text.chars().zip(1..).find(|(letter, _)| !letter.is_ascii_alphabetic()) {
        None => Ok(text.to_ascii_lowercase()),
        Some((other, at)) => {
            let shown = escape(other.to_string().as_bytes(), 20);
            Err(Refusal::unreadable(format!(
                "character {at} of the word is '{shown}'; a word is letters a to z"
            )))
        }
    }
}

/// The line and the word, if they fit each other and a board of this size.
pub(super) fn fit(
    ends: &[Coordinate<'_>; 6],
    word: &str,
    dimensions: Dimensions,
) -> Result<(Line, Word), Refusal> {
    let line = Line::between(ends, dimensions)?;
    if line.cells() != word.len() {
        return Err(Refusal::illegal(format!(
            "the line is {}, and \"{}\" has {}",
            counted(line.cells(), "cell"),
            escape(word.as_bytes(), 80),
            counted(word.len(), "letter")
        )));
    }
    Ok((line, Word::new(word.as_bytes())))
}

/// `one cell`, `four cells`, `13 cells`.
fn counted(number: usize, of: &str) -> String {
    const WORDS: [&str; 13] = [
        "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve",
    ];
    let plural = if number == 1 { "" } else { "s" };
    match WORDS.get(number) {
        Some(word) => format!("{word} {of}{plural}"),
        None => format!("{number} {of}{plural}"),
    }
}
