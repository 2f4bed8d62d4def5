//! Takes a decision of the organiser into a database: what follows from it changes with it.

use std::collections::{HashMap, HashSet};
use std::time::SystemTime;

use agon_programs::program::display_path;
use agon_record::Decision;
use agon_standings::pairings::PlannedGame;
use agon_standings::result::GameId;
use agon_standings::table_plan::TableFormat;
use anyhow::{Context, Result};
use chrono::{DateTime, SecondsFormat, Utc};
use rusqlite::{Connection, OptionalExtension, params};

use super::arrangements::Withdrawals;
use super::begin;
use super::inside::Ran;
use super::key::tables_of;
use super::link::Link;
use super::plan::PlayedKeys;
use super::rulings::{self, StoredDecision};
use super::run_facts::RENUMBERED;
use super::standing::{keep_standings, put_byes};
use super::{Drawn, Store, Stored, chain, decisions};

/// How often later matches are drawn anew, as each can bring games of history back.
const DRAWS: usize = 64;

/// A game about which can be decided.
pub struct Decidable {
    /// The game, with the decision that holds.
    pub stored: Stored,
    /// Whether it was played again, because of a decision about an earlier one of this number.
    pub is_again: bool,
    /// Whether it does not count because an engine has withdrawn.
    pub is_expunged: bool,
}

/// What a decision changes besides the result of its game.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Consequences {
    /// Whether the run was over before.
    pub was_over: bool,
    /// Whether it is over with the decision.
    pub is_over: bool,
    /// Whether somebody's points or place are others with it, of a run that was and stays over.
    pub moves_points: bool,
    /// How many games of later rounds count no longer: other engines meet there, or a result that
    /// they followed from is missing now.
    pub history: u64,
    /// The groups of a stage with another order: the title, the names before, the names after.
    pub orders: Vec<(String, Vec<String>, Vec<String>)>,
}

impl Store {
    /// The game with this number in the plan: the one that counts, else the last one that the
    /// organiser lets play again, else the last void attempt of the last run.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn decidable(&self, id: GameId) -> Result<Option<Decidable>> {
        let read = || -> Result<Option<Decidable>> {
            let again = self.rulings()?.played_again();
            let of = "round = ?1 AND pairing = ?2 AND game = ?3";
            let id = params![id.round, id.pairing, id.game];
            let sql = format!(
                "SELECT number FROM game JOIN word ON id = ending WHERE {of} AND (current = 1 OR number IN {again} \
                 OR text = 'void' AND run > 0 AND run = (SELECT max(number) FROM run)) \
                 ORDER BY current IS NULL, number NOT IN {again}, number DESC LIMIT 1"
            );
            let number: Option<i64> = self.db.query_row(&sql, id, |row| row.get(0)).optional()?;
            let Some(number) = number else { return Ok(None) };
            let sql = format!(
                "SELECT EXISTS (SELECT 1 FROM game WHERE {of} AND number IN {again} AND number < ?4)"
            );
            let id = params![id[0], id[1], id[2], number];
            let is_again = self.db.query_row(&sql, id, |row| row.get(0))?;
            let is_decided = decisions_hold(&self.db, number)?;
            let stored = self.game(number)?;
            let is_expunged = stored.record.ruling.is_some() && !is_decided;
            Ok(Some(Decidable { stored, is_again, is_expunged }))
        };
        read().with_context(|| format!("cannot read {}", display_path(&self.path)))
    }

    /// Stores a decision about a game, by its number in the order of storage, and brings what
    /// follows from its result into agreement: later matches of a stage and the standings of the
    /// run. Unless `commits` is set, nothing is changed, and it is only said what would be.
    ///
    /// # Errors
    /// Errors of the database; then nothing is changed.
    pub fn decide(&mut self, game: i64, made: &StoredDecision, commits: bool) -> Result<Consequences> {
        let is_replay = made.decision == Some(Decision::Replay);
        self.changed_by((is_replay, false), commits, |change, before| {
            decisions::add(change, game, made, before).map(|_| ())
        })
    }

    /// After games of other parts were taken in: draws what follows from the results, and ends the
    /// run if it is over. Returns false of a run whose games do not follow from results, which
    /// stays as it is.
    ///
    /// # Errors
    /// Errors of the database; then nothing is changed.
    pub fn draw_from_parts(&mut self) -> Result<bool> {
        let Some(run) = self.runs()?.pop() else { return Ok(false) };
        if self.drawn_now(&run)?.is_none() {
            return Ok(false);
        }
        self.changed_by((false, true), true, |_, _| Ok(())).map(|_| true)
    }

    /// After decisions came with games of other parts: stores the standings of a run that is over
    /// once more.
    ///
    /// # Errors
    /// Errors of the database; then nothing is changed.
    pub fn follow_decisions(&mut self) -> Result<()> {
        self.changed_by((false, false), true, |_, _| Ok(())).map(|_| ())
    }

    /// Adds a link to the chain that changes what follows from results, and brings that into
    /// agreement. It is told whether it lets a game be played again, and whether it may end the
    /// run.
    pub(super) fn changed_by(
        &mut self,
        does: (bool, bool),
        commits: bool,
        add: impl FnOnce(&Connection, Link) -> Result<()>,
    ) -> Result<Consequences> {
        let done = self.changed(does, commits, add);
        self.head = None;
        done.with_context(|| format!("cannot write {}", display_path(&self.path)))
    }

    fn changed(
        &self,
        (is_replay, may_end): (bool, bool),
        commits: bool,
        add: impl FnOnce(&Connection, Link) -> Result<()>,
    ) -> Result<Consequences> {
        let change = self.db.unchecked_transaction()?;
        let before = self.orders()?;
        let run = self.runs()?.pop();
        let missing = run.as_ref().map(|run| missing(&change, run)).transpose()?;
        let was_over = run.as_ref().is_some_and(Ran::is_done) && self.is_over()?;
        // Only of a run that was over and stays over it is asked whether this changes anything.
        let points_before = was_over.then(|| self.points_and_places()).transpose()?;
        let was_answered = self.test()?.is_some_and(|stand| stand.is_decided());
        let was_settled = self.question()?.is_some_and(|found| found.stand.is_settled);
        add(&change, chain::head(&change)?)?;
        let mut found = Consequences { was_over, ..Consequences::default() };
        if let Some(mut run) = run {
            let withdrawn = Withdrawals::of(&change, None)?;
            (run.absences, run.closing) = (withdrawn.absences(&run.players), withdrawn.closing());
            found.history = self.draw_again(&change, &mut run)?;
            let left = self::missing(&change, &run)?;
            let ends = may_end && !was_over && left == 0 && found.history == 0;
            let ends = ends && run.outcome.as_deref() != Some(RENUMBERED);
            let is_decided = self.stage()?.is_none_or(|(_, stage)| stage.progress.result.is_some());
            // A test that has no answer any more plays on.
            let is_answered = self.test()?.is_none_or(|stand| stand.is_decided());
            let is_decided = is_decided && (is_answered || !was_answered);
            // Neither has a question that is open again.
            let is_settled = self.question()?.is_none_or(|found| found.stand.is_settled);
            let is_decided = is_decided && (is_settled || !was_settled);
            found.is_over = (was_over && Some(left) <= missing || ends) && is_decided;
            if found.is_over {
                self.keep_anew(&change, &run)?;
                if ends {
                    end(&change, run.number)?;
                }
            } else {
                let outcome = if found.history > 0 || is_replay { RENUMBERED } else { "stopped" };
                change.execute(
                    "UPDATE run SET ended_after = NULL, outcome = CASE \
                     WHEN outcome = 'renumbered' OR outcome IS NULL AND ?2 = 'stopped' THEN outcome ELSE ?2 END \
                     WHERE number = ?1",
                    params![run.number, outcome],
                )?;
            }
        }
        chain::select(&change)?;
        if let Some(before) = points_before.filter(|_| found.is_over) {
            found.moves_points = self.points_and_places()? != before;
        }
        for (title, now) in self.orders()? {
            let earlier = before.iter().find(|(other, _)| *other == title).map(|(_, order)| order.clone());
            let earlier = earlier.unwrap_or_default();
            if earlier != now {
                found.orders.push((title, earlier, now));
            }
        }
        if commits {
            change.commit()?;
        }
        Ok(found)
    }

    /// Each entrant with its place and its points.
    fn points_and_places(&self) -> Result<Vec<(String, usize, String)>> {
        let Some(run) = self.runs()?.pop() else { return Ok(Vec::new()) };
        let rows = self.standings(run.points)?.table();
        Ok(rows.into_iter().map(|row| (row.entrant, row.rank, row.points.to_string())).collect())
    }

    /// The order of each group of a stage.
    fn orders(&self) -> Result<Vec<(String, Vec<String>)>> {
        let Some((_, stage)) = self.stage()? else { return Ok(Vec::new()) };
        let names = |order: Vec<(&str, usize)>| order.into_iter().map(|(name, _)| name.to_owned()).collect();
        let orders: Vec<Vec<String>> = stage.orders().into_iter().map(names).collect();
        Ok(stage.field.titles.iter().cloned().zip(orders).collect())
    }

    /// Draws what follows from results once more. Games of matches that are not drawn any more
    /// count no longer. Returns how many these are.
    fn draw_again(&self, change: &Connection, run: &mut Ran) -> Result<u64> {
        let before = counting(change)?;
        for _ in 0..DRAWS {
            let Some(drawn) = self.drawn_now(run)? else { break };
            if run.drawn.as_ref() == Some(&drawn) {
                break;
            }
            let seed = run.seed().context("the run has no seed")?;
            change.execute(
                "UPDATE run SET matches = ?2 WHERE number = ?1",
                params![run.number, drawn.written().transpose()?],
            )?;
            let games = drawn.games(&run.players, run.games, seed);
            let games = games.context("the draw names an engine that was not entered")?;
            begin::select(change, games, &run.keys())?;
            run.drawn = Some(drawn);
        }
        if let Some((_, stage)) = self.stage()? {
            let byes = stage.byes();
            if !byes.is_empty() {
                put_byes(change, &byes)?;
            }
        }
        // One that a first draw has dropped may have come back with a later one.
        let now = counting(change)?;
        Ok(before.difference(&now).count() as u64)
    }

    /// What the format of a run draws by the results of now; `None` if the conditions say all
    /// games.
    fn drawn_now(&self, run: &Ran) -> Result<Option<Drawn>> {
        if let Some((_, stage)) = self.stage()? {
            return Ok(Some(Drawn::Matches(stage.progress.matches)));
        }
        let plan = tables_of(&run.terms);
        let (TableFormat::Swiss { rounds }, Some(_)) = (plan.format, &run.drawn) else { return Ok(None) };
        let names: Vec<&str> = run.players.iter().map(|player| player.name.as_str()).collect();
        let tables = self.swiss_tables(&names, plan.seats, rounds, run.games, run.points)?;
        Ok(Some(Drawn::Tables(tables)))
    }

    /// Stores the standings of a run that is over once more.
    fn keep_anew(&self, change: &Connection, run: &Ran) -> Result<()> {
        let standings = self.standings(run.points)?;
        change.execute("DELETE FROM standing WHERE run = ?1", [run.number])?;
        let mut ids = HashMap::new();
        let mut rows = change.prepare(
            "SELECT name, id FROM entrant JOIN engine ON id = engine WHERE run = ?1 ORDER BY place",
        )?;
        for row in rows.query_map([run.number], |row| Ok((row.get(0)?, row.get(1)?)))? {
            let (name, id): (String, i64) = row?;
            ids.insert(name, id);
        }
        keep_standings(change, run.number, &ids, &standings)?;
        change.execute(
            "UPDATE run SET ended_after = (SELECT ifnull(max(number), 0) FROM game) WHERE number = ?1",
            [run.number],
        )?;
        Ok(())
    }
}

/// Notes that a run is over.
fn end(change: &Connection, run: i64) -> Result<()> {
    let now = DateTime::<Utc>::from(SystemTime::now()).to_rfc3339_opts(SecondsFormat::Secs, true);
    change.execute("UPDATE run SET outcome = 'done', finished = ?2 WHERE number = ?1", params![run, now])?;
    Ok(())
}

/// Whether the organiser has decided about this game.
fn decisions_hold(db: &Connection, game: i64) -> Result<bool> {
    Ok(rulings::about(db, game)?.last().is_some_and(|made| made.decision.is_some()))
}

/// How many games of a plan do not count.
fn missing(db: &Connection, run: &Ran) -> Result<u64> {
    let (played, keys) = (PlayedKeys::of(db)?, run.keys());
    let Some(planned) = run.planned() else { return Ok(0) };
    let is_missing = |game: &PlannedGame| !played.has(keys.of(game)) && !run.is_given_up(game);
    Ok(planned.filter(is_missing).count() as u64)
}

/// The games that count, by their numbers in the order of storage.
fn counting(db: &Connection) -> Result<HashSet<i64>> {
    let mut rows = db.prepare_cached("SELECT number FROM game WHERE current = 1")?;
    let rows = rows.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
