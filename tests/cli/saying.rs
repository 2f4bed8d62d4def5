//! Runs agon once with arguments and nothing else, and returns its output.

use std::process::Command;

/// The output of agon for these arguments.
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

pub(crate) fn agon(arguments: &[&str]) -> Said {
    let output = Command::new(env!("CARGO_BIN_EXE_agon")).args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Said { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// The output of a successful command.
#[track_caller]
pub(crate) fn prints(arguments: &[&str]) -> String {
    let said = agon(arguments);
    assert_eq!(said.code, Some(0), "{arguments:?}: {}", said.err);
    said.out
}

/// Asserts that it only prints this, with exit code 2.
#[track_caller]
pub(crate) fn refuses(arguments: &[&str], words: &str) {
    let said = agon(arguments);
    assert!(said.err.contains(words), "{arguments:?} says\n{}and not\n{words}", said.err);
    assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{arguments:?}");
    let more: Vec<&str> = said.err.trim_end().lines().skip(1).collect();
    let is_hint = |line: &str| line.starts_with("hint: ");
    assert!(said.err.contains("--help") || more.len() < 2 && more.into_iter().all(is_hint), "{}", said.err);
}
