//! Changes of a run of more than two seats, in its tables and in its exported records: each is
//! reported by `agon verify` or refused by `agon import`.

use std::fs;

use rusqlite::Connection;
use serde_json::{Value, json};

use super::home::Home;
use super::hosted_tables::class;

/// Two nights of four engines at tables of three: the second has one changed engine.
fn two_nights() -> Home {
    let home = class(4);
    let words =
        "tournament engines --game ./game --seats 3 --games 3 --seed 7 --isolation none --out run --quiet";
    let play = || {
        let said = home.agon(words.split(' '));
        assert_eq!(said.code, Some(0), "{}", said.all());
    };
    play();
    let program = home.read("engines/e1") + "# another version\n";
    home.put_program("engines/e1", program);
    play();
    home
}

/// The name of a change, its SQL, and words that `agon verify` must print.
type Tampering = (&'static str, &'static str, &'static str);

const FINISHES: &str = "the finishes of its engines are not those of its games";

#[rustfmt::skip]
const TABLES: &[Tampering] = &[
    ("how often one was ahead", "UPDATE finish SET games = games + 1 WHERE run = 2 AND engine = (SELECT min(engine) FROM finish WHERE run = 2)", FINISHES),
    ("ahead of how many", "UPDATE finish SET ahead = 4 - ahead WHERE run = 2 AND ahead <> 2", FINISHES),
    ("of how many others", "UPDATE finish SET others = others + 2 WHERE run = 2", FINISHES),
    ("the finishes of an engine gone", "DELETE FROM finish WHERE run = 2 AND engine = (SELECT max(engine) FROM finish)", FINISHES),
    ("the finishes of an earlier night", "UPDATE finish SET games = games + 1 WHERE run = 1", FINISHES),
    ("the finishes of a night gone", "DELETE FROM finish WHERE run = 2", "run 2: the finishes of its engines are missing"),
    ("all finishes gone", "DELETE FROM finish", "run 2: the finishes of its engines are missing"),
    ("the finishes of another engine", "UPDATE finish SET engine = engine + 100 WHERE run = 1", FINISHES),
    ("places exchanged", "UPDATE seat SET place = 4 - place WHERE game = 1", "verdict.decided.places"),
    ("a score", "UPDATE seat SET score = score + 1 WHERE game = 1 AND seat = 2", "verdict.decided.scores"),
    ("the rule of points", "UPDATE run SET points = '2-1-0' WHERE number = 2", "run 2: its standings are not those of its games"),
    ("the number of seats", "UPDATE run SET terms = json_set(terms, '$.seats', '4')", "key seats: there are 3"),
    ("the referee of the run", "UPDATE run SET terms = json_set(terms, '$.referee', 'abc')", "key key: is not that of the game's terms"),
    ("a line of the referee", "UPDATE refereed SET record = replace(record, '<ask 1', '<ask 2') WHERE game = 1", "r01-p"),
    ("the level of a game", "UPDATE word SET text = replace(text, '\"none\"', '\"nonex\"')", "key isolation.level: is \"nonex\""),
    ("an end before the start", "UPDATE game SET finished = started - 1 WHERE number = 1", "key finished: is"),
    ("a time of an hour", "UPDATE seat SET time = 3600000000 WHERE game = 1 AND seat = 0", "key seats[0].micros: says 3600000000 us"),
    ("a lateness of a day", "UPDATE seat SET lateness = 86400000000 WHERE game = 1 AND seat = 0", "key seats[0].lateness_micros: says"),
    ("an exit status", "UPDATE seat SET exit = '{\"code\":999}' WHERE game = 1 AND seat = 0", "key seats[0].exit: is the status 999"),
    ("a pressure", "UPDATE game SET pressure = 5000 WHERE number = 1", "key machine.pressure: is 5"),
    ("a fault of a seat", "INSERT INTO seat_fault (game, seat, cause) VALUES (1, 0, 'crash')", "the faults of its seats differ"),
    ("a forgotten game that counts", "CREATE TABLE forgotten (game INTEGER PRIMARY KEY REFERENCES game) STRICT; INSERT INTO forgotten SELECT max(number) FROM game WHERE current = 1", "it was forgotten and counts"),
    ("a ranking that cannot be read", "CREATE TABLE ranking (run INTEGER PRIMARY KEY REFERENCES run, rules TEXT NOT NULL) STRICT; INSERT INTO ranking VALUES (2, '{}')", "how the run ranks its entrants"),
];

#[test]
fn every_change_of_a_run_at_tables_of_three_is_reported() {
    let home = two_nights();
    let clean = home.agon(["verify", "run"]);
    assert_eq!(clean.code, Some(0), "{}", clean.all());
    assert!(clean.out().contains(" finishes, "), "{}", clean.all());
    let mut missed = Vec::new();
    for (what, sql, words) in TABLES {
        let _ = fs::remove_dir_all(home.path("forged")); // of the last change
        fs::create_dir(home.path("forged")).unwrap();
        fs::copy(home.path("run/agon.db"), home.path("forged/agon.db")).unwrap();
        let db = Connection::open(home.path("forged/agon.db")).unwrap();
        db.pragma_update(None, "foreign_keys", "OFF").unwrap();
        db.execute_batch(sql).unwrap_or_else(|error| panic!("{what}: {error}"));
        drop(db);
        let said = home.agon(["verify", "forged"]);
        if said.code == Some(0) || !said.all().contains(words) {
            missed.push(format!("{what}: not {words:?}:\n{}", said.all()));
        }
    }
    assert!(missed.is_empty(), "{} missed\n{}", missed.len(), missed.join("\n"));
}

/// The name of a change, the change, and words of the refusal.
type Change = (&'static str, fn(&mut Value), &'static str);

#[rustfmt::skip]
const RECORDS: &[Change] = &[
    ("places that are not those of the scores", |game| game["verdict"]["decided"]["places"].as_array_mut().unwrap().reverse(), "key verdict.decided.places: says"),
    ("scores that are not those of the lines", |game| game["verdict"]["decided"]["scores"][0] = json!(77), "key verdict.decided.scores: says 77"),
    ("a seat less", |game| { game["seats"].as_array_mut().unwrap().pop(); game["verdict"]["decided"]["places"].as_array_mut().unwrap().pop(); game["verdict"]["decided"]["scores"].as_array_mut().unwrap().pop(); game["engine_hashes"].as_array_mut().unwrap().pop(); game["plies"].as_array_mut().unwrap().pop(); }, "line 1: "),
    ("an end before the start", |game| game["finished"] = json!("2001-01-01T00:00:00Z"), "key finished: is"),
    ("a level of nobody", |game| game["isolation"]["level"] = json!("nonex"), "key isolation.level: is \"nonex\""),
    ("a seat that was late for a day", |game| game["seats"][0]["lateness_micros"] = json!(86_400_000_000u64), "key seats[0].lateness_micros: says"),
    ("a termination that the game does not know", |game| game["verdict"]["decided"]["termination"] = json!("boredom"), "no game: "),
    ("a draw that is none", |game| game["verdict"]["decided"]["places"] = json!([1, 1, 1]), "key verdict.decided.places: says"),
    ("the points of four seats", |game| game["counted_as"]["points"] = json!("3-2-1-0"), "key counted_as.points: "),
];

#[test]
fn every_change_of_an_exported_game_of_three_is_refused() {
    let home = two_nights();
    let games = home.agon(["export", "json", "run"]).out();
    let mut missed = Vec::new();
    for (what, change, words) in RECORDS {
        let mut game: Value = serde_json::from_str(games.lines().next().unwrap()).unwrap();
        change(&mut game);
        home.put("changed.jsonl", format!("{game}\n"));
        let said = home.agon("import new changed.jsonl --game ./game".split(' '));
        if said.code != Some(2)
            || !said.err().contains("changed.jsonl: line 1: ")
            || !said.err().contains(words)
        {
            missed.push(format!("{what}: not {words:?}:\n{}", said.all()));
        }
        assert!(!home.path("new").exists(), "{what}: something is left of it");
    }
    assert!(missed.is_empty(), "{} missed\n{}", missed.len(), missed.join("\n"));
}

/// The table of what imported games count is checked as well.
#[test]
fn what_imported_games_count_is_checked() {
    let home = two_nights();
    home.put("games.jsonl", home.agon(["export", "json", "run"]).out());
    assert_eq!(home.agon("import new games.jsonl --game ./game".split(' ')).code, Some(0));
    for (sql, words) in [
        ("DELETE FROM imported", "nothing says what the imported games count"),
        ("UPDATE imported SET seats = 4", "are noted as games of 4 seats"),
        ("UPDATE imported SET counted_as = '{}'", "what the imported games count"),
        (
            "UPDATE imported SET counted_as = replace(counted_as, 'sum', '9')",
            "the points of the imported games",
        ),
    ] {
        let _ = fs::remove_dir_all(home.path("forged")); // of the last change
        fs::create_dir(home.path("forged")).unwrap();
        fs::copy(home.path("new/agon.db"), home.path("forged/agon.db")).unwrap();
        Connection::open(home.path("forged/agon.db")).unwrap().execute_batch(sql).unwrap();
        let said = home.agon(["verify", "forged"]);
        assert!(said.code == Some(1) && said.all().contains(words), "{sql}: {}", said.all());
    }
}
