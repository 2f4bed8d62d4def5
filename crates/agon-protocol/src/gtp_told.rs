//! The Go Text Protocol, for games of referee programs. The engine is told what the referee tells
//! its seat in lines like `play B D4`, and is asked by `genmove`.
//!
//! The handshake is that of [`super::gtp`], with `komi` if the game has one. A question is a `play`
//! for each new line, `time_left`, and `genmove`. The referee tells a seat its own moves as well:
//! an engine has made these on its board already, and is not sent them again. Where its board may
//! differ from the game (it was late, or its move was not played), it is sent `clear_board` and all
//! moves instead.

use agon_printable::escape;
use agon_seats::{Clock, PerSeat, Seat, TimeControl};

use super::gtp::refused_size;
use super::gtp_wire::{Colour, Command, GtpAnswer, GtpWire, Heard, MOST, WORDS};
use super::told::{AnswerSize, Told};
use super::{Conversation, Reply};

/// The board of a game of a referee program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GtpBoard {
    /// The number of its columns and rows.
    pub size: usize,
    /// What is sent as `komi`, if anything is.
    pub komi: Option<String>,
    /// The seat that plays black. The other one plays white.
    pub black: Seat,
}

impl GtpBoard {
    /// The largest size.
    pub const MOST: usize = MOST;
}

/// One engine's conversation.
pub struct GtpTold {
    seat: Seat,
    size: usize,
    colour: Colour,
    wire: GtpWire,
    /// All moves that the referee has told.
    moves: Vec<(Colour, String)>,
    /// The last move of the engine, until the referee tells it.
    own: Option<String>,
    /// Whether the board of the engine may be another one.
    differs: bool,
    /// Whether it was late, and has not answered a question since.
    is_behind: bool,
    /// What makes the board of the engine empty.
    start: Vec<Command>,
}

impl GtpTold {
    /// The conversation with an engine on this seat.
    pub fn new(board: &GtpBoard, seat: Seat, control: TimeControl) -> Self {
        let mut start = vec![Command::ClearBoard];
        start.extend(board.komi.clone().map(Command::Komi));
        let mut commands =
            vec![Command::Name, Command::Version, Command::ListCommands, Command::BoardSize(board.size)];
        commands.extend(start.iter().cloned());
        commands.push(Command::time_settings(control));
        GtpTold {
            seat,
            size: board.size,
            colour: if seat == board.black { 'B' } else { 'W' },
            wire: GtpWire::new(commands),
            moves: Vec::new(),
            own: None,
            differs: false,
            is_behind: false,
            start,
        }
    }

    fn answered(&mut self, command: &Command, answer: &GtpAnswer) -> Reply {
        let said = escape(answer.words.as_bytes(), WORDS);
        match command {
            Command::GenMove(_) if answer.is_good => {
                let word = answer.words.split_whitespace().next().unwrap_or_default();
                let vertex = spelled(word);
                self.own = Some(vertex.clone());
                return Reply::Move(vertex.into_bytes());
            }
            Command::GenMove(_) => {
                self.differs = true;
                return Reply::Move(format!("? {said}").into_bytes());
            }
            Command::Play(..) if !answer.is_good && self.wire.is_ready() => {
                self.differs = true;
                return Reply::Move(format!("? {said} ({})", command.words()).into_bytes());
            }
            Command::BoardSize(_) if !answer.is_good => {
                return Reply::Refused(refused_size(self.size, &said));
            }
            Command::ClearBoard if !answer.is_good => {
                return Reply::Refused(format!("it answered clear_board with \"{said}\""));
            }
            _ => {}
        }
        self.wire.go_on()
    }
}

impl Conversation for GtpTold {
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

impl Told for GtpTold {
    fn told(&mut self, lines: &str) {
        for (colour, vertex) in lines.lines().filter_map(read) {
            if colour == self.colour && self.own.as_ref() == Some(&vertex) {
                self.own = None;
            } else {
                self.differs |= self.own.is_some();
                self.wire.push(Command::Play(colour, vertex.clone()));
            }
            self.moves.push((colour, vertex));
        }
    }

    fn question(&mut self, clocks: &PerSeat<Clock>) -> Vec<u8> {
        if self.differs || self.own.is_some() || self.wire.is_open() {
            self.wire.abandon();
            let moves = self.moves.iter().map(|(colour, vertex)| Command::Play(*colour, vertex.clone()));
            self.start.iter().cloned().chain(moves).for_each(|command| self.wire.push(command));
            self.own = None;
            self.differs = false;
        }
        if let Some(left) = Command::time_left(self.colour, &clocks[self.seat]) {
            self.wire.push(left);
        }
        self.wire.push(Command::GenMove(self.colour));
        self.wire.next();
        self.wire.line()
    }

    fn late(&mut self, _: &AnswerSize, _: u64) {
        self.differs = true;
        self.is_behind = true;
        // Its late answer is no reason to go on with the question.
        self.wire.forget_rest();
    }

    fn is_behind(&self) -> bool {
        self.is_behind
    }

    fn catches_up(&mut self) -> bool {
        std::mem::take(&mut self.is_behind)
    }
}

/// A line of a referee that tells a move: `play B D4`.
fn read(line: &str) -> Option<(Colour, String)> {
    let mut words = line.split_ascii_whitespace();
    let (Some("play"), Some(colour), Some(vertex), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return None;
    };
    match colour {
        "B" | "b" | "black" => Some(('B', spelled(vertex))),
        "W" | "w" | "white" => Some(('W', spelled(vertex))),
        _ => None,
    }
}

/// A vertex in capitals, or `pass` or `resign` in small letters: engines write both in both.
fn spelled(word: &str) -> String {
    match word.to_ascii_lowercase() {
        small if small == "pass" || small == "resign" => small,
        small => small.to_ascii_uppercase(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// White on a small board, after its handshake, and its clock.
    fn talk() -> (GtpTold, PerSeat<Clock>) {
        let board = GtpBoard { size: 5, komi: None, black: Seat::FIRST };
        let control = TimeControl::PerMove(Duration::from_secs(5));
        let mut talk = GtpTold::new(&board, Seat::SECOND, control);
        assert_eq!(talk.hello(), b"1 name\n");
        for number in 1..=6 {
            assert!(talk.awaits().is_some(), "{number}");
            answer(&mut talk, &format!("={number} time_settings"));
        }
        assert_eq!(talk.awaits(), None);
        (talk, PerSeat::from_fn(2, |_| Clock::new(control, Duration::ZERO, Duration::ZERO)))
    }

    fn answer(talk: &mut GtpTold, line: &str) -> Reply {
        talk.hear(line.as_bytes().to_vec());
        talk.hear(Vec::new())
    }

    fn tells(text: &str) -> Reply {
        Reply::Tell(text.as_bytes().to_vec())
    }

    #[test]
    fn its_own_moves_are_told_only_where_they_were_not_played_so() {
        let (mut talk, clocks) = talk();
        talk.told("legal A1\nplay B a1\nplay B\nplay X A1\n");
        assert_eq!(talk.question(&clocks), b"7 play B A1\n");
        assert_eq!(answer(&mut talk, "=7"), tells("8 genmove W\n"));
        assert_eq!(answer(&mut talk, "=8 b2"), Reply::Move(b"B2".to_vec()));
        talk.told("play W B2\nplay B pass\n");
        assert_eq!(talk.question(&clocks), b"9 play B pass\n");
        answer(&mut talk, "=9");
        answer(&mut talk, "=10 C3");
        // The referee has made another move of it.
        talk.told("play W pass\nplay B D4\n");
        assert_eq!(talk.question(&clocks), b"11 clear_board\n");
        let told: Vec<Reply> = (11..=15).map(|number| answer(&mut talk, &format!("={number}"))).collect();
        let words =
            ["12 play B A1\n", "13 play W B2\n", "14 play B pass\n", "15 play W pass\n", "16 play B D4\n"];
        assert_eq!(told, words.map(tells));
        assert_eq!(answer(&mut talk, "=16"), tells("17 genmove W\n"));
        assert_eq!(answer(&mut talk, "?17 no idea"), Reply::Move(b"? no idea".to_vec()));
    }

    #[test]
    fn a_late_answer_does_not_go_on_with_the_old_question() {
        let (mut talk, clocks) = talk();
        talk.told("play B A1\n");
        assert_eq!(talk.question(&clocks), b"7 play B A1\n");
        talk.late(&AnswerSize::Lines(1), 0);
        assert_eq!(answer(&mut talk, "=7"), Reply::Nothing);
        assert!(talk.is_behind());
        talk.told("play W pass\nplay B C3\n");
        assert_eq!(talk.question(&clocks), b"8 clear_board\n");
        assert_eq!(answer(&mut talk, "=8"), tells("9 play B A1\n"));
    }
}
