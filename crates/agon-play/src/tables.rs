//! The tables of a server at which people play in the browser: who sits there, the engines, the
//! clocks.
//!
//! They are in a process of their own, because the process that answers browsers may start nothing.
//! The two talk in lines of JSON ([`requests`]). When the input ends, all tables close.

mod arrival;
mod board;
mod desk;
mod ending;
mod hints;
mod keys;
mod lobby;
mod requests;
mod seats;
mod table;
mod view;

use std::collections::HashMap;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use agon_games::lexicon::Lexicon;
use agon_match::processes::{Limits, Scratch};
use agon_programs::spec::EngineSpec;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::{Value, json};

use self::desk::{Declined, Desk, Task, Work};
use self::keys::TableKeys;
use self::requests::{PendingRequest, TableRequest, TablesMessage, TablesRequest};
use self::table::{Interrupt, PlayTable, TableSpec};

/// How often the tables whose time is over are looked for.
const EVERY: Duration = Duration::from_millis(500);
/// A longer message ends the input.
const MOST_BYTES: usize = 256 << 10;

/// What all tables share.
pub struct TablesSpec<'a> {
    /// The engines that may be played against.
    pub engines: Vec<EngineSpec>,
    /// The words of the letter cube.
    pub lexicon: Arc<Lexicon>,
    /// The most tables at a time.
    pub most: usize,
    /// After this time a table closes.
    pub longest: Duration,
    /// The extra time that the operator of a remote seat has for each move.
    pub operator: Duration,
    /// How engines start and how they are confined. Each game has a `stop` of its own.
    pub limits: Limits,
    /// Where engines get their directories.
    pub scratch: &'a Scratch,
}

/// Where answers and news go.
pub(crate) struct Output(Mutex<Box<dyn Write + Send>>);

impl Output {
    fn write(&self, message: &Value) {
        let mut to = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Nobody reads any more: the end of the input follows.
        let _ = writeln!(to, "{message}").and_then(|()| to.flush());
    }

    /// Answers a message with a status of HTTP.
    pub(crate) fn answer(&self, number: u64, status: u16, body: &Value) {
        self.write(&json!({ "n": number, "status": status, "body": body }));
    }

    /// Refuses a message in a sentence.
    pub(crate) fn refuse(&self, number: u64, status: u16, why: impl Into<String>) {
        self.answer(number, status, &json!({ "error": why.into() }));
    }

    /// Tells what a table shows now.
    pub(crate) fn tell(&self, table: u64, revision: u64, state: &Value) {
        self.write(&json!({ "table": table, "revision": revision, "state": state }));
    }

    /// Refuses a message for some time.
    fn put_off(&self, number: u64, after: Duration, why: &str) {
        let body = json!({ "error": why, "after": after.as_secs() + 1 });
        self.answer(number, 429, &body);
    }

    /// Asks the server to say when it has passed on all that has arrived for a table.
    pub(crate) fn sync(&self, table: u64, number: u64) {
        self.write(&json!({ "table": table, "sync": number }));
    }

    fn gone(&self, table: u64, why: &str) {
        self.write(&json!({ "table": table, "gone": why }));
    }
}

/// A table that is open.
struct OpenTable {
    /// Who opened it.
    client: String,
    requests: crossbeam_channel::Sender<PendingRequest>,
    interrupt: Arc<Interrupt>,
    /// What stays the same as long as it is open.
    look: Value,
    until: Instant,
}

type Tables = Mutex<HashMap<u64, OpenTable>>;

fn lock(tables: &Tables) -> MutexGuard<'_, HashMap<u64, OpenTable>> {
    tables.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Serves until the input ends or `stop` is readable. The first line that is written says that the
/// tables are ready.
///
/// # Errors
/// The input cannot be read, or no thread can be started.
pub fn serve(
    spec: &TablesSpec<'_>,
    input: impl AsFd,
    output: Box<dyn Write + Send>,
    stop: &OwnedFd,
) -> io::Result<()> {
    let output = Arc::new(Output(Mutex::new(output)));
    let (tables, keys, desk) = (Tables::default(), TableKeys::default(), Desk::default());
    output.write(&json!({ "ready": true }));
    let next = AtomicU64::new(1);
    let games = OnceLock::new();
    let room =
        Room { spec, games: &games, tables: &tables, keys: &keys, desk: &desk, next: &next, output: &output };
    thread::scope(|scope| {
        // What computes does so here, so that the thread below passes moves on at once.
        thread::Builder::new().name("desk".to_owned()).spawn_scoped(scope, move || room.work(scope))?;
        let mut lines = Lines { input: input.as_fd(), waiting: Vec::new() };
        let served = loop {
            let line = match lines.next(stop) {
                Ok(Input::Line(line)) => line,
                Ok(Input::Nothing) => {
                    close_late(&tables);
                    continue;
                }
                Ok(Input::End) => break Ok(()),
                Err(error) => break Err(error),
            };
            // The process that answers browsers writes no other ones.
            if let Ok(message) = serde_json::from_slice::<TablesMessage>(&line) {
                room.take(message);
            }
        };
        desk.close();
        let all: Vec<u64> = lock(&tables).keys().copied().collect();
        for table in all {
            close(&lock(&tables), table, "The server has ended.");
        }
        served
    })
}

/// The tables, and what all requests need.
#[derive(Clone, Copy)]
struct Room<'r> {
    spec: &'r TablesSpec<'r>,
    /// The games with their pictures, made for the first page that asks.
    games: &'r OnceLock<Vec<Value>>,
    tables: &'r Tables,
    keys: &'r TableKeys,
    desk: &'r Desk,
    /// The number of the next table.
    next: &'r AtomicU64,
    output: &'r Arc<Output>,
}

impl<'r> Room<'r> {
    /// Takes a message. What needs computing waits at the desk.
    fn take(self, message: TablesMessage) {
        if let Some(table) = message.away {
            close(&lock(self.tables), table, "Nobody was at this table any more, so it was closed.");
        }
        if let Some(number) = message.gone {
            self.desk.forget(number);
        }
        if let Some((table, number)) = message.synced {
            self.synced(table, number);
        }
        let (number, client) = (message.n, message.client);
        let work = match message.ask.map(serde_json::from_value::<TablesRequest>) {
            None => return,
            Some(Err(error)) => {
                return self.output.refuse(number, 400, format!("The request cannot be read: {error}."));
            }
            Some(Ok(TablesRequest::Lobby)) => {
                let games = self.games.get_or_init(|| lobby::games(self.spec));
                let lobby = lobby::lobby(self.spec, games, lock(self.tables).len());
                return self.output.answer(number, 200, &lobby);
            }
            Some(Ok(TablesRequest::At { key, request })) => {
                let arrived = arrival::instant(message.at);
                return self.pass(&key, PendingRequest { number, seat: None, client, arrived, request });
            }
            Some(Ok(TablesRequest::Open(request))) => {
                if let Some(why) = self.no_room(&lock(self.tables), &client) {
                    return self.output.refuse(number, 503, why);
                }
                Work::Open(request)
            }
            Some(Ok(TablesRequest::Position(request))) => Work::Position(request),
        };
        match self.desk.put(Task { number, client, work }) {
            Ok(()) => {}
            Err(Declined::Budget(after)) => {
                self.output.put_off(number, after, "Too much was computed for you; ask again later.");
            }
            Err(Declined::Full) => {
                self.output.put_off(number, Duration::from_secs(1), "Too many requests wait; ask again.");
            }
        }
    }

    /// Why a client gets no table now.
    fn no_room(self, tables: &HashMap<u64, OpenTable>, client: &str) -> Option<String> {
        let most = self.spec.most;
        if tables.len() >= most {
            let why = "Try again when one is free; --tables allows more.";
            return Some(format!("All {most} tables are in use. {why}"));
        }
        let own = tables.values().filter(|open| open.client == client).count();
        let share = share_of(client, most);
        (own >= share).then(|| {
            format!("Your address has {own} of the {most} tables, and gets no more of them. Close one of them first.")
        })
    }

    /// Does what waits at the desk, until it is closed.
    fn work<'scope>(self, scope: &'scope thread::Scope<'scope, '_>)
    where
        'r: 'scope,
    {
        while let Some(Task { number, client, work }) = self.desk.next() {
            let before = arrival::processor_time();
            match work {
                Work::Position(request) => match lobby::position(self.spec, &request) {
                    Ok(body) => self.output.answer(number, 200, &body),
                    Err(why) => self.output.refuse(number, 422, why),
                },
                Work::Open(request) => match TableSpec::read(&request, self.spec) {
                    Ok(table_spec) => self.open(scope, number, &client, table_spec),
                    Err(why) => self.output.refuse(number, 422, why),
                },
            }
            let used = arrival::processor_time().saturating_sub(before);
            self.desk.budgets.charge(&client, used, Instant::now());
        }
    }

    /// Opens a table on a thread of its own.
    fn open<'scope>(
        self,
        scope: &'scope thread::Scope<'scope, '_>,
        message: u64,
        client: &str,
        table_spec: TableSpec,
    ) where
        'r: 'scope,
    {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let (requests, inbox) = crossbeam_channel::bounded(64);
        let interrupt = Arc::new(Interrupt::default());
        let until = Instant::now() + self.spec.longest;
        let (client, look) = (client.to_owned(), table_spec.look());
        if let Some(why) = self.no_room(&lock(self.tables), &client) {
            return self.output.refuse(message, 503, why);
        }
        let open = OpenTable { client, requests, interrupt: interrupt.clone(), look, until };
        let Ok(made) = self.keys.make(number, &table_spec.remote_seats()) else {
            return self.output.refuse(message, 500, "The system gives no random numbers.");
        };
        lock(self.tables).insert(number, open);
        self.output.write(&made.answer(message, number));
        let sit = move || {
            let told = (self.output.clone(), self.desk.budgets.clone());
            let why = PlayTable::new(table_spec, self.spec, number, inbox, interrupt, told).run();
            self.leave(number, &why);
        };
        if thread::Builder::new().spawn_scoped(scope, sit).is_err() {
            self.leave(number, "The system starts no thread for this table.");
        }
        // The server may have ended in the meantime, and closed the tables that there were.
        if self.desk.is_closed() {
            close(&lock(self.tables), number, "The server has ended.");
        }
    }

    /// A table is closed.
    fn leave(self, number: u64, why: &str) {
        lock(self.tables).remove(&number);
        self.keys.forget(number);
        self.output.gone(number, why);
    }

    /// Passes a request on to the table of a key.
    fn pass(self, key: &str, asked: PendingRequest) {
        let message = asked.number;
        let refuse = |status: u16, why: &str| self.output.refuse(message, status, why);
        let Some((number, seat)) = self.keys.of(key) else { return refuse(410, "This table is closed.") };
        let is_urgent = asked.request.is_urgent();
        let asked = PendingRequest { seat, ..asked };
        let tables = lock(self.tables);
        let Some(open) = tables.get(&number) else { return refuse(410, "This table is closed.") };
        if let TableRequest::Look = asked.request {
            self.output.answer(asked.number, 200, &board::seen_from(&open.look, seat));
        } else if !is_urgent && open.interrupt.is_thinking() {
            refuse(409, "It is not your turn yet.");
        } else if open.requests.try_send(asked).is_err() {
            refuse(503, "This table is busy.");
        } else if is_urgent {
            open.interrupt.send();
        }
    }

    /// Tells a table that all has been passed on that had arrived when it asked.
    fn synced(self, table: u64, number: u64) {
        if let Some(open) = lock(self.tables).get(&table) {
            // If there is no room, the table waits a little longer.
            let _ = open.requests.try_send(PendingRequest::of_server(TableRequest::Synced(number)));
        }
    }
}

/// How many of so many tables a client may have: half of them, so that there is room for others.
/// Programs on this machine, and people behind a proxy here that does not say for whom it asks,
/// cannot be told apart, and may have all.
fn share_of(client: &str, most: usize) -> usize {
    let is_here = client.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    if is_here { most } else { most.div_ceil(2) }
}

/// Closes the tables whose time is over.
fn close_late(tables: &Tables) {
    let tables = lock(tables);
    for (number, _) in tables.iter().filter(|(_, open)| open.until <= Instant::now()) {
        close(&tables, *number, "The time of this table is over.");
    }
}

fn close(tables: &HashMap<u64, OpenTable>, table: u64, why: &str) {
    let Some(open) = tables.get(&table) else { return };
    // A table that does not read its requests sees the interrupt, and then reads them.
    let request = TableRequest::Close { why: Some(why.to_owned()) };
    let _ = open.requests.try_send(PendingRequest::of_server(request));
    open.interrupt.send();
}

/// What came from the input.
enum Input {
    /// A line without its end.
    Line(Vec<u8>),
    /// Nothing for a while.
    Nothing,
    /// The input has ended, or the order to stop has come.
    End,
}

/// Lines of bounded length from a pipe, for at most a moment at a time.
struct Lines<'a> {
    input: std::os::fd::BorrowedFd<'a>,
    waiting: Vec<u8>,
}

impl Lines<'_> {
    fn next(&mut self, stop: &OwnedFd) -> io::Result<Input> {
        loop {
            if let Some(end) = self.waiting.iter().position(|byte| *byte == b'\n') {
                let mut line: Vec<u8> = self.waiting.drain(..=end).collect();
                line.pop();
                return Ok(Input::Line(line));
            }
            if self.waiting.len() > MOST_BYTES {
                return Ok(Input::End);
            }
            let every = Timespec { tv_sec: 0, tv_nsec: i64::from(EVERY.subsec_nanos()) };
            let mut fds = [PollFd::new(&self.input, PollFlags::IN), PollFd::new(stop, PollFlags::IN)];
            match poll(&mut fds, Some(&every)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => return Ok(Input::Nothing),
                Ok(_) => {}
                Err(error) => return Err(error.into()),
            }
            if !fds[1].revents().is_empty() {
                return Ok(Input::End);
            }
            let mut piece = [0; 16 << 10];
            match rustix::io::read(self.input, &mut piece) {
                Ok(0) => return Ok(Input::End),
                Ok(count) => self.waiting.extend_from_slice(&piece[..count]),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_on_another_machine_gets_half_of_the_tables() {
        for (client, most, share) in [
            ("192.0.2.1", 1, 1),
            ("192.0.2.1", 4, 2),
            ("192.0.2.1", 5, 3),
            ("2001:db8::", 64, 32),
            ("127.0.0.1", 4, 4),
            ("::1", 4, 4),
        ] {
            assert_eq!(share_of(client, most), share, "{client} of {most}");
        }
    }
}
