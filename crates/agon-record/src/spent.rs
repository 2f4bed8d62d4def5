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
    /// What the machine of an engine elsewhere says of the turn, and what of that was believed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub far: Option<FarTime>,
}

/// A turn of an engine elsewhere, as its machine tells it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FarTime {
    /// The engine's own time: without that in which others had the processor there.
    #[serde(rename = "own_micros", with = "micros")]
    pub own: Duration,
    /// Its processor time there.
    #[serde(rename = "ran_micros", with = "micros")]
    pub ran: Duration,
    /// How long the way and that machine can have held it up, as agon has measured it.
    #[serde(rename = "seen_micros", with = "micros")]
    pub seen: Duration,
    /// The part of the turn that its clock did not run because of that, besides its lag.
    #[serde(rename = "counted_micros", with = "micros")]
    pub counted: Duration,
}

/// `ran 10 ms, waited 593 ms, slept 0 ms`, and behind it what was not counted, if anything.
impl fmt::Display for SpentTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = |time: Duration| (time.as_micros() + 500) / 1000;
        let [ran, waited, slept] = [self.ran, self.waited, self.slept].map(millis);
        write!(f, "ran {ran} ms, waited {waited} ms, slept {slept} ms")?;
        let (starved, time) = (millis(self.starved), millis(self.time));
        if starved > 0 {
            write!(f, "; {starved} of {time} ms did not count")?;
        }
        let Some(far) = self.far else { return Ok(()) };
        let [own, ran, seen, counted] = [far.own, far.ran, far.seen, far.counted].map(millis);
        write!(
            f,
            "; its machine says that it had {own} ms and ran {ran} ms of them; agon has seen delays of up to \
             {seen} ms there, and did not count {counted} of {time} ms"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SeatRecord, sample};

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
            far: None,
        };
        assert_eq!(turn.to_string(), "ran 10 ms, waited 593 ms, slept 0 ms");
        let starved = SpentTime { starved: micros * 590_600, ..turn };
        assert_eq!(starved.to_string(), "ran 10 ms, waited 593 ms, slept 0 ms; 591 of 603 ms did not count");
        let [own, ran, seen, counted] = [83_000, 80_400, 700_000, 400_000].map(|count| micros * count);
        let far = SpentTime { far: Some(FarTime { own, ran, seen, counted }), ..turn };
        assert_eq!(
            far.to_string(),
            "ran 10 ms, waited 593 ms, slept 0 ms; its machine says that it had 83 ms and ran 80 ms of them; agon \
             has seen delays of up to 700 ms there, and did not count 400 of 603 ms"
        );
        let text = serde_json::to_string(&far).unwrap();
        assert!(text.contains(r#""far":{"own_micros":83000,"ran_micros":80400,"#), "{text}");
        assert_eq!(serde_json::from_str::<SpentTime>(&text).unwrap(), far);
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
