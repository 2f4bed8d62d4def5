//! The levels on a system that is not Linux, tried on Linux with `--cfg agon_posix`.

#![cfg(any(not(target_os = "linux"), agon_posix))]
#![allow(clippy::unwrap_used)] // helpers of tests may panic

mod support;

use support::{Arena, Finished};

fn match_at(level: &str) -> (Arena, Finished) {
    let arena = Arena::new();
    arena.stub("one", "honest");
    // The limits of the kernel, as a shell shows them.
    let limits = "for what in c n f d; do echo limit $what $(ulimit -$what) >&2; done";
    let program = env!("CARGO_BIN_EXE_agon-stub");
    arena.engine("two", &["/bin/sh", "-c", &format!("{limits}; exec {program} honest \"$@\""), "sh"]);
    let finished = arena.play(
        "one",
        "two",
        &format!("--size 4x4x2 --seed 3 --st 2 --disk 8M --memory 128M --isolation {level}"),
    );
    (arena, finished)
}

#[test]
fn boxes_are_refused_by_name_with_the_next_step() {
    for level in ["sandbox", "strict"] {
        let (arena, finished) = match_at(level);
        assert_eq!(finished.code, Some(3), "{finished:?}");
        let words = [
            &format!("isolation level {level} is not available on this machine"),
            "Linux",
            "--isolation limits",
        ];
        words.iter().for_each(|word| assert!(finished.stderr.contains(*word), "{finished:?}"));
        assert!(!arena.path("out/games.csv").exists());
    }
    let arena = Arena::new();
    let folder = arena.path("handed/in");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("bot.c"), "int main(void) { return 0; }\n").unwrap();
    let finished = arena.run(&mut arena.agon(&["build", "handed"]));
    assert_eq!(finished.code, Some(3), "{finished:?}");
}

#[test]
fn none_is_whole_and_limits_says_what_it_does_without() {
    let (arena, finished) = match_at("none");
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert!(!finished.stderr.contains("less here"), "{finished:?}");
    arena.games().iter().for_each(|game| assert_eq!(game.ending().0, "normal", "{}", game.reason()));
    assert_eq!(in_force(&arena), ["process group", "stragglers by their mark"]);

    let (arena, finished) = match_at("limits");
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert!(finished.stderr.contains("--isolation limits promises less here than on Linux"), "{finished:?}");
    assert_eq!(in_force(&arena), ["process group", "stragglers by their mark", "rlimits"]);
    let game = &arena.games()[0];
    let log = arena.log(game.id(), if game.seat_number("two") == 0 { "W" } else { "B" });
    // Blocks of 512 bytes, and kilobytes.
    for line in ["limit c 0", "limit n 1024", "limit f 16384", "limit d 262144"] {
        assert!(log.lines().any(|said| said == line), "{line}: {log}");
    }
}

fn in_force(arena: &Arena) -> Vec<String> {
    let events = arena.events();
    let game = events.iter().find(|event| event["event"] == "game_over").unwrap();
    let list = game["record"]["isolation"]["in_force"].as_array().unwrap();
    list.iter().map(|words| words.as_str().unwrap().to_owned()).collect()
}
