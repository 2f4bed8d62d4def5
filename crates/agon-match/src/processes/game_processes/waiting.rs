//! Notices of a question that is open for long, where no clock ends it.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use agon_standings::result::GameId;

use super::{GameProcesses, Slot};

/// Gets the notices: the game, and what it waits for.
type Tell = dyn Fn(GameId, &str) + Send + Sync;

/// Says now and then which engine a game waits for.
#[derive(Clone)]
pub struct WaitNotice {
    every: Duration,
    tell: Arc<Tell>,
    /// The game that it is about.
    game: Option<GameId>,
}

impl WaitNotice {
    /// Notices for all games of a run, after each such time.
    pub fn new(every: Duration, tell: impl Fn(GameId, &str) + Send + Sync + 'static) -> Self {
        WaitNotice { every, tell: Arc::new(tell), game: None }
    }

    /// The notices of one game.
    #[must_use]
    pub fn of(&self, game: GameId) -> Self {
        WaitNotice { game: Some(game), ..self.clone() }
    }
}

impl fmt::Debug for WaitNotice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WaitNotice").field("every", &self.every).finish_non_exhaustive()
    }
}

/// The question that is open.
pub(super) struct OpenWait {
    /// Whose answer it is, and to what: `mine (X) at ply 1`.
    pub(super) what: String,
    since: Instant,
    next: Instant,
}

impl GameProcesses {
    /// Notes for the notices whose answer is awaited. Called before a question.
    pub fn awaits(&mut self, what: impl FnOnce() -> String) {
        let every = self.limits.waiting.as_ref().map(|notice| notice.every);
        if every.is_some() || self.limits.pauses.is_some() {
            let since = Instant::now();
            self.wait = Some(OpenWait { what: what(), since, next: since + every.unwrap_or_default() });
        }
    }

    /// Gives a notice if it is time for one.
    pub(super) fn tell_wait(&mut self, now: Instant) {
        let (Some(notice), Some(wait), Some(turn)) = (&self.limits.waiting, &mut self.wait, &self.turn)
        else {
            return;
        };
        let (Some(game), Slot::Running(process)) = (notice.game, &self.slots[turn.seat]) else { return };
        if now < wait.next {
            return;
        }
        wait.next = now + notice.every;
        let seconds = now.saturating_duration_since(wait.since).as_secs_f64();
        let pid = process.pid().as_raw_nonzero();
        (notice.tell)(game, &format!("waiting for {} for {seconds:.0} s; its pid is {pid}", wait.what));
    }
}
