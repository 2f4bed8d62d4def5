//! Text tables, drawn in one place. A column has the width of its cells on a terminal: a wide
//! character takes two places and a combining mark none.

use comfy_table::{
    Attribute, CellAlignment, Color, ColumnConstraint, ContentArrangement, ContentLineStyle, LineStyle, Row,
    Table, TableStyle, Width,
};

/// The space after each cell and before the next.
pub(super) const GAP: u16 = 2;

/// No lines at all.
const PLAIN: TableStyle = TableStyle::new().content_lines(ContentLineStyle::none().junction(' '));

/// A single line, under the head.
const UNDERLINED: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));

/// An empty table without lines, or with one under its head. Its text is plain until styles are
/// enforced.
pub(super) fn empty(underlined: bool) -> Table {
    let mut table = Table::new();
    // The look is chosen by the caller; the crate would examine stdout, perhaps another output.
    table.force_no_tty().set_content_arrangement(ContentArrangement::Disabled);
    table.load_style(if underlined { UNDERLINED } else { PLAIN });
    table.set_truncation_indicator("…");
    table
}

/// Adds a row, which stays one line.
pub(super) fn add(table: &mut Table, cells: impl IntoIterator<Item = String>) {
    let mut row = Row::from(cells);
    row.max_height(1);
    table.add_row(row);
}

/// Shows the cells of a column in green and bold, in the rows for which `which` says so.
pub(super) fn mark(table: &mut Table, column: usize, which: impl Iterator<Item = bool>) {
    for (row, _) in table.row_iter_mut().zip(which).filter(|(_, is_marked)| *is_marked) {
        let cells = row.cell_iter().enumerate().map(|(place, cell)| match place == column {
            true => cell.clone().fg(Color::Green).add_attribute(Attribute::Bold),
            false => cell.clone(),
        });
        let mut marked = Row::from(cells.collect::<Vec<_>>());
        marked.max_height(1);
        *row = marked;
    }
}

/// Aligns the columns for which `right` says so to the right, and all others to the left.
pub(super) fn align(table: &mut Table, right: impl Fn(usize) -> bool) {
    for (place, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 1));
        if right(place) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
}

/// Sets the width of a column, independent of its cells.
pub(super) fn set_width(table: &mut Table, column: usize, width: u16) {
    let column = table.column_mut(column).expect("the table has the column");
    column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(width + 1)));
}

/// The width of a table in columns of the terminal.
pub(super) fn width(table: &Table) -> u16 {
    table.column_max_content_widths().iter().map(|width| width + GAP).sum()
}

/// The lines of a table, without spaces at their ends. Each ends with a newline.
pub(super) fn lines(table: &Table) -> String {
    table.trim_fmt() + "\n"
}
