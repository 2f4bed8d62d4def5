//! Files that an engine may read and that are no part of its hash: those behind links that lead out
//! of its folder, and those that a program alone names beside itself. They are looked at.

use std::collections::{BTreeSet, VecDeque};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use memchr::memmem;

use super::parts::{self, Parts};
use super::spec::EngineSpec;
use super::{content, elf};

/// More files behind links, or beside a program, are not looked at: it is a place for other things.
const MOST: usize = 10_000;
/// The most bytes of a script that is searched for names.
const SEARCHED: u64 = 1 << 20;
/// The ends of files that a script loads by their stems.
const MODULES: [&str; 6] = ["js", "lua", "pl", "pm", "py", "rb"];

/// The files behind the links among these files of a folder, by their paths through the links.
pub(super) fn behind_links(parts: &Parts, files: &[PathBuf]) -> Vec<PathBuf> {
    let mut waiting: VecDeque<PathBuf> =
        files.iter().filter(|path| parts::is_link_to_folder(path)).cloned().collect();
    let mut known = BTreeSet::new();
    let mut found = Vec::new();
    while let Some(link) = waiting.pop_front() {
        // What leads into the folder is a part of it. What contains it, or was seen, is a cycle.
        let Ok(target) = link.canonicalize() else { continue };
        let is_cycle = target.starts_with(&parts.source) || parts.source.starts_with(&target);
        if is_cycle || !known.insert(target) || found.len() > MOST {
            continue;
        }
        let mut there = Vec::new();
        // What cannot be read now may be readable for the engine; it is told as missing later.
        if content::gather(&link, &content::is_passed_over, &mut there).is_err() {
            continue;
        }
        there.retain(|path| path.strip_prefix(&parts.source).is_ok_and(|below| parts.has(below)));
        waiting.extend(there.iter().filter(|path| parts::is_link_to_folder(path)).cloned());
        found.extend(there.into_iter().filter(|path| path.is_file()));
    }
    if found.len() > MOST { Vec::new() } else { found }
}

/// The files beside a program alone that it names: a script by their names, or as modules; a
/// compiled program that looks for libraries there, all libraries.
pub(super) fn named_beside(engine: &EngineSpec) -> Vec<PathBuf> {
    let own = &engine.program;
    let text =
        fs::metadata(own).ok().filter(|about| about.len() <= SEARCHED).and_then(|_| fs::read(own).ok());
    let script = text.filter(|text| text.starts_with(b"#!"));
    let wants_libraries = script.is_none() && !elf::lists(own).is_empty();
    if script.is_none() && !wants_libraries {
        return Vec::new();
    }
    let Ok(entries) = fs::read_dir(&engine.folder) else { return Vec::new() };
    let beside = entries.take(MOST).flatten().map(|entry| entry.path()).filter(|path| path != own);
    let is_named = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().as_bytes();
        let stem = path.file_stem().unwrap_or_default().as_bytes();
        let is_module = path.extension().is_some_and(|end| MODULES.iter().any(|module| end == *module));
        match &script {
            Some(text) => has_word(text, name) || (is_module && has_word(text, stem)),
            None => memmem::find(name, b".so").is_some(),
        }
    };
    beside.filter(|path| is_named(path) && path.is_file()).collect()
}

/// Whether a text has this name, not as a part of a longer one.
fn has_word(text: &[u8], name: &[u8]) -> bool {
    let goes_on =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(byte));
    !name.is_empty()
        && memmem::find_iter(text, name).any(|at| {
            !goes_on(at.checked_sub(1).and_then(|at| text.get(at))) && !goes_on(text.get(at + name.len()))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_not_a_part_of_a_longer_one() {
        let text = b"#!/bin/sh\nexec \"$(dirname $0)/bot-2\" words.txt; import helper";
        for (name, is_there) in [
            ("bot-2", true),
            ("bot", false),
            ("words.txt", true),
            ("words", true),
            ("helper", true),
            ("help", false),
        ] {
            assert_eq!(has_word(text, name.as_bytes()), is_there, "{name}");
        }
    }
}
