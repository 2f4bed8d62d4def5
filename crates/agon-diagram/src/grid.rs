//! Diagrams of boards that consist of cells in rows and columns, in one plane or in several.

use crate::drawing::{Diagram, Label, MOST_SLOTS, Point, SLOT, Slot, SlotShape};

/// The width that a diagram has at least, if its planes fill it.
const WIDE: usize = 26;

/// The free space at a side with coordinates, and around the whole.
const MARGIN: i32 = SLOT;
const EDGE: i32 = SLOT / 4;

/// One plane of cells. Its slots go row by row from the top left.
pub struct CellPlane<'a> {
    /// The number of columns.
    pub columns: usize,
    /// The number of rows.
    pub rows: usize,
    /// The outline of each cell.
    pub shape: SlotShape,
    /// The coordinates of the columns from the left.
    pub across: &'a dyn Fn(usize) -> String,
    /// Whether these stand below the cells, and not above them.
    pub below: bool,
    /// The coordinates of the rows from the top, at the left.
    pub down: Option<&'a dyn Fn(usize) -> String>,
}

impl CellPlane<'_> {
    /// The diagram of a board of one plane. `name` names the cell in a column and a row, from 0.
    pub fn diagram(&self, name: impl Fn(usize, usize) -> String) -> Diagram {
        let mut diagram = Diagram::default();
        self.draw(&mut diagram, Point { x: EDGE, y: EDGE }, &name);
        diagram
    }

    /// Adds the plane with its upper left corner, of the coordinates, at `corner`.
    fn draw(&self, diagram: &mut Diagram, corner: Point, name: &dyn Fn(usize, usize) -> String) {
        let x = |column: usize| {
            corner.x + if self.down.is_some() { MARGIN } else { 0 } + length(column) + SLOT / 2
        };
        let y = |row: usize| corner.y + if self.below { 0 } else { MARGIN } + length(row) + SLOT / 2;
        for row in 0..self.rows {
            for column in 0..self.columns {
                let at = Point { x: x(column), y: y(row) };
                diagram.slots.push(Slot { at, shape: self.shape, name: name(column, row) });
            }
        }
        let beside = if self.below { y(self.rows) } else { corner.y + MARGIN / 2 };
        let across = (0..self.columns)
            .map(|column| Label { at: Point { x: x(column), y: beside }, text: (self.across)(column) });
        diagram.labels.extend(across);
        if let Some(down) = self.down {
            let x = corner.x + MARGIN / 2;
            diagram
                .labels
                .extend((0..self.rows).map(|row| Label { at: Point { x, y: y(row) }, text: down(row) }));
        }
        let bottom = y(self.rows) + if self.below { SLOT / 2 } else { -SLOT / 2 };
        diagram.width = diagram.width.max(x(self.columns) - SLOT / 2 + EDGE);
        diagram.height = diagram.height.max(bottom + EDGE);
    }
}

/// The diagram of a board of several planes: four as two by two, and others side by side, in
/// several lines if they are many. Its slots go plane by plane. The coordinates are numbers from
/// 1, and the first of each direction names it: `across` and `down` are `x` or `y`. `None` if
/// there are more than [`MOST_SLOTS`] cells.
pub fn planes(
    [columns, rows, planes]: [usize; 3],
    [across, down]: [char; 2],
    shape: SlotShape,
) -> Option<Diagram> {
    if columns * rows * planes > MOST_SLOTS {
        return None;
    }
    let numbered = |axis: char, index: usize| match index {
        0 => format!("{axis}=1"),
        _ => (index + 1).to_string(),
    };
    let grid = CellPlane {
        columns,
        rows,
        shape,
        across: &|column| numbered(across, column),
        below: false,
        down: Some(&|row| numbered(down, row)),
    };
    // Each plane has its coordinates, a heading and a gap.
    let (wide, high) = (columns + 2, rows + 2);
    // Planes that make a full square are one: it fills a telephone and a screen. Of others the
    // first shape that is wider than high fills a screen, and a narrow diagram is one line.
    let at_once = (1..planes)
        .find(|at_once| at_once * at_once == planes)
        .or_else(|| {
            (1..planes).filter(|_| planes * wide > WIDE).find(|at_once| {
                let lines = planes.div_ceil(*at_once);
                2 * at_once * wide >= 3 * lines * high
            })
        })
        .unwrap_or(planes);
    let mut diagram = Diagram::default();
    for z in 0..planes {
        let corner = Point { x: EDGE + length((z % at_once) * wide), y: EDGE + length((z / at_once) * high) };
        let centre = corner.x + MARGIN + length(columns) / 2;
        let heading = Point { x: centre, y: corner.y + MARGIN / 2 };
        diagram.labels.push(Label { at: heading, text: format!("z={}", z + 1) });
        grid.draw(&mut diagram, Point { y: corner.y + MARGIN * 3 / 4, ..corner }, &|column, row| {
            let (x, y) = if across == 'x' { (column, row) } else { (row, column) };
            format!("x={} y={} z={}", x + 1, y + 1, z + 1)
        });
    }
    Some(diagram)
}

/// The length of this many slots.
fn length(slots: usize) -> i32 {
    SLOT * i32::try_from(slots).expect("no diagram has more than 2,000 slots in a line")
}

#[cfg(test)]
mod tests {
    use super::{Diagram, SlotShape, planes};

    /// How many planes stand in a line, and how many lines there are, by the headings `z=1` and so
    /// on.
    fn shape(sides: [usize; 3]) -> (usize, usize) {
        let diagram: Diagram = planes(sides, ['x', 'y'], SlotShape::Round).unwrap();
        let headings = || diagram.labels.iter().filter(|label| label.text.starts_with("z="));
        let first = headings().next().unwrap().at;
        let (in_line, below) = (
            headings().filter(|label| label.at.y == first.y).count(),
            headings().filter(|label| label.at.x == first.x).count(),
        );
        assert!(diagram.slots.iter().all(|slot| slot.at.x < diagram.width && slot.at.y < diagram.height));
        (in_line, below)
    }

    #[test]
    fn four_planes_are_two_by_two_and_others_fill_a_screen() {
        assert_eq!(shape([4, 4, 4]), (2, 2));
        assert_eq!(shape([5, 7, 4]), (2, 2));
        assert_eq!(shape([3, 3, 9]), (3, 3));
        assert_eq!(shape([6, 6, 3]), (3, 1));
        assert_eq!(shape([6, 6, 6]), (3, 2));
        assert_eq!(shape([4, 4, 1]), (1, 1));
        assert_eq!(shape([3, 3, 2]), (2, 1));
    }
}
