//! Results as files, for other programs and for people. All of them can be made again from the
//! records.

#![warn(missing_docs)]

pub mod atomic;
pub mod cells;
pub mod csv;
pub mod directory;
pub mod events;
pub mod evidence;
pub mod foreign;
pub mod game_tables;
pub mod json;
pub mod live;
pub mod notation;
pub mod pgn;
pub mod plan_head;
pub mod question_cost;
pub mod replay;
mod rounds;
pub mod standing_columns;
pub mod table;
pub mod verdicts;

use std::time::Duration;

/// Milliseconds to the microsecond, `20.500`: as exact as a record, and a number for any reader.
fn millis(time: Duration) -> String {
    let mut text = String::new();
    put_millis(&mut text, time);
    text
}

/// Appends [`millis`] to a text without an allocation, because every game has many times.
pub fn put_millis(text: &mut String, time: Duration) {
    let micros = time.as_micros();
    let mut digits = itoa::Buffer::new();
    text.push_str(digits.format(micros / 1000));
    text.push('.');
    let rest = digits.format(micros % 1000);
    text.push_str(&"000"[rest.len()..]);
    text.push_str(rest);
}
