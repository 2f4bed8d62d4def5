//! Times of requests: when they arrived at the server, which is another process, and what they
//! cost.

use std::time::{Duration, Instant};

use agon_sandbox::system::shared_clock;
use rustix::time::{ClockId, clock_gettime};

/// The instant of an arrival that was told. It is not in the future.
pub(super) fn instant(at: Option<u64>) -> Instant {
    let (here, now) = (Instant::now(), shared_clock());
    let ago = at.map_or(0, |at| now.saturating_sub(at));
    here.checked_sub(Duration::from_nanos(ago)).unwrap_or(here)
}

/// The processor time that this thread has used.
pub(super) fn processor_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or(Duration::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arrival_is_the_same_instant_in_the_other_process() {
        let before = Instant::now();
        let told = shared_clock();
        let after = Instant::now();
        let read = instant(Some(told));
        // Both clocks have a resolution.
        let slack = Duration::from_micros(100);
        assert!(read + slack >= before && read <= after + slack + before.elapsed());
        assert!(instant(Some(told + 1_000_000_000_000)) <= Instant::now());
    }
}
