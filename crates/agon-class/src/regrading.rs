//! Grades that were written before: what a new grading changes of them, and the copy that is kept.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use agon_config::Misuse;
use agon_export::cells::CsvCell;
use agon_pages::report::columns::columns;
use agon_printable::without_mark;
use agon_programs::program::display_path;
use agon_standings::grades::Grade;
use anyhow::Context;
use chrono::Local;

use super::gradebook;
use super::key;
use super::private;
use super::sheet;

/// The table of all grades.
pub(super) const GRADES: &str = "grades.csv";
/// Everything in the private folder that tells grades of the whole class.
const KEPT: [&str; 4] = [GRADES, "brightspace.csv", "moodle.csv", "canvas.csv"];

/// A grade that was written.
#[derive(Clone, PartialEq, Debug)]
struct WrittenGrade {
    id: String,
    alias: String,
    /// The grade or the state, as it is shown.
    shown: String,
}

/// A new grade.
pub(super) struct NewGrade<'a> {
    pub(super) id: &'a str,
    pub(super) alias: &'a str,
    pub(super) grade: &'a Grade,
}

/// A grade, or the state in its place, as it is shown.
pub(super) fn shown(grade: &Grade) -> String {
    grade.grade.map_or_else(|| grade.name.clone(), gradebook::number)
}

/// The grades that were written and change, as a table; `None` if none does. New students change
/// nothing.
///
/// # Errors
/// [`Misuse`] if the written grades cannot be parsed; or errors of the disk.
pub(super) fn changes(private: &Path, grades: &[NewGrade<'_>]) -> anyhow::Result<Option<String>> {
    let written = written(&private.join(GRADES))?;
    let mut rows = Vec::new();
    for old in &written {
        let before = old.shown.clone();
        match grades.iter().find(|new| new.id == old.id) {
            Some(new) if shown(new.grade) == before => {}
            Some(new) => {
                rows.push([new.alias.to_owned(), before, shown(new.grade), new.grade.why.clone()]);
            }
            None => {
                let why = "is no longer in the roster".to_owned();
                rows.push([old.alias.clone(), before, String::new(), why]);
            }
        }
    }
    let rows: Vec<Vec<String>> = rows.into_iter().map(Vec::from).collect();
    Ok((!rows.is_empty()).then(|| columns(&["alias", "old", "new", "why"], &rows)))
}

/// The students with written grades who are none of these, as a table; `None` if all are there.
///
/// # Errors
/// As [`changes`].
pub(super) fn missing(private: &Path, ids: &[&str]) -> anyhow::Result<Option<String>> {
    let written = written(&private.join(GRADES))?;
    let gone = written.iter().filter(|old| !ids.contains(&old.id.as_str()));
    let rows: Vec<Vec<String>> =
        gone.map(|old| vec![old.id.clone(), old.alias.clone(), old.shown.clone()]).collect();
    Ok((!rows.is_empty()).then(|| columns(&["id", "alias", "grade"], &rows)))
}

/// The grades that were written, as they are shown, by id.
///
/// # Errors
/// As [`changes`].
pub(super) fn before(private: &Path) -> anyhow::Result<HashMap<String, String>> {
    let written = written(&private.join(GRADES))?;
    Ok(written.into_iter().map(|one| (one.id, one.shown)).collect())
}

/// Copies the gradebooks into a folder named by the present time, and returns it. `None` if there
/// are none, or if `grades`, the new text of `grades.csv`, is the same.
///
/// # Errors
/// Errors of the disk.
pub(super) fn keep(private: &Path, grades: &str) -> anyhow::Result<Option<PathBuf>> {
    if fs::read(private.join(GRADES)).is_ok_and(|old| old == grades.as_bytes()) {
        return Ok(None);
    }
    let there: Vec<&str> = KEPT.into_iter().filter(|name| private.join(name).is_file()).collect();
    if there.is_empty() {
        return Ok(None);
    }
    let folder = private.join("old").join(Local::now().format("%Y-%m-%dT%H-%M-%S%.3f").to_string());
    let kept = || -> std::io::Result<()> {
        private::make(&folder)?;
        there.iter().try_for_each(|name| fs::copy(private.join(name), folder.join(name)).map(drop))
    };
    kept().with_context(|| format!("cannot keep the old gradebooks in {}", display_path(&folder)))?;
    Ok(Some(folder))
}

/// Reads `grades.csv`; nothing if there is none.
fn written(path: &Path) -> anyhow::Result<Vec<WrittenGrade>> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = key::read(path)?;
    let shown = display_path(path);
    let wrong = |line: u64, why: &str| {
        let what = format!("{shown}: line {line}: {why}");
        Misuse::hinted(what, "restore the file as agon wrote it, or move it away to grade from the start")
    };
    let mut reader = csv::Reader::from_reader(without_mark(&text));
    let head = reader.headers().map_err(|error| wrong(1, &error.to_string()))?.clone();
    let place = |column: &str| {
        let found = sheet::place_of(&head, column).map_err(|why| wrong(1, &why))?;
        found.ok_or_else(|| wrong(1, &format!("column {column} is missing")))
    };
    let (id, alias, grade, step) = (place("id")?, place("alias")?, place("grade")?, place("step")?);
    let mut all = Vec::new();
    for row in reader.records() {
        let row = row.map_err(|error| {
            wrong(error.position().map_or(1, csv::Position::line), "has not as many cells as the first line")
        })?;
        let line = row.position().map_or(1, csv::Position::line);
        let text = |place: usize| CsvCell::read(&row[place]).to_owned();
        // A state has an empty cell, and its name is in the next column.
        let shown = match &row[grade] {
            "" => text(step),
            number => number
                .parse()
                .map(gradebook::number)
                .map_err(|_| wrong(line, "column grade: is not a number"))?,
        };
        all.push(WrittenGrade { id: text(id), alias: text(alias), shown });
    }
    Ok(all)
}
