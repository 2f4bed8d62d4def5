//! One turn: a question that was put to an engine, and what moves its deadline.

use std::time::{Duration, Instant};

use agon_record::SpentTime;
use agon_seats::Seat;

use super::REST_AFTER;
use super::idling::AskAgain;

pub(super) struct Turn {
    pub(super) seat: Seat,
    pub(super) allowance: Duration,
    /// When the question was put; the clock starts no sooner.
    pub(super) put: Instant,
    /// When the clock started.
    pub(super) start: Option<Instant>,
    /// How long the question is, when it is the first thing the engine is told after the greeting.
    pub(super) first_words: u64,
    /// Bytes said before this turn.
    pub(super) said_before: u64,
    /// Whether the process had ended before the question was put.
    pub(super) dead: bool,
    /// When what lies in the inbox was read.
    pub(super) woke: Instant,
    /// Whether its output was read after the deadline. This is done once: an engine that goes on
    /// writing would otherwise hold the harness for ever.
    pub(super) read_after_deadline: bool,
    /// How long the harness was held up in it without the engine's doing: the deadline has moved by
    /// as much.
    pub(super) excused: Duration,
    /// The part of that in which the game was paused.
    pub(super) paused: Duration,
    /// How much more time its asker has given it.
    pub(super) extended: Duration,
    /// How often the harness woke late in it and that was excused.
    pub(super) excuses: u32,
    /// Until when it goes on because its engine was kept from a processor.
    pub(super) granted: Option<Instant>,
    /// Whether it goes on because its engine is elsewhere: what its machine says may show that it
    /// was held up.
    pub(super) is_far_grant: bool,
    /// That the last wait ended so late, and that has not been looked into yet.
    pub(super) late: Duration,
    /// The processor time of this thread when everybody was looked at last.
    pub(super) thread: Option<Duration>,
    /// How its engine has spent it, if that is for the record.
    pub(super) spent: Option<SpentTime>,
    /// When its answer was heard.
    pub(super) answered: Option<Instant>,
    /// When the others are to rest, and then when to look after everybody again.
    pub(super) look: Instant,
    /// Whether everybody was looked at since the clock started, or since the question was put.
    pub(super) is_looked_at: bool,
    /// How the question is put once more to an engine that waits for input, if it is.
    pub(super) again: Option<AskAgain>,
}

impl Turn {
    pub(super) fn new(seat: Seat, allowance: Duration, put: Instant) -> Self {
        Turn {
            seat,
            allowance,
            put,
            start: None,
            first_words: 0,
            said_before: 0,
            dead: false,
            woke: put,
            read_after_deadline: false,
            excused: Duration::ZERO,
            paused: Duration::ZERO,
            extended: Duration::ZERO,
            excuses: 0,
            granted: None,
            is_far_grant: false,
            late: Duration::ZERO,
            thread: None,
            spent: None,
            answered: None,
            look: put + REST_AFTER,
            is_looked_at: false,
            again: None,
        }
    }

    /// When the clock started, or when the question was put if it does not run yet.
    pub(super) fn asked(&self) -> Instant {
        self.start.unwrap_or(self.put)
    }

    /// How long the question has been open, without pauses.
    pub(super) fn waited(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.asked()).saturating_sub(self.paused)
    }

    /// How long the clock of the engine can have run by the wall clock: without pauses, and without
    /// the time in which the harness was held up.
    pub(super) fn wall(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.asked()).saturating_sub(self.excused)
    }

    /// Its allowance, with what was given besides.
    pub(super) fn whole_allowance(&self) -> Duration {
        self.allowance + self.extended
    }

    /// When the time of the question runs out. The head of `game_processes.rs` has what moves it.
    pub(super) fn deadline(&self) -> Instant {
        let by_the_wall = self.asked() + self.whole_allowance() + self.excused;
        self.granted.map_or(by_the_wall, |granted| granted.max(by_the_wall))
    }
}
