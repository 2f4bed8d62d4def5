//! What is special about a program that is made for people: its terminal, and prompts that end
//! without a newline.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use agon_record::Way;
use agon_sandbox::{process_tree as tree, terminal};

use super::Process;
use crate::processes::buffers::Next;

/// The longest command of a terminal, in bytes. What goes on is text.
const LONGEST: u32 = 4096;
/// How long output must have come to rest before a line without its newline is taken for a prompt.
/// The first is for a system that does not tell whether the program waits, the second for a program
/// that goes on computing.
const QUIET: Duration = Duration::from_millis(20);
const QUIET_IF_BUSY: Duration = Duration::from_millis(250);
/// How long one look at its processes may take.
const GLANCE: Duration = Duration::from_millis(2);
/// The shortest and the longest time between two looks at a program that may wait at a prompt.
const LOOK: Duration = Duration::from_micros(200);
const LAST_LOOK: Duration = Duration::from_millis(20);

/// Takes the commands for a terminal out of what a program writes: colours, movements of the
/// cursor, titles.
#[derive(Default)]
pub(super) struct Escapes {
    state: State,
    /// The length of the command so far.
    length: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum State {
    #[default]
    Text,
    /// After ESC.
    Escape,
    /// After `ESC (` and the like, which one more byte ends.
    Charset,
    /// After `ESC [`, until a letter.
    Control,
    /// After `ESC ]` and the like, until BEL or `ESC \`.
    Words,
    /// The same, after ESC.
    WordsEscape,
}

impl Escapes {
    /// Takes them out of what lies in `bytes` from `from` on. One may have begun in what came
    /// before.
    pub(super) fn strip(&mut self, bytes: &mut Vec<u8>, from: usize) {
        if self.state == State::Text && !bytes[from..].iter().any(|byte| matches!(byte, 7 | 8 | 0x1b)) {
            return;
        }
        let fresh = bytes.split_off(from);
        for byte in fresh {
            self.take(byte, bytes);
        }
    }

    fn take(&mut self, byte: u8, out: &mut Vec<u8>) {
        self.length = if self.state == State::Text { 0 } else { self.length + 1 };
        self.state = match (self.state, byte) {
            (State::Text, 0x1b) => State::Escape,
            (State::Text, 7 | 8) => State::Text,
            (State::Text, _) => {
                out.push(byte);
                State::Text
            }
            // A newline ends everything: a line must not be lost for a command that never ends.
            (_, b'\n') => {
                out.push(byte);
                State::Text
            }
            (State::Escape, b'[') => State::Control,
            (State::Escape, b']' | b'P' | b'X' | b'^' | b'_') => State::Words,
            (State::Escape, b' '..=b'/') => State::Charset,
            (State::Escape | State::WordsEscape, 0x1b) => State::Escape,
            (State::Escape | State::WordsEscape | State::Charset, _) => State::Text,
            (State::Control, 0x40..=0x7e) => {
                // What was written elsewhere on the screen is another word.
                let moves = matches!(byte, b'A'..=b'H' | b'd' | b'f' | b'`');
                if moves && out.last().is_some_and(|last| !last.is_ascii_whitespace()) {
                    out.push(b' ');
                }
                State::Text
            }
            (State::Words, 7) => State::Text,
            (State::Words, 0x1b) => State::WordsEscape,
            (state, _) if self.length < LONGEST => state,
            _ => State::Text,
        };
    }
}

/// What is to be sent: a terminal takes long lines in pieces.
pub(super) fn to_send(text: &[u8], to_terminal: bool) -> Cow<'_, [u8]> {
    if to_terminal { terminal::in_pieces(text) } else { Cow::Borrowed(text) }
}

/// What is known of the line that a program has not finished.
pub(in crate::processes) struct PromptWatch {
    /// When its output was read last.
    pub(in crate::processes) grew: Instant,
    /// How much of the unfinished line was heard.
    pub(in crate::processes) heard: usize,
}

impl PromptWatch {
    pub(super) fn new(started: Instant) -> Self {
        PromptWatch { grew: started, heard: 0 }
    }
}

impl Process {
    /// Counts lines that answer nothing. Text for people comes at any time, and nobody is to blame
    /// for it.
    pub(super) fn count_unasked(&mut self, lines: u64) {
        if self.screen.prompt.is_none() {
            self.game.traffic.unasked += lines;
        }
    }

    /// Ends the input of a program on a terminal.
    pub(super) fn end_terminal(&mut self) {
        if self.screen.is_terminal
            && let Some(stdin) = &self.stdin
            && !terminal::end_input(stdin)
        {
            self.stdout = None; // a terminal is closed as a whole
        }
    }

    /// Whether there is text of an unfinished line that was not heard yet.
    pub(in crate::processes) fn has_prompt(&self) -> bool {
        self.screen.prompt.as_ref().is_some_and(|prompt| self.inbox.unfinished().len() > prompt.heard)
    }

    /// When to look again whether it waits at a prompt.
    pub(in crate::processes) fn next_look(&self, now: Instant) -> Option<Instant> {
        let prompt = self.screen.prompt.as_ref().filter(|_| self.has_prompt())?;
        let quiet = now.saturating_duration_since(prompt.grew);
        Some(now + (quiet / 4).clamp(LOOK, LAST_LOOK))
    }

    /// Whether it waits behind what it has written.
    pub(in crate::processes) fn waits_at_prompt(&self, now: Instant) -> bool {
        let Some(prompt) = &self.screen.prompt else { return false };
        let quiet = now.saturating_duration_since(prompt.grew);
        match tree::all_wait(&self.roots(), self.ours(), GLANCE) {
            Some(true) => true,
            Some(false) => quiet >= QUIET_IF_BUSY,
            None => quiet >= QUIET,
        }
    }

    /// Hears the unfinished line as it is. Returns it with the time at which its last byte was
    /// read.
    pub(in crate::processes) fn hear_prompt(&mut self, at: Duration) -> Option<(Vec<u8>, Instant)> {
        let text = self.inbox.unfinished().to_vec();
        let prompt = self.screen.prompt.as_mut()?;
        prompt.heard = text.len();
        let grew = prompt.grew;
        self.game.transcript.note(at, Way::Said, &text);
        Some((text, grew))
    }

    /// A new line or a new question: an unfinished line is heard from its beginning.
    pub(in crate::processes) fn forget_prompt(&mut self) {
        if let Some(prompt) = &mut self.screen.prompt {
            prompt.heard = 0;
        }
    }

    /// It is about to be told something. What it has written before is no answer to that, and its
    /// prompt ends as a line does, because people end it with theirs.
    pub(in crate::processes) fn end_prompt(&mut self, at: Duration) {
        let Some(heard) = self.screen.prompt.as_ref().map(|prompt| prompt.heard) else { return };
        let now = Instant::now();
        for _ in 0..8 {
            if !self.read_stdout(now) {
                break;
            }
        }
        while let Next::Line(line) | Next::Stale(line) | Next::TooLong(line) = self.inbox.next() {
            self.unasked(at, &line);
        }
        if let Some(text) = self.inbox.cut()
            && text.len() > heard
        {
            self.unasked(at, &text);
        }
        self.forget_prompt();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left of a text that comes in pieces of this length.
    fn stripped(text: &str, length: usize) -> String {
        let (mut escapes, mut left) = (Escapes::default(), Vec::new());
        for piece in text.as_bytes().chunks(length) {
            let before = left.len();
            left.extend_from_slice(piece);
            escapes.strip(&mut left, before);
        }
        String::from_utf8(left).unwrap()
    }

    #[test]
    fn colours_and_titles_are_taken_out_however_they_arrive() {
        let cases = [
            ("\x1b[1;31mX\x1b[0m|\x1b[32mO\x1b[m\n", "X|O\n"),
            ("\x1b]0;four in a row\x07move: ", "move: "),
            ("\x1b]2;title\x1b\\4\n", "4\n"),
            ("\x1b[2J\x1b[Hboard\x1b[5;1Hmove\n", "board move\n"),
            ("\x1b(B\x1b=\x1b[?25lä\x07\r\n", "ä\r\n"),
            ("\x1b]no end\n4\n", "\n4\n"),
            ("\x1b\n5\n", "\n5\n"),
        ];
        for (text, left) in cases {
            for length in 1..=text.len() {
                assert_eq!(stripped(text, length), left, "{text:?} in pieces of {length}");
            }
        }
    }

    #[test]
    fn a_command_without_an_end_hides_no_more_than_its_bound() {
        let text = format!("\x1b]{}4", "a".repeat(2 * LONGEST as usize));
        assert!(stripped(&text, 100).ends_with("a4"));
    }
}
