//! Which of the programs in a folder plays, where nobody has written it down.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use agon_printable::escape;

use super::elf;

/// Where a Makefile may put a program, besides the top.
const FOLDERS: [&str; 4] = ["", "bin", "dist", "out"];
/// The names of the program that plays, without an ending.
const NAMES: [&str; 5] = ["engine", "main", "bot", "player", "agent"];

/// The programs of a folder at an instant, by their paths in it, with what changes when they are
/// made anew.
pub(super) struct ProgramsBefore(BTreeMap<PathBuf, ProgramStamp>);

type ProgramStamp = (u64, Option<SystemTime>, u32);

impl ProgramsBefore {
    pub(super) fn of(folder: &Path) -> Self {
        ProgramsBefore(stamps(folder))
    }

    /// The program that was made since: by its path in the folder. None if none was.
    ///
    /// # Errors
    /// There are several, and nothing says which of them plays.
    pub(super) fn made_since(&self, folder: &Path) -> Result<Option<PathBuf>, String> {
        let mut made = stamps(folder);
        made.retain(|path, stamp| self.0.get(path) != Some(stamp));
        let mut made: Vec<PathBuf> = made.into_keys().collect();
        // A program that tests others does not play, also if it is the only one.
        made.retain(|path| !is_test(path));
        chosen(folder, made)
    }
}

/// The program among those that can be executed in a folder, by its path there. None if there is
/// none.
///
/// # Errors
/// There are several, and nothing says which of them plays.
pub(super) fn only_program(folder: &Path) -> Result<Option<PathBuf>, String> {
    let all = stamps(folder).into_keys().filter(|path| path.components().count() == 1);
    chosen(folder, all.collect())
}

/// The only file at the top that begins like a program and has lost the right to be executed, as in
/// an archive of Windows. It gets it back.
pub(super) fn only_lost(folder: &Path) -> Option<PathBuf> {
    let lost = |entry: &fs::DirEntry| {
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        is_file && begins_like_program(&entry.path())
    };
    let all: Vec<fs::DirEntry> = fs::read_dir(folder).ok()?.flatten().filter(lost).collect();
    let names = all.iter().map(|entry| PathBuf::from(entry.file_name())).collect();
    let name = chosen(folder, names).ok()??;
    let_execute(&folder.join(&name));
    Some(name)
}

/// Whether a file at the top begins like a program. What an archive says of the right to execute it
/// proves nothing.
pub(super) fn has_program(folder: &Path) -> bool {
    let all = fs::read_dir(folder).into_iter().flatten().flatten();
    all.map(|entry| entry.path()).any(|path| path.is_file() && begins_like_program(&path))
}

/// Gives a program in the folder of a submission the right to be executed back, if it begins like
/// one. What it cannot change is told when it is started.
pub(super) fn let_execute(path: &Path) {
    let Ok(about) = fs::symlink_metadata(path) else { return };
    let mode = about.permissions().mode();
    if about.is_file() && mode & 0o111 == 0 && begins_like_program(path) {
        let _ = fs::set_permissions(path, fs::Permissions::from_mode(mode | 0o111)); // as above
    }
}

/// Of several programs: the one that this machine can start, that tests no other, or that has a
/// name of an engine.
fn chosen(folder: &Path, mut all: Vec<PathBuf>) -> Result<Option<PathBuf>, String> {
    type Fits<'a> = &'a dyn Fn(&PathBuf) -> bool;
    let starts = |path: &PathBuf| is_for_this_machine(&folder.join(path));
    let is_named = |path: &PathBuf| {
        path.file_stem().is_some_and(|stem| NAMES.contains(&&*stem.to_string_lossy().to_lowercase()))
    };
    let steps: [Fits<'_>; 3] = [&starts, &|path| !is_test(path), &is_named];
    for fits in steps {
        if all.len() > 1 && all.iter().any(fits) {
            all.retain(fits);
        }
    }
    match &all[..] {
        [] => Ok(None),
        [only] => Ok(Some(only.clone())),
        several => {
            let names: Vec<String> =
                several.iter().take(3).map(|path| escape(path.as_os_str().as_encoded_bytes(), 60)).collect();
            let more = if several.len() > names.len() { ", ..." } else { "" };
            Err(format!(
                "{} programs ({}{more}) and nothing that says which of them plays; write an engine.toml with \
                 command = [\"...\"]",
                several.len(),
                names.join(", ")
            ))
        }
    }
}

/// Whether a name says that a file tests others: `test_engine.py`, `engine-test`,
/// `EngineTest.java`, `TestEngine.java`, `bot.spec.js`.
pub(super) fn is_test(path: &Path) -> bool {
    let Some(stem) = path.file_name().map(|name| name.to_string_lossy().into_owned()) else { return false };
    let mut ends = stem.split('.');
    let first = ends.next().unwrap_or_default();
    if ends.any(|part| ["test", "tests", "spec"].contains(&part)) {
        return true;
    }
    let small = first.to_lowercase();
    let is_word =
        |word: &str| ["test", "tests", "testing", "conftest", "unittest", "unittests"].contains(&word);
    if small.split(['_', '-']).any(is_word) {
        return true;
    }
    let capital = |rest: &str| rest.starts_with(|letter: char| letter.is_uppercase());
    first.strip_prefix("Test").is_some_and(capital)
        || ["Test", "Tests", "TestCase", "IT"].iter().any(|end| {
            first.strip_suffix(end).is_some_and(|rest| rest.ends_with(|letter: char| letter.is_lowercase()))
        })
}

/// Whether this machine can start a program that begins like one, if it may be executed.
fn is_for_this_machine(path: &Path) -> bool {
    match head(path) {
        [b'#', b'!', ..] => true,
        [0x7f, b'E', b'L', b'F'] => elf::check(path).is_ok(),
        _ => false,
    }
}

fn head(path: &Path) -> [u8; 4] {
    let mut head = [0; 4];
    // What is shorter is no program.
    let read = File::open(path).and_then(|mut file| file.read(&mut head));
    if read.is_ok() { head } else { [0; 4] }
}

fn begins_like_program(path: &Path) -> bool {
    let head = head(path);
    let magics: [&[u8]; 6] =
        [b"#!", b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe"];
    let is_class = path.extension().is_some_and(|ending| ending == "class" || ending == "dll");
    !is_class && magics.iter().any(|magic| head.starts_with(magic))
}

fn stamps(folder: &Path) -> BTreeMap<PathBuf, ProgramStamp> {
    let mut found = BTreeMap::new();
    for inner in FOLDERS {
        for entry in fs::read_dir(folder.join(inner)).into_iter().flatten().flatten() {
            let (path, inner) = (entry.path(), Path::new(inner).join(entry.file_name()));
            let Ok(about) = fs::metadata(&path) else { continue };
            let mode = about.permissions().mode();
            if about.is_file() && mode & 0o111 != 0 && begins_like_program(&path) {
                found.insert(inner, (about.len(), about.modified().ok(), mode));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(folder: &Path, name: &str, bytes: &[u8], mode: u32) {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn names_of_tests_are_known_and_names_that_contain_the_letters_are_not() {
        for name in [
            "test_engine.py",
            "engine_test.c",
            "EngineTest.java",
            "TestEngine.java",
            "bot.test.js",
            "bot.spec.mjs",
            "test",
            "run-tests.sh",
            "conftest.py",
            "BotTests.java",
        ] {
            assert!(is_test(Path::new(name)), "{name}");
        }
        for name in ["engine.py", "contest.c", "Fastest.java", "attestation", "greatest.js", "Testament.java"]
        {
            assert!(!is_test(Path::new(name)), "{name}");
        }
    }

    #[test]
    fn the_program_that_a_build_has_made_is_told_from_those_that_were_there() {
        let home = tempfile::tempdir().unwrap();
        let top = home.path();
        put(top, "run_tests.sh", b"#!/bin/sh\n", 0o755);
        put(top, "helper.sh", b"#!/bin/sh\n", 0o755);
        let before = ProgramsBefore::of(top);
        assert_eq!(before.made_since(top), Ok(None));
        put(top, "engine_test", b"#!/bin/sh\n", 0o755);
        assert_eq!(before.made_since(top), Ok(None), "a test is no engine");
        put(top, "bin/mill", b"#!/bin/sh\n", 0o755);
        assert_eq!(before.made_since(top), Ok(Some("bin/mill".into())));
        put(top, "other", b"#!/bin/sh\n", 0o755);
        assert!(before.made_since(top).unwrap_err().starts_with("2 programs (bin/mill, other) and nothing"));
        put(top, "bot", b"#!/bin/sh\n", 0o755);
        assert_eq!(before.made_since(top), Ok(Some("bot".into())));
    }

    #[test]
    fn a_program_that_has_lost_its_right_gets_it_back_and_one_of_another_system_is_left() {
        let home = tempfile::tempdir().unwrap();
        let top = home.path();
        put(top, "read.me", b"hello", 0o644);
        put(top, "bot-mac", b"\xcf\xfa\xed\xfe....", 0o644);
        put(top, "bot-linux", b"#!/bin/sh\n", 0o644);
        assert_eq!(only_program(top), Ok(None));
        assert_eq!(only_lost(top), Some("bot-linux".into()));
        assert_eq!(only_program(top), Ok(Some("bot-linux".into())));
        put(top, "bot-mac", b"\xcf\xfa\xed\xfe....", 0o755);
        assert_eq!(only_program(top), Ok(Some("bot-linux".into())), "the one that this machine can start");
    }
}
