//! The files of a cup, a league and several time controls follow from what the organiser decides,
//! at once and as the next run writes them.

use std::collections::{BTreeMap, BTreeSet};

use super::bad_input::refused;
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
    // The directory of the stage is the stage: without --yes it says what depends on it.
    let first = own(&home, "results/stage-1", &out).remove(0);
    for line in [
        "agon decide results/stage-1",
        "cd results/stage-1 && agon decide .",
        "cd results && agon decide stage-1",
    ] {
        let asked = home.shell(&format!("{line} {first} award {out} --why x"));
        assert!(asked.code == Some(2) && asked.out().contains("stage-2 has begun, with "), "{}", asked.all());
    }
    let said = awards(&home, ("results/stage-1", ""), &out);
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

    // The next run has nothing to change, nor one that is asked for the first stage alone.
    plays(&home);
    assert_eq!(read(&home, "results", &names), after);
    does(&home, "tournament tournament.toml --no-check --quiet --stage 1");
    assert_eq!(read(&home, "results", &names), after);
    // It mends what could not be written, and a decision writes what is not there any more.
    let table = home.read("results/stage-1/standings.csv");
    home.put("results/stage-1/standings.csv", "rank,engine\n");
    plays(&home);
    assert_eq!(home.read("results/stage-1/standings.csv"), table);
    std::fs::remove_file(home.path("results/bracket.txt")).unwrap();
    for id in own(&home, "results/stage-1", &out) {
        decides(&home, &format!("results {id} undo --stage 1"));
    }
    assert_eq!(read(&home, "results", &names), before);
}

#[test]
fn a_final_that_is_over_keeps_its_places_while_an_earlier_stage_is_played_again() {
    let stages = "[[stages]]\nname = \"groups\"\ngroups = 2\nadvance = 1\nplay-offs = 0\n\n[[stages]]\nname = \"final\"\nplay-offs = 0\n";
    let home = with(4, stages);
    plays(&home);
    let first_two = |home: &Home| -> Vec<(String, String)> {
        let all = rows(&home.read("results/places.csv"));
        let two = all.iter().filter(|row| row["stage"] == "2");
        two.map(|row| (row["place"].clone(), row["engine"].clone())).collect()
    };
    let before = first_two(&home);
    assert_eq!(before.len(), 2);
    decides(&home, "results r01-p0001-g01 replay --stage 1");
    assert_eq!(first_two(&home), before);
    let out: Vec<_> =
        rows(&home.read("results/places.csv")).into_iter().filter(|row| row["stage"] == "1").collect();
    assert!(out.len() == 2 && out.iter().all(|row| row["place"] == "3"), "{out:?}");
    let all = rows(&home.read("results/stages.csv"));
    let finalists = engines_of(&all, "2", |_| true);
    assert_eq!(engines_of(&all, "1", |goes_on| goes_on == "yes"), finalists, "{all:?}");
    plays(&home);
    assert_eq!(first_two(&home), before);
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

    // The first page says who moves.
    does(&home, "report results --out pages");
    let page = home.read("pages/index.html");
    for row in night(&home) {
        let own = format!(">{}</a>", row["engine"]);
        let line = page.split("<li>").find(|line| line.contains(&own) && line.contains("class=\"came\""));
        let line = line.unwrap_or_else(|| panic!("{row:?}\n{page}"));
        for moves in ["up", "down"] {
            assert_eq!(line.contains(&format!("goes {moves}")), row["moves"] == moves, "{row:?}\n{line}");
        }
    }

    // Another number of moves holds for later nights alone.
    let first = night(&home);
    let file = home.read("tournament.toml").replace("divisions = 2\n", "divisions = 2\npromote = 0\n");
    home.put("tournament.toml", file);
    let next = home.agon("tournament tournament.toml --no-check --quiet --next".split(' '));
    assert_eq!(next.code, Some(0), "{}", next.all());
    assert_eq!(night(&home), first);
    let second = rows(&home.read("results/league.csv"));
    for row in &first {
        let division: i32 = row["division"].parse().unwrap();
        let moved = i32::from(row["moves"] == "down") - i32::from(row["moves"] == "up");
        let now = second.iter().find(|now| now["night"] == "2" && now["engine"] == row["engine"]).unwrap();
        assert_eq!(now["division"], (division + moved).to_string(), "{second:?}");
    }
    assert!(first.iter().any(|row| !row["moves"].is_empty()), "{first:?}");
    // Only the last night is played, so that no game of an earlier one is played again.
    let words = ["night 2 has begun", "no game of night 1 is played again", "award or result"];
    refused(&home, "decide results r01-p0001-g01 replay --stage 1 --yes --why x", &words);
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
