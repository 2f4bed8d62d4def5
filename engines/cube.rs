//! The letter cube for engines: the board, its words, the effect of taking a word, and the
//! conversation with the harness. Each engine includes this file and adds its own evaluation of
//! words.

#![allow(dead_code)] // each engine uses its own part of this file

use std::cmp::Ordering;
use std::io::{self, BufRead, Write};
use std::time::{Duration, Instant};

/// The points of each letter, a to z.
const VALUES: [u32; 26] = [1, 3, 3, 2, 1, 4, 2, 4, 1, 8, 5, 1, 3, 1, 1, 3, 10, 1, 1, 1, 1, 4, 4, 8, 4, 10];

const BLANK: u8 = b'_';

/// The words of the dictionary, found by their letters in alphabetical order.
pub(crate) struct Lexicon<'a> {
    sorted: &'a str,
    /// The share of its lines that the engine knows.
    percent: u64,
}

impl<'a> Lexicon<'a> {
    /// Takes the text of `dictionary.sorted`, of which each line is a key and its words: `aelpp
    /// apple appel`. The lines are in the order of their keys. So words are found by bisection, and
    /// an engine is ready to play at once.
    pub(crate) fn new(sorted: &'a str) -> Self {
        Lexicon { sorted, percent: 100 }
    }

    /// The same words, of which it knows only this share: an engine that knows fewer is weaker.
    /// What one engine knows is known to every engine with a larger share.
    pub(crate) fn known(self, percent: u64) -> Self {
        Lexicon { percent, ..self }
    }

    /// The words of these letters, which are in alphabetical order.
    fn words(&self, key: &[u8]) -> Option<&'a str> {
        let bytes = self.sorted.as_bytes();
        // Between the beginnings of two lines.
        let (mut low, mut high) = (0, bytes.len());
        while low < high {
            let middle = low + (high - low) / 2;
            let begin =
                bytes[low..middle].iter().rposition(|byte| *byte == b'\n').map_or(low, |at| low + at + 1);
            let end =
                bytes[middle..high].iter().position(|byte| *byte == b'\n').map_or(high, |at| middle + at);
            let (letters, words) = self.sorted.get(begin..end)?.split_once(' ')?;
            match letters.as_bytes().cmp(key) {
                Ordering::Equal => return (hash(key) % 100 < self.percent).then_some(words),
                Ordering::Less => low = high.min(end + 1),
                Ordering::Greater => high = begin,
            }
        }
        None
    }
}

/// A hash of these bytes: FNV-1a, with its bits mixed at the end, because its low bits are poor.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in bytes {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash ^ (hash >> 33)
}

/// The direction of a line from its first cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Axis {
    /// Along a row, from left to right.
    Row,
    /// Along a column, from top to bottom.
    Column,
    /// Down through the planes.
    Burrow,
}

/// Three or more cells in a straight line. The first lies on plane 1; row and column count from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Line {
    pub(crate) row: usize,
    pub(crate) column: usize,
    pub(crate) axis: Axis,
    pub(crate) length: usize,
}

/// A line whose letters make words, all of the same points.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found<'a> {
    pub(crate) line: Line,
    pub(crate) points: u32,
    /// At least one word, separated by spaces.
    pub(crate) words: &'a str,
}

impl<'a> Found<'a> {
    /// The first of the words.
    pub(crate) fn word(&self) -> &'a str {
        self.words.split(' ').next().unwrap_or_default()
    }
}

/// The board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Cube {
    rows: usize,
    columns: usize,
    planes: usize,
    /// The letters of row 1, column 1 from plane 1 downwards, then those of row 1, column 2, and so
    /// on.
    cells: Vec<u8>,
}

impl Cube {
    /// Reads the text of the board file: `6 6 3`, then one row per line, plane after plane, blanks
    /// as `_`.
    pub(crate) fn read(input: &mut impl BufRead) -> io::Result<Cube> {
        let bad = |what: &str| io::Error::new(io::ErrorKind::InvalidData, format!("board: {what}"));
        let mut line = String::new();
        input.read_line(&mut line)?;
        let sizes: Vec<usize> =
            line.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect();
        let [rows, columns, planes] = sizes[..] else { return Err(bad("the first line is not three sizes")) };

        let mut cells = vec![BLANK; rows * columns * planes];
        let mut row_number = 0;
        while row_number < rows * planes {
            line.clear();
            if input.read_line(&mut line)? == 0 {
                return Err(bad("it ends too early"));
            }
            let letters = line.trim_end_matches(['\r', '\n']).as_bytes();
            if letters.is_empty() {
                continue; // between two planes
            }
            let (plane, row) = (row_number / rows, row_number % rows);
            for (column, letter) in letters.iter().enumerate().take(columns) {
                if letter.is_ascii_alphabetic() {
                    cells[(row * columns + column) * planes + plane] = letter.to_ascii_lowercase();
                }
            }
            row_number += 1;
        }
        Ok(Cube { rows, columns, planes, cells })
    }

    /// Every line that makes a word, in an order that depends on the board alone. It goes through
    /// the cells row by row: from each along its row, its column and into the cube, the shorter
    /// line first.
    pub(crate) fn words<'a>(&self, lexicon: &Lexicon<'a>) -> Vec<Found<'a>> {
        let mut found = Vec::new();
        let mut key = Vec::new();
        for (row, column) in (0..self.rows).flat_map(|row| (0..self.columns).map(move |column| (row, column)))
        {
            for axis in [Axis::Row, Axis::Column, Axis::Burrow] {
                let mut points = 0;
                key.clear();
                for length in 1.. {
                    let Some(letter) = self.letter(row, column, axis, length - 1) else { break };
                    let place = key.partition_point(|other| *other < letter);
                    key.insert(place, letter);
                    points += VALUES[usize::from(letter - b'a')];
                    if length >= 3
                        && let Some(words) = lexicon.words(&key)
                    {
                        found.push(Found { line: Line { row, column, axis, length }, points, words });
                    }
                }
            }
        }
        found
    }

    /// The letter at a distance along an axis from a cell of plane 1; `None` past the edge and on a
    /// blank.
    fn letter(&self, row: usize, column: usize, axis: Axis, steps: usize) -> Option<u8> {
        let (row, column, plane) = match axis {
            Axis::Row => (row, column + steps, 0),
            Axis::Column => (row + steps, column, 0),
            Axis::Burrow => (row, column, steps),
        };
        let inside = row < self.rows && column < self.columns && plane < self.planes;
        let letter =
            *self.cells.get((row * self.columns + column) * self.planes + plane).filter(|_| inside)?;
        (letter != BLANK).then_some(letter)
    }

    /// Takes away the letters of a line. The letters below move up, and blanks enter at the bottom.
    pub(crate) fn take(&mut self, line: Line) {
        for step in 0..line.length {
            let (row, column) = match line.axis {
                Axis::Row => (line.row, line.column + step),
                Axis::Column => (line.row + step, line.column),
                Axis::Burrow => (line.row, line.column), // its top letter, `length` times
            };
            let top = (row * self.columns + column) * self.planes;
            if let Some(column) = self.cells.get_mut(top..top + self.planes) {
                column.rotate_left(1);
                column[self.planes - 1] = BLANK;
            }
        }
    }

    /// The letters, in an order that depends on the board alone.
    pub(crate) fn cells(&self) -> &[u8] {
        &self.cells
    }
}

/// The move in the harness's notation; `None` is a pass.
pub(crate) fn write_move(side: &str, choice: Option<(Line, &str)>) -> String {
    let Some((Line { row, column, axis, length }, word)) = choice else { return format!("{side},P\n") };
    let (x, y, last) = (row + 1, column + 1, length - 1);
    let (to_x, to_y, to_z) = match axis {
        Axis::Row => (x, y + last, 1),
        Axis::Column => (x + last, y, 1),
        Axis::Burrow => (x, y, 1 + last),
    };
    format!("{side},{x},{y},1,{to_x},{to_y},{to_z},{word}\n")
}

/// The line of an opponent's move, which the harness has checked; `None` is a pass.
pub(crate) fn read_move(text: &str) -> Option<Line> {
    let numbers: Vec<usize> =
        text.split(',').skip(1).take(6).map_while(|number| number.trim().parse().ok()).collect();
    let [x1, y1, _, x2, y2, z2] = numbers[..] else { return None };
    // The ends of a row or a column may be in either order.
    let (row, column) = (x1.min(x2).checked_sub(1)?, y1.min(y2).checked_sub(1)?);
    let (axis, steps) = match (x1.abs_diff(x2), y1.abs_diff(y2)) {
        (0, 0) => (Axis::Burrow, z2.checked_sub(1)?),
        (0, along) => (Axis::Row, along),
        (down, _) => (Axis::Column, down),
    };
    Some(Line { row, column, axis, length: steps + 1 })
}

/// Plays one game with the harness. `choose` gets the board and the instant of its deadline, and
/// returns a line with one of its words; `None` passes.
///
/// # Errors
/// The dictionary or the board cannot be read, or the arguments are not `SIDE ROWS COLUMNS PLANES
/// SECONDS`. After them may stand the share of words that the engine knows, in percent.
pub(crate) fn play(
    choose: impl for<'a> Fn(&Cube, &Lexicon<'a>, Instant) -> Option<(Line, &'a str)>,
) -> io::Result<()> {
    // Not `args`, which panics if the path of the program is not UTF-8.
    let arguments = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    let arguments: Vec<String> = arguments.collect();
    let wrong = || {
        io::Error::other(
            "wrong arguments; start with SIDE ROWS COLUMNS PLANES SECONDS [PERCENT], as W 6 6 3 5 or W 6 6 3 5 80",
        )
    };
    let [side, _, _, _, seconds, percent @ ..] = &arguments[..] else { return Err(wrong()) };
    let percent = match percent {
        [] => 100,
        [percent] => percent.parse().map_err(|_| wrong())?,
        _ => return Err(wrong()),
    };
    // At most half of the time: a busy machine may need the other half.
    let budget = Duration::from_secs_f64(seconds.parse().unwrap_or(1.0_f64).clamp(0.0, 2.0) / 2.0);

    let sorted = std::fs::read_to_string("dictionary.sorted")?;
    let lexicon = Lexicon::new(&sorted).known(percent);
    let mut input = io::stdin().lock();
    let mut cube = Cube::read(&mut input)?;
    let mut my_turn = side == "W"; // white begins
    loop {
        if my_turn {
            let choice = choose(&cube, &lexicon, Instant::now() + budget);
            if let Some((line, _)) = choice {
                cube.take(line);
            }
            let mut output = io::stdout().lock();
            let said = output.write_all(write_move(side, choice).as_bytes()).and_then(|()| output.flush());
            if said.is_err() {
                return Ok(()); // a closed output: the game is over
            }
        } else {
            let mut told = String::new();
            if input.read_line(&mut told)? == 0 {
                return Ok(()); // the game is over
            }
            if let Some(line) = read_move(&told) {
                cube.take(line);
            }
        }
        my_turn = !my_turn;
    }
}
