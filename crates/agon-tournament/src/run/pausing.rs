//! The pauses of the games of a run.

use agon_match::processes::pauses::Pauses;
use anyhow::Context;

use super::Run;

/// The error where files for pauses cannot be written.
pub(super) const NO_PAUSES: &str = "cannot write in the directory for the pauses of the run";

/// The pauses of the run, if it allows any.
pub(super) fn allowed(run: &Run, given: Option<Pauses>) -> anyhow::Result<Option<Pauses>> {
    let Some(pauses) = given.filter(|_| !run.longest_pause.is_zero()) else { return Ok(None) };
    pauses.allow().context(NO_PAUSES)?;
    Ok(Some(pauses))
}
