//! The events of a run as lines of JSON, for programs that watch it.
//!
//! This is a stable interface: every line is an object with the key `event`; keys may be added, and
//! none changes its meaning. The events are `run_started`, `game_started`, `move`, `public`,
//! `scores`, `game_over`, `test`, `standings` and `run_over`. `docs/events.md` describes them with
//! examples.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::Path;

use agon_match::hosted::public_lines;
use agon_printable::harmless_json;
use agon_record::{GameRecord, Ply};
use agon_seats::PerSeat;
use agon_standings::any_time::ScoreBars;
use agon_standings::result::GameId;
use agon_standings::sprt::TestStand;
use agon_standings::table::Row;
use agon_store::until::StoredQuestion;
use anyhow::Context;
use chrono::{DateTime, Utc};
use serde::ser::Error;
use serde::{Serialize, Serializer};
use serde_json::Value;

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
    /// How far the test of a match has come.
    Test(TestFacts),
    /// How far the question of a run is settled.
    Question(QuestionFacts),
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

/// How far a test has come.
#[derive(Serialize, Debug)]
pub struct TestFacts {
    /// The test, as `--sprt` reads it.
    pub test: String,
    /// The engine whose strength it is about.
    pub engine: String,
    /// Its games.
    pub games: u64,
    /// The log-likelihood ratio.
    pub llr: f64,
    /// Below this ratio, H0 is accepted.
    pub lower: f64,
    /// Above this ratio, H1 is accepted.
    pub upper: f64,
    /// `H0 accepted`, `H1 accepted` or `not decided`.
    pub verdict: String,
}

impl From<&TestStand> for TestFacts {
    fn from(stand: &TestStand) -> Self {
        let (lower, upper) = stand.test.bounds();
        TestFacts {
            test: stand.test.to_string(),
            engine: stand.engine.clone(),
            games: stand.games.games(),
            llr: stand.ratio,
            lower,
            upper,
            verdict: stand.verdict.to_string(),
        }
    }
}

/// How far the question of a run is settled.
#[derive(Serialize, Debug)]
pub struct QuestionFacts {
    /// The question, as `--until` reads it.
    pub question: String,
    /// Whether it is settled with 95 %.
    pub settled: bool,
    /// The pairs of games that count.
    pub pairs: u32,
    /// The most games.
    pub at_most: u64,
    /// The engines by their score against the whole field, the best first.
    pub ranking: Vec<FieldScore>,
    /// Who is not told apart yet, the supposedly better one first.
    pub open: Vec<[String; 2]>,
}

/// The score of an engine against the whole field.
#[derive(Serialize, Debug)]
pub struct FieldScore {
    /// The engine.
    pub engine: String,
    /// The mean of its expected scores against all others, as a percentage.
    pub score: f64,
    /// The ends of its bar in Elo, if the question is about bars and the end is known.
    pub elo_low: Option<f64>,
    /// The upper end.
    pub elo_high: Option<f64>,
}

impl From<&StoredQuestion> for QuestionFacts {
    fn from(StoredQuestion { spec, names, stand }: &StoredQuestion) -> Self {
        let score = |at: &usize| {
            let end = |end: usize| stand.bars.get(*at).map(|bar| bar[end]).filter(|elo| elo.is_finite());
            let (engine, score) = (names[*at].clone(), 100.0 * stand.scores[*at]);
            FieldScore { engine, score, elo_low: end(0), elo_high: end(1) }
        };
        QuestionFacts {
            question: spec.question.to_string(),
            settled: stand.is_settled,
            pairs: stand.pairs,
            at_most: spec.most,
            ranking: stand.ranking.iter().map(score).collect(),
            open: stand.open.iter().map(|two| two.map(|at| names[at].clone())).collect(),
        }
    }
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
    fixed_low: Option<f64>,
    fixed_high: Option<f64>,
    any_time_low: Option<f64>,
    any_time_high: Option<f64>,
}

impl<'a> From<&'a Row> for StandingRow<'a> {
    fn from(row: &'a Row) -> Self {
        let total = row.tally.total();
        let bars = row.field.bars();
        let percent = |end: fn(ScoreBars) -> f64| bars.map(|bars| 100.0 * end(bars));
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
            fixed_low: percent(|bars| bars.fixed.low),
            fixed_high: percent(|bars| bars.fixed.high),
            any_time_low: percent(|bars| bars.any_time.low),
            any_time_high: percent(|bars| bars.any_time.high),
        }
    }
}

impl<'a> Event<'a> {
    /// The event for the end of a game.
    pub fn of_game(record: &'a GameRecord) -> Self {
        Event::GameOver {
            id: record.id.to_string(),
            result: record.result(),
            result_text: record.result_text(),
            record,
        }
    }

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
pub struct Events {
    to: EventTarget,
    /// Whether a run has begun here.
    begun: bool,
}

enum EventTarget {
    /// A pipe, a terminal: nothing of an earlier run is there.
    Stream(Box<dyn Write + Send>),
    File(File),
}

impl Events {
    /// Events to a writer. Each is a single write, so that a reader never sees half a line.
    pub fn to(writer: Box<dyn Write + Send>) -> Self {
        Events { to: EventTarget::Stream(writer), begun: false }
    }

    /// Events to the file at this path. Nothing in it changes before a run begins.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn to_file(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let file = match file {
            // A named pipe, or a device that is only written to.
            Err(_) if path.exists() && !path.is_file() => OpenOptions::new().write(true).open(path)?,
            opened => opened?,
        };
        if !file.metadata()?.is_file() {
            return Ok(Events::to(Box::new(file)));
        }
        Ok(Events { to: EventTarget::File(file), begun: false })
    }

    /// Begins a run with its first event. A run that is continued goes on in the file of its
    /// events, and any other one begins the file anew. Returns which games the file tells of
    /// already; nothing if there is no file.
    ///
    /// # Errors
    /// The writer's own.
    pub fn begin(
        &mut self,
        started: &Event<'_>,
        is_continued: bool,
    ) -> anyhow::Result<Option<HashSet<String>>> {
        let mut told = None;
        if let EventTarget::File(file) = &mut self.to {
            let cannot = "cannot write events";
            let (whole, of_run) =
                if is_continued { told_of(file, started).context(cannot)? } else { (0, None) };
            if of_run.is_some() || self.begun {
                // Half a line, of an agon that was killed, is no event.
                let end = if self.begun { file.metadata().context(cannot)?.len() } else { whole };
                file.set_len(end).and_then(|()| file.seek(SeekFrom::Start(end))).context(cannot)?;
            } else {
                file.set_len(0).and_then(|()| file.rewind()).context(cannot)?;
            }
            told = Some(of_run.unwrap_or_default());
        }
        self.begun = true;
        self.send(started)?;
        Ok(told)
    }

    /// Writes one event.
    ///
    /// # Errors
    /// The writer's own.
    pub fn send(&mut self, event: &Event<'_>) -> anyhow::Result<()> {
        let mut line = harmless_json(serde_json::to_string(event).context("an event is not JSON")?);
        line.push('\n');
        let to: &mut dyn Write = match &mut self.to {
            EventTarget::Stream(to) => to,
            EventTarget::File(to) => to,
        };
        to.write_all(line.as_bytes()).and_then(|()| to.flush()).context("cannot write events")
    }
}

/// Reads a file of events: how long its whole lines are, and the games that have ended in the run
/// that begins with this event. `None` if it has no event of that run.
fn told_of(file: &mut File, started: &Event<'_>) -> io::Result<(u64, Option<HashSet<String>>)> {
    const RUN: &str = r#"{"event":"run_started","#;
    const GAME: &str = r#"{"event":"game_over","id":""#;
    let own = serde_json::to_value(started).map(|event| identity(&event)).map_err(io::Error::other)?;
    let (mut whole, mut told, mut is_own) = (0, None, false);
    file.rewind()?;
    let mut lines = BufReader::new(file);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line)? > 0 && line.ends_with(b"\n") {
        whole += line.len() as u64;
        let text = String::from_utf8_lossy(&line);
        if text.starts_with(RUN) {
            is_own = serde_json::from_str(&text).is_ok_and(|event| identity(&event) == own);
            if is_own {
                told.get_or_insert_with(HashSet::new);
            }
        } else if let Some((id, _)) = text.strip_prefix(GAME).and_then(|rest| rest.split_once('"'))
            && let Some(told) = told.as_mut().filter(|_| is_own)
        {
            told.insert(id.to_owned());
        }
        line.clear();
    }
    Ok((whole, told))
}

/// What of the first event of a run is the same when it is continued.
fn identity(event: &Value) -> Vec<Option<Value>> {
    ["game", "seed", "entrants", "games", "time_control"].map(|key| event.get(key).cloned()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(seed: u64) -> Event<'static> {
        Event::RunStarted {
            agon: "0",
            game: "mnk",
            seed: Some(seed),
            entrants: vec!["a", "b"],
            games: 4,
            time_control: "st=1".to_owned(),
            at: DateTime::UNIX_EPOCH,
        }
    }

    #[test]
    fn a_run_goes_on_in_the_file_of_its_events_and_no_other_does() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("events");
        let over = |id: &str| format!("{{\"event\":\"game_over\",\"id\":\"{id}\",\"result\":\"1-0\"}}\n");
        let text = || std::fs::read_to_string(&path).unwrap();
        Events::to_file(&path).unwrap().begin(&started(1), false).unwrap();
        let first = text();
        // An agon that was killed has left half a line.
        std::fs::write(
            &path,
            format!("{first}{}{}", over("r01-p0001-g01"), r#"{"event":"game_over","id":"r01-p0001-g02"#),
        )
        .unwrap();
        let mut events = Events::to_file(&path).unwrap();
        assert!(text().len() > first.len(), "nothing is lost before a run begins");
        let told = events.begin(&started(1), true).unwrap().unwrap();
        assert_eq!(told, HashSet::from(["r01-p0001-g01".to_owned()]));
        assert_eq!(text(), format!("{first}{}{first}", over("r01-p0001-g01")));
        // A second run of the same command, and then one of another command.
        assert_eq!(events.begin(&started(2), false).unwrap(), Some(HashSet::new()));
        assert_eq!(text().lines().count(), 4);
        assert_eq!(Events::to_file(&path).unwrap().begin(&started(3), true).unwrap(), Some(HashSet::new()));
        assert_eq!(text().lines().count(), 1);
        assert_eq!(Events::to(Box::new(io::sink())).begin(&started(3), true).unwrap(), None);
    }
}
