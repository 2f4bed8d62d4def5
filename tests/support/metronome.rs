//! A control for what a test finds late: a thread that sleeps and wakes beside it, as an engine
//! does that waits for its turn.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{JoinHandle, sleep};
use std::time::{Duration, Instant};

/// How long it sleeps each time.
const BEAT: Duration = Duration::from_millis(10);

/// Measures, until it is asked, how late this machine wakes a thread that sleeps.
pub(crate) struct Metronome {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Duration>,
}

impl Metronome {
    /// Begins to measure.
    pub(crate) fn start() -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let asked = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            let mut worst = Duration::ZERO;
            while !asked.load(Ordering::Relaxed) {
                let began = Instant::now();
                sleep(BEAT);
                worst = worst.max(began.elapsed().saturating_sub(BEAT));
            }
            worst
        });
        Metronome { stop, thread }
    }

    /// The most that something may be late which is late by `least` on an idle machine.
    pub(crate) fn most(self, least: Duration) -> Duration {
        least + self.late()
    }

    /// How late this machine may have made an answer. Between a question and its answer some ten
    /// processes and threads are woken, one after the other.
    pub(crate) fn late(self) -> Duration {
        self.stop.store(true, Ordering::Relaxed);
        10 * self.thread.join().unwrap()
    }
}
