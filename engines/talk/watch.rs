//! When to stop thinking, and what is told of the thoughts meanwhile.

use std::fmt;
use std::time::{Duration, Instant};

/// How much time may be used for a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Budget {
    /// After this no new round of thinking is begun.
    pub(crate) soft: Duration,
    /// After this the thinking is broken off.
    pub(crate) hard: Duration,
}

impl Budget {
    /// So much time for each move. What is left unused is for a machine that is busy with other things: a fifth,
    /// but at least 40 ms (or half of everything) and at most half a second.
    pub(crate) fn of_move(time: Duration) -> Budget {
        let reserve = (time / 5).clamp(Duration::from_millis(40), Duration::from_millis(500));
        let hard = time - reserve.min(time / 2);
        Budget { soft: hard, hard }
    }

    /// So much time left for the rest of the game, and so much more after each move: a fortieth of it, and three
    /// times as much when a round of thinking takes long, but never more than a quarter.
    pub(crate) fn of_game(left: Duration, increment: Duration) -> Budget {
        let share = left / 40 + increment.min(left) * 3 / 4;
        let most = (left / 4).min(Budget::of_move(left).hard);
        Budget { soft: share.mul_f64(0.6).min(most), hard: (share * 3).min(most) }
    }
}

/// What a search asks while it goes on.
pub(crate) struct Watch<'a> {
    began: Instant,
    budget: Option<Budget>,
    /// The deepest round of thinking that is asked for.
    pub(crate) depth: u32,
    nodes: u64,
    heard: &'a mut dyn FnMut() -> bool,
    tell: &'a mut dyn FnMut(&Thought, Duration),
}

impl<'a> Watch<'a> {
    /// A watch over thinking that began at an instant. Without a budget there is no end to it. `heard` tells
    /// whether somebody has said stop.
    pub(crate) fn new(
        began: Instant,
        budget: Option<Budget>,
        heard: &'a mut dyn FnMut() -> bool,
        tell: &'a mut dyn FnMut(&Thought, Duration),
    ) -> Self {
        Watch { began, budget, depth: u32::MAX, nodes: u64::MAX, heard, tell }
    }

    /// The same one, with an end to depth and nodes.
    pub(crate) fn within(mut self, depth: u32, nodes: u64) -> Self {
        self.depth = depth;
        self.nodes = nodes;
        self
    }

    /// Whether thinking must be broken off. To be asked every thousand nodes or so.
    pub(crate) fn must_stop(&mut self, nodes: u64) -> bool {
        nodes >= self.nodes
            || self.budget.is_some_and(|budget| self.began.elapsed() >= budget.hard)
            || (self.heard)()
    }

    /// Whether another round of thinking would not come to an end.
    pub(crate) fn should_stop(&self) -> bool {
        self.budget.is_some_and(|budget| self.began.elapsed() >= budget.soft)
    }

    /// Tells of a round of thinking that has ended.
    pub(crate) fn tell(&mut self, thought: &Thought) {
        (self.tell)(thought, self.began.elapsed());
    }
}

/// What a round of thinking came to.
#[derive(Clone, Debug)]
pub(crate) struct Thought {
    /// How deep it looked.
    pub(crate) depth: u32,
    /// How good the position is for the side to move.
    pub(crate) score: Score,
    /// How many positions were looked at so far.
    pub(crate) nodes: u64,
    /// The moves that are expected.
    pub(crate) line: Vec<String>,
}

/// How good a position is for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Score {
    /// In hundredths of what is worth one.
    Points(i32),
    /// It wins after so many plies.
    Wins(u32),
    /// It loses after so many plies.
    Loses(u32),
}

/// As chess engines write it: `cp 17`; `mate 3`, in moves, and `mate -3`.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Score::Points(points) => write!(f, "cp {points}"),
            Score::Wins(plies) => write!(f, "mate {}", plies.div_ceil(2)),
            Score::Loses(plies) => write!(f, "mate -{}", plies.div_ceil(2)),
        }
    }
}
