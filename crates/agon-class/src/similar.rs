//! Submissions that are equal or nearly equal, as a hint for the staff.
//!
//! Sources are compared as sequences of tokens, in which every name, number and text is the same.
//! So another name or comment changes nothing. Runs of tokens that most submissions share come from
//! the course, and do not count.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use agon_export::cells::{self, CsvCell};
use agon_programs::languages;
use agon_store::hash;

/// How many tokens in a row are compared.
const RUN: usize = 8;
/// The fewest runs of a program that is compared: small programs are all alike.
const FEWEST: usize = 40;
/// The least overlap that is listed, in percent.
const LEAST: usize = 60;
/// From how many submissions on, runs that more than half of them share are left out.
const MANY: usize = 5;
/// The most of the sources of a submission that is read, in bytes.
const MOST_BYTES: usize = 2 << 20;
/// Larger files are not read, in bytes.
const LARGE: u64 = 64 << 20;
/// The most entries that are looked at.
const MOST_ENTRIES: usize = 20_000;

/// Words that say what a program does, and so are no names.
const KEYWORDS: [&str; 26] = [
    "if", "else", "elif", "for", "while", "do", "switch", "case", "return", "break", "continue", "def", "fn",
    "func", "function", "class", "struct", "match", "loop", "try", "catch", "except", "not", "and", "or",
    "in",
];

/// A submission that is compared.
pub(super) struct Compared {
    pub(super) id: String,
    pub(super) name: String,
    /// The folder in which it was built.
    pub(super) folder: PathBuf,
}

/// The contents of a submission.
struct Print {
    /// The hash of its files, without their names.
    whole: Option<String>,
    runs: BTreeSet<u64>,
}

/// The text of `similar.csv`, and how many pairs are in it.
pub(super) fn csv(all: &[Compared]) -> anyhow::Result<(String, usize)> {
    let mut prints: Vec<Print> = all.iter().map(|one| print(&one.folder)).collect();
    leave_out_shared(&mut prints);
    let mut rows = Vec::new();
    for (number, (one, its)) in all.iter().zip(&prints).enumerate() {
        for (other, others) in all.iter().zip(&prints).skip(number + 1) {
            let is_equal = its.whole.is_some() && its.whole == others.whole;
            let overlap = overlap(&its.runs, &others.runs);
            let (kind, words) = match (is_equal, overlap) {
                (true, _) => ("equal", "the files are the same, byte by byte".to_owned()),
                (false, Some(percent)) if percent >= LEAST => (
                    "nearly equal",
                    "a hint, not a proof: read both; names, numbers, texts and comments are not compared"
                        .to_owned(),
                ),
                _ => continue,
            };
            let percent = if is_equal { 100 } else { overlap.unwrap_or_default() };
            rows.push((100 - percent, [one, other], kind, percent, words));
        }
    }
    rows.sort_by_key(|(order, ..)| *order);
    let row = |(_, [one, other], kind, percent, words): &(usize, [&Compared; 2], &str, usize, String)| {
        vec![
            CsvCell::text(&one.id),
            CsvCell::text(&one.name),
            CsvCell::text(&other.id),
            CsvCell::text(&other.name),
            CsvCell::exact(kind),
            CsvCell::exact(percent),
            CsvCell::text(words),
        ]
    };
    let head = ["id", "name", "other_id", "other_name", "kind", "overlap_percent", "meaning"];
    Ok((cells::text_of(head, rows.iter().map(row))?, rows.len()))
}

/// The percentage of the smaller program's runs that are in the other too.
fn overlap(one: &BTreeSet<u64>, other: &BTreeSet<u64>) -> Option<usize> {
    let least = one.len().min(other.len());
    (least >= FEWEST).then(|| one.intersection(other).count() * 100 / least)
}

/// Removes the runs that more than half of the submissions have: they come from the course.
fn leave_out_shared(prints: &mut [Print]) {
    let with_runs = prints.iter().filter(|print| !print.runs.is_empty()).count();
    if with_runs < MANY {
        return;
    }
    let mut counts: HashMap<u64, usize> = HashMap::new();
    for run in prints.iter().flat_map(|print| &print.runs) {
        *counts.entry(*run).or_default() += 1;
    }
    for print in prints {
        print.runs.retain(|run| counts[run] * 2 <= with_runs);
    }
}

/// Reads the sources of a submission; of one without sources, all files.
fn print(folder: &Path) -> Print {
    let (mut sources, mut others) = (BTreeMap::new(), BTreeMap::new());
    let mut waiting = vec![folder.to_owned()];
    let mut seen = 0;
    while let Some(directory) = waiting.pop().filter(|_| seen < MOST_ENTRIES) {
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            seen += 1;
            let Ok(kind) = entry.file_type() else { continue };
            let name = entry.file_name().to_string_lossy().to_lowercase();
            if kind.is_dir() && !name.starts_with('.') {
                waiting.push(entry.path());
            } else if kind.is_file() {
                let is_text = languages::is_source(&name) && !name.ends_with(".jar");
                let is_source = is_text || name.ends_with(".h") || name.ends_with(".hpp");
                let list = if is_source { &mut sources } else { &mut others };
                list.insert(entry.path(), is_source);
            }
        }
    }
    let files = if sources.is_empty() { others } else { sources };
    let (mut hashes, mut runs, mut read) = (Vec::new(), BTreeSet::new(), 0);
    for (path, is_source) in &files {
        // What cannot be read is not compared, and neither is what would fill the memory.
        let is_large = fs::metadata(path).is_ok_and(|about| about.len() > LARGE);
        let Some(bytes) = (if is_large { None } else { fs::read(path).ok() }) else { continue };
        hashes.push(hash::of_bytes(&bytes));
        read += bytes.len();
        if *is_source && read <= MOST_BYTES {
            let is_python = path.extension().is_some_and(|ending| ending == "py");
            add_runs(&tokens(&String::from_utf8_lossy(&bytes), is_python), &mut runs);
        }
    }
    hashes.sort();
    // What agon writes beside a program is not part of it.
    let whole = (!hashes.is_empty()).then(|| hash::of_bytes(hashes.join("\n").as_bytes()));
    Print { whole, runs }
}

fn add_runs(tokens: &[String], runs: &mut BTreeSet<u64>) {
    for run in tokens.windows(RUN) {
        let mut hasher = DefaultHasher::new();
        run.hash(&mut hasher);
        runs.insert(hasher.finish());
    }
}

/// The tokens of a source: keywords and signs as they are; names, numbers and texts as `v`, `n` and
/// `s`. Comments and blanks are none.
fn tokens(text: &str, is_python: bool) -> Vec<String> {
    let mut all = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_comment = if is_python { first == '#' } else { rest.starts_with("//") };
        let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let length = if is_comment {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if first == '"' || first == '\'' {
            all.push("s".to_owned());
            text_length(rest, first)
        } else if word > 0 {
            let found = &rest[..word];
            all.push(match found {
                _ if first.is_numeric() => "n".to_owned(),
                _ if KEYWORDS.contains(&found) => found.to_owned(),
                _ => "v".to_owned(),
            });
            word
        } else {
            if !first.is_whitespace() {
                all.push(first.to_string());
            }
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    all
}

/// The length of a text in quotes. It ends at the end of its line at the latest: an apostrophe may
/// be something else.
fn text_length(rest: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '\n' => return at,
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_texts_and_comments_make_no_difference() {
        let one = "int best = 3; /* so far */\nif (a[1] > best) { puts(\"yes\"); } // keep\n";
        let other = "long  top=77;\nif(zz[2]>top){print('no');}";
        assert_eq!(tokens(one, false)[2..], tokens(other, false)[2..]);
        assert_ne!(tokens("if (a) b();", false), tokens("while (a) b();", false));
        assert_eq!(tokens("x = 1 # y = 2\n", true), ["v", "=", "n"]);
        assert_eq!(tokens("'it\nx", false), ["s", "v"]);
        assert_eq!(tokens("\"a\\\"b\" + ü", false), ["s", "+", "v"]);
    }

    #[test]
    fn what_most_submissions_share_does_not_count() {
        let print =
            |own: u64| Print { whole: None, runs: (0..50).chain(own * 100..own * 100 + 50).collect() };
        let mut prints: Vec<Print> = (1..=6).map(print).collect();
        assert_eq!(overlap(&prints[0].runs, &prints[1].runs), Some(50));
        leave_out_shared(&mut prints);
        assert_eq!(overlap(&prints[0].runs, &prints[1].runs), Some(0));
        assert_eq!(overlap(&(0..10).collect(), &(0..10).collect()), None);
    }
}
