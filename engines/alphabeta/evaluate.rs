//! The interface between the search and a game, besides the rules.

use std::hash::{Hash, Hasher};

use agon_games::Position;

/// A value above this is a forced win.
pub(crate) const ALMOST_WON: i32 = 29_000;

/// A game for the search.
pub(crate) trait Evaluate: Position<Move: Hash> {
    /// A hash of everything about the position that its value depends on, as far as it is cheap.
    /// Earlier positions are left out, so two positions may share a key although the Ko rule
    /// separates them.
    fn key(&self) -> u64;

    /// The evaluation for the side to move, in hundredths of a marble, a man or the like; between
    /// minus and plus [`ALMOST_WON`]. Only called while the game goes on.
    fn evaluate(&self) -> i32;

    /// The most plies the game may still last; a large number if there is no bound.
    fn plies_left(&self) -> u32;

    /// Puts the useful moves into `moves`: at least one while the game goes on, all of them legal.
    /// A single one is forced, and costs no depth.
    fn candidates(&self, moves: &mut Vec<Self::Move>) {
        self.moves(moves);
    }

    /// The order of moves: higher numbers are searched first. From 0 to 1000.
    fn promise(&self, _: Self::Move) -> i32 {
        0
    }
}

/// A hash by multiplication and rotation: much faster than those of maps, and good enough because
/// nobody chooses the keys to do harm.
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
