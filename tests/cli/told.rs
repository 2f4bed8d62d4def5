//! What people did to a run, decisions, withdrawals and closings, is told where others look: lists,
//! the status, the pages and the crosstable.

use std::collections::{BTreeMap, BTreeSet};

use super::bad_input::refused;
use super::home::Home;
use super::serve::Served;
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

/// Engines of two kinds, and a tournament with these keys, which is played.
#[track_caller]
fn played(engines: u32, keys: &str) -> Home {
    let home = Home::new();
    for number in 1..=engines {
        let program = if number % 2 == 0 { "agon-greedy" } else { "agon-random" };
        home.engine(format!("engines/e{number}"), program);
    }
    home.put("tournament.toml", format!("{CUP}{keys}"));
    plays(&home, "");
    home
}

/// The text of a page without its markup.
fn text_of(home: &Home, page: &str) -> String {
    does(home, "report results");
    let page = home.read(&format!("results-report/{page}"));
    let body = page.split("<main").nth(1).unwrap();
    let parts: Vec<&str> =
        body.split('<').map(|part| part.split_once('>').map_or("", |(_, text)| text)).collect();
    parts.concat().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_play_off_that_was_won_by_forfeit_is_told_as_unplayed() {
    let stages = "[[stages]]\nname = \"all\"\nadvance = 2\nplay-offs = 0\n\n[[stages]]\nname = \"final\"\nformat = \"knockout\"\nplay-offs = 9\n";
    let home = played(2, stages);
    assert!(!home.read("results/bracket.txt").contains("unplayed"));
    // All pairs of games of the final are level, so that there is another play-off.
    let all = games(&home, "results/stage-2");
    for game in &all {
        notes(
            &home,
            &format!("decide results {} award W --stage 2 --yes", game["id"].as_str().unwrap()),
            "x",
        );
    }
    let gone = &names(&all[0])[0];
    notes(&home, &format!("withdraw results {gone}"), "it left");
    plays(&home, "");
    let words = "won by forfeit, unplayed";
    let bracket = home.read("results/bracket.txt");
    assert_eq!(bracket.matches(words).count(), 1, "{bracket}");
    let page = text_of(&home, "index.html");
    let told = format!("; {words})");
    assert_eq!(
        page.matches(&told).count(),
        4,
        "of the champion, in the bracket, and of the way of each: {page}"
    );
    let table = rows(&does(&home, "standings results --stage 2 --csv"));
    for row in &table {
        let [wins, losses] = if row["engine"] == *gone { ["0", "2"] } else { ["2", "0"] };
        assert_eq!(
            (&*row["play_off_forfeit_wins"], &*row["play_off_forfeit_losses"]),
            (wins, losses),
            "{row:?}"
        );
    }
    assert_eq!(does(&home, "standings results --stage 2").matches(" (2 unplayed)").count(), 2);
    verified(&home, "results/stage-2");
}

#[test]
fn by_what_the_first_is_first_is_said_where_another_has_more_points() {
    let home = played(3, "");
    let said = |home: &Home| (does(home, "status results"), text_of(home, "index.html"));
    let (status, page) = said(&home);
    assert!(!status.contains("percentage") && !page.contains("percentage"), "{status}{page}");
    // The first has won its only game, and the second has won two of three.
    let mut kept = false;
    for game in games(&home, "results") {
        let (id, who) = (game["id"].as_str().unwrap(), names(&game));
        let has = |name: &str| who.iter().any(|own| own == name);
        let what = match (has("e1"), has("e2")) {
            (true, true) if !std::mem::replace(&mut kept, true) => "award e1",
            (true, _) => "void",
            (false, _) => "award e2",
        };
        notes(&home, &format!("decide results {id} {what} --yes"), "x");
    }
    let (status, page) = said(&home);
    assert!(status.contains("; first: e1, by the percentage of points"), "{status}");
    assert!(page.contains("Winner: e1 with 2 points, by the percentage of points"), "{page}");

    let home = played(4, "format = \"gauntlet\"\nleaders = 1\nseeds = [\"e1\"]\n");
    for game in games(&home, "results") {
        let other = names(&game).into_iter().find(|name| name != "e1").unwrap();
        notes(&home, &format!("decide results {} award {other} --yes", game["id"].as_str().unwrap()), "x");
    }
    let (status, page) = said(&home);
    assert!(status.contains("; first: e1, as the leader of the gauntlet"), "{status}");
    assert!(page.contains("Winner: e1 with 0 points, as the leader of the gauntlet"), "{page}");
}

#[test]
fn the_drawn_games_of_a_run_that_was_closed_are_in_the_files_of_its_cup() {
    let keys = "[[stages]]\nname = \"groups\"\ngroups = 2\nadvance = 1\nplay-offs = 0\n\n[[stages]]\nname = \"final\"\nplay-offs = 0\n";
    let home = killed(6, keys, "e4", 1);
    notes(&home, "close results drawn", "the room closes");
    home.put("go", "");
    plays(&home, "");
    let bracket = home.read("results/bracket.txt");
    assert!(bracket.contains(" drawn that nobody played") && !bracket.contains("by forfeit"), "{bracket}");
    let mut drawn = 0;
    for row in rows(&home.read("results/stages.csv")) {
        let number = |column: &str| row[column].parse::<f64>().unwrap();
        let draws = number("draws") + number("unplayed_draws");
        let points = 2.0 * (number("wins") + number("forfeit_wins")) + draws;
        assert!((points - number("points")).abs() < 0.01, "{row:?}");
        drawn += usize::from(number("unplayed_draws") > 0.0);
    }
    assert!(drawn > 1);
}

#[test]
fn a_game_that_is_played_again_and_the_one_before_lead_to_one_another() {
    let home = played(3, "");
    let id = "r01-p0001-g01";
    notes(&home, &format!("decide results {id} replay --yes"), "the wrong book");
    let before = format!("game/{id}-before-1.html");
    let page = text_of(&home, &before);
    let why = "to be played again, by decision of the organiser: the wrong book.";
    assert!(page.contains(why) && page.contains("It has not been played again yet."), "{page}");
    plays(&home, "");
    let page = text_of(&home, &before);
    assert!(
        page.contains(why) && page.contains("The game that was played again counts in its place."),
        "{page}"
    );
    assert!(home.read(&format!("results-report/{before}")).contains(&format!("href=\"../game/{id}.html\"")));
    let page = text_of(&home, &format!("game/{id}.html"));
    let why =
        "It was played again, by decision of the organiser: the wrong book. The game before does not count.";
    assert!(page.contains(why), "{page}");
    assert!(home.read(&format!("results-report/game/{id}.html")).contains(&format!("href=\"../{before}\"")));
    assert!(!text_of(&home, "game/r01-p0001-g02.html").contains("played again"));
    let first = home.read("results-report/index.html");
    assert!(first.contains(&format!("href=\"{before}\"")), "{first}");
    // In one file, and from a server.
    does(&home, "report results --single all.html");
    let single = home.read("all.html");
    assert!(
        single.contains(&format!("href=\"#game/{id}-before-1\""))
            && single.contains(&format!("id=\"game/{id}-before-1\""))
    );
    let served = Served::of(&home, &["results"]);
    assert!(served.get(&format!("/{before}")).text().contains("the wrong book"));
    assert_eq!(served.get(&format!("/game/{id}-before-2.html")).status, 404);
    // Once more.
    notes(&home, &format!("decide results {id} replay --yes"), "the wrong board");
    plays(&home, "");
    let page = text_of(&home, &format!("game/{id}.html"));
    assert!(page.contains("the wrong book") && page.contains("the wrong board"), "{page}");
    served.wait_for(&format!("/game/{id}-before-2.html"), |answer| answer.text().contains("the wrong board"));
}

#[test]
fn a_decision_that_does_not_count_any_more_is_told_so() {
    let home = killed(4, "", "e2", 3);
    let all = games(&home, "results");
    let own = all.iter().find(|game| names(game).iter().any(|name| name == "e2")).unwrap();
    let (id, other) =
        (own["id"].as_str().unwrap(), names(own).into_iter().find(|name| name != "e2").unwrap());
    notes(&home, &format!("decide results {id} award {other}"), "the clock was wrong");
    let told = format!(": award {other}: the clock was wrong");
    let not = "; it does not count: e2 has withdrawn: none of its games count: a copy";
    let served = Served::of(&home, &["results"]);
    let page = format!("/game/{id}.html");
    assert!(served.get(&page).text().contains("the clock was wrong"));
    for (line, counts) in [("withdraw results e2 --rule expunge", false), ("withdraw results e2 undo", true)]
    {
        notes(&home, line, "a copy");
        let (listed, page) = (does(&home, "decide results"), text_of(&home, "index.html"));
        for all in [listed, page] {
            assert!(all.contains(&told) && all.contains(not) != counts, "{line}: {all}");
        }
        let shown = if counts { "the clock was wrong" } else { "none of its games count" };
        served.wait_for(&format!("/game/{id}.html"), |answer| answer.text().contains(shown));
    }
}

#[test]
fn what_is_said_of_rounds_is_true_at_the_end() {
    // One that joins after the run was closed has never joined.
    let home = killed(6, "format = \"swiss\"\nrounds = 3\n", "e4", 2);
    notes(&home, "enter results late --from 3", "it was ill");
    let words = "late joins in round 3: it has no points from earlier rounds";
    assert!(does(&home, "status results").contains(words));
    notes(&home, "close results drawn", "the room closes");
    for line in ["status results", "standings results", "why results"] {
        let said = does(&home, line);
        assert!(
            said.contains("late was to join in round 3, and the run was closed before"),
            "{line}: {said}"
        );
        assert!(!said.contains("late joins"), "{line}: {said}");
    }
    notes(&home, "close results undo", "there is time");
    assert!(does(&home, "status results").contains(words));

    // One that has played all of its games leaves in no round.
    let stages = "[[stages]]\nname = \"groups\"\ngroups = 2\nadvance = 1\n\n[[stages]]\nname = \"final\"\n";
    let home = Home::new();
    for number in 1..=7 {
        home.engine(format!("engines/e{number}"), "agon-greedy");
    }
    home.put("tournament.toml", format!("{CUP}{stages}"));
    plays(&home, "--stage 1");
    let hint = "it has played all of its games here; leave the round out";
    refused(&home, "withdraw results e1 --from 99 --why x", &["there is no round 99", hint]);
    notes(&home, "withdraw results e1 --yes", "it left");
    let words = "e1 has withdrawn after its last game here: what it has played counts";
    for line in ["status results", "standings results", "withdraw results"] {
        let said = does(&home, line);
        assert!(said.contains(words) && !said.contains("from round"), "{line}: {said}");
    }
    verified(&home, "results/stage-1");
    plays(&home, "");
    verified(&home, "results/stage-1");
    assert!(!games(&home, "results/stage-2").iter().any(|game| names(game).iter().any(|name| name == "e1")));
}
