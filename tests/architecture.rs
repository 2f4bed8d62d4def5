//! Checks the architecture: imports go one way, rules do no I/O, files stay small and begin with
//! their job.
//!
//! The order of the `pub mod` lines in `src/lib.rs` is the truth. The failure names the file, the
//! line and the remedy.

#![allow(clippy::unwrap_used)] // helpers of tests may panic

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The most lines of a file, without the tests at its end. A longer file has a second job.
const MOST_LINES: usize = 600;

/// Files that may be longer, each with the reason. There should be none.
const LONG: &[(&str, &str)] = &[];

/// Pure modules: no files, processes, network, terminal, environment or clock.
const PURE: &[&str] = &["record", "clock", "openings", "aliases"];

/// Pure crates. Cargo checks their imports.
const PURE_CRATES: &[&str] = &["crates/agon-printable/", "crates/agon-games/", "crates/agon-standings/"];

/// Crates in which no two files import each other, directly or round a ring.
const WITHOUT_RINGS: &[&str] = &["crates/agon-printable", "crates/agon-sandbox", "crates/agon-standings"];

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

/// Where `unsafe` is allowed: the start of a process, system calls, the loss of rights before a
/// foreign program starts, and the engine that misbehaves on purpose.
const UNSAFE: &[&str] = &[
    "crates/agon-sandbox/src/spawn.rs",
    "crates/agon-sandbox/src/system/",
    "crates/agon-sandbox/src/boxes/",
    "engines/stub/",
];

#[test]
fn a_module_imports_only_what_stands_above_it() {
    let order = order();
    assert!(order.len() > 10, "src/lib.rs was not understood: {order:?}");
    let place = |module: &str| order.iter().position(|other| other == module);
    let mut wrong = Vec::new();
    for file in files("src") {
        let Some(own) = file.modules.first() else { continue };
        let Some(here) = place(own) else {
            wrong.push(format!(
                "{}:1: {own} is not a `pub mod` of src/lib.rs; give it a line there",
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
                    "{}:{line}: {own} uses {path}, and {used} stands below {own} in src/lib.rs; move the code up, \
                     or pass the value in from below",
                    file.name
                ));
            }
        }
    }
    none(&wrong);
}

#[test]
fn no_two_files_import_each_other() {
    let mut wrong = Vec::new();
    for package in WITHOUT_RINGS {
        let all: Vec<File> = files(package).into_iter().filter(|file| !file.is_test).collect();
        assert!(!all.is_empty(), "{package}");
        let imported: Vec<Vec<usize>> = all.iter().map(|file| file.imported(&all)).collect();
        for start in 0..all.len() {
            if let Some(ring) = ring(start, &imported) {
                let names: Vec<&str> = ring.into_iter().map(|file| all[file].name.as_str()).collect();
                wrong.push(format!("{}: a ring; put what they share into a file above", names.join(" -> ")));
            }
        }
    }
    none(&wrong);
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
        let is_pure = if file.name.starts_with("crates/") {
            PURE_CRATES.iter().any(|name| file.name.starts_with(name))
        } else {
            file.modules.first().is_some_and(|module| PURE.contains(&module.as_str()))
        };
        if !is_pure {
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

#[track_caller]
fn none(wrong: &[String]) {
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

/// The modules of `src/lib.rs` in their order.
fn order() -> Vec<String> {
    let text = fs::read_to_string(root().join("src/lib.rs")).unwrap();
    let tokens = tokens(&text);
    let words: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
    words
        .windows(4)
        .filter(|w| w[0] == "pub" && w[1] == "mod" && w[3] == ";")
        .map(|w| w[2].to_owned())
        .collect()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn all_files() -> impl Iterator<Item = File> {
    ["src", "crates", "engines", "tests", "benches"].into_iter().flat_map(files)
}

/// The source files below a folder, ordered by name.
fn files(folder: &str) -> Vec<File> {
    let mut found = Vec::new();
    collect(&root().join(folder), &mut found);
    found.sort();
    let mut files: Vec<File> = found.iter().map(|path| File::read(path)).collect();
    // `#[cfg(test)] mod laws;` makes games/laws.rs a test, and everything below it.
    let marks = |file: &File| {
        let package = file.package();
        file.test_files.clone().into_iter().map(move |modules| (package.clone(), modules)).collect::<Vec<_>>()
    };
    let marked: BTreeSet<(String, Vec<String>)> = files.iter().flat_map(marks).collect();
    for file in &mut files {
        let below =
            |(own, mark): &(String, Vec<String>)| *own == file.package() && file.modules.starts_with(mark);
        file.is_test |= folder == "tests"
            || ["/tests/", "/examples/"].iter().any(|place| file.name.contains(place))
            || marked.iter().any(below);
    }
    files
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// One source file, parsed.
struct File {
    /// `src/engine/table.rs`.
    name: String,
    text: String,
    /// `["engine", "table"]`; empty for `lib.rs` and `main.rs`.
    modules: Vec<String>,
    tokens: Vec<Token>,
    /// Every path in it with its line, imports expanded and `super` resolved:
    /// `crate::record::Exit`.
    paths: Vec<(usize, String)>,
    /// The first and the last lines of its `#[cfg(test)]` modules.
    tests: Vec<(usize, usize)>,
    /// The modules it declares for tests in files of their own.
    test_files: Vec<Vec<String>>,
    is_test: bool,
}

impl File {
    fn read(path: &Path) -> File {
        let text = fs::read_to_string(path).unwrap();
        let name = path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
        let within = name.split_once("src/").filter(|_| name.starts_with("crates/")).map(|(_, rest)| rest);
        let within = within.unwrap_or_else(|| name.split_once('/').unwrap().1);
        let mut modules: Vec<String> = within.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
        if modules.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
            modules.pop();
        }
        let tokens = tokens(&text);
        let mut file = File {
            name,
            text,
            modules,
            tokens,
            paths: Vec::new(),
            tests: Vec::new(),
            test_files: Vec::new(),
            is_test: false,
        };
        file.take_apart();
        file
    }

    /// `crates/agon-games`, or `src`.
    fn package(&self) -> String {
        let parts = if self.name.starts_with("crates/") { 2 } else { 1 };
        self.name.split('/').take(parts).collect::<Vec<_>>().join("/")
    }

    /// Which of its crate's files it imports from, by their places in `all`.
    fn imported(&self, all: &[File]) -> Vec<usize> {
        let mut found = Vec::new();
        for (_, path) in self.paths.iter().filter(|(line, _)| !self.in_tests(*line)) {
            // `crate::a::b`, or the name of a module below this one.
            let (words, least): (Vec<&str>, usize) = match path.strip_prefix("crate::") {
                Some(rest) => (rest.split("::").collect(), 0),
                None => {
                    let own = self.modules.iter().map(String::as_str);
                    (own.chain(path.split("::")).collect(), self.modules.len() + 1)
                }
            };
            let file = |length: usize| all.iter().position(|file| file.modules == words[..length]);
            let file = (least..=words.len()).rev().find_map(file);
            found.extend(file.filter(|file| all[*file].name != self.name));
        }
        found
    }

    fn in_tests(&self, line: usize) -> bool {
        self.tests.iter().any(|(first, last)| (*first..=*last).contains(&line))
    }

    /// The words directly before this sign.
    fn words<'a>(&'a self, sign: &'a str) -> impl Iterator<Item = (usize, &'a str)> {
        let pairs = self.tokens.windows(2);
        pairs.filter(move |pair| pair[1].text == sign).map(|pair| (pair[0].line, pair[0].text.as_str()))
    }

    /// Walks through the tokens once: modules open and close, paths are collected.
    fn take_apart(&mut self) {
        let words: Vec<&str> = self.tokens.iter().map(|token| token.text.as_str()).collect();
        // The modules open at this place, with the depth of their braces and the line of a test's
        // attribute.
        let mut open: Vec<(String, usize, Option<usize>)> = Vec::new();
        let mut depth = 0;
        let mut at = 0;
        while at < words.len() {
            let line = self.tokens[at].line;
            match words[at] {
                "{" => depth += 1,
                "}" => {
                    depth -= 1;
                    if open.last().is_some_and(|(_, opened, _)| *opened == depth) {
                        let (_, _, test) = open.pop().unwrap();
                        self.tests.extend(test.map(|first| (first, line)));
                    }
                }
                "mod" if at + 2 < words.len() => {
                    let mark = marked_as_test(&words[..at]).then(|| self.tokens[at].line - 1);
                    if words[at + 2] == "{" {
                        open.push((words[at + 1].to_owned(), depth, mark));
                    } else if mark.is_some() {
                        self.test_files.push([&self.modules[..], &[words[at + 1].to_owned()]].concat());
                    }
                    at += 1; // the name
                }
                word if is_word(word) && !(at > 0 && words[at - 1] == "::") => {
                    let inner: Vec<String> = open.iter().map(|(name, _, _)| name.clone()).collect();
                    let here = [&self.modules[..], &inner].concat();
                    let mut found = Vec::new();
                    let end = tree(&words, at, String::new(), &mut found);
                    for (token, path) in found {
                        self.paths.push((self.tokens[token].line, resolved(&path, &here)));
                    }
                    // The braces of a tree were read already; a plain word is one token.
                    at = end.max(at + 1);
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
    }
}

/// Whether `#[cfg(test)]` stands before this `mod`, with or without `pub`.
fn marked_as_test(before: &[&str]) -> bool {
    let mark = ["#", "[", "cfg", "(", "test", ")", "]"];
    let mut end = before.len();
    while end > 0 && before[end - 1] != "]" && before[end - 1] != ";" && before[end - 1] != "}" {
        end -= 1; // `pub`, `(`, `crate`, `)`
    }
    before[..end].ends_with(&mark)
}

/// Reads a path, or a tree of paths in an import, from its first word. Returns where it ends.
fn tree(words: &[&str], start: usize, before: String, found: &mut Vec<(usize, String)>) -> usize {
    let mut path = before;
    let mut at = start;
    loop {
        let word = words.get(at).copied().unwrap_or_default();
        if word == "{" {
            at += 1;
            while at < words.len() && words[at] != "}" {
                let end = tree(words, at, path.clone(), found);
                at = if words.get(end) == Some(&",") { end + 1 } else { end.max(at + 1) };
            }
            return at + 1;
        }
        if !is_word(word) && word != "*" {
            return at;
        }
        path = if path.is_empty() { word.to_owned() } else { format!("{path}::{word}") };
        at += 1;
        if words.get(at) == Some(&"as") {
            at += 2;
        }
        if words.get(at) != Some(&"::") || matches!(words.get(at + 1), Some(&"<")) {
            found.push((at - 1, path));
            return at;
        }
        at += 1;
    }
}

/// Resolves `super` and `self` at the beginning to a path from `crate`.
fn resolved(path: &str, here: &[String]) -> String {
    let mut module = here.to_vec();
    let mut rest = path;
    let mut relative = false;
    while let Some((word, after)) = rest.split_once("::") {
        match word {
            "super" => _ = module.pop(),
            "self" => {}
            _ => break,
        }
        relative = true;
        rest = after;
    }
    if relative {
        ["crate".to_owned()].into_iter().chain(module).chain([rest.to_owned()]).collect::<Vec<_>>().join("::")
    } else {
        path.to_owned()
    }
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// A word, `::`, or a single sign.
struct Token {
    line: usize,
    text: String,
}

/// The tokens of a source text without comments, strings and characters.
fn tokens(text: &str) -> Vec<Token> {
    let letters: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let (mut at, mut line) = (0, 1);
    let is = |at: usize, what: &str| what.chars().enumerate().all(|(i, c)| letters.get(at + i) == Some(&c));
    while at < letters.len() {
        let letter = letters[at];
        let start = at;
        if is(at, "//") {
            while at < letters.len() && letters[at] != '\n' {
                at += 1;
            }
        } else if is(at, "/*") {
            while at < letters.len() && !is(at, "*/") {
                at += 1;
            }
            at += 2;
        } else if let Some(hashes) = raw_string(&letters[at..]) {
            let end = format!("\"{}", "#".repeat(hashes));
            while letters[at] != '"' {
                at += 1;
            }
            at += 1;
            while at < letters.len() && !is(at, &end) {
                at += 1;
            }
            at += end.len();
        } else if letter == '"' {
            at += 1;
            while at < letters.len() && letters[at] != '"' {
                at += if letters[at] == '\\' { 2 } else { 1 };
            }
            at += 1;
        } else if letter == '\'' && (is(at + 1, "\\") || letters.get(at + 2) == Some(&'\'')) {
            at += if is(at + 1, "\\") { 3 } else { 2 };
            while at < letters.len() && letters[at] != '\'' {
                at += 1; // '\u{1b}'
            }
            at += 1;
        } else if letter.is_alphanumeric() || letter == '_' {
            while at < letters.len() && (letters[at].is_alphanumeric() || letters[at] == '_') {
                at += 1;
            }
            found.push(Token { line, text: letters[start..at].iter().collect() });
        } else if is(at, "::") {
            at += 2;
            found.push(Token { line, text: "::".to_owned() });
        } else {
            at += 1;
            if !letter.is_whitespace() {
                found.push(Token { line, text: letter.to_string() });
            }
        }
        line += letters[start..at.min(letters.len())].iter().filter(|letter| **letter == '\n').count();
    }
    found
}

/// The number of `#` if a raw string begins here.
fn raw_string(letters: &[char]) -> Option<usize> {
    let rest = match letters {
        ['r', rest @ ..] | ['b', 'r', rest @ ..] => rest,
        _ => return None,
    };
    let hashes = rest.iter().take_while(|letter| **letter == '#').count();
    (rest.get(hashes) == Some(&'"')).then_some(hashes)
}

#[test]
fn this_file_reads_code_as_the_compiler_does() {
    let text = "use crate::{record::{Exit, Way as W}, clock};\n// crate::cli\nfn f() { \"crate::run\"; r#\"\"crate::run\"#; \
                'x'; '\\''; let a: &'a str = super::b::c(d::<e>()); }\n";
    let all = tokens(text);
    let words: Vec<&str> = all.iter().map(|token| token.text.as_str()).collect();
    let mut found = Vec::new();
    tree(&words, 1, String::new(), &mut found);
    let paths: Vec<&str> = found.iter().map(|(_, path)| path.as_str()).collect();
    assert_eq!(paths, ["crate::record::Exit", "crate::record::Way", "crate::clock"]);
    assert!(!words.contains(&"cli") && !words.contains(&"run"), "{words:?}");
    let here = ["engine".to_owned(), "table".to_owned(), "tests".to_owned()];
    assert_eq!(resolved("super::super::spec::X", &here), "crate::engine::spec::X");
    assert_eq!(resolved("std::fs", &here), "std::fs");
}
