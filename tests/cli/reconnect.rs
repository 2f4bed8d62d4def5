//! Engines elsewhere whose connection breaks: it comes back in time, or the game is paused
//! meanwhile.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::home::{Home, programs};
use super::remote::{MOVER, connected, far, free_port, listening, mover};

/// Stands between the two sides, and can cut their connection.
struct Relay {
    port: u16,
    line: Arc<Mutex<Line>>,
}

/// What a relay has let through.
#[derive(Default)]
struct Line {
    is_cut: bool,
    streams: Vec<TcpStream>,
    /// How many connections were let through to the other side.
    made: u32,
}

impl Relay {
    fn to(far: u16) -> Relay {
        let socket = TcpListener::bind("127.0.0.1:0").unwrap();
        let (port, line) = (socket.local_addr().unwrap().port(), Arc::new(Mutex::new(Line::default())));
        let own = line.clone();
        thread::spawn(move || {
            for near in socket.incoming().flatten() {
                let mut line = own.lock().unwrap();
                // Closed when it is cut, or when nobody listens on the other side.
                if line.is_cut {
                    continue;
                }
                let Ok(far) = TcpStream::connect(("127.0.0.1", far)) else { continue };
                line.made += 1;
                for (from, into) in [(&near, &far), (&far, &near)] {
                    line.streams.push(from.try_clone().unwrap());
                    let (from, into) = (from.try_clone().unwrap(), into.try_clone().unwrap());
                    thread::spawn(move || pass(from, into));
                }
            }
        });
        Relay { port, line }
    }

    fn cut(&self) {
        let mut line = self.line.lock().unwrap();
        line.is_cut = true;
        for stream in line.streams.drain(..) {
            let _ = stream.shutdown(Shutdown::Both); // it may be closed already
        }
    }

    fn mend(&self) {
        self.line.lock().unwrap().is_cut = false;
    }

    fn made(&self) -> u32 {
        self.line.lock().unwrap().made
    }
}

fn pass(mut from: TcpStream, mut into: TcpStream) {
    let mut bytes = [0; 4096];
    while let Ok(count) = from.read(&mut bytes) {
        if count == 0 || into.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    for stream in [&from, &into] {
        let _ = stream.shutdown(Shutdown::Both); // it may be closed already
    }
}

/// Plays its row from left to right, and thinks once in the run, before its second move.
const THINKER: &str = r#"
import os, sys, time
side, think = sys.argv[1], float(sys.argv[2])
row = "1" if side == "X" else "3"
for _ in range(4):
    sys.stdin.readline()
for turn, column in enumerate("abc"):
    if side == "O" or turn > 0:
        sys.stdin.readline()
    if turn == 1 and think > 0 and not os.path.exists(sys.argv[3]):
        open(sys.argv[3], "w").close()
        begun = 0.0
        while begun < think:
            time.sleep(0.05)
            begun += 0.05
    print(f"{side},{column}{row}", flush=True)
sys.stdin.read()
"#;

/// A match of an engine elsewhere that thinks for so many seconds, against one that does not.
fn thinks(home: &Home, think: &str, options: &str) -> (Relay, super::remote::Background, Child) {
    let port = free_port();
    let relay = Relay::to(port);
    home.put("thinker.py", THINKER);
    far(home, &listening(home, port).replace("\"5\", \"--\"", "\"2\", \"--\""), r#""{side}""#);
    let script = home.path("thinker.py");
    home.put(
        "near/engine.toml",
        format!("command = [\"python3\", {script:?}]\nargs = [\"{{side}}\", \"0\"]\n"),
    );
    let note = home.path("thinks");
    home.put("think.sh", format!("exec python3 {script:?} \"$1\" {think} {note:?}\n"));
    let shell = home.path("think.sh");
    let machine = connected(home, relay.port, &["/bin/sh", shell.to_str().unwrap()]);
    let words = "match far near --game mnk:3x3,3 --games 2 --random-plies 0 --seed 1 --concurrency 1 \
                 --isolation limits --elsewhere far --out out";
    let run = Command::new(env!("CARGO_BIN_EXE_agon"))
        .args(words.split_whitespace())
        .args(options.split_whitespace())
        .current_dir(home.path(""))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    (relay, machine, run)
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    let patience = Instant::now();
    while !is_so() {
        assert!(patience.elapsed() < Duration::from_secs(300), "{what}");
        thread::sleep(Duration::from_millis(20));
    }
}

fn games(home: &Home) -> Vec<Value> {
    let out = home.agon(["export", "json", "out"]).out();
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The longest answer of an engine, in seconds.
fn longest(game: &Value) -> f64 {
    let plies = game["plies"].as_array().unwrap();
    plies.iter().map(|ply| ply["micros"].as_f64().unwrap() / 1e6).fold(0.0, f64::max)
}

fn assert_normal(home: &Home, games: &[Value]) {
    for game in games {
        let ending = &game["verdict"]["decided"]["termination"];
        assert_eq!(ending, "normal", "{game}\n{}", home.read("connect.log"));
    }
    let verified = home.agon(["verify", "out"]);
    assert_eq!(verified.code, Some(0), "{}", verified.all());
}

/// Waits until the first game of the run is played, and its engine elsewhere thinks.
fn until_it_thinks(home: &Home) {
    until("the first game", || home.agon(["pause", "out"]).out().contains("r01-p0001-g01"));
    until("the engine elsewhere", || home.path("thinks").exists());
    thread::sleep(Duration::from_millis(500));
}

#[test]
#[ignore = "slow"]
fn a_connection_that_is_cut_in_a_pause_comes_back_and_the_engine_is_stopped_meanwhile() {
    let home = Home::new();
    let (relay, _machine, mut run) = thinks(&home, "3", "--st 20 --grace-events 60");
    until_it_thinks(&home);
    let paused = home.agon(["pause", "out", "r01-p0001-g01", "--why", "lab1 has no network"]);
    assert_eq!(paused.out(), "r01-p0001-g01 is paused\n", "{}", paused.all());
    thread::sleep(Duration::from_millis(500));
    relay.cut();
    // Longer than the grace of two seconds, and than the engine thinks.
    thread::sleep(Duration::from_secs(4));
    relay.mend();
    until("the connection", || home.read("connect.log").contains("connected again"));
    let resumed = home.agon(["resume", "out", "all"]);
    assert_eq!(resumed.code, Some(0), "{}", resumed.all());
    assert!(run.wait().unwrap().success());
    let games = games(&home);
    assert_normal(&home, &games);
    // It thought for three seconds, and the pause took none of them away.
    assert!((2.5..9.0).contains(&longest(&games[0])), "{}", games[0]);
}

#[test]
fn a_pause_saves_a_game_whose_connection_was_cut_before() {
    let home = Home::new();
    let (relay, _machine, mut run) = thinks(&home, "3", "--st 20 --grace-events 60");
    until_it_thinks(&home);
    relay.cut();
    let paused = home.agon(["pause", "out", "all", "--why", "lab1 has no network"]);
    assert_eq!(paused.out(), "no new game begins\nr01-p0001-g01 is paused\n", "{}", paused.all());
    thread::sleep(Duration::from_secs(3));
    relay.mend();
    assert_eq!(home.agon(["resume", "out", "all"]).code, Some(0));
    assert!(run.wait().unwrap().success());
    assert_normal(&home, &games(&home));
}

#[test]
#[ignore = "slow"]
fn a_connection_that_breaks_in_every_game_and_comes_back_in_time_loses_no_game() {
    let home = Home::new();
    let port = free_port();
    let relay = Relay::to(port);
    far(&home, &listening(&home, port).replace("\"5\", \"--\"", "\"30\", \"--\""), MOVER);
    mover(&home);
    let engine = programs().join("agon-mover");
    let _machine = connected(&home, relay.port, &[engine.to_str().unwrap()]);
    let words = "match far mover --game mnk:19x19,19 --games 4 --max-plies 120 --random-plies 0 --st 60 \
                 --isolation limits --concurrency 1 --out out";
    let mut run = Command::new(env!("CARGO_BIN_EXE_agon"))
        .args(words.split_whitespace())
        .current_dir(home.path(""))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut seen = 0;
    while run.try_wait().unwrap().is_none() {
        if relay.made() > seen {
            seen = relay.made();
            thread::sleep(Duration::from_millis(25));
            relay.cut();
            thread::sleep(Duration::from_millis(50));
            relay.mend();
        }
        thread::sleep(Duration::from_millis(1));
    }
    assert!(run.wait().unwrap().success());
    let games = games(&home);
    let log = home.read("connect.log");
    assert_eq!(games.len(), 4, "{log}");
    for game in &games {
        assert!(game["verdict"]["decided"]["termination"]["forfeit"].is_null(), "{game}\n{log}");
        assert_eq!(game["plies"].as_array().unwrap().len(), 120, "{game}");
    }
    assert!(log.matches("connected again").count() >= 2, "{log}");
    let verified = home.agon(["verify", "out"]);
    assert_eq!(verified.code, Some(0), "{}", verified.all());
}
