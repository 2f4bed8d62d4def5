//! Matches of scripted engines that speak other protocols and write down what they read.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use crate::support::MOVER;
use serde_json::Value;
use tempfile::TempDir;

/// A folder with engines and their logs.
pub(crate) struct Scripted {
    home: TempDir,
}

impl Scripted {
    pub(crate) fn new() -> Self {
        Scripted { home: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// An engine of a script in `tests/scripted`, with these lines for its `engine.toml` and these
    /// variables. The variable LOG, with the prefix of the script if it has one, names its log.
    pub(crate) fn engine(&self, name: &str, script: &str, toml: &str, variables: &[(&str, &str)]) {
        let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/scripted").join(script);
        // In another protocol it gets none by itself.
        let args = if toml.contains("protocol") { "" } else { "args = []\n" };
        let command = format!("command = [\"python3\", {:?}]\n{args}", script.display().to_string());
        self.logged(name, &format!("{command}{toml}\n"), variables);
    }

    /// An engine with these lines of an `engine.toml` and these variables, and LOG.
    pub(crate) fn logged(&self, name: &str, toml: &str, variables: &[(&str, &str)]) {
        let log = self.path(&format!("{name}.log")).display().to_string();
        let mut env = format!("[env]\nLOG = {log:?}\nGTP_LOG = {log:?}\n");
        for (variable, value) in variables {
            env.push_str(&format!("{variable} = {value:?}\n"));
        }
        self.write(name, &format!("{toml}{env}"));
    }

    /// An engine with this `engine.toml`.
    pub(crate) fn write(&self, name: &str, toml: &str) {
        fs::create_dir_all(self.path(name)).unwrap();
        fs::write(self.path(name).join("engine.toml"), toml).unwrap();
    }

    /// `agon-mover`, which plays random legal moves.
    pub(crate) fn mover(&self, name: &str) {
        let mover = MOVER;
        self.write(
            name,
            &format!("command = [{mover:?}]\nargs = [\"{{game}}\", \"{{side}}\", \"{{seconds}}\", \"{{position}}\"]\n"),
        );
    }

    pub(crate) fn agon(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_agon"))
            .args(arguments)
            .current_dir(self.home.path())
            .output()
            .unwrap()
    }

    /// Plays `one` against `two`, with the options separated by blanks, and returns the records.
    pub(crate) fn play(&self, options: &str) -> Vec<Value> {
        let mut arguments = vec!["match", "one", "two", "--events", "events.json", "--out", "agon-run"];
        if !options.contains("--random-plies") && !options.contains("--openings") {
            arguments.extend(["--random-plies", "0"]);
        }
        arguments.extend(options.split_whitespace());
        let output = self.unspoilt(&arguments, &[0]);
        assert!(output.status.success(), "{}: {output:?}", output.status);
        let events = fs::read_to_string(self.path("events.json")).unwrap();
        let all = events.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        all.filter(|event| event["event"] == "game_over").collect()
    }

    /// Runs agon until it ends with one of these codes, at most three times. On a busy machine
    /// games are void, and engines cannot be tried.
    fn unspoilt(&self, arguments: &[&str], codes: &[i32]) -> Output {
        let mut output = self.agon(arguments);
        for _ in 0..2 {
            if output.status.code().is_some_and(|code| codes.contains(&code)) {
                break;
            }
            let _ = fs::remove_dir_all(self.path("agon-run")); // a check makes none
            for log in ["one.log", "two.log"] {
                let _ = fs::remove_file(self.path(log)); // not every engine has one
            }
            output = self.agon(arguments);
        }
        output
    }

    /// What `agon check` says, and whether all is well.
    pub(crate) fn check(&self, engine: &str, options: &str) -> (bool, String) {
        let arguments: Vec<&str> = ["check", engine].into_iter().chain(options.split_whitespace()).collect();
        let output = self.unspoilt(&arguments, &[0, 1]);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
        (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// The error of a match that does not begin.
    pub(crate) fn refused(&self, options: &str) -> String {
        let mut arguments = vec!["match", "one", "two", "--games", "2"];
        arguments.extend(options.split_whitespace());
        let output = self.agon(&arguments);
        assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stdout));
        String::from_utf8_lossy(&output.stderr).into_owned()
    }

    /// All stored games hold what the rules and the records say.
    pub(crate) fn verify(&self) -> String {
        let output = self.agon(&["verify", "agon-run"]);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
        said
    }

    /// The lines that an engine has read in its games.
    pub(crate) fn log(&self, name: &str) -> Vec<String> {
        let log = fs::read_to_string(self.path(&format!("{name}.log"))).unwrap();
        let lines: Vec<String> = log.lines().map(str::to_owned).collect();
        // An engine of GTP, or of a relative of UGI, goes through its handshake once before the
        // first game.
        let greetings = ["ugi", "uci", "tei", "uai"];
        let is_tried =
            lines.get(1).is_some_and(|line| line.ends_with("name") || greetings.contains(&line.as_str()));
        let games = lines.iter().skip(1).position(|line| line == "STARTED").filter(|_| is_tried);
        lines[games.map_or(0, |at| at + 1)..].to_vec()
    }
}

/// How a game ended, and why.
pub(crate) fn ending(game: &Value) -> (String, String) {
    let decided = &game["record"]["verdict"]["decided"];
    (decided["termination"].to_string(), decided["reason"].as_str().unwrap().to_owned())
}

/// The moves of a game, joined.
pub(crate) fn moves(game: &Value) -> String {
    let plies = game["record"]["plies"].as_array().unwrap();
    plies.iter().map(|ply| ply["text"].as_str().unwrap()).collect::<Vec<_>>().join(" ")
}

#[test]
fn what_an_engine_of_a_stored_game_was_told_is_printed_to_the_byte() {
    let home = Scripted::new();
    home.engine(
        "one",
        "ugi.py",
        "protocol = \"ugi\"\n",
        &[("UGI_LOG", &home.path("one.log").display().to_string())],
    );
    let mover = format!("tee -a {} | {} \"$@\"", home.path("two.log").display(), MOVER);
    home.write(
        "two",
        &format!("command = [\"sh\", \"-c\", {mover:?}, \"two\"]\nargs = [\"{{game}}\", \"{{side}}\", \"{{seconds}}\"]\n"),
    );
    home.play("--game mnk:3x3,3 --games 2 --tc 60+2 --time two=st=9 --concurrency 1");
    let told = |game: &str, more: &str| {
        let words = format!("replay agon-run r01-p0001-{game} {more} --input");
        let output = home.agon(&words.split(' ').collect::<Vec<_>>());
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    // Its two games, one after the other.
    let both = told("g01", "--as-engine two --side O") + &told("g02", "--as-engine two --side X");
    assert_eq!(both, fs::read_to_string(home.path("two.log")).unwrap());
    // One process plays both, and some time is gone when it moves again.
    let input = told("g01", "--ply 1 --as-engine one --side X");
    let log = home.log("one").join("\n");
    assert!(log.strip_prefix("STARTED\n").unwrap().starts_with(input.trim_end()), "{input} {log}");
    assert!(input.ends_with("position startpos\ngo p1time 60000 p1inc 2000\n"), "{input}");
    // Up to a ply, and for a position that nobody has stored.
    let early = told("g01", "--ply 2 --as-engine two --side O");
    assert!(both.starts_with(&early) && early.len() < both.len() / 2, "{early}");
    let shown = home.agon(&[
        "position",
        "show",
        "mnk:3x3,3",
        "--as-engine",
        "two",
        "--side",
        "O",
        "--moves",
        "b2",
        "--input",
    ]);
    assert_eq!(String::from_utf8_lossy(&shown.stdout), "3 3 3\n...\n...\n...\nX,b2\n");
}

#[test]
fn every_protocol_is_played_and_verified_by_the_script_that_ships() {
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("scripts/real-engines");
    let output =
        Command::new(script).args([env!("CARGO_BIN_EXE_agon"), "--protocols", "2"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    for protocol in
        ["lines", "ugi", "uci", "tei", "uai", "gtp", "riddles", "theaigames", "gomocup", "console"]
    {
        let is_proved = text.lines().any(|line| {
            let mut words = line.split_whitespace().skip_while(|word| *word != protocol).skip(2);
            let (games, forfeits) = (words.next(), words.nth(1));
            (games, forfeits) == (Some("2"), Some("0"))
                && line.contains("2 games checked, 0 with differences")
        });
        assert!(is_proved, "{protocol}: {text}");
    }
}
