//! Perft: the number of legal move sequences of a given length, by which two programs compare their
//! rules.
//!
//! A sequence whose last move ends the game counts; a game that ended earlier adds nothing. Wrong
//! rules hardly ever give the right numbers.

use super::Position;

/// The number of legal move sequences of exactly `depth` plies from this position; 1 if `depth` is
/// 0.
///
/// The moves of the last ply are counted, not played. The position is unchanged afterwards. Only
/// the lists of moves, one per ply, are allocated.
pub fn perft<P: Position>(position: &mut P, depth: u32) -> u64 {
    let mut lists: Vec<Vec<P::Move>> = (0..depth).map(|_| Vec::new()).collect();
    sequences(position, &mut lists)
}

/// The same number for each first move, in the order of the position's moves. Empty if `depth` is 0
/// or the game is over.
pub fn divide<P: Position>(position: &mut P, depth: u32) -> Vec<(P::Move, u64)> {
    let Some(rest) = depth.checked_sub(1) else { return Vec::new() };
    let mut lists: Vec<Vec<P::Move>> = (0..rest).map(|_| Vec::new()).collect();
    let mut moves = Vec::new();
    position.moves(&mut moves);
    moves.into_iter().map(|mv| (mv, behind(position, mv, &mut lists))).collect()
}

/// Counts as many plies as there are lists.
fn sequences<P: Position>(position: &mut P, lists: &mut [Vec<P::Move>]) -> u64 {
    let Some((moves, deeper)) = lists.split_first_mut() else { return 1 };
    if deeper.is_empty() {
        return position.count(moves);
    }
    position.moves(moves);
    moves.iter().map(|&mv| behind(position, mv, deeper)).sum()
}

/// The sequences that continue after one move.
fn behind<P: Position>(position: &mut P, mv: P::Move, lists: &mut [Vec<P::Move>]) -> u64 {
    let undo = position.play(mv);
    let found = sequences(position, lists);
    position.undo(undo);
    found
}
