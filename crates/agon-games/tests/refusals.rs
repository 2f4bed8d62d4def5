//! What the rules of each game refuse, in words that name the place, and what they count.

use std::sync::Arc;

use agon_games::lexicon::Lexicon;
use agon_games::{Game, Needs, Rules, Stuck, play_all};

fn needs() -> Needs {
    Needs { lexicon: Some(Arc::new(Lexicon::parse(b"top\nnut").expect("it is a list"))) }
}

fn rules(game: &str) -> Arc<dyn Rules> {
    agon_games::find(game, &needs()).expect("the game is there")
}

/// The game after these moves from its start.
fn played(game: &str, moves: &str) -> Result<Box<dyn Game>, Stuck> {
    let rules = rules(game);
    let mut game = rules.start(0);
    play_all(game.as_mut(), rules.seats(), moves.split_whitespace())?;
    Ok(game)
}

/// Black moves there and back, and white would move back too.
#[test]
fn a_move_that_repeats_a_board_is_not_listed_unless_it_may() {
    let there = "g3-f3 c3-d3 f3-g3";
    let listed = |game| played(game, there).expect("they are legal").moves();
    let (ko, mut free) = (listed("abalone"), listed("abalone:ko=no"));
    free.retain(|mv| !ko.contains(mv));
    assert_eq!(free, ["W,d3-c3"]);
    let stuck = played("abalone", &format!("{there} d3-c3")).err().expect("it repeats the start").to_string();
    assert_eq!(stuck, "move 4, \"d3-c3\": that board has been before (at the start)");
}

#[test]
fn move_sequences_are_counted_and_divided() {
    let counted = |game, moves, depth| played(game, moves).expect("they are legal").perft(depth);
    assert_eq!(counted("abalone", "", 3), 98912);
    assert_eq!(counted("mill", "", 0), 1);
    assert_eq!(counted("mnk:1x1,1", "", 2), 0);
    assert_eq!(counted("mnk:3x3,3", "b2 a1", 2), 42);
    let divided = |game, moves, depth| played(game, moves).expect("they are legal").divide(depth);
    let parts = ["X,a1", "X,b1", "X,c1"].map(|mv| (mv.to_owned(), 2));
    assert_eq!(divided("mnk:3x1,3", "", 3), parts);
    assert_eq!(divided("mnk:1x1,1", "a1", 1), []);
}

#[test]
fn a_move_in_another_games_notation_is_named() {
    let moves = [
        ("abalone", "d1f2-e1"),
        ("connect4", "8"),
        ("letters", "1,1,1,1,5,1,apple"),
        ("mill", "32"),
        ("mnk:15x15,5", "h8"),
        ("morris", "3-4r7"),
    ];
    for (game, _) in moves {
        for (other, text) in moves.iter().filter(|(other, _)| *other != game) {
            // The eighth column, which connect four does not have, is a point of morris.
            if (game, *other) == ("morris", "connect4") {
                continue;
            }
            let stuck = played(game, text).err().expect("another game has no such move").to_string();
            assert!(stuck.starts_with(&format!("move 1, \"{text}\": ")), "{game}: {stuck}");
        }
    }
}

#[test]
fn a_broken_position_is_named_with_its_place() {
    for (game, text, words) in [
        // One cell too many.
        (
            "mill",
            "................./................/................/................",
            "plane 1 has 17 cells and should have 16",
        ),
        ("mnk:3x3,3", ".../..../...", "row 2 has 4 cells and should have 3"),
        ("connect4", "......./......./......./......./......./........", "row 6 has 8 cells"),
        (
            "abalone",
            "######/######/..###../......../........./......../..OOO../OOOOOO/OOOOO b",
            "row i has 5 cells, and \"######\" has 6",
        ),
        ("morris", "................. x 6 6", "a board has 16 points"),
        ("letters:3x3x1", "3x3x1 topx/nut/xyz w 0 0 0", "field 2, row 1: "),
        // An invalid character.
        ("mnk:3x3,3", ".../..x/...", "row 2, cell 3 is 'x'"),
        ("morris", "...x............ x 5 5", "point 3 holds 'x'"),
        (
            "abalone",
            "#####/######/..##x../......../........./......../..OOO../OOOOOO/OOOOO b",
            "g5 holds 'x'",
        ),
        // Counts that contradict each other.
        ("mnk:3x3,3", "XX./.../...", "X has 2 and O has 0 on the board"),
        (
            "mill",
            "11............../................/................/................",
            "W has 2 and B has 0",
        ),
        ("morris", "XX.............. o 5 6", "X has 2 men on the board and 5 in hand"),
        ("morris", "................ x 6 5", "X and O place in turn"),
        (
            "abalone",
            "#####/######/..###../......../........./......../......./......./..... b",
            "row b has 6 cells",
        ),
        (
            "abalone",
            "#####/######/..###../......../........./......../......./....../..... b",
            "W has 0 marbles",
        ),
        ("letters:3x3x1", "3x3x1 top/nut/xyz w 0 0 3", "field 6, passes in a row"),
        (
            "letters:3x3x1",
            "3x3x2 top/nut/xyz/top/nut/xyz w 0 0 0",
            "the position is 3x3x2, and the game is 3x3x1",
        ),
        // Balls in the air.
        (
            "mill",
            "1.............../.2............../................/................",
            "x=2, y=1, z=2 floats",
        ),
    ] {
        let why = rules(game).resume(text).err().map(|refusal| refusal.to_string()).unwrap_or_default();
        assert!(why.contains(words), "{game} {text}: {why}");
    }
}

#[test]
fn a_size_out_of_range_is_named() {
    for (game, words) in [
        ("mnk:21x3,3", "21 columns: a board has 1 to 20"),
        ("mnk:3x0,3", "0 rows: a board has 1 to 20"),
        ("mnk:4x3,5", "a line of 5: on 4x3 it may be 1 to 4"),
        ("mnk:3x3,0", "a line of 0"),
        ("letters:0x3x3", "0"),
        ("letters:65x3x3", "65"),
        ("mill:5x5", "mill takes no options"),
        ("morris:twelve", "\"twelve\" is no option"),
        ("abalone:ko=maybe", "\"ko=maybe\" is no option"),
    ] {
        let why =
            agon_games::find(game, &needs()).err().map(|unknown| unknown.to_string()).unwrap_or_default();
        assert!(why.contains(words), "{game}: {why}");
    }
}
