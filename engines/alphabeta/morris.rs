//! Six and nine men's morris: men, mills, open mills, and room to move.

use agon_games::morris::{FEWEST, MorrisPosition, QUIET_PLIES, points};
use agon_seats::Seat;

use super::evaluate::{Evaluate, key_of};

const MAN: i32 = 100;
const MILL: i32 = 30;
/// The value of a mill that lacks one man on a free point.
const OPEN: i32 = 12;
/// The value of a point to move to.
const ROOM: i32 = 4;

fn worth(position: &MorrisPosition, seat: Seat) -> i32 {
    let (men, free) = (position.men(seat), position.free());
    let left = men.count_ones() + u32::from(position.hand(seat));
    let mut worth = left as i32 * MAN;
    for mill in position.layout().mills() {
        match (men & mill).count_ones() {
            3 => worth += MILL,
            2 if free & mill != 0 => worth += OPEN,
            _ => {}
        }
    }
    let flies = position.rules().flying && left == FEWEST;
    if !flies {
        let room: u32 = points(men).map(|from| (position.layout().joined(from) & free).count_ones()).sum();
        worth += room as i32 * ROOM;
    }
    worth
}

impl Evaluate for MorrisPosition {
    /// The plies without a removal matter only near the draw.
    fn key(&self) -> u64 {
        let left = QUIET_PLIES - self.quiet();
        let [first, second] = [Seat::FIRST, Seat::SECOND].map(|seat| (self.men(seat), self.hand(seat)));
        key_of(&(first, second, self.to_move(), if left < 40 { left } else { 40 }))
    }

    fn evaluate(&self) -> i32 {
        let own = self.to_move();
        worth(self, own) - worth(self, own.other())
    }

    /// A removal restarts the count, so there is no bound.
    fn plies_left(&self) -> u32 {
        u32::MAX
    }

    fn promise(&self, mv: Self::Move) -> i32 {
        if mv.removed.is_some() { 700 } else { self.layout().joined(mv.to).count_ones() as i32 }
    }
}
