//! The sample engine that plays perfectly, as it is shipped.

use std::fs;

use serde_json::Value;

use super::home::{Home, Said};
use crate::support::is_thorough;

fn run(home: &Home, line: &str) -> Said {
    home.shell(&format!("XDG_CACHE_HOME=$PWD/cache agon {line}"))
}

fn played(home: &Home, line: &str) {
    let said = run(home, line);
    assert_eq!(said.code, Some(0), "{}", said.all());
}

fn lines(said: &Said) -> Vec<Value> {
    said.out().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What the analysis of a run says of an engine.
fn analysed(home: &Home, engine: &str) -> Value {
    let all = lines(&run(home, "analyse out --engines --json"));
    all.into_iter().find(|one| one["engine"] == engine).unwrap()
}

/// A folder with the shipped oracle under another name, and more arguments.
fn oracle(home: &Home, name: &str, more: &str) {
    let toml = home.read("any-game/oracle/engine.toml");
    let toml = toml.replace("name = \"oracle\"", "").replace("\"{seed}\"]", &format!("\"{{seed}}\"{more}]"));
    assert!(more.is_empty() || toml.contains(more), "{toml}");
    home.put(format!("oracles/{name}/engine.toml"), &toml);
}

#[test]
#[ignore = "slow"]
fn the_shipped_oracle_throws_no_game_away_at_any_level_and_makes_no_table_in_a_game() {
    let home = Home::with_samples();
    // It would use all of its time.
    let toml = home.read("any-game/alphabeta/engine.toml");
    home.put(
        "any-game/alphabeta/engine.toml",
        toml.replace("\"{position}\"", "\"{position}\", \"--depth\", \"3\""),
    );
    let matches = [
        ("morris", "mover", "sandbox", 4),
        ("morris", "alphabeta", "limits", 2),
        ("mnk:3x3,3", "mover", "limits", 6),
        ("mnk:4x4,4", "alphabeta", "sandbox", 2),
        ("mnk:5x5,4", "mover", "sandbox", 2),
    ];
    for (game, other, level, games) in matches {
        let options = format!("--game {game} --games {games} --isolation {level} --seed 7 --st 5");
        let said = run(&home, &format!("match any-game/oracle any-game/{other} {options} --out out"));
        if said.code == Some(3) {
            eprintln!("NOT TRIED: {level} is not available");
            continue;
        }
        assert_eq!(said.code, Some(0), "{}", said.all());
        for record in lines(&run(&home, "games out --json")) {
            assert_eq!(record["termination"], "normal", "{record}");
        }
        let own = analysed(&home, "oracle");
        assert_eq!((&own["thrown_away"], &own["blunders"]), (&0.into(), &0.into()), "{game}: {own}");
        assert!(own["known"] == own["perfect"] && own["known"].as_u64() > Some(0), "{game}: {own}");
        // With less time it plays other moves, as good ones, and a search need not know them all.
        assert!(own["known"] == own["moves"] || game == "mnk:5x5,4", "{game}: {own}");
        fs::remove_dir_all(home.path("out")).unwrap();
    }
    let tables: Vec<_> = fs::read_dir(home.path("cache/agon")).unwrap().map(|file| file.unwrap()).collect();
    assert_eq!(tables.len(), 1, "{tables:?}");
    let whole = tables[0].metadata().unwrap().modified().unwrap();
    played(&home, "match any-game/oracle any-game/mover --game morris --games 2 --seed 8 --st 5 --out out");
    assert_eq!(tables[0].metadata().unwrap().modified().unwrap(), whole, "made once");
}

/// Without a table it would take a whole solve to know the value.
#[test]
#[ignore = "slow"]
fn without_a_table_or_time_the_oracle_answers_in_time_all_the_same() {
    let home = Home::with_samples();
    oracle(&home, "blind", ", \"--positions\", \"1000000000\"");
    // It does not ask for tables, so none are made.
    let toml = home.read("oracles/blind/engine.toml").replace("{tables}", "/nowhere");
    home.put("oracles/blind/engine.toml", &toml);
    for (game, plies) in [("morris:nine", 2), ("mnk:7x4,4", 2), ("connect4", 2)] {
        // A solve, or a search that no clock ends, takes longer than the margin.
        let options = format!("--game {game} --games 2 --seed 7 --st 1 --margin 4 --max-plies {plies}");
        let options = format!("{options} --random-plies 0");
        played(&home, &format!("match oracles/blind any-game/mover {options} --out out"));
        for record in lines(&run(&home, "games out --json")) {
            assert_ne!(record["termination"], "time forfeit", "{game}: {record}");
            assert_eq!(record["plies"], plies, "{game}: {record}");
        }
        fs::remove_dir_all(home.path("out")).unwrap();
    }
}

#[test]
#[ignore = "slow"]
fn a_ladder_of_oracles_makes_a_rating_scale() {
    let home = Home::with_samples().with_morris_solved();
    for skill in ["100", "70", "40", "0"] {
        oracle(&home, &format!("skill-{skill}"), &format!(", \"--skill\", \"{skill}\""));
    }
    let games = if is_thorough() { 20 } else { 8 };
    let options = format!("--game morris --games {games} --seed 11 --st 20 --max-plies 120 --out out");
    played(&home, &format!("tournament oracles {options}"));
    let json: Value = serde_json::from_str(&run(&home, "standings out --json").out()).unwrap();
    let rows = json["standings"].as_array().unwrap();
    let names: Vec<&str> = rows.iter().map(|row| row["engine"].as_str().unwrap()).collect();
    assert_eq!(names, ["skill-100", "skill-70", "skill-40", "skill-0"], "{json}");
    assert_eq!(rows.iter().filter_map(|row| row["games"].as_u64()).sum::<u64>(), 12 * games, "{json}");
}

#[test]
#[ignore = "slow"]
fn two_oracles_play_another_game_each_time_and_the_same_ones_again() {
    let home = Home::with_samples().with_morris_solved();
    for name in ["one", "two"] {
        oracle(&home, name, ", \"--skill\", \"60\"");
    }
    let moves = |out: &str| {
        let options = "--game morris --games 6 --seed 3 --st 20 --random-plies 0 --max-plies 40";
        played(&home, &format!("tournament oracles {options} --out {out}"));
        let games = lines(&run(&home, &format!("export json {out}")));
        let text = |ply: &Value| ply["text"].as_str().unwrap().to_owned();
        let moves = |game: &Value| game["plies"].as_array().unwrap().iter().map(text).collect();
        games.iter().map(moves).collect()
    };
    let first: Vec<Vec<String>> = moves("out");
    assert_eq!(first.len(), 6);
    let mut different = first.clone();
    different.sort();
    different.dedup();
    assert_eq!(different.len(), 6, "{first:?}");
    assert_eq!(moves("again"), first);
}

#[test]
fn without_skill_no_move_is_a_best_one_if_there_is_another() {
    let home = Home::with_samples();
    oracle(&home, "weak", ", \"--skill\", \"0\"");
    let options = "--game mnk:4x4,3 --games 10 --seed 3 --st 20";
    played(&home, &format!("match oracles/weak any-game/mover {options} --out out"));
    let csv = run(&home, "analyse out --csv").out();
    let mut moves = 0;
    for row in csv.lines().filter(|row| row.contains(",weak,")) {
        let (rest, keeping) = row.rsplit_once(',').unwrap();
        let legal = rest.rsplit_once(',').unwrap().1;
        assert!(!row.contains(",perfect,") || keeping == legal, "{row}");
        moves += 1;
    }
    assert!(moves > 20, "{csv}");
}
