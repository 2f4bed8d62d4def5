//! What a directory of results answers, and what a run on one that is there already plays.

use super::home::{Home, Said};

const RUN: &str = "tournament engines --games 2 --st 2 --size 3x3x1 --seed 5 --out run";

fn done(home: &Home, words: &str) -> Said {
    let said = home.agon(words.split(' '));
    assert_eq!(said.code, Some(0), "agon {words}: {}", said.all());
    said
}

fn with_a_bad_one() -> Home {
    let home = Home::with_two();
    home.put("engines/bad/engine.toml", toml(""));
    done(&home, &format!("{RUN} --quiet"));
    home
}

fn toml(more: &str) -> String {
    format!(
        "command = [\"agon-stub\"]\n\
         args = [\"illegal\", \"{{side}}\", \"{{rows}}\", \"{{columns}}\", \"{{planes}}\"]\n{more}"
    )
}

#[test]
fn the_same_command_again_plays_nothing_and_an_engine_that_changed_its_pairings() {
    let home = with_a_bad_one();
    let before = home.read("run/games.csv");
    let said = done(&home, RUN);
    assert!(said.err().contains("6 games have been played already and count"), "{}", said.all());
    assert_eq!(home.read("run/games.csv"), before);
    home.put("engines/bad/engine.toml", toml("# mended\n"));
    let said = done(&home, RUN);
    for words in [
        "bad has changed: its 2 pairings are played again",
        "4 games that counted are history now",
        "2 games have been played already",
    ] {
        assert!(said.err().contains(words), "{words}\n{}", said.all());
    }
    assert_eq!(home.read("run/games.csv").lines().count(), 7);
    assert!(done(&home, "history run --summary").out().starts_with("run 2: 3 engines, 6 games; "));
    assert_eq!(done(&home, "games run --all").out().lines().count(), 11);
    assert!(done(&home, "verify run").out().contains("10 games, 0 with differences"));
}

#[test]
fn another_tournament_in_the_directory_is_refused_with_what_differs() {
    let home = with_a_bad_one();
    let said = home.agon(RUN.replace("--seed 5", "--seed 6").split(' '));
    assert_eq!(said.code, Some(2), "{}", said.all());
    assert!(said.err().contains("seed 5 there, 6 here"), "{}", said.all());
    assert_eq!(said.err().lines().filter(|line| line.starts_with("agon: ")).count(), 1);
    // Without a seed it is that of the first run.
    done(&home, &RUN.replace(" --seed 5", ""));
}

#[test]
fn games_are_listed_and_told_of_to_their_authors() {
    let home = with_a_bad_one();
    let lost = done(&home, "games run --engine bad --lost").out();
    assert_eq!(lost.lines().count(), 5, "{lost}");
    let why = done(&home, "why run bad").out();
    assert!(why.contains("lost by     illegal move") && why.contains(" > W,"), "{why}");
    assert!(why.ends_with("bad lost 3 games by a fault of its own\n"), "{why}");
    assert!(done(&home, "why run greedy").out().ends_with("greedy lost 0 games by a fault of its own\n"));
    let said = home.agon("why run nobody".split(' '));
    assert!(said.code == Some(2) && said.err().contains("bad, greedy, random"), "{}", said.all());
    assert!(done(&home, "replay run r01-p0001-g01").out().contains("what the record says of the game is so"));
    assert_eq!(home.agon("replay run r09-p0001-g01".split(' ')).code, Some(2));
}

#[test]
fn games_travel_from_one_database_to_another_and_count_there_once() {
    let home = with_a_bad_one();
    done(&home, "export json run games.jsonl");
    assert!(done(&home, "import other games.jsonl").out().contains("6 games taken in; 6 count"));
    assert!(done(&home, "import other games.jsonl").out().contains("0 games taken in; 6 count"));
    done(&home, "export csv other tables");
    for table in ["standings.csv", "crosstable.csv", "games.csv"] {
        assert_eq!(home.read(&format!("tables/{table}")), home.read(&format!("run/{table}")), "{table}");
    }
    assert!(done(&home, "verify other").out().contains("6 games, 0 with differences"));
    home.put("wrong.jsonl", format!("{}\n{{}}\n", home.read("games.jsonl").lines().next().unwrap()));
    let said = home.agon("import new wrong.jsonl".split(' '));
    assert!(said.code == Some(2) && said.err().contains("line 2"), "{}", said.all());
    assert!(done(&home, "standings new").out().ends_with("0 games\n"));
    done(&home, "export db run copy.db");
    assert_eq!(home.agon("export db run copy.db".split(' ')).code, Some(2));
}

#[test]
fn a_move_that_was_changed_in_the_database_is_found() {
    let home = with_a_bad_one();
    let said = home.shell(
        "python3 -c \"import sqlite3; d = sqlite3.connect('run/agon.db'); \
         d.execute('UPDATE seat SET score = score + 1 WHERE game = 1'); d.commit()\"",
    );
    assert_eq!(said.code, Some(0), "{}", said.all());
    let said = home.agon(["verify", "run"]);
    assert_eq!(said.code, Some(1), "{}", said.all());
    assert!(said.out().contains("6 games, 1 with differences"), "{}", said.all());
}
