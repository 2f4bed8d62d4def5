//! The letter cube by its document, and every error in a board file, a position or a move.

use std::path::Path;
use std::sync::Arc;

use agon_games::letters::{Cube, Dimensions, Frequencies, LetterBoard, LetterMove, Letters, value};
use agon_games::lexicon::Lexicon;
use agon_games::{Ending, Game, Needs, Position, Rules, Status, find};
use agon_seats::{Refusal, Seat};

fn fixture(name: &str) -> Vec<u8> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    std::fs::read(fixtures.join(name)).expect("it is there")
}

fn english() -> Arc<Lexicon> {
    Arc::new(Lexicon::parse(&fixture("words.txt")).expect("it is a list"))
}

fn words(list: &str) -> Arc<Lexicon> {
    Arc::new(Lexicon::parse(list.replace(' ', "\n").as_bytes()).expect("it is a list"))
}

/// The worked example, a new game.
fn example() -> Box<dyn Game> {
    Letters::from_board(&fixture("letters/example.board"), english()).expect("it is a board").start(0)
}

/// A position in which only a few words are valid.
fn cube(text: &str, list: &str) -> Cube {
    Cube::parse_text(text, words(list)).expect("it is a position")
}

/// Plays legal moves in normal form, and returns the points of the last.
#[track_caller]
fn played(game: &mut dyn Game, moves: &[&str]) -> i32 {
    let mut points = 0;
    for mv in moves {
        let played = game.play(mv.as_bytes()).unwrap_or_else(|refusal| panic!("{mv}: {refusal}"));
        assert_eq!(played.text, *mv);
        points = played.points;
    }
    points
}

/// Why a move is illegal.
#[track_caller]
fn refused(game: &mut dyn Game, mv: &str) -> String {
    match game.play(mv.as_bytes()) {
        Err(Refusal::Illegal(why)) => why,
        other => panic!("{mv}: {other:?}"),
    }
}

/// Why a move of white is illegal at the start of the worked example.
#[track_caller]
fn illegal(mv: &str) -> String {
    refused(&mut *example(), mv)
}

/// Why a line is not a move.
#[track_caller]
fn unreadable(mv: &str) -> String {
    match example().play(mv.as_bytes()) {
        Err(Refusal::Unreadable(why)) => why,
        other => panic!("{mv}: {other:?}"),
    }
}

#[test]
fn apple_scores_nine_and_its_columns_close_upwards() {
    let mut game = example();
    assert_eq!(played(&mut *game, &["W,1,1,1,1,5,1,apple"]), 9);
    let view = game.view(Seat::FIRST);
    let rows: Vec<&str> = view.lines().collect();
    assert_eq!([rows[0], rows[1], rows[7], rows[13]], ["6 6 3", "oardtb", "generh", "_____a"]);
    assert_eq!(rows.len(), 19);
    assert_eq!(game.scores().values(), [9, 0]);
    assert_eq!(game.status(), Status::ToMove(Seat::SECOND));
}

#[test]
fn top_scores_five_and_lot_three() {
    assert_eq!(played(&mut *example(), &["W,1,3,1,3,3,1,top"]), 5);
    assert_eq!(played(&mut *example(), &["W,6,4,1,6,4,3,lot"]), 3);
    // The column printed in the document holds p,b,s.
    assert_eq!(illegal("W,6,3,1,6,3,3,lot"), "the letters there are p,b,s, which do not make \"lot\"");
}

#[test]
fn but_after_lot_is_wrong_on_every_count() {
    let mut game = example();
    played(&mut *game, &["W,6,4,1,6,4,3,lot"]);
    let plane = "the line lies on plane 2; a word begins on plane 1";
    assert_eq!(refused(&mut *game, "B,6,3,2,6,6,2,but"), plane);
    let length = "the line is four cells, and \"but\" has three letters";
    assert_eq!(refused(&mut *game, "B,6,3,1,6,6,1,but"), length);
    assert_eq!(refused(&mut *game, "B,6,3,1,6,5,1,but"), "the line crosses the blank at 6,4,1");
}

#[test]
fn the_ends_may_come_in_either_order_and_any_case() {
    let normal = example().play(b"W,1,1,1,1,5,1,apple").unwrap();
    assert_eq!(example().play(b"W,1,5,1,1,1,1,apple").unwrap(), normal);
    assert_eq!(example().play(b"w,1,5,1,1,1,1,APPle").unwrap(), normal);
    assert_eq!(example().play(b"W,3,3,1,1,3,1,Top").unwrap().text, "W,1,3,1,3,3,1,top");
    assert_eq!(example().play(b"w,p").unwrap().text, "W,P");
    assert_eq!(illegal("W,6,4,3,6,4,1,lot"), "a burrow is written downwards, from plane 1");
}

#[test]
fn a_word_is_made_of_the_letters_in_any_order() {
    for word in ["pot", "opt", "top"] {
        let mut game =
            Letters::from_board(b"3 3 1\npot\nxxx\nxxx\n", english()).expect("it is a board").start(0);
        assert_eq!(played(&mut *game, &[&format!("W,1,1,1,1,3,1,{word}")]), 5);
    }
}

#[test]
fn every_wrong_line_is_told_what_is_wrong() {
    assert_eq!(illegal("W,7,1,1,7,3,1,top"), "x1 is 7, and there are 6 rows");
    assert_eq!(illegal("W,1,1,1,1,7,1,top"), "y2 is 7, and there are 6 columns");
    assert_eq!(illegal("W,1,1,1,1,1,4,help"), "z2 is 4, and there are 3 planes");
    assert_eq!(illegal("W,0,1,1,2,1,1,top"), "x1 is 0, and rows count from 1");
    let huge = "99999999999999999999";
    assert_eq!(illegal(&format!("W,{huge},1,1,2,1,1,top")), format!("x1 is {huge}, and there are 6 rows"));
    assert_eq!(illegal("W,1,1,1,1,1,1,top"), "the line is one cell, and a word has three letters or more");
    assert_eq!(illegal("W,1,1,1,1,2,1,at"), "the line is two cells, and a word has three letters or more");
    assert_eq!(
        illegal("W,1,1,1,3,3,1,top"),
        "1,1,1 and 3,3,1 are not in a straight line along a row, a column or downwards"
    );
    assert_eq!(illegal("W,1,1,2,1,1,3,at"), "the burrow begins on plane 2; a word begins on plane 1");
    assert_eq!(illegal("W,1,1,2,1,3,2,oar"), "the line lies on plane 2; a word begins on plane 1");
    assert_eq!(illegal("W,1,1,1,1,5,1,appel"), "\"appel\" is not in the dictionary");
    let letters = "the letters there are a,p,p,l,e, which do not make";
    assert_eq!(illegal("W,1,1,1,1,5,1,apply"), format!("{letters} \"apply\""));
    assert_eq!(illegal("W,1,1,1,1,5,1,plead"), format!("{letters} \"plead\""));
    assert_eq!(illegal("B,1,1,1,1,5,1,apple"), "it is W's turn, and the move is for B");
    let flat = Letters::from_board(b"3 3 1\npot\nxxx\nxxx\n", english()).unwrap();
    assert_eq!(refused(&mut *flat.start(0), "W,1,1,1,1,1,2,at"), "z2 is 2, and there is 1 plane");
}

#[test]
fn what_is_no_move_is_unreadable() {
    let fields = "a move is P or x1,y1,z1,x2,y2,z2,word, which is 7 fields after the side; this has";
    assert_eq!(unreadable("W,1,1,1,1,5,1"), format!("{fields} 6"));
    assert_eq!(unreadable("W,1,1,1,1,5,1,apple,1"), format!("{fields} 8"));
    assert_eq!(unreadable("W,"), format!("{fields} 1"));
    assert_eq!(unreadable("W,PASS"), format!("{fields} 1"));
    assert_eq!(unreadable("W,1,1,1,1,5,1,"), "the word is empty");
    assert_eq!(unreadable("W,1,,1,1,5,1,apple"), "y1 is empty");
    for odd in ["+1", "-1", " 1", "1 ", "1e0", "1.0", "0x1", "a"] {
        let why = format!("y1 is \"{odd}\", which is not a number of digits alone");
        assert_eq!(unreadable(&format!("W,1,{odd},1,1,5,1,apple")), why);
    }
    assert_eq!(unreadable("W,1,01,1,1,5,1,apple"), "y1 is 01; write it without the leading zero");
    let digit = "character 4 of the word is '1'; a word is letters a to z";
    assert_eq!(unreadable("W,1,1,1,1,5,1,app1e"), digit);
    let space = "character 6 of the word is ' '; a word is letters a to z";
    assert_eq!(unreadable("W,1,1,1,1,5,1,apple "), space);
    // The last letter is Cyrillic.
    assert!(unreadable("W,1,1,1,1,5,1,appl\u{435}").contains("U+0435"));
    assert!(unreadable("X,1,1,1,1,5,1,apple").contains("begins with the side"));
}

#[test]
fn two_passes_in_a_row_end_the_game_and_a_word_between_does_not() {
    let mut game = example();
    played(&mut *game, &["W,P", "B,1,1,1,1,5,1,apple", "W,P"]);
    assert_eq!(game.status(), Status::ToMove(Seat::SECOND));
    played(&mut *game, &["B,P"]);
    let outcome = game.status().over().unwrap();
    assert_eq!((outcome.places.values(), outcome.scores.values()), (&[2, 1][..], &[0, 9][..]));
    assert_eq!(outcome.why, "two passes in a row");
    assert_eq!(refused(&mut *game, "W,P"), "the game is over");
    assert!(game.moves().is_empty());
}

#[test]
fn the_game_ends_when_no_word_is_left() {
    let mut cube = cube("3x3x1 top/nut/xyz w 0 0 0", "top nut");
    let mv = cube.parse("1,1,1,1,3,1,top").unwrap();
    cube.play(mv);
    assert_eq!(cube.status(), Status::ToMove(Seat::SECOND));
    let mv = cube.parse("2,1,1,2,3,1,nut").unwrap();
    cube.play(mv);
    assert_eq!(cube.status(), Status::Over(Ending::Win(Seat::FIRST, "no word is left")));
    assert_eq!(cube.text(), "3x3x1 ___/___/xyz w 5 3 0");
}

#[test]
fn equal_totals_tie() {
    let mut game = example();
    played(&mut *game, &["W,P", "B,P"]);
    assert_eq!(game.status().over().unwrap().places.values(), [1, 1]);
}

#[test]
fn a_board_without_a_word_is_over_at_once() {
    let status = |text: &str| cube(text, "top abc").status();
    assert_eq!(status("3x3x1 xxx/xxx/xxx w 0 0 0"), Status::Over(Ending::Draw("no word is left")));
    let won = Status::Over(Ending::Win(Seat::SECOND, "no word is left"));
    assert_eq!(status("3x3x1 ___/___/___ b 1 2 0"), won);
    // A word that only burrows is a word, and one that appears only later is not.
    assert_eq!(status("1x1x3 a/b/c w 0 0 0"), Status::ToMove(Seat::FIRST));
    assert_eq!(status("1x3x2 xxx/top w 0 0 0"), Status::Over(Ending::Draw("no word is left")));
}

#[test]
fn the_pass_comes_first_among_the_moves_and_each_anagram_counts() {
    let cube = cube("1x4x3 tops/o___/t___ w 0 0 0", "top pot stop too tot");
    let mut moves = Vec::new();
    cube.moves(&mut moves);
    let texts: Vec<String> = moves.iter().map(LetterMove::to_string).collect();
    let expected = ["P", "1,1,1,1,3,1,top", "1,1,1,1,3,1,pot", "1,1,1,1,4,1,stop", "1,1,1,1,1,3,tot"];
    assert_eq!(texts, expected);
}

#[test]
fn the_letters_have_the_values_of_the_document() {
    let values = "a1 b3 c3 d2 e1 f4 g2 h4 i1 j8 k5 l1 m3 n1 o1 p3 q10 r1 s1 t1 u1 v4 w4 x8 y4 z10";
    for one in values.split(' ') {
        let (letter, points) = one.split_at(1);
        assert_eq!(value(letter.as_bytes()[0]), points.parse::<i32>().unwrap(), "{letter}");
    }
}

#[test]
fn a_board_reads_back_as_it_was_written() {
    for name in ["letters/example.board", "letters/crlf.board"] {
        let rules = Letters::from_board(&fixture(name), english()).unwrap();
        assert_eq!(rules.position(1).board().into_bytes(), fixture("letters/example.board"), "{name}");
    }
    // The document's own file, with empty lines and its mistake.
    let printed = Letters::from_board(&fixture("letters/as-printed.board"), english()).unwrap();
    assert!(printed.position(0).board().contains("sqoodt"));
    // Blanks as spaces, and no newline at the end.
    let spaces = Letters::from_board(b"2 3 2\nabc\nd f\n\n  a\nb  ", english()).unwrap();
    assert_eq!(spaces.position(0).board(), "2 3 2\nabc\nd_f\n__a\nb__\n");
}

#[test]
fn every_board_of_the_fixtures_is_good_or_among_the_wrong_ones() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/letters");
    let mut wrong = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.ends_with(".board")
            && !["as-printed", "crlf", "example"].iter().any(|good| name.starts_with(good))
        {
            LetterBoard::parse(&fixture(&format!("letters/{name}"))).unwrap_err();
            wrong += 1;
        }
    }
    assert_eq!(wrong, 8, "say in the next test what is said of a new one");
}

#[test]
fn a_wrong_board_is_told_its_line_and_what_to_do() {
    let of =
        |name: &str| LetterBoard::parse(&fixture(&format!("letters/{name}.board"))).unwrap_err().to_string();
    let ragged = "line 6 of the board: the row has 4 cells and should have 5; write each blank as _";
    assert_eq!(of("ragged"), ragged);
    let cell = "a cell is one letter a to z, or _ for a blank";
    let look_alike = "line 3 of the board: cell 2 is U+043E, another letter that looks like o";
    assert_eq!(of("look-alike"), format!("{look_alike}; {cell}"));
    assert_eq!(
        of("floating"),
        "line 6 of the board: the letter at 2,2,2 lies below a blank; columns are closed upwards, so put the \
         blanks under the letters"
    );
    assert_eq!(
        of("too-few-rows"),
        "line 6 of the board: only 5 of the 6 rows of 3x3x2 are there; add the missing ones, or correct the \
         dimensions"
    );
    assert_eq!(
        of("too-many-rows"),
        "line 8 of the board: this is row 7, and 3x3x2 has 6 rows; take it away, or correct the dimensions"
    );
    assert_eq!(of("zero"), "line 1 of the board: 0 rows are not possible; a cube has 1 to 64 rows");
    assert_eq!(of("digit"), format!("line 3 of the board: cell 2 is the digit 3; {cell}"));
    assert_eq!(of("capital"), format!("line 3 of the board: cell 2 is the capital E; {cell}"));
}

#[test]
fn what_cannot_be_seen_on_a_board_is_named() {
    let error = |cell: &[u8]| {
        let file = [b"3 3 1\nabc\nd", cell, b"f\nghi\n"].concat();
        let error = LetterBoard::parse(&file).unwrap_err().to_string();
        let (before, after) =
            ("line 3 of the board: cell 2 is ", "; a cell is one letter a to z, or _ for a blank");
        error.strip_prefix(before).and_then(|rest| rest.strip_suffix(after)).map(str::to_owned).unwrap()
    };
    assert_eq!(error(b"\t"), "a tab");
    assert_eq!(error(b"\xff"), "the byte 0xff, which is no text");
    assert_eq!(error(b"\0"), "'\\x00'");
    assert_eq!(error(b"\x1b"), "'\\x1b'");
    assert_eq!(error("\u{202e}".as_bytes()), "U+202E \\u{202e}");
    assert_eq!(error("é".as_bytes()), "U+00E9 é");
    assert_eq!(error("\u{feff}".as_bytes()), "U+FEFF, a byte order mark, to be taken away");
}

#[test]
fn a_file_that_is_no_board_is_refused() {
    let error = |file: &[u8]| LetterBoard::parse(file).unwrap_err().to_string();
    let empty = "line 1 of the board: the file is empty; its first line gives the dimensions, like 6 6 3, and a \
                 row a line follows";
    assert_eq!(error(b""), empty);
    assert_eq!(error(b"\n3 3 1\nabc\n"), empty);
    assert_eq!(
        error(b"abc\ndef\nghi\n"),
        "line 1 of the board: \"abc\" is not ROWS COLUMNS PLANES; write three numbers, like 6x6x3 or 6 6 3"
    );
    assert!(error(b"\xff\xfe6\x00\n").contains("\\xff\\xfe6\\x00"));
    assert!(error(&vec![b'a'; (1 << 20) + 1]).contains("1048577 bytes"));
    assert_eq!(
        error(b"3 3 2\nabc\n\ndef\nghi\njkl\nmno\npqr\n"),
        "line 3 of the board: it is empty, in the middle of plane 1; empty lines may stand between planes only, \
         and a blank is written _"
    );
}

#[test]
fn dimensions_are_read_in_three_ways() {
    let six = Dimensions::new(6, 6, 3).unwrap();
    for text in ["6x6x3", "6 6 3", "6 × 6 × 3", "6×6×3", "6X6x3", " 6  6 3 "] {
        assert_eq!(text.parse(), Ok(six), "{text}");
    }
    for text in ["3x3x1", "1x1x3", "1x3x1", "64x64x64", "4x5x2", "10x20x30"] {
        assert_eq!(text.parse::<Dimensions>().unwrap().to_string(), text);
    }
    let error = |text: &str| text.parse::<Dimensions>().unwrap_err().to_string();
    assert_eq!(error("2x2x2"), "no line of three cells fits into 2x2x2; make one side 3 or more");
    assert_eq!(error("65x6x3"), "65 rows are not possible; a cube has 1 to 64 rows");
    assert_eq!(error("6x0x3"), "0 columns are not possible; a cube has 1 to 64 columns");
    assert_eq!(
        error("6x6x99999999999999999999999999"),
        "99999999999999999999[... 6 more bytes] planes are not possible; a cube has 1 to 64 planes"
    );
    for text in ["", "6", "6x6", "6x6x3x1", "6 6", "6,6,3"] {
        assert!(error(text).contains("is not ROWS COLUMNS PLANES"), "{text}: {}", error(text));
    }
    for text in ["6x-6x3", "6xx3", "6x6x3.0", "6x+6x3", "axbxc", "6 6x3"] {
        assert!(error(text).contains("write three numbers"), "{text}: {}", error(text));
    }
}

#[test]
fn a_position_is_one_line_that_reads_back() {
    let mut cube = Letters::from_board(&fixture("letters/example.board"), english()).unwrap().position(0);
    for mv in ["1,1,1,1,5,1,apple", "P"] {
        let mv = cube.parse(mv).unwrap();
        cube.play(mv);
    }
    let text = cube.text();
    assert_eq!(
        text,
        "6x6x3 oardtb/utteri/sgoodt/oeatth/isisas/ampleb/generh/isgame/willfo/rceyou/tothin/kabout/\
         _____a/tingpe/rmutio/nsasto/ppinga/ndstar w 9 0 1"
    );
    assert_eq!(Cube::parse_text(&text, english()).unwrap(), cube);
    for other in
        [text.replace("oardtb", "oardta"), text.replace(" w ", " b "), text.replace("9 0 1", "9 0 0")]
    {
        assert_ne!(Cube::parse_text(&other, english()).unwrap(), cube, "{other}");
    }
}

#[test]
fn the_game_goes_on_exactly_while_a_word_is_left() {
    let rules = Letters::with_options("4x4x4", english()).unwrap();
    for seed in 0..20 {
        let (mut cube, mut moves) = (rules.position(seed), Vec::new());
        while let Status::ToMove(_) = cube.status() {
            cube.moves(&mut moves);
            assert!(moves.len() > 1 && cube.search().is_some());
            cube.play(moves[moves.len() / 2]);
        }
        assert_eq!(cube.search(), None);
    }
}

#[test]
fn a_wrong_position_is_told_its_place() {
    let error = |text: &str| match Cube::parse_text(text, words("top")) {
        Err(Refusal::Unreadable(why)) => why,
        other => panic!("{text}: {other:?}"),
    };
    assert!(error("").contains("this has 1"));
    assert!(error("3x3x1 abc/def/ghi w 0 0").contains("this has 5"));
    assert!(error("3x3x1 abc/def/ghi w  0 0 0").contains("this has 7"));
    assert!(error("3x3 abc/def/ghi w 0 0 0").starts_with("field 1, dimensions: \"3x3\""));
    assert!(error("3x3x1 abc/dXf/ghi w 0 0 0").starts_with("field 2, row 2: cell 2 is the capital X"));
    assert!(error("3x3x1 abc/de/ghi w 0 0 0").starts_with("field 2, row 2: the row has 2 cells"));
    assert!(error("3x3x1 abc/def w 0 0 0").starts_with("field 2, row 2: only 2 of the 3 rows"));
    assert!(error("3x3x1 abc/def/ghi/jkl w 0 0 0").starts_with("field 2, row 4: this is row 4"));
    assert!(error("3x3x1 abc//ghi w 0 0 0").starts_with("field 2, row 2: the row has 0 cells"));
    assert!(error("3x1x2 a/_/c/d/e/f w 0 0 0").starts_with("field 2, row 5: the letter at 2,1,2 lies below"));
    assert_eq!(error("3x3x1 abc/def/ghi W 0 0 0"), "field 3, side to move: \"W\" is not w or b");
    let total = "is not a number from 0 to 90";
    assert_eq!(error("3x3x1 abc/def/ghi w 91 0 0"), format!("field 4, white's total: \"91\" {total}"));
    assert_eq!(error("3x3x1 abc/def/ghi w 0 -1 0"), format!("field 5, black's total: \"-1\" {total}"));
    assert_eq!(error("3x3x1 abc/def/ghi w 00 0 0"), format!("field 4, white's total: \"00\" {total}"));
    let passes = "field 6, passes in a row: \"3\" is not a number from 0 to 2";
    assert_eq!(error("3x3x1 abc/def/ghi w 0 0 3"), passes);
    let game = find("letters:3x3x1", &Needs { lexicon: Some(words("top")) }).unwrap();
    let other = game.resume("4x3x1 abc/def/ghi/jkl w 0 0 0").err().unwrap().to_string();
    assert_eq!(other, "field 1, dimensions: the position is 4x3x1, and the game is 3x3x1");
}

/// Boards never change: a recorded seed must always give the same one.
#[test]
fn a_seed_gives_the_same_board_for_ever() {
    let board = |size: &str, frequencies, seed| {
        Letters::new(size.parse().unwrap(), frequencies, words("top")).position(seed).text()
    };
    assert_eq!(
        board("6x6x3", Frequencies::Scrabble, 1),
        "6x6x3 pwueew/netqnn/haacts/arneie/noufee/eedvtr/aaewum/stoeae/yqtwbt/dldedn/afiter/okesga/efizjo/kteoea/pewage/etqteo/adeebc/eurpeb w 0 0 0"
    );
    assert_eq!(
        board("4x5x2", Frequencies::Scrabble, u64::MAX),
        "4x5x2 rnoav/trmzi/melee/qzono/oobtv/yoabe/soove/ynvra w 0 0 0"
    );
    assert_eq!(
        board("4x5x2", Frequencies::Uniform, 1),
        "4x5x2 dipgj/pusxp/awlkc/ehtqi/fadiz/zbdqz/lilfb/kxinu w 0 0 0"
    );
}

#[test]
fn the_game_tells_engines_its_size_and_its_words() {
    let rules = find("letters:4x5x2", &Needs { lexicon: Some(words("top apple pot")) }).unwrap();
    assert_eq!(rules.spec(), "letters:4x5x2");
    assert_eq!(rules.seats(), ["W", "B"]);
    let setting = |(name, value): (&str, String)| format!("{name}={value}");
    let settings: Vec<String> = rules.settings().into_iter().map(setting).collect();
    assert_eq!(settings, ["rows=4", "columns=5", "planes=2"]);
    let supplies = rules.supplies();
    assert_eq!((supplies[0].name, supplies[0].bytes.as_slice()), ("dictionary", &b"top\napple\npot\n"[..]));
    let by_letters = &b"aelpp apple\nopt top pot\n"[..];
    assert_eq!((supplies[1].name, supplies[1].bytes.as_slice()), ("dictionary.sorted", by_letters));
}

#[test]
fn games_are_found_by_name() {
    let needs = Needs { lexicon: Some(words("top")) };
    let spec = |text: &str| find(text, &needs).map(|rules| rules.spec()).map_err(|error| error.to_string());
    assert_eq!(spec("letters").unwrap(), "letters:6x6x3");
    assert_eq!(spec("letters:6 6 3,scrabble").unwrap(), "letters:6x6x3");
    assert_eq!(spec("letters:10x20x30,uniform").unwrap(), "letters:10x20x30,uniform");
    assert_eq!(spec("letters:uniform").unwrap(), "letters:6x6x3,uniform");
    let unknown = spec("leters:6x6x3").unwrap_err();
    assert!(
        unknown.starts_with("there is no game \"leters\"; did you mean letters? the games are ")
            && unknown.contains("letters")
    );
    let called = spec("Tic-Tac-Toe").unwrap_err();
    assert!(called.contains("it is called mnk:3x3,3 here; the games are "), "{called}");
    let options = "; its options are [ROWSxCOLUMNSxPLANES][,scrabble|uniform][,dictionary=FILE][,board=FILE], 6x6x3,scrabble if left out";
    let frequencies = "letters: \"even\" is not a kind of letter frequencies; write scrabble or uniform";
    assert_eq!(spec("letters:6x6x3,even").unwrap_err(), format!("{frequencies}{options}"));
    assert_eq!(spec("letters:even").unwrap_err(), format!("{frequencies}{options}"));
    let size = "letters: \"6x6\" is not ROWS COLUMNS PLANES; write three numbers, like 6x6x3 or 6 6 3";
    assert_eq!(spec("letters:6x6").unwrap_err(), format!("{size}{options}"));
    let bare = find("letters", &Needs::default()).err().unwrap().to_string();
    assert!(bare.contains("needs a word list"), "{bare}");
}

#[test]
fn the_word_list_holds_what_its_licence_says() {
    let lexicon = english();
    assert_eq!((lexicon.len(), lexicon.skipped()), (63_737, 0));
    assert!(lexicon.contains(b"apple") && !lexicon.contains(b"appel"));
}
