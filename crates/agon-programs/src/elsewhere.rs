//! Engines that play elsewhere, by a command like `ssh`. The organiser alone says which they are.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use agon_record::Lag;

/// A lag that was measured longer ago than this is measured anew before the next game.
const OLD: Duration = Duration::from_secs(60);
/// A measured lag is cut to a multiple of this: what is smaller tells nothing.
const STEP: Duration = Duration::from_micros(100);

/// What a run knows of an engine that plays elsewhere. All copies of the engine share it.
#[derive(Debug)]
pub struct Elsewhere {
    /// The most of its lag that is allowed for.
    most: Duration,
    line: Mutex<Line>,
}

#[derive(Debug, Default)]
struct Line {
    /// The lag that was measured last.
    measured: Option<Duration>,
    /// When it was last tried to measure it.
    tried: Option<Instant>,
    /// How many games of the engine go on.
    games: u32,
}

impl Elsewhere {
    /// An engine for which so much of its lag is allowed for, at most.
    pub fn new(most: Duration) -> Self {
        Elsewhere { most, line: Mutex::default() }
    }

    /// The most of its lag that is allowed for.
    pub fn most(&self) -> Duration {
        self.most
    }

    /// How much of the lag that was measured last is allowed for.
    pub fn allowed(&self) -> Duration {
        self.lag_of(&self.line()).map_or(Duration::ZERO, |lag| lag.allowed)
    }

    /// Notes a lag that was measured. Returns what becomes of it.
    pub fn note(&self, measured: Duration) -> Lag {
        let mut line = self.line();
        line.note(Some(measured));
        self.lag_of(&line).expect("it has just been noted")
    }

    /// The lag of the next game, and a token to be kept during it. `measure` is called if `may` is
    /// true, the lag was measured before and is old, and no game of the engine goes on. So no clock
    /// of the engine runs meanwhile. Without a result the lag stays what it was.
    pub fn begin_game(
        self: &Arc<Self>,
        may: bool,
        measure: impl FnOnce() -> Option<Duration>,
    ) -> (Option<Lag>, GameElsewhere) {
        // Locked while it is measured: no other game begins meanwhile.
        let mut line = self.line();
        let is_old = line.tried.is_some_and(|tried| tried.elapsed() >= OLD);
        if may && is_old && line.games == 0 {
            let measured = measure();
            line.note(measured);
        }
        line.games += 1;
        (self.lag_of(&line), GameElsewhere(self.clone()))
    }

    fn lag_of(&self, line: &Line) -> Option<Lag> {
        let measured = line.measured?;
        Some(Lag { measured, allowed: measured.min(self.most) })
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner) // it is whole after each step
    }
}

impl Line {
    fn note(&mut self, measured: Option<Duration>) {
        let whole = |time: Duration| STEP * u32::try_from(time.as_micros() / STEP.as_micros()).unwrap_or(0);
        self.measured = measured.map(whole).or(self.measured);
        self.tried = Some(Instant::now());
    }
}

/// A game of an engine elsewhere goes on while this exists.
#[derive(Debug)]
pub struct GameElsewhere(Arc<Elsewhere>);

impl Drop for GameElsewhere {
    fn drop(&mut self) {
        self.0.line().games -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLI: Duration = Duration::from_millis(1);

    fn made_old(elsewhere: &Elsewhere) {
        elsewhere.line().tried = Some(Instant::now().checked_sub(OLD).unwrap());
    }

    #[test]
    fn no_more_of_a_lag_is_allowed_for_than_was_asked_or_measured() {
        let elsewhere = Elsewhere::new(20 * MILLI);
        assert_eq!(elsewhere.note(Duration::from_micros(23_456)).allowed, 20 * MILLI);
        assert_eq!(elsewhere.note(Duration::from_micros(7_199)).allowed, Duration::from_micros(7_100));
        assert!(Elsewhere::new(Duration::ZERO).note(MILLI).allowed.is_zero());
    }

    #[test]
    fn a_lag_is_measured_anew_when_it_is_old_and_no_game_goes_on() {
        let elsewhere = Arc::new(Elsewhere::new(20 * MILLI));
        let unasked = || panic!("it is not to be measured");
        assert_eq!(elsewhere.begin_game(true, unasked).0, None, "it has no echo");
        elsewhere.note(5 * MILLI);
        drop(elsewhere.begin_game(true, unasked));
        made_old(&elsewhere);
        drop(elsewhere.begin_game(false, unasked));
        let (lag, game) = elsewhere.begin_game(true, || Some(9 * MILLI));
        assert_eq!(lag.unwrap().measured, 9 * MILLI);
        made_old(&elsewhere);
        drop(elsewhere.begin_game(true, unasked));
        drop(game);
        assert_eq!(elsewhere.begin_game(true, || None).0.unwrap().measured, 9 * MILLI);
        assert_eq!(
            elsewhere.begin_game(true, unasked).0.unwrap().measured,
            9 * MILLI,
            "it is tried once a minute"
        );
    }
}
