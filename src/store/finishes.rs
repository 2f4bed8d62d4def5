//! How many engines each engine was placed ahead of, in the games of more than two seats of a
//! finished run. The first places alone do not show a fall from the second place to the last.

use rusqlite::Connection;

use super::has_table;

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
pub(super) fn keep(db: &Connection, run: i64) -> rusqlite::Result<()> {
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
    db.execute(
        "INSERT INTO finish (run, engine, ahead, others, games) \
         SELECT ?1, engine, ahead, others, count(*) FROM (\
         SELECT own.engine AS engine, 2 * (count(*) - 1) AS others, \
         sum(CASE WHEN other.place > own.place THEN 2 WHEN other.place = own.place THEN 1 ELSE 0 END) - 1 AS ahead \
         FROM entrant JOIN seat own ON own.engine = entrant.engine JOIN game ON game.number = own.game \
         JOIN seat other ON other.game = own.game \
         WHERE entrant.run = ?1 AND current = 1 AND own.place IS NOT NULL GROUP BY own.game, own.seat\
         ) GROUP BY engine, ahead, others",
        [run],
    )?;
    Ok(())
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
