//! How busy the machine is, as the kernel reports it. The record of a game shows it, because other
//! processes may have slowed the engines.
//!
//! All games share one reading, taken at most ten times a second: it would cost a short game too
//! much.

use std::fs;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use agon_record::MachineLoad;

/// The shortest time between two readings.
const EVERY: Duration = Duration::from_millis(100);

/// What the kernel reported at an instant.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    at: Instant,
    /// The total time in which some process waited for a processor.
    stalled: Option<Duration>,
    /// The load average of the last minute.
    load: Option<f64>,
    /// The pressure between the previous reading and this one.
    lately: Option<f64>,
}

static LAST: Mutex<Option<Reading>> = Mutex::new(None);

/// The latest reading, at most `EVERY` old.
pub fn reading() -> Reading {
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner); // a reading is replaced as a whole
    let at = Instant::now();
    match *last {
        Some(reading) if at.saturating_duration_since(reading.at) < EVERY => reading,
        before => {
            let mut reading = Reading { at, stalled: stalled(), load: average(), lately: None };
            reading.lately = before.and_then(|before| pressure(before, reading));
            *last = Some(reading);
            reading
        }
    }
}

impl Reading {
    /// How busy the machine was between this reading and a later one.
    pub fn until(self, end: Reading) -> MachineLoad {
        // A game shorter than the time between two readings gets the pressure around it.
        let pressure = if end.at > self.at { pressure(self, end) } else { end.lately };
        MachineLoad { load: end.load, pressure }
    }
}

/// The share of the time between two readings in which some process waited for a processor, rounded
/// to thousandths.
fn pressure(from: Reading, to: Reading) -> Option<f64> {
    let stalled = to.stalled?.checked_sub(from.stalled?)?;
    let share = stalled.as_secs_f64() / to.at.saturating_duration_since(from.at).as_secs_f64();
    Some((share.min(1.0) * 1000.0).round() / 1000.0)
}

fn stalled() -> Option<Duration> {
    let text = fs::read_to_string("/proc/pressure/cpu").ok()?;
    let some = text.lines().find_map(|line| line.strip_prefix("some "))?;
    let total = some.split(' ').find_map(|field| field.strip_prefix("total="))?;
    Some(Duration::from_micros(total.parse().ok()?))
}

/// The load average of the last minute, if it is known.
pub fn average() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pressure_is_the_share_of_the_time_in_which_somebody_waited() {
        let at = Instant::now();
        let reading = |seconds: u64, stalled: Option<u64>| Reading {
            at: at + Duration::from_secs(seconds),
            stalled: stalled.map(Duration::from_millis),
            load: Some(0.5),
            lately: Some(0.25),
        };
        let during = |from: Reading, to: Reading| from.until(to).pressure;
        assert_eq!(during(reading(0, Some(100)), reading(2, Some(600))), Some(0.25));
        assert_eq!(during(reading(0, Some(0)), reading(1, Some(1500))), Some(1.0), "clocks of two kinds");
        assert_eq!(during(reading(1, Some(7)), reading(1, Some(7))), Some(0.25), "too short to have its own");
        assert_eq!(during(reading(0, None), reading(1, None)), None, "a kernel that does not tell");
    }

    #[test]
    fn a_machine_with_more_to_do_than_cores_is_seen_to_have_it() {
        if stalled().is_none() {
            eprintln!("not tried: this kernel does not tell its pressure");
            return;
        }
        let begin = reading();
        std::thread::sleep(2 * EVERY);
        let until = Instant::now() + Duration::from_millis(500);
        std::thread::scope(|scope| {
            for _ in 0..std::thread::available_parallelism().map_or(2, |cores| 2 * cores.get()) {
                scope.spawn(|| while Instant::now() < until {});
            }
        });
        let machine = begin.until(reading());
        assert!(machine.pressure.unwrap() > 0.2, "{machine:?}");
    }
}
