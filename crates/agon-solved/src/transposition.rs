//! A hash table of searched positions that threads share without locks.
//!
//! An entry is one number: the position's own number, a score and what it bounds. So an entry is
//! whole or another position's, and the table never gives a wrong score.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What a score says of the true one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bound {
    /// It is the true score.
    Exact,
    /// The true score is as high or higher.
    AtLeast,
    /// The true score is as low or lower.
    AtMost,
}

/// The table. Positions are numbers below 2^56 and not 0 alone; scores are from -32 to 31.
pub(crate) struct Transpositions {
    entries: Vec<AtomicU64>,
    shift: u32,
}

/// The bits of an entry below the position.
const BELOW: u32 = 8;

impl Transpositions {
    /// A table of 2 to the power of `bits` entries of eight bytes.
    pub(crate) fn new(bits: u32) -> Self {
        Transpositions { entries: (0..1_u64 << bits).map(|_| AtomicU64::new(0)).collect(), shift: 64 - bits }
    }

    #[inline]
    fn entry(&self, position: u64) -> &AtomicU64 {
        &self.entries[(position.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize]
    }

    /// The score of a position and what it bounds, if the table has it.
    #[inline]
    pub(crate) fn get(&self, position: u64) -> Option<(i8, Bound)> {
        let found = self.entry(position).load(Relaxed);
        let bound = match found & 3 {
            1 => Bound::Exact,
            2 => Bound::AtLeast,
            3 => Bound::AtMost,
            _ => return None,
        };
        (found >> BELOW == position).then_some(((found >> 2 & 63) as i8 - 32, bound))
    }

    /// Keeps a score, in place of what the entry held.
    #[inline]
    pub(crate) fn put(&self, position: u64, score: i8, bound: Bound) {
        debug_assert!(position >> (64 - BELOW) == 0 && (-32..32).contains(&score));
        let bound = match bound {
            Bound::Exact => 1,
            Bound::AtLeast => 2,
            Bound::AtMost => 3,
        };
        self.entry(position).store(position << BELOW | ((score + 32) as u64) << 2 | bound, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_reads_back_until_another_takes_its_place() {
        let table = Transpositions::new(1);
        assert_eq!(table.get(0), None);
        for position in [0, 1, 77, (1 << 56) - 1] {
            for (score, bound) in [(-32, Bound::AtMost), (0, Bound::Exact), (31, Bound::AtLeast)] {
                table.put(position, score, bound);
                assert_eq!(table.get(position), Some((score, bound)));
            }
        }
        assert!([0, 1, 77].iter().filter(|position| table.get(**position).is_some()).count() < 3);
    }
}
