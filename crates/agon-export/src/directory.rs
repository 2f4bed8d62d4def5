//! The directory of one run: its files, and when they are written.
//!
//! Tables: `standings.csv`, `crosstable.csv`, `games.csv`, and `seats.csv` for games of more than
//! two seats. Texts: `games/rNN.txt` (the games of a round) and `logs/ID-SIDE.txt` (an engine's
//! stderr). Folders: `evidence/ID-SIDE/` for a game lost by a fault, and `evidence/ID.referee/` for
//! a game that is void by the fault of its referee program. File names are made of numbers and of
//! the game's side letters: an engine's name never becomes a path.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use agon_config::{EventFile, Misuse};
use agon_printable::escape;
use agon_programs::program::display_path;
use agon_record::{GameRecord, SeatRecord, Verdict};
use agon_seats::PerSeat;
use agon_standings::result::GameId;
use agon_standings::strengths::Strengths;
use agon_standings::{Standings, bootstrap};
use agon_store::{Filter, Store, Stored};
use anyhow::{Context, Result, ensure};

use super::atomic::{self, Sync};
use super::csv;
use super::evidence;
use super::game_tables::{self, GameTables};
use super::pgn;
use super::rounds::{self, Rounds};

/// The shortest time between two writes of the standings during a run.
const EVERY: Duration = Duration::from_secs(2);

/// The most entrants of a written crosstable: its size is the square of their number.
const BROADEST: usize = 1000;

/// The folders whose files are named by numbers of games.
const FOLDERS: [&str; 3] = ["games", "logs", "evidence"];

/// The most characters of a log line that are shown.
const LOG_LINE: usize = 10_000;

/// The directory of one run, open for writing.
pub struct Directory {
    path: PathBuf,
    games: GameTables,
    rounds: Rounds,
    seats: usize,
    /// The last game in `games.csv`, while its rows are in the order of the plan and all count.
    last: std::result::Result<Option<GameId>, Disorder>,
    written: Option<Instant>,
}

/// `games.csv` must be written again at the end.
struct Disorder;

/// The tags `Event` and `Site` of the games of a run: what is said of its event, or else `event`
/// and an unknown place.
///
/// # Errors
/// Errors of the database.
pub fn event_and_site(store: &Store, event: &str) -> Result<(String, String)> {
    let known = store.event()?;
    let (event, site) = EventFile::tags(known.as_ref(), event);
    Ok((event.to_owned(), site.to_owned()))
}

impl Directory {
    /// Checks that a run can be stored here: the parent exists, and the path does not, is empty, or
    /// holds a run. Called before anything is written, so that a mistake leaves nothing behind.
    ///
    /// # Errors
    /// [`Misuse`], with the obstacle.
    pub fn check(path: &Path) -> Result<()> {
        // A run that was killed in its first moment leaves its lock and an unfinished database. A
        // first night that could not begin leaves its log.
        let ours = |entry: io::Result<fs::DirEntry>| {
            let is_ours = |name: &[u8]| name.starts_with(b"agon.") || name.starts_with(b"nightly.");
            entry.is_ok_and(|entry| is_ours(entry.file_name().as_encoded_bytes()))
        };
        let why = match fs::read_dir(path).map(|mut entries| entries.all(ours) || Store::is_in(path)) {
            Ok(true) => return Ok(()),
            Ok(false) => "exists, but is neither empty nor the directory of a run".to_owned(),
            Err(_) if path.symlink_metadata().is_ok() => {
                "exists, but is not a directory that agon can read".to_owned()
            }
            Err(_) if atomic::parent(path).is_dir() => return Ok(()),
            Err(_) => {
                format!(
                    "cannot be made, because there is no directory {}",
                    display_path(atomic::parent(path))
                )
            }
        };
        Err(Misuse::hinted(format!("{} {why}", display_path(path)), "give another directory with --out"))
    }

    /// Makes the directory if it does not exist.
    ///
    /// # Errors
    /// [`Misuse`] as [`Directory::check`]; otherwise errors of the disk with the path.
    pub fn make(path: &Path) -> Result<()> {
        Self::check(path)?;
        match fs::create_dir(path) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                Err(error).with_context(|| format!("cannot make {}", display_path(path)))
            }
            _ => Ok(()),
        }
    }

    /// Brings the files into agreement with the database and opens them. `event` is the name of the
    /// tournament if nothing is said of its event. `renumbered` says that
    /// games have other numbers than when their files were written. `again` gives the command that
    /// plays a game again.
    ///
    /// # Errors
    /// Errors of the disk, with the name of the file.
    pub fn open(
        path: &Path,
        seats: usize,
        event: &str,
        store: &Store,
        renumbered: bool,
        again: impl Fn(&GameRecord) -> String,
    ) -> Result<Self> {
        let path = path.canonicalize().with_context(|| format!("cannot find {}", display_path(path)))?;
        if renumbered {
            keep_evidence(&path, store)?;
            for folder in FOLDERS {
                remove(&path.join(folder), |name| is_of_a_game(name) || is_of_a_round(name))
                    .with_context(|| format!("cannot clear {}", display_path(&path.join(folder))))?;
            }
        }
        let rounds = Rounds::new(path.join("games"), event_and_site(store, event)?);
        let (mut played, mut last) = (BTreeMap::new(), None);
        let games = GameTables::open(&path, seats, store, |stored| {
            *played.entry(stored.record.id.round).or_default() += 1;
            last = Some(stored.record.id);
            Ok(())
        })?;
        forget_rounds(&path.join("games"), &played)
            .with_context(|| format!("cannot clear {}", display_path(&path.join("games"))))?;
        for round in played.into_iter().filter(|(round, games)| !rounds.is_whole(*round, *games)) {
            // The game's other files are written before its text, so they may be missing or empty
            // as well.
            write_round(&path, &rounds, round.0, store, |stored| {
                logs_and_evidence(&path, &stored.record, &stored.stderr, || again(&stored.record))
            })?;
        }
        Ok(Directory { path, games, rounds, seats, last: Ok(last), written: None })
    }

    /// Writes every table, with the games in the order of the plan if they did not end in it.
    ///
    /// # Errors
    /// Errors of the disk, with the name of the file.
    pub fn finish(&mut self, store: &Store, standings: &Standings) -> Result<()> {
        // Which games are of play-offs follows from all games of a stage.
        if self.last.is_err() || standings.has_play_offs() {
            let mut last = None;
            self.games = GameTables::open(&self.path, self.seats, store, |stored| {
                last = Some(stored.record.id);
                Ok(())
            })?;
            self.last = Ok(last);
        } else {
            self.games.sync()?;
        }
        for round in self.rounds.spoilt() {
            write_round(&self.path, &self.rounds, round, store, |_| Ok(()))?;
        }
        tables(&self.path, standings)?;
        self.written = Some(Instant::now());
        Ok(())
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Stores the files of a game: its row, its moves, its engines' logs and, if a fault lost it,
    /// the evidence, for which `again` gives the command that plays it again. `is_repeat` says that
    /// the standings do not count it again. They are written from time to time.
    ///
    /// # Errors
    /// Errors of the disk, with the name of the file.
    pub fn keep(
        &mut self,
        record: &GameRecord,
        stderr: &PerSeat<Vec<u8>>,
        again: impl Fn() -> String,
        (standings, is_repeat): (&Standings, bool),
    ) -> Result<()> {
        logs_and_evidence(&self.path, record, stderr, again)?;
        self.rounds.put(record)?;
        // Written last: if the row exists, so do the game's other files.
        let counting = match (is_repeat, standings.is_play_off(record.id.pairing)) {
            (true, _) => csv::Counting::Repeat,
            (false, true) => csv::Counting::PlayOff,
            (false, false) => csv::Counting::Yes,
        };
        self.games.put(record, counting)?;
        let counts = matches!(record.verdict, Verdict::Decided(_));
        self.last = match self.last {
            Ok(last) if counts && last.is_none_or(|last| last < record.id) => Ok(Some(record.id)),
            _ => Err(Disorder),
        };
        if self.written.is_none_or(|written| written.elapsed() > EVERY) {
            // Not synced, so that games do not wait: after two seconds there are newer ones.
            without_ratings(&self.path, standings, Sync::No)?;
            self.written = Some(Instant::now());
        }
        Ok(())
    }

    /// Writes the current standings and crosstable.
    ///
    /// # Errors
    /// Errors of the disk, with the name of the file.
    pub fn standings(&mut self, standings: &Standings) -> Result<()> {
        without_ratings(&self.path, standings, Sync::Yes)?;
        self.written = Some(Instant::now());
        Ok(())
    }
}

/// Writes the tables of a run anew, and the texts of one round. A directory without `games.csv` has
/// none of these files.
///
/// # Errors
/// Errors of the disk, with the name of the file.
pub fn refresh(store: &Store, event: &str, standings: &Standings, round: u32) -> Result<()> {
    let path = store.directory();
    if !path.join("games.csv").exists() {
        return Ok(());
    }
    let seats = store.tables()?.seats;
    let rounds = Rounds::new(path.join("games"), event_and_site(store, event)?);
    let mut played = BTreeMap::new();
    game_tables::write(path, seats, store, |stored| {
        *played.entry(stored.record.id.round).or_default() += 1;
        Ok(())
    })?;
    forget_rounds(&path.join("games"), &played)
        .with_context(|| format!("cannot clear {}", display_path(&path.join("games"))))?;
    for (other, games) in played {
        if other == round || !rounds.is_whole(other, games) {
            write_round(path, &rounds, other, store, |_| Ok(()))?;
        }
    }
    tables(path, standings)
}

/// Writes the standings, the crosstable and the ratings into a directory.
///
/// # Errors
/// Errors of the disk, with the name of the file.
pub fn tables(path: &Path, standings: &Standings) -> Result<()> {
    let times = bootstrap::times(standings.names().count());
    if let Some(found) = Strengths::of(standings, times, 1) {
        atomic::write(&path.join("ratings.csv"), |to| csv::ratings(&found, to))?;
    }
    without_ratings(path, standings, Sync::Yes)
}

fn without_ratings(path: &Path, standings: &Standings, sync: Sync) -> Result<()> {
    atomic::write_with(&path.join("standings.csv"), sync, |to| csv::standings(&standings.table(), to))?;
    if standings.names().count() > BROADEST {
        return Ok(());
    }
    atomic::write_with(&path.join("crosstable.csv"), sync, |to| csv::crosstable(&standings.crosstable(), to))
}

/// Writes the file of a round from the database, and calls `each` with every game in it.
fn write_round(
    home: &Path,
    rounds: &Rounds,
    round: u32,
    store: &Store,
    each: impl Fn(&Stored) -> Result<()>,
) -> Result<()> {
    let wanted = Filter { round: Some(round), ..Filter::default() };
    fs::create_dir_all(home.join("games"))
        .with_context(|| format!("cannot make {}", display_path(&home.join("games"))))?;
    let mut is_chess = false;
    atomic::write_unsynced(&rounds.path(round), |to| {
        store.games(&wanted, |stored| {
            each(&stored)?;
            is_chess |= pgn::is_for(&stored.record);
            Ok(to.write_all(rounds.text(&stored.record).as_bytes())?)
        })
    })?;
    if !is_chess {
        return Ok(());
    }
    atomic::write_unsynced(&rounds.pgn_path(round), |to| {
        store.games(&wanted, |stored| {
            Ok(to.write_all(rounds.pgn(&stored.record).unwrap_or_default().as_bytes())?)
        })
    })
}

/// Writes the logs of a game's engines below `home` and, if a fault lost it, the evidence.
fn logs_and_evidence(
    home: &Path,
    record: &GameRecord,
    stderr: &PerSeat<Vec<u8>>,
    again: impl Fn() -> String,
) -> Result<()> {
    // Side letters become parts of paths, and the database may have been tampered with.
    for (_, seat) in record.seats.iter() {
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        let is_letters = !seat.side.is_empty() && seat.side.bytes().all(is_letter);
        ensure!(
            is_letters,
            "game {} has a side called \"{}\", so the database was changed; run agon verify",
            record.id,
            escape(seat.side.as_bytes(), 40)
        );
    }
    let id = record.id;
    for (seat, log) in stderr.iter().filter(|(_, log)| !log.is_empty()) {
        let side = &record.seats[seat].side;
        text(home, &format!("logs/{id}-{side}.txt"), &readable_log(log))?;
    }
    for (_, seat) in record.seats.iter() {
        if let Some(evidence) = &seat.evidence {
            for (name, content) in evidence::files(record, seat, evidence, &again()) {
                text(home, &format!("evidence/{id}-{}/{name}", seat.side), &content)?;
            }
        }
    }
    if let Some(referee) = record.referee.as_ref().filter(|referee| referee.fault.is_some()) {
        for (name, content) in evidence::of_referee(record, referee) {
            // No seat has a dot in its name.
            text(home, &format!("evidence/{id}.referee/{name}"), &content)?;
        }
    }
    Ok(())
}

/// The folder for the evidence of games that count no longer, in that of a run.
const HISTORY: &str = "evidence/history";

/// The name there of the evidence of one seat.
fn name_in_history(stored: &Stored, side: &str) -> String {
    format!("run-{}-{}-{side}", stored.run, stored.record.id)
}

/// Calls `each` with every game that counts no longer and was lost by a fault, and with the seat.
fn faults_in_history(store: &Store, mut each: impl FnMut(&Stored, &SeatRecord) -> Result<()>) -> Result<()> {
    store.games(&Filter { by_fault: true, all: true, ..Filter::default() }, |stored| {
        let seats = stored.record.seats.iter().filter(|_| !stored.counts);
        seats.filter(|(_, seat)| seat.evidence.is_some()).try_for_each(|(_, seat)| each(&stored, seat))
    })
}

/// Puts the evidence of games that count no longer aside, so that their numbers are free. Its
/// `again.sh` names the programs of that time, which the database does not know any more.
fn keep_evidence(home: &Path, store: &Store) -> Result<()> {
    faults_in_history(store, |stored, seat| {
        let Some(kept) = &seat.evidence else { return Ok(()) };
        let from = home.join(format!("evidence/{}-{}", stored.record.id, seat.side));
        let to = home.join(HISTORY).join(name_in_history(stored, &seat.side));
        let [(name, why), ..] = evidence::files(&stored.record, seat, kept, "");
        // An older game may have had the same number.
        if to.exists() || fs::read(from.join(name)).map_or(true, |there| there != why.as_bytes()) {
            return Ok(());
        }
        fs::create_dir_all(home.join(HISTORY))
            .and_then(|()| fs::rename(&from, &to))
            .with_context(|| format!("cannot move {}", display_path(&from)))
    })
}

/// Removes the evidence of games that are no longer in the database.
///
/// # Errors
/// Errors of the database or the disk.
pub fn prune_evidence(home: &Path, store: &Store) -> Result<()> {
    let folder = home.join(HISTORY);
    let mut known = BTreeSet::new();
    faults_in_history(store, |stored, seat| {
        known.insert(name_in_history(stored, &seat.side));
        Ok(())
    })?;
    remove(&folder, |name| name.starts_with("run-") && !known.contains(name))
        .with_context(|| format!("cannot clear {}", display_path(&folder)))
}

fn text(home: &Path, name: &str, text: &str) -> Result<()> {
    let path = home.join(name);
    let write = || atomic::write_unsynced(&path, |to| Ok(to.write_all(text.as_bytes())?));
    write().or_else(|_| {
        // The folder is made only when there is a file for it.
        let parent = path.parent().expect("the name has a folder");
        fs::create_dir_all(parent).with_context(|| format!("cannot make {}", display_path(parent)))?;
        write()
    })
}

/// Removes the files of rounds without games, and the files of single games of earlier versions of
/// agon.
fn forget_rounds(folder: &Path, played: &BTreeMap<u32, usize>) -> io::Result<()> {
    let both = |round: &u32| [rounds::name(*round), rounds::pgn_name(*round)];
    let names: BTreeSet<String> = played.keys().flat_map(both).collect();
    remove(folder, |name| is_of_a_game(name) || is_of_a_round(name) && !names.contains(name))
}

fn is_of_a_game(name: &str) -> bool {
    name.starts_with('r') && name.contains("-p") && name.contains("-g")
}

fn is_of_a_round(name: &str) -> bool {
    let name = name.strip_prefix('r').and_then(|name| name.split_once('.'));
    let number = name.filter(|(_, kind)| ["txt", "pgn"].contains(kind)).map(|(number, _)| number);
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Removes the files with names of this kind. Other files stay.
fn remove(folder: &Path, kind: impl Fn(&str) -> bool) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        if !entry.file_name().to_str().is_some_and(&kind) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// An engine's stderr, line by line, without control sequences for the terminal.
fn readable_log(log: &[u8]) -> String {
    let body = log.strip_suffix(b"\n").unwrap_or(log);
    body.split(|byte| *byte == b'\n').map(|line| escape(line, LOG_LINE) + "\n").collect()
}
