//! The open connections: at most so many. Where all places are taken, one that has sent nothing
//! makes room first. Then comes one that waits between two requests. One whose request is in work
//! comes last.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::task::AbortHandle;

use super::client::Client;

/// The most connections at a time.
pub(super) const MOST: usize = 256;
/// The most of them that wait for news.
pub(super) const MOST_STREAMS: usize = 224;
/// The most that wait for news with one token.
pub(super) const MOST_OF_TOKEN: usize = 8;
/// The most that wait for news at one address, if it is another machine: a room may have one for
/// all.
pub(super) const MOST_OF_ADDRESS: usize = 64;

#[derive(Default)]
struct Open {
    by_id: HashMap<u64, OpenConnection>,
    streams: usize,
    /// How many streams each token and each address has.
    streams_of: HashMap<StreamOwner, usize>,
}

struct OpenConnection {
    client: Client,
    last: Instant,
    work: Work,
    is_stream: bool,
    task: Option<AbortHandle>,
}

/// What a connection is about; what makes room first is the least.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Work {
    Silent,
    Between,
    InRequest,
}

/// To whom a stream is counted.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum StreamOwner {
    /// A client with a token.
    Token(String),
    /// A client without one, by its address.
    Address(Client),
}

impl StreamOwner {
    /// How many streams it may have. A proxy that does not say for whom it asks is not limited, nor
    /// are programs on this machine.
    fn most(&self) -> usize {
        match self {
            StreamOwner::Token(_) => MOST_OF_TOKEN,
            StreamOwner::Address(client) if client.may_be_many() => usize::MAX,
            StreamOwner::Address(_) => MOST_OF_ADDRESS,
        }
    }
}

/// All open connections.
#[derive(Clone, Default)]
pub(super) struct Connections {
    open: Arc<Mutex<Open>>,
    next: Arc<AtomicU64>,
}

/// One of them. Dropped, its place is free.
pub(super) struct Connection {
    id: u64,
    peer: IpAddr,
    of: Connections,
}

/// The stream of one of them. Dropped, it is over.
pub(super) struct Stream {
    of: Connections,
    owner: StreamOwner,
}

/// A request of one of them. Dropped, it is answered.
pub(super) struct InRequest {
    of: Connections,
    id: u64,
}

impl Connections {
    /// A place for a new connection. If there is none, another one is closed that is no stream; and
    /// if all are streams, there is none.
    pub(super) fn place(&self, peer: IpAddr) -> Option<Connection> {
        let mut open = self.open();
        if open.by_id.len() >= MOST {
            let closed = open.least()?;
            if let Some(closed) = open.by_id.remove(&closed)
                && let Some(task) = closed.task
            {
                task.abort();
            }
        }
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let client = Client::at(peer);
        let new =
            OpenConnection { client, last: Instant::now(), work: Work::Silent, is_stream: false, task: None };
        open.by_id.insert(id, new);
        Some(Connection { id, peer, of: self.clone() })
    }

    /// What ends a connection.
    pub(super) fn ends_by(&self, id: u64, task: AbortHandle) {
        match self.open().by_id.get_mut(&id) {
            Some(one) => one.task = Some(task),
            None => task.abort(),
        }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    /// The connection that makes room. Among those with a request in work it is one of the client
    /// that has the most of them. So one client does not push out the others.
    fn least(&self) -> Option<u64> {
        let mut at_work: HashMap<Client, usize> = HashMap::new();
        for one in self.by_id.values().filter(|one| one.work == Work::InRequest && !one.is_stream) {
            *at_work.entry(one.client).or_default() += 1;
        }
        let rank = |one: &OpenConnection| {
            let of_client =
                if one.work == Work::InRequest { at_work.get(&one.client).copied() } else { None };
            (one.work, Reverse(of_client), one.last)
        };
        let idle = self.by_id.iter().filter(|(_, one)| !one.is_stream);
        idle.min_by_key(|(_, one)| rank(one)).map(|(id, _)| *id)
    }
}

impl Connection {
    /// Its number.
    pub(super) fn id(&self) -> u64 {
        self.id
    }

    /// The address at its other end.
    pub(super) fn peer(&self) -> IpAddr {
        self.peer
    }

    /// It has asked for something, for this client.
    pub(super) fn asks(&self, client: Client) -> InRequest {
        if let Some(one) = self.of.open().by_id.get_mut(&self.id) {
            one.client = client;
            one.last = Instant::now();
            one.work = Work::InRequest;
        }
        InRequest { of: self.of.clone(), id: self.id }
    }

    /// It waits for news; `None` if too many do.
    pub(super) fn stream(&self, owner: StreamOwner) -> Option<Stream> {
        let mut open = self.of.open();
        let own = open.streams_of.get(&owner).copied().unwrap_or_default();
        if open.streams >= MOST_STREAMS || own >= owner.most() {
            return None;
        }
        open.streams += 1;
        open.streams_of.insert(owner.clone(), own + 1);
        if let Some(one) = open.by_id.get_mut(&self.id) {
            one.is_stream = true;
        }
        Some(Stream { of: self.of.clone(), owner })
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.of.open().by_id.remove(&self.id);
    }
}

impl Drop for InRequest {
    fn drop(&mut self) {
        if let Some(one) = self.of.open().by_id.get_mut(&self.id) {
            one.last = Instant::now();
            one.work = Work::Between;
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        let mut open = self.of.open();
        open.streams -= 1;
        if let Some(own) = open.streams_of.get_mut(&self.owner) {
            *own -= 1;
            if *own == 0 {
                open.streams_of.remove(&self.owner);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    fn has(all: &Connections, one: &Connection) -> bool {
        all.open().by_id.contains_key(&one.id)
    }

    #[test]
    fn connections_that_have_sent_nothing_make_room_before_an_upload_in_progress() {
        let all = Connections::default();
        let uploading = all.place(from(1)).unwrap();
        let client = |last: u8| Client::at(from(last));
        let upload = uploading.asks(client(1));
        let between = all.place(from(1)).unwrap();
        drop(between.asks(client(1)));
        let silent: Vec<Connection> = (2..MOST).map(|_| all.place(from(2)).unwrap()).collect();
        let flood: Vec<Connection> = (0..2 * MOST).map(|_| all.place(from(2)).unwrap()).collect();
        assert!(has(&all, &uploading) && has(&all, &between) && !has(&all, &silent[0]));
        assert_eq!(all.open().by_id.len(), MOST);
        // Requests in work: the client with the most of them makes room.
        let busy: Vec<InRequest> = flood.iter().map(|one| one.asks(client(2))).collect();
        let new = all.place(from(3)).unwrap();
        assert!(!has(&all, &between) && has(&all, &uploading));
        let newer = all.place(from(3)).unwrap();
        assert!(!has(&all, &new), "it has sent nothing");
        let _asked = newer.asks(client(3));
        assert!(all.place(from(3)).is_some() && has(&all, &uploading));
        drop((busy, upload));
    }

    #[test]
    fn streams_leave_places_for_others_and_no_client_takes_all() {
        let all = Connections::default();
        let held: Vec<Connection> = (0..MOST).map(|_| all.place(from(1)).unwrap()).collect();
        let streams = |owner: &StreamOwner| -> Vec<Stream> {
            held.iter().filter_map(|one| one.stream(owner.clone())).collect()
        };
        let token = StreamOwner::Token("one".to_owned());
        let of_token = streams(&token);
        let of_address = streams(&StreamOwner::Address(Client::at(from(1))));
        assert_eq!((of_token.len(), of_address.len()), (MOST_OF_TOKEN, MOST_OF_ADDRESS));
        let proxied = streams(&StreamOwner::Address(Client::at(IpAddr::from([127, 0, 0, 1]))));
        assert_eq!(proxied.len(), MOST_STREAMS - MOST_OF_TOKEN - MOST_OF_ADDRESS);
        drop((of_token, proxied));
        assert!(held[MOST - 1].stream(token).is_some());
        assert_eq!(all.open().streams_of.len(), 1, "what is over is forgotten");
    }
}
