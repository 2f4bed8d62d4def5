//! A position of the letter cube.
//!
//! Letters are taken only from the tops of columns. A word along a row or a column takes one from
//! each of its columns, a burrow takes several from one. So a position is an unchanged board,
//! shared by all positions of a game, and the number of letters taken from each column. A move adds
//! to these numbers, and undo subtracts.

use std::fmt::Write;
use std::sync::Arc;

use agon_printable::escape;

use super::SEATS;
use super::board::LetterBoard;
use super::moves::{Axis, LetterMove, Line, Word, Written, fit};
use crate::lexicon::{Lexicon, Weight};
use crate::{Ending, PerSeat, Position, Refusal, Seat, Status};
use agon_diagram::{Diagram, Frame, SlotContent, SlotShape, planes};

/// The width of a drawing, in characters.
const DRAWING: usize = 78;

/// The gap between two planes in it.
const GAP: usize = 4;

/// A position of the letter cube: the rest of the board, the side to move, the totals and the
/// passes.
#[derive(Clone, Debug)]
pub struct Cube {
    lexicon: Arc<Lexicon>,
    board: Arc<LetterBoard>,
    /// How many letters were taken from each column, row by row.
    taken: Vec<u8>,
    to_move: Seat,
    totals: PerSeat<i32>,
    /// The number of passes in a row; two end the game.
    passes: u8,
    /// A line that makes a word, if there is one. It is kept while it is valid, which is nearly
    /// always, so that the end of the game is cheap to test.
    witness: Option<Line>,
}

/// The data that [`Cube`] needs to take a move back.
#[derive(Clone, Copy, Debug)]
pub struct LetterUndo {
    mv: LetterMove,
    passes: u8,
    witness: Option<Line>,
}

/// Positions are equal if they look equal. Earlier moves and words are not compared.
impl PartialEq for Cube {
    fn eq(&self, other: &Self) -> bool {
        (self.board.dimensions(), self.to_move, &self.totals, self.passes)
            == (other.board.dimensions(), other.to_move, &other.totals, other.passes)
            && (0..self.taken.len()).all(|stack| self.left(stack) == other.left(stack))
    }
}

impl Eq for Cube {}

impl Cube {
    /// The start position of a game: white is to move, and no side has scored.
    pub fn new(board: Arc<LetterBoard>, lexicon: Arc<Lexicon>) -> Self {
        let taken = vec![0; board.dimensions().stacks()];
        let mut cube = Cube {
            lexicon,
            board,
            taken,
            to_move: Seat::FIRST,
            totals: PerSeat::two(0, 0),
            passes: 0,
            witness: None,
        };
        cube.witness = cube.search();
        cube
    }

    /// Reads a position's one-line text. Its words are, in this order:
    ///
    /// * the dimensions;
    /// * the rows of all planes, joined by `/`, with `_` for a blank;
    /// * the side to move (`w` or `b`);
    /// * the totals of white and black;
    /// * the passes in a row.
    ///
    /// # Errors
    /// [`Refusal::Unreadable`], with the field, and the row and cell in the board.
    pub fn parse_text(text: &str, lexicon: Arc<Lexicon>) -> Result<Self, Refusal> {
        let fields: Vec<&str> = text.split(' ').collect();
        let &[dimensions, rows, side, white, black, passes] = fields.as_slice() else {
            return Err(Refusal::unreadable(format!(
                "a position is DIMENSIONS ROWS w|b WHITE BLACK PASSES, 6 fields with one space between; this has {}",
                fields.len()
            )));
        };
        let dimensions = dimensions
            .parse()
            .map_err(|error| Refusal::unreadable(format!("field 1, dimensions: {error}")))?;
        let board = LetterBoard::parse_rows(dimensions, rows)
            .map_err(|(row, fault)| Refusal::unreadable(format!("field 2, row {row}: {fault}")))?;
        let mut cube = Cube::new(Arc::new(board), lexicon);
        cube.to_move = match side {
            "w" => Seat::FIRST,
            "b" => Seat::SECOND,
            other => {
                let shown = escape(other.as_bytes(), 20);
                return Err(Refusal::unreadable(format!("field 3, side to move: \"{shown}\" is not w or b")));
            }
        };
        // No letter is worth more than ten, so no total can be higher.
        let most = 10 * dimensions.cells();
        cube.totals =
            PerSeat::two(field(4, "white's total", white, most)?, field(5, "black's total", black, most)?);
        cube.passes = field(6, "passes in a row", passes, 2)?.try_into().expect("at most 2");
        Ok(cube)
    }

    /// The size of the cube.
    pub fn dimensions(&self) -> super::Dimensions {
        self.board.dimensions()
    }

    /// The side to move, or the one that would be next.
    pub fn to_move(&self) -> Seat {
        self.to_move
    }

    /// The remaining letters of a column, from the top down, with the blanks of the start position.
    fn left(&self, stack: usize) -> &[u8] {
        let all = &self.board.stack(stack)[usize::from(self.taken[stack])..];
        let blanks = all.iter().rev().take_while(|&&letter| letter == 0).count();
        &all[..all.len() - blanks]
    }

    /// The letter at this depth below the top of a column, from 0; 0 is a blank.
    fn letter(&self, stack: usize, depth: usize) -> u8 {
        let depth = usize::from(self.taken[stack]) + depth;
        self.board.stack(stack).get(depth).copied().unwrap_or(0)
    }

    /// From one cell of such a line to the next: the step in columns, and in depth.
    fn step(&self, axis: Axis) -> (usize, usize) {
        match axis {
            Axis::Row => (1, 0),
            Axis::Column => (self.dimensions().columns(), 0),
            Axis::Burrow => (0, 1),
        }
    }

    /// The first column of a line, counted row by row.
    fn first(&self, line: Line) -> usize {
        let [x, y, _] = line.at(0);
        (x - 1) * self.dimensions().columns() + y - 1
    }

    /// The letters of a line, written into `room`; 0 is a blank.
    fn on<'a>(&self, line: Line, room: &'a mut [u8; Lexicon::MAX_WORD]) -> &'a [u8] {
        let (first, (stacks, depth)) = (self.first(line), self.step(line.axis));
        for (i, letter) in room.iter_mut().enumerate().take(line.cells()) {
            *letter = self.letter(first + i * stacks, i * depth);
        }
        &room[..line.cells()]
    }

    /// Calls `take` with every line of letters and its weight: rows, then columns, then burrows,
    /// each by start, then by length. Stops when `take` returns true, and returns that line.
    fn lines(&self, mut take: impl FnMut(Line, &[u8], Weight) -> bool) -> Option<Line> {
        let dimensions = self.dimensions();
        let mut letters = [0; Lexicon::MAX_WORD];
        for axis in [Axis::Row, Axis::Column, Axis::Burrow] {
            let (stacks, depth) = self.step(axis);
            for first in 0..dimensions.stacks() {
                let (x, y) = (first / dimensions.columns(), first % dimensions.columns());
                let room = match axis {
                    Axis::Row => dimensions.columns() - y,
                    Axis::Column => dimensions.rows() - x,
                    Axis::Burrow => dimensions.planes(),
                };
                if room < 3 {
                    continue;
                }
                let mut weight = Weight::NOTHING;
                for i in 0..room.min(self.lexicon.longest()) {
                    letters[i] = self.letter(first + i * stacks, i * depth);
                    if letters[i] == 0 {
                        break;
                    }
                    weight = weight.with(letters[i]);
                    let line = Line::new(axis, x, y, i + 1);
                    if i >= 2 && take(line, &letters[..=i], weight) {
                        return Some(line);
                    }
                }
            }
        }
        None
    }

    /// The first line that makes a word.
    pub fn search(&self) -> Option<Line> {
        self.lines(|_, letters, weight| self.lexicon.has(letters, weight))
    }

    /// Whether a line makes a word.
    fn holds(&self, line: Line) -> bool {
        let mut room = [0; Lexicon::MAX_WORD];
        let letters = self.on(line, &mut room);
        self.lexicon.has(letters, Weight::of(letters))
    }

    /// Checks a line and its word against the letters on the board.
    fn check(&self, line: Line, word: Word) -> Result<(), Refusal> {
        let mut room = [0; Lexicon::MAX_WORD];
        let there = self.on(line, &mut room);
        if let Some(blank) = there.iter().position(|&letter| letter == 0) {
            let [x, y, z] = line.at(blank);
            return Err(Refusal::illegal(format!("the line crosses the blank at {x},{y},{z}")));
        }
        let mut wanted = [0; Lexicon::MAX_WORD];
        let wanted = &mut wanted[..line.cells()];
        wanted.copy_from_slice(word.letters());
        for (i, letter) in there.iter().enumerate() {
            let Some(found) = wanted[i..].iter().position(|other| other == letter) else {
                let there: Vec<String> = there.iter().map(|&letter| char::from(letter).to_string()).collect();
                return Err(Refusal::illegal(format!(
                    "the letters there are {}, which do not make \"{word}\"",
                    there.join(",")
                )));
            };
            wanted.swap(i, i + found);
        }
        if !self.lexicon.contains(word.letters()) {
            return Err(Refusal::illegal(format!("\"{word}\" is not in the dictionary")));
        }
        Ok(())
    }

    /// The columns of a line, and how many letters it takes from each.
    fn takes(&self, line: Line) -> impl Iterator<Item = (usize, u8)> + use<> {
        let first = self.first(line);
        let (step, _) = self.step(line.axis);
        let cells = u8::try_from(line.cells()).expect("no side is longer than 64 cells");
        let (stacks, letters) = if line.axis == Axis::Burrow { (1, cells) } else { (cells, 1) };
        (0..usize::from(stacks)).map(move |i| (first + i * step, letters))
    }

    /// Every row of the cube in the form of a file, without its newline.
    fn rows(&self) -> impl Iterator<Item = String> {
        let dimensions = self.dimensions();
        (0..dimensions.planes()).flat_map(move |z| {
            (0..dimensions.rows()).map(move |x| {
                (0..dimensions.columns())
                    .map(|y| match self.letter(x * dimensions.columns() + y, z) {
                        0 => '_',
                        letter => char::from(letter),
                    })
                    .collect()
            })
        })
    }
}

impl Position for Cube {
    type Move = LetterMove;
    type Undo = LetterUndo;

    fn status(&self) -> Status<Ending> {
        let why = if self.passes == 2 {
            "two passes in a row"
        } else if self.witness.is_none() {
            "no word is left"
        } else {
            return Status::ToMove(self.to_move);
        };
        Status::Over(match self.totals[Seat::FIRST].cmp(&self.totals[Seat::SECOND]) {
            std::cmp::Ordering::Greater => Ending::Win(Seat::FIRST, why),
            std::cmp::Ordering::Less => Ending::Win(Seat::SECOND, why),
            std::cmp::Ordering::Equal => Ending::Draw(why),
        })
    }

    /// The pass first, then the words along rows, along columns and down, each by start, length and
    /// place in the dictionary.
    fn moves(&self, moves: &mut Vec<LetterMove>) {
        moves.clear();
        if self.status().over().is_some() {
            return;
        }
        moves.push(LetterMove::Pass);
        self.lines(|line, letters, weight| {
            moves.extend(
                self.lexicon.made_of(letters, weight).map(|word| LetterMove::Take(line, Word::new(word))),
            );
            false
        });
    }

    fn parse(&self, text: &str) -> Result<LetterMove, Refusal> {
        let written = Written::read(text)?;
        if self.status().over().is_some() {
            return Err(Refusal::illegal("the game is over"));
        }
        let Written::Take(ends, word) = written else { return Ok(LetterMove::Pass) };
        let (line, word) = fit(&ends, &word, self.dimensions())?;
        self.check(line, word)?;
        Ok(LetterMove::Take(line, word))
    }

    fn play(&mut self, mv: LetterMove) -> LetterUndo {
        let undo = LetterUndo { mv, passes: self.passes, witness: self.witness };
        match mv {
            LetterMove::Pass => self.passes += 1,
            LetterMove::Take(line, word) => {
                self.passes = 0;
                self.totals[self.to_move] += word.points();
                for (stack, letters) in self.takes(line) {
                    self.taken[stack] += letters;
                }
                if !self.witness.is_some_and(|line| self.holds(line)) {
                    self.witness = self.search();
                }
            }
        }
        self.to_move = self.to_move.other();
        undo
    }

    fn undo(&mut self, undo: LetterUndo) {
        self.to_move = self.to_move.other();
        self.passes = undo.passes;
        self.witness = undo.witness;
        if let LetterMove::Take(line, word) = undo.mv {
            self.totals[self.to_move] -= word.points();
            for (stack, letters) in self.takes(line) {
                self.taken[stack] -= letters;
            }
        }
    }

    fn score(&self, seat: Seat) -> i32 {
        self.totals[seat]
    }

    fn text(&self) -> String {
        let rows: Vec<String> = self.rows().collect();
        let side = if self.to_move == Seat::FIRST { 'w' } else { 'b' };
        let (white, black) = (self.totals[Seat::FIRST], self.totals[Seat::SECOND]);
        format!("{} {} {side} {white} {black} {}", self.dimensions(), rows.join("/"), self.passes)
    }

    fn board(&self) -> String {
        let dimensions = self.dimensions();
        let mut text = String::with_capacity(dimensions.cells() + 64);
        let (rows, columns, planes) = (dimensions.rows(), dimensions.columns(), dimensions.planes());
        let _ = writeln!(text, "{rows} {columns} {planes}"); // writing to a String cannot fail
        for row in self.rows() {
            text.push_str(&row);
            text.push('\n');
        }
        text
    }

    /// The planes side by side, as many as fit into 80 columns, the others below. Columns are
    /// numbered above, rows at the left.
    fn draw(&self) -> String {
        let dimensions = self.dimensions();
        let (rows, columns, planes) = (dimensions.rows(), dimensions.columns(), dimensions.planes());
        let (left, cell) = (rows.to_string().len(), columns.to_string().len() + 1);
        let head = |z: usize| format!("{:left$} plane {}", "", z + 1);
        let width = head(planes - 1).len().max(left + columns * cell);
        let at_once = ((DRAWING + GAP) / (width + GAP)).clamp(1, planes);
        let all: Vec<String> = self.rows().collect();
        let band = |first: usize| {
            let shown = first..planes.min(first + at_once);
            let join = |parts: Vec<String>| format!("{}\n", parts.join(&" ".repeat(GAP)).trim_end());
            let padded = |part: String| format!("{part:width$}");
            let mut band = join(shown.clone().map(|z| padded(head(z))).collect());
            let numbers: String = (1..=columns).map(|y| format!("{y:>cell$}")).collect();
            band += &join(shown.clone().map(|_| padded(format!("{:left$}{numbers}", ""))).collect());
            for x in 0..rows {
                let row = |z: usize| {
                    let letters = all[z * rows + x].chars().map(|letter| format!("{letter:>cell$}"));
                    padded(format!("{:>left$}{}", x + 1, letters.collect::<String>()))
                };
                band += &join(shown.clone().map(row).collect());
            }
            band
        };
        (0..planes).step_by(at_once).map(band).collect::<Vec<_>>().join("\n")
    }

    /// The planes side by side, the top one first, y to the right and x downwards.
    fn diagram(&self) -> Option<Diagram> {
        let dimensions = self.dimensions();
        planes([dimensions.columns(), dimensions.rows(), dimensions.planes()], ['y', 'x'], SlotShape::Square)
    }

    fn contents(&self) -> Vec<SlotContent> {
        let stacks = self.dimensions().stacks();
        let content = |cell: usize| match self.letter(cell % stacks, cell / stacks) {
            0 => SlotContent::Empty,
            letter => SlotContent::Text(char::from(letter).to_string()),
        };
        (0..self.dimensions().cells()).map(content).collect()
    }

    /// The letters of the word vanish, and those below them move up.
    fn frame(&self, mv: LetterMove) -> Frame {
        let seat = SEATS[self.to_move.index()];
        let LetterMove::Take(line, word) = mv else {
            return Frame { caption: format!("{seat} passes"), ..Frame::default() };
        };
        let stacks = self.dimensions().stacks();
        let mut frame = Frame::default();
        for (stack, letters) in self.takes(line) {
            let (taken, there) = (usize::from(letters), self.left(stack).len());
            let slot = |depth: usize| depth * stacks + stack;
            let stay = there - taken;
            frame.slides.extend((0..stay).map(|depth| (slot(depth + taken), slot(depth))));
            // Into the others a letter slides, or one has slid out of them.
            frame.changes.extend((stay..taken).map(|depth| (slot(depth), SlotContent::Empty)));
            frame.marks.extend((0..taken).map(slot));
        }
        let [x, y, _] = line.at(0);
        let place = match line.axis {
            Axis::Row => format!("in row {x}"),
            Axis::Column => format!("in column {y}"),
            Axis::Burrow => format!("down from {x},{y}"),
        };
        let (capitals, points) = (word.to_string().to_uppercase(), word.points());
        frame.caption = format!("{seat} plays {capitals} for {points} points {place}");
        frame
    }
}

/// A number in a position's text, digits only, 0 to `most`.
fn field(number: usize, name: &str, text: &str, most: usize) -> Result<i32, Refusal> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let plain = digits && (text == "0" || !text.starts_with('0'));
    match text.parse::<usize>() {
        Ok(value) if plain && value <= most => {
            Ok(i32::try_from(value).expect("a cube is worth less than 2^31"))
        }
        _ => Err(Refusal::unreadable(format!(
            "field {number}, {name}: \"{}\" is not a number from 0 to {most}",
            escape(text.as_bytes(), 20)
        ))),
    }
}
