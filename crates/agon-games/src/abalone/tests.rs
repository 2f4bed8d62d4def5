//! Tests from the contest's document, numbers from outside, and a second, slower implementation.

mod naive;

use super::*;
use crate::perft::perft;
use crate::{Ending, PerSeat, Position, Seat, Status};

/// A position with these marbles. To keep the game alive, each side gets nine in all, with marbles
/// on the edge: black above and to the right, white below.
fn with(black: &str, white: &str, to_move: &str) -> AbalonePosition {
    let mut board = AbaloneBoard::EMPTY;
    let cell = |name: &str| Space::all().find(|cell| cell.to_string() == name).expect("a cell");
    for (seat, names, spare) in [
        (Seat::FIRST, black, "i1 i2 i3 i4 i5 h6 g7 c7 b6"),
        (Seat::SECOND, white, "a1 a2 a4 a5 b1 b3 b5 c1 c2"),
    ] {
        for name in names.split_whitespace() {
            board.put(seat, cell(name));
        }
        for name in spare.split_whitespace() {
            if board.marbles(seat) < 9 && board.at(cell(name)).is_none() {
                board.put(seat, cell(name));
            }
        }
    }
    let rows = notation::rows(&board).join("/");
    Abalone::default().position_from(&format!("{rows} {to_move}")).expect("a position")
}

fn refusal(position: &AbalonePosition, text: &str) -> String {
    match position.parse(text) {
        Err(Refusal::Illegal(why)) => why,
        other => panic!("{text} should be illegal, and is {other:?}"),
    }
}

fn unreadable(position: &AbalonePosition, text: &str) -> String {
    match position.parse(text) {
        Err(Refusal::Unreadable(why)) => why,
        other => panic!("{text} should be unreadable, and is {other:?}"),
    }
}

/// Plays these moves one after the other.
fn play(position: &mut AbalonePosition, moves: &str) {
    for text in moves.split_whitespace() {
        let mv = position.parse(text).unwrap_or_else(|why| panic!("{text}: {why}"));
        position.play(mv);
    }
}

#[test]
fn the_examples_of_the_document_are_read_and_written_as_they_stand() {
    for (text, black, after) in [
        ("d1f2-e1", "d1 e2 f2", "e1 f1 g1"),
        ("h1h3-h2", "h1 h2 h3", "h2 h3 h4"),
        ("i4g6-h5", "i4 h5 g6", "h5 g6 f7"),
        ("d2f3-e3", "d2 e3 f3", "e3 f3 g3"),
        ("f5f6-e6", "f5 f6", "e6 e7"),
        ("f8e8-e9", "f8 e8", "e9 d8"),
        ("d4c3-c3", "d4 c3", "c3 b2"),
        ("d6c6-c6", "d6 c6", "c6 b6"),
        ("a3-b4", "a3", "b4"),
    ] {
        let position = with(black, "", "b");
        let mv = position.parse(text).unwrap_or_else(|why| panic!("{text}: {why}"));
        assert_eq!(mv.to_string(), text);
        let mut played = position.clone();
        played.play(mv);
        let gone: Vec<&str> = black.split(' ').filter(|cell| !after.contains(cell)).collect();
        for cell in Space::all() {
            let name = cell.to_string();
            if after.contains(&name) {
                assert_eq!(played.marbles().at(cell), Some(Seat::FIRST), "{text}: {name}");
            } else if gone.contains(&name.as_str()) {
                assert_eq!(played.marbles().at(cell), None, "{text}: {name}");
            } else {
                assert_eq!(played.marbles().at(cell), position.marbles().at(cell), "{text}: {name}");
            }
        }
    }
}

#[test]
fn a_broadside_named_the_other_way_round_is_the_same_move() {
    for (turned, text, black) in
        [("f2d1-g1", "d1f2-e1", "d1 e2 f2"), ("f6f5-e7", "f5f6-e6", "f5 f6"), ("E8F8-D8", "f8e8-e9", "f8 e8")]
    {
        assert_eq!(with(black, "", "b").parse(turned).unwrap().to_string(), text);
    }
}

#[test]
fn a_push_moves_fewer_marbles_than_it_has() {
    let mut position = with("e3 e4 e5", "e6 e7", "b");
    play(&mut position, "e3e5-e4");
    assert_eq!(position.text(), with("e4 e5 e6", "e7 e8", "w").text() + " 1");

    assert_eq!(
        refusal(&with("e4 e5", "e6 e7", "b"), "e4e5-e5"),
        "the push needs more marbles than it pushes, and it is 2 against 2"
    );
    assert_eq!(
        refusal(&with("e5", "e6", "b"), "e5-e6"),
        "the push needs more marbles than it pushes, and it is 1 against 1"
    );
    assert_eq!(
        refusal(&with("e3 e4 e5 e7", "e6", "b"), "e3e5-e4"),
        "the marbles that are pushed cannot go on: behind them e7 holds a marble of B"
    );
}

#[test]
fn a_marble_pushed_over_the_edge_is_lost() {
    let mut position = with("e6 e7", "e8 e9", "b");
    assert_eq!(
        refusal(&position, "e6e7-e7"),
        "the push needs more marbles than it pushes, and it is 2 against 2"
    );
    position = with("e5 e6 e7", "e8 e9", "b");
    play(&mut position, "e5e7-e6");
    assert_eq!((position.score(Seat::FIRST), position.score(Seat::SECOND)), (9, 8));
    assert_eq!(position.status(), Status::Over(Ending::Win(Seat::FIRST, "six marbles pushed off")));
    let mut moves = vec![];
    position.moves(&mut moves);
    assert_eq!(moves, []);
    assert_eq!(refusal(&position, "a1-b1"), "the game is over");
}

#[test]
fn refusals_name_what_is_wrong() {
    let position = with("d1 e2 f2 g2 e8 e9", "c1 c5", "b");
    for (text, why) in [
        ("d4-d5", "d4 is empty"),
        ("c5-c6", "c5 holds a marble of W"),
        ("d1f2-c2", "c2 is not next to d1"),
        ("d1-d3", "d3 is not next to d1"),
        ("d1e5-d2", "d1 and e5 are not the ends of two or three in a line"),
        ("d1g2-e2", "d1 and g2 are not the ends of two or three in a line"),
        ("d1f2-e2", "g2 holds a fourth marble of B, and at most three go at once"),
        ("d1e2-e2", "f2 holds a marble of B"),
        ("d1-e2", "e2 holds a marble of B"),
        ("e8e9-e9", "the marble at e9 would leave the board, and it is B's own"),
        ("e8e9-f8", "the marble at e9 would leave the board, and it is B's own"),
        ("e2d1-d2", "c1 holds a marble of W, and a broadside pushes nothing"),
        ("f2e2-g2", "a push goes from its tail to its head, this one is e2f2-f2"),
    ] {
        assert_eq!(refusal(&position, text), why, "{text}");
    }
    for (text, part) in [
        ("", "there is no '-'"),
        ("P", "there is no '-'"),
        ("e5e6", "there is no '-'"),
        ("-e6", "before the '-' stand one cell or two"),
        ("e5e6e7-e6", "before the '-' stand one cell or two"),
        ("e5-", "\"\" is no cell; a cell is a letter and a digit"),
        ("e5-e55", "\"e55\" is no cell"),
        ("d1-f2-e1", "\"f2-e1\" is no cell"),
        ("e5 -e6", "before the '-' stand one cell or two"),
        ("j1-i1", "\"j1\" is no cell; the rows are a to i"),
        ("f9-f8", "\"f9\" is no cell; row f goes from f1 to f8"),
        ("e0-e1", "\"e0\" is no cell; row e goes from e1 to e9"),
        ("e5e5-e6", "tail and head are both e5; a move of one marble is written e5-e6"),
    ] {
        assert!(unreadable(&position, text).contains(part), "{text}: {}", unreadable(&position, text));
    }
}

#[test]
fn no_board_comes_back() {
    let mut position = Abalone::default().position();
    play(&mut position, "g3-f3 c3-d3 f3-g3");
    assert_eq!(refusal(&position, "d3-c3"), "that board has been before (at the start)");
    play(&mut position, "d3-e3 g3-f3");
    assert_eq!(refusal(&position, "e3-d3"), "that board has been before (after W's move 1)");
    play(&mut position, "e3-e4 f3-g3");
    assert_eq!(refusal(&position, "e4-d3"), "that board has been before (after B's move 2)");
    let mut moves = vec![];
    position.moves(&mut moves);
    assert!(moves.iter().all(|mv| mv.to_string() != "e4-d3"));
}

#[test]
fn a_board_comes_back_whichever_side_is_to_move() {
    let mut position = Abalone::default().position();
    play(&mut position, "g3-f3 c3-d3 f3-f4 d3-c3");
    assert_eq!(refusal(&position, "f4-g3"), "that board has been before (at the start)");
}

#[test]
fn a_game_taken_up_from_a_text_knows_only_that_board() {
    let mut position = Abalone::default().position();
    play(&mut position, "g3-f3 c3-d3");
    let mut taken_up = Abalone::default().position_from(&position.text()).unwrap();
    play(&mut taken_up, "f3-g3 d3-c3 g3-f3");
    assert_eq!(refusal(&taken_up, "c3-d3"), "that board has been before (where this game was taken up)");
}

#[test]
fn without_ko_boards_come_back() {
    let mut position = "ko=no".parse::<Abalone>().unwrap().position();
    play(&mut position, "g3-f3 c3-d3 f3-g3 d3-c3 g3-f3 c3-d3 f3-g3 d3-c3");
    assert!(position.text().starts_with(&Abalone::default().position().text()));
}

#[test]
fn two_hundred_moves_a_side_are_enough() {
    let text = "..###/######/..###../......../........./......../..OOO../OOOOOO/OOOOO w 399";
    for (options, ending) in [
        ("", Ending::Draw("200 moves a side")),
        ("at-limit=marbles", Ending::Win(Seat::SECOND, "200 moves a side, more marbles left")),
    ] {
        let mut position = options.parse::<Abalone>().unwrap().position_from(text).unwrap();
        assert_eq!(position.status(), Status::ToMove(Seat::SECOND));
        play(&mut position, "c3-d3");
        assert_eq!(position.status(), Status::Over(ending));
    }
    let rules = Abalone { at_limit: AtLimit::Marbles, ..Abalone::default() };
    let even = rules.position_from(&format!("{} 400", rules.position().text())).unwrap();
    assert_eq!(even.status(), Status::Over(Ending::Draw("200 moves a side, as many marbles left")));
}

#[test]
fn a_side_without_a_move_has_lost() {
    let mut board = AbaloneBoard::EMPTY;
    for cell in Space::all() {
        let black = cell.row() % 2 == 0 && cell.number() % 2 == 0 && board.marbles(Seat::FIRST) < 9;
        board.put(if black { Seat::FIRST } else { Seat::SECOND }, cell);
    }
    let position = AbalonePosition::new(Abalone::default(), board, Seat::FIRST, 0);
    assert_eq!(
        position.status(),
        Status::Over(Ending::Win(Seat::SECOND, "the other side has no legal move"))
    );
}

#[test]
fn positions_read_back_as_they_were_written() {
    let rules = Abalone::default();
    let start = rules.position();
    assert_eq!(start.text(), "#####/######/..###../......../........./......../..OOO../OOOOOO/OOOOO b");
    assert_eq!(rules.position_from("startpos"), Ok(start.clone()));
    assert_eq!(
        start.board(),
        "#####\n######\n..###..\n........\n.........\n........\n..OOO..\nOOOOOO\nOOOOO\nB\n"
    );
    let mut position = start;
    for text in ["g3-f3", "c3-d3", "g4-f4"] {
        play(&mut position, text);
        assert_eq!(rules.position_from(&position.text()).unwrap().text(), position.text());
    }
    assert!(position.text().ends_with(" w 3"));
}

#[test]
fn a_text_that_is_no_position_is_refused_with_the_place() {
    let start = Abalone::default().position().text();
    for (from, to, part) in [
        (" b", "", "here are 1 fields"),
        (" b", " B", "here it is \"B\""),
        (" b", " b 401", "from 0 to 400"),
        (" b", " b +1", "from 0 to 400"),
        ("OOOOOO/", "OOOOO/", "row b has 6 cells, and \"OOOOO\" has 5"),
        ("/OOOOO ", " ", "here are 8"),
        (".OOO.", ".OoO.", "c4 holds 'o'"),
        (".OOO.", ".OOOO", "W has 15 marbles"),
        ("/######/", "/....../", "both"),
        ("#####/######/", "...../....../", "B has 3 marbles"),
    ] {
        let mut text = start.replacen(from, to, 1);
        if part == "both" {
            text = text.replacen("OOOOOO", "......", 1);
        }
        match Abalone::default().position_from(&text) {
            Err(Refusal::Unreadable(why)) => assert!(why.contains(part), "{text}: {why}"),
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn options_read_back() {
    for (text, spec) in [
        ("", "abalone"),
        ("at-limit=tie", "abalone"),
        ("at-limit=marbles", "abalone:at-limit=marbles"),
        ("ko=no,at-limit=marbles", "abalone:at-limit=marbles,ko=no"),
        ("ko=yes", "abalone"),
    ] {
        assert_eq!(text.parse::<Abalone>().unwrap().spec(), spec);
    }
    for (text, part) in [
        ("at-limit=win", "\"at-limit=win\" is no option"),
        ("ko", "\"ko\" is no option"),
        ("ko=no,ko=no", "ko is given twice"),
        ("ko=no,", "\"\" is no option"),
    ] {
        let why = text.parse::<Abalone>().unwrap_err().to_string();
        assert!(why.contains(part), "{why}");
    }
}

#[test]
fn results_read_back() {
    for text in ["13(W)-8(L)", "14(T)-14(T)", "9(R)-12(W)", "14(W)-14(*)"] {
        assert_eq!(result_text(&read_result(text).unwrap()), text);
    }
    let sides = PerSeat::two(
        MarbleCount { marbles: 13, mark: ResultMark::Won },
        MarbleCount { marbles: 8, mark: ResultMark::Lost },
    );
    assert_eq!(read_result("13(W)-8(L)"), Ok(sides));
    for text in [
        "",
        "13(W)",
        "13(W)-8(W)",
        "13(W)-8(T)",
        "15(W)-8(L)",
        "13(W)-7(L)",
        "013(W)-8(L)",
        "13(w)-8(L)",
        "13(W)-8(L) ",
    ] {
        assert!(read_result(text).is_err(), "{text}");
    }
}

#[test]
fn a_referee_hears_normalised_moves() {
    let mut game = Abalone::default().start(7);
    assert_eq!(game.play(b"b,I1G3-h2").unwrap().text, "B,i1g3-h2");
    assert_eq!(game.scores(), PerSeat::two(14, 14));
    assert_eq!(game.moves().len(), 44);
}
