//! Syncs committed games to the disk once a second, on a thread of its own, so that no game waits.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::{RecvTimeoutError, Sender, bounded};

const EVERY: Duration = Duration::from_secs(1);

/// The thread, which ends when this is dropped.
pub(super) struct LogSync {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl LogSync {
    /// Syncs the log of the database at `path` until dropped.
    pub(super) fn start(path: &Path) -> Self {
        let log = path.with_extension("db-wal");
        let (end, ended) = bounded(0);
        let work = move || {
            while ended.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                sync(&log);
            }
        };
        // Without the thread SQLite still syncs at every checkpoint.
        let thread = std::thread::Builder::new().name("sync".to_owned()).spawn(work).ok();
        LogSync { end: Some(end), thread }
    }
}

impl Drop for LogSync {
    fn drop(&mut self) {
        self.end.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // it returns nothing
        }
    }
}

fn sync(log: &PathBuf) {
    // If a write fails to reach the disk, SQLite's own sync at the next checkpoint fails too.
    let _ = File::open(log).and_then(|log| log.sync_data());
}
