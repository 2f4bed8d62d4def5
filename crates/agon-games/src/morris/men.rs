//! The men: what one of them does in a move, and what a side has of them.

use std::fmt;

/// A man is placed or goes from one point to another, and an opposing man may be removed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MorrisMove {
    /// Where the man stood; nothing when it comes from the hand.
    pub from: Option<u8>,
    /// Where it goes.
    pub to: u8,
    /// The opposing man that is removed.
    pub removed: Option<u8>,
}

/// `7`, `7r2`, `3-4`, `3-4r7`.
impl fmt::Display for MorrisMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(from) = self.from {
            write!(f, "{from}-")?;
        }
        write!(f, "{}", self.to)?;
        match self.removed {
            Some(removed) => write!(f, "r{removed}"),
            None => Ok(()),
        }
    }
}

/// One side's men.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Side {
    /// The points they stand on.
    pub(super) men: u32,
    /// How many are still to be placed.
    pub(super) hand: u8,
}
