//! When to stop a search, and what it reports meanwhile.

use std::fmt;
use std::time::{Duration, Instant};

/// The time for a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Budget {
    /// No new round begins after this.
    pub(crate) soft: Duration,
    /// The search is aborted after this.
    pub(crate) hard: Duration,
}

impl Budget {
    /// For a time per move. A part is kept for a busy machine: a fifth, but at least 40 ms (or half
    /// of everything) and at most half a second.
    pub(crate) fn of_move(time: Duration) -> Budget {
        let reserve = (time / 5).clamp(Duration::from_millis(40), Duration::from_millis(500));
        let hard = time - reserve.min(time / 2);
        Budget { soft: hard, hard }
    }

    /// For a time for the rest of the game and an increment: a fortieth of it. A round that takes
    /// long may use three times as much, but never more than a quarter.
    pub(crate) fn of_game(left: Duration, increment: Duration) -> Budget {
        let share = left / 40 + increment.min(left) * 3 / 4;
        let most = (left / 4).min(Budget::of_move(left).hard);
        Budget { soft: share.mul_f64(0.6).min(most), hard: (share * 3).min(most) }
    }
}

/// The state that a search checks while it runs.
pub(crate) struct Watch<'a> {
    began: Instant,
    budget: Option<Budget>,
    /// The deepest round that is wanted.
    pub(crate) depth: u32,
    nodes: u64,
    heard: &'a mut dyn FnMut() -> bool,
    tell: &'a mut dyn FnMut(&Thought, Duration),
}

impl<'a> Watch<'a> {
    /// A watch for a search that began at an instant. Without a budget it has no end. `heard`
    /// returns whether somebody has said stop.
    pub(crate) fn new(
        began: Instant,
        budget: Option<Budget>,
        heard: &'a mut dyn FnMut() -> bool,
        tell: &'a mut dyn FnMut(&Thought, Duration),
    ) -> Self {
        Watch { began, budget, depth: u32::MAX, nodes: u64::MAX, heard, tell }
    }

    /// The same, with limits of depth and nodes.
    pub(crate) fn within(mut self, depth: u32, nodes: u64) -> Self {
        self.depth = depth;
        self.nodes = nodes;
        self
    }

    /// Whether the search must be aborted. Call it every thousand nodes or so.
    pub(crate) fn must_stop(&mut self, nodes: u64) -> bool {
        nodes >= self.nodes
            || self.budget.is_some_and(|budget| self.began.elapsed() >= budget.hard)
            || (self.heard)()
    }

    /// When a part of the time for the move is over; `None` if no clock runs.
    pub(crate) fn part(&self, part: u32, of: u32) -> Option<Instant> {
        self.budget.map(|budget| self.began + budget.soft * part / of)
    }

    /// Whether another round would not be finished in time.
    pub(crate) fn should_stop(&self) -> bool {
        self.budget.is_some_and(|budget| self.began.elapsed() >= budget.soft)
    }

    /// Reports a finished round.
    pub(crate) fn tell(&mut self, thought: &Thought) {
        (self.tell)(thought, self.began.elapsed());
    }
}

/// The result of a round.
#[derive(Clone, Debug)]
pub(crate) struct Thought {
    /// Its depth.
    pub(crate) depth: u32,
    /// The evaluation for the side to move.
    pub(crate) score: Score,
    /// The number of positions searched so far.
    pub(crate) nodes: u64,
    /// The expected moves.
    pub(crate) line: Vec<String>,
}

/// An evaluation for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Score {
    /// In hundredths of a unit.
    Points(i32),
    /// It wins after this many plies.
    Wins(u32),
    /// It loses after this many plies.
    Loses(u32),
}

/// In the form of chess engines: `cp 17`; `mate 3`, in moves, and `mate -3`.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Score::Points(points) => write!(f, "cp {points}"),
            Score::Wins(plies) => write!(f, "mate {}", plies.div_ceil(2)),
            Score::Loses(plies) => write!(f, "mate -{}", plies.div_ceil(2)),
        }
    }
}
