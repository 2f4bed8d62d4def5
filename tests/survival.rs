//! A run when its surroundings fail. The harness or its keeper is killed, a person stops it, the
//! disk is full, or descriptors and processes run out. And what an engine can see of the person who
//! started it.

#![allow(clippy::unwrap_used)] // helpers of tests may panic

mod support;

use std::fs;
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag::register_conditional_default;
use support::{
    AGON, Arena, Finished, GREEDY, LOOKAHEAD, Metronome, SLACK, STUB, children_of, not_tried, wait_until,
};

/// A match of many games, none of which is short.
const LONG: [&str; 16] = [
    "match",
    "engines/one",
    "engines/two",
    "--games",
    "200",
    "--game",
    "letters:4x4x2",
    "--seed",
    "3",
    "--st",
    "30",
    "--out",
    "out",
    "--events",
    "events",
    "--concurrency",
];

/// Starts it, with two games at once, and waits until one of its games is over.
fn start_a_long_match(arena: &Arena) -> Child {
    arena.stub("one", "last-moment --word --ms 20");
    arena.stub("two", "daemon --word");
    let mut arguments = LONG.to_vec();
    arguments.push("2");
    let run = arena.agon(&arguments).spawn().unwrap();
    wait_until("a game is over", || !finished_games(arena).is_empty());
    run
}

/// The identities of the finished games; the last line of the events may be incomplete.
fn finished_games(arena: &Arena) -> Vec<String> {
    let text = fs::read_to_string(arena.path("events")).unwrap_or_default();
    let over = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    over.filter(|event| event["event"] == "game_over")
        .map(|event| event["id"].as_str().unwrap().to_owned())
        .collect()
}

fn harness_of(keeper: &Child) -> i32 {
    let children = children_of(keeper.id());
    assert_eq!(children.len(), 1, "the keeper has one child, the harness");
    children[0]
}

fn send(signal: Signal, to: i32) {
    kill_process(Pid::from_raw(to).unwrap(), signal).unwrap();
}

fn id(child: &Child) -> i32 {
    i32::try_from(child.id()).unwrap()
}

/// Finished games are in the tables, once and complete.
fn what_was_finished_is_kept(arena: &Arena) {
    let cell =
        |row: &Vec<(String, String)>, name: &str| row.iter().find(|(n, _)| n == name).unwrap().1.clone();
    let mut rows: Vec<String> = arena.rows("games.csv").iter().map(|row| cell(row, "id")).collect();
    let mut events = finished_games(arena);
    rows.sort();
    events.sort();
    assert_eq!(rows, events);
    assert!(!rows.is_empty());
    let games: usize =
        arena.rows("standings.csv").iter().map(|row| cell(row, "games").parse::<usize>().unwrap()).sum();
    assert_eq!(games, 2 * rows.len());
    let texts: String = std::fs::read_dir(arena.path("out/games"))
        .unwrap()
        .map(|round| std::fs::read_to_string(round.unwrap().path()).unwrap())
        .collect();
    for id in rows {
        assert_eq!(texts.matches(&format!("[Id \"{id}\"]\n")).count(), 1, "{id}");
    }
}

#[test]
fn the_keeper_is_killed() {
    let arena = Arena::new();
    let mut keeper = start_a_long_match(&arena);
    send(Signal::KILL, id(&keeper));
    keeper.wait().unwrap();
    // The kernel signals the harness, which stops as on a signal from a person.
    arena.assert_nothing_left("the keeper was killed");
    what_was_finished_is_kept(&arena);
}

#[test]
fn the_harness_is_killed() {
    let arena = Arena::new();
    let keeper = start_a_long_match(&arena);
    let began = Instant::now();
    send(Signal::KILL, harness_of(&keeper));
    let finished = arena.wait(keeper, began);
    assert_eq!(finished.code, Some(1));
    assert!(finished.stderr.contains("killed by signal 9"), "{finished:?}");
    assert!(finished.took < SLACK, "{finished:?}");
    arena.assert_nothing_left("the harness was killed");
}

/// A shell lets its processes in the background ignore SIGINT, and nohup SIGHUP; their children
/// inherit that. Programs that are started from here do not ignore a signal that is handled here.
fn heed_signals() {
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        register_conditional_default(signal, Arc::new(AtomicBool::new(true))).unwrap();
    }
}

#[test]
fn a_person_stops_the_run() {
    heed_signals();
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let arena = Arena::new();
        let keeper = start_a_long_match(&arena);
        let began = Instant::now();
        send(signal, id(&keeper));
        let finished = arena.wait(keeper, began);
        assert_eq!(finished.code, Some(130), "{signal:?} {finished:?}");
        assert!(finished.stderr.contains("stopped after "), "{signal:?} {finished:?}");
        assert!(finished.took < SLACK, "{signal:?} {finished:?}");
        arena.assert_nothing_left("a person stopped the run");
        what_was_finished_is_kept(&arena);
    }
}

#[test]
fn a_second_signal_stops_at_once_whatever_the_run_is_at() {
    heed_signals();
    let arena = Arena::new();
    let build = format!("build = [\"sh\", \"-c\", \"touch {}; exec sleep 150\"]", arena.text("building"));
    arena.engine_with("one", &["./made"], &build);
    arena.stub("two", "honest");
    let began = Instant::now();
    let keeper = arena.agon(&["match", "engines/one", "engines/two"]).spawn().unwrap();
    wait_until("the build runs", || arena.path("building").exists());
    send(Signal::INT, id(&keeper));
    std::thread::sleep(Duration::from_millis(100)); // two signals at the same moment may arrive as one
    send(Signal::INT, id(&keeper));
    let finished = arena.wait(keeper, began);
    assert_eq!(finished.code, Some(130), "{finished:?}");
    assert!(finished.took < SLACK, "{finished:?}");
    arena.assert_nothing_left("stopped in a build");
}

/// Only isolation prevents it, but nothing may be left even so.
#[test]
fn an_engine_kills_the_harness() {
    let arena = Arena::new();
    arena.stub("bad", "kill-parent");
    arena.stub("good", "last-moment --word --ms 60");
    let finished = arena.play("good", "bad", "--game letters:4x4x2 --seed 3 --st 30");
    assert_eq!(finished.code, Some(1), "{finished:?}");
    assert!(finished.stderr.contains("killed by signal 9"), "{finished:?}");
    arena.assert_nothing_left("an engine killed the harness");
}

/// Only isolation prevents this too; it would stop all clocks.
#[test]
fn an_engine_stops_the_harness_and_gains_nothing() {
    for signal in [Signal::STOP, Signal::TSTP, Signal::TTIN] {
        let arena = Arena::new();
        arena.stub("bad", &format!("stop-parent --ms 100000 --number {}", signal.as_raw()));
        arena.stub("good", "last-moment --word --ms 60");
        let finished = arena.play("bad", "good", "--game letters:4x4x2 --seed 3 --st 30 --time bad=st=0.4");
        assert_eq!(finished.code, Some(0), "{signal:?} {finished:?}");
        for game in arena.games() {
            assert_eq!(game.ending(), ("time forfeit".to_owned(), Some("bad")), "{}", game.reason());
        }
        assert!(finished.took < SLACK, "{signal:?} {finished:?}");
        arena.assert_nothing_left("an engine stopped the harness");
    }
}

/// A delay of the harness may delay the engine too: the engine gets the same time again, and is
/// then judged.
#[test]
#[ignore = "slow"]
fn a_time_that_runs_out_while_the_harness_is_held_up_is_judged_when_it_goes_on() {
    let arena = Arena::new();
    arena.stub("bad", "hang");
    arena.stub("good", "last-moment --word --ms 1500");
    // The first thinks for 1.5 s of its 4 s, and is stopped meanwhile until all 4 are over. On a
    // busy machine this may be late: the game lasts some seconds more.
    let arguments = "match engines/good engines/bad --games 2 --game letters:4x4x2 --seed 3 --st 4 --time bad=st=3 --quiet \
                     --events events --concurrency 1";
    let mut run = arena.agon(&arguments.split_ascii_whitespace().collect::<Vec<_>>()).spawn().unwrap();
    let keeper = Pid::from_child(&run);
    let harness = || children_of(run.id()).into_iter().find_map(Pid::from_raw);
    let engines = || harness().map_or(vec![], |pid| children_of(pid.as_raw_nonzero().get().unsigned_abs()));
    // The second is started when the first has moved.
    wait_until("an engine plays", || engines().len() == 1);
    std::thread::sleep(Duration::from_millis(200));
    let (harness, engine) = (harness().unwrap(), Pid::from_raw(engines()[0]).unwrap());
    // The keeper first: otherwise it would let the harness continue at once.
    for pid in [keeper, harness, engine] {
        kill_process(pid, Signal::STOP).unwrap();
    }
    std::thread::sleep(Duration::from_millis(4300));
    for pid in [harness, keeper] {
        kill_process(pid, Signal::CONT).unwrap();
    }
    std::thread::sleep(Duration::from_millis(200));
    kill_process(engine, Signal::CONT).unwrap();
    // The first loses nothing by it, and its silent opponent still loses.
    assert_eq!(run.wait().unwrap().code(), Some(0));
    let games = arena.games();
    assert_eq!(games.len(), 2);
    for game in games {
        assert_eq!(game.ending(), ("time forfeit".to_owned(), Some("bad")), "{}", game.reason());
    }
    arena.assert_nothing_left("the harness was held up");
}

/// An engine that stands still for so many seconds when it has been started, so that a busy machine
/// too sees that a game is played.
fn late_stub(arena: &Arena, name: &str, seconds: u32, mode: &str) {
    let script = format!("sleep {seconds}; exec {STUB} {mode} \"$@\"");
    arena.engine(name, &["sh", "-c", &script, "late"]);
}

#[test]
fn a_keeper_that_was_stopped_sees_the_end_of_the_run() {
    let arena = Arena::new();
    arena.stub("one", "honest");
    late_stub(&arena, "two", 3, "last-moment --word --ms 60");
    let began = Instant::now();
    let arguments = [
        "match",
        "engines/one",
        "engines/two",
        "--games",
        "2",
        "--game",
        "letters:4x4x2",
        "--seed",
        "3",
        "--st",
        "30",
    ];
    let keeper = arena.agon(&arguments).spawn().unwrap();
    wait_until("it plays", || arena.processes().len() >= 4);
    send(Signal::STOP, id(&keeper));
    let finished = arena.wait(keeper, began);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert!(finished.took < SLACK, "{finished:?}");
    arena.assert_nothing_left("the keeper was stopped");
}

/// Runs a match in a shell with some preparation; the script ends in `agon ...`.
fn in_a_shell(arena: &Arena, script: &str, options: &str) -> Finished {
    if !arena.path("engines/one").exists() {
        arena.stub("one", "honest");
        arena.stub("two", "last-moment --word --ms 20");
    }
    let script =
        format!("{script} {AGON} match engines/one engines/two --game letters:4x4x2 --seed 3 {options}");
    arena.run(&mut arena.command("sh", &["-c", &script]))
}

fn nobody_lost_by_a_fault(arena: &Arena) {
    for game in arena.games() {
        assert!(["normal", "void"].contains(&game.ending().0.as_str()), "{}", game.0);
    }
}

#[test]
fn there_are_too_few_descriptors() {
    for limit in [8, 12, 14, 16, 18, 20, 22, 24] {
        let arena = Arena::new();
        let finished = in_a_shell(
            &arena,
            &format!("ulimit -n {limit} && exec"),
            "--games 4 --events events --concurrency 2 --out out",
        );
        // 3: the level could not be tried.
        assert!([Some(0), Some(1), Some(3), Some(4)].contains(&finished.code), "{limit}: {finished:?}");
        if finished.code != Some(0) {
            assert!(
                finished.stderr.contains("oo many open files")
                    || finished.stdout.contains("oo many open files"),
                "{limit}: {finished:?}"
            );
        }
        nobody_lost_by_a_fault(&arena);
        arena.assert_nothing_left("too few descriptors");
    }
}

#[test]
fn there_are_too_few_processes() {
    if !rustix::process::geteuid().is_root() {
        not_tried!("only root can become a user who has no other process");
        return;
    }
    let arena = Arena::new();
    for name in ["", "engines", "tmp"] {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(arena.path(name), fs::Permissions::from_mode(0o777)).unwrap();
    }
    let stranger = 700_000 + std::process::id();
    // Enough for the keeper, the harness and its threads, but hardly for an engine.
    let script = format!("exec prlimit --nproc=4 setpriv --reuid {stranger} --clear-groups");
    let reachable = Command::new("setpriv")
        .args(["--reuid", &stranger.to_string(), "--clear-groups", STUB, "--list"])
        .output()
        .is_ok_and(|output| output.status.success());
    if !reachable {
        not_tried!("another user cannot start what was built here");
        return;
    }
    // One engine could take the processes of the other.
    let finished = in_a_shell(&arena, &script, "--games 4 --events events --concurrency 2");
    assert_eq!(finished.code, Some(2), "{finished:?}");
    assert!(finished.stderr.contains("(ulimit -u) is 4, and "), "{finished:?}");
    let roomy = "exec prlimit --nproc=60";
    let fits = script.replace("exec prlimit --nproc=4", roomy);
    for (processes, code) in [("40", Some(2)), ("8", Some(0))] {
        let options = format!("--games 2 --events events --concurrency 1 --processes {processes}");
        let finished = in_a_shell(&arena, &fits, &options);
        assert_eq!(finished.code, code, "{processes}: {finished:?}");
        assert!(code == Some(0) || finished.stderr.contains("fewer with --processes 2"), "{finished:?}");
    }
    let finished =
        in_a_shell(&arena, &script, "--games 4 --events events --concurrency 2 --isolation none --out out");
    assert!([Some(1), Some(4)].contains(&finished.code), "{finished:?}");
    assert!(format!("{finished:?}").contains("temporarily unavailable"), "{finished:?}");
    nobody_lost_by_a_fault(&arena);
    arena.assert_nothing_left("too few processes");
}

#[test]
fn the_disk_is_full() {
    let arena = Arena::new();
    let events = in_a_shell(&arena, "exec", "--games 4 --events /dev/full");
    assert_eq!(events.code, Some(1), "{events:?}");
    assert!(events.stderr.contains("No space left on device"), "{events:?}");
    arena.assert_nothing_left("events to a full disk");

    // A file system of its own, which disappears with its namespace.
    let arena = Arena::new();
    let mount = "mkdir small && mount -t tmpfs -o size=1700k tmpfs small";
    let can_mount = arena.run(&mut arena.command("unshare", &["-m", "sh", "-c", mount])).code == Some(0);
    if !can_mount {
        not_tried!("no small file system is available");
        return;
    }
    let finished = in_a_shell(
        &arena,
        "unshare -m sh -c 'mount -t tmpfs -o size=1700k tmpfs small && \"$@\"; code=$?; cp -r small/out out; exit $code' sh",
        "--games 400 --events events --out small/out",
    );
    assert_eq!(finished.code, Some(1), "{finished:?}");
    assert!(
        finished.stderr.contains("cannot")
            && ["No space left on device", "disk is full"]
                .iter()
                .any(|words| finished.stderr.contains(words)),
        "{finished:?}"
    );
    nobody_lost_by_a_fault(&arena);
    arena.assert_nothing_left("results to a full disk");
    arena.assert_harmless("results to a full disk");
    assert!(!arena.rows("games.csv").is_empty());
}

#[test]
fn the_directory_for_temporary_files_is_not_there() {
    let arena = Arena::new();
    arena.stub("one", "honest");
    arena.stub("two", "honest");
    let mut agon = arena.agon(&["match", "engines/one", "engines/two"]);
    let finished = arena.run(agon.env("TMPDIR", arena.path("nowhere")));
    assert_eq!(finished.code, Some(1), "{finished:?}");
    assert!(finished.stderr.contains("nowhere") && finished.stderr.contains("TMPDIR"), "{finished:?}");
}

/// Another program removes the temporary files during a run.
#[test]
fn the_directory_for_temporary_files_vanishes() {
    let arena = Arena::new();
    late_stub(&arena, "one", 2, "last-moment --ms 100");
    arena.stub("two", "last-moment --word --ms 100");
    let began = Instant::now();
    let mut arguments = LONG.to_vec();
    arguments.push("1");
    arguments[4] = "4";
    let keeper = arena.agon(&arguments).spawn().unwrap();
    wait_until("it plays", || arena.processes().len() >= 4);
    // Agon makes directories meanwhile, so a removal may find one that is no longer empty.
    wait_until("the temporary files are gone", || {
        let mut entries = fs::read_dir(arena.path("tmp")).unwrap().flatten();
        entries.all(|entry| fs::remove_dir_all(entry.path()).is_ok())
    });
    let finished = arena.wait(keeper, began);
    assert_eq!(finished.code, Some(4), "{finished:?}");
    nobody_lost_by_a_fault(&arena);
    arena.assert_nothing_left("the temporary files vanished");
}

#[test]
fn an_engine_inherits_three_descriptors_whatever_agon_was_given() {
    let arena = Arena::new();
    arena.stub("bad", "fds");
    arena.stub("good", "honest");
    let script = format!(
        "exec 3</dev/null 4</etc/passwd 5</dev/null 6>/dev/null 7</dev/null 8</dev/null 9</dev/null; \
         exec {AGON} match engines/bad engines/good --games 2 --game letters:4x4x2 --seed 3 --concurrency 2 --out out --events events"
    );
    let finished = arena.run(&mut arena.command("sh", &["-c", &script]));
    assert_eq!(finished.code, Some(0), "{finished:?}");
    for game in arena.games() {
        let log = arena.log(game.id(), game.seat("bad")["side"].as_str().unwrap());
        let mut lines: Vec<&str> = log.lines().collect();
        lines.sort_unstable();
        assert_eq!(lines.len(), 4, "{log}");
        for (line, fd) in lines.iter().zip(["0 -> pipe:", "1 -> pipe:", "2 -> pipe:"]) {
            assert!(line.contains(fd), "{log}");
        }
    }
}

#[test]
fn an_engine_inherits_the_variables_on_the_list_and_no_other() {
    let arena = Arena::new();
    arena.stub("bad", "environ");
    arena.stub("good", "honest");
    let mut agon = arena.agon(&[
        "match",
        "engines/bad",
        "engines/good",
        "--games",
        "2",
        "--game",
        "letters:4x4x2",
        "--seed",
        "3",
        "--out",
        "out",
        "--events",
        "events",
    ]);
    agon.env("AWS_SECRET_ACCESS_KEY", "hunter2")
        .env("LD_PRELOAD", "")
        .env("SSH_AUTH_SOCK", "/x")
        .env("LANG", "C");
    let finished = arena.run(&mut agon);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let allowed = ["AGON_ENGINE", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "PATH", "TMPDIR", "TOKEN", "TZ"];
    for game in arena.games() {
        let log = arena.log(game.id(), game.seat("bad")["side"].as_str().unwrap());
        let names: Vec<&str> = log.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
        assert!(names.iter().all(|name| allowed.contains(name)), "{names:?}");
        assert!(names.contains(&"TOKEN") && names.contains(&"LANG") && !log.contains("hunter2"), "{log}");
        let home = log.lines().find(|line| line.starts_with("HOME=")).unwrap();
        assert!(home.contains(&arena.token), "its home is its own directory: {home}");
    }
}

#[test]
fn an_engine_has_no_terminal_even_when_agon_has_one() {
    let arena = Arena::new();
    arena.stub("bad", "tty");
    arena.stub("good", "honest");
    let agon = format!(
        "{AGON} match engines/bad engines/good --games 2 --game letters:4x4x2 --seed 3 --out out --events events"
    );
    // The positive control: a process started here without care has a terminal.
    let script = format!("(: </dev/tty) && touch control; {agon}");
    let finished = arena.run(&mut arena.command("script", &["-qec", &script, "/dev/null"]));
    if !arena.path("control").exists() {
        not_tried!("no terminal is available");
        return;
    }
    assert_eq!(finished.code, Some(0), "{finished:?}");
    for game in arena.games() {
        let log = arena.log(game.id(), game.seat("bad")["side"].as_str().unwrap());
        assert!(log.contains("refused (/dev/tty: ") && !log.contains("worked"), "{log}");
    }
}

#[test]
#[ignore = "slow"]
fn honest_games_beside_hostile_ones_end_as_they_do_alone() {
    let run = |hostile: &[(&str, &str)]| {
        let arena = Arena::new();
        arena.engine("greedy", &[GREEDY]);
        arena.engine("lookahead", &[LOOKAHEAD]);
        for (name, mode) in hostile {
            arena.stub(name, mode);
        }
        // The only one that lets its time pass.
        let short =
            if hostile.iter().any(|(name, _)| *name == "silent") { "--time silent=st=0.4" } else { "" };
        let arguments = format!(
            "tournament engines --games 2 --game letters:4x4x2 --seed 7 --st 20 {short} --margin 0.3 --startup 20 --concurrency 2 \
             --out out --events events"
        );
        let arguments: Vec<&str> = arguments.split_ascii_whitespace().collect();
        let finished = arena.run(&mut arena.agon(&arguments));
        assert_eq!(finished.code, Some(0), "{finished:?}");
        arena.assert_nothing_left("a mixed tournament");
        arena.assert_harmless("a mixed tournament");
        let honest = |entrant: &serde_json::Value| entrant == "greedy" || entrant == "lookahead";
        let mut games: Vec<String> = Vec::new();
        for game in arena.games() {
            let record = &game.0["record"];
            let seats = record["seats"].as_array().unwrap();
            if seats.iter().all(|seat| honest(&seat["entrant"])) {
                let plies: Vec<&serde_json::Value> =
                    record["plies"].as_array().unwrap().iter().map(|ply| &ply["text"]).collect();
                games.push(format!(
                    "{} {} {plies:?} {}",
                    seats[0]["entrant"], record["seed"], record["verdict"]
                ));
            } else if seats.iter().any(|seat| honest(&seat["entrant"])) {
                let fault = game.ending().1;
                assert!(fault.is_none_or(|name| hostile.iter().any(|(bad, _)| *bad == name)), "{}", game.0);
            }
        }
        games.sort();
        games
    };
    let alone = run(&[]);
    assert_eq!(alone.len(), 2);
    let beside = run(&[
        ("flood", "endless-output"),
        ("late", "late-flood"),
        ("log", "stderr-flood --mb 16"),
        ("stubborn", "stubborn"),
        ("family", "sleepers --count 50"),
        ("silent", "hang"),
    ]);
    assert_eq!(alone, beside);
}

/// The question's own 100 ms, and the delay of a busy machine; `scripts/deadline` measures it
/// exactly.
#[test]
fn a_game_decided_by_its_deadline_ends_then() {
    let arena = Arena::new();
    arena.stub("bad", "hang");
    arena.stub("good", "honest");
    let metronome = Metronome::start();
    let options = "--game letters:4x4x2 --seed 3 --st 30 --time bad=st=0.1 --margin 0 --concurrency 1";
    let finished = arena.play("bad", "good", options);
    let most = metronome.most(Duration::from_millis(150));
    assert_eq!(finished.code, Some(0), "{finished:?}");
    for game in arena.games() {
        assert_eq!(game.ending(), ("time forfeit".to_owned(), Some("bad")));
        let lateness = Duration::from_micros(game.seat("bad")["lateness_micros"].as_u64().unwrap());
        assert!(lateness < most, "{lateness:?} late, and {most:?} is the most");
    }
}

/// The short form of `scripts/soak`.
#[test]
fn nothing_grows_with_the_number_of_games() {
    let arena = Arena::new();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/soak");
    let bin = std::path::Path::new(AGON).parent().unwrap().to_str().unwrap();
    let finished = arena.run(&mut arena.command(script, &["--games", "300", "--bin", bin]));
    assert_eq!(finished.code, Some(0), "{finished:?}");
    arena.assert_nothing_left("300 games");
}
