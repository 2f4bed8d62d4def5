//! Both sides over loopback, with a proxy between them that breaks the connection.

#![allow(clippy::unwrap_used)] // helpers of tests may panic

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use agon_remote::frame::{Ended, WireFrame};
use agon_remote::{Token, greeting};

use support::*;

#[test]
fn lines_come_back_without_an_engine_and_the_next_game_is_the_first() {
    let mut first = started("127.0.0.1:0", Duration::from_secs(5), &[], true, Duration::ZERO);
    let machine = machine(first.address, SECRET, "echo started; cat", Some(1));
    for line in ["one", "", "three"] {
        first.tell(line);
        assert_eq!(first.answer(), line);
    }
    first.tell = None;
    assert_eq!(first.ends.join().unwrap(), Ok(Ended::Code(0)));
    let mut second = harness(&first.address.to_string(), Duration::from_secs(5), &[]);
    assert_eq!(second.answer(), "started");
    second.tell = None;
    assert_eq!(second.ends.join().unwrap(), Ok(Ended::Code(0)));
    assert!(machine.ends.join().unwrap().is_ok());
    let said: Vec<String> = machine.said.try_iter().collect();
    assert!(said.iter().any(|line| line.contains("game 1: starts")), "{said:?}");
}

#[test]
fn arguments_files_lines_stderr_and_the_exit_status_are_carried() {
    let mut harness = harness("127.0.0.1:0", Duration::from_secs(5), &["W", "two words", ""]);
    let script = "cat board; echo \"$1|$2|$3\"; echo oops >&2; read -r line; echo \"got $line\"; \
                  read -r line || echo end; exit 7";
    let machine = machine(harness.address, SECRET, script, Some(1));
    assert_eq!(harness.answer(), "the board");
    assert_eq!(harness.answer(), "W|two words|");
    harness.tell("hello");
    assert_eq!(harness.answer(), "got hello");
    harness.tell = None;
    assert_eq!(harness.answer(), "end");
    assert_eq!(harness.answer(), "", "the engine has closed its output");
    assert_eq!(harness.ends.join().unwrap(), Ok(Ended::Code(7)));
    let mut errors = String::new();
    harness.errors.read_to_string(&mut errors).unwrap();
    assert_eq!(errors, "oops\n");
    machine.ends.join().unwrap().unwrap();
}

#[test]
fn the_lag_is_measured_and_a_signal_is_reported() {
    let mut harness = harness("127.0.0.1:0", Duration::from_secs(5), &[]);
    let _machine = machine(harness.address, SECRET, "read -r line; kill -SEGV $$", Some(1));
    let lag = harness.until("lag ");
    let millis: f64 = lag.split(' ').nth(1).unwrap().parse().unwrap();
    assert!((0.0..5000.0).contains(&millis), "{lag}");
    harness.tell("go");
    assert_eq!(harness.ends.join().unwrap(), Ok(Ended::Signal(11)));
}

/// A proxy whose connections break.
struct Proxy {
    address: SocketAddr,
    /// Where it leads.
    to: Mutex<SocketAddr>,
    /// A connection breaks after so many bytes.
    after: AtomicU64,
    breaks: AtomicU64,
}

impl Proxy {
    fn new(to: SocketAddr) -> Arc<Self> {
        let socket = TcpListener::bind("127.0.0.1:0").unwrap();
        let proxy = Arc::new(Proxy {
            address: socket.local_addr().unwrap(),
            to: Mutex::new(to),
            after: AtomicU64::new(u64::MAX),
            breaks: AtomicU64::new(0),
        });
        let own = proxy.clone();
        thread::spawn(move || {
            for near in socket.incoming() {
                let to = *own.to.lock().unwrap();
                let (Ok(near), Ok(far)) = (near, TcpStream::connect(to)) else { continue };
                near.set_nodelay(true).unwrap();
                far.set_nodelay(true).unwrap();
                let passed = Arc::new(AtomicU64::new(0));
                let ways = [(&near, &far), (&far, &near)];
                for (from, into) in ways.map(|(from, into)| (from.try_clone(), into.try_clone())) {
                    let (own, passed) = (own.clone(), passed.clone());
                    thread::spawn(move || own.pass(from.unwrap(), into.unwrap(), &passed));
                }
            }
        });
        proxy
    }

    fn pass(&self, mut from: TcpStream, mut into: TcpStream, passed: &AtomicU64) {
        let mut bytes = [0; 97];
        loop {
            let count = from.read(&mut bytes).unwrap_or(0);
            let sum = passed.fetch_add(count as u64, Ordering::SeqCst) + count as u64;
            let breaks = sum > self.after.load(Ordering::SeqCst);
            // A part of the bytes still goes through.
            let kept = if breaks { count / 2 } else { count };
            if count == 0 || into.write_all(&bytes[..kept]).is_err() || breaks {
                self.breaks.fetch_add(u64::from(breaks), Ordering::SeqCst);
                for stream in [&from, &into] {
                    let _ = stream.shutdown(std::net::Shutdown::Both); // it may be closed already
                }
                return;
            }
        }
    }
}

#[test]
fn a_connection_that_breaks_again_and_again_loses_and_repeats_no_line() {
    let mut harness = harness("127.0.0.1:0", Duration::from_secs(20), &[]);
    let proxy = Proxy::new(harness.address);
    proxy.after.store(2000, Ordering::SeqCst);
    let _machine = machine(proxy.address, SECRET, COUNT, Some(1));
    for number in 1..=400 {
        harness.tell(&format!("line {number}"));
        assert_eq!(harness.answer(), format!("line {number} {number}"));
    }
    proxy.after.store(u64::MAX, Ordering::SeqCst);
    harness.ends_well();
    assert!(proxy.breaks.load(Ordering::SeqCst) >= 5, "{:?}", proxy.breaks);
}

#[test]
fn a_machine_whose_connection_broke_while_it_was_let_in_plays_all_the_same() {
    let harness = harness("127.0.0.1:0", Duration::from_secs(8), &[]);
    // It proves the token, and never reads that it is let in.
    let mut lines = BufReader::new(TcpStream::connect(harness.address).unwrap());
    let mut challenge = String::new();
    lines.read_line(&mut challenge).unwrap();
    let theirs = greeting::read_challenge(challenge.trim_end()).unwrap();
    let claim = greeting::claim(&Token::new(SECRET), theirs, &greeting::random().unwrap(), None, 0);
    lines.get_mut().write_all(claim.as_bytes()).unwrap();
    harness.until("connected from");
    drop(lines);
    let machine = machine(harness.address, SECRET, COUNT, Some(1));
    harness.plays();
    assert!(machine.ends.join().unwrap().is_ok());
}

#[test]
fn a_machine_whose_connection_broke_before_the_game_began_comes_back_to_it() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let machine = machine(listener.local_addr().unwrap(), SECRET, COUNT, Some(1));
    let token = Token::new(SECRET);
    let (session, mut claimed) = (greeting::random().unwrap(), Vec::new());
    for _ in 0..2 {
        let (mut lines, own, claim) = challenged(&listener);
        let welcome = greeting::welcome(&token, &own, &claim, &session, 0);
        lines.get_mut().write_all(welcome.as_bytes()).unwrap();
        claimed.push((claim.session, claim.received));
        // It acknowledges a frame, and has not been told how long a game waits for it.
        lines.get_mut().write_all(&WireFrame::Argument(b"X".to_vec()).bytes()).unwrap();
        assert!(lines.read(&mut [0; 100]).unwrap() > 0);
    }
    assert_eq!(claimed, [(None, 0), (Some(session), 1)]);
    drop(machine.stop);
    assert!(machine.ends.join().unwrap().is_ok());
}

/// Writes its process id to this file, and reads nothing.
fn sleeper(note: &Path) -> String {
    format!("echo $$ > {}; echo $1; exec sleep 1000", note.display())
}

fn runs(pid: &str) -> bool {
    Path::new("/proc").join(pid).exists()
}

#[test]
fn a_connection_that_stays_away_ends_both_sides_and_the_engine() {
    let harness = harness("127.0.0.1:0", Duration::from_millis(300), &[]);
    let proxy = Proxy::new(harness.address);
    let place = tempfile::tempdir().unwrap();
    let note = place.path().join("pid");
    let machine = machine(proxy.address, SECRET, &sleeper(&note), Some(1));
    let pid = wait_for(&note);
    assert!(runs(&pid));
    // From now on each byte breaks the connection, the first of a greeting too.
    proxy.after.store(0, Ordering::SeqCst);
    let why = harness.ends.join().unwrap().unwrap_err();
    assert!(why.contains("did not come back within 300ms"), "{why}");
    machine.ends.join().unwrap().unwrap();
    assert!(!runs(&pid), "the engine still runs");
}

fn wait_for(file: &Path) -> String {
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        match std::fs::read_to_string(file) {
            Ok(text) if text.ends_with('\n') => return text.trim().to_owned(),
            _ => assert!(Instant::now() < until, "{} was not written", file.display()),
        }
        thread::sleep(Duration::from_millis(10));
    }
}

/// Writes into the file `ticks` all the time, and answers each line.
const TICKS: &str =
    "while sleep 0.02; do echo >> \"$0\"; done & while read -r line; do echo \"$line\"; done; kill $!";

#[test]
fn in_a_pause_the_engine_is_stopped_and_a_lost_connection_is_waited_for() {
    let second = Duration::from_secs(1);
    let mut harness = started("127.0.0.1:0", second, &[], false, 30 * second);
    let proxy = Proxy::new(harness.address);
    let place = tempfile::tempdir().unwrap();
    let ticks = place.path().join("ticks");
    let length = || std::fs::metadata(&ticks).map_or(0, |about| about.len());
    let script = TICKS.replace("$0", ticks.to_str().unwrap());
    let _machine = machine(proxy.address, SECRET, &script, Some(1));
    harness.tell("before");
    assert_eq!(harness.answer(), "before");
    assert!(length() > 0 || wait_until(|| length() > 0));
    let pause = harness.files.path().join(".paused");
    std::fs::write(&pause, "").unwrap();
    // Stopped: nothing is written for half a second.
    assert!(wait_until(|| {
        let before = length();
        thread::sleep(second / 2);
        length() == before
    }));
    let before = length();
    proxy.after.store(0, Ordering::SeqCst);
    harness.until("the connection is lost");
    thread::sleep(3 * second);
    proxy.after.store(u64::MAX, Ordering::SeqCst);
    harness.until("again connected");
    assert_eq!(length(), before, "it goes on in the pause");
    std::fs::remove_file(&pause).unwrap();
    harness.tell("after");
    assert_eq!(harness.answer(), "after");
    assert!(wait_until(|| length() > before), "it is still stopped");
    harness.ends_well();
}

#[test]
fn a_pause_may_begin_when_the_connection_is_lost_already() {
    let second = Duration::from_secs(1);
    let mut harness = started("127.0.0.1:0", second, &[], false, 30 * second);
    let proxy = Proxy::new(harness.address);
    let _machine = machine(proxy.address, SECRET, COUNT, Some(1));
    harness.tell("before");
    assert_eq!(harness.answer(), "before 1");
    proxy.after.store(0, Ordering::SeqCst);
    harness.until("the connection is lost");
    let pause = harness.files.path().join(".paused");
    std::fs::write(&pause, "").unwrap();
    thread::sleep(3 * second);
    std::fs::remove_file(&pause).unwrap();
    proxy.after.store(u64::MAX, Ordering::SeqCst);
    harness.tell("after");
    assert_eq!(harness.answer(), "after 2");
}

fn wait_until(is_so: impl Fn() -> bool) -> bool {
    let until = Instant::now() + Duration::from_secs(20);
    std::iter::from_fn(|| (Instant::now() < until).then(&is_so)).any(|is_so| is_so)
}

#[test]
fn a_stranger_who_takes_the_address_while_the_connection_is_lost_ends_no_game() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let machine = machine(listener.local_addr().unwrap(), SECRET, COUNT, Some(1));
    let token = Token::new(SECRET);
    let let_in = |session: &str| {
        let (mut lines, own, claim) = challenged(&listener);
        let welcome = greeting::welcome(&token, &own, &claim, session, 0);
        lines.get_mut().write_all(welcome.as_bytes()).unwrap();
        (lines, claim.session)
    };
    let session = greeting::random().unwrap();
    let (mut first, new) = let_in(&session);
    first.get_mut().write_all(&WireFrame::Begin(60_000).bytes()).unwrap();
    assert!(new.is_none() && first.read(&mut [0; 100]).unwrap() > 0);
    drop(first);
    strangers(&listener, &["CHALLENGE\nno that game is over\n", "SSH-2.0-x\r\n"]);
    assert_eq!(let_in(&session).1, Some(session), "it comes back to its game");
    drop(machine.stop);
    assert!(machine.ends.join().unwrap().is_ok());
}

#[test]
fn one_machine_plays_game_after_game_and_ends_the_engine_of_a_game_that_is_gone() {
    let mut first = harness("127.0.0.1:0", Duration::from_secs(60), &["first"]);
    let proxy = Proxy::new(first.address);
    let place = tempfile::tempdir().unwrap();
    let note = place.path().join("pid");
    let machine = machine(proxy.address, SECRET, &sleeper(&note), Some(2));
    assert_eq!(first.answer(), "first");
    let pid = wait_for(&note);
    // The harness has given up the first game, and listens for the second.
    let mut second = harness("127.0.0.1:0", Duration::from_secs(60), &["second"]);
    *proxy.to.lock().unwrap() = second.address;
    proxy.after.store(0, Ordering::SeqCst);
    first.until("the connection is lost");
    proxy.after.store(u64::MAX, Ordering::SeqCst);
    assert_eq!(second.answer(), "second");
    assert!(!runs(&pid), "the engine of the first game still runs");
    let said: Vec<String> = machine.said.try_iter().collect();
    assert!(said.iter().any(|line| line.starts_with("game 2: starts")), "{said:?}");
    drop(machine.stop);
    machine.ends.join().unwrap().unwrap();
}

#[test]
fn an_engine_that_leaves_its_process_group_is_ended_too() {
    let harness = harness("127.0.0.1:0", Duration::from_millis(300), &[]);
    let proxy = Proxy::new(harness.address);
    let place = tempfile::tempdir().unwrap();
    let note = place.path().join("pid");
    let leave = "import os, time; os.setpgid(0, os.getpgid(os.getppid())); print(os.getpid(), flush=True); \
                 time.sleep(1000)";
    let script = format!("exec python3 -SEc '{leave}' > {}", note.display());
    let machine = machine(proxy.address, SECRET, &script, Some(1));
    let pid = wait_for(&note);
    proxy.after.store(0, Ordering::SeqCst);
    assert!(harness.ends.join().unwrap().is_err());
    machine.ends.join().unwrap().unwrap();
    assert!(!runs(&pid), "the engine still runs");
}
