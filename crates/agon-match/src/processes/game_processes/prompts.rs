//! Prompts: lines that a program leaves unfinished while it waits for its input.

use std::time::Instant;

use agon_seats::{Seat, whole_micros};

use super::{Answer, GameProcesses, Slot, Trouble};

impl GameProcesses {
    /// The unfinished line of the seat that was asked, if it waits behind the line and the line was
    /// not heard yet. If the seat has written more meanwhile, that may be a whole line.
    pub(super) fn settled_prompt(&mut self) -> Result<Option<Answer>, Trouble> {
        if !self.asked().has_prompt() {
            return Ok(None);
        }
        let now = Instant::now();
        // A program that was held up by a full pipe goes on when that is read.
        if self.asked_mut().read_stdout(now) {
            return self.next_answer(now);
        }
        Ok(if self.asked().waits_at_prompt(now) { self.any_prompt() } else { None })
    }

    /// The same, whether it waits or not.
    pub(super) fn any_prompt(&mut self) -> Option<Answer> {
        let turn = self.turn();
        let (start, excused, allowance) = (turn.asked(), turn.excused, turn.allowance);
        let at = self.began.elapsed();
        let process = self.asked_mut();
        if !process.has_prompt() {
            return None;
        }
        let (line, grew) = process.hear_prompt(at)?;
        let time = whole_micros(grew.saturating_duration_since(start).saturating_sub(excused)).min(allowance);
        Some(Answer { line, time, whole: false })
    }

    /// The unfinished line of a seat was understood: what it writes next is another line.
    pub(crate) fn take_prompt(&mut self, seat: Seat) {
        if let Slot::Running(process) = &mut self.slots[seat] {
            process.inbox.cut();
            process.forget_prompt();
        }
    }
}
