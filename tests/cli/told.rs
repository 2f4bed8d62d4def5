//! What people did to a run, decisions, withdrawals and closings, is told where others look: lists,
//! the status, the pages and the crosstable.

use std::collections::{BTreeMap, BTreeSet};

use super::bad_input::refused;
use super::home::Home;
use super::withdrawals::{CUP, does, games, killed, names, plays, recounted, rows, verified};

#[track_caller]
fn notes(home: &Home, line: &str, why: &str) -> String {
    let said = home.agon(line.split_whitespace().chain(["--why", why]));
    assert_eq!(said.code, Some(0), "{line}\n{}", said.all());
    said.out()
}

/// The points of each against each on the page of the crosstable, where a win counts 2: those of
/// the games that were played, and those of all.
fn on_the_page(page: &str, engines: &[&str]) -> BTreeMap<(String, String), (i64, i64)> {
    let body = page.split("<tbody>").nth(1).unwrap().split("</tbody>").next().unwrap();
    let text = |html: &str| -> String {
        let mut text = String::new();
        for part in html.split('<') {
            text.push_str(part.split_once('>').map_or(part, |(_, text)| text));
        }
        text
    };
    let points = |counts: &str| -> i64 {
        let mut numbers = counts.split([' ', '+', '=', '−']).filter_map(|word| word.parse::<i64>().ok());
        2 * numbers.next().unwrap() + numbers.next().unwrap()
    };
    let mut found = BTreeMap::new();
    let lines: Vec<Vec<String>> = (body.split("<tr").skip(1))
        .map(|line| line.split("<t").skip(1).map(|cell| text(&format!("<t{cell}"))).collect())
        .collect();
    let order: Vec<&str> = lines.iter().map(|cells| cells[1].as_str()).collect();
    assert_eq!(order.len(), engines.len(), "{order:?}");
    for cells in &lines {
        for (other, cell) in order.iter().zip(&cells[3..]) {
            if cell.contains('+') {
                let (played, unplayed) = match cell.strip_suffix(" unplayed") {
                    Some(counts) => counts.rsplit_once('+').unwrap(),
                    None => (cell.as_str(), "0 =0 −0"),
                };
                let played = if played.trim().is_empty() { 0 } else { points(played) };
                found.insert((cells[1].clone(), (*other).to_owned()), (played, played + points(unplayed)));
            }
        }
    }
    found
}

#[test]
fn what_was_noted_of_a_run_is_on_its_pages() {
    let home = killed(4, "", "e2", 3);
    let all = games(&home, "results");
    let (id, who) = (all[0]["id"].as_str().unwrap(), names(&all[0]));
    notes(&home, &format!("decide results {id} award {} --yes", who[1]), "the clock was wrong");
    notes(&home, &format!("decide results {} void --yes", all[1]["id"].as_str().unwrap()), "no power");
    notes(&home, &format!("decide results {} undo --yes", all[1]["id"].as_str().unwrap()), "it had some");
    notes(&home, "withdraw results e2", "a copy");
    notes(&home, "close results drawn", "the room closes");
    verified(&home, "results");

    let listed = does(&home, "decide results");
    let line = format!("{id}, {} - {}: award {}: the clock was wrong", who[0], who[1], who[1]);
    assert!(listed.contains(&line) && listed.lines().count() == 3, "{listed}");
    assert!(listed.contains(": void: no power") && listed.contains(": undo: it had some"), "{listed}");

    does(&home, "report results");
    let page = |name: &str| home.read(&format!("results-report/{name}"));
    let first = page("index.html");
    assert!(first.contains("Decisions of the organiser"), "{first}");
    let told = format!(", {} - {}: award {}: the clock was wrong", who[0], who[1], who[1]);
    assert!(first.contains(&told) && !first.contains("no power"), "{first}");
    let sentence = "e2 has withdrawn from round ";
    assert!(page("engine/e2.html").contains(sentence), "{}", page("engine/e2.html"));
    assert!(!page("engine/e1.html").contains(sentence), "{}", page("engine/e1.html"));

    // The page of the crosstable says the same as its file, with what was not played.
    let engines = ["e1", "e2", "e3", "e4"];
    let shown = on_the_page(&page("crosstable.html"), &engines);
    let file = rows(&home.read("results/crosstable.csv"));
    let mut differ = 0;
    for row in &file {
        for other in engines.iter().filter(|other| **other != row["engine"]) {
            let points: f64 = row[*other].split(' ').next().unwrap().parse().unwrap();
            let (played, with_unplayed) = shown[&(row["engine"].clone(), (*other).to_owned())];
            assert!((points - with_unplayed as f64).abs() < 0.01, "{row:?}\n{shown:?}");
            differ += usize::from(played != with_unplayed);
        }
    }
    assert!(differ > 0, "some games were not played: {shown:?}");

    // Draws that nobody played stand between what was won and lost.
    let table = does(&home, "standings results");
    let line = table.lines().find(|line| line.split_whitespace().nth(1) == Some("e3")).unwrap();
    assert!(line.split_whitespace().any(|cell| cell.split(':').count() == 3), "{table}");
}

#[test]
fn a_game_of_one_that_has_withdrawn_is_not_played_again() {
    let home = killed(4, "", "e2", 3);
    let all = games(&home, "results");
    let own: Vec<_> = all.iter().filter(|game| names(game).iter().any(|name| name == "e2")).collect();
    let id = own[0]["id"].as_str().unwrap();
    let before = does(&home, "status results");
    assert!(!before.contains("for nobody"), "{before}");
    notes(&home, "withdraw results e2", "a copy");
    refused(
        &home,
        &format!("decide results {id} replay --why x"),
        &["e2 has withdrawn", "is not played again", "award or result"],
    );
    notes(&home, "withdraw results e2 undo", "it is none");
    notes(&home, "withdraw results e2 --rule expunge", "a copy");
    std::fs::remove_dir_all(home.path("engines/e2")).unwrap();
    plays(&home, "");
    let status = does(&home, "status results");
    assert!(status.contains(&format!(", {} for nobody", own.len())), "{status}");
    let object: serde_json::Value = serde_json::from_str(&does(&home, "status results --json")).unwrap();
    assert_eq!((&object["for_nobody"], &object["over"]), (&own.len().into(), &true.into()), "{object}");
    verified(&home, "results");
}

#[test]
fn an_opponent_that_is_upgraded_wins_by_forfeit_against_one_that_is_gone() {
    for keys in ["", "format = \"round robin\"\n", "format = \"swiss\"\nrounds = 3\n"] {
        let home = killed(6, keys, "e2", 2);
        notes(&home, "withdraw results e2", "it left");
        std::fs::remove_dir_all(home.path("engines/e2")).unwrap();
        std::fs::remove_file(home.path("engines/e1")).unwrap();
        home.engine("engines/e1", "agon-greedy");
        assert!(does(&home, "status results").contains("stopped, "), "{keys}");
        for _ in 0..2 {
            plays(&home, "");
            let all = games(&home, "results");
            let met = |one: &str, other: &str| {
                let has = |game: &&serde_json::Value| {
                    game["counts"] == true
                        && [one, other].iter().all(|own| names(game).iter().any(|name| name == own))
                };
                all.iter().filter(has).count()
            };
            assert_eq!(met("e1", "e2"), 0, "{keys}: {all:?}");
            if !keys.contains("swiss") {
                assert_eq!((met("e1", "e3"), met("e1", "e4"), met("e3", "e4")), (2, 2, 2), "{keys}: {all:?}");
                let table = rows(&does(&home, "standings results --csv"));
                let own = table.iter().find(|row| row["engine"] == "e1").unwrap();
                assert_eq!(own["forfeit_wins"], "2", "{keys}: {table:?}");
            }
            verified(&home, "results");
        }
    }
}

#[test]
fn no_result_that_was_decided_counts_of_one_that_is_expunged() {
    let home = killed(4, "", "e2", 3);
    home.put("go", "");
    let all = games(&home, "results");
    let own = all.iter().find(|game| names(game).iter().any(|name| name == "e2")).unwrap();
    let (id, other) =
        (own["id"].as_str().unwrap(), names(own).into_iter().find(|name| name != "e2").unwrap());
    notes(&home, &format!("decide results {id} award {other}"), "the clock was wrong");
    notes(&home, "withdraw results e2 --rule expunge", "a copy");
    plays(&home, "");
    let all = games(&home, "results");
    let of_others: Vec<_> =
        all.into_iter().filter(|game| !names(game).iter().any(|name| name == "e2")).collect();
    let by_hand = recounted(&of_others);
    for row in rows(&does(&home, "standings results --csv")) {
        let wanted = by_hand.get(&row["engine"]).copied().unwrap_or(0);
        assert!((row["points"].parse::<f64>().unwrap() - wanted as f64).abs() < 0.01, "{row:?}: {wanted}");
    }
    verified(&home, "results");
}

#[test]
fn what_another_night_has_noted_is_taken_back_there() {
    let home = killed(6, "[league]\ndivisions = 2\n", "e4", 1);
    // Nobody leads a division that has not begun.
    let begun: BTreeSet<String> = games(&home, "results").iter().flat_map(names).collect();
    let object: serde_json::Value = serde_json::from_str(&does(&home, "status results --json")).unwrap();
    for leader in object["leaders"].as_array().unwrap() {
        assert!(begun.contains(leader.as_str().unwrap()), "{object}");
    }
    notes(&home, "withdraw results e1", "x");
    std::fs::write(home.path("go"), "").unwrap();
    plays(&home, "");
    plays(&home, "--next");
    refused(&home, "withdraw results e1 undo --why x", &["night-1", "is noted there", "--stage 1"]);
    // It is simulated with those that play.
    home.put("plain.toml", CUP);
    let object: serde_json::Value =
        serde_json::from_str(&does(&home, "simulate plain.toml --like results --runs 20 --json")).unwrap();
    assert_eq!(object["tournaments"][0]["engines"], 5, "{object}");
}

#[test]
fn byes_follow_from_the_rounds_that_are_drawn() {
    let home = Home::new();
    for number in 1..=5 {
        home.engine(
            format!("engines/e{number}"),
            if number % 2 == 0 { "agon-greedy" } else { "agon-random" },
        );
    }
    home.put("tournament.toml", format!("{CUP}format = \"swiss\"\nrounds = 2\n"));
    plays(&home, "");
    let before = does(&home, "standings results --csv");
    assert_eq!(rows(&before).iter().filter(|row| row["byes"] != "0").count(), 2, "{before}");
    // A run that is killed between two rounds has those of the round before.
    let db = rusqlite::Connection::open(home.path("results/agon.db")).unwrap();
    assert!(db.execute("UPDATE swiss SET byes = 0", []).unwrap() > 0);
    drop(db);
    assert_eq!(does(&home, "standings results --csv"), before);
}
