//! What a submission holds, in words for its author, who knows only the names that were handed in.

use std::fs;
use std::path::{Path, PathBuf};

use agon_printable::escape;
use agon_programs::kept;
use agon_programs::program::display_path;

/// How many files are listed.
const SHOWN: usize = 8;
/// How many entries are looked at.
const MOST: usize = 20_000;

/// The files in a folder, as the end of a sentence: `; inside are a.txt, src/b.kt and 5 more`.
pub(super) fn listed(folder: &Path) -> String {
    let mut files = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    let mut seen = 0;
    while let Some(directory) = waiting.pop() {
        // A folder that cannot be read has nothing to list.
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            seen += 1;
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                waiting.push(entry.path());
            } else if let Ok(inner) = entry.path().strip_prefix(folder) {
                files.push(escape(inner.as_os_str().as_encoded_bytes(), 60));
            }
        }
        if seen > MOST {
            break;
        }
    }
    files.sort();
    let shown = files[..files.len().min(SHOWN)].join(", ");
    match files.len() {
        0 => "; it is empty".to_owned(),
        1 => format!("; inside is {shown}"),
        count if count > SHOWN => format!("; inside are {shown} and {} more", count - SHOWN),
        _ => format!("; inside are {shown}"),
    }
}

/// The first and the last of several lines, as an error of a TOML file has them: where it is, and
/// what is wrong. A table of grades has one line for each reason.
pub(super) fn in_one_line(words: &str) -> String {
    let mut lines = words.lines().map(str::trim).filter(|line| !line.is_empty());
    match (lines.next(), lines.next_back()) {
        (Some(first), Some(last)) => format!("{first}: {last}"),
        (first, _) => first.unwrap_or_default().to_owned(),
    }
}

/// Words without the path of a folder, which is the teacher's.
pub(super) fn without_paths(words: &str, folder: &Path) -> String {
    let mut words = words.to_owned();
    if folder.as_os_str().is_empty() {
        return words; // nothing was unpacked
    }
    // A relative path may be the end of an absolute one.
    let (real, absolute) = (folder.canonicalize().ok(), std::path::absolute(folder).ok());
    for path in [real.as_deref(), absolute.as_deref(), Some(folder)].into_iter().flatten().map(display_path) {
        words = words.replace(&format!("{path}/"), "").replace(&format!("{path}: "), "").replace(&path, "it");
    }
    words
}

/// Words without the paths of a submission: that of its folder, and those of the copies of it that
/// played in the runs in these directories.
pub(super) fn without_played_paths(words: &str, folder: &Path, directories: &[PathBuf]) -> String {
    let name = folder.file_name().unwrap_or_default();
    // Only such words name a copy.
    let runs = directories.iter().filter(|_| words.contains(kept::FOLDER));
    let copies = runs.flat_map(|directory| kept::places_of(directory, name));
    let words = copies.fold(words.to_owned(), |words, copy| without_paths(&words, &copy));
    without_paths(&words, folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_are_listed_by_the_names_that_were_handed_in() {
        let home = tempfile::tempdir().unwrap();
        assert_eq!(listed(home.path()), "; it is empty");
        fs::create_dir(home.path().join("src")).unwrap();
        fs::write(home.path().join("src/a.kt"), "").unwrap();
        assert_eq!(listed(home.path()), "; inside is src/a.kt");
        for number in 0..9 {
            fs::write(home.path().join(format!("f{number}")), "").unwrap();
        }
        assert_eq!(listed(home.path()), "; inside are f0, f1, f2, f3, f4, f5, f6, f7 and 2 more");
    }

    #[test]
    fn words_for_a_student_have_no_path_of_the_machine() {
        let home = tempfile::tempdir().unwrap();
        let shown = display_path(home.path());
        let words = format!("{shown}/engine.toml: line 1: {shown}/a and {shown}: gone");
        assert_eq!(without_paths(&words, home.path()), "engine.toml: line 1: a and gone");
        assert_eq!(without_paths("a/b", Path::new("")), "a/b");
    }
}
