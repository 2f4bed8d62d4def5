//! What the boxes of a run's engines show, each place with its reason. The table is made with the
//! first run in boxes, so other databases stay unchanged.

use anyhow::{Context, Result};
use rusqlite::params;

use super::{Store, has_table};
use crate::engine::manifest::Manifest;
use crate::engine::program::display_path;

pub(super) const TABLE: &str = "CREATE TABLE IF NOT EXISTS manifest (
    run       INTEGER NOT NULL REFERENCES run,
    engine    INTEGER NOT NULL REFERENCES engine,
    path      TEXT NOT NULL,
    reason    TEXT NOT NULL,
    PRIMARY KEY (run, engine, path)
) STRICT, WITHOUT ROWID";

impl Store {
    /// Notes what the boxes of the current run show besides what every box has, for each engine in
    /// the order of the plan. What was noted of the run before stays: it may have begun with other
    /// options.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn note_manifests(&self, manifests: &[Manifest]) -> Result<()> {
        let run = self.run.as_ref().expect("a run has begun before its boxes are noted");
        let note = || -> rusqlite::Result<()> {
            self.db.execute_batch(TABLE)?;
            let sql = "INSERT OR REPLACE INTO manifest (run, engine, path, reason) VALUES (?1, ?2, ?3, ?4)";
            let mut insert = self.db.prepare_cached(sql)?;
            for (engine, manifest) in run.engines.iter().zip(manifests) {
                for place in manifest.places() {
                    let path = display_path(&place.path);
                    insert.execute(params![run.number, engine, path, place.reason.to_string()])?;
                }
            }
            Ok(())
        };
        note().with_context(|| format!("cannot write {}", display_path(&self.path)))
    }

    /// What the box of an engine showed in a run, by its name and its hash: paths with reasons, in
    /// the order of paths. Empty if it played in none, or if nobody noted it.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn manifest(&self, run: i64, name: &str, hash: &str) -> Result<Vec<(String, String)>> {
        if !has_table(&self.db, "manifest")? {
            return Ok(Vec::new());
        }
        let sql = "SELECT path, reason FROM manifest JOIN engine ON engine.id = manifest.engine \
                   WHERE manifest.run = ?1 AND engine.name = ?2 AND engine.hash = ?3 ORDER BY path";
        let mut rows = self.db.prepare_cached(sql)?;
        let rows = rows.query_map(params![run, name, hash], |row| Ok((row.get(0)?, row.get(1)?)))?;
        rows.collect::<rusqlite::Result<_>>()
            .with_context(|| format!("cannot read {}", display_path(&self.path)))
    }
}
