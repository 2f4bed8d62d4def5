//! Laws between the methods of a position, for programs that search.

use std::fmt::Debug;

use agon_games::letters::Letters;
use agon_games::{Position, Status, abalone, chess, connect4, mill, mnk, morris};
use agon_seats::Seat;

use crate::cases::{Dice, FEW, english, lexicon};

/// One random game from here, with every position checked by the laws.
fn hold<P: Position + PartialEq + Debug>(start: &P, seed: u64) {
    let mut dice = Dice::new(seed);
    let mut position = start.clone();
    let (mut moves, mut after) = (Vec::new(), Vec::new());
    let look = |position: &P| {
        let mut moves = Vec::new();
        position.moves(&mut moves);
        let scores = (position.score(Seat::FIRST), position.score(Seat::SECOND));
        (position.text(), position.board(), position.draw(), position.status(), scores, moves)
    };
    while let Status::ToMove(seat) = position.status() {
        position.moves(&mut moves);
        assert_eq!(position.count(&mut after), moves.len() as u64);
        let (before, same) = (look(&position), position.clone());
        for &mv in &moves {
            assert_eq!(position.parse(&mv.to_string()), Ok(mv));
            if let Some(number) = position.number(mv) {
                assert_eq!(position.parse_number(number), Ok(mv));
            }
            let undo = position.play(mv);
            assert_ne!(position, same, "{mv} changes something");
            assert_ne!(position.status(), Status::ToMove(seat), "{mv}: the turn passes on");
            position.moves(&mut after);
            assert_eq!(after.is_empty(), position.status().over().is_some());
            position.undo(undo);
            assert_eq!(position, same, "{mv} is taken back");
        }
        assert_eq!(look(&position), before, "to play and to undo changes nothing");
        position.play(*dice.one(&moves));
    }
    position.moves(&mut moves);
    assert!(moves.is_empty() && position.count(&mut after) == 0, "nobody moves when the game is over");
}

fn many<P: Position + PartialEq + Debug>(start: &P, games: u64) {
    (0..games).for_each(|seed| hold(start, seed));
}

#[test]
fn undo_restores_the_letter_cube() {
    for (size, words) in [("3x3x1", lexicon(FEW)), ("4x5x2", lexicon(FEW)), ("4x4x4", english())] {
        let rules = Letters::with_options(size, words).unwrap();
        for seed in 0..40 {
            hold(&rules.position(seed), seed);
        }
    }
}

#[test]
fn undo_restores_boards_of_stones() {
    many(&mill::MillCube::default(), 60);
    many(&connect4::Grid::default(), 100);
    for game in
        ["3x3,3", "4x3,3,first=O", "1x1,1", "1x20,20", "7x2,3", "8x6,4,exact", "6x6,3,caro", "8x8,5,renju"]
    {
        many(&game.parse::<mnk::Mnk>().unwrap().board(), 40);
    }
    many(&"15x15,5".parse::<mnk::Mnk>().unwrap().board(), 2);
    many(&"20x20,5".parse::<mnk::Mnk>().unwrap().board(), 1);
}

#[test]
fn undo_restores_what_has_been_there_before() {
    for options in ["", "ko=no", "at-limit=marbles"] {
        many(&options.parse::<abalone::Abalone>().unwrap().position(), 4);
    }
    for options in ["", "960", "960=1,claims=never"] {
        let rules = options.parse::<chess::Chess>().unwrap();
        (0..6).for_each(|seed| hold(&rules.position(seed), seed));
    }
    for options in ["", "nine", "flying=no,removal=any,nomove=draws", "nine,removal=any"] {
        many(&options.parse::<morris::Morris>().unwrap().position(), 40);
    }
}
