//! What the roster said of the times of submissions when grades were written, in this folder or for
//! another assignment beside it. A roster that is used again says it once more, of something else.

use std::fs;
use std::path::{Path, PathBuf};

use super::assignment::{self, RosterTime};

/// How many folders are looked at.
const MOST_FOLDERS: usize = 1000;

/// The times of one folder with grades.
#[derive(Debug)]
pub(super) struct EarlierTimes {
    pub(super) folder: PathBuf,
    /// The assignment.
    pub(super) item: String,
    /// Whether that is the folder of the grades that are made now.
    pub(super) is_own: bool,
    times: Vec<RosterTime>,
}

impl EarlierTimes {
    /// Whether the roster gave this time to something else that this student had handed in.
    pub(super) fn is_of_another(&self, time: &RosterTime) -> bool {
        let is_same = |then: &&RosterTime| then.id == time.id && then.submitted == time.submitted;
        self.times.iter().find(is_same).is_some_and(|then| then.content != time.content)
    }

    /// The times of this student that were kept here.
    pub(super) fn of(&self, id: &str) -> impl Iterator<Item = &RosterTime> {
        self.times.iter().filter(move |time| time.id == id)
    }
}

/// The folders with grades where those of the same class are found: this one, those beside it,
/// those beside the roster, and those one level below.
pub(super) fn beside(private: &Path, roster: &Path) -> Vec<EarlierTimes> {
    let own = private.canonicalize().unwrap_or_else(|_| private.to_owned());
    let home = roster.canonicalize().ok().and_then(|roster| roster.parent().map(Path::to_owned));
    let near = own.parent().map(folders_in).unwrap_or_default();
    let of_roster = home.as_deref().map(folders_in).unwrap_or_default();
    let below: Vec<PathBuf> =
        of_roster.iter().take(MOST_FOLDERS).flat_map(|folder| folders_in(folder)).collect();
    let mut all: Vec<PathBuf> = near.into_iter().chain(of_roster).chain(below).take(MOST_FOLDERS).collect();
    all.push(own.clone());
    all.sort();
    all.dedup();
    let read = |folder: PathBuf| {
        let (item, times) = assignment::times_of_roster(&folder)?;
        Some(EarlierTimes { is_own: folder == own, folder, item, times })
    };
    all.into_iter().filter_map(read).collect()
}

/// The folders in a folder, by their names. One that cannot be read has none.
fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(MOST_FOLDERS);
    let is_folder = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    entries.filter(is_folder).map(|entry| entry.path()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grades_of_a_class_are_found_beside_these_and_beside_the_roster() {
        let home = tempfile::tempdir().unwrap();
        let time = |content: &str| RosterTime {
            id: "1".to_owned(),
            submitted: "2026-01-01".to_owned(),
            content: content.to_owned(),
        };
        for (folder, is_graded) in
            [("term/grades", true), ("term/one/grades", true), ("b/grades", true), ("b/x", false)]
        {
            let folder = home.path().join(folder);
            fs::create_dir_all(&folder).unwrap();
            let kept = format!(
                "{{\"item\": \"Cup\", \"out\": \"r\", \"out_from_root\": \"/r\", \"max\": 1.0, \"times_of_roster\": [{}]}}",
                serde_json::to_string(&time("h1")).unwrap()
            );
            fs::write(folder.join("assignment.json"), kept).unwrap();
            if is_graded {
                fs::write(folder.join("grades.csv"), "").unwrap();
            }
        }
        fs::write(home.path().join("term/roster.csv"), "").unwrap();
        let found = beside(&home.path().join("b/x"), &home.path().join("term/roster.csv"));
        let names: Vec<bool> = found.iter().map(|one| one.is_own).collect();
        assert_eq!(names, [false, false, false]);
        assert!(found[0].is_of_another(&time("h2")) && !found[0].is_of_another(&time("h1")));
        let other = RosterTime { submitted: "2026-01-02".to_owned(), ..time("h2") };
        assert!(!found[0].is_of_another(&other) && found[0].of("1").count() == 1);
        let found = beside(&home.path().join("b/grades"), &home.path().join("term/roster.csv"));
        assert_eq!(found.iter().filter(|one| one.is_own).count(), 1);
    }
}
