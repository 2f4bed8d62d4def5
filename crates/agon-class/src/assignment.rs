//! Which assignment the grades in a private folder are of. Another assignment gets a folder of its
//! own: its grades are no change of these, and neither are its late students.

use std::fs;
use std::path::{Path, PathBuf};

use agon_config::Misuse;
use agon_printable::clean;
use agon_programs::program::display_path;
use serde::{Deserialize, Serialize};

use super::private;
use super::regrading::GRADES;

/// The file in the private folder.
const FILE: &str = "assignment.json";

/// An assignment.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Assignment {
    /// Its name in the learning system.
    pub item: String,
    /// The directory of the results, as it is written.
    pub out: String,
    /// The same directory from the root.
    pub out_from_root: PathBuf,
    /// The highest grade.
    pub max: f64,
    /// When submissions are due, as text.
    pub due: Option<String>,
    /// The hash of the table of the intake that the organiser has accepted with open questions.
    #[serde(default)]
    pub accepted_intake: Option<String>,
}

impl Assignment {
    /// Refuses a folder with the grades of another assignment. A change of the highest grade or of
    /// the date is one of the same assignment with `regrade`.
    ///
    /// # Errors
    /// [`Misuse`], which names what differs.
    pub(super) fn fits(&self, private: &Path, regrade: bool) -> anyhow::Result<()> {
        // A folder of an earlier version says nothing.
        let Some(before) = read(private).filter(|_| private.join(GRADES).exists()) else { return Ok(()) };
        let is_same_place = before.out == self.out || before.out_from_root == self.out_from_root;
        let text = |due: &Option<String>| due.clone().unwrap_or_else(|| "none".to_owned());
        let number = super::gradebook::number;
        let differing: Vec<String> = [
            (before.item != self.item, "item", clean(&before.item), clean(&self.item)),
            (!is_same_place, "out", clean(&before.out), clean(&self.out)),
            (!regrade && before.max != self.max, "max", number(before.max), number(self.max)),
            (!regrade && before.due != self.due, "due", text(&before.due), text(&self.due)),
        ]
        .into_iter()
        .filter(|(differs, ..)| *differs)
        .map(|(_, what, old, new)| format!("{what} was {old} and is {new}"))
        .collect();
        if differing.is_empty() {
            return Ok(());
        }
        let shown = display_path(private);
        let is_another = before.item != self.item || !is_same_place;
        let hint = if is_another {
            format!("give this assignment a folder of its own: --to {shown}-2")
        } else {
            format!(
                "for another assignment give a folder of its own, --to {shown}-2; for the same one give --regrade"
            )
        };
        Err(Misuse::hinted(
            format!(
                "{shown}: has the grades of an assignment whose {}; nothing is changed",
                differing.join(", whose ")
            ),
            hint,
        ))
    }

    /// Keeps it beside the grades.
    ///
    /// # Errors
    /// Errors of the disk.
    pub(super) fn keep(&self, private: &Path) -> anyhow::Result<()> {
        private::write_text(&private.join(FILE), &format!("{}\n", serde_json::to_string_pretty(self)?))
    }
}

fn read(private: &Path) -> Option<Assignment> {
    serde_json::from_slice(&fs::read(private.join(FILE)).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_assignment_is_refused_and_another_date_is_a_question() {
        let home = tempfile::tempdir().unwrap();
        let one = Assignment {
            item: "Cup".to_owned(),
            out: "results".to_owned(),
            out_from_root: "/a/results".into(),
            max: 10.0,
            due: None,
            accepted_intake: None,
        };
        one.keep(home.path()).unwrap();
        let other = Assignment { item: "Cup 2".to_owned(), ..one.clone() };
        // Nothing is graded yet.
        assert!(other.fits(home.path(), false).is_ok());
        fs::write(home.path().join(GRADES), "").unwrap();
        let why = other.fits(home.path(), true).unwrap_err().to_string();
        assert!(
            why.contains("whose item was Cup and is Cup 2; nothing is changed; give this assignment"),
            "{why}"
        );
        let moved = Assignment { out_from_root: "/b/results".into(), ..one.clone() };
        assert!(moved.fits(home.path(), false).is_ok());
        let later = Assignment { due: Some("2026-11-20".to_owned()), ..one.clone() };
        let why = later.fits(home.path(), false).unwrap_err().to_string();
        assert!(why.contains("due was none and is 2026-11-20") && why.contains("--regrade"), "{why}");
        assert!(later.fits(home.path(), true).is_ok() && one.fits(home.path(), false).is_ok());
    }
}
