//! The option of every command that looks at runs: which stage of a cup, or which night of a
//! league.

use std::path::Path;

use agon_config::{Misuse, whole};
use agon_programs::program::display_path;
use agon_store::Store;
use agon_tournament::competition::looked::{LookedRun, parts};
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
    /// [`Misuse`] if there is no such stage.
    pub(super) fn runs(&self, directory: &Path) -> anyhow::Result<Vec<LookedRun>> {
        let mut parts = parts(directory);
        let Some(wanted) = self.stage else {
            if parts.is_empty() || Store::is_in(directory) {
                return Ok(vec![LookedRun { path: directory.to_owned(), number: None }]);
            }
            return Ok(parts);
        };
        let numbers: Vec<String> =
            parts.iter().filter_map(|part| part.number).map(|number| number.to_string()).collect();
        parts.retain(|part| part.number == Some(wanted));
        if !parts.is_empty() {
            return Ok(parts);
        }
        let place = display_path(directory);
        Err(match numbers[..] {
            [] => {
                Misuse::hinted(format!("--stage: {place} does not hold the stages of a cup"), "leave it out")
            }
            _ => Misuse::hinted(
                format!("--stage: {place} has no stage {wanted} that has begun"),
                format!("give one of {}", numbers.join(", ")),
            ),
        })
    }
}
