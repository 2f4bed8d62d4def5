//! The Go Text Protocol, for games of `mnk` on square boards.
//!
//! One command at a time: the next one is sent when the answer to the last one is whole. An answer is
//! `=` or `?`, the number of its command, and words; an empty line ends it. Lines before an answer,
//! and lines that begin with `#`, mean nothing. An engine that does not know numbers of commands
//! answers the first one with `?` and no number; then it is sent commands without numbers.
//!
//! The handshake, in the start-up budget: `name`, `version`, `list_commands`, `boardsize N`,
//! `clear_board`, `time_settings`, and a `play` for each stone of the opening. In later games of the
//! same process it begins with `list_commands`. The question, on the clock of the engine: `play` with the
//! move of the opponent, `time_left` if there is a clock for several moves, and `genmove`. At the end
//! the engine is sent `quit`.
//!
//! The seat that moves first plays black. Columns are letters without I, rows are counted from the
//! bottom. Times are whole seconds: fractions are cut off, and 1 is the least. Increments, the bank
//! and the line that wins cannot be told.
//!
//! The protocol is that of G. Farnebäck, "Specification of the Go Text Protocol, version 2".

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use agon_games::{PerSeat, Rules, Seat};
use agon_printable::escape;

use super::stones::{Cell, Shape, Stones};
use super::{Reply, Talk, TalkTerms, no_move};
use crate::clock::{Clock, TimeControl};

/// What a process is sent at its end.
pub(super) const FAREWELL: &[u8] = b"quit\n";

/// The most columns that have letters.
const MOST: usize = 25;

/// The longest words of an engine in a reason, in bytes.
const WORDS: usize = 200;

/// Whether a game can be played: stones on a square board with letters for its columns.
///
/// # Errors
/// Why not.
pub(super) fn fits(rules: &dyn Rules) -> Result<(), String> {
    let spec = rules.spec();
    match Shape::of(rules) {
        Some(Shape { columns, rows, drops: false }) if columns != rows => Err(format!(
            "has only square boards, and {spec} has {columns} columns and {rows} rows; give one like mnk:15x15,5"
        )),
        Some(Shape { columns: ..=MOST, drops: false, .. }) => Ok(()),
        Some(Shape { drops: false, .. }) => Err(format!("has letters for {MOST} columns alone")),
        _ => Err(format!("is for games of mnk, and not for {spec}; give --game mnk:15x15,5")),
    }
}

/// A command.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Command {
    Name,
    Version,
    ListCommands,
    BoardSize,
    ClearBoard,
    TimeSettings { main: u64, period: u64, stones: u32 },
    Play(Seat, Cell),
    TimeLeft { seconds: u64, stones: u32 },
    GenMove,
}

impl Command {
    fn name(&self) -> &'static str {
        match self {
            Command::Name => "name",
            Command::Version => "version",
            Command::ListCommands => "list_commands",
            Command::BoardSize => "boardsize",
            Command::ClearBoard => "clear_board",
            Command::TimeSettings { .. } => "time_settings",
            Command::Play(..) => "play",
            Command::TimeLeft { .. } => "time_left",
            Command::GenMove => "genmove",
        }
    }
}

/// What an engine has written of an answer.
struct Answer {
    is_good: bool,
    number: Option<u32>,
    /// Its first line, as it was written.
    line: Vec<u8>,
    /// Its words, without those of the first line's head.
    words: String,
}

/// One engine's conversation.
pub struct GtpTalk {
    seat: Seat,
    side: &'static str,
    size: usize,
    /// What is to be sent, in this order.
    queue: VecDeque<Command>,
    /// What was sent and has no answer yet.
    open: Option<Command>,
    answer: Option<Answer>,
    /// The number of the last command.
    number: u32,
    /// Whether commands have numbers.
    is_numbered: bool,
    /// The commands that the engine knows, if it has said so.
    known: Option<HashSet<String>>,
    /// Whether the handshake is done.
    is_ready: bool,
    /// What the handshake waits for.
    awaited: String,
    question: Vec<u8>,
}

impl GtpTalk {
    pub(super) fn new(terms: &TalkTerms<'_>) -> Self {
        let start = &terms.start;
        let stones = Stones::of(start);
        let mut queue = VecDeque::new();
        if !terms.begun {
            queue.extend([Command::Name, Command::Version]);
        }
        queue.push_back(Command::ListCommands);
        if !terms.begun {
            queue.push_back(Command::BoardSize);
        }
        queue.extend([Command::ClearBoard, time_settings(terms.control)]);
        queue.extend(opening(&start.moves, stones.as_ref()));
        let mut talk = GtpTalk {
            seat: start.seat,
            side: start.seats[start.seat.index()],
            size: stones.map_or(0, |stones| stones.shape.columns),
            queue,
            open: None,
            answer: None,
            number: 0,
            is_numbered: true,
            known: None,
            is_ready: false,
            awaited: String::new(),
            question: Vec::new(),
        };
        talk.next();
        talk
    }

    /// Takes the next command from the queue that the engine knows. Whether there is one.
    fn next(&mut self) -> bool {
        while let Some(command) = self.queue.pop_front() {
            let is_optional = matches!(command, Command::TimeSettings { .. } | Command::TimeLeft { .. });
            if is_optional && self.known.as_ref().is_some_and(|known| !known.contains(command.name())) {
                continue;
            }
            self.number += 1;
            self.awaited = format!("= in answer to {}", command.name());
            self.open = Some(command);
            return true;
        }
        self.open = None;
        false
    }

    /// The line of the open command.
    fn line(&self) -> String {
        let number = if self.is_numbered { format!("{} ", self.number) } else { String::new() };
        self.open.as_ref().map_or_else(String::new, |command| format!("{number}{}\n", self.words(command)))
    }

    fn words(&self, command: &Command) -> String {
        let name = command.name();
        match command {
            Command::Name | Command::Version | Command::ListCommands | Command::ClearBoard => name.to_owned(),
            Command::BoardSize => format!("{name} {}", self.size),
            Command::TimeSettings { main, period, stones } => format!("{name} {main} {period} {stones}"),
            Command::Play(seat, cell) => format!("{name} {} {}", colour(*seat), vertex(*cell)),
            Command::TimeLeft { seconds, stones } => {
                format!("{name} {} {seconds} {stones}", colour(self.seat))
            }
            Command::GenMove => format!("{name} {}", colour(self.seat)),
        }
    }

    /// An answer is whole.
    fn finish(&mut self, answer: &Answer) -> Reply {
        if self.is_numbered && answer.number.is_some_and(|number| number != self.number) {
            return Reply::Nothing;
        }
        let Some(command) = self.open.take() else { return Reply::Nothing };
        if self.is_numbered && answer.number.is_none() && self.number == 1 {
            self.is_numbered = false;
            if !answer.is_good {
                self.open = Some(command);
                return Reply::Tell(self.line().into_bytes());
            }
        }
        let said = escape(answer.words.as_bytes(), WORDS);
        match command {
            Command::GenMove => return self.moved(answer),
            Command::ListCommands if answer.is_good => {
                self.known = Some(answer.words.split_whitespace().map(str::to_owned).collect());
            }
            Command::BoardSize if !answer.is_good => {
                let size = self.size;
                let what = match said.to_ascii_lowercase().contains("unknown command") {
                    true => "it does not know this command, which every game begins with".to_owned(),
                    false => format!("it does not play on a board of {size}x{size}"),
                };
                return Reply::Refused(format!("it answered boardsize {size} with \"{said}\": {what}"));
            }
            Command::ClearBoard if !answer.is_good => {
                return Reply::Refused(format!("it answered clear_board with \"{said}\""));
            }
            Command::Play(..) if !answer.is_good => {
                let told = self.words(&command);
                return if self.is_ready {
                    no_move(&answer.line, &format!("it refuses {told}"))
                } else {
                    Reply::Refused(format!("it answered {told}, a move of the opening, with \"{said}\""))
                };
            }
            _ => {}
        }
        if self.next() {
            Reply::Tell(self.line().into_bytes())
        } else if self.is_ready {
            Reply::Nothing
        } else {
            self.is_ready = true;
            Reply::Ready
        }
    }

    /// The answer to `genmove`.
    fn moved(&self, answer: &Answer) -> Reply {
        if !answer.is_good {
            return no_move(&answer.line, "it answers genmove with an error");
        }
        let word = answer.words.split_whitespace().next().unwrap_or_default();
        if word.eq_ignore_ascii_case("resign") {
            return Reply::Move(format!("{},R", self.side).into_bytes());
        }
        if word.eq_ignore_ascii_case("pass") {
            return no_move(&answer.line, "a pass is no move in this game");
        }
        match read_vertex(word) {
            Some(cell) => Reply::Move(format!("{},{}", self.side, cell.name()).into_bytes()),
            None => no_move(&answer.line, "it is no vertex; one is a letter without I and a number, D4"),
        }
    }
}

impl Talk for GtpTalk {
    fn hello(&self) -> Vec<u8> {
        self.line().into_bytes()
    }

    fn awaits(&self) -> Option<&str> {
        match &self.answer {
            _ if self.is_ready => None,
            Some(_) => Some("the empty line that ends an answer"),
            None => Some(&self.awaited),
        }
    }

    fn expected(&self) -> Vec<String> {
        let number = if self.is_numbered { self.number.to_string() } else { String::new() };
        let words = match &self.open {
            None | Some(Command::GenMove) => return Vec::new(),
            Some(Command::ListCommands) => {
                return vec![format!("={number} time_settings"), "time_left".to_owned(), String::new()];
            }
            Some(Command::Name) => " NAME",
            Some(Command::Version) => " VERSION",
            Some(_) => "",
        };
        vec![format!("={number}{words}"), String::new()]
    }

    fn played(&mut self, by: Seat, text: &str) -> Vec<u8> {
        if by == self.seat {
            self.open = None;
        } else if let Some(cell) = Cell::named(super::without_side(text)) {
            self.queue.push_back(Command::Play(by, cell));
        }
        Vec::new()
    }

    fn question(&mut self, clocks: &PerSeat<Clock>) -> &[u8] {
        let clock = &clocks[self.seat];
        match clock.control() {
            TimeControl::PerMove(_) => {}
            TimeControl::WholeGame { .. } | TimeControl::Repeating { .. } => {
                let stones = clock.moves_to_go().unwrap_or(0);
                self.queue.push_back(Command::TimeLeft { seconds: seconds(clock.left()), stones });
            }
        }
        self.queue.push_back(Command::GenMove);
        self.next();
        self.question = self.line().into_bytes();
        &self.question
    }

    fn answer(&self, text: &str) -> String {
        let number = if self.is_numbered { self.number.to_string() } else { String::new() };
        let cell = Cell::named(super::without_side(text));
        format!("={number} {}", cell.map_or_else(|| "resign".to_owned(), vertex))
    }

    fn hear(&mut self, line: Vec<u8>) -> Reply {
        let text = String::from_utf8_lossy(&line).replace('\t', " ");
        let text = text.trim();
        if text.starts_with('#') {
            return Reply::Nothing;
        }
        if let Some(mut answer) = self.answer.take() {
            if text.is_empty() {
                return self.finish(&answer);
            }
            answer.words.push('\n');
            answer.words.push_str(text);
            self.answer = Some(answer);
            return Reply::Nothing;
        }
        let (is_good, rest) = match (text.strip_prefix('='), text.strip_prefix('?')) {
            (Some(rest), _) => (true, rest),
            (None, Some(rest)) => (false, rest),
            (None, None) => return Reply::Nothing,
        };
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, words) = rest.split_at(digits);
        let words = words.trim().to_owned();
        self.answer = Some(Answer { is_good, number: number.parse().ok(), line, words });
        Reply::Nothing
    }
}

/// The stones with which a game starts. Where their order is not known, both sides take turns.
fn opening(moves: &Option<Vec<String>>, stones: Option<&Stones>) -> Vec<Command> {
    if let Some(moves) = moves {
        let cells = moves.iter().filter_map(|text| Cell::named(super::without_side(text)));
        return cells.enumerate().map(|(at, cell)| Command::Play(Seat::new(at % 2), cell)).collect();
    }
    let Some(stones) = stones else { return Vec::new() };
    let mut second = stones.of_seat(Seat::SECOND);
    let mut plays = Vec::new();
    for cell in stones.of_seat(Seat::FIRST) {
        plays.push(Command::Play(Seat::FIRST, cell));
        plays.extend(second.next().map(|cell| Command::Play(Seat::SECOND, cell)));
    }
    plays
}

fn time_settings(control: TimeControl) -> Command {
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

/// Whole seconds: 0 would mean no limit.
fn seconds(time: Duration) -> u64 {
    time.as_secs().max(1)
}

fn colour(seat: Seat) -> &'static str {
    if seat == Seat::FIRST { "B" } else { "W" }
}

/// The letters of the columns. There is no I.
const COLUMNS: &[u8; MOST] = b"ABCDEFGHJKLMNOPQRSTUVWXYZ";

fn vertex(cell: Cell) -> String {
    let column = COLUMNS.get(cell.column).map_or('?', |letter| char::from(*letter));
    format!("{column}{}", cell.row + 1)
}

fn read_vertex(word: &str) -> Option<Cell> {
    let letter = word.bytes().next()?.to_ascii_uppercase();
    let column = COLUMNS.iter().position(|other| *other == letter)?;
    Some(Cell { column, ..Cell::named(word)? })
}
