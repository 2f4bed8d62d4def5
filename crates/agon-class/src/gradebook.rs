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
    /// The team, as the index of its first student.
    pub team: usize,
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

/// Whether a student has an address to which the grade may go: one of the student alone, or one
/// that only members of the team have, with the same grade and reason.
pub(super) fn has_address(one: &GradebookEntry, all: &[GradebookEntry]) -> bool {
    let is_same = |other: &GradebookEntry| {
        (other.team, other.grade, &other.feedback) == (one.team, one.grade, &one.feedback)
    };
    let mut sharing = all.iter().filter(|other| other.mail.eq_ignore_ascii_case(&one.mail));
    !one.mail.is_empty() && sharing.all(is_same)
}

/// A Moodle import: `Email address,<Item>,<Item> (Feedback)`. Moodle calls the feedback so when it
/// exports it. Students without an address of their own are left out. Members of a team who share
/// one have one row: it is one account.
pub(super) fn moodle(item: &str, entries: &[GradebookEntry]) -> Result<String> {
    let row = |entry: &GradebookEntry| {
        vec![CsvCell::text(&entry.mail), CsvCell::exact(cell(entry.grade)), CsvCell::text(&entry.feedback)]
    };
    let head =
        [CsvCell::exact("Email address"), CsvCell::text(item), CsvCell::text(&format!("{item} (Feedback)"))];
    let is_told = |(at, entry): &(usize, &GradebookEntry)| {
        let is_again = |other: &GradebookEntry| other.mail.eq_ignore_ascii_case(&entry.mail);
        has_address(entry, entries) && !entries[..*at].iter().any(is_again)
    };
    cells::text_of(head, entries.iter().enumerate().filter(is_told).map(|(_, entry)| row(entry)))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn entries() -> Vec<GradebookEntry> {
        let entry = |id: &str, grade| GradebookEntry {
            id: id.to_owned(),
            mail: format!("{id}@x"),
            team: 0,
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
        let one = |team: usize, mail: &str| {
            let mail = mail.to_owned();
            GradebookEntry { mail, team, ..entries().remove(0) }
        };
        let told = |entries: &[GradebookEntry]| -> Vec<String> {
            moodle("Cup", entries).unwrap().lines().skip(1).map(str::to_owned).collect()
        };
        let all = [one(0, "a@x"), one(1, "b@x"), one(2, "A@x"), one(3, ""), one(4, "c@x")];
        assert_eq!(told(&all), ["b@x,7.5,because 7.5", "c@x,7.5,because 7.5"]);
        // A team has one account, if all of it have one grade.
        let mut team = [one(0, "a@x"), one(0, "A@x"), one(1, "")];
        assert_eq!(told(&team), ["a@x,7.5,because 7.5"]);
        team[1].grade = Some(8.0);
        assert!(told(&team).is_empty());
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
