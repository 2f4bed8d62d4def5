//! The seats of a game, its result by seats, why a move is refused, and the time that a seat has:
//! what rules, referees and standings share. Pure arithmetic: no clock is read here.

mod clock;
mod odds;
mod refusal;
pub mod result;
mod seat;

pub use clock::{Clock, Flag, SearchLimits, TimeControl, positive, whole_micros, with_point, zero_or_more};
pub use odds::Odds;
pub use refusal::Refusal;
pub use seat::{PerSeat, Seat};
