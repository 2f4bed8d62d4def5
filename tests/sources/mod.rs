//! Reads Rust sources for the checks of the architecture: tokens, imports, tests and functions.

#![allow(clippy::unwrap_used)] // helpers of tests may panic

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The modules of a package's `src/lib.rs` in their order.
pub(crate) fn order(package: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(package).join("src/lib.rs")).unwrap();
    let tokens = tokens(&text);
    let words: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
    words
        .windows(4)
        .filter(|w| w[0] == "pub" && w[1] == "mod" && w[3] == ";")
        .map(|w| w[2].to_owned())
        .collect()
}

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub(crate) fn all_files() -> impl Iterator<Item = &'static File> {
    ["src", "crates", "engines", "tests", "benches"].into_iter().flat_map(files)
}

/// The source files below a folder, ordered by name. All tests share them.
pub(crate) fn files(folder: &str) -> &'static [File] {
    static READ: Mutex<BTreeMap<String, &[File]>> = Mutex::new(BTreeMap::new());
    let mut read = READ.lock().unwrap();
    read.entry(folder.to_owned()).or_insert_with(|| read_below(folder).leak())
}

fn read_below(folder: &str) -> Vec<File> {
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

/// The place of each file among these, by its module. `main.rs` has that of `lib.rs`.
pub(crate) fn numbers(all: &[&File]) -> BTreeMap<String, usize> {
    (0..all.len()).rev().map(|at| (all[at].modules.join("::"), at)).collect()
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
pub(crate) struct File {
    /// `src/engine/table.rs`.
    pub(crate) name: String,
    pub(crate) text: String,
    /// `["engine", "table"]`; empty for `lib.rs` and `main.rs`.
    pub(crate) modules: Vec<String>,
    pub(crate) tokens: Vec<Token>,
    /// Every path in it with its line, imports expanded and `super` resolved:
    /// `crate::record::Exit`.
    pub(crate) paths: Vec<(usize, String)>,
    /// The first and the last lines of its `#[cfg(test)]` modules.
    pub(crate) tests: Vec<(usize, usize)>,
    /// The modules it declares for tests in files of their own.
    pub(crate) test_files: Vec<Vec<String>>,
    pub(crate) is_test: bool,
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
    pub(crate) fn package(&self) -> String {
        let parts = if self.name.starts_with("crates/") { 2 } else { 1 };
        self.name.split('/').take(parts).collect::<Vec<_>>().join("/")
    }

    /// Which of its crate's files it imports from, by the numbers that [`numbers`] gives them.
    pub(crate) fn imported(&self, numbers: &BTreeMap<String, usize>) -> Vec<usize> {
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
            let file = |length: usize| numbers.get(&words[..length].join("::"));
            found.extend((least..=words.len()).rev().find_map(file));
        }
        let own = numbers.get(&self.modules.join("::"));
        found.retain(|file| own != Some(file));
        found
    }

    pub(crate) fn in_tests(&self, line: usize) -> bool {
        self.tests.iter().any(|(first, last)| (*first..=*last).contains(&line))
    }

    /// The words directly before this sign.
    pub(crate) fn words<'a>(&'a self, sign: &'a str) -> impl Iterator<Item = (usize, &'a str)> {
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
pub(crate) fn tree(words: &[&str], start: usize, before: String, found: &mut Vec<(usize, String)>) -> usize {
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
pub(crate) fn resolved(path: &str, here: &[String]) -> String {
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
pub(crate) struct Token {
    pub(crate) line: usize,
    pub(crate) text: String,
}

/// The tokens of a source text without comments, strings and characters.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
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

/// The functions of a text in the format of rustfmt: first line, name, and number of lines.
pub(crate) fn functions(text: &str) -> Vec<(usize, &str, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let indent = line.len() - line.trim_start().len();
        let words = line.split_whitespace();
        let mut words = words.skip_while(|word| word.starts_with("pub") || ["const", "async"].contains(word));
        let name = words.next().filter(|word| *word == "fn").and_then(|_| words.next());
        let Some(name) = name.and_then(|rest| rest.split(['(', '<']).next()) else { continue };
        // It ends with a brace in the column of its beginning.
        let closes = |line: &&str| line.trim_end() == format!("{}}}", " ".repeat(indent));
        let length =
            if line.ends_with('}') { 0 } else { lines[number..].iter().position(closes).unwrap_or(0) };
        found.push((number + 1, name, length + 1));
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
fn functions_are_counted_from_their_first_line_to_their_brace() {
    let text = "pub(super) fn one(\n    a: u8,\n) -> u8 {\n    if a {\n    }\n}\nimpl X {\n    const fn two<T>() {}\n    fn three() {\n        1\n    }\n}\n";
    assert_eq!(functions(text), [(1, "one", 6), (8, "two", 1), (9, "three", 3)]);
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
