//! Engines whose file names another protocol than they speak, across the families of protocols.

use std::fs;

use super::home::Home;
use crate::scripted::Scripted;
use crate::support::side_by_side;

/// A protocol, a script that speaks it, the variables of that, and a game.
type Speaker = (&'static str, &'static str, &'static [(&'static str, &'static str)], &'static str);

const SPEAKERS: [Speaker; 3] = [
    ("gomocup", "gomocup.py", &[], "mnk:15x15,5"),
    ("gtp", "gtp.py", &[], "mnk:3x3,3"),
    ("uci", "relative.py", &[("GAME", "mnk")], "mnk:3x3,3"),
];

/// A folder where `one` plays at random and `two` speaks what its file does not say.
fn home(written: &str, spoken: &str) -> (Scripted, &'static str) {
    let (_, script, variables, game) = SPEAKERS.into_iter().find(|speaker| speaker.0 == spoken).unwrap();
    let home = Scripted::new();
    home.mover("one");
    let log = home.path("two.log").display().to_string();
    let variables = [variables, &[("GOMOCUP_LOG", log.as_str())]].concat();
    let protocol = if written.is_empty() { String::new() } else { format!("protocol = \"{written}\"\n") };
    home.engine("two", script, &protocol, &variables);
    (home, game)
}

/// Takes the key `args` out of the file of `two`.
fn without_args(home: &Scripted) {
    let file = home.path("two").join("engine.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("args = []\n", "")).unwrap();
}

#[test]
#[ignore = "slow"]
fn an_engine_that_makes_no_move_is_known_by_another_greeting_after_its_first_game() {
    side_by_side(&SPEAKERS, |(spoken, ..)| {
        let (home, game) = home("", spoken);
        without_args(&home);
        let words =
            ["match", "one", "two", "--game", game, "--st", "1", "--games", "20", "--concurrency", "1"];
        let output = home.agon(&[&words[..], &["--out", "out", "--random-plies", "0"]].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{spoken}: {said}");
        let what = format!(
            "/two: the engine makes no move in the protocol lines, and answers the greeting of {spoken}\n"
        );
        let hint = format!("hint: write protocol = \"{spoken}\" into its engine.toml, or leave");
        assert!(said.contains(&what) && said.contains(&hint), "{spoken}: {said}");
        // What was played meanwhile is stored.
        let games = home.agon(&["verify", "out"]);
        let verified = String::from_utf8_lossy(&games.stdout).into_owned();
        assert!(games.status.success() && !verified.contains("20 games"), "{spoken}: {verified}");
    });
}

#[test]
#[ignore = "slow"]
fn an_engine_in_the_file_of_a_protocol_without_a_greeting_is_known_after_its_first_game() {
    let keys = "[console]\nanswer = 'I play (\\S+)'\nsay = \"{move}\"\nfirst = \"go\"\n";
    let cases = [("console", "uci", keys), ("console", "gtp", keys)];
    side_by_side(&cases, |&(written, spoken, keys)| {
        let (home, game) = home(written, spoken);
        let file = home.path("two").join("engine.toml");
        fs::write(&file, fs::read_to_string(&file).unwrap() + keys).unwrap();
        let words =
            ["match", "one", "two", "--game", game, "--st", "1", "--games", "20", "--concurrency", "1"];
        let output = home.agon(&[&words[..], &["--out", "out", "--random-plies", "0"]].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{written} {spoken}: {said}");
        let what = format!("in the protocol {written}, and answers the greeting of {spoken}\n");
        let hint = format!("hint: write protocol = \"{spoken}\"");
        assert!(said.contains(&what) && said.contains(&hint), "{written} {spoken}: {said}");
    });
}

#[test]
#[ignore = "slow"]
fn an_engine_in_a_file_of_another_family_is_known_before_the_first_game() {
    let cases = [("gtp", "gomocup"), ("ugi", "gomocup"), ("gtp", "uci"), ("uci", "gtp")];
    side_by_side(&cases, |&(written, spoken)| {
        let (home, game) = home(written, spoken);
        let output = home.agon(&["match", "one", "two", "--game", game, "--startup", "2", "--out", "out"]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{written} {spoken}: {said}");
        let what = format!(
            "/two: the engine does not answer the greeting of {written}, and answers that of {spoken}\n"
        );
        let hint =
            format!("hint: write protocol = \"{spoken}\" into its engine.toml, or leave this engine out\n");
        assert!(said.contains(&what) && said.contains(&hint), "{written} {spoken}: {said}");
        assert!(!home.path("out/agon.db").exists(), "no game was played");
    });
}

#[test]
#[ignore = "slow"]
fn check_names_the_protocol_that_an_engine_speaks() {
    side_by_side(&SPEAKERS, |(spoken, ..)| {
        let (home, game) = home("", spoken);
        let (well, said) = home.check("two", &format!("--game {game} --st 1 --moves 2"));
        let hint =
            format!("answers the greeting of {spoken}; write protocol = \"{spoken}\" into its engine.toml");
        assert!(!well && said.contains(&hint), "{spoken}: {said}");
        assert!(!said.contains("flush"), "what else may be wrong with silence is not said: {said}");
    });
}

#[test]
#[ignore = "slow"]
fn a_night_goes_on_without_an_engine_that_speaks_another_protocol() {
    let (home, game) = home("", "gomocup");
    for name in ["one", "two"] {
        fs::create_dir_all(home.path("engines")).unwrap();
        fs::rename(home.path(name), home.path("engines").join(name)).unwrap();
    }
    let folder = home.path("engines").join("three");
    fs::create_dir(&folder).unwrap();
    fs::copy(home.path("engines/one/engine.toml"), folder.join("engine.toml")).unwrap();
    let words = ["nightly", "engines", "--game", game, "--st", "1", "--games", "2", "--out", "out"];
    let output = home.agon(&[&words[..], &["--max-plies", "6"]].concat());
    let said =
        String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("left out engines/two") || said.contains("/two: it cannot play"), "{said}");
    assert!(said.contains("answers the greeting of gomocup; write protocol = \"gomocup\""), "{said}");
    assert!(fs::read_dir(home.path("out")).unwrap().count() > 1, "the others have played: {said}");
}

#[test]
fn a_slow_or_broken_engine_of_lines_is_not_taken_for_another() {
    let home = Scripted::new();
    home.mover("one");
    // It answers every greeting with itself, and then with the word of no other protocol.
    home.write(
        "two",
        "command = [\"sh\", \"-c\", \"while read -r line; do echo \\\"$line\\\"; echo no; done\"]\n",
    );
    let words = ["match", "one", "two", "--game", "mnk:3x3,3", "--st", "1", "--games", "2", "--out", "out"];
    let output = home.agon(&words);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 4)), "{said}");
    assert!(!said.contains("greeting"), "{said}");
}

#[test]
fn an_engine_that_says_nothing_is_greeted_once() {
    let home = Home::new();
    let starts = home.path("starts");
    home.put_program("mute", format!("#!/bin/sh\necho $# >> {}\nexec sleep 60\n", starts.display()));
    let said = home.agon("check ./mute --game mnk:3x3,3 --st 0.2".split(' '));
    assert_eq!(said.code, Some(1), "{}", said.all());
    // It has the usual arguments in its games, and none when it is greeted.
    let starts = home.read("starts");
    assert_eq!(starts.lines().filter(|arguments| *arguments == "0").count(), 1, "{starts}");
}

/// The `engine.toml` of a program that takes an argument for a command, and ends.
fn takes_no_argument(protocol: &str, script: &str, variables: &[(&str, &str)]) -> String {
    let script = format!("{}/tests/scripted/{script}", env!("CARGO_MANIFEST_DIR"));
    let env: String = variables.iter().map(|(name, value)| format!("{name} = {value:?}\n")).collect();
    format!(
        "command = [\"sh\", \"-c\", '[ $# = 1 ] || exit 0; exec python3 \"$1\"', \"sh\", {script:?}]\n\
         protocol = \"{protocol}\"\n[env]\nGOMOCUP_LOG = \"/dev/null\"\nGTP_LOG = \"/dev/null\"\n\
         LOG = \"/dev/null\"\n{env}"
    )
}

#[test]
fn only_an_engine_of_lines_gets_arguments_that_nobody_wrote() {
    side_by_side(&SPEAKERS, |&(spoken, script, variables, game)| {
        let home = Scripted::new();
        home.mover("one");
        home.write("two", &takes_no_argument(spoken, script, variables));
        let words = ["match", "one", "two", "--game", game, "--games", "2", "--random-plies", "0"];
        let output = home.agon(&[&words[..], &["--st", "5", "--max-plies", "6", "--out", "out"]].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{spoken}: {said}");
        let played = home.agon(&["games", "out"]);
        let games = String::from_utf8_lossy(&played.stdout).into_owned();
        assert!(games.contains("mnk") || !games.contains("crash"), "{spoken}: {games}");
        assert!(!games.contains("crash") && !games.contains("forfeit"), "{spoken}: {games}");
    });
}

#[test]
fn an_engine_that_ends_in_its_greeting_or_says_nothing_is_refused_before_the_first_game() {
    let silent = ["exit 0", "exit 3", "exec sleep 100", "while read line; do :; done"];
    let cases: Vec<(&str, &str)> = ["ugi", "uci", "tei", "uai", "gtp", "gomocup"]
        .iter()
        .flat_map(|protocol| silent.iter().map(move |script| (*protocol, *script)))
        .collect();
    side_by_side(&cases, |&(protocol, script)| {
        let game = if protocol == "gomocup" { "mnk:15x15,5" } else { "mnk:3x3,3" };
        let home = Scripted::new();
        home.mover("one");
        home.write("two", &format!("command = [\"sh\", \"-c\", {script:?}]\nprotocol = \"{protocol}\"\n"));
        let words = ["match", "one", "two", "--game", game, "--games", "2", "--startup", "1", "--out", "out"];
        let output = home.agon(&words);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{protocol} {script}: {said}");
        assert!(said.contains("/two: ") && said.contains("hint: "), "{protocol} {script}: {said}");
        assert!(!home.path("out/agon.db").exists(), "{protocol} {script}: no game was played");
    });
}
