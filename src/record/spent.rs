//! How an engine spent a turn: on a processor, waiting for one, or otherwise.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::micros;

/// A turn of an engine that others kept from a processor, or that it lost on time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SpentTime {
    /// The number of the question, which is that of the ply; 0 before the game.
    pub question: usize,
    /// How long the turn took by the wall clock, without pauses.
    #[serde(rename = "micros", with = "micros")]
    pub time: Duration,
    /// The processor time of all its processes. With several at once it can be more than the turn.
    #[serde(rename = "ran_micros", with = "micros")]
    pub ran: Duration,
    /// How long a thread of it waited for a processor.
    #[serde(rename = "waited_micros", with = "micros")]
    pub waited: Duration,
    /// The rest: it waited for something else.
    #[serde(rename = "slept_micros", with = "micros")]
    pub slept: Duration,
    /// The part of the turn that its clock did not run, because others had the processor.
    #[serde(rename = "starved_micros", with = "micros")]
    pub starved: Duration,
}

/// `ran 10 ms, waited 593 ms, slept 0 ms`, and behind it what was not counted, if anything.
impl fmt::Display for SpentTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = |time: Duration| (time.as_micros() + 500) / 1000;
        let [ran, waited, slept] = [self.ran, self.waited, self.slept].map(millis);
        write!(f, "ran {ran} ms, waited {waited} ms, slept {slept} ms")?;
        let (starved, time) = (millis(self.starved), millis(self.time));
        if starved == 0 { Ok(()) } else { write!(f, "; {starved} of {time} ms did not count") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{SeatRecord, sample};

    #[test]
    fn a_turn_is_told_in_words_and_a_seat_of_an_older_record_has_none() {
        let [none, micros] = [Duration::ZERO, Duration::from_micros(1)];
        let turn = SpentTime {
            question: 3,
            time: micros * 603_400,
            ran: micros * 10_200,
            waited: micros * 593_100,
            slept: micros * 100,
            starved: none,
        };
        assert_eq!(turn.to_string(), "ran 10 ms, waited 593 ms, slept 0 ms");
        let starved = SpentTime { starved: micros * 590_600, ..turn };
        assert_eq!(starved.to_string(), "ran 10 ms, waited 593 ms, slept 0 ms; 591 of 603 ms did not count");
        let mut seat = sample::seat("X", "slow");
        let old = serde_json::to_string(&seat).unwrap();
        assert!(!old.contains("spent"), "{old}");
        assert_eq!(serde_json::from_str::<SeatRecord>(&old).unwrap(), seat);
        seat.spent = vec![starved];
        let text = serde_json::to_string(&seat).unwrap();
        assert!(text.contains(r#""spent":[{"question":3,"micros":603400,"ran_micros":10200"#), "{text}");
        assert_eq!(serde_json::from_str::<SeatRecord>(&text).unwrap(), seat);
    }
}
