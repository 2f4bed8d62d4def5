//! The games lost by a fault, each with its reason, for the engines' authors.

use std::collections::BTreeMap;

use crate::result::{Cause, GameId};

/// Lost games by entrant and cause. For each cause the number and the first few games are kept, so
/// that a million losses of one kind cost no more than three.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Faults {
    keep: usize,
    by: BTreeMap<(String, Cause), Faulty>,
}

/// The games that one entrant has lost by one cause.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Faulty {
    /// Their number.
    pub count: u64,
    /// The first of them, with the referee's reason.
    pub first: BTreeMap<GameId, String>,
}

impl Faults {
    /// An empty list. `keep` is the number of reasons kept for each entrant and cause.
    pub fn new(keep: usize) -> Self {
        Faults { keep, by: BTreeMap::new() }
    }

    /// Adds a game that this entrant lost by a fault.
    pub fn add(&mut self, entrant: &str, cause: Cause, id: GameId, reason: &str) {
        let faulty = self.by.entry((entrant.to_owned(), cause)).or_default();
        faulty.count += 1;
        if faulty.first.len() < self.keep || faulty.first.keys().next_back().is_some_and(|last| id < *last) {
            faulty.first.insert(id, reason.to_owned());
        }
        if faulty.first.len() > self.keep {
            faulty.first.pop_last();
        }
    }

    /// Whether no game was lost by a fault.
    pub fn is_empty(&self) -> bool {
        self.by.is_empty()
    }

    /// The losses of each entrant by each cause, ordered by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Cause, &Faulty)> {
        self.by.iter().map(|((entrant, cause), faulty)| (entrant.as_str(), *cause, faulty))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_counted_and_the_first_few_kept_whatever_order_they_come_in() {
        let mut faults = Faults::new(2);
        for game in [5, 1, 4, 3, 2] {
            let id = GameId { round: 1, pairing: 1, game };
            faults.add("alpha", Cause::Crash, id, &format!("reason {game}"));
        }
        let all: Vec<_> = faults.iter().collect();
        let [("alpha", Cause::Crash, faulty)] = all[..] else { panic!("{all:?}") };
        assert_eq!(faulty.count, 5);
        assert_eq!(faulty.first.values().collect::<Vec<_>>(), ["reason 1", "reason 2"]);
    }
}
