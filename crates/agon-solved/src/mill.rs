//! Mill, four in a line in a cube with gravity: exact near the end.

use agon_games::mill::{LINES, MillCube, Pole};
use agon_games::{Position, Status};
use agon_seats::Seat;

use crate::limit::SearchLimit;
use crate::lines::{LineGame, MOST_CELLS};
use crate::value::Valuation;
use crate::values::PositionValues;

/// The positions that a search may look at: about a second.
const LIMIT: u64 = 2_000_000;

/// Why a position is not solved.
const TOO_EARLY: Valuation = Valuation::Unknown { why: "mill is solved near the end alone" };

/// The values of mill.
#[derive(Default)]
pub(crate) struct MillValues {
    pub(crate) limit: SearchLimit,
}

/// The rest of a game, and its free cells column by column from the bottom.
struct Rest {
    game: LineGame,
    cells: Vec<usize>,
}

impl MillValues {
    fn rest(&self, cube: &MillCube) -> Option<Rest> {
        let balls = [Seat::FIRST, Seat::SECOND].map(|seat| cube.balls(seat));
        let owner = |cell: usize| {
            [Seat::FIRST, Seat::SECOND].into_iter().find(|seat| balls[seat.index()] >> cell & 1 == 1)
        };
        let columns = (0..16).flat_map(|column| (0..4).map(move |height| column + 16 * height));
        let cells: Vec<usize> = columns.filter(|cell| owner(*cell).is_none()).collect();
        if cells.len() > MOST_CELLS as usize {
            return None;
        }
        let lowest = |at: &usize| *at == 0 || cells[*at] != cells[at - 1] + 16;
        let floor = (0..cells.len()).filter(lowest).map(|at| 1 << at).sum();
        let lines: Vec<Vec<usize>> =
            LINES.iter().map(|line| (0..64).filter(|cell| line >> cell & 1 == 1).collect()).collect();
        let lines = lines.iter().map(Vec::as_slice);
        let game = LineGame::rest(&cells, lines, owner, self.mover(cube), floor);
        Some(Rest { game, cells })
    }

    fn searched(&self, rest: &Rest, cube: &MillCube) -> Valuation {
        let mover = self.mover(cube);
        let set = |balls: u64| {
            let taken = |at: &usize| balls >> rest.cells[*at] & 1 == 1;
            (0..rest.cells.len()).filter(taken).map(|at| 1 << at).sum()
        };
        rest.game.valuation(set(cube.balls(mover)), set(cube.balls(mover.other())), &self.limit.begin(LIMIT))
    }
}

impl PositionValues<MillCube> for MillValues {
    fn mover(&self, cube: &MillCube) -> Seat {
        let balls = cube.balls(Seat::FIRST) | cube.balls(Seat::SECOND);
        Seat::new(balls.count_ones() as usize % 2)
    }

    fn of(&self, cube: &MillCube) -> Valuation {
        self.rest(cube).map_or(TOO_EARLY, |rest| self.searched(&rest, cube))
    }

    /// One search serves all moves.
    fn of_moves(&self, cube: &MillCube, moves: &[Pole], values: &mut Vec<Valuation>) {
        let rest = self.rest(cube);
        let mut after = *cube;
        values.clear();
        values.extend(moves.iter().map(|mv| {
            let undo = after.play(*mv);
            let value = match (after.status(), &rest) {
                (Status::ToMove(_), Some(rest)) => self.searched(rest, &after),
                (Status::ToMove(_), None) => TOO_EARLY,
                _ => self.of_any(&after),
            };
            after.undo(undo);
            value.before()
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive::{Dice, Solutions, play_out, solve};
    use crate::worked::worked;
    use crate::{Solver, SolverSettings};
    use agon_games::mill::Mill;

    #[test]
    fn a_naive_solver_agrees_on_the_last_balls() {
        let mut dice = Dice(1997);
        let mut seen = [0; 3];
        for number in 0..60 {
            let mut cube = dice.reach(&MillCube::default(), 52 + number % 9);
            let solution = solve(&mut cube, &MillValues::default(), &mut Solutions::new());
            assert_eq!(MillValues::default().of_any(&cube), solution.into(), "{}", cube.text());
            seen[solution.value as usize] += 1;
        }
        assert!(seen.iter().all(|seen| *seen > 1), "{seen:?}");
    }

    #[test]
    fn the_last_16_balls_are_solved_and_played_perfectly() {
        let mut dice = Dice(64);
        let solver = Solver::new(&Mill, SolverSettings::default());
        for _ in 0..20 {
            let cube = dice.reach(&MillCube::default(), 48);
            play_out(solver.follow(&cube.text()).unwrap().as_mut());
        }
    }

    #[test]
    fn the_empty_cube_is_unknown() {
        let mut game = Solver::new(&Mill, SolverSettings::default()).follow("startpos").unwrap();
        assert_eq!(game.value(), TOO_EARLY);
        assert!(game.ranked().iter().all(|mv| mv.valuation == TOO_EARLY));
    }

    #[test]
    #[ignore = "a minute: cargo test --release -p agon-solved sixteen_balls -- --ignored --nocapture"]
    fn sixteen_balls_take_less_than_a_second() {
        let mut dice = Dice(16);
        for balls in [48, 46, 44] {
            let (mut slowest, mut unknown) = (std::time::Duration::ZERO, 0);
            for _ in 0..200 {
                let cube = dice.reach(&MillCube::default(), balls);
                let clock = worked();
                unknown += u32::from(MillValues::default().of(&cube).known().is_none());
                slowest = slowest.max(worked() - clock);
            }
            println!("{} balls left: the slowest {slowest:?}, unknown {unknown} of 200", 64 - balls);
            assert!(balls != 48 || unknown == 0 && slowest.as_secs_f64() < 1.0);
        }
    }
}
