//! The list for a mail merge: one row for each student, with the text of the mail.

use agon_export::cells::{self, CsvCell};
use agon_standings::grades::Grade;

use super::gradebook::{cell, number};
use super::gradescope::Leading;

/// A row of the list.
pub(super) struct MailRow<'a> {
    pub(super) mail: &'a str,
    pub(super) name: &'a str,
    pub(super) alias: &'a str,
    pub(super) grade: &'a Grade,
    pub(super) leading: Option<&'a Leading>,
    /// The student's folder, relative to the list.
    pub(super) folder: String,
}

/// The text of `mail.csv`. Grades are from 0 to `max`.
pub(super) fn csv(rows: &[MailRow<'_>], item: &str, max: f64) -> anyhow::Result<String> {
    let row = |row: &MailRow<'_>| {
        let MailRow { mail, name, alias, grade, leading, folder } = row;
        let place = leading.map(|leading| format!(" It has place {}.", leading.place)).unwrap_or_default();
        let step = if grade.name.is_empty() { String::new() } else { format!(" ({})", grade.name) };
        let given = match grade.grade {
            Some(grade) => format!("The grade is {} of {}", number(grade), number(max)),
            None => "There is no grade".to_owned(),
        };
        let text = format!(
            "{item}: your engine plays as {alias}.{place} {given}{step}. The reason: {}. \
             The folder has all games and faults; open index.html in it.",
            grade.why.trim_end_matches('.'),
        );
        vec![
            CsvCell::text(mail),
            CsvCell::text(name),
            CsvCell::exact(cell(grade.grade)),
            CsvCell::text(folder),
            CsvCell::text(&text),
        ]
    };
    cells::text_of(["mail", "name", "grade", "folder", "text"], rows.iter().map(row))
}
