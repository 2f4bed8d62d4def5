//! The program of the server: what it says when somebody else than its agon starts it.

#![allow(clippy::unwrap_used)] // helpers of tests may panic

use std::process::{Command, Output};

fn server(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_agon-serve")).args(words).output().unwrap()
}

#[test]
fn an_agon_of_another_version_is_refused() {
    let said = server(&["--of-agon", "0.0.1", "--listen", "127.0.0.1:0"]);
    let words = String::from_utf8(said.stderr).unwrap();
    assert_eq!((said.status.code(), said.stdout), (Some(2), Vec::new()), "{words}");
    let versions =
        format!("agon-serve has the version {}, and agon the version 0.0.1", env!("CARGO_PKG_VERSION"));
    assert!(words.contains(&versions) && words.contains("of one version"), "{words}");
}

#[test]
fn a_person_who_starts_it_is_told_what_to_write() {
    let help = String::from_utf8(server(&["--help"]).stdout).unwrap();
    assert!(help.contains("agon serve --help"), "{help}");
    assert_eq!(server(&[]).status.code(), Some(2));
}
