//! Tournaments of referee programs at tables of more than two seats: their plans and their options.

use serde_json::Value;

use super::home::{Home, Said};
use super::hosted_runs::always;

/// Each seat answers a number, and its score is this number.
const REFEREE: &str = r#"import sys

def say(line):
    print(line, flush=True)

for line in sys.stdin:
    word, *rest = line.split()
    if word == "seats":
        seats = range(1, int(rest[0]) + 1)
    elif word == "clock":
        say("referee 1 high 1")
        say("ready")
    elif word == "start":
        for seat in seats:
            say(f"ask {seat}")
        say("wait")
        answers = [sys.stdin.readline().split() for _ in seats]
        say("end " + " ".join(answer[2] for answer in answers))
    elif word == "quit":
        break
"#;

/// Engines `e1`, `e2` and so on, which answer their number, in a folder, and their game.
pub(super) fn class(engines: usize) -> Home {
    let home = Home::new();
    (1..=engines).for_each(|number| engine(&home, number, number));
    home.put("game/referee.py", REFEREE);
    let keys =
        "command = [\"python3\", \"-S\", \"referee.py\"]\nseats = \"3-4\"\nscores = \"sum\"\nkeep = true\n";
    home.put("game/game.toml", format!("name = \"high\"\ntime = \"st=5\"\n{keys}"));
    home
}

fn engine(home: &Home, number: usize, answer: usize) {
    home.put_program(format!("engines/e{number}"), always(answer));
}

/// Runs `agon tournament`, with one game on each seat at each table.
fn tournament(home: &Home, options: &str) -> Said {
    home.shell(&format!(
        "agon tournament engines --game ./game --seats 3 --games 3 --seed 7 --isolation none --out run {options}"
    ))
}

/// The tables of the stored games: round, number, and the entrants in order.
fn tables(home: &Home) -> Vec<(u32, u32, Vec<String>)> {
    let said = home.agon(["export", "json", "run"]);
    let mut all: Vec<_> = said
        .out()
        .lines()
        .map(|line| {
            let game: Value = serde_json::from_str(line).unwrap();
            let seats = game["seats"].as_array().unwrap().iter();
            let mut names: Vec<String> =
                seats.map(|seat| seat["entrant"].as_str().unwrap().to_owned()).collect();
            names.sort();
            let number = |key: &str| u32::try_from(game["id"][key].as_u64().unwrap()).unwrap();
            (number("round"), number("pairing"), names)
        })
        .collect();
    all.dedup();
    all
}

fn verified(home: &Home) -> String {
    let said = home.agon(["verify", "run"]);
    assert_eq!(said.code, Some(0), "{}", said.all());
    said.out()
}

#[test]
#[ignore = "slow"]
fn the_rounds_of_a_swiss_follow_from_the_points_and_only_what_changed_is_played_again() {
    let home = class(9);
    let plan = home.shell("agon plan engines --game ./game --seats 3 --games 3 --tables swiss:2");
    assert!(
        plan.out().contains("e1 - e4 - e7") && plan.out().contains("6 tables, 18 games"),
        "{}",
        plan.all()
    );
    let first = tournament(&home, "--tables swiss:2");
    assert_eq!(first.code, Some(0), "{}", first.all());
    let drawn = tables(&home);
    let of = |round: u32| drawn.iter().filter(move |table| table.0 == round).map(|table| table.2.join(" "));
    assert_eq!(of(1).collect::<Vec<_>>(), ["e1 e4 e7", "e2 e5 e8", "e3 e6 e9"]);
    // The points are the scores: the best three meet.
    assert!(of(2).any(|table| table == "e7 e8 e9") && of(2).any(|table| table == "e1 e2 e3"), "{drawn:?}");
    assert!(verified(&home).contains("6 tables of a Swiss"));

    let more = tournament(&home, "--tables swiss:3");
    assert!(more.err().contains("18 games have been played already and count"), "{}", more.all());
    assert_eq!(tables(&home)[..6], drawn[..6]);
    assert_eq!(tables(&home).len(), 9);
    let same = tournament(&home, "--tables swiss:3");
    assert!(same.err().contains("27 games have been played already and count"), "{}", same.all());

    // The worst engine becomes the best one. Its table of the first round is played again, and the
    // other rounds are drawn again.
    engine(&home, 1, 20);
    let changed = tournament(&home, "--tables swiss:3");
    assert!(changed.err().contains("e1 has changed: its tables are played again"), "{}", changed.all());
    let again = tables(&home);
    let leaders = again.iter().find(|table| table.0 == 2 && table.2.contains(&"e1".to_owned())).unwrap();
    assert_eq!(leaders.2, ["e1", "e8", "e9"], "{again:?}");
    assert!(verified(&home).contains("9 tables of a Swiss"));
}

#[test]
fn a_table_that_the_points_do_not_give_is_found() {
    let home = class(6);
    assert_eq!(tournament(&home, "--tables swiss:2").code, Some(0));
    verified(&home);
    let db = rusqlite::Connection::open(home.path("run/agon.db")).unwrap();
    let drawn: String = db.query_row("SELECT matches FROM run", [], |row| row.get(0)).unwrap();
    let mut rows: Value = serde_json::from_str(&drawn).unwrap();
    let (one, other) = (rows["tables"][2][2][0].clone(), rows["tables"][3][2][0].clone());
    rows["tables"][2][2][0] = other;
    rows["tables"][3][2][0] = one;
    db.execute("UPDATE run SET matches = ?1", [rows.to_string()]).unwrap();
    drop(db);
    let said = home.agon(["verify", "run"]);
    assert_eq!(said.code, Some(1), "{}", said.all());
    let words = "round 2, table 3: it is not the one that the points before this round give";
    assert!(said.all().contains(words), "{}", said.all());
}

#[test]
fn options_of_tables_are_those_of_the_seats_in_a_file_too() {
    let home = class(4);
    let file = |lines: &str| {
        let keys = "engines = \"engines\"\ngame = \"./game\"\nseats = 3\nseed = 7\nisolation = \"none\"";
        home.put("class.toml", format!("{keys}\n{lines}\n"));
        home.shell("agon tournament class.toml --dry-run")
    };
    let fits = file("games = 3\npoints = \"3-1-0\"\ntables = \"swiss:2\"");
    assert!(fits.out().contains("6 games in the plan"), "{}", fits.all());
    for (lines, words) in [
        ("games = 4", "line 6: key games: is no multiple of 3 seats"),
        ("points = \"2-1-0-0\"", "line 6: key points:"),
        ("tables = \"swiss\"", "line 6: key tables:"),
    ] {
        let wrong = file(lines);
        assert!(wrong.code == Some(2) && wrong.err().contains(words), "{lines}: {}", wrong.all());
    }
    let few = home.shell(
        "agon tournament engines --game ./game --seats 4 --games 8 --tables swiss:2 --dry-run --size 3",
    );
    assert_eq!(few.code, Some(2), "{}", few.all());
    let of_match =
        home.shell("agon match engines/e1 engines/e2 engines/e3 --game ./game --seats 3 --tables swiss:2");
    assert!(of_match.code == Some(2) && of_match.err().contains("use agon tournament"), "{}", of_match.all());
}

#[test]
fn the_tables_of_a_run_of_four_seats_are_exported_with_a_row_for_each_seat() {
    let home = class(4);
    let words = "tournament engines --game ./game --seats 4 --games 4 --isolation none --out run --quiet";
    let said = home.agon(words.split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let said = home.agon(["export", "csv", "run", "tables"]);
    assert_eq!(said.code, Some(0), "{}", said.all());
    for name in ["games.csv", "seats.csv", "standings.csv", "crosstable.csv"] {
        assert_eq!(home.read(&format!("tables/{name}")), home.read(&format!("run/{name}")), "{name}");
    }
    assert!(home.read("run/games.csv").contains(",seat_4_engine,"));
    let rows = home.read("run/seats.csv");
    let mut table = csv::Reader::from_reader(rows.as_bytes());
    let head = table.headers().unwrap().clone();
    let rows: Vec<_> = table.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 16, "{rows:?}");
    let cell =
        |row: usize, name: &str| rows[row][head.iter().position(|head| head == name).unwrap()].to_owned();
    for row in 0..rows.len() {
        let number: u8 = cell(row, "engine")[1..].parse().unwrap();
        assert_eq!(cell(row, "score"), number.to_string());
        assert_eq!(cell(row, "place"), (5 - number).to_string());
        assert_eq!(cell(row, "seat"), (row % 4 + 1).to_string());
    }
    let line = home.agon(["standings", "run", "--json"]).out();
    let standings: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(standings["points"], serde_json::json!({"sum": true}));
    assert_eq!(standings["standings"][1]["places"], serde_json::json!([0, 4, 0, 0]));
    assert_eq!(standings["standings"][1]["average_place"], 2.0);
}

#[test]
fn games_of_two_seats_have_no_table_of_seats_and_a_failed_export_leaves_nothing() {
    let home = Home::with_two();
    let said = home.shell("agon match engines/greedy engines/random --game mnk:3x3,3 --games 2 --out run");
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(!home.path("run/seats.csv").exists());
    let db = rusqlite::Connection::open(home.path("run/agon.db")).unwrap();
    let terms: String = db.query_row("SELECT terms FROM run", [], |row| row.get(0)).unwrap();
    let mut terms: Value = serde_json::from_str(&terms).unwrap();
    terms["seats"] = "3".into();
    terms["tables"] = "all".into();
    db.execute("UPDATE run SET terms = ?1", [terms.to_string()]).unwrap();
    db.execute("UPDATE run SET points = '2-1-0'", []).unwrap();
    drop(db);
    let said = home.agon(["export", "csv", "run", "tables"]);
    assert_eq!(said.code, Some(1), "{}", said.all());
    assert!(said.err().contains("has 2 seats, but the file has columns for 3"), "{}", said.all());
    assert!(!home.path("tables").exists());
}

#[test]
#[ignore = "slow"]
fn words_at_tables_are_those_of_tables() {
    let home = class(4);
    let first = tournament(&home, "--points 3-1-0");
    assert_eq!(first.code, Some(0), "{}", first.all());
    let ratings = home.agon(["standings", "run", "--ratings"]).out();
    assert!(
        ratings.contains("the seats in order of play are worth") && !ratings.contains("first seat"),
        "{ratings}"
    );
    assert_eq!(home.agon(["report", "run", "--out", "pages"]).code, Some(0));
    let page = home.read("pages/engine/e3.html");
    assert!(
        page.contains("on place 1") && page.contains("first in ") && page.contains(">placed ahead<"),
        "{page}"
    );
    assert!(page.contains("average place") && !page.contains("½"), "{page}");
    let more = home.shell(
        "agon tournament engines --game ./game --seats 3 --games 6 --seed 7 --isolation none --out run --points 3-1-0",
    );
    assert!(more.err().contains("6 games at each table instead of 3"), "{}", more.all());
    engine(&home, 1, 20);
    let changed = tournament(&home, "--points 3-1-0 --again");
    assert!(changed.err().contains("e1 has changed: its 3 tables are played again"), "{}", changed.all());
}

#[test]
fn scores_that_are_the_points_are_shown_while_a_run_goes_on() {
    let home = class(3);
    let said = tournament(&home, "");
    assert!(said.err().contains("3/3 games; leading: e3 9, e2 6, e1 3"), "{}", said.all());
    let toml = home.read("game/game.toml").replace("\"3-4\"", "\"2-4\"");
    home.put("game/game.toml", toml);
    let said =
        home.shell("agon match engines/e1 engines/e3 --game ./game --seats 2 --games 2 --isolation none");
    assert!(said.out().contains("game 1: 1 e1 - 2 e3: 1/3, 2 plies"), "{}", said.all());
}
