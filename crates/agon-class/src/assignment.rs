//! Which assignment the grades in a private folder are of. Another assignment gets a folder of its
//! own: its grades are no change of these, and neither are its late students.

use std::collections::BTreeMap;
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

/// Makes a command that does the same with these places: that of `--to`, and that of `--out` if it
/// changes.
pub type CommandWith<'a> = &'a dyn Fn(&Path, Option<&Path>) -> String;

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
    /// The hash of the intake that the organiser has accepted with open questions.
    #[serde(default)]
    pub accepted_intake: Option<String>,
    /// The hash of each program of the class with which these grades were made, by alias; `None` if
    /// an earlier version has made them.
    #[serde(default)]
    pub programs: Option<BTreeMap<String, String>>,
    /// What the roster alone said of the times of submissions.
    #[serde(default)]
    pub(super) times_of_roster: Vec<RosterTime>,
}

/// A time that the roster gave to a submission.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct RosterTime {
    /// The id of its student.
    pub(super) id: String,
    /// The time, as text; or that it was in time.
    pub(super) submitted: String,
    /// The hash of what was in the files that had been handed in.
    pub(super) content: String,
}

impl Assignment {
    /// The assignment of this name, with results in this directory.
    ///
    /// # Errors
    /// The present directory is not known.
    pub fn new(item: String, public: &Path, max: f64, due: Option<String>) -> std::io::Result<Self> {
        let (out, out_from_root) = (display_path(public), std::path::absolute(public)?);
        let (accepted_intake, programs, times_of_roster) = (None, None, Vec::new());
        Ok(Assignment { item, out, out_from_root, max, due, accepted_intake, programs, times_of_roster })
    }

    /// Refuses a folder with the grades of another assignment, and names the command for a folder
    /// of its own. A change of the highest grade or of the date is one of the same assignment with
    /// `regrade`.
    ///
    /// # Errors
    /// [`Misuse`], which names what differs.
    pub(super) fn fits(&self, private: &Path, regrade: bool, again: CommandWith<'_>) -> anyhow::Result<()> {
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
        let (to, out) = self.own_places(private, is_same_place);
        let command = again(&to, out.as_deref());
        let hint = if is_another {
            format!("give this assignment a folder of its own: {command}")
        } else {
            format!("for the same assignment give --regrade; for another one a folder of its own: {command}")
        };
        Err(Misuse::hinted(
            format!(
                "{shown}: has the grades of an assignment whose {}; nothing is changed",
                differing.join(", whose ")
            ),
            hint,
        ))
    }

    /// The folder that this assignment has or may have, beside that of another one, and the
    /// directory of its results if that is to be another one too.
    fn own_places(&self, private: &Path, is_same_place: bool) -> (PathBuf, Option<PathBuf>) {
        let numbered = |path: &Path, number: usize| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            path.with_file_name(format!("{name}-{number}"))
        };
        let mut free = None;
        for number in 2..1000 {
            let to = numbered(private, number);
            match read(&to) {
                Some(other) if other.item == self.item => {
                    let is_there = other.out_from_root == self.out_from_root;
                    return (to, (!is_there).then(|| other.out.into()));
                }
                Some(_) => {}
                None if to.exists() => {}
                None => {
                    free = Some(to);
                    break;
                }
            }
        }
        let to = free.unwrap_or_else(|| numbered(private, 1000));
        let mut outs = (2..1000).map(|number| numbered(Path::new(&self.out), number));
        let out = is_same_place.then(|| outs.find(|out| !out.exists())).flatten();
        (to, out)
    }

    /// Keeps it beside the grades, with these times of the roster.
    ///
    /// # Errors
    /// Errors of the disk.
    pub(super) fn keep(&self, private: &Path, times_of_roster: Vec<RosterTime>) -> anyhow::Result<()> {
        let kept = Assignment { times_of_roster, ..self.clone() };
        private::write_text(&private.join(FILE), &format!("{}\n", serde_json::to_string_pretty(&kept)?))
    }
}

/// The programs of the grades that were written into this folder, as [`Assignment::programs`].
pub(super) fn programs(private: &Path) -> Option<BTreeMap<String, String>> {
    read(private).filter(|_| private.join(GRADES).exists())?.programs
}

/// The assignment whose grades were written into this folder, by name, and what the roster said of
/// times; `None` if there are no grades.
pub(super) fn times_of_roster(private: &Path) -> Option<(String, Vec<RosterTime>)> {
    let Assignment { item, times_of_roster, .. } = read(private).filter(|_| private.join(GRADES).exists())?;
    Some((item, times_of_roster))
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
        let one = Assignment::new("Cup".to_owned(), Path::new("results"), 10.0, None).unwrap();
        let one = Assignment { out_from_root: "/a/results".into(), ..one };
        let other = Assignment { item: "Cup 2".to_owned(), ..one.clone() };
        let private = home.path().join("grades");
        fs::create_dir(&private).unwrap();
        one.keep(&private, Vec::new()).unwrap();
        let command = |to: &Path, out: Option<&Path>| {
            let to = to.file_name().unwrap().to_string_lossy().into_owned();
            format!("--to {to} --out {}", out.map_or_else(|| "as before".to_owned(), display_path))
        };
        let fits = |one: &Assignment, regrade: bool| {
            one.fits(&private, regrade, &command).map_err(|error| error.to_string())
        };
        // Nothing is graded yet.
        assert!(fits(&other, false).is_ok());
        fs::write(private.join(GRADES), "").unwrap();
        let why = fits(&other, true).unwrap_err();
        let words = "whose item was Cup and is Cup 2; nothing is changed; give this assignment a folder of its own: \
                     --to grades-2 --out results-2";
        assert!(why.contains(words), "{why}");
        let moved = Assignment { out_from_root: "/b/results".into(), ..one.clone() };
        assert!(fits(&moved, false).is_ok());
        let later = Assignment { due: Some("2026-11-20".to_owned()), ..one.clone() };
        let why = fits(&later, false).unwrap_err();
        assert!(why.contains("due was none and is 2026-11-20") && why.contains("--regrade"), "{why}");
        assert!(fits(&later, true).is_ok() && fits(&one, false).is_ok());
        // The folder that it has already is named, and one of a third assignment is not.
        let third = Assignment { item: "Cup 3".to_owned(), ..one.clone() };
        let there = Assignment { out: "mine".to_owned(), out_from_root: "/a/mine".into(), ..other.clone() };
        for (folder, assignment) in [("grades-2", &third), ("grades-3", &there)] {
            fs::create_dir(home.path().join(folder)).unwrap();
            assignment.keep(&home.path().join(folder), Vec::new()).unwrap();
        }
        let why = fits(&other, true).unwrap_err();
        assert!(why.ends_with("--to grades-3 --out mine"), "{why}");
        let elsewhere = Assignment { out: "else".to_owned(), out_from_root: "/a/else".into(), ..one };
        let fourth = Assignment { item: "Cup 4".to_owned(), ..elsewhere };
        let why = fits(&fourth, true).unwrap_err();
        assert!(why.ends_with("--to grades-4 --out as before"), "{why}");
    }
}
