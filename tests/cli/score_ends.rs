//! Games that end by the scores of their engines.

use rusqlite::Connection;
use serde_json::Value;

use super::home::{Home, Said};

/// An engine of UGI in Python that fills the board in order. The score of its move n is the n-th of
/// its list; `-` is none.
const SCRIPTED: &str = r#"#!/usr/bin/env python3
import sys
SCORES = "@SCORES@".split()
CELLS = [column + str(row) for row in range(1, 6) for column in "abcde"]
moves = []
for line in sys.stdin:
    words = line.split()
    if words[0] == "ugi":
        print("ugiok", flush=True)
    elif words[0] == "isready":
        print("readyok", flush=True)
    elif words[0] == "position":
        moves = words[words.index("moves") + 1:] if "moves" in words else []
    elif words[0] == "go":
        own = len(moves) // 2
        score = SCORES[min(own, len(SCORES) - 1)].replace("_", " ")
        if score != "-":
            print("info depth 3 score " + score + " nodes 9", flush=True)
        print("bestmove " + next(cell for cell in CELLS if cell not in moves), flush=True)
    elif words[0] == "quit":
        break
"#;

/// Two engines with these scores.
fn pair(one: &str, two: &str) -> Home {
    let home = Home::new();
    for (name, scores) in [("one", one), ("two", two)] {
        home.put_program(format!("{name}/{name}.py"), SCRIPTED.replace("@SCORES@", scores));
        home.put(format!("{name}/engine.toml"), format!("command = [\"./{name}.py\"]\nprotocol = \"ugi\"\n"));
    }
    home
}

const MATCH: &str = "match one two --game mnk:5x5,5 --games 2 --random-plies 0 --seed 1 --out run";

fn play(home: &Home, rules: &str) -> Vec<Value> {
    let said = agon(home, &format!("{MATCH} {rules}"));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let verified = agon(home, "verify run");
    assert_eq!(verified.code, Some(0), "{}", verified.all());
    let games = agon(home, "games run --json").out();
    games.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn agon(home: &Home, line: &str) -> Said {
    home.agon(line.split_whitespace())
}

/// Result, number of plies, and reason.
fn ends(games: &[Value]) -> Vec<(&str, u64, &str)> {
    let end = |game| {
        let game: &Value = game;
        assert_eq!(game["termination"], "adjudication", "{game}");
        (game["result"].as_str().unwrap(), game["plies"].as_u64().unwrap(), game["reason"].as_str().unwrap())
    };
    games.iter().map(end).collect()
}

#[test]
fn an_engine_whose_scores_say_so_often_enough_has_lost_and_verify_reads_the_scores_again() {
    let home = pair("cp_0 cp_-600 cp_-700 mate_-2", "cp_400");
    let games = play(&home, "--resign-when score=600,moves=3");
    let reason = |side: &str| format!("the last 3 scores of {side} were -600 or less");
    assert_eq!(ends(&games), [("0-1", 7, &*reason("X")), ("1-0", 8, &*reason("O"))]);
    let record = home.read("run/games/r01.txt");
    assert_eq!(agon(&home, "replay run/games/r01.txt").code, Some(0));
    home.put("other.txt", record.replace("0-1", "1-0"));
    let refused = agon(&home, "replay other.txt");
    assert!(refused.code != Some(0) && refused.all().contains("the tag Result says"), "{}", refused.all());
    // Other scores, another length of the row, and another loser are found.
    let exported = agon(&home, "export json run").out();
    assert_eq!(exported.lines().count(), 2, "{exported}");
    home.put("as-it-was.jsonl", exported.clone());
    let kept = agon(&home, "import kept as-it-was.jsonl");
    assert_eq!(kept.code, Some(0), "{}", kept.all());
    for (from, to) in [
        ("score cp -700", "score cp -500"),
        ("score cp -700", "score cp -700 lowerbound"),
        ("score mate -2", "score mate 2"),
    ] {
        let changed = exported.replacen(from, to, 1);
        assert_ne!(changed, exported);
        home.put("changed.jsonl", changed);
        let refused = agon(&home, "import other changed.jsonl");
        let why = "the stored scores do not end the game after its last ply";
        assert!(refused.code != Some(0) && refused.err().contains(why), "{to}: {}", refused.all());
    }
}

#[test]
fn a_game_that_went_on_after_its_scores_had_ended_it_is_found() {
    let home = pair("cp_0 cp_-600", "cp_0");
    let another_rule = |moves: u32, why: &str| {
        let db = Connection::open(home.path("run/agon.db")).unwrap();
        let sql = "UPDATE run SET terms = json_set(terms, '$.\"resign when\"', ?1)";
        assert!(db.execute(sql, [format!("score=600,moves={moves}")]).unwrap() > 0);
        let found = agon(&home, "verify run");
        assert!(found.code == Some(1) && found.all().contains(why), "{moves}: {}", found.all());
    };
    play(&home, "--resign-when score=600,moves=3");
    another_rule(2, "the stored scores do not end the game after its last ply");
    another_rule(4, "the stored scores do not end the game after its last ply");
    std::fs::remove_dir_all(home.path("run")).unwrap();
    play(&home, "");
    another_rule(3, "but the game is over after 7 plies, because the last 3 scores of X were -600 or less");
}

#[test]
fn a_draw_and_the_loss_of_two_sides_need_both_engines() {
    let even = pair("cp_30 cp_-10 cp_10 cp_0", "cp_0 cp_9_lowerbound cp_0");
    let games = play(&even, "--draw-when after=4,moves=3,score=10");
    let reason = "the last 3 scores of each side were at most 10 from 0";
    assert_eq!(ends(&games), [("1/2-1/2", 10, reason), ("1/2-1/2", 9, reason)]);

    let lost = pair("cp_-900", "cp_0 cp_900 - mate_5 cp_900");
    let games = play(&lost, "--resign-when score=900,moves=2,twosided --draw-when after=1,moves=1,score=5");
    let reason = |side: &str| {
        format!("the last 2 scores of {side} were -900 or less, and those of the other side 900 or more")
    };
    assert_eq!(ends(&games), [("0-1", 10, &*reason("X")), ("1-0", 9, &*reason("O"))]);
}

#[test]
fn a_game_goes_on_without_a_rule_or_without_scores() {
    let home = pair("cp_-900 -", "-");
    for rules in ["", "--resign-when score=600,moves=2", "--draw-when after=0,moves=1,score=1000"] {
        let games = play(&home, &format!("{rules} --again"));
        assert!(games.iter().all(|game| game["termination"] == "normal"), "{rules}: {games:?}");
    }
}

#[test]
fn words_between_tabs_and_a_line_without_its_number_change_no_score() {
    let odd = SCRIPTED.replace(
        "print(\"info depth 3 score \" + score + \" nodes 9\", flush=True)",
        "print(\"info\\tscore\\tcp\\t\" + score[3:] + \"\\ninfo score cp\\ninfo score mate\", flush=True)",
    );
    assert_ne!(odd, SCRIPTED);
    let home = pair("cp_-700", "cp_0");
    home.put_program("one/one.py", odd.replace("@SCORES@", "cp_-700"));
    let games = play(&home, "--resign-when score=600,moves=2");
    assert_eq!(ends(&games).iter().map(|end| end.1).collect::<Vec<_>>(), [3, 4]);
}

#[test]
fn a_flag_takes_the_rule_of_a_file_back() {
    let home = pair("cp_-700", "cp_0");
    home.put(
        "event.toml",
        "engines = \"field\"\ngame = \"mnk:5x5,5\"\ngames = 2\nrandom-plies = 0\nout = \"run\"\n\
         resign-when = \"score=600,moves=2\"\n",
    );
    std::fs::create_dir(home.path("field")).unwrap();
    for name in ["one", "two"] {
        std::fs::rename(home.path(name), home.path(format!("field/{name}"))).unwrap();
    }
    let ended = |words: &str| {
        let said = agon(&home, &format!("tournament event.toml -q {words}"));
        assert_eq!(said.code, Some(0), "{}", said.all());
        let games = agon(&home, "games run --json").out();
        games.matches("\"termination\":\"adjudication\"").count()
    };
    assert_eq!((ended(""), ended("--resign-when never --again")), (2, 0));
}

#[test]
fn a_rule_that_cannot_hold_is_refused_before_the_first_game() {
    let home = pair("cp_0", "cp_0");
    home.engine("plain", "agon-random");
    for (line, why) in [
        ("one two --resign-when score=600", "moves is missing; write it like score=600,moves=4"),
        ("one two --draw-when moves=3,score=4", "after is missing; write it like after=40,moves=8,score=10"),
        (
            "one plain --draw-when after=1,moves=3,score=4",
            "plain speaks the protocol lines, which has no scores",
        ),
    ] {
        let refused = agon(&home, &format!("match {line} --game mnk:5x5,5"));
        assert_eq!(refused.code, Some(2), "{}", refused.all());
        assert!(refused.err().contains(why), "{}", refused.err());
    }
    for value in ["\"score=6\"", "600"] {
        home.put("event/tournament.toml", format!("game = \"mnk:5x5,5\"\nresign-when = {value}\n"));
        let refused = agon(&home, "tournament event/tournament.toml");
        assert_eq!(refused.code, Some(2), "{}", refused.all());
        let err = refused.err();
        assert!(
            err.contains("event/tournament.toml: line 2: key resign-when") && err.contains("like score="),
            "{err}"
        );
    }
    for rule in ["--resign-when score=6,moves=2", "--max-plies 4"] {
        let refused = agon(&home, &format!("play one --game mnk:5x5,5 {rule}"));
        assert!(
            refused.code == Some(2) && refused.err().contains("a person plays to the end"),
            "{}",
            refused.all()
        );
    }
}
