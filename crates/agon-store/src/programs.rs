//! Which program played under the hash of an engine: a kept copy, or its files where they lie. The
//! table is made when a run first notes its programs, so older databases stay as they are.

use std::path::{Path, PathBuf};

use agon_programs::in_place::InPlace;
use agon_programs::kept;
use agon_programs::origin::Origin;
use agon_programs::program::display_path;
use anyhow::{Context, Result};
use rusqlite::{OptionalExtension, params};

use super::key::REFEREE;
use super::{Store, has_table};

pub(super) const TABLE: &str = "CREATE TABLE IF NOT EXISTS program (
    engine    INTEGER PRIMARY KEY REFERENCES engine,
    -- kept, or why it was played where it lies
    how       TEXT NOT NULL,
    -- of a kept copy: its folder in programs, and the hash of its contents. Another one than the hash of the engine if
    -- the engine is known by the sources that agon has built it of
    tree      TEXT,
    content   TEXT,
    -- whether somebody has handed it in, so that its word opens nothing
    submitted INTEGER NOT NULL,
    -- when its files were last seen to be those that were hashed
    looked    TEXT NOT NULL
) STRICT";

/// The word for a kept copy.
pub(super) const KEPT: &str = "kept";

/// How the program of an engine is played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Plays {
    /// From a kept copy.
    Kept {
        /// The folder of the copy.
        tree: String,
        /// The hash of its contents.
        content: String,
    },
    /// Where it lies.
    InPlace(InPlace),
}

/// What a run notes of the program of an engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramNote {
    /// The engine's name.
    pub name: String,
    /// Its hash.
    pub hash: String,
    /// How it is played.
    pub plays: Plays,
    /// Who answers for its files.
    pub origin: Origin,
    /// When they were last seen to be those that were hashed, in RFC 3339.
    pub looked: String,
}

/// What is known of the program of an engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramRow {
    /// The engine's name.
    pub name: String,
    /// Its hash.
    pub hash: String,
    /// How it was played last; `None` if that was not noted.
    pub plays: Option<Plays>,
    /// Its kept copy, perhaps of an earlier run: the folder and the hash of its contents.
    pub copy: Option<(String, String)>,
    /// When its files were last seen to be those that were hashed, in RFC 3339.
    pub looked: Option<String>,
    /// Who answers for its files.
    pub origin: Origin,
    /// Whether it is entered in the last run.
    pub is_entered: bool,
    /// Whether it has games that count.
    pub counts: bool,
}

/// A version of an engine that has played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayedVersion {
    /// Its hash.
    pub hash: String,
    /// Whether it is the program that was asked about.
    pub is_now: bool,
}

impl Store {
    /// The versions of the engine with this name that have played a game, the last one first. `now`
    /// is the hash of its program now.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn played_versions(&self, name: &str, now: &str) -> Result<Vec<PlayedVersion>> {
        let sql = format!(
            "SELECT engine.hash, {}, max(seat.game) FROM engine JOIN seat ON seat.engine = engine.id \
             WHERE engine.name = ?1 GROUP BY engine.id ORDER BY max(seat.game) DESC",
            self.has_hash(2)?
        );
        let mut rows = self.db.prepare(&sql)?;
        let rows =
            rows.query_map([name, now], |row| Ok(PlayedVersion { hash: row.get(0)?, is_now: row.get(1)? }))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Notes how the programs of the engines with these names and hashes are played.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn note_programs(&mut self, programs: &[ProgramNote]) -> Result<()> {
        let cannot = || format!("cannot write {}", display_path(&self.path));
        let change = self.db.transaction().with_context(cannot)?;
        change.execute_batch(TABLE).with_context(cannot)?;
        for ProgramNote { name, hash, plays, origin, looked } in programs {
            let (how, tree, content) = match plays {
                Plays::Kept { tree, content } => (KEPT, Some(tree), Some(content)),
                Plays::InPlace(why) => (why.word(), None, None),
            };
            // A copy of an earlier run is still that of this hash.
            change
                .execute(
                    "INSERT INTO program (engine, how, tree, content, submitted, looked) \
                     SELECT id, ?3, ?4, ?5, ?6, ?7 FROM engine WHERE name = ?1 AND hash = ?2 \
                     ON CONFLICT (engine) DO UPDATE SET how = excluded.how, looked = excluded.looked, submitted = excluded.submitted, \
                     tree = coalesce(excluded.tree, tree), content = coalesce(excluded.content, content)",
                    params![name, hash, how, tree, content, *origin == Origin::Submission, looked],
                )
                .with_context(cannot)?;
        }
        change.commit().with_context(cannot)
    }

    /// Notes what another database says of the programs of engines that are here too. What is known
    /// here already stays.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn take_programs(&mut self, rows: &[ProgramRow]) -> Result<()> {
        let cannot = || format!("cannot write {}", display_path(&self.path));
        let change = self.db.transaction().with_context(cannot)?;
        change.execute_batch(TABLE).with_context(cannot)?;
        for row in rows {
            let (Some(plays), Some(looked)) = (&row.plays, &row.looked) else { continue };
            let how = match plays {
                Plays::Kept { .. } => KEPT,
                Plays::InPlace(why) => why.word(),
            };
            let (tree, content) = row.copy.as_ref().map(|(tree, content)| (tree, content)).unzip();
            change
                .execute(
                    "INSERT INTO program (engine, how, tree, content, submitted, looked) \
                     SELECT id, ?3, ?4, ?5, ?6, ?7 FROM engine WHERE name = ?1 AND hash = ?2 \
                     ON CONFLICT (engine) DO UPDATE SET submitted = max(submitted, excluded.submitted), \
                     tree = coalesce(tree, excluded.tree), \
                     content = CASE WHEN tree IS NULL THEN excluded.content ELSE content END",
                    params![row.name, row.hash, how, tree, content, row.origin == Origin::Submission, looked],
                )
                .with_context(cannot)?;
        }
        change.commit().with_context(cannot)
    }

    /// The programs of all engines, in the order of their first run.
    ///
    /// # Errors
    /// Errors of the database, or a row that cannot be read.
    pub fn programs(&self) -> Result<Vec<ProgramRow>> {
        let noted = match has_table(&self.db, "program")? {
            true => {
                "how, tree, content, looked, submitted FROM engine LEFT JOIN program ON program.engine = id"
            }
            false => "NULL, NULL, NULL, NULL, NULL FROM engine",
        };
        let sql = format!(
            "SELECT name, hash, id IN (SELECT engine FROM entrant WHERE run = (SELECT max(number) FROM run)), \
             EXISTS (SELECT 1 FROM seat JOIN game ON game.number = seat.game WHERE seat.engine = id AND current = 1), \
             {noted} ORDER BY id"
        );
        let mut rows = self.db.prepare(&sql)?;
        let read = |row: &rusqlite::Row<'_>| {
            let how: Option<String> = row.get(4)?;
            let copy = row.get::<_, Option<String>>(5)?.zip(row.get::<_, Option<String>>(6)?);
            let row = ProgramRow {
                name: row.get(0)?,
                hash: row.get(1)?,
                is_entered: row.get(2)?,
                counts: row.get(3)?,
                plays: None,
                copy,
                looked: row.get(7)?,
                origin: match row.get(8)? {
                    Some(true) => Origin::Submission,
                    Some(false) | None => Origin::Organiser,
                },
            };
            Ok((how, row))
        };
        let rows = rows.query_map([], read)?;
        rows.map(|row| {
            let (how, row) = row?;
            let plays = match (how.as_deref(), &row.copy) {
                (None, _) => None,
                (Some(KEPT), Some((tree, content))) => {
                    Some(Plays::Kept { tree: tree.clone(), content: content.clone() })
                }
                (Some(word), _) => Some(Plays::InPlace(word.parse().map_err(anyhow::Error::msg)?)),
            };
            Ok(ProgramRow { plays, ..row })
        })
        .collect()
    }

    /// Where an engine of this name and hash was found, if that is known.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn source_of(&self, name: &str, hash: &str) -> Result<Option<String>> {
        let sql = "SELECT source FROM engine WHERE name = ?1 AND hash = ?2";
        Ok(self.db.query_row(sql, [name, hash], |row| row.get(0)).optional()?)
    }

    /// Whether a kept copy may be needed: an engine that is entered in one of the last `runs` runs,
    /// or has games that count, plays from it.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn needs_copy(&self, tree: &str, runs: u32) -> Result<bool> {
        if !has_table(&self.db, "program")? {
            return Ok(false);
        }
        let sql = "SELECT 1 FROM program WHERE tree = ?1 AND (engine IN (SELECT engine FROM entrant \
             WHERE run > (SELECT max(number) FROM run) - max(?2, 1)) OR EXISTS (SELECT 1 FROM seat JOIN game ON game.number = seat.game \
             WHERE seat.engine = program.engine AND current = 1))";
        Ok(self.db.query_row(sql, params![tree, runs], |_| Ok(())).optional()?.is_some())
    }

    /// Whether the referee program with this hash has refereed a game that counts.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn needs_referee(&self, hash: &str) -> Result<bool> {
        let sql = format!(
            "SELECT 1 FROM run WHERE terms ->> '{REFEREE}' = ?1 \
             AND number IN (SELECT run FROM game WHERE current = 1)"
        );
        Ok(self.db.query_row(&sql, [hash], |_| Ok(())).optional()?.is_some())
    }
}

/// The folder of a kept copy of a run in this directory: its own, or that of the cup it is a stage
/// of.
pub fn copy_of(directory: &Path, tree: &str) -> Option<PathBuf> {
    // A name from a database could lead anywhere.
    if tree.is_empty() || !tree.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    kept::places(directory).into_iter().map(|folder| folder.join(tree)).find(|home| home.is_dir())
}
