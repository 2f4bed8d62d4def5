//! The relatives of UGI, UCI, TEI and UAI, and moves that are written in another way.

use std::fs;

use super::support::not_tried;
use crate::scripted::{Scripted, ending, moves};
use crate::support::side_by_side;

const MAP: &str = "[ugi]\nmove = \"P@{cell}\"\n";

/// Engines that speak UCI with a move map, of these modes.
fn pair(game: &str, one: &str, two: &str) -> Scripted {
    let home = Scripted::new();
    for (name, mode) in [("one", one), ("two", two)] {
        // Not in the order of the letters.
        let options = format!("[options]\nVariantPath = \"there\"\nUCI_Variant = \"{game}\"\n");
        let toml = format!("protocol = \"uci\"\n{MAP}{options}");
        home.engine(name, "relative.py", &toml, &[("MODE", mode), ("GAME", game)]);
    }
    home
}

#[test]
fn uci_is_the_same_conversation_in_other_words() {
    let home = pair("mnk", "plain", "plain");
    let games = home.play("--game mnk:3x3,3 --games 2 --tc 60+2 --time two=tc=90 --concurrency 1");
    assert_eq!(moves(&games[0]), "X,a1 O,b1 X,c1 O,a2 X,b2 O,c2 X,a3");
    assert_eq!(games[0]["record"]["plies"][0]["thought"], "info depth 1 score cp 7 pv P@a1");
    let log = home.log("one");
    let first: Vec<&str> = log.iter().take(9).map(String::as_str).collect();
    assert_eq!(
        first[..8],
        [
            "STARTED",
            "uci",
            "setoption name VariantPath value there",
            "setoption name UCI_Variant value mnk",
            "ucinewgame",
            "isready",
            "position startpos",
            "go wtime 60000 btime 90000 winc 2000"
        ]
    );
    assert_eq!(first[8], "position startpos moves P@a1 P@b1");
    assert_eq!(log.iter().filter(|line| *line == "ucinewgame").count(), 2);
    assert_eq!(log.last().unwrap(), "LEFT");
}

#[test]
fn each_relative_has_its_words_and_a_table_replaces_them() {
    let table = "[ugi]\ngreeting = \"xyz\"\nok = \"fine\"\nnew_game = \"again 3\"\nclocks = [\"one\", \"two\"]\n\
                 increments = [\"oneinc\", \"twoinc\"]\n";
    let cases = [
        (
            "protocol = \"tei\"\n",
            "tei",
            "teiok",
            ["tei", "teinewgame", "go wtime 60000 btime 60000 winc 1000 binc 1000"],
        ),
        (
            "protocol = \"uai\"\n",
            "uai",
            "uaiok",
            ["uai", "uainewgame", "go btime 60000 wtime 60000 binc 1000 winc 1000"],
        ),
        (table, "xyz", "fine", ["xyz", "again 3", "go one 60000 two 60000 oneinc 1000 twoinc 1000"]),
    ];
    for (toml, name, ok, words) in cases {
        let home = Scripted::new();
        let protocol = if toml == table { "protocol = \"ugi\"\n" } else { "" };
        let variables = [("NAME", name), ("OK", ok), ("FORM", "{}")];
        home.engine("one", "relative.py", &format!("{protocol}{toml}"), &variables);
        home.mover("two");
        let games = home.play("--game mnk:3x3,3 --games 2 --tc 60+1");
        assert_eq!(ending(&games[0]).0, "\"normal\"", "{name}: {:?}", ending(&games[0]));
        for word in words {
            assert!(home.log("one").iter().any(|line| line == word), "{word}: {:?}", home.log("one"));
        }
    }
}

#[test]
fn a_column_of_connect_four_is_the_cell_to_which_the_stone_falls() {
    let home = pair("connect4", "plain", "plain");
    fs::write(home.path("openings"), "4 4 4\n").unwrap();
    let games = home.play("--game connect4 --games 2 --openings openings --concurrency 1");
    let log = home.log("one");
    assert!(log.iter().any(|line| line.starts_with("position startpos moves P@d1 P@d2 P@d3")), "{log:?}");
    assert_eq!(ending(&games[0]).0, "\"normal\"", "{:?}", ending(&games[0]));
    home.verify();
}

#[test]
#[ignore = "slow"]
fn an_answer_that_is_no_move_is_named_as_such() {
    let expected = [
        (
            "none",
            "protocol",
            "its answer is no move: \"bestmove (none) ponder P@b1\": it finds no legal move",
        ),
        ("nulls", "protocol", "\"bestmove 0000 ponder P@b1\": it finds no legal move"),
        ("draws", "protocol", "a draw cannot be claimed"),
        ("chess", "protocol", "\"bestmove e2e4 ponder P@b1\": it is not of the form P@{cell}"),
        ("taken", "illegal_move", "; its line was \"bestmove P@a1"),
        ("resigns", "resignation", "it resigned"),
        (
            "mute-in-games",
            "time_forfeit",
            "it was sent uci; if it speaks another relative of UGI, write protocol = \"ugi\"",
        ),
    ];
    side_by_side(&expected, |&(mode, cause, words)| {
        let home = pair("mnk", "plain", mode);
        let games = home.play("--game mnk:3x3,3 --games 2 --startup 4 --st 10 --concurrency 1");
        let (termination, why) = ending(&games[0]);
        assert!(termination.contains(cause) && why.contains(words), "{mode}: {termination} {why}");
        assert_eq!(games[0]["result"], "1-0", "{mode}");
        home.verify();
    });
}

#[test]
fn a_relative_under_another_name_is_refused_before_the_first_game() {
    let cases = [("ugi", "uci"), ("uci", "ugi"), ("tei", "uai")];
    side_by_side(&cases, |&(written, spoken)| {
        let home = Scripted::new();
        let answers = format!("{spoken}ok");
        let variables = [("NAME", spoken), ("OK", &answers), ("FORM", "{}")];
        home.engine("one", "relative.py", &format!("protocol = \"{written}\"\n"), &variables);
        home.mover("two");
        let output = home.agon(&["match", "one", "two", "--game", "mnk:3x3,3", "--startup", "4"]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        let what = format!(
            "/one: the engine does not answer the greeting of {written}, and answers that of {spoken}\n"
        );
        let hint =
            format!("hint: write protocol = \"{spoken}\" into its engine.toml, or leave this engine out\n");
        assert!(said.contains(&what) && said.contains(&hint), "{said}");
    });
}

#[test]
fn an_engine_without_gravity_is_told_apart() {
    let home = pair("connect4", "floats", "plain");
    let words = "it dropped a disc at g6 where the lowest free cell of the column is g1: it seems to play without gravity";
    let games = home.play("--game connect4 --games 2");
    assert!(ending(&games[0]).1.contains(words), "{:?}", ending(&games[0]));
    home.verify();
    let (well, said) = home.check("one", "--game connect4");
    assert!(!well && said.contains(words), "{said}");
}

#[test]
fn what_a_map_cannot_write_is_refused_before_the_first_game() {
    let home = pair("mnk", "plain", "plain");
    fs::write(home.path("openings"), "XO./.../...\n").unwrap();
    let position = home.refused("--game mnk:3x3,3 --openings openings");
    assert!(
        position.contains("one/engine.toml: key ugi: an engine with a move map is told moves only"),
        "{position}"
    );
    assert!(position.contains("hint: write the openings as moves"), "{position}");
    let mill = home.refused("--game mill");
    assert!(mill.contains("only cells of mnk and connect4 have names, and not those of mill"), "{mill}");
    for (toml, words) in [
        ("protocol = \"uci\"\n[ugi]\nmove = \"P@\"\n", "key ugi: move = \"P@\" needs {cell} or {move}"),
        ("protocol = \"uci\"\n[ugi]\ngreeting = \"a b\"\n", "key ugi: \"a b\" is not one word"),
        ("protocol = \"tei\"\n[ugi]\nnew_game = \"a\\nb\"\n", "key ugi: \"a\\nb\" is not one line"),
        ("[ugi]\ngreeting = \"a\"\n", "key ugi: the protocol lines has no such words"),
        ("protocol = \"uci\"\n[ugi]\nhello = \"a\"\n", "unknown field `hello`"),
    ] {
        home.write("one", &format!("command = [\"sh\"]\n{toml}"));
        let why = home.refused("--game mnk:3x3,3");
        assert!(why.contains(words), "{why}");
    }
}

#[test]
fn twenty_games_with_a_sample_engine_are_proved() {
    for game in ["mnk", "connect4"] {
        let home = pair(game, "plain", "plain");
        home.mover("two");
        let spec = if game == "mnk" { "mnk:3x3,3" } else { "connect4" };
        let games = home.play(&format!("--game {spec} --games 20 --random-plies 2"));
        assert_eq!(games.len(), 20);
        assert!(games.iter().all(|game| ending(game).0 == "\"normal\""));
        assert!(home.verify().contains("20 games"));
    }
}

#[test]
fn show_writes_what_the_engine_reads() {
    let home = pair("connect4", "plain", "plain");
    let shown =
        home.agon(&["position", "show", "connect4", "--as-engine", "one", "--side", "O", "--moves", "4 4 3"]);
    let said = String::from_utf8_lossy(&shown.stdout).into_owned();
    for words in ["uciok", "position startpos moves P@d1", "bestmove P@d2", "moves P@d1 P@d2 P@c1"] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

const VARIANTS: &str = "\
[tictactoe]
maxRank = 3
maxFile = 3
immobile = p
startFen = 3/3/3[PPPPPpppp] w - - 0 1
pieceDrops = true
doubleStep = false
castling = false
stalemateValue = draw
immobilityIllegal = false
connectN = 3

[connect4]
maxRank = 6
maxFile = 7
immobile = p
startFen = 7/7/7/7/7/7[PPPPPPPPPPPPPPPPPPPPPppppppppppppppppppppp] w - - 0 1
pieceDrops = true
doubleStep = false
castling = false
stalemateValue = draw
immobilityIllegal = false
connectN = 4
enclosingDrop = top
";

#[test]
#[ignore = "slow"]
fn fairy_stockfish_plays() {
    let path = "/usr/games/fairy-stockfish";
    if !fs::exists(path).unwrap_or(false) {
        not_tried!("fairy-stockfish is not installed; Debian has it as fairy-stockfish");
        return;
    }
    let home = Scripted::new();
    fs::write(home.path("variants.ini"), VARIANTS).unwrap();
    let variants = home.path("variants.ini").display().to_string();
    let toml = |variant: &str| {
        format!(
            "command = [{path:?}]\nprotocol = \"uci\"\n{MAP}[options]\n\
             VariantPath = {variants:?}\nUCI_Variant = \"{variant}\"\n"
        )
    };
    home.write("one", &toml("tictactoe"));
    home.mover("two");
    let games = home.play("--game mnk:3x3,3 --games 2 --st 1 --margin 9 --random-plies 1");
    for game in &games {
        assert_eq!(ending(game).0, "\"normal\"", "{:?}", ending(game));
    }
    home.verify();
    // Versions that do not know `enclosingDrop` play without gravity.
    home.write("one", &toml("connect4"));
    let (well, said) = home.check("one", "--game connect4 --st 1");
    assert!(well || said.contains("it seems to play without gravity"), "{said}");
}
