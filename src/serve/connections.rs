//! The open connections: at most so many. Where all places are taken, the connection that has asked
//! for nothing for the longest time makes room.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tokio::task::AbortHandle;

/// The most connections at a time.
pub(super) const MOST: usize = 256;
/// The most of them that wait for news.
pub(super) const MOST_STREAMS: usize = 224;

#[derive(Default)]
struct Open {
    by_id: HashMap<u64, OpenConnection>,
}

struct OpenConnection {
    last: Instant,
    is_stream: bool,
    task: Option<AbortHandle>,
}

/// All open connections.
#[derive(Clone, Default)]
pub(super) struct Connections {
    open: Arc<Mutex<Open>>,
    next: Arc<AtomicU64>,
    streams: Arc<AtomicUsize>,
}

/// One of them. Dropped, its place is free.
pub(super) struct Connection {
    id: u64,
    of: Connections,
}

/// The stream of one of them. Dropped, it is over.
pub(super) struct Stream(Connections);

impl Connections {
    /// A place for a new connection. If there is none, the oldest one that is no stream is closed; and
    /// if all are streams, there is none.
    pub(super) fn place(&self) -> Option<Connection> {
        let mut open = self.open();
        if open.by_id.len() >= MOST {
            let idle = open.by_id.iter().filter(|(_, one)| !one.is_stream);
            let oldest = idle.min_by_key(|(_, one)| one.last).map(|(id, _)| *id)?;
            if let Some(closed) = open.by_id.remove(&oldest)
                && let Some(task) = closed.task
            {
                task.abort();
            }
        }
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        open.by_id.insert(id, OpenConnection { last: Instant::now(), is_stream: false, task: None });
        Some(Connection { id, of: self.clone() })
    }

    /// What ends a connection.
    pub(super) fn ends_by(&self, id: u64, task: AbortHandle) {
        match self.open().by_id.get_mut(&id) {
            Some(one) => one.task = Some(task),
            None => task.abort(),
        }
    }

    fn open(&self) -> std::sync::MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connection {
    /// Its number.
    pub(super) fn id(&self) -> u64 {
        self.id
    }

    /// It has asked for something.
    pub(super) fn asks(&self) {
        if let Some(one) = self.of.open().by_id.get_mut(&self.id) {
            one.last = Instant::now();
        }
    }

    /// It waits for news; `None` if too many do.
    pub(super) fn stream(&self) -> Option<Stream> {
        let streams = &self.of.streams;
        let is_free = |open| (open < MOST_STREAMS).then_some(open + 1);
        streams.fetch_update(Ordering::Relaxed, Ordering::Relaxed, is_free).ok()?;
        if let Some(one) = self.of.open().by_id.get_mut(&self.id) {
            one.is_stream = true;
        }
        Some(Stream(self.of.clone()))
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.of.open().by_id.remove(&self.id);
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.0.streams.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_connection_takes_the_place_of_the_one_that_is_idle_for_the_longest_time() {
        let all = Connections::default();
        let held: Vec<Connection> = (0..MOST).map(|_| all.place().unwrap()).collect();
        held[0].asks();
        let new = all.place().unwrap();
        let open = all.open();
        assert!(open.by_id.len() == MOST && open.by_id.contains_key(&new.id));
        assert!(open.by_id.contains_key(&held[0].id) && !open.by_id.contains_key(&held[1].id));
    }

    #[test]
    fn streams_leave_places_for_others() {
        let all = Connections::default();
        let held: Vec<Connection> = (0..MOST).map(|_| all.place().unwrap()).collect();
        let streams: Vec<Stream> = held.iter().filter_map(Connection::stream).collect();
        assert_eq!(streams.len(), MOST_STREAMS);
        assert!(all.place().is_some());
        drop(streams);
        assert!(held[MOST - 1].stream().is_some());
    }
}
