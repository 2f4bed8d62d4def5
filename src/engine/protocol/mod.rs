//! The protocols between agon and an engine. A [`Talk`] is the harness's side of one conversation:
//! it knows what to say when, and which lines are answers. It never waits; the referee does.

mod cells;
mod console;
mod console_spec;
pub mod lines;
pub(super) mod template;
pub mod ugi;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use agon_games::{Game, PerSeat, Rules, Seat};
use serde::Deserialize;

use crate::clock::{Clock, SearchLimits, TimeControl};

pub use console_spec::ConsoleSpec;

/// A protocol, as `engine.toml` names it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// One move per line; see [`lines`].
    #[default]
    Lines,
    /// The Universal Game Interface; see [`ugi`].
    Ugi,
    /// A program that is made for people; see [`ConsoleSpec`].
    Console,
}

impl Protocol {
    /// Its name, as `engine.toml` has it.
    pub fn name(&self) -> &'static str {
        match self {
            Protocol::Lines => "lines",
            Protocol::Ugi => "ugi",
            Protocol::Console => "console",
        }
    }

    /// Whether one process plays all games of a pairing. Otherwise each game starts a new one.
    pub fn keeps_process(&self) -> bool {
        match self {
            Protocol::Lines | Protocol::Console => false,
            Protocol::Ugi => true,
        }
    }

    /// What is sent before stdin is closed.
    pub fn farewell(&self) -> &'static [u8] {
        match self {
            Protocol::Lines | Protocol::Console => b"",
            Protocol::Ugi => ugi::FAREWELL,
        }
    }

    /// Whether an engine starts only when its turn comes, in the position at that time; see
    /// [`lines`].
    pub fn joins_late(&self, start: &Start) -> bool {
        match self {
            Protocol::Lines => lines::joins_late(start),
            Protocol::Ugi | Protocol::Console => false,
        }
    }

    /// Whether games of these rules can be played in it.
    ///
    /// # Errors
    /// Why not, in words that follow the name of the protocol.
    pub fn fits(&self, _: &dyn Rules) -> Result<(), String> {
        match self {
            // The table of a console program is asked as well: see `ConsoleSpec::fits`.
            Protocol::Lines | Protocol::Ugi | Protocol::Console => Ok(()),
        }
    }

    /// A conversation about one game.
    pub fn talk(&self, terms: &TalkTerms<'_>) -> Box<dyn Talk> {
        match self {
            Protocol::Lines => Box::new(lines::LinesTalk::new(&terms.start)),
            Protocol::Ugi => Box::new(ugi::UgiTalk::new(terms)),
            Protocol::Console => {
                let spec = terms.console.expect("an engine.toml without the table is refused");
                Box::new(console::ConsoleTalk::new(spec, &terms.start))
            }
        }
    }
}

/// What a conversation about one game needs to know.
#[derive(Clone, Debug)]
pub struct TalkTerms<'a> {
    /// Where the game starts.
    pub start: Start,
    /// Whether the process has played before.
    pub begun: bool,
    /// The options of the engine.
    pub options: &'a BTreeMap<String, String>,
    /// How a program that is made for people is talked to.
    pub console: Option<&'a Arc<ConsoleSpec>>,
    /// How far it may search for a move.
    pub search: SearchLimits,
    /// How much time it has.
    pub control: TimeControl,
    /// The most memory that it may use, in bytes.
    pub memory: u64,
    /// The directory of its own, as it sees it.
    pub directory: PathBuf,
}

/// The start of a game, as an engine is told it.
#[derive(Clone, Debug)]
pub struct Start {
    /// The seat of the engine.
    pub seat: Seat,
    /// The names of all seats.
    pub seats: &'static [&'static str],
    /// The file `board`.
    pub board: String,
    /// The position as one line; `None` for the usual start position.
    pub position: Option<String>,
    /// The moves with their sides that lead to it from the usual start position, if they are known.
    pub moves: Option<Vec<String>>,
    /// The seat to move.
    pub to_move: Seat,
    /// The game with its options.
    pub game: String,
    /// The numbers of the game: names and values; see [`Rules::settings`].
    pub settings: Vec<(&'static str, String)>,
    /// A move that leaves the board as it is, for boards that do not show whose turn it is; see
    /// [`Rules::turn_sign`].
    pub turn_sign: Option<&'static str>,
}

impl Start {
    /// The current position, for an engine on this seat whose arguments do not show whose turn it
    /// is. `moves` lead to it, if they are known.
    pub fn new(rules: &dyn Rules, game: &dyn Game, seat: Seat, moves: Option<&[String]>) -> Self {
        let text = game.text();
        let startpos = rules.resume("startpos").ok();
        let is_usual = startpos.as_ref().is_some_and(|startpos| startpos.text() == text);
        let moves = if is_usual { Some(Vec::new()) } else { moves.map(<[String]>::to_vec) };
        Start {
            seat,
            seats: rules.seats(),
            board: game.view(seat),
            position: (!is_usual).then_some(text),
            // Nobody else knows the start of a board that was drawn.
            moves: moves.filter(|_| startpos.is_some()),
            to_move: game.to_move(),
            game: rules.spec(),
            settings: rules.settings(),
            turn_sign: rules.turn_sign(),
        }
    }
}

/// The meaning of an engine's line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reply {
    /// A move with its side letter, or text in its place.
    Move(Vec<u8>),
    /// A thought, to be stored with the move.
    Thought(String),
    /// The handshake is done.
    Ready,
    /// What is to be sent before the next line is read.
    Tell(Vec<u8>),
    /// The engine cannot play this game, and why, in words for its author.
    Refused(String),
    /// Nothing that matters.
    Nothing,
}

/// The harness's side of one conversation.
pub trait Talk: Send {
    /// The names of the options that the engine has announced so far.
    fn announced(&self) -> &[String] {
        &[]
    }

    /// What lies in the stdin of a process when it starts.
    fn greeting(&self) -> Vec<u8> {
        // Not the handshake: its answer would come before it is expected.
        Vec::new()
    }

    /// The first words of the handshake.
    fn hello(&self) -> Vec<u8> {
        Vec::new()
    }

    /// The word with which the engine reports that it is ready, if it has not done so.
    fn awaits(&self) -> Option<&'static str> {
        None
    }

    /// What to send after a seat has moved.
    fn played(&mut self, by: Seat, text: &str) -> Vec<u8>;

    /// The question, in addition to what was sent before.
    fn question(&mut self, _: &PerSeat<Clock>) -> &[u8] {
        &[]
    }

    /// The line with which an engine plays this move.
    fn answer(&self, text: &str) -> String;

    /// Interprets a line.
    fn hear(&mut self, line: Vec<u8>) -> Reply;

    /// Interprets text behind which the engine waits without a newline. If it means nothing, it may
    /// still grow.
    fn hear_prompt(&mut self, _: &[u8]) -> Reply {
        Reply::Nothing
    }

    /// What to add to the reason if it loses for want of an answer.
    fn remark(&self) -> Option<String> {
        None
    }
}

/// A move without its side.
fn without_side(text: &str) -> &str {
    text.split_once(',').map_or(text, |(_, mv)| mv)
}

/// Whole milliseconds, as engines are told the time: rounded down, at least 1.
fn millis(time: Duration) -> u128 {
    time.as_millis().max(1)
}
