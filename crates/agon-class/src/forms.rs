//! The files for learning systems: exported gradebooks that are filled in, and tables to import.

use std::collections::HashMap;
use std::path::Path;

use agon_printable::clean;
use agon_programs::program::display_path;
use anyhow::Context;

use super::exported::{ExportedBook, FilledBook};
use super::gradebook::{self, GradebookEntry};
use super::overrides::Overrides;
use super::private;
use super::roster::Student;

/// An exported gradebook that the teacher has given.
pub struct GivenBook {
    /// Its path, for messages.
    pub shown: String,
    /// The name of its copy: `canvas.csv`.
    pub copy: &'static str,
    /// Its contents.
    pub book: ExportedBook,
}

/// The files for learning systems.
pub struct GradeForms {
    /// The name of the assignment there.
    pub item: String,
    /// The highest grade.
    pub max: f64,
    /// The exported gradebooks; a copy of each is filled in.
    pub books: Vec<GivenBook>,
    /// The grades that the teacher has set.
    pub by_hand: Overrides,
}

const CANVAS: &str = "canvas.csv";
const BRIGHTSPACE: &str = "brightspace.csv";

impl GradeForms {
    /// For each gradebook, the column by which its rows are found.
    ///
    /// # Errors
    /// None of its rows belongs to any of these students; or a grade that was set belongs to none.
    pub(super) fn check(
        &self,
        students: &[Student],
        entries: &[GradebookEntry],
    ) -> anyhow::Result<Vec<String>> {
        self.by_hand.check(students)?;
        let told = |given: &GivenBook| {
            let found = given.book.found_by(entries).with_context(|| given.shown.clone())?;
            Ok(format!("{}: {found}", given.shown))
        };
        self.books.iter().map(told).collect()
    }

    /// Fills in the given gradebooks, but writes nothing yet. `before` has the grades of an earlier
    /// grading, by id.
    ///
    /// # Errors
    /// As [`GradeForms::check`].
    pub(super) fn filled(
        &self,
        entries: &[GradebookEntry],
        before: &HashMap<String, String>,
    ) -> anyhow::Result<Vec<FilledBook>> {
        let fill =
            |given: &GivenBook| given.book.filled(entries, before).with_context(|| given.shown.clone());
        self.books.iter().map(fill).collect()
    }

    /// Writes the files into a folder. Returns remarks about students whom a file leaves out.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(super) fn write(
        &self,
        folder: &Path,
        entries: &[GradebookEntry],
        filled: &[FilledBook],
    ) -> anyhow::Result<Vec<String>> {
        let put = |name: &str, text: &str| private::write_text(&folder.join(name), text);
        let mut remarks = Vec::new();
        for (GivenBook { shown, copy, .. }, filled) in self.books.iter().zip(filled) {
            put(copy, &filled.text)?;
            if !filled.missing.is_empty() {
                remarks.push(format!("{shown}: has no row for {}", clean(&filled.missing.join(", "))));
            }
            let kept = filled.kept.iter().map(|(id, cell)| format!("{} keeps {}", clean(id), clean(cell)));
            let kept: Vec<String> = kept.collect();
            if !kept.is_empty() {
                remarks.push(format!("{shown}: {}", kept.join(", ")));
            }
        }
        let without: Vec<String> =
            entries.iter().filter(|entry| entry.grade.is_none()).map(|entry| clean(&entry.id)).collect();
        if !without.is_empty() {
            remarks
                .push(format!("no gradebook gets a grade for {}: see the column step", without.join(", ")));
        }
        let is_unsure = |entry: &&GradebookEntry| !gradebook::has_address(entry, entries);
        let unsure: Vec<String> = entries.iter().filter(is_unsure).map(|entry| clean(&entry.id)).collect();
        if !unsure.is_empty() {
            remarks.push(format!(
                "moodle.csv and mail.csv have no row for {}: the roster has no address of their own, or of \
                 their team with one grade; write it there",
                unsure.join(", ")
            ));
        }
        let is_given = |copy: &str| self.books.iter().any(|given| given.copy == copy);
        let canvas = folder.join(CANVAS);
        if !is_given(CANVAS) && canvas.exists() {
            let shown = display_path(&canvas);
            remarks.push(format!(
                "{shown}: has the grades of an earlier run; give --canvas FILE to write it again"
            ));
        }
        if !is_given(BRIGHTSPACE) {
            put(BRIGHTSPACE, &gradebook::brightspace(&self.item, entries)?)?;
        }
        put("moodle.csv", &gradebook::moodle(&self.item, entries)?)?;
        Ok(remarks)
    }
}

impl GivenBook {
    /// A Canvas gradebook.
    ///
    /// # Errors
    /// As [`ExportedBook::canvas`].
    pub fn canvas(shown: String, text: &str, item: &str, max: f64) -> anyhow::Result<Self> {
        Ok(GivenBook { shown, copy: CANVAS, book: ExportedBook::canvas(text, item)?.with_maximum(max)? })
    }

    /// A Brightspace gradebook.
    ///
    /// # Errors
    /// As [`ExportedBook::brightspace`].
    pub fn brightspace(shown: String, text: &str, item: &str, max: f64) -> anyhow::Result<Self> {
        Ok(GivenBook {
            shown,
            copy: BRIGHTSPACE,
            book: ExportedBook::brightspace(text, item)?.with_maximum(max)?,
        })
    }
}
