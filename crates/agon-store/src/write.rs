//! Writes games into the database. Those that are over at the same time share a transaction.

use std::collections::HashMap;

use agon_config::Misuse;
use agon_match::processes::host::here;
use agon_programs::program::display_path;
use agon_record::{BoxPlace, GameRecord, Host};
use agon_seats::PerSeat;
use agon_standings::Standings;
use agon_standings::pairings::PlannedGame;
use agon_standings::result::GameId;
use anyhow::{Context, Result};
use chrono::{DateTime, SecondsFormat, Utc};
use rusqlite::{Connection, OptionalExtension, Transaction, params, params_from_iter};

use super::Store;
use super::cells::{self, StoredCell, nanos};
use super::chain::{self, Link};
use super::columns::{self, ColumnKind, ColumnTable, GameFacts};
use super::decisions;
use super::imported::Imported;
use super::link::Content;
use super::rulings::{self, StoredDecision};
use super::standing::{keep_standings, put_byes};
use super::statements::INSERTS;
use super::{elsewhere, host, manifests, part_of, pauses, refereed, spent};

/// The cache for games that are taken in, as SQLite has it: in KiB, below 0. Keys come in no order,
/// and the index of a million of them takes some 20 MB.
const CACHE: i64 = -65_536;

/// A game from another database or file.
pub struct ImportedGame {
    /// The game.
    pub record: GameRecord,
    /// Its key, if it is known.
    pub key: i64,
    /// The hash of each seat's engine; empty if unknown.
    pub hashes: PerSeat<String>,
    /// Whether it counted there. Otherwise it was void or history.
    pub counts: bool,
    /// What each engine wrote to stderr; empty if unknown.
    pub stderr: PerSeat<Vec<u8>>,
    /// The machine on which it was played, if it is known.
    pub host: Option<Host>,
    /// What the box of each seat's engine showed besides what every box has, if it is known.
    pub boxes: Option<PerSeat<Vec<BoxPlace>>>,
    /// The decisions about it, the oldest first. The record is the game as played.
    pub decisions: Vec<StoredDecision>,
}

/// A game of a run that is over, with what each engine wrote to stderr.
#[derive(Clone, Copy)]
pub struct FinishedGame<'a> {
    /// The game as it was planned.
    pub planned: &'a PlannedGame,
    /// What happened in it.
    pub record: &'a GameRecord,
    /// What each engine wrote to stderr.
    pub stderr: &'a PerSeat<Vec<u8>>,
}

/// The numbers of texts that many games share, as far as they are known.
#[derive(Default)]
pub(super) struct SharedTexts {
    words: HashMap<String, i64>,
    pub(super) hosts: HashMap<String, i64>,
}

/// The key, run and numbers under which a game is stored.
struct Place {
    key: i64,
    run: i64,
    counts: bool,
    engines: Vec<i64>,
    /// The hash of each seat's engine.
    hashes: PerSeat<String>,
    /// The machine on which it was played, if it is known.
    host: Option<Host>,
    /// What the boxes of a game from elsewhere showed. Of a game of a run, the run says it.
    boxes: Option<PerSeat<Vec<BoxPlace>>>,
}

impl Store {
    /// Stores a game of the current run, with its engines' stderr. It counts unless it is void.
    ///
    /// # Errors
    /// Errors of the database; then nothing of the game is stored, and all earlier games are.
    pub fn keep(
        &mut self,
        planned: &PlannedGame,
        record: &GameRecord,
        stderr: &PerSeat<Vec<u8>>,
    ) -> Result<()> {
        self.keep_all(&[FinishedGame { planned, record, stderr }])
    }

    /// Stores games of the current run in one transaction: all or none.
    ///
    /// # Errors
    /// As [`Store::keep`].
    pub fn keep_all(&mut self, games: &[FinishedGame<'_>]) -> Result<()> {
        let run = self.run.as_ref().expect("a run has begun before its games are kept");
        let place = |planned: &PlannedGame, record: &GameRecord| Place {
            key: run.keys.of(planned),
            run: run.number,
            counts: record.decided().is_some(),
            engines: planned.seats.values().iter().map(|place| run.engines[*place]).collect(),
            hashes: planned.seats.map(|_, place| run.hashes[*place].clone()),
            host: Some(here().clone()),
            boxes: None,
        };
        let stored = self.db.transaction().map_err(anyhow::Error::from).and_then(|change| {
            let mut head = match self.head {
                Some(head) => head,
                None => chain::head(&change)?,
            };
            for FinishedGame { planned, record, stderr } in games {
                let place = place(planned, record);
                head = insert(&change, &mut self.shared, &place, head, record, stderr)?;
            }
            change.commit()?;
            Ok(head)
        });
        self.head = stored.as_ref().ok().copied();
        if stored.is_err() {
            // The texts of the games were rolled back with them.
            self.shared = SharedTexts::default();
        }
        stored.map(|_| ()).with_context(|| {
            let ids: Vec<String> = games.iter().map(|game| game.record.id.to_string()).collect();
            format!("cannot store game {} in {}", ids.join(", "), display_path(&self.path))
        })
    }

    /// Stores imported games, all or none. Games that are here already are left out. A game counts
    /// unless another one of its key does. `noted` says after them what the games count in a
    /// directory without a run. Returns how many were new.
    ///
    /// # Errors
    /// Errors of the database, or of `games`.
    pub fn import<I: Iterator<Item = Result<ImportedGame>>>(
        &mut self,
        games: &mut I,
        noted: impl FnOnce(&I) -> Option<Imported>,
    ) -> Result<u64> {
        self.take_all(games, (true, false), noted)
    }

    /// Imports from one of several sources, the parts of a run. A game is left out too if another
    /// one of its key counts here already. Which games count is noted only after the last source,
    /// since that takes long with many games.
    ///
    /// # Errors
    /// As [`Store::import`].
    pub fn take_in(
        &mut self,
        mut games: impl Iterator<Item = Result<ImportedGame>>,
        is_last: bool,
    ) -> Result<u64> {
        self.take_all(&mut games, (is_last, true), |_| None)
    }

    fn take_all<I: Iterator<Item = Result<ImportedGame>>>(
        &mut self,
        games: &mut I,
        (is_last, is_merge): (bool, bool),
        noted: impl FnOnce(&I) -> Option<Imported>,
    ) -> Result<u64> {
        let cannot = || format!("cannot write {}", display_path(&self.path));
        self.db.pragma_update(None, "cache_size", CACHE).with_context(cannot)?;
        let shared = &mut self.shared;
        *shared = SharedTexts::default();
        let change = self.db.transaction()?;
        self.head = None;
        part_of::forget(&change).with_context(cannot)?;
        let mut head = chain::head(&change)?;
        let mut new = 0;
        for arrival in &mut *games {
            let ImportedGame { record, key, hashes, counts, stderr, host, boxes, decisions } = arrival?;
            // One lookup for both: mostly there is no such game.
            let (here, counted): (Option<i64>, bool) = change
                .prepare_cached(
                    "SELECT max(number) FILTER (WHERE started = ?2), count(current) > 0 FROM game WHERE key = ?1",
                )?
                .query_row(params![key, nanos(record.started)], |row| Ok((row.get(0)?, row.get(1)?)))?;
            if let Some(here) = here {
                if !decisions.is_empty() {
                    head = add_decisions(&change, here, record.id, &decisions, head)?;
                }
                continue;
            }
            // Of a part that was cut otherwise. Nothing was decided about it, and beside the one
            // that counts it would be the later one.
            if is_merge && counted && decisions.is_empty() {
                continue;
            }
            let mut engines = Vec::new();
            for (seat, hash) in hashes.iter() {
                engines.push(engine(&change, &record.seats[seat].entrant, hash, "")?);
            }
            let counts = counts && record.decided().is_some() && !counted;
            let place = Place { key, run: 0, counts, engines, hashes, host, boxes };
            head = insert(&change, shared, &place, head, &record, &stderr).with_context(cannot)?;
            if !decisions.is_empty() {
                let number = change.query_row("SELECT max(number) FROM game", [], |row| row.get(0))?;
                head = add_decisions(&change, number, record.id, &decisions, head)?;
            }
            new += 1;
        }
        if let Some(imported) = noted(games) {
            imported.put(&change).with_context(cannot)?;
        }
        if is_last {
            chain::select(&change).with_context(cannot)?;
        }
        change.commit().with_context(cannot)?;
        Ok(new)
    }

    /// Notes which games count, after [`Store::take_in`] of sources that were not the last.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn taken_in(&mut self) -> Result<()> {
        let cannot = || format!("cannot write {}", display_path(&self.path));
        let change = self.db.transaction().with_context(cannot)?;
        let head = chain::select(&change).with_context(cannot)?;
        change.commit().with_context(cannot)?;
        self.head = Some(head);
        Ok(())
    }

    /// Makes it the database of a Swiss: every entrant with its byes so far.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn swiss(&mut self, byes: &[(&str, u64)]) -> Result<()> {
        let mut write = || -> Result<()> {
            let change = self.db.transaction()?;
            put_byes(&change, byes)?;
            Ok(change.commit()?)
        };
        write().with_context(|| format!("cannot write {}", display_path(&self.path)))
    }

    /// Notes that only a part of the plan is played here: when its games are over, the run is not
    /// done.
    pub fn plays_a_part(&mut self) {
        self.only_part = true;
    }

    /// Stores how the run ended. A finished run's standings, with its points, become part of the
    /// history.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn end(&mut self, done: bool, standings: &Standings) -> Result<()> {
        let run = self.run.as_ref().expect("a run has begun before it ends");
        let (number, engines) = (run.number, run.engines.clone());
        // Games that other parts play are missing.
        let done = done && !self.only_part;
        let ended = || -> Result<()> {
            let change = self.db.transaction()?;
            change.execute(
                "UPDATE run SET finished = ?2, outcome = ?3, \
                 ended_after = CASE ?3 WHEN 'done' THEN (SELECT ifnull(max(number), 0) FROM game) END \
                 WHERE number = ?1",
                params![
                    number,
                    DateTime::<Utc>::from(std::time::SystemTime::now())
                        .to_rfc3339_opts(SecondsFormat::Secs, true),
                    if done { "done" } else { "stopped" }
                ],
            )?;
            if done {
                let mut ids = HashMap::new();
                for id in engines {
                    let name: String =
                        change.query_row("SELECT name FROM engine WHERE id = ?1", [id], |row| row.get(0))?;
                    ids.insert(name, id);
                }
                keep_standings(&change, number, &ids, standings)?;
            }
            let head = chain::select(&change)?;
            change.commit()?;
            self.head = Some(head);
            Ok(())
        };
        ended().with_context(|| format!("cannot write {}", display_path(&self.path)))
    }
}

/// Adds the decisions about a game that are new here. Returns the new head.
///
/// # Errors
/// [`Misuse`] if other decisions were made about it here. Or errors of the database.
fn add_decisions(
    change: &Transaction<'_>,
    number: i64,
    id: GameId,
    theirs: &[StoredDecision],
    mut head: Link,
) -> Result<Link> {
    let own = rulings::about(change, number)?;
    let both = own.len().min(theirs.len());
    if own[..both] != theirs[..both] {
        return Err(Misuse::hinted(
            format!("game {id}: the organiser has decided otherwise about it here and there"),
            "take one of the decisions back, with agon decide DIR GAME undo --why TEXT",
        ));
    }
    for made in &theirs[both..] {
        head = decisions::add(change, number, made, head)?;
    }
    Ok(head)
}

fn insert(
    change: &Transaction<'_>,
    shared: &mut SharedTexts,
    place: &Place,
    before: Link,
    record: &GameRecord,
    stderr: &PerSeat<Vec<u8>>,
) -> Result<Link> {
    let SharedTexts { words, hosts } = shared;
    let id = |word: &str, words: &mut HashMap<String, i64>| word_id(change, words, word);
    let mut content = Content::after(before);
    let facts = GameFacts { record, key: place.key, run: place.run, counts: place.counts };
    let (mut game, mut moves) = (Vec::new(), vec![StoredCell::Null]);
    for column in &columns::GAME {
        let cell = (column.get)(&facts)?;
        if column.in_chain {
            content.cell_of(column.name, &cell);
        }
        let row = if column.table == ColumnTable::Moves { &mut moves } else { &mut game };
        row.push(match (column.kind, cell) {
            (ColumnKind::Word, StoredCell::Text(text)) => StoredCell::Number(id(&text, words)?),
            (_, cell) => cell,
        });
    }
    change.prepare_cached(&INSERTS.game)?.execute(params_from_iter(&game))?;
    let number = change.last_insert_rowid();
    moves[0] = StoredCell::Number(number);
    change.prepare_cached(&INSERTS.moves)?.execute(params_from_iter(&moves))?;
    for facts in columns::facts_of_seats(record, &place.hashes, stderr) {
        let mut seat = vec![StoredCell::Number(number)];
        let mut log = vec![StoredCell::Number(number), StoredCell::Number(cells::number_of(facts.seat))];
        for column in &columns::SEAT {
            let cell = (column.get)(&facts)?;
            if column.in_chain {
                content.cell_of(column.name, &cell);
            }
            let row = match column.table {
                ColumnTable::Log => &mut log,
                ColumnTable::Engine => continue,
                ColumnTable::Game | ColumnTable::Moves | ColumnTable::Seat => &mut seat,
            };
            row.push(match (column.kind, cell) {
                (ColumnKind::Word, StoredCell::Text(text)) => StoredCell::Number(id(&text, words)?),
                (ColumnKind::Engine, _) => StoredCell::Number(place.engines[facts.seat.index()]),
                (_, cell) => cell,
            });
        }
        change.prepare_cached(&INSERTS.seat)?.execute(params_from_iter(&seat))?;
        if facts.has_log() {
            change.prepare_cached(&INSERTS.log)?.execute(params_from_iter(&log))?;
        }
    }
    content.maybe_text(refereed::CELL, refereed::insert(change, number, record)?.as_deref());
    content.maybe_text(pauses::CELL, pauses::insert(change, number, record)?.as_deref());
    content.maybe_text(spent::CELL, spent::insert(change, number, record)?.as_deref());
    content.maybe_text(elsewhere::CELL, elsewhere::insert(change, number, record)?.as_deref());
    content.maybe_text(host::CELL, host::insert(change, hosts, number, place.host.as_ref())?.as_deref());
    manifests::insert(change, number, place.boxes.as_ref(), |text| id(text, words))?;
    let link = content.link();
    change
        .prepare_cached("UPDATE game SET link = ?2 WHERE number = ?1")?
        .execute(params![number, link.bytes()])?;
    Ok(link)
}

/// The number of a text that many games share.
fn word_id(change: &Transaction<'_>, words: &mut HashMap<String, i64>, text: &str) -> Result<i64> {
    if let Some(id) = words.get(text) {
        return Ok(*id);
    }
    change.execute("INSERT OR IGNORE INTO word (text) VALUES (?1)", [text])?;
    let id = change.query_row("SELECT id FROM word WHERE text = ?1", [text], |row| row.get(0))?;
    words.insert(text.to_owned(), id);
    Ok(id)
}

/// The number of an engine in this version.
pub(super) fn engine(db: &Connection, name: &str, hash: &str, source: &str) -> Result<i64> {
    let found = db
        .prepare_cached("SELECT id FROM engine WHERE name = ?1 AND hash = ?2")?
        .query_row([name, hash], |row| row.get(0))
        .optional()?;
    if let Some(id) = found {
        return Ok(id);
    }
    db.execute("INSERT INTO engine (name, hash, source) VALUES (?1, ?2, ?3)", [name, hash, source])?;
    Ok(db.last_insert_rowid())
}
