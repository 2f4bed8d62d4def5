//! The identity of an engine: a hash of its content, whatever its name.

use std::fmt::Write;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use crate::engine::program::display_path;
use crate::engine::spec::EngineSpec;

/// Files that engines may leave in their folders without a new identity.
const PASSED_OVER: [&str; 2] = ["__pycache__", "target"];

/// The SHA-256, in hexadecimal, of an engine's program and, if it is a folder, of every file in it
/// with its name and execute bit. Hidden files, `__pycache__` and `target` are left out.
///
/// # Errors
/// Errors of the disk, with the name of the file.
pub fn of_engine(engine: &EngineSpec) -> Result<String> {
    let mut hash = Sha256::new();
    part(&mut hash, b"program");
    file(&mut hash, &engine.program)?;
    if engine.source != engine.program && engine.source.is_dir() {
        add_folder(&mut hash, &engine.source)?;
    }
    Ok(hex(&hash.finalize()))
}

/// The SHA-256, in hexadecimal, of a file with its name, or of every file of a folder, as in
/// [`of_engine`].
///
/// # Errors
/// Errors of the disk, with the name of the file.
pub fn of_tree(path: &Path) -> Result<String> {
    let mut hash = Sha256::new();
    if path.is_dir() {
        add_folder(&mut hash, path)?;
    } else {
        part(&mut hash, path.file_name().unwrap_or_default().as_bytes());
        file(&mut hash, path)?;
    }
    Ok(hex(&hash.finalize()))
}

/// Adds every file of a folder with its name, in the order of names.
fn add_folder(hash: &mut Sha256, folder: &Path) -> Result<()> {
    let mut files = Vec::new();
    gather(folder, &mut files)?;
    files.sort();
    for path in files {
        let name = path.strip_prefix(folder).unwrap_or(&path);
        part(hash, name.as_os_str().as_bytes());
        file(hash, &path)?;
    }
    Ok(())
}

/// The SHA-256 of some bytes, in hexadecimal.
pub fn of_bytes(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}"); // writing to a String cannot fail
        text
    })
}

/// The length goes first, so that different lists of parts differ.
pub(super) fn part(hash: &mut Sha256, bytes: &[u8]) {
    hash.update((bytes.len() as u64).to_le_bytes());
    hash.update(bytes);
}

fn file(hash: &mut Sha256, path: &Path) -> Result<()> {
    let cannot = || format!("cannot read {}", display_path(path));
    let mut file = File::open(path).with_context(cannot)?;
    let about = file.metadata().with_context(cannot)?;
    hash.update([u8::from(about.permissions().mode() & 0o111 != 0)]);
    hash.update(about.len().to_le_bytes());
    let mut block = vec![0; 1 << 16];
    loop {
        match file.read(&mut block).with_context(cannot)? {
            0 => return Ok(()),
            length => hash.update(&block[..length]),
        }
    }
}

fn gather(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let cannot = || format!("cannot read {}", display_path(folder));
    for entry in fs::read_dir(folder).with_context(cannot)? {
        let entry = entry.with_context(cannot)?;
        let name = entry.file_name();
        if name.as_bytes().starts_with(b".") || PASSED_OVER.iter().any(|passed| name == *passed) {
            continue;
        }
        let path = entry.path();
        // A link to a folder may form a cycle, and opening a FIFO would block.
        if entry.file_type().with_context(cannot)?.is_dir() {
            gather(&path, files)?;
        } else if path.is_file() {
            files.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_is_its_program_and_its_files_and_not_what_it_left_behind() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("bot");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("engine.toml"), "command = [\"./run\"]\n").unwrap();
        fs::write(folder.join("run"), "#!/bin/sh\n").unwrap();
        let hash = || of_engine(&EngineSpec::at(&folder).unwrap()).unwrap();
        let first = hash();
        fs::create_dir(folder.join("__pycache__")).unwrap();
        fs::write(folder.join("__pycache__/x.pyc"), "x").unwrap();
        fs::write(folder.join(".cache"), "x").unwrap();
        assert_eq!(hash(), first);
        fs::write(folder.join("book"), "").unwrap();
        let second = hash();
        assert_ne!(second, first);
        fs::write(folder.join("book"), "e4").unwrap();
        assert_ne!(hash(), second);
        fs::remove_file(folder.join("book")).unwrap();
        assert_eq!(hash(), first);
        fs::write(folder.join("run"), "#!/bin/sh\nexit\n").unwrap();
        assert_ne!(hash(), first);
    }

    #[test]
    fn a_hash_is_the_published_one() {
        assert_eq!(of_bytes(b"abc")[..16], *"ba7816bf8f01cfea");
    }
}
