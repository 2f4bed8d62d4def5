//! The directory of one run: what is in it, and when it is written.
//!
//! `standings.csv`, `crosstable.csv`, `games.csv`, `games/ID.txt`, `logs/ID-SIDE.txt` (what an engine wrote to
//! stderr), `evidence/ID-SIDE/` (for a game lost by a fault). Names of files are made of numbers and of the
//! game's own side letters: no name of an engine ever becomes a path.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::atomic::{self, shown};
use super::csv::{self, Games};
use super::{evidence, notation};
use crate::config::Misuse;
use crate::game::PerSeat;
use crate::printable::escape;
use crate::record::GameRecord;
use crate::standings::Standings;

/// How often the standings are written while games are played.
const EVERY: Duration = Duration::from_secs(2);

/// The longest line of a log that is shown whole, in characters.
const LOG_LINE: usize = 10_000;

/// The directory of one run, open for writing.
pub struct Directory {
    path: PathBuf,
    games: Games<File>,
    event: String,
    written: Option<Instant>,
}

impl Directory {
    /// Whether a directory can be made here: its parent is there, and it is not, or holds nothing. Asked before
    /// anything else is written, so that a slip leaves nothing behind.
    ///
    /// # Errors
    /// [`Misuse`], which says what is in the way.
    pub fn check(path: &Path) -> Result<()> {
        let why = match fs::read_dir(path).map(|mut entries| entries.next().is_none()) {
            Ok(true) => return Ok(()),
            Ok(false) => "is there already and is not an empty directory".to_owned(),
            Err(_) if path.symlink_metadata().is_ok() => "is there already and cannot be used".to_owned(),
            Err(_) if atomic::parent(path).is_dir() => return Ok(()),
            Err(_) => {
                format!("cannot be made, because there is no directory {}", shown(atomic::parent(path)))
            }
        };
        Err(Misuse::error(format!("{} {why}; give another with --out", shown(path))))
    }

    /// Makes the directory with this name, which must not hold anything yet.
    ///
    /// # Errors
    /// [`Misuse`] as [`Directory::check`]; else the disk's own error, which names the path.
    pub fn create(path: &Path, seats: usize, event: &str) -> Result<Self> {
        Self::make(path)?;
        let games = path.join("games.csv");
        Ok(Directory {
            path: path.canonicalize().with_context(|| format!("cannot find {}", shown(path)))?,
            games: Games::append(&games, seats)?,
            event: event.to_owned(),
            written: None,
        })
    }

    /// Makes an empty directory, or finds that there is one.
    ///
    /// # Errors
    /// As [`Directory::create`].
    pub fn make(path: &Path) -> Result<()> {
        Self::check(path)?;
        match fs::create_dir(path) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                Err(error).with_context(|| format!("cannot make {}", shown(path)))
            }
            _ => Ok(()),
        }
    }

    /// The first of `agon-run`, `agon-run-2`, `agon-run-3`, ... that is not there yet.
    pub fn next_free(home: &Path) -> PathBuf {
        let names = std::iter::once("agon-run".to_owned()).chain((2..).map(|n| format!("agon-run-{n}")));
        let free = names.map(|name| home.join(name)).find(|path| path.symlink_metadata().is_err());
        free.expect("numbers do not end")
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps a game: its row, its moves, its engines' logs and, if it was lost by a fault, the evidence. The
    /// standings follow now and then.
    ///
    /// # Errors
    /// The disk's own, with the name of the file.
    pub fn keep(
        &mut self,
        record: &GameRecord,
        stderr: &PerSeat<Vec<u8>>,
        again: &str,
        standings: &Standings,
    ) -> Result<()> {
        let id = record.id;
        self.text(&format!("games/{id}.txt"), &notation::write(record, &self.event))?;
        for (seat, log) in stderr.iter().filter(|(_, log)| !log.is_empty()) {
            let side = &record.seats[seat].side;
            self.text(&format!("logs/{id}-{side}.txt"), &readable_log(log))?;
        }
        for (_, seat) in record.seats.iter() {
            if let Some(evidence) = &seat.evidence {
                for (name, text) in evidence::files(record, seat, evidence, again) {
                    self.text(&format!("evidence/{id}-{}/{name}", seat.side), &text)?;
                }
            }
        }
        // Last, so that a row stands for a game that is there whole.
        self.games.put(record).and_then(|()| self.games.flush()).context("cannot write games.csv")?;
        if self.written.is_none_or(|written| written.elapsed() > EVERY) {
            self.standings(standings)?;
        }
        Ok(())
    }

    /// Writes the standings and the crosstable as they are.
    ///
    /// # Errors
    /// The disk's own, with the name of the file.
    pub fn standings(&mut self, standings: &Standings) -> Result<()> {
        atomic::write(&self.path.join("standings.csv"), |to| csv::standings(&standings.table(), to))?;
        atomic::write(&self.path.join("crosstable.csv"), |to| csv::crosstable(&standings.crosstable(), to))?;
        self.written = Some(Instant::now());
        Ok(())
    }

    fn text(&self, name: &str, text: &str) -> Result<()> {
        let path = self.path.join(name);
        let parent = path.parent().expect("the name has a folder");
        fs::create_dir_all(parent).with_context(|| format!("cannot make {}", shown(parent)))?;
        atomic::write(&path, |to| Ok(to.write_all(text.as_bytes())?))
    }
}

/// What an engine wrote to stderr, line by line, with nothing in it that a terminal would obey.
fn readable_log(log: &[u8]) -> String {
    let body = log.strip_suffix(b"\n").unwrap_or(log);
    body.split(|byte| *byte == b'\n').map(|line| escape(line, LOG_LINE) + "\n").collect()
}
