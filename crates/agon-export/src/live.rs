//! The games in play, for pages that show them move by move.
//!
//! A run notes its moves in memory, and a thread writes them to a file a few times a second. So a
//! move costs the game some copied bytes and no system call.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use agon_match::hosted::UNKNOWN;
use agon_seats::PerSeat;
use crossbeam_channel::{RecvTimeoutError, Sender, bounded};
use serde::{Deserialize, Serialize};

use super::atomic;

/// The name of the file in the directory of a run.
pub const NAME: &str = "live.json";
/// The most games that are shown. Others in play at the same time are not.
const BOARDS: usize = 8;
/// How often the file is written, at most.
const EVERY: Duration = Duration::from_millis(200);
/// Writing may take this part of the time: under one percent of a core, however long the games are.
const SHARE: u32 = 100;
/// The most public lines of a game that are shown, and characters of each.
const LINES: usize = 20;
const LINE: usize = 200;
/// A larger file is none of ours.
const MOST_BYTES: u64 = 16 << 20;

/// A game in play.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub struct LiveGame {
    /// Its number in the plan, `r01-p0001-g01`.
    pub id: String,
    /// Its rules, as `--game` takes them.
    pub rules: String,
    /// The position from which it is played.
    pub start: String,
    /// The engines in order of play.
    pub engines: Vec<String>,
    /// The moves so far, with the side letter.
    pub moves: Vec<String>,
    /// The time of the last move in microseconds.
    pub last_micros: u64,
    /// How many moves were made before those in the list.
    #[serde(default)]
    pub earlier: usize,
    /// The last lines that the referee program of the game has published; escaped.
    #[serde(default)]
    pub lines: Vec<String>,
    /// The running score of each seat; empty if there is none.
    #[serde(default)]
    pub scores: Vec<i32>,
}

impl LiveGame {
    /// The number of moves so far.
    pub fn plies(&self) -> usize {
        self.earlier + self.moves.len()
    }
}

/// A game as it is noted.
struct NotedGame {
    /// The game without its moves.
    game: LiveGame,
    /// The moves, each with a line end: one text, so that a move costs no memory of its own.
    moves: String,
    count: usize,
}

impl NotedGame {
    fn shown(&self) -> LiveGame {
        LiveGame { moves: self.moves.lines().map(str::to_owned).collect(), ..self.game.clone() }
    }
}

type Boards = [Mutex<Option<NotedGame>>; BOARDS];

#[derive(Default)]
struct Noted {
    boards: Boards,
    has_changed: AtomicBool,
}

/// The games in play, as a run notes them.
#[derive(Clone, Default)]
pub struct LiveGames(Arc<Noted>);

/// The board of one game. Dropped, it is free for the next one.
pub struct LiveBoard {
    noted: Arc<Noted>,
    place: usize,
}

fn locked(board: &Mutex<Option<NotedGame>>) -> MutexGuard<'_, Option<NotedGame>> {
    board.lock().unwrap_or_else(PoisonError::into_inner)
}

impl LiveGames {
    /// Shows a game that begins, before its first move; `None` if all boards are taken.
    pub fn begin(&self, game: LiveGame) -> Option<LiveBoard> {
        for (place, board) in self.0.boards.iter().enumerate() {
            let mut board = locked(board);
            if board.is_none() {
                *board = Some(NotedGame { game, moves: String::new(), count: 0 });
                self.0.has_changed.store(true, Ordering::Relaxed);
                return Some(LiveBoard { noted: self.0.clone(), place });
            }
        }
        None
    }

    /// The games, if anything has changed since the last time.
    fn changed(&self) -> Option<Vec<LiveGame>> {
        let has_changed = self.0.has_changed.swap(false, Ordering::Relaxed);
        has_changed.then(|| {
            self.0.boards.iter().filter_map(|board| locked(board).as_ref().map(NotedGame::shown)).collect()
        })
    }
}

impl LiveBoard {
    /// A move was made.
    pub fn note(&self, text: &str, time: Duration) {
        self.change(|noted| {
            // Without a board the last move is shown alone, and a referee program may ask for ever.
            if noted.game.start == UNKNOWN {
                noted.game.earlier += std::mem::take(&mut noted.count);
                noted.moves.clear();
            }
            noted.moves.push_str(text);
            noted.moves.push('\n');
            noted.count += 1;
            noted.game.last_micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        });
    }

    /// The referee program has published a line.
    pub fn publish(&self, text: &str) {
        self.change(|NotedGame { game, .. }| {
            if game.lines.len() == LINES {
                game.lines.remove(0);
            }
            game.lines.push(text.chars().take(LINE).collect());
        });
    }

    /// The referee program has changed the running scores.
    pub fn score(&self, scores: &PerSeat<i32>) {
        self.change(|noted| noted.game.scores = scores.values().to_vec());
    }

    fn change(&self, what: impl FnOnce(&mut NotedGame)) {
        if let Some(game) = &mut *locked(&self.noted.boards[self.place]) {
            what(game);
        }
        self.noted.has_changed.store(true, Ordering::Relaxed);
    }
}

impl Drop for LiveBoard {
    fn drop(&mut self) {
        *locked(&self.noted.boards[self.place]) = None;
        self.noted.has_changed.store(true, Ordering::Relaxed);
    }
}

/// Writes the games in play into the directory of a run until it is dropped. Then the file is
/// removed.
pub struct LiveFile {
    path: PathBuf,
    games: LiveGames,
    thread: Option<(Sender<()>, JoinHandle<()>)>,
}

impl LiveFile {
    /// Starts to write. Nobody depends on the file, so what cannot be written is left out.
    pub fn begin(directory: &Path) -> LiveFile {
        let (path, games) = (directory.join(NAME), LiveGames::default());
        let (end, ended) = bounded::<()>(0);
        let (to, noted) = (path.clone(), games.clone());
        let write = move || {
            let mut pause = EVERY;
            while matches!(ended.recv_timeout(pause), Err(RecvTimeoutError::Timeout)) {
                let began = processor_time();
                if let Some(games) = noted.changed() {
                    let fill = |to: &mut dyn std::io::Write| Ok(serde_json::to_writer(to, &games)?);
                    let _ = atomic::write_unsynced(&to, fill);
                }
                pause = EVERY.max(processor_time().saturating_sub(began) * SHARE);
            }
        };
        let thread = std::thread::Builder::new().name("live".to_owned()).spawn(write).ok();
        LiveFile { path, games, thread: thread.map(|thread| (end, thread)) }
    }

    /// Where games are noted.
    pub fn games(&self) -> LiveGames {
        self.games.clone()
    }
}

impl Drop for LiveFile {
    fn drop(&mut self) {
        if let Some((end, thread)) = self.thread.take() {
            drop(end);
            let _ = thread.join(); // it does not panic
        }
        let _ = std::fs::remove_file(&self.path); // it may never have been written
    }
}

/// The processor time of this thread so far.
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// The games in play in the directory of a run; none if there is no such file, or it is none of
/// ours.
pub fn read(directory: &Path) -> Vec<LiveGame> {
    let path = directory.join(NAME);
    let is_ours = std::fs::metadata(&path).is_ok_and(|found| found.is_file() && found.len() <= MOST_BYTES);
    let text = if is_ours { std::fs::read(&path).unwrap_or_default() } else { Vec::new() };
    let mut games: Vec<LiveGame> = serde_json::from_slice(&text).unwrap_or_default();
    games.truncate(BOARDS);
    games
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(id: &str) -> LiveGame {
        LiveGame {
            id: id.to_owned(),
            rules: "mnk:3x3,3".to_owned(),
            start: String::new(),
            engines: vec!["a".to_owned(), "b".to_owned()],
            moves: Vec::new(),
            last_micros: 0,
            earlier: 0,
            lines: Vec::new(),
            scores: Vec::new(),
        }
    }

    #[test]
    fn of_a_game_without_a_board_the_last_move_and_the_last_lines_are_kept() {
        let games = LiveGames::default();
        let board = games.begin(LiveGame { start: UNKNOWN.to_owned(), ..game("one") }).unwrap();
        for number in 0..30 {
            board.note(&format!("move {number}"), Duration::ZERO);
            board.publish(&format!("{number} {}", "x".repeat(1000)));
        }
        board.score(&PerSeat::two(3, -1));
        let noted = &games.changed().unwrap()[0];
        assert_eq!((noted.plies(), &noted.moves[..]), (30, &["move 29".to_owned()][..]));
        assert!(noted.lines.len() == LINES && noted.lines[0].starts_with("10 x"), "{:?}", noted.lines);
        assert!(noted.lines.iter().all(|line| line.chars().count() == LINE));
        assert_eq!(noted.scores, [3, -1]);
    }

    #[test]
    fn games_are_on_their_boards_as_long_as_they_are_played() {
        let games = LiveGames::default();
        assert_eq!(games.changed(), None);
        let mut boards: Vec<Option<LiveBoard>> =
            (0..10).map(|at| games.begin(game(&at.to_string()))).collect();
        assert_eq!(boards.iter().flatten().count(), BOARDS);
        boards[3].as_ref().unwrap().note("X,a1", Duration::from_micros(7));
        let noted = games.changed().unwrap();
        assert_eq!((noted[3].moves.len(), noted[3].last_micros), (1, 7));
        assert_eq!(games.changed(), None);
        boards[3] = None;
        assert!(games.changed().unwrap().iter().all(|game| game.id != "3"));
        assert!(games.begin(game("new")).is_some());
    }

    #[test]
    fn the_file_has_the_games_in_play_and_goes_with_the_run() {
        let home = tempfile::tempdir().unwrap();
        let file = LiveFile::begin(home.path());
        let board = file.games().begin(game("one")).unwrap();
        board.note("X,a1", Duration::ZERO);
        let began = std::time::Instant::now();
        while read(home.path()).is_empty() && began.elapsed() < Duration::from_secs(300) {
            std::thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(read(home.path())[0].moves, ["X,a1"]);
        drop(file);
        assert_eq!((read(home.path()), home.path().join(NAME).exists()), (Vec::new(), false));
        std::fs::write(home.path().join(NAME), "nothing of ours").unwrap();
        assert_eq!(read(home.path()), Vec::new());
    }
}
