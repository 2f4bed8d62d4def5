//! Engines that lose a game before they have made a move: they may speak another protocol than
//! their file says.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use agon_match::referee::Report;
use agon_programs::spec::EngineSpec;
use agon_record::GameRecord;
use agon_standings::result::Cause;

use super::{OnSilent, Run};

/// Looks at engines that have made no move, once each.
pub(super) struct SilentEngines<'a> {
    /// The engines that have made a move, or were looked at. Workers wait for each other while one
    /// looks at an engine: it may end the run.
    heard: Mutex<HashSet<String>>,
    look: Option<Box<OnSilent<'a>>>,
}

impl<'a> SilentEngines<'a> {
    /// None so far.
    pub(super) fn new(look: Option<Box<OnSilent<'a>>>) -> Self {
        SilentEngines { heard: Mutex::default(), look }
    }

    /// Passes a game on, and looks at an engine that has lost it without a move. Returns what is to
    /// be shown.
    ///
    /// # Errors
    /// The run is to end.
    pub(super) fn after(
        &self,
        run: &Run,
        report: Report,
        pass_on: impl FnOnce(Report),
    ) -> anyhow::Result<Option<String>> {
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        let silent = silent(&mut heard, &report.record, run);
        pass_on(report);
        silent.zip(self.look.as_ref()).map_or(Ok(None), |(engine, look)| look(run, engine))
    }
}

/// The engine that has lost a game without a move, the first time.
fn silent<'r>(heard: &mut HashSet<String>, record: &GameRecord, run: &'r Run) -> Option<&'r EngineSpec> {
    for ply in &record.plies {
        let entrant = &record.seats[ply.seat].entrant;
        if !heard.contains(entrant) {
            heard.insert(entrant.clone());
        }
    }
    let (_, silent) = record.seats.iter().find(|(seat, _)| {
        let fault = record.fault_of(*seat).map(|(cause, _)| cause);
        fault.is_some_and(may_be_protocol) && record.plies.iter().all(|ply| ply.seat != *seat)
    })?;
    let engine = run.entrants.iter().find(|engine| engine.name == silent.entrant)?;
    heard.insert(silent.entrant.clone()).then_some(engine)
}

/// Whether an engine that does not understand what it is told can lose in this way.
fn may_be_protocol(cause: Cause) -> bool {
    matches!(
        cause,
        Cause::TimeForfeit | Cause::Protocol | Cause::IllegalMove | Cause::Crash | Cause::ClosedOutput
    )
}
