//! What the protocol of Gomocup tells an engine of a game.

/// What the protocol of Gomocup, the tournament of programs for five in a row, tells of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gomocup {
    /// The number of columns.
    pub columns: u8,
    /// The number of rows.
    pub rows: u8,
    /// The number after `INFO rule`. It is 0 if five or more in a line win. Otherwise it is a sum
    /// of 1 (exactly five win), 4 (renju) and 8 (caro).
    pub rule: u32,
}
