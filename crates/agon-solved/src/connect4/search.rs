//! Alpha-beta search of connect four on bits.
//!
//! A cell is a bit, and a column has one bit more than cells, so that no line runs around an edge.
//! A score counts from the end. A win with the winner's own stone number `n` has the score
//! [`STONES`]` + 1 - n`. For the loser it is the negative. A draw has the score 0.

use crate::limit::{GaveUp, PositionsLeft};
use crate::transposition::{Bound, Transpositions};

/// The number of columns.
pub(crate) const COLUMNS: u32 = 7;

/// The number of cells of a column.
const ROWS: u32 = 6;

/// The number of cells.
pub(crate) const CELLS: u32 = COLUMNS * ROWS;

/// The stones of a side on a full board.
pub(crate) const STONES: i8 = (CELLS / 2) as i8;

/// With more stones than this, mirror images are too rare to look for.
const MIRRORED: u32 = 11;

/// With fewer stones than this, all replies are looked up before the first is searched. That saves
/// an eighth of the positions; nearer to the end a search costs less than the look.
const LOOKED_UP: u32 = CELLS - 12;

/// From a column to the next.
const NEXT: u32 = ROWS + 1;

/// The lowest cell of each column.
const FLOOR: u64 = {
    let (mut floor, mut column) = (0, 0);
    while column < COLUMNS {
        floor |= 1 << (column * NEXT);
        column += 1;
    }
    floor
};

/// All cells.
const BOARD: u64 = FLOOR * ((1 << ROWS) - 1);

/// The columns from the middle outwards: more lines run through the middle.
const ORDER: [u32; COLUMNS as usize] = [3, 2, 4, 1, 5, 0, 6];

/// The cells of a column.
pub(crate) fn column(column: u32) -> u64 {
    ((1 << ROWS) - 1) << (column * NEXT)
}

/// A position: the stones of the side to move, and all stones.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Bits {
    pub(crate) own: u64,
    pub(crate) taken: u64,
}

impl Bits {
    /// The number of stones.
    #[inline]
    pub(crate) fn stones(self) -> u32 {
        self.taken.count_ones()
    }

    /// The cells into which a stone can fall now.
    #[inline]
    pub(crate) fn landings(self) -> u64 {
        (self.taken + FLOOR) & BOARD
    }

    /// The position after a stone into this cell.
    #[inline]
    pub(crate) fn after(self, cell: u64) -> Self {
        Bits { own: self.own ^ self.taken, taken: self.taken | cell }
    }

    /// The free cells, now or later, that complete a line of the side to move.
    #[inline]
    pub(crate) fn wins(self) -> u64 {
        completing(self.own) & BOARD & !self.taken
    }

    /// The free cells that complete a line of the other side.
    #[inline]
    fn threats(self) -> u64 {
        completing(self.own ^ self.taken) & BOARD & !self.taken
    }

    /// Whether the side to move wins with its next stone.
    #[inline]
    pub(crate) fn wins_now(self) -> bool {
        self.wins() & self.landings() != 0
    }

    /// The position as a number: the cells above the stones, and the own stones below them.
    #[inline]
    fn number(self) -> u64 {
        self.taken + FLOOR + self.own
    }

    /// The smaller of the numbers of the position and of its mirror image.
    pub(crate) fn principal(self) -> u64 {
        let mirror = |set: u64| {
            (0..COLUMNS).fold(0, |all, from| {
                let cells = set >> (from * NEXT) & column(0);
                all | cells << ((COLUMNS - 1 - from) * NEXT)
            })
        };
        self.number().min(Bits { own: mirror(self.own), taken: mirror(self.taken) }.number())
    }
}

/// The cells that make four with these stones.
#[inline]
fn completing(stones: u64) -> u64 {
    // Upwards only three below count: the cell above is the only one that can be free.
    let mut found = stones << 1 & stones << 2 & stones << 3;
    for step in [NEXT, NEXT - 1, NEXT + 1] {
        let pair = stones << step & stones << (2 * step);
        found |= pair & stones << (3 * step);
        found |= pair & stones >> step;
        let pair = stones >> step & stones >> (2 * step);
        found |= pair & stones << step;
        found |= pair & stones >> (3 * step);
    }
    found
}

/// A search with a hash table that others share.
pub(crate) struct FourSearch<'a> {
    seen: &'a Transpositions,
    /// Looks a score up before the search.
    book: &'a (dyn Fn(Bits) -> Option<i8> + Sync),
    /// The stones up to which the book is asked.
    booked: u32,
    left: &'a PositionsLeft<'a>,
}

impl<'a> FourSearch<'a> {
    /// A search with its limit.
    pub(crate) fn new(
        seen: &'a Transpositions,
        book: &'a (dyn Fn(Bits) -> Option<i8> + Sync),
        booked: u32,
        left: &'a PositionsLeft<'a>,
    ) -> Self {
        FourSearch { seen, book, booked, left }
    }

    /// The exact score of a position in which the game is not over.
    ///
    /// # Errors
    /// [`GaveUp`], if it reaches its limit.
    pub(crate) fn score(&mut self, bits: Bits) -> Result<i8, GaveUp> {
        let stones = bits.stones() as i8;
        if bits.wins_now() {
            return Ok(STONES - stones / 2);
        }
        let (mut least, mut most) = (-(STONES - (stones + 1) / 2), STONES - stones / 2 - 1);
        // Windows far from the true score are searched quickly, so the bounds close in from
        // outside. Each step halves the greater of them until the window is near 0.
        while least < most {
            let middle = least + (most - least).div_euclid(2);
            let middle = if middle <= 0 && least / 2 < middle {
                least / 2
            } else if middle >= 0 && most / 2 > middle {
                most / 2
            } else {
                middle
            };
            let score = self.search(bits, middle, middle + 1)?;
            if score <= middle {
                most = score;
            } else {
                least = score;
            }
        }
        Ok(least)
    }

    /// The sign of the score.
    ///
    /// # Errors
    /// As [`FourSearch::score`].
    pub(crate) fn sign(&mut self, bits: Bits) -> Result<i8, GaveUp> {
        if bits.wins_now() {
            return Ok(1);
        }
        self.search(bits, -1, 1).map(i8::signum)
    }

    /// The score if it is between `alpha` and `beta`, otherwise a bound beyond them. The side to
    /// move does not win with its next stone.
    fn search(&mut self, bits: Bits, mut alpha: i8, mut beta: i8) -> Result<i8, GaveUp> {
        let stones = bits.stones();
        let threats = bits.threats();
        let mut cells = bits.landings();
        let forced = cells & threats;
        if forced != 0 {
            if forced & (forced - 1) != 0 {
                return Ok(-(STONES - stones.div_ceil(2) as i8));
            }
            cells = forced;
        }
        // Not below a cell with which the other side wins.
        cells &= !(threats >> 1);
        if cells == 0 {
            let is_full = bits.landings() == 0;
            return Ok(if is_full { 0 } else { -(STONES - stones.div_ceil(2) as i8) });
        }
        if stones >= CELLS - 2 {
            return Ok(0);
        }
        let least = -(STONES - 1 - stones.div_ceil(2) as i8);
        alpha = alpha.max(least);
        let mut most = STONES - 1 - (stones / 2) as i8;
        if alpha >= beta {
            return Ok(alpha);
        }
        let number = if stones <= MIRRORED { bits.principal() } else { bits.number() };
        match self.seen.get(number) {
            Some((score, Bound::Exact)) => return Ok(score),
            Some((score, Bound::AtMost)) => most = most.min(score),
            Some((score, Bound::AtLeast)) if score >= beta => return Ok(score),
            Some((score, Bound::AtLeast)) => alpha = alpha.max(score),
            None => {}
        }
        beta = beta.min(most);
        if alpha >= beta {
            return Ok(beta);
        }
        if stones <= self.booked
            && let Some(score) = (self.book)(bits)
        {
            return Ok(score);
        }
        self.left.count()?;

        let (moves, count) = ordered(bits, cells);
        if stones < LOOKED_UP {
            for (_, cell) in &moves[..count] {
                let next = bits.after(*cell);
                let number = if stones < MIRRORED { next.principal() } else { next.number() };
                if let Some((score, Bound::Exact | Bound::AtMost)) = self.seen.get(number)
                    && -score >= beta
                {
                    return Ok(-score);
                }
            }
        }
        for (_, cell) in &moves[..count] {
            let score = -self.search(bits.after(*cell), -beta, -alpha)?;
            if score >= beta {
                self.seen.put(number, score, Bound::AtLeast);
                return Ok(score);
            }
            alpha = alpha.max(score);
        }
        self.seen.put(number, alpha, Bound::AtMost);
        Ok(alpha)
    }
}

/// The moves to these cells, those that make most threats first, and how many they are.
fn ordered(bits: Bits, cells: u64) -> ([(u8, u64); COLUMNS as usize], usize) {
    let mut moves = [(0_u8, 0_u64); COLUMNS as usize];
    let mut count = 0;
    for cell in ORDER.iter().map(|number| cells & column(*number)).filter(|cell| *cell != 0) {
        let made = completing(bits.own | cell) & BOARD & !bits.taken;
        // Kept in order as it grows.
        let rank = made.count_ones() as u8;
        let mut place = count;
        while place > 0 && moves[place - 1].0 < rank {
            moves[place] = moves[place - 1];
            place -= 1;
        }
        moves[place] = (rank, cell);
        count += 1;
    }
    (moves, count)
}
