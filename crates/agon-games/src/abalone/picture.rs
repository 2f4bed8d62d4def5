//! Abalone as a diagram: the hexagon, and what a move changes on it.

use super::SEATS;
use super::board::{AbaloneBoard, AbaloneMove, Space, row_length, row_letter};
use crate::Seat;
use agon_diagram::{Diagram, Frame, Label, Point, SLOT, Slot, SlotShape};

/// From one row to the next: half the square root of three, so that all neighbours are as far away.
const ROW: i32 = 87;

/// The free space at each side, for the names of the rows' ends.
const MARGIN: i32 = 130;

/// The longest row, in the middle.
const LONGEST: i32 = 9;

/// The hexagon. Beside each row are the names of its ends.
pub(super) fn diagram() -> Diagram {
    let (width, height) = (LONGEST * SLOT + 2 * MARGIN, (LONGEST - 1) * ROW + 3 * SLOT / 2);
    let place = |row: usize, number: i32| {
        let (row, length) = (small(row), small(row_length(row)));
        Point { x: width / 2 + (2 * number - length - 1) * SLOT / 2, y: height - 3 * SLOT / 4 - row * ROW }
    };
    let slot = |cell: Space| Slot {
        at: place(cell.row(), small(cell.number())),
        shape: SlotShape::Round,
        name: cell.to_string(),
    };
    let ends = |row: usize| {
        let (letter, length) = (row_letter(row), row_length(row));
        [(0, 1), (length + 1, length)].map(|(beside, number)| Label {
            at: place(row, small(beside)),
            text: format!("{letter}{number}"),
        })
    };
    Diagram {
        width,
        height,
        slots: Space::all().map(slot).collect(),
        lines: Vec::new(),
        labels: (0..9).flat_map(ends).collect(),
        hands: Vec::new(),
    }
}

fn small(number: usize) -> i32 {
    i32::try_from(number).expect("a hexagon has 9 rows of at most 9 cells")
}

/// What a legal move changes: every marble slides, and the one pushed off is slid over.
pub(super) fn frame(board: &AbaloneBoard, mover: Seat, mv: AbaloneMove) -> Frame {
    let pushes = mv.step == mv.line;
    let mut frame = Frame::default();
    let slide = |cell: Space| cell.next(mv.step).map(|to| (cell.index(), to.index()));
    frame.slides.extend(mv.cells().filter_map(slide));
    let front = mv.head().next(mv.step);
    let pushed: Vec<Space> = std::iter::successors(front.filter(|_| pushes), |cell| cell.next(mv.step))
        .take_while(|cell| board.at(*cell) == Some(mover.other()))
        .collect();
    frame.slides.extend(pushed.iter().copied().filter_map(slide));
    frame.marks = if pushes {
        [Some(mv.tail), front].into_iter().flatten().map(Space::index).collect()
    } else {
        frame.slides.iter().flat_map(|(from, to)| [*from, *to]).collect()
    };
    frame.marks.sort_unstable();
    frame.marks.dedup();
    frame.caption = caption(mover, mv, &pushed);
    frame
}

/// The move in words: `B pushes c3-e5 to d4-f6 and 2 marbles of W, one off the board`.
fn caption(mover: Seat, mv: AbaloneMove, pushed: &[Space]) -> String {
    let own = SEATS[mover.index()];
    let at = |cell: Option<Space>| cell.map_or(String::new(), |cell| cell.to_string());
    let (tail, head) = (at(mv.tail.next(mv.step)), at(mv.head().next(mv.step)));
    if mv.marbles == 1 {
        return format!("{own} moves {} to {tail}", mv.tail);
    }
    let verb = match pushed {
        _ if mv.step != mv.line => "shifts",
        [] => "moves",
        _ => "pushes",
    };
    let mut words = format!("{own} {verb} {}-{} to {tail}-{head}", mv.tail, mv.head());
    if let Some(last) = pushed.last() {
        let marbles = if pushed.len() == 1 { "a marble" } else { "2 marbles" };
        words.push_str(&format!(" and {marbles} of {}", SEATS[mover.other().index()]));
        words.push_str(match (last.next(mv.step), pushed.len()) {
            (Some(_), _) => "",
            (None, 1) => " off the board",
            (None, _) => ", one off the board",
        });
    }
    words
}
