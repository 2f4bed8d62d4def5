//! Looking at positions and records of every game from outside: what `agon rules`, `show`, `moves`, `perft`,
//! `notation` and `replay` print, and how they refuse what is wrong.

#![allow(clippy::unwrap_used)] // helpers of tests may panic

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use agon::export::notation;
use agon::game::{PerSeat, Rules, Seat, Status};
use agon::games::lexicon::Lexicon;
use agon::games::{GAMES, Needs, find};
use agon::record::{Cause, Decided, GameId, GameRecord, Ply, SeatRecord, Termination, Traffic, Verdict};
use chrono::DateTime;
use tempfile::TempDir;

/// What agon says to these arguments.
struct Said {
    code: Option<i32>,
    out: String,
    err: String,
}

fn agon(arguments: &[&str]) -> Said {
    let output = Command::new(env!("CARGO_BIN_EXE_agon")).args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Said { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// What it prints when all is well.
#[track_caller]
fn prints(arguments: &[&str]) -> String {
    let said = agon(arguments);
    assert_eq!(said.code, Some(0), "{arguments:?}: {}", said.err);
    said.out
}

/// It does nothing but say this, with exit code 2.
#[track_caller]
fn refuses(arguments: &[&str], words: &str) {
    let said = agon(arguments);
    assert!(said.err.contains(words), "{arguments:?} says\n{}and not\n{words}", said.err);
    assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{arguments:?}");
    assert!(!said.err.trim_end().contains('\n') || said.err.contains("--help"), "{}", said.err);
}

#[test]
fn the_games_are_listed_and_each_tells_its_rules() {
    let list = prints(&["rules"]);
    for entry in GAMES {
        assert!(list.contains(&format!("{}: {}", entry.name, entry.about.title)), "{list}");
        let rules = prints(&["rules", entry.name]);
        for head in
            ["\nRules\n", "\nMoves\n", "\nScore and result\n", "\nSeats\n", "\nOptions\n", "\nPosition\n"]
        {
            assert!(rules.contains(head), "{} has no {head:?}", entry.name);
        }
        let position = rules.lines().last().unwrap().trim();
        assert_eq!(prints(&["show", entry.name, "--position", position]).lines().last(), Some(position));
        assert!(rules.lines().rev().skip(1).all(|line| line.chars().count() <= 80), "{rules}");
    }
    assert!(prints(&["rules", "morris:nine"]).contains("........................ x 9 9"));
    refuses(
        &["rules", "chess"],
        "there is no game \"chess\"; there are abalone, connect4, letters, mill, mnk, morris",
    );
    refuses(&["rules", "mnk:3x3,9"], "a line of 9: on 3x3 it may be 1 to 3");
}

#[test]
fn positions_are_drawn() {
    assert_eq!(
        prints(&["show", "abalone"]),
        "    i1 # # # # # i5
   h1 # # # # # # h6
  g1 . . # # # . . g7
 f1 . . . . . . . . f8
e1 . . . . . . . . . e9
 d1 . . . . . . . . d8
  c1 . . O O O . . c7
   b1 O O O O O O b6
    a1 O O O O O a5

B to move; score B 14, W 14
#####/######/..###../......../........./......../..OOO../OOOOOO/OOOOO b
"
    );
    assert_eq!(
        prints(&["show", "mill", "--moves", "32 B,32 14"]),
        "  z=1          z=2          z=3          z=4
y\\x 1 2 3 4  y\\x 1 2 3 4  y\\x 1 2 3 4  y\\x 1 2 3 4
  1 . . . .    1 . . . .    1 . . . .    1 . . . .
  2 . . W .    2 . . B .    2 . . . .    2 . . . .
  3 . . . .    3 . . . .    3 . . . .    3 . . . .
  4 W . . .    4 . . . .    4 . . . .    4 . . . .

B to move; score W 0, B 0
......1.....1.../......2........./................/................
"
    );
    assert_eq!(
        prints(&["show", "morris", "--moves", "0 3 1 4 2r3"]),
        "X-----X-----X      0-----1-----2
|  .--O--.  |      |  3--4--5  |
.--.     .--.      6--7     8--9
|  .--.--.  |      |  10-11-12 |
.-----.-----.      13----14----15
in hand: X 3, O 4

O to move; score X 6, O 5
XXX.O........... o 3 4
"
    );
    let nine = prints(&["show", "morris:nine", "--moves", "0 23"]);
    assert!(nine.starts_with("X--------.--------.      0--------1--------2\n"), "{nine}");
    assert!(nine.contains("\n.--.--.     .--.--.      9--10-11    12-13-14\n"), "{nine}");
    assert_eq!(
        prints(&["show", "mnk:4x3,3", "--moves", "a1 d3 b2 d2 c3"]),
        " 3 . . X O
 2 . X . O
 1 X . . .
   a b c d

over, 1-0: a line of k or more; score X 1, O 0
..XO/.X.O/X...
"
    );
    assert!(prints(&["show", "connect4", "--moves", "4 4"]).ends_with(
        " . . . O . . .\n . . . X . . .\n 1 2 3 4 5 6 7\n\nX to move; score X 0, O 0\n\
         ......./......./......./......./...O.../...X...\n"
    ));
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/letters/example.board");
    let letters = prints(&["show", "letters", "--board", example, "--moves", "1,1,1,1,5,1,apple"]);
    assert!(
        letters.starts_with(
            "  plane 1          plane 2          plane 3\n  1 2 3 4 5 6      1 2 3 4 5 6      1 2 3 4 5 6\n\
             1 o a r d t b    1 g e n e r h    1 _ _ _ _ _ a\n"
        ),
        "{letters}"
    );
    assert!(letters.contains("\nB to move; score W 9, B 0\n"), "{letters}");
}

#[test]
fn a_pipe_and_a_file_get_no_colour() {
    for entry in GAMES {
        assert!(!prints(&["show", entry.name]).contains('\x1b'));
    }
}

#[test]
fn moves_are_listed_as_engines_write_them() {
    let mill = prints(&["moves", "mill"]);
    assert_eq!((mill.lines().count(), mill.lines().next()), (16, Some("W,11")));
    assert_eq!(prints(&["moves", "mnk:2x1,2", "--moves", "b1"]), "O,a1\n");
    assert_eq!(prints(&["moves", "mnk:1x1,1", "--moves", "a1"]), "");
    let closing = prints(&["moves", "morris", "--position", "XX.O.O.......... x 4 4"]);
    assert!(closing.contains("X,2r3\nX,2r5\n"), "{closing}");
}

/// Black goes there and back, and white would go back too.
#[test]
fn a_move_that_repeats_a_board_is_not_listed_unless_it_may() {
    let there = "g3-f3 c3-d3 f3-g3";
    let ko = prints(&["moves", "abalone", "--moves", there]);
    let free = prints(&["moves", "abalone:ko=no", "--moves", there]);
    let only: Vec<&str> = free.lines().filter(|mv| !ko.lines().any(|other| other == *mv)).collect();
    assert_eq!(only, ["W,d3-c3"]);
    refuses(
        &["moves", "abalone", "--moves", &format!("{there} d3-c3")],
        "--moves: move 4, \"d3-c3\": that board has been before (at the start)",
    );
}

#[test]
fn move_sequences_are_counted_and_divided() {
    assert_eq!(prints(&["perft", "abalone", "3"]), "98912\n");
    assert_eq!(prints(&["perft", "mill", "0"]), "1\n");
    assert_eq!(prints(&["perft", "mnk:1x1,1", "2"]), "0\n");
    assert_eq!(prints(&["perft", "mnk:3x3,3", "2", "--moves", "b2 a1"]), "42\n");
    let divided = prints(&["perft", "mnk:3x1,3", "3", "--divide"]);
    assert_eq!(divided, "X,a1: 2\nX,b1: 2\nX,c1: 2\n6\n");
    let over = prints(&["perft", "mnk:1x1,1", "1", "--divide", "--moves", "a1"]);
    assert_eq!(over, "0\n");
    let said = agon(&["perft", "morris", "4"]);
    assert_eq!(said.out, "43680\n");
    assert!(said.err.starts_with("morris depth 4: ") && said.err.contains(" s, "), "{}", said.err);
    refuses(&["perft", "mill", "100"], "100 is not in 0..=99");
    refuses(&["perft", "mill", "-1"], "-1");
}

#[test]
fn notations_are_converted() {
    assert_eq!(prints(&["notation", "mill", "34", "B,32"]), "1027\n515\n");
    assert_eq!(prints(&["notation", "mill", "--numbers", "1027", "515"]), "34\n32\n");
    assert_eq!(prints(&["notation", "morris", "7", "3"]), "1911\n819\n");
    assert_eq!(prints(&["notation", "morris", "--numbers", "1911", "819"]), "7\n3\n");
    let mill = ["notation", "morris", "--position", "XX.O.O.......... x 4 4"];
    assert_eq!(prints(&[&mill[..], &["2r5"]].concat()), format!("{}\n", 2 * 256 + 5 * 16 + 2));
    assert_eq!(prints(&[&mill[..], &["--numbers", "594"]].concat()), "2r5\n");
    let slide = ["notation", "morris", "--position", "XX.O.O...X..OO.. x 0 0"];
    assert_eq!(prints(&[&slide[..], &["9-2r3"]].concat()), format!("{}\n", 9 * 256 + 2 * 16 + 3));
    assert_eq!(prints(&["notation", "abalone", "c5c3-d6", "--moves", "g3-f3"]), "c3c5-d4\n");
    assert_eq!(prints(&["notation", "abalone", "G3-f3"]), "g3-f3\n");
    refuses(
        &["notation", "mill", "--numbers", "34"],
        "move 1, \"34\": 34 is x=34, y=0, and there is no such column",
    );
    refuses(&["notation", "mill", "--numbers", "65536"], "a move's number is one from 0 to 65535");
    refuses(&["notation", "abalone", "--numbers", "7"], "the moves of this game have no numbers");
    refuses(
        &["notation", "morris:nine", "--numbers", "7"],
        "only the moves of Six Men's Morris have numbers",
    );
    refuses(&["notation", "mill", "11", "55"], "move 2, \"55\": there is no column 55");
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
            // The eighth column, which connect four has not, is a point of morris.
            if (game, *other) == ("morris", "connect4") {
                continue;
            }
            refuses(&["show", game, "--moves", text], &format!("--moves: move 1, \"{text}\": "));
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
        // A character that is no cell.
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
        refuses(&["show", game, "--position", text], "--position: ");
        refuses(&["moves", game, "--position", text], words);
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
        refuses(&["show", game], words);
    }
}

/// The rules of a game with English words, if it has any use for them.
fn rules(spec: &str) -> Arc<dyn Rules> {
    let words = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/words.txt");
    let lexicon = Lexicon::parse(&std::fs::read(words).unwrap()).unwrap();
    find(spec, &Needs { lexicon: Some(Arc::new(lexicon)) }).unwrap()
}

/// A game of moves drawn by a small generator, ended by the rules, or by `termination` after so many plies.
fn record(spec: &str, seed: u64, stop: Option<(usize, Termination)>) -> GameRecord {
    let rules = rules(spec);
    let mut game = rules.start(seed);
    let start = game.text();
    let (mut plies, mut random) = (Vec::new(), seed);
    while let Status::ToMove(seat) = game.status() {
        if stop.is_some_and(|(most, _)| plies.len() == most) {
            break;
        }
        let moves = game.moves();
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let played = game.play(moves[(random >> 33) as usize % moves.len()].as_bytes()).unwrap();
        let time = Duration::from_micros(random >> 50);
        plies.push(Ply { seat, text: played.text, points: played.points, time, thought: None });
    }
    let decided = match (game.status(), stop) {
        (Status::Over(outcome), _) => Decided {
            places: outcome.places,
            scores: outcome.scores,
            termination: Termination::Normal,
            reason: outcome.why,
        },
        (Status::ToMove(_), Some((_, termination))) => Decided {
            places: match termination.lost() {
                Some((loser, _)) => PerSeat::from_fn(2, |seat| if seat == loser { 2 } else { 1 }),
                None => agon::game::result::by_score(&game.scores()),
            },
            scores: game.scores(),
            termination,
            reason: "so it was".to_owned(),
        },
        (Status::ToMove(_), None) => unreachable!("a game goes on until it is over"),
    };
    let seat = |side: &str, entrant: &str| SeatRecord {
        side: side.to_owned(),
        entrant: entrant.to_owned(),
        time_control: "st=5 margin=0.02".to_owned(),
        time: Duration::ZERO,
        longest: Duration::ZERO,
        startup: Duration::ZERO,
        lateness: Duration::ZERO,
        traffic: Traffic::default(),
        exit: None,
        stragglers: 0,
        evidence: None,
    };
    GameRecord {
        id: GameId { round: 1, pairing: 1, game: 1 },
        rules: rules.spec(),
        seed,
        start,
        last: game.text(),
        time_control: "st=5".to_owned(),
        seats: PerSeat::two(seat(rules.seats()[0], "alpha"), seat(rules.seats()[1], "bravo")),
        plies,
        verdict: Verdict::Decided(decided),
        started: DateTime::from_timestamp_millis(1_800_000_000_000).unwrap(),
        finished: DateTime::from_timestamp_millis(1_800_000_001_250).unwrap(),
    }
}

/// Files with game records.
struct Shelf(TempDir);

impl Shelf {
    fn new() -> Self {
        Shelf(tempfile::tempdir().unwrap())
    }

    fn put(&self, text: &str) -> String {
        let path = self.0.path().join("game.txt");
        std::fs::write(&path, text).unwrap();
        path.into_os_string().into_string().unwrap()
    }

    /// What is wrong with this record.
    #[track_caller]
    fn refused(&self, text: &str, words: &str) {
        refuses(&["replay", &self.put(text)], words);
    }
}

const SPECS: [&str; 10] = [
    "abalone",
    "abalone:at-limit=marbles,ko=no",
    "connect4",
    "letters:4x4x3",
    "mill",
    "mnk:3x3,3",
    "mnk:15x15,5,first=O",
    "morris",
    "morris:nine",
    "letters:6x6x3",
];

#[test]
fn a_record_of_every_game_is_played_again_and_shown() {
    let shelf = Shelf::new();
    for spec in SPECS {
        let record = record(spec, 7, None);
        let file = shelf.put(&notation::write(&record, "test"));
        let shown = prints(&["replay", &file]);
        let sides = record.seats.map(|_, seat| format!("{} {}", seat.side, seat.entrant));
        let head = format!(
            "{spec}: {}: {}, {}, {} plies\nafter ply {}, {}\n\n",
            sides.values().join(" - "),
            record.result_text(),
            record.decided().unwrap().reason,
            record.plies.len(),
            record.plies.len(),
            record.plies.last().unwrap().text
        );
        assert!(shown.starts_with(&head), "{spec}: {shown}");
        assert!(shown.contains(&format!("\n{}\n", record.last)), "{spec}: {shown}");
        assert_eq!(prints(&["replay", &file, "--quiet"]), "");
        let start = prints(&["replay", &file, "--ply", "0"]);
        assert!(start.contains(&format!("\n{}\n", record.start)), "{spec}: {start}");
        let third = prints(&["replay", &file, "--ply", "3"]);
        assert!(third.contains(&format!("\nafter ply 3, {}\n", record.plies[2].text)), "{spec}: {third}");
        refuses(&["replay", &file, "--ply", "9999"], &format!("the game has {} plies", record.plies.len()));
    }
}

#[test]
fn games_that_were_lost_by_a_fault_or_ended_by_the_score_are_played_again() {
    let shelf = Shelf::new();
    for spec in SPECS {
        for (loser, winner) in [(Seat::FIRST, Seat::SECOND), (Seat::SECOND, Seat::FIRST)] {
            for termination in [
                Termination::Resignation(loser),
                Termination::Forfeit(loser, Cause::TimeForfeit),
                Termination::Forfeit(loser, Cause::IllegalMove),
                Termination::Forfeit(loser, Cause::StdinBlocked),
                Termination::Adjudication,
            ] {
                let record = record(spec, 9, Some((4, termination)));
                let text = notation::write(&record, "test");
                let shown = prints(&["replay", &shelf.put(&text)]);
                assert!(shown.contains(&format!(": {}, ", record.result_text())), "{shown}");
                let Some((loser, _)) = termination.lost() else { continue };
                let by = format!("{termination} by {}, 4 plies", record.seats[loser].side);
                assert!(shown.contains(&by), "{by}: {shown}");
                // The other side's loss is another result.
                let mut other = record.clone();
                if let Verdict::Decided(decided) = &mut other.verdict {
                    decided.termination = match termination {
                        Termination::Forfeit(_, cause) => Termination::Forfeit(winner, cause),
                        _ => Termination::Resignation(winner),
                    };
                    decided.places = PerSeat::from_fn(2, |seat| if seat == winner { 2 } else { 1 });
                }
                assert_ne!(other.result_text(), record.result_text());
            }
        }
    }
}

#[test]
fn results_are_written_as_the_games_write_them() {
    let lost = |spec, termination| record(spec, 9, Some((4, termination))).result_text();
    let late = Termination::Forfeit(Seat::FIRST, Cause::TimeForfeit);
    assert_eq!(lost("abalone", late), "14(*)-14(W)");
    assert_eq!(lost("abalone", Termination::Resignation(Seat::SECOND)), "14(W)-14(R)");
    assert_eq!(lost("abalone", Termination::Forfeit(Seat::SECOND, Cause::IllegalMove)), "14(W)-14(L)");
    assert_eq!(lost("abalone", Termination::Adjudication), "14(T)-14(T)");
    assert_eq!(lost("mill", late), "0-1");
    assert_eq!(lost("morris", Termination::Adjudication), "1/2-1/2");
    let letters = lost("letters:6x6x3", late);
    assert!(letters.contains("(*)-") && letters.ends_with("(W)"), "{letters}");
    let normal = record("letters:6x6x3", 9, None);
    let scores = &normal.decided().unwrap().scores;
    assert_eq!(normal.result_text(), format!("{}-{}", scores[Seat::FIRST], scores[Seat::SECOND]));
}

#[test]
fn a_record_cut_off_anywhere_is_refused() {
    let shelf = Shelf::new();
    for spec in ["mnk:3x3,3", "abalone"] {
        let text =
            notation::write(&record(spec, 3, Some((6, Termination::Resignation(Seat::FIRST)))), "test");
        // All but the newline at the end.
        for length in (0..text.len() - 1).step_by(if spec == "abalone" { 37 } else { 5 }) {
            let said = agon(&["replay", &shelf.put(&text[..length])]);
            assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{spec}, {length} bytes: {}", said.err);
            assert!(said.err.contains("game.txt: "), "{}", said.err);
        }
        let without_result = &text[..text.trim_end().rfind('\n').unwrap()];
        let lines = without_result.lines().count();
        shelf.refused(without_result, &format!("line {lines}: the game ends without its result"));
        let without_third_round = &text[..text.find("\n3. ").unwrap()];
        let lines = without_third_round.lines().count();
        shelf.refused(without_third_round, &format!("line {lines}: the record has 4 plies, the last one \""));
    }
}

#[test]
fn a_changed_move_is_found() {
    let shelf = Shelf::new();
    for spec in SPECS {
        let honest = record(spec, 11, None);
        let rules = rules(spec);
        for at in [0, 3, honest.plies.len() - 1] {
            let mut game = rules.resume(&honest.start).unwrap();
            for ply in &honest.plies[..at] {
                game.play(ply.text.as_bytes()).unwrap();
            }
            let Some(other) = game.moves().into_iter().find(|mv| *mv != honest.plies[at].text) else {
                continue;
            };
            let mut forged = honest.clone();
            forged.plies[at].text = other;
            let said = agon(&["replay", &shelf.put(&notation::write(&forged, "test"))]);
            assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{spec}, ply {}", at + 1);
            assert!(said.err.contains(": line "), "{}", said.err);
        }
    }
}

#[test]
fn what_is_wrong_with_a_record_is_named() {
    let shelf = Shelf::new();
    let text = notation::write(&record("letters:4x4x3", 5, None), "test");
    let first = text.lines().find(|line| line.starts_with("1. ")).unwrap().to_owned();
    let at = text.lines().position(|line| line.starts_with("1. ")).unwrap() + 1;
    let words: Vec<&str> = first.split_whitespace().collect();
    let points: i32 = words[4].parse().unwrap();
    shelf.refused(
        &text.replace(words[2], "h8"),
        &format!("line {at}: move 1 of B (ply 2), \"h8\": a move is P or x1,y1,z1,x2,y2,z2,word"),
    );
    shelf.refused(
        &text.replace(&format!("; {points} points"), &format!("; {} points", points + 1)),
        &format!(
            "line {at}: move 1 of W (ply 1), \"{}\": it scores {points}, and the record says {}",
            words[1],
            points + 1
        ),
    );
    let line_of = |name: &str| text.lines().position(|line| line.starts_with(name)).unwrap() + 1;
    for (from, to, words) in [
        ("[Result \"", "[Result \"1", "the result is \""),
        ("[Scores \"", "[Scores \"1", "the tag Scores says \"1"),
        ("[Plies \"", "[Plies \"1", "plies, the last one \""),
        ("[Game \"letters", "[Game \"lettres", "there is no game \"lettres\""),
        (
            "[Game \"letters:4x4x3",
            "[Game \"letters:4x4x4",
            "the tag Start is no position: field 1, dimensions",
        ),
        ("[Game \"letters:4x4x3", "[Game \"mill", "the tag Start is no position: "),
        (
            "[Seats \"W,B\"",
            "[Seats \"B,W\"",
            "the tag Seats says \"B,W\", and the seats of letters:4x4x3 are W,B",
        ),
        (
            "[Termination \"normal\"",
            "[Termination \"crash\"",
            "the tag Termination says \"crash\", and by the rules the game is over",
        ),
        ("[Reason \"", "[Reason \"not ", "the tag Reason says \"not "),
        ("[Event \"test\"]", "[Event test]", "line 1: a tag is written [Name \"value\"]"),
        ("\n2. ", "\n3. ", "this is round 2, and its number is 3"),
    ] {
        assert!(text.contains(from), "{text}");
        shelf.refused(&text.replacen(from, to, 1), words);
    }
    let last = text.lines().find(|line| line.starts_with("[Last ")).unwrap();
    shelf.refused(
        &text.replace(last, "[Last \"4x4x3\"]"),
        &format!("line {}: the tag Last says \"4x4x3\", and by the moves it is \"4x4x3 ", line_of("[Last ")),
    );
    let unfinished =
        notation::write(&record("mnk:3x3,3", 3, Some((4, Termination::Resignation(Seat::FIRST)))), "");
    shelf.refused(
        &unfinished.replace("[Termination \"resignation\"]", "[Termination \"normal\"]"),
        "the tag Termination says \"normal\", and after the last move the game goes on with X",
    );
    shelf.refused(
        &unfinished.replace("\"resignation\"", "\"boredom\""),
        "says \"boredom\", which no game ends by",
    );
    shelf.refused(
        &unfinished.replace("\"0-1\"", "\"1/2-1/2\"").replace("\n0-1\n", "\n1/2-1/2\n"),
        "the tag Result says \"1/2-1/2\", and after the last move the game is not over, so it would be 0-1 or 1-0",
    );
    let file = shelf.put("[Result \"1-0\"]\n1. a1 b1\n");
    refuses(&["replay", &file], "there is no tag Game; say which game it is with --game");
    std::fs::write(&file, b"[Event \"x\"]\n\xff\n").unwrap();
    refuses(&["replay", &file], "line 2: it holds a byte that is no UTF-8 text");
    refuses(&["replay", "/nowhere/game.txt"], "/nowhere/game.txt: cannot be read");
    refuses(&["replay", "/dev/null"], "not a file; give a game's record");
}

/// As the contest's document has it: seven tags and numbered moves, nothing else.
#[test]
fn a_record_in_the_documents_own_form_is_read() {
    let shelf = Shelf::new();
    let record = |result: &str, moves: &str| {
        format!(
            "[Event \"Championship\"]\n[Site \"Edmonton\"]\n[Date \"1999.04.01\"]\n[Round \"1\"]\n[Black \"one\"]\n\
             [White \"two\"]\n[Result \"{result}\"]\n\n{moves}\n"
        )
    };
    let file = shelf.put(&record("14(W)-14(R)", "1. g3-f3 c3-d3\n2. g4-f4 c5c4-d6"));
    let shown = prints(&["replay", &file, "--game", "abalone"]);
    assert!(shown.starts_with("abalone: B one - W two: 14(W)-14(R), resignation by W, 4 plies\n"), "{shown}");
    assert!(shown.contains("after ply 4, W,c4c5-d5\n"), "{shown}");
    let wrong = |result, moves, words: &str| {
        refuses(&["replay", &shelf.put(&record(result, moves)), "--game", "abalone"], words);
    };
    wrong(
        "14(W)-14(R)",
        "1. g3-f3 c3-d3\n2. g4-f4 f4-f5",
        "line 10: move 2 of W (ply 4), \"f4-f5\": f4 holds a marble of B",
    );
    wrong(
        "13(W)-8(L)",
        "1. g3-f3 c3-d3",
        "line 7: the tag Result says \"13(W)-8(L)\", and after the last move the game is not over",
    );
    wrong("14(W)-14(R)", "1. g3-f3 ... c3-d3", "line 9: round 1 has more than 2 moves");
    wrong(
        "14(W)-14(R)",
        "1. g3-f3\n2. g4-f4",
        "line 10: move 2 of B (ply 2), \"g4-f4\": it is W's turn, and the move stands in the place of B",
    );
}
