//! Explains why a program does not start in a box: its first line, or its loader, lies at a place
//! that the box does not show.
//!
//! This reads the program, for words alone. What a box shows is in `manifest`, which reads nothing.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::elf;
use super::program::display_path;

/// How many bytes of a first line the kernel reads.
const FIRST_LINE: u64 = 256;
/// How many interpreters of interpreters are followed.
const STEPS: usize = 4;

/// Why a program does not start where only some places are there, and the option that helps; `None`
/// if that is not why. `is_there` says which places are.
pub fn why(program: &Path, is_there: &dyn Fn(&Path) -> bool) -> Option<String> {
    let mut program = program.to_owned();
    if !is_there(&program) {
        return Some(format!("{} is not shown in its box; {}", display_path(&program), show(&program)));
    }
    for _ in 0..STEPS {
        let (what, needed) = needs(&program)?;
        if !is_there(&needed) {
            let place = display_path(&needed);
            return Some(format!("its {what} names {place}, which its box does not show; {}", show(&needed)));
        }
        program = needed;
    }
    None
}

/// What the organiser can write so that a box shows a program.
fn show(program: &Path) -> String {
    let mut up = program.ancestors().skip(1);
    let (place, prefix) = (up.next(), up.next());
    let in_bin = place.is_some_and(|place| place.file_name().is_some_and(|name| name == "bin"));
    let all = prefix.filter(|prefix| in_bin && prefix.parent().is_some()).unwrap_or(program);
    format!("the organiser can show it with --show {}", display_path(all))
}

/// The program that starts this one, and what names it.
fn needs(program: &Path) -> Option<(&'static str, PathBuf)> {
    // A FIFO would keep us waiting.
    if !fs::metadata(program).ok()?.is_file() {
        return None;
    }
    let mut head = Vec::new();
    File::open(program).ok()?.take(FIRST_LINE).read_to_end(&mut head).ok()?;
    match head.strip_prefix(b"#!") {
        Some(rest) => {
            let line = rest.split(|byte| *byte == b'\n').next()?;
            Some(("first line", named_by(line)?))
        }
        None => elf::loader(program).map(|loader| ("loader", loader)),
    }
}

/// The program that a first line names by its path: the interpreter, or what `env` is to start.
fn named_by(line: &[u8]) -> Option<PathBuf> {
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let path = |word: &[u8]| PathBuf::from(OsStr::from_bytes(word));
    let interpreter = path(words.next()?);
    if interpreter.file_name().is_none_or(|name| name != "env") {
        return Some(interpreter);
    }
    while let Some(word) = words.next() {
        match word {
            // These have a value of their own behind them.
            b"-u" | b"-C" | b"--unset" | b"--chdir" => _ = words.next(),
            word if word.starts_with(b"-") || word.contains(&b'=') => {}
            word if word.contains(&b'/') => return Some(path(word)),
            _ => return None, // found in PATH
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said of a script with this first line, where only the system is shown, and its own
    /// folder.
    fn said(line: &str) -> String {
        let home = tempfile::tempdir().unwrap();
        let script = home.path().join("engine");
        fs::write(&script, format!("{line}\n")).unwrap();
        let is_there = |path: &Path| agon_sandbox::is_of_system(path) || path.starts_with(home.path());
        why(&script, &is_there).unwrap_or_default()
    }

    #[test]
    fn a_first_line_that_names_a_place_which_is_not_shown_is_told_with_what_helps() {
        for (line, option) in [
            ("#!/opt/x/bin/python3 -u", "--show /opt/x"),
            ("#!/home/x/python3", "--show /home/x/python3"),
            ("#!/usr/bin/env /opt/x/bin/python3", "--show /opt/x"),
            ("#!/usr/bin/env -S -u /usr -C /tmp A=b /opt/x/bin/python3", "--show /opt/x"),
        ] {
            let words = said(line);
            assert!(words.contains("its first line names /") && words.ends_with(option), "{line}: {words}");
        }
        for line in [
            "#!/bin/sh",
            "#!/usr/bin/env python3",
            "#!/usr/bin/env -S -u /home/x /usr/bin/python3",
            "#!",
            "no",
        ] {
            assert_eq!(said(line), "", "{line}");
        }
        let words = why(Path::new("/opt/x/prog"), &|_| false).unwrap();
        assert!(words.starts_with("/opt/x/prog is not shown in its box; "), "{words}");
    }
}
