//! What results count in a directory whose games were all imported: no run says it there. The table
//! is made by the first import into a directory without a run.

use agon_config::Misuse;
use agon_programs::program::display_path;
use agon_standings::scoring::Scoring;
use agon_standings::tiebreaks::TieBreak;
use anyhow::{Context, Result};
use rusqlite::{Connection, OptionalExtension, Transaction, params};
use serde::{Deserialize, Serialize};

use super::{Store, has_table, refereed};

/// `counted_as` is a [`CountedAs`] as JSON.
pub(super) const TABLE: &str = "CREATE TABLE IF NOT EXISTS imported (
    one        INTEGER PRIMARY KEY CHECK (one = 1),
    seats      INTEGER NOT NULL,
    counted_as TEXT NOT NULL,
    -- where the referee program of the games was found
    folder     TEXT
) STRICT";

/// What a run counts for the results of its games.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CountedAs {
    /// The points, as [`Scoring::read`] reads them.
    pub points: String,
    /// Whether a game that repeats an earlier one counts.
    pub repeats: Repeats,
    /// The tie-breaks, if they are not the usual ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tiebreaks: Option<Vec<TieBreak>>,
    /// The stage of a cup, whose groups and byes belong to its standings as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
}

/// What games count that repeat an earlier one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Repeats {
    /// The first of them counts.
    Once,
    /// Each counts.
    Each,
}

/// What the imported games of a directory without a run count.
#[derive(Clone, PartialEq, Debug)]
pub struct Imported {
    /// The number of their seats.
    pub seats: usize,
    /// What their results count.
    pub counted_as: CountedAs,
    /// The folder of their referee program, if it is known.
    pub folder: Option<String>,
}

impl Imported {
    fn read(db: &Connection) -> Result<Option<Imported>> {
        if !has_table(db, "imported")? {
            return Ok(None);
        }
        let row = db.query_row("SELECT seats, counted_as, folder FROM imported", [], |row| {
            Ok((row.get::<_, usize>(0)?, row.get::<_, String>(1)?, row.get::<_, Option<String>>(2)?))
        });
        let Some((seats, text, folder)) = row.optional()? else { return Ok(None) };
        let counted_as = serde_json::from_str(&text).context("what the imported games count")?;
        Ok(Some(Imported { seats, counted_as, folder }))
    }

    /// Stores it in place of what was stored before.
    pub(super) fn put(&self, change: &Transaction<'_>) -> Result<()> {
        change.execute_batch(TABLE)?;
        change.execute(
            "INSERT OR REPLACE INTO imported (one, seats, counted_as, folder) VALUES (1, ?1, ?2, ?3)",
            params![self.seats, serde_json::to_string(&self.counted_as)?, self.folder],
        )?;
        Ok(())
    }

    fn scoring(&self) -> Result<Scoring> {
        Scoring::read(&self.counted_as.points, self.seats).context("the points of the imported games")
    }
}

impl Store {
    /// What the imported games count; `None` if a run says it, or if nobody noted it.
    ///
    /// # Errors
    /// Errors of the database, or it cannot be read.
    pub fn imported(&self) -> Result<Option<Imported>> {
        Ok(if self.has_run()? { None } else { Imported::read(&self.db)? })
    }

    /// Whether a run has begun in it.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn has_run(&self) -> Result<bool> {
        Ok(self.db.query_row("SELECT EXISTS (SELECT 1 FROM run)", [], |row| row.get(0))?)
    }

    /// What the results of the games that count are counted as; `None` if nobody noted it.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn counted_as(&self) -> Result<Option<CountedAs>> {
        let read = || -> Result<Option<CountedAs>> {
            if !self.has_run()? {
                return Ok(Imported::read(&self.db)?.map(|imported| imported.counted_as));
            }
            let ranking = self.ranking()?;
            Ok(Some(CountedAs {
                points: self.points()?.to_string(),
                repeats: if self.counts_once()? { Repeats::Once } else { Repeats::Each },
                tiebreaks: ranking.as_ref().map(|ranking| ranking.tiebreaks.clone()),
                stage: ranking.and_then(|ranking| ranking.stage).map(|stage| stage.name),
            }))
        };
        read().with_context(|| format!("cannot read {}", display_path(&self.path)))
    }

    /// The number of seats of the imported games: that of the first that counts, if none is noted.
    pub(super) fn imported_seats(&self) -> Result<usize> {
        if let Some(imported) = Imported::read(&self.db)? {
            return Ok(imported.seats);
        }
        let seats: usize = self.db.query_row(
            "SELECT count(*) FROM seat WHERE game = (SELECT min(number) FROM game WHERE current = 1)",
            [],
            |row| row.get(0),
        )?;
        Ok(seats.max(2))
    }

    /// The points of the imported games. Games of two seats with built-in rules have the usual
    /// points where none are noted; an agon that did not note any imported them so.
    pub(super) fn imported_points(&self) -> Result<Scoring> {
        if let Some(imported) = Imported::read(&self.db)? {
            return imported.scoring();
        }
        let seats = self.imported_seats()?;
        if seats <= 2 && !refereed::has_games_that_count(&self.db)? {
            return Ok(Scoring::default());
        }
        Err(Misuse::hinted(
            "nothing says what a result of its imported games counts",
            format!(
                "import the games once more with --points {}, --points sum, or the points of their run",
                Scoring::usual(seats)
            ),
        ))
    }
}

/// What is wrong with what the imported games count, in words.
pub(super) fn differences(db: &Connection) -> Result<Vec<String>> {
    let has_run: bool = db.query_row("SELECT EXISTS (SELECT 1 FROM run)", [], |row| row.get(0))?;
    if has_run || !has_table(db, "imported")? {
        return Ok(Vec::new());
    }
    let imported = match Imported::read(db) {
        Ok(Some(imported)) => imported,
        Ok(None) => return Ok(vec!["nothing says what the imported games count".to_owned()]),
        Err(error) => return Ok(vec![format!("{error:#}")]),
    };
    if let Err(error) = imported.scoring() {
        return Ok(vec![format!("{error:#}")]);
    }
    let others: u64 = db.query_row(
        "SELECT count(*) FROM game WHERE current = 1 AND (SELECT count(*) FROM seat WHERE game = number) <> ?1",
        [imported.seats],
        |row| row.get(0),
    )?;
    if others == 0 {
        return Ok(Vec::new());
    }
    let seats = imported.seats;
    Ok(vec![format!(
        "the imported games are noted as games of {seats} seats, but {others} have another number"
    )])
}
