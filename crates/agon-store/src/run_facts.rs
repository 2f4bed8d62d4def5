//! What the rows of runs and engines say twice: how a run ended and which games were stored by
//! then, and the hashes of a program.

use anyhow::Result;
use rusqlite::Connection;

use super::has_table;
use super::programs::KEPT;
use super::until::{self, GAMES_OF_A_PAIRING};

/// The outcome of a run whose games have new numbers, while its files have the old ones.
pub(super) const RENUMBERED: &str = "renumbered";

/// How a run has ended, as its row says it.
struct RunEnd {
    run: i64,
    outcome: Option<String>,
    is_finished: bool,
    ended_after: Option<i64>,
    games: u32,
}

/// What agon never writes into the rows of runs and of the hashes of engines, in words.
pub(super) fn differences(db: &Connection) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let mut rows = db.prepare(
        "SELECT number, outcome, finished IS NOT NULL, ended_after, games FROM run ORDER BY number",
    )?;
    let rows = rows.query_map([], |row| {
        Ok(RunEnd {
            run: row.get(0)?,
            outcome: row.get(1)?,
            is_finished: row.get(2)?,
            ended_after: row.get(3)?,
            games: row.get(4)?,
        })
    })?;
    for row in rows {
        let row = row?;
        let of = format!("run {}", row.run);
        found.extend(of_outcome(&row).map(|why| format!("{of}: {why}")));
        found.extend(of_last_game(db, &row)?.map(|why| format!("{of}: {why}")));
        // One without a question may have been played when runs had none; see `lacks_question`.
        if row.games != GAMES_OF_A_PAIRING && until::of_run(db, row.run)?.is_some() {
            found.push(format!("{of}: it is played for a question, and has {} games a pairing", row.games));
        }
    }
    found.extend(of_places(db)?);
    found.extend(of_programs(db)?);
    found.extend(of_whole_hashes(db)?);
    Ok(found)
}

/// A run that is done names its last game and when it ended, and one that was stopped has not.
fn of_outcome(row: &RunEnd) -> Option<String> {
    let RunEnd { outcome, is_finished, ended_after, .. } = row;
    match outcome.as_deref() {
        // That its last game is missing is found with its standings.
        Some("done") if !is_finished => Some("it is done, but does not say when it ended".to_owned()),
        Some("done") => None,
        Some("stopped") if !is_finished => Some("it was stopped, but does not say when".to_owned()),
        Some(word @ ("stopped" | RENUMBERED)) => ended_after
            .map(|last| format!("its outcome is {word}, but it says that it was done after game {last}")),
        Some(word) => Some(format!("its outcome is {word:?}, which no run has")),
        None if *is_finished && ended_after.is_some() => {
            Some("it has no outcome, but says when it was done".to_owned())
        }
        None => None,
    }
}

/// When a run is done, the games that count by then are in the chain. No other game of the run
/// comes later, and none of a later run before.
fn of_last_game(db: &Connection, row: &RunEnd) -> Result<Option<String>> {
    let Some(last) = row.ended_after.filter(|last| *last > 0) else { return Ok(None) };
    let is_there = |sql: &str| -> rusqlite::Result<bool> {
        db.prepare_cached(sql)?.query_row([last, row.run], |row| row.get(0))
    };
    let in_chain = is_there("SELECT EXISTS (SELECT 1 FROM selection WHERE after = ?1 AND ?2 > 0)")?;
    if !in_chain {
        return Ok(Some(format!("it says that it was done after game {last}, and the chain does not")));
    }
    let is_done = row.outcome.as_deref() == Some("done");
    if is_done && is_there("SELECT EXISTS (SELECT 1 FROM game WHERE number > ?1 AND run = ?2)")? {
        return Ok(Some(format!("it says that it was done after game {last}, and it has later games")));
    }
    if is_there("SELECT EXISTS (SELECT 1 FROM game WHERE number <= ?1 AND run > ?2)")? {
        return Ok(Some(format!("it says that it was done after game {last}, which a later run has played")));
    }
    Ok(None)
}

/// The entrants of a run have the places from 0 on.
fn of_places(db: &Connection) -> Result<Vec<String>> {
    let sql = "SELECT run FROM entrant GROUP BY run HAVING min(place) <> 0 OR max(place) <> count(*) - 1";
    let mut rows = db.prepare(sql)?;
    let rows = rows.query_map([], |row| row.get::<_, i64>(0))?;
    rows.map(|run| Ok(format!("run {}: its engines are not numbered from 0", run?))).collect()
}

/// A kept copy has a folder and a hash.
fn of_programs(db: &Connection) -> Result<Vec<String>> {
    if !has_table(db, "program")? {
        return Ok(Vec::new());
    }
    let sql = "SELECT name FROM engine JOIN program ON engine = id \
               WHERE (tree IS NULL) <> (content IS NULL) OR how = ?1 AND tree IS NULL ORDER BY id";
    let mut rows = db.prepare(sql)?;
    let rows = rows.query_map([KEPT], |row| row.get::<_, String>(0))?;
    rows.map(|name| Ok(format!("{}: its kept copy lacks its folder or its hash", name?))).collect()
}

/// An engine whose hash is that of its kept copy has that hash with all its files too.
fn of_whole_hashes(db: &Connection) -> Result<Vec<String>> {
    if !has_table(db, "whole")? || !has_table(db, "program")? {
        return Ok(Vec::new());
    }
    let sql = "SELECT name FROM engine JOIN whole ON whole.engine = id JOIN program ON program.engine = id \
               WHERE engine.hash = program.content AND whole.hash <> engine.hash ORDER BY id";
    let mut rows = db.prepare(sql)?;
    let rows = rows.query_map([], |row| row.get::<_, String>(0))?;
    rows.map(|name| Ok(format!("{}: its hash with all its files is not that of its kept copy", name?)))
        .collect()
}
