//! Tests of m,n,k games: known values, a naive solver, and games played by the search.

use super::*;
use crate::naive::{Dice, Solutions, play_out, solve};
use crate::value::{Remoteness, Solution, Value};
use crate::worked::worked;
use crate::{Extent, Solver, SolverSettings};

fn rules(options: &str) -> Mnk {
    options.parse().unwrap()
}

fn solver(options: &str) -> Solver {
    Solver::new(&rules(options), SolverSettings::default())
}

fn start(options: &str) -> Valuation {
    solver(options).follow("startpos").unwrap().value()
}

#[test]
fn the_known_values_of_empty_boards() {
    for options in ["3x3,3", "4x4,4", "5x4,4", "4x5,4", "5x5,5", "5x5,4", "7x1,3", "2x2,3"] {
        if let Ok(rules) = options.parse::<Mnk>() {
            let value = Solver::new(&rules, SolverSettings::default()).follow("startpos").unwrap().value();
            assert_eq!(value, Solution::DRAWN.into(), "{options}");
        }
    }
    for (options, plies) in
        [("4x3,3", 7), ("3x4,3", 7), ("5x5,3", 5), ("3x3,1", 1), ("2x2,2", 3), ("1x1,1", 1)]
    {
        assert_eq!(start(options), Solution::won(plies).into(), "{options}");
    }
    assert_eq!(start("4x3,3,first=O"), Solution::won(7).into());
}

/// Every position that a game can reach.
#[test]
fn a_naive_solver_agrees_on_every_position_of_small_boards() {
    for options in ["3x3,3", "4x3,3", "3x3,2", "9x1,3", "2x5,3,first=O"] {
        let rules = rules(options);
        let values = MnkValues::new(rules);
        let mut found = Solutions::new();
        solve(&mut rules.board(), &values, &mut found);
        assert!(found.len() > 20, "{options}");
        let mut all: Vec<_> = found.into_iter().collect();
        all.sort_by(|(one, _), (other, _)| one.cmp(other));
        // What the hash table holds depends on the order of the questions.
        let mut dice = Dice(43);
        for _ in 0..5 {
            let values = MnkValues::new(rules);
            for left in (1..all.len()).rev() {
                all.swap(left, dice.below(left + 1));
            }
            for (text, solution) in &all {
                let board = rules.read(text).unwrap();
                assert_eq!(values.of_any(&board), (*solution).into(), "{options} {text}");
            }
        }
    }
}

/// Where no line can be too long or blocked, a rule about lines makes no difference.
#[test]
fn another_rule_is_solved_where_the_board_is_too_small_for_it() {
    for options in ["3x3,3,exact", "3x3,3,caro", "3x3,2,caro", "5x2,4,first=O,caro"] {
        let rules = rules(options);
        let values = MnkValues::new(rules);
        let mut found = Solutions::new();
        solve(&mut rules.board(), &values, &mut found);
        assert!(found.len() > 20, "{options}");
        for (text, solution) in found {
            let board = rules.read(&text).unwrap();
            assert_eq!(values.of_any(&board), solution.into(), "{options} {text}");
        }
    }
    assert_eq!(solver("3x3,3,exact").extent(), Extent::Search);
}

#[test]
fn a_rule_that_the_search_does_not_know_has_unknown_values() {
    let why = "only games in which a line of k or more wins are solved";
    for options in ["4x3,3,exact", "5x5,3,caro", "4x4,3,exact,caro", "5x5,5,renju", "15x15,5,renju"] {
        let solver = solver(options);
        assert_eq!(solver.extent(), Extent::Nothing, "{options}");
        let mut game = solver.follow("startpos").unwrap();
        assert_eq!(game.value(), Valuation::Unknown { why }, "{options}");
        game.play("a1").unwrap();
        assert_eq!(game.value(), Valuation::Unknown { why }, "{options}");
    }
    // The side to move has won by the other side's forbidden move.
    let lost = "O.....O/......./.X...../.X...../.xXX.../......./O.....O";
    let values = MnkValues::new(rules("7x7,5,renju"));
    let board = values.rules.read(lost).unwrap();
    assert_eq!(
        values.of_any(&board),
        Solution { value: Value::Won, remoteness: Remoteness::Plies(0) }.into()
    );
}

/// On boards of more than 25 cells only the free ones are searched.
#[test]
fn a_naive_solver_agrees_on_the_ends_of_larger_boards() {
    let mut dice = Dice(400);
    let mut seen = [0; 3];
    for options in ["6x6,4", "9x4,4", "6x5,5", "20x2,6", "7x7,5,first=O"] {
        let rules = rules(options);
        let values = MnkValues::new(rules);
        let mut compared = 0;
        while compared < 25 {
            let mut board = rules.board();
            if !dice.play(&mut board, values.cells() as usize - 8 + compared % 4) {
                continue;
            }
            let solution = solve(&mut board, &values, &mut Solutions::new());
            assert_eq!(values.of_any(&board), solution.into(), "{options} {}", board.text());
            seen[solution.value as usize] += 1;
            compared += 1;
        }
    }
    assert!(seen.iter().all(|seen| *seen > 5), "{seen:?}");
}

#[test]
fn perfect_play_ends_as_the_value_says_in_exactly_the_remoteness() {
    let mut dice = Dice(55);
    let rules = rules("5x4,3");
    let solver = Solver::new(&rules, SolverSettings::default());
    let mut decided = 0;
    while decided < 100 {
        let mut board = rules.board();
        if !dice.play(&mut board, decided % 9) {
            continue;
        }
        play_out(solver.follow(&board.text()).unwrap().as_mut());
        decided += 1;
    }
}

#[test]
fn a_board_with_too_many_free_cells_is_unknown() {
    assert_eq!(start("15x15,5"), TOO_LARGE);
    let mut game = solver("15x15,5").follow("startpos").unwrap();
    assert!(game.ranked().iter().all(|mv| mv.valuation == TOO_LARGE));
    assert!(matches!(game.review("X,h8").unwrap().quality(), crate::MoveQuality::Unknown));
}

/// 28 cells are searched within the limit, if the limit is enough.
#[test]
fn a_larger_board_is_searched_up_to_the_limit() {
    assert_eq!(start("7x4,3"), Solution::won(5).into());
    let limited = solver("7x4,4").follow("startpos").unwrap().value();
    assert!(matches!(limited, Valuation::Unknown { .. }), "{limited}");
}

/// Without tables: a run that analyses a few games has made none.
#[test]
fn a_million_positions_are_enough_for_any_position_of_a_small_board() {
    let settings = || SolverSettings { most_positions: Some(1_000_000), ..SolverSettings::default() };
    let mut dice = Dice(200);
    for options in ["5x5,4", "5x5,5", "6x4,4", "5x4,4", "4x4,4", "8x3,3", "5x5,3"] {
        let rules = rules(options);
        let value = |text: &str| Solver::new(&rules, settings()).follow(text).unwrap().value();
        assert!(value("startpos").known().is_some(), "{options}");
        for stones in [1, 3, 5] {
            let mut board = rules.board();
            if dice.play(&mut board, stones) {
                assert!(value(&board.text()).known().is_some(), "{options} {}", board.text());
            }
        }
    }
}

#[test]
fn the_limit_of_positions_is_obeyed_on_a_small_board_too() {
    let settings = SolverSettings { most_positions: Some(100), ..SolverSettings::default() };
    let mut game = Solver::new(&rules("5x5,4"), settings).follow("startpos").unwrap();
    assert!(game.value().known().is_none());
    assert!(game.ranked().iter().any(|mv| mv.valuation.known().is_none()));
    let settings = SolverSettings { stop: Some(std::sync::Arc::new(|| true)), ..SolverSettings::default() };
    let game = Solver::new(&rules("5x5,4"), settings).follow("startpos").unwrap();
    assert!(game.value().known().is_none(), "its caller says stop");
}

#[test]
#[ignore = "a minute: cargo test --release -p agon-solved any_position_of_25_cells -- --ignored --nocapture"]
fn any_position_of_25_cells_takes_less_than_a_second() {
    let mut dice = Dice(25);
    for (options, k) in [("5x5", 3), ("5x5", 4), ("5x5", 5), ("6x4", 4), ("12x2", 3), ("12x2", 4), ("8x3", 3)]
    {
        let rules = rules(&format!("{options},{k}"));
        let solver = Solver::new(&rules, SolverSettings::default());
        let clock = worked();
        solver.follow("startpos").unwrap().value();
        let first = worked() - clock;
        let mut slowest = [std::time::Duration::ZERO; 2];
        for number in 0..100 {
            let mut board = rules.board();
            dice.play(&mut board, number % 14);
            let mut game = solver.follow(&board.text()).unwrap();
            let clock = worked();
            game.value();
            slowest[0] = slowest[0].max(worked() - clock);
            let clock = worked();
            game.ranked();
            slowest[1] = slowest[1].max(worked() - clock);
        }
        println!(
            "{options},{k}: the empty board {first:?}, a position {:?}, its moves {:?}",
            slowest[0], slowest[1]
        );
        assert!(slowest[0].as_secs_f64() < 1.0, "{options},{k}");
    }
}
