//! The Universal Game Interface, a public generalisation of the chess engines' UCI.
//!
//! `ugi` is answered with `ugiok`; then the options of `engine.toml` are sent, each as `setoption
//! name X value Y`. `isready` is answered with `readyok`; a game begins with `uginewgame`. On its
//! turn an engine is sent `position startpos|fen TEXT [moves M ...]`. Then it is sent `go movetime
//! MS` or `go p1time MS p2time MS [p1inc MS] [p2inc MS] [movestogo N]`, and behind that the limits
//! of its search, `nodes N` and `depth N`, if there are any. It may send `info ...` and answers
//! `bestmove M`. Moves have no side letter. The last `info` with a `score` is stored with the move.
//! `bestmove resign` resigns. Unknown words are ignored, as in UCI. At the end the engine is sent
//! `quit`.
//!
//! The whole list of moves is sent on each turn, as the interface demands. So a ply late in a long
//! game costs more than an early one.

use std::fmt::Write;

use agon_games::{PerSeat, Seat};
use agon_printable::escape;

use super::{Reply, Talk, TalkTerms, millis, without_side};
use crate::clock::{Clock, SearchLimits, TimeControl};

/// What a process is sent at its end.
pub(super) const FAREWELL: &[u8] = b"quit\n";
/// The longest thought that is stored, in characters.
const THOUGHT: usize = 300;

/// The progress of the handshake.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// `ugi` was sent.
    Greeted,
    /// `isready` was sent.
    Asked,
    Ready,
}

/// One engine's conversation.
pub struct UgiTalk {
    side: &'static str,
    begun: bool,
    stage: Stage,
    /// `position ...` with every move so far, followed by the last question. It grows with the
    /// game, and is copied only into the pipe.
    position: String,
    /// Where the position ends in it.
    reaches: usize,
    any_moves: bool,
    seat: Seat,
    /// What is sent after `ugiok`: the engine's options, and a new game.
    setup: String,
    search: SearchLimits,
    /// The names of the options that the engine has announced.
    announced: Vec<String>,
}

impl UgiTalk {
    pub(super) fn new(terms: &TalkTerms<'_>) -> Self {
        let &TalkTerms { ref start, begun, options, search, .. } = terms;
        let set = |(name, value): (&String, &String)| match value.as_str() {
            "" => format!("setoption name {name}\n"),
            value => format!("setoption name {name} value {value}\n"),
        };
        let setup: String = options.iter().map(set).collect();
        let position = match (&start.moves, &start.position) {
            (Some(_), _) | (None, None) => "position startpos".to_owned(),
            (None, Some(text)) => format!("position fen {text}"),
        };
        let mut talk = UgiTalk {
            side: start.seats[start.seat.index()],
            begun,
            reaches: position.len(),
            stage: if begun { Stage::Asked } else { Stage::Greeted },
            position,
            any_moves: false,
            seat: start.seat,
            setup: setup + NEW_GAME,
            search,
            announced: Vec::new(),
        };
        start.moves.iter().flatten().for_each(|text| talk.add(text));
        talk
    }

    /// Adds a move to the position.
    fn add(&mut self, text: &str) {
        self.position.truncate(self.reaches);
        if !self.any_moves {
            self.position.push_str(" moves");
            self.any_moves = true;
        }
        self.position.push(' ');
        self.position.push_str(without_side(text));
        self.reaches = self.position.len();
    }
}

impl Talk for UgiTalk {
    fn hello(&self) -> Vec<u8> {
        if self.begun { NEW_GAME.into() } else { b"ugi\n".into() }
    }

    fn awaits(&self) -> Option<&'static str> {
        match self.stage {
            Stage::Greeted => Some("ugiok"),
            Stage::Asked => Some("readyok"),
            Stage::Ready => None,
        }
    }

    fn announced(&self) -> &[String] {
        &self.announced
    }

    fn played(&mut self, _: Seat, text: &str) -> Vec<u8> {
        self.add(text);
        Vec::new()
    }

    fn question(&mut self, clocks: &PerSeat<Clock>) -> &[u8] {
        self.position.truncate(self.reaches);
        let text = &mut self.position;
        text.push_str("\ngo");
        // Writing to a String cannot fail.
        let mut increments = String::new();
        for (seat, clock) in clocks.iter() {
            let player = seat.index() + 1;
            match clock.control() {
                TimeControl::WholeGame { increment, .. } | TimeControl::Repeating { increment, .. } => {
                    let _ = write!(text, " p{player}time {}", millis(clock.left())); // as above
                    if !increment.is_zero() {
                        let _ = write!(increments, " p{player}inc {}", millis(increment)); // as above
                    }
                }
                TimeControl::PerMove(time) if seat == self.seat => {
                    let _ = write!(text, " movetime {}", millis(time)); // as above
                }
                TimeControl::PerMove(_) => {}
            }
        }
        text.push_str(&increments);
        if let Some(moves) = clocks[self.seat].moves_to_go() {
            let _ = write!(text, " movestogo {moves}"); // as above
        }
        for (name, limit) in self.search.given() {
            let _ = write!(text, " {name} {limit}"); // as above
        }
        text.push('\n');
        text.as_bytes()
    }

    fn answer(&self, text: &str) -> String {
        format!("bestmove {}", without_side(text))
    }

    fn hear(&mut self, line: Vec<u8>) -> Reply {
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        match (words.next(), self.stage) {
            (Some(b"ugiok"), Stage::Greeted) => {
                self.stage = Stage::Asked;
                Reply::Tell(self.setup.clone().into_bytes())
            }
            (Some(b"option"), Stage::Greeted) => {
                // `option name Hash type spin default 16`; a name may have several words.
                let words = words.skip(1).take_while(|word| *word != b"type");
                self.announced.push(words.map(|word| escape(word, THOUGHT)).collect::<Vec<_>>().join(" "));
                Reply::Nothing
            }
            (Some(b"readyok"), Stage::Asked) => {
                self.stage = Stage::Ready;
                Reply::Ready
            }
            (Some(b"info"), _) if words.any(|word| word == b"score") => {
                Reply::Thought(escape(&line, THOUGHT))
            }
            (Some(b"bestmove"), Stage::Ready) => {
                let mv = match words.next() {
                    Some(word) if word.eq_ignore_ascii_case(b"resign") => b"R",
                    word => word.unwrap_or_default(),
                };
                Reply::Move([self.side.as_bytes(), b",", mv].concat())
            }
            _ => Reply::Nothing,
        }
    }
}

const NEW_GAME: &str = "uginewgame\nisready\n";
