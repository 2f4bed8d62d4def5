//! The log of a run's traffic: every line of every engine in both directions, whole, in one file.
//!
//! A line of the log is `r01-p0001-g01 W mine 0.012345 > W,P`: game, side, engine, seconds since
//! the game began, direction, line. The directions are those of `lines.txt` in the evidence. Lines
//! of games that are played at the same time are mixed; the number of the game tells them apart.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use agon_printable::escape;
use agon_record::Way;
use agon_standings::result::GameId;
use chrono::{DateTime, SecondsFormat, Utc};

/// The most characters of a line that are logged: more than any line of an engine can have.
const LONGEST: usize = 1 << 20;

/// The mark between the lines of a run and those after it was continued.
const GOES_ON: &str = "# the run goes on";

/// The file that gets every line.
#[derive(Debug)]
pub struct TrafficLog {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    to: BufWriter<File>,
    /// The first failure to write. The games go on; the run reports it at its end.
    failure: Option<io::Error>,
}

/// The log of one game.
#[derive(Clone, Debug)]
pub struct GameLog {
    log: Arc<TrafficLog>,
    game: GameId,
}

/// The log of one seat in one game.
#[derive(Clone, Debug)]
pub struct SeatLog {
    log: Arc<TrafficLog>,
    /// `r01-p0001-g01 W mine`.
    label: String,
}

impl TrafficLog {
    /// A log in this file. Nothing in it changes before the run begins.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn open(path: &Path) -> io::Result<Arc<Self>> {
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
        let to = BufWriter::new(file);
        Ok(Arc::new(TrafficLog { state: Mutex::new(State { to, failure: None }) }))
    }

    /// Whether a file that begins so is a log, or is empty.
    pub fn is_one(beginning: &[u8]) -> bool {
        let text = String::from_utf8_lossy(beginning);
        let Some(first) = text.lines().find(|line| !line.is_empty()) else { return true };
        first.starts_with(GOES_ON) || first.split(' ').next().is_some_and(|id| id.parse::<GameId>().is_ok())
    }

    /// Begins a run: in a new file, or behind what is there if the run is continued.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn begin(&self, is_continued: bool) -> io::Result<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let file = state.to.get_mut();
        if !file.metadata()?.is_file() {
            return Ok(());
        }
        if !is_continued {
            file.set_len(0)?;
        }
        if file.seek(SeekFrom::End(0))? > 0 {
            let now = DateTime::<Utc>::from(SystemTime::now()).to_rfc3339_opts(SecondsFormat::Secs, true);
            writeln!(file, "\n{GOES_ON}, {now}")?;
        }
        Ok(())
    }

    /// The log of a game.
    pub fn game(self: &Arc<Self>, game: GameId) -> GameLog {
        GameLog { log: self.clone(), game }
    }

    /// Writes out what waits in memory.
    ///
    /// # Errors
    /// The first failure to write since the beginning.
    pub fn flush(&self) -> io::Result<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.failure.take().map_or(Ok(()), Err)?;
        state.to.flush()
    }
}

impl GameLog {
    /// The log of an engine on a side.
    pub fn seat(&self, side: &str, engine: &str) -> SeatLog {
        SeatLog { log: self.log.clone(), label: format!("{} {side} {engine}", self.game) }
    }
}

impl SeatLog {
    /// Logs a line, escaped, so that the log is safe to show.
    pub(super) fn note(&self, at: Duration, way: Way, line: &[u8]) {
        let sign = way.sign();
        let text = escape(line, LONGEST);
        let mut state = self.log.state.lock().unwrap_or_else(PoisonError::into_inner);
        let written = writeln!(state.to, "{} {:.6} {sign} {text}", self.label, at.as_secs_f64());
        if let Err(error) = written
            && state.failure.is_none()
        {
            state.failure = Some(error);
        }
    }
}
