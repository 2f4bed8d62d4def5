//! A tournament whose tables follow from results: a Swiss with more than two seats. It is played
//! round by round, and each round is drawn from the games that count.

use std::path::Path;

use agon_config::Part;
use agon_standings::pairings::PlannedGame;
use agon_standings::table_plan::TableFormat;
use agon_standings::tables::swiss_rounds;
use agon_store::{Drawn, Store};

use crate::run::{Done, Run};

use super::part_rounds;
use super::run_dir::RunDir;
use super::session::{RunWatch, Session};

/// The number of rounds, if the run is a Swiss by tables.
fn rounds(run: &Run) -> Option<u32> {
    match run.tables.format {
        TableFormat::Swiss { rounds } => Some(rounds),
        TableFormat::All | TableFormat::Random { .. } => None,
    }
}

fn names(run: &Run) -> Vec<&str> {
    run.entrants.iter().map(|engine| engine.name.as_str()).collect()
}

/// The tables to begin with, if the run is a Swiss: those that its directory has drawn for these
/// engines, or the first round.
///
/// # Errors
/// There are too few engines, or errors of the database.
pub(crate) fn drawn_before(run: &Run, directory: &Path, games: u32) -> anyhow::Result<Option<Drawn>> {
    if rounds(run).is_none() {
        return Ok(None);
    }
    let names = names(run);
    if Store::is_in(directory) && Store::seed_in(directory)?.is_some() {
        let last = Store::read(directory)?.runs()?.pop();
        let same = last.filter(|last| last.players.iter().map(|player| &player.name).eq(&names));
        if let Some(drawn @ Drawn::Tables(_)) = same.and_then(|last| last.drawn) {
            return Ok(Some(drawn));
        }
    }
    run.count(names.len(), games)?;
    Ok(Some(Drawn::Tables(swiss_rounds(names.len(), run.tables.seats, 1, |_| None)?)))
}

/// Plays the rounds, until all are over or one of them is not. `reopen` begins the run in its
/// directory with other tables. A part plays its share alone. Returns the directory as it is then.
///
/// # Errors
/// As those of [`Session::play`] and of `reopen`.
pub fn play(
    session: &mut Session<'_>,
    run: &Run,
    games: u32,
    mut drawn: Drawn,
    mut directory: RunDir,
    part: Option<Part>,
    reopen: impl Fn(&Session<'_>, &Drawn) -> anyhow::Result<RunDir>,
) -> anyhow::Result<(Done, RunDir)> {
    let names = names(run);
    let whole = run.count(names.len(), games)?;
    let rounds = rounds(run).unwrap_or_default();
    let mut announced = false;
    let mut played: Option<Done> = None;
    loop {
        // Games of an engine that has changed count no longer, and later rounds depend on them.
        let tables = directory.store.swiss_tables(&names, run.tables.seats, rounds, games, run.points)?;
        let next = Drawn::Tables(tables);
        if next != drawn {
            (drawn, played) = (next, None);
            let changes = std::mem::take(&mut directory.beginning.changes);
            let history = directory.beginning.history;
            // It holds the lock.
            drop(directory);
            directory = reopen(session, &drawn)?;
            if !announced {
                directory.beginning.changes = changes;
                directory.beginning.history += history;
            }
            continue;
        }
        // Nothing more can be drawn after these games.
        if let Some(done) = played {
            part.iter()
                .filter(|_| !session.is_dry())
                .for_each(|part| session.say(&part_rounds::said_at_the_end(*part)));
            return Ok((done, directory));
        }
        let plan = || drawn.games(&names, games, run.seed).expect("the tables are those of these engines");
        let total = part.map_or(whole, |part| directory.count_of(part, plan()));
        if !announced {
            let title = part.map(|part| format!("{part}: ")).unwrap_or_default();
            session.announce(&title, run, total, run.seed, &directory)?;
            announced = true;
        }
        let keys = directory.keys.clone();
        let is_own = |game: &PlannedGame| part.is_none_or(|part| part.has(keys.of_pair(game)));
        let watch = RunWatch { progress: Some(games), ..RunWatch::default() };
        let done = session.play(run, Some(&mut directory), plan().filter(is_own), total, watch)?;
        // A table with void games does not end; the next invocation plays them again.
        if done.stopped || !done.void.is_empty() {
            return Ok((done, directory));
        }
        played = Some(done);
    }
}
