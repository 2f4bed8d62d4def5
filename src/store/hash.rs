//! The identity of an engine: a hash of its content, without its name.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use anyhow::Result;
use sha2::{Digest, Sha256};

use crate::engine::content::{self, hex};
use crate::engine::spec::EngineSpec;
use crate::engine::stamp;

pub(super) use crate::engine::content::part;

/// The SHA-256, in hexadecimal, of an engine's program and, if it is a folder, of every file in it
/// with its name and execute bit. Hidden files, `__pycache__` and `target` are left out, and of a
/// referee program [`crate::engine::spec::APART`].
///
/// If agon has built the program, it is instead the hash of what the build read ([`stamp`]).
///
/// # Errors
/// Errors of the disk, with the name of the file.
pub fn of_engine(engine: &EngineSpec) -> Result<String> {
    if let Some(sources) = stamp::sources(engine) {
        return Ok(sources);
    }
    let mut hash = Sha256::new();
    part(&mut hash, b"program");
    content::file(&mut hash, &engine.program)?;
    if engine.source != engine.program && engine.source.is_dir() {
        add_folder(&mut hash, &engine.source, &|path| engine.has_part(path))?;
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
        add_folder(&mut hash, path, &|_| true)?;
    } else {
        part(&mut hash, path.file_name().unwrap_or_default().as_bytes());
        content::file(&mut hash, path)?;
    }
    Ok(hex(&hash.finalize()))
}

/// Adds every file of a folder that is a part with its name, in the order of names.
fn add_folder(hash: &mut Sha256, folder: &Path, is_part: &dyn Fn(&Path) -> bool) -> Result<()> {
    let mut files = Vec::new();
    content::gather(folder, &content::is_passed_over, &mut files)?;
    files.retain(|path| path.is_file()); // opening a FIFO would block
    files.sort();
    for path in files {
        let name = path.strip_prefix(folder).unwrap_or(&path);
        if !is_part(name) {
            continue;
        }
        part(hash, name.as_os_str().as_bytes());
        content::file(hash, &path)?;
    }
    Ok(())
}

/// The SHA-256 of some bytes, in hexadecimal.
pub fn of_bytes(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use std::fs;

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
    fn engines_and_texts_beside_a_referee_are_no_part_of_it() {
        let home = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            let path = home.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        put("referee", "#!/bin/sh\n");
        let words = ["./referee".to_owned()];
        let hash =
            || of_engine(&EngineSpec::of_folder("g", home.path(), Some(&words), None).unwrap()).unwrap();
        let first = hash();
        for name in ["engines/random/main.py", "README.md", "test.sh"] {
            put(name, "one");
        }
        assert_eq!(hash(), first);
        put("cards/README.md", "one");
        assert_ne!(hash(), first, "only what lies at the top");
    }

    #[test]
    fn a_hash_is_the_published_one() {
        assert_eq!(of_bytes(b"abc")[..16], *"ba7816bf8f01cfea");
    }
}
