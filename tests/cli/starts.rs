//! Games that begin with another seat than the first, by real engines in every protocol.

use std::fs;

use super::home::{Home, programs, root};

/// The engines of the letter cube as students submit them, and `talker`, which plays every game in
/// a protocol.
fn home() -> Home {
    let home = Home::new();
    for name in ["greedy", "lookahead", "random"] {
        home.engine(name, &format!("agon-{name}"));
    }
    for name in ["plain-python", "plain-c", "board-file"] {
        let from = root().join("engines").join(name);
        for file in fs::read_dir(from).unwrap().map(|entry| entry.unwrap().path()) {
            let name = format!("{name}/{}", file.file_name().unwrap().to_str().unwrap());
            home.put(name, fs::read(&file).unwrap());
        }
    }
    let mover = programs().join("agon-mover");
    for (name, protocol, args) in [
        ("mover", "lines", r#""{game}", "{side}", "{control}", "{position}""#),
        ("talker", "ugi", r#""{game}", "ugi""#),
    ] {
        home.put(
            format!("{name}/engine.toml"),
            format!("command = [{mover:?}]\nprotocol = \"{protocol}\"\nargs = [{args}]\n"),
        );
    }
    home
}

/// Plays, and checks that every game ends by the rules.
fn all_end_by_the_rules(home: &Home, words: &str, games: usize) {
    let said = home.agon(words.split(' '));
    assert_eq!(said.code, Some(0), "agon {words}\n{}", said.all());
    let events = home.read("events");
    let over: Vec<serde_json::Value> = events
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|event: &serde_json::Value| event["event"] == "game_over")
        .collect();
    assert_eq!(over.len(), games, "agon {words}");
    for game in over {
        assert_eq!(game["record"]["verdict"]["decided"]["termination"], "normal", "agon {words}\n{game}");
    }
}

#[test]
#[ignore = "slow"]
fn engines_of_letters_play_when_black_is_to_move_first() {
    let home = home();
    for (one, other) in
        [("plain-c", "plain-python"), ("greedy", "talker"), ("random", "mover"), ("talker", "mover")]
    {
        for plies in [1, 3] {
            let words = format!(
                "match {one} {other} --game letters:4x4x2 --random-plies {plies} --games 6 --st 5 --seed 9 --events events"
            );
            all_end_by_the_rules(&home, &words, 6);
        }
    }
}

/// A program written to the letter of an assignment: the board is in a file, and stdin has the
/// moves of the opponent alone.
#[test]
fn an_engine_with_the_board_in_its_file_plays_whoever_begins() {
    let home = home();
    for plies in [0, 1, 3] {
        let words = format!(
            "match board-file plain-python --game letters:3x3x2 --random-plies {plies} --games 4 --st 5 --seed 9 --events events"
        );
        all_end_by_the_rules(&home, &words, 4);
    }
}

#[test]
#[ignore = "slow"]
fn an_engine_with_the_board_in_its_file_plays_a_hundred_games_and_finds_it_at_every_level() {
    let home = home();
    let words = "match board-file greedy --game letters:3x3x2 --games 100 --st 2 --seed 3 --concurrency 2 --events events";
    all_end_by_the_rules(&home, words, 100);
    for level in ["none", "limits", "sandbox"] {
        let words = format!(
            "match board-file greedy --game letters:3x3x2 --games 2 --st 5 --seed 4 --isolation {level} --events events"
        );
        all_end_by_the_rules(&home, &words, 2);
    }
}

#[test]
fn engines_of_every_other_game_play_when_the_second_seat_is_to_move_first() {
    let home = home();
    for game in ["mill", "connect4", "abalone", "morris", "morris:nine", "mnk:5x5,4", "mnk:5x5,4,first=O"] {
        let words = format!(
            "match mover talker --game {game} --random-plies 3 --games 4 --st 5 --max-plies 60 --events events"
        );
        let said = home.agon(words.split(' '));
        assert_eq!(said.code, Some(0), "agon {words}\n{}", said.all());
        for game in home.read("events").lines().filter(|line| line.contains("game_over")) {
            assert!(!game.contains("forfeit") && !game.contains("illegal"), "{game}");
        }
    }
}

#[test]
fn an_opening_with_black_to_move_is_played_checked_and_played_by_a_person() {
    let home = home();
    home.put("words", "cat\nact\nnot\nton\nsea\n");
    home.put("black.openings", "; black is to move\n3x3x1 cat/not/sea b 0 0 0\n");
    let letters = "--game letters:3x3x1 --dictionary words --openings black.openings --st 5";
    let words = format!("match greedy plain-python {letters} --games 2 --events events");
    all_end_by_the_rules(&home, &words, 2);
    for engine in ["plain-python", "greedy", "mover", "talker"] {
        let said = home.agon(format!("check {engine} {letters}").split(' '));
        assert_eq!(said.code, Some(0), "{engine}\n{}", said.all());
        for (side, typed) in [("B", "1,1,1,1,3,1,cat\\nquit\\n"), ("W", "quit\\n")] {
            let said = home.shell(&format!("printf '{typed}' | agon play {engine} {letters} --side {side}"));
            assert!(said.out().contains(" plays "), "{engine} {side}\n{}", said.all());
            assert!(!said.out().contains("lost"), "{engine} {side}\n{}", said.all());
        }
    }
}

#[test]
fn a_run_from_such_a_start_is_replayed() {
    let home = home();
    let words = "match greedy plain-python --game letters:4x4x2 --random-plies 1 --games 2 --st 5 --out out";
    let said = home.agon(words.split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    for game in ["r01-p0001-g01", "r01-p0001-g02"] {
        let said = home.agon(["replay", "out", game]);
        assert_eq!(said.code, Some(0), "{}", said.all());
    }
}

/// An engine that writes down what it is told of the start, and resigns.
fn noter(home: &Home, args: &str) {
    let note = home.path("note");
    let script = format!(
        "if [ -e moves ]; then told=$(tr '\\n' ' ' < moves); else told=none; fi\n\
         echo \"$2|$told\" >> {}; echo $1,R",
        note.display()
    );
    home.put(
        "noter/engine.toml",
        format!("command = [\"sh\", \"-c\", {script:?}, \"noter\"]\nargs = {args}\n"),
    );
}

#[test]
fn the_moves_of_an_opening_are_an_argument_and_a_file() {
    let home = home();
    noter(&home, "[\"{side}\", \"{moves}\"]");
    home.put("openings", "11 12 W,13\n");
    let said =
        home.agon("match noter noter --game mill --openings openings --games 2 --isolation none".split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let notes = home.read("note");
    assert!(!notes.is_empty() && notes.lines().all(|note| note == "11 12 13|W,11 B,12 W,13 "), "{notes}");
}

#[test]
fn the_file_of_moves_is_gone_in_a_game_without_an_opening() {
    let home = home();
    noter(&home, "[\"{side}\", \"{position}\"]");
    home.put("openings", "11 12\nstartpos\n");
    let said = home.agon(
        "match noter mover --game mill --openings openings --games 4 --isolation none --concurrency 1 --seed 1".split(' '),
    );
    assert_eq!(said.code, Some(0), "{}", said.all());
    let notes = home.read("note");
    let (with, without): (Vec<&str>, Vec<&str>) =
        notes.lines().partition(|note| note.ends_with("|W,11 B,12 "));
    assert_eq!((with.len(), without.len()), (2, 2), "{notes}");
    assert!(without.iter().all(|note| note.ends_with("|none")), "{notes}");
}

#[test]
fn an_engine_that_can_be_told_moves_only_is_refused_where_an_opening_is_a_position() {
    let home = home();
    noter(&home, "[\"{side}\", \"{moves}\"]");
    home.put("openings", "11 12\n1.............../................/................/................\n");
    let said = home.agon("match noter mover --game mill --openings openings".split(' '));
    assert_eq!(said.code, Some(2), "{}", said.all());
    assert!(
        said.err().contains("engine.toml: key args: {moves}") && said.err().contains("as moves"),
        "{}",
        said.all()
    );
}

/// Plays two fixed sequences of moves on a board of 7 rows: X makes a double three with its last.
const FORK: &str = "#!/bin/sh
for line in 1 2 3 4 5 6 7 8; do read -r line; done
if [ \"$1\" = X ]; then
    for mv in c3 d3 b4 b5 b3; do echo \"X,$mv\"; read -r line; done
else
    for mv in a1 a7 g1 g7; do read -r line; echo \"O,$mv\"; done
fi
";

#[test]
fn every_rule_about_lines_is_refereed_and_verified() {
    let home = home();
    for rule in ["exact", "caro", "exact,caro", "renju", "first=O,renju"] {
        let words = format!(
            "match mover talker --game mnk:9x9,5,{rule} --games 6 --st 5 --seed 3 --events events --out {rule}"
        );
        all_end_by_the_rules(&home, &words, 6);
        let verified = home.agon(["verify", rule]);
        assert_eq!(verified.code, Some(0), "{rule}\n{}", verified.all());
    }
    // A forbidden move is played, and its side has lost by the rules.
    for name in ["one", "other"] {
        home.put_program(name, FORK);
    }
    let words = "match one other --game mnk:7x7,5,renju --games 2 --st 5 --events events --out fork";
    all_end_by_the_rules(&home, words, 2);
    let csv = home.read("fork/games.csv");
    assert_eq!(csv.matches("a forbidden double three").count(), 2, "{csv}");
    assert_eq!(csv.matches(",0-1,normal,").count(), 2, "{csv}");
    let verified = home.agon(["verify", "fork"]);
    assert_eq!(verified.code, Some(0), "{}", verified.all());
    let shown = home.agon(["position", "show", "mnk:7x7,5,renju", "--moves", "c3 a1 d3 a7 b4 g1 b5 g7 b3"]);
    assert!(shown.out().contains("over, 0-1: a forbidden double three; score X 0, O 1"), "{}", shown.all());
}

#[test]
fn the_adapter_to_copy_plays_a_program_that_speaks_words_of_its_own() {
    let home = Home::new();
    let adapter = root().join("engines/adapter");
    let words = "--game mnk:5x4,4 --games 4 --random-plies 3 --st 10 --events events --out out";
    let both = [adapter.to_str().unwrap(); 2].join(" ");
    all_end_by_the_rules(&home, &format!("match {both} {words}"), 4);
    let verified = home.agon(["verify", "out"]);
    assert_eq!(verified.code, Some(0), "{}", verified.all());
}
