//! On which machine each game was played. The tables are created with the first game, so older
//! databases stay unchanged.

use std::collections::HashMap;

use agon_programs::program::display_path;
use agon_record::Host;
use anyhow::{Context, Result};
use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::rulings::Rulings;
use super::{Store, has_table};

/// The name of the cell in the chain.
pub(super) const CELL: &str = "host";

pub(super) const TABLES: &str = "CREATE TABLE IF NOT EXISTS host (
    id        INTEGER PRIMARY KEY,
    -- a JSON object: name, cpu, cores
    record    TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE IF NOT EXISTS played_on (
    game      INTEGER PRIMARY KEY REFERENCES game,
    host      INTEGER NOT NULL REFERENCES host
) STRICT;";

/// Stores the host of a game, if it is known. `known` has the numbers of hosts by their texts.
/// Returns the stored text.
pub(super) fn insert(
    change: &Transaction<'_>,
    known: &mut HashMap<String, i64>,
    number: i64,
    host: Option<&Host>,
) -> Result<Option<String>> {
    let Some(host) = host else { return Ok(None) };
    let text = serde_json::to_string(host)?;
    let id = match known.get(&text) {
        Some(id) => *id,
        None => {
            if !has_table(change, "played_on")? {
                change.execute_batch(TABLES)?;
            }
            change.execute("INSERT OR IGNORE INTO host (record) VALUES (?1)", [&text])?;
            let id = change.query_row("SELECT id FROM host WHERE record = ?1", [&text], |row| row.get(0))?;
            known.insert(text.clone(), id);
            id
        }
    };
    change
        .prepare_cached("INSERT INTO played_on (game, host) VALUES (?1, ?2)")?
        .execute(params![number, id])?;
    Ok(Some(text))
}

/// The stored text of a game's host, if it is known.
pub(super) fn text(db: &Connection, number: i64) -> rusqlite::Result<Option<String>> {
    if !has_table(db, "played_on")? {
        return Ok(None);
    }
    let mut found =
        db.prepare_cached("SELECT record FROM played_on JOIN host ON id = host WHERE game = ?1")?;
    found.query_row([number], |row| row.get(0)).optional()
}

/// Removes what belongs to pruned games.
pub(super) fn remove_pruned(change: &Connection) -> rusqlite::Result<()> {
    for table in ["played_on", "forgotten"] {
        if has_table(change, table)? {
            change.execute(&format!("DELETE FROM {table} WHERE game IN (SELECT number FROM pruned)"), [])?;
        }
    }
    Ok(())
}

/// Games that are gone, and of which this is left over.
pub(super) fn loose_ends(db: &Connection) -> rusqlite::Result<Vec<i64>> {
    let mut found = Vec::new();
    for table in ["played_on", "forgotten"] {
        if has_table(db, table)? {
            let sql = format!("SELECT game FROM {table} WHERE game NOT IN (SELECT number FROM game)");
            let mut rows = db.prepare(&sql)?;
            found.extend(rows.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<i64>>>()?);
        }
    }
    Ok(found)
}

/// Games that were forgotten and count nevertheless.
pub(super) fn forgotten_that_count(db: &Connection) -> rusqlite::Result<Vec<i64>> {
    if !has_table(db, "forgotten")? {
        return Ok(Vec::new());
    }
    let sql = "SELECT number FROM game JOIN forgotten ON forgotten.game = number WHERE current = 1";
    let mut rows = db.prepare(sql)?;
    let rows = rows.query_map([], |row| row.get(0))?;
    rows.collect()
}

/// A condition in SQL on `number` and `text`, the word of the ending: the game was not forgotten,
/// is not to be played again, and is not void unless a decision has settled it.
pub(super) fn can_count(db: &Connection, rulings: &Rulings) -> rusqlite::Result<String> {
    let kept = match has_table(db, "forgotten")? {
        true => "number NOT IN (SELECT game FROM forgotten)",
        false => "1",
    };
    Ok(match rulings.is_empty() {
        true => format!("text <> 'void' AND {kept}"),
        false => format!(
            "(text <> 'void' OR number IN {}) AND {kept} AND number NOT IN {}",
            rulings.settled(),
            rulings.played_again()
        ),
    })
}

/// The games that count on one host.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct OfHost {
    /// The host; `None` for games whose host is unknown.
    pub host: Option<Host>,
    /// Games in which the first seat alone was best, shared the first place, and was not best.
    pub results: [u64; 3],
    /// Games that ended with a time forfeit.
    pub time_forfeits: u64,
    /// The sum of the machine's loads, in hundredths, and of how many games it is.
    pub load: (i64, u64),
    /// How many games each level of isolation has.
    pub levels: std::collections::BTreeMap<String, u64>,
}

impl OfHost {
    /// How many games there are.
    pub fn games(&self) -> u64 {
        self.results.iter().sum()
    }
}

impl Store {
    /// Where a game was played, if it is known.
    pub(super) fn host_of(&self, number: i64) -> Result<Option<Host>> {
        text(&self.db, number)?
            .map(|text| serde_json::from_str(&text))
            .transpose()
            .with_context(|| format!("the host of game number {number} cannot be read"))
    }

    /// The games that count by the hosts on which they were played, ordered by name.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn hosts(&self) -> Result<Vec<OfHost>> {
        self.by_host().with_context(|| format!("cannot read {}", display_path(&self.path)))
    }

    fn by_host(&self) -> Result<Vec<OfHost>> {
        let (host, join) = match has_table(&self.db, "played_on")? {
            true => (
                "host.record",
                "LEFT JOIN played_on p ON p.game = g.number LEFT JOIN host ON host.id = p.host",
            ),
            false => ("NULL", ""),
        };
        let best = "(SELECT count(*) FROM seat o WHERE o.game = g.number AND o.place = 1)";
        let mut rows = self.db.prepare(&format!(
            "SELECT {host} AS of, CASE WHEN s.place > 1 THEN 2 WHEN {best} > 1 THEN 1 ELSE 0 END AS result, \
             ending.text, isolation.text, count(*), ifnull(sum(g.load), 0), count(g.load) FROM game g \
             JOIN seat s ON s.game = g.number AND s.seat = 0 JOIN word ending ON ending.id = g.ending \
             LEFT JOIN word isolation ON isolation.id = g.isolation {join} \
             WHERE g.current = 1 AND ending.text <> 'void' \
             GROUP BY of, result, ending.text, isolation.text ORDER BY of"
        ))?;
        let mut rows = rows.query([])?;
        let mut all: Vec<OfHost> = Vec::new();
        while let Some(row) = rows.next()? {
            let host: Option<Host> = match row.get::<_, Option<String>>(0)? {
                Some(text) => Some(serde_json::from_str(&text).context("the name of a host cannot be read")?),
                None => None,
            };
            if all.last().is_none_or(|last| last.host != host) {
                all.push(OfHost { host, ..OfHost::default() });
            }
            let Some(own) = all.last_mut() else { continue };
            let games: u64 = row.get(4)?;
            own.results[row.get::<_, usize>(1)?.min(2)] += games;
            if row.get_ref(2)?.as_str()? == "time forfeit" {
                own.time_forfeits += games;
            }
            let level = row.get::<_, Option<String>>(3)?.and_then(|text| {
                let isolated: agon_record::Isolated = serde_json::from_str(&text).ok()?;
                Some(isolated.level)
            });
            *own.levels.entry(level.unwrap_or_else(|| "unknown".to_owned())).or_default() += games;
            own.load.0 += row.get::<_, i64>(5)?;
            own.load.1 += row.get::<_, u64>(6)?;
        }
        all.sort_by(|one, other| one.host.cmp(&other.host));
        Ok(all)
    }

    /// How many games that count were played on a host of this name.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn games_on(&self, name: &str) -> Result<u64> {
        let all = self.hosts()?;
        let own = all.iter().filter(|one| one.host.as_ref().is_some_and(|host| host.name == name));
        Ok(own.map(OfHost::games).sum())
    }
}
