//! The protocol `lines`, which a student can speak in ten lines of any language.
//!
//! The engine's stdin gets the text of the board file, then each move of its opponents as it is played, one a
//! line. On its turn it writes one line in the same form to stdout. At the end its stdin is closed. Side,
//! dimensions and seconds are its arguments: `./engine W 6 6 3 5`.
//!
//! A game may start in a position in which another seat than the first is to move. Most boards show whose turn it is.
//! Where the board does not, and the engine's arguments do not ask for it either, the engine needs to know nothing:
//! * The seat to move is told a pass of each seat before it, behind the board: `W,P`.
//! * A seat before the one to move is started when its turn comes. Its board, its files and its arguments show the
//!   position there, and it moves first.

use super::Start;
use agon_games::Seat;

/// One engine's conversation.
pub struct LinesTalk {
    seat: Seat,
    greeting: Vec<u8>,
}

impl LinesTalk {
    pub(super) fn new(start: &Start) -> Self {
        let mut greeting = start.board.clone();
        if let Some(pass) = start.turn_sign {
            let before = start.seats[..start.to_move.index()].iter().enumerate();
            for (_, name) in before.filter(|(seat, _)| *seat != start.seat.index()) {
                greeting.push_str(&format!("{name},{pass}\n"));
            }
        }
        LinesTalk { seat: start.seat, greeting: greeting.into_bytes() }
    }

    pub(super) fn greeting(&self) -> Vec<u8> {
        self.greeting.clone()
    }

    /// An engine knows what it has played itself.
    pub(super) fn played(&self, by: Seat, text: &str) -> Vec<u8> {
        if by == self.seat { Vec::new() } else { format!("{text}\n").into_bytes() }
    }
}

/// Whether the engine's seat would begin by the rules, but others move before it here, and nothing can tell it so.
pub(super) fn joins_late(start: &Start) -> bool {
    start.turn_sign.is_some() && start.seat < start.to_move
}

/// The usual arguments of an engine: its side, the numbers of the board, the seconds.
pub fn arguments<'a>(settings: impl Iterator<Item = &'a str>) -> Vec<String> {
    let settings = settings.map(|word| format!("{{{word}}}"));
    ["{side}".to_owned()].into_iter().chain(settings).chain(["{seconds}".to_owned()]).collect()
}
