//! Engines leave a run in its middle, and their programs with them: the others play on, nothing of
//! theirs is lost or played again, and what is not played is told and counted everywhere alike.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;

use super::bad_input::refused;
use super::grading::known_class;
use super::home::{Home, Said};

pub(super) const CUP: &str = "engines = \"engines\"\nout = \"results\"\ngame = \"letters:3x3x2\"\nst = 30\ngames = 2\nseed = 7\n\
                   concurrency = 1\nisolation = \"limits\"\npoints = \"2-1-0\"\n";

/// Why it leaves.
const WHY: &str = "its author asked for it";

/// A tournament with these keys that was killed when an engine was started for its game after
/// `starts` others.
pub(super) fn killed(engines: u32, keys: &str, leaver: &str, starts: u32) -> Home {
    let home = Home::new();
    for number in 1..=engines {
        let (name, program) =
            (format!("e{number}"), if number % 2 == 0 { "agon-greedy" } else { "agon-random" });
        if name == leaver {
            sticks(&home, &name, program, starts);
        } else {
            home.engine(format!("engines/{name}"), program);
        }
    }
    home.put("tournament.toml", format!("{CUP}{keys}"));
    kills(&home, "");
    home
}

/// An engine that plays no game after so many starts, until there is a file `go`.
pub(super) fn sticks(home: &Home, name: &str, program: &str, starts: u32) {
    let at = |file: &str| home.path(file).to_string_lossy().into_owned();
    let (count, stuck, go) = (at("count"), at("stuck"), at("go"));
    home.put(format!("engines/{name}/run.sh"), format!(
        "echo x >>{count}\nif [ $(wc -l <{count}) -gt {starts} ] && [ ! -e {go} ]; then touch {stuck}; sleep 600; fi\nexec {program} \"$@\"\n"
    ));
    let path = std::env::current_exe().unwrap();
    let programs = path.parent().unwrap().parent().unwrap().to_string_lossy().into_owned();
    let toml =
        format!("command = [\"sh\", \"{{folder}}/run.sh\"]\n[env]\nPATH = \"{programs}:/usr/bin:/bin\"\n");
    home.put(format!("engines/{name}/engine.toml"), toml);
}

/// Plays until an engine sticks, and kills the run then.
#[track_caller]
pub(super) fn kills(home: &Home, more: &str) {
    let said = home.shell(&format!(
        "agon tournament tournament.toml --no-check --quiet {more} >log 2>&1 & keeper=$!\n\
         for i in $(seq 600); do [ -e stuck ] && break; sleep 0.05; done; [ -e stuck ] || {{ cat log; exit 7; }}\n\
         kill -9 $keeper; wait $keeper\n\
         for i in $(seq 600); do agon status results --json | grep -q '\"running\":true' || break; sleep 0.05; done\n\
         for i in $(seq 100); do was=$(find .); sleep 0.1; [ \"$was\" = \"$(find .)\" ] && exit 0; done; exit 8",
    ));
    assert_eq!(said.code, Some(0), "{}", said.all());
}

/// Kills the run several times after it has begun, and lets it go on to its end.
fn plays_with_kills(home: &Home) {
    for tenths in 1..=4 {
        let said = home.shell(&format!(
            "agon tournament tournament.toml --no-check --quiet >log 2>&1 & keeper=$!; sleep 0.{tenths}; \
             kill -9 $keeper 2>/dev/null; wait $keeper\n\
             for i in $(seq 600); do agon status results --json | grep -q '\"running\":true' || exit 0; sleep 0.05; done; exit 8"
        ));
        assert_eq!(said.code, Some(0), "{}", said.all());
    }
}

/// Plays, or goes on.
#[track_caller]
pub(super) fn plays(home: &Home, more: &str) -> Said {
    let said = home.agon(format!("tournament tournament.toml --no-check --quiet {more}").split_whitespace());
    assert_eq!(said.code, Some(0), "{}", said.all());
    said
}

#[track_caller]
pub(super) fn does(home: &Home, line: &str) -> String {
    let said = home.agon(line.split_whitespace());
    assert_eq!(said.code, Some(0), "agon {line}\n{}", said.all());
    said.out()
}

/// It withdraws, and its program is removed.
#[track_caller]
fn leaves(home: &Home, line: &str, engine: &str) -> String {
    let said = home.agon(format!("withdraw {line} --why").split_whitespace().chain([WHY]));
    assert_eq!(said.code, Some(0), "{line}\n{}", said.all());
    let path = home.path(format!("engines/{engine}"));
    if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
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

pub(super) fn rows(text: &str) -> Vec<BTreeMap<String, String>> {
    csv::Reader::from_reader(text.as_bytes()).deserialize().map(Result::unwrap).collect()
}

/// The names in a game.
pub(super) fn names(game: &Value) -> Vec<String> {
    game["engines"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
}

/// What identifies the games of all others that count, however they are numbered: who played on
/// which seat, when.
pub(super) fn of_others(all: &[Value], leaver: &str) -> BTreeSet<String> {
    let own =
        all.iter().filter(|game| game["counts"] == true && !names(game).iter().any(|name| name == leaver));
    own.map(|game| format!("{:?} {} {}", names(game), game["started"], game["result"])).collect()
}

/// Halves of a point, by engine, from the games that count, where a win counts 2.
pub(super) fn recounted(all: &[Value]) -> BTreeMap<String, i64> {
    let mut points = BTreeMap::new();
    for game in all.iter().filter(|game| game["counts"] == true) {
        let names = names(game);
        for (seat, won) in [(0, "1-0"), (1, "0-1")] {
            let own = points.entry(names[seat].clone()).or_insert(0);
            *own += if game["result"] == won { 2 } else { i64::from(game["result"] == "1/2-1/2") };
        }
    }
    points
}

pub(super) fn standings(home: &Home, directory: &str) -> BTreeMap<String, BTreeMap<String, String>> {
    let rows = rows(&does(home, &format!("standings {directory} --csv")));
    rows.into_iter().map(|row| (row["engine"].clone(), row)).collect()
}

#[allow(clippy::cast_possible_truncation)] // no engine has so many points
pub(super) fn points(row: &BTreeMap<String, String>) -> i64 {
    row["points"].parse::<f64>().unwrap().round() as i64
}

/// The engine in the last place, by the column `rank`.
fn last(all: &BTreeMap<String, BTreeMap<String, String>>) -> String {
    let rank = |row: &&BTreeMap<String, String>| row["rank"].parse::<u32>().unwrap();
    all.values().max_by_key(rank).unwrap()["engine"].clone()
}

#[test]
fn an_engine_leaves_a_round_robin_and_the_others_play_on() {
    for keys in ["", "format = \"round robin\"\n"] {
        let home = killed(4, keys, "e2", 3);
        let before = games(&home, "results");
        let stored = before.len();
        assert!((3..12).contains(&stored), "{stored}");
        let own =
            |all: &[Value]| all.iter().filter(|game| names(game).iter().any(|name| name == "e2")).count();
        let played = own(&before);
        assert!((1..6).contains(&played), "{played}");

        let said = leaves(&home, "results e2", "e2");
        assert!(said.contains("e2 has withdrawn from round "), "{said}");
        let dry = home.agon(["tournament", "tournament.toml", "--no-check", "--dry-run"]);
        assert_eq!(dry.code, Some(0), "{}", dry.all());
        let is_told = dry.all().contains("e2 has withdrawn from round");
        // A stage in which nothing is missing any more is over.
        assert!(is_told || dry.all().contains("is over; its games count"), "{}", dry.all());
        assert_eq!(games(&home, "results"), before, "a dry run changes nothing");
        verified(&home, "results");
        plays(&home, "");

        // Nothing of the others is lost, and all of theirs is played.
        let after = games(&home, "results");
        let (then, now) = (of_others(&before, "e2"), of_others(&after, "e2"));
        assert!(then.is_subset(&now) && now.len() == 6, "{then:?}\n{now:?}");
        assert!(after.iter().all(|game| game["counts"] == true), "{after:?}");
        assert_eq!((own(&after), after.len()), (played, 6 + played));

        // The standings, counted by hand: what e2 has not played is won by the others.
        let mut by_hand = recounted(&after);
        for other in ["e1", "e3", "e4"] {
            let met = after.iter().filter(|game| {
                let names = names(game);
                names.iter().any(|name| name == "e2") && names.iter().any(|name| name == other)
            });
            let missing = 2 - i64::try_from(met.count()).unwrap();
            *by_hand.get_mut(other).unwrap() += 2 * missing;
        }
        let table = standings(&home, "results");
        for (name, row) in &table {
            assert_eq!(points(row), by_hand[name], "{name}: {table:?}");
            assert_eq!(row["withdrawn"], if name == "e2" { "yes" } else { "no" });
            let wins: i64 = row["forfeit_wins"].parse().unwrap();
            let losses: usize = row["forfeit_losses"].parse().unwrap();
            assert_eq!(losses, if name == "e2" { 6 - played } else { 0 });
            assert!(name != "e2" || wins == 0);
        }
        assert_eq!(last(&table), "e2");
        assert_eq!(home.read("results/standings.csv"), does(&home, "standings results --csv"));

        // It is told everywhere alike.
        let words = format!("what it has not played is lost by forfeit: {WHY}");
        for line in ["standings results", "why results", "withdraw results", "why results e2"] {
            assert!(does(&home, line).contains(&words), "{line}");
        }
        let status = does(&home, "status results");
        assert!(status.contains(": over, ") && status.contains("e2 has withdrawn from round"), "{status}");
        let status: Value = serde_json::from_str(&does(&home, "status results --json")).unwrap();
        assert_eq!(status["withdrawn"][0]["why"], WHY);
        assert_eq!((&status["over"], &status["games"]), (&true.into(), &status["planned"]));
        does(&home, "report results");
        assert!(home.read("results-report/index.html").contains(&words));
        let left = does(&home, "plan --missing results");
        assert!(left.contains("0 of ") && left.contains(" games are missing"), "{left}");
        assert!(verified(&home, "results").contains(" 1 arrangement"));

        // Once more plays nothing.
        plays(&home, "");
        assert_eq!(games(&home, "results"), after);
        refused(
            &home,
            "withdraw results e3 --why x",
            &["it is over, so that no withdrawal can be made or taken back"],
        );
        refused(&home, "withdraw results e2 undo --why x", &["it is over"]);
    }
}

#[test]
fn every_format_goes_on_without_an_engine_and_nothing_of_the_others_is_played_again() {
    let later = "advance = 1\nplay-offs = 0\n\n[[stages]]\nname = \"final\"\nplay-offs = 0\n";
    let groups = format!("[[stages]]\nname = \"groups\"\ngroups = 2\n{later}");
    for (engines, keys, starts) in [
        (6, "format = \"swiss\"\nrounds = 3\n", 3),
        (7, "format = \"swiss\"\nrounds = 3\n", 2),
        (6, "format = \"knockout\"\nplay-offs = 0\n", 1),
        (4, "format = \"double round robin\"\nplay-offs = 0\n", 5),
        (5, "format = \"gauntlet\"\nleaders = 2\n", 1),
        (6, &groups, 1),
    ] {
        let home = killed(engines, keys, "e4", starts);
        let first = if keys.contains("[[stages]]") { "results/stage-1" } else { "results" };
        let before = games(&home, first);
        let said = leaves(&home, "results e4", "e4");
        assert!(said.contains("head of the chain"), "{keys}: {said}");
        verified(&home, first);
        plays(&home, "");
        let after = games(&home, first);
        let (then, now) = (of_others(&before, "e4"), of_others(&after, "e4"));
        assert!(then.is_subset(&now), "{keys}: {then:?}\n{now:?}");
        assert!(after.iter().all(|game| game["counts"] == true), "{keys}: {after:?}");
        let own =
            |all: &[Value]| all.iter().filter(|game| names(game).iter().any(|name| name == "e4")).count();
        assert_eq!(own(&before), own(&after), "{keys}");
        verified(&home, first);
        let status = does(&home, "status results");
        assert!(status.contains("over, "), "{keys}: {status}");
        assert!(!status.contains("missing"), "{keys}: {status}");
        // Once more plays nothing.
        plays(&home, "");
        assert_eq!(games(&home, first), after, "{keys}");
        if keys.contains("[[stages]]") {
            let next = does(&home, "games results/stage-2 --json --all");
            assert!(!next.is_empty() && !next.contains("\"e4\""), "{next}");
        }
    }
}

#[test]
fn the_opponents_of_a_swiss_get_their_points_and_tie_breaks_as_fide_has_them() {
    let home = killed(6, "format = \"swiss\"\nrounds = 3\n", "e4", 2);
    let before = games(&home, "results");
    leaves(&home, "results e4", "e4");
    plays(&home, "");
    let after = games(&home, "results");
    let round = |game: &Value| game["id"].as_str().unwrap()[1..3].parse::<u32>().unwrap();
    let of_e4: Vec<u32> =
        before.iter().filter(|game| names(game).contains(&"e4".to_owned())).map(round).collect();
    let last_played = before.iter().map(round).max().unwrap();
    assert!(of_e4.iter().max() < Some(&last_played), "{of_e4:?} {last_played}");
    // A round that was drawn with it is won by its opponent, and later ones have a bye.
    let table = standings(&home, "results");
    let by_hand = recounted(&after);
    let mut forfeits = 0;
    for (name, row) in &table {
        let number = |column: &str| row[column].parse::<i64>().unwrap();
        forfeits += number("forfeit_wins");
        let unplayed = 2 * (number("forfeit_wins") + number("byes"));
        assert_eq!(points(row), by_hand.get(name).copied().unwrap_or(0) + unplayed, "{name}: {table:?}");
    }
    assert_eq!(forfeits, 2, "{table:?}");
    // Buchholz, counted by hand: the points of the opponents for each game; own points where there
    // was none; and for who has met e4, its later rounds count as drawn.
    let own: BTreeMap<&String, i64> = table.iter().map(|(name, row)| (name, points(row))).collect();
    let rounds: BTreeSet<u32> = after.iter().map(round).collect();
    let paired = |name: &str, of: u32| {
        after.iter().any(|game| round(game) == of && names(game).iter().any(|one| one == name))
    };
    let absent = rounds.iter().filter(|of| **of > last_played).count();
    for (name, row) in &table {
        let mut buchholz = 0;
        for game in after.iter().filter(|game| names(game).contains(name)) {
            let other = names(game).into_iter().find(|other| other != name).unwrap();
            let adjusted = if other == "e4" { 2 * i64::try_from(absent).unwrap() } else { 0 };
            buchholz += own[&other] + adjusted;
        }
        buchholz += rounds.iter().filter(|of| !paired(name, **of)).map(|_| 2 * own[name]).sum::<i64>();
        assert_eq!(
            row["buchholz"].parse::<f64>().unwrap().to_string(),
            buchholz.to_string(),
            "{name}: {table:?}"
        );
    }
    verified(&home, "results");
}

#[test]
fn a_league_goes_on_and_has_no_later_night_with_it() {
    let home = killed(6, "[league]\ndivisions = 2\n", "e4", 1);
    let before = games(&home, "results/night-1");
    leaves(&home, "results e4", "e4");
    plays(&home, "");
    let after = games(&home, "results/night-1");
    assert!(of_others(&before, "e4").is_subset(&of_others(&after, "e4")));
    assert!(after.iter().all(|game| game["counts"] == true));
    let night = rows(&home.read("results/league.csv"));
    let of_e4 = night.iter().find(|row| row["engine"] == "e4").unwrap();
    assert_eq!(of_e4["place"], "3", "{night:?}");
    // Its program may be back, and still it does not play.
    home.engine("engines/e4", "agon-greedy");
    plays(&home, "--next");
    let league = rows(&home.read("results/league.csv"));
    let second: Vec<&str> =
        league.iter().filter(|row| row["night"] == "2").map(|row| row["engine"].as_str()).collect();
    assert_eq!(second.len(), 5, "{league:?}");
    assert!(!second.contains(&"e4"), "{league:?}");
    does(&home, "report results --out pages");
    let page = home.read("pages/index.html");
    let of_nights = page.split_once("The nights</h2>").unwrap().1;
    let words = format!("e4 has withdrawn from round 1: what it has not played is lost by forfeit: {WHY}.");
    assert!(
        of_nights.split("<li>").any(|night| night.contains(">night 1<") && night.contains(&words)),
        "{page}"
    );
    for night in [1, 2] {
        verified(&home, &format!("results --stage {night}"));
    }
}

#[test]
fn none_of_its_games_count_where_it_is_expunged_and_they_are_shown_as_that() {
    for keys in ["", "format = \"round robin\"\nplay-offs = 0\n"] {
        let home = killed(4, keys, "e2", 3);
        let before = games(&home, "results");
        leaves(&home, "results e2 --rule expunge", "e2");
        plays(&home, "");
        let after = games(&home, "results");
        assert!(of_others(&before, "e2").is_subset(&of_others(&after, "e2")));
        let table = standings(&home, "results");
        let others: Vec<Value> =
            after.iter().filter(|game| !names(game).contains(&"e2".to_owned())).cloned().collect();
        assert_eq!(others.len(), 6);
        let by_hand = recounted(&others);
        for (name, row) in &table {
            assert_eq!(points(row), by_hand.get(name).copied().unwrap_or(0), "{name}: {table:?}");
        }
        assert_eq!((table["e2"]["games"].as_str(), last(&table).as_str()), ("0", "e2"));
        let words = format!("none of its games count: {WHY}");
        for game in after.iter().filter(|game| names(game).contains(&"e2".to_owned())) {
            let id = game["id"].as_str().unwrap();
            assert!(game["reason"].as_str().unwrap().contains(&words), "{game}");
            refused(
                &home,
                &format!("decide results {id} undo --why x"),
                &["does not count", "agon withdraw DIR ENGINE undo"],
            );
        }
        assert!(home.read("results/games.csv").contains(&words));
        assert!(does(&home, "why results e2").contains(&words));
        verified(&home, "results");
        plays(&home, "");
        assert_eq!(games(&home, "results"), after);
    }
    let home = killed(6, "format = \"swiss\"\nrounds = 3\n", "e4", 1);
    refused(&home, "withdraw results e4 --rule expunge --why x", &["in a Swiss", "give the rule forfeit"]);
}

#[test]
fn a_withdrawal_is_taken_back_as_long_as_nothing_has_followed_from_it() {
    let home = killed(4, "", "e2", 3);
    let before = (games(&home, "results"), does(&home, "standings results --csv"));
    let said = home.agon(["withdraw", "results", "e2", "--why", WHY]);
    assert_eq!(said.code, Some(0), "{}", said.all());
    let back = home.agon(["withdraw", "results", "e2", "undo", "--why", "its author is back"]);
    assert_eq!(back.code, Some(0), "{}", back.all());
    assert_eq!((games(&home, "results"), does(&home, "standings results --csv")), before);
    assert!(verified(&home, "results").contains(" 2 arrangements"));
    let all = does(&home, "withdraw results");
    assert!(all.lines().count() == 2 && all.contains("its author is back"), "{all}");
    // It plays on.
    home.put("engines/e2/run.sh", "exec agon-greedy \"$@\"\n");
    let said = home.agon("tournament tournament.toml --no-check --quiet --again".split_whitespace());
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert_eq!(games(&home, "results").iter().filter(|game| game["counts"] == true).count(), 12);

    // In a Swiss, a later round was paired without it.
    let home = killed(6, "format = \"swiss\"\nrounds = 3\n", "e4", 1);
    leaves(&home, "results e4", "e4");
    plays(&home, "");
    let late = home.agon(["withdraw", "results", "e4", "undo", "--why", "late"]);
    assert_eq!(late.code, Some(2), "{}", late.all());
}

#[test]
fn a_wrong_withdrawal_is_refused_and_changes_nothing() {
    let home = killed(4, "", "e2", 3);
    let before = (games(&home, "results"), verified(&home, "results"));
    for (line, words) in [
        ("results nobody --why x", &["there is no engine \"nobody\"", "there are e1, e2, e3, e4"][..]),
        ("results e2", &["--why is missing or empty"]),
        ("results e2 --rule leave --why x", &["rule: there is no rule \"leave\"", "forfeit and expunge"]),
        ("results e2 --rule expunge --from 3 --why x", &["none of its games count, whatever the round"]),
        ("results e2 --from soon --why x", &["from: \"soon\" is no round"]),
        ("results e2 --from 9 --why x", &["there is no round 9", "of 3"]),
        ("results e1 --from 1 --why x", &["e1 has played round 1 already", "its next round is"]),
        ("results e2 undo --why x", &["e2 has not withdrawn"]),
        ("results e2 back --why x", &["\"back\" behind the engine has no meaning"]),
        ("results e2 undo --rule forfeit --why x", &["undo takes back what was noted"]),
    ] {
        refused(&home, &format!("withdraw {line}"), words);
    }
    assert_eq!((games(&home, "results"), verified(&home, "results")), before);
    assert_eq!(does(&home, "withdraw results"), "nobody has withdrawn\n");
    let said = home.agon(["withdraw", "results", "e2", "--why", WHY]);
    assert_eq!(said.code, Some(0), "{}", said.all());
    refused(
        &home,
        "withdraw results e2 --why x",
        &["e2 has withdrawn already: e2 has withdrawn from round", WHY],
    );
}

#[test]
fn a_changed_withdrawal_breaks_the_chain() {
    for change in [
        "UPDATE arrangement SET why = 'another'",
        "UPDATE arrangement SET what = replace(what, '3', '2')",
        "UPDATE arrangement SET subject = 'e3'",
        "DELETE FROM arrangement",
    ] {
        let home = killed(4, "", "e2", 3);
        leaves(&home, "results e2", "e2");
        plays(&home, "");
        rusqlite::Connection::open(home.path("results/agon.db")).unwrap().execute_batch(change).unwrap();
        let said = home.agon(["verify", "results"]);
        assert_eq!(said.code, Some(1), "{change}\n{}", said.all());
    }
}

#[test]
fn a_file_says_who_withdraws_and_from_which_round() {
    let home = Home::new();
    for number in 1..=4 {
        home.engine(
            format!("engines/e{number}"),
            if number % 2 == 0 { "agon-greedy" } else { "agon-random" },
        );
    }
    let says = |keys: &str| home.put("tournament.toml", format!("{CUP}{keys}"));
    let line = |rest: &str| format!("withdrawn = [{{ engine = {rest} }}]\n");
    for (rest, words) in [
        (
            "\"nobody\"",
            &[
                "line 10: key engine of withdrawal 1: there is no engine \"nobody\"",
                "there are e1, e2, e3, e4",
            ][..],
        ),
        (
            "\"e2\", rule = \"leave\"",
            &["line 10: key rule of withdrawal 1: rule: there is no rule \"leave\"", "forfeit and expunge"],
        ),
        (
            "\"e2\", rule = \"replaced by e9\"",
            &["key rule of withdrawal 1: ", "so that e9 has nobody to replace"],
        ),
        ("\"e2\", from = \"soon\"", &["line 10: key from of withdrawal 1: from: \"soon\" is no round"]),
        (
            "\"e2\", from = \"round 9\"",
            &["line 10: key from of withdrawal 1: from: there is no round 9", "of 3"],
        ),
        ("\"e2\", form = \"round 2\"", &["line 10: key form of withdrawal 1: there is no such key"]),
    ] {
        says(&line(rest));
        refused(&home, "tournament tournament.toml --no-check --quiet", words);
    }
    says(&line("\"e2\", from = \"round 3\", why = \"its licence ends\""));
    plays(&home, "");
    let all = games(&home, "results");
    let last = all.iter().filter(|game| names(game).contains(&"e2".to_owned()));
    let last: BTreeSet<&str> = last.map(|game| &game["id"].as_str().unwrap()[..3]).collect();
    assert_eq!((all.len(), last), (10, BTreeSet::from(["r01", "r02"])));
    let words = "e2 has withdrawn from round 3: what it has not played is lost by forfeit: its licence ends";
    assert!(does(&home, "standings results").contains(words));
    verified(&home, "results");
    // The file still says so, and its program may be gone by now.
    fs::remove_file(home.path("engines/e2")).unwrap();
    plays(&home, "");
    assert_eq!(games(&home, "results"), all);
    // Another one who leaves after the end, and another rule for the one who left.
    says(&line("\"e3\""));
    refused(&home, "tournament tournament.toml --no-check --quiet", &["key engine", "it is over"]);
    says(&line("\"e2\", rule = \"expunge\""));
    refused(&home, "tournament tournament.toml --no-check --quiet", &["key rule", "has withdrawn already"]);
}

#[test]
fn a_student_whose_engine_has_withdrawn_gets_a_state_and_no_grade() {
    let grade = "grade tournament.toml --roster roster.csv --no-check --isolation limits";
    let home =
        known_class("id,name,mail,submission\n1,A,a,in/one\n2,B,b,in/two\n3,C,c,in/three\n4,D,d,in/dead\n");
    let toml = home.read("tournament.toml");
    assert_eq!(home.agon(grade.split(' ')).code, Some(0));
    let key = rows(&home.read("grades/key.csv"));
    let alias = key.iter().find(|row| row["id"] == "1").unwrap()["alias"].clone();
    // A game is to be played again, so that the run goes on.
    let all = games(&home, "results");
    let own = all.iter().find(|game| names(game).contains(&alias)).unwrap();
    let id = own["id"].as_str().unwrap();
    let said = home.agon(["decide", "results", id, "replay", "--why", "the wrong book", "--yes"]);
    assert_eq!(said.code, Some(0), "{}", said.all());
    let said = home.agon(["withdraw", "results", &alias, "--why", "it left the course"]);
    assert_eq!(said.code, Some(0), "{}", said.all());
    let asked = home.agon(grade.split(' '));
    assert_eq!(asked.code, Some(2), "{}", asked.all());
    assert!(asked.err().contains("grades that were written would change"), "{}", asked.all());
    let said = home.agon(format!("{grade} --regrade").split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let grades = rows(&home.read("grades/grades.csv"));
    let own = grades.iter().find(|row| row["id"] == "1").unwrap();
    assert_eq!((own["state"].as_str(), own["grade"].as_str()), ("withdrawn", ""), "{grades:?}");
    assert!(own["why"].contains("withdrawn from the games"), "{grades:?}");
    home.put("tournament.toml", format!("withdrawn = [{{ engine = \"{alias}\" }}]\n{toml}"));
    refused(&home, grade, &["line 1: key withdrawn", "agon withdraw DIR ALIAS"]);
}

#[test]
fn a_run_that_is_killed_after_a_withdrawal_ends_like_one_that_is_not() {
    let ends = |kills: bool| {
        let home = killed(6, "format = \"swiss\"\nrounds = 3\n", "e4", 2);
        leaves(&home, "results e4", "e4");
        if kills {
            plays_with_kills(&home);
        }
        plays(&home, "");
        verified(&home, "results");
        let table = standings(&home, "results");
        let facts = |row: &BTreeMap<String, String>| -> Vec<String> {
            ["engine", "rank", "points", "buchholz", "byes", "forfeit_wins", "withdrawn"]
                .map(|column| row[column].clone())
                .to_vec()
        };
        let results: Vec<String> = games(&home, "results")
            .iter()
            .map(|game| format!("{} {:?} {}", game["id"], names(game), game["result"]))
            .collect();
        (
            table.values().map(facts).collect::<Vec<_>>(),
            results.len(),
            results.into_iter().collect::<BTreeSet<_>>(),
        )
    };
    assert_eq!(ends(true), ends(false));
}
