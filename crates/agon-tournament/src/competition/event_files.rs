//! The files of a run, and of the cup, the league or the time controls that it is a part of, after
//! the organiser has decided something.

use std::path::Path;

use agon_export::directory;
use agon_programs::program::display_path;
use agon_standings::Standings;
use agon_store::Store;
use anyhow::Context;

use super::looked::{self, LookedRun};
use super::repaired::STANDINGS;
use super::{cup_files, league};

/// Writes all files anew that follow from the results of a run, as far as they are there: its own
/// tables, with the texts of the games of one round, and those of what it is a part of. Returns
/// what is to be said of a file that could not be written.
///
/// # Errors
/// A database cannot be read, or a file cannot be written.
pub fn refresh(run: &LookedRun, round: u32) -> anyhow::Result<Option<String>> {
    write(run, round).context(
        "it is stored and counts, but not all files that follow from it could be written; \
         agon tournament with the same options writes them",
    )
}

fn write(looked: &LookedRun, round: u32) -> anyhow::Result<Option<String>> {
    let store = Store::read(&looked.path)?;
    // An imported run has no tables.
    let Some(run) = store.runs()?.pop() else { return Ok(None) };
    directory::refresh(&store, &run.event, &store.standings(run.points)?, round)?;
    // A cup of one stage has no directory of its own.
    if let Some(stage) = store.stage()? {
        cup_files::refresh(&looked.path, &[&stage])?;
    }
    drop(store);
    let Some(root) = looked.path.parent() else { return Ok(None) };
    if looked.number.is_none() {
        return of_controls(root).map(|()| None);
    }
    let stages = looked::stages(root)?;
    if !looked.is_night() {
        return cup_files::refresh(root, &stages.iter().collect::<Vec<_>>()).map(|()| None);
    }
    let is_written = league::refresh(root, stages)?;
    Ok((!is_written).then(|| {
        let table = display_path(&root.join(league::TABLE));
        format!("{table} is as it was before; agon tournament with the same options writes it anew\n")
    }))
}

/// The tables of all time controls together.
fn of_controls(root: &Path) -> anyhow::Result<()> {
    let runs = Store::below(root);
    let is_control = |path: &Path| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| agon_seats::TimeControl::of_directory_name(name).is_some())
    };
    let is_there = [STANDINGS, "crosstable.csv", "ratings.csv"].iter().any(|name| root.join(name).is_file());
    if runs.len() < 2 || !is_there || !runs.iter().all(|path| is_control(path)) {
        return Ok(());
    }
    let mut together: Option<Standings> = None;
    for path in runs {
        let store = Store::read(&path)?;
        let own = store.standings(store.points()?)?;
        match &mut together {
            Some(all) => all.include(&own),
            None => together = Some(own),
        }
    }
    together.map_or(Ok(()), |all| directory::tables(root, &all))
}
