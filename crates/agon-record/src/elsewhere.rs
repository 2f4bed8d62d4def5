//! How an engine elsewhere played: where, at which level, and with which lag.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Isolated, SeatRecord, micros};

/// Where an engine played that ran elsewhere, how its command was confined here, and its lag.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PlayedElsewhere {
    /// The place, as its `engine.toml` has it: `lab1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// How the command was confined here. What runs at the other end is not confined by agon.
    pub isolation: Isolated,
    /// Its lag; `None` if it has no echo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lag: Option<Lag>,
}

/// The lag of an engine in one game: the time of a line there and back.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Lag {
    /// What its echo measured last before the game.
    #[serde(rename = "measured_micros", with = "micros")]
    pub measured: Duration,
    /// How much of it is allowed for: each answer may come later by so much, and is charged so much
    /// less.
    #[serde(rename = "allowed_micros", with = "micros")]
    pub allowed: Duration,
}

/// `23.4 ms there and back, 20 ms of them allowed for`.
impl fmt::Display for Lag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = |time: Duration| time.as_micros() as f64 / 1000.0;
        write!(f, "{} ms there and back, ", millis(self.measured))?;
        match (self.allowed, self.measured) {
            (allowed, _) if allowed.is_zero() => f.write_str("none of them allowed for"),
            (allowed, measured) if allowed == measured => f.write_str("all of them allowed for"),
            (allowed, _) => write!(f, "{} ms of them allowed for", millis(allowed)),
        }
    }
}

/// `at lab1; 23.4 ms there and back, 20 ms of them allowed for; its command at the level limits`.
impl fmt::Display for PlayedElsewhere {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "at {place}; ")?;
        }
        if let Some(lag) = &self.lag {
            write!(f, "{lag}; ")?;
        }
        write!(f, "its command at the level {}", self.isolation.level)
    }
}

impl PlayedElsewhere {
    /// The place in one word, for a table: `elsewhere` if it has no name.
    pub fn place_or_elsewhere(&self) -> &str {
        self.place.as_deref().unwrap_or("elsewhere")
    }
}

impl SeatRecord {
    /// How much later each of its answers may come because of its lag; zero if it did not play
    /// elsewhere.
    pub fn allowed_lag(&self) -> Duration {
        let lag = self.elsewhere.as_ref().and_then(|elsewhere| elsewhere.lag);
        lag.map_or(Duration::ZERO, |lag| lag.allowed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn a_lag_is_told_in_words() {
        let lag = |measured, allowed| {
            let (measured, allowed) = (Duration::from_micros(measured), Duration::from_micros(allowed));
            Lag { measured, allowed }.to_string()
        };
        assert_eq!(lag(23_400, 20_000), "23.4 ms there and back, 20 ms of them allowed for");
        assert_eq!(lag(300, 300), "0.3 ms there and back, all of them allowed for");
        assert_eq!(lag(300, 0), "0.3 ms there and back, none of them allowed for");
    }

    #[test]
    fn a_seat_reads_back_and_one_of_an_older_record_played_here() {
        let mut seat = sample::seat("X", "far");
        let old = serde_json::to_string(&seat).unwrap();
        assert!(!old.contains("elsewhere"), "{old}");
        assert_eq!(serde_json::from_str::<SeatRecord>(&old).unwrap(), seat);
        let (measured, allowed) = (Duration::from_micros(23_400), Duration::from_millis(20));
        seat.elsewhere = Some(PlayedElsewhere {
            place: Some("lab1".to_owned()),
            isolation: Isolated { level: "limits".to_owned(), in_force: Vec::new() },
            lag: Some(Lag { measured, allowed }),
        });
        let text = serde_json::to_string(&seat).unwrap();
        assert!(text.contains(r#""lag":{"measured_micros":23400,"allowed_micros":20000}"#), "{text}");
        assert_eq!(serde_json::from_str::<SeatRecord>(&text).unwrap(), seat);
        assert_eq!(seat.allowed_lag(), allowed);
    }
}
