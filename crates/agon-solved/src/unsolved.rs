//! Games of which no position is solved.

use agon_games::abalone::AbalonePosition;
use agon_seats::Seat;

use crate::value::Valuation;
use crate::values::PositionValues;

/// Says "unknown" of each position in which the game goes on.
pub(crate) struct Unsolved;

impl PositionValues<AbalonePosition> for Unsolved {
    fn mover(&self, position: &AbalonePosition) -> Seat {
        position.to_move()
    }

    fn of(&self, _: &AbalonePosition) -> Valuation {
        Valuation::Unknown { why: "abalone is not solved" }
    }
}
