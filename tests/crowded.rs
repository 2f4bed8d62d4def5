//! A busy machine: processes of hostile engines, which must not save a lost game, and processes of
//! others, for which no engine is blamed.

#![allow(clippy::unwrap_used)] // helpers of tests may panic

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use support::{Arena, Game, not_tried};

/// These tests keep the processors busy and would disturb each other.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// All levels, or the lowest and the highest.
fn levels() -> &'static [&'static str] {
    if support::is_thorough() { &["none", "limits", "sandbox", "strict"] } else { &["none", "strict"] }
}

/// The exit code of a level that is not available.
const UNAVAILABLE: i32 = 3;

/// Plays a round robin, two games each. An engine that has made no move in its first game is
/// greeted in other protocols, for the time of a start: that is short here, as the machine is busy
/// meanwhile. `None` if the level is not available on this machine.
fn tournament(arena: &Arena, level: &str, options: &str) -> Option<Vec<Game>> {
    let options = format!(
        "tournament engines --games 2 --seed 5 --game letters:4x4x2 --out out --events events --quiet --isolation {level} {options}"
    );
    let finished = arena.run(&mut arena.agon(&options.split_ascii_whitespace().collect::<Vec<_>>()));
    if finished.code == Some(UNAVAILABLE) {
        not_tried!("at {level}: {}", finished.stderr);
        return None;
    }
    assert_eq!(finished.code, Some(0), "{level}: {finished:?}");
    arena.assert_nothing_left(level);
    Some(arena.games())
}

#[test]
fn who_crowds_the_processor_loses_on_time_and_honest_games_count() {
    let _alone = alone();
    let (swarm, vfork) = (("swarm", "swarm"), ("vfork", "vfork-swarm --count 60"));
    let few = [("none", vec![swarm]), ("strict", vec![vfork])];
    let all = levels().iter().map(|level| (*level, vec![swarm, vfork]));
    for (level, crowds) in if support::is_thorough() { all.collect() } else { few.to_vec() } {
        let arena = Arena::new();
        crowds.iter().for_each(|(name, mode)| arena.stub(name, mode));
        arena.stub("good", "honest --word");
        let Some(games) = tournament(&arena, level, "--st 0.4 --startup 1 --concurrency 1") else { continue };
        assert_eq!(games.len(), if crowds.len() == 1 { 2 } else { 6 }, "{level}");
        for game in &games {
            let (ending, at_fault) = game.ending();
            let what = format!("{level} {}: {ending}, {}", game.id(), game.reason());
            assert_eq!(ending, "time forfeit", "{what}");
            assert_ne!(at_fault, Some("good"), "{what}");
        }
        let void = arena.rows("standings.csv").concat();
        assert!(
            void.iter().filter(|(name, _)| name == "void").all(|(_, number)| number == "0"),
            "{level}: {}",
            fs::read_to_string(arena.path("stderr")).unwrap()
        );
    }
}

#[test]
#[ignore = "slow"]
fn an_engine_that_is_started_in_its_own_time_hogs_nobody_elses() {
    let _alone = alone();
    for level in levels() {
        let arena = Arena::new();
        // The first seat is late by itself, whatever the second does.
        arena.stub("late", "hang");
        arena.stub("early", "early-swarm --ms 1000");
        let Some(games) = tournament(&arena, level, "--st 0.4 --startup 2") else { continue };
        for game in games {
            assert_eq!(
                game.ending(),
                ("time forfeit".to_owned(), Some("late")),
                "{level}: {}",
                game.reason()
            );
            let unborn = game.seat_number("early") == 1;
            assert_eq!(game.seat("early")["exit"].is_null(), unborn, "{level}: it was started too early");
        }
    }
}

/// Processes of another program, each in its own session: three for each processor, at most thirty.
/// The more there are, the longer they compute until an engine has had its time. They end by
/// themselves after a minute.
struct Load(Vec<Child>);

impl Load {
    fn new() -> Self {
        let burn = || {
            Command::new("setsid")
                .args(["timeout", "60", "sh", "-c", "while :; do :; done"])
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap()
        };
        let cores = std::thread::available_parallelism().map_or(2, |cores| cores.get());
        let processes = if support::is_thorough() { 30 } else { (3 * cores).min(30) };
        Load((0..processes).map(|_| burn()).collect())
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = kill_process(Pid::from_child(child), Signal::TERM); // it may have ended by itself
            let _ = child.wait(); // as above
        }
    }
}

#[test]
#[ignore = "slow"]
fn on_a_machine_busy_with_other_things_nobody_is_blamed_wrongly() {
    let _alone = alone();
    let _load = Load::new();
    std::thread::sleep(Duration::from_secs(1));
    for level in if support::is_thorough() { levels() } else { &["sandbox"] } {
        let arena = Arena::new();
        arena.stub("quick", "honest --word");
        arena.stub("slow", "last-moment --ms 300");
        arena.stub("hang", "hang");
        let Some(games) = tournament(&arena, level, "--st 1 --margin 0.3 --startup 2") else { continue };
        let mut endings = BTreeMap::new();
        for game in &games {
            let (ending, at_fault) = game.ending();
            *endings.entry((ending, at_fault.map(str::to_owned))).or_insert(0) += 1;
        }
        // An engine that sleeps through its time loses, however busy the machine is.
        let expected =
            [(("normal".to_owned(), None), 2), (("time forfeit".to_owned(), Some("hang".to_owned())), 4)];
        assert_eq!(endings, BTreeMap::from(expected), "{level}");
    }
}

/// It reads what it is told, and never answers: the shell has one thread.
const BURNS: &[&str] = &["/bin/sh", "-c", "dd bs=65536 count=1 >/dev/null 2>&1; while :; do :; done"];

/// Others keep the processors busy. An engine that uses its time and more gets it, and then it
/// loses: no game is void by that. One that sleeps waits for no processor, and is the control.
#[test]
#[ignore = "slow"]
fn who_burns_its_time_on_a_busy_machine_loses_when_it_has_used_it() {
    let _alone = alone();
    let _load = Load::new();
    let arena = Arena::new();
    arena.engine_with("burns", BURNS, "");
    arena.stub("sleeps", "hang");
    // Who moves first loses, so that each of the two loses a game. An honest opponent takes four
    // games more, in which the machine stays busy.
    if support::is_thorough() {
        arena.stub("good", "honest --word");
    }
    let Some(games) = tournament(&arena, "limits", "--st 0.2 --startup 1 --concurrency 1") else { return };
    assert_eq!(games.len(), if support::is_thorough() { 6 } else { 2 });
    let losers: Vec<_> = games.iter().filter_map(|game| game.ending().1).collect();
    assert!(losers.contains(&"burns") && losers.contains(&"sleeps"), "{losers:?}");
    for game in &games {
        let (ending, at_fault) = game.ending();
        assert_eq!(ending, "time forfeit", "{}: {}", game.id(), game.reason());
        let loser = at_fault.unwrap().to_owned();
        assert_ne!(loser, "good");
        let spent = &game.seat(&loser)["spent"][0];
        let of = |key: &str| spent[key].as_u64().unwrap();
        // It may also have had its ten allowances.
        if loser == "burns" {
            let had = of("ran_micros") + of("slept_micros") >= 150_000 || of("micros") >= 2_000_000;
            assert!(had, "{}: {spent}", game.reason());
        } else {
            assert!(of("slept_micros") >= 150_000 && of("ran_micros") < 50_000, "{}: {spent}", game.reason());
        }
    }
    let rows = arena.rows("standings.csv").concat();
    assert!(rows.iter().filter(|(name, _)| name == "void").all(|(_, number)| number == "0"), "{rows:?}");
}

/// It stops the harness again and again, and sleeps. The time that the harness is stopped is
/// excused a few times, and buys no void game.
#[test]
#[ignore = "slow"]
fn an_engine_that_stops_the_harness_again_and_again_loses_on_time() {
    let _alone = alone();
    let arena = Arena::new();
    arena.stub("bad", "hang");
    arena.stub("good", "honest");
    let arguments = "match engines/bad engines/good --games 2 --game letters:4x4x2 --seed 3 --st 0.2 --quiet --out out --events events";
    let mut run = arena.agon(&arguments.split(' ').collect::<Vec<_>>()).spawn().unwrap();
    let keeper = Pid::from_child(&run);
    let harness = || support::children_of(run.id()).into_iter().find_map(Pid::from_raw);
    let engines =
        || harness().map_or(0, |pid| support::children_of(pid.as_raw_nonzero().get().unsigned_abs()).len());
    support::wait_until("an engine plays", || engines() == 1);
    let harness = harness().unwrap();
    // The keeper stays stopped: otherwise it would let the harness continue at once.
    kill_process(keeper, Signal::STOP).unwrap();
    let mut stops = 0;
    for (signal, for_a_while) in [(Signal::STOP, 300), (Signal::CONT, 20)].repeat(8) {
        // It may have lost both games before the last stop.
        if kill_process(harness, signal).is_err() {
            break;
        }
        stops += u32::from(signal == Signal::STOP);
        std::thread::sleep(Duration::from_millis(for_a_while));
    }
    assert!(stops >= 2, "the harness was stopped again");
    kill_process(keeper, Signal::CONT).unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(0));
    for game in arena.games() {
        assert_eq!(game.ending(), ("time forfeit".to_owned(), Some("bad")), "{}", game.reason());
    }
    let rows = arena.rows("standings.csv").concat();
    assert!(rows.iter().filter(|(name, _)| name == "void").all(|(_, number)| number == "0"), "{rows:?}");
}
