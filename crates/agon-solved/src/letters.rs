//! The letter cube: exact for the last few words.

use std::collections::HashMap;

use agon_games::Position;
use agon_games::letters::{Cube, LetterMove};
use agon_seats::Seat;

use crate::value::{Solution, Valuation};
use crate::values::PositionValues;

/// The positions that a search may look at: about a second.
const LIMIT: usize = 10_000;

/// The values of the letter cube. A total of points decides who wins, and the value says no more
/// than that: won, drawn or lost.
pub(crate) struct LetterValues;

/// The positions of a search by their text.
type Seen = HashMap<String, Solution>;

impl LetterValues {
    /// The solution of a position. `None` if it takes too many positions.
    fn solution(&self, cube: &mut Cube, seen: &mut Seen) -> Option<Solution> {
        if cube.status().over().is_some() {
            return self.of_any(cube).known();
        }
        let text = cube.text();
        if let Some(solution) = seen.get(&text) {
            return Some(*solution);
        }
        if seen.len() >= LIMIT {
            return None;
        }
        let mut moves = Vec::new();
        cube.moves(&mut moves);
        // Words of the same letters lead to the same position.
        moves.dedup_by(|one, other| match (one, other) {
            (LetterMove::Take(one, _), LetterMove::Take(other, _)) => one == other,
            _ => false,
        });
        let mut best: Option<Solution> = None;
        for mv in moves {
            let undo = cube.play(mv);
            let next = self.solution(cube, seen);
            cube.undo(undo);
            let next = next?.before();
            best = Some(best.map_or(next, |best| if next.quality(best).is_gt() { next } else { best }));
            if best == Some(Solution::won(1)) {
                break;
            }
        }
        seen.insert(text, best?);
        best
    }

    fn valuation(&self, solution: Option<Solution>) -> Valuation {
        solution.map_or(Valuation::Unknown { why: "too many words are left" }, Valuation::Known)
    }
}

impl PositionValues<Cube> for LetterValues {
    fn mover(&self, cube: &Cube) -> Seat {
        cube.to_move()
    }

    fn of(&self, cube: &Cube) -> Valuation {
        self.valuation(self.solution(&mut cube.clone(), &mut Seen::new()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::naive::{Dice, Solutions, play_best, solve};
    use crate::{Solver, SolverSettings};
    use agon_games::letters::Letters;
    use agon_games::lexicon::Lexicon;

    fn rules(options: &str) -> Letters {
        let words = "are\nart\nate\near\neat\neta\nion\nnot\noat\none\nore\nrat\nroe\ntan\ntar\ntea\nten\ntie\ntoe\nton\n";
        Letters::with_options(options, Arc::new(Lexicon::parse(words.as_bytes()).unwrap())).unwrap()
    }

    #[test]
    fn a_naive_solver_agrees_on_small_cubes() {
        let mut seen = [0; 3];
        for seed in 0..60 {
            let mut cube = rules("4x3x2").position(seed);
            let solution = solve(&mut cube, &LetterValues, &mut Solutions::new());
            assert_eq!(LetterValues.of_any(&cube), solution.into(), "{}", cube.text());
            seen[solution.value as usize] += 1;
        }
        assert!(seen[0] > 3 && seen[1] > 3, "{seen:?}");
    }

    #[test]
    fn the_last_words_are_played_perfectly() {
        let rules = rules("4x4x2");
        let solver = Solver::new(&rules, SolverSettings::default());
        let mut dice = Dice(26);
        let mut known = 0;
        for seed in 0..40 {
            let mut cube = rules.position(seed);
            dice.play(&mut cube, 1 + seed as usize % 3);
            let mut game = solver.follow(&cube.text()).unwrap();
            if game.value().known().is_some() {
                known += 1;
                play_best(game.as_mut(), usize::MAX);
            }
        }
        assert!(known > 10, "{known}");
    }

    #[test]
    fn a_cube_full_of_words_is_unknown() {
        // Every line of three letters makes a word.
        let letters = || 'a'..='z';
        let words: Vec<String> = letters()
            .flat_map(|a| letters().flat_map(move |b| letters().map(move |c| format!("{a}{b}{c}"))))
            .collect();
        let lexicon = Arc::new(Lexicon::parse(words.join("\n").as_bytes()).unwrap());
        let rules = Letters::with_options("4x4x3", lexicon).unwrap();
        let mut game =
            Solver::new(&rules, SolverSettings::default()).follow(&rules.position(1).text()).unwrap();
        assert!(game.value().known().is_none(), "{}", game.value());
        game.play("P").unwrap();
        assert!(game.value().known().is_none(), "{}", game.value());
    }
}
