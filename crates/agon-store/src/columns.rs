//! The columns of a stored game: its own and those of each seat, in two lists.
//!
//! Writing, the chain of hashes and reading go through these lists, by the statements of
//! `statements.rs`, and a test compares them with `schema.sql`. A new fact is a column here and one
//! in the schema.

use std::borrow::Cow;
use std::time::Duration;

use agon_record::{GameRecord, Isolated, SeatRecord, Traffic, Usage};
use agon_seats::{PerSeat, Seat};
use agon_standings::result::GameId;
use anyhow::Result;
use rusqlite::types::ValueRef;

use super::cells::{
    StoredCell, micros, nanos, number_of, plies_text, put, share, take, take_json, take_micros, traffic,
    traffic_of, unanswered, unanswered_of, usage, usage_of, whole,
};
use super::repeats::course_of;
use super::stored_verdict::{self, StoredReason};
use super::{times, upgrade};

/// The tables that have these columns. A row of each belongs to a game or to one of its seats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ColumnTable {
    Game,
    Moves,
    Seat,
    /// Only of a seat whose engine wrote to stderr or lost by a fault.
    Log,
    /// The engine of a seat in its version, which many games share.
    Engine,
}

/// How a value is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ColumnKind {
    Number,
    Text,
    Bytes,
    /// A text that many games share: the column has its number in the table `word`.
    Word,
    /// The number of an engine, whose name is the value.
    Engine,
}

/// A column of a stored game.
#[derive(Clone, Copy)]
pub(super) struct Column<Get, Set> {
    pub(super) table: ColumnTable,
    /// Its name in its table and in the chain.
    pub(super) name: &'static str,
    pub(super) kind: ColumnKind,
    /// Whether it may be NULL. The chain leaves such a value out.
    pub(super) may_lack: bool,
    /// Whether the chain has it. What may change later is in the selections.
    pub(super) in_chain: bool,
    /// The version of the schema that has added it. Before, it was NULL.
    pub(super) since: i64,
    /// Its value, from the record.
    pub(super) get: Get,
    /// Notes a value that was read.
    pub(super) set: Set,
}

type GameGet = for<'a> fn(&GameFacts<'a>) -> Result<StoredCell<'a>>;
type GameSet = Set<GameHead>;
type SeatGet = for<'a> fn(&SeatFacts<'a>) -> Result<StoredCell<'a>>;
type SeatSet = Set<SeatHead>;

/// Notes a value of a column that was read.
pub(super) type Set<Head> = fn(&mut Head, ValueRef<'_>) -> Result<()>;

/// A column of which a game has one value.
pub(super) type GameColumn = Column<GameGet, GameSet>;
/// A column of which each seat has a value.
pub(super) type SeatColumn = Column<SeatGet, SeatSet>;

const fn of_game(
    table: ColumnTable,
    name: &'static str,
    kind: ColumnKind,
    get: GameGet,
    set: GameSet,
) -> GameColumn {
    Column { table, name, kind, may_lack: false, in_chain: true, since: upgrade::OLDEST, get, set }
}

const fn of_seat(
    table: ColumnTable,
    name: &'static str,
    kind: ColumnKind,
    get: SeatGet,
    set: SeatSet,
) -> SeatColumn {
    Column { table, name, kind, may_lack: false, in_chain: true, since: upgrade::OLDEST, get, set }
}

impl<Get: Copy, Set: Copy> Column<Get, Set> {
    const fn may_lack(self) -> Self {
        Column { may_lack: true, ..self }
    }

    const fn since(self, version: i64) -> Self {
        Column { since: version, ..self }
    }

    const fn may_change(self) -> Self {
        Column { in_chain: false, ..self }
    }
}

/// A game that is to be stored.
pub(super) struct GameFacts<'a> {
    pub(super) record: &'a GameRecord,
    pub(super) key: i64,
    pub(super) run: i64,
    pub(super) counts: bool,
}

/// A seat of it.
pub(super) struct SeatFacts<'a> {
    pub(super) record: &'a GameRecord,
    pub(super) own: &'a SeatRecord,
    pub(super) seat: Seat,
    /// The hash of its engine.
    pub(super) hash: &'a str,
    pub(super) stderr: &'a [u8],
}

impl SeatFacts<'_> {
    /// Whether there is anything for the table `log`.
    pub(super) fn has_log(&self) -> bool {
        !self.stderr.is_empty() || self.own.evidence.is_some()
    }
}

/// The columns of a game that was read.
#[derive(Default)]
pub(super) struct GameHead {
    pub(super) key: i64,
    pub(super) counts: bool,
    pub(super) run: i64,
    pub(super) id: [u32; 3],
    pub(super) rules: String,
    pub(super) control: String,
    pub(super) seed: i64,
    pub(super) ending: String,
    pub(super) loser: Option<usize>,
    pub(super) reason: String,
    pub(super) reason_data: Option<StoredReason>,
    pub(super) started: i64,
    pub(super) finished: i64,
    pub(super) load: Option<f64>,
    pub(super) isolation: Option<Isolated>,
    pub(super) pressure: Option<f64>,
    pub(super) start: String,
    pub(super) last: String,
    pub(super) plies: String,
}

impl GameHead {
    /// The number of the game in its plan.
    pub(super) fn id(&self) -> GameId {
        let [round, pairing, game] = self.id;
        GameId { round, pairing, game }
    }
}

/// The columns of a seat that was read.
pub(super) struct SeatHead {
    pub(super) own: SeatRecord,
    pub(super) seat: i64,
    pub(super) hash: String,
    pub(super) place: Option<u8>,
    pub(super) score: Option<i32>,
    pub(super) plies: u64,
    pub(super) stderr: Vec<u8>,
}

impl Default for SeatHead {
    fn default() -> Self {
        let own = SeatRecord {
            side: String::new(),
            entrant: String::new(),
            time_control: String::new(),
            time: Duration::ZERO,
            longest: Duration::ZERO,
            startup: Duration::ZERO,
            lateness: Duration::ZERO,
            traffic: Traffic::default(),
            exit: None,
            stragglers: 0,
            usage: Usage::default(),
            evidence: None,
            unanswered: None,
            pauses: Vec::new(),
            spent: Vec::new(),
            elsewhere: None,
        };
        let (hash, stderr) = (String::new(), Vec::new());
        SeatHead { own, seat: 0, hash, place: None, score: None, plies: 0, stderr }
    }
}

use ColumnKind::{Bytes, Engine, Number, Text, Word};
use ColumnTable::{Game, Log, Moves};

/// The columns of a game, in the order in which the chain takes them.
pub(super) const GAME: [GameColumn; 22] = [
    of_game(
        Game,
        "key",
        Number,
        |game| StoredCell::number(game.key),
        |head, value| take(&mut head.key, value),
    ),
    of_game(
        Game,
        "current",
        Number,
        |game| StoredCell::maybe_number(game.counts.then_some(1)),
        |head, value| put(&mut head.counts, value != ValueRef::Null),
    )
    .may_lack()
    .may_change(),
    of_game(
        Game,
        "run",
        Number,
        |game| StoredCell::number(game.run),
        |head, value| take(&mut head.run, value),
    ),
    of_game(
        Game,
        "round",
        Number,
        |game| StoredCell::number(game.record.id.round),
        |head, value| take(&mut head.id[0], value),
    )
    .may_change(),
    of_game(
        Game,
        "pairing",
        Number,
        |game| StoredCell::number(game.record.id.pairing),
        |head, value| take(&mut head.id[1], value),
    )
    .may_change(),
    of_game(
        Game,
        "game",
        Number,
        |game| StoredCell::number(game.record.id.game),
        |head, value| take(&mut head.id[2], value),
    )
    .may_change(),
    of_game(
        Game,
        "rules",
        Word,
        |game| StoredCell::text(&game.record.rules),
        |head, value| take(&mut head.rules, value),
    ),
    of_game(
        Game,
        "control",
        Word,
        |game| StoredCell::maybe_text(Some(times::stored(&game.record.time_control)?)),
        |head, value| put(&mut head.control, times::told(value.as_str()?)?),
    ),
    of_game(
        Game,
        "seed",
        Number,
        |game| StoredCell::number(game.record.seed.cast_signed()),
        |head, value| take(&mut head.seed, value),
    ),
    of_game(
        Game,
        "ending",
        Word,
        |game| StoredCell::maybe_text(Some(stored_verdict::ending(&game.record.verdict))),
        |head, value| take(&mut head.ending, value),
    ),
    of_game(
        Game,
        "loser",
        Number,
        |game| StoredCell::maybe_number(stored_verdict::loser(&game.record.verdict).map(number_of)),
        |head, value| take(&mut head.loser, value),
    )
    .may_lack(),
    of_game(
        Game,
        "reason",
        Text,
        |game| StoredCell::text(stored_verdict::reason(&game.record.verdict)),
        |head, value| take(&mut head.reason, value),
    ),
    of_game(
        Game,
        "started",
        Number,
        |game| StoredCell::number(nanos(game.record.started)),
        |head, value| take(&mut head.started, value),
    ),
    of_game(
        Game,
        "finished",
        Number,
        |game| StoredCell::number(nanos(game.record.finished)),
        |head, value| take(&mut head.finished, value),
    ),
    of_game(
        Game,
        "load",
        Number,
        |game| StoredCell::maybe_number(whole(game.record.machine.load, 100.0)),
        |head, value| put(&mut head.load, share(value, 100.0)?),
    )
    .may_lack(),
    of_game(
        Game,
        "isolation",
        Word,
        |game| StoredCell::maybe_text(game.record.isolation.as_ref().map(serde_json::to_string).transpose()?),
        |head, value| take_json(&mut head.isolation, value),
    )
    .may_lack(),
    of_game(
        Game,
        "pressure",
        Number,
        |game| StoredCell::maybe_number(whole(game.record.machine.pressure, 1000.0)),
        |head, value| put(&mut head.pressure, share(value, 1000.0)?),
    )
    .may_lack(),
    of_game(
        Game,
        "reason_data",
        Text,
        |game| StoredCell::maybe_text(stored_verdict::reason_data(&game.record.verdict)?),
        |head, value| take_json(&mut head.reason_data, value),
    )
    .may_lack()
    .since(9),
    of_game(
        Game,
        "course",
        Bytes,
        |game| {
            Ok(course_of(game.record)
                .map_or(StoredCell::Null, |course| StoredCell::Bytes(course.to_vec().into())))
        },
        |_, _| Ok(()),
    )
    .may_lack()
    .may_change()
    .since(9),
    of_game(
        Moves,
        "start",
        Text,
        |game| StoredCell::text(&game.record.start),
        |head, value| take(&mut head.start, value),
    ),
    of_game(
        Moves,
        "last",
        Text,
        |game| StoredCell::text(&game.record.last),
        |head, value| take(&mut head.last, value),
    ),
    of_game(
        Moves,
        "plies",
        Text,
        |game| StoredCell::maybe_text(Some(plies_text(&game.record.plies))),
        |head, value| take(&mut head.plies, value),
    ),
];

/// The columns of a seat, in the order in which the chain takes them.
pub(super) const SEAT: [SeatColumn; 19] = [
    of_seat(
        ColumnTable::Seat,
        "seat",
        Number,
        |seat| StoredCell::number(number_of(seat.seat)),
        |head, value| take(&mut head.seat, value),
    ),
    of_seat(
        ColumnTable::Seat,
        "engine",
        Engine,
        |seat| StoredCell::text(&seat.own.entrant),
        |head, value| take(&mut head.own.entrant, value),
    ),
    of_seat(
        ColumnTable::Engine,
        "hash",
        Text,
        |seat| StoredCell::text(seat.hash),
        |head, value| take(&mut head.hash, value),
    ),
    of_seat(
        ColumnTable::Seat,
        "side",
        Word,
        |seat| StoredCell::text(&seat.own.side),
        |head, value| take(&mut head.own.side, value),
    ),
    of_seat(
        ColumnTable::Seat,
        "control",
        Word,
        |seat| StoredCell::maybe_text(Some(times::stored(&seat.own.time_control)?)),
        |head, value| put(&mut head.own.time_control, times::told(value.as_str()?)?),
    ),
    of_seat(
        ColumnTable::Seat,
        "place",
        Number,
        |seat| StoredCell::maybe_number(seat.record.decided().map(|decided| decided.places[seat.seat])),
        |head, value| take(&mut head.place, value),
    )
    .may_lack(),
    of_seat(
        ColumnTable::Seat,
        "score",
        Number,
        |seat| StoredCell::maybe_number(seat.record.decided().map(|decided| decided.scores[seat.seat])),
        |head, value| take(&mut head.score, value),
    )
    .may_lack(),
    of_seat(
        ColumnTable::Seat,
        "plies",
        Number,
        |seat| StoredCell::number(plies_of(seat.record, seat.seat)),
        |head, value| take(&mut head.plies, value),
    ),
    of_seat(
        ColumnTable::Seat,
        "time",
        Number,
        |seat| StoredCell::number(micros(seat.own.time)),
        |head, value| take_micros(&mut head.own.time, value),
    ),
    of_seat(
        ColumnTable::Seat,
        "longest",
        Number,
        |seat| StoredCell::number(micros(seat.own.longest)),
        |head, value| take_micros(&mut head.own.longest, value),
    ),
    of_seat(
        ColumnTable::Seat,
        "startup",
        Number,
        |seat| StoredCell::number(micros(seat.own.startup)),
        |head, value| take_micros(&mut head.own.startup, value),
    ),
    of_seat(
        ColumnTable::Seat,
        "lateness",
        Number,
        |seat| StoredCell::number(micros(seat.own.lateness)),
        |head, value| take_micros(&mut head.own.lateness, value),
    ),
    of_seat(
        ColumnTable::Seat,
        "traffic",
        Text,
        |seat| StoredCell::maybe_text(Some(traffic(&seat.own.traffic)?)),
        |head, value| put(&mut head.own.traffic, traffic_of(value.as_str()?)?),
    ),
    of_seat(
        ColumnTable::Seat,
        "exit",
        Text,
        |seat| StoredCell::maybe_text(seat.own.exit.map(|exit| serde_json::to_string(&exit)).transpose()?),
        |head, value| take_json(&mut head.own.exit, value),
    )
    .may_lack(),
    of_seat(
        ColumnTable::Seat,
        "stragglers",
        Number,
        |seat| StoredCell::number(seat.own.stragglers),
        |head, value| take(&mut head.own.stragglers, value),
    ),
    of_seat(
        ColumnTable::Seat,
        "usage",
        Text,
        |seat| StoredCell::maybe_text(usage(&seat.own.usage)?),
        |head, value| put(&mut head.own.usage, usage_of(value.as_str_or_null()?)?),
    )
    .may_lack(),
    of_seat(
        ColumnTable::Seat,
        "unanswered",
        Text,
        |seat| StoredCell::maybe_text(seat.own.unanswered.map(unanswered).transpose()?),
        |head, value| put(&mut head.own.unanswered, value.as_str_or_null()?.map(unanswered_of).transpose()?),
    )
    .may_lack(),
    of_seat(
        Log,
        "stderr",
        Bytes,
        |seat| {
            Ok(if seat.has_log() { StoredCell::Bytes(Cow::Borrowed(seat.stderr)) } else { StoredCell::Null })
        },
        |head, value| put(&mut head.stderr, value.as_blob_or_null()?.unwrap_or_default().to_owned()),
    ),
    of_seat(
        Log,
        "evidence",
        Text,
        |seat| StoredCell::maybe_text(seat.own.evidence.as_ref().map(serde_json::to_string).transpose()?),
        |head, value| take_json(&mut head.own.evidence, value),
    )
    .may_lack(),
];

fn plies_of(record: &GameRecord, seat: Seat) -> i64 {
    let own = record.plies.iter().filter(|ply| ply.seat == seat);
    i64::try_from(own.count()).expect("a game has fewer than 2^63 plies")
}

/// The game of a record is that of all its seats.
pub(super) fn facts_of_seats<'a>(
    record: &'a GameRecord,
    hashes: &'a PerSeat<String>,
    stderr: &'a PerSeat<Vec<u8>>,
) -> impl Iterator<Item = SeatFacts<'a>> {
    record.seats.iter().map(move |(seat, own)| SeatFacts {
        record,
        own,
        seat,
        hash: &hashes[seat],
        stderr: &stderr[seat],
    })
}
