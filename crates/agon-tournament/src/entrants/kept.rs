//! An engine by its name and hash, `NAME@HASH`, from the kept copies of a run; or a program at a
//! path, `PATH@HASH`, if it still has this hash.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use agon_config::Misuse;
use agon_printable::escape;
use agon_programs::kept;
use agon_programs::known_copy::KnownCopy;
use agon_programs::program::display_path;
use agon_programs::spec::EngineSpec;
use agon_store::programs::{Plays, ProgramRow, copy_of};
use agon_store::{Store, hash};

use crate::run::name_by_hash;

/// The fewest digits of a hash that are taken for one.
const FEWEST: usize = 4;
/// How many digits stand in the name of the engine.
const SHOWN: usize = 8;

/// A name, and the start of a hash behind `@`. Without a name it is any engine of this hash.
struct NameAtHash<'a> {
    name: &'a [u8],
    hash: String,
}

/// Reads the last part of a path as `NAME@HASH`.
fn read(path: &Path) -> Option<NameAtHash<'_>> {
    let bytes = path.file_name()?.as_bytes();
    let at = bytes.iter().rposition(|byte| *byte == b'@')?;
    let hash = std::str::from_utf8(&bytes[at + 1..]).ok()?;
    let is_hash = (FEWEST..=64).contains(&hash.len()) && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| NameAtHash { name: &bytes[..at], hash: hash.to_ascii_lowercase() })
}

/// Whether a path is written as `NAME@HASH`.
pub(super) fn is_name_at_hash(path: &Path) -> bool {
    read(path).is_some()
}

/// The engine that `NAME@HASH` names, from the run in the directory before it, or else in
/// `results`. With a directory before it that holds no such engine, it is the program there of this
/// name, which must have this hash. `None` if the path is not written like this, or something lies
/// there.
///
/// # Errors
/// [`Misuse`]: there is no such engine, there are several, or its copy is gone or has changed.
pub(super) fn named(path: &Path, results: &Path) -> Option<anyhow::Result<EngineSpec>> {
    let wanted = read(path).filter(|_| path.symlink_metadata().is_err())?;
    let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) else {
        return Some(find(&wanted, results));
    };
    let there = parent.join(OsStr::from_bytes(wanted.name));
    if wanted.name.is_empty() || !there.exists() {
        return Some(find(&wanted, parent));
    }
    Some(still(&there, &wanted).and_then(|own| match own {
        Ok(engine) => Ok(engine),
        Err(changed) => match find(&wanted, parent) {
            Err(_) if !holds_runs(parent) => Err(changed.into()),
            found => found,
        },
    }))
}

/// The version of an engine with this whole hash that the run in a directory has kept, or that
/// still lies where it was. It is called `NAME@HASH`.
///
/// # Errors
/// [`Misuse`]: it was not kept, or its copy is gone or has changed.
pub fn version(run: &Path, name: &str, hash: &str) -> anyhow::Result<EngineSpec> {
    find(&NameAtHash { name: name.as_bytes(), hash: hash.to_owned() }, run)
}

/// The file that stands for the stored dictionary of a run: `dictionary@HASH`.
const DICTIONARY: &str = "dictionary";

/// The path of a dictionary that the run in the working directory has stored.
pub(crate) fn stored_dictionary(hash: &str) -> PathBuf {
    format!("{DICTIONARY}@{}", hash.get(..2 * SHOWN).unwrap_or(hash)).into()
}

/// The dictionary that `DIR/dictionary@HASH` names: the one of this hash, which the run in the
/// directory has stored. `None` if the path is not written like this, or something lies there.
///
/// # Errors
/// [`Misuse`]: there is no run, or it has no such dictionary; errors of the database.
pub fn dictionary(path: &Path) -> Option<anyhow::Result<Vec<u8>>> {
    let wanted = read(path).filter(|wanted| wanted.name == DICTIONARY.as_bytes())?;
    if path.symlink_metadata().is_ok() {
        return None;
    }
    let run = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Some(dictionary_in(run, &wanted.hash))
}

fn dictionary_in(run: &Path, wanted: &str) -> anyhow::Result<Vec<u8>> {
    for place in if Store::is_in(run) { vec![run.to_owned()] } else { Store::below(run) } {
        let found = Store::read(&place)?.supply_of(DICTIONARY, wanted)?;
        if let Some(words) = found {
            return Ok(words);
        }
    }
    Err(Misuse::hinted(
        format!(
            "{DICTIONARY}@{wanted}: no run in {} has stored a dictionary of this hash",
            display_path(run)
        ),
        "name the directory of the run, as in results/dictionary@HASH, or a file",
    ))
}

/// Whether a directory has a run in it.
fn holds_runs(directory: &Path) -> bool {
    Store::is_in(directory) || !Store::below(directory).is_empty()
}

/// The program at a path if it has this hash, or that it has another one.
fn still(path: &Path, wanted: &NameAtHash<'_>) -> anyhow::Result<Result<EngineSpec, Misuse>> {
    let engine = EngineSpec::at(path).map_err(super::misuse)?;
    let now = hash::of_engine(&engine)?;
    let is_same = now.starts_with(&wanted.hash)
        || hash::of_engine_before(&engine)?.is_some_and(|before| before.starts_with(&wanted.hash));
    Ok(if is_same {
        Ok(engine)
    } else {
        let (shown, now) = (display_path(path), now.get(..wanted.hash.len()).unwrap_or(&now).to_owned());
        Err(Misuse {
            what: format!("{shown}: the program has changed: its hash is {now}, and not {}", wanted.hash),
            hint: Some(format!("give {shown} to play with the program as it is now")),
        })
    })
}

/// Where an engine of a run was found, if it is still the program that it was then.
fn where_found(run: &Path, row: &ProgramRow) -> Option<EngineSpec> {
    let source = Store::read(run).ok()?.source_of(&row.name, &row.hash).ok()??;
    let wanted = NameAtHash { name: row.name.as_bytes(), hash: row.hash.clone() };
    still(Path::new(&source), &wanted).ok()?.ok()
}

fn find(wanted: &NameAtHash<'_>, run: &Path) -> anyhow::Result<EngineSpec> {
    let given = format!("{}@{}", escape(wanted.name, 60), wanted.hash);
    let mut all: Vec<(PathBuf, ProgramRow)> = Vec::new();
    for place in if Store::is_in(run) { vec![run.to_owned()] } else { Store::below(run) } {
        for row in Store::read(&place)?.programs()? {
            let of_name = wanted.name.is_empty() || row.name.as_bytes() == wanted.name;
            if of_name && !all.iter().any(|(_, other)| other.hash == row.hash && other.copy.is_some()) {
                all.retain(|(_, other)| other.hash != row.hash);
                all.push((place.clone(), row));
            }
        }
    }
    let shown = display_path(run);
    if !holds_runs(run) {
        return Err(Misuse::hinted(
            format!("{given}: there is no run in {shown}"),
            "name the directory of its run, as in results/NAME@HASH; agon status --programs lists its engines",
        ));
    }
    if all.is_empty() {
        return Err(Misuse::hinted(
            format!("{given}: there is no engine {} in {shown}", escape(wanted.name, 60)),
            "name the directory of its run, as in results/NAME@HASH; agon status --programs lists its engines",
        ));
    }
    let mut fit = all.iter().filter(|(_, row)| row.hash.starts_with(&wanted.hash));
    let listed = |rows: &mut dyn Iterator<Item = &(PathBuf, ProgramRow)>| {
        let names =
            rows.map(|(_, row)| format!("{}@{}", row.name, row.hash.get(..SHOWN + 4).unwrap_or(&row.hash)));
        names.collect::<Vec<_>>().join(", ")
    };
    let (place, row) = match (fit.next(), fit.next()) {
        (Some(only), None) => only,
        (None, _) => {
            let hint = format!("write one of {}", listed(&mut all.iter()));
            return Err(Misuse::hinted(format!("{given}: no program in {shown} has this hash"), hint));
        }
        (Some(_), Some(_)) => {
            let mut fit = all.iter().filter(|(_, row)| row.hash.starts_with(&wanted.hash));
            let hint = format!("write more digits: {}", listed(&mut fit));
            return Err(Misuse::hinted(
                format!("{given}: several programs in {shown} have such a hash"),
                hint,
            ));
        }
    };
    let gone = match &row.copy {
        Some((tree, _)) => copy_of(place, tree).is_none(),
        None => true,
    };
    // What was not kept, or not any more, may still be where it was.
    let name = name_by_hash(&row.name, &row.hash);
    if gone && let Some(engine) = where_found(place, row) {
        return Ok(EngineSpec { name, ..engine });
    }
    let Some((tree, _)) = &row.copy else {
        let why = match &row.plays {
            Some(Plays::InPlace(why)) => format!("it was played where it lies: {why}"),
            _ => "it is of a run that kept none".to_owned(),
        };
        let source = Store::read(place)?.source_of(&row.name, &row.hash)?;
        let now = match source.filter(|source| Path::new(source).exists()) {
            Some(source) => format!("the program of {} is another one now", display_path(Path::new(&source))),
            None => "it is not there any more".to_owned(),
        };
        return Err(Misuse::hinted(
            format!("{given}: no copy of it was kept, because {why}; and {now}"),
            "give the path of the engine; a version is kept if its program lies in its own folder (docs/store.md)",
        ));
    };
    let Some(home) = copy_of(place, tree) else {
        return Err(Misuse::hinted(
            format!("{given}: its kept copy is not in {shown} any more, and the program is another one now"),
            "give the path of the engine; agon prune removes copies that no counting game uses",
        ));
    };
    let engine = kept::found(&home, row.origin).map_err(|error| {
        Misuse::hinted(format!("{given}: {error:#}"), "give the path of the engine; agon verify tells more")
    })?;
    Ok(EngineSpec {
        name,
        // It is built, and a build would be another program.
        build: None,
        copy: Some(KnownCopy { home, tree: tree.clone(), hash: row.hash.clone() }.into()),
        ..engine
    })
}
