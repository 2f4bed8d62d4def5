//! Grades in the formats of learning systems.

use agon_printable::clean;
use anyhow::{Result, ensure};
use serde_json::json;

/// A student's grade.
#[derive(Clone, PartialEq, Debug)]
pub struct GradebookEntry {
    /// The student's id in the learning system.
    pub id: String,
    /// The address.
    pub mail: String,
    /// The grade.
    pub grade: f64,
}

/// A number without trailing zeros: `8`, `7.5`.
pub fn number(grade: f64) -> String {
    let text = format!("{grade:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// An exported Canvas gradebook with one assignment filled in. Its other columns, its two head rows
/// and the order of its rows stay as they are; a student without an entry keeps the old grade.
/// Returns the text, and the ids of entries without a row.
///
/// # Errors
/// The text is not such a gradebook, or has not exactly one column of this assignment.
pub fn canvas(
    gradebook: &str,
    assignment: &str,
    entries: &[GradebookEntry],
) -> Result<(String, Vec<String>)> {
    let mark = if gradebook.starts_with('\u{feff}') { "\u{feff}" } else { "" };
    let text = gradebook.strip_prefix('\u{feff}').unwrap_or(gradebook);
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut rows: Vec<Vec<String>> = Vec::new();
    for row in reader.records() {
        rows.push(row?.iter().map(str::to_owned).collect());
    }
    let head = rows.first().cloned().unwrap_or_default();
    let id = head.iter().position(|cell| cell == "ID");
    let Some(id) = id.filter(|_| head.first().is_some_and(|cell| cell == "Student")) else {
        anyhow::bail!(
            "line 1: not the head of a Canvas gradebook, which begins with Student,ID; export it from Canvas"
        );
    };
    // `Assignment (1234)`: the number is Canvas's own.
    let fits = |cell: &&String| {
        *cell == assignment || cell.rsplit_once(" (").is_some_and(|(name, _)| name == assignment)
    };
    ensure!(
        head.iter().filter(fits).count() == 1,
        "line 1: there are {} columns of the assignment {assignment:?}, but agon needs exactly one",
        head.iter().filter(fits).count()
    );
    let column = head.iter().position(|cell| fits(&cell)).expect("there is one");
    let mut missing: Vec<String> = Vec::new();
    for entry in entries {
        let row = rows.iter_mut().skip(1).find(|row| row.get(id).is_some_and(|cell| *cell == entry.id));
        match row.and_then(|row| row.get_mut(column)) {
            Some(cell) => *cell = number(entry.grade),
            None => missing.push(entry.id.clone()),
        }
    }
    let mut out = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    for row in rows {
        out.write_record(row)?;
    }
    let bytes = out.into_inner().map_err(|error| anyhow::anyhow!("{error}"))?;
    Ok((format!("{mark}{}", String::from_utf8(bytes)?), missing))
}

/// A Brightspace import: `OrgDefinedId,<Item> Points Grade,End-of-Line Indicator`.
///
/// # Errors
/// The writer fails.
pub fn brightspace(item: &str, entries: &[GradebookEntry]) -> Result<String> {
    let rows = entries.iter().map(|entry| vec![clean(&entry.id), number(entry.grade), "#".to_owned()]);
    table(&["OrgDefinedId", &format!("{} Points Grade", clean(item)), "End-of-Line Indicator"], rows)
}

/// A Moodle import: `Email address,<Item>`.
///
/// # Errors
/// The writer fails.
pub fn moodle(item: &str, entries: &[GradebookEntry]) -> Result<String> {
    let rows = entries.iter().map(|entry| vec![clean(&entry.mail), number(entry.grade)]);
    table(&["Email address", &clean(item)], rows)
}

/// A student's columns in a Gradescope leaderboard.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Leading {
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
pub fn gradescope(grade: f64, output: &str, leading: Option<&Leading>) -> String {
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

fn table(head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> Result<String> {
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(head)?;
    for row in rows {
        out.write_record(row)?;
    }
    let bytes = out.into_inner().map_err(|error| anyhow::anyhow!("{error}"))?;
    Ok(String::from_utf8(bytes)?)
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
        let (filled, missing) = canvas(book, "Cup", &entries()).unwrap();
        assert_eq!(
            filled,
            "Student,ID,SIS User ID,SIS Login ID,Section,Cup (77),Other (78)\n    Points Possible,,,,,10,5\n\
             \"Block, Jasen\",11,,jblock3430,XC 101,7.5,4.00\nAda,12,,ada,XC 101,2.00,\n"
        );
        assert_eq!(missing, ["99"]);
        assert!(canvas(book, "Cap", &entries()).unwrap_err().to_string().contains("0 columns"));
        assert!(canvas("a,b\n", "Cup", &entries()).is_err());
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
