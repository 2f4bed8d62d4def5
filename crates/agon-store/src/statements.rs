//! The statements that write and read a stored game, made from its columns.

use std::sync::LazyLock;

use rusqlite::Connection;

use super::VERSION;
use super::columns::{Column, ColumnKind, ColumnTable, GAME, SEAT};
use super::upgrade::OLDEST;

/// The statements that store a row of each table; `?1` is the number of the game, except in `game`.
pub(super) struct Inserts {
    pub(super) game: String,
    pub(super) moves: String,
    pub(super) seat: String,
    pub(super) log: String,
}

pub(super) static INSERTS: LazyLock<Inserts> = LazyLock::new(|| Inserts {
    game: insert("game", &[], &names(&GAME, ColumnTable::Game)),
    moves: insert("moves", &["game"], &names(&GAME, ColumnTable::Moves)),
    seat: insert("seat", &["game"], &names(&SEAT, ColumnTable::Seat)),
    log: insert("log", &["game", "seat"], &names(&SEAT, ColumnTable::Log)),
});

fn names<Get, Set>(columns: &[Column<Get, Set>], table: ColumnTable) -> Vec<&'static str> {
    columns.iter().filter(|column| column.table == table).map(|column| column.name).collect()
}

fn insert(table: &str, before: &[&str], names: &[&str]) -> String {
    let names = [before, names].concat();
    let places: Vec<String> = (1..=names.len()).map(|place| format!("?{place}")).collect();
    format!("INSERT INTO {table} ({}) VALUES ({})", names.join(", "), places.join(", "))
}

/// The queries of a game and of its seats. `?1` is the number of the game.
pub(super) struct Queries {
    pub(super) game: String,
    pub(super) seats: String,
}

/// The queries for a database of one version, in which later columns are missing.
struct OfVersion {
    /// What heads are read from. A game without moves is an error.
    read: Queries,
    /// What the chain takes. Rows that are missing count as NULL, and the audit says what is wrong.
    chained: Queries,
}

static OF_VERSIONS: LazyLock<Vec<OfVersion>> = LazyLock::new(|| {
    let game = |join: &str| format!("game g {join} moves m ON m.game = g.number");
    let of = |version: i64| OfVersion {
        read: Queries {
            game: select(&GAME, |_| true, version, &game("JOIN"), "g", "g.number = ?1"),
            seats: select(&SEAT, |_| true, version, OF_SEATS, "s", OF_GAME),
        },
        chained: Queries {
            game: select(&GAME, |column| column.in_chain, version, &game("LEFT JOIN"), "g", "g.number = ?1"),
            seats: select(&SEAT, |column| column.in_chain, version, OF_SEATS, "s", OF_GAME),
        },
    };
    (OLDEST..=VERSION).map(of).collect()
});

fn of_version(db: &Connection) -> rusqlite::Result<&'static OfVersion> {
    let version: i64 = db.prepare_cached("PRAGMA user_version")?.query_row([], |row| row.get(0))?;
    let at = usize::try_from(version - OLDEST).unwrap_or(0).min(OF_VERSIONS.len() - 1);
    Ok(&OF_VERSIONS[at])
}

/// The queries of all columns.
pub(super) fn read(db: &Connection) -> rusqlite::Result<&'static Queries> {
    Ok(&of_version(db)?.read)
}

/// The queries of the columns that are in the chain.
pub(super) fn chained(db: &Connection) -> rusqlite::Result<&'static Queries> {
    Ok(&of_version(db)?.chained)
}

const OF_SEATS: &str = "seat s LEFT JOIN engine ON engine.id = s.engine \
    LEFT JOIN log ON log.game = s.game AND log.seat = s.seat";
const OF_GAME: &str = "s.game = ?1 ORDER BY s.seat";

fn select<Get: Copy, Set: Copy>(
    columns: &[Column<Get, Set>],
    which: fn(&Column<Get, Set>) -> bool,
    version: i64,
    from: &str,
    short: &str,
    condition: &str,
) -> String {
    let chosen: Vec<&Column<Get, Set>> = columns.iter().filter(|column| which(column)).collect();
    let cell = |column: &&Column<Get, Set>| match column.since > version {
        true => format!("NULL AS {}", column.name),
        false => format!("{} AS {}", expression(column), column.name),
    };
    let cells: Vec<String> = chosen.iter().map(cell).collect();
    let words: String = chosen
        .iter()
        .filter(|column| column.kind == ColumnKind::Word && column.since <= version)
        .map(|column| format!(" LEFT JOIN word {0} ON {0}.id = {short}.{0}", column.name))
        .collect();
    format!("SELECT {} FROM {from}{words} WHERE {condition}", cells.join(", "))
}

/// The value of a column in a query, in which tables have their short names.
fn expression<Get, Set>(column: &Column<Get, Set>) -> String {
    let name = column.name;
    match (column.table, column.kind) {
        (_, ColumnKind::Word) => format!("{name}.text"),
        (_, ColumnKind::Engine) => "engine.name".to_owned(),
        (ColumnTable::Game, _) => format!("g.{name}"),
        (ColumnTable::Moves, _) => format!("m.{name}"),
        (ColumnTable::Seat, _) => format!("s.{name}"),
        (ColumnTable::Log, _) => format!("log.{name}"),
        (ColumnTable::Engine, _) => format!("engine.{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SCHEMA;
    use crate::upgrade::STEPS;

    /// The columns of a table in the schema: name, type, whether it may be NULL.
    fn in_schema(table: &str) -> Vec<(String, String, bool)> {
        let db = Connection::open_in_memory().unwrap();
        [SCHEMA].iter().chain(&STEPS).for_each(|step| db.execute_batch(step).unwrap());
        let sql = "SELECT name, type, \"notnull\" = 0 FROM pragma_table_info(?1)";
        let mut rows = db.prepare(sql).unwrap();
        let rows = rows.query_map([table], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
        rows.collect::<Result<_, _>>().unwrap()
    }

    fn in_list<Get, Set>(columns: &[Column<Get, Set>], table: ColumnTable) -> Vec<(String, String, bool)> {
        let own = columns.iter().filter(|column| column.table == table);
        own.map(|column| {
            let kind = match column.kind {
                ColumnKind::Number | ColumnKind::Word | ColumnKind::Engine => "INTEGER",
                ColumnKind::Text => "TEXT",
                ColumnKind::Bytes => "BLOB",
            };
            (column.name.to_owned(), kind.to_owned(), column.may_lack)
        })
        .collect()
    }

    #[test]
    fn the_schema_has_the_listed_columns_in_their_order_and_keys_besides() {
        // The keys: what a row belongs to, and the hash that is made from all columns.
        let keys: [(&str, ColumnTable, &[&str]); 4] = [
            ("game", ColumnTable::Game, &["number", "link"]),
            ("moves", ColumnTable::Moves, &["game"]),
            ("seat", ColumnTable::Seat, &["game"]),
            ("log", ColumnTable::Log, &["game", "seat"]),
        ];
        for (name, table, keys) in keys {
            let mut found = in_schema(name);
            found.retain(|(column, ..)| !keys.contains(&column.as_str()));
            let listed = [in_list(&GAME, table), in_list(&SEAT, table)].concat();
            assert_eq!(found, listed, "{name}");
        }
    }
}
