//! How long the calling thread has waited for a processor.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::Duration;

/// The waits of the thread that made this. Without such a count in the system there are none.
#[derive(Debug)]
pub(crate) struct OwnWaits(Option<File>);

impl OwnWaits {
    pub(crate) fn new() -> Self {
        OwnWaits(File::open("/proc/thread-self/schedstat").ok())
    }

    /// All of them so far.
    pub(crate) fn total(&self) -> Duration {
        let mut bytes = [0; 96];
        let read = self.0.as_ref().and_then(|file| file.read_at(&mut bytes, 0).ok()).unwrap_or(0);
        let text = std::str::from_utf8(&bytes[..read]).unwrap_or_default();
        let nanos = text.split_ascii_whitespace().nth(1).and_then(|field| field.parse().ok());
        nanos.map_or(Duration::ZERO, Duration::from_nanos)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn a_thread_that_waits_for_a_processor_is_seen_to() {
        let waits = OwnWaits::new();
        if waits.0.is_none() {
            return;
        }
        let until = Instant::now() + Duration::from_millis(300);
        std::thread::scope(|scope| {
            for _ in 0..std::thread::available_parallelism().map_or(2, |cores| 3 * cores.get()) {
                scope.spawn(|| while Instant::now() < until {});
            }
            while Instant::now() < until {}
        });
        assert!(waits.total() > Duration::from_millis(10), "{:?}", waits.total());
    }
}
