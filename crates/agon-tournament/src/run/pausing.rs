//! The pauses of the games of a run.

use std::time::{Duration, Instant};

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

/// How often it is looked whether games begin again.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Waits while the organiser lets no game begin, at most as long as a pause may take. Returns
/// whether the game is to begin.
pub(super) fn wait_to_begin(pauses: Option<&Pauses>, run: &Run, is_stopped: impl Fn() -> bool) -> bool {
    let Some(pauses) = pauses else { return true };
    let until = Instant::now() + run.longest_pause;
    while pauses.is_held() {
        if is_stopped() {
            return false;
        }
        if Instant::now() >= until {
            // The file goes, so that `agon pause` shows that games begin again.
            let _ = pauses.let_begin();
            break;
        }
        std::thread::sleep(LOOK_EVERY);
    }
    true
}
