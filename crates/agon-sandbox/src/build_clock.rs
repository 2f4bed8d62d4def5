//! The time of a build. A build that waits for a processor gets that time back: it must not fail
//! because others keep the machine busy.

use std::time::{Duration, Instant};

use crate::levels::TreeSample;

/// How much longer than its bound a build may last, in bounds.
const MOST_MORE: u32 = 3;
/// The least time between two looks.
const LEAST: Duration = Duration::from_millis(100);

/// The clock of one build.
#[derive(Debug)]
pub struct BuildClock {
    begun: Instant,
    bound: Duration,
    looked: Instant,
    /// The processor time at the last look.
    cpu: Duration,
    was_runnable: bool,
    /// How long it could have run and did not.
    starved: Duration,
}

/// What the clock of a build says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BuildTime {
    /// It has time until then, at least.
    Until(Instant),
    /// It had the time of its bound.
    Over,
    /// It has lasted too long, and did not have the time of its bound; in words.
    Starved(String),
}

impl BuildClock {
    /// The clock of a build that begins now and may take this long.
    pub fn start(bound: Duration, now: Instant) -> Self {
        BuildClock {
            begun: now,
            bound,
            looked: now,
            cpu: Duration::ZERO,
            was_runnable: false,
            starved: Duration::ZERO,
        }
    }

    /// Notes what the processes of the build do. `sample` is asked only if the last look was long
    /// ago.
    pub fn look(&mut self, now: Instant, sample: impl FnOnce() -> TreeSample) {
        let passed = now.saturating_duration_since(self.looked);
        if passed < LEAST {
            return;
        }
        let TreeSample { cpu, threads, .. } = sample();
        let is_runnable = threads.iter().any(|thread| thread.runnable);
        if is_runnable && self.was_runnable {
            self.starved += passed.saturating_sub(cpu.saturating_sub(self.cpu));
        }
        (self.looked, self.cpu, self.was_runnable) = (now, cpu, is_runnable);
    }

    /// Whether it has time left.
    pub fn time(&self, now: Instant) -> BuildTime {
        let most = self.bound * MOST_MORE;
        let until = self.begun + self.bound + self.starved.min(most);
        if now < until {
            BuildTime::Until(until)
        } else if self.starved < most {
            BuildTime::Over
        } else {
            let lasted = now.saturating_duration_since(self.begun).as_secs();
            BuildTime::Starved(format!(
                "its build was not done after {lasted} s, of which it waited {} s for a processor",
                self.starved.as_secs()
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::levels::{Priority, ThreadSample};

    /// Looks each second at a build that may take 10 s and gets this much processor time a second,
    /// until its time is over.
    fn ends_after(share: u64, runnable: bool) -> (u64, BuildTime) {
        let begun = Instant::now();
        let mut clock = BuildClock::start(Duration::from_secs(10), begun);
        let (ran, waited, priority) = (Duration::ZERO, Duration::ZERO, Priority::default());
        let thread = ThreadSample { id: 1, born: 0, runnable, ran, waited, priority, cores: Vec::new() };
        let threads = vec![thread];
        let mut second = 0;
        loop {
            second += 1;
            let now = begun + Duration::from_secs(second);
            let cpu = Duration::from_millis(share * second);
            clock.look(now, || TreeSample { cpu, threads: threads.clone(), whole: true });
            match clock.time(now) {
                BuildTime::Until(until) => assert!(until > now),
                over => return (second, over),
            }
        }
    }

    #[test]
    fn a_build_that_waits_for_a_processor_gets_that_time_back() {
        assert_eq!(ends_after(1000, true), (10, BuildTime::Over));
        assert_eq!(ends_after(0, false), (10, BuildTime::Over), "one that sleeps waits for nothing");
        let (second, over) = ends_after(500, true);
        assert!((19..=21).contains(&second) && over == BuildTime::Over, "{second}");
        let (second, over) = ends_after(10, true);
        assert!(second <= 41 && matches!(over, BuildTime::Starved(_)), "{second}: {over:?}");
    }
}
