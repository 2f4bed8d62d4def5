//! Engines that speak UGI or a relative, in games of referee programs.

use std::fs;

use crate::scripted::{Scripted, ending};
use crate::support::side_by_side;

/// The game of Ataxx that ships.
fn ataxx(options: &str) -> String {
    format!("{}/referees/ataxx{options}", env!("CARGO_MANIFEST_DIR"))
}

/// The engine of Ataxx that ships, which writes down what it reads.
fn flips(home: &Scripted, name: &str, protocol: &str, more: &str) {
    let program = format!("{}/referees/ataxx/engines/flips/flips.py", env!("CARGO_MANIFEST_DIR"));
    let log = home.path(&format!("{name}.log"));
    let script = format!("echo STARTED >>{log:?}; tee -a {log:?} | python3 {program:?}");
    home.write(name, &format!("command = [\"sh\", \"-c\", {script:?}]\nprotocol = \"{protocol}\"\n{more}"));
}

/// An engine that plays any legal move, in lines.
fn random(home: &Scripted, name: &str) {
    let player = format!("{}/referees/random-player/random_player.py", env!("CARGO_MANIFEST_DIR"));
    home.write(name, &format!("command = [\"python3\", {player:?}]\nargs = [\"{{seed}}\"]\n"));
}

/// A referee of six answers, which tells each move in a line of its own kind.
const PATIENT: &str = r#"
import sys
def say(*words): print(*words, flush=True)
def hear(): return sys.stdin.readline().rstrip("\n").split(" ", 2)
hear(); hear(); hear(); say("referee 1 patient 1"); say("ready"); hear(); hear()
for number in range(6):
    seat = 1 + number % 2
    say("ask", seat); say("wait")
    word, _, *rest = hear()
    answer = rest[0] if word == "answer" else "pass"
    say("tell all note nothing"); say("tell all seat", seat, "plays", answer + "!")
    if word == "answer": say("move", seat, answer)
say("end 1 0 : enough")
"#;

/// An engine that answers m1, m2 and so on. It is slow in its question SLOW.
const COUNTER: &str = r#"
import os, sys, time
log, asked = open(os.environ["LOG"], "a"), 0
log.write("STARTED\n")
for line in sys.stdin:
    log.write(line); log.flush()
    word = line.split()[0]
    if word == os.environ["NAME"]: print(word + "ok", flush=True)
    if word == "isready": print("readyok", flush=True)
    if word == "go":
        asked += 1
        if str(asked) == os.environ.get("SLOW"): time.sleep(3)
        print("bestmove", os.environ.get("SAYS", f"m{asked}"), flush=True)
    if word == "quit": break
"#;

/// The referee `patient` in this home, with this table for UGI.
fn put_patient(home: &Scripted, table: &str) {
    fs::create_dir_all(home.path("patient")).unwrap();
    fs::write(home.path("patient/patient.py"), PATIENT).unwrap();
    let toml = format!("name = \"patient\"\ncommand = [\"python3\", \"patient.py\"]\n{table}");
    fs::write(home.path("patient/game.toml"), toml).unwrap();
}

fn counter(home: &Scripted, name: &str, protocol: &str, variables: &[(&str, &str)]) {
    fs::write(home.path("counter.py"), COUNTER).unwrap();
    let variables: Vec<(&str, &str)> = variables.iter().copied().chain([("NAME", protocol)]).collect();
    let program = home.path("counter.py");
    home.logged(
        name,
        &format!("command = [\"python3\", {program:?}]\nprotocol = \"{protocol}\"\n"),
        &variables,
    );
}

#[test]
fn an_engine_of_uai_plays_the_referee_of_ataxx_against_one_of_lines() {
    let home = Scripted::new();
    flips(&home, "one", "uai", "[options]\nHash = 16\n");
    random(&home, "two");
    let games = home
        .play(&format!("--game {} --games 2 --tc 60+1 --time two=tc=90 --seed 3 --concurrency 1", ataxx("")));
    for game in &games {
        let (termination, why) = ending(game);
        let wins = if game["record"]["seats"][0]["entrant"] == "one" { "1-0" } else { "0-1" };
        assert_eq!((termination.as_str(), game["result"].as_str()), ("\"normal\"", Some(wins)), "{why}");
    }
    let log = home.log("one");
    let head = ["STARTED", "uai", "setoption name Hash value 16", "uainewgame", "isready"];
    assert_eq!(log[..5], head, "{log:?}");
    // Two moves by lot, then the game. Black, which is x, moves first.
    let words: Vec<&str> = log[5].split(' ').collect();
    assert_eq!(words[..7].join(" "), "position fen x5o/7/7/7/7/7/o5x x 0 1 moves");
    assert_eq!(words.len(), 9, "{log:?}");
    assert_eq!(log[6], "go btime 60000 wtime 90000 binc 1000 winc 0");
    let plies = games[0]["record"]["plies"].as_array().unwrap();
    let next =
        format!("{} {} {}", log[5], plies[0]["text"].as_str().unwrap(), plies[1]["text"].as_str().unwrap());
    assert_eq!(log[7], next);
    assert_eq!(log.last().unwrap(), "quit");
    home.verify();
}

#[test]
fn an_engine_of_tei_plays_the_referee_of_tak() {
    let home = Scripted::new();
    let program = format!("{}/referees/tak/engines/roads/roads.py", env!("CARGO_MANIFEST_DIR"));
    let log = home.path("one.log");
    let script = format!("echo STARTED >>{log:?}; tee -a {log:?} | python3 -B {program:?}");
    let words = "[ugi]\nnew_game = \"teinewgame 4\"\n";
    home.write("one", &format!("command = [\"sh\", \"-c\", {script:?}]\nprotocol = \"tei\"\n{words}"));
    random(&home, "two");
    let game = format!("{}/referees/tak:size=4,komi=1", env!("CARGO_MANIFEST_DIR"));
    let games = home.play(&format!("--game {game} --games 2 --tc 60+1 --seed 3 --concurrency 1"));
    for game in &games {
        let (termination, why) = ending(game);
        assert_eq!(termination, "\"normal\"", "{why}");
    }
    let log = home.log("one");
    assert_eq!(log[..4], ["STARTED", "tei", "teinewgame 4", "isready"], "{log:?}");
    // The position tells the size. Two moves by lot, then the game.
    let words: Vec<&str> = log[4].split(' ').collect();
    assert_eq!(words[..6].join(" "), "position tps x4/x4/x4/x4 1 1 moves");
    assert_eq!(words.len(), 8, "{log:?}");
    assert_eq!(log[5], "go wtime 60000 btime 60000 winc 1000 binc 1000");
    home.verify();
}

#[test]
fn the_relatives_and_an_engine_without_a_clock_play_it_too() {
    // One has time for each move, and writes its moves in another way: these are refused.
    let cases = [("uci", "ucinewgame"), ("ugi", "uginewgame"), ("tei", "teinewgame")];
    side_by_side(&cases, |&(protocol, new_game)| {
        let home = Scripted::new();
        flips(&home, "one", protocol, "");
        flips(&home, "two", "uai", "");
        let games = home.play(&format!("--game {} --games 2 --st 20 --seed 5", ataxx(":lots=4")));
        for game in &games {
            assert_eq!(ending(game).0, "\"normal\"", "{protocol}: {:?}", ending(game));
        }
        let log = home.log("one");
        assert!(
            log.contains(&new_game.to_owned()) && log.contains(&"go movetime 20000".to_owned()),
            "{log:?}"
        );
        home.verify();
    });
}

#[test]
fn a_relative_under_another_name_is_named_in_games_of_referee_programs_too() {
    let home = Scripted::new();
    flips(&home, "one", "uai", "");
    let (well, said) = home.check("one", &format!("--game {} --moves 3", ataxx("")));
    assert!(well, "{said}");
    // In another relative it is told which one.
    flips(&home, "one", "uai", "[ugi]\ngreeting = \"xyz\"\n");
    let (well, said) = home.check("one", &format!("--game {} --startup 3", ataxx("")));
    assert!(!well && said.contains("the table [ugi] gives it the greeting xyz"), "{said}");
    assert!(said.contains("Before the first game agon writes xyz"), "{said}");
    // Where agon knows the relative, it says which one before the first game.
    let program = home.path("counter.py");
    counter(&home, "two", "uci", &[]);
    home.logged(
        "one",
        &format!("command = [\"python3\", {program:?}]\nprotocol = \"uai\"\n"),
        &[("NAME", "uci")],
    );
    let why = home.refused(&format!("--game {} --startup 4", ataxx("")));
    assert!(why.contains("protocol = \"uci\""), "{why}");
}

#[test]
fn a_table_says_how_moves_are_told_and_what_an_answer_means() {
    let home = Scripted::new();
    let table = "[ugi]\nstart = \"fen none\"\nmove = \"seat 1 plays {move}!\"\nfirst = 2\n\
                 [ugi.answers]\nnothing = [\"0000\", \"(none)\"]\n";
    put_patient(&home, table);
    counter(&home, "one", "uci", &[]);
    counter(&home, "two", "uci", &[("SAYS", "(none)")]);
    let games = home.play("--game ./patient --games 2 --tc 60 --time two=tc=90 --concurrency 1");
    let plies = games[0]["record"]["plies"].as_array().unwrap();
    let texts: Vec<&str> = plies.iter().map(|ply| ply["text"].as_str().unwrap()).collect();
    assert_eq!(texts, ["m1", "nothing", "m2", "nothing", "m3", "nothing"]);
    let log = home.log("one");
    assert_eq!(log[4..6], ["position fen none", "go wtime 90000 btime 60000 winc 0 binc 0"], "{log:?}");
    // Only the moves of seat 1 are told in lines of this form. In the second game that is the other
    // engine.
    assert_eq!(log[6], "position fen none moves m1");
    assert!(log.contains(&"position fen none moves 0000".to_owned()), "{log:?}");
    home.verify();
}

#[test]
fn a_game_of_two_or_three_seats_is_played_with_two() {
    let home = Scripted::new();
    put_patient(&home, "seats = \"2-3\"\n[ugi]\nmove = \"seat 1 plays {move}!\"\n");
    for name in ["one", "two", "three"] {
        counter(&home, name, "uci", &[]);
    }
    let games = home.play("--game ./patient --games 2 --tc 60");
    assert!(games.iter().all(|game| ending(game).0 == "\"normal\""), "{games:?}");
    let output =
        home.agon(&["match", "one", "two", "three", "--game", "./patient", "--seats", "3", "--games", "3"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let why = String::from_utf8_lossy(&output.stderr);
    assert!(why.contains("speaks uci, which has two clocks, and not those of 3 seats"), "{why}");
    assert!(why.contains("give --seats 2"), "{why}");
}

#[test]
#[ignore = "slow"]
fn a_late_answer_is_no_answer_to_the_next_question() {
    let home = Scripted::new();
    put_patient(&home, "[ugi]\nmove = \"seat 1 plays {move}!\"\n");
    counter(&home, "one", "ugi", &[("SLOW", "2")]);
    counter(&home, "two", "ugi", &[]);
    let games = home.play("--game ./patient --games 2 --st 20 --time one=st=2 --concurrency 1");
    let plies = games[0]["record"]["plies"].as_array().unwrap();
    let texts: Vec<&str> = plies.iter().map(|ply| ply["text"].as_str().unwrap()).collect();
    // Its second question was not answered in time: m2 came later.
    assert_eq!(texts, ["m1", "m1", "m2", "m3", "m3"]);
    let log = home.log("one");
    let stop = log.iter().position(|line| line == "stop").unwrap();
    assert_eq!(log[stop + 1], "position startpos moves m1 pass", "{log:?}");
    home.verify();
}

#[test]
fn what_cannot_be_told_is_refused_before_the_first_game() {
    let home = Scripted::new();
    counter(&home, "one", "uci", &[]);
    counter(&home, "two", "uci", &[]);
    put_patient(&home, "");
    let why = home.refused("--game ./patient");
    assert!(why.contains("one speaks uci, and the game.toml of patient has no table [ugi]"), "{why}");
    for (table, words) in [
        ("seats = \"3-4\"\n[ugi]\n", "line 4: key ugi: UGI has two clocks"),
        ("[ugi]\nstart = \"\"\n", "line 3: key ugi.start: is not one line"),
        ("[ugi]\nmove = \"{move}\"\n", "key ugi.move: is no line with a word and one {move} behind it"),
        ("[ugi]\nmove = \"play\"\n", "write one like \"move {move}\""),
        ("[ugi]\nfirst = 3\n", "key ugi.first: is no seat of two; write 1 or 2"),
        ("[ugi]\nanswers = { pass = \"a b\" }\n", "key ugi.answers: \"pass\": \"a b\" is not one word"),
        ("[ugi]\nanswers = { pass = \"x\", stay = [\"X\"] }\n", "has two meanings"),
        ("[ugi]\nanswers = { pass = [] }\n", "\"pass\" has no word of engines"),
        ("[ugi]\nmoves = \"move {move}\"\n", "there is no key moves"),
    ] {
        put_patient(&home, table);
        let why = home.refused("--game ./patient");
        let (what, next) = words.split_once("; ").unwrap_or((words, ""));
        assert!(why.contains(what) && why.contains(next), "{table}: {why}");
    }
    put_patient(&home, "[ugi]\n");
    home.write("one", "command = [\"sh\"]\nprotocol = \"uci\"\n[ugi]\nmove = \"P@{cell}\"\n");
    let why = home.refused("--game ./patient");
    assert!(why.contains("only cells of mnk and connect4 have names, and not those of patient"), "{why}");
}
