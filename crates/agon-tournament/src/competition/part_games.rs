//! The games of a part's directory, each compared with the run that takes it in.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use agon_audit::plan::{self, belongs};
use agon_audit::planned::PlannedKeys;
use agon_store::inside::Ran;
use agon_store::key::Keys;
use agon_store::{Drawn, Filter, Store, Stored};
use anyhow::Context;

/// How many games that were left out are named.
const NAMED: usize = 3;

/// The run that takes in games, with its plan.
pub struct OwnRun {
    /// How it was played.
    pub run: Ran,
    /// The keys of its engines.
    pub keys: Keys,
    /// The games of its plan.
    pub planned: PlannedKeys,
    /// Whether its plan grows with results, as that of a stage or of a Swiss by tables.
    pub grows: bool,
}

/// The games that were left out.
#[derive(Default)]
pub struct LeftOut {
    /// The first of them, in words.
    pub named: Vec<String>,
    /// How many there are.
    pub count: u64,
}

/// Where a game of a part belongs.
pub enum Place {
    /// In the run, or it is void or history and does not count.
    Run,
    /// In no plan of the run, for the reason.
    Elsewhere(String),
}

impl OwnRun {
    /// A run with the keys of all its games.
    pub fn of(run: Ran) -> anyhow::Result<Self> {
        let (keys, planned) = (run.keys(), PlannedKeys::of(&run));
        let grows =
            matches!(run.drawn, Some(Drawn::Matches(_) | Drawn::Tables(_))) && run.event != plan::MATCH;
        Ok(OwnRun { grows, keys, planned: planned.context("the plan of the run cannot be made")?, run })
    }

    /// The place of a game, which then has the number of the run's plan.
    ///
    /// # Errors
    /// A run has played it, but it does not agree with that run: its database is wrong as a whole.
    pub fn place(&self, stored: &mut Stored) -> anyhow::Result<Place> {
        if !stored.counts {
            return Ok(Place::Run);
        }
        let id = stored.record.id;
        let why = match (belongs(stored, &self.run, &self.keys), self.planned.id(stored.key)) {
            (Ok(()), Some(planned)) => {
                stored.record.id = planned;
                return Ok(Place::Run);
            }
            (Ok(()), None) if self.grows => {
                // Of a round that is not known here. It counts when that is drawn.
                stored.counts = false;
                return Ok(Place::Run);
            }
            (Ok(()), None) => format!("game {id}: the plan has no such game"),
            (Err(why), _) => format!("game {id}: {why}"),
        };
        // An imported game may be of another run.
        anyhow::ensure!(stored.run == 0, "{why}");
        Ok(Place::Elsewhere(why))
    }
}

impl LeftOut {
    /// Adds a game.
    pub fn add(&mut self, why: String) {
        self.count += 1;
        if self.named.len() < NAMED {
            self.named.push(why);
        }
    }

    /// Adds a game of an imported run.
    pub fn note(&mut self, place: Place) -> bool {
        match place {
            Place::Run => false,
            Place::Elsewhere(why) => {
                self.add(why);
                true
            }
        }
    }
}

/// Checks that a database is not older than the table of games beside it: an old log beside a new
/// copy takes the database back.
///
/// # Errors
/// It is older.
pub fn is_whole(part: &Path, from: &Store) -> anyhow::Result<()> {
    let (stored, listed) = (from.ever_stored()?, listed(part));
    anyhow::ensure!(
        listed <= stored,
        "its games.csv has {listed} games, but its database {stored}: the database or the agon.db-wal beside \
         it is of an older copy; remove the copy, and copy the part once more"
    );
    Ok(())
}

/// How many games the table `games.csv` of a directory has. It needs no database, so it may be
/// asked while another machine plays there.
pub fn listed(part: &Path) -> u64 {
    let Ok(file) = File::open(part.join("games.csv")) else { return 0 };
    let (mut lines, mut block, mut input) = (0_u64, vec![0; 1 << 16], BufReader::new(file));
    while let Ok(length @ 1..) = input.read(&mut block) {
        lines += block[..length].iter().filter(|byte| **byte == b'\n').count() as u64;
    }
    lines.saturating_sub(1) // its head
}

/// Calls `each` with every game of a part that has a place in the run, and returns those that have
/// none.
pub fn each_of(
    from: &Store,
    own: &OwnRun,
    mut each: impl FnMut(Stored) -> anyhow::Result<()>,
) -> anyhow::Result<(LeftOut, Vec<i64>)> {
    let (mut left_out, mut keys) = (LeftOut::default(), Vec::new());
    from.games(&Filter { all: true, ..Filter::default() }, |mut stored| {
        let place = own.place(&mut stored)?;
        if left_out.note(place) {
            keys.push(stored.key);
            return Ok(());
        }
        each(stored)
    })?;
    Ok((left_out, keys))
}
