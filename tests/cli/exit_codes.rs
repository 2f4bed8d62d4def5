//! The exit codes: one list, one page, and no command with a code of its own.

use std::fs;
use std::path::{Path, PathBuf};

use agon_config::CommandExit;

use super::home::{Home, root};

#[test]
fn the_page_of_exit_codes_has_all_of_them_and_no_other() {
    let page = fs::read_to_string(root().join("docs/exit-codes.md")).unwrap();
    let found: Vec<&str> = page.lines().filter(|line| line.starts_with("| ")).skip(1).collect();
    let wanted: Vec<String> =
        CommandExit::ALL.map(|exit| format!("| {} | {} |", exit.number(), exit.meaning())).into();
    assert_eq!(found, wanted);
    assert!(CommandExit::ALL.is_sorted_by_key(|exit| exit.number()));
}

#[test]
fn the_help_lists_the_same_codes() {
    let home = Home::new();
    let told = home.agon(["help", "exit-codes"]).out();
    for exit in CommandExit::ALL {
        assert!(told.contains(&format!(" {}  {}\n", exit.number(), exit.meaning())), "{told}");
    }
    assert!(home.agon(["help", "--all"]).out().ends_with(&told));
}

/// Where the code of another process is passed on.
const PASSED_ON: [&str; 7] = [
    "crates/agon-config/src/exit.rs",
    "crates/agon-match/src/keeper.rs",
    "src/cli/machines/remote.rs",
    "src/cli/results/serve.rs",
    "src/cli/results/tables.rs",
    "src/cli/mod.rs",
    "src/main.rs",
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => sources(&path, found),
            false if path.extension().is_some_and(|end| end == "rs") => found.push(path),
            false => {}
        }
    }
}

#[test]
fn no_command_makes_an_exit_code_that_is_not_in_the_list() {
    let mut files = Vec::new();
    for folder in ["src", "crates"] {
        sources(&root().join(folder), &mut files);
    }
    let mut wrong = Vec::new();
    for file in files {
        let name = file.strip_prefix(root()).unwrap().display().to_string();
        // The codes of its helpers are told to agon alone.
        if name.starts_with("crates/agon-sandbox/") {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        for (number, line) in (1..).zip(text.lines()) {
            let code = line.split("ExitCode::from(").nth(1);
            let is_own = code.is_some_and(|code| !code.starts_with("CommandExit::"));
            if is_own && !PASSED_ON.contains(&name.as_str()) || line.contains("ExitCode::FAILURE") {
                wrong.push(format!("{name}:{number}: {}", line.trim()));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "write CommandExit::... instead, and add what is missing to CommandExit:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn each_code_is_what_a_command_leaves_with() {
    let home = Home::with_two();
    for (words, code) in [
        ("rules", CommandExit::Done),
        ("standings nowhere", CommandExit::Misuse),
        ("standings --no-such-flag", CommandExit::Misuse),
        ("tournament engines --size 3x3x1 --st 1 --games 3", CommandExit::Misuse),
    ] {
        assert_eq!(home.agon(words.split(' ')).code, Some(i32::from(code.number())), "{words}");
    }
}
