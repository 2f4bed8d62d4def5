//! The programs that played under the hashes of a database: kept copies are compared with them.

use std::path::Path;

use agon_printable::clean;
use agon_programs::kept::{self, KeptCopy};
use agon_store::programs::{Plays, ProgramRow, copy_of};
use agon_store::{Store, hash};
use anyhow::Result;

use super::facts::Facts;

/// How many programs that cannot be checked are named.
const NAMED: usize = 10;

/// What was found of the programs.
#[derive(Default)]
pub(super) struct ProgramsFound {
    /// What is wrong, in words.
    pub(super) differences: Vec<String>,
    /// The programs that cannot be checked, in words.
    pub(super) unchecked: Vec<String>,
}

/// Compares the kept copies of the engines of a run with their hashes.
///
/// # Errors
/// The database cannot be read.
pub(super) fn check(store: &Store, facts: &mut Facts) -> Result<ProgramsFound> {
    let mut found = ProgramsFound::default();
    let rows = store.programs()?;
    for row in rows.iter().filter(|row| row.is_entered || row.counts || row.copy.is_some()) {
        match look(store.directory(), row) {
            Ok(()) => facts.proved("programs", 1),
            Err(NotProved::Differs(why)) => found.differences.push(why),
            Err(NotProved::Unknown(why)) => {
                facts.witnessed("programs", 1);
                found.unchecked.push(why);
            }
        }
    }
    let more = found.unchecked.len().saturating_sub(NAMED);
    if more > 0 {
        found.unchecked.truncate(NAMED);
        found
            .unchecked
            .push(format!("{more} more programs cannot be checked; agon status --programs lists all"));
    }
    Ok(found)
}

enum NotProved {
    Differs(String),
    Unknown(String),
}

fn look(directory: &Path, row: &ProgramRow) -> Result<(), NotProved> {
    let name = format!("{}@{}", clean(&row.name), clean(row.hash.get(..8).unwrap_or(&row.hash)));
    let unknown = |why: String| Err(NotProved::Unknown(format!("{name} cannot be checked: {why}")));
    let Some((tree, content)) = &row.copy else {
        return match (&row.plays, &row.looked) {
            (Some(Plays::InPlace(why)), Some(looked)) => {
                let looked = clean(looked);
                unknown(format!("{why}, so it was played where it lies, and last looked at {looked}"))
            }
            _ => unknown("how it was played was not noted".to_owned()),
        };
    };
    let Some(home) = copy_of(directory, tree) else {
        return unknown("its copy is not there any more".to_owned());
    };
    let differs = |why: String| Err(NotProved::Differs(format!("{name}: {}", clean(&why))));
    let engine = match kept::found(&home, row.origin) {
        Ok(engine) => engine,
        Err(error) => return differs(format!("{error:#}")),
    };
    let outside = engine.outside();
    let copy = KeptCopy { home, tree: tree.clone(), engine };
    match (hash::of_copy(&copy), outside) {
        (Ok(now), _) if now == *content => Ok(()),
        (_, Some(program)) => {
            unknown(format!("its files are those that were hashed, but {program} is another program now"))
        }
        (Ok(_), None) => differs("its copy does not have the hash of its contents".to_owned()),
        (Err(error), None) => differs(format!("its copy cannot be read: {error:#}")),
    }
}
