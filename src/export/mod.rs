//! Results as files for other programs and for people. Everything here can be made again from the records.

pub mod atomic;
pub mod csv;
pub mod directory;
pub mod events;
pub mod evidence;
pub mod gradebook;
pub mod json;
pub mod notation;
pub mod replay;
mod rounds;

use std::time::Duration;

/// Milliseconds to the microsecond, `20.500`: as exact as a record, and a number to every reader.
fn millis(time: Duration) -> String {
    format!("{}.{:03}", time.as_millis(), time.as_micros() % 1000)
}
