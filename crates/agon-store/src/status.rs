//! How far a run has come: games played and planned, and the time left.

use std::time::Duration;

use agon_config::Part;
use anyhow::Result;

use agon_standings::sprt::TestStand;

use super::inside::Ran;
use super::ranking::{DerivedStage, StageSpec};
use super::until::StoredQuestion;
use super::{Store, lock};

/// How far a run has come.
#[derive(Clone, PartialEq, Debug)]
pub struct RunStatus {
    /// Whether it is over; of a part, whether it has played its share of what is known.
    pub is_over: bool,
    /// The parts of its plan that are played here; none if all of it is.
    pub parts: Vec<Part>,
    /// The games that count.
    pub done: u64,
    /// The games of the plan; of a part its own games and others that are here, of a stage those
    /// that are certain.
    pub planned: u64,
    /// Void games.
    pub void: u64,
    /// Games that counted once.
    pub history: u64,
    /// The process that plays it.
    pub holder: Option<String>,
    /// The time left, if it is known.
    pub left: Option<Duration>,
    /// How far its test has come, if it has one.
    pub test: Option<TestStand>,
    /// How far its question is settled, if it has one.
    pub question: Option<StoredQuestion>,
}

impl RunStatus {
    /// Its test, if that is decided.
    pub fn decided(&self) -> Option<&TestStand> {
        self.test.as_ref().filter(|stand| stand.is_decided())
    }
}

/// How many of the last games tell the usual time of one.
const LAST: u32 = 200;

impl Store {
    /// The mean time of a game, of the last games that count; `None` if none does.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn usual_time(&self) -> Result<Option<Duration>> {
        let mean: Option<f64> = self.db.query_row(
            "SELECT avg(took) FROM (SELECT finished - started AS took FROM game WHERE current = 1 \
             ORDER BY number DESC LIMIT ?1)",
            [LAST],
            |row| row.get(0),
        )?;
        Ok(mean.map(|nanos| Duration::from_secs_f64(nanos.max(0.0) / 1e9)))
    }

    /// Whether the last run is over: a stage when its results say who goes on, any other run when
    /// it has played its games. Nothing is over before the first run.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn is_over(&self) -> Result<bool> {
        match self.stage()? {
            Some((_, stage)) => Ok(stage.progress.result.is_some()),
            None => Ok(self.runs()?.last().is_some_and(Ran::is_done)),
        }
    }

    /// How far the run has come, with its stage if it is one.
    ///
    /// # Errors
    /// Errors of the database or of the lock's file.
    pub fn status(&self, stage: Option<&(StageSpec, DerivedStage)>) -> Result<RunStatus> {
        let (done, void, history) = self.counts()?;
        let directory = self.path.parent().unwrap_or(&self.path);
        let holder = lock::holder(directory)?;
        let runs = self.runs()?;
        let (question, parts) = (self.question()?, self.parts_here()?);
        // Its results may already say that all is over.
        let has_result = stage.map(|(_, derived)| derived.progress.result.is_some());
        let stage = stage.filter(|_| parts.is_empty() || has_result == Some(true));
        let planned = match (stage, &question) {
            // It ends with any pair.
            (None, Some(found)) => {
                if found.stand.is_settled {
                    done
                } else {
                    found.spec.most
                }
            }
            (Some((_, derived)), _) => {
                derived.rules.planned_games(&derived.field, &derived.progress.matches, &derived.scores)
            }
            (None, None) => match runs.last().and_then(|run| Some((run, run.planned()?, run.keys()))) {
                Some((run, plan, keys)) => {
                    let played = self.played()?;
                    let plan = plan.filter(|game| !run.is_given_up(game) || played.has(keys.of(game)));
                    let is_own = |pair| parts.is_empty() || parts.iter().any(|part| part.has(pair));
                    plan.filter(|game| is_own(keys.of_pair(game)) || played.has(keys.of(game))).count() as u64
                }
                None => done,
            },
        };
        // A process that has just made the database has not stored its plan yet.
        let begins = holder.is_some() && runs.is_empty();
        let test = self.test()?;
        let is_decided = test.as_ref().is_some_and(TestStand::is_decided);
        let is_done = runs.last().is_some_and(Ran::is_done);
        let is_ended = test.is_some() && is_done;
        let is_over = is_decided
            || is_ended
            || question.is_some() && is_done
            || stage.map_or(done >= planned && !begins, |(_, derived)| derived.progress.result.is_some());
        let missing = u32::try_from(planned.saturating_sub(done)).unwrap_or(u32::MAX);
        // A test ends with any game.
        let is_known = holder.is_some() && !is_over && test.is_none() && question.is_none();
        let left = if is_known { self.pace()?.map(|pace| pace * missing) } else { None };
        Ok(RunStatus { is_over, parts, done, planned, void, history, holder, left, test, question })
    }
}
