//! What each solved game offers: values of typed positions.

use agon_games::{Ending, Position, Status};
use agon_seats::Seat;

use crate::stored::Warning;
use crate::value::{Remoteness, Solution, Valuation, Value};

/// The values of one game with its options.
pub(crate) trait PositionValues<P: Position>: Send + Sync {
    /// The side to move, or the one that would be next.
    fn mover(&self, position: &P) -> Seat;

    /// The value of a position in which the game is not over.
    fn of(&self, position: &P) -> Valuation;

    /// The value of each of these legal moves for the side to move, with this ply counted.
    fn of_moves(&self, position: &P, moves: &[P::Move], values: &mut Vec<Valuation>) {
        values.clear();
        let mut after = position.clone();
        values.extend(moves.iter().map(|mv| {
            let undo = after.play(*mv);
            let value = self.of_any(&after);
            after.undo(undo);
            value.before()
        }));
    }

    /// The value of any position, also of one in which the game is over.
    fn of_any(&self, position: &P) -> Valuation {
        match position.status() {
            Status::ToMove(_) => self.of(position),
            Status::Over(Ending::Draw(_)) => Solution::DRAWN.into(),
            Status::Over(Ending::Win(seat, _)) => {
                let value = if seat == self.mover(position) { Value::Won } else { Value::Lost };
                Solution { value, remoteness: Remoteness::Plies(0) }.into()
            }
        }
    }

    /// Whether earlier positions of the game, or a count of plies, could make the result of perfect
    /// play differ from this solution.
    fn history_could_change(&self, _: &P, _: Solution) -> bool {
        false
    }

    /// Makes now what is otherwise made on first use.
    fn prepare(&self) {}

    /// The warnings since the last call.
    fn take_warnings(&self) -> Vec<Warning> {
        Vec::new()
    }
}
