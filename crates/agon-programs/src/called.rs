//! What the files of a submission call for: programs, libraries and modules. What a build or an
//! engine prints proves nothing, because it prints what it likes.

use std::fs;
use std::path::{Path, PathBuf};

use super::bounded;

/// No longer file is read: what is written by hand is shorter.
const MOST_BYTES: u64 = 64 << 10;
/// No more files are read.
const MOST_FILES: usize = 500;
/// Folders in each other.
const MOST_DEEP: usize = 4;
/// Words before the name of a program that is started.
const STARTERS: [&str; 12] =
    ["exec", "env", "then", "do", "else", "if", "while", "time", "nohup", "command", "xargs", "!"];

/// Whether a file of a folder starts a program of this name: in a recipe, in a shell script, or as
/// a text of its own in another program.
pub(super) fn starts(folder: &Path, tool: &str) -> bool {
    any_text(folder, &mut |text| text.lines().any(|line| line_starts(line, tool)))
}

/// Whether a source of a folder includes a header by this name.
pub(super) fn includes(folder: &Path, header: &str) -> bool {
    let is_own = |line: &str| {
        let rest = line.trim_start().strip_prefix('#').map(str::trim_start);
        let named = rest.and_then(|rest| rest.strip_prefix("include")).map(str::trim);
        named.is_some_and(|named| named.trim_matches(['<', '>', '"', ' ']).starts_with(header))
    };
    any_text(folder, &mut |text| text.lines().any(is_own))
}

/// Whether a file of a folder asks a linker for this library.
pub(super) fn links(folder: &Path, library: &str) -> bool {
    let flag = format!("-l{library}");
    let is_flag = |word: &str| word.trim_matches(['"', '\'', ',', '[', ']']) == flag;
    any_text(folder, &mut |text| text.split_whitespace().any(is_flag))
}

/// Whether a script in Python of a folder imports this module.
pub(super) fn imports(folder: &Path, module: &str) -> bool {
    let is_own = |line: &str| {
        let mut words = line.split([' ', '\t', ',']).filter(|word| !word.is_empty());
        matches!(words.next(), Some("import" | "from"))
            && words.any(|word| word.split('.').next() == Some(module))
    };
    any_text(folder, &mut |text| text.lines().any(is_own))
}

fn line_starts(line: &str, tool: &str) -> bool {
    line.match_indices(tool).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + tool.len()..]);
        let ends = after.is_empty() || after.starts_with([' ', '\t', '"', '\'', '`', ';', '|', '&', ')']);
        ends && is_place_of_a_command(before)
    })
}

/// Whether what stands before a word on its line lets it be the name of a program that is started.
fn is_place_of_a_command(before: &str) -> bool {
    // `["swipl", ...]` and `"build": "swipl -o bot"`, but no quotation in a message.
    if let Some(quoted) = before.strip_suffix(['"', '\'', '`']) {
        let list = quoted.trim_end();
        return list.ends_with(['[', '(', ',', '=']) || list.ends_with("\":");
    }
    let bare = before.trim_end_matches([' ', '\t', '@', '-', '+']);
    if bare.trim().is_empty() || bare.ends_with([';', '|', '&', '(', '{', '=']) {
        return true;
    }
    let word = bare.rsplit([' ', '\t']).next().unwrap_or_default();
    before.ends_with([' ', '\t']) && (STARTERS.contains(&word) || word.ends_with("/env"))
}

/// Whether one of the texts in a folder is such a one. What cannot be read is none.
fn any_text(folder: &Path, is: &mut dyn FnMut(&str) -> bool) -> bool {
    let mut left = MOST_FILES;
    let mut waiting: Vec<(PathBuf, usize)> = vec![(folder.to_owned(), 0)];
    while let Some((folder, deep)) = waiting.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            // What the build itself wrote into its log is no file of the submission.
            if entry.file_name() == "build.log" {
                continue;
            }
            if kind.is_dir() && deep < MOST_DEEP {
                waiting.push((entry.path(), deep + 1));
            }
            if !kind.is_file() {
                continue;
            }
            if left == 0 {
                return false;
            }
            left -= 1;
            let Ok(bytes) = bounded::bytes(&entry.path(), MOST_BYTES) else { continue };
            if !bytes.contains(&0) && is(&String::from_utf8_lossy(&bytes)) {
                return true;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_started_is_told_from_one_that_is_printed() {
        for line in [
            "\tswipl -o bot bot.pl",
            "\t@-swipl bot.pl",
            "exec swipl x.pl \"$@\"",
            "cd src && swipl x.pl",
            "x=$(swipl --version)",
            "PL = swipl",
            "PL ?= swipl",
            "if swipl x.pl; then",
            "subprocess.run([\"swipl\", \"x.pl\"])",
            "os.system('swipl x.pl')",
            "{\"scripts\": {\"build\": \"swipl -o bot\"}}",
            "#!/usr/bin/env swipl",
        ] {
            assert!(line_starts(line, "swipl"), "{line}");
        }
        for line in [
            "\t@echo make: swipl: No such file or directory; exit 1",
            "\t@echo \"make: swipl: Command not found\"",
            "print('swipl: not found')",
            "\t@echo \"env: 'swipl': No such file or directory\"",
            "raise OSError(\"no such file: 'swipl'\")",
            "swipl: bot.pl",
            "// needs swipl",
            "# swipl",
            "my-swipl x",
            "swipler x",
        ] {
            assert!(!line_starts(line, "swipl"), "{line}");
        }
    }

    #[test]
    fn what_sources_include_link_and_import_is_found() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path();
        fs::create_dir(folder.join("src")).unwrap();
        fs::write(folder.join("src/a.c"), "#  include <ncurses.h>\n// gmp.h\n").unwrap();
        fs::write(folder.join("Makefile"), "bot: a.c\n\tcc a.c -lncurses\n").unwrap();
        fs::write(folder.join("main.py"), "import os, numpy.linalg as la\nprint('scipy')\n").unwrap();
        assert!(includes(folder, "ncurses.h") && !includes(folder, "gmp.h"));
        assert!(links(folder, "ncurses") && !links(folder, "gmp"));
        assert!(imports(folder, "numpy") && !imports(folder, "scipy") && !imports(folder, "num"));
    }
}
