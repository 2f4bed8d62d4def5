//! `--json` of the looking commands: lines that programs read, with documented keys.

use std::fs;

use serde_json::Value;

use super::home::{Home, root};

/// The objects of a command, with every key found in its part of `docs/json.md`.
fn objects(home: &Home, words: &str) -> Vec<Value> {
    let said = home.agon(words.split(' '));
    assert_eq!((said.code, said.err()), (Some(0), String::new()), "agon {words}: {}", said.all());
    let page = fs::read_to_string(root().join("docs/json.md")).unwrap();
    let head = format!("## agon {} --json\n", words.split(' ').next().unwrap());
    let part = page.split(&head).nth(1).unwrap_or_else(|| panic!("docs/json.md has no {head}"));
    let part = part.split("\n## ").next().unwrap();
    let objects: Vec<Value> = said.out().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for key in objects.iter().flat_map(|object| object.as_object().unwrap().keys()) {
        assert!(part.contains(&format!("`{key}`")), "docs/json.md has no `{key}` of agon {words}");
    }
    objects
}

#[test]
fn every_looking_command_writes_an_object_a_line_with_the_keys_of_the_page() {
    let home = Home::with_two();
    home.put(
        "engines/bad/engine.toml",
        "command = [\"agon-stub\"]\nargs = [\"illegal\", \"{side}\", \"{rows}\", \"{columns}\", \"{planes}\"]\n",
    );
    let played = home.agon(
        "tournament engines --games 2 --st 5 --game letters:3x3x1 --seed 5 --out run --quiet".split(' '),
    );
    assert_eq!(played.code, Some(0), "{}", played.all());
    let games = objects(&home, "games run --json");
    assert_eq!(games.len(), 6);
    assert_eq!((&games[0]["id"], &games[0]["stage"]), (&"r01-p0001-g01".into(), &Value::Null));
    assert!(
        games.iter().all(|game| game["counts"] == true && game["engines"].as_array().unwrap().len() == 2)
    );
    assert_eq!(objects(&home, "games run --engine bad --json").len(), 4);
    let history = objects(&home, "history run --json");
    assert_eq!(history.len(), 3);
    assert!(history.iter().all(|row| row["run"] == 1 && row["worse"] == false && row["games"] == 4));
    let why = objects(&home, "why run bad --json");
    assert!(!why.is_empty() && why.iter().all(|game| game["why"].as_str().unwrap().contains("illegal move")));
    assert_eq!(objects(&home, "why run bad --games 1 --json").len(), 1);
    let status = objects(&home, "status run --json");
    assert_eq!((status[0]["over"].as_bool(), status[0]["games"].as_u64()), (Some(true), Some(6)));
    let verify = objects(&home, "verify run --json");
    assert_eq!((verify.len(), &verify[0]["clean"], &verify[0]["stored"]), (1, &true.into(), &6.into()));
    let plan = objects(&home, "plan engines --games 2 --json");
    assert_eq!(plan[0]["pairings"].as_array().unwrap().len(), 3);
    assert_eq!(plan[0]["stages"][0]["games"], 6);
    let rules = objects(&home, "rules --json");
    assert!(rules.iter().any(|game| game["name"] == "connect4"));
    assert_eq!(objects(&home, "rules connect4 --json").len(), 1);
}

#[test]
fn the_games_of_a_cup_name_their_stage() {
    let home = Home::with_two();
    home.put(
        "cup.toml",
        "engines = \"engines\"\nst = 5\ngame = \"letters:3x3x1\"\nseed = 5\ngames = 2\nout = \"cup\"\n\
         [[stages]]\nadvance = 2\n[[stages]]\nformat = \"knockout\"\n",
    );
    let played = home.agon("tournament cup.toml --quiet".split(' '));
    assert_eq!(played.code, Some(0), "{}", played.all());
    for command in ["games", "history", "status"] {
        let stages: Vec<Value> = objects(&home, &format!("{command} cup --json"))
            .iter()
            .map(|object| object["stage"].clone())
            .collect();
        assert!(stages.contains(&1.into()) && stages.contains(&2.into()), "{command}: {stages:?}");
    }
    assert_eq!(objects(&home, "verify cup --json").len(), 2);
}
