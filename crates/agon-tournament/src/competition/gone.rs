//! Engines that have withdrawn and have nothing to play any more: they stay entrants of their run,
//! and their programs need not be there.

use std::path::{Path, PathBuf};

use agon_programs::spec::EngineSpec;
use agon_store::Store;
use agon_store::key::Player;

/// An engine that has withdrawn from a run.
#[derive(Clone, Debug)]
pub struct GoneEngine {
    /// As it is stored.
    pub player: Player,
    /// The names of the entrants before it.
    before: Vec<String>,
}

/// Those of the run in this directory, in the order of its plan.
///
/// # Errors
/// The database cannot be read.
pub fn of_run(path: &Path) -> anyhow::Result<Vec<GoneEngine>> {
    if !Store::is_in(path) || Store::seed_in(path)?.is_none() {
        return Ok(Vec::new());
    }
    of_store(&Store::read(path)?)
}

/// Those of the last run in a database, in the order of its plan.
///
/// # Errors
/// The database cannot be read.
pub(crate) fn of_store(store: &Store) -> anyhow::Result<Vec<GoneEngine>> {
    let withdrawn = store.withdrawn()?;
    if withdrawn.is_empty() {
        return Ok(Vec::new());
    }
    let mut gone = Vec::new();
    let mut before = Vec::new();
    for player in store.runs()?.pop().map(|run| run.players).unwrap_or_default() {
        let name = player.name.clone();
        if let Some(made) = withdrawn.of_engine(&name)
            && store.rounds_of(&name)?.is_some_and(|rounds| made.from <= rounds.next)
        {
            gone.push(GoneEngine { player, before: before.clone() });
        }
        before.push(name);
    }
    Ok(gone)
}

/// Those of several runs, each engine once.
///
/// # Errors
/// As [`of_run`].
pub(crate) fn of_runs(paths: &[PathBuf]) -> anyhow::Result<Vec<GoneEngine>> {
    let mut all: Vec<GoneEngine> = Vec::new();
    for path in paths {
        for gone in of_run(path)? {
            if !all.iter().any(|other| other.player.name == gone.player.name) {
                all.push(gone);
            }
        }
    }
    Ok(all)
}

/// The engines with those that are gone, in the order of the plan. Of one that is gone, the program
/// in the folder is of no account.
pub fn with(mut engines: Vec<EngineSpec>, gone: &[GoneEngine]) -> Vec<EngineSpec> {
    engines.retain(|engine| !is_gone(gone, engine));
    let Some(like) = engines.first().cloned() else { return engines };
    for one in gone {
        let at = engines.iter().rposition(|engine| one.before.contains(&engine.name));
        let engine = EngineSpec {
            name: one.player.name.clone(),
            source: PathBuf::from(&one.player.source),
            elsewhere: None,
            ..like.clone()
        };
        engines.insert(at.map_or(0, |at| at + 1), engine);
    }
    engines
}

/// Whether an engine is one of them.
pub fn is_gone(gone: &[GoneEngine], engine: &EngineSpec) -> bool {
    gone.iter().any(|one| one.player.name == engine.name)
}
