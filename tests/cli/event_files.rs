//! The files of a cup, a league and several time controls follow from what the organiser decides,
//! at once and as the next run writes them.

use std::collections::{BTreeMap, BTreeSet};

use super::decisions::{decides, does, games, plays, with};
use super::home::Home;
use super::withdrawals::rows;

/// The files in this directory with these names.
fn read(home: &Home, directory: &str, names: &[&str]) -> BTreeMap<String, String> {
    names.iter().map(|name| ((*name).to_owned(), home.read(&format!("{directory}/{name}")))).collect()
}

/// The games of an engine.
fn own(home: &Home, directory: &str, engine: &str) -> Vec<String> {
    let all = games(home, directory);
    let is_own = |game: &&serde_json::Value| game["engines"].to_string().contains(&format!("\"{engine}\""));
    all.iter().filter(is_own).map(|game| game["id"].as_str().unwrap().to_owned()).collect()
}

/// Awards all games of an engine to it.
fn awards(home: &Home, (directory, stage): (&str, &str), engine: &str) -> String {
    let all = own(home, &format!("{directory}{stage}"), engine);
    let option = if stage.is_empty() { "" } else { " --stage 1" };
    let awarded = |id: &String| decides(home, &format!("{directory} {id} award {engine}{option}"));
    all.iter().map(awarded).collect()
}

fn engines_of(
    all: &[BTreeMap<String, String>],
    stage: &str,
    is_meant: impl Fn(&str) -> bool,
) -> BTreeSet<String> {
    let own = all.iter().filter(|row| row["stage"] == stage && is_meant(&row["goes_on"]));
    own.map(|row| row["engine"].clone()).collect()
}

#[test]
fn a_cup_tells_at_once_who_has_played_where_after_a_stage_is_decided_anew() {
    let stages = "[[stages]]\nname = \"groups\"\ngroups = 2\nadvance = 1\nplay-offs = 0\n\n[[stages]]\nname = \"final\"\nplay-offs = 0\n";
    let home = with(4, stages);
    plays(&home);
    let names = ["places.csv", "stages.csv", "bracket.txt", "bracket.svg"];
    let before = read(&home, "results", &names);
    let all = rows(&before["stages.csv"]);
    let out = engines_of(&all, "1", |goes_on| goes_on == "no").into_iter().next().unwrap();
    let said = awards(&home, ("results", "/stage-1"), &out);
    assert!(said.contains("order of groups, group ") && !said.contains("as it was before"), "{said}");

    let after = read(&home, "results", &names);
    let all = rows(&after["stages.csv"]);
    let place = |engine: &str| all.iter().find(|row| row["stage"] == "1" && row["engine"] == engine).unwrap();
    assert_eq!((place(&out)["place"].as_str(), place(&out)["points"].as_str()), ("1", "4"), "{all:?}");
    // The final has been played by others, and they are who went on.
    let finalists = engines_of(&all, "2", |_| true);
    assert!(!finalists.contains(&out));
    assert_eq!(engines_of(&all, "1", |goes_on| goes_on == "yes"), finalists, "{all:?}");
    let places = rows(&after["places.csv"]);
    let of_stage_2: BTreeSet<String> =
        places.iter().filter(|row| row["stage"] == "2").map(|row| row["engine"].clone()).collect();
    assert!(places.len() == 4 && of_stage_2 == finalists, "{places:?}");
    // The bracket marks them, with its points of now.
    let bracket = &after["bracket.txt"];
    assert!(*bracket != before["bracket.txt"]);
    does(&home, "report results --out pages");
    let page = home.read("pages/index.html");
    let shown = page.split("The bracket as text").nth(1).unwrap().split("</pre>").next().unwrap();
    for line in bracket.lines().filter(|line| !line.is_empty()) {
        assert!(shown.contains(&line.replace('>', "&gt;")), "{line}\n{shown}");
    }
    for name in &finalists {
        assert!(
            page.contains(&format!("{name}</a><span class=\"said\"> (goes on or has won)")),
            "{name}\n{page}"
        );
    }

    // The next run has nothing to change.
    plays(&home);
    assert_eq!(read(&home, "results", &names), after);
    for id in own(&home, "results/stage-1", &out) {
        decides(&home, &format!("results {id} undo --stage 1"));
    }
    assert_eq!(read(&home, "results", &names), before);
}

#[test]
fn a_cup_of_one_stage_has_its_files_beside_the_run() {
    let home = with(4, "format = \"round robin\"\n");
    plays(&home);
    let names = ["places.csv", "stages.csv", "bracket.txt", "bracket.svg", "standings.csv", "crosstable.csv"];
    let before = read(&home, "results", &names);
    let last = rows(&before["places.csv"]).pop().unwrap()["engine"].clone();
    awards(&home, ("results", ""), &last);
    let after = read(&home, "results", &names);
    let places = rows(&after["places.csv"]);
    assert_eq!(places[0]["engine"], last, "{places:?}");
    plays(&home);
    assert_eq!(read(&home, "results", &names), after);
}

#[test]
fn a_league_is_written_at_once_and_each_night_by_its_own_rules() {
    let home = with(6, "[league]\ndivisions = 2\n");
    plays(&home);
    let names = ["league.csv", "ratings.csv"];
    let night = |home: &Home| -> Vec<BTreeMap<String, String>> {
        let all = rows(&home.read("results/league.csv"));
        all.into_iter().filter(|row| row["night"] == "1").collect()
    };
    let last = night(&home).into_iter().find(|row| row["moves"] == "down").unwrap();
    // It is the last of the first division, and goes down no longer.
    let said = awards(&home, ("results", "/night-1"), &last["engine"]);
    assert!(!said.contains("as it was before"), "{said}");
    let after = read(&home, "results", &names);
    let own = night(&home).into_iter().find(|row| row["engine"] == last["engine"]).unwrap();
    assert_eq!((own["place"].as_str(), own["moves"].as_str()), ("1", ""), "{after:?}");
    plays(&home);
    assert_eq!(read(&home, "results", &names), after);

    // Another number of moves holds for later nights alone.
    let first = night(&home);
    let file = home.read("tournament.toml").replace("divisions = 2\n", "divisions = 2\npromote = 0\n");
    home.put("tournament.toml", file);
    let next = home.agon("tournament tournament.toml --no-check --quiet --next".split(' '));
    assert_eq!(next.code, Some(0), "{}", next.all());
    assert_eq!(night(&home), first);
    let second = rows(&home.read("results/league.csv"));
    assert!(second.iter().filter(|row| row["night"] == "2").all(|row| row["moves"].is_empty()), "{second:?}");
}

#[test]
fn the_tables_of_all_time_controls_have_what_was_decided_in_one() {
    let home = with(3, "");
    let file = home.read("tournament.toml").replace("st = 1\n", "st = [1, 2]\n");
    home.put("tournament.toml", file);
    plays(&home);
    let names = ["standings.csv", "crosstable.csv", "ratings.csv"];
    let before = read(&home, "results", &names);
    let points = |files: &BTreeMap<String, String>, engine: &str| -> f64 {
        let all = rows(&files["standings.csv"]);
        all.iter().find(|row| row["engine"] == engine).unwrap()["points"].parse().unwrap()
    };
    let last = rows(&before["standings.csv"]).pop().unwrap()["engine"].clone();
    let run = std::fs::read_dir(home.path("results")).unwrap().flatten().map(|entry| entry.path());
    let run = run.filter(|path| path.join("agon.db").is_file()).min().unwrap();
    let run = format!("results/{}", run.file_name().unwrap().to_str().unwrap());
    let won = own(&home, &run, &last).len();
    awards(&home, (&run, ""), &last);
    let after = read(&home, "results", &names);
    let lost: f64 = ["e1", "e2", "e3"].iter().map(|name| points(&before, name) - points(&after, name)).sum();
    assert!(lost.abs() < 0.01 && won == 4, "{before:?}\n{after:?}");
    assert!(points(&after, &last) >= 4.0 && points(&after, &last) > points(&before, &last), "{after:?}");
    plays(&home);
    assert_eq!(read(&home, "results", &names), after);
}
