//! Explains why a program does not start in a box: its first line, or its loader, lies at a place
//! that the box does not show.
//!
//! This reads the program, for words alone. What a box shows is in `manifest`, which reads nothing.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::elf;
use super::first_line::{ByEnv, FirstLine};
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
        let (what, mut needed) = needs(&program, is_there)?;
        // One that counts from the directory of the game may lie in the engine's own folder.
        if needed.is_relative() {
            let place = display_path(&needed);
            needed = program.parent().unwrap_or(Path::new("")).join(needed);
            if !is_there(&needed) {
                return Some(format!(
                    "its {what} names {place}, which is no absolute path; write the whole path"
                ));
            }
        }
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

/// The program that starts this one, and what names it. A name is looked for where it is shown.
fn needs(program: &Path, is_there: &dyn Fn(&Path) -> bool) -> Option<(&'static str, PathBuf)> {
    // A FIFO would keep us waiting.
    if !fs::metadata(program).ok()?.is_file() {
        return None;
    }
    let mut head = Vec::new();
    File::open(program).ok()?.take(FIRST_LINE).read_to_end(&mut head).ok()?;
    if !head.starts_with(b"#!") {
        return elf::loader(program).map(|loader| ("loader", loader));
    }
    let line = FirstLine::of(&head)?;
    let needed = match line.by_env.filter(|_| is_there(&line.interpreter)) {
        None => line.interpreter,
        Some(ByEnv::Path(path)) => path,
        Some(ByEnv::Name(name)) => {
            let mut found = agon_sandbox::all_in_path(&name);
            let shown = found.iter().position(|path| is_there(path)).unwrap_or(0);
            // One that is nowhere is no matter of the box.
            if found.is_empty() {
                return None;
            }
            found.swap_remove(shown)
        }
        Some(ByEnv::OneWord(_) | ByEnv::Unknown) => return None,
    };
    Some(("first line", needed))
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
        let is_there = |path: &Path| {
            agon_sandbox::is_of_system(path) || path.starts_with(home.path()) && !path.ends_with("../x")
        };
        why(&script, &is_there).unwrap_or_default()
    }

    #[test]
    fn a_first_line_that_names_a_place_which_is_not_shown_is_told_with_what_helps() {
        for (line, option) in [
            ("#!/opt/x/bin/python3 -u", "--show /opt/x"),
            ("#!/home/x/python3", "--show /home/x/python3"),
            ("#!/usr/bin/env /opt/x/bin/python3", "--show /opt/x"),
            ("#!/usr/bin/env -S -u /usr -C /tmp A=b /opt/x/bin/python3", "--show /opt/x"),
            ("#!/usr/bin/env -iS \"/opt/x/bin/python3\" -u", "--show /opt/x"),
        ] {
            let words = said(line);
            assert!(words.contains("its first line names /") && words.ends_with(option), "{line}: {words}");
        }
        assert_eq!(
            said("#!../x"),
            "its first line names ../x, which is no absolute path; write the whole path"
        );
        for line in [
            "#!/bin/sh",
            "#!./engine",
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
