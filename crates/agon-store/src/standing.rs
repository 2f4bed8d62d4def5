//! The standings of a run that is over, and the byes of a Swiss, as they are stored.

use std::collections::HashMap;

use agon_standings::Standings;
use agon_standings::strengths::{Strength, Strengths};
use anyhow::Result;
use rusqlite::{Connection, params};

use super::inside::thousandths;
use super::{finishes, rated};

/// Stores the byes of every entrant of a Swiss.
pub(super) fn put_byes(change: &Connection, byes: &[(&str, u64)]) -> Result<()> {
    change.execute("DELETE FROM swiss", [])?;
    for (name, games) in byes {
        change.execute("INSERT INTO swiss (name, byes) VALUES (?1, ?2)", params![name, games])?;
    }
    Ok(())
}

/// Stores the standings of a run that is over, with the numbers of its engines by name.
pub(super) fn keep_standings(
    change: &Connection,
    run: i64,
    ids: &HashMap<String, i64>,
    standings: &Standings,
) -> Result<()> {
    let found = Strengths::of(standings, 0, 1);
    let strength: HashMap<&str, &Strength> =
        (found.iter().flat_map(Strengths::rows)).map(|row| (row.entrant.as_str(), row)).collect();
    for row in standings.table() {
        let Some(id) = ids.get(&row.entrant) else { continue };
        let total = row.tally.total();
        let strength = strength.get(row.entrant.as_str());
        change.execute(
            "INSERT OR REPLACE INTO standing (run, engine, rank, wins, draws, losses, points, elo, error) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            params![
                run,
                id,
                row.rank as u64,
                total.wins,
                total.draws,
                total.losses,
                row.points.thousandths(),
                strength.map(|row| thousandths(row.elo)),
                strength.map(|row| thousandths(row.error))
            ],
        )?;
    }
    finishes::keep(change, run)?;
    rated::keep(change, run)?;
    Ok(())
}
