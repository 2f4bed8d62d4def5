//! Positions of renju that are read from a text: how a forbidden move may stand in it.

use super::cells::MnkCell;
use super::{End, MnkBoard};
use crate::{Refusal, Seat};

impl MnkBoard {
    /// This position of a text, unless a forbidden line should have ended the game by it.
    pub(super) fn has_no_overline(self) -> Result<Self, Refusal> {
        let first = self.rules.seat_names()[Seat::FIRST.index()];
        let has_won = self.end == End::Line && self.turn() == Seat::SECOND;
        if self.has_overline() && !has_won {
            return Err(Refusal::unreadable(format!(
                "{first} has six or more in a line, which ended the game; if the last move did it, write {} there",
                self.rules.foul_sign()
            )));
        }
        Ok(self)
    }

    /// This position of a text, in which the first seat has lost by its stone on this cell.
    pub(super) fn ended_by(mut self, cell: MnkCell, to_move: Seat) -> Result<Self, Refusal> {
        let first = self.rules.seat_names()[Seat::FIRST.index()];
        let mark = self.rules.foul_sign();
        if to_move == Seat::FIRST {
            return Err(Refusal::unreadable(format!(
                "the {mark} on {cell} is {first}'s last move, and {first} is to move"
            )));
        }
        let mut before = self;
        before.first.flip(cell);
        if before.has_line(Seat::FIRST) || before.has_line(Seat::SECOND) || before.has_overline() {
            return Err(Refusal::unreadable(format!(
                "a side has a line, so the game was over before {first} made the last move on {cell}"
            )));
        }
        self.end = self.end_after(Seat::FIRST, cell);
        match self.end {
            End::Foul(..) => Ok(self),
            _ => Err(Refusal::unreadable(format!(
                "the {mark} on {cell} means a forbidden move, and this one is not"
            ))),
        }
    }
}
