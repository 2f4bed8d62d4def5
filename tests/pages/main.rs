//! The pages of `agon report` in a real browser: this target plays the runs and writes their
//! reports, and `tests/browser/look.js` looks at them.

#![allow(clippy::unwrap_used)] // helpers of tests may panic

mod class;
#[allow(dead_code)] // the tests of the command line use all of it
#[path = "../cli/home.rs"]
mod home;
mod sites;
#[path = "../support/mod.rs"]
mod support;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use wait_timeout::ChildExt;

use home::{Home, root, scripted_uci};
use support::not_tried;

/// Longer than a busy machine needs for all pages.
const PATIENCE: Duration = Duration::from_secs(1800);

/// What is missing for a browser, if anything is.
fn missing() -> Option<&'static str> {
    let is_there = |program: &str| {
        let mut asked = Command::new(program);
        asked.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        asked.status().is_ok_and(|status| status.success())
    };
    if !is_there("chromium") {
        return Some("there is no chromium");
    }
    if !is_there("node") {
        return Some("there is no node");
    }
    let modules = root().join("tests/browser/node_modules");
    if !modules.join("playwright-core").exists() || !modules.join("axe-core").exists() {
        return Some("tests/browser has no node_modules");
    }
    None
}

/// Where the pictures of the boards and the reports stay after the test.
fn kept() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages")
}

/// Whether there is a browser; says it if there is none.
fn has_browser() -> bool {
    let Some(why) = missing() else { return true };
    not_tried!(
        "the pages in a browser, because {why}; install with: \
         apt-get install chromium nodejs npm && npm ci --ignore-scripts --prefix tests/browser"
    );
    false
}

/// A process that ends with the test.
struct EndsWithTest(Child);

impl Drop for EndsWithTest {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a server in the folder of the test. Returns it with its address.
fn served(home: &Home, words: &[&str]) -> (EndsWithTest, String) {
    let mut served = EndsWithTest(
        Command::new(env!("CARGO_BIN_EXE_agon"))
            .args(words)
            .args(["--listen", "127.0.0.1:0"])
            .current_dir(home.path(""))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap(),
    );
    let mut line = String::new();
    BufReader::new(served.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    (served, line.trim().to_owned())
}

/// Runs a script in the browser, whose output is that of the test, and returns whether it
/// succeeded.
fn succeeds(mut script: Command) -> bool {
    let mut looking = script.stdin(Stdio::null()).spawn().unwrap();
    let status = looking.wait_timeout(PATIENCE).unwrap();
    if status.is_none() {
        let _ = looking.kill(); // the test fails below
        let _ = looking.wait();
    }
    status.is_some_and(|status| status.success())
}

#[test]
fn pages_of_a_server_show_what_is_new() {
    if !has_browser() {
        return;
    }
    let home = Home::with_two();
    let agon = env!("CARGO_BIN_EXE_agon");
    let words = |games: &str| {
        let at = |name: &str| home.path(name).display().to_string();
        let words =
            ["match", &at("engines/greedy"), &at("engines/random"), "--out", &at("run"), "--games", games]
                .map(str::to_owned);
        let more = "--game letters:3x3x1 --st 5 --seed 7 --quiet".split(' ').map(str::to_owned);
        words.into_iter().chain(more).collect::<Vec<_>>()
    };
    let said = home.agon(words("2"));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let (_served, address) = served(&home, &["serve", "run"]);
    let mut script = Command::new("node");
    script.arg(root().join("tests/browser/live.js")).arg(address).arg(agon).args(words("GAMES"));
    assert!(succeeds(script), "its output stands above");
}

#[test]
fn a_replay_is_shown_in_a_frame_of_an_allowed_page_and_nothing_else_is() {
    if !has_browser() {
        return;
    }
    let home = Home::with_two();
    let words = "match engines/greedy engines/random --game letters:3x3x1 --games 2 --st 5 --seed 7 --out run --quiet";
    let said = home.agon(words.split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let (_served, address) = served(&home, &["serve", "run", "--embed", "http://localhost:*"]);
    let mut script = Command::new("node");
    script.arg(root().join("tests/browser/embed.js")).arg(address).arg("r01-p0001-g01");
    assert!(succeeds(script), "its output stands above");
}

#[test]
#[ignore = "slow"]
fn games_in_play_are_seen_to_end_and_a_projector_turns_the_pages() {
    if !has_browser() {
        return;
    }
    let home = Home::new();
    let args = "args = [\"{game}\", \"{side}\", \"{control}\", \"{position}\"]\n";
    let program = home::programs().join("agon-alphabeta");
    for name in ["anna", "bert", "cleo"] {
        home.put(format!("club/{name}/engine.toml"), format!("command = [{program:?}]\n{args}"));
    }
    let words = |games: &str| {
        let at = |name: &str| home.path(name).display().to_string();
        let words = ["tournament", &at("club"), "--out", &at("run"), "--games", games].map(str::to_owned);
        let more = "--game mnk:4x4,4 --st 0.25 --seed 7 --concurrency 2 --no-check --quiet".split(' ');
        words.into_iter().chain(more.map(str::to_owned)).collect::<Vec<_>>()
    };
    let said = home.agon(words("2"));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let agon = env!("CARGO_BIN_EXE_agon");
    let (_served, address) = served(&home, &["serve", "run"]);
    let mut script = Command::new("node");
    script.arg(root().join("tests/browser/playing.js")).arg(address).arg(agon).args(words("10"));
    assert!(succeeds(script), "its output stands above");
}

#[test]
#[ignore = "slow"]
fn people_play_with_the_mouse_and_with_keys() {
    if !has_browser() {
        return;
    }
    let home = Home::new();
    let toml = |program: &str, rest: &str| {
        format!("command = [\"{}\"]\n{rest}", home::programs().join(program).display())
    };
    let lines = "args = [\"{game}\", \"{side}\", \"{control}\", \"{position}\"]\n\
        games = [\"abalone\", \"connect4\", \"letters\", \"mill\", \"mnk\", \"morris\"]\n";
    home.put("engines/mover/engine.toml", toml("agon-mover", lines));
    // It says of no game that it plays it.
    home.put("engines/a-quiet/engine.toml", toml("agon-stub", "args = [\"exit-now\"]\n"));
    let ugi = "args = [\"{game}\", \"ugi\"]\nprotocol = \"ugi\"\ngames = [\"mnk\"]\n\
        [options]\nLevels = 2\nDrawValue = \"0.5\"\nExpert = false\n";
    home.put("engines/tryst/engine.toml", toml("agon-tryst", ugi));
    let (_served, address) = served(&home, &["serve", "--play", "engines"]);
    let mut script = Command::new("node");
    script.arg(root().join("tests/browser/play.js")).arg(address);
    assert!(succeeds(script), "its output stands above");
}

#[test]
#[ignore = "slow"]
fn people_play_chess_with_the_mouse_and_see_its_last_move_and_check() {
    if !has_browser() {
        return;
    }
    let home = Home::new();
    let program = home::programs().join("agon-mover");
    let toml = format!(
        "command = [{program:?}]\nargs = [\"{{game}}\", \"{{side}}\", \"{{control}}\", \"{{position}}\"]\n\
         games = [\"chess\"]\n"
    );
    home.put("engines/mover/engine.toml", toml);
    let fool = scripted_uci("", "f2f3 e7e5 g2g4 d8h4");
    home.put_program("fool", &fool);
    home.put_program("other", &fool);
    let words = "match ./fool ./other --game chess --games 2 --st 5 --out run --quiet --random-plies 0";
    for words in [words, "report run --out pages"] {
        let said = home.agon(words.split(' '));
        assert_eq!(said.code, Some(0), "{}", said.all());
    }
    let (_served, address) = served(&home, &["serve", "--play", "engines"]);
    let mut script = Command::new("node");
    script.arg(root().join("tests/browser/chess.js")).arg(address);
    script.arg(home.path("pages/game/r01-p0001-g01.html"));
    assert!(succeeds(script), "its output stands above");
}

#[test]
#[ignore = "slow"]
fn every_page_works_in_a_browser() {
    if !has_browser() {
        return;
    }
    let home = Home::new();
    let list = sites::write(&home);
    let mut script = Command::new("node");
    script.arg(root().join("tests/browser/look.js")).arg(list).arg(kept());
    let is_good = succeeds(script);
    if std::env::var_os("AGON_KEEP").is_some() {
        println!("the runs and their reports are in {}", home.keep().display());
    }
    assert!(is_good, "its output stands above");
}
