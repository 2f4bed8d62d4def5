//! Whether an engine that makes no move speaks another protocol than its file says.

use std::io;

use agon_config::Misuse;
use agon_match::keeper::Interrupted;
use agon_standings::result::Cause;

use super::{CheckFinding, CheckStopped, CheckTrial};
use crate::handshakes::{self, HandshakeTerms};

/// Whether an engine has lost its game before its first move, as one that speaks another protocol.
fn may_speak_another(trial: &CheckTrial<'_>, finding: &CheckFinding) -> bool {
    let may_be_protocol = matches!(
        finding.fault,
        Some(Cause::TimeForfeit | Cause::Protocol | Cause::IllegalMove | Cause::Crash | Cause::ClosedOutput)
    );
    finding.moves == 0 && may_be_protocol && !trial.engine.protocol.may_refuse()
}

/// What to write into the file of an engine that answers the greeting of another protocol. The
/// engine has lost its game before its first move. Protocols with a greeting of their own are tried
/// before any game.
///
/// # Errors
/// [`CheckStopped`].
pub fn spoken(trial: &CheckTrial<'_>, finding: &CheckFinding) -> Result<Option<Misuse>, CheckStopped> {
    if !may_speak_another(trial, finding) {
        return Ok(None);
    }
    handshakes::other_protocol(&terms(trial), trial.engine).map_err(|error| {
        let is_stop = error.is::<Interrupted>();
        if is_stop { CheckStopped::Stopped } else { CheckStopped::Broken(io::Error::other(error)) }
    })
}

/// What is known of an engine that was greeted in the words of other protocols. The greetings tell
/// the same after each of its games, and an engine that is silent takes its time for them.
#[derive(Debug, Default)]
pub struct OtherGreetings(Option<Option<String>>);

impl OtherGreetings {
    /// The same as [`spoken`] in words for its author, without greeting the engine twice.
    pub(super) fn words(
        &mut self,
        trial: &CheckTrial<'_>,
        finding: &CheckFinding,
    ) -> Result<Option<String>, CheckStopped> {
        if !may_speak_another(trial, finding) {
            return Ok(None);
        }
        if self.0.is_none() {
            self.0 = Some(spoken(trial, finding)?.map(words));
        }
        Ok(self.0.clone().flatten())
    }
}

/// What a handshake in a trial depends on.
pub(super) fn terms<'a>(trial: &CheckTrial<'a>) -> HandshakeTerms<'a> {
    HandshakeTerms {
        rules: trial.rules,
        openings: trial.openings,
        seed: trial.seed,
        control: trial.control,
        limits: trial.limits.clone(),
        scratch: trial.scratch,
    }
}

/// The same as one sentence for its author.
pub fn words(misuse: Misuse) -> String {
    let hint = misuse.hint.map(|hint| format!("; {hint}")).unwrap_or_default();
    misuse.what + &hint
}
