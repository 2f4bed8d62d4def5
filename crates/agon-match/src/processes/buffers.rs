//! The bounded buffers between an engine's pipes and the harness: its lines, the log of its stderr,
//! and the transcript. None of them grows past its bound, for any output of the engine.

use std::collections::VecDeque;
use std::time::Duration;

use agon_printable::escape;
use agon_record::{EVIDENCE_LINES, TranscriptLine, Way};
use agon_seats::whole_micros;
use memchr::memchr;

use super::traffic_log::SeatLog;

/// The longest line an engine may write, in bytes. A move takes less than a hundred.
pub const MAX_LINE: usize = 64 * 1024;

/// What an engine has written to stdout and nobody has read as a line yet.
///
/// A line that was begun before the question is *stale*: neither it nor its end is an answer.
#[derive(Default)]
pub(super) struct LineInbox {
    bytes: Vec<u8>,
    /// The offset of the first line that was not yet taken.
    head: usize,
    /// No newline lies before this offset.
    scanned: usize,
    /// Whether the line at the head was begun before the question.
    stale: bool,
    /// How many bytes of the line at the head were dropped, because it is stale and long.
    dropped: usize,
    /// Whether `\r` alone ends a line as well, and the end of the output the last one.
    lenient: bool,
    /// Whether the last line ended in `\r`, so that a `\n` behind it belongs to it.
    after_cr: bool,
}

/// The next item of an inbox.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// A whole line that was begun after the question.
    Line(Vec<u8>),
    /// A whole line that was begun before the question.
    Stale(Vec<u8>),
    /// No whole line yet.
    Nothing,
    /// The beginning of a line longer than [`MAX_LINE`].
    TooLong(Vec<u8>),
}

impl LineInbox {
    /// An empty inbox. If it is `lenient`, `\r` alone ends a line as well, and the end of the
    /// output the last one.
    pub(super) fn new(lenient: bool) -> Self {
        LineInbox { lenient, ..LineInbox::default() }
    }

    /// The output has ended: a last line without its newline is whole, if that is allowed here and
    /// there is one.
    pub(super) fn finish(&mut self) -> bool {
        let is_due = self.lenient && self.head < self.bytes.len();
        if is_due {
            self.bytes.push(b'\n');
        }
        is_due
    }

    /// Appends to the inbox with `read`, which gets a vector without spare capacity.
    pub(super) fn fill<E>(
        &mut self,
        read: impl FnOnce(&mut Vec<u8>) -> Result<usize, E>,
    ) -> Result<usize, E> {
        if self.head == self.bytes.len() {
            self.bytes.clear();
            self.head = 0;
            self.scanned = 0;
        } else if self.head > MAX_LINE {
            self.bytes.drain(..self.head);
            self.scanned -= self.head;
            self.head = 0;
        }
        read(&mut self.bytes)
    }

    /// Marks the question: a line begun from here on is an answer, an unfinished one is not.
    pub(super) fn asked(&mut self) {
        if self.head < self.bytes.len() || self.dropped > 0 {
            self.stale = true;
        }
    }

    /// Takes the next line, without its newline.
    pub(super) fn next(&mut self) -> Next {
        if self.after_cr && self.head < self.bytes.len() {
            self.after_cr = false;
            if self.bytes[self.head] == b'\n' {
                self.head += 1;
                self.scanned = self.scanned.max(self.head);
            }
        }
        let fresh = &self.bytes[self.scanned..];
        let is_end = |byte: &u8| *byte == b'\n' || (self.lenient && *byte == b'\r');
        let Some(at) = fresh.iter().position(is_end) else {
            self.scanned = self.bytes.len();
            return self.unfinished_line();
        };
        let end = self.scanned + at;
        let line = self.bytes[self.head..end].to_vec();
        self.after_cr = self.bytes[end] == b'\r';
        self.head = end + 1;
        self.scanned = self.head;
        // The rest of a dropped line is not a line of its own: it could look like a move.
        let torn = std::mem::take(&mut self.dropped) > 0;
        let stale = std::mem::take(&mut self.stale);
        if torn {
            return Next::Stale(line);
        }
        // Whether its newline was read together with it depends on chance.
        if line.len() > MAX_LINE {
            return Next::TooLong(line);
        }
        if stale { Next::Stale(line) } else { Next::Line(line) }
    }

    /// The bytes that were not yet taken.
    pub(super) fn waiting(&self) -> &[u8] {
        &self.bytes[self.head..]
    }

    fn unfinished_line(&mut self) -> Next {
        let length = self.bytes.len() - self.head;
        // Reported only when it has grown, or the loop over the lines would not end.
        if length == 0 || self.dropped + length <= MAX_LINE {
            return Next::Nothing;
        }
        let beginning = self.bytes[self.head..].to_vec();
        self.dropped += length;
        self.head = self.bytes.len();
        self.scanned = self.head;
        Next::TooLong(beginning)
    }

    /// Drops whole lines until at most `most` are left. Returns how many were dropped.
    pub(super) fn drop_all_but_last_lines(&mut self, most: usize) -> u64 {
        let waiting = &self.bytes[self.head..];
        let lines = waiting.iter().filter(|byte| **byte == b'\n').count();
        let Some(surplus) = lines.checked_sub(most).filter(|surplus| *surplus > 0) else { return 0 };
        let mut ends = waiting.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let (end, _) = ends.nth(surplus - 1).expect("there are that many");
        self.head += end + 1;
        self.scanned = self.scanned.max(self.head);
        // The line at the head was one of them.
        self.stale = false;
        self.dropped = 0;
        surplus as u64
    }

    /// Ends the line that has no newline yet: what follows is another line. Returns its text.
    pub(super) fn cut(&mut self) -> Option<Vec<u8>> {
        let text = self.bytes.split_off(self.head);
        self.scanned = self.bytes.len();
        self.stale = false;
        self.dropped = 0;
        (!text.is_empty()).then_some(text)
    }

    /// The line that has no newline yet.
    pub(super) fn unfinished(&self) -> &[u8] {
        &self.bytes[self.head..]
    }
}

/// The head and the tail of a stream that may be endless.
#[derive(Default)]
pub(super) struct Log {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
}

/// How many bytes are kept of a log's head, and how many of its tail.
pub(crate) const LOG_HALF: usize = 32 * 1024;

impl Log {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let (first, rest) = bytes.split_at(bytes.len().min(LOG_HALF - self.head.len()));
        self.head.extend_from_slice(first);
        let rest = &rest[rest.len().saturating_sub(LOG_HALF)..];
        let surplus = (self.tail.len() + rest.len()).saturating_sub(LOG_HALF);
        self.tail.drain(..surplus);
        self.tail.extend(rest);
    }

    /// How many bytes were read, kept or not.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// The bytes kept, with a note about the gap.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut all = self.head.clone();
        let left_out = self.total - (self.head.len() + self.tail.len()) as u64;
        if left_out > 0 {
            all.extend_from_slice(format!("\n[... {left_out} bytes left out ...]\n").as_bytes());
        }
        all.extend(&self.tail);
        all
    }
}

/// How many lines of both directions are kept for the evidence.
pub(super) const KEPT_LINES: usize = EVIDENCE_LINES;
/// How many bytes of each line are kept.
const KEPT_BYTES: usize = 200;

/// A line of a transcript.
#[derive(Clone, Copy, Debug)]
struct KeptLine {
    at: Duration,
    way: Way,
    /// The number of the room where its beginning is.
    room: usize,
    /// How many bytes it had.
    length: usize,
}

/// The last lines in both directions, kept as evidence for a lost game.
#[derive(Clone, Default, Debug)]
pub struct Transcript {
    lines: VecDeque<KeptLine>,
    /// The beginnings of the lines, each in the room of its number. Room is given again, so that a
    /// ply costs no allocation.
    rooms: Vec<u8>,
    /// Where every line is logged whole, if it is.
    log: Option<SeatLog>,
}

impl Transcript {
    pub(super) fn log_to(&mut self, log: Option<SeatLog>) {
        self.log = log;
    }

    /// Takes where every line is logged, for the lines of another process.
    pub(super) fn take_log(&mut self) -> Option<SeatLog> {
        self.log.take()
    }

    /// Whether it has no lines.
    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Logs a line that the evidence need not have.
    pub(super) fn log_only(&self, at: Duration, way: Way, line: &[u8]) {
        if let Some(log) = &self.log {
            log.note(at, way, line);
        }
    }

    pub(super) fn note(&mut self, at: Duration, way: Way, line: &[u8]) {
        self.log_only(at, way, line);
        let room = if self.lines.len() == KEPT_LINES {
            self.lines.remove(self.least_wanted(way)).expect("it is full").room
        } else {
            let room = self.lines.len();
            if room == 0 {
                self.rooms.reserve_exact(KEPT_LINES * KEPT_BYTES);
            }
            self.rooms.resize((room + 1) * KEPT_BYTES, 0);
            room
        };
        let kept = line.len().min(KEPT_BYTES);
        self.rooms[room * KEPT_BYTES..][..kept].copy_from_slice(&line[..kept]);
        self.lines.push_back(KeptLine { at: whole_micros(at), way, room, length: line.len() });
    }

    /// Notes each line of a text, the last one also without its newline.
    pub(super) fn note_lines(&mut self, at: Duration, way: Way, text: &[u8]) {
        // A list of moves may be long: its end is looked for with the fastest means.
        let mut rest = text;
        while !rest.is_empty() {
            let end = memchr(b'\n', rest).unwrap_or(rest.len());
            self.note(at, way, &rest[..end]);
            rest = &rest[rest.len().min(end + 1)..];
        }
    }

    /// The place of the line that makes room for one of this kind: the oldest. But lines that
    /// nobody asked for leave half of the others, among which is the answer that lost the game.
    fn least_wanted(&self, way: Way) -> usize {
        if way != Way::Unasked {
            return 0;
        }
        let others = self.lines.iter().rposition(|line| line.way != Way::Unasked).map_or(0, |last| last + 1);
        if others <= KEPT_LINES / 2 { others } else { 0 }
    }

    /// The lines in the form of the record, escaped.
    pub fn heard(&self) -> Vec<TranscriptLine> {
        self.lines
            .iter()
            .map(|&KeptLine { at, way, room, length }| {
                let kept = &self.rooms[room * KEPT_BYTES..][..length.min(KEPT_BYTES)];
                let mut text = escape(kept, 4 * KEPT_BYTES);
                if length > kept.len() {
                    text.push_str(&format!("[... {} more bytes]", length - kept.len()));
                }
                TranscriptLine { at, way, text }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(inbox: &mut LineInbox, bytes: &[u8]) {
        let _ = inbox.fill(|room| -> Result<usize, ()> {
            room.extend_from_slice(bytes);
            Ok(bytes.len())
        });
    }

    fn line(text: &str) -> Next {
        Next::Line(text.as_bytes().to_vec())
    }

    #[test]
    fn lines_come_whole_however_they_arrive() {
        let mut inbox = LineInbox::default();
        put(&mut inbox, b"W,");
        assert_eq!(inbox.next(), Next::Nothing);
        put(&mut inbox, b"P\nB");
        assert_eq!(inbox.next(), line("W,P"));
        put(&mut inbox, b",P\n\n");
        assert_eq!(inbox.next(), line("B,P"));
        assert_eq!(inbox.next(), line(""));
        assert_eq!(inbox.next(), Next::Nothing);
    }

    #[test]
    fn a_lenient_inbox_takes_every_end_of_a_line_and_the_end_of_the_output() {
        let mut inbox = LineInbox::new(true);
        put(&mut inbox, b"1\r\n2\r3\n4\r");
        for text in ["1", "2", "3", "4"] {
            assert_eq!(inbox.next(), line(text));
        }
        put(&mut inbox, b"\n5");
        assert_eq!(inbox.next(), Next::Nothing, "the rest of an end of a line is no line");
        assert!(inbox.finish());
        assert_eq!((inbox.next(), inbox.finish()), (line("5"), false));
        let mut strict = LineInbox::new(false);
        put(&mut strict, b"1\r2");
        assert_eq!((strict.next(), strict.finish()), (Next::Nothing, false));
    }

    #[test]
    fn a_line_begun_before_the_question_is_stale_to_its_end() {
        let mut inbox = LineInbox::default();
        put(&mut inbox, b"W,1,1");
        assert_eq!(inbox.next(), Next::Nothing);
        inbox.asked();
        put(&mut inbox, b",1\nW,P\n");
        assert_eq!(inbox.next(), Next::Stale(b"W,1,1,1".to_vec()));
        assert_eq!(inbox.next(), line("W,P"));
    }

    #[test]
    fn a_prompt_that_is_cut_is_no_part_of_the_next_line() {
        let mut inbox = LineInbox::default();
        put(&mut inbox, b"O 4\nYour move: ");
        assert_eq!(inbox.next(), line("O 4"));
        assert_eq!(inbox.cut(), Some(b"Your move: ".to_vec()));
        assert_eq!((inbox.cut(), inbox.next()), (None, Next::Nothing));
        put(&mut inbox, b"I play 5\n");
        assert_eq!(inbox.next(), line("I play 5"));
    }

    #[test]
    fn a_line_without_end_is_cut_and_its_tail_is_no_line() {
        let mut inbox = LineInbox::default();
        put(&mut inbox, &vec![b'a'; MAX_LINE + 1]);
        assert!(matches!(inbox.next(), Next::TooLong(_)));
        for _ in 0..100 {
            put(&mut inbox, &vec![b'a'; MAX_LINE]);
            assert!(matches!(inbox.next(), Next::TooLong(_)));
            assert_eq!(inbox.next(), Next::Nothing, "a loop that takes all lines must end");
        }
        assert!(inbox.bytes.capacity() < 4 * MAX_LINE, "{}", inbox.bytes.capacity());
        put(&mut inbox, b"W,P\nB,P\n");
        assert_eq!(inbox.next(), Next::Stale(b"W,P".to_vec()));
        assert_eq!(inbox.next(), line("B,P"));
    }

    #[test]
    fn a_line_is_too_long_however_it_arrives() {
        for (length, parts) in [(MAX_LINE, 1), (MAX_LINE, 3), (MAX_LINE + 1, 1), (MAX_LINE + 1, 3)] {
            let mut inbox = LineInbox::default();
            let text = [vec![b'a'; length], b"\nW,P\n".to_vec()].concat();
            let mut found = Vec::new();
            for part in text.chunks(text.len().div_ceil(parts)) {
                put(&mut inbox, part);
                loop {
                    match inbox.next() {
                        Next::Nothing => break,
                        next => found.push(next),
                    }
                }
            }
            assert_eq!(matches!(found[0], Next::TooLong(_)), length > MAX_LINE, "{length} in {parts} parts");
            assert_eq!(found.last(), Some(&line("W,P")));
        }
    }

    #[test]
    fn of_a_flood_only_the_last_lines_are_looked_at() {
        let mut inbox = LineInbox::default();
        put(&mut inbox, b"half a ");
        assert_eq!(inbox.next(), Next::Nothing);
        inbox.asked();
        put(&mut inbox, b"line\n1\n2\n3\nrest");
        assert_eq!(inbox.drop_all_but_last_lines(4), 0);
        assert_eq!(inbox.drop_all_but_last_lines(2), 2);
        // The stale line is gone, and no other line counts as stale.
        assert_eq!(inbox.next(), line("2"));
        assert_eq!(inbox.next(), line("3"));
        assert_eq!(inbox.next(), Next::Nothing);
        assert_eq!(inbox.unfinished(), b"rest");
    }

    #[test]
    fn a_flood_of_unasked_lines_leaves_the_answer_in_the_transcript() {
        let mut transcript = Transcript::default();
        for number in 0..100 {
            transcript.note(Duration::ZERO, Way::Told, format!("told {number}").as_bytes());
        }
        transcript.note(Duration::ZERO, Way::Said, b"=6 Z99");
        transcript.note(Duration::ZERO, Way::Said, b"");
        for number in 0..1000 {
            transcript.note(Duration::ZERO, Way::Unasked, format!("unasked {number}").as_bytes());
        }
        let heard: Vec<String> = transcript.heard().into_iter().map(|line| line.text).collect();
        assert_eq!(heard.len(), KEPT_LINES);
        assert!(heard.contains(&"=6 Z99".to_owned()) && heard.contains(&"told 99".to_owned()), "{heard:?}");
        assert_eq!(heard[KEPT_LINES - 20..], (980..1000).map(|n| format!("unasked {n}")).collect::<Vec<_>>());
        for number in 0..100 {
            transcript.note(Duration::ZERO, Way::Told, format!("again {number}").as_bytes());
        }
        assert!(transcript.heard().iter().all(|line| line.text.starts_with("again ")));
    }

    #[test]
    fn a_log_keeps_head_and_tail_and_says_what_it_left_out() {
        let mut log = Log::default();
        for i in 0..100_000u32 {
            log.push(format!("{i}\n").as_bytes());
        }
        let kept = String::from_utf8(log.bytes()).unwrap();
        assert!(kept.starts_with("0\n1\n") && kept.ends_with("99998\n99999\n"));
        assert!(kept.contains("bytes left out"));
        assert!(kept.len() < 2 * LOG_HALF + 100);
        let mut short = Log::default();
        short.push(b"hello");
        assert_eq!(short.bytes(), b"hello");
    }
}
