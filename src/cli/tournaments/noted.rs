//! What the organiser notes about a run or a game: its reason, and the lists of what was noted.

use std::process::ExitCode;

use agon_config::Misuse;
use agon_record::escaped_why;
use agon_store::Store;
use agon_tournament::competition::looked::LookedRun;

use crate::cli::out;

/// The reason that `--why` gives, as it is stored.
///
/// # Errors
/// [`Misuse`] with this hint: it is missing or empty.
pub(super) fn reason(why: Option<&str>, hint: &str) -> anyhow::Result<String> {
    let why = escaped_why(why.unwrap_or_default());
    if why.is_empty() {
        return Err(Misuse::hinted("--why is missing or empty", hint));
    }
    Ok(why)
}

/// Shows what was noted in each of these runs, a line each, or says that there is nothing.
///
/// # Errors
/// A run cannot be read, or nothing can be written.
pub(super) fn list(
    runs: &[LookedRun],
    nothing: &str,
    lines: impl Fn(&Store) -> anyhow::Result<Vec<String>>,
) -> anyhow::Result<ExitCode> {
    let mut is_first = true;
    for run in runs {
        let lines = lines(&Store::read(&run.path)?)?;
        if lines.is_empty() {
            continue;
        }
        run.announce(is_first)?;
        is_first = false;
        lines.iter().try_for_each(|line| out(&format!("{line}\n")))?;
    }
    if is_first {
        out(&format!("{nothing}\n"))?;
    }
    Ok(ExitCode::SUCCESS)
}
