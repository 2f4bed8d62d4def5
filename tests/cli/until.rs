//! A tournament for a question: pairs are chosen until it is settled, and nothing but results
//! changes a choice.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

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

/// Writes another text into the stored question.
fn asks(home: &Home, out: &str, before: &str, after: &str) {
    let db = rusqlite::Connection::open(home.path(format!("{out}/agon.db"))).unwrap();
    let sql = "UPDATE arrangement SET what = replace(what, ?1, ?2) WHERE instr(what, ?1) > 0";
    assert_eq!(db.execute(sql, [before, after]).unwrap(), 1, "{before}");
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
    // The first page is ranked as the question ranks, and not by points.
    assert_eq!(home.agon("report run --out pages".split(' ')).code, Some(0));
    let page = home.read("pages/index.html");
    let scores = page.split("Scores against the whole field, by which they are ranked").nth(1).unwrap();
    let ranked = json["question"]["ranking"].as_array().unwrap().iter();
    let names: Vec<&str> = ranked.map(|row| row["engine"].as_str().unwrap()).collect();
    let places: Vec<usize> = names.iter().map(|name| scores.find(&format!(">{name}</a>")).unwrap()).collect();
    assert!(names.len() > 1 && places.is_sorted(), "{names:?} {places:?}");
    // The same games, whether in two runs or in one.
    assert_eq!(play(&home, "run", "--until order --at-most 40").code, Some(12));
    let said = play(&home, "whole", "--until order --at-most 40 --events events.jsonl");
    assert_eq!(said.code, Some(12), "{}", said.all());
    assert!(!said.all().contains("leading: "), "points make nobody lead: {}", said.all());
    assert_eq!(games(&home, "run").len(), 40);
    // With --quiet the answer stands below the table.
    let quiet = play(&home, "run", "--until order --at-most 40 --quiet");
    assert_eq!((quiet.code, quiet.err()), (Some(12), String::new()));
    let out = quiet.out();
    assert!(out.lines().last().unwrap().starts_with("order: open after 20 pairs of games"), "{out}");
    assert_eq!(games(&home, "run"), games(&home, "whole"));
    assert!(verifies(&home, "run") && verifies(&home, "whole"));
    let events = home.read("events.jsonl");
    let told: Vec<&str> =
        events.lines().filter(|line| line.starts_with(r#"{"event":"question","question":"order""#)).collect();
    // After 16 and 32 games, and at the end.
    assert!(told.len() >= 3 && told[0].contains(r#""settled":false,"pairs":"#), "{events}");
    assert!(told.last().unwrap().contains(r#""pairs":20,"#), "{events}");
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
    asks(&home, "run", r#""lag":4"#, r#""lag":11"#);
    let verified = home.agon(["verify", "run"]);
    assert_eq!(verified.code, Some(1), "{}", verified.all());
    assert!(verified.all().contains("has no such game"), "{}", verified.all());
    asks(&home, "run", r#""lag":11"#, r#""lag":4"#);
    // Another limit changes no pair, and breaks the chain all the same.
    asks(&home, "run", r#""most":600"#, r#""most":700"#);
    let verified = home.agon(["verify", "run"]);
    assert_eq!(verified.code, Some(1), "{}", verified.all());
    assert!(
        verified.all().contains("arrangement 1 does not follow from what was stored"),
        "{}",
        verified.all()
    );
    asks(&home, "run", r#""most":700"#, r#""most":600"#);
    // A question that is gone is named, and nobody waits for it.
    std::fs::create_dir(home.path("lost")).unwrap();
    std::fs::copy(home.path("run/agon.db"), home.path("lost/agon.db")).unwrap();
    let db = rusqlite::Connection::open(home.path("lost/agon.db")).unwrap();
    assert_eq!(db.execute("DELETE FROM arrangement", []).unwrap(), 1);
    let (start, verified) = (Instant::now(), home.agon(["verify", "lost"]));
    let gone = "its pairs were chosen for a question, which is gone from the table arrangement";
    assert!(verified.code == Some(1) && verified.all().contains(gone), "{}", verified.all());
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
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
    assert!(games(&home, "run").len() > before.len() && verifies(&home, "run"));
    // After decisions and more games another lag is found too.
    asks(&home, "run", r#""lag":4"#, r#""lag":3"#);
    assert!(!verifies(&home, "run"));
    asks(&home, "run", r#""lag":3"#, r#""lag":4"#);
    // What is settled plays nothing more, and a plan says so.
    for words in [
        "plan engines --out run",
        "tournament engines --game letters:4x4x2 --st 20 --seed 7 --out run --dry-run",
    ] {
        let said = home.agon(format!("{words} --until cut=1 --at-most 600").split_whitespace());
        assert!(
            said.out().contains("cut=1: settled after ") && said.out().contains("the best is good"),
            "{}",
            said.all()
        );
        let none = ["; no game is left to play", "; the same engines play no more games"];
        assert!(!said.out().contains("would be played"), "{}", said.all());
        assert!(none.iter().any(|words| said.out().contains(words)), "{}", said.all());
    }
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
    assert!(said.out().contains("by the ratings, draws and first moves of the stored run"), "{}", said.all());
}

#[test]
fn a_run_is_closed_with_what_is_open_and_an_engine_leaves_by_another_run() {
    let home = home(&["one", "two", "three"]);
    assert_eq!(play(&home, "run", "--until order --at-most 12").code, Some(12));
    let close = |what: &str| home.agon(["close", "run", what, "--why", "the room closes"]);
    let said = close("drawn");
    assert!(
        said.code == Some(2) && said.err().contains("it ends here, and what is open stays open"),
        "{}",
        said.all()
    );
    let said = close("void");
    assert_eq!(said.code, Some(0), "{}", said.all());
    let told = "the run was over and stays over; nobody's points or place change\n";
    assert!(said.out().contains(told) && !said.out().contains("its standings change"), "{}", said.all());
    let status = home.agon(["status", "run"]).out();
    assert!(
        status.contains("over, 12 games; order: open after 6 pairs") && status.contains("closed: "),
        "{status}"
    );
    // No more games are played for it.
    assert_eq!(play(&home, "run", "--until order --at-most 40").code, Some(12));
    assert!(games(&home, "run").len() == 12 && verifies(&home, "run"));
    assert_eq!(close("undo").code, Some(0));
    assert_eq!(play(&home, "run", "--until order --at-most 16").code, Some(12));
    assert!(games(&home, "run").len() == 16 && verifies(&home, "run"));
    // Nobody withdraws; the refusal says what to do, and that works.
    let said = home.agon(["withdraw", "run", "two", "--why", "broken"]);
    assert!(
        said.code == Some(2) && said.err().contains("take its program out of the folder"),
        "{}",
        said.all()
    );
    std::fs::remove_dir_all(home.path("engines/two")).unwrap();
    let said = play(&home, "run", "--until order --at-most 12");
    assert!(
        said.code == Some(2) && said.err().contains("two is no longer among the engines"),
        "{}",
        said.all()
    );
    let said = play(&home, "run", "--until order --at-most 12 --again");
    assert_eq!(said.code, Some(12), "{}", said.all());
    assert!(games(&home, "run").len() == 12 && verifies(&home, "run"));
}

#[test]
fn the_run_for_a_question_is_taken_up_again_after_a_match_in_its_directory() {
    let home = home(&["one", "two", "three"]);
    assert_eq!(play(&home, "run", "--until order --at-most 12").code, Some(12));
    let all = games(&home, "run");
    let words = "match engines/one engines/two --game letters:4x4x2 --st 9 --seed 7 --games 2 --isolation limits --out run --again";
    let said = home.agon(words.split_whitespace());
    assert_eq!((said.code, games(&home, "run").len()), (Some(0), 2), "{}", said.all());
    let said = play(&home, "run", "--until cut=1 --at-most 12 --again");
    assert!(said.code == Some(2) && said.err().contains("not chosen for a question"), "{}", said.all());
    let said = play(&home, "run", "--until order --at-most 12 --again");
    assert_eq!(said.code, Some(12), "{}", said.all());
    assert_eq!(games(&home, "run"), all);
    let verified = home.agon(["verify", "run"]);
    assert_eq!(verified.code, Some(0), "{}", verified.all());
    // The standings of all three runs: of two engines and of three.
    assert!(verified.out().contains(", 8 standings, "), "{}", verified.out());
    // What an earlier run for the question ended with is computed again too.
    let change = |sql: &str| {
        let db = rusqlite::Connection::open(home.path("run/agon.db")).unwrap();
        assert_eq!(db.execute(sql, []).unwrap(), 1, "{sql}");
    };
    change(
        "UPDATE standing SET wins = wins + 1 WHERE run = 1 AND engine = (SELECT min(engine) FROM standing WHERE run = 1)",
    );
    let verified = home.agon(["verify", "run"]);
    let why = "run 1: its standings are not those of its games";
    assert!(verified.code == Some(1) && verified.all().contains(why), "{}", verified.all());
    change(
        "UPDATE standing SET wins = wins - 1 WHERE run = 1 AND engine = (SELECT min(engine) FROM standing WHERE run = 1)",
    );
    assert!(verifies(&home, "run"));
}

#[test]
fn a_match_in_the_directory_adds_no_games_to_a_question_and_its_closing_is_its_own() {
    let home = home(&["one", "two", "three"]);
    assert_eq!(play(&home, "run", "--until order --at-most 12").code, Some(12));
    let all = games(&home, "run");
    let words = "match engines/one engines/two --game letters:4x4x2 --st 20 --seed 7 --isolation limits --out run --games";
    let said = home.agon(format!("{words} 16").split_whitespace());
    let why = "there were games chosen for --until order, and it is 16 games in each pairing now";
    assert!(said.code == Some(2) && said.err().contains(why), "{}", said.all());
    // It plays all games of the two that the question could choose next, and is closed.
    for _ in 0..20 {
        // On a busy machine three seconds are few games, and the same command goes on.
        let said = home.shell(&format!("timeout -s INT 3 agon {words} 20000 --again"));
        assert!(!said.all().contains("100000"), "{}", said.all());
        if games(&home, "run").len() > 16 {
            break;
        }
    }
    assert!(games(&home, "run").len() > 16);
    let close = |what: &str| home.agon(["close", "run", what, "--why", "the match is over"]);
    assert_eq!(close("void").code, Some(0));
    let said = play(&home, "run", "--until order --at-most 12 --again");
    assert_eq!((said.code, games(&home, "run")), (Some(12), all), "{}", said.all());
    assert!(!said.all().contains("closed") && !said.all().contains("100000"), "{}", said.all());
    assert!(verifies(&home, "run"));
    // More games are played with it, whichever pair is the next one, and it has an end of its own.
    for most in [14, 16, 18, 20] {
        assert_eq!(play(&home, "run", &format!("--until order --at-most {most}")).code, Some(12));
        assert_eq!(games(&home, "run").len(), most);
    }
    assert_eq!(close("void").code, Some(0));
    let said = play(&home, "run", "--until order --at-most 40");
    let told = "; closed: what was not played counts for nobody: the match is over";
    assert!(said.code == Some(12) && said.err().contains(told), "{}", said.all());
    assert!(verifies(&home, "run"));
    assert_eq!(close("undo").code, Some(0));
    // Fewer than there are.
    let said = play(&home, "run", "--until order --at-most 6");
    let told = "20 games were played for --until order, and --at-most 6 is fewer";
    assert!(said.code == Some(2) && said.err().contains(told), "{}", said.all());
    assert!(said.err().contains("give --at-most 20 or more"), "{}", said.all());
    let status = home.agon(["status", "run"]).out();
    assert!(status.contains(" pairs of games, at most 40 games: so far"), "{status}");
    assert_eq!(play(&home, "run", "--until order --at-most 20").code, Some(12));
    assert!(games(&home, "run").len() == 20 && verifies(&home, "run"));
}

#[test]
fn what_choices_follow_from_is_not_pruned() {
    let home = home(&["one", "two", "three"]);
    assert_eq!(play(&home, "run", "--until order --at-most 24").code, Some(12));
    // A game of each two is played again; the first attempts count no more.
    let all = rows(&home.read("run/games.csv"));
    for (one, two) in [("one", "two"), ("three", "two")] {
        let is_theirs = |row: &&std::collections::BTreeMap<String, String>| {
            [[one, two], [two, one]].contains(&[row["first_engine"].as_str(), row["second_engine"].as_str()])
        };
        let id = &all.iter().find(is_theirs).expect("each two have met")["id"];
        let said = home.agon(["decide", "run", id, "replay", "--why", "a test", "--yes"]);
        assert_eq!(said.code, Some(0), "{}", said.all());
    }
    assert_eq!(play(&home, "run", "--until order --at-most 24").code, Some(12));
    let gone = || {
        let db = rusqlite::Connection::open(home.path("run/agon.db")).unwrap();
        let sql = "SELECT count(*) FROM game g WHERE current IS NULL AND EXISTS (SELECT 1 FROM seat JOIN engine \
                   ON id = engine WHERE seat.game = g.number AND name = ?1)";
        ["one", "three"].map(|name| db.query_row(sql, [name], |row| row.get::<_, i64>(0)).unwrap())
    };
    assert_eq!(gone(), [1, 1]);
    // In the next run the games of three are history, and those of the others were chosen again.
    std::fs::remove_dir_all(home.path("engines/three")).unwrap();
    assert_eq!(play(&home, "run", "--until order --at-most 24 --again").code, Some(12));
    assert!(verifies(&home, "run") && gone()[1] > 1);
    let said = home.agon(["prune", "run", "--nights", "1", "--yes"]);
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert_eq!(gone(), [1, 0], "{}", said.all());
    assert!(verifies(&home, "run"));
}

#[test]
fn a_file_with_a_question_is_simulated_and_bars_of_one_that_always_wins_say_why() {
    let home = home(&["one", "two", "three"]);
    let file =
        "engines = \"engines\"\nuntil = \"cut=1\"\nat-most = 300\ngame = \"letters:4x4x2\"\nseed = 3\n";
    home.put("night.toml", file);
    let simulate = |more: &str| home.agon(format!("simulate night.toml {more}").split_whitespace());
    let said = simulate("");
    assert!(said.code == Some(0) && said.out().contains("cut=1 was settled in "), "{}", said.all());
    assert!(said.out().contains(" 100 runs: "), "{}", said.all());
    let numbers = |more: &str| -> serde_json::Value {
        let all: serde_json::Value = serde_json::from_str(&simulate(more).out()).unwrap();
        all["tournaments"][0].clone()
    };
    let (even, apart) = (numbers("--json --deviation 1"), numbers("--json --deviation 900"));
    assert_eq!(
        (&even["cut"], &even["question"], &even["at_most"]),
        (&1.into(), &"cut=1".into(), &300.into())
    );
    let settled = |of: &serde_json::Value| of["settled"].as_f64().unwrap();
    assert!(settled(&even) < 0.1 && settled(&apart) > 0.4, "{even} {apart}");
    assert!(apart["games"].as_f64() < even["games"].as_f64(), "{even} {apart}");
    let said = simulate("--until cut=3");
    assert!(
        said.code == Some(2) && said.err().contains("of 3 engines a cut is from 1 to 2"),
        "{}",
        said.all()
    );
    // Its engines may stand in tables alone.
    let tables = file.replace("engines = \"engines\"\n", "") + "[[engine]]\nprogram = \"engines/one\"\n";
    home.put("tables.toml", format!("{tables}[[engine]]\nprogram = \"engines/two\"\n"));
    let said = home.agon(["simulate", "tables.toml", "--runs", "20"]);
    assert!(said.code == Some(0) && said.out().contains("cut=1 was settled in "), "{}", said.all());
    home.put("cup.toml", format!("{file}[[stages]]\nformat = \"swiss\"\n"));
    let said = home.agon(["simulate", "cup.toml"]);
    assert!(said.code == Some(2) && said.err().contains("pairings of their own"), "{}", said.all());

    home.engine("engines/good", "agon-greedy");
    std::fs::remove_dir_all(home.path("engines/two")).unwrap();
    let words = "tournament engines --game letters:6x6x6 --st 20 --seed 7 --concurrency 2 --isolation limits --out run";
    let said = home.agon(format!("{words} --until bars=400 --at-most 60").split_whitespace());
    assert_eq!(said.code, Some(12), "{}", said.all());
    let why = "good wins nearly all of its games: while it does, its bar has no upper end";
    assert!(said.err().contains(why), "{}", said.all());
    assert!(home.agon(["status", "run"]).out().contains(why));
}
