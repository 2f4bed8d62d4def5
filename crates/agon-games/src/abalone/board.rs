//! The hexagon of 61 cells, the marbles on it, and the effect of one move.

use std::fmt;

use crate::Seat;

/// The letters of the rows from the bottom to the top.
const ROWS: &[u8; 9] = b"abcdefghi";

/// The index of each row's first cell, and after the last row the number of cells.
const ROW_STARTS: [u8; 10] = [0, 5, 11, 18, 26, 35, 43, 50, 56, 61];

/// The entry of [`NEXT`] beyond the edge of the board.
const EDGE: u8 = 61;

/// The neighbour of each cell in each direction.
const NEXT: [[u8; Space::COUNT]; 6] = neighbours();

/// One of the 61 cells, written `a1` to `i5`. Every row is numbered from its own left end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Space(u8);

impl Space {
    /// The number of cells.
    pub const COUNT: usize = 61;

    /// The cell in this row (0 is `a`) with this number from 1; `None` if the board has none.
    pub fn new(row: usize, number: usize) -> Option<Space> {
        if row >= ROWS.len() || number == 0 || number > row_length(row) {
            return None;
        }
        let index = usize::from(ROW_STARTS[row]) + number - 1;
        Some(Space(u8::try_from(index).expect("there are 61 cells")))
    }

    /// Every cell, row by row from `a1`.
    pub fn all() -> impl Iterator<Item = Space> {
        (0..EDGE).map(Space)
    }

    /// Its index in [`Space::all`].
    pub fn index(self) -> usize {
        self.0.into()
    }

    /// The row, 0 for `a`.
    pub fn row(self) -> usize {
        ROW_STARTS.iter().rposition(|&start| start <= self.0).expect("the first row starts at 0")
    }

    /// The number within the row, from 1.
    pub fn number(self) -> usize {
        usize::from(self.0 - ROW_STARTS[self.row()]) + 1
    }

    /// The next cell in this direction; `None` at the edge.
    pub fn next(self, direction: Direction) -> Option<Space> {
        let next = NEXT[usize::from(direction.0)][usize::from(self.0)];
        (next != EDGE).then_some(Space(next))
    }

    fn bit(self) -> u64 {
        1 << self.0
    }
}

/// `e5`.
impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", row_letter(self.row()), self.number())
    }
}

/// The number of cells in a row; 0 is `a`.
pub fn row_length(row: usize) -> usize {
    usize::from(ROW_STARTS[row + 1] - ROW_STARTS[row])
}

/// The letter of a row; 0 is `a`.
pub fn row_letter(row: usize) -> char {
    char::from(ROWS[row])
}

/// One of the six directions, counted anticlockwise from "to the right along the row".
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Direction(u8);

impl Direction {
    /// All six, anticlockwise from the right.
    pub const ALL: [Direction; 6] =
        [Direction(0), Direction(1), Direction(2), Direction(3), Direction(4), Direction(5)];

    /// The opposite direction.
    #[must_use]
    pub fn opposite(self) -> Self {
        Direction((self.0 + 3) % 6)
    }

    /// The two directions 60 degrees to its right and to its left.
    pub fn beside(self) -> [Direction; 2] {
        [Direction((self.0 + 5) % 6), Direction((self.0 + 1) % 6)]
    }
}

/// Fills [`NEXT`]. Along the diagonals every row has the same columns. The rows above `e` lack one
/// each at their left end, for which `skew` corrects.
const fn neighbours() -> [[u8; Space::COUNT]; 6] {
    const STEPS: [(i8, i8); 6] = [(0, 1), (1, 1), (1, 0), (0, -1), (-1, -1), (-1, 0)];
    const fn skew(row: i8) -> i8 {
        if row > 4 { row - 4 } else { 0 }
    }
    let mut next = [[EDGE; Space::COUNT]; 6];
    let mut direction = 0;
    while direction < 6 {
        let mut row = 0;
        while row < 9 {
            let start = ROW_STARTS[row as usize];
            let mut at = start;
            while at < ROW_STARTS[row as usize + 1] {
                let to_row = row + STEPS[direction].0;
                if to_row >= 0 && to_row < 9 {
                    let to = (at - start) as i8 + skew(row) + STEPS[direction].1 - skew(to_row);
                    let to_start = ROW_STARTS[to_row as usize];
                    if to >= 0 && to_start + (to as u8) < ROW_STARTS[to_row as usize + 1] {
                        next[direction][at as usize] = to_start + to as u8;
                    }
                }
                at += 1;
            }
            row += 1;
        }
        direction += 1;
    }
    next
}

/// One to three marbles in a line that move one step.
///
/// `line` leads from the tail to the head; a single marble's line is its step. With `step == line`
/// it is a push along the line (the cells ahead may be empty). Otherwise it is a broadside, and
/// `step` is beside `line`. Of the two orders of its ends, the one counts whose line points in the
/// direction of the step, to within 60 degrees. So each move has one form and one text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AbaloneMove {
    /// The hindmost marble.
    pub tail: Space,
    /// The number of marbles, 1 to 3.
    pub marbles: u8,
    /// From the tail to the head.
    pub line: Direction,
    /// The step of each marble.
    pub step: Direction,
}

impl AbaloneMove {
    /// The foremost marble.
    pub fn head(self) -> Space {
        self.cells().last().expect("at least one marble moves")
    }

    /// The cells of the marbles, from the tail to the head.
    pub fn cells(self) -> impl Iterator<Item = Space> {
        std::iter::successors(Some(self.tail), move |cell| cell.next(self.line))
            .take(usize::from(self.marbles))
    }
}

/// `d1f2-e1`: tail, head, new tail; of one marble only its old and its new cell: `a3-b4`.
impl fmt::Display for AbaloneMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tail.fmt(f)?;
        if self.marbles > 1 {
            self.head().fmt(f)?;
        }
        match self.tail.next(self.step) {
            Some(to) => write!(f, "-{to}"),
            None => f.write_str("-off"), // not a legal move; its text is never shown as one
        }
    }
}

/// An obstacle to the marbles of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Obstacle {
    /// A marble of the mover's own would leave the board from this cell.
    Edge(Space),
    /// A cell ahead holds a marble that is not pushed.
    Taken(Space),
    /// There are this many opposing marbles ahead, not fewer than those that push.
    TooMany(u8),
    /// A marble of the mover's own at this cell is behind the marbles to be pushed.
    Held(Space),
}

/// The marbles of both seats.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AbaloneBoard {
    first: u64,
    second: u64,
}

impl AbaloneBoard {
    /// The board without marbles.
    pub const EMPTY: AbaloneBoard = AbaloneBoard { first: 0, second: 0 };

    /// The seat whose marble is on this cell.
    pub fn at(&self, cell: Space) -> Option<Seat> {
        [Seat::FIRST, Seat::SECOND].into_iter().find(|&seat| self.of(seat) & cell.bit() != 0)
    }

    /// Puts a marble of this seat on a cell that has none.
    pub fn put(&mut self, seat: Seat, cell: Space) {
        *self.of_mut(seat) |= cell.bit();
    }

    /// The marbles of this seat: bit `i` is the cell at index `i` of [`Space::all`].
    pub fn bits(&self, seat: Seat) -> u64 {
        self.of(seat)
    }

    /// The number of marbles that this seat has left.
    pub fn marbles(&self, seat: Seat) -> u32 {
        self.of(seat).count_ones()
    }

    /// The cells with marbles of this seat.
    pub fn cells(&self, seat: Seat) -> impl Iterator<Item = Space> + use<> {
        let mut left = self.of(seat);
        std::iter::from_fn(move || {
            let lowest = u8::try_from(left.trailing_zeros()).expect("a u64 has 64 bits");
            left &= left.wrapping_sub(1);
            (lowest < EDGE).then_some(Space(lowest))
        })
    }

    /// A hash: few boards share one.
    pub(super) fn hash(&self) -> u64 {
        let mixed = self.first.wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ self.second.wrapping_mul(0xc2b2_ae3d_27d4_eb4f).rotate_left(32);
        mixed ^ (mixed >> 29)
    }

    /// The board after a move of marbles that all belong to `mover`.
    pub(super) fn after(&self, mover: Seat, mv: AbaloneMove) -> Result<AbaloneBoard, Obstacle> {
        if mv.step == mv.line { self.pushed(mover, mv) } else { self.shifted(mover, mv) }
    }

    fn pushed(&self, mover: Seat, mv: AbaloneMove) -> Result<AbaloneBoard, Obstacle> {
        let head = mv.head();
        let front = head.next(mv.step).ok_or(Obstacle::Edge(head))?;
        if self.at(front) == Some(mover) {
            return Err(Obstacle::Taken(front));
        }
        let mut after = *self;
        *after.of_mut(mover) ^= mv.tail.bit() | front.bit();
        let theirs = self.of(mover.other());
        if theirs & front.bit() == 0 {
            return Ok(after);
        }
        let mut pushed = 0;
        let mut behind = Some(front);
        while let Some(cell) = behind
            && theirs & cell.bit() != 0
        {
            pushed += 1;
            behind = cell.next(mv.step);
        }
        if pushed >= mv.marbles {
            return Err(Obstacle::TooMany(pushed));
        }
        let lands = match behind {
            Some(cell) if self.at(cell).is_some() => return Err(Obstacle::Held(cell)),
            Some(cell) => cell.bit(),
            None => 0,
        };
        *after.of_mut(mover.other()) ^= front.bit() | lands;
        Ok(after)
    }

    fn shifted(&self, mover: Seat, mv: AbaloneMove) -> Result<AbaloneBoard, Obstacle> {
        let mut from = 0;
        let mut to = 0;
        for cell in mv.cells() {
            let target = cell.next(mv.step).ok_or(Obstacle::Edge(cell))?;
            if self.at(target).is_some() {
                return Err(Obstacle::Taken(target));
            }
            from |= cell.bit();
            to |= target.bit();
        }
        let mut after = *self;
        *after.of_mut(mover) ^= from | to;
        Ok(after)
    }

    fn of(&self, seat: Seat) -> u64 {
        if seat == Seat::FIRST { self.first } else { self.second }
    }

    fn of_mut(&mut self, seat: Seat) -> &mut u64 {
        if seat == Seat::FIRST { &mut self.first } else { &mut self.second }
    }
}
