//! The check of a table: each cell agrees with its successors.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::board::SideStones;
use super::code::{OPEN, Score, decode, solution};
use super::index::{MorrisIndex, Tier};
use super::solve::{by_moves, too_few};
use crate::parallel::split;

/// A cell whose value is not the one that its successors give.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("cell {cell} holds {found}, and its successors give {wanted}")]
pub struct Disagreement {
    /// The number of the cell.
    pub cell: u32,
    /// Its solution.
    pub found: String,
    /// The solution that follows from the positions after its moves.
    pub wanted: String,
}

/// Compares each cell with its successors.
pub(crate) fn verify(
    index: &MorrisIndex,
    byte: &(dyn Fn(u32) -> u8 + Sync),
    threads: NonZeroUsize,
    tell: &(dyn Fn(u64) + Sync),
) -> Result<(), Disagreement> {
    let done = AtomicU64::new(0);
    let score = |hands: u8, stones: SideStones| -> Score {
        let over = if hands == 0 { too_few(stones) } else { None };
        over.unwrap_or_else(|| {
            let tier = index.tier(hands, stones).expect("a table holds what its positions lead to");
            decode(byte(index.cell(tier, stones)))
        })
    };
    let check = |tier: &Tier, cell: u32| {
        let (found, wanted) = (byte(cell), by_moves(index, tier.hands, index.stones(tier, cell), score));
        if decode(found) == wanted && found != OPEN {
            return Ok(());
        }
        let words = |score| solution(score).to_string();
        Err(Disagreement { cell, found: words(decode(found)), wanted: words(wanted) })
    };
    for tier in index.tiers() {
        let results = split(threads, tier.cells as usize, |range| {
            let cells = range.len() as u64;
            let result = range.map(|local| tier.first + local as u32).try_for_each(|cell| check(tier, cell));
            tell(done.fetch_add(cells, Relaxed) + cells);
            result
        });
        results.into_iter().collect::<Result<(), _>>()?;
    }
    Ok(())
}
