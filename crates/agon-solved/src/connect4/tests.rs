//! Tests of connect four: a naive solver, games played by the search, and its time.

use super::*;
use crate::worked::worked;
use std::num::NonZeroUsize;

use crate::naive::{Dice, Solutions, play_out, solve};
use crate::{Solver, SolverSettings};
use agon_games::Position;
use agon_games::connect4::ConnectFour;

#[test]
fn a_naive_solver_agrees_on_the_last_plies() {
    let mut dice = Dice(42);
    let values = FourValues::default();
    let mut seen = [0; 3];
    for number in 0..120 {
        let mut grid = dice.reach(&Grid::default(), 30 + number % 12);
        let solution = solve(&mut grid, &values, &mut Solutions::new());
        assert_eq!(values.of_any(&grid), solution.into(), "{}", grid.text());
        seen[solution.value as usize] += 1;
    }
    assert!(seen.iter().all(|seen| *seen > 10), "{seen:?}");
}

#[test]
fn perfect_play_ends_as_the_value_says_in_exactly_the_remoteness() {
    let mut dice = Dice(4);
    let solver = Solver::new(&ConnectFour, SolverSettings::default());
    let mut seen = [0; 3];
    for number in 0..40 {
        let grid = dice.reach(&Grid::default(), 17 + number % 5);
        let solution = play_out(solver.follow(&grid.text()).unwrap().as_mut());
        seen[solution.value as usize] += 1;
    }
    assert!(seen.iter().all(|seen| *seen > 0), "{seen:?}");
}

#[test]
#[ignore = "a minute: cargo test --release -p agon-solved twelve_plies -- --ignored --nocapture"]
fn a_position_after_twelve_plies_takes_less_than_a_second() {
    let mut dice = Dice(12);
    let values = FourValues::default();
    let mut times: Vec<f64> = Vec::new();
    for _ in 0..200 {
        let grid = dice.reach(&Grid::default(), 12);
        let clock = worked();
        assert!(values.of(&grid).known().is_some(), "{}", grid.text());
        times.push((worked() - clock).as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    println!("median {:.3} s, 95 % {:.3} s, longest {:.3} s", times[100], times[190], times[199]);
    assert!(times[190] < 1.0);
}

/// Two million positions take about a second.
#[test]
fn a_position_after_twelve_plies_takes_a_bounded_number_of_positions() {
    let limit = || crate::limit::SearchLimit { most: Some(2_000_000), stop: None };
    let mut dice = Dice(12);
    for _ in 0..20 {
        let grid = dice.reach(&Grid::default(), 12);
        assert!(FourValues::within(limit()).of(&grid).known().is_some(), "{}", grid.text());
    }
}

/// The book says so, not a search: it would take minutes.
#[test]
fn the_first_player_wins_from_the_empty_board_by_the_centre_column() {
    let solver = Solver::new(&ConnectFour, SolverSettings::default());
    let mut game = solver.follow("startpos").unwrap();
    let clock = worked();
    let Valuation::Known(start) = game.value() else { panic!("{}", game.value()) };
    assert!((worked() - clock).as_secs() < 60);
    assert_eq!(start.value, Value::Won);
    game.play("4").unwrap();
    assert_eq!(game.value().known().map(|after| after.value), Some(Value::Lost));
    for reply in ["1", "2", "3", "4", "5", "6", "7"] {
        let mut game = solver.follow("startpos").unwrap();
        game.play("4").unwrap();
        game.play(reply).unwrap();
        assert_eq!(game.value().known().map(|after| after.value), Some(Value::Won), "{reply}");
    }
}

#[test]
fn a_book_is_not_solved_twice() {
    let whole = connect_four_book(0, BookDepth::Signs, &[0, 65], NonZeroUsize::MIN, 4, &|_| false);
    assert_eq!(whole, [0, 65]);
    assert_eq!(book::FourBook::stored().stones, 2);
}

#[test]
fn what_a_book_holds_of_a_position_follows_from_its_moves() {
    let [won, lost] = [Some(Booked::Won), Some(Booked::Lost)];
    let score = |score| Some(Booked::Score(score));
    assert_eq!(Booked::from(&[score(3), score(-2)]), score(2));
    assert_eq!(Booked::from(&[None, lost]), won);
    assert_eq!(Booked::from(&[score(-2), lost]), won);
    assert_eq!(Booked::from(&[won, score(0)]), score(0));
    assert_eq!(Booked::from(&[won, score(5)]), lost);
    assert_eq!(Booked::from(&[won, None]), None);
    assert_eq!(Booked::from(&[score(0), None]), None);
}
