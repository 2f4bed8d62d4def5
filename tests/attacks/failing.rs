//! Levels that are missing, from the start or suddenly: nothing is ever played at a weaker one.

use std::time::Instant;

use crate::case::{Stage, User};
use crate::support::not_tried;
use crate::support::{children_of, wait_until};

/// In a user namespace in which no other can be made. Needs a machine on which users can make one.
#[test]
#[ignore = "slow"]
fn a_level_that_is_not_available_is_refused_before_the_first_game() {
    let _alone = crate::alone();
    for user in User::ALL.into_iter().filter(|user| user.can_be_had()) {
        let stage = Stage::new(user, "honest", "honest");
        let shut = "echo 0 >/proc/sys/user/max_user_namespaces && exec \"$@\"";
        let inside = ["unshare", "-Ur", "sh", "-c", shut, "sh"];
        if stage.run(&mut stage.command(&inside, &["--version"])).code != Some(0) {
            eprintln!("NOT TRIED as {user}: no user namespace is available");
            continue;
        }
        let arguments =
            ["match", "engines/bad", "engines/good", "--game", "letters:4x4x2", "--events", "events"];
        let finished = stage.run(stage.command(&inside, &arguments).args(["--isolation", "sandbox"]));
        assert_eq!(finished.code, Some(3), "{finished:?}");
        assert!(
            finished.stderr.contains("isolation level sandbox is not available on this machine"),
            "{finished:?}"
        );
        assert!(stage.arena.events().is_empty(), "nothing was begun: {:?}", stage.arena.events());
        stage.arena.assert_nothing_left("a level that is not available");
    }
}

/// The harness may start no more processes, so no box can be built.
#[test]
#[ignore = "slow"]
fn a_box_that_cannot_be_built_in_the_middle_of_a_run_spoils_games_and_weakens_none() {
    let _alone = crate::alone();
    if crate::case::is_available("sandbox", User::Plain).is_err() {
        not_tried!("no sandbox is available");
        return;
    }
    let stage = Stage::new(User::Plain, "last-moment --word --ms 60", "last-moment --word --ms 60");
    let arguments = "match engines/bad engines/good --games 40 --concurrency 1 --game letters:4x4x2 --seed 3 --st 2 \
                     --isolation sandbox --out out --events events";
    let arguments: Vec<&str> = arguments.split_ascii_whitespace().collect();
    let began = Instant::now();
    let keeper = stage.command(&[], &arguments).spawn().unwrap();
    let lines = || std::fs::read_to_string(stage.arena.path("events")).unwrap_or_default();
    wait_until("a game is over", || lines().contains("game_over"));
    let harness = children_of(keeper.id());
    let shut = stage.as_its_user("prlimit", &["--pid", &harness[0].to_string(), "--nproc=1:1"]).status();
    assert!(shut.unwrap().success());
    let finished = stage.arena.wait(keeper, began);
    assert_eq!(finished.code, Some(1), "{finished:?}");
    let games = stage.arena.games();
    let endings: Vec<String> = games.iter().map(|game| game.ending().0).collect();
    assert!(format!("{finished:?}").contains("temporarily unavailable"), "{finished:?}");
    assert!(endings.iter().all(|ending| ending == "void" || ending == "normal"), "{endings:?}");
    for game in &games {
        assert_eq!(game.0["record"]["isolation"]["level"], "sandbox", "{}", game.0);
    }
    stage.arena.assert_nothing_left("no box any more");
}

/// Whichever of the two processes of a run is killed, no engine is left at any level.
#[test]
#[ignore = "slow"]
fn a_run_that_is_killed_leaves_no_engine_at_any_level() {
    let _alone = crate::alone();
    use rustix::process::{Pid, Signal, kill_process};
    for (level, user) in [
        ("none", User::Root),
        ("limits", User::Root),
        ("sandbox", User::Root),
        ("strict", User::Root),
        ("sandbox", User::Plain),
    ] {
        if !user.can_be_had() || crate::case::is_available(level, user).is_err() {
            not_tried!("{level} as {user}");
            continue;
        }
        for kill_the_keeper in [true, false] {
            let stage = Stage::new(user, "daemon", "last-moment --word --ms 60");
            let arguments = "match engines/bad engines/good --games 40 --concurrency 2 --game letters:4x4x2 --seed 3 --st 2 \
                             --out out --events events --isolation";
            let arguments: Vec<&str> = arguments.split_ascii_whitespace().chain([level]).collect();
            let mut keeper = stage.command(&[], &arguments).spawn().unwrap();
            let lines = || std::fs::read_to_string(stage.arena.path("events")).unwrap_or_default();
            wait_until("a game is over", || lines().contains("game_over"));
            let harness = children_of(keeper.id());
            let whom = if kill_the_keeper { i32::try_from(keeper.id()).unwrap() } else { harness[0] };
            kill_process(Pid::from_raw(whom).unwrap(), Signal::KILL).unwrap();
            keeper.wait().unwrap();
            stage.arena.assert_nothing_left(&format!("{level} as {user}, the keeper: {kill_the_keeper}"));
        }
    }
}
