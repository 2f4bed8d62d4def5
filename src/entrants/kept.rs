//! An engine by its name and hash, `NAME@HASH`, from the kept copies of a run.

use std::path::{Path, PathBuf};

use agon_printable::escape;

use crate::config::Misuse;
use crate::engine::kept;
use crate::engine::known_copy::KnownCopy;
use crate::engine::program::display_path;
use crate::engine::spec::EngineSpec;
use crate::store::Store;
use crate::store::programs::{Plays, ProgramRow, copy_of};

/// The fewest digits of a hash that are taken for one.
const FEWEST: usize = 4;
/// How many digits stand in the name of the engine.
const SHOWN: usize = 8;

/// A name, and the start of a hash behind `@`.
struct NameAtHash<'a> {
    name: &'a str,
    hash: String,
}

/// Reads the last part of a path as `NAME@HASH`.
fn read(path: &Path) -> Option<NameAtHash<'_>> {
    let (name, hash) = path.file_name()?.to_str()?.rsplit_once('@')?;
    let is_hash = (FEWEST..=64).contains(&hash.len()) && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_hash && !name.is_empty()).then(|| NameAtHash { name, hash: hash.to_ascii_lowercase() })
}

/// The engine that `NAME@HASH` names, from the run in the directory before it, or else in
/// `results`. `None` if the path is not written like this, or something lies there.
///
/// # Errors
/// [`Misuse`]: there is no such engine, there are several, or its copy is gone or has changed.
pub(super) fn named(path: &Path, results: &Path) -> Option<anyhow::Result<EngineSpec>> {
    let wanted = read(path).filter(|_| path.symlink_metadata().is_err())?;
    let run = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(results);
    Some(find(&wanted, run))
}

fn find(wanted: &NameAtHash<'_>, run: &Path) -> anyhow::Result<EngineSpec> {
    let given = format!("{}@{}", escape(wanted.name.as_bytes(), 60), wanted.hash);
    let mut all: Vec<(PathBuf, ProgramRow)> = Vec::new();
    for place in if Store::is_in(run) { vec![run.to_owned()] } else { Store::below(run) } {
        for row in Store::read(&place)?.programs()? {
            let of_name = row.name == wanted.name;
            if of_name && !all.iter().any(|(_, other)| other.hash == row.hash && other.copy.is_some()) {
                all.retain(|(_, other)| other.hash != row.hash);
                all.push((place.clone(), row));
            }
        }
    }
    let shown = display_path(run);
    if all.is_empty() {
        return Err(Misuse::hinted(
            format!("{given}: there is no engine {} in {shown}", escape(wanted.name.as_bytes(), 60)),
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
    let Some((tree, _)) = &row.copy else {
        let why = match &row.plays {
            Some(Plays::InPlace(why)) => format!("it was played where it lies: {why}"),
            _ => "it is of a run that kept none".to_owned(),
        };
        return Err(Misuse::hinted(
            format!("{given}: no copy of it was kept, because {why}"),
            "give the path of the engine; what is kept is in docs/store.md",
        ));
    };
    let Some(home) = copy_of(place, tree) else {
        return Err(Misuse::hinted(
            format!("{given}: its kept copy is not in {shown} any more"),
            "give the path of the engine; agon prune removes copies that no counting game uses",
        ));
    };
    let engine = kept::found(&home, row.origin).map_err(|error| {
        Misuse::hinted(format!("{given}: {error:#}"), "give the path of the engine; agon verify tells more")
    })?;
    Ok(EngineSpec {
        name: format!("{}@{}", row.name, row.hash.get(..SHOWN).unwrap_or(&row.hash)),
        // It is built, and a build would be another program.
        build: None,
        copy: Some(KnownCopy { home, tree: tree.clone(), hash: row.hash.clone() }.into()),
        ..engine
    })
}
