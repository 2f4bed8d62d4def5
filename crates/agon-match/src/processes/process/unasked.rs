//! Lines that an engine writes when no question is open: dropped, held, or those of an engine that
//! thinks on its opponent's time.

use std::time::Duration;

use agon_record::Way;

use super::Process;
use crate::processes::buffers::{KEPT_LINES, Next};

/// The word with which engines of UGI and its relatives answer.
const ANSWER: &[u8] = b"bestmove";
/// The most bytes of unasked lines that are held.
const MOST_HELD: usize = 256 * 1024;

impl Process {
    /// Lines in the inbox came without a question: they are noted and answer nothing.
    pub(in crate::processes) fn drop_unasked(&mut self, at: Duration) {
        if self.holds && self.inbox.waiting().len() <= MOST_HELD {
            return;
        }
        // The other's clock may be running: a flood is counted at once, and only its end is looked
        // at by line.
        let dropped = self.inbox.drop_all_but_last_lines(KEPT_LINES);
        self.count_unasked(dropped);
        loop {
            match self.inbox.next() {
                Next::Line(line) | Next::Stale(line) | Next::TooLong(line) => self.unasked(at, &line),
                Next::Nothing => return,
            }
        }
    }

    /// The whole lines that were held. They were written before a question, and do not answer it.
    pub(in crate::processes) fn take_held(&mut self, at: Duration) -> Vec<Vec<u8>> {
        let mut lines = Vec::new();
        loop {
            match self.inbox.next() {
                Next::Line(line) | Next::Stale(line) | Next::TooLong(line) => {
                    self.unasked(at, &line);
                    lines.push(line);
                }
                Next::Nothing => return lines,
            }
        }
    }

    /// The whole lines that were held of an engine that was let think. They are no answer either,
    /// and it was told to write them.
    pub(in crate::processes) fn take_pondered(&mut self, at: Duration) -> Vec<Vec<u8>> {
        let mut lines = Vec::new();
        loop {
            match self.inbox.next() {
                Next::Line(line) => {
                    self.game.transcript.note(at, Way::Said, &line);
                    lines.push(line);
                }
                Next::Stale(line) | Next::TooLong(line) => self.unasked(at, &line),
                Next::Nothing => return lines,
            }
        }
    }

    /// Notes a line that answers nothing.
    pub(in crate::processes) fn unasked(&mut self, at: Duration, line: &[u8]) {
        self.answers_twice |= line.split(|byte| *byte == b' ').next() == Some(ANSWER);
        self.count_unasked(1);
        self.game.transcript.note(at, Way::Unasked, line);
    }
}
