//! The thread that watches the directory: when a database has changed, it reads the runs once more.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::Thread;
use std::time::{Duration, Instant, SystemTime};

use agon_export::live::{self, LiveGame};
use agon_pages::pages::{Asked, Memories, Snapshot};
use agon_store::{Store, lock};
use anyhow::Result;
use tokio::sync::watch;

/// How often the databases are asked whether they have changed.
const EVERY: Duration = Duration::from_millis(200);
/// How often everything is looked at while nobody looks at a page.
const UNSEEN: Duration = Duration::from_secs(5);
/// Somebody who has asked for something may ask again within this time.
const SEEN: Duration = Duration::from_secs(10);
/// How often the directory is looked through for new runs, and for runs that have begun or ended.
const LOOK: Duration = Duration::from_secs(2);
/// How often the games in play are read.
const MOVES: Duration = Duration::from_millis(400);
/// The most games in play on a page.
const MOST_BOARDS: usize = 8;
/// Reading may take this part of the time: a long run is read less often than it changes.
const SHARE: u32 = 4;
/// The least time between two states, because every open page asks for itself then. With [`EVERY`]
/// it is less than a second.
const BETWEEN: Duration = Duration::from_millis(750);
/// The most time between two, where reading has waited for somebody who writes.
const MOST_BETWEEN: Duration = Duration::from_secs(5);

/// Whether somebody looks at the pages. Nothing is read often for nobody.
#[derive(Clone)]
pub(super) struct Viewers(Arc<Watched>);

struct Watched {
    began: Instant,
    /// When something was asked for last, in milliseconds since `began`.
    asked: AtomicU64,
    streams: AtomicUsize,
    reader: OnceLock<Thread>,
}

/// Somebody who waits for news. Dropped, nobody does.
pub(super) struct Viewer(Viewers);

impl Viewers {
    pub(super) fn new() -> Viewers {
        let (asked, streams, reader) = (AtomicU64::new(0), AtomicUsize::new(0), OnceLock::new());
        Viewers(Arc::new(Watched { began: Instant::now(), asked, streams, reader }))
    }

    /// Somebody asks for something. If nobody did for a while, what is new is read at once.
    pub(super) fn ask(&self) {
        let before = self.are_there();
        let now = u64::try_from(self.0.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.0.asked.store(now, Ordering::Relaxed);
        if !before && let Some(reader) = self.0.reader.get() {
            reader.unpark();
        }
    }

    /// Somebody waits for news.
    pub(super) fn wait(&self) -> Viewer {
        self.0.streams.fetch_add(1, Ordering::Relaxed);
        Viewer(self.clone())
    }

    fn are_there(&self) -> bool {
        let asked = Duration::from_millis(self.0.asked.load(Ordering::Relaxed));
        self.0.streams.load(Ordering::Relaxed) > 0 || self.0.began.elapsed() < asked + SEEN
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        self.0.0.streams.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What is asked for, as the directory is now.
pub(super) type Look = Box<dyn Fn() -> Result<Asked> + Send>;

/// What the pages show.
#[derive(Clone)]
pub(super) struct State {
    /// Differs from state to state, and from server to server.
    pub(super) revision: String,
    /// The runs, or why they cannot be read.
    pub(super) content: Arc<Result<Snapshot, String>>,
    /// Counts the changes of the games in play.
    pub(super) moves: u64,
    /// The games in play, each with the number of its run.
    pub(super) live: Arc<Vec<(usize, LiveGame)>>,
}

impl State {
    /// The state of a server that has no run.
    pub(super) fn without_run() -> State {
        State::new("0".to_owned(), Err("this server has no run".to_owned()))
    }

    fn new(revision: String, content: Result<Snapshot, String>) -> State {
        State { revision, content: Arc::new(content), moves: 0, live: Arc::default() }
    }
}

/// Watches a directory.
pub(super) struct Reader {
    look: Look,
    /// Whether there is a page on which people play.
    has_tables: bool,
    /// A part of each revision, so that a page of an earlier server is not taken for one of this.
    server: u32,
    number: u64,
    seen: Vec<OpenedStore>,
    memories: Memories,
    viewers: Viewers,
}

/// A database as it was when it was read.
struct OpenedStore {
    path: PathBuf,
    inode: u64,
    store: Store,
    version: i64,
    is_running: bool,
    /// The games in play, and when their file was written.
    live: Vec<LiveGame>,
    live_written: Option<SystemTime>,
}

impl OpenedStore {
    fn of(path: PathBuf) -> Result<OpenedStore> {
        let inode = Store::inode_in(&path).unwrap_or_default(); // the next line says what is wrong
        let store = Store::read_confined(&path)?;
        let version = store.data_version()?;
        let is_running = lock::holder(&path)?.is_some();
        Ok(OpenedStore { path, inode, store, version, is_running, live: Vec::new(), live_written: None })
    }

    /// Whether another process has written, or another database is there.
    fn has_changed(&self) -> Result<bool> {
        Ok(Store::inode_in(&self.path)? != self.inode || self.store.data_version()? != self.version)
    }
}

impl OpenedStore {
    /// The games in play. The file is read only if it was written anew.
    fn live_games(&mut self) -> &[LiveGame] {
        let written = std::fs::metadata(self.path.join(live::NAME)).and_then(|found| found.modified()).ok();
        if written != self.live_written {
            self.live_written = written;
            self.live = live::read(&self.path);
        }
        &self.live
    }
}

impl Reader {
    /// Reads a directory for the first time.
    ///
    /// # Errors
    /// A fault of the directory or of its databases, unless `may_be_empty`.
    pub(super) fn begin(
        look: Look,
        viewers: Viewers,
        has_tables: bool,
        may_be_empty: bool,
    ) -> Result<(Reader, Arc<State>)> {
        let server = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let server = server.map_or(0, |since| since.subsec_nanos()) ^ std::process::id();
        let mut reader = Reader {
            look,
            has_tables,
            server,
            number: 0,
            seen: Vec::new(),
            memories: Memories::default(),
            viewers,
        };
        let content = match (reader.look)().and_then(|asked| reader.read(asked)) {
            Err(error) if may_be_empty => Err(format!("{error:#}")),
            content => Ok(content?),
        };
        let state = State::new(reader.revision(), content);
        Ok((reader, Arc::new(state)))
    }

    fn revision(&self) -> String {
        format!("{:x}-{}", self.server, self.number)
    }

    fn read(&mut self, asked: Asked) -> Result<Snapshot> {
        // What changes while it is read is seen the next time.
        let seen: Result<Vec<OpenedStore>> =
            asked.parts.iter().map(|part| OpenedStore::of(part.path.clone())).collect();
        self.seen = seen?;
        let revision = self.revision();
        Ok(Snapshot::read(asked, revision, &mut self.memories)?.with_tables(self.has_tables))
    }

    /// Whether something is new. With `whole` the directory itself is looked through.
    fn is_new(&self, whole: bool) -> Result<bool> {
        for seen in &self.seen {
            if seen.has_changed()? || (whole && lock::holder(&seen.path)?.is_some() != seen.is_running) {
                return Ok(true);
            }
        }
        if !whole {
            return Ok(false);
        }
        let asked = (self.look)()?;
        Ok(!asked.parts.iter().map(|part| &part.path).eq(self.seen.iter().map(|seen| &seen.path)))
    }

    /// Tells the games in play, if a move was made.
    fn tell_moves(&mut self, states: &watch::Sender<Arc<State>>) {
        // A run that was killed leaves its file behind.
        let running = self.seen.iter_mut().enumerate().filter(|(_, seen)| seen.is_running);
        let games = |(at, seen): (usize, &mut OpenedStore)| {
            let games = seen.live_games().to_vec();
            games.into_iter().map(move |game| (at, game))
        };
        let games: Vec<(usize, LiveGame)> = running.flat_map(games).take(MOST_BOARDS).collect();
        let before = states.borrow().clone();
        if *before.live != games {
            let moves = before.moves + 1;
            states.send_replace(Arc::new(State { moves, live: Arc::new(games), ..State::clone(&before) }));
        }
    }

    /// Tells every new state, until nobody listens.
    pub(super) fn watch(mut self, states: &watch::Sender<Arc<State>>) {
        let _ = self.viewers.0.reader.set(std::thread::current());
        let mut looked = Instant::now();
        let mut live_read = Instant::now();
        let mut next = Instant::now();
        let mut problem: Option<String> = None;
        while !states.is_closed() {
            let are_viewers = self.viewers.are_there();
            std::thread::park_timeout(if are_viewers { EVERY } else { UNSEEN });
            let whole = looked.elapsed() >= LOOK;
            if whole {
                looked = Instant::now();
            }
            let is_new = match &problem {
                None if Instant::now() < next => false,
                None => self.is_new(whole).unwrap_or(true),
                Some(_) => whole, // it may be readable again
            };
            let may_be_old =
                whole && matches!(&*states.borrow().content, Ok(content) if !content.is_settled());
            if !is_new && !may_be_old {
                if live_read.elapsed() >= MOVES {
                    live_read = Instant::now();
                    self.tell_moves(states);
                }
                continue;
            }
            next = Instant::now() + self.tell(states, &mut problem);
        }
    }

    /// Reads what is new, and tells it. Returns after how long it may be read again.
    fn tell(&mut self, states: &watch::Sender<Arc<State>>, problem: &mut Option<String>) -> Duration {
        let began = Instant::now();
        self.number += 1;
        let content = (self.look)().and_then(|asked| self.read(asked)).map_err(|error| format!("{error:#}"));
        let same = content.as_ref().err().is_some_and(|why| problem.as_ref() == Some(why));
        *problem = content.as_ref().err().cloned();
        if same {
            self.number -= 1;
            return Duration::ZERO;
        }
        let before = states.borrow().clone();
        let fresh =
            State { moves: before.moves, live: before.live.clone(), ..State::new(self.revision(), content) };
        states.send_replace(Arc::new(fresh));
        (began.elapsed() * SHARE).clamp(BETWEEN, MOST_BETWEEN)
    }
}
