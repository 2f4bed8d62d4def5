//! The begin of a run: what changed since the run before, and which of its games count already.

use std::collections::{BTreeMap, BTreeSet};

use agon_config::Misuse;
use agon_match::processes::load;
use agon_printable::escape;
use agon_programs::program::display_path;
use agon_standings::pairings::PlannedGame;
use anyhow::{Context, Result};
use chrono::{DateTime, SecondsFormat, Utc};
use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::changes::{Entered, MissingPairings, RunBefore, Selected, changes};
use super::consent::{Consent, WouldBeHistory, asked_about};
use super::drawn::Drawn;
use super::key::{GameConditions, Keys, Player};
use super::plan::{Plan, PlayedKeys};
use super::ranking;
use super::rulings::Rulings;
use super::run_facts::RENUMBERED;
use super::{Store, chain, event, hash, labels, tested, until};

/// What a run finds when it begins.
pub struct RunStart {
    /// Its number in the history.
    pub run: i64,
    /// The games of the plan that have been played.
    pub played: PlayedKeys,
    /// What has changed since the run before, in words; empty if nothing has.
    pub changes: Vec<String>,
    /// How many games counted before and are history now.
    pub history: u64,
    /// Whether games have new numbers, so that the files named by the old ones are of other games.
    pub renumbered: bool,
}

/// The run to which games are added.
pub(super) struct Current {
    pub(super) number: i64,
    pub(super) keys: Keys,
    /// The engine at each place of the plan.
    pub(super) engines: Vec<i64>,
    /// Their hashes.
    pub(super) hashes: Vec<String>,
}

/// The programs of engines that lie outside of their folders, such as interpreters. The table is
/// made when a run first needs it, so that databases without it keep their version.
pub(super) const OUTSIDE: &str = "CREATE TABLE IF NOT EXISTS outside (
    engine    INTEGER PRIMARY KEY REFERENCES engine,
    program   TEXT NOT NULL
) STRICT";

impl Store {
    /// Makes this plan the current run, or a new one if engines or conditions have changed. Games
    /// that fit the plan count, whenever they were played. All others are history; they count again
    /// when their engines and conditions come back, so a mistake in an option loses nothing.
    ///
    /// # Errors
    /// [`WouldBeHistory`] if games would be history for a change that `consent` does not include;
    /// then nothing has changed. Otherwise errors of the database.
    ///
    /// What a plan has drawn may grow with each call; a game that it does not have is history.
    pub fn begin(&mut self, plan: &Plan<'_>, consent: Consent) -> Result<RunStart> {
        let path = self.path.clone();
        self.begin_run(plan, consent).with_context(|| format!("cannot go on with {}", display_path(&path)))
    }

    fn begin_run(&mut self, plan: &Plan<'_>, consent: Consent) -> Result<RunStart> {
        refuse_twins(plan.players)?;
        let keys = Keys::new(plan.terms, plan.players);
        let before = self.before()?;
        let reasons = before.as_ref().map(|before| asked_about(before, plan, consent)).unwrap_or_default();
        let same = before.as_ref().filter(|before| before.is_of(plan));
        let change = self.db.transaction()?;
        let engines = engines(&change, plan.players)?;
        note_outside(&change, &engines, plan.players)?;
        // A Swiss stores its byes again.
        change.execute("DELETE FROM swiss", [])?;
        for supply in plan.supplies {
            change.execute(
                "INSERT OR IGNORE INTO supply (hash, name, bytes) VALUES (?1, ?2, ?3)",
                params![hash::of_bytes(&supply.bytes), supply.name, supply.bytes.as_slice()],
            )?;
        }
        let Begun { run, history, renumbered, selected } = match same {
            Some(before) => continued(&change, plan, &keys, before)?,
            None => new_run(&change, plan, &keys, &engines)?,
        };
        if history > 0 && !reasons.is_empty() {
            // The transaction, which is dropped, leaves everything as it was.
            return Err(WouldBeHistory { games: history, reasons }.into());
        }
        change.execute(
            "UPDATE run SET matches = ?2 WHERE number = ?1",
            params![run, plan.drawn.and_then(Drawn::written).transpose()?],
        )?;
        ranking::put(&change, run, plan.ranking)?;
        tested::put(&change, run, plan.test)?;
        until::put(&change, run, plan.until.as_ref())?;
        if let Some(label) = plan.label {
            labels::put(&change, run, label)?;
        }
        if let Some(event) = plan.of_event {
            event::put(&change, run, event)?;
        }
        let played = PlayedKeys::of(&change)?;
        let head = chain::select(&change)?;
        change.commit()?;
        self.head = Some(head);
        let changes = match &before {
            Some(before) if same.is_none() => {
                changes(before, &MissingPairings::new(plan, &keys, &played, &selected))
            }
            _ => Vec::new(),
        };
        let is_done = before.is_some_and(|before| before.finished);
        let changes = match changes[..] {
            [] if is_done => vec!["nothing has changed since the last run was done".to_owned()],
            _ => changes,
        };
        let hashes = plan.players.iter().map(|player| player.hash.clone()).collect();
        self.run = Some(Current { number: run, keys, engines, hashes });
        Ok(RunStart { run, played, changes, history, renumbered })
    }

    /// Notes that all files have the numbers of the current run.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn files_are_numbered(&self) -> Result<()> {
        let run = self.run.as_ref().expect("a run has begun before its files are there");
        self.db
            .execute("UPDATE run SET outcome = NULL WHERE number = ?1", [run.number])
            .with_context(|| format!("cannot write {}", display_path(&self.path)))
            .map(|_| ())
    }

    /// The conditions of the last run; `None` without a run.
    ///
    /// # Errors
    /// Errors of the database.
    pub(crate) fn last_terms(&self) -> Result<Option<GameConditions>> {
        Ok(self.before()?.map(|before| before.terms))
    }

    /// Whether the last run has an entrant of this name and content.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn has_entered(&self, name: &str, hash: &str) -> Result<bool> {
        let sql = format!(
            "SELECT EXISTS (SELECT 1 FROM entrant JOIN engine ON engine.id = entrant.engine \
             WHERE run = (SELECT max(number) FROM run) AND name = ?1 AND {})",
            self.has_hash(2)?
        );
        Ok(self.db.query_row(&sql, [name, hash], |row| row.get(0))?)
    }

    fn before(&self) -> Result<Option<RunBefore>> {
        let found = self
            .db
            .query_row(
                "SELECT number, outcome, games, terms FROM run ORDER BY number DESC LIMIT 1",
                [],
                |row| {
                    Ok((
                        row.get::<_, i64>(0)?,
                        row.get::<_, Option<String>>(1)?,
                        row.get::<_, u32>(2)?,
                        row.get::<_, String>(3)?,
                    ))
                },
            )
            .optional()?;
        let Some((number, outcome, games, terms)) = found else { return Ok(None) };
        let outside = match super::has_table(&self.db, "outside")? {
            true => "(SELECT program FROM outside WHERE outside.engine = engine.id)",
            false => "NULL",
        };
        let mut rows = self.db.prepare(&format!(
            "SELECT name, hash, control, {outside} FROM entrant JOIN engine ON id = engine WHERE run = ?1 ORDER BY place",
        ))?;
        let players = rows.query_map([number], |row| {
            Ok(Entered { name: row.get(0)?, hash: row.get(1)?, control: row.get(2)?, outside: row.get(3)? })
        })?;
        Ok(Some(RunBefore {
            number,
            finished: outcome.as_deref() == Some("done"),
            renumbered: outcome.as_deref() == Some(RENUMBERED),
            games,
            question: until::of_run(&self.db, number)?.map(|until| until.question),
            terms: serde_json::from_str(&terms).context("the conditions of the last run cannot be read")?,
            players: players.collect::<Result<_, _>>()?,
        }))
    }
}

fn note_outside(change: &Transaction<'_>, engines: &[i64], players: &[Player]) -> Result<()> {
    for (engine, player) in engines.iter().zip(players) {
        if let Some(program) = &player.outside {
            change.execute_batch(OUTSIDE)?;
            change.execute(
                "INSERT OR REPLACE INTO outside (engine, program) VALUES (?1, ?2)",
                params![engine, program],
            )?;
        }
    }
    Ok(())
}

/// What a run begins with.
struct Begun {
    run: i64,
    /// How many games counted before and do not count now.
    history: u64,
    /// Whether the games that count have other numbers now.
    renumbered: bool,
    selected: Selected,
}

/// How many games count.
fn counted(change: &Transaction<'_>) -> Result<u64> {
    Ok(change.query_row("SELECT count(*) FROM game WHERE current = 1", [], |row| row.get(0))?)
}

/// Goes on with the run before.
fn continued(change: &Transaction<'_>, plan: &Plan<'_>, keys: &Keys, before: &RunBefore) -> Result<Begun> {
    // The stored standings were counted with the run's earlier points.
    change.execute(
        "UPDATE run SET finished = NULL, outcome = ?2, points = ?3, \
         ended_after = CASE points WHEN ?3 THEN ended_after END WHERE number = ?1",
        params![before.number, before.renumbered.then_some(RENUMBERED), plan.points.to_string()],
    )?;
    let earlier = counted(change)?;
    // A match that depended on a result that counts no more is dropped.
    let kept = match plan.drawn {
        Some(_) => select(change, plan.all_games(), keys)?.kept,
        None => earlier,
    };
    Ok(Begun {
        run: before.number,
        history: earlier.saturating_sub(kept),
        renumbered: before.renumbered || kept < earlier,
        selected: Selected::default(),
    })
}

/// Begins another run with the stored games that fit its plan.
fn new_run(change: &Transaction<'_>, plan: &Plan<'_>, keys: &Keys, engines: &[i64]) -> Result<Begun> {
    let run = insert_run(change, plan, engines)?;
    let earlier = counted(change)?;
    let selected = match games_there(change)? {
        true => select(change, plan.all_games(), keys)?,
        false => Selected::default(),
    };
    let renumbered = earlier > 0;
    change.execute(
        "UPDATE run SET outcome = ?2 WHERE number = ?1",
        params![run, renumbered.then_some(RENUMBERED)],
    )?;
    Ok(Begun { run, history: earlier.saturating_sub(selected.kept), renumbered, selected })
}

fn insert_run(change: &Transaction<'_>, plan: &Plan<'_>, engines: &[i64]) -> Result<i64> {
    change.execute(
        "INSERT INTO run (started, agon, event, games, terms, machine, points) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![
            DateTime::<Utc>::from(std::time::SystemTime::now()).to_rfc3339_opts(SecondsFormat::Secs, true),
            env!("CARGO_PKG_VERSION"),
            plan.event,
            plan.games,
            serde_json::to_string(plan.terms)?,
            machine(),
            plan.points.to_string()
        ],
    )?;
    let run = change.last_insert_rowid();
    for (place, (engine, player)) in engines.iter().zip(plan.players).enumerate() {
        change.execute(
            "INSERT INTO entrant (run, place, engine, control) VALUES (?1, ?2, ?3, ?4)",
            params![run, place as u64, engine, player.control],
        )?;
    }
    Ok(run)
}

fn engines(change: &Transaction<'_>, players: &[Player]) -> Result<Vec<i64>> {
    let mut ids = Vec::new();
    for player in players {
        ids.push(super::write::engine(change, &player.name, &player.hash, &player.source)?);
    }
    Ok(ids)
}

fn games_there(change: &Transaction<'_>) -> Result<bool> {
    Ok(change.query_row("SELECT EXISTS (SELECT 1 FROM game)", [], |row| row.get(0))?)
}

/// Makes one game of each key of the plan count, under its number in this plan, and no other: the
/// one that counts already, about which something may be decided, or else the latest.
pub(super) fn select(
    change: &Connection,
    games: impl Iterator<Item = PlannedGame>,
    keys: &Keys,
) -> Result<Selected> {
    change.execute_batch(
        "CREATE TEMP TABLE counted (number INTEGER PRIMARY KEY) STRICT;
         INSERT INTO counted (number) SELECT number FROM game WHERE current = 1;
         UPDATE game SET current = NULL WHERE current = 1;",
    )?;
    {
        let can_count = super::host::can_count(change, &Rulings::of(change, None)?)?;
        let mut take = change.prepare(&format!(
            "UPDATE game SET current = 1, round = ?2, pairing = ?3, game = ?4
             WHERE number = (SELECT number FROM game JOIN word ON id = ending
                             WHERE key = ?1 AND {can_count}
                             ORDER BY number IN (SELECT number FROM counted) DESC, number DESC LIMIT 1)",
        ))?;
        for game in games {
            take.execute(params![keys.of(&game), game.id.round, game.id.pairing, game.id.game])?;
        }
    }
    let kept = change.query_row(
        "SELECT count(*) FROM counted JOIN game USING (number) WHERE current = 1",
        [],
        |row| row.get(0),
    )?;
    let mut again = BTreeMap::new();
    {
        let mut rows = change.prepare(
            "SELECT engine.name, count(*) FROM game g JOIN seat s ON s.game = g.number \
             JOIN engine ON engine.id = s.engine \
             WHERE g.current = 1 AND g.number NOT IN (SELECT number FROM counted) GROUP BY engine.name",
        )?;
        for row in rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))? {
            let (name, games) = row?;
            again.insert(name, games);
        }
    }
    change.execute_batch("DROP TABLE temp.counted")?;
    Ok(Selected { kept, again })
}

/// Refuses two entrants of one name, content and time control. Their games would have the same
/// keys: one of two such games could not be stored, and the next start would take it for played.
fn refuse_twins(players: &[Player]) -> Result<()> {
    let of = |player: &Player| (player.name.clone(), player.hash.clone(), player.control.clone());
    let mut known = BTreeSet::new();
    match players.iter().find(|player| !known.insert(of(player))) {
        None => Ok(()),
        Some(twin) => Err(Misuse::hinted(
            format!("two of the engines are one: {} of {}", twin.name, escape(twin.source.as_bytes(), 400)),
            "leave one of them out, or give it another name",
        )),
    }
}

/// `host, 4 cores, load 0.25`.
fn machine() -> String {
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    match load::average() {
        Some(load) => format!("{host}, {cores} cores, load {load:.2}"),
        None => format!("{host}, {cores} cores"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_entrants_with_the_same_keys_are_refused() {
        let player = |name: &str, hash: &str, control: &str| Player {
            name: name.to_owned(),
            hash: hash.to_owned(),
            source: format!("/engines/{name}"),
            outside: None,
            control: control.to_owned(),
        };
        let a = player("a", "1", "st=1");
        let others = [player("b", "1", "st=1"), player("a", "2", "st=1"), player("a", "1", "st=2")];
        for other in others {
            assert!(refuse_twins(&[a.clone(), other]).is_ok());
        }
        let error = refuse_twins(&[a.clone(), player("b", "1", "st=1"), a]).unwrap_err();
        assert_eq!(error.downcast::<Misuse>().unwrap().what, "two of the engines are one: a of /engines/a");
    }
}
