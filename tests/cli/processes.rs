//! How long a process of an engine lives: `process` in `engine.toml`, in every protocol.

use serde_json::Value;

use crate::scripted::Scripted;
use crate::support::MOVER;

/// A match of an engine with these lines and the usual mover: the games, and how often the engine
/// was started in them.
fn played(lines: &str, game: &str) -> (Vec<Value>, usize) {
    let home = Scripted::new();
    let start = "command = [\"sh\", \"-c\", \"echo STARTED >>$LOG; exec \\\"$@\\\"\", \"sh\"]\n";
    let words = |words: &str| format!("{MOVER:?}, \"{{game}}\", {words}");
    let args = match lines.contains("ugi") {
        true => words("\"ugi\""),
        false => words("\"{side}\", \"{control}\", \"{position}\""),
    };
    home.logged("one", &format!("{start}args = [{args}]\n{lines}"), &[]);
    home.mover("two");
    let games =
        home.play(&format!("--game {game} --games 4 --st 5 --concurrency 1 --random-plies 2 --seed 4"));
    for game in &games {
        assert_eq!(game["record"]["verdict"]["decided"]["termination"], "normal", "{lines}: {game}");
    }
    (games, home.log("one").iter().filter(|line| *line == "STARTED").count())
}

/// How many plies of these games `one` has made.
fn turns(games: &[Value]) -> usize {
    let own = |game: &Value| {
        let seats = game["record"]["seats"].as_array().unwrap();
        let seat = seats.iter().position(|seat| seat["entrant"] == "one").unwrap();
        let plies = game["record"]["plies"].as_array().unwrap();
        plies.iter().filter(|ply| ply["seat"].as_u64() == Some(seat as u64)).count()
    };
    games.iter().map(own).sum()
}

#[test]
fn an_engine_is_started_once_a_turn_a_game_or_a_pairing_in_lines_and_ugi() {
    let (games, starts) = played("process = \"turn\"\n", "connect4");
    assert_eq!(starts, turns(&games));
    let (games, starts) = played("", "connect4");
    assert_eq!(starts, games.len());
    // Each of them is started once before the games, for its handshake.
    for (lines, wanted) in [("process = \"game\"\n", 4), ("", 1)] {
        let (_, starts) = played(&format!("protocol = \"ugi\"\n{lines}"), "connect4");
        assert_eq!(starts, 1 + wanted, "{lines}");
    }
    let (games, starts) = played("protocol = \"ugi\"\nprocess = \"turn\"\n", "connect4");
    assert_eq!(starts, 1 + turns(&games));
}

#[test]
#[ignore = "slow"]
fn what_several_processes_of_a_game_used_and_said_counts_together() {
    let (games, _) = played("process = \"turn\"\n", "morris");
    let alone = played("process = \"game\"\n", "morris").0;
    assert_eq!(
        games.iter().map(|game| game["record"]["plies"].to_string().len() > 2).collect::<Vec<_>>(),
        vec![true; 4]
    );
    let seat = |game: &Value| {
        let seats = game["record"]["seats"].as_array().unwrap().clone();
        seats.into_iter().find(|seat| seat["entrant"] == "one").unwrap()
    };
    for (game, once) in games.iter().zip(&alone) {
        // Every line that it said was read.
        assert_eq!(seat(game)["traffic"]["said"], seat(once)["traffic"]["said"], "{game}");
        assert_eq!(game["record"]["last"], once["record"]["last"], "the same moves");
    }
}

#[test]
#[ignore = "slow"]
fn each_turn_of_gtp_and_gomocup_can_have_a_process_of_its_own() {
    let home = Scripted::new();
    home.engine("one", "gtp.py", "protocol = \"gtp\"\nprocess = \"turn\"\n", &[("GTP_MODE", "plain")]);
    home.mover("two");
    let games = home.play("--game mnk:7x7,7 --games 2 --st 5 --max-plies 10 --concurrency 1");
    assert_eq!(home.log("one").iter().filter(|line| *line == "STARTED").count(), turns(&games));

    let pair = crate::gomocup::Pair::with("", "process = \"turn\"\n");
    crate::gomocup::assert_well(&pair.play("--st 2"));
    let log = pair.log();
    // Six plies in each of two games; one more process is for the handshake.
    let count = |word: &str| log.iter().filter(|line| *line == word).count();
    assert_eq!((count("STARTED"), count("BOARD")), (7, 4), "{log:?}");
}

#[test]
fn a_process_for_each_turn_that_does_not_play_is_named_with_its_turn() {
    let home = Scripted::new();
    // It makes the first move that it can, and is lost when it is told a board with stones.
    let script = "read -r sizes; read -r row; case $row in *X*) exit 3;; esac; echo X,a3";
    home.write("one", &format!("command = [\"sh\", \"-c\", {script:?}]\nprocess = \"turn\"\n"));
    home.mover("two");
    let games = home.play("--game mnk:3x3,3 --games 2 --st 5 --concurrency 1");
    let reason = games[0]["record"]["verdict"]["decided"]["reason"].as_str().unwrap();
    let termination = games[0]["record"]["verdict"]["decided"]["termination"].to_string();
    assert!(termination.contains("crash"), "{reason}");
    assert!(reason.contains("exit status 3"), "{reason}");
}

#[test]
fn the_old_spelling_of_gomocup_works_with_a_warning() {
    let pair = crate::gomocup::Pair::with("", "[gomocup]\nrestart = true\n");
    let said = pair.run(&format!("{} --st 2", crate::gomocup::SHORT));
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let words =
        "engine.toml: restart = true of [gomocup] is now process = \"pairing\"; the old spelling works";
    assert!(said.stderr.contains(words), "{}", said.stderr);
    assert_eq!(pair.log().iter().filter(|line| *line == "RESTART").count(), 1, "{:?}", pair.log());
}
