//! A tournament for a question: pairs are chosen until it is settled, and nothing but results
//! changes a choice.

use std::collections::BTreeSet;

use super::home::{Home, Said};
use super::withdrawals::rows;

/// Engines of these names; those that begin with a g play well.
fn home(names: &[&str]) -> Home {
    let home = Home::new();
    for name in names {
        let program = if name.starts_with('g') { "agon-greedy" } else { "agon-random" };
        home.engine(format!("engines/{name}"), program);
    }
    home
}

/// Plays into a directory.
fn play(home: &Home, out: &str, more: &str) -> Said {
    let words = format!(
        "tournament engines --game letters:4x4x2 --st 20 --seed 7 --concurrency 2 --isolation limits --out {out} {more}"
    );
    home.agon(words.split_whitespace())
}

/// The games of a run: their numbers and seats.
fn games(home: &Home, out: &str) -> BTreeSet<String> {
    let all = rows(&home.read(&format!("{out}/games.csv")));
    all.iter().map(|row| format!("{} {} {}", row["id"], row["first_engine"], row["second_engine"])).collect()
}

fn verifies(home: &Home, out: &str) -> bool {
    home.agon(["verify", out]).code == Some(0)
}

#[test]
fn equal_engines_end_at_the_most_games_with_what_is_open_and_go_on_with_more() {
    let home = home(&["one", "two", "three"]);
    let said = play(&home, "run", "--until order --at-most 12");
    assert_eq!(said.code, Some(12), "{}", said.all());
    let words = "order: open after 6 pairs of games, at most 12 games: so far the order is ";
    assert!(said.err().contains(words) && said.err().contains("not told apart yet: "), "{}", said.all());
    assert_eq!(games(&home, "run").len(), 12);
    assert!(verifies(&home, "run"));
    let status = home.agon(["status", "run"]).out();
    assert!(status.contains("order: open after 6 pairs"), "{status}");
    let standings = home.agon(["standings", "run"]).out();
    assert!(standings.contains("against the whole field") && standings.contains(words), "{standings}");
    let json: serde_json::Value =
        serde_json::from_str(&home.agon(["standings", "run", "--json"]).out()).unwrap();
    assert_eq!((&json["question"]["question"], &json["question"]["pairs"]), (&"order".into(), &6.into()));
    // The same games, whether in two runs or in one.
    assert_eq!(play(&home, "run", "--until order --at-most 40").code, Some(12));
    let said = play(&home, "whole", "--until order --at-most 40 --events events.jsonl");
    assert_eq!(said.code, Some(12), "{}", said.all());
    assert_eq!(games(&home, "run").len(), 40);
    assert_eq!(games(&home, "run"), games(&home, "whole"));
    assert!(verifies(&home, "run") && verifies(&home, "whole"));
    let events = home.read("events.jsonl");
    assert!(
        events.contains(r#"{"event":"question","question":"order","settled":false,"pairs":20,"#),
        "{events}"
    );
}

#[test]
fn a_clear_question_is_settled_and_a_tampered_choice_is_found() {
    let home = home(&["good", "one", "two"]);
    let said = play(&home, "run", "--until cut=1 --at-most 600");
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(
        said.err().contains("cut=1: settled after ") && said.err().contains(": the best is good"),
        "{}",
        said.all()
    );
    assert!(games(&home, "run").len() < 600);
    let verified = home.agon(["verify", "run"]);
    assert_eq!(verified.code, Some(0), "{}", verified.all());
    let status = home.agon(["status", "run"]).out();
    assert!(status.contains("over, ") && status.contains("cut=1: settled"), "{status}");
    // Nothing is left to play.
    let before = games(&home, "run");
    assert_eq!(play(&home, "run", "--until cut=1 --at-most 600").code, Some(0));
    assert_eq!(games(&home, "run"), before);
    // With another lag the pairs would be others.
    let db = rusqlite::Connection::open(home.path("run/agon.db")).unwrap();
    db.execute("UPDATE run_until SET lag = lag + 7", []).unwrap();
    drop(db);
    let verified = home.agon(["verify", "run"]);
    assert_eq!(verified.code, Some(1), "{}", verified.all());
    assert!(verified.all().contains("has no such game"), "{}", verified.all());
    let db = rusqlite::Connection::open(home.path("run/agon.db")).unwrap();
    db.execute("UPDATE run_until SET lag = lag - 7", []).unwrap();
    drop(db);
    // The organiser gives games of the best one to others: the question is open again, and says so.
    let all = rows(&home.read("run/games.csv"));
    let won = all.iter().filter_map(|row| match (row["first_engine"].as_str(), row["result"].as_str()) {
        ("good", "1-0") => Some((&row["id"], &row["second_engine"])),
        (_, "0-1") if row["second_engine"] == "good" => Some((&row["id"], &row["first_engine"])),
        _ => None,
    });
    for (id, other) in won.take(8) {
        let said = home.agon(["decide", "run", id, "award", other, "--why", "a test", "--yes"]);
        assert_eq!(said.code, Some(0), "{}", said.all());
    }
    let status = home.agon(["status", "run"]).out();
    assert!(!status.contains("over, ") && status.contains("cut=1: open"), "{status}");
    let verified = home.agon(["verify", "run"]);
    assert_eq!(verified.code, Some(0), "{}", verified.all());
    // More games settle it again.
    assert_eq!(play(&home, "run", "--until cut=1 --at-most 600").code, Some(0));
    assert!(games(&home, "run").len() > before.len());
}

#[test]
fn what_does_not_fit_a_question_is_refused_with_the_reason() {
    let home = home(&["one", "two", "three"]);
    for (more, words) in [
        ("--until cut=1", "it needs --at-most, as equal engines are never told apart"),
        ("--until cut=1 --at-most 6h", "its --at-most is a number of games, not a time"),
        ("--at-most 100", "--at-most 100: a number of games is for --until"),
        ("--until cut=3 --at-most 100", "cut=3: of 3 engines a cut is from 1 to 2"),
        ("--until best --at-most 100", "write cut=4 for the best four"),
        ("--until bars=0.1 --at-most 100", "bars are from 2 to 400 Elo"),
        ("--until cut=1 --at-most 100 --games 4", "so --games does not fit"),
        ("--until cut=1 --at-most 100 --part 1/2", "the games are not cut into parts"),
    ] {
        let said = play(&home, "run", more);
        assert!(said.code == Some(2) && said.err().contains(words), "{more}: {}", said.all());
        assert!(!home.path("run").exists(), "{more}");
    }
    let said = home.agon("match engines/one engines/two --until order --at-most 10".split(' '));
    assert!(said.code == Some(2) && said.err().contains("it is for agon tournament"), "{}", said.all());
    let stages = "engines = \"engines\"\nuntil = \"cut=1\"\nat-most = 20\nout = \"run\"\nst = 5\n[[stages]]\nformat = \"swiss\"\n";
    home.put("cup.toml", stages);
    let said = home.agon(["tournament", "cup.toml"]);
    assert!(said.code == Some(2) && said.err().contains("pairings of their own"), "{}", said.all());
    // A directory is played for one question, or for none.
    assert_eq!(play(&home, "run", "--until cut=1 --at-most 4").code, Some(12));
    let said = play(&home, "run", "--until order --at-most 4");
    assert!(
        said.code == Some(2) && said.err().contains("were chosen for --until cut=1, not order"),
        "{}",
        said.all()
    );
    let said = play(&home, "run", "--games 2");
    assert!(said.code == Some(2) && said.err().contains("were chosen for --until cut=1"), "{}", said.all());
    assert_eq!(play(&home, "plain", "--games 2").code, Some(0));
    let said = play(&home, "plain", "--until order --at-most 4");
    assert!(said.code == Some(2) && said.err().contains("were not chosen for a question"), "{}", said.all());
}

#[test]
fn a_plan_and_a_dry_run_say_what_a_question_is_likely_to_cost() {
    let home = home(&["one", "two", "three"]);
    let file = "engines = \"engines\"\nuntil = \"cut=1\"\nat-most = 40\nout = \"run\"\nst = 5\ngame = \"letters:4x4x2\"\nseed = 3\n";
    home.put("night.toml", file);
    let words = "cut=1: in 40 runs simulated by strengths with a deviation of 200 Elo it was settled ";
    let said = home.agon(["plan", "night.toml"]);
    assert!(said.code == Some(0) && said.out().contains(words), "{}", said.all());
    let json: serde_json::Value =
        serde_json::from_str(&home.agon(["plan", "night.toml", "--json"]).out()).unwrap();
    assert_eq!(
        (&json["question"], &json["at_most"], &json["simulated"]),
        (&"cut=1".into(), &40.into(), &40.into())
    );
    let said = home.agon(["tournament", "night.toml", "--dry-run", "--no-check"]);
    assert!(said.code == Some(0) && said.out().contains(words), "{}", said.all());
    assert!(!home.path("run").exists());
    // A night has the answer in its line.
    let night = home.agon(["nightly", "night.toml", "--no-check"]);
    assert!(night.out().contains("cut=1: "), "{}", night.all());
    let said = home.agon(["plan", "night.toml"]);
    assert!(said.out().contains("by the ratings of the stored run"), "{}", said.all());
}
