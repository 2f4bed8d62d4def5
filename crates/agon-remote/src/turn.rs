//! The present turn of the engine on its machine, for what the other side is told of it.

use std::time::{Duration, Instant};

use crate::claim::{EngineClock, FarClaim};
use crate::frame::WireFrame;
use crate::waits::OwnWaits;

/// After so long in a turn the engine is looked at for the first time: fast games cost nothing.
const FIRST_LOOK: Duration = Duration::from_millis(2);
/// This thread waited for a processor for so long before it could tell the engine something: the
/// machine is busy, and the engine is looked at before it begins.
const BUSY: Duration = Duration::from_millis(1);
/// A claim that was made so lately is not made anew for what the engine writes.
const LATELY: Duration = Duration::from_millis(10);

/// The turn of an engine.
pub(crate) struct FarTurn {
    clock: Box<dyn EngineClock>,
    /// When the engine was told something last.
    told: Option<Instant>,
    looked: Option<Instant>,
    /// Whether the engine was kept from a processor in the turn.
    was_kept: bool,
    waits: OwnWaits,
    /// The waits of this thread before it waited for what happens next.
    before: Duration,
    /// For how long it could not run when something had happened.
    late: Duration,
}

impl FarTurn {
    pub(crate) fn new(clock: Box<dyn EngineClock>) -> Self {
        let (none, waits) = (Duration::ZERO, OwnWaits::new());
        FarTurn { clock, told: None, looked: None, was_kept: false, waits, before: none, late: none }
    }

    /// The engine is about to be told something, or has just read what it was told first. Waits
    /// that end before the first look are not known, and on a busy machine that look may come late.
    pub(crate) fn told(&mut self, engine: u32) {
        (self.told, self.looked) = (Some(Instant::now()), None);
        self.clock.told(engine);
        if self.was_kept || self.late >= BUSY {
            self.claim(Duration::ZERO);
        }
        self.was_kept = false;
    }

    /// How long until the engine is to be looked at for the first time in this turn.
    pub(crate) fn until_first_look(&self) -> Option<Duration> {
        let told = self.told.filter(|_| self.looked.is_none())?;
        Some(FIRST_LOOK.saturating_sub(told.elapsed()))
    }

    /// This thread is about to wait.
    pub(crate) fn waits(&mut self) {
        self.before = self.waits.total();
    }

    /// This thread runs again.
    pub(crate) fn runs(&mut self) {
        self.late = self.waits.total().saturating_sub(self.before);
        if self.until_first_look().is_some_and(|left| left.is_zero()) {
            self.claim(Duration::ZERO);
        }
    }

    fn claim(&mut self, late: Duration) -> FarClaim {
        self.looked = Some(Instant::now());
        let claim = self.clock.so_far(late);
        let span = self.told.map_or(Duration::ZERO, |told| told.elapsed());
        self.was_kept = self.was_kept || span.saturating_sub(claim.own) >= BUSY;
        claim
    }

    /// What is said of the turn when the other side asks.
    pub(crate) fn so_far(&mut self) -> FarClaim {
        match self.told {
            Some(_) => self.claim(Duration::ZERO),
            None => FarClaim::default(),
        }
    }

    /// The frame for what the engine has written.
    pub(crate) fn answer(&mut self, bytes: Vec<u8>) -> WireFrame {
        match self.looked {
            Some(at) if at.elapsed() >= LATELY || !self.late.is_zero() => {
                let claim = self.claim(self.late);
                // The engine had answered before this thread waited for a processor once more.
                let waited = self.waits.total().saturating_sub(self.before + self.late);
                let own = claim.own.saturating_sub(waited).max(claim.ran.min(claim.own));
                WireFrame::Answer(FarClaim { own, ..claim }, bytes)
            }
            _ => WireFrame::Stdout(bytes),
        }
    }
}
