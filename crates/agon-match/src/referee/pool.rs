//! The processes of engines and of a referee program that live on from game to game.

use std::collections::{HashMap, HashSet};

use agon_protocol::announced::AnnouncedOption;

use super::hosted_referee::ParkedReferee;
use crate::processes::{Limits, ParkedEngine, WorkDir};

/// Engine processes that live on from game to game, by the names of their entrants.
pub struct EnginePool {
    pub(super) parked: HashMap<String, Parked>,
    /// The referee program of the last game, if it is to referee more.
    pub(super) referee: Option<ParkedReferee>,
    /// Those that were seen to have one thread only: they are started on the core of the game.
    pub(super) single: HashSet<String>,
    limits: Limits,
}

/// A process that waits for its next game.
pub(super) struct Parked {
    pub(super) process: ParkedEngine,
    pub(super) directory: WorkDir,
    pub(super) farewell: &'static [u8],
    /// The options that it has announced.
    pub(super) announced: Vec<AnnouncedOption>,
}

impl EnginePool {
    /// An empty pool.
    pub fn new(limits: Limits) -> Self {
        EnginePool { parked: HashMap::new(), referee: None, single: HashSet::new(), limits }
    }

    /// Ends all its engines. A referee program goes on to the games of others.
    pub fn end(&mut self) {
        for (_, Parked { process, directory, farewell, .. }) in self.parked.drain() {
            process.end(farewell, &self.limits);
            drop(directory);
        }
    }

    /// Ends all its engines and its referee program.
    pub fn end_all(&mut self) {
        self.end();
        if let Some(referee) = self.referee.take() {
            referee.end();
        }
    }

    /// Whether a process of this name lives on.
    pub fn holds(&self, name: &str) -> bool {
        self.parked.contains_key(name)
    }

    /// Takes out the process of this name, if it still runs.
    pub(super) fn take(&mut self, name: &str) -> Option<Parked> {
        self.parked.remove(name).filter(|parked| parked.process.is_alive())
    }
}

impl Drop for EnginePool {
    fn drop(&mut self) {
        self.end_all();
    }
}
