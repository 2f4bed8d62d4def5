//! Games that come in by `agon import` count as they did where they were played, and a refused
//! import leaves nothing behind.

use std::fs;

use serde_json::Value;

use super::decisions::{decides, does, games, plays, verified, with};
use super::home::{Home, Said};
use super::hosted_tables::class;

fn done(home: &Home, words: &str) -> Said {
    let said = home.agon(words.split(' '));
    assert_eq!(said.code, Some(0), "agon {words}: {}", said.all());
    said
}

/// What a command says, without the heads of chains, which differ in an import.
fn told(home: &Home, words: &str) -> String {
    let said = done(home, words).out();
    said.lines()
        .filter(|line| !line.starts_with("head of the chain"))
        .map(|line| format!("{line}\n"))
        .collect()
}

fn without_counted_as(text: &str) -> String {
    let games = text.lines().map(|line| {
        let mut game: Value = serde_json::from_str(line).unwrap();
        game.as_object_mut().unwrap().remove("counted_as");
        format!("{game}\n")
    });
    games.collect()
}

#[test]
fn an_imported_run_counts_as_its_source_with_any_number_of_seats_and_rule_of_points() {
    let home = class(4);
    let keys = "command = [\"python3\", \"-S\", \"referee.py\"]\nkeep = true\n";
    let game = home.read("game/referee.py");
    for (folder, seats, scores) in
        [("two", "2", ""), ("sums", "2-4", "scores = \"sum\"\n"), ("places", "3-4", "")]
    {
        home.put(format!("{folder}/referee.py"), &game);
        let toml = format!("name = \"{folder}\"\ntime = \"st=5\"\nseats = \"{seats}\"\n{scores}{keys}");
        home.put(format!("{folder}/game.toml"), toml.replace("\"2\"", "2"));
    }
    for (at, (game, seats, points, other)) in [
        ("two", 2, "", "3-1-0"),
        ("two", 2, " --points 3-1-0", "1-1/2-0"),
        ("sums", 2, "", "2-1-0"),
        ("sums", 3, "", "2-1-0"),
        ("places", 3, " --tiebreaks wins,lot", "sum"),
        ("places", 4, "", "3-2-1-0"),
        ("places", 4, " --points 9-4-1-0", "sum"),
    ]
    .into_iter()
    .enumerate()
    {
        let (run, new) = (format!("run-{at}"), format!("new-{at}"));
        let options = format!("--seats {seats} --games {seats} --seed 7 --isolation none --quiet{points}");
        done(&home, &format!("tournament engines --game ./{game} --out {run} {options}"));
        fs::write(home.path("games.jsonl"), done(&home, &format!("export json {run}")).out()).unwrap();
        done(&home, &format!("import {new} games.jsonl --game ./{game}"));
        for command in [
            "standings DIR",
            "standings DIR --csv",
            "standings DIR --ratings --csv",
            &format!("standings DIR --points {other}"),
            "games DIR",
            "why DIR",
            "export json DIR",
        ] {
            let [there, here] = [&run, &new].map(|of| told(&home, &command.replace("DIR", of)));
            assert_eq!(there, here, "{game} {seats}{points}: {command}");
        }
        for of in [&run, &new] {
            done(&home, &format!("export csv {of} csv-{of}"));
            done(&home, &format!("report {of} --out report-{of}"));
        }
        let names = ["standings.csv", "crosstable.csv", "games.csv", "seats.csv"];
        for name in names.iter().filter(|name| seats > 2 || **name != "seats.csv") {
            let [there, here] = [&run, &new].map(|of| home.read(&format!("csv-{of}/{name}")));
            assert_eq!(there, here, "{game} {seats}{points}: {name}");
        }
        // The folder of the referee was noted.
        let verified = done(&home, &format!("verify {new}")).out();
        assert!(
            verified.contains("; 0 differences in all") && verified.contains("; 0 not checked;"),
            "{verified}"
        );
        let of_games = home.read(&format!("report-{new}/index.html"));
        assert!(of_games.contains(&format!("games of {game}")), "{of_games}");
    }
}

#[test]
fn repeated_games_count_once_in_an_import_as_in_its_source() {
    let home = Home::with_two();
    // Neither engine draws lots, and no board differs: the pairs are all one.
    let words = "match engines/greedy engines/greedy2 --st 5 --board board --games 6 --quiet --out run";
    home.engine("engines/greedy2", "agon-greedy");
    done(&home, "position board letters:3x3x2 --seed 9 --out board");
    done(&home, words);
    let there = told(&home, "standings run");
    assert!(there.contains("of them repeat earlier ones"), "{there}");
    fs::write(home.path("games.jsonl"), done(&home, "export json run").out()).unwrap();
    done(&home, "import new games.jsonl");
    assert_eq!(told(&home, "standings new"), there);
}

#[test]
fn what_the_games_do_not_say_is_asked_for_and_nothing_is_left_of_the_refusal() {
    let home = class(3);
    done(
        &home,
        "tournament engines --game ./game --seats 3 --games 3 --seed 7 --isolation none --quiet --out run",
    );
    let whole = done(&home, "export json run").out();
    fs::write(home.path("old.jsonl"), without_counted_as(&whole)).unwrap();
    let refused = |words: &str, says: &[&str]| {
        let said = home.agon(words.split(' '));
        assert_eq!(said.code, Some(2), "agon {words}: {}", said.all());
        for words in says {
            assert!(said.err().contains(words), "{words}: {}", said.all());
        }
    };
    let asks = [
        "old.jsonl: line 1: key counted_as: is missing",
        "hint: give the points of their run, such as --points sum",
    ];
    refused("import new old.jsonl --game ./game", &asks);
    assert!(!home.path("new").exists());
    // A folder that was there stays, as it was.
    fs::create_dir(home.path("empty")).unwrap();
    refused("import empty old.jsonl --game ./game", &asks);
    assert_eq!(fs::read_dir(home.path("empty")).unwrap().count(), 0);
    refused("import new old.jsonl --game ./game --points 2-1", &["--points: \"2-1\"", "3 seats"]);
    refused("import new games.jsonl --game ./game", &["games.jsonl"]);
    assert!(!home.path("new").exists());
    let taken = done(&home, "import new old.jsonl --game ./game --points sum").out();
    assert!(taken.starts_with("3 games taken in; 3 count"), "{taken}");
    assert_eq!(told(&home, "standings new"), told(&home, "standings run"));
    // It is known from then on, and another word for the same games is one about all of them.
    fs::write(home.path("whole.jsonl"), &whole).unwrap();
    done(&home, "import new old.jsonl --game ./game");
    done(&home, "import new whole.jsonl --game ./game");
    fs::write(home.path("other.jsonl"), whole.replace("\"points\":\"sum\"", "\"points\":\"2-1-0\"")).unwrap();
    refused("import new other.jsonl --game ./game", &["line 1: key counted_as: is", "--points"]);
    done(&home, "import new other.jsonl --game ./game --points 5-1-0");
    assert_eq!(told(&home, "standings new"), told(&home, "standings run --points 5-1-0"));
    // In the directory of a run its own points count.
    refused(
        "import run whole.jsonl --game ./game --points sum",
        &["--points: run has a run", "leave out --points"],
    );
    // Two games that count under one key, and two programs of one name.
    let lines: Vec<&str> = whole.lines().collect();
    let change = |from: &str, to: &str| {
        let twice = lines[1].replacen(from, to, 1);
        assert_ne!(twice, lines[1]);
        fs::write(home.path("twice.jsonl"), format!("{}\n{twice}\n", lines[0])).unwrap();
    };
    let of = |line: &str, key: &str| -> Value { serde_json::from_str::<Value>(line).unwrap()[key].clone() };
    change(of(lines[1], "key").as_str().unwrap(), of(lines[0], "key").as_str().unwrap());
    refused(
        "import twice twice.jsonl --game ./game",
        &["twice.jsonl: line 2: key key: is that of the game in line 1"],
    );
    let hash = of(lines[1], "engine_hashes")[0].as_str().unwrap().to_owned();
    change(&hash, "0123456789abcdef");
    refused(
        "import twice twice.jsonl --game ./game",
        &["line 2: key engine_hashes[0]: is another program of e"],
    );
}

#[test]
fn what_was_decided_about_a_game_stays_when_another_playing_of_it_is_imported() {
    let home = with(2, "");
    plays(&home);
    does(&home, "tournament tournament.toml --no-check --quiet --out elsewhere");
    home.put("elsewhere.json", does(&home, "export json elsewhere"));
    let id = games(&home, "results")[0]["id"].as_str().unwrap().to_owned();
    decides(&home, &format!("results {id} void"));
    does(&home, "import results elsewhere.json");
    // More games are planned, so the run begins again.
    home.put("tournament.toml", home.read("tournament.toml").replace("games = 2", "games = 4"));
    plays(&home);
    let listed = does(&home, "games results");
    assert!(listed.lines().any(|line| line.starts_with(&id) && line.contains(" void ")), "{listed}");
    assert_eq!(listed.lines().count(), 5, "{listed}");
    verified(&home, "results");
}
