//! The search's memory of positions: the depth, the value, and the best move.

use super::evaluate::ALMOST_WON;

/// The relation between a stored value and the true one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bound {
    /// The true value is at least this.
    Lower,
    /// The true value is at most this.
    Upper,
    /// The value is exact.
    Exact,
}

/// The stored data of a position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<M> {
    key: u64,
    pub(crate) best: Option<M>,
    value: i32,
    pub(crate) depth: i16,
    pub(crate) bound: Bound,
}

impl<M> Entry<M> {
    /// The value for a position at this number of plies below the root. Wins are stored relative to
    /// the position itself.
    pub(crate) fn value(&self, ply: i32) -> i32 {
        match self.value {
            value if value > ALMOST_WON => value - ply,
            value if value < -ALMOST_WON => value + ply,
            value => value,
        }
    }
}

/// A slot for each of the last bits of a key; a newer position replaces an older one.
pub(crate) struct Cache<M> {
    places: Vec<Option<Entry<M>>>,
}

impl<M: Copy> Cache<M> {
    /// A cache of at most this many megabytes.
    pub(crate) fn new(megabytes: u32) -> Self {
        let fit = ((megabytes as usize) << 20) / size_of::<Option<Entry<M>>>();
        // The largest power of two that fits, so that a mask finds the slot.
        let places = (fit / 2 + 1).next_power_of_two();
        Cache { places: vec![None; places] }
    }

    fn place(&self, key: u64) -> usize {
        key as usize & (self.places.len() - 1)
    }

    /// The data of the position with this key. If two positions share a key, the best move may be
    /// illegal, so the caller must check it.
    pub(crate) fn find(&self, key: u64) -> Option<&Entry<M>> {
        self.places[self.place(key)].as_ref().filter(|entry| entry.key == key)
    }

    /// Stores the data of a position at this number of plies below the root.
    pub(crate) fn note(&mut self, key: u64, best: Option<M>, value: i32, ply: i32, depth: i32, bound: Bound) {
        let value = match value {
            value if value > ALMOST_WON => value + ply,
            value if value < -ALMOST_WON => value - ply,
            value => value,
        };
        let place = self.place(key);
        let depth = i16::try_from(depth).unwrap_or(i16::MAX);
        let best = best.or(self.find(key).and_then(|old| old.best));
        self.places[place] = Some(Entry { key, best, value, depth, bound });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_win_is_remembered_by_its_distance_from_the_position() {
        let mut cache: Cache<u8> = Cache::new(1);
        cache.note(7, Some(1), 30_000 - 9, 4, 3, Bound::Exact); // five plies below that position
        assert_eq!(cache.find(7).unwrap().value(2), 30_000 - 7);
        cache.note(7, None, -(30_000 - 9), 4, 3, Bound::Exact);
        assert_eq!(cache.find(7).unwrap().value(2), -(30_000 - 7));
        assert_eq!(cache.find(7).unwrap().best, Some(1)); // the older best move is better than none
    }

    #[test]
    fn another_position_in_the_same_place_is_not_mistaken() {
        let mut cache: Cache<u8> = Cache::new(1);
        cache.note(7, Some(1), 5, 0, 3, Bound::Exact);
        assert!(cache.find(7 + (1 << 40)).is_none());
        cache.note(7 + (1 << 40), Some(2), 6, 0, 3, Bound::Exact);
        assert!(cache.find(7).is_none());
    }
}
