//! The games of a run for a question, as they are chosen: workers take them from here, and wait
//! where the next pair follows from results that are still missing.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use agon_record::GameRecord;
use agon_seats::Seat;
use agon_standings::pairings::PlannedGame;
use agon_standings::result::GameId;
use agon_standings::until::{PairPlan, QuestionStand, SeenGame};

/// How often somebody who waits looks whether the run is to end.
const LOOK: Duration = Duration::from_millis(50);

/// The pairs of a run for a question.
pub struct PairFeed {
    state: Mutex<FeedState>,
    changed: Condvar,
    /// The most pairs.
    most: u32,
    /// Set when no further game begins: nobody waits for results any more.
    ends: Mutex<Vec<Arc<AtomicBool>>>,
}

struct FeedState {
    plan: PairPlan,
    /// Games that were chosen and not begun.
    ready: VecDeque<PlannedGame>,
    is_over: bool,
}

impl PairFeed {
    /// Goes on after the pairs that were chosen before, whose games are given, with at most so many
    /// pairs.
    pub fn new(plan: PairPlan, games: Vec<PlannedGame>, most: u32) -> Self {
        let state = FeedState { plan, ready: games.into(), is_over: false };
        PairFeed { state: Mutex::new(state), changed: Condvar::new(), most, ends: Mutex::default() }
    }

    /// The games in their order, each as soon as it is chosen.
    pub fn games(self: &Arc<Self>) -> impl Iterator<Item = PlannedGame> + Send + use<> {
        let feed = self.clone();
        std::iter::from_fn(move || feed.next())
    }

    /// Nobody waits any more when one of these is set.
    pub fn ends_with(&self, ends: [Arc<AtomicBool>; 2]) {
        self.ends.lock().unwrap_or_else(PoisonError::into_inner).extend(ends);
    }

    fn is_ending(&self) -> bool {
        let ends = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        ends.iter().any(|end| end.load(Ordering::Relaxed))
    }

    fn next(&self) -> Option<PlannedGame> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(game) = state.ready.pop_front() {
                return Some(game);
            }
            if state.is_over || state.plan.chosen() >= self.most || self.is_ending() {
                return None;
            }
            let Some(pair) = state.plan.choose() else {
                // A result comes from the thread that stores it, never from who waits here.
                let waited = self.changed.wait_timeout(state, LOOK);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
                continue;
            };
            if state.plan.is_settled() {
                state.is_over = true;
                return None;
            }
            state.ready.extend(pair.games);
        }
    }

    /// Takes a game that has ended; void, it has no result.
    pub fn over(&self, record: &GameRecord, is_repeat: bool) {
        let decided = record.decided().filter(|decided| decided.places.len() == 2);
        let seen = decided.map(|decided| [decided.places[Seat::FIRST], decided.places[Seat::SECOND]]);
        self.take(record.id, SeenGame { seen, counts: seen.filter(|_| !is_repeat) });
    }

    fn take(&self, id: GameId, game: SeenGame) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).plan.take(id, game);
        self.changed.notify_all();
    }

    /// How far the question is settled by all results that are known.
    pub fn stand(&self) -> QuestionStand {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).plan.stand()
    }
}

impl std::fmt::Debug for PairFeed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PairFeed").field("most", &self.most).finish_non_exhaustive()
    }
}
