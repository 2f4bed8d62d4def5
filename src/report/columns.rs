//! Plain columns for lists that people read and scripts split.

use agon_printable::clean;

use super::table;

/// A head and rows as lines, each cell as wide as its column. Ends with a newline.
pub fn columns(head: &[&str], rows: &[Vec<String>]) -> String {
    let mut drawn = table::empty(false);
    table::add(&mut drawn, head.iter().map(|cell| (*cell).to_owned()));
    for row in rows {
        table::add(&mut drawn, row.iter().map(|cell| clean(cell)));
    }
    table::align(&mut drawn, |_| false);
    table::lines(&drawn)
}

#[cfg(test)]
mod tests {
    use super::columns;

    fn rows(rows: &[[&str; 2]]) -> Vec<Vec<String>> {
        rows.iter().map(|row| row.map(str::to_owned).to_vec()).collect()
    }

    #[test]
    fn cells_stand_below_one_another() {
        let drawn = columns(&["id", "name"], &rows(&[["1", "a\u{1b}"], ["100", "b"], ["", " c"], ["2", ""]]));
        assert_eq!(drawn, "id   name\n1    a\\x1b\n100  b\n      c\n2\n");
        assert_eq!(columns(&["id", ""], &[]), "id\n");
    }

    #[test]
    fn a_wide_character_takes_two_places_and_a_combining_mark_none() {
        let drawn =
            columns(&["id", "name"], &rows(&[["国際", "a"], ["e\u{301}e\u{301}", "b"], ["four", "c"]]));
        assert_eq!(drawn, "id    name\n国際  a\ne\u{301}e\u{301}    b\nfour  c\n");
    }
}
