//! Pauses of the game, which the harness shows by a file.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::event::Timespec;

/// In a pause its end is looked for so often. The clock of the engine runs from the end on.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 5_000_000 };

/// How pauses are known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PauseFile {
    /// There as long as the game is paused.
    pub path: PathBuf,
    /// The longest pause.
    pub longest: Duration,
}

/// The pause that goes on, if any.
pub(crate) struct CarriedPauses<'a> {
    file: Option<&'a PauseFile>,
    since: Option<Instant>,
}

/// What has changed since the last look.
pub(crate) enum PauseChange {
    Began,
    /// A pause that began at this time is over.
    Ended(Instant),
}

impl<'a> CarriedPauses<'a> {
    pub(crate) fn new(file: Option<&'a PauseFile>) -> Self {
        CarriedPauses { file, since: None }
    }

    /// Looks whether a pause has begun or ended.
    pub(crate) fn look(&mut self) -> Option<PauseChange> {
        let is_paused = self.file?.path.exists();
        match self.since {
            None if is_paused => {
                self.since = Some(Instant::now());
                Some(PauseChange::Began)
            }
            Some(began) if !is_paused => {
                self.since = None;
                Some(PauseChange::Ended(began))
            }
            _ => None,
        }
    }

    /// Whether the game is paused.
    pub(crate) fn go_on(&self) -> bool {
        self.since.is_some()
    }

    /// How long one may sleep, if the game is paused.
    pub(crate) fn tick(&self) -> Option<Timespec> {
        self.since.map(|_| LOOK)
    }
}
