//! Decisions of the organiser as they are added, and what is wrong with stored ones.

use std::collections::HashMap;

use agon_record::Decision;
use anyhow::Result;
use rusqlite::{Connection, params};

use super::cells::nanos;
use super::chain;
use super::link::Link;
use super::rulings::{COLUMNS, DecisionLink, Rulings, StoredDecision, TABLE, links};

/// Adds a decision to the chain, and makes the game count or not. Belongs to the transaction of the
/// change. Returns the new head.
pub(super) fn add(change: &Connection, game: i64, made: &StoredDecision, before: Link) -> Result<Link> {
    change.execute_batch(TABLE)?;
    let number = |sql: &str| change.query_row(sql, [], |row| row.get::<_, i64>(0));
    let row = DecisionLink {
        number: number("SELECT ifnull(max(number), 0) + 1 FROM decision")?,
        game,
        run: number("SELECT ifnull(max(number), 0) FROM run")?,
        after: number("SELECT ifnull(max(number), 0) FROM game")?,
        selection: number("SELECT ifnull(max(number), 0) FROM selection")?,
        ruling: made.decision.as_ref().map(serde_json::to_string).transpose()?,
        why: made.why.clone(),
        decided: nanos(made.decided),
        link: None,
    };
    let earlier = Rulings::of(change, None)?;
    let link = row.link_after(before);
    change.execute(
        &format!("INSERT INTO decision ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"),
        params![
            row.number,
            game,
            row.run,
            row.after,
            row.selection,
            row.ruling,
            row.why,
            row.decided,
            link.bytes()
        ],
    )?;
    let is_void: bool = change.query_row(
        "SELECT text = 'void' FROM game JOIN word ON id = ending WHERE number = ?1",
        [game],
        |row| row.get(0),
    )?;
    let counts = "UPDATE game SET current = 1 WHERE number = ?1 AND NOT EXISTS \
                  (SELECT 1 FROM game o WHERE o.key = game.key AND o.current = 1)";
    let counts_not = "UPDATE game SET current = NULL WHERE number = ?1";
    match (&made.decision, earlier.decision(game)) {
        (Some(Decision::Replay), _) => change.execute(counts_not, [game])?,
        (Some(_), _) if is_void => change.execute(counts, [game])?,
        (None, Some(Decision::Replay)) if !is_void => change.execute(counts, [game])?,
        (None, Some(_)) if is_void => change.execute(counts_not, [game])?,
        _ => 0,
    };
    Ok(link)
}

/// What the table has that agon never writes, in words.
pub(super) fn loose_ends(db: &Connection) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let gone: Vec<i64> = chain::pruned(db)?.into_iter().map(|(number, _)| number).collect();
    let mut last: HashMap<i64, bool> = HashMap::new();
    for (expected, row) in (1..).zip(links(db)?) {
        let of = format!("decision {}", row.number);
        if row.number != expected {
            found.push(format!("{of}: decision {expected} is gone from the database"));
            break;
        }
        if row.why.trim().is_empty() {
            found.push(format!("{of}: it has no reason"));
        }
        let seats: usize =
            db.query_row("SELECT count(*) FROM seat WHERE game = ?1", [row.game], |row| row.get(0))?;
        match row.read() {
            Err(_) => found.push(format!("{of}: it cannot be read")),
            Ok(_) if gone.contains(&row.game) => {}
            Ok(_) if seats == 0 => {
                found.push(format!("{of}: game {} in the order of storage is not there", row.game));
            }
            Ok(made) => {
                if made.decision.as_ref().is_some_and(|decision| !decision.fits(seats)) {
                    found.push(format!("{of}: it does not fit the {seats} seats of its game"));
                }
                let holds = last.entry(row.game).or_default();
                if *holds == made.decision.is_some() {
                    let what = if *holds { "another one holds" } else { "it takes back none" };
                    found.push(format!("{of}: {what} for game {} in the order of storage", row.game));
                }
                *holds = made.decision.is_some();
            }
        }
    }
    // A row that cannot be read was reported above.
    let Ok(rulings) = Rulings::of(db, None) else { return Ok(found) };
    let mut rows = db.prepare(&format!(
        "SELECT number FROM game WHERE current = 1 AND number IN {}",
        rulings.played_again()
    ))?;
    for number in rows.query_map([], |row| row.get::<_, i64>(0))? {
        found.push(format!("game {} in the order of storage: it is played again and counts", number?));
    }
    Ok(found)
}
