//! Tests of the rules of chess: ends, repetitions, material, positions and moves as text.

use super::*;
use crate::{Ending, Position, Seat, Status};

fn rules(options: &str) -> Chess {
    options.parse().unwrap()
}

fn at(options: &str, fen: &str) -> ChessPosition {
    rules(options).position_from(fen).unwrap_or_else(|why| panic!("{fen}: {why}"))
}

fn play(position: &mut ChessPosition, moves: &str) {
    for text in moves.split_whitespace() {
        let mv = position.parse(text).unwrap_or_else(|why| panic!("{text} in {}: {why}", position.text()));
        position.play(mv);
    }
}

fn after(fen: &str, moves: &str) -> ChessPosition {
    let mut position = at("", fen);
    play(&mut position, moves);
    position
}

fn ended(position: &ChessPosition) -> String {
    match position.status() {
        Status::ToMove(_) => "goes on".to_owned(),
        Status::Over(Ending::Win(seat, why)) => format!("{} {why}", SEATS[seat.index()]),
        Status::Over(Ending::Draw(why)) => format!("draw {why}"),
    }
}

#[test]
fn mates_and_stalemates_end_a_game() {
    assert_eq!(ended(&after("startpos", "f3 e5 g4 Qh4")), "B checkmate");
    let mated = after("startpos", "e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7");
    assert_eq!((ended(&mated).as_str(), mated.score(Seat::FIRST)), ("W checkmate", 1));
    assert_eq!(ended(&at("", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")), "draw stalemate");
    assert_eq!(ended(&at("", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")), "W checkmate");
}

#[test]
fn a_mate_goes_before_the_counters() {
    // The hundredth quiet ply mates.
    let quiet = after("7k/8/6K1/8/8/8/5Q2/8 w - - 99 80", "Qf8");
    assert_eq!(ended(&quiet), "W checkmate");
    assert!(ended(&after("7k/8/6K1/8/8/8/4Q3/8 w - - 99 80", "Qe1")).starts_with("draw fifty moves"));
}

#[test]
fn positions_repeat_with_the_same_possible_moves() {
    let shuffle = "Nf3 Nf6 Ng1 Ng8 ";
    assert_eq!(ended(&after("startpos", shuffle)), "goes on");
    assert_eq!(ended(&after("startpos", &shuffle.repeat(2))), "draw threefold repetition");
    let never = |times: usize| {
        let mut position = at("claims=never", "startpos");
        play(&mut position, &shuffle.repeat(times));
        ended(&position)
    };
    assert_eq!((never(3).as_str(), never(4).as_str()), ("goes on", "draw fivefold repetition"));
    // Here the right to castle was there once, and is lost with the first move of the king.
    let castles = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1";
    let walk = "Ke2 Kd8 Ke1 Ke8 ";
    assert_eq!(ended(&after(castles, &walk.repeat(2))), "goes on");
    assert_eq!(ended(&after(castles, &format!("{}Ke2", walk.repeat(2)))), "draw threefold repetition");
}

#[test]
fn a_square_behind_a_pawn_counts_only_if_a_capture_is_legal() {
    let walk = "Nf6 Nf3 Ng8 Ng1 ";
    // No pawn can take: the position after e4 is the same later.
    let mut position = after("startpos", "e4");
    play(&mut position, &walk.repeat(2));
    assert_eq!(ended(&position), "draw threefold repetition");
    // A pawn can take: the first time was another position.
    let mut position = after("rnbqkbnr/ppp1pppp/8/8/3p4/8/PPPPPPPP/RNBQKBNR w KQkq - 0 3", "e4");
    assert!(position.text().contains(" e3 "), "{}", position.text());
    play(&mut position, &walk.repeat(2));
    assert_eq!(ended(&position), "goes on");
    // The pawn that could take is pinned: the capture is illegal, and the position the same.
    let mut position = after("8/8/8/8/k2p3Q/8/4P3/K5N1 w - - 0 1", "e4");
    assert!(position.text().contains(" - "), "{}", position.text());
    play(&mut position, &"Kb4 Nf3 Ka4 Ng1 ".repeat(2));
    assert_eq!(ended(&position), "draw threefold repetition");
}

#[test]
fn a_piece_that_is_no_pawn_captures_nothing_en_passant() {
    // The bishop goes to the square behind the pawn, which makes the position no other one.
    let mut position = after("4k3/8/8/8/2b5/8/3PP3/4K3 b - - 0 1", "Kd8 d4");
    play(&mut position, &"Ke8 Kf2 Kd8 Ke1 ".repeat(2));
    assert_eq!(ended(&position), "draw threefold repetition");
}

#[test]
fn quiet_plies_draw_after_fifty_or_seventy_five_moves() {
    let fen = |clock: u16| format!("7k/8/6K1/8/8/8/4R3/8 w - - {clock} 80");
    assert_eq!(ended(&after(&fen(98), "Re1")), "goes on");
    assert!(ended(&after(&fen(99), "Re1")).starts_with("draw fifty moves"));
    let mut never = at("claims=never", &fen(148));
    play(&mut never, "Re1");
    assert_eq!(ended(&never), "goes on");
    play(&mut never, "Kg8");
    assert!(ended(&never).starts_with("draw seventy-five moves"));
    assert!(rules("").position_from(&fen(151)).unwrap_err().to_string().contains("from 0 to 150"));
}

/// Whether white and black have the material to mate.
fn material(fen: &str) -> (bool, bool) {
    let position = at("", &format!("{fen} w - - 0 1"));
    (position.may_win(Seat::FIRST), position.may_win(Seat::SECOND))
}

#[test]
fn who_has_not_the_material_to_mate_cannot_win_on_time() {
    for (fen, expected) in [
        ("1k6/8/K7/8/8/8/8/8", (false, false)),
        ("1k6/8/K7/8/8/8/8/7N", (false, false)),
        ("1k6/8/K7/8/8/8/8/7B", (false, false)),
        ("1k6/7p/K7/8/8/8/8/8", (false, true)),
        // A knight mates in the corner if the other side has a piece that stands in the way.
        ("1k6/7r/K7/8/8/8/8/7N", (true, true)),
        ("1k6/7p/K7/8/8/8/8/7N", (true, true)),
        ("1k6/7n/K7/8/8/8/8/7N", (true, true)),
        ("1k6/7q/K7/8/8/8/8/7N", (false, true)),
        ("1k6/8/K7/8/8/8/8/6NN", (true, false)),
        ("1k6/8/K7/8/8/8/8/6BN", (true, false)),
        // f8 and c1 are dark, g1 is dark too; h1 is light.
        ("1k3b2/8/K7/8/8/8/8/2B5", (false, false)),
        ("1k3b2/8/K7/8/8/8/8/7B", (true, true)),
        ("1k6/7r/K7/8/8/8/8/7B", (false, true)),
        ("1k6/7q/K7/8/8/8/8/7B", (false, true)),
        ("1k6/7n/K7/8/8/8/8/7B", (true, true)),
        ("1k6/7p/K7/8/8/8/8/7B", (true, true)),
    ] {
        assert_eq!(material(fen), expected, "{fen}");
        let draws = ended(&at("", &format!("{fen} w - - 0 1"))) == "draw insufficient material";
        assert_eq!(draws, expected == (false, false), "{fen}");
    }
    let game = rules("").resume("1k6/7q/K7/8/8/8/8/8 w - - 0 1").unwrap();
    let places = |seat, way| crate::places_without(game.as_ref(), seat, way).into_values();
    use agon_seats::result::Lost;
    assert_eq!(places(Seat::SECOND, Lost::OutOfTime), [1, 1]);
    assert_eq!(places(Seat::SECOND, Lost::Fault), [1, 2]);
    assert_eq!(places(Seat::FIRST, Lost::OutOfTime), [2, 1]);
}

#[test]
fn what_no_game_leads_to_is_refused_with_the_reason() {
    let said = |options: &str, fen: &str| rules(options).position_from(fen).unwrap_err().to_string();
    for (fen, why) in [
        ("8/8/8/8/8/8/8/K7 w - - 0 1", "B has no king"),
        ("k7/8/8/8/8/8/8/KK6 w - - 0 1", "W has 2 kings"),
        ("k7/8/8/8/8/8/8/K6P w - - 0 1", "W has a pawn on h1"),
        ("kK6/8/8/8/8/8/8/8 w - - 0 1", "next to each other"),
        ("k7/8/8/8/8/8/8/K6R w - - 0", "six fields, or four as in EPD, and this has 5: "),
        ("k7/8/8/8/8/8/8/K6RR w - - 0 1", "rank 1 has 9 squares"),
        ("k7/8/8/8/8/8/K6R w - - 0 1", "has 7 ranks"),
        ("k7/8/8/8/8/8/8/K6X w - - 0 1", "rank 1 has the sign 'X'"),
        ("k7/8/8/8/8/8/8/K6R x - - 0 1", "the side to move is w or b"),
        ("k6R/8/8/8/8/8/8/K7 w - - 0 1", "B is in check, but it is W's turn"),
        ("k6R/8/1N6/3B4/8/8/8/K7 b - - 0 1", "3 pieces give check"),
        ("k7/8/8/8/8/PPPPPPPP/P7/K7 w - - 0 1", "W has 9 pawns"),
        ("k7/8/8/8/8/PPPPPPPP/8/KQQ5 w - - 0 1", "only pawns can have become"),
        ("4k3/8/8/8/8/8/8/4K3 w K - 0 1", "castling 'K': W has no rook there"),
        ("4k3/8/8/8/8/8/4K3/7R w K - 0 1", "the king of W is not on rank 1"),
        ("4k3/8/8/8/8/8/8/3K3R w K - 0 1", "chess:960 plays such a position"),
        ("4k3/8/8/8/8/8/8/4K2R w KK - 0 1", "given twice"),
        ("4k3/8/8/8/8/8/8/4K2R w KX - 0 1", "write KQkq"),
        ("4k3/8/8/8/4P3/8/8/4K3 b - e4 0 1", "it is on rank 3"),
        ("4k3/8/8/8/8/8/8/4K3 b - e3 0 1", "no pawn of W on e4"),
        ("4k3/8/8/8/4P3/8/4P3/4K3 b - e3 0 1", "cannot have come from e2"),
        ("4k3/8/8/8/8/8/8/4K3 w - - x 1", "not a number from 0 to 150"),
    ] {
        assert!(said("", fen).contains(why), "{fen}: {}", said("", fen));
    }
    assert!(said("960", "startpos").contains("give a FEN"));
    // Four fields are enough, as in EPD, and a square behind a pawn that nobody takes is dropped.
    assert_eq!(at("", "4k3/8/8/8/4P3/8/8/4K3 b - e3").text(), "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1");
    // X-FEN and the files of the rooks are read; the rook that is not the outermost one is named.
    let inner = "4k3/8/8/8/8/8/8/RR2K2R w HB - 0 1";
    assert_eq!(at("960", inner).text(), "4k3/8/8/8/8/8/8/RR2K2R w KB - 0 1");
    assert_eq!(at("", "4k3/8/8/8/8/8/8/R3K2R w HA - 0 1").text(), "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1");
}

#[test]
fn moves_are_refused_for_the_reason_they_are_wrong() {
    let refused =
        |options: &str, fen: &str, text: &str| at(options, fen).parse(text).unwrap_err().to_string();
    for (fen, text, why) in [
        ("startpos", "e5e6", "e5 is empty"),
        ("startpos", "e7e5", "e7 holds a pawn of B"),
        ("startpos", "b1d2", "d2 holds a piece of the same side"),
        ("startpos", "b1b3", "the knight on b1 cannot go to b3"),
        ("startpos", "e2e4q", "only a pawn that reaches the last rank"),
        ("7k/P7/8/8/8/8/8/K7 w - - 0 1", "a7a8", "add q, r, b or n"),
        ("7k/P7/8/8/8/8/8/K7 w - - 0 1", "a8", "add =Q"),
        ("4k3/4r3/8/8/8/8/4N3/4K3 w - - 0 1", "e2c3", "this move leaves the king in check"),
        ("4k3/4r3/8/8/8/8/3N4/4K3 w - - 0 1", "d2f3", "leaves it there"),
        ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", "e1g1", "the right to castle there is lost"),
        ("4k3/8/8/8/8/5r2/8/4K2R w K - 0 1", "e1g1", "passes no attacked square"),
        ("4k3/8/8/8/8/5r2/8/4K2R w K - 0 1", "O-O", "castling is not possible now"),
        ("startpos", "Nd4", "no legal move of a knight"),
        ("4k3/8/8/8/8/1N6/8/4KN2 w - - 0 1", "Nd2", "can be Nfd2 or Nbd2"),
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "h8g8", "the game is over"),
        ("k7/8/K7/8/8/8/8/8 w - - 0 1", "a6a5", "the game is over"),
    ] {
        let said = refused("", fen, text);
        assert!(said.contains(why), "{fen} {text}: {said}");
    }
    assert!(refused("960", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1").contains("e1h1"));
    for text in ["", "e2", "e2e9", "i2i4", "e2e4k", "e2e4qq", "0000", "e2-e4-", "Zf3", "N", "é2e4"] {
        let why = at("", "startpos").parse(text);
        assert!(text == "e2" || matches!(why, Err(Refusal::Unreadable(_))), "{text}: {why:?}");
    }
}

#[test]
fn a_move_has_one_text_and_is_read_in_several() {
    let castles = at("", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    for text in ["e1g1", "E1G1", "e1h1", "O-O", "0-0", "O-O!"] {
        assert_eq!(castles.parse(text).unwrap().to_string(), "e1g1", "{text}");
    }
    let castles = at("960", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    assert_eq!(castles.parse("O-O-O").unwrap().to_string(), "e1a1");
    let pawn = at("", "3r3k/P3P3/8/8/8/8/8/K7 w - - 0 1");
    for text in ["e7d8n", "exd8=N", "exd8N", "exd8(N)", "e7xd8=N", "E7D8N", "ed8=N"] {
        assert_eq!(pawn.parse(text).unwrap().to_string(), "e7d8n", "{text}");
    }
    // A bishop on the first rank, and a knight's move in the form of UCI.
    let both = at("", "4k3/8/8/8/8/1N6/8/BN2K3 w - - 0 1");
    assert_eq!(both.parse("B1c3").map(|mv| mv.to_string()), both.parse("a1c3").map(|mv| mv.to_string()));
    assert_eq!(both.parse("b1c3").unwrap().to_string(), "b1c3");
    let shown = |position: &ChessPosition, text: &str| position.shown(position.parse(text).unwrap()).unwrap();
    assert_eq!(shown(&both, "b3d2"), "N3d2");
    assert_eq!(shown(&after("startpos", "f3 e5 g4"), "d8h4"), "Qh4#");
    assert_eq!(shown(&pawn, "e7d8q"), "exd8=Q+");
}

#[test]
fn a_start_of_960_is_drawn_from_the_seed_or_given() {
    assert_eq!(rules("960=518").position(1).text(), rules("").position(1).text());
    assert_eq!(rules("960=0").position(7).text(), "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1");
    let starts: std::collections::HashSet<String> =
        (0..300).map(|seed| rules("960").position(seed).text()).collect();
    assert!(starts.len() > 200, "{}", starts.len());
    assert_eq!(rules("960").position(4).text(), rules("960").position(4).text());
}

#[test]
fn the_rules_name_themselves_and_refuse_other_options() {
    for options in ["", "960", "960=12", "claims=never", "960,claims=never"] {
        let spec = rules(options).spec();
        assert_eq!(spec, if options.is_empty() { "chess".to_owned() } else { format!("chess:{options}") });
    }
    assert_eq!(rules("claims=at-once").spec(), "chess");
    for wrong in ["961", "960=960", "960=05", "960=", "claims", "claims=maybe", "960,960=1", ",", "960,"] {
        assert!(wrong.parse::<Chess>().is_err(), "{wrong}");
    }
}
