//! Engines that wait for input: they are asked once more if they have not answered, and asked only
//! when they read again.
//!
//! Some engines drop a command that comes too soon after their move, or refuse one and then wait
//! for another. They sit in a read of their input and would lose on time.

use std::time::{Duration, Instant};

use agon_seats::Seat;

use super::watching::{NOISY, drain};
use super::{Answer, GameProcesses, LOOK_EVERY, Slot, Trouble};

/// How often an engine is looked at whose input is waited for.
const STEP: Duration = Duration::from_micros(200);
/// The most processor time that helper processes use from one look to the next while their engine
/// is idle.
const HELPERS_REST: Duration = Duration::from_millis(1);

/// How a question is put once more.
pub(super) enum AskAgain {
    /// It has not been. This is what it would be put with.
    Ready {
        text: Vec<u8>,
        /// Since when the engine has been seen to wait, and the processor time it had used by then.
        idle: Option<(Instant, Duration)>,
    },
    /// It has been.
    Done,
}

impl GameProcesses {
    /// Puts the open question once more with this text. It does so if the engine is seen to wait
    /// for input and to use no processor for a while. The engine's clock runs on.
    pub(crate) fn ask_again_if_idle(&mut self, text: Vec<u8>) {
        self.turn_mut().again = Some(AskAgain::Ready { text, idle: None });
    }

    /// Whether the open question was put once more: it may have two answers.
    pub(crate) fn was_asked_again(&self) -> bool {
        matches!(self.turn().again, Some(AskAgain::Done))
    }

    /// Asks the engine once more if it has been idle from one look to the next.
    pub(super) fn look_whether_idle(&mut self, now: Instant) {
        let Some(AskAgain::Ready { idle, .. }) = &self.turn().again else { return };
        let before = *idle;
        let process = self.asked();
        let cpu = process.cpu_now();
        // The server of Wine keeps the time of Windows, sixty times a second.
        let rest = if process.has_helpers { HELPERS_REST } else { Duration::ZERO };
        let since = match before {
            _ if process.reads_input() != Some(true) => None,
            Some((since, used)) if cpu <= used + rest => Some((since, cpu)),
            _ => Some((now, cpu)),
        };
        let is_due = since.is_some_and(|(since, _)| now.saturating_duration_since(since) >= LOOK_EVERY);
        let began = self.began;
        match &mut self.turn_mut().again {
            Some(AskAgain::Ready { text, .. }) if is_due => {
                let text = std::mem::take(text);
                self.turn_mut().again = Some(AskAgain::Done);
                self.asked_mut().tell(&text, began);
            }
            Some(AskAgain::Ready { idle, .. }) => *idle = since,
            Some(AskAgain::Done) | None => {}
        }
    }

    /// Waits until a seat reads its input again after its last answer, at most for `bound`. No
    /// question is open, and no clock runs.
    ///
    /// # Errors
    /// [`Trouble::Stopped`], or ours.
    pub(crate) fn await_reader(&mut self, seat: Seat, bound: Duration) -> Result<(), Trouble> {
        // The last question has been answered: a line that is written now answers nothing.
        self.turn = None;
        let mut now = Instant::now();
        let until = now + bound;
        let Slot::Running(process) = &mut self.slots[seat] else { return Ok(()) };
        if process.thaw() || process.game.wakes > NOISY {
            drain(process, self.began, &mut self.scratch);
        }
        loop {
            let Slot::Running(process) = &self.slots[seat] else { return Ok(()) };
            let works = !process.ended() && process.reads_input() == Some(false);
            if !works || now >= until {
                return Ok(());
            }
            now = self.wait((now + STEP).min(until), now)?;
        }
    }

    /// A further line in a turn that has an answer already; nothing if the engine waits for input,
    /// ends, or has no time left.
    ///
    /// # Errors
    /// [`Trouble`], as [`GameProcesses::hear`] has it.
    pub(crate) fn hear_until_idle(&mut self) -> Result<Option<Answer>, Trouble> {
        let mut now = Instant::now();
        loop {
            if let Some(answer) = self.next_answer(now)? {
                return Ok(Some(answer));
            }
            let process = self.asked();
            let is_over =
                process.ended() || process.stdout().is_none() || process.reads_input() != Some(false);
            if is_over || now >= self.turn().deadline() {
                // What it wrote before it waited lies in its pipe.
                self.asked_mut().read_stdout(now);
                return self.next_answer(now);
            }
            now = self.wait((now + STEP).min(self.turn().deadline()), now)?;
        }
    }
}
