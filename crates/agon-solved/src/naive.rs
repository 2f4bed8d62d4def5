//! A naive solver for tests: every move, to the end, by the rules of the game alone.

use std::collections::HashMap;

use agon_games::{Ending, Position, Status};

use crate::follow::Followed;
use crate::value::{Solution, Valuation};
use crate::values::PositionValues;

/// Solutions of positions by their text.
pub(crate) type Solutions = HashMap<String, Solution>;

/// Solves a position and all that follow from it. Games must end without repetition.
pub(crate) fn solve<P: Position>(
    position: &mut P,
    values: &dyn PositionValues<P>,
    found: &mut Solutions,
) -> Solution {
    let text = position.text();
    if let Some(solution) = found.get(&text) {
        return *solution;
    }
    let solution = match position.status() {
        Status::Over(Ending::Draw(_)) => Solution::DRAWN,
        Status::Over(Ending::Win(seat, _)) if seat == values.mover(position) => Solution::won(0),
        Status::Over(Ending::Win(..)) => Solution::lost(0),
        Status::ToMove(_) => {
            let mut moves = Vec::new();
            position.moves(&mut moves);
            let mut best: Option<Solution> = None;
            for mv in moves {
                let undo = position.play(mv);
                let next = solve(position, values, found).before();
                position.undo(undo);
                best = Some(best.map_or(next, |best| if next.quality(best).is_gt() { next } else { best }));
            }
            best.expect("a side to move has a move")
        }
    };
    found.insert(text, solution);
    solution
}

/// Plays best moves, at most so many, and checks that each keeps the value and shortens the
/// remoteness by one. Returns the value before the first move and after the last one.
pub(crate) fn play_best(game: &mut dyn Followed, most: usize) -> [Solution; 2] {
    let Valuation::Known(first) = game.value() else { panic!("{} is unknown", game.text()) };
    let mut solution = first;
    for _ in 0..most {
        if game.is_over() {
            break;
        }
        let best = game.ranked().swap_remove(0);
        assert_eq!(best.valuation, solution.into(), "{}", game.text());
        assert!(!game.history_could_change(), "{}", game.text());
        game.play(&best.text).unwrap();
        let Valuation::Known(now) = game.value() else { panic!("{} is unknown", game.text()) };
        assert_eq!(now.before(), solution, "{}", game.text());
        solution = now;
    }
    [first, solution]
}

/// As [`play_best`], to the end. The last position of such a game is drawn, or lost for the side
/// that would be next. Returns the value before the first move.
pub(crate) fn play_out(game: &mut dyn Followed) -> Solution {
    let [first, last] = play_best(game, usize::MAX);
    assert!(last == Solution::DRAWN || last == Solution::lost(0), "{}", game.text());
    first
}

/// Random numbers that are the same in every run.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }

    /// Plays random moves, at most so many and not to the end. Returns whether all were played.
    pub(crate) fn play<P: Position>(&mut self, position: &mut P, plies: usize) -> bool {
        let mut moves = Vec::new();
        for _ in 0..plies {
            position.moves(&mut moves);
            if moves.is_empty() {
                return false;
            }
            let undo = position.play(moves[self.below(moves.len())]);
            if position.status().over().is_some() {
                position.undo(undo);
                return false;
            }
        }
        true
    }

    /// A position so many random plies after the start, in which the game goes on.
    pub(crate) fn reach<P: Position>(&mut self, start: &P, plies: usize) -> P {
        loop {
            let mut position = start.clone();
            if self.play(&mut position, plies) {
                return position;
            }
        }
    }
}
