//! The protocols between agon and an engine. A [`Talk`] is the harness's side of one conversation:
//! it knows what to say when, and which lines are answers. It never waits; the referee does.

pub mod lines;
pub mod ugi;

use std::collections::BTreeMap;
use std::time::Duration;

use agon_games::{Game, PerSeat, Rules, Seat};
use serde::Deserialize;

use crate::clock::{Clock, SearchLimits};

/// A protocol, as `engine.toml` names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// One move per line; see [`lines`].
    #[default]
    Lines,
    /// The Universal Game Interface; see [`ugi`].
    Ugi,
}

impl Protocol {
    /// Whether one process plays all games of a pairing. Otherwise each game starts a new one.
    pub fn keeps_process(self) -> bool {
        match self {
            Protocol::Lines => false,
            Protocol::Ugi => true,
        }
    }

    /// What is sent before stdin is closed.
    pub fn farewell(self) -> &'static [u8] {
        match self {
            Protocol::Lines => b"",
            Protocol::Ugi => ugi::FAREWELL,
        }
    }

    /// Whether an engine starts only when its turn comes, in the position at that time; see
    /// [`lines`].
    pub fn joins_late(self, start: &Start) -> bool {
        match self {
            Protocol::Lines => lines::joins_late(start),
            Protocol::Ugi => false,
        }
    }

    /// A conversation about one game, with the options of an engine and the limits of its search.
    /// `begun` says whether the process has played before.
    pub fn talk(
        self,
        start: &Start,
        begun: bool,
        options: &BTreeMap<String, String>,
        search: SearchLimits,
    ) -> Talk {
        match self {
            Protocol::Lines => Talk::Lines(lines::LinesTalk::new(start)),
            Protocol::Ugi => Talk::Ugi(ugi::UgiTalk::new(start, begun, options, search)),
        }
    }
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
    /// The seat to move.
    pub to_move: Seat,
    /// A move that leaves the board as it is, for boards that do not show whose turn it is; see
    /// [`Rules::turn_sign`].
    pub turn_sign: Option<&'static str>,
}

impl Start {
    /// The current position, for an engine on this seat whose arguments do not show whose turn it
    /// is.
    pub fn new(rules: &dyn Rules, game: &dyn Game, seat: Seat) -> Self {
        let text = game.text();
        let usual = rules.resume("startpos").is_ok_and(|startpos| startpos.text() == text);
        Start {
            seat,
            seats: rules.seats(),
            board: game.view(seat),
            position: (!usual).then_some(text),
            to_move: game.to_move(),
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
    /// The next words of the handshake, to be sent.
    Tell(Vec<u8>),
    /// Nothing that matters.
    Nothing,
}

/// The harness's side of one conversation.
pub enum Talk {
    /// For `lines`.
    Lines(lines::LinesTalk),
    /// For UGI.
    Ugi(ugi::UgiTalk),
}

impl Talk {
    /// The names of the options that the engine has announced so far.
    pub fn announced(&self) -> &[String] {
        match self {
            Talk::Lines(_) => &[],
            Talk::Ugi(talk) => talk.announced(),
        }
    }

    /// What lies in the stdin of a process when it starts.
    pub fn greeting(&self) -> Vec<u8> {
        match self {
            Talk::Lines(talk) => talk.greeting(),
            // Not the handshake: its answer would come before it is expected.
            Talk::Ugi(_) => Vec::new(),
        }
    }

    /// The first words of the handshake.
    pub fn hello(&self) -> &'static [u8] {
        match self {
            Talk::Lines(_) => b"",
            Talk::Ugi(talk) => talk.hello(),
        }
    }

    /// The word with which the engine reports that it is ready, if the protocol has one.
    pub fn awaits(&self) -> Option<&'static str> {
        match self {
            Talk::Lines(_) => None,
            Talk::Ugi(talk) => talk.awaits(),
        }
    }

    /// What to send after another seat has moved.
    pub fn played(&mut self, by: Seat, text: &str) -> Vec<u8> {
        match self {
            Talk::Lines(talk) => talk.played(by, text),
            Talk::Ugi(talk) => talk.played(text),
        }
    }

    /// The question, in addition to what was sent before.
    pub fn question(&mut self, clocks: &PerSeat<Clock>) -> &[u8] {
        match self {
            Talk::Lines(_) => &[],
            Talk::Ugi(talk) => talk.question(clocks),
        }
    }

    /// The line with which an engine plays this move.
    pub fn answer(&self, text: &str) -> String {
        match self {
            Talk::Lines(_) => text.to_owned(),
            Talk::Ugi(_) => format!("bestmove {}", text.split_once(',').map_or(text, |(_, mv)| mv)),
        }
    }

    /// Interprets a line.
    pub fn hear(&mut self, line: Vec<u8>) -> Reply {
        match self {
            Talk::Lines(_) => Reply::Move(line),
            Talk::Ugi(talk) => talk.hear(&line),
        }
    }
}

/// Whole milliseconds, as engines are told the time: rounded down, at least 1.
fn millis(time: Duration) -> u128 {
    time.as_millis().max(1)
}
