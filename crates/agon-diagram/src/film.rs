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

impl Film {
    /// What is on the slots after so many plies; after the last one, if it has fewer.
    pub fn at(&self, ply: usize) -> Vec<SlotContent> {
        let mut contents = self.start.clone();
        self.frames.iter().take(ply).for_each(|frame| change(&mut contents, frame));
        contents
    }

    /// Looks at each ply: at what is on the slots before it, and at its frame.
    pub fn each<T>(&self, mut look: impl FnMut(&[SlotContent], &Frame) -> T) -> Vec<T> {
        let mut contents = self.start.clone();
        let one = |frame| {
            let seen = look(&contents, frame);
            change(&mut contents, frame);
            seen
        };
        self.frames.iter().map(one).collect()
    }
}

/// Applies a frame. One that names slots which the board does not have changes nothing, as in the
/// scripts of pages.
fn change(contents: &mut [SlotContent], frame: &Frame) {
    let _ = frame.apply(contents); // as above
}

#[cfg(test)]
mod tests {
    use agon_seats::Seat;

    use super::*;

    #[test]
    fn the_contents_after_a_ply_are_those_before_the_next_one() {
        let piece = |seat| SlotContent::Piece(Seat::new(seat));
        let frames = vec![
            Frame::entering(Seat::new(0), 0, 0),
            Frame { slides: vec![(0, 1)], ..Frame::default() },
            Frame::entering(Seat::new(1), 7, 7), // there is no such slot
            Frame::entering(Seat::new(1), 0, 0),
        ];
        let film = Film { diagram: Diagram::default(), start: vec![SlotContent::Empty; 2], frames };
        let empty = SlotContent::Empty;
        assert_eq!(film.at(0), [empty.clone(), empty.clone()]);
        assert_eq!(film.at(1), [piece(0), empty.clone()]);
        assert_eq!(film.at(2), [empty, piece(0)]);
        assert_eq!(film.at(3), film.at(2));
        assert_eq!(film.at(99), [piece(1), piece(0)]);
        assert_eq!(film.each(|before, _| before.to_vec()), [film.at(0), film.at(1), film.at(2), film.at(3)]);
    }
}
