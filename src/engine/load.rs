//! How busy the machine is, as the kernel tells it: a game whose clocks ran while others were in the way shows it.
//!
//! All games share one reading, which is taken anew ten times a second at most: it costs more than a short game may.

use std::fs;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::record::MachineLoad;

/// So often the kernel is asked at most.
const EVERY: Duration = Duration::from_millis(100);

/// What the kernel said at an instant.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    at: Instant,
    /// How long, in all, some process has waited for a processor.
    stalled: Option<Duration>,
    /// How many processes wanted to run, the mean of the last minute.
    load: Option<f64>,
    /// The pressure between the reading before and this one.
    lately: Option<f64>,
}

static LAST: Mutex<Option<Reading>> = Mutex::new(None);

/// The latest reading, which is at most [`EVERY`] old.
pub fn reading() -> Reading {
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner); // what it holds is whole at any time
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
    /// How busy the machine has been from this reading to another.
    pub fn until(self, end: Reading) -> MachineLoad {
        // A game shorter than the time between two readings: what was the case around it.
        let pressure = if end.at > self.at { pressure(self, end) } else { end.lately };
        MachineLoad { load: end.load, pressure }
    }
}

/// The share of the time between two readings in which some process waited for a processor, in thousandths.
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

/// How long the machine's processors have been busy since it started, all together, where the system tells it.
pub(super) fn busy() -> Option<Duration> {
    let text = fs::read_to_string("/proc/stat").ok()?;
    let mut fields =
        text.lines().next()?.strip_prefix("cpu ")?.split_ascii_whitespace().map(str::parse::<u64>);
    let mut field = || fields.next()?.ok();
    // What stands between is time in which nobody had anything to do, or waited for a disk.
    let (user, nice, system, _, _) = (field()?, field()?, field()?, field()?, field()?);
    let (interrupts, soft, stolen) = (field()?, field()?, field()?);
    let ticks = user + nice + system + interrupts + soft + stolen;
    Some(Duration::from_nanos(ticks * (1_000_000_000 / rustix::param::clock_ticks_per_second().max(1))))
}

/// How long the calling thread has waited for a processor since it began; nothing where the system does not tell.
pub(super) fn own_wait() -> Duration {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').nth(1).and_then(|time| time.parse().ok()).map_or(Duration::ZERO, Duration::from_nanos)
}

/// The load of the machine in the last minute, where the system tells it.
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
