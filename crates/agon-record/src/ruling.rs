//! What the organiser has decided about a game. The game as played stays, and the decided result
//! counts.

use agon_printable::escape;
use agon_seats::{PerSeat, Seat, result};
use agon_standings::result::Termination;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::reason::EndReason;
use super::{Decided, GameRecord, Verdict, VoidReason};

/// What the organiser has decided.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// The game counts for nobody, and is not played again.
    Void,
    /// It counts for nobody, and is played again.
    Replay,
    /// This seat has won. The others share the second place.
    Award(Seat),
    /// The place of each seat, as in a result of two seats.
    Places(PerSeat<u8>),
    /// The score of each seat. The places follow from the scores.
    Scores(PerSeat<i32>),
}

/// A decision that holds, with the result as played.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OrganiserRuling {
    /// What was decided.
    pub decision: Decision,
    /// Why, in the words of the organiser; escaped.
    pub why: String,
    /// When.
    pub decided: DateTime<Utc>,
    /// How the game ended as it was played.
    pub played: Verdict,
}

/// The most characters of a reason.
pub(crate) const LONGEST_WHY: usize = 1000;

impl Decision {
    /// Its word in tables.
    pub fn word(&self) -> &'static str {
        match self {
            Decision::Void => "void",
            Decision::Replay => "replay",
            Decision::Award(_) => "award",
            Decision::Places(_) | Decision::Scores(_) => "result",
        }
    }

    /// What it is, with the engines of the seats: `award ada`, `result 1-0`.
    pub fn words(&self, engines: &[String]) -> String {
        let more = match self {
            Decision::Void | Decision::Replay => return self.word().to_owned(),
            Decision::Award(seat) => match engines.get(seat.index()) {
                Some(name) => name.clone(),
                None => format!("seat {}", seat.index() + 1),
            },
            Decision::Places(places) => match places.values() {
                [1, 1] => "1/2-1/2".to_owned(),
                [1, _] => "1-0".to_owned(),
                [_, 1] => "0-1".to_owned(),
                several => format!("places {}", joined(several, ", ")),
            },
            Decision::Scores(scores) => joined(scores.values(), "/"),
        };
        format!("{} {more}", self.word())
    }

    /// Whether it gives the game a result.
    pub fn has_result(&self) -> bool {
        !matches!(self, Decision::Void | Decision::Replay)
    }

    /// Whether it fits a game of so many seats.
    pub fn fits(&self, seats: usize) -> bool {
        match self {
            Decision::Void | Decision::Replay => true,
            Decision::Award(seat) => seat.index() < seats,
            Decision::Places(places) => places.len() == seats && places.values().contains(&1),
            Decision::Scores(scores) => scores.len() == seats,
        }
    }

    /// The verdict instead of this one. It has the scores as played, unless others were decided.
    pub fn verdict(&self, why: &str, played: &Verdict, seats: usize) -> Verdict {
        let places = match self {
            Decision::Void | Decision::Replay => {
                let again = *self == Decision::Replay;
                return Verdict::Void { why: VoidReason::Decided { again, why: why.to_owned() } };
            }
            Decision::Award(winner) => PerSeat::from_fn(seats, |seat| if seat == *winner { 1 } else { 2 }),
            Decision::Places(places) => places.clone(),
            Decision::Scores(scores) => result::by_score(scores),
        };
        let scores = match (self, played) {
            (Decision::Scores(scores), _) => scores.clone(),
            (_, Verdict::Decided(played)) => played.scores.clone(),
            (_, Verdict::Void { .. }) => PerSeat::from_fn(seats, |_| 0),
        };
        let reason = EndReason::Words(why.to_owned());
        Verdict::Decided(Decided { places, scores, termination: Termination::Decision, reason })
    }
}

fn joined(numbers: &[impl ToString], between: &str) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(between)
}

/// The words of a reason, made safe to show.
pub fn escaped_why(why: &str) -> String {
    escape(why.trim().as_bytes(), LONGEST_WHY)
}

impl GameRecord {
    /// The record with a decision about it: the verdict is the decided one.
    #[must_use]
    pub fn ruled(mut self, decision: Decision, why: String, decided: DateTime<Utc>) -> Self {
        let verdict = decision.verdict(&why, &self.verdict, self.seats.len());
        let played = std::mem::replace(&mut self.verdict, verdict);
        self.ruling = Some(Box::new(OrganiserRuling { decision, why, decided, played }));
        self
    }

    /// The record as the game was played, without a decision about it.
    #[must_use]
    pub fn as_played(mut self) -> Self {
        if let Some(ruling) = self.ruling.take() {
            self.verdict = ruling.played;
        }
        self
    }

    /// How the game ended as it was played.
    pub fn played_verdict(&self) -> &Verdict {
        self.ruling.as_ref().map_or(&self.verdict, |ruling| &ruling.played)
    }

    /// The decision in words, with the reason and the result as played: `the organiser decided
    /// 0-1: the wrong book; as played 1-0, normal: two passes in a row`. `None` without one.
    pub fn ruling_in_words(&self) -> Option<String> {
        let OrganiserRuling { decision, why, .. } = self.ruling.as_deref()?;
        let what = match decision {
            Decision::Void => "that it counts for nobody".to_owned(),
            Decision::Replay => "that it is played again".to_owned(),
            Decision::Award(_) | Decision::Places(_) | Decision::Scores(_) => self.result_text(),
        };
        let played = self.clone().as_played();
        let (result, (how, reason)) = (played.result_text(), played.verdict.ended());
        Some(format!("the organiser decided {what}: {why}; as played {result}, {how}: {reason}"))
    }
}

impl Verdict {
    /// The termination and the reason: `time forfeit`, `no answer within 5 s`.
    pub fn ended(&self) -> (String, String) {
        match self {
            Verdict::Decided(decided) => (decided.termination.to_string(), decided.reason.to_string()),
            Verdict::Void { why } => ("void".to_owned(), why.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn ruled(decision: Decision) -> GameRecord {
        sample::game(1, "a", "b", "1-0").ruled(decision, "the wrong book".to_owned(), DateTime::UNIX_EPOCH)
    }

    #[test]
    fn a_decision_replaces_the_verdict_and_the_game_as_played_stays() {
        let played = sample::game(1, "a", "b", "1-0");
        let results = [
            (Decision::Void, "*"),
            (Decision::Replay, "*"),
            (Decision::Award(Seat::SECOND), "0-1"),
            (Decision::Places(PerSeat::two(1, 1)), "1/2-1/2"),
            (Decision::Scores(PerSeat::two(3, 7)), "3/7"),
        ];
        for (decision, result) in results {
            let record = ruled(decision.clone());
            assert_eq!(record.result_text(), result);
            assert_eq!(record.decided().is_some(), decision.has_result());
            assert!(record.ruling_in_words().unwrap().contains("the wrong book; as played"));
            let text = serde_json::to_string(&record).unwrap();
            assert_eq!(serde_json::from_str::<GameRecord>(&text).unwrap(), record, "{text}");
            assert_eq!(record.played_verdict(), &played.verdict);
            assert_eq!(record.as_played(), played);
        }
        assert!(!serde_json::to_string(&played).unwrap().contains("ruling"));
    }

    #[test]
    fn an_engine_has_lost_no_game_by_a_fault_that_the_organiser_decided() {
        let fault = Termination::Forfeit(Seat::SECOND, agon_standings::result::Cause::Crash);
        let record = sample::ended_by(sample::game(1, "a", "b", "1-0"), fault, "it crashed");
        assert!(record.fault_of(Seat::SECOND).is_some());
        let ruled = record.ruled(Decision::Award(Seat::FIRST), "so be it".to_owned(), DateTime::UNIX_EPOCH);
        assert_eq!((ruled.fault_of(Seat::SECOND), ruled.cause_of(Seat::SECOND)), (None, None));
    }

    #[test]
    fn a_decision_fits_the_seats_of_its_game() {
        assert!(Decision::Award(Seat::SECOND).fits(2) && !Decision::Award(Seat::new(2)).fits(2));
        assert!(
            !Decision::Places(PerSeat::two(1, 2)).fits(3) && !Decision::Places(PerSeat::two(2, 2)).fits(2)
        );
        assert!(Decision::Scores(PerSeat::two(-1, 2)).fits(2));
    }
}
