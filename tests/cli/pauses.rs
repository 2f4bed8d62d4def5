//! Games that the organiser pauses while they wait for an engine.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::side_by_side;

const AGON: &str = env!("CARGO_BIN_EXE_agon");

/// Plays its row from left to right. Before its second move it makes a file if it can, and thinks
/// for `THINK` seconds, in which it runs.
const ENGINE: &str = r#"
import os, sys, time
side, think = sys.argv[1], float(os.environ.get("THINK", "0"))
row = "1" if side == "X" else "3"
for _ in range(4):
    sys.stdin.readline()
for turn, column in enumerate("abc"):
    if side == "O" or turn > 0:
        sys.stdin.readline()
    if turn == 1:
        try:
            if think: open(os.environ["MARK"], "w").close()
        except OSError: pass
        begun = 0.0
        while begun < think:
            time.sleep(0.05)
            begun += 0.05
    print(f"{side},{column}{row}", flush=True)
sys.stdin.read()
"#;

struct Arena {
    home: TempDir,
}

impl Arena {
    /// An engine that thinks for so long, and one that does not.
    fn new(think: &str) -> Self {
        let arena = Arena { home: tempfile::tempdir().unwrap() };
        for (name, think) in [("slow", think), ("quick", "0")] {
            let folder = arena.path("engines").join(name);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("engine.py"), ENGINE).unwrap();
            let toml = format!(
                "command = [\"python3\", \"{{folder}}/engine.py\"]\nargs = [\"{{side}}\"]\n[env]\nTHINK = {think:?}\nMARK = {:?}\n",
                arena.path("thinks")
            );
            fs::write(folder.join("engine.toml"), toml).unwrap();
        }
        arena
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn agon(&self, arguments: &[&str]) -> Output {
        Command::new(AGON).args(arguments).current_dir(self.home.path()).output().unwrap()
    }

    /// A match of the slow engine against the quick one, which goes on.
    fn plays(&self, options: &[&str]) -> Child {
        self.plays_game("mnk:3x3,3", &[&["--random-plies", "0"], options].concat())
    }

    /// The same in this game.
    fn plays_game(&self, game: &str, options: &[&str]) -> Child {
        let fixed = ["match", "engines/slow", "engines/quick", "--game", game, "--games", "2"];
        let child = Command::new(AGON)
            .args(fixed)
            .args(["--seed", "1", "--out", "out", "--concurrency", "1"])
            .args(options)
            .current_dir(self.home.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Until its directory is held and its first game is played.
        self.until("the first game", || {
            let listed = self.agon(&["pause", "out"]);
            // For a moment the directory is held, and pauses are not allowed yet.
            let is_refused = text(&listed.stderr).contains("cannot be paused");
            is_refused && !options.contains(&"--grace-events")
                || text(&listed.stdout).contains("r01-p0001-g01")
        });
        match options.contains(&"--isolation") {
            // Its file is not seen from a box. Most of the time it has started by then, and thinks.
            true => sleep(Duration::from_secs(1)),
            false => self.until("the thinking engine", || self.path("thinks").exists()),
        }
        child
    }

    /// Waits until something is so.
    fn until(&self, what: &str, is_so: impl Fn() -> bool) {
        let patience = Instant::now();
        while !is_so() {
            assert!(patience.elapsed() < Duration::from_secs(300), "{what}");
            sleep(Duration::from_millis(20));
        }
    }

    /// The games of the run.
    fn games(&self) -> Vec<Value> {
        let out = self.agon(&["export", "json", "out"]);
        text(&out.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
#[ignore = "slow"]
fn a_pause_costs_no_time_of_the_clock_and_is_in_the_record() {
    let arena = Arena::new("4");
    let mut run = arena.plays(&["--st", "7", "--grace-events", "60"]);
    let paused = arena.agon(&["pause", "out", "r01-p0001-g01", "--why", "no\x07 network"]);
    assert_eq!(text(&paused.stdout), "r01-p0001-g01 is paused\n", "{}", text(&paused.stderr));
    assert_eq!(text(&arena.agon(&["pause", "out"]).stdout), "r01-p0001-g01  paused\n");
    // Longer than the engine has for its move.
    sleep(Duration::from_secs(8));
    let resumed = arena.agon(&["resume", "out", "all"]);
    assert_eq!(text(&resumed.stdout), "r01-p0001-g01 goes on\n", "{}", text(&resumed.stderr));
    assert!(run.wait().unwrap().success());
    let games = arena.games();
    for game in &games {
        assert_eq!(game["verdict"]["decided"]["termination"], "normal", "{game}");
    }
    let pauses = |game: &Value| -> Vec<Value> {
        let seats = game["seats"].as_array().unwrap();
        seats.iter().flat_map(|seat| seat["pauses"].as_array().cloned().unwrap_or_default()).collect()
    };
    let [pause] = &pauses(&games[0])[..] else { panic!("{}", games[0]) };
    assert!(pause["micros"].as_u64().unwrap() >= 8_000_000, "{pause}");
    assert_eq!(pause["why"], "no\\x07 network");
    assert!(pauses(&games[1]).is_empty(), "{}", games[1]);
    for ply in games[0]["plies"].as_array().unwrap() {
        assert!(ply["micros"].as_u64().unwrap() <= 7_000_000, "{ply}");
    }
    assert!(arena.agon(&["export", "notation", "out", "notes"]).status.success());
    let notes =
        fs::read_dir(arena.path("notes")).unwrap().map(|file| fs::read_to_string(file.unwrap().path()));
    let notes: String = notes.map(Result::unwrap).collect();
    let seconds = notes.split_once("[Paused \"").and_then(|(_, rest)| rest.split(['.', ' ', '"']).next());
    assert!(seconds.is_some_and(|seconds| seconds.parse::<u32>().unwrap() >= 8), "{notes}");
    let verified = arena.agon(&["verify", "out"]);
    assert!(verified.status.success(), "{}", text(&verified.stdout));
    // Nothing is left of the files for pauses.
    assert!(!arena.path("out/agon.pauses").exists());
}

/// A referee that asks seat after seat, three times.
const REFEREE: &str = r#"
import sys
def say(*words):
    print(*words, flush=True)
for line in sys.stdin:
    if line.startswith("clock"):
        say("referee 1 turns 1\nready")
    elif line.startswith("start"):
        for turn in range(6):
            seat = turn % 2 + 1
            say("ask", seat, "\nwait")
            say("move", seat, sys.stdin.readline().split()[2])
        say("end 1 1 : six turns")
"#;

#[test]
#[ignore = "slow"]
fn a_game_of_a_referee_program_can_be_paused_too() {
    let arena = Arena::new("4");
    let program = "import os, sys, time\nthink = float(os.environ['THINK'])\nfor turn, line in enumerate(sys.stdin):\n    \
                   if turn == 1 and think:\n        \
                   open(os.environ['MARK'], 'w').close()\n        time.sleep(think)\n    print('on', flush=True)\n";
    for name in ["slow", "quick"] {
        fs::write(arena.path("engines").join(name).join("engine.py"), program).unwrap();
    }
    fs::create_dir(arena.path("turns")).unwrap();
    fs::write(arena.path("turns/referee.py"), REFEREE).unwrap();
    let game = "name = \"turns\"\ncommand = [\"python3\", \"referee.py\"]\ntime = \"st=7\"\n";
    fs::write(arena.path("turns/game.toml"), game).unwrap();
    let mut run = arena.plays_game("./turns", &["--st", "7", "--grace-events", "60"]);
    let paused = arena.agon(&["pause", "out", "all", "--why", "no network"]);
    let said = text(&paused.stdout);
    assert_eq!(said, "no new game begins\nr01-p0001-g01 is paused\n", "{}", text(&paused.stderr));
    // Longer than the engine has for its answer.
    sleep(Duration::from_millis(7500));
    assert!(arena.agon(&["resume", "out", "all"]).status.success());
    assert!(run.wait().unwrap().success());
    let games = arena.games();
    let pause = &games[0]["seats"][0]["pauses"][0];
    assert!(pause["micros"].as_u64().unwrap() >= 7_500_000, "{}", games[0]);
    assert!(pause["waited_for"].as_str().unwrap().starts_with("slow (seat 1) at question "), "{pause}");
    for game in &games {
        assert_eq!(game["verdict"]["decided"]["termination"], "normal", "{game}");
    }
    let verified = arena.agon(&["verify", "out"]);
    assert!(verified.status.success(), "{}", text(&verified.stdout));
}

#[test]
#[ignore = "slow"]
fn engines_are_stopped_while_their_game_is_paused() {
    let cases = ["limits", "sandbox"];
    side_by_side(&cases, |&level| {
        let arena = Arena::new("3");
        let mut run = arena.plays(&["--st", "9", "--grace-events", "60", "--isolation", level]);
        let paused = arena.agon(&["pause", "out", "all"]);
        assert!(
            text(&paused.stdout).ends_with("r01-p0001-g01 is paused\n"),
            "{level}: {}",
            text(&paused.stderr)
        );
        sleep(Duration::from_secs(3));
        assert!(arena.agon(&["resume", "out", "all"]).status.success());
        assert!(run.wait().unwrap().success());
        let game = &arena.games()[0];
        // It thinks for three seconds of its own, and not in the three of the pause.
        let span = game["finished"].as_str().unwrap().parse::<chrono::DateTime<chrono::Utc>>().unwrap()
            - game["started"].as_str().unwrap().parse::<chrono::DateTime<chrono::Utc>>().unwrap();
        assert!(span.num_milliseconds() >= 5800, "{level}: {span}");
    });
}

#[test]
fn a_pause_of_all_begins_no_new_game_and_ends_by_itself() {
    // It thinks long enough that a busy machine pauses before the first game is over.
    let arena = Arena::new("6");
    let mut run = arena.plays(&["--st", "20", "--grace-events", "60"]);
    let paused = arena.agon(&["pause", "out", "all"]);
    assert!(text(&paused.stdout).starts_with("no new game begins\n"), "{}", text(&paused.stderr));
    assert!(text(&arena.agon(&["pause", "out"]).stdout).contains("no new game begins, until"));
    // The game that is played goes on, and the next one waits.
    assert!(arena.agon(&["resume", "out", "r01-p0001-g01"]).status.success());
    arena.until("the end of the first game", || arena.games().len() == 1);
    sleep(Duration::from_secs(1));
    assert!(text(&arena.agon(&["pause", "out"]).stdout).contains("no game is played now"));
    assert_eq!(arena.games().len(), 1);
    let resumed = arena.agon(&["resume", "out", "all"]);
    assert!(text(&resumed.stdout).contains("new games begin again\n"), "{}", text(&resumed.stderr));
    assert!(run.wait().unwrap().success());
    assert_eq!(arena.games().len(), 2);

    // Nobody resumes: the time that each pause may take ends it. A request to stop is heeded too.
    let short = Arena::new("2");
    let mut run = short.plays(&["--st", "20", "--grace-events", "1"]);
    assert!(short.agon(&["pause", "out", "all"]).status.success());
    assert!(run.wait().unwrap().success());
    assert_eq!(short.games().len(), 2);
    let stopped = Arena::new("6");
    let mut run = stopped.plays(&["--st", "20", "--grace-events", "600"]);
    assert!(stopped.agon(&["pause", "out", "all"]).status.success());
    assert!(stopped.agon(&["resume", "out", "r01-p0001-g01"]).status.success() || stopped.games().len() == 1);
    stopped.until("the end of the first game", || stopped.games().len() == 1);
    assert!(stopped.agon(&["stop", "out", "--wait"]).status.success());
    let _ = run.wait().unwrap();
    assert_eq!(stopped.games().len(), 1);
}

#[test]
fn a_pause_ends_by_itself_and_the_clock_goes_on() {
    let arena = Arena::new("30");
    let begun = Instant::now();
    let mut run = arena.plays(&["--st", "2", "--grace-events", "1.5"]);
    let paused = arena.agon(&["pause", "out", "r01-p0001-g01"]);
    assert_eq!(text(&paused.stdout), "r01-p0001-g01 is paused\n", "{}", text(&paused.stderr));
    assert!(run.wait().unwrap().success());
    assert!(begun.elapsed() >= Duration::from_millis(1500 + 2 * 2000));
    let games = arena.games();
    for game in &games {
        let ended = &game["verdict"]["decided"]["termination"];
        assert!(ended.to_string().contains("time"), "{game}");
    }
    let slow = |game: &Value| {
        game["seats"].as_array().unwrap().iter().find(|seat| seat["entrant"] == "slow").unwrap().clone()
    };
    let pause = &slow(&games[0])["pauses"][0];
    assert!((1_500_000..4_000_000).contains(&pause["micros"].as_u64().unwrap()), "{pause}");
    let waited = slow(&games[0])["unanswered"]["micros"].as_u64().unwrap();
    assert!((2_000_000..3_400_000).contains(&waited), "without the pause: {waited}");
    assert!(pause["waited_for"].as_str().unwrap().starts_with("slow (X) at ply "), "{pause}");
}

#[test]
#[ignore = "slow"]
fn what_goes_wrong_with_a_pause_is_told_in_words() {
    let arena = Arena::new("3");
    let told = |arguments: &[&str]| {
        let out = arena.agon(arguments);
        (out.status.code(), text(&out.stderr))
    };
    let (code, why) = told(&["pause", "nowhere", "all"]);
    assert!(code == Some(2) && why.contains("there is no run in it"), "{why}");
    let mut run = arena.plays(&["--st", "9"]);
    let (code, why) = told(&["pause", "out", "all"]);
    assert!(code == Some(2) && why.contains("--grace-events SECONDS"), "{why}");
    assert!(run.wait().unwrap().success());
    let (code, why) = told(&["pause", "out", "all"]);
    assert!(code == Some(1) && why.contains("no process plays this run now"), "{why}");
    fs::remove_dir_all(arena.path("out")).unwrap();
    let mut run = arena.plays(&["--st", "9", "--grace-events", "5"]);
    let (code, why) = told(&["pause", "out", "r01-p0009-g01"]);
    assert!(code == Some(2) && why.contains("is not played now"), "{why}");
    assert!(why.contains("give one of r01-p0001-g0") && why.contains(", or all"), "{why}");
    let (code, why) = told(&["resume", "out", "r01-p0001-g01"]);
    assert!(code == Some(1) && why.contains("r01-p0001-g01 is not paused"), "{why}");
    let (code, why) = told(&["pause", "out", "first"]);
    assert!(code == Some(2) && why.contains("first"), "{why}");
    assert!(run.wait().unwrap().success());
}
