//! The events of a run as lines of JSON, for programs that watch it.
//!
//! This is a stable interface: every line is an object with the key `event`; keys may be added, and
//! none changes its meaning. The events are `run_started`, `game_started`, `move`, `public`,
//! `scores`, `game_over`, `standings` and `run_over`. `docs/events.md` describes them with
//! examples.

use std::io::Write;

use agon_games::PerSeat;
use agon_printable::harmless_json;
use agon_standings::table::Row;
use anyhow::Context;
use chrono::{DateTime, Utc};
use serde::ser::Error;
use serde::{Serialize, Serializer};

use crate::hosted::public_lines;
use crate::record::{GameId, GameRecord, Ply};

/// One event of a run.
#[derive(Serialize, Debug)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event<'a> {
    /// The run begins.
    RunStarted {
        /// The version of agon.
        agon: &'a str,
        /// The game and its options.
        game: &'a str,
        /// The seed of all boards. In games of a referee program it would tell secrets, such as the
        /// cards, so it is left out.
        #[serde(skip_serializing_if = "Option::is_none")]
        seed: Option<u64>,
        /// The entrants in the order of the plan.
        entrants: Vec<&'a str>,
        /// How many games are planned.
        games: u64,
        /// The time control.
        time_control: String,
        /// The time of the event.
        at: DateTime<Utc>,
    },
    /// A game begins.
    GameStarted {
        /// The game, `r01-p0001-g01`.
        id: String,
        /// The entrants in order of play.
        entrants: Vec<&'a str>,
        /// The seed of its board; left out as the seed of the run.
        #[serde(skip_serializing_if = "Option::is_none")]
        board_seed: Option<u64>,
    },
    /// A seat has moved.
    Move {
        /// The game.
        id: String,
        /// The ply, from 1.
        ply: usize,
        /// The move with its side letter.
        text: &'a str,
        /// The points of the move.
        points: i32,
        /// From the question to the newline of the answer, in microseconds.
        micros: u128,
    },
    /// The referee program of a game has published a line.
    Public {
        /// The game.
        id: String,
        /// The line, escaped.
        text: &'a str,
    },
    /// The referee program of a game has changed the running scores.
    Scores {
        /// The game.
        id: String,
        /// The score of each seat, in order of play.
        scores: &'a PerSeat<i32>,
    },
    /// A game has ended. The event holds its whole record, with the evidence if a fault lost it.
    GameOver {
        /// The game.
        id: String,
        /// `1-0`, `0-1`, `1/2-1/2`, or `*` for a void game.
        result: String,
        /// The result in the form of the game: `73-72`, `13(W)-8(L)`.
        result_text: String,
        /// The record. In a game of a referee program the seed is left out, as that of the run is.
        /// Everything that tells the secrets of the games of this board is left out with it: see
        /// [`without_secrets`].
        #[serde(serialize_with = "without_secrets")]
        record: &'a GameRecord,
    },
    /// The standings, after the last game.
    Standings {
        /// One row per entrant, the best first.
        rows: Vec<StandingRow<'a>>,
    },
    /// The run ends.
    RunOver {
        /// Games that count.
        games: u64,
        /// Games that stayed void.
        void: u64,
        /// Whether it was stopped before its plan was done.
        stopped: bool,
    },
}

/// A record without what would tell the secrets of other games with the same seed. These are the
/// seed, what one seat was told, what the referee has noted, and evidence with such lines.
fn without_secrets<S: Serializer>(record: &&GameRecord, to: S) -> Result<S::Ok, S::Error> {
    if record.referee.is_none() {
        return record.serialize(to);
    }
    let mut shown = (*record).clone();
    if let Some(referee) = &mut shown.referee {
        referee.lines = public_lines(&referee.lines, record.seats.len());
        referee.stderr.clear();
    }
    shown.seats.iter_mut().for_each(|(_, seat)| seat.evidence = None);
    let mut value = serde_json::to_value(shown).map_err(S::Error::custom)?;
    if let Some(keys) = value.as_object_mut() {
        keys.remove("seed");
    }
    value.serialize(to)
}

/// One row of the standings.
#[derive(Serialize, Debug)]
pub struct StandingRow<'a> {
    rank: usize,
    engine: &'a str,
    games: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    points: f64,
    score_for: i64,
    score_against: i64,
    forfeits: u64,
}

impl<'a> From<&'a Row> for StandingRow<'a> {
    fn from(row: &'a Row) -> Self {
        let total = row.tally.total();
        StandingRow {
            rank: row.rank,
            engine: &row.entrant,
            games: total.games(),
            wins: total.wins,
            draws: total.draws,
            losses: total.losses,
            points: row.points.to_f64(),
            score_for: row.tally.score_for,
            score_against: row.tally.score_against,
            forfeits: row.tally.losses.forfeits(),
        }
    }
}

impl<'a> Event<'a> {
    /// The event for a move of a game.
    pub fn of_ply(id: GameId, number: usize, ply: &'a Ply) -> Self {
        Event::Move {
            id: id.to_string(),
            ply: number,
            text: &ply.text,
            points: ply.points,
            micros: ply.time.as_micros(),
        }
    }
}

/// The writer of events.
pub struct Events(Box<dyn Write + Send>);

impl Events {
    /// Events to a writer. Each is a single write, so that a reader never sees half a line.
    pub fn to(writer: Box<dyn Write + Send>) -> Self {
        Events(writer)
    }

    /// Writes one event.
    ///
    /// # Errors
    /// The writer's own.
    pub fn send(&mut self, event: &Event<'_>) -> anyhow::Result<()> {
        let mut line = harmless_json(serde_json::to_string(event).context("an event is not JSON")?);
        line.push('\n');
        self.0.write_all(line.as_bytes()).and_then(|()| self.0.flush()).context("cannot write events")
    }
}
