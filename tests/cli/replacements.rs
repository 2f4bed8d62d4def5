//! An engine plays in the place of one that has withdrawn: each match is counted again by hand from
//! the games, and nothing of the others is played again.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::bad_input::refused;
use super::home::Home;
use super::withdrawals::{
    CUP, does, games, killed, kills, names, of_others, plays, points, recounted, rows, standings, sticks,
    verified,
};

/// The round of a game.
fn round(game: &Value) -> u32 {
    game["id"].as_str().unwrap()[1..3].parse().unwrap()
}

/// `other` plays on for `e4`, whose program is gone, in the run in this directory.
#[track_caller]
fn replaces(home: &Home, run: &str) {
    home.put("go", "");
    let said =
        home.agon(["withdraw", "results", "e4", "--rule", "replaced by other", "--why", "its licence ends"]);
    assert_eq!(said.code, Some(0), "{}", said.all());
    verified(home, run);
    let words = "there is no engine \"other\" to play in the place of e4";
    refused(home, "tournament tournament.toml --no-check", &[words, &format!("agon withdraw {run} e4 undo")]);
    std::fs::remove_dir_all(home.path("engines/e4")).unwrap();
    home.engine("engines/other", "agon-greedy");
    plays(home, "");
    verified(home, run);
}

/// The rule is refused with these words, and nothing is changed.
#[track_caller]
fn not_replaced(home: &Home, engine: &str, rule: &str, words: &str) {
    let before = home.listing();
    let said = home.agon(["withdraw", "results", engine, "--rule", rule, "--why", "x"]);
    assert!(said.code == Some(2) && said.err().contains(words), "{engine}, {rule}: {}", said.all());
    assert_eq!(said.err().matches("error: ").count(), 1, "{}", said.all());
    assert_eq!(home.listing(), before, "{rule}");
}

/// The games of both together are those of one place, and nobody else's are played again.
#[track_caller]
fn one_place(before: &[Value], after: &[Value]) -> [BTreeSet<u32>; 2] {
    let others = |all: &[Value]| {
        let without: Vec<Value> =
            all.iter().filter(|game| !names(game).contains(&"other".to_owned())).cloned().collect();
        of_others(&without, "e4")
    };
    assert!(others(before).is_subset(&others(after)));
    assert!(after.iter().all(|game| game["counts"] == true), "{after:?}");
    let rounds = |name: &str| {
        let own = after.iter().filter(|game| names(game).contains(&name.to_owned()));
        own.map(round).collect::<BTreeSet<u32>>()
    };
    let both = ["e4", "other"].map(rounds);
    assert!(both[0].iter().max() < both[1].iter().min() && !both[1].is_empty(), "{both:?}");
    both
}

/// The points of the table are those of the games, with byes and what `e4` has lost by forfeit.
#[track_caller]
fn counted_again(home: &Home, run: &str, after: &[Value]) -> BTreeMap<String, BTreeMap<String, String>> {
    let (table, by_hand) = (standings(home, run), recounted(after));
    for (name, row) in &table {
        let unplayed = row["forfeit_wins"].parse::<i64>().unwrap()
            + row.get("byes").map_or(0, |byes| byes.parse().unwrap_or(0));
        let own = by_hand.get(name).copied().unwrap_or(0);
        assert_eq!(points(row), own + 2 * unplayed, "{name}: {table:?}");
    }
    assert_eq!(table["e4"]["withdrawn"], "yes");
    assert_eq!(table["other"]["withdrawn"], "no");
    let last: usize = table.values().map(|row| row["rank"].parse().unwrap()).max().unwrap();
    assert_eq!(table["e4"]["rank"], last.to_string());
    table
}

#[test]
fn in_a_round_robin_another_plays_the_rest_in_the_place_of_one_that_leaves() {
    let home = killed(5, "format = \"round robin\"\n", "e4", 3);
    let before = games(&home, "results");
    for (engine, rule, words) in [
        ("e4", "replaced by e4", "e4 cannot replace itself"),
        ("e4", "replaced by e1", "e1 plays already"),
        ("e4", "replaced by", "'replaced by NAME'"),
        ("e9", "replaced by other", "there is no engine \"e9\""),
    ] {
        not_replaced(&home, engine, rule, words);
    }
    // It is taken back before anything has followed.
    for line in [&["--rule", "replaced by other"][..], &["undo"]] {
        let said = home.agon(["withdraw", "results", "e4"].iter().chain(line).chain(&["--why", "x"]));
        assert_eq!(said.code, Some(0), "{}", said.all());
    }
    replaces(&home, "results");
    let after = games(&home, "results");
    one_place(&before, &after);
    let table = counted_again(&home, "results", &after);
    // Everybody met everybody else once, where two have one place: ten matches of two games.
    let lost: usize = table["e4"]["forfeit_losses"].parse().unwrap();
    assert_eq!(after.len() + lost, 20, "{table:?}");
    let status = does(&home, "status results");
    assert!(status.contains("e4 has withdrawn: other plays in its place from round "), "{status}");
    assert!(does(&home, "status results --json").contains("\"rule\":\"replaced by other\""));
    refused(&home, "withdraw results e4 undo --why x", &["e4"]);
}

#[test]
fn in_a_swiss_another_is_paired_in_the_place_of_one_that_leaves_and_then_by_its_own_points() {
    let home = killed(6, "format = \"swiss\"\nrounds = 3\n", "e4", 2);
    let before = games(&home, "results");
    replaces(&home, "results");
    let after = games(&home, "results");
    let [gone, come] = one_place(&before, &after);
    assert_eq!(come, (gone.len() as u32 + 1..=3).collect(), "{gone:?}");
    counted_again(&home, "results", &after);
}

/// The games of two engines with each other.
fn of_two<'a>(all: &'a [Value], one: &str, other: &str) -> Vec<&'a Value> {
    let has = |game: &&Value| [one, other].iter().all(|name| names(game).iter().any(|own| own == name));
    all.iter().filter(has).collect()
}

/// Each of `opponents` has met the place of `e4` in two games, of which those that are lost by
/// forfeit were not played.
#[track_caller]
fn met_once(table: &BTreeMap<String, BTreeMap<String, String>>, after: &[Value], opponents: &[&str]) {
    for name in opponents {
        let (gone, come) = (of_two(after, "e4", name).len(), of_two(after, "other", name).len());
        let won: usize = table[*name]["forfeit_wins"].parse().unwrap();
        assert!(gone + come + won == 2 && (gone == 0 || come == 0), "{name}: {gone} {come} {table:?}");
    }
}

#[test]
fn in_a_gauntlet_another_challenger_plays_the_rest() {
    let home = killed(5, "format = \"gauntlet\"\nleaders = 2\nseeds = [\"e1\", \"e2\"]\n", "e4", 2);
    not_replaced(&home, "e1", "replaced by other", "e1 leads the gauntlet");
    let before = games(&home, "results");
    replaces(&home, "results");
    let after = games(&home, "results");
    one_place(&before, &after);
    let table = counted_again(&home, "results", &after);
    met_once(&table, &after, &["e1", "e2"]);
    // Two leaders and three challengers: six matches of two games.
    let lost: usize = table["e4"]["forfeit_losses"].parse().unwrap();
    assert_eq!(after.len() + lost, 12, "{table:?}");
}

#[test]
fn in_groups_another_plays_the_rest_and_may_go_on_to_the_final() {
    let stages = "[[stages]]\nname = \"groups\"\ngroups = 2\nadvance = 1\nplay-offs = 0\n\n[[stages]]\nname = \"final\"\nplay-offs = 0\n";
    let home = killed(6, stages, "e4", 2);
    let first = "results/stage-1";
    let before = games(&home, first);
    replaces(&home, first);
    let after = games(&home, first);
    one_place(&before, &after);
    let (table, by_hand) = (standings(&home, first), recounted(&after));
    for (name, row) in &table {
        let forfeits = row["forfeit_wins"].parse::<i64>().unwrap();
        assert_eq!(points(row), by_hand.get(name).copied().unwrap_or(0) + 2 * forfeits, "{name}: {table:?}");
    }
    // Two groups of three places: six matches of two games. Those who have met one of the two have
    // met the other one never, and are two.
    let lost: usize = table["e4"]["forfeit_losses"].parse().unwrap();
    assert_eq!(after.len() + lost, 12, "{table:?}");
    let group: Vec<&str> =
        (table.keys().map(String::as_str)).filter(|name| !["e4", "other"].contains(name)).collect();
    let met = |name: &&str| {
        let both = [of_two(&after, "e4", name).len(), of_two(&after, "other", name).len()];
        both.iter().sum::<usize>() > 0
    };
    let group: Vec<&str> = group.into_iter().filter(met).collect();
    met_once(&table, &after, &group);
    assert_eq!(group.len(), 2, "{table:?}");
    // The final has the best of each group by the games of the first stage.
    let last = games(&home, "results/stage-2");
    assert!(!last.is_empty() && last.iter().all(|game| !names(game).contains(&"e4".to_owned())), "{last:?}");
    verified(&home, "results/stage-2");
}

#[test]
fn on_a_league_night_another_plays_the_rest_and_has_the_place_on_later_nights() {
    let home = killed(6, "[league]\ndivisions = 2\n", "e4", 2);
    let night = "results/night-1";
    let before = games(&home, night);
    replaces(&home, night);
    let after = games(&home, night);
    one_place(&before, &after);
    let by_hand = recounted(&after);
    let table = standings(&home, night);
    for (name, row) in &table {
        let forfeits = row["forfeit_wins"].parse::<i64>().unwrap();
        assert_eq!(points(row), by_hand.get(name).copied().unwrap_or(0) + 2 * forfeits, "{name}: {table:?}");
    }
    let lost: usize = table["e4"]["forfeit_losses"].parse().unwrap();
    assert_eq!(after.len() + lost, 12, "{table:?}");
    let league = rows(&home.read("results/league.csv"));
    let own = |name: &str| league.iter().find(|row| row["engine"] == name).unwrap();
    assert_eq!((own("e4")["place"].as_str(), own("e4")["moves"].as_str()), ("4", ""), "{league:?}");
    assert_eq!(own("e4")["division"], own("other")["division"]);
    // One goes up and one down, of the three places of each division.
    let moves: Vec<&String> =
        league.iter().map(|row| &row["moves"]).filter(|word| !word.is_empty()).collect();
    assert_eq!(moves.len(), 2, "{league:?}");
    plays(&home, "--next");
    let both = rows(&home.read("results/league.csv"));
    let second: BTreeMap<&str, u32> = both
        .iter()
        .filter(|row| row["night"] == "2")
        .map(|row| (row["engine"].as_str(), row["division"].parse().unwrap()))
        .collect();
    assert_eq!(second.len(), 6, "{both:?}");
    assert!(!second.contains_key("e4"), "{both:?}");
    for row in league.iter().filter(|row| row["engine"] != "e4") {
        let division: u32 = row["division"].parse().unwrap();
        let wanted = match row["moves"].as_str() {
            "up" => division - 1,
            "down" => division + 1,
            _ => division,
        };
        assert_eq!(second[row["engine"].as_str()], wanted, "{both:?}");
    }
    verified(&home, "results --stage 1");
    verified(&home, "results --stage 2");
    // The first of each division is told with its own points.
    does(&home, "report results --out pages");
    let page = home.read("pages/night-1/index.html");
    let told: String =
        page.split("class=\"champion\">").skip(1).filter_map(|rest| rest.split("</p>").next()).collect();
    let text: String =
        told.split('<').map(|piece| piece.split_once('>').map_or(piece, |(_, text)| text)).collect();
    let firsts: Vec<_> = league.iter().filter(|row| row["place"] == "1").collect();
    assert_eq!(firsts.len(), 2, "{league:?}");
    for row in firsts {
        let own = format!("division {}: {} with {} points", row["division"], row["engine"], row["points"]);
        assert!(text.contains(&own), "{text}: {own}");
    }
}

#[test]
fn the_plan_of_a_night_has_both_and_who_has_left_is_not_said_to_come() {
    let home = killed(6, "[league]\ndivisions = 2\n", "e4", 2);
    home.put("go", "");
    let said = home.agon(["withdraw", "results", "e4", "--rule", "replaced by other", "--why", "x"]);
    assert_eq!(said.code, Some(0), "{}", said.all());
    home.engine("engines/other", "agon-greedy");
    let plan: Value = serde_json::from_str(&does(&home, "plan tournament.toml --json")).unwrap();
    // Each meets each of its division once, and one of the two at most.
    let pairings = plan["pairings"].as_array().unwrap();
    assert!(pairings.len() == 6 && !plan.to_string().contains("[\"e4\",\"other\"]"), "{plan}");
    let text = does(&home, "plan tournament.toml --summary");
    let games_planned = format!(", 6 pairings, {} games", plan["stages"][0]["games"]);
    assert!(text.contains("7 engines in groups of ") && text.contains(&games_planned), "{text}");
    let mut said = plays(&home, "").all();
    assert_eq!(plan["stages"][0]["games"], games(&home, "results/night-1").len(), "{plan}");
    // Its program is still in the folder.
    said += &plays(&home, "").all();
    said += &plays(&home, "--next").all();
    said += &plays(&home, "").all();
    assert!(!said.contains("e4 is new"), "{said}");
    let next: Value = serde_json::from_str(&does(&home, "plan tournament.toml --json")).unwrap();
    assert_eq!((&next["stages"][0]["engines"], &next["stages"][0]["games"]), (&6.into(), &12.into()));
}

#[test]
fn while_another_is_awaited_who_has_left_is_behind_and_leads_nothing() {
    let home = killed(5, "format = \"round robin\"\n", "e4", 5);
    home.put("go", "");
    let before = standings(&home, "results");
    assert_eq!(before["e4"]["rank"], "1", "it has to lead for this test: {before:?}");
    let said = home.agon(["withdraw", "results", "e4", "--rule", "replaced by other", "--why", "x"]);
    assert_eq!(said.code, Some(0), "{}", said.all());
    let table = standings(&home, "results");
    assert_eq!((table["e4"]["rank"].as_str(), table["e4"]["withdrawn"].as_str()), ("5", "yes"), "{table:?}");
    // The match that it has begun is lost by forfeit, and no other one: those wait.
    let forfeits = |key: &str| table.values().map(|row| row[key].parse::<u32>().unwrap()).sum::<u32>();
    let begun =
        games(&home, "results").iter().filter(|game| names(game).contains(&"e4".to_owned())).count() % 2;
    assert_eq!(forfeits("forfeit_losses"), begun as u32, "{table:?}");
    let status = does(&home, "status results");
    assert!(status.contains("stopped") && !status.contains("leading: e4"), "{status}");
    verified(&home, "results");

    let home = killed(4, "format = \"knockout\"\nplay-offs = 0\n", "e4", 0);
    home.put("go", "");
    let said = home.agon(["withdraw", "results", "e4", "--rule", "replaced by other", "--why", "x"]);
    assert_eq!(said.code, Some(0), "{}", said.all());
    let table = standings(&home, "results");
    assert_eq!((table["e4"]["rank"].as_str(), table["e1"]["rank"].as_str()), ("4", "1"), "{table:?}");
    let status = does(&home, "status results");
    assert!(!status.contains("e4,") && !status.contains(", e4\n"), "{status}");
}

#[test]
fn in_a_run_that_is_closed_nobody_comes_and_who_has_left_is_the_last() {
    let home = killed(5, "format = \"round robin\"\n", "e4", 3);
    home.put("go", "");
    for line in [
        &["withdraw", "results", "e4", "--rule", "replaced by other", "--why", "x"][..],
        &["close", "results", "drawn", "--why", "the room closes"],
    ] {
        let said = home.agon(line);
        assert_eq!(said.code, Some(0), "{}", said.all());
    }
    for has_come in [false, true] {
        if has_come {
            home.engine("engines/other", "agon-greedy");
        }
        plays(&home, "");
        let table = standings(&home, "results");
        assert!(table.len() == 5 && table["e4"]["rank"] == "5" && table["e4"]["unplayed_draws"] == "0");
        let by_hand = recounted(&games(&home, "results"));
        for (name, row) in &table {
            let number = |key: &str| row[key].parse::<i64>().unwrap();
            let unplayed = 2 * number("forfeit_wins") + number("unplayed_draws");
            assert_eq!(points(row), by_hand.get(name).copied().unwrap_or(0) + unplayed, "{table:?}");
        }
        assert!(table["e4"]["forfeit_losses"] != "0", "{table:?}");
        verified(&home, "results");
        let words = "other was to play in its place, and had not come when the run was closed";
        assert!(does(&home, "withdraw results").contains(words));
        assert!(does(&home, "status results").contains(words));
    }
}

#[test]
fn between_two_rounds_of_a_swiss_an_engine_may_leave() {
    let home = killed(6, "format = \"swiss\"\nrounds = 3\n", "e4", 2);
    home.put("go", "");
    // A kill between the last game of a round and the first of the next leaves this behind.
    let db = rusqlite::Connection::open(home.path("results/agon.db")).unwrap();
    db.execute("UPDATE run SET outcome = 'done'", []).unwrap();
    drop(db);
    let said = home.agon(["withdraw", "results", "e4", "--why", "x", "--yes"]);
    assert_eq!(said.code, Some(0), "{}", said.all());
    plays(&home, "");
    verified(&home, "results");
}

#[test]
fn between_two_nights_the_file_names_who_plays_in_the_place_of_another() {
    let home = Home::new();
    for name in ["e1", "e2", "e3", "e4", "e5", "e6"] {
        home.engine(format!("engines/{name}"), "agon-random");
    }
    let file =
        |withdrawn: &str| home.put("tournament.toml", format!("{CUP}{withdrawn}[league]\ndivisions = 2\n"));
    file("");
    plays(&home, "");
    let league = rows(&home.read("results/league.csv"));
    let first = home.read("results/league.csv");
    let own = league.iter().find(|row| row["engine"] == "e4").unwrap();
    let division: u32 = own["division"].parse().unwrap();
    let wanted = match own["moves"].as_str() {
        "up" => division - 1,
        "down" => division + 1,
        _ => division,
    };
    let line = |by: &str| format!("{{ engine = \"e4\", rule = \"replaced by {by}\" }}");
    for (entries, words) in [
        (line("other"), "there is no engine \"other\""),
        (line("e1"), "e1 plays in the league already"),
        (line("e4"), "there is no engine \"e4\""),
    ] {
        file(&format!("withdrawn = [{entries}]\n"));
        refused(&home, "tournament tournament.toml --no-check --quiet --next", &["line 10: key rule", words]);
        assert_eq!(home.read("results/league.csv"), first);
    }
    home.engine("engines/other", "agon-greedy");
    let twice = format!("withdrawn = [{}, {}]\n", line("other"), line("other").replace("e4", "e5"));
    file(&twice);
    refused(
        &home,
        "tournament tournament.toml --no-check --quiet --next",
        &["other plays in the league already"],
    );
    // One that leaves as well comes for nobody.
    home.engine("engines/last", "agon-greedy");
    let chain = line("last").replace("e4", "other");
    file(&format!("withdrawn = [{}, {chain}]\n", line("other")));
    let words = "rule replaced by: other has withdrawn itself, as the file says";
    refused(&home, "tournament tournament.toml --no-check --quiet --next", &[words]);
    assert!(!home.path("results/night-2").exists());
    std::fs::remove_file(home.path("engines/last")).unwrap();
    file(&format!("withdrawn = [{}]\n", line("other")));
    plays(&home, "--next");
    let both = rows(&home.read("results/league.csv"));
    let second: BTreeMap<&str, &BTreeMap<String, String>> =
        both.iter().filter(|row| row["night"] == "2").map(|row| (row["engine"].as_str(), row)).collect();
    assert_eq!(second.len(), 6, "{both:?}");
    assert!(!second.contains_key("e4"), "{both:?}");
    assert_eq!(second["other"]["division"], wanted.to_string(), "{both:?}");
    let by_hand = recounted(&games(&home, "results/night-2"));
    for (name, row) in &second {
        assert_eq!(points(row), by_hand[*name], "{name}: {both:?}");
    }
    let status = does(&home, "status results");
    assert!(status.contains("e4 had withdrawn before this night: other plays in its place"), "{status}");
    verified(&home, "results --stage 2");
    plays(&home, "");
    assert_eq!(rows(&home.read("results/league.csv")), both);
}

/// The matches of a round, each with the points of both.
fn matches(all: &[Value], of: u32) -> Vec<BTreeMap<String, i64>> {
    let mut found: BTreeMap<BTreeSet<String>, Vec<Value>> = BTreeMap::new();
    for game in all.iter().filter(|game| round(game) == of) {
        found.entry(names(game).into_iter().collect()).or_default().push(game.clone());
    }
    found.into_values().map(|games| recounted(&games)).collect()
}

/// The winner of a match; `None` if it is level, so that the lot decides.
fn winner(one: &BTreeMap<String, i64>) -> Option<&str> {
    let best = one.values().max()?;
    let mut all = one.iter().filter(|(_, own)| *own == best);
    all.next().filter(|_| all.next().is_none()).map(|(name, _)| name.as_str())
}

#[test]
fn in_a_knockout_another_goes_on_where_the_next_match_has_not_begun() {
    // At its first match; in the middle of that; after it.
    for starts in [0, 1, 2] {
        let home = killed(4, "format = \"knockout\"\nplay-offs = 0\n", "e4", starts);
        let before = games(&home, "results");
        if starts == 1 {
            let words = "e4 has begun its match, which is not handed on in a knockout";
            not_replaced(&home, "e4", "replaced by other", words);
            continue;
        }
        replaces(&home, "results");
        let after = games(&home, "results");
        let [gone, come] = one_place(&before, &after);
        assert_eq!((gone.len(), come), if starts == 0 { (0, [1, 2].into()) } else { (1, [2].into()) });
        let table = counted_again(&home, "results", &after);
        // Four matches of two games, and the same four places in both rounds.
        let (first, second) = (matches(&after, 1), matches(&after, 2));
        assert_eq!((first.len(), second.len(), after.len()), (2, 2, 8), "{after:?}");
        let rank = |name: &str| table[name]["rank"].parse::<u32>().unwrap();
        for one in &second {
            let mut ranks: Vec<u32> = one.keys().map(|name| rank(name)).collect();
            ranks.sort_unstable();
            assert!(ranks == [1, 2] || ranks == [3, 4], "{table:?}");
            assert!(winner(one).is_none_or(|best| rank(best) == ranks[0]), "{one:?} {table:?}");
        }
        for best in first.iter().filter_map(winner) {
            let holder = if best == "e4" { "other" } else { best };
            assert!(rank(holder) <= 2, "{first:?} {table:?}");
        }
    }
}

#[test]
fn one_that_plays_in_the_place_of_another_may_be_replaced_too_and_others_are_refused() {
    let home = killed(5, "format = \"round robin\"\n", "e4", 2);
    let withdraws = |engine: &str, by: &str| {
        let rule = format!("replaced by {by}");
        let said = home.agon(["withdraw", "results", engine, "--rule", &rule, "--why", "x"]);
        assert_eq!(said.code, Some(0), "{}", said.all());
        for file in ["count", "stuck"] {
            std::fs::remove_file(home.path(file)).unwrap();
        }
        std::fs::remove_dir_all(home.path(format!("engines/{engine}"))).unwrap();
    };
    let first = games(&home, "results");
    withdraws("e4", "z");
    sticks(&home, "z", "agon-greedy", 2);
    kills(&home, "");
    let then = games(&home, "results");
    not_replaced(&home, "e4", "replaced by a", "e4 has withdrawn already");
    not_replaced(&home, "e1", "replaced by e4", "e4 has withdrawn itself");
    not_replaced(&home, "e1", "replaced by z", "z plays already");
    refused(
        &home,
        "withdraw results e4 undo --why x",
        &["e4 cannot come back: z plays in its place already"],
    );
    withdraws("z", "a");
    not_replaced(&home, "e1", "replaced by a", "a plays already in the place of z");
    home.engine("engines/a", "agon-random");
    plays(&home, "");
    verified(&home, "results");
    let all = games(&home, "results");
    for (before, after) in [(&first, &then), (&then, &all)] {
        let keys = |all: &[Value]| of_others(all, "nobody");
        assert!(keys(before).is_subset(&keys(after)));
    }
    // Three have one place: four matches of two games, one each with the four others.
    let met =
        ["e4", "z", "a"].map(|name| ["e1", "e2", "e3", "e5"].map(|other| of_two(&all, name, other).len()));
    assert!((0..4).all(|other| met.iter().map(|row| row[other]).sum::<usize>() == 2), "{met:?}");
    assert_eq!(met.map(|row| row.iter().sum::<usize>()), [2, 2, 4], "{met:?}");
    assert_eq!(all.len(), 20);
    let (table, by_hand) = (standings(&home, "results"), recounted(&all));
    for (name, row) in &table {
        assert_eq!(points(row), by_hand[name], "{name}: {table:?}");
    }
    let ranks = ["e4", "z", "a"].map(|name| table[name]["rank"].parse::<u32>().unwrap());
    assert!(ranks[0] >= 6 && ranks[1] >= 6 && ranks[2] <= 5, "{table:?}");
    // Once more plays nothing.
    plays(&home, "");
    assert_eq!(games(&home, "results"), all);
}

#[test]
fn who_has_left_an_earlier_night_replaces_nobody() {
    let home = killed(6, "[league]\ndivisions = 2\n", "e4", 0);
    home.put("go", "");
    does(&home, "withdraw results e5 --why x");
    plays(&home, "");
    for file in ["go", "stuck"] {
        std::fs::remove_file(home.path(file)).unwrap();
    }
    kills(&home, "--next");
    not_replaced(&home, "e4", "replaced by e5", "e5 has withdrawn itself, in night 1");
    not_replaced(&home, "e4", "replaced by e1", "e1 plays already");
}

#[test]
fn a_plain_round_robin_says_what_has_it() {
    let home = killed(4, "", "e4", 2);
    not_replaced(
        &home,
        "e4",
        "replaced by other",
        "as a plain round robin plans all of its games when it begins",
    );
    let said = home.agon(["withdraw", "results", "e4", "--rule", "replaced by other", "--why", "x"]);
    assert!(said.err().contains("format = \"round robin\" has it"), "{}", said.all());
}

#[test]
fn in_parts_another_begins_in_the_merged_directory() {
    let home = Home::new();
    for number in 1..=6 {
        // Which part a match belongs to follows from the bytes of its programs, and one that had
        // the whole first round would go on with the second.
        home.put(format!("engines/e{number}/engine.toml"), "command = [\"./play\"]\n");
        home.put_program(format!("engines/e{number}/play"), "#!/bin/sh\nexec agon-random \"$@\"\n");
    }
    let file = CUP.replace("out = \"results\"\n", "") + "format = \"swiss\"\nrounds = 3\n";
    home.put("tournament.toml", file);
    let part = |number: u32| format!("--out part-{number} --part {number}/2");
    for number in 1..=2 {
        plays(&home, &part(number));
    }
    does(&home, "merge results part-1 part-2");
    let said = home.agon(["withdraw", "results", "e4", "--rule", "replaced by other", "--why", "x"]);
    assert_eq!(said.code, Some(0), "{}", said.all());
    std::fs::remove_dir_all(home.path("part-1")).unwrap();
    does(&home, "merge part-1 results");
    home.engine("engines/other", "agon-greedy");
    let line = format!("tournament tournament.toml --no-check {}", part(1));
    refused(&home, &line, &["other has not played in its other parts", "without --part"]);
    plays(&home, "--out results");
    let all = games(&home, "results");
    assert_eq!(all.len(), 18);
    for of in 1..=3 {
        let place = all.iter().filter(|game| round(game) == of);
        let holder = if of == 1 { "e4" } else { "other" };
        assert_eq!(place.filter(|game| names(game).iter().any(|name| name == holder)).count(), 2, "{all:?}");
    }
    verified(&home, "results");
}
