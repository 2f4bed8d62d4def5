//! The harness's side of the Universal Game Interface, against a scripted engine that records its
//! input.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::support::side_by_side;

/// Two scripted engines, `one` and `two`, and their notes.
struct Match {
    home: TempDir,
}

impl Match {
    fn between(one: &str, two: &str) -> Self {
        let home = tempfile::tempdir().unwrap();
        let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/scripted/ugi.py");
        for (name, mode) in [("one", one), ("two", two)] {
            let folder = home.path().join(name);
            fs::create_dir(&folder).unwrap();
            let toml = format!(
                "command = [\"python3\", \"{}\"]\nprotocol = \"ugi\"\n\
                 [env]\nUGI_MODE = \"{mode}\"\nUGI_LOG = \"{}\"\n",
                script.display(),
                home.path().join(format!("{name}.log")).display()
            );
            fs::write(folder.join("engine.toml"), toml).unwrap();
        }
        Match { home }
    }

    fn agon(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_agon"))
            .args(arguments)
            .current_dir(self.home.path())
            .output()
            .unwrap()
    }

    /// Plays, and returns the records as JSON.
    fn play(&self, options: &[&str]) -> Vec<serde_json::Value> {
        let mut arguments = vec!["match", "one", "two", "--game", "mnk:3x3,3", "--events", "events.json"];
        // The engines of this script know few positions.
        if !options.contains(&"--random-plies") {
            arguments.extend(["--random-plies", "0"]);
        }
        arguments.extend(options);
        let output = self.agon(&arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let events = fs::read_to_string(self.home.path().join("events.json")).unwrap();
        let all = events.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        all.filter(|event| event["event"] == "game_over").collect()
    }

    /// The log of an engine from its first game on: before that it goes through its handshake once.
    fn log(&self, name: &str) -> Vec<String> {
        let log = fs::read_to_string(self.home.path().join(format!("{name}.log"))).unwrap();
        let (_, log) = log.strip_prefix("STARTED\n").and_then(|log| log.split_once("LEFT\n")).unwrap();
        log.lines().map(str::to_owned).collect()
    }
}

fn count(log: &[String], line: &str) -> usize {
    log.iter().filter(|logged| *logged == line).count()
}

fn reason(game: &serde_json::Value) -> (String, String) {
    let decided = &game["record"]["verdict"]["decided"];
    (decided["termination"].to_string(), decided["reason"].as_str().unwrap().to_owned())
}

#[test]
fn the_hello_of_one_engine_does_not_swallow_the_first_move_of_another_that_needs_none() {
    let pair = Match::between("plain", "slow-hello");
    // It moves as soon as it is started, without reading.
    let folder = pair.home.path().join("one");
    let script = "echo X,b2; while read -r line; do :; done";
    fs::write(folder.join("engine.toml"), format!("command = [\"sh\", \"-c\", {script:?}, \"one\"]\n"))
        .unwrap();
    let games = pair.play(&["--games", "2", "--st", "2", "--concurrency", "1"]);
    assert_eq!(games[0]["record"]["plies"][0]["text"], "X,b2");
}

#[test]
fn one_process_plays_a_pairing_and_is_told_everything_in_the_interfaces_words() {
    let pair = Match::between("plain", "plain");
    let games = pair.play(&["--games", "4", "--st", "2", "--concurrency", "1"]);
    assert_eq!(games.len(), 4);
    let log = pair.log("one");
    for (line, times) in
        [("STARTED", 1), ("ugi", 1), ("uginewgame", 4), ("isready", 4), ("quit", 1), ("LEFT", 1)]
    {
        assert_eq!(count(&log, line), times, "{line}: {log:?}");
    }
    let first: Vec<&str> = log.iter().take(8).map(String::as_str).collect();
    assert_eq!(
        first,
        [
            "STARTED",
            "ugi",
            "uginewgame",
            "isready",
            "position startpos",
            "go movetime 2000",
            "position startpos moves a1 b1",
            "go movetime 2000"
        ]
    );
    assert_eq!(games[0]["result"], "1-0");
    // The last thought with a score is kept, and no line that only looks like a move.
    assert_eq!(games[0]["record"]["plies"][0]["thought"], "info depth 2 score cp 9 pv a1");
}

#[test]
fn both_clocks_are_told_and_run_down() {
    let pair = Match::between("plain", "plain");
    pair.play(&["--games", "2", "--tc", "60+2", "--time", "two=tc=90"]);
    let log = pair.log("one");
    let go: Vec<&String> = log.iter().filter(|line| line.starts_with("go")).collect();
    assert_eq!(go[0], "go p1time 60000 p2time 90000 p1inc 2000");
    let words: Vec<&str> = go[1].split(' ').collect();
    assert_eq!((words[1], words[3], words[5], words[6]), ("p1time", "p2time", "p1inc", "2000"));
    let (own, other): (u64, u64) = (words[2].parse().unwrap(), words[4].parse().unwrap());
    assert!((60_001..=62_000).contains(&own), "{own}");
    assert!((80_000..90_000).contains(&other), "{other}");
}

#[test]
fn an_opening_is_told_as_it_is_written_as_a_position_or_as_moves() {
    let pair = Match::between("plain", "plain");
    fs::write(pair.home.path().join("openings"), "X,c3 O,b3\nXO./.../...\n").unwrap();
    let games = pair.play(&["--games", "4", "--openings", "openings", "--seed", "1", "--concurrency", "1"]);
    let starts: Vec<&str> = games.iter().map(|game| game["record"]["start"].as_str().unwrap()).collect();
    assert!(starts.contains(&".OX/.../...") && starts.contains(&"XO./.../..."), "{starts:?}");
    for told in ["position startpos moves c3 b3", "position fen XO./.../..."] {
        assert!(pair.log("one").contains(&told.to_owned()), "{:?}", pair.log("one"));
    }
}

#[test]
fn random_plies_are_told_as_moves() {
    let pair = Match::between("plain", "plain");
    let games = pair.play(&["--games", "2", "--random-plies", "2"]);
    let log = pair.log("one");
    let first = log.iter().find(|line| line.starts_with("position")).unwrap();
    let moves: Vec<&str> = first.strip_prefix("position startpos moves ").unwrap().split(' ').collect();
    assert_eq!(moves.len(), 2, "{first}");
    let start = games[0]["record"]["start"].as_str().unwrap();
    let marks: String = start.split('/').rev().collect();
    for (mv, mark) in moves.iter().zip(['X', 'O']) {
        let (column, row) = (mv.as_bytes()[0] - b'a', mv.as_bytes()[1] - b'1');
        assert_eq!(marks.as_bytes()[usize::from(3 * row + column)], mark as u8, "{first} is not {start}");
    }
}

#[test]
fn an_engine_that_dies_forfeits_that_game_and_is_started_again_for_the_next() {
    let pair = Match::between("leaves-in-game-2", "plain");
    let games = pair.play(&["--games", "4", "--concurrency", "1"]);
    let (termination, words) = reason(&games[1]);
    assert!(termination.contains("crash"), "{termination} {words}");
    assert_eq!(games[1]["record"]["seats"][1]["exit"]["code"], 3);
    assert_eq!(reason(&games[2]).0, "\"normal\"");
    assert!(reason(&games[3]).0.contains("crash"));
    assert_eq!(count(&pair.log("one"), "STARTED"), 2);
    assert_eq!(count(&pair.log("two"), "STARTED"), 1);
}

#[test]
fn an_engine_that_leaves_between_games_loses_nothing() {
    let pair = Match::between("leaves-after-each", "plain");
    let games = pair.play(&["--games", "4", "--concurrency", "1", "--time", "two=st=4"]);
    for game in &games {
        assert_eq!(reason(game).0, "\"normal\"");
    }
    assert_eq!(count(&pair.log("one"), "STARTED"), 4);
}

#[test]
fn what_goes_wrong_is_named() {
    let expected = [
        ("mute-in-games", "time_forfeit", "it did not say ugiok before the game"),
        ("only-talks", "time_forfeit", "no answer within"),
        ("resigns", "resignation", "it resigned"),
        ("wrong", "", "\"X,z9\": "),
    ];
    side_by_side(&expected, |&(mode, cause, words)| {
        let pair = Match::between(mode, "plain");
        // Its opponent has time enough on a busy machine.
        let games = pair.play(&["--games", "2", "--st", "20", "--time", "one=st=0.3", "--startup", "4"]);
        let (termination, why) = reason(&games[0]);
        assert!(termination.contains(cause) && why.contains(words), "{mode}: {termination} {why}");
        assert_eq!(games[0]["result"], "0-1", "{mode}");
        assert_eq!(games[1]["result"], "1-0", "{mode}");
    });
}

#[test]
fn check_talks_to_it_too() {
    let pair = Match::between("plain", "mute");
    let well = pair.agon(&["check", "one", "--game", "mnk:3x3,3", "--moves", "2"]);
    assert!(well.status.success(), "{}", String::from_utf8_lossy(&well.stdout));
    let mute = pair.agon(&["check", "two", "--game", "mnk:3x3,3", "--startup", "3"]);
    let said = String::from_utf8_lossy(&mute.stdout).into_owned();
    assert_eq!(mute.status.code(), Some(1));
    assert!(said.contains("note   Before the first game agon writes ugi"), "{said}");
    assert!(!said.contains("first move") && !said.contains("your turn"), "{said}");
    assert!(!said.contains("at its move 1"), "it was before the game: {said}");
    assert!(said.contains("write protocol = \"uci\"") && said.contains("add pty = true"), "{said}");
}
