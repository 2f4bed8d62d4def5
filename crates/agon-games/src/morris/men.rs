//! The men: a move of one, and the men of a side.

use std::fmt;

/// A man is placed or moves from one point to another, and an opposing man may be removed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MorrisMove {
    /// The old point of the man; `None` if it comes from the hand.
    pub from: Option<u8>,
    /// Its new point.
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
    /// The points with its men.
    pub(super) men: u32,
    /// The number of men in hand.
    pub(super) hand: u8,
}
