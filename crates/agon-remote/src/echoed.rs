//! Lines that go to the other machine and back as echoes.

use std::collections::VecDeque;

use crate::frame::WireFrame;

/// The longest line; a longer one is cut into several.
const LINE: usize = 64 * 1024;
/// So many lines may be under way.
const MOST: usize = 64;

/// The lines that are under way, and the beginning of the next one.
#[derive(Default, Debug)]
pub(crate) struct EchoedLines {
    rest: Vec<u8>,
    away: VecDeque<Vec<u8>>,
    /// The number of the last line that was sent.
    sent: u64,
}

impl EchoedLines {
    /// Takes bytes of lines. Returns what is to be sent for those that are whole.
    pub(crate) fn take(&mut self, bytes: &[u8]) -> Vec<WireFrame> {
        self.rest.extend_from_slice(bytes);
        let mut frames = Vec::new();
        while let Some(end) = self.end() {
            self.away.push_back(self.rest.drain(..end).collect());
            self.sent += 1;
            frames.push(WireFrame::Echo(self.sent));
        }
        frames
    }

    /// Where the next line ends, behind its newline.
    fn end(&self) -> Option<usize> {
        let newline = self.rest.iter().position(|byte| *byte == b'\n');
        newline.map(|at| at + 1).or_else(|| (self.rest.len() >= LINE).then_some(LINE))
    }

    /// The line that has come back with this number: they come in order, and other numbers are not
    /// those of lines.
    pub(crate) fn back(&mut self, number: u64) -> Option<Vec<u8>> {
        let oldest = self.sent + 1 - self.away.len() as u64;
        if number == oldest { self.away.pop_front() } else { None }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.away.len() >= MOST
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.away.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_back_whole_and_in_order_and_other_numbers_are_none_of_them() {
        let mut lines = EchoedLines::default();
        assert!(lines.take(b"on").is_empty() && lines.is_empty());
        assert_eq!(lines.take(b"e\ntwo\nthr"), [WireFrame::Echo(1), WireFrame::Echo(2)]);
        for wrong in [0, 2, u64::MAX] {
            assert_eq!(lines.back(wrong), None);
        }
        assert_eq!(lines.back(1), Some(b"one\n".to_vec()));
        assert_eq!(lines.back(1), None, "a second time");
        assert_eq!(lines.back(2), Some(b"two\n".to_vec()));
        assert!(lines.is_empty());
        assert_eq!(lines.back(3), None);
        assert_eq!(lines.take(&[b'x'; LINE + 1]), [WireFrame::Echo(3)], "one without an end");
    }
}
