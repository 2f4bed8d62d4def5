//! How many engines each engine was placed ahead of, in the games of more than two seats of a
//! finished run. The first places alone do not show a fall from the second place to the last.

use anyhow::Result;
use rusqlite::{Connection, OptionalExtension};

use super::has_table;
use super::rulings::Rulings;

/// The table is made by the first run with more than two seats.
pub(super) const TABLE: &str = "CREATE TABLE IF NOT EXISTS finish (
    run       INTEGER NOT NULL REFERENCES run,
    engine    INTEGER NOT NULL REFERENCES engine,
    -- twice the number of engines placed behind it in a game, and the number of its equals
    ahead     INTEGER NOT NULL,
    -- twice the number of the other engines in a game
    others    INTEGER NOT NULL,
    games     INTEGER NOT NULL,
    PRIMARY KEY (run, engine, ahead, others)
) STRICT, WITHOUT ROWID";

/// Games of one kind: the share of the other engines that one was placed ahead of, equals as half,
/// and how many games.
pub(super) type Share = (f64, u64);

/// Keeps the finishes of the engines of a run in the games that count now, if these have more than
/// two seats.
pub(super) fn keep(db: &Connection, run: i64) -> Result<()> {
    // All games of a run have as many seats.
    let seats: u64 = db.query_row(
        "SELECT count(*) FROM seat WHERE game = (SELECT max(number) FROM game WHERE current = 1)",
        [],
        |row| row.get(0),
    )?;
    if seats < 3 {
        return Ok(());
    }
    db.execute_batch(TABLE)?;
    db.execute("DELETE FROM finish WHERE run = ?1", [run])?;
    let counted = counted("current = 1", &Rulings::of(db, None)?.placed(db)?);
    db.execute(&format!("INSERT INTO finish (run, engine, ahead, others, games) {counted}"), [run])?;
    Ok(())
}

/// The finishes of the entrants of run ?1 in the games that meet this condition, in SQL, by these
/// places.
fn counted(condition: &str, placed: &str) -> String {
    format!(
        "SELECT ?1, engine, ahead, others, count(*) FROM (\
         SELECT own.engine AS engine, 2 * (count(*) - 1) AS others, \
         sum(CASE WHEN other.place > own.place THEN 2 WHEN other.place = own.place THEN 1 ELSE 0 END) - 1 AS ahead \
         FROM entrant JOIN ({placed}) own ON own.engine = entrant.engine JOIN game ON game.number = own.game \
         JOIN ({placed}) other ON other.game = own.game \
         WHERE entrant.run = ?1 AND {condition} AND own.place IS NOT NULL GROUP BY own.game, own.seat\
         ) GROUP BY engine, ahead, others"
    )
}

/// What an audit finds of the finishes of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FoundFinishes {
    /// There are none, and there need be none: it had two seats, or an agon that kept none.
    None,
    /// So many rows are those of its games.
    Proved(usize),
    /// There are none, although those of an earlier run were kept.
    Missing,
    /// The rows of this engine are not those of its games.
    Differ(String),
}

/// Compares the kept finishes of a run with its games that meet this condition. Runs before the
/// first one with finishes may have none.
pub(super) fn compared(
    db: &Connection,
    run: i64,
    condition: &str,
    rulings: &Rulings,
) -> Result<FoundFinishes> {
    let has_more: bool = db.query_row(
        &format!(
            "SELECT EXISTS (SELECT 1 FROM game JOIN seat ON seat.game = number WHERE {condition} AND seat.seat > 1)"
        ),
        [],
        |row| row.get(0),
    )?;
    if !has_table(db, "finish")? {
        return Ok(FoundFinishes::None);
    }
    let read = |sql: &str| -> rusqlite::Result<Vec<[i64; 4]>> {
        let mut rows = db.prepare(sql)?;
        let rows = rows.query_map([run], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?]))?;
        let mut rows = rows.collect::<rusqlite::Result<Vec<_>>>()?;
        rows.sort_unstable();
        Ok(rows)
    };
    let kept = read("SELECT engine, ahead, others, games FROM finish WHERE run = ?1")?;
    if kept.is_empty() {
        // The table was made by a run whose finishes were kept, and so were those of later ones.
        let earlier: bool = db.query_row(
            "SELECT EXISTS (SELECT 1 FROM finish WHERE run < ?1) \
             OR NOT EXISTS (SELECT 1 FROM finish) AND ?1 = (SELECT max(run) FROM standing)",
            [run],
            |row| row.get(0),
        )?;
        return Ok(if has_more && earlier { FoundFinishes::Missing } else { FoundFinishes::None });
    }
    let expected = match has_more {
        true => read(&format!(
            "SELECT engine, ahead, others, games FROM ({})",
            counted(condition, &rulings.placed(db)?).replacen("count(*) FROM", "count(*) AS games FROM", 1)
        ))?,
        false => Vec::new(),
    };
    if kept == expected {
        return Ok(FoundFinishes::Proved(kept.len()));
    }
    let of_both = kept
        .iter()
        .filter(|row| !expected.contains(row))
        .chain(expected.iter().filter(|row| !kept.contains(row)));
    let engine = of_both.map(|row| row[0]).min().unwrap_or_default();
    let name = db.query_row("SELECT name FROM engine WHERE id = ?1", [engine], |row| row.get(0));
    Ok(FoundFinishes::Differ(name.optional()?.unwrap_or_else(|| format!("engine number {engine}"))))
}

/// The finishes of an engine in a run; none of games of two seats.
pub(super) fn of(db: &Connection, run: i64, engine: i64) -> rusqlite::Result<Vec<Share>> {
    if !has_table(db, "finish")? {
        return Ok(Vec::new());
    }
    let sql = "SELECT CAST(ahead AS REAL) / others, games FROM finish WHERE run = ?1 AND engine = ?2";
    let mut rows = db.prepare_cached(sql)?;
    let rows = rows.query_map([run, engine], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}
