//! The Go Text Protocol as it goes over the pipes: commands with numbers, one at a time, and their
//! answers.
//!
//! An answer is `=` or `?`, the number of its command, and words; an empty line ends it. Lines
//! before an answer, and lines that begin with `#`, mean nothing. An engine that does not know
//! numbers of commands answers the first one with `?` and no number; then it is sent commands
//! without numbers.
//!
//! The protocol is that of G. Farnebäck, "Specification of the Go Text Protocol, version 2".

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use agon_printable::escape;
use agon_seats::{Clock, TimeControl};

use super::Reply;

/// The letters of the columns. There is no I.
pub(super) const COLUMNS: &[u8; MOST] = b"ABCDEFGHJKLMNOPQRSTUVWXYZ";

/// The most columns that have letters.
pub(super) const MOST: usize = 25;

/// The longest words of an engine in a reason, in bytes.
pub(super) const WORDS: usize = 200;

/// The colour of a seat: `B` or `W`.
pub(super) type Colour = char;

/// A command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Command {
    Name,
    Version,
    ListCommands,
    BoardSize(usize),
    ClearBoard,
    Komi(String),
    TimeSettings { main: u64, period: u64, stones: u32 },
    Play(Colour, String),
    TimeLeft { colour: Colour, seconds: u64, stones: u32 },
    GenMove(Colour),
}

impl Command {
    fn name(&self) -> &'static str {
        match self {
            Command::Name => "name",
            Command::Version => "version",
            Command::ListCommands => "list_commands",
            Command::BoardSize(_) => "boardsize",
            Command::ClearBoard => "clear_board",
            Command::Komi(_) => "komi",
            Command::TimeSettings { .. } => "time_settings",
            Command::Play(..) => "play",
            Command::TimeLeft { .. } => "time_left",
            Command::GenMove(_) => "genmove",
        }
    }

    /// The command with its arguments.
    pub(super) fn words(&self) -> String {
        let name = self.name();
        match self {
            Command::Name | Command::Version | Command::ListCommands | Command::ClearBoard => name.to_owned(),
            Command::BoardSize(size) => format!("{name} {size}"),
            Command::Komi(komi) => format!("{name} {komi}"),
            Command::TimeSettings { main, period, stones } => format!("{name} {main} {period} {stones}"),
            Command::Play(colour, vertex) => format!("{name} {colour} {vertex}"),
            Command::TimeLeft { colour, seconds, stones } => format!("{name} {colour} {seconds} {stones}"),
            Command::GenMove(colour) => format!("{name} {colour}"),
        }
    }

    /// Whether it is left out where an engine does not know it.
    fn is_optional(&self) -> bool {
        matches!(self, Command::TimeSettings { .. } | Command::TimeLeft { .. } | Command::Komi(_))
    }

    /// The time control, before a game.
    pub(super) fn time_settings(control: TimeControl) -> Self {
        match control {
            TimeControl::PerMove(time) => Command::TimeSettings { main: 0, period: seconds(time), stones: 1 },
            TimeControl::WholeGame { base, .. } => {
                Command::TimeSettings { main: seconds(base), period: 0, stones: 0 }
            }
            TimeControl::Repeating { moves, base, .. } => {
                Command::TimeSettings { main: 0, period: seconds(base), stones: moves }
            }
        }
    }

    /// The time that is left, if the clock is for several moves.
    pub(super) fn time_left(colour: Colour, clock: &Clock) -> Option<Self> {
        match clock.control() {
            TimeControl::PerMove(_) => None,
            TimeControl::WholeGame { .. } | TimeControl::Repeating { .. } => Some(Command::TimeLeft {
                colour,
                seconds: seconds(clock.left()),
                stones: clock.moves_to_go().unwrap_or(0),
            }),
        }
    }
}

/// What an engine has written of an answer.
pub(super) struct GtpAnswer {
    /// Whether it begins with `=`.
    pub(super) is_good: bool,
    number: Option<u32>,
    /// Its first line, as it was written.
    pub(super) line: Vec<u8>,
    /// Its words, without those of the first line's head.
    pub(super) words: String,
}

/// What a line of an engine has led to.
pub(super) enum Heard {
    /// A command has its answer.
    Answer(Command, GtpAnswer),
    /// This is to be sent.
    Tell(Vec<u8>),
    /// Nothing that matters.
    Nothing,
}

/// The commands of one game, and the answers to them.
pub(super) struct GtpWire {
    /// What is to be sent, in this order.
    queue: VecDeque<Command>,
    /// What was sent and has no answer yet.
    open: Option<Command>,
    answer: Option<GtpAnswer>,
    /// The number of the last command.
    number: u32,
    /// Whether commands have numbers.
    is_numbered: bool,
    /// The answers without a number that are still to come to commands which nobody waits for any
    /// more.
    owed: u32,
    /// The commands that the engine knows, if it has said so.
    known: Option<HashSet<String>>,
    /// Whether the handshake is done.
    is_ready: bool,
    /// What the handshake waits for.
    awaited: String,
    /// The last answer with another number than that of the open command.
    misnumbered: Option<Vec<u8>>,
}

impl GtpWire {
    /// A game that begins with these commands. The first one is open.
    pub(super) fn new(commands: impl IntoIterator<Item = Command>) -> Self {
        let mut wire = GtpWire {
            queue: commands.into_iter().collect(),
            open: None,
            answer: None,
            number: 0,
            is_numbered: true,
            owed: 0,
            known: None,
            is_ready: false,
            awaited: String::new(),
            misnumbered: None,
        };
        wire.next();
        wire
    }

    /// Adds a command.
    pub(super) fn push(&mut self, command: Command) {
        self.queue.push_back(command);
    }

    /// Forgets the commands that were not sent, and expects nothing of the one that was.
    pub(super) fn abandon(&mut self) {
        self.queue.clear();
        if self.open.take().is_some() && !self.is_numbered {
            self.owed += 1;
        }
    }

    /// Forgets the commands that were not sent.
    pub(super) fn forget_rest(&mut self) {
        self.queue.clear();
    }

    /// Expects no answer to the command that was sent: the move that it asked for was made.
    pub(super) fn close(&mut self) {
        self.open = None;
    }

    /// Whether a command was sent and has no answer.
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Takes the next command from the queue that the engine knows. Returns whether there is one.
    pub(super) fn next(&mut self) -> bool {
        while let Some(command) = self.queue.pop_front() {
            if command.is_optional()
                && self.known.as_ref().is_some_and(|known| !known.contains(command.name()))
            {
                continue;
            }
            self.number += 1;
            self.misnumbered = None;
            self.awaited = format!("= in answer to {}", command.name());
            self.open = Some(command);
            return true;
        }
        self.open = None;
        false
    }

    /// The line of the open command.
    pub(super) fn line(&self) -> Vec<u8> {
        let number = if self.is_numbered { format!("{} ", self.number) } else { String::new() };
        let line = |command: &Command| format!("{number}{}\n", command.words()).into_bytes();
        self.open.as_ref().map(line).unwrap_or_default()
    }

    /// Whether the handshake is done.
    pub(super) fn is_ready(&self) -> bool {
        self.is_ready
    }

    /// Goes on after an answer that was as it should be: with the next command, if there is one.
    /// The first time that there is none, the handshake is done.
    pub(super) fn go_on(&mut self) -> Reply {
        if self.next() {
            Reply::Tell(self.line())
        } else if std::mem::replace(&mut self.is_ready, true) {
            Reply::Nothing
        } else {
            Reply::Ready
        }
    }

    /// What the answer to the open command of the handshake has not had yet.
    pub(super) fn awaits(&self) -> Option<&str> {
        let missing =
            if self.answer.is_some() { "the empty line that ends an answer" } else { &self.awaited };
        (!self.is_ready).then_some(missing)
    }

    /// The lines of an answer to the open command, if it is one of the handshake.
    pub(super) fn expected(&self) -> Vec<String> {
        let words = match &self.open {
            None | Some(Command::GenMove(_)) => return Vec::new(),
            Some(Command::ListCommands) => {
                return vec![self.head(" time_settings"), "time_left".to_owned(), String::new()];
            }
            Some(Command::Name) => " NAME",
            Some(Command::Version) => " VERSION",
            Some(_) => "",
        };
        vec![self.head(words), String::new()]
    }

    /// The first line of a good answer to the open command.
    pub(super) fn head(&self, words: &str) -> String {
        let number = if self.is_numbered { self.number.to_string() } else { String::new() };
        format!("={number}{words}")
    }

    /// Why the open command has no answer, if the lines of the engine show that.
    pub(super) fn remark(&self) -> Option<String> {
        let quoted = |line: &[u8]| escape(line, WORDS);
        if let Some(answer) = &self.answer {
            return Some(format!(
                "it wrote \"{}\", and no empty line, which ends an answer",
                quoted(&answer.line)
            ));
        }
        let line = self.misnumbered.as_ref().filter(|_| self.is_open())?;
        Some(format!("it wrote \"{}\", and the number of the command was {}", quoted(line), self.number))
    }

    /// Interprets a line.
    pub(super) fn hear(&mut self, line: Vec<u8>) -> Heard {
        let text = String::from_utf8_lossy(&line).replace('\t', " ");
        let text = text.trim();
        if text.starts_with('#') {
            return Heard::Nothing;
        }
        if let Some(mut answer) = self.answer.take() {
            if text.is_empty() {
                return self.finish(answer);
            }
            answer.words.push('\n');
            answer.words.push_str(text);
            self.answer = Some(answer);
            return Heard::Nothing;
        }
        let (is_good, rest) = match (text.strip_prefix('='), text.strip_prefix('?')) {
            (Some(rest), _) => (true, rest),
            (None, Some(rest)) => (false, rest),
            (None, None) => return Heard::Nothing,
        };
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, words) = rest.split_at(digits);
        let words = words.trim().to_owned();
        self.answer = Some(GtpAnswer { is_good, number: number.parse().ok(), line, words });
        Heard::Nothing
    }

    /// An answer is whole.
    fn finish(&mut self, answer: GtpAnswer) -> Heard {
        if self.is_numbered && answer.number.is_some_and(|number| number != self.number) {
            self.misnumbered = Some(answer.line);
            return Heard::Nothing;
        }
        if !self.is_numbered && self.owed > 0 {
            self.owed -= 1;
            return Heard::Nothing;
        }
        let Some(command) = self.open.take() else { return Heard::Nothing };
        if self.is_numbered && answer.number.is_none() && self.number == 1 {
            self.is_numbered = false;
            if !answer.is_good {
                self.open = Some(command);
                return Heard::Tell(self.line());
            }
        }
        if command == Command::ListCommands && answer.is_good {
            self.known = Some(answer.words.split_whitespace().map(str::to_owned).collect());
        }
        Heard::Answer(command, answer)
    }
}

/// Whole seconds: fractions are cut off, and 1 is the least, because 0 would mean no limit.
fn seconds(time: Duration) -> u64 {
    time.as_secs().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_is_not_ended_or_has_another_number_is_remarked() {
        let mut wire = GtpWire::new([Command::GenMove('B')]);
        let mut remark = |line: &str| {
            wire.hear(line.as_bytes().to_vec());
            wire.remark()
        };
        assert_eq!(remark("# thinking"), None);
        let unended = remark("=1 A1").unwrap();
        assert_eq!(unended, "it wrote \"=1 A1\", and no empty line, which ends an answer");
        let mut wire = GtpWire::new([Command::GenMove('B')]);
        wire.hear(b"=7 A1".to_vec());
        wire.hear(Vec::new());
        assert_eq!(wire.remark().unwrap(), "it wrote \"=7 A1\", and the number of the command was 1");
    }
}
