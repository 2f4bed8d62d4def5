//! The harness's side of a conversation about a game of a referee program: what the referee tells a
//! seat becomes words of the engine's protocol, and the engine's answer becomes one line.

use agon_seats::{Clock, PerSeat};

use super::Reply;

/// One engine's conversation. An engine that speaks lines needs none: it reads what the referee
/// writes.
pub trait Told: Send {
    /// The first words of the handshake.
    fn hello(&self) -> Vec<u8>;

    /// What the engine is to write to be ready, if it is not.
    fn awaits(&self) -> Option<&str>;

    /// Takes the lines that the referee has told the seat. Lines that mean nothing in the protocol
    /// are left out.
    fn told(&mut self, lines: &str);

    /// What asks for a move.
    fn question(&mut self, clocks: &PerSeat<Clock>) -> Vec<u8>;

    /// Its time has run out. It may make its move later.
    fn late(&mut self);

    /// Whether the answer to an earlier question may still come.
    fn is_behind(&self) -> bool;

    /// It has answered the last question. Returns whether it had been late before.
    fn catches_up(&mut self) -> bool;

    /// Interprets a line. A [`Reply::Move`] is the line that the referee gets as the answer.
    fn hear(&mut self, line: Vec<u8>) -> Reply;

    /// What to add to the reason if it does not come through its handshake in time.
    fn remark(&self) -> Option<String> {
        None
    }
}
