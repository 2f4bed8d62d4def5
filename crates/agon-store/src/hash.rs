//! The identity of an engine: a hash of its content, without its name.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

use agon_config::Misuse;
use agon_programs::content::{self, hex};
use agon_programs::extent::{self, FolderLimits};
use agon_programs::kept::{self, KeptCopy};
use agon_programs::program::display_path;
use agon_programs::spec::EngineSpec;
use agon_programs::{engine_file, parts, stamp};
use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

pub(super) use agon_programs::content::part;

/// The SHA-256, in hexadecimal, of an engine's program and, if it is a folder, of every file in it
/// with its name and execute bit. What it learns, `__pycache__`, `target`, and hidden files of
/// editors and tools are left out, and of a referee program every hidden file and
/// [`agon_programs::spec::APART`]. A link to a folder counts by where it leads.
///
/// If agon has built the program, it is instead the hash of what the build read ([`stamp`]). The
/// settings of an organiser are part of it ([`with_settings`]).
///
/// # Errors
/// Errors of the disk, with the name of the file.
pub fn of_engine(engine: &EngineSpec) -> Result<String> {
    of_engine_as_it_lies(engine).map(|hash| with_settings(engine, hash))
}

/// The hash of an engine that has this one without its settings, if it has settings of the
/// organiser's.
pub fn with_settings(engine: &EngineSpec, hash: String) -> String {
    let Some(text) = engine.set.as_ref().and(engine.text.as_deref()) else { return hash };
    let mut set = Sha256::new();
    for bytes in [&b"set"[..], hash.as_bytes(), text.as_bytes()] {
        part(&mut set, bytes);
    }
    hex(&set.finalize())
}

fn of_engine_as_it_lies(engine: &EngineSpec) -> Result<String> {
    if let Some(sources) = stamp::sources(engine) {
        return Ok(sources);
    }
    let is_folder = engine.source != engine.program && engine.source.is_dir();
    if is_folder
        && let Err(why) = extent::check(&engine.source, FolderLimits::ORGANISER, &content::is_passed_over)?
    {
        return Err(Misuse::hinted(
            format!("{}: {why}", display_path(&engine.source)),
            "keep its data in another folder, which agon does not read, and give its path in args",
        ));
    }
    of_files(engine, if is_folder { engine.parts().files()? } else { Vec::new() })
}

/// The same of a kept copy: only the files that were copied count, and not what the program has
/// added.
///
/// # Errors
/// As [`of_engine`].
pub fn of_copy(copy: &KeptCopy) -> Result<String> {
    let engine = &copy.engine;
    of_files(engine, if engine.source == engine.program { Vec::new() } else { copied(copy)? })
}

/// The files of a copy that were copied.
fn copied(copy: &KeptCopy) -> Result<Vec<PathBuf>> {
    let listed: BTreeSet<PathBuf> = kept::listed(&copy.home)?.into_iter().collect();
    let mut files = copy.engine.parts().files()?;
    files.retain(|path| listed.contains(path));
    Ok(files)
}

/// The hash that an engine had before hidden files and links to folders became parts of engines;
/// `None` if it has none.
///
/// # Errors
/// As [`of_engine`].
pub fn of_engine_before(engine: &EngineSpec) -> Result<Option<String>> {
    if engine.set.is_some() || engine.source == engine.program || !engine.source.is_dir() {
        return Ok(None);
    }
    let Some(before) = before(engine, engine.parts().files()?) else { return Ok(None) };
    match stamp::sources_before(engine) {
        Some(sources) => Ok(Some(sources)),
        None => of_files(engine, before).map(Some),
    }
}

/// The same of a kept copy.
///
/// # Errors
/// As [`of_engine`].
pub fn of_copy_before(copy: &KeptCopy) -> Result<Option<String>> {
    if copy.engine.source == copy.engine.program {
        return Ok(None);
    }
    before(&copy.engine, copied(copy)?).map(|files| of_files(&copy.engine, files)).transpose()
}

/// Of the files of an engine, those that were always part of it; `None` if all of them were.
fn before(engine: &EngineSpec, mut files: Vec<PathBuf>) -> Option<Vec<PathBuf>> {
    let now = files.len();
    let is_hidden = |path: &PathBuf| path.strip_prefix(&engine.source).is_ok_and(parts::is_hidden);
    files.retain(|path| !is_hidden(path) && path.is_file());
    (files.len() < now).then_some(files)
}

/// The hash of an engine's program, and of these files of its folder.
fn of_files(engine: &EngineSpec, files: Vec<PathBuf>) -> Result<String> {
    let mut hash = begun_with(&engine.program)?;
    add_files(&mut hash, &engine.source, files)?;
    Ok(hex(&hash.finalize()))
}

/// Where a file is and what its metadata says: another content has another one, unless it was
/// written a moment ago.
type FileState = (u64, u64, u64, u32, [i64; 4]);

/// The hash of an engine after its program: many engines may share one.
static PROGRAMS: Mutex<BTreeMap<FileState, Sha256>> = Mutex::new(BTreeMap::new());

/// How old the last change of a program must be for its hash to be kept: clocks of files are
/// coarse.
const SETTLED: Duration = Duration::from_secs(2);

/// A hash that has taken in a program.
fn begun_with(program: &Path) -> Result<Sha256> {
    let about = program.metadata().ok();
    let state = about.as_ref().map(|about| {
        let times = [about.mtime(), about.mtime_nsec(), about.ctime(), about.ctime_nsec()];
        (about.dev(), about.ino(), about.len(), about.mode(), times)
    });
    let known = || PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(hash) = state.and_then(|state| known().get(&state).cloned()) {
        return Ok(hash);
    }
    let mut hash = Sha256::new();
    part(&mut hash, b"program");
    content::file(&mut hash, program)?;
    let changed = |about: &Metadata| {
        let seconds = about.ctime().max(about.mtime());
        UNIX_EPOCH + Duration::from_secs(seconds.try_into().unwrap_or(0))
    };
    let is_settled = about.is_some_and(|about| changed(&about).elapsed().is_ok_and(|age| age > SETTLED));
    if let Some(state) = state.filter(|_| is_settled) {
        known().insert(state, hash.clone());
    }
    Ok(hash)
}

/// The SHA-256, in hexadecimal, of a file with its name, or of every file of a folder, as in
/// [`of_engine`].
///
/// # Errors
/// Errors of the disk, with the name of the file.
pub fn of_tree(path: &Path) -> Result<String> {
    let mut hash = Sha256::new();
    if path.is_dir() {
        let mut files = Vec::new();
        content::gather(path, &content::was_passed_over, &mut files)?;
        files.retain(|path| path.is_file()); // opening a FIFO would block
        add_files(&mut hash, path, files)?;
    } else {
        part(&mut hash, path.file_name().unwrap_or_default().as_bytes());
        content::file(&mut hash, path)?;
    }
    Ok(hex(&hash.finalize()))
}

/// The SHA-256, in hexadecimal, of what is in these files and in those of these folders, whatever
/// they are called and wherever they lie.
///
/// # Errors
/// Errors of the disk, with the name of the file.
pub fn of_contents<'a>(paths: impl Iterator<Item = &'a Path>) -> Result<String> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            content::gather(path, &content::was_passed_over, &mut files)?;
        } else {
            files.push(path.to_owned());
        }
    }
    let of_file = |path: &PathBuf| {
        let cannot = || format!("cannot read {}", display_path(path));
        let mut file = fs::File::open(path).with_context(cannot)?;
        let mut hash = Sha256::new();
        content::bytes(&mut hash, &mut file).with_context(cannot)?;
        Ok(hex(&hash.finalize()))
    };
    // Opening a FIFO would block.
    let files = files.iter().filter(|path| path.is_file());
    let mut all = files.map(of_file).collect::<Result<Vec<String>>>()?;
    all.sort();
    Ok(of_bytes(all.concat().as_bytes()))
}

/// Adds files of a folder with their names, in the order of names.
fn add_files(hash: &mut Sha256, folder: &Path, mut files: Vec<PathBuf>) -> Result<()> {
    files.sort();
    for path in files {
        let name = path.strip_prefix(folder).unwrap_or(&path);
        part(hash, name.as_os_str().as_bytes());
        if parts::is_link_to_folder(&path) {
            let target = path.read_link().with_context(|| format!("cannot read {}", display_path(&path)))?;
            part(hash, b"link");
            part(hash, target.as_os_str().as_bytes());
        } else if name == Path::new("engine.toml") {
            engine_file(hash, &path)?;
        } else {
            content::file(hash, &path)?;
        }
    }
    Ok(())
}

/// Adds an `engine.toml` without the key `learns`, so that the key alone makes no other engine.
fn engine_file(hash: &mut Sha256, path: &Path) -> Result<()> {
    let cannot = || format!("cannot read {}", display_path(path));
    let bytes = fs::read(path).with_context(cannot)?;
    let text = str::from_utf8(&bytes).ok().map(engine_file::without_learns);
    let text = text.as_deref().map_or(&bytes[..], str::as_bytes);
    let is_executable = path.metadata().with_context(cannot)?.mode() & 0o111 != 0;
    hash.update([u8::from(is_executable)]);
    hash.update((text.len() as u64).to_le_bytes());
    hash.update(text);
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
        fs::create_dir(folder.join(".git")).unwrap();
        fs::write(folder.join(".git/x"), "x").unwrap();
        assert_eq!(hash(), first);
        let before = || of_engine_before(&EngineSpec::at(&folder).unwrap()).unwrap();
        assert_eq!(before(), None);
        fs::write(folder.join(".book"), "x").unwrap();
        let hidden = hash();
        assert_ne!(hidden, first, "a hidden file is a file");
        assert_eq!(before(), Some(first.clone()));
        fs::write(folder.join(".book"), "y").unwrap();
        assert_ne!(hash(), hidden);
        assert_eq!(before(), Some(first.clone()));
        // The key that leaves it out is no change either.
        let toml = folder.join("engine.toml");
        let text = fs::read_to_string(&toml).unwrap();
        for key in ["learns = [\".book\"]\n", "'learns' = [ # what it learns\n  \"./.book\",\n] # all\n"] {
            fs::write(&toml, format!("{key}{text}")).unwrap();
            assert_eq!((hash(), before()), (first.clone(), None), "{key}");
            fs::write(&toml, format!("{text}{}", key.trim_end())).unwrap();
            assert_eq!((hash(), before()), (first.clone(), None), "{key}");
        }
        fs::write(&toml, text).unwrap();
        fs::remove_file(folder.join(".book")).unwrap();
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
    fn a_shared_program_is_read_once_and_again_after_a_change() {
        let home = tempfile::tempdir().unwrap();
        let program = home.path().join("program");
        fs::write(&program, "one").unwrap();
        let hash = || hex(&begun_with(&program).unwrap().finalize());
        let first = hash();
        std::thread::sleep(SETTLED + Duration::from_secs(1));
        assert_eq!(hash(), first);
        let about = program.metadata().unwrap();
        let is_known = |about: &Metadata| {
            PROGRAMS.lock().unwrap().keys().any(|state| (state.0, state.1) == (about.dev(), about.ino()))
        };
        assert!(is_known(&about));
        fs::write(&program, "two").unwrap();
        assert_ne!(hash(), first);
    }

    #[test]
    fn a_hash_is_the_published_one() {
        assert_eq!(of_bytes(b"abc")[..16], *"ba7816bf8f01cfea");
    }
}
