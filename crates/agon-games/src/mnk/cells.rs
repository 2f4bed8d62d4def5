//! The cells of an m,n,k board and their names, and the stones of one side as words of bits.

use std::fmt;

use crate::Refusal;
use agon_printable::quoted;

/// The longest side a board may have.
pub(super) const LONGEST: u8 = 20;

/// A cell of the board, both counted from 1, row 1 at the bottom: a move, written `h8`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MnkCell {
    pub(super) column: u8,
    pub(super) row: u8,
}

impl MnkCell {
    /// The column, from 1 at the left.
    pub fn column(self) -> u8 {
        self.column
    }

    /// The row, from 1 at the bottom.
    pub fn row(self) -> u8 {
        self.row
    }
}

impl MnkCell {
    /// The cell so many steps away; the caller sees to it that it is on the board or its rim.
    pub(super) fn away(self, (dx, dy): (i8, i8), steps: i8) -> MnkCell {
        MnkCell {
            column: self.column.wrapping_add_signed(steps * dx),
            row: self.row.wrapping_add_signed(steps * dy),
        }
    }
}

impl fmt::Display for MnkCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", letter(self.column), self.row)
    }
}

/// The letter of a column, counted from 1.
pub(super) fn letter(column: u8) -> char {
    char::from(b'a' + column - 1)
}

/// The column and the row of a move, both from 1, if any board has them.
pub(super) fn split(text: &str) -> Result<(u8, u8), Refusal> {
    let unreadable = |why| Refusal::unreadable(format!("{why}; this is {}", quoted(text)));
    let notation = || unreadable("a move is the letter of a column and the number of a row, like h8");
    let (&letter, digits) = text.as_bytes().split_first().ok_or_else(notation)?;
    // No row has three digits, so a long line is refused before it is read.
    if !letter.is_ascii_alphabetic()
        || !(1..=2).contains(&digits.len())
        || !digits.iter().all(u8::is_ascii_digit)
    {
        return Err(notation());
    }
    if digits[0] == b'0' && digits.len() > 1 {
        return Err(unreadable("the number of a row does not begin with 0"));
    }
    let row = digits.iter().fold(0, |row, digit| 10 * row + (digit - b'0'));
    Ok((letter.to_ascii_lowercase() - b'a' + 1, row))
}

/// The steps of a line: along the row, up the column, and along the two diagonals.
pub(super) const STEPS: [(i8, i8); 4] = [(1, 0), (0, 1), (1, 1), (-1, 1)];

/// The stones of one side: bit `column` of word `row`. Column 0, row 0 and those after the last are
/// rim.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct StoneMask(pub(super) [u32; LONGEST as usize + 2]);

/// A line through a stone: its step, and the stones ahead of it and behind it.
#[derive(Clone, Copy)]
pub(super) struct LineThrough {
    step: (i8, i8),
    ahead: u8,
    behind: u8,
}

impl LineThrough {
    /// The stones of the line.
    pub(super) fn length(self) -> u8 {
        1 + self.ahead + self.behind
    }

    /// The cells of the line through this stone.
    pub(super) fn cells(self, through: MnkCell) -> impl Iterator<Item = MnkCell> {
        (-(self.behind as i8)..=self.ahead as i8).map(move |steps| through.away(self.step, steps))
    }

    /// The two cells beyond the ends, on the board or its rim.
    pub(super) fn beyond(self, through: MnkCell) -> [MnkCell; 2] {
        [self.ahead as i8 + 1, -(self.behind as i8) - 1].map(|steps| through.away(self.step, steps))
    }
}

impl StoneMask {
    pub(super) fn flip(&mut self, cell: MnkCell) {
        self.0[usize::from(cell.row)] ^= 1 << cell.column;
    }

    pub(super) fn cells(&self) -> impl Iterator<Item = MnkCell> {
        let all = (1..=LONGEST).flat_map(|row| (1..=LONGEST).map(move |column| MnkCell { column, row }));
        all.filter(|cell| self.has(*cell))
    }

    pub(super) fn has(&self, cell: MnkCell) -> bool {
        self.0[usize::from(cell.row)] >> cell.column & 1 == 1
    }

    /// Whether k or more in a line run through this stone.
    pub(super) fn run_through(&self, cell: MnkCell, k: u8) -> bool {
        self.runs(cell, k).next().is_some()
    }

    /// The lines of k or more through this stone.
    pub(super) fn runs(&self, cell: MnkCell, k: u8) -> impl Iterator<Item = LineThrough> {
        STEPS
            .into_iter()
            .map(move |(dx, dy)| LineThrough {
                step: (dx, dy),
                ahead: self.beyond(cell, dx, dy),
                behind: self.beyond(cell, -dx, -dy),
            })
            .filter(move |run| run.length() >= k)
    }

    /// The number of adjacent stones from the cell, without it, in this direction.
    fn beyond(&self, cell: MnkCell, dx: i8, dy: i8) -> u8 {
        let mut found = 0;
        let (mut column, mut row) = (cell.column, cell.row);
        loop {
            (column, row) = (column.wrapping_add_signed(dx), row.wrapping_add_signed(dy));
            if !self.has(MnkCell { column, row }) {
                return found;
            }
            found += 1;
        }
    }
}
