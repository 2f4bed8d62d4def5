//! The organiser decides about games: in a run, a knockout, a cup, a league, a class, at tables,
//! and in parts. What was decided counts everywhere, the game as played stays, and all of it can be
//! taken back.

use std::collections::BTreeMap;

use serde_json::Value;

use super::bad_input::refused;
use super::grading::known_class;
use super::home::{Home, Said};
use super::{hosted_tables, parts};

const CUP: &str =
    "engines = \"engines\"\nout = \"results\"\ngame = \"letters:3x3x2\"\nst = 1\ngames = 2\nseed = 7\n";

/// Engines of two kinds, and a tournament with these keys.
pub(super) fn with(engines: u32, keys: &str) -> Home {
    let home = Home::new();
    for number in 1..=engines {
        let program = if number % 2 == 0 { "agon-greedy" } else { "agon-random" };
        home.engine(format!("engines/e{number}"), program);
    }
    home.put("tournament.toml", format!("{CUP}{keys}"));
    home
}

fn agon(home: &Home, line: &str) -> Said {
    home.agon(line.split_whitespace())
}

#[track_caller]
pub(super) fn does(home: &Home, line: &str) -> String {
    let said = agon(home, line);
    assert_eq!(said.code, Some(0), "agon {line}\n{}", said.all());
    said.out()
}

/// Plays, or goes on.
#[track_caller]
pub(super) fn plays(home: &Home) -> Said {
    let said = agon(home, "tournament tournament.toml --no-check --quiet");
    assert_eq!(said.code, Some(0), "{}", said.all());
    said
}

/// Decides with `--why` and `--yes`.
#[track_caller]
pub(super) fn decides(home: &Home, words: &str) -> String {
    let said = home.agon(format!("decide {words} --yes --why").split(' ').chain(["the wrong book"]));
    assert_eq!(said.code, Some(0), "{words}\n{}", said.all());
    said.out()
}

#[track_caller]
pub(super) fn verified(home: &Home, directory: &str) -> String {
    let out = does(home, &format!("verify {directory}"));
    assert!(out.contains(" 0 differences in all"), "{out}");
    out
}

pub(super) fn games(home: &Home, directory: &str) -> Vec<Value> {
    let out = does(home, &format!("games {directory} --json --all"));
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn rows(text: &str) -> Vec<BTreeMap<String, String>> {
    csv::Reader::from_reader(text.as_bytes()).deserialize().map(Result::unwrap).collect()
}

/// Thousandths of the points of each engine, recounted from `games.csv`, where a win counts 2.
fn recounted(home: &Home, directory: &str) -> BTreeMap<String, i64> {
    let mut points = BTreeMap::new();
    for row in rows(&home.read(&format!("{directory}/games.csv"))) {
        for (engine, mine, other) in [("first_engine", "1-0", "0-1"), ("second_engine", "0-1", "1-0")] {
            let own = points.entry(row[engine].clone()).or_insert(0);
            *own += match &row["result"] {
                result if result == mine => 2000,
                result if result == other => 0,
                result => 1000 * i64::from(result == "1/2-1/2"),
            };
        }
    }
    points
}

/// The same from the standings.
fn standings(home: &Home, directory: &str) -> BTreeMap<String, i64> {
    let rows = rows(&does(home, &format!("standings {directory} --csv")));
    rows.iter().map(|row| (row["engine"].clone(), thousandths(&row["points"]))).collect()
}

/// The other result of the first game of a directory, and the side that it awards.
fn other_result(home: &Home, directory: &str) -> (String, &'static str, &'static str) {
    let first = &games(home, directory)[0];
    let (result, side) = if first["result"] == "1-0" { ("0-1", "B") } else { ("1-0", "W") };
    (first["id"].as_str().unwrap().to_owned(), result, side)
}

#[allow(clippy::cast_possible_truncation)] // no engine has so many points
fn thousandths(points: &str) -> i64 {
    (points.parse::<f64>().unwrap() * 1000.0).round() as i64
}

#[test]
fn a_decision_counts_in_a_run_and_the_game_as_played_stays() {
    let home = with(4, "points = \"2-1-0\"\n");
    plays(&home);
    let (before, table) = (standings(&home, "results"), home.read("results/standings.csv"));
    assert_eq!(recounted(&home, "results"), before, "the control");
    let head = verified(&home, "results");
    let head = head.split("head of the chain ").nth(1).unwrap()[..32].to_owned();
    let (id, result, side) = other_result(&home, "results");

    // The run is over, so that it is said first what follows.
    let asked = home.agon(["decide", "results", &id, "award", side, "--why", "the wrong book"]);
    assert!(
        asked.code == Some(2) && asked.err().contains("nothing was changed") && asked.err().contains("--yes"),
        "{}",
        asked.all()
    );
    assert!(asked.out().contains("the run was over and stays over"), "{}", asked.all());
    assert_eq!(
        (does(&home, "standings results --csv"), home.read("results/standings.csv")),
        (table.clone(), table.clone())
    );

    let said = decides(&home, &format!("results {id} award {side}"));
    assert!(
        said.contains("as played") && said.contains(&format!("decided: {result}: the wrong book")),
        "{said}"
    );
    let after = standings(&home, "results");
    assert_ne!(after, before);
    assert_eq!(recounted(&home, "results"), after);
    assert!(verified(&home, "results").contains(" 1 decision"));
    let since = agon(&home, &format!("verify results --expect {head}"));
    assert!(since.all().contains("what counts was changed since"), "{}", since.all());

    // It is told wherever a result is told.
    let game = games(&home, "results").into_iter().find(|game| game["id"] == *id).unwrap();
    assert_eq!((&game["termination"], &game["reason"]), (&"decision".into(), &"the wrong book".into()));
    assert_eq!((&game["result"], &game["ruling"]["decision"]), (&result.into(), &"award".into()));
    assert_ne!(game["ruling"]["played_result"], game["result"]);
    let row = rows(&home.read("results/games.csv")).into_iter().find(|row| row["id"] == id).unwrap();
    assert_eq!((row["termination"].as_str(), row["decision"].as_str()), ("decision", "award"));
    assert_eq!(row["played_termination"], "normal");
    let why = does(&home, "why results");
    assert!(
        why.contains(&format!("{id}: the organiser decided {result}: the wrong book; as played")),
        "{why}"
    );
    let text = home.read("results/games/r01.txt");
    assert!(
        text.contains("[Termination \"decision\"]") && text.contains("[PlayedTermination \"normal\"]"),
        "{text}"
    );
    does(&home, &format!("replay results {id} --quiet"));
    does(&home, "export notation results records");
    does(&home, &format!("replay records/{id}.txt --quiet"));
    does(&home, "report results");
    let mut found = Vec::new();
    super::grading::holding(&home.path("results-report"), "As it was played, its result was", &mut found);
    assert!(!found.is_empty());
    let list = does(&home, "decide results");
    assert!(list.contains(&id) && list.contains(": award ") && list.contains(": the wrong book"), "{list}");
    assert_eq!(rows(&does(&home, "history results --csv"))[0]["run"], "1");

    // The same command plays nothing, and another database takes the decision with the game.
    plays(&home);
    assert_eq!((standings(&home, "results"), games(&home, "results").len()), (after.clone(), 12));
    let lines = does(&home, "export json results");
    home.put("games.jsonl", lines);
    does(&home, "import taken games.jsonl");
    assert_eq!(standings(&home, "taken"), after);
    does(&home, "import taken games.jsonl");
    verified(&home, "taken");

    decides(&home, &format!("results {id} undo"));
    assert_eq!((standings(&home, "results"), recounted(&home, "results")), (before.clone(), before));
    assert!(verified(&home, "results").contains(" 2 decisions"));
    assert_eq!(home.read("results/standings.csv"), table);
}

#[test]
fn a_game_counts_for_nobody_or_is_played_again() {
    let home = with(3, "points = \"2-1-0\"\n");
    plays(&home);
    let (id, ..) = other_result(&home, "results");
    let before = standings(&home, "results");
    let said = decides(&home, &format!("results {id} void"));
    let voided = games(&home, "results").into_iter().find(|game| game["id"] == id.as_str()).unwrap();
    assert_eq!((&voided["result"], &voided["counts"]), (&"*".into(), &false.into()), "{voided}");
    assert!(said.contains("the run was over and stays over"), "{said}");
    assert_eq!(recounted(&home, "results"), standings(&home, "results"));
    assert_eq!(before.values().sum::<i64>() - standings(&home, "results").values().sum::<i64>(), 2000);
    verified(&home, "results");
    plays(&home);
    assert_eq!(games(&home, "results").len(), 6, "it is not played again");
    decides(&home, &format!("results {id} undo"));
    assert_eq!(standings(&home, "results"), before);

    let said = decides(&home, &format!("results {id} replay"));
    assert!(said.contains("the run was over and is not any more"), "{said}");
    assert!(verified(&home, "results").contains("1 game of the plan has not been played"));
    // Taken back before it is played, it counts as if nothing had been.
    decides(&home, &format!("results {id} undo"));
    assert_eq!(standings(&home, "results"), before);
    assert!(!verified(&home, "results").contains("have not been played"));
    decides(&home, &format!("results {id} replay"));
    plays(&home);
    let all = games(&home, "results");
    let mine: Vec<&Value> = all.iter().filter(|game| game["id"] == *id).collect();
    assert_eq!((all.len(), mine.len()), (7, 2), "{all:?}");
    assert!(mine[0]["counts"] == true && mine[1]["counts"] == false, "{mine:?}");
    assert_eq!(recounted(&home, "results"), standings(&home, "results"));
    verified(&home, "results");
    refused(&home, &format!("decide results {id} undo --why x"), &["has been played again since"]);
    // The game that was played again can be decided as well, and pruning leaves the decisions.
    decides(&home, &format!("results {id} void"));
    verified(&home, "results");
}

#[test]
fn later_rounds_follow_from_a_decision() {
    let home = with(4, "format = \"knockout\"\nplay-offs = 0\n");
    plays(&home);
    let meet = |home: &Home| {
        let all = games(home, "results");
        let last = all
            .iter()
            .filter(|game| game["counts"] == true && game["id"].as_str().unwrap().starts_with("r02"));
        let mut names: Vec<String> = last.map(|game| game["engines"].to_string()).collect();
        names.sort();
        names
    };
    let before = meet(&home);
    assert!(!before.is_empty());
    // Both games of the first match go to the engine that lost it.
    let all = games(&home, "results");
    let first: Vec<&Value> =
        all.iter().filter(|game| game["id"].as_str().unwrap().contains("p0001")).collect();
    let mut points: BTreeMap<&str, i32> = BTreeMap::new();
    for game in &first {
        let result = game["result"].as_str().unwrap();
        for (seat, won) in [(0, "1-0"), (1, "0-1")] {
            let own = if result == won { 2 } else { i32::from(result == "1/2-1/2") };
            *points.entry(game["engines"][seat].as_str().unwrap()).or_default() += own;
        }
    }
    let loser = points.iter().min_by_key(|(_, own)| **own).map(|(name, _)| (*name).to_owned()).unwrap();
    let ids: Vec<&str> = first.iter().map(|game| game["id"].as_str().unwrap()).collect();
    let mut said = String::new();
    for id in &ids {
        said.push_str(&decides(&home, &format!("results {id} award {loser}")));
        verified(&home, "results");
    }
    assert!(said.contains(" no longer, as what ") && said.contains("is not any more"), "{said}");
    plays(&home);
    let now = meet(&home);
    assert!(now != before && now.join(" ").contains(&loser), "{loser}: {before:?} {now:?}");
    verified(&home, "results");
    for id in &ids {
        decides(&home, &format!("results {id} undo"));
        verified(&home, "results");
    }
    plays(&home);
    assert_eq!(meet(&home), before, "the games of that time count again");
    verified(&home, "results");
}

#[test]
fn a_game_that_a_decision_made_void_is_counted_among_the_void_ones() {
    let home = with(3, "");
    plays(&home);
    let counts = || {
        let said = agon(&home, "standings results --json");
        assert_eq!(said.code, Some(0), "{}", said.all());
        let all: Value = serde_json::from_str(&said.out()).unwrap();
        (all["games"].as_u64().unwrap(), all["void"].as_u64().unwrap())
    };
    let (games, void) = counts();
    decides(&home, "results r01-p0001-g01 void");
    assert_eq!(counts(), (games - 1, void + 1));
    decides(&home, "results r01-p0001-g01 undo");
    assert_eq!(counts(), (games, void));
}

#[test]
fn a_cup_and_a_league_use_what_was_decided() {
    let home = with(
        4,
        "[[stages]]\nname = \"groups\"\ngroups = 2\nadvance = 1\nplay-offs = 0\n\n[[stages]]\nname = \"final\"\nplay-offs = 0\n",
    );
    let said = agon(&home, "tournament tournament.toml --no-check --stage 1");
    assert_eq!(said.code, Some(0), "{}", said.all());
    // The loser of the first group gets both games, before the final is drawn.
    let all = rows(&home.read("results/stages.csv"));
    let last = all.iter().filter(|row| row["stage"] == "1").find(|row| row["goes_on"] != "yes").unwrap();
    let (engine, group) = (last["engine"].clone(), last["group"].clone());
    let own: Vec<String> = (games(&home, "results").iter())
        .filter(|game| game["engines"].to_string().contains(&format!("\"{engine}\"")))
        .map(|game| game["id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(own.len(), 2, "{group}");
    let said: String =
        own.iter().map(|id| decides(&home, &format!("results {id} award {engine} --stage 1"))).collect();
    assert!(said.contains("order of "), "{said}");
    plays(&home);
    let finals = rows(&home.read("results/stages.csv"));
    assert!(finals.iter().any(|row| row["stage"] == "2" && row["engine"] == engine), "{finals:?}");
    for stage in [1, 2] {
        verified(&home, &format!("results --stage {stage}"));
    }
    let late = home.agon(["decide", "results", &own[0], "undo", "--why", "late", "--stage", "1"]);
    assert!(
        late.out().contains("stage-2 has begun, with ") && late.err().contains("nothing was changed"),
        "{}",
        late.all()
    );
    refused(
        &home,
        "decide results r01-p0001-g01 void --why x",
        &["several stages have a game", "--stage 1 or --stage 2"],
    );

    let home = with(4, "[league]\ndivisions = 2\n");
    plays(&home);
    let of = |home: &Home, night: &str| -> Vec<(String, String, String)> {
        let all = rows(&home.read("results/league.csv"));
        let own = all.iter().filter(|row| row["night"] == night);
        own.map(|row| (row["engine"].clone(), row["division"].clone(), row["moves"].clone())).collect()
    };
    let (up, ..) = of(&home, "1").into_iter().find(|(.., moves)| moves == "up").unwrap();
    let (_, division, _) = of(&home, "1").into_iter().find(|(engine, ..)| *engine == up).unwrap();
    let (stays, ..) =
        of(&home, "1").into_iter().find(|(engine, own, _)| *own == division && *engine != up).unwrap();
    let own: Vec<String> = (games(&home, "results").iter())
        .filter(|game| game["engines"].to_string().contains(&format!("\"{stays}\"")))
        .map(|game| game["id"].as_str().unwrap().to_owned())
        .collect();
    for id in &own {
        decides(&home, &format!("results {id} award {stays} --stage 1"));
    }
    let next = agon(&home, "tournament tournament.toml --no-check --next");
    assert_eq!(next.code, Some(0), "{}", next.all());
    assert!(
        of(&home, "1").iter().any(|(engine, _, moves)| *engine == stays && moves == "up"),
        "{:?}",
        of(&home, "1")
    );
    assert!(
        of(&home, "2").iter().any(|(engine, own, _)| *engine == stays && own == "1"),
        "{:?}",
        of(&home, "2")
    );
    verified(&home, "results --stage 1");
}

#[test]
fn grades_change_by_a_decision_only_with_regrade() {
    let grade = "grade tournament.toml --roster roster.csv --no-check --isolation limits";
    let home =
        known_class("id,name,mail,submission\n1,A,a,in/one\n2,B,b,in/two\n3,C,c,in/three\n4,D,d,in/dead\n");
    does(&home, grade);
    let before = home.read("grades/grades.csv");
    // Everything goes to the one that is last by now.
    let last = rows(&home.read("results/standings.csv")).pop().unwrap()["engine"].clone();
    let own: Vec<String> = (games(&home, "results").iter())
        .filter(|game| game["engines"].to_string().contains(&format!("\"{last}\"")))
        .map(|game| game["id"].as_str().unwrap().to_owned())
        .collect();
    for id in &own {
        decides(&home, &format!("results {id} award {last}"));
    }
    let said = agon(&home, grade);
    assert_eq!(said.code, Some(2), "{}", said.all());
    assert!(
        said.err().contains("read the table, then give --regrade too") && said.err().contains(&last),
        "{}",
        said.all()
    );
    assert_eq!(home.read("grades/grades.csv"), before);
    does(&home, &format!("{grade} --regrade"));
    assert_ne!(home.read("grades/grades.csv"), before);
    assert_eq!(games(&home, "results").len(), 12, "nothing was played for it");
    verified(&home, "results");
    for id in &own {
        decides(&home, &format!("results {id} undo"));
    }
    does(&home, &format!("{grade} --regrade"));
    assert_eq!(home.read("grades/grades.csv"), before);
}

#[test]
fn tables_of_more_than_two_seats_have_decisions_too() {
    let home = hosted_tables::class(4);
    let run =
        "tournament engines --game ./game --seats 3 --games 3 --seed 7 --isolation none --out run --quiet";
    does(&home, &format!("{run} --points 3-1-0"));
    let id = games(&home, "run")[0]["id"].as_str().unwrap().to_owned();
    let first = games(&home, "run")[0]["engines"][0].as_str().unwrap().to_owned();
    for (words, wanted) in [
        ("result 1-0", "has 2 scores, and the game has 3 seats"),
        ("result 1-x-0", "is no result of 3 seats"),
        ("award 4", "is no side of this game"),
    ] {
        refused(&home, &format!("decide run {id} {words} --why x"), &[wanted]);
    }
    let points = |home: &Home| standings(home, "run")[&first];
    decides(&home, &format!("run {id} result 1/-1/-1"));
    let won = points(&home);
    verified(&home, "run");
    let game = games(&home, "run").into_iter().find(|game| game["id"] == *id).unwrap();
    assert_eq!((&game["result"], &game["termination"]), (&"1-0-0".into(), &"decision".into()));
    decides(&home, &format!("run {id} undo"));
    decides(&home, &format!("run {id} award 1"));
    assert_eq!(points(&home), won);
    decides(&home, &format!("run {id} undo"));
    decides(&home, &format!("run {id} result 0-1-1"));
    assert!(points(&home) < won);
    verified(&home, "run");
    let why = does(&home, &format!("why run {first}"));
    assert!(why.contains("the organiser decided 0/1/1"), "{why}");
    decides(&home, &format!("run {id} undo"));
    // Summed scores have no award.
    does(&home, &format!("{run} --points sum"));
    refused(&home, &format!("decide run {id} award 1 --why x"), &["the points of this run are the scores"]);
    decides(&home, &format!("run {id} result 1000-0-0"));
    assert!(points(&home) > 1_000_000);
    verified(&home, "run");
}

#[test]
fn a_decision_in_a_part_is_kept_by_a_merge_and_another_one_is_refused() {
    let home = parts::home();
    let plays = |more: &str| {
        let options = "--game mnk:5x5,4 --games 4 --st 5 --seed 7 --concurrency 1 --quiet";
        does(&home, &format!("tournament engines {options} {more}"));
    };
    plays("--out one --part 1/2");
    plays("--out two --part 2/2");
    let of = |directory: &str| games(&home, directory)[0]["id"].as_str().unwrap().to_owned();
    let (first, second) = (of("one"), of("two"));
    decides(&home, &format!("one {first} void"));
    decides(&home, &format!("two {second} result 1/2-1/2"));
    let said = does(&home, "merge whole one two");
    assert!(said.contains("2 decisions of the organiser taken in"), "{said}");
    plays("--out whole");
    let decided = |directory: &str| {
        let all = games(&home, directory);
        all.iter().filter(|game| !game["ruling"].is_null()).map(|game| game["id"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(decided("whole").len(), 2, "{:?}", decided("whole"));
    verified(&home, "whole");
    // Merged once more, nothing is new. Taken back in the part, it is taken back in the whole.
    does(&home, "merge whole one two");
    decides(&home, &format!("two {second} undo"));
    let before = home.read("whole/standings.csv");
    let said = does(&home, "merge whole two");
    assert!(said.contains("1 decision of the organiser taken in"), "{said}");
    assert_eq!(decided("whole").len(), 1);
    // The files follow at once.
    let table = home.read("whole/standings.csv");
    assert!(table == does(&home, "standings whole --csv") && table != before, "{table}");
    verified(&home, "whole");
    // By a pipe too.
    let lines = does(&home, "export json one --plan --all");
    home.put("one.jsonl", lines);
    let piped = home.shell("agon merge piped - < one.jsonl");
    assert_eq!((piped.code, decided("piped").len()), (Some(0), 1), "{}", piped.all());
    verified(&home, "piped");
    decides(&home, &format!("whole {first} undo"));
    decides(&home, &format!("one {first} undo"));
    decides(&home, &format!("one {first} award X"));
    let before = verified(&home, "whole");
    let said = agon(&home, "merge whole one");
    assert_eq!(said.code, Some(1), "{}", said.all());
    assert!(
        said.err().contains("the organiser has decided otherwise about it here and there"),
        "{}",
        said.all()
    );
    assert_eq!(verified(&home, "whole"), before);
}

#[test]
fn a_void_attempt_can_get_a_result() {
    let home = Home::new();
    home.engine("engines/greedy", "agon-greedy");
    home.engine("engines/random", "agon-random");
    home.put("tournament.toml", CUP);
    plays(&home);
    // As if agon had not been able to play it: nothing else makes a void game that stays.
    let db = rusqlite::Connection::open(home.path("results/agon.db")).unwrap();
    db.execute_batch(
        "INSERT OR IGNORE INTO word (text) VALUES ('void'); \
         UPDATE game SET current = NULL, reason = 'no memory', reason_data = NULL, course = NULL, loser = NULL, \
         ending = (SELECT id FROM word WHERE text = 'void') WHERE number = 1; \
         UPDATE seat SET place = NULL, score = NULL WHERE game = 1; UPDATE run SET outcome = 'stopped'; \
         DELETE FROM standing; UPDATE run SET ended_after = NULL",
    )
    .unwrap();
    drop(db);
    let id = games(&home, "results").iter().find(|game| game["counts"] == false).unwrap()["id"].clone();
    let id = id.as_str().unwrap();
    refused(
        &home,
        &format!("decide results {id} replay --why x"),
        &["is void, so that it is played again in any case"],
    );
    decides(&home, &format!("results {id} award W"));
    let all = games(&home, "results");
    assert!(all.iter().all(|game| game["counts"] == true), "{all:?}");
    plays(&home);
    assert_eq!(games(&home, "results").len(), 2, "it is not played again");
    assert_eq!(recounted(&home, "results"), standings(&home, "results"));
    decides(&home, &format!("results {id} undo"));
    decides(&home, &format!("results {id} void"));
    plays(&home);
    assert_eq!(
        (games(&home, "results").len(), recounted(&home, "results")),
        (2, standings(&home, "results"))
    );
    decides(&home, &format!("results {id} undo"));
    plays(&home);
    assert_eq!(games(&home, "results").len(), 3);
}

#[test]
fn a_wrong_decision_is_refused_and_changes_nothing() {
    let home = with(2, "");
    plays(&home);
    let (id, ..) = other_result(&home, "results");
    let list = [
        ("r09-p0009-g09 void --why x", "game r09-p0009-g09 is not there"),
        (&format!("{id} void"), "--why is missing or empty"),
        (&format!("{id} void --why \u{a0}"), "--why is missing or empty"),
        (&format!("{id} undo --why x"), "nothing was decided about"),
        (&format!("{id} award --why x"), "award lacks its value"),
        (&format!("{id} award Z --why x"), "\"Z\" is no side of this game"),
        (&format!("{id} result 1-0-0 --why x"), "\"1-0-0\" is no result of two seats"),
        (&format!("{id} result 0-0 --why x"), "\"0-0\" is no result of two seats"),
        (&format!("{id} forget --why x"), "\"forget\" is no decision"),
        (&format!("{id} --why x"), "is no decision"),
        (&format!("{id} void W --why x"), "\"W\" behind void has no meaning"),
    ];
    for (words, wanted) in list {
        refused(&home, &format!("decide results {words}"), &[wanted]);
    }
    decides(&home, &format!("results {id} void"));
    refused(
        &home,
        &format!("decide results {id} award W --why x"),
        &["the organiser has decided about", "take it back first"],
    );
    assert!(verified(&home, "results").contains(" 1 decision"));
}

#[test]
fn a_changed_decision_is_found() {
    let home = with(2, "");
    plays(&home);
    let (id, result, _) = other_result(&home, "results");
    decides(&home, &format!("results {id} result {result}"));
    decides(&home, &format!("results {id} undo"));
    let whole = std::fs::read(home.path("results/agon.db")).unwrap();
    for (sql, wanted) in [
        ("UPDATE decision SET why = 'another' WHERE number = 1", "decision 1 about game"),
        ("UPDATE decision SET ruling = '\"void\"' WHERE number = 1", "decision 1 about game"),
        ("UPDATE decision SET game = 2 WHERE number = 1", "decision 1 about game"),
        ("DELETE FROM decision WHERE number = 1", "decision 1 is gone from the database"),
        ("UPDATE decision SET ruling = '{\"places\":[1,2,2]}' WHERE number = 1", "does not fit the 2 seats"),
        ("UPDATE decision SET ruling = '{\"award\":7}' WHERE number = 1", "does not fit the 2 seats"),
        ("UPDATE decision SET ruling = 'x' WHERE number = 1", "decision 1: it cannot be read"),
        ("DELETE FROM decision WHERE number = 2", "standings are not those of its games"),
    ] {
        home.put("results/agon.db", &whole);
        let db = rusqlite::Connection::open(home.path("results/agon.db")).unwrap();
        assert_eq!(db.execute(sql, []).unwrap(), 1, "{sql}");
        drop(db);
        let said = agon(&home, "verify results");
        assert!(said.code == Some(1) && said.out().contains(wanted), "{sql}\n{}", said.all());
    }
}

#[test]
fn a_run_that_is_played_is_not_decided_about() {
    let home = with(2, "");
    plays(&home);
    let (id, ..) = other_result(&home, "results");
    let held = home
        .shell(&format!("exec 9>>results/agon.lock; flock 9; agon decide results {id} void --why x --yes"));
    assert_eq!(held.code, Some(1), "{}", held.all());
    assert!(held.err().contains("results is in use by "), "{}", held.all());
    assert!(agon(&home, "decide results").out().contains("about no game"));
}
