//! How a game ended.

use agon_seats::PerSeat;
use agon_standings::result::{FinalResult, Termination};
use serde::{Deserialize, Serialize};

use super::reason::EndReason;
use super::void_reason::VoidReason;

/// How a game ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It counts.
    Decided(Decided),
    /// It was spoilt by agon or the machine. It counts for nobody and is played again. Or the
    /// organiser has decided that it counts for nobody.
    Void {
        /// What went wrong.
        #[serde(flatten, with = "void_text")]
        why: VoidReason,
    },
}

/// The result of a game that counts, with its reason.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "DecidedText", into = "DecidedText")]
pub struct Decided {
    /// The place of each seat, 1 the best; seats that tie share a place.
    pub places: PerSeat<u8>,
    /// The score of each seat in the game's own unit, as it stood at the end.
    pub scores: PerSeat<i32>,
    /// Why the game ended.
    pub termination: Termination,
    /// The same with what is known of it.
    pub reason: EndReason,
}

impl Decided {
    /// What counts of it.
    pub fn result(&self) -> FinalResult {
        let Decided { places, scores, termination, .. } = self;
        FinalResult { places: places.clone(), scores: scores.clone(), termination: *termination }
    }
}

/// A void game in a file: the reason as a sentence, and as data where there is more than that.
mod void_text {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::VoidReason;

    #[derive(Serialize, Deserialize)]
    struct VoidText {
        why: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why_data: Option<VoidReason>,
    }

    pub(super) fn serialize<S: Serializer>(reason: &VoidReason, to: S) -> Result<S::Ok, S::Error> {
        VoidText { why: reason.to_string(), why_data: reason.data().cloned() }.serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<VoidReason, D::Error> {
        let VoidText { why, why_data } = VoidText::deserialize(from)?;
        if let Some(data) = why_data.as_ref().filter(|data| data.to_string() != why) {
            let data = data.to_string();
            return Err(D::Error::custom(format!(
                "key verdict.void.why: says {why:?}, but by verdict.void.why_data it is {data:?}"
            )));
        }
        Ok(VoidReason::of_parts(why, why_data))
    }
}

/// A decided game in a file: the reason as a sentence, and as data where there is more than that.
#[derive(Serialize, Deserialize)]
struct DecidedText {
    places: PerSeat<u8>,
    scores: PerSeat<i32>,
    termination: Termination,
    reason: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason_data: Option<EndReason>,
}

impl From<Decided> for DecidedText {
    fn from(decided: Decided) -> Self {
        let Decided { places, scores, termination, reason } = decided;
        let (reason, reason_data) = (reason.to_string(), reason.data().cloned());
        DecidedText { places, scores, termination, reason, reason_data }
    }
}

impl TryFrom<DecidedText> for Decided {
    type Error = String;

    fn try_from(text: DecidedText) -> Result<Self, String> {
        let DecidedText { places, scores, termination, reason: words, reason_data } = text;
        if let Some(data) = reason_data.as_ref().filter(|data| data.to_string() != words) {
            return Err(format!(
                "key verdict.decided.reason: says {words:?}, but by verdict.decided.reason_data it is {:?}",
                data.to_string()
            ));
        }
        let reason = EndReason::of_parts(words, reason_data, termination);
        Ok(Decided { places, scores, termination, reason })
    }
}
