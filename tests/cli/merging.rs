//! What `agon merge` takes in and what it leaves out: copies, imported games, changed games, tables
//! of three.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use rusqlite::Connection;
use serde_json::Value;

use super::home::{Home, Said};
use super::hosted_tables;
use super::parts::{agon, games, home};

/// A tournament of the home with another number of games or another seed.
fn plays_with(home: &Home, options: &str) -> Said {
    let said = agon(home, &format!("tournament engines --game mnk:5x5,4 --st 5 --concurrency 1 {options}"));
    assert_eq!(said.code, Some(0), "{}", said.all());
    said
}

fn json(home: &Home, directory: &str) -> Vec<Value> {
    let lines = agon(home, &format!("export json {directory}")).out();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_copy_that_had_an_old_log_is_whole_after_the_next_copy() {
    let home = home();
    for (part, name) in [("", "whole"), ("--part 1/2", "half")] {
        plays_with(&home, &format!("--games 2 --seed 7 --out {name} {part}"));
        // A reader keeps the log from being removed, as if the run had been killed.
        let reader = Connection::open(home.path(format!("{name}/agon.db"))).unwrap();
        reader.execute_batch("BEGIN; SELECT count(*) FROM game").unwrap();
        plays_with(&home, &format!("--games 4 --seed 7 --out {name} {part}"));
        assert!(fs::metadata(home.path(format!("{name}/agon.db-wal"))).unwrap().len() > 0);
        assert_eq!(home.shell(&format!("cp -r {name} copy-{name} && cp -r {name} old-{name}")).code, Some(0));
        drop(reader);
        plays_with(&home, &format!("--games 8 --seed 7 --out {name} {part}"));
        // Nothing is deleted there.
        assert_eq!(home.shell(&format!("cp -r {name}/. copy-{name}")).code, Some(0));
        let said = agon(&home, &format!("merge merged-{name} copy-{name}"));
        assert_eq!(said.code, Some(0), "{}", said.all());
        assert_eq!(games(&home, &format!("merged-{name}")), games(&home, name));
    }
    // A copy without the empty log, as an earlier agon would have made it.
    assert_eq!(home.shell("cp whole/agon.db whole/games.csv old-whole").code, Some(0));
    let said = agon(&home, "merge merged old-whole");
    assert!(said.code == Some(1) && said.err().contains("is of an older copy"), "{}", said.all());
    assert!(said.err().contains("its games.csv has 48 games, but its database 24"), "{}", said.all());
}

#[test]
fn a_part_with_more_than_data_is_refused_by_name_and_nothing_is_written() {
    let home = home();
    for part in 1..=2 {
        // So many pairs that both parts have some, whatever the programs hash to.
        plays_with(&home, &format!("--games 8 --seed 7 --out part-{part} --part {part}/2"));
    }
    assert_eq!(agon(&home, "merge all part-1").code, Some(0));
    let before = games(&home, "all");
    let loses = "CREATE TRIGGER loses AFTER INSERT ON game BEGIN DELETE FROM game WHERE number > 1; END";
    let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS number FROM n";
    let view = format!("CREATE VIEW endless AS {endless}");
    let instead = format!("DROP TABLE supply; CREATE VIEW supply AS {endless}");
    // This SQLite has no modules; that of another program has made it.
    let rows = "PRAGMA writable_schema = ON; INSERT INTO sqlite_master VALUES \
                ('table', 'rows', 'rows', 0, 'CREATE VIRTUAL TABLE rows USING rtree(id, low, high)')";
    let cases = [
        (loses, "a trigger, loses of game"),
        (view.as_str(), "a view, endless"),
        (instead.as_str(), "a view, supply"),
        (rows, "a virtual table, rows"),
        ("CREATE TABLE mine (x)", "a table that agon does not make: mine"),
        ("CREATE INDEX odd ON game (abs(number))", "an index that agon does not make: odd of game"),
        ("ALTER TABLE word ADD COLUMN more TEXT", "a table with other columns than agon makes: word"),
    ];
    for (at, (sql, what)) in cases.iter().enumerate() {
        let bad = format!("bad-{at}");
        assert_eq!(home.shell(&format!("cp -r part-2 {bad}")).code, Some(0));
        let db = Connection::open(home.path(format!("{bad}/agon.db"))).unwrap();
        db.execute_batch(sql).unwrap();
        drop(db);
        // Also behind an honest part, and where nothing is yet.
        for line in
            [format!("merge all part-2 {bad}"), format!("merge new {bad}"), format!("standings {bad}")]
        {
            let said = agon(&home, &line);
            assert_eq!(said.code, Some(2), "{line}: {}", said.all());
            assert!(said.err().contains(&format!("{bad}/agon.db has {what}")), "{line}: {}", said.all());
            assert!(said.err().contains("hint: a database is read as data alone"), "{}", said.all());
            assert_eq!(said.err().lines().count(), 2, "{}", said.all());
        }
        assert!(!home.path("new").exists());
        assert_eq!(games(&home, "all"), before);
        let said = agon(&home, &format!("merge {bad} part-1"));
        assert_eq!(said.code, Some(2), "{}", said.all());
    }
    let said = agon(&home, "merge all part-2");
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(games(&home, "all").len() > before.len());
}

#[test]
fn what_a_database_lacks_or_has_besides_is_told_at_once_with_what_removes_it() {
    let home = home();
    for part in 1..=2 {
        // So many pairs that both parts have some, whatever the programs hash to.
        plays_with(&home, &format!("--games 8 --seed 7 --out part-{part} --part {part}/2"));
    }
    let cases = [
        (
            "ANALYZE",
            "has the statistics of ANALYZE, sqlite_stat1",
            "DROP TABLE sqlite_stat1; DROP TABLE sqlite_stat4",
        ),
        (
            "CREATE VIEW mine AS SELECT 1; CREATE INDEX odd ON game (seed)",
            "has an index that agon does not make: odd of game, and a view, mine",
            "DROP INDEX odd; DROP VIEW mine",
        ),
        ("DROP TABLE seat", "has no table seat", ""),
    ];
    for (at, (sql, what, cure)) in cases.iter().enumerate() {
        let bad = format!("bad-{at}");
        assert_eq!(home.shell(&format!("cp -r part-1 {bad}")).code, Some(0));
        let change = |sql: &str| {
            Connection::open(home.path(format!("{bad}/agon.db"))).unwrap().execute_batch(sql).unwrap();
        };
        change(sql);
        for line in [format!("standings {bad}"), format!("merge {bad} part-2"), format!("merge all {bad}")] {
            let said = agon(&home, &line);
            assert_eq!(said.code, Some(2), "{line}: {}", said.all());
            assert!(said.err().contains(&format!("{bad}/agon.db {what}")), "{line}: {}", said.all());
            assert!(said.err().contains("copy agon.db once more"), "{line}: {}", said.all());
            assert!(said.err().contains(cure) && said.err().lines().count() == 2, "{line}: {}", said.all());
        }
        assert!(!home.path("all").exists());
        if !cure.is_empty() {
            change(cure);
            let said = agon(&home, &format!("merge {bad} part-2"));
            assert_eq!(said.code, Some(0), "{}", said.all());
        }
    }
}

#[test]
fn a_part_whose_facts_contradict_each_other_is_left_out() {
    let home = home();
    for part in 1..=2 {
        // So many pairs that both parts have some, whatever the programs hash to.
        plays_with(&home, &format!("--games 8 --seed 7 --out part-{part} --part {part}/2"));
    }
    assert_eq!(agon(&home, "merge all part-1").code, Some(0));
    let before = games(&home, "all");
    let cases = [
        (
            "UPDATE word SET text = replace(text, '\"limits\"', '\"limitsx\"')",
            "key isolation.level: is \"limitsx\"",
        ),
        ("UPDATE game SET finished = started - 1", "key finished: is"),
        ("UPDATE seat SET exit = '{\"code\":300}'", "key seats[0].exit: is the status 300"),
    ];
    for (at, (sql, words)) in cases.iter().enumerate() {
        let bad = format!("bad-{at}");
        assert_eq!(home.shell(&format!("cp -r part-2 {bad}")).code, Some(0));
        Connection::open(home.path(format!("{bad}/agon.db"))).unwrap().execute_batch(sql).unwrap();
        for into in ["all", "new"] {
            let said = agon(&home, &format!("merge {into} {bad}"));
            assert_eq!(said.code, Some(1), "{}", said.all());
            let named = said.err().contains(&format!("{bad}: left out: game ")) && said.err().contains(words);
            assert!(named, "{words}: {}", said.all());
        }
        assert_eq!(games(&home, "all"), before);
        assert!(!home.path("new/agon.db").exists());
    }
}

#[test]
fn imported_games_of_another_plan_are_named_and_left_out() {
    let home = home();
    for part in 1..=2 {
        plays_with(&home, &format!("--games 4 --seed 7 --out part-{part} --part {part}/2"));
    }
    plays_with(&home, "--games 4 --seed 8 --out other");
    let taken: BTreeSet<String> = json(&home, "part-1").iter().map(|game| game["id"].to_string()).collect();
    let other = agon(&home, "export json other").out();
    let is_free = |line: &&str| {
        let game: Value = serde_json::from_str(line).unwrap();
        !taken.contains(&game["id"].to_string())
    };
    let lines: Vec<&str> = other.lines().filter(is_free).collect();
    assert!(!lines.is_empty());
    home.put("free.jsonl", lines.join("\n") + "\n");
    let own = games(&home, "part-1");
    assert_eq!(agon(&home, "import part-1 free.jsonl").code, Some(0));
    let verified = agon(&home, "verify part-1");
    let outside = format!("{} imported games count and are not in the plan of the last run: r", lines.len());
    assert!(verified.out().contains(&outside), "{}", verified.all());
    // As the first part, as a later one, and in a merged run.
    for (line, whole) in [
        ("merge first part-1", false),
        ("merge later part-2 part-1", true),
        ("merge again first part-2", true),
    ] {
        let said = agon(&home, line);
        let into = line.split(' ').nth(1).unwrap();
        if into == "again" {
            assert_eq!(said.code, Some(0), "{line}: {}", said.all());
        } else {
            assert_eq!(said.code, Some(1), "{line}: {}", said.all());
            assert!(said.err().contains("error: part-1: left out: game r"), "{line}: {}", said.all());
        }
        let planned = agon(&home, &format!("plan --missing {into}")).out();
        let missing = if whole { 0 } else { 24 - own.len() };
        assert!(planned.ends_with(&format!("{missing} of 24 games are missing\n")), "{line}: {planned}");
        assert_eq!(said.out().ends_with("all 24 games are there\n"), whole, "{line}: {}", said.all());
        let verified = agon(&home, &format!("verify {into}"));
        assert_eq!(verified.code, Some(0), "{line}: {}", verified.all());
        assert!(!verified.out().contains("not in the plan"), "{line}: {}", verified.all());
        if whole {
            assert_eq!(games(&home, into).len(), 24, "{line}");
        } else {
            assert_eq!(games(&home, into), own, "{line}");
        }
    }
    // The keys of merged games follow from the plan.
    let verified = agon(&home, "verify later").out();
    let witnessed = verified.lines().find(|line| line.contains("witnessed by")).unwrap();
    assert!(!witnessed.contains(" keys"), "{verified}");
    assert!(verified.contains("24 keys"), "{verified}");
}

#[test]
fn a_move_that_the_rules_refuse_refuses_the_part_even_the_first() {
    let home = home();
    for part in 1..=2 {
        plays_with(&home, &format!("--games 4 --seed 7 --out part-{part} --part {part}/2"));
    }
    assert_eq!(agon(&home, "merge all part-1").code, Some(0));
    let before = games(&home, "all");
    let changed = Connection::open(home.path("part-2/agon.db"))
        .unwrap()
        .execute("UPDATE moves SET plies = replace(plies, 'X,', 'X,z') WHERE plies LIKE '%X,%'", [])
        .unwrap();
    assert!(changed > 0);
    for into in ["all", "fresh"] {
        let said = agon(&home, &format!("merge {into} part-2"));
        assert!(said.code == Some(1) && said.err().contains("part-2: left out: game r"), "{}", said.all());
    }
    assert_eq!(games(&home, "all"), before);
    assert!(!home.path("fresh/agon.db").exists());
}

#[test]
#[ignore = "slow"]
fn the_table_of_hosts_counts_the_results_of_the_first_seat() {
    let home = home();
    // One engine never answers, and its games end with a time forfeit.
    home.put("engines/dora/engine.toml", "command = [\"/bin/sh\", \"-c\", \"sleep 99\"]\n");
    for (part, host) in [(1, "lab-quick"), (2, "lab-tardy")] {
        let line = "agon tournament engines --game mnk:3x3,3 --games 6 --st 0.5 --startup 0.3 --seed 7 --concurrency 4";
        let said = home.shell(&format!("AGON_HOST={host} {line} --out part-{part} --part {part}/2"));
        assert_eq!(said.code, Some(0), "{}", said.all());
    }
    assert_eq!(agon(&home, "merge all part-1 part-2").code, Some(0));
    let mut counted: BTreeMap<String, [u64; 4]> = BTreeMap::new();
    for game in json(&home, "all") {
        let own = counted.entry(game["host"]["name"].as_str().unwrap().to_owned()).or_default();
        let places: Vec<u64> = game["verdict"]["decided"]["places"]
            .as_array()
            .unwrap_or_else(|| panic!("{game}"))
            .iter()
            .map(|place| place.as_u64().unwrap())
            .collect();
        match places[..] {
            [1, 1] => own[1] += 1,
            [1, _] => own[0] += 1,
            _ => own[2] += 1,
        }
        own[3] += u64::from(game["verdict"].to_string().contains("time_forfeit"));
    }
    let all = |at: usize| counted.values().map(|own| own[at]).sum::<u64>();
    assert!(all(0) > 0 && all(2) > 0 && all(0) != all(2) && all(3) > 0, "{counted:?}");
    let table = agon(&home, "standings all --hosts").out();
    for (host, own) in counted {
        let row = table.lines().find(|line| line.starts_with(&host)).unwrap_or_else(|| panic!("{table}"));
        let cells: Vec<u64> =
            row.split_whitespace().rev().take(4).map(|cell| cell.parse().unwrap()).collect();
        assert_eq!([cells[3], cells[2], cells[1], cells[0]], own, "{table}");
    }
}

#[test]
#[ignore = "slow"]
fn parts_of_a_referee_program_at_tables_of_three_are_merged() {
    let home = hosted_tables::class(5);
    let line = "tournament engines --game ./game --seats 3 --games 3 --seed 7 --isolation none";
    for more in ["--out whole", "--out part-1 --part 1/2", "--out part-2 --part 2/2"] {
        let said = agon(&home, &format!("{line} {more}"));
        assert_eq!(said.code, Some(0), "{}", said.all());
    }
    let verdicts = |directory: &str| -> Vec<(String, String)> {
        let mut all: Vec<_> = json(&home, directory)
            .iter()
            .map(|game| (game["key"].to_string(), game["verdict"].to_string()))
            .collect();
        all.sort();
        all
    };
    let whole = verdicts("whole");
    let sizes = ["part-1", "part-2"].map(|part| verdicts(part).len());
    assert_eq!(sizes.iter().sum::<usize>(), whole.len(), "{sizes:?}");
    // The games on one board, each seat once, are in one part.
    assert!(sizes.iter().all(|size| *size > 0 && size % 3 == 0), "{sizes:?}");
    let said = agon(&home, "merge all part-1 part-2 --game ./game");
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(said.out().ends_with(&format!("all {} games are there\n", whole.len())), "{}", said.all());
    assert_eq!(verdicts("all"), whole);
    assert_eq!(agon(&home, "verify all").code, Some(0));
}

#[test]
fn the_first_part_comes_through_a_pipe_with_its_plan() {
    let home = home();
    for part in 1..=2 {
        plays_with(&home, &format!("--games 4 --seed 7 --out part-{part} --part {part}/2"));
    }
    let said = home.shell(
        "agon export json part-1 --plan | agon merge all - && agon export json part-2 --plan | agon merge all -",
    );
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(said.out().ends_with("all: all 24 games are there\n"), "{}", said.all());
    let verified = agon(&home, "verify all");
    assert_eq!(verified.code, Some(0), "{}", verified.all());
    let resumed = plays_with(&home, "--games 4 --seed 7 --out all");
    assert!(resumed.err().contains("24 games have been played already"), "{}", resumed.all());
    // The plan of another run, a plan that was cut short, and games without a plan.
    plays_with(&home, "--games 4 --seed 8 --out other --part 1/2");
    let said = home.shell("agon export json other --plan | agon merge all -");
    assert!(said.code == Some(1) && said.err().contains("seed is 8 and not 7"), "{}", said.all());
    for (line, words) in [
        ("agon export json part-1 --plan | head -c 300 | agon merge fresh -", "was cut short"),
        ("agon export json part-1 --plan | head -c -40 | agon merge fresh -", "left out: line"),
        ("agon export json part-1 | agon merge fresh -", "with --plan"),
        (
            "agon export json part-1 --plan | sed '1s/\"games\":[0-9]*/\"games\":2147483648/' | agon merge fresh -",
            "at most 10000000 are taken",
        ),
        (
            "agon export json part-1 --plan | sed '1s/\"players\":\\[\\({[^}]*}\\)/\"players\":[\\1,\\1/' | agon merge fresh -",
            " twice",
        ),
    ] {
        let said = home.shell(line);
        assert!(said.code == Some(1) && said.err().contains(words), "{line}: {}", said.all());
        assert!(!home.path("fresh/agon.db").exists(), "{line}");
    }
    // An import reads the games and passes over the plan.
    let said = home.shell("agon export json part-1 --plan | agon import imported -");
    assert_eq!(said.code, Some(0), "{}", said.all());
}
