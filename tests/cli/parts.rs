//! A run that is cut into parts for several machines, and the parts that are put together.

use std::fs;

use serde_json::Value;

use super::home::{Home, Said};

/// A folder with four engines that play random legal moves.
fn home() -> Home {
    let home = Home::new();
    let mover = env!("CARGO_BIN_EXE_agon-mover");
    for name in ["ada", "bob", "cy", "dora"] {
        let toml = format!(
            "command = [{mover:?}]\nargs = [\"{{game}}\", \"{{side}}\", \"{{seconds}}\", \"{{position}}\"]\n"
        );
        home.put(format!("engines/{name}/engine.toml"), &toml);
    }
    home
}

const OPTIONS: &str = "--game mnk:5x5,4 --games 4 --st 5 --seed 7 --concurrency 1";

/// Runs a command of blanks and words.
fn agon(home: &Home, line: &str) -> Said {
    home.agon(line.split_whitespace())
}

fn plays(home: &Home, more: &str) -> Said {
    let said = agon(home, &format!("tournament engines {OPTIONS} {more}"));
    assert_eq!(said.code, Some(0), "{}", said.all());
    said
}

/// The games that count, without what differs from run to run.
fn games(home: &Home, directory: &str) -> Vec<(String, Vec<String>, String)> {
    let lines = agon(home, &format!("export json {directory}")).out();
    let mut games: Vec<_> = lines
        .lines()
        .map(|line| {
            let game: Value = serde_json::from_str(line).unwrap();
            let plies = game["plies"].as_array().unwrap();
            let moves = plies.iter().map(|ply| ply["text"].as_str().unwrap().to_owned()).collect();
            (game["key"].as_str().unwrap().to_owned(), moves, game["verdict"].to_string())
        })
        .collect();
    games.sort();
    games
}

#[test]
fn parts_make_the_run_that_one_machine_would_have_played() {
    let home = home();
    plays(&home, "--out whole");
    let all = games(&home, "whole");
    assert_eq!(all.len(), 24);
    let mut sizes = Vec::new();
    for part in 1..=3 {
        plays(&home, &format!("--out part-{part} --part {part}/3"));
        let own = games(&home, &format!("part-{part}"));
        assert!(own.iter().all(|game| all.contains(game)), "part {part}");
        // Both games on a board are in the same part.
        assert_eq!(own.len() % 2, 0);
        sizes.push(own.len());
    }
    assert_eq!(sizes.iter().sum::<usize>(), 24, "{sizes:?}");
    assert!(sizes.iter().filter(|size| **size > 0).count() >= 2, "{sizes:?}");
    let first = agon(&home, "merge all part-2 part-1");
    assert_eq!(first.code, Some(0), "{}", first.all());
    let missing = sizes[2];
    assert!(
        first.out().contains(&format!("of 24 games are there, {missing} are missing")),
        "{}",
        first.all()
    );
    // Twice is as good as once.
    let again = agon(&home, "merge all part-1 part-2 part-3");
    assert!(again.out().contains("part-1: 0 games taken in\n"), "{}", again.all());
    assert!(again.out().ends_with("all: all 24 games are there\n"), "{}", again.all());
    assert_eq!(games(&home, "all"), all);
    let (whole, merged) =
        (agon(&home, "standings whole --csv").out(), agon(&home, "standings all --csv").out());
    let points = |table: &str| -> Vec<String> {
        table.lines().map(|row| row.split(',').take(8).collect::<Vec<_>>().join(",")).collect()
    };
    assert_eq!(points(&whole), points(&merged));
    let verified = agon(&home, "verify all");
    assert_eq!(verified.code, Some(0), "{}", verified.all());
    let resumed = plays(&home, "--out all");
    assert!(resumed.err().contains("24 games have been played already"), "{}", resumed.all());
}

#[test]
fn what_is_missing_is_played_and_a_part_goes_on() {
    let home = home();
    plays(&home, "--out part-1 --part 1/2");
    let again = plays(&home, "--out part-1 --part 1/2");
    assert!(again.err().contains("games have been played already and count"), "{}", again.all());
    assert_eq!(agon(&home, "merge all part-1").code, Some(0));
    let had = games(&home, "all");
    plays(&home, "--out all");
    let all = games(&home, "all");
    assert!(all.len() == 24 && had.len() < 24 && had.iter().all(|game| all.contains(game)));
}

#[test]
fn a_part_of_another_run_is_left_out_whole() {
    let home = home();
    plays(&home, "--out part-1 --part 1/2");
    assert_eq!(agon(&home, "merge all part-1").code, Some(0));
    let before = games(&home, "all");
    let other = OPTIONS.replace("--seed 7", "--seed 8");
    let played = agon(&home, &format!("tournament engines {other} --out other --part 2/2"));
    assert_eq!(played.code, Some(0), "{}", played.all());
    let said = agon(&home, "merge all other");
    assert_eq!(said.code, Some(1), "{}", said.all());
    assert!(
        said.err().contains("other: left out: it is part of another run: seed is 8 and not 7"),
        "{}",
        said.all()
    );
    home.put("engines/bob/notes", "another bob");
    plays(&home, "--out changed --part 2/2");
    let said = agon(&home, "merge all changed");
    assert!(
        said.code == Some(1) && said.err().contains("the engine bob is another program"),
        "{}",
        said.all()
    );
    // A copy that was cut short.
    fs::remove_file(home.path("engines/bob/notes")).unwrap();
    plays(&home, "--out torn --part 2/2");
    let database = home.path("torn/agon.db");
    let whole = fs::read(&database).unwrap();
    fs::write(&database, &whole[..whole.len() / 2]).unwrap();
    let said = agon(&home, "merge all torn");
    assert!(said.code == Some(1) && said.err().contains("torn: left out: "), "{}", said.all());
    fs::write(&database, &whole).unwrap();
    // A game with a move that the rules refuse.
    let changed =
        home.shell("sqlite3 torn/agon.db \"UPDATE moves SET plies = replace(plies, 'X,', 'X,z')\" 2>&1");
    if changed.code == Some(0) {
        let said = agon(&home, "merge all torn");
        assert!(said.code == Some(1) && said.err().contains("torn: left out: game r"), "{}", said.all());
    }
    assert_eq!(games(&home, "all"), before);
}

#[test]
fn wrong_parts_are_refused_in_words() {
    let home = home();
    for (line, words) in [
        ("tournament engines --seed 1 --part 0/3", "it is no part of a whole; write one like 2/8"),
        ("tournament engines --seed 1 --part 4/3", "it is no part of a whole; write one like 2/8"),
        ("tournament engines --seed 1 --part 2", "it is no part of a whole; write one like 2/8"),
        ("tournament engines --part 1/2", "give all parts the same --seed"),
        ("merge all nowhere", "nowhere: there is no run in it"),
        ("merge all", "FROM"),
    ] {
        let said = agon(&home, line);
        assert!(said.code == Some(2) && said.err().contains(words), "{line}: {}", said.all());
    }
    home.put("cup.toml", "engines = \"engines\"\nseed = 1\nformat = \"knockout\"\n");
    let said = agon(&home, "tournament cup.toml --part 1/2");
    assert!(said.code == Some(2) && said.err().contains("are not cut into parts"), "{}", said.all());
    plays(&home, "--out part-1 --part 1/2");
    let said = agon(&home, "merge part-1 part-1");
    assert!(said.code == Some(2) && said.err().contains("it cannot be merged into itself"), "{}", said.all());
}
