//! The harness and its keeper are killed together, so that neither can clean up after the other.
//! Engines in a box end all the same, and the next run removes the files.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)] // helpers of tests may panic

mod support;

use std::process::{Child, Command};

use rustix::process::{Pid, Signal, kill_process};
use support::{Arena, children_of, is_thorough, not_tried, wait_until};

/// Every level that is available.
fn levels() -> Vec<&'static str> {
    let mut all = vec!["none", "limits", "sandbox"];
    if strict_is_available() {
        all.push("strict");
    } else {
        not_tried!("strict is not available here");
    }
    all
}

fn strict_is_available() -> bool {
    let arena = Arena::new();
    arena.stub("one", "honest");
    let done = arena.play("one", "one", "--isolation strict --max-plies 2");
    done.code != Some(3)
}

/// A match in which one engine thinks for a while and the other one is frozen, if the level does
/// that.
fn start(arena: &Arena, level: &str) -> Child {
    // Without a box, an engine ends at EOF or not at all.
    arena.stub("waits", if level == "none" || level == "limits" { "honest" } else { "ponder" });
    arena.stub("thinks", "last-moment --word --ms 20000");
    let arguments =
        ["match", "engines/waits", "engines/thinks", "--games", "20", "--out", "out", "--concurrency", "1"];
    let mut command = arena.agon(&arguments);
    command.args(["--isolation", level, "--st", "60"]);
    let keeper = command.spawn().unwrap();
    let plays = |name: &str| arena.processes().iter().any(|process| process.contains(name));
    wait_until("both engines play", || plays("last-moment") && (plays("ponder") || plays("honest")));
    // It begins to play, and the other one is frozen.
    std::thread::sleep(std::time::Duration::from_millis(300));
    keeper
}

fn kill(pid: i32) {
    let _ = kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL); // it may have ended with another one
}

/// Kills both, and optionally the helpers of boxes. Returns the process number of the harness.
fn kill_together(mut keeper: Child, helpers: bool) -> i32 {
    let harness = children_of(keeper.id())[0];
    let others = if helpers { children_of(harness.unsigned_abs()) } else { Vec::new() };
    // All of them are stopped first, so that none sees another one's end.
    let all: Vec<i32> = [i32::try_from(keeper.id()).unwrap(), harness].into_iter().chain(others).collect();
    all.iter().for_each(|pid| _ = kill_process(Pid::from_raw(*pid).unwrap(), Signal::STOP));
    all.iter().for_each(|pid| kill(*pid));
    keeper.wait().unwrap();
    harness
}

/// The control groups of a harness.
fn groups_of(harness: i32) -> Vec<String> {
    let name = format!("agon-*.{harness}-*");
    let found = Command::new("find").args(["/sys/fs/cgroup", "-type", "d", "-name", &name]).output();
    String::from_utf8_lossy(&found.unwrap().stdout).lines().map(str::to_owned).collect()
}

#[test]
fn no_engine_outlives_a_harness_and_a_keeper_that_are_killed_together() {
    for level in levels() {
        for time in 0..if is_thorough() { 5 } else { 1 } {
            let what = format!("{level}, time {time}");
            let arena = Arena::new();
            let keeper = start(&arena, level);
            let harness = children_of(keeper.id())[0];
            assert_eq!(groups_of(harness).is_empty(), level != "strict", "{what}");
            kill_together(keeper, false);
            arena.assert_no_process_left(&what);
            wait_until(&format!("the groups are gone: {what}"), || groups_of(harness).is_empty());
        }
    }
}

/// Another run with the same directory for temporary files.
fn play_another(arena: &Arena) {
    arena.stub("next", "honest");
    let arguments =
        ["match", "engines/next", "engines/next", "--games", "2", "--max-plies", "2", "--out", "another"];
    let done = arena.run(&mut arena.agon(&arguments));
    assert_eq!(done.code, Some(0), "{done:?}");
}

#[test]
fn the_next_run_removes_the_directories_of_one_that_was_killed_and_not_those_of_one_that_plays() {
    let (killed, living) = (Arena::new(), Arena::new());
    let harness = kill_together(start(&killed, "limits"), false);
    killed.assert_no_process_left("limits");
    let count = |arena: &Arena| std::fs::read_dir(arena.path("tmp")).unwrap().count();
    assert_eq!(count(&killed), 1, "nobody was left to remove the directory of {harness}");
    let keeper = start(&living, "limits");
    std::fs::rename(killed.path("tmp"), living.path("tmp/killed")).unwrap();
    let left = std::fs::read_dir(living.path("tmp/killed")).unwrap().next().unwrap().unwrap();
    std::fs::rename(left.path(), living.path("tmp").join(left.file_name())).unwrap();
    std::fs::remove_dir(living.path("tmp/killed")).unwrap();
    assert_eq!(count(&living), 2);
    play_another(&living);
    assert_eq!(count(&living), 1, "the run that plays has kept its own");
    kill_together(keeper, false);
}

#[test]
fn the_next_run_removes_the_control_groups_of_one_that_was_killed_with_its_helpers() {
    if !strict_is_available() {
        return;
    }
    let arena = Arena::new();
    let harness = kill_together(start(&arena, "strict"), true);
    arena.assert_no_process_left("strict, with the helpers");
    assert!(!groups_of(harness).is_empty(), "nobody was left to remove them");
    play_another(&arena);
    assert_eq!(groups_of(harness), Vec::<String>::new());
}
