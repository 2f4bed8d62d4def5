//! Morris as a diagram: the points and lines of a board.

use super::layout::{MorrisLayout, points};
use agon_diagram::{Diagram, Label, Point, SLOT, Slot, SlotShape};

/// From one point of the figure to the next, so that the lines show between the men.
const STEP: i32 = 3 * SLOT / 2;

/// The free space at each side, for the men and their numbers.
const MARGIN: i32 = SLOT;

/// The characters of the figure from one point to the next.
const CHARACTERS: usize = 3;

/// The board with its lines. Each point has its number above it to the right.
pub(super) fn diagram(layout: &MorrisLayout) -> Diagram {
    let place = |column: usize, row: usize| {
        let steps = |index: usize| STEP * i32::try_from(index).expect("a figure is small") + MARGIN;
        Point { x: steps(column / CHARACTERS), y: steps(row) }
    };
    let marks = layout
        .figure
        .iter()
        .enumerate()
        .flat_map(|(row, line)| line.match_indices('+').map(move |(column, _)| place(column, row)));
    let places: Vec<Point> = marks.collect();
    let lines = (0..layout.points).flat_map(|from| {
        let later = points(layout.joined(from)).filter(move |to| *to > from);
        later.map(move |to| (from, to))
    });
    let far = |of: fn(&Point) -> i32| places.iter().map(of).max().unwrap_or(0) + MARGIN;
    Diagram {
        width: far(|place| place.x),
        height: far(|place| place.y),
        lines: lines.map(|(from, to)| (places[usize::from(from)], places[usize::from(to)])).collect(),
        labels: (0..)
            .zip(&places)
            .map(|(number, at): (u8, _)| Label {
                at: Point { x: at.x + SLOT / 2, y: at.y - SLOT / 2 },
                text: number.to_string(),
            })
            .collect(),
        hands: Vec::new(),
        slots: (0..)
            .zip(places)
            .map(|(number, at): (u8, _)| Slot { at, shape: SlotShape::Round, name: number.to_string() })
            .collect(),
    }
}
