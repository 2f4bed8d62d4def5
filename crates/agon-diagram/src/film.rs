//! A game as a diagram with a frame for each ply.

use crate::drawing::{Diagram, Frame, SlotContent};

/// A game for a page: its board, what is on the board at the start, and what each ply changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Film {
    /// The board.
    pub diagram: Diagram,
    /// The contents of its slots before the first ply, in the same order.
    pub start: Vec<SlotContent>,
    /// What each ply changes.
    pub frames: Vec<Frame>,
}
