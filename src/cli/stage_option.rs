//! The option of every command that looks at runs: which stage of a cup, or which night of a
//! league.

use std::path::Path;

use agon_config::whole;
use agon_tournament::competition::looked::{self, LookedRun};
use clap::Args;

/// The option of every command that looks at runs.
#[derive(Args, Clone, Debug)]
pub(super) struct StageOption {
    /// Only this stage, if DIR holds the stages of a cup, or this night of a league
    #[arg(long, value_name = "N", value_parser = whole::<usize>, allow_negative_numbers = true)]
    pub(super) stage: Option<usize>,
}

impl StageOption {
    /// The runs in this directory. A directory without parts is returned as it is.
    ///
    /// # Errors
    /// As [`looked::runs`].
    pub(super) fn runs(&self, directory: &Path) -> anyhow::Result<Vec<LookedRun>> {
        looked::runs(directory, self.stage)
    }

    /// The same for what the organiser decides.
    ///
    /// # Errors
    /// As [`looked::deciding`].
    pub(super) fn decided_runs(&self, directory: &Path) -> anyhow::Result<Vec<LookedRun>> {
        looked::deciding(directory, self.stage)
    }
}
