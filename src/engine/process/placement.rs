//! Where the process of an engine runs.

use std::sync::Arc;

use crate::config::{Confinement, Isolation};
use crate::engine::pinning::Core;

/// Where the process runs.
pub(super) enum Placement {
    /// On every core: the game has none of its own, or the process has several threads.
    Anywhere,
    /// It moves to this core, the game's, when it has answered and has one thread.
    Undecided(Arc<Core>),
    /// It stays on this core as long as it has one thread.
    Pinned(Arc<Core>),
    /// Its box keeps it on the game's core, however many threads it has.
    Boxed,
}

/// Whether a box keeps its processes on the core of the game, however many threads they have.
pub(super) fn stays_on_core(confinement: &Confinement) -> bool {
    confinement.level == Isolation::Strict
}
