//! Every column of every table is changed by hand: `agon verify` finds it, or docs/verify.md says
//! that it does not.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::Mutex;

use agon_store::{MadeTable, every_table};
use rusqlite::types::Value;
use rusqlite::{Connection, params};

use super::home::{Home, root};
use super::hosted_runs::always;
use super::hosted_tables::class;
use crate::support::side_by_side;

/// Columns on that list whose change is found in some rows: those that are changed here.
const PARTLY: [&str; 7] = [
    "game.course",
    "imported.counted_as",
    "program.content",
    "program.tree",
    "run.games",
    "run.outcome",
    "whole.hash",
];

/// The columns that docs/verify.md lists as not covered: `table.column`.
fn told() -> BTreeSet<String> {
    let page = fs::read_to_string(root().join("docs/verify.md")).unwrap();
    let (_, list) = page.split_once("\n## Columns that are not covered\n").expect("the page has the list");
    let list = list.split_once("\n## ").map_or(list, |(list, _)| list);
    let rows = list.lines().filter(|line| line.starts_with("| `"));
    let names = rows.flat_map(|row| row.split('|').nth(1).unwrap().split('`').skip(1).step_by(2));
    names.map(str::to_owned).collect()
}

#[test]
fn the_list_of_what_is_not_covered_names_columns_that_there_are() {
    let tables = every_table().unwrap();
    let all: BTreeSet<String> = (tables.iter())
        .flat_map(|table| table.columns.iter().map(|column| format!("{}.{column}", table.name)))
        .collect();
    let told = told();
    assert!(told.len() > 10 && told.is_subset(&all), "{:?}", told.difference(&all));
    // What is compared with the rules is never among them.
    for (table, column) in [("game", "started"), ("seat", "score"), ("moves", "plies"), ("run", "terms")] {
        assert!(all.contains(&format!("{table}.{column}")) && !told.contains(&format!("{table}.{column}")));
    }
}

/// Runs a line that must succeed.
#[track_caller]
fn does(home: &Home, line: &str) {
    let said = home.shell(line);
    assert_eq!(said.code, Some(0), "{line}\n{}", said.all());
}

/// Directories of runs that fill as many tables as they can.
fn filled() -> Vec<(Home, &'static str)> {
    let plain = Home::with_two();
    plain.put_program("engines/wreck", "#!/bin/sh\necho 'no book' >&2\nexit 3\n");
    plain.put("cup.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1 1\"></svg>");
    plain.put(
        "tournament.toml",
        "engines = \"engines\"\ngame = \"letters:3x3x1\"\nst = 5\ngames = 2\nseed = 7\nout = \"run\"\nlabel = \"v12\"\n\
         tiebreaks = [\"wins\"]\n[event]\ntitle = \"Spring Cup\"\nplace = \"Bern\"\ndate = \"May 2027\"\n\
         organiser = \"A. Nobody\"\nlogo = \"cup.svg\"\ntext = \"Welcome.\"\nprizes = \"a cup\"\n",
    );
    does(&plain, "agon tournament tournament.toml --no-check --quiet");
    for decision in ["01 result 1-0", "02 void"] {
        does(&plain, &format!("agon decide run r01-p0001-g{decision} --why 'a test' --yes"));
    }

    let hosted = class(3);
    let scores = "(answer[2] if answer[0] == 'answer' else '0') for answer";
    hosted.put("game/referee.py", hosted.read("game/referee.py").replace("answer[2] for answer", scores));
    hosted.put_program("engines/e2", always(2).replace("echo 2", "exit 3"));
    let nights = "agon tournament engines --game ./game --seats 3 --games 3 --seed 7 --isolation none --out run --quiet";
    does(&hosted, nights);
    hosted.put_program("engines/e1", always(1) + "# another version\n");
    does(&hosted, nights);

    let pruned = Home::with_two();
    let nights =
        "agon tournament engines --game mnk --games 2 --st 5 --seed 7 --isolation limits --out run --quiet";
    pruned.put_program("engines/third", "#!/bin/sh\nexit 1\n");
    does(&pruned, &format!("{nights} --no-check"));
    pruned.put_program("engines/third", "#!/bin/sh\nexit 2\n");
    does(&pruned, &format!("{nights} --no-check && agon prune run --nights 0 --yes"));

    let swiss = Home::with_two();
    swiss.engine("engines/third", "agon-random");
    swiss.put(
        "tournament.toml",
        "engines = \"engines\"\ngame = \"mnk\"\nst = 5\nseed = 7\nout = \"cup\"\n[[stages]]\nformat = \"swiss\"\nrounds = 2\ngames = 2\n",
    );
    does(&swiss, "agon tournament tournament.toml --quiet --no-check && mv cup/stage-1 run");

    let test = Home::with_two();
    does(
        &test,
        "agon match engines/greedy engines/random --game letters:3x3x1 --st 5 --seed 7 --sprt 0,400 --games 40 --out run --quiet \
         || test $? -lt 13",
    );

    let taken = Home::with_two();
    does(&taken, "agon tournament engines --game mnk --games 2 --st 5 --seed 7 --out made --quiet");
    does(&taken, "agon export json made >games.jsonl && agon import run games.jsonl");

    let asked = Home::with_two();
    let question = "--until cut=1 --at-most 8 --out run --quiet";
    does(
        &asked,
        &format!("agon tournament engines --game letters:3x3x1 --st 5 --seed 7 {question} || test $? -eq 12"),
    );
    let homes = [plain, hosted, pruned, swiss, test, taken, asked];
    homes.map(|home| (home, "run")).into()
}

/// A database that is changed and checked, again and again.
struct Forged<'a> {
    home: &'a Home,
    out: &'a str,
}

impl Forged<'_> {
    fn open(&self) -> Connection {
        let db = Connection::open(self.home.path(format!("{}/agon.db", self.out))).unwrap();
        db.pragma_update(None, "foreign_keys", "OFF").unwrap();
        db
    }

    /// Whether there is a row in this table.
    fn has(&self, table: &MadeTable) -> bool {
        let sql = format!("SELECT EXISTS (SELECT 1 FROM {})", table.name);
        self.open().query_row(&sql, [], |row| row.get(0)).unwrap_or(false)
    }

    /// Whether `agon verify` finds a change, after which all is as before. `None` if the change
    /// cannot be made.
    fn finds(&self, change: impl FnOnce(&Connection) -> rusqlite::Result<bool>) -> Option<bool> {
        let (file, kept) = (format!("{}/agon.db", self.out), "kept.db");
        fs::copy(self.home.path(&file), self.home.path(kept)).unwrap();
        let db = self.open();
        let is_made = change(&db).unwrap_or(false);
        drop(db);
        let said = is_made.then(|| self.home.agon(["verify", self.out]));
        fs::copy(self.home.path(kept), self.home.path(&file)).unwrap();
        // A row or a text that cannot be read is refused before anything is checked.
        said.map(|said| {
            assert!(matches!(said.code, Some(0..=2)), "{}", said.all());
            said.code != Some(0)
        })
    }

    /// Whether each change of a column of its last row is found.
    fn is_covered(&self, table: &MadeTable, column: &str) -> bool {
        let name = &table.name;
        let other = format!(
            "UPDATE {name} AS t SET {column} = (SELECT {column} FROM {name} o WHERE o.{column} IS NOT t.{column} LIMIT 1) \
             WHERE {} AND EXISTS (SELECT 1 FROM {name} o WHERE o.{column} IS NOT t.{column} AND o.{column} IS NOT NULL)",
            last_row(table)
        );
        let own = format!("UPDATE {name} AS t SET {column} = ?1 WHERE {}", last_row(table));
        let value = format!("SELECT {column} FROM {name} t WHERE {}", last_row(table));
        let by_other = self.finds(|db| Ok(db.execute(&other, [])? == 1));
        let by_own = self.finds(|db| {
            let before: Value = db.query_row(&value, [], |row| row.get(0))?;
            let tries = match before {
                Value::Integer(number) => vec![Value::Integer(number + 1)],
                Value::Real(number) => vec![Value::Real(number + 1.0)],
                Value::Text(text) => vec![Value::Text(changed(&text))],
                Value::Blob(mut bytes) => {
                    if let Some(first) = bytes.first_mut() {
                        *first ^= 1;
                    }
                    vec![Value::Blob(bytes)]
                }
                Value::Null => vec![Value::Integer(1), Value::Text("x".to_owned()), Value::Blob(vec![7])],
            };
            Ok(tries.into_iter().any(|value| db.execute(&own, [value]).is_ok_and(|rows| rows == 1)))
        });
        let null = format!(
            "UPDATE {name} AS t SET {column} = NULL WHERE {column} IS NOT NULL AND {}",
            last_row(table)
        );
        let by_null = self.finds(|db| Ok(db.execute(&null, [])? == 1));
        // A column with a single value that the table allows cannot be changed.
        [by_other, by_own, by_null].into_iter().flatten().all(|found| found)
    }

    /// Whether a row of a table that has none is found.
    fn finds_a_row(&self, table: &MadeTable) -> bool {
        let found = self.finds(|db| {
            db.execute_batch(&table.sql)
                .or_else(|error| if self.has_empty(table) { Ok(()) } else { Err(error) })?;
            let mut values = Vec::new();
            for column in &table.columns {
                let sql = "SELECT type FROM pragma_table_info(?1) WHERE name = ?2";
                let kind: String = db.query_row(sql, params![table.name, column], |row| row.get(0))?;
                values.push(match kind.as_str() {
                    "INTEGER" => "1",
                    "BLOB" => "x'07'",
                    _ => "'x'",
                });
            }
            let sql = format!("INSERT INTO {} VALUES ({})", table.name, values.join(", "));
            Ok(db.execute(&sql, [])? == 1)
        });
        found.unwrap_or_else(|| panic!("no row of {} could be made", table.name))
    }

    fn has_empty(&self, table: &MadeTable) -> bool {
        let sql = "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = ?1)";
        self.open().query_row(sql, [&table.name], |row| row.get(0)).unwrap()
    }
}

/// Which row is the last one of a table, in SQL about `t`.
fn last_row(table: &MadeTable) -> String {
    let (name, first) = (&table.name, &table.columns[0]);
    match table.sql.contains("WITHOUT ROWID") {
        // Its key has two columns at least, or one.
        true => format!(
            "({first}, {second}) = (SELECT {first}, {second} FROM {name} ORDER BY 1 DESC, 2 DESC LIMIT 1)",
            second = table.columns[1]
        ),
        false => format!("t.rowid = (SELECT max(rowid) FROM {name})"),
    }
}

/// Another text of the same kind.
fn changed(text: &str) -> String {
    match text.rfind(|letter: char| letter.is_ascii_digit()) {
        Some(at) => {
            let digit = if text[at..].starts_with('1') { "2" } else { "1" };
            format!("{}{digit}{}", &text[..at], &text[at + 1..])
        }
        None => format!("{text}x"),
    }
}

#[test]
#[ignore = "slow"]
fn every_column_that_is_changed_by_hand_is_found_or_told_as_not_covered() {
    let tables = every_table().unwrap();
    let homes = filled();
    for (home, out) in &homes {
        let said = home.agon(["verify", out]);
        assert_eq!(said.code, Some(0), "{}", said.all());
    }
    // Each table is changed in the first directory that has a row of it.
    let mut of_home: BTreeMap<usize, Vec<(&MadeTable, bool)>> = BTreeMap::new();
    for table in &tables {
        let at = homes.iter().position(|(home, out)| Forged { home, out }.has(table));
        of_home.entry(at.unwrap_or(0)).or_default().push((table, at.is_some()));
    }
    let missed = Mutex::new(BTreeSet::new());
    let work: Vec<_> = of_home.into_iter().collect();
    side_by_side(&work, |(at, tables)| {
        let (home, out) = &homes[*at];
        let forged = Forged { home, out };
        for (table, is_filled) in tables {
            let is_found = *is_filled || forged.finds_a_row(table);
            for column in &table.columns {
                if !is_found || *is_filled && !forged.is_covered(table, column) {
                    missed.lock().unwrap().insert(format!("{}.{column}", table.name));
                }
            }
        }
    });
    let (missed, told) = (missed.into_inner().unwrap(), told());
    let is_partly = |column: &&String| !PARTLY.contains(&column.as_str());
    assert_eq!(
        (
            missed.difference(&told).collect::<Vec<_>>(),
            told.difference(&missed).filter(is_partly).collect::<Vec<_>>()
        ),
        (Vec::new(), Vec::new()),
        "columns whose change was not found and that docs/verify.md does not name, and those that it names and that were"
    );
}
