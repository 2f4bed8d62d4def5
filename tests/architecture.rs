//! Checks the architecture: imports go one way, rules do no I/O, files stay small and begin with
//! their job.
//!
//! The truth is the order of the crates in ARCHITECTURE.md, and within a crate of several modules
//! that of the `pub mod` lines in its `lib.rs`. The failure names the file, the line and the
//! remedy.

#![allow(clippy::unwrap_used)] // helpers of tests may panic

mod sources;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use sources::{File, all_files, files, functions, numbers, order, root};

/// The most lines of a file, without the tests at its end. A longer file has a second job.
const MOST_LINES: usize = 600;

/// The most columns of a line of comment.
const MOST_COLUMNS: usize = 100;

/// The most bytes of a file that is committed. The word list of the letter cube has 592,364.
const MOST_BYTES: u64 = 1_000_000;

/// Crates that are for programs of others too: what they offer may be used by nobody here.
const LIBRARIES: &[&str] = &[
    "crates/agon-printable",
    "crates/agon-seats",
    "crates/agon-diagram",
    "crates/agon-games",
    "crates/agon-standings",
    "crates/agon-sandbox",
];

/// Files that may be longer, each with the reason. There should be none.
const LONG: &[(&str, &str)] = &[];

/// The most lines a function in `src/cli` may have.
const MOST_LINES_OF_A_COMMAND: usize = 80;

/// What is imported in one place alone: the path, the place, and what others use.
const ONLY_IN: &[(&str, &str, &str)] = &[
    (
        "csv::Writer",
        "crates/agon-export/src/cells.rs",
        "write CSV with CsvCell and CsvWriter of crates/agon-export/src/cells.rs",
    ),
    (
        "comfy_table",
        "crates/agon-pages/src/report/",
        "draw tables with crates/agon-pages/src/report/columns.rs or terminal.rs",
    ),
];

/// Crates and files that decide and touch nothing: no files, processes, network, terminal,
/// environment or clock.
const PURE: &[&str] = &[
    "crates/agon-diagram/",
    "crates/agon-seats/",
    "crates/agon-printable/",
    "crates/agon-games/",
    "crates/agon-solved/",
    "crates/agon-standings/",
    "crates/agon-record/",
    "crates/agon-match/src/openings.rs",
    "crates/agon-tournament/src/machines.rs",
    "crates/agon-pages/src/analysis.rs",
    "crates/agon-class/src/aliases.rs",
    "crates/agon-class/src/gradebook.rs",
];

/// Crates whose modules stand in the order of their `lib.rs`.
const IN_ORDER: &[&str] = &[
    "crates/agon-match",
    "crates/agon-pages",
    "crates/agon-trial",
    "crates/agon-tournament",
    "crates/agon-candidates",
    "crates/agon-play",
];

/// The most lines of code of a crate, without comments and tests. Nobody reads more to change one
/// thing.
const MOST_LINES_OF_A_CRATE: usize = 10_000;

/// Files of pure crates that touch one thing: the tables on the disk, and the threads that make
/// them.
const DOORS: &[&str] = &["crates/agon-solved/src/file.rs", "crates/agon-solved/src/parallel.rs"];

/// Crates in which no two files import each other, directly or round a ring.
const WITHOUT_RINGS: &[&str] = &[
    "crates/agon-diagram",
    "crates/agon-seats",
    "crates/agon-printable",
    "crates/agon-remote",
    "crates/agon-sandbox",
    "crates/agon-solved",
    "crates/agon-standings",
];

/// Files that each implement the same names for an operating system of their own.
const TWINS: &[(&str, &str)] = &[
    ("crates/agon-sandbox/src/system/linux.rs", "crates/agon-sandbox/src/system/posix.rs"),
    ("crates/agon-sandbox/src/boxes/start.rs", "crates/agon-sandbox/src/boxless.rs"),
];

/// The paths that are I/O. Pure code has none that begins like this.
const TOUCHING: &[&str] = &[
    "std::fs",
    "std::process",
    "std::net",
    "std::env",
    "std::thread",
    "std::os",
    "std::io::stdin",
    "std::io::stdout",
    "std::io::stderr",
    "std::time::Instant",
    "std::time::SystemTime",
    "io::stdin",
    "io::stdout",
    "io::stderr",
    "fs::read",
    "fs::write",
    "Utc::now",
    "Local::now",
    "Instant::now",
    "SystemTime::now",
    "rustix",
    "libc",
    "tempfile",
];

/// Macros that write to the terminal.
const PRINTING: &[&str] = &["println", "print", "eprintln", "eprint", "dbg"];

/// Where `unsafe` is allowed:
///
/// * the start of a process;
/// * system calls;
/// * the loss of rights before a foreign program starts;
/// * the engine that misbehaves on purpose.
const UNSAFE: &[&str] = &[
    "crates/agon-sandbox/src/spawn.rs",
    "crates/agon-sandbox/src/system/",
    "crates/agon-sandbox/src/boxes/",
    "engines/stub/",
];

#[test]
fn a_crate_imports_only_crates_that_stand_above_it() {
    let order = crates_in_order();
    let folders: BTreeSet<String> = fs::read_dir(root().join("crates"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(order.iter().cloned().collect::<BTreeSet<_>>(), folders, "the table of ARCHITECTURE.md");
    let place = |name: &str| order.iter().position(|other| other == name);
    let mut wrong = Vec::new();
    for (here, name) in order.iter().enumerate() {
        for used in imports(name) {
            if place(&used).is_none_or(|there| there >= here) {
                wrong.push(format!(
                    "crates/{name}/Cargo.toml:1: {name} imports {used}, which stands below it in ARCHITECTURE.md; \
                     move the code up, or pass the value in from below"
                ));
            }
        }
    }
    none(&wrong);
}

/// The crates in the order of the table of ARCHITECTURE.md.
fn crates_in_order() -> Vec<String> {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let rows = text.lines().filter_map(|line| line.strip_prefix("| [agon-"));
    let named = rows.filter(|row| row.contains("](crates/"));
    named.map(|row| format!("agon-{}", row.split(']').next().unwrap())).collect()
}

/// The crates of this workspace that a crate imports.
fn imports(name: &str) -> Vec<String> {
    let path = root().join("crates").join(name).join("Cargo.toml");
    let text: toml::Table = fs::read_to_string(path).unwrap().parse().unwrap();
    let names =
        text.get("dependencies").and_then(toml::Value::as_table).into_iter().flat_map(toml::Table::keys);
    names.filter(|name| name.starts_with("agon-")).cloned().collect()
}

#[test]
fn a_crate_is_read_in_an_afternoon() {
    let mut lines: BTreeMap<String, usize> = BTreeMap::new();
    for file in files("crates").iter().filter(|file| !file.is_test) {
        let text = (1..).zip(file.text.lines()).filter(|(line, _)| !file.in_tests(*line));
        let code = text.filter(|(_, text)| !text.trim().is_empty() && !text.trim().starts_with("//"));
        *lines.entry(file.package()).or_default() += code.count();
    }
    let long = lines.iter().filter(|(_, lines)| **lines > MOST_LINES_OF_A_CRATE);
    none(
        &long
            .map(|(name, lines)| {
                format!(
                    "{name}: {lines} lines of code, and {MOST_LINES_OF_A_CRATE} are the most; find the second job in it"
                )
            })
            .collect::<Vec<_>>(),
    );
}

#[test]
fn a_module_imports_only_what_stands_above_it() {
    let mut wrong = Vec::new();
    for package in IN_ORDER {
        let order = order(package);
        assert!(order.len() > 1, "{package}/src/lib.rs was not understood: {order:?}");
        let place = |module: &str| order.iter().position(|other| other == module);
        for file in files(package).iter().filter(|file| !file.is_test) {
            let Some(own) = file.modules.first() else { continue };
            let Some(here) = place(own) else {
                wrong.push(format!(
                    "{}:1: {own} is not a `pub mod` of {package}/src/lib.rs; give it a line there",
                    file.name
                ));
                continue;
            };
            for (line, path) in &file.paths {
                let Some(used) = path.strip_prefix("crate::").and_then(|rest| rest.split("::").next()) else {
                    continue;
                };
                if place(used).is_some_and(|there| there > here) {
                    wrong.push(format!(
                        "{}:{line}: {own} uses {path}, and {used} stands below {own} in {package}/src/lib.rs; move \
                         the code up, or pass the value in from below",
                        file.name
                    ));
                }
            }
        }
    }
    none(&wrong);
}

#[test]
fn no_two_files_import_each_other() {
    let mut wrong = Vec::new();
    for package in WITHOUT_RINGS {
        let all: Vec<&File> = files(package).iter().filter(|file| !file.is_test).collect();
        assert!(!all.is_empty(), "{package}");
        let numbers = numbers(&all);
        let imported: Vec<Vec<usize>> = all.iter().map(|file| file.imported(&numbers)).collect();
        wrong.extend(rings(&all, &imported));
    }
    none(&wrong);
}

/// A message for each file from which imports lead back to it.
fn rings(all: &[&File], imported: &[Vec<usize>]) -> Vec<String> {
    let ring = (0..all.len()).filter_map(|start| ring(start, imported));
    ring.map(|ring| {
        let names: Vec<&str> = ring.into_iter().map(|file| all[file].name.as_str()).collect();
        format!("{}: a ring; put what they share into a file above", names.join(" -> "))
    })
    .collect()
}

/// A way along imports from this file back to it, if there is one.
fn ring(start: usize, imported: &[Vec<usize>]) -> Option<Vec<usize>> {
    let mut seen = BTreeSet::new();
    let mut ways = vec![vec![start]];
    while let Some(way) = ways.pop() {
        for next in &imported[*way.last()?] {
            let way = [&way[..], &[*next]].concat();
            if *next == start {
                return Some(way);
            }
            if seen.insert(*next) {
                ways.push(way);
            }
        }
    }
    None
}

#[test]
fn what_decides_touches_nothing() {
    let mut wrong = Vec::new();
    for file in ["src", "crates"].into_iter().flat_map(files).filter(|file| !file.is_test) {
        let is_pure = PURE.iter().any(|pure| file.name.starts_with(pure));
        if !is_pure || DOORS.contains(&file.name.as_str()) {
            continue;
        }
        let touches = |path: &str| {
            TOUCHING.iter().any(|start| path == *start || path.starts_with(&format!("{start}::")))
                && !path.ends_with("Duration")
        };
        for (line, path) in file.paths.iter().filter(|(line, _)| !file.in_tests(*line)) {
            if touches(path) {
                wrong.push(format!(
                    "{}:{line}: {path} in a pure module; read the file, the clock or the terminal in cli, \
                     run or engine and pass the value in",
                    file.name
                ));
            }
        }
        for (line, token) in file.words("!").filter(|(line, _)| !file.in_tests(*line)) {
            if PRINTING.contains(&token) {
                wrong.push(format!("{}:{line}: {token}! in a pure module; return the text", file.name));
            }
        }
    }
    none(&wrong);
}

#[test]
fn every_file_says_what_it_is_for() {
    let mut wrong = Vec::new();
    for file in all_files() {
        if !file.text.starts_with("//! ") {
            wrong.push(format!("{}:1: begin with `//! ` and the file's one job", file.name));
        }
    }
    none(&wrong);
}

#[test]
fn no_file_has_taken_a_second_job() {
    let mut wrong = Vec::new();
    for file in all_files() {
        let excused = LONG.iter().any(|(name, _)| *name == file.name);
        let lines = if file.is_test || !file.name.contains("src/") {
            file.text.lines().count()
        } else {
            let tests = file.tests.iter().map(|(first, last)| last - first + 1).sum::<usize>();
            file.text.lines().count() - tests
        };
        if lines > MOST_LINES && !excused {
            wrong.push(format!(
                "{}:{MOST_LINES}: {lines} lines, and {MOST_LINES} are the most; find the second job in it",
                file.name
            ));
        }
        if lines <= MOST_LINES && excused {
            wrong.push(format!("{}:1: short enough; take it off LONG in tests/architecture.rs", file.name));
        }
    }
    none(&wrong);
}

#[test]
fn no_two_types_that_others_use_share_a_name() {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in all_files().filter(|file| file.name.contains("src/")) {
        let twin = TWINS.iter().find(|(_, other)| *other == file.name).map(|(first, _)| (*first).to_owned());
        for name in public_types(&file.text) {
            let places = found.entry(name).or_default();
            let place = twin.clone().unwrap_or_else(|| file.name.clone());
            if !places.contains(&place) {
                places.push(place);
            }
        }
    }
    let twice = found.iter().filter(|(_, places)| places.len() > 1);
    none(
        &twice
            .map(|(name, places)| {
                format!("{}:1: {name} is also in {}; rename one of them", places[0], places[1..].join(", "))
            })
            .collect::<Vec<_>>(),
    );
}

#[test]
fn what_no_other_crate_uses_is_not_public() {
    let users = |file: &'static File| {
        let words = file.tokens.iter().map(|token| (token.text.as_str(), file));
        words.collect::<BTreeMap<&str, &File>>()
    };
    let mut used: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (word, file) in all_files().flat_map(users) {
        // The tests and examples of a crate see it from outside.
        let is_inside = file.name.starts_with(&format!("{}/src/", file.package()));
        used.entry(word).or_default().insert(if is_inside { file.package() } else { file.name.clone() });
    }
    let mut wrong = Vec::new();
    let is_meant =
        |file: &&File| !file.is_test && !LIBRARIES.contains(&&*file.package()) && file.name.contains("/src/");
    for file in files("crates").iter().filter(is_meant) {
        for three in file.tokens.windows(3).filter(|three| three[0].text == "pub") {
            let (kind, name) = (three[1].text.as_str(), &three[2]);
            if ["fn", "const"].contains(&kind) && used[name.text.as_str()].len() == 1 {
                wrong.push(format!(
                    "{}:{}: no other crate uses {}; make it pub(super) or pub(crate)",
                    file.name, name.line, name.text
                ));
            }
        }
    }
    none(&wrong);
}

/// The names of the structs, enums and traits that a file offers to others.
fn public_types(text: &str) -> Vec<String> {
    let name = |line: &str| {
        let rest = line.trim_start().strip_prefix("pub")?;
        let rest = match rest.strip_prefix('(') {
            Some(within) => within.split_once(')')?.1,
            None => rest,
        };
        let mut words = rest.split_whitespace();
        matches!(words.next()?, "struct" | "enum" | "trait").then_some(())?;
        let name = words.next()?.split(|letter: char| !letter.is_alphanumeric()).next()?;
        Some(name.to_owned())
    };
    text.lines().filter_map(name).collect()
}

#[test]
fn prose_has_lines_of_a_readable_length() {
    let mut wrong = Vec::new();
    for file in all_files() {
        for (line, text) in (1..).zip(file.text.lines()) {
            if text.trim_start().starts_with("//") && text.chars().count() > MOST_COLUMNS {
                wrong.push(format!("{}:{line}: wrap this comment at {MOST_COLUMNS} columns", file.name));
            }
        }
    }
    none(&wrong);
}

#[test]
fn a_subcommand_is_a_short_story() {
    let mut wrong = Vec::new();
    for file in files("src/cli") {
        for (line, name, lines) in functions(&file.text) {
            if lines > MOST_LINES_OF_A_COMMAND {
                wrong.push(format!(
                    "{}:{line}: {name} has {lines} lines, and {MOST_LINES_OF_A_COMMAND} are the most in src/cli; give \
                     a part of it a name",
                    file.name
                ));
            }
        }
    }
    none(&wrong);
}

#[test]
fn one_file_does_what_only_one_may_do() {
    let mut wrong = Vec::new();
    for file in all_files().filter(|file| !file.is_test) {
        for (start, place, instead) in ONLY_IN {
            let paths =
                file.paths.iter().filter(|(line, path)| path.starts_with(start) && !file.in_tests(*line));
            if !file.name.starts_with(place) {
                wrong.extend(paths.map(|(line, path)| format!("{}:{line}: {path}; {instead}", file.name)));
            }
        }
    }
    none(&wrong);
}

#[test]
fn the_files_of_a_folder_import_each_other_in_one_direction() {
    let mut wrong = Vec::new();
    let packages: BTreeSet<String> = files("crates").iter().map(File::package).collect();
    assert!(packages.len() > 10, "{packages:?}");
    for package in packages.into_iter().chain(["src".to_owned()]) {
        let all: Vec<&File> = files(&package).iter().filter(|file| !file.is_test).collect();
        let numbers = numbers(&all);
        let folder = |file: &File| file.modules.split_last().map(|(_, folder)| folder.to_vec());
        let beside = |file: &&File| {
            let imported = file.imported(&numbers).into_iter();
            imported.filter(|other| folder(all[*other]) == folder(file)).collect()
        };
        let imported: Vec<Vec<usize>> = all.iter().map(beside).collect();
        wrong.extend(rings(&all, &imported));
    }
    none(&wrong);
}

#[test]
fn what_cannot_fail_says_why() {
    let mut wrong = Vec::new();
    let ours = ["src", "crates", "engines"].into_iter().flat_map(files);
    for file in ours.filter(|file| !file.is_test) {
        for (line, token) in file.words("(").filter(|(line, _)| !file.in_tests(*line)) {
            if token == "unwrap" {
                wrong.push(format!(
                    "{}:{line}: unwrap(); write expect(\"what we believed\"), or give the error back",
                    file.name
                ));
            }
        }
    }
    none(&wrong);
}

#[test]
fn unsafe_code_stays_where_it_is() {
    let mut wrong = Vec::new();
    for file in all_files().filter(|file| !UNSAFE.iter().any(|place| file.name.starts_with(place))) {
        for token in file.tokens.iter().filter(|token| token.text == "unsafe") {
            wrong.push(format!(
                "{}:{}: unsafe; use rustix, or put the call into crates/agon-sandbox/ with a SAFETY comment",
                file.name, token.line
            ));
        }
    }
    none(&wrong);
}

#[test]
fn what_belongs_to_the_whole_process_is_changed_in_the_sandbox_alone() {
    let mut wrong = Vec::new();
    for file in all_files().filter(|file| !file.name.starts_with("crates/agon-sandbox/src/")) {
        let shared = ["umask", "set_current_dir", "set_var", "remove_var", "sigprocmask", "pthread_sigmask"];
        for token in file.tokens.iter().filter(|token| shared.contains(&token.text.as_str())) {
            wrong.push(format!(
                "{}:{}: {} changes all threads; open files with a mode, give paths, environments and masks to the \
                 one process that is started",
                file.name, token.line, token.text
            ));
        }
    }
    none(&wrong);
}

#[test]
fn what_is_committed_can_be_read() {
    let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(root()).output();
    // A source package has no git, and what it holds was in a commit before.
    let Some(listed) = listed.ok().filter(|listed| listed.status.success()) else { return };
    let mut wrong = Vec::new();
    for name in listed.stdout.split(|byte| *byte == 0).map(String::from_utf8_lossy) {
        let size = fs::symlink_metadata(root().join(&*name)).map_or(0, |file| file.len());
        if !name.is_empty() && size > MOST_BYTES {
            wrong.push(format!(
                "{name}: {size} bytes, at most {MOST_BYTES}; everyone who clones agon gets it, so take it out of the \
                 commit and let a script install it"
            ));
        }
    }
    none(&wrong);
}

#[track_caller]
fn none(wrong: &[String]) {
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}
