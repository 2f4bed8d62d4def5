//! A directory of results that a run goes on with: its lock, its database and the files made from that.

use std::path::Path;

use agon_standings::matches::Match;

use crate::config::Misuse;
use crate::engine::program::display_path;
use crate::export::directory::Directory;
use crate::run::Run;
use crate::store::key::Keys;
use crate::store::lock::{Lock, StopRequest};
use crate::store::{Plan, RunStart, Store};

/// A directory that is ours, and what has been played in it.
pub(super) struct RunDir {
    pub(super) store: Store,
    pub(super) directory: Directory,
    pub(super) beginning: RunStart,
    /// The keys of the plan's games.
    pub(super) keys: Keys,
    pub(super) stop: StopRequest,
    // Goes last: the database is closed by then.
    _lock: Lock,
}

/// What is played in a directory.
#[derive(Clone, Copy)]
pub(super) struct RunPlan<'a> {
    /// How many games a pairing has.
    pub(super) games: u32,
    /// The matches, where the plan is no round robin.
    pub(super) matches: Option<&'a [Match]>,
}

impl RunDir {
    /// Takes the directory and begins the run in it, or goes on with it. `again`: what differs from the run in it
    /// is to be played anew.
    pub(super) fn open(
        path: &Path,
        run: &Run,
        asked: RunPlan<'_>,
        event: &str,
        again: bool,
    ) -> anyhow::Result<Self> {
        let players = run.players()?;
        let terms = run.terms();
        Directory::make(path)?;
        let lock = Lock::take(path)?;
        let mut store = Store::open(path)?;
        // What the rules are made from again; other files are made from it.
        let mut supplies = run.rules.supplies();
        supplies.retain(|supply| supply.name == "dictionary");
        supplies.extend(run.boards());
        let plan = Plan {
            event,
            players: &players,
            terms: &terms,
            games: asked.games,
            seed: run.seed,
            points: run.points,
            supplies: &supplies,
        };
        let begun = match asked.matches {
            None => store.begin(&plan, again),
            Some(matches) => store.begin_matches(&plan, matches, again),
        };
        let beginning = begun.map_err(|error| match error.downcast::<Misuse>() {
            // Its own words say it all; which directory it is about is all they lack.
            Ok(Misuse { what, hint }) => {
                Misuse { what: format!("{}: {what}", display_path(path)), hint }.into()
            }
            Err(error) => error,
        })?;
        let seats = run.rules.seats().len();
        let directory =
            Directory::open(path, seats, event, &store, beginning.renumbered, |record| run.again(record))?;
        if beginning.renumbered {
            store.files_are_numbered()?;
        }
        let keys = Keys::new(&terms, &players);
        Ok(RunDir { store, directory, beginning, keys, stop: lock.stop(), _lock: lock })
    }

    /// The head of the chain of what is stored, in words; nothing before the first game.
    pub(super) fn head(&self) -> anyhow::Result<Option<String>> {
        let (counted, void, history) = self.store.counts()?;
        if counted + void + history == 0 {
            return Ok(None);
        }
        Ok(Some(format!("head of the chain {}", self.store.head()?)))
    }

    /// What there is to say in the beginning: what has changed, what is there already.
    pub(super) fn remarks(&self) -> Vec<String> {
        let mut remarks = self.beginning.changes.clone();
        if self.beginning.history > 0 {
            remarks.push(format!("{} games that counted are history now", self.beginning.history));
        }
        if self.beginning.played.count() > 0 {
            remarks
                .push(format!("{} games have been played already and count", self.beginning.played.count()));
        }
        remarks
    }
}
