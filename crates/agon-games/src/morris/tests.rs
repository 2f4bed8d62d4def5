//! Tests from the contest's document, numbers from outside, and a second, slower implementation.

mod naive;

use super::*;
use crate::perft::perft;
use crate::{Ending, PerSeat, Position, Seat, Status};

fn at(text: &str) -> MorrisPosition {
    Morris::default().position_from(text).unwrap_or_else(|why| panic!("{text}: {why}"))
}

fn with(options: &str, text: &str) -> MorrisPosition {
    options.parse::<Morris>().unwrap().position_from(text).unwrap_or_else(|why| panic!("{text}: {why}"))
}

fn refusal(position: &MorrisPosition, text: &str) -> String {
    match position.parse(text) {
        Err(Refusal::Illegal(why)) => why,
        other => panic!("{text} should be illegal, and is {other:?}"),
    }
}

/// Plays these moves one after the other.
fn play(position: &mut MorrisPosition, moves: &str) {
    for text in moves.split_whitespace() {
        let mv = position.parse(text).unwrap_or_else(|why| panic!("{text}: {why}"));
        assert_eq!(mv.to_string(), text);
        position.play(mv);
    }
}

fn moves(position: &MorrisPosition) -> Vec<String> {
    let mut moves = vec![];
    position.moves(&mut moves);
    moves.iter().map(MorrisMove::to_string).collect()
}

/// The first six plies by counting instead of playing. `disjoint` is the number of mills without a
/// point in common with a given one.
fn six_plies(points: u64, mills: u64, disjoint: u64) -> [u64; 6] {
    let placed = |plies: u64| (0..plies).map(|taken| points - taken).product::<u64>();
    // X's three men fill a mill in any order, O's two are anywhere else, and one of them is
    // removed.
    let closed_fifth = mills * 6 * (points - 3) * (points - 4);
    // The same for O's three at the sixth ply, if X's three are not in a mill; one of three is
    // removed.
    let closed_sixth = mills * 6 * ((points - 3) * (points - 4) * (points - 5) - disjoint * 6);
    let fifth = placed(5) + closed_fifth;
    let sixth =
        (placed(5) - closed_fifth) * (points - 5) + closed_sixth * 2 + closed_fifth * 2 * (points - 4);
    [placed(1), placed(2), placed(3), placed(4), fifth, sixth]
}

#[test]
fn the_numbers_of_move_sequences_follow_from_the_numbers_of_mills() {
    let mut six = Morris::default().position();
    assert_eq!([1, 2, 3, 4, 5, 6].map(|depth| perft(&mut six, depth)), six_plies(16, 8, 5));
    let mut nine = "nine".parse::<Morris>().unwrap().position();
    assert_eq!([1, 2, 3, 4, 5, 6].map(|depth| perft(&mut nine, depth)), six_plies(24, 16, 12));
}

#[test]
fn the_four_forms_of_a_move_are_read() {
    for (text, position) in [
        ("7", "................ x 6 6"),
        ("7r2", "..OXO.....X..... x 4 4"),
        ("3-4", "XX.X..O.....OX.O x 0 0"),
        ("9-2r7", "XX.O.O.O.X..O... x 0 0"),
    ] {
        assert_eq!(at(position).parse(text).unwrap().to_string(), text, "{position}");
    }
    // On neither board can a man from 3 close a mill at 4 and remove the man on 7: the move is
    // readable but illegal.
    for (options, position) in [("", "XX.X.XOO....OX.O x 0 0"), ("nine", "XX.X.X.OO....OX........O x 0 0")] {
        let why = refusal(&with(options, position), "3-4r7");
        assert_eq!(why, "3-4 closes no mill, so no man is removed");
    }
}

#[test]
fn a_mill_removes_one_man_and_must() {
    let mut position = Morris::default().position();
    play(&mut position, "0 3 1 4");
    assert_eq!(refusal(&position, "2"), "2 closes a mill, so a man of O must be removed: 2r3");
    assert_eq!(refusal(&position, "2r1"), "1 holds a man of X");
    assert_eq!(refusal(&position, "2r2"), "2 holds a man of X");
    assert_eq!(refusal(&position, "2r7"), "7 is empty");
    assert_eq!(refusal(&position, "5r4"), "5 closes no mill, so no man is removed");
    play(&mut position, "2r3");
    assert_eq!(position.text(), "XXX.O........... o 3 4");
    assert_eq!((position.score(Seat::FIRST), position.score(Seat::SECOND)), (6, 5));
}

#[test]
fn two_mills_at_once_remove_one_man() {
    let position = at(".XXO.OX.....OX.. x 2 2");
    let closing: Vec<String> = moves(&position).into_iter().filter(|text| text.starts_with("0")).collect();
    assert_eq!(closing, ["0r3", "0r5", "0r12"]);
}

#[test]
fn men_in_mills_are_safe_unless_all_are() {
    let some = at(".XXOOO.......... x 2 2");
    assert_eq!(moves(&some)[..3], ["0r3", "0r4", "0r5"]);
    let outside = at(".XXOOO.O.....X.O x 1 1");
    assert_eq!(refusal(&outside, "0r3"), "3 is in a mill, and there are men of O outside mills: 7, 15");
    assert_eq!(moves(&outside)[..2], ["0r7", "0r15"]);
    let any = with("removal=any", ".XXOOO.O.....X.O x 1 1");
    assert_eq!(moves(&any)[..5], ["0r3", "0r4", "0r5", "0r7", "0r15"]);
}

#[test]
fn the_joins_between_the_squares_are_moves_and_in_nine_mens_morris_mills() {
    assert!(moves(&at("XX.XO..O.O...O.X x 0 0")).contains(&"1-2".to_owned()));
    assert!(moves(&at("XX.X...O.O.O.O.X x 0 0")).contains(&"1-4".to_owned()));
    let nine = with("nine", ".X.OX............O...... x 7 7");
    assert_eq!(refusal(&nine, "7"), "7 closes a mill, so a man of O must be removed: 7r3");
}

#[test]
fn men_are_placed_then_slide_and_three_fly() {
    let placing = at("X..............O x 5 5");
    assert_eq!(refusal(&placing, "0-1"), "X has still 5 in hand to place, so a move names one point, 1");
    assert_eq!(refusal(&placing, "0"), "0 holds a man of X");
    assert_eq!(refusal(&placing, "15"), "15 holds a man of O");

    let sliding = at("X.X.OO.O.O..XX.. x 0 0");
    assert_eq!(refusal(&sliding, "1"), "X has no man in hand, so a move names two points, from and to, 3-4");
    assert_eq!(refusal(&sliding, "1-0"), "1 is empty");
    assert_eq!(refusal(&sliding, "4-1"), "4 holds a man of O");
    assert_eq!(refusal(&sliding, "12-5"), "5 holds a man of O");
    assert_eq!(refusal(&sliding, "0-0"), "0 holds a man of X");
    assert_eq!(refusal(&sliding, "0-3"), "0 and 3 are not joined, and only a side with three men left flies");

    let flying = at("X.X.OO.O.O..X... x 0 0");
    assert_eq!(moves(&flying).len(), 3 * 9 + 3, "12-1 closes a mill and has four men to choose from");
    let grounded = with("flying=no", "X.X.OO.O.O..X... x 0 0");
    assert_eq!(moves(&grounded), ["0-1", "0-6", "2-1", "12-8", "12-11"]);
    assert_eq!(refusal(&grounded, "0-3"), "0 and 3 are not joined");
    let still_placing = at("X.X.OO.O....X... o 0 1");
    assert_eq!(moves(&still_placing)[0], "1");
    assert!(flying.flies() && !grounded.flies() && !at("X.X.OO.O...X.... o 2 3").flies());
}

#[test]
fn unreadable_moves_say_what_a_move_looks_like() {
    let position = at("X.X.OO.O.O..XX.. x 0 0");
    for (text, part) in [
        ("", "a move is written 7, 7r2, 3-4 or 3-4r7"),
        ("r2", "a move is written"),
        ("3-", "a move is written"),
        ("P", "\"P\" is no point"),
        ("16", "\"16\" is no point; the points are 0 to 15"),
        ("07", "\"07\" is no point"),
        ("+7", "\"+7\" is no point"),
        ("256", "\"256\" is no point"),
        ("0-1r", "\"\" is no point"),
        ("0-1r2r3", "\"2r3\" is no point"),
        ("0-1-2", "\"1-2\" is no point"),
        ("-1", "\"\" is no point"),
        ("0 -1", "\"0 \" is no point"),
    ] {
        match position.parse(text) {
            Err(Refusal::Unreadable(why)) => assert!(why.contains(part), "{text}: {why}"),
            other => panic!("{text}: {other:?}"),
        }
    }
    assert_eq!(at("XX.O.O.......... x 4 4").parse("2R5").unwrap().to_string(), "2r5");
}

#[test]
fn fewer_than_three_men_lose_once_both_hands_are_empty() {
    let lost = "X.X.OO.O........ x 0 0";
    assert_eq!(at(lost).status(), Status::Over(Ending::Win(Seat::SECOND, "fewer than three men left")));
    assert_eq!(moves(&at(lost)), Vec::<String>::new());
    assert_eq!(refusal(&at(lost), "0-1"), "the game is over");
    assert_eq!(at("X.X.OO.O........ o 0 1").status(), Status::ToMove(Seat::SECOND));

    let mut position = at("XX.X.OO..O.....X o 0 1");
    play(&mut position, "13");
    assert_eq!(position.status(), Status::ToMove(Seat::FIRST));
}

#[test]
fn a_side_that_cannot_move_has_lost() {
    let blocked = "XOX...O..O...XOX x 0 0";
    assert_eq!(
        at(blocked).status(),
        Status::Over(Ending::Win(Seat::SECOND, "the other side has no legal move"))
    );
    assert_eq!(with("nomove=draws", blocked).status(), Status::Over(Ending::Draw("no legal move")));
    assert_eq!(with("nomove=draws", "XOX...O..O...X.X x 0 0").status(), Status::ToMove(Seat::FIRST));
    let three = "XOX...O..O...X.. o 0 1";
    let mut flier = at(three);
    play(&mut flier, "14");
    assert_eq!(flier.status(), Status::ToMove(Seat::FIRST));
    let mut grounded = with("flying=no", three);
    play(&mut grounded, "14");
    assert!(grounded.status().over().is_some());
}

#[test]
fn the_third_time_of_a_position_is_a_draw() {
    let mut position = at("X.X.O..O.O..XO.. x 0 0");
    play(&mut position, "0-1 4-3 1-0 3-4 0-1 4-3 1-0");
    assert_eq!(position.status(), Status::ToMove(Seat::SECOND));
    play(&mut position, "3-4");
    assert_eq!(position.status(), Status::Over(Ending::Draw("the same position for the third time")));
    assert_eq!(moves(&position), Vec::<String>::new());
}

#[test]
fn two_hundred_plies_without_a_removal_are_a_draw() {
    let text = "XX..O..O.O..XO.. x 0 0 199";
    let mut position = at(text);
    play(&mut position, "0-6");
    assert_eq!(position.status(), Status::Over(Ending::Draw("200 plies without a removal")));
    assert_eq!(position.text(), ".X..O.XO.O..XO.. o 0 0 200");
    assert_eq!(at(&position.text()).status(), position.status());

    let mut removed = at("XX.O.O...X..OO.. x 0 0 199");
    play(&mut removed, "9-2r3");
    assert_eq!(removed.status(), Status::ToMove(Seat::SECOND));
    assert_eq!(removed.text(), "XXX..O......OO.. o 0 0");
}

#[test]
fn the_numbers_of_moves_are_those_of_the_document() {
    let placing = at("XX.O.O.......... x 4 4");
    let sliding = at("XX.O.O.X.O..OX.. x 0 0");
    for (position, text, number) in [
        (&placing, "7", 7 * 256 + 7 * 16 + 7),
        (&placing, "2r5", 2 * 256 + 5 * 16 + 2),
        (&sliding, "7-10", 7 * 256 + 10 * 16 + 7),
    ] {
        let mv = position.parse(text).unwrap();
        assert_eq!(position.number(mv), Some(number), "{text}");
        assert_eq!(position.parse_number(number), Ok(mv), "{text}");
    }
    let closing = at("XX.O.O...X..OO.. x 0 0");
    let mv = closing.parse("9-2r3").unwrap();
    assert_eq!(closing.number(mv), Some(9 * 256 + 2 * 16 + 3));
    assert_eq!(closing.parse_number(9 * 256 + 2 * 16 + 3), Ok(mv));
    assert_eq!(
        closing.parse_number(9 * 256 + 2 * 16 + 9),
        Err(Refusal::illegal("9-2 closes a mill, so a man of O must be removed: 9-2r3"))
    );
    for (number, part) in [(4096, "0 to 4095"), (7 * 256 + 7 * 16 + 6, "7*256+7*16+6")] {
        let why = placing.parse_number(number).unwrap_err();
        assert!(matches!(why, Refusal::Unreadable(_)) && why.to_string().contains(part), "{why}");
    }
    let nine = "nine".parse::<Morris>().unwrap().position();
    assert_eq!(nine.number(nine.parse("3").unwrap()), None);
    assert!(nine.parse_number(0).is_err());
}

#[test]
fn tiers_count_the_men_to_place_and_those_of_both_players() {
    assert_eq!(Morris::default().position().tier(), 1200);
    assert_eq!("nine".parse::<Morris>().unwrap().position().tier(), 1800);
    assert_eq!(at("XXX.O........... o 3 4").tier(), 731);
    assert_eq!(at("XX.O.O.X.O..OX.. x 0 0").tier(), 44);
}

#[test]
fn a_position_is_given_with_its_tier() {
    for (tiered, text) in [
        ("1200 ................ x", "................ x 6 6"),
        ("1110 X............... o", "X............... o 5 6"),
        ("731 XXX.O........... o", "XXX.O........... o 3 4"),
        ("044 XX.O.O.X.O..OX.. x", "XX.O.O.X.O..OX.. x 0 0"),
        ("44 XX.O.O.X.O..OX.. o", "XX.O.O.X.O..OX.. o 0 0"),
    ] {
        assert_eq!(at(tiered).text(), text, "{tiered}");
        assert_eq!(at(text).tier(), tiered.split(' ').next().unwrap().parse().unwrap());
    }
    let refused = |text: &str| Morris::default().position_from(text).unwrap_err().to_string();
    for (text, words) in [
        ("1200 X............... x", "in tier 1200 X has 0 men on the board, and here are 1"),
        ("1200 ................ o", "X and O place in turn"),
        ("1400 ................ x", "a number from 0 to 6"),
        ("start ................ x", "the tier is a number XXYZ"),
        ("-44 XX.O.O.X.O..OX.. x", "the tier is a number XXYZ"),
        ("99999999999 XX.O.O.X.O..OX.. x", "the tier is a number XXYZ"),
        ("44 XX.O.O.X.O..OX.. w", "x or o"),
        ("44 XX.O", "TIER POINTS SIDE"),
    ] {
        let said = refused(text);
        assert!(said.contains(words), "{text}: {said}");
    }
}

#[test]
fn positions_read_back_as_they_were_written() {
    for (options, start, board) in [
        ("", "................ x 6 6", "...\n...\n....\n...\n...\nx 6 6\n"),
        ("nine", "........................ x 9 9", "...\n...\n...\n......\n...\n...\n...\nx 9 9\n"),
    ] {
        let rules: Morris = options.parse().unwrap();
        let mut position = rules.position();
        assert_eq!(position.text(), start);
        assert_eq!(position.board(), board);
        assert_eq!(rules.position_from(start), Ok(position.clone()));
        assert_eq!(rules.position_from("startpos"), Ok(position.clone()));
        play(&mut position, "7 3");
        assert_eq!(rules.position_from(&position.text()).unwrap().text(), position.text());
    }
    assert_eq!(at("...O...X........ x 5 5 2").text(), "...O...X........ x 5 5 2");
}

#[test]
fn a_text_that_is_no_position_is_refused_with_the_place() {
    for (text, part) in [
        ("", "here are 0 fields"),
        ("................ x 6", "here are 3 fields"),
        ("............... x 6 6", "a board has 16 points"),
        ("...x............ x 5 5", "point 3 holds 'x'"),
        ("................ X 6 6", "the side to move is x or o"),
        ("................ x 7 6", "the men in hand of X are a number from 0 to 6"),
        ("................ x 06 6", "the men in hand of X"),
        ("................ x 6 5", "X and O place in turn"),
        ("................ o 6 6", "X and O place in turn"),
        ("XX.............. o 5 6", "X has 2 men on the board and 5 in hand"),
        ("................ x 6 6 201", "from 0 to 200"),
        ("................ x 6 6 -1", "from 0 to 200"),
    ] {
        match Morris::default().position_from(text) {
            Err(Refusal::Unreadable(why)) => assert!(why.contains(part), "{text}: {why}"),
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn options_read_back() {
    for (text, spec) in [
        ("", "morris"),
        ("six,flying=yes,removal=outside,nomove=loses", "morris"),
        ("nine", "morris:nine"),
        ("flying=no,nine", "morris:nine,flying=no"),
        ("removal=any,nomove=draws", "morris:removal=any,nomove=draws"),
    ] {
        assert_eq!(text.parse::<Morris>().unwrap().spec(), spec);
    }
    for (text, part) in [
        ("twelve", "\"twelve\" is no option; there are six or nine"),
        ("flying", "\"flying\" is no option"),
        ("six,nine", "the number of men is given twice"),
        ("flying=no,flying=no", "flying is given twice"),
        ("nine,", "\"\" is no option"),
    ] {
        let why = text.parse::<Morris>().unwrap_err().to_string();
        assert!(why.contains(part), "{why}");
    }
    assert_eq!(Morris::default().settings(), [("men", "6".to_owned())]);
}

#[test]
fn a_referee_hears_normalised_moves() {
    let mut game = Morris::default().start(7);
    for line in ["x,0", "o,3", "X,1", "O,4"] {
        game.play(line.as_bytes()).unwrap();
    }
    assert_eq!(game.play(b"x,2R3").unwrap().text, "X,2r3");
    assert_eq!(game.scores(), PerSeat::two(6, 5));
}
