//! How a verdict is stored: the word of its ending, the seat that lost by it, and its reason in
//! words or as data.

use agon_record::reason::EndReason;
use agon_record::{Verdict, VoidReason};
use agon_seats::Seat;
use agon_standings::result::Termination;
use anyhow::{Result, bail};

/// The reason of a game as data.
#[derive(serde::Deserialize)]
#[serde(untagged)]
pub(super) enum StoredReason {
    /// Of a game that counts.
    Decided(EndReason),
    /// Of a void one.
    Void(VoidReason),
}

impl StoredReason {
    /// The data of a game that counts.
    pub(super) fn decided(stored: Option<Self>) -> Result<Option<EndReason>> {
        match stored {
            None => Ok(None),
            Some(StoredReason::Decided(reason)) => Ok(Some(reason)),
            Some(StoredReason::Void(_)) => bail!("a game that counts has the reason of a void one"),
        }
    }

    /// The data of a void game.
    pub(super) fn void(stored: Option<Self>) -> Result<Option<VoidReason>> {
        match stored {
            None => Ok(None),
            Some(StoredReason::Void(reason)) => Ok(Some(reason)),
            Some(StoredReason::Decided(_)) => bail!("a void game has the reason of one that counts"),
        }
    }
}

/// The word of an ending.
pub(super) fn ending(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Void { .. } => "void".to_owned(),
        Verdict::Decided(decided) => decided.termination.to_string(),
    }
}

/// The seat that lost by the ending alone.
pub(super) fn loser(verdict: &Verdict) -> Option<Seat> {
    let Verdict::Decided(decided) = verdict else { return None };
    match decided.termination {
        Termination::Forfeit(seat, _) | Termination::Resignation(seat) => Some(seat),
        Termination::Normal | Termination::Adjudication | Termination::Decision => None,
    }
}

/// The words of a reason that has no more than words. The sentences of others are not stored.
pub(super) fn reason(verdict: &Verdict) -> &str {
    match verdict {
        Verdict::Void { why } => why.words().unwrap_or_default(),
        Verdict::Decided(decided) => decided.reason.words().unwrap_or_default(),
    }
}

/// What a reason is as data, in JSON, where there is more than words.
///
/// # Errors
/// It cannot be written.
pub(super) fn reason_data(verdict: &Verdict) -> Result<Option<String>> {
    Ok(match verdict {
        Verdict::Decided(decided) => decided.reason.data().map(serde_json::to_string).transpose()?,
        Verdict::Void { why } => why.data().map(serde_json::to_string).transpose()?,
    })
}
