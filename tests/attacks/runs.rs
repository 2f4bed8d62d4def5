//! Honest engines among hostile ones: their games end as they do alone, at every level.

use crate::support::{Arena, Game};
use crate::support::{GREEDY, LOOKAHEAD, not_tried};

const HOSTILE: [(&str, &str); 6] = [
    ("flood", "endless-output"),
    ("family", "sleepers"),
    ("silent", "hang"),
    ("greedy-one", "memory"),
    ("pondering", "ponder"),
    ("bomb", "fork-bomb"),
];

/// The moves and the verdicts of the games of honest engines.
fn honest_games(level: &str, hostile: &[(&str, &str)]) -> Vec<String> {
    let arena = Arena::new();
    arena.engine("greedy", &[GREEDY]);
    arena.engine("lookahead", &[LOOKAHEAD]);
    for (name, mode) in hostile {
        arena.stub(name, mode);
    }
    // The only one that lets its time pass.
    let short = if hostile.iter().any(|(name, _)| *name == "silent") { "--time silent=st=0.7" } else { "" };
    let arguments = format!(
        "tournament engines --games 2 --game letters:4x4x2 --seed 7 --st 20 {short} --margin 0.4 --startup 20 --concurrency 3 \
         --memory 128M --disk 32M --processes 64 --out out --events events --isolation {level}"
    );
    let arguments: Vec<&str> = arguments.split_ascii_whitespace().collect();
    let finished = arena.run(&mut arena.agon(&arguments));
    assert_eq!(finished.code, Some(0), "{level}: {finished:?}");
    arena.assert_nothing_left(level);
    arena.assert_harmless(level);
    let honest = |game: &Game| {
        let seats = game.0["record"]["seats"].as_array().unwrap();
        seats.iter().filter(|seat| seat["entrant"] == "greedy" || seat["entrant"] == "lookahead").count()
    };
    let mut games = Vec::new();
    for game in arena.games() {
        if honest(&game) == 2 {
            let record = &game.0["record"];
            let plies: Vec<_> = record["plies"].as_array().unwrap().iter().map(|ply| &ply["text"]).collect();
            games.push(format!("{} {plies:?} {}", record["seed"], record["verdict"]));
        } else if honest(&game) == 1 {
            let at_fault = game.ending().1;
            let is_hostile = |name: &str| hostile.iter().any(|(bad, _)| *bad == name);
            assert!(at_fault.is_none_or(is_hostile), "{level}: {at_fault:?}: {}", game.reason());
        }
    }
    games.sort();
    games
}

#[test]
#[ignore = "slow"]
fn honest_games_among_hostile_engines_end_as_they_do_alone() {
    let _alone = crate::alone();
    let levels: &[_] =
        if crate::support::is_thorough() { &["limits", "sandbox", "strict"] } else { &["sandbox"] };
    for level in levels {
        if crate::case::is_available(level, crate::case::User::Plain).is_err() {
            not_tried!("{level}");
            continue;
        }
        let alone = honest_games(level, &[]);
        assert_eq!(alone.len(), 2);
        assert_eq!(alone, honest_games(level, &HOSTILE), "{level}");
    }
}
