//! Where the process of an engine runs.

use std::sync::Arc;

use agon_config::Confinement;
use agon_sandbox::Isolation;
use agon_sandbox::system::Affinity;

use crate::processes::pinning::Core;

/// Where the process runs.
pub(super) enum Placement {
    /// On every core: the game has none of its own, or the process has several threads and left
    /// this one.
    Anywhere(Option<Arc<Core>>),
    /// It moves to this core, the game's, when it has answered and has one thread.
    Undecided(Arc<Core>),
    /// It stays on this core as long as it has one thread.
    Pinned(Arc<Core>),
    /// Its box keeps it on the game's core, however many threads it has.
    Boxed(Arc<Core>),
}

impl Placement {
    /// How many cores there are for games.
    pub(super) fn all_cores(&self) -> usize {
        match self {
            Placement::Anywhere(None) => self.cores().len(),
            Placement::Anywhere(Some(core))
            | Placement::Undecided(core)
            | Placement::Pinned(core)
            | Placement::Boxed(core) => core.all().len(),
        }
    }

    /// The cores that agon lets the process use; empty if they are unknown.
    pub(super) fn cores(&self) -> Vec<usize> {
        match self {
            Placement::Anywhere(None) => Affinity::own().map(|own| own.cores()).unwrap_or_default(),
            Placement::Anywhere(Some(core)) | Placement::Undecided(core) => core.all(),
            Placement::Pinned(core) | Placement::Boxed(core) => vec![core.number()],
        }
    }
}

/// Whether a box keeps its processes on the core of the game, however many threads they have.
pub(super) fn stays_on_core(confinement: &Confinement) -> bool {
    confinement.level == Isolation::Strict
}
