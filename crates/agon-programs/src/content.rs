//! The files of an engine's folder, and hashes of what is in them.

use std::fmt::Write;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use super::program::display_path;
use super::stopping;

/// Files that engines may leave in their folders without a new identity.
const PASSED_OVER: [&str; 2] = ["__pycache__", "target"];

/// The name of the stamp of a build.
pub(super) const STAMP: &str = ".agon-build";

/// Hidden files and folders of editors and tools, which no program needs to run.
const TOOLS: [&str; 14] = [
    ".git",
    ".gitignore",
    ".gitattributes",
    ".gitmodules",
    ".github",
    ".DS_Store",
    ".idea",
    ".vscode",
    ".editorconfig",
    ".clang-format",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    STAMP,
];

/// Whether a file or folder of this name, and all below it, is no part of an engine.
pub fn is_passed_over(name: &[u8]) -> bool {
    let is_among = |names: &[&str]| names.iter().any(|other| name == other.as_bytes());
    is_among(&PASSED_OVER) || is_among(&TOOLS) || is_of_an_open_file(name)
}

/// The same before hidden files became parts of engines. Hashes of that time are still known.
pub fn was_passed_over(name: &[u8]) -> bool {
    name.starts_with(b".") || PASSED_OVER.iter().any(|passed| name == passed.as_bytes())
}

/// Whether an editor, or a file system of the network, has made this hidden file for an open one.
fn is_of_an_open_file(name: &[u8]) -> bool {
    let is_swap = [&b".swp"[..], b".swo", b".swx"].iter().any(|end| name.ends_with(end));
    name.starts_with(b".") && (is_swap || name.starts_with(b".#") || name.starts_with(b".nfs"))
}

/// Adds to `files` all below a folder that is no folder, but nothing whose name is `left_out`.
/// Links and FIFOs are among them.
///
/// # Errors
/// As [`walk`].
pub fn gather(folder: &Path, left_out: &dyn Fn(&[u8]) -> bool, files: &mut Vec<PathBuf>) -> Result<()> {
    walk(folder, left_out, &mut |path, is_folder| {
        if !is_folder {
            files.push(path);
        }
        true
    })
}

/// Tells of all below a folder whose name is not `left_out`, each with whether it is a folder. A
/// folder is entered if the answer is true.
///
/// # Errors
/// Errors of the disk, with the name of the folder; or this process is to stop
/// ([`stopping::was_asked`]).
pub fn walk(
    folder: &Path,
    left_out: &dyn Fn(&[u8]) -> bool,
    found: &mut dyn FnMut(PathBuf, bool) -> bool,
) -> Result<()> {
    // No recursion: a stranger's folders may be deep, and each would keep a directory open.
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        let cannot = || format!("cannot read {}", display_path(&folder));
        stopping::go_on().with_context(cannot)?;
        for entry in fs::read_dir(&folder).with_context(cannot)? {
            let entry = entry.with_context(cannot)?;
            if left_out(entry.file_name().as_bytes()) {
                continue;
            }
            // A link to a folder may form a cycle.
            let is_folder = entry.file_type().with_context(cannot)?.is_dir();
            if found(entry.path(), is_folder) && is_folder {
                waiting.push(entry.path());
            }
        }
    }
    Ok(())
}

/// Hashes the execute bit, the length and the bytes of a file.
///
/// # Errors
/// As [`walk`], with the name of the file.
pub fn file(hash: &mut Sha256, path: &Path) -> Result<()> {
    let cannot = || format!("cannot read {}", display_path(path));
    let mut file = File::open(path).with_context(cannot)?;
    let about = file.metadata().with_context(cannot)?;
    hash.update([u8::from(about.permissions().mode() & 0o111 != 0)]);
    hash.update(about.len().to_le_bytes());
    bytes(hash, &mut file).with_context(cannot)
}

/// Hashes bytes to their end.
///
/// # Errors
/// Errors of the disk; or this process is to stop.
pub fn bytes(hash: &mut Sha256, from: &mut dyn Read) -> std::io::Result<()> {
    let mut block = vec![0; 1 << 16];
    loop {
        stopping::go_on()?;
        match from.read(&mut block)? {
            0 => return Ok(()),
            length => hash.update(&block[..length]),
        }
    }
}

/// Hashes one part of several. The length goes first, so that different lists of parts differ.
pub fn part(hash: &mut Sha256, bytes: &[u8]) {
    hash.update((bytes.len() as u64).to_le_bytes());
    hash.update(bytes);
}

/// Bytes in hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}"); // writing to a String cannot fail
        text
    })
}
