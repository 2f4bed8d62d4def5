//! The table of the quirks of the scripted Gomocup engine, in `tests/scripted/README.md`.

use std::collections::BTreeSet;

use crate::gomocup::{Pair, SHORT};
use crate::support::is_thorough;

/// A row of the table: its four cells, without the signs of code.
fn rows() -> Vec<[String; 4]> {
    let table = include_str!("../scripted/README.md");
    let rows = table.lines().filter(|line| line.starts_with("| `"));
    let cells = |row: &str| {
        let cells: Vec<String> =
            row.split('|').map(|cell| cell.trim().trim_matches('`').to_owned()).collect();
        [&cells[1], &cells[2], &cells[3], &cells[4]].map(String::clone)
    };
    rows.map(cells).collect()
}

/// A quirk without its value.
fn name(quirk: &str) -> String {
    quirk.split('=').next().unwrap().to_owned()
}

#[test]
fn every_quirk_of_the_stub_has_a_row() {
    let script = include_str!("../scripted/gomocup.py");
    let list = script.split("\"\"\"").nth(1).unwrap();
    let quirks = list.lines().filter_map(|line| line.strip_prefix("    ")?.split_whitespace().next());
    let quirks: BTreeSet<String> = quirks.map(name).collect();
    let in_table: BTreeSet<String> = rows().iter().map(|[quirk, ..]| name(quirk)).collect();
    assert!(quirks.len() > 25, "{quirks:?}");
    assert_eq!(quirks, in_table);
}

#[test]
fn each_quirk_ends_its_first_game_as_its_row_says() {
    let mut tried = 0;
    for [quirk, verdict, side, words] in rows() {
        // One of each kind, unless all are wanted. The other quirks have tests of their own.
        let is_one = ["tail", "size=20", "beside"].contains(&quirk.as_str());
        // It is tried in a box elsewhere.
        if !(is_one || is_thorough()) || quirk == "fills" {
            continue;
        }
        tried += 1;
        let pair = Pair::with(&quirk, "");
        if verdict == "refused" {
            let said = pair.run(&format!("{SHORT} --st 2 --startup 3"));
            assert!(said.code == Some(2) && said.stderr.contains(&words), "{quirk}: {}", said.stderr);
            continue;
        }
        let games = pair.play("--st 5 --time odd=st=1");
        let wanted = if verdict == "plays" { "adjudication" } else { verdict.as_str() };
        let loser = (side != "none").then_some(side.as_str());
        let game = &games[0];
        assert_eq!(game.ending(), (wanted.to_owned(), loser), "{quirk}: {}", game.reason());
        assert!(game.reason().contains(&words), "{quirk}: {}", game.reason());
    }
    assert!(tried >= 3);
}
