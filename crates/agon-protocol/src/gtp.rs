//! The Go Text Protocol, for games of `mnk` on square boards.
//!
//! The handshake, in the start-up budget: `name`, `version`, `list_commands`, `boardsize N`,
//! `clear_board`, `time_settings`, and a `play` for each stone of the opening. In later games of
//! the same process it begins with `list_commands`. The question, on the clock of the engine:
//! `play` with the move of the opponent, `time_left` if there is a clock for several moves, and
//! `genmove`. At the end the engine is sent `quit`.
//!
//! The seat that moves first plays black. Columns are letters without I, rows are counted from the
//! bottom. Times are whole seconds: fractions are cut off, and 1 is the least. Increments, the bank
//! and the line that wins cannot be told.

use agon_games::Rules;
use agon_printable::escape;
use agon_seats::{Clock, PerSeat, Seat};

use super::gtp_wire::{COLUMNS, Colour, Command, GtpAnswer, GtpWire, Heard, MOST, WORDS};
use super::stones::{Cell, Shape, Stones};
use super::{Conversation, Reply, Talk, TalkTerms, no_move};

/// What a process is sent at its end.
pub(super) const FAREWELL: &[u8] = b"quit\n";

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

/// One engine's conversation.
pub struct GtpTalk {
    seat: Seat,
    side: &'static str,
    size: usize,
    wire: GtpWire,
    question: Vec<u8>,
    /// The first line of its last answer to `genmove`.
    said: Vec<u8>,
}

impl GtpTalk {
    pub(super) fn new(terms: &TalkTerms<'_>) -> Self {
        let start = &terms.start;
        let stones = Stones::of(start);
        let size = stones.as_ref().map_or(0, |stones| stones.shape.columns);
        let mut commands = Vec::new();
        if !terms.begun {
            commands.extend([Command::Name, Command::Version]);
        }
        commands.push(Command::ListCommands);
        if !terms.begun {
            commands.push(Command::BoardSize(size));
        }
        commands.extend([Command::ClearBoard, Command::time_settings(terms.control)]);
        commands.extend(opening(&start.moves, stones.as_ref()));
        GtpTalk {
            seat: start.seat,
            side: start.seats[start.seat.index()],
            size,
            wire: GtpWire::new(commands),
            question: Vec::new(),
            said: Vec::new(),
        }
    }

    /// A command has its answer.
    fn answered(&mut self, command: &Command, answer: &GtpAnswer) -> Reply {
        let said = escape(answer.words.as_bytes(), WORDS);
        match command {
            Command::GenMove(_) => return self.moved(answer),
            Command::BoardSize(_) if !answer.is_good => {
                return Reply::Refused(refused_size(self.size, &said));
            }
            Command::ClearBoard if !answer.is_good => {
                return Reply::Refused(format!("it answered clear_board with \"{said}\""));
            }
            Command::Play(..) if !answer.is_good => {
                let told = command.words();
                return if self.wire.is_ready() {
                    no_move(&answer.line, &format!("it refuses {told}"))
                } else {
                    Reply::Refused(format!("it answered {told}, a move of the opening, with \"{said}\""))
                };
            }
            _ => {}
        }
        self.wire.go_on()
    }

    /// The answer to `genmove`.
    fn moved(&mut self, answer: &GtpAnswer) -> Reply {
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
            Some(cell) => {
                self.said.clear();
                self.said.extend_from_slice(&answer.line);
                Reply::Move(format!("{},{}", self.side, cell.name()).into_bytes())
            }
            None => no_move(&answer.line, "it is no vertex; one is a letter without I and a number, D4"),
        }
    }
}

impl Conversation for GtpTalk {
    fn hello(&self) -> Vec<u8> {
        self.wire.line()
    }

    fn awaits(&self) -> Option<&str> {
        self.wire.awaits()
    }

    fn expected(&self) -> Vec<String> {
        self.wire.expected()
    }

    fn hear(&mut self, line: Vec<u8>) -> Reply {
        match self.wire.hear(line) {
            Heard::Answer(command, answer) => self.answered(&command, &answer),
            Heard::Tell(text) => Reply::Tell(text),
            Heard::Nothing => Reply::Nothing,
        }
    }

    fn remark(&self) -> Option<String> {
        self.wire.remark()
    }
}

impl Talk for GtpTalk {
    fn played(&mut self, by: Seat, text: &str) -> &[u8] {
        if by == self.seat {
            self.wire.close();
        } else if let Some(cell) = Cell::named(super::without_side(text)) {
            self.wire.push(play(by, cell));
        }
        &[]
    }

    fn question(&mut self, clocks: &PerSeat<Clock>) -> &[u8] {
        let colour = colour(self.seat);
        if let Some(left) = Command::time_left(colour, &clocks[self.seat]) {
            self.wire.push(left);
        }
        self.wire.push(Command::GenMove(colour));
        self.wire.next();
        self.question = self.wire.line();
        &self.question
    }

    fn answer(&self, text: &str) -> String {
        let cell = Cell::named(super::without_side(text));
        self.wire.head(&format!(" {}", cell.map_or_else(|| "resign".to_owned(), vertex)))
    }

    fn said(&self) -> &[u8] {
        &self.said
    }
}

/// Why an engine cannot play on a board of this size, by its own words.
pub(super) fn refused_size(size: usize, said: &str) -> String {
    let what = match said.to_ascii_lowercase().contains("unknown command") {
        true => "it does not know this command, which every game begins with".to_owned(),
        false => format!("it does not play on a board of {size}x{size}"),
    };
    format!("it answered boardsize {size} with \"{said}\": {what}")
}

/// The stones with which a game starts. Where their order is not known, both sides take turns.
fn opening(moves: &Option<Vec<String>>, stones: Option<&Stones>) -> Vec<Command> {
    if let Some(moves) = moves {
        let cells = moves.iter().filter_map(|text| Cell::named(super::without_side(text)));
        return cells.enumerate().map(|(at, cell)| play(Seat::new(at % 2), cell)).collect();
    }
    let Some(stones) = stones else { return Vec::new() };
    let mut second = stones.of_seat(Seat::SECOND);
    let mut plays = Vec::new();
    for cell in stones.of_seat(Seat::FIRST) {
        plays.push(play(Seat::FIRST, cell));
        plays.extend(second.next().map(|cell| play(Seat::SECOND, cell)));
    }
    plays
}

fn play(seat: Seat, cell: Cell) -> Command {
    Command::Play(colour(seat), vertex(cell))
}

fn colour(seat: Seat) -> Colour {
    if seat == Seat::FIRST { 'B' } else { 'W' }
}

fn vertex(cell: Cell) -> String {
    let column = COLUMNS.get(cell.column).map_or('?', |letter| char::from(*letter));
    format!("{column}{}", cell.row + 1)
}

fn read_vertex(word: &str) -> Option<Cell> {
    let letter = word.bytes().next()?.to_ascii_uppercase();
    let column = COLUMNS.iter().position(|other| *other == letter)?;
    Some(Cell { column, ..Cell::named(word)? })
}
