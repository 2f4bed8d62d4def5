//! Plain columns for lists that people read and scripts split.

use agon_printable::clean;

/// A head and rows as lines, each cell as wide as its column. Ends with a newline.
pub fn columns(head: &[&str], rows: &[Vec<String>]) -> String {
    let head: Vec<String> = head.iter().map(|cell| (*cell).to_owned()).collect();
    let rows: Vec<Vec<String>> =
        std::iter::once(&head).chain(rows).map(|row| row.iter().map(|cell| clean(cell)).collect()).collect();
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::columns;

    #[test]
    fn cells_stand_below_one_another() {
        let rows = [vec!["1".to_owned(), "a\u{1b}".to_owned()], vec!["100".to_owned(), "b".to_owned()]];
        assert_eq!(columns(&["id", "name"], &rows), "id   name\n1    a\\x1b\n100  b\n");
    }
}
