//! The kept copies of the programs of a part, which go along with its games.

use std::path::Path;

use agon_printable::clean;
use agon_programs::kept::{self, FOLDER};
use agon_programs::program::display_path;
use agon_store::Store;
use agon_store::programs::{ProgramRow, copy_of};
use anyhow::Context;

/// What became of the copies of a part.
#[derive(Default)]
pub(crate) struct TakenPrograms {
    /// Engines whose copies are not in the part any more.
    pub(crate) missing: Vec<String>,
    /// Copies that were not taken over, with the reason.
    pub(crate) left_out: Vec<String>,
}

/// Notes how the programs of a part were played, and copies its kept copies to the run in
/// `directory`, except those that are there. The run is that of the tournament in `root`, or one of
/// its stages.
///
/// # Errors
/// Errors of a database.
pub(crate) fn take_over(part: &Path, directory: &Path, root: &Path) -> anyhow::Result<TakenPrograms> {
    let rows = Store::read(part)?.programs()?;
    let mut to = Store::open(directory)?;
    let own = to.programs()?;
    let is_here = |row: &ProgramRow| own.iter().any(|here| here.name == row.name && here.hash == row.hash);
    let rows: Vec<ProgramRow> = rows.into_iter().filter(|row| row.plays.is_some() && is_here(row)).collect();
    if rows.is_empty() {
        return Ok(TakenPrograms::default());
    }
    to.take_programs(&rows)?;
    let folder = kept::shared(root).unwrap_or_else(|| root.join(FOLDER));
    let mut taken = TakenPrograms::default();
    for row in &rows {
        let Some((tree, _)) = &row.copy else { continue };
        let is_whole = |home: &Path| kept::differences(home).is_ok_and(|found| found.is_empty());
        if copy_of(directory, tree).is_some_and(|home| is_whole(&home)) {
            continue;
        }
        let Some(home) = copy_of(part, tree) else {
            taken.missing.push(clean(&row.name));
            continue;
        };
        let shown = display_path(&home);
        if let Err(why) = kept::copy_to(&home, &folder).with_context(|| format!("cannot copy {shown}")) {
            taken.left_out.push(clean(&format!("the program of {}: {why:#}", row.name)));
        }
    }
    Ok(taken)
}
