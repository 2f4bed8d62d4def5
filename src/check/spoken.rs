//! Whether an engine that makes no move speaks another protocol than its file says.

use std::io;

use super::{CheckFinding, CheckStopped, CheckTrial};
use crate::config::Misuse;
use crate::entrants::{self, HandshakeTerms};
use crate::keeper::Interrupted;
use crate::record::Cause;

/// What to write into the file of an engine that answers the greeting of another protocol. The
/// engine has lost its game before its first move. Protocols with a greeting of their own are tried
/// before any game.
///
/// # Errors
/// [`CheckStopped`].
pub(super) fn spoken(trial: &CheckTrial<'_>, finding: &CheckFinding) -> Result<Option<Misuse>, CheckStopped> {
    let may_be_protocol = matches!(
        finding.fault,
        Some(Cause::TimeForfeit | Cause::Protocol | Cause::IllegalMove | Cause::Crash | Cause::ClosedOutput)
    );
    if finding.moves > 0 || !may_be_protocol || trial.engine.protocol.may_refuse() {
        return Ok(None);
    }
    entrants::other_protocol(&terms(trial), trial.engine).map_err(|error| {
        let is_stop = error.is::<Interrupted>();
        if is_stop { CheckStopped::Stopped } else { CheckStopped::Broken(io::Error::other(error)) }
    })
}

/// What a handshake in a trial depends on.
pub(super) fn terms<'a>(trial: &CheckTrial<'a>) -> HandshakeTerms<'a> {
    HandshakeTerms {
        rules: trial.rules,
        openings: trial.openings,
        seed: trial.seed,
        control: trial.control,
        margin: trial.margin,
        limits: trial.limits.clone(),
        scratch: trial.scratch,
    }
}

/// The same as one sentence for its author.
pub(super) fn words(misuse: Misuse) -> String {
    let hint = misuse.hint.map(|hint| format!("; {hint}")).unwrap_or_default();
    misuse.what + &hint
}
