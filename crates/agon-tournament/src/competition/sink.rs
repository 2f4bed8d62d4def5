//! Where a competition says what it does, and what has come of it.

use agon_match::referee::Report;
use agon_standings::Standings;
use agon_standings::cup::CupStage;
use agon_standings::league::LeagueRules;
use agon_store::ranking::DerivedStage;

use super::played_stage::PlayedStage;
use crate::progress::{PlannedWork, Progress};

/// The receiver of what a competition says and of its results. Each method may do nothing.
///
/// An error of a method ends the competition; what was played is kept.
pub trait Sink: Send {
    /// A remark: what is played, where, and what is notable in it.
    fn say(&mut self, _remark: &str) {}

    /// Something that its organiser may want to change.
    fn warn(&mut self, _warning: &str) {}

    /// Whether nobody wants to hear what the isolation level leaves open on this machine.
    fn is_quiet(&self) -> bool {
        false
    }

    /// Whether the user agrees; `None` if nobody is there to be asked.
    ///
    /// # Errors
    /// The answer cannot be read, or the run is to stop.
    fn agrees(&mut self, _question: &str) -> anyhow::Result<Option<bool>> {
        Ok(None)
    }

    /// Of a dry run: what would be played, a line.
    ///
    /// # Errors
    /// It cannot be written.
    fn planned(&mut self, _line: &str) -> anyhow::Result<()> {
        Ok(())
    }

    /// What shows how far a run has come; none if nobody looks.
    fn progress(&self, _work: PlannedWork) -> Option<Progress> {
        None
    }

    /// A game has ended. A game that repeats an earlier one counts for nobody.
    fn game(&mut self, _report: &Report, _is_repeat: bool) {}

    /// The standings of a run that is over or stopped, or with a title one table of several.
    ///
    /// # Errors
    /// They cannot be written.
    fn standings(&mut self, _title: Option<&str>, _standings: &Standings) -> anyhow::Result<()> {
        Ok(())
    }

    /// The stages of a cup, as far as they have begun.
    ///
    /// # Errors
    /// They cannot be written.
    fn stages(&mut self, _stages: &[CupStage], _played: &[PlayedStage]) -> anyhow::Result<()> {
        Ok(())
    }

    /// What was found of a new version of an engine, in a line.
    ///
    /// # Errors
    /// It cannot be written.
    fn verdict(&mut self, _line: &str) -> anyhow::Result<()> {
        Ok(())
    }

    /// What a run for a question has found, in a line.
    ///
    /// # Errors
    /// It cannot be written.
    fn answer(&mut self, line: &str) -> anyhow::Result<()> {
        self.say(line);
        Ok(())
    }

    /// The last night of a league, and who moves by its rules.
    ///
    /// # Errors
    /// It cannot be written.
    fn night(&mut self, _night: &DerivedStage, _rules: LeagueRules) -> anyhow::Result<()> {
        Ok(())
    }
}

/// A receiver to which nothing matters.
#[derive(Clone, Copy, Debug)]
pub struct SilentSink;

impl Sink for SilentSink {
    fn is_quiet(&self) -> bool {
        true
    }
}
