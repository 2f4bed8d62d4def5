//! The result of a game as one word of text: `1-0`, `73-72`, `13(W)-8(L)`.

use crate::seat::{PerSeat, Seat};

/// The end of a game, for the game's own form of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Finish<'a> {
    /// The place of each seat, 1 the best; seats that tie share a place.
    pub places: &'a PerSeat<u8>,
    /// The score of each seat in the game's own unit.
    pub scores: &'a PerSeat<i32>,
    /// The seat that lost before the rules ended the game, and how; otherwise `None`.
    pub lost: Option<(Seat, Lost)>,
}

/// How a seat can lose before the rules end the game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Lost {
    /// It has resigned.
    Resigned,
    /// It ran out of time.
    OutOfTime,
    /// Any other forfeit, such as an illegal move.
    Fault,
}

impl Lost {
    /// All ways.
    pub const ALL: [Lost; 3] = [Lost::Resigned, Lost::OutOfTime, Lost::Fault];
}

/// The result by places, first seat first: `1-0`, `0-1`, `1/2-1/2`.
pub fn points(places: &PerSeat<u8>) -> String {
    let best = places.values().iter().filter(|place| **place == 1).count();
    let parts: Vec<&str> = places
        .values()
        .iter()
        .map(|place| match (place, best) {
            (1, 1) => "1",
            (1, _) => "1/2",
            _ => "0",
        })
        .collect();
    parts.join("-")
}

/// The places if the score decides: the higher the better, and equal scores share a place.
pub fn by_score(scores: &PerSeat<i32>) -> PerSeat<u8> {
    scores.map(|_, own| {
        let better = scores.values().iter().filter(|other| *other > own).count();
        u8::try_from(better + 1).expect("a game has at most 255 seats")
    })
}

/// The places if this seat has lost: it is last, and the others share the first place. The score
/// does not matter.
pub fn all_but(loser: Seat, seats: usize) -> PerSeat<u8> {
    let last = u8::try_from(seats).expect("a game has at most 255 seats");
    PerSeat::from_fn(seats, |seat| if seat == loser { last } else { 1 })
}
