//! The m,n,k games: exact search.
//!
//! Boards of up to [`SOLVED_CELLS`] cells are searched to the end, with a hash table that all
//! positions of the board share. On larger boards the free cells alone are searched, up to a limit.
//!
//! The search knows one rule about lines: k or more win. Another rule is solved where the board is
//! too small for it to make a difference; elsewhere every value is unknown.

#[cfg(test)]
mod tests;

use std::sync::OnceLock;

use agon_games::mnk::{LineRule, Mnk, MnkBoard, MnkCell};
use agon_games::{Position, Status};
use agon_seats::Seat;

use crate::limit::SearchLimit;
use crate::lines::{LineGame, MOST_CELLS};
use crate::value::Valuation;
use crate::values::PositionValues;

/// Every position of a board with at most so many cells is solved.
pub(crate) const SOLVED_CELLS: u32 = 25;

/// The positions that the search of a larger board may look at: about a second.
const LIMIT: u64 = 2_000_000;

/// The positions that a search of a small board may look at. None that is known takes a quarter of
/// it.
const WHOLE_LIMIT: u64 = 100_000_000;

/// The hash table of a board has 2 to the power of so many entries of eight bytes.
const BITS: u32 = 22;

/// The values of one m,n,k game.
pub(crate) struct MnkValues {
    rules: Mnk,
    /// The whole board, if it is small enough.
    whole: OnceLock<LineGame>,
    limit: SearchLimit,
}

impl MnkValues {
    pub(crate) fn new(rules: Mnk) -> Self {
        MnkValues { rules, whole: OnceLock::new(), limit: SearchLimit::default() }
    }

    /// The same with searches that give up at this limit.
    pub(crate) fn within(self, limit: SearchLimit) -> Self {
        MnkValues { limit, ..self }
    }

    /// Whether the game is the one in which a line of k or more wins, by its rule or by its size.
    pub(crate) fn is_known(&self) -> bool {
        let longest = self.rules.columns().max(self.rules.rows());
        match self.rules.rule() {
            LineRule::Free => true,
            // No line is longer than k.
            LineRule::Exact => self.rules.k() == longest,
            // No line of k has a cell beyond each end.
            LineRule::Caro => self.rules.k() + 2 > longest,
            LineRule::ExactCaro => self.rules.k() == longest,
            LineRule::Renju => false,
        }
    }

    fn cells(&self) -> u32 {
        u32::from(self.rules.columns()) * u32::from(self.rules.rows())
    }

    fn whole(&self) -> &LineGame {
        self.whole.get_or_init(|| {
            let lines: Vec<u32> =
                self.lines().iter().map(|line| line.iter().map(|cell| 1 << cell).sum()).collect();
            let bits = BITS.min(2 * self.cells());
            LineGame::whole(self.cells(), lines, &self.symmetries(), bits)
        })
    }

    /// The lines of exactly k cells; cells are numbered row by row.
    fn lines(&self) -> Vec<Vec<usize>> {
        let (columns, rows) = (i32::from(self.rules.columns()), i32::from(self.rules.rows()));
        let k = i32::from(self.rules.k());
        let mut lines = Vec::new();
        for (x, y) in (0..rows).flat_map(|y| (0..columns).map(move |x| (x, y))) {
            for (dx, dy) in [(1, 0), (0, 1), (1, 1), (-1, 1)] {
                let (last_x, last_y) = (x + (k - 1) * dx, y + (k - 1) * dy);
                // A line of one cell is the same in all directions.
                let is_new = k > 1 || (dx, dy) == (1, 0);
                if is_new && (0..columns).contains(&last_x) && (0..rows).contains(&last_y) {
                    lines.push((0..k).map(|i| ((y + i * dy) * columns + x + i * dx) as usize).collect());
                }
            }
        }
        lines
    }

    /// The symmetries of the board without the identity: the image of each cell.
    fn symmetries(&self) -> Vec<Vec<u32>> {
        let (columns, rows) = (u32::from(self.rules.columns()), u32::from(self.rules.rows()));
        let turns = if columns == rows { 8 } else { 4 };
        let image = |kind: u32, cell: u32| {
            let (mut x, mut y) = (cell % columns, cell / columns);
            if kind & 1 == 1 {
                x = columns - 1 - x;
            }
            if kind & 2 == 2 {
                y = rows - 1 - y;
            }
            if kind & 4 == 4 {
                (x, y) = (y, x);
            }
            y * columns + x
        };
        (1..turns).map(|kind| (0..self.cells()).map(|cell| image(kind, cell)).collect()).collect()
    }

    /// The search that fits a position, and the cells of the board that it has.
    ///
    /// # Errors
    /// The unknown value, if the search does not know the rule, or too many cells are free.
    fn game(&self, board: &MnkBoard) -> Result<Searched<'_>, Valuation> {
        if !self.is_known() {
            return Err(OTHER_RULE);
        }
        if self.cells() <= SOLVED_CELLS {
            let cells = (0..self.cells() as usize).collect();
            return Ok(Searched { game: Owned::Shared(self.whole()), cells, most: WHOLE_LIMIT });
        }
        let owner = |cell: &usize| self.owner(board, *cell);
        let cells: Vec<usize> = (0..self.cells() as usize).filter(|cell| owner(cell).is_none()).collect();
        if cells.len() > MOST_CELLS as usize {
            return Err(TOO_LARGE);
        }
        let lines = self.lines();
        let owner = |cell| self.owner(board, cell);
        let lines = lines.iter().map(Vec::as_slice);
        let game = Box::new(LineGame::rest(&cells, lines, owner, self.mover(board), u32::MAX));
        Ok(Searched { game: Owned::Own(game), cells, most: LIMIT })
    }

    /// The owner of a cell.
    fn owner(&self, board: &MnkBoard, cell: usize) -> Option<Seat> {
        let columns = usize::from(self.rules.columns());
        let (row, column) = (cell / columns + 1, cell % columns + 1);
        [Seat::FIRST, Seat::SECOND].into_iter().find(|seat| board.stone_rows(*seat)[row] >> column & 1 == 1)
    }

    /// The value of a position of a search.
    fn searched(&self, searched: &Searched<'_>, board: &MnkBoard) -> Valuation {
        let mover = self.mover(board);
        let set = |seat: Seat| -> u32 {
            let owned = |at: &usize| self.owner(board, searched.cells[*at]) == Some(seat);
            (0..searched.cells.len()).filter(owned).map(|at| 1 << at).sum()
        };
        let (own, other) = (set(mover), set(mover.other()));
        searched.game().valuation(own, other, &self.limit.begin(searched.most))
    }
}

/// A search, and the cells of the board in its order.
struct Searched<'a> {
    game: Owned<'a>,
    cells: Vec<usize>,
    most: u64,
}

enum Owned<'a> {
    Shared(&'a LineGame),
    Own(Box<LineGame>),
}

impl Searched<'_> {
    fn game(&self) -> &LineGame {
        match &self.game {
            Owned::Shared(game) => game,
            Owned::Own(game) => game,
        }
    }
}

const OTHER_RULE: Valuation =
    Valuation::Unknown { why: "only games in which a line of k or more wins are solved" };

const TOO_LARGE: Valuation = Valuation::Unknown { why: "too many cells are free" };

impl PositionValues<MnkBoard> for MnkValues {
    fn mover(&self, board: &MnkBoard) -> Seat {
        Seat::new(usize::from(board.plies() % 2))
    }

    fn of(&self, board: &MnkBoard) -> Valuation {
        self.game(board).map_or_else(|unknown| unknown, |game| self.searched(&game, board))
    }

    /// One search serves all moves.
    fn of_moves(&self, board: &MnkBoard, moves: &[MnkCell], values: &mut Vec<Valuation>) {
        let game = self.game(board);
        let mut after = *board;
        values.clear();
        values.extend(moves.iter().map(|mv| {
            let undo = after.play(*mv);
            let value = match (after.status(), &game) {
                (Status::ToMove(_), Ok(game)) => self.searched(game, &after),
                (Status::ToMove(_), Err(unknown)) => *unknown,
                _ => self.of_any(&after),
            };
            after.undo(undo);
            value.before()
        }));
    }
}
