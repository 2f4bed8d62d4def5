//! How a question is put to an engine, and when its clock starts.

use std::time::{Duration, Instant};

use agon_printable::escape;
use agon_seats::Seat;

use super::turn::Turn;
use super::{GameProcesses, Slot};
use crate::processes::Trouble;
use crate::processes::process::Process;

/// After so long it is looked for the first time whether a text was read, and later less often.
const FIRST_LOOK: Duration = Duration::from_micros(20);
const LAST_LOOK: Duration = Duration::from_millis(2);
/// The most characters of a line that nobody has heard.
const UNHEARD: usize = 100;

impl GameProcesses {
    /// Puts the question to a seat: its clock runs from the last byte told. [`GameProcesses::hear`]
    /// gives the answer.
    pub fn ask(&mut self, seat: Seat, allowance: Duration) {
        let at = self.open_turn(seat, allowance);
        if let Slot::Running(process) = &mut self.slots[seat] {
            // Lines behind its last answer came with it, and lie here: no later question is
            // answered by them.
            process.drop_unasked(at);
            if process.screen.prompt.is_none() {
                process.inbox.asked();
            }
            process.forget_prompt();
        }
        self.begin_clock(seat);
    }

    /// Goes on with a program whose lines are a conversation: what it has written since the last
    /// line that was heard comes first.
    pub fn go_on(&mut self, seat: Seat, text: &[u8], allowance: Duration) {
        if let Slot::Running(process) = &mut self.slots[seat] {
            process.thaw();
            process.tell(text, self.began);
        }
        self.open_turn(seat, allowance);
        self.begin_clock(seat);
        self.turn_mut().first_words = 0;
    }

    /// Goes on as [`GameProcesses::go_on`], and waits until the program has read the text. So all
    /// that it wrote before it read lies in its pipe, and is taken: [`GameProcesses::unheard`].
    ///
    /// # Errors
    /// The run is to stop, or the system refuses.
    pub(crate) fn go_on_when_read(
        &mut self,
        seat: Seat,
        text: &[u8],
        allowance: Duration,
    ) -> Result<(), Trouble> {
        self.go_on(seat, text, allowance);
        let mut now = Instant::now();
        let until = now + allowance;
        // Nothing tells when a pipe is empty.
        let mut look = FIRST_LOOK;
        let has_read =
            |process: &Process| process.ended() || process.outbox.is_empty() && process.unread() == 0;
        while now < until && !has_read(self.asked()) && self.unheard(seat).is_none() {
            now = self.wait(until.min(now + look), now)?;
            look = (look * 2).min(LAST_LOOK);
        }
        Ok(())
    }

    /// How many bytes of what it was told a seat has not read.
    pub fn unread(&self, seat: Seat) -> u64 {
        match &self.slots[seat] {
            Slot::Running(process) => process.unread(),
            Slot::Failed(_) | Slot::Waiting(..) | Slot::Vacant => 0,
        }
    }

    /// Holds the lines that a seat writes unasked, or drops them: those of a seat that was late may
    /// be its late answers.
    pub(crate) fn hold_lines(&mut self, seat: Seat, holds: bool) {
        if let Slot::Running(process) = &mut self.slots[seat] {
            process.holds = holds;
        }
    }

    /// Holds the lines of an engine that thinks on its opponent's time, until it is asked.
    pub(crate) fn hold_lines_for_ponder(&mut self, seat: Seat, holds: bool) {
        if let Slot::Running(process) = &mut self.slots[seat]
            && process.ponders != holds
        {
            process.ponders = holds;
            process.holds = holds;
        }
    }

    /// The whole lines that an engine has written while it thought on its opponent's time.
    pub(crate) fn take_pondered(&mut self, seat: Seat) -> Vec<Vec<u8>> {
        let at = self.began.elapsed();
        match &mut self.slots[seat] {
            Slot::Running(process) => process.take_pondered(at),
            Slot::Failed(_) | Slot::Waiting(..) | Slot::Vacant => Vec::new(),
        }
    }

    /// Whether an engine of UGI was seen to write an answer that nobody had asked for, in all its
    /// games. What lies there unasked is dropped.
    pub fn answers_twice(&mut self, seat: Seat) -> bool {
        let at = self.began.elapsed();
        match &mut self.slots[seat] {
            Slot::Running(process) => {
                process.drop_unasked(at);
                process.answers_twice
            }
            Slot::Failed(_) | Slot::Waiting(..) | Slot::Vacant => false,
        }
    }

    /// The whole lines of a seat that were held.
    pub(crate) fn take_held(&mut self, seat: Seat) -> Vec<Vec<u8>> {
        let at = self.began.elapsed();
        match &mut self.slots[seat] {
            Slot::Running(process) => process.take_held(at),
            Slot::Failed(_) | Slot::Waiting(..) | Slot::Vacant => Vec::new(),
        }
    }

    /// What a seat has written and nobody has heard, escaped and short. `None` if there is nothing.
    pub(crate) fn unheard(&mut self, seat: Seat) -> Option<String> {
        let Slot::Running(process) = &mut self.slots[seat] else { return None };
        process.read_stdout(Instant::now());
        let waiting = process.inbox.waiting();
        let line = waiting.split(|byte| *byte == b'\n').next().unwrap_or_default();
        (!waiting.is_empty()).then(|| escape(line, UNHEARD))
    }

    /// A turn that begins now. Returns the time since the game began.
    fn open_turn(&mut self, seat: Seat, allowance: Duration) -> Duration {
        let told_at = match &mut self.slots[seat] {
            Slot::Running(process) => {
                process.thaw();
                process.begin_turn();
                process.game.told_at
            }
            Slot::Failed(_) | Slot::Waiting(..) | Slot::Vacant => None,
        };
        let put = told_at.unwrap_or_else(Instant::now);
        self.turn = Some(Turn::new(seat, allowance, put));
        put.saturating_duration_since(self.began)
    }

    /// Starts the clock of the turn, if the engine is up.
    fn begin_clock(&mut self, seat: Seat) {
        let (Slot::Running(process), Some(turn)) = (&mut self.slots[seat], &mut self.turn) else { return };
        process.game.wakes = 0;
        turn.said_before = process.game.traffic.said;
        turn.dead = process.ended();
        if !process.answered {
            turn.first_words = self.told_since_greeting[seat];
        }
        if process.told() && process.up().is_some() {
            turn.start = Some(turn.put);
        }
    }
}
