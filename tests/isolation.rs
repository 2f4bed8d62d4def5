//! The isolation levels from the user's side: honest engines play at each, its promises hold, and a
//! missing one is refused. For root, everything is tried as a plain user too.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)] // helpers of tests may panic

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use serde_json::Value;
use support::{AGON, Arena, Finished, Game, STUB, children_of, is_thorough, not_tried, wait_until};

/// Thinks for 60 ms a move and plays words.
const SLOW: &str = "last-moment --word --ms 60";
/// The same for so many ms, in which one who ponders gets some time also on a busy machine.
fn slow(ms: u32) -> String {
    format!("last-moment --word --ms {ms}")
}
/// A user without any files on this machine.
const NOBODY: u32 = 65534;
const LEVELS: [&str; 3] = ["none", "limits", "sandbox"];

/// The user who runs agon.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum User {
    Own,
    Nobody,
}

/// All users that can be tried here.
fn users() -> Vec<User> {
    if rustix::process::geteuid().is_root() { vec![User::Own, User::Nobody] } else { vec![User::Own] }
}

/// An arena in which this user may do everything, with the programs in it.
fn arena(user: User) -> Arena {
    let arena = Arena::new();
    for (program, name) in [(AGON, "agon"), (STUB, "stub")] {
        support::copy_program(program, &arena.path(name));
    }
    if user == User::Nobody {
        for folder in ["", "engines", "tmp"] {
            let folder = arena.path(folder);
            std::os::unix::fs::chown(&folder, Some(NOBODY), Some(NOBODY)).unwrap();
            fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
        }
    }
    arena
}

/// The stub in this mode, as an engine with this name.
fn stub(arena: &Arena, name: &str, mode: &str) {
    let program = arena.text("stub");
    let command: Vec<&str> = std::iter::once(program.as_str()).chain(mode.split(' ')).collect();
    arena.engine(name, &command);
}

fn command(arena: &Arena, user: User, arguments: &[&str]) -> Command {
    let mut command = arena.command(arena.path("agon").to_str().unwrap(), arguments);
    if user == User::Nobody {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}

fn play(arena: &Arena, user: User, one: &str, other: &str, options: &str) -> Finished {
    let (one, other) = (format!("engines/{one}"), format!("engines/{other}"));
    let mut arguments =
        vec!["match", &one, &other, "--games", "2", "--seed", "7", "--out", "out", "--events", "events"];
    // No test here is about a time that is over, and a busy machine may need much.
    arguments.extend(["--st", "30", "--startup", "20"]);
    arguments.extend(options.split_ascii_whitespace());
    let done = arena.run(&mut command(arena, user, &arguments));
    arena.assert_nothing_left(options);
    done
}

/// Plays two games of these, which must both end like this.
#[track_caller]
fn ends_so(arena: &Arena, user: User, [one, other]: [&str; 2], options: &str, ending: &str) {
    let done = play(arena, user, one, other, options);
    assert_eq!(done.code, Some(0), "{user:?} {one} {options} {}", done.stderr);
    let games = arena.games();
    assert_eq!(games.len(), 2);
    games.iter().for_each(|game| assert_eq!(game.ending().0, ending, "{user:?} {options} {}", game.reason()));
}

fn micros(of: &Value) -> u64 {
    of.as_u64().unwrap_or(0)
}

/// The moves of each game.
fn moves(games: &[Game]) -> Vec<Vec<String>> {
    let plies = |game: &Game| game.0["record"]["plies"].as_array().unwrap().clone();
    games
        .iter()
        .map(|game| plies(game).iter().map(|ply| ply["text"].as_str().unwrap().to_owned()).collect())
        .collect()
}

#[test]
fn engines_in_c_and_python_play_the_same_games_at_every_level() {
    for user in users() {
        let mut all = Vec::new();
        for level in LEVELS {
            let arena = arena(user);
            let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("engines");
            let (c, python) = (arena.path("engines/c"), arena.path("engines/python"));
            fs::create_dir(&c).unwrap();
            fs::create_dir(&python).unwrap();
            fs::copy(samples.join("plain-python/plain.py"), python.join("plain.py")).unwrap();
            let toml = "command = [\"/usr/bin/env\", \"python3\", \"{folder}/plain.py\"]\n";
            fs::write(python.join("engine.toml"), toml).unwrap();
            let built = Command::new("cc")
                .args(["-O1", "-o"])
                .arg(c.join("plain"))
                .arg(samples.join("plain-c/plain.c"))
                .status();
            if !built.is_ok_and(|status| status.success()) || !Path::new("/usr/bin/python3").exists() {
                return; // a machine without compilers tries the other tests
            }
            fs::write(c.join("engine.toml"), "command = [\"./plain\"]\n").unwrap();
            // No time limit is tried here, and a busy machine may need long to start Python.
            let line = "match engines/c engines/python --games 2 --seed 7 --game letters:4x4x2 --st 30 \
                        --startup 20 --events events --isolation";
            let words: Vec<&str> = line.split_whitespace().chain([level]).collect();
            let mut agon = command(&arena, user, &words);
            agon.env("PATH", "/usr/bin:/bin");
            let done = arena.run(&mut agon);
            assert_eq!(done.code, Some(0), "{user:?} {level} {}", done.stderr);
            let games = arena.games();
            assert_eq!(games.len(), 2);
            for game in &games {
                assert_eq!(game.ending().0, "normal", "{user:?} {level} {}", game.reason());
                let isolation = &game.0["record"]["isolation"];
                assert_eq!(isolation["level"], level);
                let boxed = isolation["in_force"].as_array().unwrap().contains(&"seccomp".into());
                assert_eq!(boxed, level == "sandbox");
            }
            all.push(moves(&games));
        }
        assert!(
            all[0].iter().all(|moves| moves.len() > 4) && all.iter().all(|moves| *moves == all[0]),
            "{all:?}"
        );
    }
}

/// Memory that a child shares with its parent exists once, until one of them writes to it.
#[test]
#[ignore = "slow"]
fn memory_that_processes_share_counts_once() {
    let program = "import os, sys, time\n\
        side, writes = sys.argv[1], sys.argv[2] == 'writes'\n\
        block = bytearray(60 << 20)\n\
        all_done, done = os.pipe()\n\
        for _ in range(3):\n\
        \x20   if os.fork() == 0:\n\
        \x20       if writes: block[::4096] = bytes(len(block[::4096]))\n\
        \x20       os.write(done, b'!')\n\
        \x20       time.sleep(60)\n\
        \x20       os._exit(0)\n\
        for _ in range(3): os.read(all_done, 1)\n\
        time.sleep(20 if writes else 0.7)\n\
        if side == 'W': print('W,P', flush=True)\n\
        for line in sys.stdin:\n\
        \x20   if ',' in line: print(side + ',P', flush=True)\n";
    for user in users() {
        for level in ["limits", "sandbox"] {
            for (what, ending) in [("reads", "normal"), ("writes", "memory limit")] {
                let arena = arena(user);
                stub(&arena, "good", "honest");
                arena.engine("family", &["/usr/bin/python3", "{folder}/family.py", "{side}", what]);
                fs::write(arena.path("engines/family/family.py"), program).unwrap();
                if !Path::new("/usr/bin/python3").exists() {
                    not_tried!("apt-get install python3");
                    return;
                }
                let options = format!("--game letters:4x4x2 --memory 128M --isolation {level}");
                ends_so(&arena, user, ["family", "good"], &options, ending);
            }
        }
    }
}

/// Runtimes that reserve far more memory than they touch, and start a dozen threads before the
/// program.
#[test]
fn engines_with_large_runtimes_play_at_every_level_by_its_defaults() {
    let passes_in_java = "import java.util.Scanner;\n\
        public class Bot { public static void main(String[] words) {\n\
        var lines = new Scanner(System.in); var move = words[0] + \",P\";\n\
        if (words[0].equals(\"W\")) System.out.println(move);\n\
        while (lines.hasNextLine()) if (lines.nextLine().contains(\",\")) System.out.println(move); } }\n";
    let passes_in_node = "const move = process.argv[2] + ',P';\n\
        if (move === 'W,P') console.log(move);\n\
        require('readline').createInterface({ input: process.stdin })\n\
        .on('line', line => { if (line.includes(',')) console.log(move); });\n";
    let compiled = |arena: &Arena| {
        fs::write(arena.path("engines/java/Bot.java"), passes_in_java).unwrap();
        let javac = Command::new("javac").arg("Bot.java").current_dir(arena.path("engines/java")).status();
        javac.is_ok_and(|status| status.success())
    };
    for user in users() {
        for level in LEVELS.into_iter().filter(|level| is_thorough() || *level == "sandbox") {
            let arena = arena(user);
            arena.engine("java", &["java", "-cp", "{folder}", "Bot", "{side}"]);
            arena.engine("node", &["node", "{folder}/bot.js", "{side}"]);
            fs::write(arena.path("engines/node/bot.js"), passes_in_node).unwrap();
            if !compiled(&arena) || !Path::new("/usr/bin/node").exists() {
                not_tried!("apt-get install default-jdk-headless nodejs");
                return;
            }
            let options = format!("--game letters:4x4x2 --isolation {level}");
            ends_so(&arena, user, ["java", "node"], &options, "normal");
        }
    }
}

#[test]
fn an_engine_that_thinks_in_the_others_time_is_seen_at_every_level_and_stopped_in_a_box() {
    for user in users() {
        // What the machine gave it where nobody stops it is the control. A busy machine gives it
        // little in the time of its opponent, which then thinks for longer.
        let (mut ms, mut free) = (150, 0);
        while free <= 30_000 {
            assert!(ms < 15_000, "{user:?}: it has pondered, but {free} were seen");
            free = u64::MAX;
            for level in ["none", "limits"] {
                free = pondered(user, level, ms).into_iter().min().unwrap().min(free);
            }
            ms *= 4;
        }
        for off_turn in pondered(user, "sandbox", ms / 4) {
            // Four turns; in each a moment passes until the kernel stops it.
            assert!(off_turn < 30_000.max(free / 2), "{user:?}: {off_turn}, {free} if nobody stops it");
        }
    }
}

/// The processor time in microseconds, in each of two games, of an engine that ponders while its
/// opponent thinks for so long.
fn pondered(user: User, level: &str, ms: u32) -> Vec<u64> {
    let arena = arena(user);
    stub(&arena, "slow", &slow(ms));
    stub(&arena, "ponders", "ponder");
    let done = play(&arena, user, "slow", "ponders", &format!("--isolation {level} --max-plies 8"));
    assert_eq!(done.code, Some(0), "{user:?} {level} {}", done.stderr);
    let off_turn = |game: &Game, name: &str| micros(&game.seat(name)["usage"]["off_turn_micros"]);
    let games = arena.games();
    for game in &games {
        let honest = off_turn(game, "slow");
        assert!(honest < 10_000, "{user:?} {level}: {honest} of one who waits");
    }
    games.iter().map(|game| off_turn(game, "ponders")).collect()
}

#[test]
fn who_may_ponder_does() {
    let mut ms = 150;
    loop {
        let arena = arena(User::Own);
        stub(&arena, "slow", &slow(ms));
        stub(&arena, "ponders", "ponder");
        let done =
            play(&arena, User::Own, "slow", "ponders", "--isolation sandbox --ponder on --max-plies 8");
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        let off_turn = |game: &Game| micros(&game.seat("ponders")["usage"]["off_turn_micros"]);
        let least = arena.games().iter().map(off_turn).min().unwrap();
        if least > 30_000 {
            break;
        }
        assert!(ms < 15_000, "it may ponder, but {least} were seen");
        ms *= 4;
    }
}

#[test]
#[ignore = "slow"]
fn an_engine_that_was_stopped_has_all_its_time_when_it_is_asked() {
    for user in users() {
        let arena = arena(user);
        stub(&arena, "slow", "last-moment --word --ms 500");
        stub(&arena, "other", "last-moment --word --ms 500");
        // Each is stopped for 500 ms before each of its turns, which would make a second.
        let done = play(&arena, user, "slow", "other", "--isolation sandbox --max-plies 4");
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        for game in arena.games() {
            assert_eq!(game.ending().0, "adjudication", "{user:?} {}", game.reason());
            for seat in ["slow", "other"] {
                let longest = micros(&game.seat(seat)["longest_micros"]);
                assert!((1..1_000_000).contains(&longest), "{user:?} {longest}");
            }
        }
    }
}

#[test]
fn what_an_engine_forks_ends_with_its_box() {
    for user in users() {
        let arena = arena(user);
        stub(&arena, "good", SLOW);
        stub(&arena, "bad", "daemon");
        let done = play(&arena, user, "good", "bad", "--isolation sandbox --max-plies 6");
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        for game in arena.games() {
            let left = game.seat("bad")["stragglers"].as_u64().unwrap();
            assert!(left > 0, "{user:?} {}", game.0);
            assert_eq!(game.seat("good")["stragglers"], 0);
        }
    }
}

#[test]
fn a_box_shows_nothing_of_the_user_and_of_the_other_engines() {
    for user in users() {
        let arena = arena(user);
        stub(&arena, "good", SLOW);
        let secret = arena.path("secret");
        fs::write(&secret, "the answer key").unwrap();
        fs::set_permissions(&secret, fs::Permissions::from_mode(0o644)).unwrap();
        let script = format!(
            "cat {0} 2>/dev/null && echo SEEN; ls {1} 2>/dev/null; cat /etc/shadow /root/.bashrc 2>/dev/null \
             && echo SEEN; (echo x >/usr/x) 2>/dev/null && echo SEEN; ls /proc | grep -c '^[0-9]' >&2; \
             grep -c : /proc/net/dev >&2; id -u >&2; cat /proc/self/oom_score_adj >&2; cat board >&2",
            secret.display(),
            arena.path("engines/good").display()
        );
        arena.engine("curious", &["/bin/sh", "-c", &format!("({script}) 1>&2; exit 1")]);
        let done = play(&arena, user, "curious", "good", "--isolation sandbox --game letters:3x3x1");
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        let game = &arena.games()[0];
        let log = arena.log(game.id(), "W");
        let lines: Vec<&str> = log.lines().collect();
        assert!(!log.contains("SEEN") && !log.contains("engine.toml"), "{user:?} {log}");
        // The warden, the engine, and at most the shell and the two of the pipe that counts.
        assert!(lines[0].parse::<u32>().unwrap() <= 5, "{user:?} {log}");
        assert_eq!(lines[1], "1", "loopback is the only network: {log}");
        assert_ne!(lines[2], "0", "{user:?} {log}");
        assert_eq!(lines[3], "1000", "where memory is short, an engine goes first: {log}");
        assert_eq!(lines[4], "3 3 1", "{user:?} {log}");
    }
}

#[test]
#[ignore = "slow"]
fn an_engine_that_uses_more_memory_than_it_may_loses_by_that() {
    for user in users() {
        for level in ["limits", "sandbox"] {
            let arena = arena(user);
            stub(&arena, "good", SLOW);
            stub(&arena, "bad", "memory-family --mb 800");
            let options = format!("--isolation {level} --memory 300M");
            let done = play(&arena, user, "good", "bad", &options);
            assert_eq!(done.code, Some(0), "{}", done.stderr);
            for game in arena.games() {
                let ending = game.ending();
                assert_eq!(
                    ending,
                    ("memory limit".to_owned(), Some("bad")),
                    "{user:?} {level} {}",
                    game.reason()
                );
            }
        }
    }
}

#[test]
#[ignore = "slow"]
fn a_box_that_cannot_be_built_makes_the_game_void_and_says_which_step_failed() {
    for user in users() {
        let arena = arena(user);
        stub(&arena, "one", SLOW);
        stub(&arena, "other", SLOW);
        fs::create_dir(arena.path("shown")).unwrap();
        let arguments = "match engines/one engines/other --games 6 --out out --isolation sandbox --show shown \
                         --events events";
        let arguments: Vec<&str> = arguments.split_whitespace().collect();
        let mut command = command(&arena, user, &arguments);
        let began = Instant::now();
        let child = command.spawn().unwrap();
        wait_until("a game is over", || {
            fs::read_to_string(arena.path("events")).is_ok_and(|all| all.contains("game_over"))
        });
        // A part of the box does not exist any more, which is no engine's fault.
        fs::rename(arena.path("shown"), arena.path("gone")).unwrap();
        let done = arena.wait(child, began);
        arena.assert_nothing_left("a box cannot be built");
        assert_eq!(done.code, Some(4), "{}", done.stderr);
        let games = arena.games();
        assert!(games.iter().all(|game| game.ending().1.is_none()), "nobody lost by it");
        let last = games.last().unwrap();
        assert_eq!(last.ending().0, "void");
        assert!(last.reason().contains("opening /"), "{}", last.reason());
    }
}

#[test]
fn a_program_that_cannot_be_started_in_its_box_is_its_own_fault() {
    for user in users() {
        for level in ["limits", "sandbox"] {
            let arena = arena(user);
            stub(&arena, "good", SLOW);
            arena.engine("bad", &["./nothing"]);
            // It passes the check before the game, but is not a program for the kernel.
            let program = arena.path("engines/bad/nothing");
            let mut bytes = fs::read(STUB).unwrap();
            bytes.truncate(4096);
            fs::write(&program, bytes).unwrap();
            fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
            let done = play(&arena, user, "good", "bad", &format!("--isolation {level} --max-plies 4"));
            assert_eq!(done.code, Some(0), "{}", done.stderr);
            for game in arena.games() {
                let (cause, who) = game.ending();
                assert!(who == Some("bad") && ["start failed", "crash"].contains(&cause.as_str()), "{cause}");
            }
        }
    }
}

#[test]
fn nobody_outlives_a_harness_or_a_keeper_that_is_killed() {
    for user in users() {
        for (whom, level) in [("harness", "limits"), ("harness", "sandbox"), ("keeper", "sandbox")] {
            let arena = arena(user);
            stub(&arena, "one", "daemon");
            stub(&arena, "other", "last-moment --word --ms 20000");
            let options = format!("--games 2 --st 60 --isolation {level}");
            let mut arguments = vec!["match", "engines/one", "engines/other"];
            arguments.extend(options.split(' '));
            let mut keeper = command(&arena, user, &arguments).spawn().unwrap();
            let playing = || arena.processes().iter().any(|process| process.contains("last-moment"));
            wait_until("both engines play", playing);
            let harness = children_of(keeper.id())[0];
            let whom_to_kill = if whom == "harness" { harness } else { keeper.id().try_into().unwrap() };
            rustix::process::kill_process(
                rustix::process::Pid::from_raw(whom_to_kill).unwrap(),
                rustix::process::Signal::KILL,
            )
            .unwrap();
            keeper.wait().unwrap();
            arena.assert_nothing_left(&format!("{user:?} {level}: the {whom} was killed"));
        }
    }
}

#[test]
fn an_unavailable_level_is_refused_before_the_first_game() {
    let arena = arena(User::Own);
    stub(&arena, "one", SLOW);
    stub(&arena, "other", SLOW);
    // A user namespace in which no other can be made, and without root's capabilities.
    let refuse = "echo 0 >/proc/sys/user/max_user_namespaces && exec setpriv --bounding-set=-all --inh-caps=-all \
                  ./agon match engines/one engines/other --isolation sandbox --out out";
    let mut unshare = arena.command("unshare", &["-r", "sh", "-c", refuse]);
    let done = arena.run(&mut unshare);
    if done.code == Some(127) || done.stderr.contains("unshare:") || done.stderr.contains("setpriv:") {
        return; // a machine where this cannot be tried
    }
    assert_eq!(done.code, Some(3), "{}", done.stderr);
    assert!(
        done.stderr.contains("isolation level sandbox is not available on this machine: "),
        "{}",
        done.stderr
    );
    assert!(done.stderr.contains("making namespaces") && done.stderr.contains("limits"), "{}", done.stderr);
    assert!(!arena.path("out").exists(), "nothing has begun");
}

/// Whether control groups are available; without them, a level that needs them is refused.
fn strict_is_available(arena: &Arena) -> bool {
    stub(arena, "one", SLOW);
    let done = play(arena, User::Own, "one", "one", "--isolation strict --max-plies 2");
    if done.code == Some(3) {
        assert!(done.stderr.contains("control groups"), "{}", done.stderr);
    }
    done.code != Some(3)
}

/// The control groups left by a harness of this test or of another process.
fn groups_left() -> Vec<String> {
    let found =
        Command::new("find").args(["/sys/fs/cgroup", "-type", "d", "-name", "agon-[0-9]*.[0-9]*-*"]).output();
    String::from_utf8_lossy(&found.unwrap().stdout).lines().map(str::to_owned).collect()
}

#[test]
fn at_strict_the_kernel_counts_memory_and_processes_and_says_who_was_over() {
    if !strict_is_available(&arena(User::Own)) {
        return;
    }
    for (mode, options, cause) in [
        // Shared memory and files count, although no single process exceeds the limit.
        ("memory-family --mb 800", "--memory 300M", "memory limit"),
        ("fork-bomb", "--processes 40", "process limit"),
    ] {
        let arena = arena(User::Own);
        stub(&arena, "good", SLOW);
        stub(&arena, "bad", mode);
        let done = play(&arena, User::Own, "good", "bad", &format!("--isolation strict {options}"));
        assert_eq!(done.code, Some(0), "{mode} {}", done.stderr);
        for game in arena.games() {
            assert_eq!(game.ending(), (cause.to_owned(), Some("bad")), "{mode} {}", game.reason());
            assert!(game.reason().contains("it wanted more than"), "the kernel saw to it: {}", game.reason());
        }
    }
}

#[test]
fn at_strict_an_engine_that_thinks_in_the_others_time_is_stopped_and_goes_on_in_its_own() {
    if !strict_is_available(&arena(User::Own)) {
        return;
    }
    let arena = arena(User::Own);
    stub(&arena, "slow", SLOW);
    stub(&arena, "ponders", "ponder");
    let done = play(&arena, User::Own, "slow", "ponders", "--isolation strict --max-plies 8");
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    for game in arena.games() {
        assert_eq!(game.ending().0, "adjudication", "{}", game.reason());
        let off_turn = micros(&game.seat("ponders")["usage"]["off_turn_micros"]);
        assert!(off_turn < 30_000, "{off_turn}");
        let in_force = game.0["record"]["isolation"]["in_force"].to_string();
        assert!(in_force.contains("control groups"), "{in_force}");
    }
}

#[test]
fn no_control_group_outlives_a_harness_that_is_killed() {
    if !strict_is_available(&arena(User::Own)) {
        return;
    }
    let arena = arena(User::Own);
    stub(&arena, "one", "daemon");
    stub(&arena, "other", "last-moment --word --ms 20000");
    let arguments =
        ["match", "engines/one", "engines/other", "--games", "2", "--st", "60", "--isolation", "strict"];
    let mut keeper = command(&arena, User::Own, &arguments).spawn().unwrap();
    let playing = || arena.processes().iter().any(|process| process.contains("last-moment"));
    wait_until("both engines play", playing);
    let harness = children_of(keeper.id())[0];
    let mine = || groups_left().into_iter().any(|group| group.contains(&format!(".{harness}-")));
    assert!(mine());
    let pid = rustix::process::Pid::from_raw(harness).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    keeper.wait().unwrap();
    arena.assert_nothing_left("strict: the harness was killed");
    assert!(!mine(), "{:?}", groups_left());
}

#[test]
fn root_is_warned_of_engines_with_its_powers() {
    for user in users() {
        for level in ["limits", "sandbox"] {
            let arena = arena(user);
            stub(&arena, "one", "last-moment --word --ms 1");
            stub(&arena, "other", "last-moment --word --ms 1");
            let done = play(&arena, user, "one", "other", &format!("--isolation {level} --max-plies 2"));
            let root = user == User::Own && rustix::process::geteuid().is_root();
            let warned = done.stderr.matches("the powers of root").count();
            assert_eq!(warned, usize::from(root && level == "limits"), "{user:?} {level} {}", done.stderr);
        }
    }
}
