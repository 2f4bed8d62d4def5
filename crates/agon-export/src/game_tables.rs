//! `games.csv` and, for games of more than two seats, `seats.csv` in the directory of a run.

use std::collections::HashSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use agon_record::GameRecord;
use agon_store::{Filter, Store, Stored};
use anyhow::{Context, Result};

use super::atomic;
use super::csv::{Counting, ExtraColumns, GamesCsv, Growing, RowsOfGame};

/// Both tables during a run, or `games.csv` alone.
pub struct GameTables {
    games: Growing,
    seats: Option<Growing>,
}

impl GameTables {
    /// Writes the tables from the database, in the order of the plan, and opens them to append.
    /// Calls `each` with every game.
    ///
    /// # Errors
    /// Errors of the disk, with the name of the file.
    pub fn open(
        folder: &Path,
        seats: usize,
        store: &Store,
        each: impl FnMut(&Stored) -> Result<()>,
    ) -> Result<Self> {
        write(folder, seats, store, each)?;
        let [games, of_seats] = paths(folder);
        let extra = extra(store)?;
        let of_seats = has_seats(seats)
            .then(|| Growing::append(&of_seats, RowsOfGame::EachSeat { extra }))
            .transpose()?;
        Ok(GameTables { games: Growing::append(&games, RowsOfGame::One { seats, extra })?, seats: of_seats })
    }

    /// Adds the rows of a game.
    ///
    /// # Errors
    /// Errors of the disk, with the name of the file.
    pub fn put(&mut self, record: &GameRecord, counting: Counting) -> Result<()> {
        if let Some(seats) = &mut self.seats {
            seats.put(record, counting).context("cannot write seats.csv")?;
        }
        self.games.put(record, counting).context("cannot write games.csv")
    }

    /// Syncs the files to the disk.
    ///
    /// # Errors
    /// Errors of the disk, with the name of the file.
    pub fn sync(&self) -> Result<()> {
        self.seats.as_ref().map_or(Ok(()), Growing::sync).context("cannot write seats.csv")?;
        self.games.sync().context("cannot write games.csv")
    }
}

/// Writes the whole tables, in the order of the plan, and calls `each` with every game. After an
/// error both are as they were.
///
/// # Errors
/// Errors of the disk, with the name of the file; or a game has another number of seats.
pub fn write(
    folder: &Path,
    seats: usize,
    store: &Store,
    mut each: impl FnMut(&Stored) -> Result<()>,
) -> Result<()> {
    let [games, of_seats] = paths(folder);
    let extra = extra(store)?;
    let repeats = store.repeated_ids()?;
    let stage = store.stage()?.map(|(_, derived)| derived.groups());
    let play_offs: HashSet<u32> = stage.into_iter().flat_map(|groups| groups.play_offs).collect();
    let mut fill = |to_games: &mut dyn Write, to_seats: Option<&mut dyn Write>| -> Result<()> {
        let mut rows = GamesCsv::new(to_games, RowsOfGame::One { seats, extra })?;
        let mut seat_rows =
            to_seats.map(|to| GamesCsv::new(to, RowsOfGame::EachSeat { extra })).transpose()?;
        store.games(&Filter::default(), |stored| {
            each(&stored)?;
            let record = &stored.record;
            let counting = if repeats.contains(&record.id) {
                Counting::Repeat
            } else if play_offs.contains(&record.id.pairing) {
                Counting::PlayOff
            } else {
                Counting::Yes
            };
            rows.put(record, counting)?;
            seat_rows.as_mut().map_or(Ok(()), |rows| rows.put(record, counting))
        })?;
        seat_rows.as_mut().map_or(Ok(()), GamesCsv::flush)?;
        rows.flush()
    };
    if !has_seats(seats) {
        atomic::write(&games, |to| fill(to, None))?;
        return forget_seats(&of_seats).with_context(|| format!("cannot remove {}", of_seats.display()));
    }
    atomic::write(&games, |to| atomic::write(&of_seats, |to_seats| fill(to, Some(to_seats))))
}

/// The columns at the end that the games of this database need.
fn extra(store: &Store) -> Result<ExtraColumns> {
    Ok(ExtraColumns { elsewhere: store.has_elsewhere()?, decisions: store.has_decisions()? })
}

/// With two seats, `games.csv` says the same.
fn has_seats(seats: usize) -> bool {
    seats > 2
}

fn paths(folder: &Path) -> [PathBuf; 2] {
    ["games.csv", "seats.csv"].map(|name| folder.join(name))
}

/// Removes the table of a run of more seats that was in this directory before. Another file of this
/// name stays.
fn forget_seats(path: &Path) -> std::io::Result<()> {
    let head = RowsOfGame::EachSeat { extra: ExtraColumns::default() }.head().join(",");
    match fs::read(path) {
        Ok(bytes) if bytes.starts_with(head.as_bytes()) => fs::remove_file(path),
        _ => Ok(()),
    }
}
