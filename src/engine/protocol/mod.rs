//! The ways to talk to an engine. A [`Talk`] is one side of one conversation: it knows what to say when, and
//! which lines are an answer. It never waits; the referee does.

pub mod lines;
pub mod ugi;

use std::time::Duration;

use agon_games::{Game, PerSeat, Rules, Seat};
use serde::Deserialize;

use crate::clock::Clock;

/// Which way an engine is talked to, as `engine.toml` names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// One move a line; see [`lines`].
    #[default]
    Lines,
    /// The Universal Game Interface; see [`ugi`].
    Ugi,
}

impl Protocol {
    /// Whether one process plays all games of a pairing. Otherwise every game starts it anew.
    pub fn keeps_process(self) -> bool {
        match self {
            Protocol::Lines => false,
            Protocol::Ugi => true,
        }
    }

    /// What a process is told before its stdin is closed.
    pub fn farewell(self) -> &'static [u8] {
        match self {
            Protocol::Lines => b"",
            Protocol::Ugi => ugi::FAREWELL,
        }
    }

    /// Whether an engine is to be started only when its turn comes, in the position there; see [`lines`].
    pub fn joins_late(self, start: &Start) -> bool {
        match self {
            Protocol::Lines => lines::joins_late(start),
            Protocol::Ugi => false,
        }
    }

    /// A conversation about one game. `begun` is whether the process has played before.
    pub fn talk(self, start: &Start, begun: bool) -> Talk {
        match self {
            Protocol::Lines => Talk::Lines(lines::LinesTalk::new(start)),
            Protocol::Ugi => Talk::Ugi(ugi::UgiTalk::new(start, begun)),
        }
    }
}

/// Where a game starts, as an engine is told.
#[derive(Clone, Debug)]
pub struct Start {
    /// The seat of the engine.
    pub seat: Seat,
    /// The names of all seats.
    pub seats: &'static [&'static str],
    /// The file `board`.
    pub board: String,
    /// The position as one line, or `None` for the game's one and only start position.
    pub position: Option<String>,
    /// Who is to move.
    pub to_move: Seat,
    /// A move that leaves the board as it is, where nothing else tells the engine whose turn it is; see
    /// [`Rules::turn_sign`].
    pub turn_sign: Option<&'static str>,
}

impl Start {
    /// A game as it stands, for an engine on this seat whose arguments do not tell whose turn it is.
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

/// What a line of an engine is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reply {
    /// Its move, with its side letter, or what it takes for one.
    Move(Vec<u8>),
    /// A word about its thinking, to be kept with the move.
    Thought(String),
    /// The handshake is done.
    Ready,
    /// The handshake goes on: this is to be told.
    Tell(Vec<u8>),
    /// Nothing of interest.
    Nothing,
}

/// One side of one conversation.
pub enum Talk {
    /// In `lines`.
    Lines(lines::LinesTalk),
    /// In UGI.
    Ugi(ugi::UgiTalk),
}

impl Talk {
    /// What lies in the stdin of a process when it starts.
    pub fn greeting(&self) -> Vec<u8> {
        match self {
            Talk::Lines(talk) => talk.greeting(),
            // Not the first words of the handshake: an answer would come before anybody listens for it.
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

    /// Whether the engine must say that it is ready before the game begins, and the word for it.
    pub fn awaits(&self) -> Option<&'static str> {
        match self {
            Talk::Lines(_) => None,
            Talk::Ugi(talk) => talk.awaits(),
        }
    }

    /// Somebody has moved: what is to be told now.
    pub fn played(&mut self, by: Seat, text: &str) -> Vec<u8> {
        match self {
            Talk::Lines(talk) => talk.played(by, text),
            Talk::Ugi(talk) => talk.played(text),
        }
    }

    /// The question, besides what it has been told already.
    pub fn question(&mut self, clocks: &PerSeat<Clock>) -> &[u8] {
        match self {
            Talk::Lines(_) => &[],
            Talk::Ugi(talk) => talk.question(clocks),
        }
    }

    /// What a line means.
    pub fn hear(&mut self, line: Vec<u8>) -> Reply {
        match self {
            Talk::Lines(_) => Reply::Move(line),
            Talk::Ugi(talk) => talk.hear(&line),
        }
    }
}

/// Whole milliseconds, as engines are told of time: never rounded up, never nothing.
fn millis(time: Duration) -> u128 {
    time.as_millis().max(1)
}
