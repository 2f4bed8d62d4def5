//! A class after its tournament: the grades and their files.

use std::path::Path;

use agon_standings::grades::{Achieved, Grade, Scheme};

use super::achievements::{self, CupResults};
use super::forms::GradeForms;
use super::gradebook::{self, GradebookEntry, Leading};
use super::key::KeyRow;
use super::reports;
use super::students::Class;
use super::submissions::StudentSubmission;
use crate::export::atomic;
use crate::export::cells::{self, Cell};
use crate::report::columns::columns;
use crate::store::{Filter, Store};

/// The grades of a class.
pub struct GradesTable {
    /// The grades by alias, as a table for people.
    pub text: String,
    /// Remarks about the files for learning systems.
    pub remarks: Vec<String>,
}

/// A student's grade, and the place of the student's engine.
struct GradedStudent<'a> {
    key: &'a KeyRow,
    grade: Grade,
    place: Option<usize>,
}

impl Class {
    /// Grades each student by the results of the student's engine. Writes `grades.csv`, the files
    /// for learning systems and the folder of each student into the private folder.
    ///
    /// # Errors
    /// The results cannot be read, or a file cannot be written.
    pub fn grade(
        &self,
        scheme: &Scheme,
        cup: &CupResults<'_>,
        forms: &GradeForms,
    ) -> anyhow::Result<GradesTable> {
        let elos = achievements::elos(&cup.games);
        let mut graded = Vec::new();
        for (key, submission) in self.keys.iter().zip(&self.submissions) {
            let achieved = achieved(submission, cup)?;
            let grade = scheme.grade(&achieved);
            let place = cup.places.iter().find(|place| place.name == key.alias);
            let leading = place.map(|place| Leading {
                place: place.place,
                points: achieved.points,
                stage: place.reached + 1,
                elo: elos.get(&key.alias).copied(),
            });
            let folder = self.places.private.join("students").join(&key.alias);
            reports::write(&folder, &key.alias, &grade, leading.as_ref(), cup)?;
            graded.push(GradedStudent { key, grade, place: place.map(|place| place.place) });
        }
        let remarks = write_tables(&self.places.private, &graded, forms)?;
        Ok(GradesTable { text: table(&graded), remarks })
    }
}

/// The achievement of a submission, or the reason why it does not work.
fn achieved(submission: &StudentSubmission, cup: &CupResults<'_>) -> anyhow::Result<Achieved> {
    let broken = |why: String| Achieved { broken: Some(why), ..Achieved::default() };
    if let Err(why) = &submission.engine {
        return Ok(broken(why.clone()));
    }
    match achievements::achieved(&submission.alias, cup) {
        Some(achieved) => Ok(achieved),
        None => Ok(broken(never_moved(&cup.directories[0], &submission.alias)?)),
    }
}

/// The reason of an engine that never made a legal move, with its first fault in the run of this
/// directory.
fn never_moved(directory: &Path, alias: &str) -> anyhow::Result<String> {
    let mut first = None;
    let of_engine = Filter { engine: Some(alias.to_owned()), by_fault: true, ..Filter::default() };
    Store::read(directory)?.games(&of_engine, |stored| {
        if let (None, Some(decided)) = (&first, stored.record.decided()) {
            first = Some(format!(": {}: {}", decided.termination, decided.reason));
        }
        Ok(())
    })?;
    Ok(format!("it never made a legal move{}", first.unwrap_or_default()))
}

/// Writes `grades.csv` and the files for learning systems. Returns remarks about the latter.
fn write_tables(
    folder: &Path,
    graded: &[GradedStudent<'_>],
    forms: &GradeForms,
) -> anyhow::Result<Vec<String>> {
    let put = |name: &str, text: &str| {
        atomic::write(&folder.join(name), |to| to.write_all(text.as_bytes()).map_err(Into::into))
    };
    let row = |GradedStudent { key, grade, place }: &GradedStudent<'_>| {
        vec![
            Cell::text(&key.id),
            Cell::text(&key.name),
            Cell::text(&key.mail),
            Cell::exact(&key.alias),
            Cell::maybe(*place),
            Cell::exact(gradebook::number(grade.grade)),
            Cell::text(&grade.name),
            Cell::text(&grade.why),
        ]
    };
    let head = ["id", "name", "mail", "alias", "place", "grade", "step", "why"];
    put("grades.csv", &cells::text_of(head, graded.iter().map(row))?)?;
    let entry = |GradedStudent { key, grade, .. }: &GradedStudent<'_>| GradebookEntry {
        id: key.id.clone(),
        mail: key.mail.clone(),
        grade: grade.grade,
        feedback: grade.why.clone(),
    };
    let entries: Vec<GradebookEntry> = graded.iter().map(entry).collect();
    forms.write(folder, &entries)
}

fn table(graded: &[GradedStudent<'_>]) -> String {
    let row = |GradedStudent { key, grade, place }: &GradedStudent<'_>| {
        vec![
            key.alias.clone(),
            place.map(|place| place.to_string()).unwrap_or_default(),
            gradebook::number(grade.grade),
            grade.name.clone(),
            grade.why.clone(),
        ]
    };
    let rows: Vec<Vec<String>> = graded.iter().map(row).collect();
    columns(&["alias", "place", "grade", "step", "why"], &rows)
}
