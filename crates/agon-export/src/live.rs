//! The games in play, for pages that show them move by move.
//!
//! A run notes its moves in memory, and a thread writes them to a file a few times a second. So a
//! move costs the game some copied bytes and no system call.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

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
/// How long the end of a game is shown, at least.
const HELD: Duration = Duration::from_secs(1);
/// Writing may take this part of the time: under one percent of a core, however long the games are.
const SHARE: u32 = 100;
/// The most public lines of a game that are shown, and characters of each.
const LINES: usize = 20;
const LINE: usize = 200;
/// A larger file is none of ours.
const MOST_BYTES: u64 = 16 << 20;

/// A game in play, or one that is over and whose board has no other game with a move yet.
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
    /// The board that it is on, from 0.
    #[serde(default)]
    pub place: usize,
    /// The time of each engine as a record has it, `tc=60+1 margin=0.02`; empty if it is unknown.
    #[serde(default)]
    pub controls: Vec<String>,
    /// The time of each move in the list in microseconds.
    #[serde(default)]
    pub times: Vec<u64>,
    /// When the last move was made, or the game began, in milliseconds since 1970.
    #[serde(default)]
    pub since: u64,
    /// Its result in the form of the game, if it is over.
    #[serde(default)]
    pub result: Option<String>,
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
#[derive(Clone)]
struct NotedGame {
    /// The game without its moves.
    game: LiveGame,
    /// The moves, each with a line end: one text, so that a move costs no memory of its own.
    moves: String,
    count: usize,
}

/// The game of a board, and the one before it.
#[derive(Default)]
struct BoardGames {
    playing: Option<NotedGame>,
    /// It is shown until the next one has a move, and for some time in any case.
    ended: Option<NotedGame>,
    until: Option<Instant>,
}

impl BoardGames {
    fn shown(&self) -> Option<LiveGame> {
        let is_held = self.ended.is_some() && self.until.is_some_and(|until| Instant::now() < until);
        let begun = self.playing.as_ref().filter(|game| game.has_begun() && !is_held);
        begun.or(self.ended.as_ref()).or(self.playing.as_ref()).map(NotedGame::shown)
    }
}

impl NotedGame {
    fn shown(&self) -> LiveGame {
        LiveGame { moves: self.moves.lines().map(str::to_owned).collect(), ..self.game.clone() }
    }

    fn has_begun(&self) -> bool {
        self.count + self.game.earlier > 0 || !self.game.lines.is_empty()
    }
}

type Boards = [Mutex<BoardGames>; BOARDS];

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

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

fn locked(board: &Mutex<BoardGames>) -> MutexGuard<'_, BoardGames> {
    board.lock().unwrap_or_else(PoisonError::into_inner)
}

impl LiveGames {
    /// Shows a game that begins, before its first move; `None` if all boards are taken.
    pub fn begin(&self, game: LiveGame) -> Option<LiveBoard> {
        for (place, board) in self.0.boards.iter().enumerate() {
            let mut board = locked(board);
            if board.playing.is_none() {
                let game = LiveGame { place, since: now(), ..game };
                board.playing = Some(NotedGame { game, moves: String::new(), count: 0 });
                self.0.has_changed.store(true, Ordering::Relaxed);
                return Some(LiveBoard { noted: self.0.clone(), place });
            }
        }
        None
    }

    /// The games, if anything has changed since the last time.
    fn changed(&self) -> Option<Vec<LiveGame>> {
        let mut has_changed = self.0.has_changed.swap(false, Ordering::Relaxed);
        for board in &self.0.boards {
            // The next game may not have moved since.
            has_changed |= locked(board).until.take_if(|until| *until <= Instant::now()).is_some();
        }
        has_changed.then(|| self.0.boards.iter().filter_map(|board| locked(board).shown()).collect())
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
                noted.game.times.clear();
            }
            noted.moves.push_str(text);
            noted.moves.push('\n');
            noted.count += 1;
            noted.game.last_micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
            noted.game.times.push(noted.game.last_micros);
            noted.game.since = now();
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

    /// The game is over with this result. It stays on its board until the next one has a move.
    pub fn end(self, result: &str) {
        let mut board = locked(&self.noted.boards[self.place]);
        board.ended = board.playing.take();
        board.until = Some(Instant::now() + HELD);
        if let Some(noted) = &mut board.ended {
            noted.game.result = Some(result.to_owned());
        }
    }

    fn change(&self, what: impl FnOnce(&mut NotedGame)) {
        if let Some(game) = &mut locked(&self.noted.boards[self.place]).playing {
            what(game);
        }
        self.noted.has_changed.store(true, Ordering::Relaxed);
    }
}

impl Drop for LiveBoard {
    fn drop(&mut self) {
        locked(&self.noted.boards[self.place]).playing = None;
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
            place: 0,
            controls: Vec::new(),
            times: Vec::new(),
            since: 0,
            result: None,
            earlier: 0,
            lines: Vec::new(),
            scores: Vec::new(),
        }
    }

    #[test]
    fn a_game_that_is_over_stays_with_its_result_until_the_next_one_has_a_move() {
        let games = LiveGames::default();
        let board = games.begin(game("one")).unwrap();
        let other = games.begin(game("two")).unwrap();
        board.note("X,a1", Duration::from_micros(7));
        board.end("1-0");
        let shown = || {
            games.0.has_changed.store(true, Ordering::Relaxed);
            let shown = games.changed().unwrap();
            let of = |one: &LiveGame| (one.id.clone(), one.place, one.result.clone(), one.moves.len());
            shown.iter().map(of).collect::<Vec<_>>()
        };
        let two = ("two".to_owned(), 1, None, 0);
        let over = ("one".to_owned(), 0, Some("1-0".to_owned()), 1);
        assert_eq!(shown(), [over.clone(), two.clone()]);
        let next = games.begin(game("three")).unwrap();
        assert_eq!(shown(), [over.clone(), two.clone()]);
        next.note("X,a1", Duration::ZERO);
        locked(&games.0.boards[0]).until = Some(Instant::now() + Duration::from_secs(3600));
        assert_eq!(shown(), [over, two.clone()], "it is not held long enough");
        next.note("X,b2", Duration::ZERO);
        locked(&games.0.boards[0]).until = Some(Instant::now());
        assert_eq!(shown(), [("three".to_owned(), 0, None, 2), two]);
        // A game that was not played to its end leaves nothing.
        drop(other);
        assert_eq!(shown().len(), 1);
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
