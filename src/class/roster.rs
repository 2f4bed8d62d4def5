//! Reads `roster.csv`: the students and their submissions.

use std::path::Path;

use agon_printable::{clean, escape};

use crate::config::Misuse;
use crate::engine::program::display_path;

/// A student in the roster.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Student {
    /// The student's id in the learning system.
    pub(super) id: String,
    /// The name.
    pub(super) name: String,
    /// The address.
    pub(super) mail: String,
    /// The paths of the submissions, as written.
    pub(super) submissions: Vec<String>,
    /// The student's first line, from 1.
    pub(super) line: u64,
}

/// The columns of a roster.
const COLUMNS: [&str; 4] = ["id", "name", "mail", "submission"];

/// Reads a roster. A student may have several lines, with a submission on each.
///
/// # Errors
/// [`Misuse`], which names the file, the line and the column.
pub(super) fn read(text: &str, path: &Path) -> anyhow::Result<Vec<Student>> {
    let shown = display_path(path);
    let wrong = |line: u64, why: String| Misuse::error(format!("{shown}: line {line}: {why}"));
    // A spreadsheet writes a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
    let head = reader.headers().map_err(|error| wrong(1, error.to_string()))?.clone();
    if let Some(unknown) = head.iter().find(|name| !COLUMNS.contains(name)) {
        let unknown = escape(unknown.as_bytes(), 60);
        return Err(Misuse::hinted(
            format!("{shown}: line 1: there is no column {unknown}"),
            format!("the columns are {}", COLUMNS.join(", ")),
        ));
    }
    let mut places = [0; 4];
    for (place, column) in places.iter_mut().zip(COLUMNS) {
        let found = head.iter().position(|name| name == column);
        *place = found.ok_or_else(|| wrong(1, format!("column {column} is missing")))?;
    }
    let mut students: Vec<Student> = Vec::new();
    for row in reader.records() {
        let row = row.map_err(|error| {
            let line = error.position().map_or(1, csv::Position::line);
            wrong(line, "has not as many cells as the first line".to_owned())
        })?;
        let line = row.position().map_or(1, csv::Position::line);
        let [id, name, mail, submission] = places.map(|place| row.get(place).unwrap_or_default());
        // A path is used as written; the other cells are only shown and compared.
        let ([id, name, mail], submission) = ([id, name, mail].map(clean), submission.to_owned());
        if id.is_empty() {
            return Err(wrong(line, "column id: is empty; every student needs one".to_owned()));
        }
        match students.iter_mut().find(|student| student.id == id) {
            Some(student) if student.name != name => {
                let why = format!(
                    "column id: {} is the id of another student on line {}",
                    escape(id.as_bytes(), 60),
                    student.line
                );
                return Err(wrong(line, why));
            }
            Some(student) => student.submissions.push(submission),
            None => students.push(Student { id, name, mail, submissions: vec![submission], line }),
        }
    }
    if students.is_empty() {
        return Err(Misuse::hinted(
            format!("{shown}: line 1: there is no student in it"),
            "write a line for each student below",
        ));
    }
    for student in &mut students {
        student.submissions.retain(|submission| !submission.is_empty());
    }
    Ok(students)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> String {
        read(text, Path::new("roster.csv")).unwrap_err().to_string()
    }

    #[test]
    fn a_roster_is_read_whatever_the_order_of_its_columns() {
        let text = "\u{feff}name,id,submission,mail\n\"Block, Jasen\",11,a.zip,j@x\nAda,12,,a@x\n\"Block, Jasen\",11,b.zip,j@x\n";
        let students = read(text, Path::new("roster.csv")).unwrap();
        assert_eq!(students.len(), 2);
        assert_eq!((students[0].id.as_str(), students[0].name.as_str()), ("11", "Block, Jasen"));
        assert_eq!(students[0].submissions, ["a.zip", "b.zip"]);
        assert!(students[1].submissions.is_empty());
    }

    #[test]
    fn what_is_wrong_is_named_by_line_and_column() {
        assert!(
            said("id,name,mail,submission\n1,A,a,x\n1,B,b,y\n")
                .contains("roster.csv: line 3: column id: 1 is")
        );
        assert!(said("id,name,mail,submission\n1,A,a,x\n,B,b,y\n").contains("line 3: column id: is empty"));
        assert!(said("id,name,mail,submission,shoe\n").contains("line 1: there is no column shoe"));
        assert!(said("id,name,mail\n").contains("column submission is missing"));
        assert!(said("id,name,mail,submission\n1,A\n").contains("line 2"));
        assert!(said("id,name,mail,submission\n").contains("no student"));
    }
}
