//! The standings of a run that is over, and the byes of a Swiss, as they are stored.

use std::collections::HashMap;

use agon_standings::Standings;
use agon_standings::strengths::{Strength, Strengths};
use anyhow::Result;
use rusqlite::{Connection, params};

use super::arrangements::Withdrawals;
use super::inside::{Ran, thousandths};
use super::repeats::is_once;
use super::rulings::Rulings;
use super::{Store, finishes, rated, unplayed};

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

impl Store {
    /// The standings of a run at the time when `until` was the last game: the latest game of each
    /// key counts.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn standings_then(&self, run: &Ran, keys: &[i64], until: i64) -> Result<Standings> {
        self.db.execute_batch(
            "DROP TABLE IF EXISTS temp.counted; CREATE TEMP TABLE counted (number INTEGER PRIMARY KEY) STRICT;",
        )?;
        let rulings = Rulings::of(&self.db, Some(run.number))?;
        let can_count = match rulings.is_empty() {
            true => "text <> 'void'".to_owned(),
            false => format!(
                "(text <> 'void' OR number IN {}) AND number NOT IN {}",
                rulings.settled(),
                rulings.played_again()
            ),
        };
        let mut take = self.db.prepare(&format!(
            "INSERT INTO temp.counted (number) SELECT max(number) AS latest FROM game JOIN word ON id = ending \
             WHERE key = ?1 AND {can_count} AND number <= ?2 HAVING latest IS NOT NULL",
        ))?;
        for key in keys {
            take.execute(params![key, until])?;
        }
        let names = run.players.iter().map(|player| player.name.clone());
        let mut standings = Standings::new(run.points, names);
        if let Some(ranking) = self.ranking_of(run.number)? {
            standings.break_ties(&ranking.tiebreaks);
        }
        let condition = "g.number IN (SELECT number FROM temp.counted)";
        let repeats = self.repeats_among(is_once(&run.terms), condition, &rulings)?;
        let mut standings = self.add_up(standings, condition, &repeats, &rulings)?;
        let withdrawn = Withdrawals::of(&self.db, Some(run.number))?;
        if !withdrawn.is_empty() {
            let mut rows =
                self.db.prepare("SELECT key FROM game WHERE number IN (SELECT number FROM temp.counted)")?;
            let played = rows.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
            unplayed::add(&mut standings, &withdrawn, None, unplayed::of_run(run, &withdrawn, &played));
        }
        Ok(standings)
    }
}
