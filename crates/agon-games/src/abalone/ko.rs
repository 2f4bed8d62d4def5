//! The boards a game has seen, for the Ko rule: none may come back.

use super::MOVES_A_SIDE;
use super::board::AbaloneBoard;

/// The boards of the longest game.
const BOARDS: usize = 2 * MOVES_A_SIDE as usize + 1;

/// More than twice as many, so that a free place is never far.
const PLACES: usize = 1024;
const _: () = assert!(PLACES > 2 * BOARDS);

/// Every board of a game in order, found again at once.
///
/// Whole boards are compared, so no two are ever mistaken for each other. Beside them lies a table of their
/// numbers plus one (0 is a free place), looked through from the place the hash names to the first free one.
/// Boards are forgotten in the opposite order of their coming, so that a place given free never lies on the way
/// to another board.
#[derive(Clone, Debug)]
pub(super) struct PastPositions {
    boards: Vec<AbaloneBoard>,
    places: Box<[u16; PLACES]>,
}

/// Two games have seen the same when they have seen the same boards in the same order.
impl PartialEq for PastPositions {
    fn eq(&self, other: &PastPositions) -> bool {
        self.boards == other.boards
    }
}

impl PastPositions {
    /// A game that has seen its start.
    pub(super) fn new(start: AbaloneBoard) -> Self {
        let mut seen = PastPositions { boards: Vec::with_capacity(BOARDS), places: Box::new([0; PLACES]) };
        seen.push(start);
        seen
    }

    /// How many boards there have been, the start included.
    pub(super) fn len(&self) -> usize {
        self.boards.len()
    }

    /// The number of this board, 0 the start, if it has been there.
    pub(super) fn find(&self, board: &AbaloneBoard) -> Option<usize> {
        let number = usize::from(self.places[self.place(board)]);
        number.checked_sub(1)
    }

    /// Notes a board that has not been there yet.
    pub(super) fn push(&mut self, board: AbaloneBoard) {
        let place = self.place(&board);
        self.boards.push(board);
        self.places[place] = u16::try_from(self.boards.len()).expect("a game is over after 400 plies");
    }

    /// Forgets the last board.
    pub(super) fn pop(&mut self) {
        let last = self.boards.last().expect("a game has seen its start");
        let place = self.place(last);
        self.places[place] = 0;
        self.boards.pop();
    }

    /// The place where this board's number is, or would be.
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
