//! The own clock of an engine that `agon connect` has started here, for the harness on another
//! machine: what [`super::own_clock`] counts of an engine in a game.

use std::time::{Duration, Instant};

use agon_remote::claim::{EngineClock, FarClaim};
use agon_sandbox::process_tree as tree;
use agon_sandbox::system::{Affinity, given_priority};
use rustix::process::Pid;

use super::own_clock::{Given, KnownThreads, SpentTurn};

/// How long one look may take: the lines of the engine wait meanwhile.
const GLANCE: Duration = Duration::from_millis(5);

/// Observes one engine. It was started as this process is, without another priority or core.
pub struct FarClock {
    given: Given,
    told: Instant,
    engine: Option<Pid>,
    /// The threads as they were seen last, when, and the turn so far.
    seen: Option<(KnownThreads, Instant, SpentTurn)>,
}

impl Default for FarClock {
    fn default() -> Self {
        let cores = Affinity::own().map(|own| own.cores()).unwrap_or_default();
        let given = Given { priority: given_priority(true), cores };
        FarClock { given, told: Instant::now(), engine: None, seen: None }
    }
}

impl FarClock {
    /// Looks at the threads of the engine.
    fn look(&mut self) {
        let Some(engine) = self.engine else { return };
        let sample = tree::sample(&[engine], 0, GLANCE);
        let now = Instant::now();
        if !sample.whole {
            self.seen = None;
            return;
        }
        match &mut self.seen {
            Some((known, at, spent)) => {
                let span = now.saturating_duration_since(*at);
                spent.add(&known.next(&sample, span, &self.given));
                *at = now;
            }
            first => {
                let since = now.saturating_duration_since(self.told);
                let (known, spent) = KnownThreads::first(&sample, since, &self.given);
                *first = Some((known, now, spent));
            }
        }
    }
}

impl EngineClock for FarClock {
    fn told(&mut self, engine: u32) {
        self.engine = i32::try_from(engine).ok().and_then(Pid::from_raw);
        (self.told, self.seen) = (Instant::now(), None);
    }

    fn so_far(&mut self, late: Duration) -> FarClaim {
        self.look();
        let wall = self.told.elapsed();
        let Some((_, _, spent)) = &self.seen else { return FarClaim { own: wall, ran: Duration::ZERO } };
        // Its session may have made itself nicer than others, as the harness looks for too.
        let is_kept = self.engine.is_some_and(|engine| tree::worst_session(&[engine], 0, GLANCE) == 0);
        let own = if is_kept { spent.own(wall) } else { wall };
        // The time that it ran counts, also if a look was late.
        let own = own.saturating_sub(late).max(spent.ran.min(own));
        FarClaim { own, ran: spent.ran }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// Whether the system counts waits for a processor.
    const COUNTS: bool = cfg!(target_os = "linux");

    /// How an engine spends half a second of its own: what the clock says of it, and what it took.
    fn observed(script: &str) -> (FarClaim, Duration) {
        let mut engine = Command::new("sh").args(["-c", script]).spawn().unwrap();
        let mut clock = FarClock::default();
        clock.told(engine.id());
        let began = Instant::now();
        let mut claim = FarClaim::default();
        while claim.own < Duration::from_millis(400) && began.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(20));
            claim = clock.so_far(Duration::ZERO);
        }
        let took = began.elapsed();
        engine.kill().unwrap();
        engine.wait().unwrap();
        (claim, took)
    }

    #[test]
    fn an_engine_that_computes_has_its_processor_time_and_one_that_sleeps_the_time_that_passes() {
        let (burns, took) = observed("while :; do :; done");
        assert!((burns.ran > Duration::ZERO || !COUNTS) && burns.own <= took, "{burns:?} in {took:?}");
        assert!(
            !COUNTS || burns.own < burns.ran + took / 2 + Duration::from_millis(100),
            "{burns:?} in {took:?}"
        );
        let (sleeps, took) = observed("exec sleep 100");
        assert!(
            sleeps.own + Duration::from_millis(100) >= took.min(Duration::from_secs(1)),
            "{sleeps:?} in {took:?}"
        );
        assert!(sleeps.ran < Duration::from_millis(100), "{sleeps:?}");
    }

    #[test]
    fn the_time_in_which_nobody_could_read_the_answer_is_not_that_of_an_engine_that_did_not_run() {
        let mut engine = Command::new("sleep").arg("100").spawn().unwrap();
        let mut clock = FarClock::default();
        clock.told(engine.id());
        std::thread::sleep(Duration::from_millis(100));
        let (whole, late) = (clock.so_far(Duration::ZERO), clock.so_far(Duration::from_millis(90)));
        engine.kill().unwrap();
        engine.wait().unwrap();
        assert!(whole.own >= Duration::from_millis(90), "the control: {whole:?}");
        assert!(!COUNTS || late.own < whole.own, "{late:?}");
    }
}
