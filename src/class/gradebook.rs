//! Grades in the formats of learning systems.

use anyhow::Result;
use serde_json::json;

use crate::export::cells::{self, Cell, CsvWriter};

/// A student's grade.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct GradebookEntry {
    /// The student's id in the learning system.
    pub id: String,
    /// The address.
    pub mail: String,
    /// The grade.
    pub grade: f64,
}

/// A number without trailing zeros: `8`, `7.5`.
pub(super) fn number(grade: f64) -> String {
    let text = format!("{grade:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// An exported Canvas gradebook, and one assignment in it.
pub struct CanvasBook {
    /// The byte order mark at its beginning, or nothing.
    mark: &'static str,
    rows: Vec<Vec<String>>,
    /// The column with the ids.
    id: usize,
    /// The column of the assignment.
    assignment: usize,
}

impl CanvasBook {
    /// Reads a gradebook and finds the assignment called `name`.
    ///
    /// # Errors
    /// The text is not such a gradebook, or has not exactly one column of this assignment.
    pub fn read(text: &str, name: &str) -> Result<Self> {
        let mark = if text.starts_with('\u{feff}') { "\u{feff}" } else { "" };
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut reader =
            csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
        let mut rows: Vec<Vec<String>> = Vec::new();
        for row in reader.records() {
            rows.push(row?.iter().map(str::to_owned).collect());
        }
        let head = rows.first().map(Vec::as_slice).unwrap_or_default();
        let id = head.iter().position(|cell| cell == "ID");
        let Some(id) = id.filter(|_| head.first().is_some_and(|cell| cell == "Student")) else {
            anyhow::bail!(
                "line 1: not the head of a Canvas gradebook, which begins with Student,ID; export it from Canvas"
            );
        };
        // `Assignment (1234)`: the number is Canvas's own.
        let fits =
            |cell: &String| cell == name || cell.rsplit_once(" (").is_some_and(|(cell, _)| cell == name);
        let found: Vec<usize> = (0..head.len()).filter(|column| fits(&head[*column])).collect();
        match found[..] {
            [assignment] => Ok(CanvasBook { mark, rows, id, assignment }),
            _ => anyhow::bail!(
                "line 1: there are {} columns of the assignment {name:?}, but agon needs exactly one",
                found.len()
            ),
        }
    }

    /// A copy with the grades filled in, and the ids of entries without a row. Its other columns,
    /// its two head rows and the order of its rows stay as they are; a student without an entry
    /// keeps the old grade.
    ///
    /// # Errors
    /// The text cannot be written.
    pub(super) fn filled(&self, entries: &[GradebookEntry]) -> Result<(String, Vec<String>)> {
        let mut rows = self.rows.clone();
        let mut missing: Vec<String> = Vec::new();
        for entry in entries {
            let row = rows.iter_mut().skip(1).find(|row| row.get(self.id).is_some_and(|id| *id == entry.id));
            match row.and_then(|row| row.get_mut(self.assignment)) {
                Some(cell) => *cell = number(entry.grade),
                None => missing.push(entry.id.clone()),
            }
        }
        // The other cells belong to the learning system, which reads them back unchanged.
        let mut bytes = Vec::new();
        let mut out = CsvWriter::ragged(&mut bytes);
        for row in rows {
            out.row(row.into_iter().map(Cell::exact))?;
        }
        out.flush()?;
        drop(out);
        Ok((format!("{}{}", self.mark, String::from_utf8(bytes)?), missing))
    }
}

/// A Brightspace import: `OrgDefinedId,<Item> Points Grade,End-of-Line Indicator`.
pub(super) fn brightspace(item: &str, entries: &[GradebookEntry]) -> Result<String> {
    let head = [
        Cell::exact("OrgDefinedId"),
        Cell::text(&format!("{item} Points Grade")),
        Cell::exact("End-of-Line Indicator"),
    ];
    let row = |entry: &GradebookEntry| {
        vec![Cell::text(&entry.id), Cell::exact(number(entry.grade)), Cell::exact("#")]
    };
    cells::text_of(head, entries.iter().map(row))
}

/// A Moodle import: `Email address,<Item>`.
pub(super) fn moodle(item: &str, entries: &[GradebookEntry]) -> Result<String> {
    let row = |entry: &GradebookEntry| vec![Cell::text(&entry.mail), Cell::exact(number(entry.grade))];
    cells::text_of([Cell::exact("Email address"), Cell::text(item)], entries.iter().map(row))
}

/// A student's columns in a Gradescope leaderboard.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Leading {
    /// Its place.
    pub place: usize,
    /// Its points, in percent of the possible points.
    pub points: f64,
    /// The last stage it played in, from 1.
    pub stage: usize,
    /// Its rating, around 0.
    pub elo: Option<f64>,
}

/// A Gradescope `results.json` of one student; with leaderboard columns if the engine has played.
pub(super) fn gradescope(grade: f64, output: &str, leading: Option<&Leading>) -> String {
    // Adding zero turns -0 into 0.
    let tenths = |number: f64| (number * 10.0).round() / 10.0 + 0.0;
    let mut board = Vec::new();
    if let Some(leading) = leading {
        board.push(json!({"name": "Place", "value": leading.place, "order": "asc"}));
        board.push(json!({"name": "Points %", "value": tenths(leading.points)}));
        board.push(json!({"name": "Stage", "value": leading.stage}));
    }
    if let Some(elo) = leading.and_then(|leading| leading.elo) {
        board.push(json!({"name": "Elo", "value": tenths(elo)}));
    }
    format!("{:#}\n", json!({"score": grade, "output": output, "leaderboard": board}))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries() -> Vec<GradebookEntry> {
        let entry = |id: &str, grade| GradebookEntry { id: id.to_owned(), mail: format!("{id}@x"), grade };
        vec![entry("11", 7.5), entry("99", 3.0)]
    }

    #[test]
    fn a_canvas_gradebook_is_filled_in_and_nothing_else_touched() {
        let book = "Student,ID,SIS User ID,SIS Login ID,Section,Cup (77),Other (78)\n    Points Possible,,,,,10,5\n\
                    \"Block, Jasen\",11,,jblock3430,XC 101,,4.00\n\"Ada\",12,,ada,XC 101,2.00,\n";
        let (filled, missing) = CanvasBook::read(book, "Cup").unwrap().filled(&entries()).unwrap();
        assert_eq!(
            filled,
            "Student,ID,SIS User ID,SIS Login ID,Section,Cup (77),Other (78)\n    Points Possible,,,,,10,5\n\
             \"Block, Jasen\",11,,jblock3430,XC 101,7.5,4.00\nAda,12,,ada,XC 101,2.00,\n"
        );
        assert_eq!(missing, ["99"]);
        assert!(CanvasBook::read(book, "Cap").err().unwrap().to_string().contains("0 columns"));
        assert!(CanvasBook::read("a,b\n", "Cup").is_err());
    }

    #[test]
    fn the_other_systems_get_their_heads() {
        let csv = brightspace("Cup", &entries()).unwrap();
        assert_eq!(csv, "OrgDefinedId,Cup Points Grade,End-of-Line Indicator\n11,7.5,#\n99,3,#\n");
        assert_eq!(moodle("Cup", &entries()).unwrap(), "Email address,Cup\n11@x,7.5\n99@x,3\n");
        let leading = Leading { place: 3, points: 66.67, stage: 2, elo: Some(12.34) };
        let read: serde_json::Value = serde_json::from_str(&gradescope(8.0, "fine", Some(&leading))).unwrap();
        assert_eq!(read["score"], 8.0);
        let values: Vec<f64> = read["leaderboard"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["value"].as_f64().unwrap())
            .collect();
        assert_eq!(values, [3.0, 66.7, 2.0, 12.3]);
        assert!(!gradescope(0.0, "", None).contains("Place"));
        assert_eq!(read["leaderboard"][0]["order"], "asc");
    }
}
