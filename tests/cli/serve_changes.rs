//! Directories that change under a server: they vanish, come back, and hold other games.

use std::fs;

use super::home::Home;
use super::serve::{Served, play};

#[test]
fn a_run_that_vanishes_is_said_on_the_page_and_may_come_back() {
    let home = Home::with_two();
    play(&home, 2);
    let served = Served::of(&home, &["run"]);
    assert_eq!(served.get("/").status, 200);
    fs::rename(home.path("run"), home.path("away")).unwrap();
    // This page was not made before.
    assert_eq!(served.get("/history.html").status, 503);
    fs::rename(home.path("away"), home.path("run")).unwrap();
    served.wait_for("/history.html", |answer| answer.status == 200);
    fs::rename(home.path("run"), home.path("away")).unwrap();
    let gone = served.wait_for("/", |answer| answer.status == 503);
    assert!(gone.text().contains("The run cannot be read"), "{}", gone.text());
    assert!(gone.text().contains("live.js"), "it comes back by itself");
    fs::rename(home.path("away"), home.path("run")).unwrap();
    served.wait_for("/", |answer| answer.status == 200);
    // A file that is no database.
    fs::remove_file(home.path("run/agon.db")).unwrap();
    home.put("run/agon.db", "nothing of ours");
    let damaged = served.wait_for("/", |answer| answer.status == 503);
    assert!(damaged.text().contains("agon.db"), "{}", damaged.text());
}

#[test]
fn another_database_of_the_same_name_takes_the_place_of_the_one_before() {
    let home = Home::with_two();
    let replay = "/game/r01-p0001-g01.html";
    for (name, seed) in [("run", "7"), ("other", "8")] {
        let words = format!(
            "match engines/greedy engines/random --game letters:3x3x2 --st 5 --seed {seed} --games 2 --out {name} --quiet"
        );
        let said = home.agon(words.split(' '));
        assert_eq!(said.code, Some(0), "{}", said.all());
    }
    let fresh = |name: &str| Served::of(&home, &[name]).get(replay).text();
    let body = |page: &str| page.split("<main").nth(1).unwrap_or_default().to_owned();
    let (before, after) = (fresh("run"), fresh("other"));
    assert_ne!(body(&before), body(&after));
    let served = Served::of(&home, &["run"]);
    assert_eq!(body(&served.get(replay).text()), body(&before));
    fs::copy(home.path("other/agon.db"), home.path("run/new")).unwrap();
    fs::rename(home.path("run/new"), home.path("run/agon.db")).unwrap();
    served.wait_for(replay, |answer| body(&answer.text()) == body(&after));
}

#[test]
fn games_of_the_same_numbers_and_times_but_other_engines_are_read_anew() {
    let home = Home::with_two();
    play(&home, 2);
    let games = home.agon(["export", "json", "run"]).out();
    home.put("one.json", &games);
    home.put("two.json", games.replace("\"greedy\"", "\"someone\""));
    let import = |from: &str| {
        let said = home.agon(["import", "all", from]);
        assert_eq!(said.code, Some(0), "{}", said.all());
    };
    import("one.json");
    let served = Served::of(&home, &["all"]);
    let page = served.get("/").text();
    assert!(page.contains("greedy") && !page.contains("someone"), "{page}");
    fs::remove_dir_all(home.path("all")).unwrap();
    import("two.json");
    served.wait_for("/", |answer| answer.text().contains("someone") && !answer.text().contains("greedy"));
}

#[test]
fn the_log_of_a_run_is_empty_at_its_end_although_its_pages_are_read() {
    let home = Home::with_two();
    play(&home, 2);
    let served = Served::of(&home, &["run"]);
    assert_eq!(served.get("/").status, 200);
    play(&home, 6);
    assert_eq!(fs::metadata(home.path("run/agon.db-wal")).unwrap().len(), 0);
    served.wait_for("/status.json", |answer| answer.text().contains("\"done\":6"));
}
