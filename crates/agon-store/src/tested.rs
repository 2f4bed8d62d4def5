//! The test of a run of two engines, and how far it has come. The table is created with the first
//! test, so other databases stay unchanged.

use agon_printable::{counted, decimal};
use agon_standings::encounters::{self, Encounters};
use agon_standings::points::Wdl;
use agon_standings::sprt::{Sprt, TestStand};
use agon_standings::versus::Encounter;
use anyhow::{Context, Result};
use rusqlite::{Connection, OptionalExtension, Transaction};

use super::scores::GameResult;
use super::{Store, has_table};

/// The table of tests.
pub(super) const TABLE: &str = "CREATE TABLE IF NOT EXISTS run_test (
    run       INTEGER PRIMARY KEY REFERENCES run,
    -- as --sprt reads it
    test      TEXT NOT NULL
) STRICT";

/// Notes the test of a run, which is about its first engine; or that it has none any more.
pub(super) fn put(change: &Transaction<'_>, run: i64, test: Option<&Sprt>) -> rusqlite::Result<()> {
    match test {
        Some(test) => {
            change.execute_batch(TABLE)?;
            change.execute("INSERT OR REPLACE INTO run_test VALUES (?1, ?2)", (run, test.to_string()))?;
        }
        None if has_table(change, "run_test")? => {
            change.execute("DELETE FROM run_test WHERE run = ?1", [run])?;
        }
        None => {}
    }
    Ok(())
}

/// The text of the test of the last run.
fn text(db: &Connection) -> rusqlite::Result<Option<String>> {
    if !has_table(db, "run_test")? {
        return Ok(None);
    }
    let sql = "SELECT test FROM run_test WHERE run = (SELECT max(number) FROM run)";
    db.query_row(sql, [], |row| row.get(0)).optional()
}

/// The results of one engine against another, or against several, game by game and pair by pair.
#[derive(Clone, Debug)]
pub struct EngineScore {
    /// The engine.
    pub engine: String,
    /// Its games, each by itself.
    pub games: Wdl,
    /// Its games, where it has the number 0 and all others have 1.
    met: Encounters,
}

impl EngineScore {
    /// The score of an engine before its first game.
    pub fn new(engine: &str) -> Self {
        EngineScore { engine: engine.to_owned(), games: Wdl::default(), met: Encounters::default() }
    }

    /// Counts a game of the two engines with these names, in the order of their seats, if it is one
    /// of the engine. A game is named by the numbers of its pairing and of itself in the pairing.
    pub fn add(&mut self, game: (u32, u32), names: [&str; 2], places: [u8; 2]) {
        if !names.contains(&self.engine.as_str()) {
            return;
        }
        // The half points of the first seat.
        let halves = encounters::halves(places);
        let is_first = names[0] == self.engine;
        match if is_first { halves } else { 2 - halves } {
            2 => self.games.wins += 1,
            1 => self.games.draws += 1,
            _ => self.games.losses += 1,
        }
        self.met.add(game, if is_first { [0, 1] } else { [1, 0] }, halves);
    }

    /// Counts a game that was played before, unless it repeats an earlier one.
    pub fn add_result(&mut self, result: &GameResult) {
        if !result.is_repeat {
            let names = [result.names[0].as_str(), result.names[1].as_str()];
            self.add((result.pairing, result.game), names, result.places);
        }
    }

    /// All games, where pairs of games are one result each.
    pub fn encounter(&self) -> Encounter {
        self.met.between(0, 1)
    }

    /// How far a test has come with these games.
    pub fn stand(&self, test: &Sprt) -> TestStand {
        TestStand::of(*test, &self.engine, self.games, self.encounter().pairs)
    }
}

/// `SPRT 0,10,alpha=0.05,beta=0.05: H1 accepted after 503 games, LLR 2.95 [-2.94, 2.94]`.
pub fn words(stand: &TestStand) -> String {
    let (verdict, games) = (stand.verdict, stand.games.games());
    format!("SPRT {}: {verdict} after {}, {}", stand.test, counted(games, "game"), ratio(stand))
}

/// `LLR 0.51 [-2.94, 2.94]`.
pub fn ratio(stand: &TestStand) -> String {
    let (lower, upper) = stand.test.bounds();
    format!("LLR {} [{}, {}]", decimal(stand.ratio, 2), decimal(lower, 2), decimal(upper, 2))
}

impl Store {
    /// How far the test of the last run has come; `None` if it has none.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn test(&self) -> Result<Option<TestStand>> {
        let Some(text) = text(&self.db)? else { return Ok(None) };
        let test: Sprt = text.parse().with_context(|| format!("the test {text:?} cannot be read"))?;
        let runs = self.runs()?;
        let Some(first) = runs.last().and_then(|run| run.players.first().map(|one| one.name.clone())) else {
            return Ok(None);
        };
        let mut score = EngineScore::new(&first);
        self.results()?.iter().for_each(|result| score.add_result(result));
        Ok(Some(score.stand(&test)))
    }
}
