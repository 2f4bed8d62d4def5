//! Whole runs: their files, and that a run can be reproduced.

use super::home::{Home, Said};

/// `games.csv` without the columns of times, in the order of the games.
fn games(home: &Home, out: &str) -> Vec<String> {
    let text = home.read(&format!("{out}/games.csv"));
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    let head = rows.headers().unwrap().clone();
    let timeless = |name: &str| !name.contains("_ms") && !["started", "finished"].contains(&name);
    let mut lines: Vec<String> = rows
        .records()
        .map(|row| {
            let row = row.unwrap();
            let cells = head.iter().zip(&row).filter(|(name, _)| timeless(name));
            cells.map(|(_, cell)| cell.to_owned()).collect::<Vec<_>>().join("|")
        })
        .collect();
    lines.sort();
    lines
}

fn played(home: &Home, words: &str) -> Said {
    let said = home.agon(words.split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    said
}

#[test]
fn the_same_seed_and_engines_give_the_same_games_whatever_is_played_at_once() {
    let home = Home::with_two();
    home.engine("engines/honest", "agon-greedy");
    let run = "tournament engines --games 4 --st 2 --game letters:4x4x2 --quiet";
    played(&home, &format!("{run} --seed 7 --concurrency 1 --out one"));
    played(&home, &format!("{run} --seed 7 --concurrency 3 --out two"));
    played(&home, &format!("{run} --seed 8 --concurrency 1 --out other"));
    let one = games(&home, "one");
    assert_eq!(one.len(), 12);
    assert_eq!(one, games(&home, "two"));
    assert_ne!(one, games(&home, "other"));
    assert_eq!(home.read("one/crosstable.csv"), home.read("two/crosstable.csv"));
}

#[test]
fn games_stand_in_the_order_of_the_plan_in_whichever_they_ended() {
    let home = Home::new();
    let stub = super::home::programs().join("agon-stub");
    for (name, mode) in [
        ("a", "last-moment\", \"--word\", \"--ms\", \"150"),
        ("b", "honest"),
        ("c", "honest"),
        ("d", "honest"),
    ] {
        home.put(format!("engines/{name}/engine.toml"), format!("command = [{stub:?}, \"{mode}\"]\n"));
    }
    let ids = |events: bool| -> Vec<String> {
        let text = home.read(if events { "events" } else { "results/games.csv" });
        let over =
            text.lines().skip(usize::from(!events)).filter(|line| !events || line.contains("\"game_over\""));
        let id =
            |line: &str| line.match_indices("r0").next().map(|(at, _)| line[at..at + 13].to_owned()).unwrap();
        over.map(id).collect()
    };
    let run = "tournament engines --st 2 --game letters:3x3x1 --seed 7 --concurrency 2 --out results --quiet --events events";
    // Once from the beginning, and once continuing after stored games.
    for games in ["--games 2", "--games 4"] {
        played(&home, &format!("{run} {games}"));
        assert!(!ids(true).is_sorted(), "the slow one ended first: {:?}", ids(true));
        assert!(ids(false).is_sorted(), "{:?}", ids(false));
    }
    assert_eq!(ids(false).len(), 24);
}

#[test]
fn quiet_means_the_table_and_nothing_else() {
    let home = Home::with_two();
    for words in ["tournament engines", "match engines/greedy engines/random"] {
        let said = played(&home, &format!("{words} --games 2 --game letters:3x3x1 --quiet --seed 1 --st 2"));
        assert_eq!(said.err(), "");
        let lines: Vec<String> = said.out().lines().map(str::to_owned).collect();
        assert!(lines.len() == 4 && lines[0].starts_with("#  engine"), "{lines:?}");
    }
}

#[test]
fn what_is_for_programs_is_alone_on_its_stream() {
    let home = Home::with_two();
    let said = played(&home, "tournament engines --games 2 --game letters:3x3x1 --events - --seed 1 --st 2");
    for line in said.out().lines() {
        assert!(serde_json::from_str::<serde_json::Value>(line).is_ok(), "{line}");
    }
    assert!(said.err().contains("#  engine"), "{}", said.err());
}

#[test]
fn options_in_a_file_are_those_of_the_flags_and_a_flag_goes_over_them() {
    let home = Home::with_two();
    home.put(
        "class/class.toml",
        "engines = \"../engines\"\ngames = 4\nst = 2\ngame = \"letters:3x3x1\"\nout = \"kept\"\n",
    );
    played(&home, "tournament class/class.toml --seed 3 --quiet");
    assert_eq!(games(&home, "class/kept").len(), 4);
    played(&home, "tournament class/class.toml --seed 3 --quiet --games 2 --out mine");
    assert_eq!(games(&home, "mine").len(), 2);
}

#[test]
fn evidence_plays_the_lost_game_again() {
    let home = Home::with_two();
    home.put(
        "engines/bad/engine.toml",
        "command = [\"agon-stub\"]\nargs = [\"illegal\", \"{side}\", \"{rows}\", \"{columns}\", \"{planes}\"]\n",
    );
    played(
        &home,
        "tournament engines --games 2 --game letters:4x4x2 --seed 5 --st 2 --isolation none --out run --quiet",
    );
    let rows = games(&home, "run");
    let lost: Vec<&String> = rows.iter().filter(|row| row.contains("illegal move")).collect();
    assert_eq!(lost.len(), 4, "{rows:#?}");
    let id = lost[0].split('|').next().unwrap();
    let folder = ["W", "B"].map(|side| format!("run/evidence/{id}-{side}"));
    let folder = folder.iter().find(|folder| home.path(folder).exists()).unwrap();
    for file in ["why.txt", "lines.txt", "stderr.txt", "position.txt", "again.sh"] {
        assert!(!home.read(&format!("{folder}/{file}")).is_empty(), "{file}");
    }
    let script = home.read(&format!("{folder}/again.sh"));
    assert!(
        script.contains(" --isolation none ") && script.contains("The engines of game 1, in their order: "),
        "{script}"
    );
    let missing = home.shell(&format!("PATH=/usr/bin:/bin; sh {folder}/again.sh"));
    assert_eq!(missing.code, Some(127), "{}", missing.all());
    assert!(missing.err().contains("agon: not found; set AGON to the path of agon"), "{}", missing.all());
    let again = home.shell(&format!(
        "AGON=$(command -v agon); export AGON; mkdir bin; ln -s $(command -v agon-stub) bin; \
         PATH=$PWD/bin:/usr/bin:/bin; sh {folder}/again.sh"
    ));
    assert_eq!(again.code, Some(0), "{}", again.all());
    let reason = home.read(&format!("{folder}/why.txt"));
    let reason = reason.lines().find_map(|line| line.strip_prefix("because")).unwrap().trim().to_owned();
    assert!(again.out().contains(&reason), "{reason}\n{}", again.all());
}

#[test]
fn nothing_temporary_stays() {
    let home = Home::with_two();
    played(&home, "match engines/greedy engines/random --games 2 --game letters:3x3x1 --st 2");
    let left: Vec<String> = home.listing().into_iter().filter(|line| line.contains("/temp/")).collect();
    assert!(left.is_empty(), "{left:?}");
}
