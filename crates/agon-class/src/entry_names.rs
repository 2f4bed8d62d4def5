//! The names of files in submissions: how archives of other systems write them, and which files are
//! no part of a submission.

use std::path::{Component, Path, PathBuf};

/// Files and folders that macOS and Windows add to what they pack or show.
const JUNK: [&str; 6] = ["__MACOSX", ".DS_Store", ".AppleDouble", "Thumbs.db", "desktop.ini", "ehthumbs.db"];

/// Whether an entry belongs to the system on which it was packed, and not to the student.
pub(super) fn is_junk(path: &Path) -> bool {
    path.components().any(|part| {
        let Component::Normal(name) = part else { return false };
        // `._name` is the resource fork of a file on a Mac.
        name.as_encoded_bytes().starts_with(b"._") || JUNK.iter().any(|junk| name.eq_ignore_ascii_case(junk))
    })
}

/// The path of an entry of a zip archive, whose name has these bytes. `as_cp437` is the same name
/// as the zip format defines it.
pub(super) fn zip_path(raw: &[u8], as_cp437: &str) -> PathBuf {
    let name = match std::str::from_utf8(raw) {
        Ok(name) => name.to_owned(),
        Err(_) if is_latin_1(raw) => raw.iter().map(|byte| char::from(*byte)).collect(),
        Err(_) => as_cp437.to_owned(),
    };
    // Some programs of Windows write its separator, against the zip format.
    PathBuf::from(name.replace('\\', "/"))
}

/// Whether bytes are more likely Latin-1 than the code page 437 of the zip format. The letters of
/// one are drawings or control characters in the other.
fn is_latin_1(raw: &[u8]) -> bool {
    let mut high = raw.iter().filter(|byte| !byte.is_ascii());
    high.all(|byte| *byte >= 0xc0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_other_systems_become_paths() {
        for (raw, cp437, path) in [
            (&b"src\\main.c"[..], "src\\main.c", "src/main.c"),
            ("größe.c".as_bytes(), "gr├╢├ƒe.c", "größe.c"),
            (&b"gr\xf6\xdfe.c"[..], "gr÷▀e.c", "größe.c"),
            (&b"gr\x94\xe1e.c"[..], "größe.c", "größe.c"),
        ] {
            assert_eq!(zip_path(raw, cp437), Path::new(path));
        }
    }

    #[test]
    fn files_of_the_system_are_no_part_of_a_submission() {
        for junk in ["__MACOSX/mine/._a.c", "mine/.DS_Store", "mine/._a.c", "Thumbs.db", "a/Desktop.ini"] {
            assert!(is_junk(Path::new(junk)), "{junk}");
        }
        for part in ["mine/a.c", ".hidden", "mine/.git/HEAD", "_a.c", "../a"] {
            assert!(!is_junk(Path::new(part)), "{part}");
        }
    }
}
