//! The thread that watches the directory: when a database has changed, it reads the runs once more.

use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use tokio::sync::watch;

use crate::pages::{Asked, Snapshot};
use crate::store::{Store, lock};

/// How often the databases are asked whether they have changed.
const EVERY: Duration = Duration::from_millis(200);
/// How often the directory is looked through for new runs, and for runs that have begun or ended.
const LOOK: Duration = Duration::from_secs(2);
/// Reading may take this part of the time: a long run is read less often than it changes.
const SHARE: u32 = 4;

/// What is asked for, as the directory is now.
pub(super) type Look = Box<dyn Fn() -> Result<Asked> + Send>;

/// What the pages show.
pub(super) struct State {
    /// Differs from state to state, and from server to server.
    pub(super) revision: String,
    /// The runs, or why they cannot be read.
    pub(super) content: Result<Snapshot, String>,
}

/// Watches a directory.
pub(super) struct Reader {
    look: Look,
    /// A part of each revision, so that a page of an earlier server is not taken for one of this.
    server: u32,
    number: u64,
    seen: Vec<Seen>,
}

/// A database as it was when it was read.
struct Seen {
    path: PathBuf,
    inode: u64,
    store: Store,
    version: i64,
    is_running: bool,
}

impl Seen {
    fn of(path: PathBuf) -> Result<Seen> {
        let inode = inode(&path).unwrap_or_default(); // the next line says what is wrong
        let store = Store::read(&path)?;
        let version = store.data_version()?;
        let is_running = lock::holder(&path)?.is_some();
        Ok(Seen { path, inode, store, version, is_running })
    }

    /// Whether another process has written, or another database is there.
    fn has_changed(&self) -> Result<bool> {
        Ok(inode(&self.path)? != self.inode || self.store.data_version()? != self.version)
    }
}

fn inode(directory: &std::path::Path) -> Result<u64> {
    Ok(std::fs::metadata(Store::file_in(directory))?.ino())
}

impl Reader {
    /// Reads a directory for the first time.
    ///
    /// # Errors
    /// Whatever is wrong with the directory or its databases.
    pub(super) fn begin(look: Look) -> Result<(Reader, Arc<State>)> {
        let server = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let server = server.map_or(0, |since| since.subsec_nanos()) ^ std::process::id();
        let mut reader = Reader { look, server, number: 0, seen: Vec::new() };
        let asked = (reader.look)()?;
        let content = reader.read(asked)?;
        let state = State { revision: reader.revision(), content: Ok(content) };
        Ok((reader, Arc::new(state)))
    }

    fn revision(&self) -> String {
        format!("{:x}-{}", self.server, self.number)
    }

    fn read(&mut self, asked: Asked) -> Result<Snapshot> {
        // What changes while it is read is seen the next time.
        let seen: Result<Vec<Seen>> = asked.parts.iter().map(|part| Seen::of(part.path.clone())).collect();
        self.seen = seen?;
        Snapshot::read(asked, self.revision())
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

    /// Tells every new state, until nobody listens.
    pub(super) fn watch(mut self, states: &watch::Sender<Arc<State>>) {
        let mut looked = Instant::now();
        let mut problem: Option<String> = None;
        while !states.is_closed() {
            std::thread::sleep(EVERY);
            let whole = looked.elapsed() >= LOOK;
            if whole {
                looked = Instant::now();
            }
            let is_new = match &problem {
                None => self.is_new(whole).unwrap_or(true),
                Some(_) => whole, // it may be readable again
            };
            if !is_new {
                continue;
            }
            let began = Instant::now();
            self.number += 1;
            let content =
                (self.look)().and_then(|asked| self.read(asked)).map_err(|error| format!("{error:#}"));
            let same = content.as_ref().err().is_some_and(|why| problem.as_ref() == Some(why));
            problem = content.as_ref().err().cloned();
            if same {
                self.number -= 1;
                continue;
            }
            states.send_replace(Arc::new(State { revision: self.revision(), content }));
            std::thread::sleep(began.elapsed() * SHARE);
        }
    }
}
