//! The earlier boards of a game, for the Ko rule: none may be repeated.

use super::MOVES_A_SIDE;
use super::board::AbaloneBoard;

/// The number of boards in the longest game.
const BOARDS: usize = 2 * MOVES_A_SIDE as usize + 1;

/// More than twice as many, so that a free slot is never far.
const PLACES: usize = 1024;
const _: () = assert!(PLACES > 2 * BOARDS);

/// Every board of a game in order, found in constant time.
///
/// Whole boards are compared, so no two are ever confused. A hash table beside them holds their
/// numbers plus one (0 is a free slot), with linear probing. Boards are removed in the opposite
/// order of insertion, so a freed slot never interrupts the probe of another board.
#[derive(Clone, Debug)]
pub(super) struct PastPositions {
    boards: Vec<AbaloneBoard>,
    places: Box<[u16; PLACES]>,
}

/// Two are equal if they hold the same boards in the same order.
impl PartialEq for PastPositions {
    fn eq(&self, other: &PastPositions) -> bool {
        self.boards == other.boards
    }
}

impl PastPositions {
    /// The boards of a game at its start.
    pub(super) fn new(start: AbaloneBoard) -> Self {
        let mut seen = PastPositions { boards: Vec::with_capacity(BOARDS), places: Box::new([0; PLACES]) };
        seen.push(start);
        seen
    }

    /// The number of boards, the start included.
    pub(super) fn len(&self) -> usize {
        self.boards.len()
    }

    /// The number of this board, 0 for the start, if it has occurred.
    pub(super) fn find(&self, board: &AbaloneBoard) -> Option<usize> {
        let number = usize::from(self.places[self.place(board)]);
        number.checked_sub(1)
    }

    /// Adds a board that has not occurred yet.
    pub(super) fn push(&mut self, board: AbaloneBoard) {
        let place = self.place(&board);
        self.boards.push(board);
        self.places[place] = u16::try_from(self.boards.len()).expect("a game is over after 400 plies");
    }

    /// Removes the last board.
    pub(super) fn pop(&mut self) {
        let last = self.boards.last().expect("a game has seen its start");
        let place = self.place(last);
        self.places[place] = 0;
        self.boards.pop();
    }

    /// The slot of this board, or the free one for it.
    fn place(&self, board: &AbaloneBoard) -> usize {
        let mut place = board.hash() as usize % PLACES;
        loop {
            match self.places[place] {
                0 => return place,
                number if self.boards[usize::from(number) - 1] == *board => return place,
                _ => place = (place + 1) % PLACES,
            }
        }
    }
}
