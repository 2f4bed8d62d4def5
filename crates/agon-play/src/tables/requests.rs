//! What the process that answers browsers asks of the tables: one line of JSON each.

use std::collections::BTreeMap;
use std::time::Instant;

use agon_seats::Seat;
use serde::Deserialize;

/// A line of the input.
#[derive(Deserialize)]
pub(super) struct TablesMessage {
    /// Its number, which the answer repeats.
    #[serde(default)]
    pub(super) n: u64,
    /// Whose work it is.
    #[serde(default)]
    pub(super) client: String,
    /// When it had arrived at the server, on [`shared_clock`](agon_sandbox::system::shared_clock).
    pub(super) at: Option<u64>,
    /// What a browser asks, as it wrote it. It is a [`TablesRequest`] if it is well formed.
    pub(super) ask: Option<serde_json::Value>,
    /// A table that no browser looks at any more.
    pub(super) away: Option<u64>,
    /// The number of a message whose answer nobody waits for any more.
    pub(super) gone: Option<u64>,
    /// A table that has asked whether everything was passed on that had arrived, and the number of
    /// its question.
    pub(super) synced: Option<(u64, u64)>,
}

/// What a browser asks.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum TablesRequest {
    /// The games and the engines there are.
    Lobby,
    /// Whether this is a position of a game, and its board.
    Position(PositionRequest),
    /// A new table.
    Open(Box<OpenRequest>),
    /// Something at a table that is open.
    At {
        /// Who asks.
        key: String,
        /// What.
        request: TableRequest,
    },
}

/// A position that is to be looked at.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PositionRequest {
    /// The game, as `--game` takes it.
    pub(super) game: String,
    /// Its text, or moves from the start; the start if left out.
    pub(super) position: Option<String>,
    /// What the start is drawn from, in games that draw it.
    pub(super) seed: Option<u64>,
}

/// A table that is to be opened.
#[derive(Deserialize)]
pub(super) struct OpenRequest {
    /// The game, as `--game` takes it.
    pub(super) game: String,
    /// Who sits where, in order of play.
    pub(super) seats: Vec<SeatRequest>,
    /// Where the game begins: a position, or moves from the usual start.
    pub(super) position: Option<String>,
    /// Moves that were played from there.
    #[serde(default)]
    pub(super) moves: Vec<String>,
    /// What the start is drawn from, in games that draw it.
    pub(super) seed: Option<u64>,
}

/// Who sits on one seat.
#[derive(Deserialize)]
pub(super) struct SeatRequest {
    /// What plays.
    pub(super) kind: SeatKind,
    /// The name of the engine.
    pub(super) engine: Option<String>,
    /// Settings of the engine that differ from its file.
    #[serde(default)]
    pub(super) settings: BTreeMap<String, String>,
    /// The name of a person or of a program elsewhere, for the page and the record.
    pub(super) name: Option<String>,
    /// How strong an engine plays, one of the names of [`STRENGTHS`](super::seats::STRENGTHS),
    /// instead of a time.
    pub(super) strength: Option<String>,
    /// The time control; a person without one has all the time.
    pub(super) time: Option<String>,
}

/// What plays on a seat.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub(super) enum SeatKind {
    /// A person at this page.
    Person,
    /// An engine of the folder.
    Engine,
    /// A program elsewhere, whose moves an operator enters.
    Remote,
}

/// Something that is asked at a table.
pub(super) struct PendingRequest {
    /// The number of the message; 0 if nobody waits for an answer.
    pub(super) number: u64,
    /// The seat to which the key belongs; none if it belongs to who opened the table.
    pub(super) seat: Option<Seat>,
    /// Whose work it is.
    pub(super) client: String,
    /// When it arrived at the server.
    pub(super) arrived: Instant,
    /// What.
    pub(super) request: TableRequest,
}

impl PendingRequest {
    /// A request of the server itself, for which nobody waits.
    pub(super) fn of_server(request: TableRequest) -> PendingRequest {
        PendingRequest { number: 0, seat: None, client: String::new(), arrived: Instant::now(), request }
    }
}

/// What can be asked at a table.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum TableRequest {
    /// The board, and whose key it is.
    Look,
    /// A move.
    Move {
        /// The move, with or without its side.
        text: String,
        /// After how many plies it is played, so that a late one is not taken for another.
        ply: usize,
    },
    /// Takes back the last move of a person.
    Undo,
    /// Gives the game up.
    Resign,
    /// The same game from the start.
    Again,
    /// The legal moves with their values, where they are known.
    Hint,
    /// The operator has entered the move into the program elsewhere.
    Entered,
    /// The program elsewhere has made its move.
    Answered,
    /// All that had arrived before the table asked this question has been passed on. No browser can
    /// say it.
    #[serde(skip)]
    Synced(u64),
    /// Closes the table.
    Close {
        /// Why, if it is not the request of a person.
        why: Option<String>,
    },
}

impl TableRequest {
    /// Whether an engine that thinks is interrupted for it.
    pub(super) fn is_urgent(&self) -> bool {
        matches!(
            self,
            TableRequest::Undo | TableRequest::Resign | TableRequest::Again | TableRequest::Close { .. }
        )
    }
}
