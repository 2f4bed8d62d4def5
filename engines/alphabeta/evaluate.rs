//! What the search wants to know of a game besides its rules.

use std::hash::{Hash, Hasher};

use agon_games::Position;

/// Above this a value is a win that has been seen to the end.
pub(crate) const ALMOST_WON: i32 = 29_000;

/// A game that can be searched.
pub(crate) trait Evaluate: Position<Move: Hash> {
    /// A number for everything about the position that its value depends on, as far as that is cheap to tell.
    /// What came before is left out, so two positions that differ only in what may be repeated share one.
    fn key(&self) -> u64;

    /// How good the position is for the side to move, in hundredths of a marble, a man or the like; between
    /// minus and plus [`ALMOST_WON`]. Only asked while the game goes on.
    fn evaluate(&self) -> i32;

    /// The most plies the game may still last, or so many that it makes no difference.
    fn plies_left(&self) -> u32;

    /// Puts the moves worth looking at into `moves`: at least one while the game goes on, all of them legal. One
    /// alone is forced, and is looked at for nothing.
    fn candidates(&self, moves: &mut Vec<Self::Move>) {
        self.moves(moves);
    }

    /// Which moves to look at first: those with more. From 0 to 1000.
    fn promise(&self, _: Self::Move) -> i32 {
        0
    }
}

/// The hash of anything that can be hashed, by multiplying and rotating: much faster than what maps use, and
/// good enough where nobody chooses the keys to do harm.
pub(crate) fn key_of(value: &impl Hash) -> u64 {
    let mut mixer = Mixer(0x243f_6a88_85a3_08d3);
    value.hash(&mut mixer);
    mixer.finish()
}

struct Mixer(u64);

impl Mixer {
    fn mix(&mut self, word: u64) {
        // The high half of the product depends on every bit of both.
        let product = u128::from(self.0 ^ word) * 0x9e37_79b9_7f4a_7c15_u128;
        self.0 = (product as u64).rotate_left(23) ^ (product >> 64) as u64 ^ word.rotate_left(32);
    }
}

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.mix(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.mix(value.into());
    }

    fn write_u32(&mut self, value: u32) {
        self.mix(value.into());
    }

    fn write_u64(&mut self, value: u64) {
        self.mix(value);
    }

    fn write_usize(&mut self, value: usize) {
        self.mix(value as u64);
    }

    fn finish(&self) -> u64 {
        let mut hash = self.0;
        hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        hash = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        hash ^ (hash >> 33)
    }
}
