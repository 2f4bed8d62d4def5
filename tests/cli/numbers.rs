//! The numbers of standings that people read first: one value in every command, and tables that a
//! spreadsheet can recount.

use std::collections::HashMap;

use super::home::{Home, Said, programs};

fn well(home: &Home, words: &str) -> Said {
    let said = home.agon(words.split_whitespace());
    assert_eq!(said.code, Some(0), "agon {words}\n{}", said.all());
    said
}

fn rows(text: &str) -> Vec<HashMap<String, String>> {
    csv::Reader::from_reader(text.as_bytes()).deserialize().map(Result::unwrap).collect()
}

/// An engine that answers at once, always alike in the same position.
fn mover(home: &Home, name: &str) {
    let program = programs().join("agon-mover");
    home.put(
        format!("{name}/engine.toml"),
        format!("command = [{program:?}]\nprotocol = \"ugi\"\nargs = [\"{{game}}\", \"ugi\"]\n"),
    );
}

/// An engine that loses each game by its first answer.
fn loser(home: &Home, name: &str) {
    home.put(format!("{name}/engine.toml"), "command = [\"true\"]\n");
}

/// What a text has between two others.
fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    let rest = text.split_once(before).unwrap_or_else(|| panic!("{before}: {text}")).1;
    rest.split_once(after).unwrap_or_else(|| panic!("{after}: {rest}")).0.trim()
}

#[test]
fn two_engines_have_one_likelihood_in_the_terminal_in_csv_in_json_and_on_the_page() {
    for (games, strong) in [(2, false), (8, false), (8, true)] {
        let home = Home::new();
        mover(&home, "engines/one");
        if strong {
            loser(&home, "engines/other");
        } else {
            mover(&home, "engines/other");
        }
        let said = home.agon(
            format!(
                "match engines/one engines/other --game connect4 --games {games} --seed 3 --sprt 0,400 --out out"
            )
            .split(' '),
        );
        assert!(matches!(said.code, Some(10..=12)), "{}", said.all());
        let told = between(&said.out(), "stronger with ", " %\n").to_owned();
        let elo: f64 = between(&said.out(), "\nElo ", " +- ").parse().unwrap();
        let ratings = rows(&home.read("out/ratings.csv"));
        let likely: f64 = ratings[0]["stronger_than_next"].parse().unwrap();
        // The first engine may be the weaker one.
        let likely = if ratings[0]["engine"] == "one" { likely } else { 1.0 - likely };
        let percent = format!("{:.1}", 100.0 * likely);
        assert_eq!(told.trim_start_matches("> ").trim_start_matches("< "), percent, "{}", said.all());
        let rated =
            |name: &str| ratings.iter().find(|row| row["engine"] == name).unwrap()["elo"].parse::<f64>();
        assert!((rated("one").unwrap() - rated("other").unwrap() - elo).abs() < 0.3, "{ratings:?} {elo}");
        let json = well(&home, "standings out --json").out();
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        let stored = json["ratings"]["engines"][0]["stronger_than_next"].as_f64().unwrap();
        assert!((stored - ratings[0]["stronger_than_next"].parse::<f64>().unwrap()).abs() < 1e-4);
        let shown = well(&home, "standings out --ratings").out();
        assert!(shown.contains(&format!("{:.1} %", 100.0 * stored)), "{stored}: {shown}");
        well(&home, "report out --out pages");
        // With blanks at which no line is broken.
        let page = home.read("pages/engine/one.html").replace('\u{a0}', " ");
        assert!(
            page.contains(&format!("<td>{} %</td>", told.replace('>', "&gt;").replace('<', "&lt;"))),
            "{told}: {page}"
        );
        well(&home, "verify out");
    }
}

#[test]
fn the_table_follows_from_the_games_that_games_csv_says_count() {
    let home = Home::new();
    mover(&home, "one");
    mover(&home, "other");
    loser(&home, "third");
    well(&home, "match one other third --game connect4 --games 8 --random-plies 0 --out out");
    let recount = |home: &Home| {
        let mut wins: HashMap<String, u32> = HashMap::new();
        let games = rows(&home.read("out/games.csv"));
        for game in games.iter().filter(|game| game["counts"] == "yes") {
            match game["result"].as_str() {
                "1-0" => *wins.entry(game["first_engine"].clone()).or_default() += 1,
                "0-1" => *wins.entry(game["second_engine"].clone()).or_default() += 1,
                _ => (),
            }
        }
        let repeats = games.iter().filter(|game| game["counts"] == "repeat").count();
        for row in rows(&home.read("out/standings.csv")) {
            let counted = wins.get(&row["engine"]).copied().unwrap_or(0);
            assert_eq!(row["wins"], counted.to_string(), "{row:?} {games:?}");
        }
        repeats
    };
    let repeats = recount(&home);
    assert!(repeats >= 12, "{repeats}");
    // The file that is written anew from the database says the same.
    well(&home, "match one other third --game connect4 --games 10 --random-plies 0 --out out");
    assert!(recount(&home) > repeats);
}

#[test]
fn the_events_of_a_gauntlet_rank_like_its_table() {
    let home = Home::new();
    loser(&home, "mine");
    for name in ["a", "b"] {
        mover(&home, name);
    }
    for out in ["", " --out out"] {
        let said = well(
            &home,
            &format!("match mine a b --game connect4 --gauntlet --games 2 --seed 1 --events events{out}"),
        );
        let table = said.out();
        let printed: Vec<&str> = table
            .lines()
            .skip_while(|line| !line.starts_with("#  engine"))
            .skip(2)
            .filter_map(|line| line.split_whitespace().nth(1))
            .take(3)
            .collect();
        let events = home.read("events");
        let mut told = events.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let told = told.rfind(|event| event["event"] == "standings").unwrap();
        let told: Vec<&str> =
            told["rows"].as_array().unwrap().iter().map(|row| row["engine"].as_str().unwrap()).collect();
        assert_eq!(told, printed, "{}\n{events}", said.all());
        assert_eq!(told[0], "mine");
        std::fs::remove_file(home.path("events")).unwrap();
    }
}

#[test]
fn groups_are_rated_apart_and_the_nights_of_a_league_together() {
    let home = Home::new();
    for name in ["a", "b", "c", "d"] {
        mover(&home, &format!("engines/{name}"));
    }
    let text = "engines = \"engines\"\nout = \"out\"\ngame = \"connect4\"\nst = 1\ngames = 2\nseed = 7\n\n\
                [league]\ndivisions = 2\n";
    home.put("league.toml", text);
    well(&home, "tournament league.toml --no-check --quiet");
    let one = rows(&home.read("out/night-1/ratings.csv"));
    let parts: Vec<&str> = one.iter().map(|row| row["part"].as_str()).collect();
    assert_eq!(parts, ["1", "1", "2", "2"]);
    // The last of each part has no likelihood, and each part is around 0.
    for (at, row) in one.iter().enumerate() {
        assert_eq!(row["stronger_than_next"].is_empty(), at % 2 == 1, "{one:?}");
        let other: f64 = one[at ^ 1]["elo"].parse().unwrap();
        assert!((row["elo"].parse::<f64>().unwrap() + other).abs() < 0.11, "{one:?}");
    }
    let shown = well(&home, "standings out --ratings").out();
    assert!(shown.contains("part 1 of 2: ") && shown.contains("part 2 of 2: "), "{shown}");
    // Two engines have changed places, and so all are connected.
    well(&home, "tournament league.toml --no-check --quiet --next");
    let both = rows(&home.read("out/ratings.csv"));
    assert!(both.len() == 4 && both.iter().all(|row| row["part"] == "1"), "{both:?}");
    let second = well(&home, "standings out --stage 2 --ratings --csv").out();
    assert_eq!(rows(&second).iter().filter(|row| row["part"] == "1").count(), 4, "{second}");
    let shown = well(&home, "standings out --ratings").out();
    assert_eq!(shown.matches("part 1 of 2").count(), 1, "{shown}");
    for night in ["night-1", "night-2"] {
        well(&home, &format!("verify out/{night}"));
    }
}

/// The Elo and the error bar of 4 wins as a version without a prior for draws stored them, in
/// thousandths.
const AS_ONCE: (i64, i64) = (216181, 267096);

#[test]
fn ratings_of_an_earlier_version_are_accepted_in_its_runs_alone() {
    let home = Home::new();
    mover(&home, "one");
    loser(&home, "other");
    well(&home, "match one other --game connect4 --games 4 --seed 1 --out out");
    well(&home, "verify out");
    let change = |words: &str| {
        let script =
            format!("import sqlite3; c = sqlite3.connect('out/agon.db'); c.executescript('{words}')");
        let said = home.shell(&format!("python3 -c \"{script}\""));
        assert_eq!(said.code, Some(0), "{}", said.all());
    };
    let (elo, error) = AS_ONCE;
    change(&format!(
        "UPDATE standing SET elo = CASE WHEN rank = 1 THEN {elo} ELSE -{elo} END, error = {error}"
    ));
    let said = home.agon(["verify", "out"]);
    assert_eq!(said.code, Some(1), "{}", said.all());
    assert!(said.all().contains("its standings are not those of its games"), "{}", said.all());
    // A database of that version has no table that says more.
    change("DROP TABLE rated");
    well(&home, "verify out");
}

#[test]
fn the_bars_of_a_score_are_the_same_in_the_terminal_in_csv_in_json_and_on_the_pages() {
    let home = Home::new();
    mover(&home, "engines/one");
    loser(&home, "engines/other");
    well(
        &home,
        "match engines/one engines/other --game connect4 --games 40 --seed 3 --out out --events events",
    );
    let csv = rows(&well(&home, "standings out --csv").out());
    let bar = |row: &HashMap<String, String>, name: &str| {
        [format!("{name}_low"), format!("{name}_high")].map(|end| row[&end].clone())
    };
    let (any_time, fixed) = (bar(&csv[0], "any_time"), bar(&csv[0], "fixed"));
    assert_eq!((any_time[1].as_str(), fixed[1].as_str()), ("100.0", "100.0"));
    let low = |bar: &[String; 2]| bar[0].parse::<f64>().unwrap();
    assert!(50.0 < low(&any_time) && low(&any_time) < low(&fixed), "{csv:?}");
    // The other engine has the same bars from the other end.
    assert!((100.0 - bar(&csv[1], "any_time")[1].parse::<f64>().unwrap() - low(&any_time)).abs() < 0.11);
    let json: serde_json::Value = serde_json::from_str(&well(&home, "standings out --json").out()).unwrap();
    let met = &json["crosstable"]["one"]["other"];
    for (name, bar) in [("any_time", &any_time), ("fixed", &fixed)] {
        let key = format!("{name}_low");
        assert_eq!(met[&key], json["standings"][0][&key], "{met}");
        assert!((met[&key].as_f64().unwrap() - low(bar)).abs() < 0.051, "{met} {bar:?}");
        assert!(met[format!("elo_{name}_low")].as_f64().unwrap() > 0.0, "{met}");
        assert!(met[format!("elo_{name}_high")].is_null(), "{met}");
    }
    let events = home.read("events");
    let told = events.lines().rfind(|line| line.contains("\"event\":\"standings\"")).unwrap();
    let told: serde_json::Value = serde_json::from_str(told).unwrap();
    for key in ["any_time_low", "any_time_high", "fixed_low", "fixed_high"] {
        assert_eq!(told["rows"][0][key], json["standings"][0][key], "{told}");
    }
    for flag in ["--pairs", "--ratings"] {
        let shown = well(&home, &format!("standings out {flag}")).out();
        for part in [&any_time.join("-"), &fixed.join("-"), "may be looked at after every game"] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
    }
    well(&home, "report out --out pages");
    for page in ["index.html", "engine/one.html"] {
        let page = home.read(&format!("pages/{page}"));
        for part in
            [&any_time.join("-"), &fixed.join("-"), "% at any time", "may be looked at after every game"]
        {
            assert!(page.contains(part), "{part}: {page}");
        }
    }
}
