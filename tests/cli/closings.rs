//! A run is closed before all of its games were played: what is missing is drawn or void, nothing
//! is played any more, and what follows goes on.

use super::bad_input::refused;
use super::home::Home;
use super::withdrawals::{does, games, killed, names, plays, points, recounted, standings, verified};

/// Closes a run.
#[track_caller]
fn closes(home: &Home, line: &str) -> String {
    let said = home.agon(format!("close {line} --why").split_whitespace().chain(["the room closes"]));
    assert_eq!(said.code, Some(0), "{line}\n{}", said.all());
    said.out()
}

#[test]
fn a_run_that_is_closed_ends_with_what_was_not_played_drawn_or_void() {
    for (rest, keys) in [("drawn", ""), ("void", ""), ("drawn", "format = \"round robin\"\nplay-offs = 0\n")]
    {
        let home = killed(4, keys, "e2", 3);
        let before = games(&home, "results");
        let open = does(&home, "standings results --csv");
        closes(&home, &format!("results {rest}"));
        assert!(does(&home, "close results").contains(": the room closes"));
        refused(&home, "close results void --why x", &["it is closed: what was not played"]);
        closes(&home, "results undo");
        assert_eq!(does(&home, "standings results --csv"), open);
        verified(&home, "results");
        let said = closes(&home, &format!("results {rest}"));
        let what = if rest == "drawn" { "is drawn" } else { "counts for nobody" };
        let words = format!("closed: what was not played {what}: the room closes");
        assert!(said.contains(&words), "{said}");
        verified(&home, "results");
        plays(&home, "");
        assert_eq!(games(&home, "results"), before, "nothing is played any more");
        // Counted by hand.
        let mut by_hand = recounted(&before);
        for (one, other) in
            [("e1", "e2"), ("e1", "e3"), ("e1", "e4"), ("e2", "e3"), ("e2", "e4"), ("e3", "e4")]
        {
            let met = before
                .iter()
                .filter(|game| [one, other].iter().all(|own| names(game).iter().any(|name| name == own)));
            let missing = 2 - i64::try_from(met.count()).unwrap();
            for own in [one, other] {
                *by_hand.entry(own.to_owned()).or_default() += if rest == "drawn" { missing } else { 0 };
            }
        }
        let table = standings(&home, "results");
        for (name, row) in &table {
            assert_eq!(points(row), by_hand[name], "{name}: {table:?}");
        }
        for line in ["standings results", "why results"] {
            assert!(does(&home, line).contains(&words), "{line}");
        }
        let status = does(&home, "status results");
        assert!(status.contains(": over, ") && status.contains("closed: what was not played"), "{status}");
        does(&home, "report results");
        assert!(home.read("results-report/index.html").contains(&words));
        assert!(verified(&home, "results").contains(" 3 arrangements"));
        refused(&home, "withdraw results e1 --why x", &["it is over"]);
    }
}

#[test]
fn a_swiss_that_is_closed_pairs_no_later_round_and_a_cup_goes_on() {
    let home = killed(6, "format = \"swiss\"\nrounds = 3\n", "e4", 2);
    let before = games(&home, "results");
    closes(&home, "results void");
    plays(&home, "");
    assert_eq!(games(&home, "results"), before);
    let (table, by_hand) = (standings(&home, "results"), recounted(&before));
    for (name, row) in &table {
        assert_eq!(points(row), by_hand.get(name).copied().unwrap_or(0), "{name}: {table:?}");
    }
    verified(&home, "results");
    let status = does(&home, "status results");
    assert!(status.contains("over, "), "{status}");

    let keys = "[[stages]]\nname = \"groups\"\ngroups = 2\nadvance = 1\nplay-offs = 0\n\n[[stages]]\nname = \"final\"\nplay-offs = 0\n";
    let home = killed(6, keys, "e4", 1);
    let before = games(&home, "results/stage-1");
    closes(&home, "results drawn");
    home.put("engines/e4/run.sh", "exec agon-greedy \"$@\"\n");
    plays(&home, "");
    assert_eq!(games(&home, "results/stage-1"), before);
    assert_eq!(games(&home, "results/stage-2").len(), 2);
    verified(&home, "results/stage-1");
    refused(&home, "close results void --stage 1 --why x", &["it is closed"]);

    let home = killed(6, "format = \"knockout\"\nplay-offs = 0\n", "e4", 1);
    refused(&home, "close results drawn --why x", &["a knockout needs a winner of each match"]);
    refused(&home, "close results perhaps --why x", &["\"perhaps\" does not close a run"]);
    refused(&home, "close results void", &["--why is missing or empty"]);
    refused(&home, "close results undo --why x", &["it is not closed"]);
}
