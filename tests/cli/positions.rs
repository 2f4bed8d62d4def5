//! Positions of every game from outside: the output of `agon rules`, `show`, `moves`, `perft` and
//! `notation`, and their refusals.

use agon_games::GAMES;

use crate::home::Home;
use crate::saying::{agon, prints, refuses};

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
        assert_eq!(
            prints(&["position", "show", entry.name, "--position", position]).lines().last(),
            Some(position)
        );
        assert!(rules.lines().rev().skip(1).all(|line| line.chars().count() <= 80), "{rules}");
    }
    assert!(prints(&["rules", "morris:nine"]).contains("........................ x 9 9"));
    refuses(
        &["rules", "shogi"],
        "there is no game \"shogi\"\nhint: the games are abalone, chess, connect4, letters, mill, mnk, morris",
    );
    refuses(&["rules", "mnk:3x3,9"], "a line of 9: on 3x3 it may be 1 to 3");
}

#[test]
fn positions_are_drawn() {
    assert_eq!(
        prints(&["position", "show", "abalone"]),
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
        prints(&["position", "show", "mill", "--moves", "32 B,32 14"]),
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
        prints(&["position", "show", "morris", "--moves", "0 3 1 4 2r3"]),
        "X-----X-----X      0-----1-----2
|  .--O--.  |      |  3--4--5  |
.--.     .--.      6--7     8--9
|  .--.--.  |      |  10-11-12 |
.-----.-----.      13----14----15
in hand: X 3, O 4

O to move; score X 6, O 5
tier 731
XXX.O........... o 3 4
"
    );
    let nine = prints(&["position", "show", "morris:nine", "--moves", "0 23"]);
    assert!(nine.starts_with("X--------.--------.      0--------1--------2\n"), "{nine}");
    assert!(nine.contains("\n.--.--.     .--.--.      9--10-11    12-13-14\n"), "{nine}");
    assert_eq!(
        prints(&["position", "show", "mnk:4x3,3", "--moves", "a1 d3 b2 d2 c3"]),
        " 3 . . X O
 2 . X . O
 1 X . . .
   a b c d

over, 1-0: a line of k or more; score X 1, O 0
..XO/.X.O/X...
"
    );
    assert!(prints(&["position", "show", "connect4", "--moves", "4 4"]).ends_with(
        " . . . O . . .\n . . . X . . .\n 1 2 3 4 5 6 7\n\nX to move; score X 0, O 0\n\
         ......./......./......./......./...O.../...X...\n"
    ));
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/letters/example.board");
    let letters =
        prints(&["position", "show", "letters", "--board", example, "--moves", "1,1,1,1,5,1,apple"]);
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
        let start = prints(&["position", "show", entry.name]);
        assert!(!start.contains('\x1b'));
        assert_eq!(prints(&["position", "show", entry.name, "--position", "startpos"]), start);
    }
}

#[test]
fn moves_are_listed_as_engines_write_them() {
    let mill = prints(&["position", "moves", "mill"]);
    assert_eq!((mill.lines().count(), mill.lines().next()), (16, Some("W,11")));
    assert_eq!(prints(&["position", "moves", "mnk:2x1,2", "--moves", "b1"]), "O,a1\n");
    assert_eq!(prints(&["position", "moves", "mnk:1x1,1", "--moves", "a1"]), "");
    let closing = prints(&["position", "moves", "morris", "--position", "XX.O.O.......... x 4 4"]);
    assert!(closing.contains("X,2r3\nX,2r5\n"), "{closing}");
}

#[test]
fn move_sequences_are_counted_with_their_time_and_divided() {
    assert_eq!(prints(&["position", "perft", "mnk:3x3,3", "2", "--moves", "b2 a1"]), "42\n");
    let divided = prints(&["position", "perft", "mnk:3x1,3", "3", "--divide"]);
    assert_eq!(divided, "X,a1: 2\nX,b1: 2\nX,c1: 2\n6\n");
    let said = agon(&["position", "perft", "morris", "4"]);
    assert_eq!(said.out, "43680\n");
    assert!(said.err.starts_with("morris depth 4: ") && said.err.contains(" s, "), "{}", said.err);
    refuses(&["position", "perft", "mill", "100"], "100 is not in 0..=99");
    refuses(&["position", "perft", "mill", "-1"], "-1");
}

#[test]
fn what_the_rules_refuse_is_named_by_its_option() {
    refuses(
        &["position", "show", "mnk:3x3,3", "--position", ".../..x/..."],
        "--position: row 2, cell 3 is 'x'",
    );
    refuses(&["position", "show", "mill", "--moves", "h8"], "--moves: move 1, \"h8\": ");
    refuses(&["position", "show", "mnk:21x3,3"], "21 columns: a board has 1 to 20");
}

#[test]
fn notations_are_converted() {
    assert_eq!(prints(&["position", "notation", "mill", "34", "B,32"]), "1027\n515\n");
    assert_eq!(prints(&["position", "notation", "mill", "--numbers", "1027", "515"]), "34\n32\n");
    assert_eq!(prints(&["position", "notation", "morris", "7", "3"]), "1911\n819\n");
    assert_eq!(prints(&["position", "notation", "morris", "--numbers", "1911", "819"]), "7\n3\n");
    let mill = ["position", "notation", "morris", "--position", "XX.O.O.......... x 4 4"];
    assert_eq!(prints(&[&mill[..], &["2r5"]].concat()), format!("{}\n", 2 * 256 + 5 * 16 + 2));
    assert_eq!(prints(&[&mill[..], &["--numbers", "594"]].concat()), "2r5\n");
    let slide = ["position", "notation", "morris", "--position", "XX.O.O...X..OO.. x 0 0"];
    assert_eq!(prints(&[&slide[..], &["9-2r3"]].concat()), format!("{}\n", 9 * 256 + 2 * 16 + 3));
    assert_eq!(prints(&["position", "notation", "abalone", "c5c3-d6", "--moves", "g3-f3"]), "c3c5-d4\n");
    assert_eq!(prints(&["position", "notation", "abalone", "G3-f3"]), "g3-f3\n");
    refuses(
        &["position", "notation", "mill", "--numbers", "34"],
        "move 1, \"34\": 34 is x=34, y=0, and there is no such column",
    );
    refuses(
        &["position", "notation", "mill", "--numbers", "65536"],
        "the number of a move is from 0 to 65535",
    );
    refuses(&["position", "notation", "abalone", "--numbers", "7"], "the moves of this game have no numbers");
    refuses(
        &["position", "notation", "morris:nine", "--numbers", "7"],
        "only the moves of Six Men's Morris have numbers",
    );
    refuses(&["position", "notation", "mill", "11", "55"], "move 2, \"55\": there is no column 55");
}

/// The lines that `agon show --as-engine` says go over the pipes.
fn conversation(shown: &str) -> Vec<String> {
    let lines = shown.lines().filter_map(|line| line.strip_prefix("    "));
    lines.filter(|line| line.starts_with(['<', '>'])).map(str::to_owned).collect()
}

/// An engine that writes down how it is started and the board that it reads, and plays b2.
const WITNESS: &str = r#"
import os, sys
name = os.environ["LOG"] + sys.argv[1]
log = open(os.devnull if os.path.exists(name) else name, "w")
print(*sys.argv[1:], os.getcwd() == os.environ["HOME"], *sorted(os.environ), file=log)
for _ in range(4):
    print("<", sys.stdin.readline(), end="", file=log)
print("> X,b2", file=log, flush=True)
print("X,b2", flush=True)
sys.stdin.read()
"#;

#[test]
fn what_an_engine_is_shown_to_read_is_what_it_reads() {
    let home = Home::new();
    home.put("witness/witness.py", WITNESS);
    let args = "[\"{side}\", \"{to_move}\", \"{game}\"]";
    let log = home.path("log");
    home.put(
        "witness/engine.toml",
        format!("command = [\"python3\", \"{{folder}}/witness.py\"]\nargs = {args}\n[env]\nLOG = {log:?}\n"),
    );
    // What it is started with and reads, by itself and as it is shown.
    let shown =
        home.agon(["position", "show", "mnk", "--as-engine", "witness", "--side", "X", "--moves", "b2"]);
    assert_eq!(shown.code, Some(0), "{}", shown.all());
    home.agon(["check", "witness", "--game", "mnk", "--moves", "1", "--st", "5"]);
    let log = home.read("logX");
    let mut log = log.lines();
    let started = log.next().unwrap();
    let told: Vec<&str> = log.collect();
    assert_eq!(conversation(&shown.out()), told, "{}", shown.out());
    let (arguments, variables) = started.split_once(" True ").expect("it runs in its own directory");
    assert!(shown.out().contains(&format!("witness.py {arguments}\nin DIR,")), "{started}\n{}", shown.out());
    let names: Vec<String> = shown
        .out()
        .lines()
        .skip_while(|line| *line != "Its environment is")
        .filter_map(|line| line.strip_prefix("    ")?.split_once('=').map(|(name, _)| name.to_owned()))
        .collect();
    // A script that is started in place of Python may have added variables.
    let variables: Vec<&str> = variables.split(' ').collect();
    assert!(names.iter().all(|name| variables.contains(&name.as_str())), "{names:?} {variables:?}");
    assert!(["HOME", "LOG", "AGON_ENGINE"].iter().all(|name| names.iter().any(|shown| shown == name)));
}

#[test]
fn an_engine_is_shown_the_start_the_opponents_moves_and_where_it_joins_late() {
    let home = Home::new();
    home.put("u/engine.toml", "command = [\"python3\"]\nprotocol = \"ugi\"\n");
    let shown = |words: &str| {
        let said = home.agon(words.split(' '));
        assert_eq!(said.code, Some(0), "{words}: {}", said.all());
        conversation(&said.out()).join("|")
    };
    let cube = "position show letters:3x3x1 --position 3x3x1~tea/eat/ate~b~5~6~0 --as-engine";
    let late = |side: &str, moves: &str| {
        let words: Vec<String> = cube.split(' ').map(|word| word.replace('~', " ")).collect();
        let said = home.agon(words.iter().map(String::as_str).chain(["--side", side, "--moves", moves]));
        assert_eq!(said.code, Some(0), "{}", said.all());
        conversation(&said.out()).join("|")
    };
    assert_eq!(late("B", ""), "< 3 3 1|< tea|< eat|< ate|< W,P");
    assert_eq!(late("W", ""), "");
    let joined = late("W", "1,1,1,1,3,1,tea P");
    assert_eq!(joined, "< 3 3 1|< ___|< eat|< ate|> W,P");
    assert_eq!(
        shown("position show mnk --as-engine u --side O --moves b2"),
        "< ugi|> ugiok|< uginewgame|< isready|> readyok|< position startpos moves b2|< go movetime 5000"
    );
    let both = shown("position show mill --as-engine");
    assert_eq!(both.matches("< 4 4 4").count(), 2);
    let wrong = home.agon(["position", "show", "mill", "--as-engine", "--side", "X"]);
    assert!(wrong.code == Some(2) && wrong.err().contains("the sides are W and B"), "{}", wrong.all());
}
