//! The protocol `lines`, which a student can speak in ten lines of any language.
//!
//! The engine's stdin gets the text of the board file, then each move of its opponents as it is played, one a
//! line. On its turn it writes one line in the same form to stdout. At the end its stdin is closed. Side,
//! dimensions and seconds are its arguments: `./engine W 6 6 3 5`.

use super::Start;
use crate::game::Seat;

/// One engine's conversation.
pub struct Talk {
    seat: Seat,
    board: Vec<u8>,
}

impl Talk {
    pub(super) fn new(start: &Start<'_>) -> Self {
        Talk { seat: start.seat, board: start.board.as_bytes().to_vec() }
    }

    pub(super) fn greeting(&self) -> Vec<u8> {
        self.board.clone()
    }

    /// An engine knows what it has played itself.
    pub(super) fn played(&self, by: Seat, text: &str) -> Vec<u8> {
        if by == self.seat { Vec::new() } else { format!("{text}\n").into_bytes() }
    }
}

/// The usual arguments of an engine: its side, the numbers of the board, the seconds.
pub fn arguments<'a>(settings: impl Iterator<Item = &'a str>) -> Vec<String> {
    let settings = settings.map(|word| format!("{{{word}}}"));
    ["{side}".to_owned()].into_iter().chain(settings).chain(["{seconds}".to_owned()]).collect()
}
