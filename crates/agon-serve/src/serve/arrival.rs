//! When a request has arrived, as the process of the tables is told it.

use rustix::time::{ClockId, clock_gettime};

/// Now, in nanoseconds, on a clock that all processes of the machine share and nobody sets.
pub fn arrival_clock() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    let [seconds, nanos] = [time.tv_sec, time.tv_nsec].map(|part| u64::try_from(part).unwrap_or(0));
    seconds * 1_000_000_000 + nanos
}
