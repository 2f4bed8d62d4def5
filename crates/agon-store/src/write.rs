//! Writes games into the database, one transaction each.

use std::collections::HashMap;
use std::time::Duration;

use agon_match::processes::host::here;
use agon_programs::program::display_path;
use agon_record::{BoxPlace, GameRecord, Host, Ply, Traffic, Unanswered, Usage, Verdict};
use agon_seats::{PerSeat, Seat};
use agon_standings::Standings;
use agon_standings::pairings::PlannedGame;
use agon_standings::result::Termination;
use agon_standings::strengths::{Strength, Strengths};
use anyhow::{Context, Result};
use chrono::{DateTime, SecondsFormat, Utc};
use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::Store;
use super::chain::{self, Content, Link};
use super::imported::Imported;
use super::inside::thousandths;
use super::{elsewhere, finishes, host, manifests, pauses, rated, refereed, spent};

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
        let run = self.run.as_ref().expect("a run has begun before its games are kept");
        let place = Place {
            key: run.keys.of(planned),
            run: run.number,
            counts: record.decided().is_some(),
            engines: planned.seats.values().iter().map(|place| run.engines[*place]).collect(),
            hashes: planned.seats.map(|_, place| run.hashes[*place].clone()),
            host: Some(here().clone()),
            boxes: None,
        };
        let stored = self.db.transaction().map_err(anyhow::Error::from).and_then(|change| {
            let before = match self.head {
                Some(head) => head,
                None => chain::head(&change)?,
            };
            let head = insert(&change, &mut self.words, &place, before, record, stderr)?;
            change.commit()?;
            Ok(head)
        });
        self.head = stored.as_ref().ok().copied();
        if stored.is_err() {
            // The words of the game were rolled back with it.
            self.words.clear();
        }
        stored
            .map(|_| ())
            .with_context(|| format!("cannot store game {} in {}", record.id, display_path(&self.path)))
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
        self.take_all(games, true, noted)
    }

    /// Imports from one of several sources. Which games count is noted only after the last source,
    /// since that takes long with many games.
    ///
    /// # Errors
    /// As [`Store::import`].
    pub fn take_in(
        &mut self,
        mut games: impl Iterator<Item = Result<ImportedGame>>,
        is_last: bool,
    ) -> Result<u64> {
        self.take_all(&mut games, is_last, |_| None)
    }

    fn take_all<I: Iterator<Item = Result<ImportedGame>>>(
        &mut self,
        games: &mut I,
        is_last: bool,
        noted: impl FnOnce(&I) -> Option<Imported>,
    ) -> Result<u64> {
        let cannot = || format!("cannot write {}", display_path(&self.path));
        self.db.pragma_update(None, "cache_size", CACHE).with_context(cannot)?;
        let words = &mut self.words;
        words.clear();
        let change = self.db.transaction()?;
        self.head = None;
        let mut head = chain::head(&change)?;
        let mut new = 0;
        for arrival in &mut *games {
            let ImportedGame { record, key, hashes, counts, stderr, host, boxes } = arrival?;
            // One lookup for both: mostly there is no such game.
            let (here, counted): (bool, bool) = change
                .prepare_cached(
                    "SELECT ifnull(max(started = ?2), 0), count(current) > 0 FROM game WHERE key = ?1",
                )?
                .query_row(params![key, nanos(record.started)], |row| Ok((row.get(0)?, row.get(1)?)))?;
            if here {
                continue;
            }
            let mut engines = Vec::new();
            for (seat, hash) in hashes.iter() {
                engines.push(engine(&change, &record.seats[seat].entrant, hash, "")?);
            }
            let counts = counts && record.decided().is_some() && !counted;
            let place = Place { key, run: 0, counts, engines, hashes, host, boxes };
            head = insert(&change, words, &place, head, &record, &stderr).with_context(cannot)?;
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
            change.execute("DELETE FROM swiss", [])?;
            for (name, games) in byes {
                change.execute("INSERT INTO swiss (name, byes) VALUES (?1, ?2)", params![name, games])?;
            }
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
                            number,
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
                finishes::keep(&change, number)?;
                rated::keep(&change, number)?;
            }
            let head = chain::select(&change)?;
            change.commit()?;
            self.head = Some(head);
            Ok(())
        };
        ended().with_context(|| format!("cannot write {}", display_path(&self.path)))
    }
}

fn insert(
    change: &Transaction<'_>,
    words: &mut HashMap<String, i64>,
    place: &Place,
    before: Link,
    record: &GameRecord,
    stderr: &PerSeat<Vec<u8>>,
) -> Result<Link> {
    let (ending, loser, reason) = ending(&record.verdict);
    let id = record.id;
    let mut word = |text: &str| word(change, words, text);
    let isolation = record.isolation.as_ref().map(serde_json::to_string).transpose()?;
    let plies = plies(&record.plies);
    let (load, pressure) = (whole(record.machine.load, 100.0), whole(record.machine.pressure, 1000.0));
    let mut content = Content::after(before);
    content.number("key", place.key);
    content.number("run", place.run);
    content.text("rules", &record.rules);
    content.text("control", &record.time_control);
    content.number("seed", record.seed.cast_signed());
    content.text("ending", &ending);
    content.maybe_number("loser", loser);
    content.text("reason", reason);
    content.number("started", nanos(record.started));
    content.number("finished", nanos(record.finished));
    content.maybe_number("load", load);
    content.maybe_text("isolation", isolation.as_deref());
    content.maybe_number("pressure", pressure);
    content.text("start", &record.start);
    content.text("last", &record.last);
    content.text("plies", &plies);
    let isolation = isolation.map(|text| word(&text)).transpose()?;
    change
        .prepare_cached(
            "INSERT INTO game (key, current, run, round, pairing, game, rules, control, seed, ending, loser, reason, \
             started, finished, load, isolation, pressure) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
        )?
        .execute(params![
            place.key,
            place.counts.then_some(1),
            place.run,
            id.round,
            id.pairing,
            id.game,
            word(&record.rules)?,
            word(&record.time_control)?,
            record.seed.cast_signed(),
            word(&ending)?,
            loser,
            reason,
            nanos(record.started),
            nanos(record.finished),
            load,
            isolation,
            pressure,
        ])?;
    let number = change.last_insert_rowid();
    change
        .prepare_cached("INSERT INTO moves (game, start, last, plies) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![number, record.start, record.last, plies])?;
    for (seat, own) in record.seats.iter() {
        let engine = (place.engines[seat.index()], place.hashes[seat].as_str());
        let (side, control) = (word(&own.side)?, word(&own.time_control)?);
        insert_seat(change, number, record, seat, engine, [side, control], &stderr[seat], &mut content)?;
    }
    content.maybe_text(refereed::CELL, refereed::insert(change, number, record)?.as_deref());
    content.maybe_text(pauses::CELL, pauses::insert(change, number, record)?.as_deref());
    content.maybe_text(spent::CELL, spent::insert(change, number, record)?.as_deref());
    content.maybe_text(elsewhere::CELL, elsewhere::insert(change, number, record)?.as_deref());
    content.maybe_text(host::CELL, host::insert(change, number, place.host.as_ref())?.as_deref());
    manifests::insert(change, number, place.boxes.as_ref(), |text| word(text))?;
    let link = content.link();
    change
        .prepare_cached("UPDATE game SET link = ?2 WHERE number = ?1")?
        .execute(params![number, link.bytes()])?;
    Ok(link)
}

/// The words of an ending, the seat that lost by it alone, and the reason.
fn ending(verdict: &Verdict) -> (String, Option<i64>, &str) {
    let decided = match verdict {
        Verdict::Void { why } => return ("void".to_owned(), None, why),
        Verdict::Decided(decided) => decided,
    };
    let loser = match decided.termination {
        Termination::Forfeit(seat, _) | Termination::Resignation(seat) => Some(number_of(seat)),
        Termination::Normal | Termination::Adjudication => None,
    };
    (decided.termination.to_string(), loser, &decided.reason)
}

fn number_of(seat: Seat) -> i64 {
    i64::try_from(seat.index()).expect("a seat is a small number")
}

/// Stores a seat of a game with its engine's stderr. `words` are the numbers of its side and its
/// time control.
#[allow(clippy::too_many_arguments)] // a row has as many parts
fn insert_seat(
    change: &Transaction<'_>,
    number: i64,
    record: &GameRecord,
    seat: Seat,
    (engine, hash): (i64, &str),
    words: [i64; 2],
    stderr: &[u8],
    content: &mut Content,
) -> Result<()> {
    let own = &record.seats[seat];
    let index = number_of(seat);
    let decided = record.decided();
    let (place, score) = (
        decided.map(|decided| decided.places[seat].into()),
        decided.map(|decided| decided.scores[seat].into()),
    );
    let plies = plies_of(record, seat);
    let (traffic, usage) = (traffic(&own.traffic)?, usage(&own.usage)?);
    let exit = own.exit.map(|exit| serde_json::to_string(&exit)).transpose()?;
    let unanswered = own.unanswered.map(unanswered).transpose()?;
    content.number("seat", index);
    content.text("engine", &own.entrant);
    content.text("hash", hash);
    content.text("side", &own.side);
    content.text("control", &own.time_control);
    content.maybe_number("place", place);
    content.maybe_number("score", score);
    content.number("plies", plies);
    content.number("time", micros(own.time));
    content.number("longest", micros(own.longest));
    content.number("startup", micros(own.startup));
    content.number("lateness", micros(own.lateness));
    content.text("traffic", &traffic);
    content.maybe_text("exit", exit.as_deref());
    content.number("stragglers", own.stragglers.into());
    content.maybe_text("usage", usage.as_deref());
    content.maybe_text("unanswered", unanswered.as_deref());
    change
        .prepare_cached(
            "INSERT INTO seat (game, seat, engine, side, control, place, score, plies, time, longest, startup, \
             lateness, traffic, exit, stragglers, usage, unanswered) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
        )?
        .execute(params![
            number,
            index,
            engine,
            words[0],
            words[1],
            place,
            score,
            plies,
            micros(own.time),
            micros(own.longest),
            micros(own.startup),
            micros(own.lateness),
            traffic,
            exit,
            own.stragglers,
            usage,
            unanswered,
        ])?;
    if stderr.is_empty() && own.evidence.is_none() {
        return Ok(());
    }
    let evidence = own.evidence.as_ref().map(serde_json::to_string).transpose()?;
    content.bytes("stderr", stderr);
    content.maybe_text("evidence", evidence.as_deref());
    change
        .prepare_cached("INSERT INTO log (game, seat, stderr, evidence) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![number, index, stderr, evidence])?;
    Ok(())
}

/// As a list, because the names of the fields would be longer than the rest of a short game.
fn traffic(traffic: &Traffic) -> Result<String> {
    let Traffic { told, said, logged, unasked, crlf, deaf } = traffic;
    Ok(serde_json::to_string(&(told, said, logged, unasked, crlf, deaf))?)
}

fn usage(usage: &Usage) -> Result<Option<String>> {
    if usage.is_nothing() {
        return Ok(None);
    }
    let text =
        serde_json::to_string(&(micros(usage.cpu), micros(usage.off_turn), usage.memory, usage.threads));
    Ok(Some(text?))
}

fn unanswered(question: Unanswered) -> Result<String> {
    Ok(serde_json::to_string(&(micros(question.time), micros(question.allowance), question.greeting))?)
}

fn plies_of(record: &GameRecord, seat: Seat) -> i64 {
    let own = record.plies.iter().filter(|ply| ply.seat == seat);
    i64::try_from(own.count()).expect("a game has fewer than 2^63 plies")
}

/// A number, stored as a multiple of `1 / parts`.
#[allow(clippy::cast_possible_truncation)] // neither a load nor a share has so many digits
fn whole(number: Option<f64>, parts: f64) -> Option<i64> {
    number.map(|number| (number * parts).round() as i64)
}

/// One line per ply. Moves are printable ASCII and thoughts are escaped, so neither has a tab or
/// newline.
fn plies(plies: &[Ply]) -> String {
    let mut text = String::with_capacity(24 * plies.len());
    let mut digits = itoa::Buffer::new();
    for ply in plies {
        text.push_str(digits.format(ply.seat.index()));
        text.push('\t');
        text.push_str(digits.format(ply.points));
        text.push('\t');
        text.push_str(digits.format(micros(ply.time)));
        text.extend(["\t", &ply.text]);
        if let Some(thought) = &ply.thought {
            text.extend(["\t", thought]);
        }
        text.push('\n');
    }
    text
}

/// The number of a text that many games share.
fn word(change: &Transaction<'_>, words: &mut HashMap<String, i64>, text: &str) -> Result<i64> {
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

/// Times have no fraction of a microsecond: see [`agon_seats::whole_micros`].
fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}

/// Nanoseconds since 1970. A time outside 64 bits, before 1677 or after 2262, is stored as 1970.
pub(super) fn nanos(at: DateTime<Utc>) -> i64 {
    at.timestamp_nanos_opt().unwrap_or(0)
}
