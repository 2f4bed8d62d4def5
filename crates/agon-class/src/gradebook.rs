//! Grades in the formats of learning systems.

use agon_export::cells::{self, CsvCell};
use anyhow::Result;

/// A student's grade.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct GradebookEntry {
    /// The student's id in the learning system.
    pub id: String,
    /// The address.
    pub mail: String,
    /// The grade; `None` if the student has a state instead, and the cell is left alone.
    pub grade: Option<f64>,
    /// The reason of the grade, for the student.
    pub feedback: String,
}

/// A number without trailing zeros: `8`, `7.5`.
pub(super) fn number(grade: f64) -> String {
    let text = format!("{grade:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The cell of a grade. A state has none: what is empty is imported by nobody.
pub(super) fn cell(grade: Option<f64>) -> String {
    grade.map(number).unwrap_or_default()
}

/// A Brightspace import: `OrgDefinedId,<Item> Points Grade,End-of-Line Indicator`.
pub(super) fn brightspace(item: &str, entries: &[GradebookEntry]) -> Result<String> {
    let head = [
        CsvCell::exact("OrgDefinedId"),
        CsvCell::text(&format!("{item} Points Grade")),
        CsvCell::exact("End-of-Line Indicator"),
    ];
    let row = |entry: &GradebookEntry| {
        vec![CsvCell::text(&entry.id), CsvCell::exact(cell(entry.grade)), CsvCell::exact("#")]
    };
    cells::text_of(head, entries.iter().map(row))
}

/// Whether an address is that of one student alone, of these.
pub(super) fn is_own<'a>(mail: &str, mut all: impl Iterator<Item = &'a str>) -> bool {
    let is_its = |other: &str| other.eq_ignore_ascii_case(mail);
    !mail.is_empty() && all.by_ref().any(is_its) && !all.any(is_its)
}

/// A Moodle import: `Email address,<Item>,<Item> (Feedback)`. Moodle calls the feedback so when it
/// exports it. Students without an address of their own are left out.
pub(super) fn moodle(item: &str, entries: &[GradebookEntry]) -> Result<String> {
    let row = |entry: &GradebookEntry| {
        vec![CsvCell::text(&entry.mail), CsvCell::exact(cell(entry.grade)), CsvCell::text(&entry.feedback)]
    };
    let head =
        [CsvCell::exact("Email address"), CsvCell::text(item), CsvCell::text(&format!("{item} (Feedback)"))];
    let has_own =
        |entry: &&GradebookEntry| is_own(&entry.mail, entries.iter().map(|entry| entry.mail.as_str()));
    cells::text_of(head, entries.iter().filter(has_own).map(row))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn entries() -> Vec<GradebookEntry> {
        let entry = |id: &str, grade| GradebookEntry {
            id: id.to_owned(),
            mail: format!("{id}@x"),
            grade,
            feedback: format!("because {}", cell(grade)),
        };
        vec![entry("11", Some(7.5)), entry("99", Some(3.0))]
    }

    #[test]
    fn a_state_is_an_empty_cell() {
        let entries = [GradebookEntry { grade: None, ..entries().remove(0) }];
        assert!(brightspace("Cup", &entries).unwrap().ends_with("11,,#\n"));
        assert!(moodle("Cup", &entries).unwrap().ends_with("11@x,,because 7.5\n"));
    }

    #[test]
    fn a_grade_goes_to_no_address_of_several_students() {
        let mail = |mail: &str| GradebookEntry { mail: mail.to_owned(), ..entries().remove(0) };
        let entries = [mail("a@x"), mail("b@x"), mail("A@x"), mail(""), mail("c@x")];
        let moodle = moodle("Cup", &entries).unwrap();
        let told: Vec<&str> = moodle.lines().skip(1).collect();
        assert_eq!(told, ["b@x,7.5,because 7.5", "c@x,7.5,because 7.5"]);
    }

    #[test]
    fn the_other_systems_get_their_heads() {
        let csv = brightspace("Cup", &entries()).unwrap();
        assert_eq!(csv, "OrgDefinedId,Cup Points Grade,End-of-Line Indicator\n11,7.5,#\n99,3,#\n");
        assert_eq!(
            moodle("Cup", &entries()).unwrap(),
            "Email address,Cup,Cup (Feedback)\n11@x,7.5,because 7.5\n99@x,3,because 3\n"
        );
    }
}
