//! The time of a seat: text in a record, `st=5 margin=0.02 bank=10`, and numbers in the database.
//!
//! Before version 9 of the schema the text was stored, and it is read as it was. So is a text that
//! is none of a time, from a record that was imported.

use std::time::Duration;

use agon_seats::{SearchLimits, TimeControl, zero_or_more};
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

/// The time of a seat as its record has it, `st=5 margin=0.02 bank=10`: time control, margin and
/// bank.
///
/// # Errors
/// The part that cannot be read.
pub fn allowances(text: &str) -> Result<(TimeControl, Duration, Duration), String> {
    let SeatTime { control, margin, bank, .. } = SeatTime::of(text)?;
    Ok((control, margin.unwrap_or_default(), bank.unwrap_or_default()))
}

/// How far a seat may search by the same text, if that is not as for the others.
///
/// # Errors
/// As [`allowances`].
pub fn search_of(text: &str) -> Result<SearchLimits, String> {
    SeatTime::of(text).map(|time| time.search)
}

struct SeatTime {
    control: TimeControl,
    margin: Option<Duration>,
    bank: Option<Duration>,
    search: SearchLimits,
}

impl SeatTime {
    fn of(text: &str) -> Result<Self, String> {
        let mut words = text.split(' ');
        let control = words.next().unwrap_or_default().parse()?;
        let (mut margin, mut bank) = (None, None);
        let mut search = SearchLimits::default();
        for word in words {
            if let Some(limit) = SearchLimits::one(word)? {
                search = search.or(limit);
                continue;
            }
            match word.split_once('=') {
                Some(("margin", seconds)) => margin = Some(zero_or_more(seconds)?),
                Some(("bank", seconds)) => bank = Some(zero_or_more(seconds)?),
                _ => return Err("a time has the form st=5 margin=0.02 bank=10".to_owned()),
            }
        }
        Ok(SeatTime { control, margin, bank, search })
    }

    fn text(&self) -> String {
        let mut text = self.control.to_string();
        for (name, time) in [("margin", self.margin), ("bank", self.bank)] {
            text.extend(time.map(|time| format!(" {name}={}", time.as_secs_f64())));
        }
        text + &self.search.to_string()
    }
}

/// The same in the database, in microseconds.
#[derive(Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct StoredTime {
    /// For each move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    per_move: Option<u64>,
    /// For the whole game, or for `moves` moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    base: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    increment: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    moves: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    margin: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bank: Option<u64>,
    /// The most positions and plies of a search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    nodes: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
}

/// What is stored of the text of a record.
pub(super) fn stored(text: &str) -> Result<String> {
    match SeatTime::of(text) {
        Ok(time) if time.text() == text => Ok(serde_json::to_string(&StoredTime::of(&time))?),
        _ => Ok(text.to_owned()),
    }
}

/// The text of a record, from what is stored of it.
pub(super) fn told(stored: &str) -> Result<String> {
    if !stored.starts_with('{') {
        return Ok(stored.to_owned());
    }
    let time: StoredTime = serde_json::from_str(stored).with_context(|| format!("the time {stored}"))?;
    Ok(time.read().with_context(|| format!("the time {stored} is none"))?.text())
}

impl StoredTime {
    fn of(time: &SeatTime) -> Self {
        let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let besides = StoredTime {
            margin: time.margin.map(micros),
            bank: time.bank.map(micros),
            nodes: time.search.nodes,
            depth: time.search.depth,
            ..StoredTime::default()
        };
        match time.control {
            TimeControl::PerMove(each) => StoredTime { per_move: Some(micros(each)), ..besides },
            TimeControl::WholeGame { base, increment } => {
                StoredTime { base: Some(micros(base)), increment: Some(micros(increment)), ..besides }
            }
            TimeControl::Repeating { moves, base, increment } => StoredTime {
                base: Some(micros(base)),
                increment: Some(micros(increment)),
                moves: Some(moves),
                ..besides
            },
        }
    }

    fn read(self) -> Option<SeatTime> {
        let time = Duration::from_micros;
        let control = match (self.per_move, self.base, self.increment, self.moves) {
            (Some(each), None, None, None) => TimeControl::PerMove(time(each)),
            (None, Some(base), Some(increment), None) => {
                TimeControl::WholeGame { base: time(base), increment: time(increment) }
            }
            (None, Some(base), Some(increment), Some(moves)) => {
                TimeControl::Repeating { moves, base: time(base), increment: time(increment) }
            }
            _ => return None,
        };
        let search = SearchLimits { nodes: self.nodes, depth: self.depth };
        Some(SeatTime { control, margin: self.margin.map(time), bank: self.bank.map(time), search })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_stored_as_numbers_and_told_as_it_was() {
        for (text, numbers) in [
            ("st=5 margin=0.02", r#"{"per_move":5000000,"margin":20000}"#),
            ("st=0.001", r#"{"per_move":1000}"#),
            ("tc=60 margin=0 bank=10", r#"{"base":60000000,"increment":0,"margin":0,"bank":10000000}"#),
            ("st=1 margin=0 nodes=9 depth=2", r#"{"per_move":1000000,"margin":0,"nodes":9,"depth":2}"#),
            ("tc=40/60+0.5 margin=0.1", r#"{"base":60000000,"increment":500000,"moves":40,"margin":100000}"#),
        ] {
            assert_eq!(stored(text).unwrap(), numbers);
            assert_eq!(told(numbers).unwrap(), text);
        }
    }

    #[test]
    fn what_is_no_time_or_is_written_otherwise_stays_text() {
        for text in ["", "none", "soon", "st=5.0", "tc=60+0", "st=5  margin=1", "st=5 bank=1 margin=1"] {
            assert_eq!(stored(text).unwrap(), text);
            assert_eq!(told(text).unwrap(), text);
        }
        for wrong in ["{", "{}", r#"{"per_move":1,"base":1,"increment":0}"#, r#"{"per_move":1,"more":1}"#] {
            assert!(told(wrong).is_err(), "{wrong}");
        }
    }
}
