//! Expectimax in the form of the TRYST'98 program: against a user who plays at random, but always
//! takes an immediate win.
//!
//! A win of the computer counts 1, a loss 0, a draw the draw value. The computer's node is the
//! maximum over its moves. The user's node is 0 if any move of the user wins at once, else the
//! average over the user's moves. A level is a move of the user and one of the computer. Past the
//! last level a game that goes on counts 0.5.

use std::collections::HashMap;
use std::hash::Hash;

use agon_games::{Ending, Position, Status};

/// The value of a game that is not searched to its end.
const UNKNOWN: f64 = 0.5;

/// Values that differ by less are equal: averages of the same numbers in another order may differ
/// in the last bit.
const EQUAL: f64 = 1e-9;

/// The most positions that are stored.
const REMEMBERED: usize = 200_000;

/// The settings of the program.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Settings {
    /// How many levels it looks ahead.
    pub(crate) levels: Levels,
    /// The value of a draw, from 0 (attacking) to 1 (defensive).
    pub(crate) draw_value: f64,
}

/// The depth of the search.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Levels {
    /// This many levels.
    Some(u32),
    /// To the end of the game: EXPERT.
    All,
}

impl Levels {
    /// The levels left below this one; `None` below the last.
    fn below(self) -> Option<Levels> {
        match self {
            Levels::All => Some(Levels::All),
            Levels::Some(levels) => levels.checked_sub(1).map(Levels::Some),
        }
    }
}

/// The result of a search.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Seen<M> {
    /// The value of each of the computer's moves, in the order in which the game lists them.
    pub(crate) values: Vec<(M, f64)>,
    /// How many moves of the computer were tried.
    pub(crate) nodes: u64,
}

impl<M: Copy> Seen<M> {
    /// The best move and its value; of equals the last.
    pub(crate) fn best(&self) -> Option<(M, f64)> {
        let most = self.values.iter().map(|(_, value)| *value).fold(f64::NEG_INFINITY, f64::max);
        self.values.iter().rev().find(|(_, value)| *value >= most - EQUAL).copied()
    }
}

/// Searches every move of the computer, which is to move. `None` if it was stopped: `stop` is
/// called now and then, with the number of moves tried so far.
pub(crate) fn look<P: Position + Hash + Eq>(
    position: &P,
    settings: Settings,
    stop: &mut dyn FnMut(u64) -> bool,
) -> Option<Seen<P::Move>> {
    let mut search = Search { settings, known: HashMap::new(), nodes: 0, stopped: false, stop };
    let mut moves = Vec::new();
    position.moves(&mut moves);
    let mut position = position.clone();
    let values =
        moves.into_iter().map(|mv| (mv, search.after_own(&mut position, mv, settings.levels))).collect();
    (!search.stopped).then_some(Seen { values, nodes: search.nodes })
}

/// The average; [`UNKNOWN`] for no values.
pub(crate) fn average(values: &[f64]) -> f64 {
    if values.is_empty() { UNKNOWN } else { values.iter().sum::<f64>() / values.len() as f64 }
}

struct Search<'a, P> {
    settings: Settings,
    /// The values of user's nodes, with their levels. Many orders of moves lead to the same one.
    known: HashMap<(P, Levels), f64>,
    nodes: u64,
    stopped: bool,
    stop: &'a mut dyn FnMut(u64) -> bool,
}

impl<P: Position + Hash + Eq> Search<'_, P> {
    /// The value of a move of the computer, with this many levels after it.
    fn after_own(&mut self, position: &mut P, mv: P::Move, levels: Levels) -> f64 {
        let own = position.status();
        let undo = position.play(mv);
        self.nodes += 1;
        if self.nodes.is_multiple_of(1024) && (self.stop)(self.nodes) {
            self.stopped = true;
        }
        let value = match position.status() {
            // A forbidden move of renju loses.
            Status::Over(Ending::Win(winner, _)) => f64::from(own == Status::ToMove(winner)),
            Status::Over(Ending::Draw(_)) => self.settings.draw_value,
            Status::ToMove(_) => self.user(position, levels),
        };
        position.undo(undo);
        value
    }

    fn user(&mut self, position: &mut P, levels: Levels) -> f64 {
        let Some(below) = levels.below() else { return UNKNOWN };
        if self.stopped {
            return UNKNOWN;
        }
        if let Some(value) = self.known.get(&(position.clone(), levels)) {
            return *value;
        }
        let mut moves = Vec::new();
        position.moves(&mut moves);
        let user = position.status();
        let wins = moves.iter().any(|&mv| {
            let undo = position.play(mv);
            let won = matches!(position.status(), Status::Over(Ending::Win(winner, _)) if user == Status::ToMove(winner));
            position.undo(undo);
            won
        });
        let value = if wins {
            0.0
        } else {
            let values: Vec<f64> =
                moves.into_iter().map(|mv| self.after_users(position, mv, below)).collect();
            average(&values)
        };
        if self.known.len() < REMEMBERED && !self.stopped {
            self.known.insert((position.clone(), levels), value);
        }
        value
    }

    /// The value of a move of the user that does not win.
    fn after_users(&mut self, position: &mut P, mv: P::Move, levels: Levels) -> f64 {
        let undo = position.play(mv);
        let value = match position.status() {
            Status::Over(Ending::Draw(_)) => self.settings.draw_value,
            // It does not win, so it is a forbidden move of renju.
            Status::Over(Ending::Win(..)) => 1.0,
            Status::ToMove(_) => {
                let mut moves = Vec::new();
                position.moves(&mut moves);
                moves.into_iter().map(|mv| self.after_own(position, mv, levels)).fold(0.0, f64::max)
            }
        };
        position.undo(undo);
        value
    }
}

#[cfg(test)]
mod tests {
    use agon_games::mnk::{Mnk, MnkBoard};

    use super::*;

    fn board(rules: &str, moves: &str) -> MnkBoard {
        let mut board = rules.parse::<Mnk>().unwrap().board();
        for mv in moves.split_whitespace() {
            board.play(board.parse(mv).unwrap());
        }
        board
    }

    fn seen(board: &MnkBoard, levels: Levels, draw_value: f64) -> Vec<(String, f64)> {
        let seen = look(board, Settings { levels, draw_value }, &mut |_| false).unwrap();
        seen.values.into_iter().map(|(mv, value)| (mv.to_string(), value)).collect()
    }

    fn played(board: &MnkBoard, levels: Levels, draw_value: f64) -> String {
        let seen = look(board, Settings { levels, draw_value }, &mut |_| false).unwrap();
        seen.best().unwrap().0.to_string()
    }

    #[test]
    fn the_average_of_the_seven_numbers_is_0_571() {
        let average = average(&[0.3, 0.5, 0.3, 0.2, 0.8, 0.9, 1.0]);
        assert_eq!((average * 1000.0).round(), 571.0);
    }

    #[test]
    fn the_first_moves_of_tic_tac_toe_have_the_known_values() {
        let values = seen(&board("3x3,3", ""), Levels::All, 0.5);
        for (mv, value) in values {
            let known = match mv.as_str() {
                "a1" | "a3" | "c1" | "c3" => 0.9974,
                "b2" => 0.9948,
                _ => 0.9935,
            };
            assert_eq!((value * 1e4).round() / 1e4, known, "{mv}");
        }
    }

    #[test]
    fn as_many_levels_as_the_game_has_are_all_of_them() {
        let empty = board("3x3,3", "");
        assert_eq!(seen(&empty, Levels::Some(5), 0.3), seen(&empty, Levels::All, 0.3));
        assert_ne!(seen(&empty, Levels::Some(2), 0.3), seen(&empty, Levels::All, 0.3));
    }

    #[test]
    fn past_the_last_level_everything_is_worth_a_half() {
        assert!(seen(&board("3x3,3", ""), Levels::Some(0), 0.2).iter().all(|(_, value)| *value == 0.5));
        // One level covers the user's answer and the computer's next move.
        let of = |moves: &str, mv: &str| {
            let values = seen(&board("3x3,3", moves), Levels::Some(1), 0.2);
            values.into_iter().find(|(text, _)| text == mv).unwrap().1
        };
        let both_could_win = "a1 a3 b1 b3";
        assert_eq!(of(both_could_win, "c1"), 1.0);
        assert_eq!(of(both_could_win, "c2"), 0.0); // the user wins at c3
        let nobody_could = "a1 c1 b1 b3";
        assert_eq!(of(nobody_could, "a2"), 0.875); // three of four answers leave a3 open, which then wins
        assert_eq!(of(nobody_could, "c2"), 0.5);
    }

    #[test]
    fn a_draw_has_the_draw_value() {
        let last = board("3x3,3", "b2 a1 c1 a3 a2 c2 b1 b3");
        assert_eq!(seen(&last, Levels::All, 0.0), [("c3".to_owned(), 0.0)]);
        assert_eq!(seen(&last, Levels::All, 0.75), [("c3".to_owned(), 0.75)]);
    }

    #[test]
    fn a_forbidden_move_of_renju_loses() {
        let fork = "c3 a1 d3 a7 b4 g1 b5 g7";
        let of = |moves: &str, mv: &str, levels| {
            let values = seen(&board("7x7,5,renju", moves), levels, 0.5);
            values.into_iter().find(|(text, _)| text == mv).unwrap().1
        };
        // b3 makes two threes if it is played last, and is the user's loss after a move elsewhere.
        assert_eq!(board("7x7,5,renju", &format!("{fork} b3")).score(agon_seats::Seat::SECOND), 1);
        assert_eq!(of(fork, "b3", Levels::Some(0)), 0.0);
        assert_eq!(of(fork, "e5", Levels::Some(0)), 0.5);
        assert!(of(&format!("{fork} e5"), "e1", Levels::Some(1)) > 0.5);
        // The user does not take a move that loses for a win.
        assert_ne!(of(&fork[..fork.len() - 3], "g7", Levels::Some(1)), 0.0);
    }

    #[test]
    fn the_last_of_equal_moves_is_played() {
        // All corners are equal, and c3 is the last of them; without search all cells are equal.
        assert_eq!(played(&board("3x3,3", ""), Levels::All, 0.5), "c3");
        assert_eq!(played(&board("15x15,5", ""), Levels::Some(0), 0.5), "o15");
        let values = vec![('a', 0.1 + 0.2), ('b', 0.3), ('c', 0.2)];
        assert_eq!(Seen { values, nodes: 0 }.best(), Some(('b', 0.3)));
    }

    #[test]
    fn a_search_that_is_stopped_has_no_values() {
        let settings = Settings { levels: Levels::All, draw_value: 0.5 };
        assert!(look(&board("4x4,4", ""), settings, &mut |_| true).is_none());
    }
}
