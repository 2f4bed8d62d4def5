//! The files of a stage or a night that is over, if they could not be written.

use std::fs;
use std::path::Path;

use agon_export::{csv, directory};
use agon_store::{Store, lock};

/// The standings of a run, or of all time controls.
pub(super) const STANDINGS: &str = "standings.csv";

/// Writes the files of a stage or a night that is over, if its standings are others than in its
/// table: they could not be written when something was decided, or decisions came with a merge.
pub(super) fn repair(path: &Path) -> anyhow::Result<()> {
    let store = Store::read(path)?;
    let (Some(run), None) = (store.runs()?.pop(), lock::holder(path)?) else { return Ok(()) };
    let standings = store.standings(run.points)?;
    let mut wanted = Vec::new();
    csv::standings(&standings.table(), &mut wanted)?;
    if fs::read(path.join(STANDINGS)).is_ok_and(|there| there == wanted) {
        return Ok(());
    }
    directory::refresh(&store, &run.event, &standings, 0)
}
