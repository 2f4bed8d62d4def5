//! The opening book of connect four: the scores of all positions with so many stones.
//!
//! The file has a first byte with the number of stones, and one byte for each position, in the
//! order of their principal numbers. The byte of a position is the score plus 64. It is [`LOST`] or
//! [`WON`] if only the sign of the score is known, or [`MISSING`]. Positions whose side to move
//! wins with its next stone are left out. The scores of positions with fewer stones follow from
//! these.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::search::{Bits, COLUMNS, FourSearch, STONES, column};
use crate::limit::SearchLimit;
use crate::parallel::on_each;
use crate::transposition::Transpositions;

/// The byte of a position that is not solved.
const MISSING: u8 = 0;

/// The byte of a position that the side to move loses in an unknown number of plies.
const LOST: u8 = 1;

/// The byte of one that it wins.
const WON: u8 = 2;

/// The byte of score 0.
const ZERO: i16 = 64;

/// The book that is part of the library.
static STORED: &[u8] = include_bytes!("book.bin");

/// What the book holds of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Booked {
    /// The score.
    Score(i8),
    /// The side to move wins.
    Won,
    /// The side to move loses.
    Lost,
}

impl Booked {
    fn sign(self) -> i8 {
        match self {
            Booked::Score(score) => score.signum(),
            Booked::Won => 1,
            Booked::Lost => -1,
        }
    }

    fn read(byte: u8) -> Option<Self> {
        match byte {
            MISSING => None,
            LOST => Some(Booked::Lost),
            WON => Some(Booked::Won),
            _ => Some(Booked::Score((i16::from(byte) - ZERO) as i8)),
        }
    }

    /// What follows from the positions after the moves. A winning move is enough for a win, but all
    /// scores are needed for a score.
    pub(super) fn from(moves: &[Option<Booked>]) -> Option<Self> {
        let is_known = |booked: &&Option<Booked>| matches!(booked, Some(Booked::Score(_)));
        if moves.iter().filter(is_known).count() == moves.len() {
            let scores = moves.iter().flatten().map(|booked| match booked {
                Booked::Score(score) => -score,
                other => -other.sign(),
            });
            return scores.max().map(Booked::Score);
        }
        if moves.iter().flatten().any(|booked| booked.sign() < 0) {
            return Some(Booked::Won);
        }
        let all: Option<Vec<i8>> = moves.iter().map(|booked| booked.map(Booked::sign)).collect();
        match all?.into_iter().min()? {
            0 => Some(Booked::Score(0)),
            _ => Some(Booked::Lost),
        }
    }
}

/// What is known of positions, by their principal number.
pub(crate) struct FourBook {
    /// Positions with more stones are not in the book.
    pub(crate) stones: u32,
    entries: HashMap<u64, Booked>,
}

/// The positions with so many stones in which the game is not over: one of each pair of mirror
/// images, by principal number.
fn positions(stones: u32) -> Vec<(u64, Bits)> {
    let mut level = vec![(Bits { own: 0, taken: 0 }.principal(), Bits { own: 0, taken: 0 })];
    for _ in 0..stones {
        let mut next: Vec<(u64, Bits)> = level
            .iter()
            .flat_map(|(_, bits)| after(*bits).filter(|(cell, _)| bits.wins() & cell == 0))
            .map(|(_, bits)| (bits.principal(), bits))
            .collect();
        next.sort_unstable_by_key(|(principal, _)| *principal);
        next.dedup_by_key(|(principal, _)| *principal);
        level = next;
    }
    level
}

/// The cells of the moves, and the positions after them.
fn after(bits: Bits) -> impl Iterator<Item = (u64, Bits)> {
    let mut cells = bits.landings();
    std::iter::from_fn(move || {
        let cell = cells & cells.wrapping_neg();
        cells ^= cell;
        (cell != 0).then(|| (cell, bits.after(cell)))
    })
}

/// The positions of a book file, in its order.
fn listed(stones: u32) -> Vec<(u64, Bits)> {
    positions(stones).into_iter().filter(|(_, bits)| !bits.wins_now()).collect()
}

impl FourBook {
    /// The book of the library.
    pub(crate) fn stored() -> Self {
        FourBook::read(STORED)
    }

    /// Reads a file.
    fn read(file: &[u8]) -> Self {
        let mut entries = HashMap::new();
        let Some((stones, bytes)) = file.split_first() else {
            return FourBook { stones: 0, entries };
        };
        let stones = u32::from(*stones);
        for ((principal, _), byte) in listed(stones).into_iter().zip(bytes) {
            if let Some(booked) = Booked::read(*byte) {
                entries.insert(principal, booked);
            }
        }
        for fewer in (0..stones).rev() {
            for (principal, bits) in positions(fewer) {
                let entry = |(_, next): (u64, Bits)| match next.wins_now() {
                    true => Some(Booked::Score(soon(next))),
                    false => entries.get(&next.principal()).copied(),
                };
                let moves: Vec<Option<Booked>> = after(bits).map(entry).collect();
                if let Some(booked) = Booked::from(&moves) {
                    entries.insert(principal, booked);
                }
            }
        }
        FourBook { stones, entries }
    }

    /// What is known of a position.
    pub(crate) fn get(&self, bits: Bits) -> Option<Booked> {
        self.entries.get(&bits.principal()).copied()
    }

    /// The score of a position.
    pub(crate) fn score(&self, bits: Bits) -> Option<i8> {
        match self.get(bits)? {
            Booked::Score(score) => Some(score),
            Booked::Won | Booked::Lost => None,
        }
    }
}

/// The score of a position whose side to move wins with its next stone.
pub(crate) fn soon(bits: Bits) -> i8 {
    STONES - (bits.stones() / 2) as i8
}

/// How much of the positions a book shall hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BookDepth {
    /// Whether they are won, drawn or lost.
    Signs,
    /// The plies to the end as well.
    Scores,
}

/// Solves the positions of a book with so many stones that are missing in `file`, which may be
/// empty, and returns the file. Stops early if `go_on`, which is given the file so far, returns
/// false.
///
/// Positions with few stones take minutes each. The hash table has 2 to the power of `bits` entries
/// of eight bytes.
pub fn connect_four_book(
    stones: u8,
    depth: BookDepth,
    file: &[u8],
    threads: NonZeroUsize,
    bits: u32,
    go_on: &(dyn Fn(&[u8]) -> bool + Sync),
) -> Vec<u8> {
    let listed = listed(stones.into());
    let mut bytes = vec![MISSING; listed.len() + 1];
    bytes[0] = stones;
    if file.first() == Some(&stones) && file.len() == bytes.len() {
        bytes.copy_from_slice(file);
    }
    let is_missing = |at: &usize| match depth {
        BookDepth::Signs => bytes[at + 1] == MISSING,
        BookDepth::Scores => [MISSING, LOST, WON].contains(&bytes[at + 1]),
    };
    let mut missing: Vec<usize> = (0..listed.len()).filter(is_missing).collect();
    // The games that begin in the middle are the ones that are played.
    missing.sort_by_key(|at| from_the_middle(listed[*at].1));
    let seen = Transpositions::new(bits);
    let (next, bytes) = (AtomicUsize::new(0), Mutex::new(bytes));
    on_each(threads, || {
        while let Some(at) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
            let endless = SearchLimit::default();
            let left = endless.begin(u64::MAX);
            let mut search = FourSearch::new(&seen, &|_| None, 0, &left);
            let position = listed[*at].1;
            let byte = match depth {
                BookDepth::Scores => search.score(position).map(exact),
                BookDepth::Signs => search.sign(position).map(|sign| match sign {
                    0 => exact(0),
                    1.. => WON,
                    _ => LOST,
                }),
            };
            let mut bytes = bytes.lock().expect("no thread panicked");
            bytes[at + 1] = byte.expect("there is no limit");
            if !go_on(&bytes) {
                next.store(missing.len(), Ordering::Relaxed);
            }
        }
    });
    bytes.into_inner().expect("no thread panicked")
}

/// The byte of a score.
fn exact(score: i8) -> u8 {
    (ZERO + i16::from(score)) as u8
}

/// How far the stones of the first side are from the middle column, in all.
fn from_the_middle(bits: Bits) -> u32 {
    let first = if bits.stones().is_multiple_of(2) { bits.own } else { bits.own ^ bits.taken };
    (0..COLUMNS).map(|number| (first & column(number)).count_ones() * number.abs_diff(COLUMNS / 2)).sum()
}
