//! Takes a withdrawal into a database: what follows from it changes with it.

use std::collections::BTreeSet;

use agon_programs::program::display_path;
use agon_standings::stage::Format;
use anyhow::{Context, Result};

use super::Store;
use super::arranged::{StoredClosing, StoredEntry, StoredWithdrawal};
use super::arrangements;
use super::decide::Consequences;

/// The rounds of an engine that could withdraw.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct EngineRounds {
    /// The first round with a game that it has not played yet; after the last one, if it has played
    /// all that is drawn.
    pub next: u32,
    /// The last round in which a game of anybody was played; 0 before the first.
    pub played: u32,
    /// The last round in which it has played itself; 0 before its first game.
    pub own: u32,
    /// The last round of the run, if it is known.
    pub last: Option<u32>,
}

impl Store {
    /// The rounds of an engine in the last run; `None` without a run, or if it was not entered.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn rounds_of(&self, engine: &str) -> Result<Option<EngineRounds>> {
        let read = || -> Result<Option<EngineRounds>> {
            let Some(run) = self.runs()?.pop() else { return Ok(None) };
            let Some(own) = run.players.iter().position(|player| player.name == engine) else {
                return Ok(None);
            };
            let (played, keys) = (self.played()?, run.keys());
            let (mut left, mut begun, mut drawn, mut last_own) = (BTreeSet::new(), 0, 0, 0);
            for game in run.planned().context("the plan of the run cannot be made")? {
                drawn = drawn.max(game.id.round);
                if played.has(keys.of(&game)) {
                    begun = begun.max(game.id.round);
                    if game.seats.values().contains(&own) {
                        last_own = last_own.max(game.id.round);
                    }
                } else if game.seats.values().contains(&own) {
                    left.insert(game.id.round);
                }
            }
            let stage = self.stage()?.map(|(spec, stage)| (spec.format, stage.progress.result.is_some()));
            let last = match stage {
                Some((Format::Swiss { rounds }, _)) => u32::try_from(rounds).ok(),
                Some((Format::Knockout { .. }, is_over)) => is_over.then_some(drawn),
                Some((Format::RoundRobin { .. } | Format::Gauntlet { .. }, _)) | None => Some(drawn),
            };
            let next = left.first().copied().unwrap_or(drawn + 1);
            Ok(Some(EngineRounds { next, played: begun, own: last_own, last }))
        };
        read().with_context(|| format!("cannot read {}", display_path(&self.path)))
    }

    /// Stores a withdrawal, and brings what follows from it into agreement: later matches of a
    /// stage and the standings of the run. Unless `commits` is set, nothing is changed, and it is
    /// only said what would be.
    ///
    /// # Errors
    /// Errors of the database; then nothing is changed.
    pub fn withdraw(&mut self, made: &StoredWithdrawal, commits: bool) -> Result<Consequences> {
        self.changed_by((false, true), commits, |change, before| arrangements::add(change, made, before))
    }

    /// Stores that an engine joins late, like [`Store::withdraw`].
    ///
    /// # Errors
    /// Errors of the database; then nothing is changed.
    pub fn enter(&mut self, made: &StoredEntry, commits: bool) -> Result<Consequences> {
        self.changed_by((false, true), commits, |change, before| arrangements::enter(change, made, before))
    }

    /// The last round in which a game was played; 0 before the first.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn last_played_round(&self) -> Result<u32> {
        let sql = "SELECT ifnull(max(round), 0) FROM game WHERE current = 1";
        Ok(self.db.query_row(sql, [], |row| row.get(0))?)
    }

    /// Stores that the run is closed, like [`Store::withdraw`].
    ///
    /// # Errors
    /// Errors of the database; then nothing is changed.
    pub fn close(&mut self, made: &StoredClosing, commits: bool) -> Result<Consequences> {
        self.changed_by((false, true), commits, |change, before| arrangements::close(change, made, before))
    }

    /// The last round that was drawn, and how many games of the plan are not played.
    ///
    /// # Errors
    /// Errors of the database; or there is no run.
    pub fn rest(&self) -> Result<(u32, u64)> {
        let run = self.runs()?.pop().context("there is no run")?;
        let (played, keys) = (self.played()?, run.keys());
        let (mut last, mut missing) = (0, 0);
        for game in run.planned().context("the plan of the run cannot be made")? {
            last = last.max(game.id.round);
            missing += u64::from(!played.has(keys.of(&game)) && !run.is_given_up(&game));
        }
        Ok((last, missing))
    }
}
