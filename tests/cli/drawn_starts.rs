//! Starts after random moves, on boards that are drawn: what is said of boards that have none, and
//! a run that goes on with the drawing of an earlier version.

use rusqlite::Connection;
use serde_json::Value;

use super::home::Home;

#[test]
fn boards_without_a_start_of_all_random_plies_are_named_before_the_first_game() {
    let home = Home::with_two();
    let plan = |seed: u32, plies: u32| {
        let words = format!(
            "tournament engines --game letters:3x3x2 --st 5 --games 40 --random-plies {plies} --seed {seed} --dry-run --no-check"
        );
        home.agon(words.split(' ')).err()
    };
    // Of some seeds the first board has such a start, and others have not.
    let said: Vec<String> = (1..=6).map(|seed| plan(seed, 5)).collect();
    let named = said.iter().filter(|text| text.contains("have no start after 5 random plies")).count();
    assert!(named > 0, "{}", said.join("\n"));
    for text in said.iter().filter(|text| text.contains("of 20 boards ")) {
        assert!(text.contains("these begin after fewer, ") && text.contains("; --random-plies "), "{text}");
    }
    assert!(!plan(1, 0).contains("have no start"), "{}", plan(1, 0));
}

#[test]
fn a_run_that_began_with_the_old_drawing_goes_on_with_it() {
    let home = Home::with_two();
    let play = |games: u32| {
        let words = format!(
            "match engines/greedy engines/random --game letters:3x3x2 --st 5 --games {games} --random-plies 4 --seed 3 --out run \
             --quiet"
        );
        let said = home.agon(words.split(' '));
        assert_eq!(said.code, Some(0), "{}", said.all());
    };
    play(2);
    // As an earlier version leaves it that was killed before its first game.
    let db = Connection::open(home.path("run/agon.db")).unwrap();
    db.pragma_update(None, "foreign_keys", "OFF").unwrap();
    db.execute_batch(
        "DELETE FROM log; DELETE FROM seat; DELETE FROM moves; DELETE FROM played_on; DELETE FROM game; \
         DELETE FROM selection; DELETE FROM standing; \
         UPDATE run SET outcome = NULL, finished = NULL, ended_after = NULL, \
         terms = json_remove(terms, '$.\"random starts\"')",
    )
    .unwrap();
    drop(db);
    play(4);
    play(6);
    let db = Connection::open(home.path("run/agon.db")).unwrap();
    let terms: Vec<String> = {
        let mut rows = db.prepare("SELECT terms FROM run").unwrap();
        rows.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    let terms: Vec<Value> = terms.iter().map(|text| serde_json::from_str(text).unwrap()).collect();
    assert!(terms.iter().all(|terms| terms.get("random starts").is_none()), "{terms:?}");
    let counts: i64 =
        db.query_row("SELECT count(*) FROM game WHERE current = 1", [], |row| row.get(0)).unwrap();
    assert_eq!(counts, 6);
    let verified = home.agon(["verify", "run"]);
    assert_eq!(verified.code, Some(0), "{}", verified.all());
    // The control: a new run draws otherwise, and says so.
    let fresh = home.agon(
        "match engines/greedy engines/random --game letters:3x3x2 --st 5 --games 2 --random-plies 4 --seed 3 --out new --quiet"
            .split(' '),
    );
    assert_eq!(fresh.code, Some(0), "{}", fresh.all());
    let db = Connection::open(home.path("new/agon.db")).unwrap();
    let terms: String = db.query_row("SELECT terms FROM run", [], |row| row.get(0)).unwrap();
    assert!(terms.contains("random starts"), "{terms}");
}
