//! Games from the database: whole records, one at a time, and standings without reading the moves.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use agon_programs::program::display_path;
use agon_record::reason::EndReason;
use agon_record::{Decided, GameRecord, Host, MachineLoad, SeatRecord, Verdict, VoidReason};
use agon_seats::{PerSeat, Seat};
use agon_standings::Standings;
use agon_standings::result::{Cause, FinalResult, GameId, SeatStats, Termination};
use agon_standings::scoring::Scoring;
use agon_standings::table_plan::TablePlan;
use anyhow::{Context, Result, ensure};
use chrono::{DateTime, Utc};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{OptionalExtension, Row, params, params_from_iter};

use super::cells::plies_of_text;
use super::columns::{self, Column, ColumnTable, GameHead, SeatHead, Set};
use super::key::{GameConditions, tables_of};
use super::ranking::RankingSpec;
use super::rulings::{RuledResult, Rulings};
use super::scores::duration;
use super::stored_verdict::StoredReason;
use super::{Store, refereed, statements};

/// Which games to read. The default is every game that counts.
#[derive(Clone, Default, Debug)]
pub struct Filter {
    /// Only games of this engine.
    pub engine: Option<String>,
    /// Only lost games: lost by the engine, or by any if none is given.
    pub lost: bool,
    /// Only games lost by a fault, of the engine if one is given.
    pub by_fault: bool,
    /// Only games with this termination: `time forfeit`, `void`.
    pub termination: Option<String>,
    /// Only the game with this number.
    pub id: Option<GameId>,
    /// Only games of this round.
    pub round: Option<u32>,
    /// Also void games and history.
    pub all: bool,
}

/// A game with its other columns in the database.
pub struct Stored {
    /// Its number in the order of storage; 0 if it is in no database yet.
    pub number: i64,
    /// The game.
    pub record: GameRecord,
    /// Its key.
    pub key: i64,
    /// The run it was played in; 0 if it was imported.
    pub run: i64,
    /// Whether it counts.
    pub counts: bool,
    /// The hash of each seat's engine.
    pub hashes: PerSeat<String>,
    /// What each engine wrote to stderr.
    pub stderr: PerSeat<Vec<u8>>,
    /// How many plies each seat played, by the stored column.
    pub plies: PerSeat<u64>,
    /// The machine on which it was played, if it is known.
    pub host: Option<Host>,
}

impl Store {
    /// Calls `each` with every wanted game, in the order of the plan; history comes after the games
    /// that count.
    ///
    /// # Errors
    /// Errors of the database, a game that cannot be read, or an error of `each`.
    pub fn games(&self, filter: &Filter, mut each: impl FnMut(Stored) -> Result<()>) -> Result<()> {
        let (conditions, values) = filter.conditions(refereed::has_seat_faults(&self.db)?);
        let rulings = self.rulings()?;
        // What was decided about a game is not in its row.
        let or_ruled = match rulings.is_empty() || conditions.is_empty() {
            true => String::new(),
            false => format!("OR g.number IN {}", rulings.games()),
        };
        // The numbers are ordered first: sorting whole games would use the disk.
        let text = format!(
            "SELECT g.number FROM game g {conditions} {or_ruled} \
             ORDER BY g.current IS NULL, g.round, g.pairing, g.game, g.number"
        );
        let cannot = || format!("cannot read {}", display_path(&self.path));
        let mut numbers = self.db.prepare(&text).with_context(cannot)?;
        let mut rows = numbers.query(params_from_iter(values)).with_context(cannot)?;
        while let Some(row) = rows.next().with_context(cannot)? {
            let number = row.get(0)?;
            let mut stored = self.game_as_played(number).with_context(cannot)?;
            stored.record = rulings.applied(number, stored.record);
            if stored.record.ruling.is_none() || filter.takes(&stored) {
                each(stored)?;
            }
        }
        Ok(())
    }

    /// The game with this number in the order of storage, with the result that counts.
    pub(super) fn game(&self, number: i64) -> Result<Stored> {
        let stored = self.game_as_played(number)?;
        Ok(Stored { record: self.rulings()?.applied(number, stored.record), ..stored })
    }

    /// The game with this number in the order of storage, as it was played.
    pub(super) fn game_as_played(&self, number: i64) -> Result<Stored> {
        let queries = statements::read(&self.db)?;
        let mut heads = self.db.prepare_cached(&queries.game)?;
        let mut heads = heads.query([number])?;
        let row =
            heads.next()?.with_context(|| format!("game {number} in the order of storage is not there"))?;
        let head: GameHead = read(row, &columns::GAME)?;
        let id = head.id();
        let mut seats = self.db.prepare_cached(&queries.seats)?;
        let mut rows = seats.query([number])?;
        let (mut records, mut places, mut scores) = (Vec::new(), Vec::new(), Vec::new());
        let (mut hashes, mut stderr, mut moved) = (Vec::new(), Vec::new(), Vec::new());
        while let Some(row) = rows.next()? {
            let seat: SeatHead = read(row, &columns::SEAT)?;
            records.push(seat.own);
            hashes.push(seat.hash);
            places.push(seat.place);
            scores.push(seat.score);
            stderr.push(seat.stderr);
            moved.push(seat.plies);
        }
        ensure!(!records.is_empty(), "game {id} has no seats");
        let places: Option<Vec<u8>> = places.into_iter().collect();
        let scores: Option<Vec<i32>> = scores.into_iter().collect();
        let verdict = match (places, scores) {
            (Some(places), Some(scores)) => {
                let termination = termination(&head.ending, head.loser)?;
                Verdict::Decided(Decided {
                    places: places.into(),
                    scores: scores.into(),
                    termination,
                    reason: EndReason::of_parts(
                        head.reason,
                        StoredReason::decided(head.reason_data)?,
                        termination,
                    ),
                })
            }
            _ => Verdict::Void {
                why: VoidReason::of_parts(head.reason, StoredReason::void(head.reason_data)?),
            },
        };
        let mut records: PerSeat<SeatRecord> = records.into();
        self.read_pauses(number, &mut records)?;
        self.read_spent(number, &mut records)?;
        self.read_elsewhere(number, &mut records)?;
        Ok(Stored {
            number,
            record: GameRecord {
                id,
                rules: head.rules,
                seed: head.seed.cast_unsigned(),
                start: head.start,
                last: head.last,
                time_control: head.control,
                seats: records,
                plies: plies_of_text(&head.plies)
                    .with_context(|| format!("the moves of game {id} cannot be read"))?,
                verdict,
                isolation: head.isolation,
                machine: MachineLoad { load: head.load, pressure: head.pressure },
                referee: self.refereed(number)?,
                ruling: None,
                started: DateTime::<Utc>::from_timestamp_nanos(head.started),
                finished: DateTime::<Utc>::from_timestamp_nanos(head.finished),
            },
            key: head.key,
            run: head.run,
            counts: head.counts,
            hashes: hashes.into(),
            stderr: stderr.into(),
            plies: moved.into(),
            host: self.host_of(number)?,
        })
    }

    /// The tables of the last run; before the first run those of a round robin, or of the imported
    /// games.
    ///
    /// # Errors
    /// Errors of the database, or the stored conditions cannot be read.
    pub fn tables(&self) -> Result<TablePlan> {
        let last: Option<i64> = self.db.query_row("SELECT max(number) FROM run", [], |row| row.get(0))?;
        let terms = last.map(|run| self.terms(run)).transpose()?.flatten();
        match terms {
            Some(terms) => Ok(tables_of(&terms)),
            None => Ok(TablePlan { seats: self.imported_seats()?, ..TablePlan::ROUND_ROBIN }),
        }
    }

    /// The points of the last run; before the first run those of the imported games.
    ///
    /// # Errors
    /// Errors of the database, the stored text cannot be read, or nothing says what imported games
    /// count.
    pub fn points(&self) -> Result<Scoring> {
        let read = || -> Result<Scoring> {
            let points: Option<String> = self
                .db
                .query_row("SELECT points FROM run ORDER BY number DESC LIMIT 1", [], |row| row.get(0))
                .optional()?;
            let Some(points) = points else { return self.imported_points() };
            Scoring::read(&points, self.tables()?.seats).context("the points of the last run")
        };
        read().with_context(|| format!("cannot read {}", display_path(&self.path)))
    }

    /// The standings of all games that count. Entrants of the last run are listed even without
    /// games.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn standings(&self, points: Scoring) -> Result<Standings> {
        self.count(points, |empty| self.add_up(empty, "g.current = 1", &self.repeats()?, &self.rulings()?))
            .with_context(|| format!("cannot read {}", display_path(&self.path)))
    }

    /// The standings, where `add_up` adds the games that count to empty ones.
    pub(super) fn count(
        &self,
        points: Scoring,
        add_up: impl FnOnce(Standings) -> Result<Standings>,
    ) -> Result<Standings> {
        let mut standings = Standings::new(points, self.entrants()?);
        let ranking = self.ranking()?;
        let mut stage = None;
        if let Some(RankingSpec { tiebreaks, stage: spec }) = &ranking {
            standings.break_ties(tiebreaks);
            stage =
                spec.as_ref().map(|spec| self.derived(spec, tiebreaks, points.between_two())).transpose()?;
        }
        if let Some(stage) = &stage {
            standings.of_stage(&stage.groups());
        }
        let mut standings = add_up(standings)?;
        for (entrant, attempts) in self.voids()? {
            standings.add_voids(&entrant, attempts);
        }
        // Those of a stage follow from its results, as its ranks do. What is stored may be of a
        // round before, where a run was killed between two.
        let byes = match &stage {
            Some(stage) => stage.byes().into_iter().map(|(name, byes)| (name.to_owned(), byes)).collect(),
            None => self.byes()?,
        };
        if !byes.is_empty() {
            standings.swiss(byes);
        }
        self.with_unplayed(&mut standings, stage.as_ref())?;
        if let Some(stage) = stage {
            standings.place(&stage.orders());
        }
        Ok(standings)
    }

    /// Adds the games `g` that meet `condition`, without those whose number is in `left_out`, with
    /// the results of these decisions.
    pub(super) fn add_up(
        &self,
        mut standings: Standings,
        condition: &str,
        left_out: &HashSet<i64>,
        rulings: &Rulings,
    ) -> Result<Standings> {
        let own_fault = match refereed::has_seat_faults(&self.db)? {
            true => "(SELECT cause FROM seat_fault f WHERE f.game = g.number AND f.seat = s.seat)",
            false => "NULL",
        };
        // Names are looked up once and not in each row: there may be hundreds of thousands of rows.
        let names = self.texts("SELECT id, name FROM engine")?;
        let endings = self.texts("SELECT id, text FROM word WHERE id IN (SELECT ending FROM game)")?;
        let text = |texts: &HashMap<i64, Arc<str>>, id: i64| {
            texts.get(&id).cloned().with_context(|| format!("the text of number {id} is missing"))
        };
        let mut rows = self.db.prepare(&format!(
            "SELECT g.number, g.ending, g.loser, s.engine, s.place, s.score, s.plies, s.time, s.longest, g.round, g.pairing, g.game, s.seat, {own_fault} \
             FROM game g JOIN seat s ON s.game = g.number WHERE {condition} ORDER BY g.number, s.seat",
        ))?;
        let mut rows = rows.query([])?;
        let mut number = None;
        let mut game: Vec<SeatSum> = Vec::new();
        let mut how = Termination::Normal;
        let mut id = GameId { round: 0, pairing: 0, game: 0 };
        let mut add = |number: Option<i64>, game: &mut Vec<SeatSum>, how: Termination, id: GameId| {
            let Some(number) = number.filter(|_| !game.is_empty()) else { return Ok(()) };
            let places: Vec<Option<u8>> = game.iter().map(|(_, place, _)| *place).collect();
            let scores: Vec<Option<i32>> = game.iter().map(|(.., score)| *score).collect();
            let mut seen: Vec<SeatStats<Arc<str>>> = game.drain(..).map(|(seen, ..)| seen).collect();
            let result = match rulings.result(number, &places, &scores) {
                Some(RuledResult::Nothing) => {
                    standings.add_for_nobody();
                    return Ok(());
                }
                Some(RuledResult::Counts(result)) => {
                    seen.iter_mut().for_each(|seat| seat.fault = None);
                    result
                }
                None => {
                    let all =
                        places.into_iter().collect::<Option<Vec<u8>>>().zip(scores.into_iter().collect());
                    let (places, scores): (Vec<u8>, Vec<i32>) =
                        all.with_context(|| format!("game {id} counts and has no result"))?;
                    FinalResult { places: places.into(), scores: scores.into(), termination: how }
                }
            };
            standings.add_decided(id, &seen.into(), &result);
            Ok::<(), anyhow::Error>(())
        };
        while let Some(row) = rows.next()? {
            let this: i64 = row.get(0)?;
            if left_out.contains(&this) {
                continue;
            }
            if number != Some(this) {
                add(number.replace(this), &mut game, how, id)?;
                id = GameId { round: row.get(9)?, pairing: row.get(10)?, game: row.get(11)? };
                how = match &*text(&endings, row.get(1)?)? {
                    // Only a decision lets it count.
                    "void" => Termination::Decision,
                    word => termination(word, row.get::<_, Option<usize>>(2)?)?,
                };
            }
            let seen = SeatStats {
                entrant: text(&names, row.get(3)?)?,
                plies: row.get(6)?,
                time: duration(row, 7)?,
                longest: duration(row, 8)?,
                fault: match row.get_ref(13)?.as_str_or_null()? {
                    Some(name) => Some(cause(name)?),
                    None => how.fault_of(Seat::new(row.get::<_, u8>(12)?.into())),
                },
            };
            game.push((seen, row.get(4)?, row.get(5)?));
        }
        add(number, &mut game, how, id)?;
        Ok(standings)
    }

    /// Texts by their numbers.
    fn texts(&self, query: &str) -> Result<HashMap<i64, Arc<str>>> {
        let mut rows = self.db.prepare(query)?;
        let rows = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The engines with void attempts in the last run, with their number.
    fn voids(&self) -> Result<Vec<(String, u64)>> {
        let mut rows = self.db.prepare(
            "SELECT engine.name, count(*) FROM game g JOIN seat s ON s.game = g.number \
             JOIN engine ON engine.id = s.engine \
             WHERE g.ending = (SELECT id FROM word WHERE text = 'void') AND g.current IS NULL \
             AND g.run = (SELECT max(number) FROM run) GROUP BY engine.name",
        )?;
        let rows = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The byes of each entrant of a Swiss; empty in other formats.
    pub(super) fn byes(&self) -> Result<Vec<(String, u64)>> {
        let mut rows = self.db.prepare("SELECT name, byes FROM swiss ORDER BY name")?;
        let rows = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The names of the entrants of the last run, in the order of its plan.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn entrants(&self) -> Result<Vec<String>> {
        let mut names = self.db.prepare(
            "SELECT name FROM entrant JOIN engine ON id = engine \
             WHERE run = (SELECT max(number) FROM run) ORDER BY place",
        )?;
        let names = names.query_map([], |row| row.get(0))?;
        Ok(names.collect::<Result<_, _>>()?)
    }

    /// The names of all engines in the database.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn names(&self) -> Result<Vec<String>> {
        let mut names = self.db.prepare("SELECT DISTINCT name FROM engine ORDER BY name")?;
        let names = names.query_map([], |row| row.get(0))?;
        Ok(names.collect::<Result<_, _>>()?)
    }

    /// The path that named this engine in the latest run that had it.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn source(&self, name: &str) -> Result<Option<String>> {
        let mut rows = self.db.prepare(
            "SELECT source FROM engine JOIN entrant ON engine = id WHERE name = ?1 ORDER BY run DESC LIMIT 1",
        )?;
        let mut rows = rows.query([name])?;
        Ok(rows.next()?.map(|row| row.get(0)).transpose()?)
    }

    /// The conditions of a run; `None` if there is no such run.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn terms(&self, run: i64) -> Result<Option<GameConditions>> {
        let mut rows = self.db.prepare_cached("SELECT terms FROM run WHERE number = ?1")?;
        let mut rows = rows.query([run])?;
        let Some(row) = rows.next()? else { return Ok(None) };
        Ok(Some(serde_json::from_str(row.get_ref(0)?.as_str()?)?))
    }

    /// A file that games need, by its hash.
    ///
    /// # Errors
    /// Errors of the database, or the file is missing.
    pub fn supply(&self, hash: &str) -> Result<Vec<u8>> {
        self.db.query_row("SELECT bytes FROM supply WHERE hash = ?1", [hash], |row| row.get(0)).with_context(
            || format!("{}: a file that the games need is missing in it", display_path(&self.path)),
        )
    }

    /// The stored file of this name whose hash begins with `hash`, if there is exactly one.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn supply_of(&self, name: &str, hash: &str) -> Result<Option<Vec<u8>>> {
        let mut rows = self
            .db
            .prepare("SELECT bytes FROM supply WHERE name = ?1 AND substr(hash, 1, length(?2)) = ?2")?;
        let mut found = rows.query_map([name, hash], |row| row.get(0))?;
        let only = found.next().transpose()?;
        Ok(if found.next().is_some() { None } else { only })
    }

    /// The average time from one game's end to the next, over the last games of the last run;
    /// `None` before there are two.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn pace(&self) -> Result<Option<Duration>> {
        let found: (u32, Option<i64>) = self.db.query_row(
            "SELECT count(*), max(finished) - min(finished) FROM (SELECT finished FROM game \
             WHERE run = (SELECT max(number) FROM run) ORDER BY number DESC LIMIT 50)",
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        let (games, Some(nanos)) = found else { return Ok(None) };
        let span = Duration::from_nanos(u64::try_from(nanos).unwrap_or(0));
        Ok((games > 1).then(|| span / (games - 1)))
    }

    /// How many games count, are void, and are history.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn counts(&self) -> Result<(u64, u64, u64)> {
        let counts = self.db.query_row(
            "SELECT count(current), count(*) FILTER (WHERE text = 'void' AND current IS NULL), count(*) FROM game \
             JOIN word ON id = ending",
            params![],
            |row| Ok((row.get::<_, u64>(0)?, row.get::<_, u64>(1)?, row.get::<_, u64>(2)?)),
        )?;
        let (current, void, all) = counts;
        Ok((current, void, all - current - void))
    }
}

/// In SQL: the seat `s` lost the game `g` by a fault that ended it.
const LOST_BY_FAULT: &str = "(s.seat = g.loser AND g.ending <> \
    (SELECT ifnull(max(id), 0) FROM word WHERE text = 'resignation'))";
/// In SQL: the seat `s` had a fault, and the game may have gone on.
const OWN_FAULT: &str = "EXISTS (SELECT 1 FROM seat_fault f WHERE f.game = s.game AND f.seat = s.seat)";

impl Filter {
    /// Whether it takes a game about which the organiser has decided. Its fault is that of the game
    /// as played.
    fn takes(&self, stored: &Stored) -> bool {
        let record = &stored.record;
        let played = record.clone().as_played();
        let word = record.decided().map_or("void".to_owned(), |decided| decided.termination.to_string());
        let is_wanted = |(seat, own): &(Seat, &SeatRecord)| {
            let has_lost = |record: &GameRecord| record.decided().is_some_and(|own| own.places[*seat] > 1);
            self.engine.as_ref().is_none_or(|engine| own.entrant == *engine)
                && (!self.lost || has_lost(record))
                && (!self.by_fault || has_lost(&played) && played.cause_of(*seat).is_some())
        };
        (stored.counts || self.all || self.termination.as_deref() == Some("void"))
            && record.seats.iter().any(|seat| is_wanted(&seat))
            && self.termination.as_ref().is_none_or(|wanted| *wanted == word)
            && self.round.is_none_or(|round| record.id.round == round)
            && self.id.is_none_or(|id| record.id == id)
    }

    /// With `seat_faults`, faults of single seats are stored in a table of their own.
    fn conditions(&self, seat_faults: bool) -> (String, Vec<Value>) {
        let mut conditions = Vec::new();
        let mut values = Vec::new();
        let mut value = |value: Value| {
            values.push(value);
            values.len()
        };
        if !self.all && self.termination.as_deref() != Some("void") {
            conditions.push("g.current = 1".to_owned());
        }
        let of_engine = self.engine.as_ref().map(|engine| {
            let number = value(Value::Text(engine.clone()));
            format!("AND s.engine IN (SELECT id FROM engine WHERE name = ?{number})")
        });
        if self.engine.is_some() || self.lost || self.by_fault {
            let lost = if self.lost { "AND s.place > 1" } else { "" };
            let fault = match (self.by_fault, seat_faults) {
                (false, _) => String::new(),
                (true, false) => format!("AND {LOST_BY_FAULT}"),
                (true, true) => format!("AND s.place > 1 AND ({LOST_BY_FAULT} OR {OWN_FAULT})"),
            };
            let of_engine = of_engine.as_deref().unwrap_or_default();
            conditions.push(format!(
                "EXISTS (SELECT 1 FROM seat s WHERE s.game = g.number {of_engine} {lost} {fault})"
            ));
        }
        if let Some(termination) = &self.termination {
            let number = value(Value::Text(termination.clone()));
            let ended = format!("g.ending = (SELECT id FROM word WHERE text = ?{number})");
            let of_engine = of_engine.as_deref().unwrap_or_default();
            conditions.push(match seat_faults {
                false => ended,
                true => format!(
                    "({ended} OR EXISTS (SELECT 1 FROM seat_fault f JOIN seat s ON s.game = f.game AND s.seat = f.seat \
                     WHERE f.game = g.number AND f.cause = ?{number} {of_engine}))"
                ),
            });
        }
        if let Some(round) = self.round {
            let number = value(Value::Integer(round.into()));
            conditions.push(format!("g.round = ?{number}"));
        }
        if let Some(id) = self.id {
            for (column, part) in [("round", id.round), ("pairing", id.pairing), ("game", id.game)] {
                let number = value(Value::Integer(i64::from(part)));
                conditions.push(format!("g.{column} = ?{number}"));
            }
        }
        let text =
            if conditions.is_empty() { String::new() } else { format!("WHERE {}", conditions.join(" AND ")) };
        (text, values)
    }
}

/// A seat of a game that is added to standings, with its place and score as played.
type SeatSum = (SeatStats<Arc<str>>, Option<u8>, Option<i32>);

/// A row of a query of these columns.
fn read<Head: Default, Get>(row: &Row<'_>, columns: &[Column<Get, Set<Head>>]) -> Result<Head> {
    let mut head = Head::default();
    for (at, column) in columns.iter().enumerate() {
        let value = row.get_ref(at)?;
        // Most seats have no row in the table of logs.
        let may_lack = column.may_lack || column.table == ColumnTable::Log;
        ensure!(may_lack || value != ValueRef::Null, "the column {} is missing", column.name);
        (column.set)(&mut head, value)
            .with_context(|| format!("the column {} cannot be read", column.name))?;
    }
    Ok(head)
}

fn termination(word: &str, loser: Option<usize>) -> Result<Termination> {
    let loser = loser.map(u8::try_from).transpose().context("no game has so many seats")?;
    let loser = loser.map(|seat| Seat::new(seat.into()));
    Ok(match (word, loser) {
        ("normal", None) => Termination::Normal,
        ("adjudication", None) => Termination::Adjudication,
        ("decision", None) => Termination::Decision,
        ("resignation", Some(seat)) => Termination::Resignation(seat),
        (name, Some(seat)) => Termination::Forfeit(seat, cause(name)?),
        (name, None) => anyhow::bail!("the loser by {name} is missing"),
    })
}

fn cause(name: &str) -> Result<Cause> {
    let cause = Cause::ALL.into_iter().find(|cause| cause.name() == name);
    cause.with_context(|| format!("there is no termination {name}"))
}
