//! Retrograde analysis of morris, tier by tier.
//!
//! After placing, the tiers of `a` against `b` and `b` against `a` stones are solved together, from
//! the ends backwards. A position with a lost successor is won, and one whose successors are all
//! won is lost. Captures lead to tiers that are solved already. Before, each tier follows from the
//! next one alone.
//!
//! Rising remoteness is the order of the work, so no position is visited twice, and the result does
//! not depend on the number of threads.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU64, Ordering::Relaxed};

use agon_games::morris::{FEWEST, NoMove, points};

use super::board::SideStones;
use super::code::{DRAWN, FAR, OPEN, Score, before, decode, encode, plies};
use super::index::{MorrisIndex, Tier};
use crate::parallel::split;

/// The score of a position after placing that is over because a side has too few stones.
#[inline]
pub(crate) fn too_few(stones: SideStones) -> Option<Score> {
    if stones.own.count_ones() < FEWEST {
        Some(-FAR)
    } else if stones.other.count_ones() < FEWEST {
        Some(FAR)
    } else {
        None
    }
}

/// The score of a position by its moves, from the scores of the positions after them. `hands` are
/// the men left to place.
pub(crate) fn by_moves(
    index: &MorrisIndex,
    hands: u8,
    stones: SideStones,
    mut value: impl FnMut(u8, SideStones) -> Score,
) -> Score {
    let mut best = None;
    index.board.successors(stones, hands > 0, |after, _| {
        let score = before(value(hands.saturating_sub(1), after));
        best = best.max(Some(score));
    });
    best.unwrap_or(match index.board.rules.nomove {
        NoMove::Loses => -FAR,
        NoMove::Draws => 0,
    })
}

/// Solves all positions of an index: the bytes of all cells. `tell` is called with the number of
/// cells that are done, now and then.
pub(crate) fn solve(index: &MorrisIndex, threads: NonZeroUsize, tell: &(dyn Fn(u64) + Sync)) -> Vec<u8> {
    let cells = (0..index.cells()).map(|_| AtomicU8::new(OPEN)).collect();
    let solving = Solving { index, cells, threads, tell, done: AtomicU64::new(0) };
    let sliding = index.tiers().iter().take_while(|tier| tier.hands == 0).count();
    let (slides, places) = index.tiers().split_at(sliding);
    for pair in slides.chunk_by(|one, next| (one.own, one.other) == (next.other, next.own)) {
        solving.slide(pair);
    }
    for tier in places {
        solving.place(tier);
    }
    solving.cells.into_iter().map(AtomicU8::into_inner).collect()
}

/// A table that is being filled.
struct Solving<'a> {
    index: &'a MorrisIndex,
    cells: Vec<AtomicU8>,
    threads: NonZeroUsize,
    tell: &'a (dyn Fn(u64) + Sync),
    done: AtomicU64,
}

/// The work of one pair of tiers.
struct Pair<'a> {
    tiers: &'a [Tier],
    /// For each cell, how many of its moves are not yet known to lose, times its orbit.
    hopes: Vec<AtomicU16>,
    /// The plies of its longest losing capture.
    longest: Vec<AtomicU8>,
}

/// A cell that draws or wins by a capture has this many hopes; they never run out.
const ENDLESS: u16 = u16::MAX;

impl Pair<'_> {
    fn first(&self) -> u32 {
        self.tiers[0].first
    }

    fn cells(&self) -> usize {
        self.tiers.iter().map(|tier| tier.cells as usize).sum()
    }

    fn tier_of(&self, cell: u32) -> &Tier {
        let last = &self.tiers[self.tiers.len() - 1];
        if cell >= last.first { last } else { &self.tiers[0] }
    }

    /// The tier that moves lead to and come from.
    fn facing(&self, tier: &Tier) -> &Tier {
        if self.tiers[0] == *tier { &self.tiers[self.tiers.len() - 1] } else { &self.tiers[0] }
    }
}

/// Cells to look at, by remoteness.
#[derive(Default)]
struct Queue {
    /// Cells that have their byte.
    solved: Vec<Vec<u32>>,
    /// Cells that get it now, unless they have one.
    proposed: Vec<Vec<u32>>,
}

impl Queue {
    fn propose(&mut self, remoteness: u16, cell: u32) {
        at(&mut self.proposed, remoteness.into()).push(cell);
    }
}

fn at(lists: &mut Vec<Vec<u32>>, place: usize) -> &mut Vec<u32> {
    if lists.len() <= place {
        lists.resize_with(place + 1, Vec::new);
    }
    &mut lists[place]
}

impl Solving<'_> {
    fn score(&self, hands: u8, stones: SideStones) -> Score {
        if hands == 0
            && let Some(score) = too_few(stones)
        {
            return score;
        }
        let tier = self.index.tier(hands, stones).expect("a table holds what its positions lead to");
        decode(self.cells[self.index.cell(tier, stones) as usize].load(Relaxed))
    }

    fn add_done(&self, cells: usize) {
        let done = self.done.fetch_add(cells as u64, Relaxed) + cells as u64;
        (self.tell)(done);
    }

    fn place(&self, tier: &Tier) {
        split(self.threads, tier.cells as usize, |range| {
            for cell in range.clone().map(|local| tier.first + local as u32) {
                let stones = self.index.stones(tier, cell);
                let score = by_moves(self.index, tier.hands, stones, |hands, after| self.score(hands, after));
                self.cells[cell as usize].store(encode(score), Relaxed);
            }
            self.add_done(range.len());
        });
    }

    fn slide(&self, tiers: &[Tier]) {
        let cells = tiers.iter().map(|tier| tier.cells as usize).sum();
        let hopes = (0..cells).map(|_| AtomicU16::new(0)).collect();
        let longest = (0..cells).map(|_| AtomicU8::new(0)).collect();
        let pair = Pair { tiers, hopes, longest };
        let mut queue = self.first_look(&pair);
        let mut remoteness = 0;
        while usize::from(remoteness) < queue.solved.len().max(queue.proposed.len()) {
            let mut now = std::mem::take(at(&mut queue.solved, remoteness.into()));
            let proposed = std::mem::take(at(&mut queue.proposed, remoteness.into()));
            now.extend(proposed.into_iter().filter(|cell| self.set(*cell, plies(remoteness))));
            let back = |range: std::ops::Range<usize>| self.backwards(&pair, &now[range], remoteness);
            for (solved, lost) in split(self.threads, now.len(), back) {
                if !solved.is_empty() {
                    at(&mut queue.solved, usize::from(remoteness) + 1).extend(solved);
                }
                lost.into_iter().for_each(|(remoteness, cell)| queue.propose(remoteness, cell));
            }
            remoteness += 1;
        }
        self.finish(&pair);
    }

    /// Gives a cell its byte, unless it has one.
    fn set(&self, cell: u32, byte: u8) -> bool {
        self.cells[cell as usize].compare_exchange(OPEN, byte, Relaxed, Relaxed).is_ok()
    }

    /// Looks at each position once: at its captures, which lead to solved tiers, and at the number
    /// of its other moves.
    fn first_look(&self, pair: &Pair<'_>) -> Queue {
        let look = |range: std::ops::Range<usize>| {
            let mut proposed = Vec::new();
            for local in range.clone() {
                let cell = pair.first() + local as u32;
                let tier = pair.tier_of(cell);
                if self.index.is_principal(tier, cell)
                    && let Some(remoteness) = self.look(pair, tier, cell)
                {
                    proposed.push((remoteness, cell));
                }
            }
            self.add_done(range.len() / 2);
            proposed
        };
        let mut queue = Queue::default();
        for (remoteness, cell) in split(self.threads, pair.cells(), look).concat() {
            queue.propose(remoteness, cell);
        }
        queue
    }

    /// The remoteness that a cell has at most, if its captures decide it or if it has no move.
    fn look(&self, pair: &Pair<'_>, tier: &Tier, cell: u32) -> Option<u16> {
        let (mut others, mut best) = (0_u16, None);
        self.index.board.successors(self.index.stones(tier, cell), false, |after, removes| {
            if removes {
                best = best.max(Some(before(self.score(0, after))));
            } else {
                others += 1;
            }
        });
        let local = (cell - pair.first()) as usize;
        let hopes = match best {
            Some(0..) => ENDLESS,
            _ => others * self.index.orbit(tier, cell) as u16,
        };
        pair.hopes[local].store(hopes, Relaxed);
        match best {
            Some(score @ 1..) => Some((FAR - score) as u16),
            Some(0) => None,
            Some(score) => {
                let longest = (FAR + score) as u16;
                pair.longest[local].store(plies(longest), Relaxed);
                (others == 0).then_some(longest)
            }
            None if others > 0 => None,
            None => match self.index.board.rules.nomove {
                NoMove::Loses => Some(0),
                NoMove::Draws => {
                    self.cells[cell as usize].store(DRAWN, Relaxed);
                    None
                }
            },
        }
    }

    /// The cells before some solved ones: those that are won now, and those that have become lost,
    /// with their remoteness.
    fn backwards(&self, pair: &Pair<'_>, solved: &[u32], remoteness: u16) -> (Vec<u32>, Vec<(u16, u32)>) {
        let (mut won, mut lost) = (Vec::new(), Vec::new());
        for &cell in solved {
            let tier = pair.tier_of(cell);
            let facing = pair.facing(tier);
            let orbit = self.index.orbit(tier, cell) as u16;
            self.predecessors(self.index.stones(tier, cell), |earlier| {
                let earlier = self.index.principal(facing, earlier);
                if remoteness.is_multiple_of(2) {
                    if self.set(earlier, plies(remoteness + 1)) {
                        won.push(earlier);
                    }
                    return;
                }
                // All moves that lead from one orbit of positions to another are counted at once.
                let local = (earlier - pair.first()) as usize;
                if pair.hopes[local].fetch_sub(orbit, Relaxed) == orbit {
                    let longest = u16::from(pair.longest[local].load(Relaxed));
                    lost.push((longest.max(remoteness + 1), earlier));
                }
            });
        }
        (won, lost)
    }

    /// The positions from which a move without a capture leads here.
    fn predecessors(&self, stones: SideStones, mut take: impl FnMut(SideStones)) {
        let board = &self.index.board;
        let before = stones.turned();
        for to in points(before.own).filter(|to| !board.layout.in_mill(before.own, *to)) {
            let left = before.own & !(1 << to);
            for from in points(board.reach(before, to)) {
                take(SideStones { own: left | 1 << from, other: before.other });
            }
        }
    }

    /// What nothing decides is drawn. Cells of the same position get the same byte.
    fn finish(&self, pair: &Pair<'_>) {
        split(self.threads, pair.cells(), |range| {
            for cell in range.map(|local| pair.first() + local as u32) {
                let _ = self.set(cell, DRAWN);
            }
        });
        split(self.threads, pair.cells(), |range| {
            for cell in range.clone().map(|local| pair.first() + local as u32) {
                let tier = pair.tier_of(cell);
                let principal = self.index.principal(tier, self.index.stones(tier, cell));
                if principal != cell {
                    let byte = self.cells[principal as usize].load(Relaxed);
                    self.cells[cell as usize].store(byte, Relaxed);
                }
            }
            self.add_done(range.len() - range.len() / 2);
        });
    }
}
