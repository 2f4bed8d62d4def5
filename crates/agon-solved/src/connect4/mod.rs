//! Connect four: exact search, and an opening book.

mod book;
mod search;
#[cfg(test)]
mod tests;

use std::sync::OnceLock;

use agon_games::connect4::Grid;
use agon_seats::Seat;

use crate::limit::SearchLimit;
use crate::transposition::Transpositions;
use crate::value::{Remoteness, Solution, Valuation, Value};
use crate::values::PositionValues;
pub use book::{BookDepth, connect_four_book};
use book::{Booked, FourBook, soon};
use search::{Bits, FourSearch, STONES};

/// The hash table has 2 to the power of so many entries of eight bytes.
const BITS: u32 = 22;

/// The positions that a search may look at, by the number of stones on the board. With many stones
/// it always comes to an end; with few, only forced lines do.
fn limit(stones: u32) -> u64 {
    match stones {
        0..8 => 1_000_000,
        8..12 => 10_000_000,
        _ => u64::MAX,
    }
}

/// The values of connect four.
#[derive(Default)]
pub(crate) struct FourValues {
    seen: OnceLock<Transpositions>,
    book: OnceLock<FourBook>,
    limit: SearchLimit,
}

impl FourValues {
    /// With searches that give up at this limit.
    pub(crate) fn within(limit: SearchLimit) -> Self {
        FourValues { limit, ..FourValues::default() }
    }

    fn booked(&self, bits: Bits) -> Option<Booked> {
        if bits.wins_now() {
            return Some(Booked::Score(soon(bits)));
        }
        let book = self.book.get_or_init(FourBook::stored);
        if bits.stones() <= book.stones
            && let Some(booked) = book.get(bits)
        {
            return Some(booked);
        }
        let seen = self.seen.get_or_init(|| Transpositions::new(BITS));
        let look = |bits: Bits| book.score(bits);
        let left = self.limit.begin(limit(bits.stones()));
        FourSearch::new(seen, &look, book.stones, &left).score(bits).ok().map(Booked::Score)
    }
}

impl PositionValues<Grid> for FourValues {
    fn mover(&self, grid: &Grid) -> Seat {
        let stones = grid.stones(Seat::FIRST).count_ones() + grid.stones(Seat::SECOND).count_ones();
        Seat::new(stones as usize % 2)
    }

    fn of(&self, grid: &Grid) -> Valuation {
        let mover = self.mover(grid);
        let own = grid.stones(mover);
        let bits = Bits { own, taken: own | grid.stones(mover.other()) };
        let sign = |value| Solution { value, remoteness: Remoteness::Unknown }.into();
        let score = match self.booked(bits) {
            None => return Valuation::Unknown { why: "too many cells are free to search to the end" },
            Some(Booked::Won) => return sign(Value::Won),
            Some(Booked::Lost) => return sign(Value::Lost),
            Some(Booked::Score(0)) => return Solution::DRAWN.into(),
            Some(Booked::Score(score)) => score,
        };
        let value = if score > 0 { Value::Won } else { Value::Lost };
        let winner = if score > 0 { mover } else { mover.other() };
        // The winner's last stone, among the stones of both.
        let last = 2 * u32::from((STONES + 1 - score.abs()) as u8) - u32::from(winner == Seat::FIRST);
        Solution { value, remoteness: Remoteness::Plies((last - bits.stones()) as u16) }.into()
    }
}
