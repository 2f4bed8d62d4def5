//! The pipe to the process that keeps the tables, and what is known of each table.

use std::collections::{HashMap, VecDeque};
use std::io::{BufRead, BufReader, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use agon_sandbox::system::shared_clock;
use crossbeam_channel::{Sender, bounded};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot, watch};

use super::client::Client;

/// The most requests that wait to be written.
const WAITING: usize = 256;
/// How often what has arrived is looked for, before a table is told that there is nothing more.
const SETTLE: u32 = 5;
/// The most closed tables whose reason is remembered.
const REMEMBERED: usize = 64;

/// Why a table is closed.
pub(super) struct Closed(pub(super) String);

/// A state of a table: its revision, and what it shows as JSON.
type TableState = (u64, Arc<str>);

struct KnownTable {
    keys: Vec<String>,
    states: watch::Sender<TableState>,
    looked_at: Instant,
}

#[derive(Default)]
struct Known {
    tables: HashMap<u64, KnownTable>,
    closed: VecDeque<(Vec<String>, String)>,
    waiting: HashMap<u64, oneshot::Sender<(u16, Value)>>,
    is_over: bool,
}

impl Known {
    fn table_of(&mut self, key: &str) -> Option<&mut KnownTable> {
        self.tables.values_mut().find(|table| table.keys.iter().any(|own| own == key))
    }
}

/// The way to the tables.
pub(super) struct TablesLink {
    known: Mutex<Known>,
    next: AtomicU64,
    messages: Sender<String>,
    /// The questions of tables whether all was passed on that has arrived.
    syncs: mpsc::UnboundedSender<(u64, u64)>,
    asked_syncs: Mutex<Option<mpsc::UnboundedReceiver<(u64, u64)>>>,
}

/// An answer that a browser waits for. Dropped before it has come, it is not needed any more.
pub(super) struct PendingAnswer {
    number: u64,
    answer: oneshot::Receiver<(u16, Value)>,
    link: Arc<TablesLink>,
}

impl PendingAnswer {
    /// The status and the body; `None` if nobody is there to answer any more.
    pub(super) async fn come(&mut self) -> Option<(u16, Value)> {
        (&mut self.answer).await.ok()
    }
}

impl Drop for PendingAnswer {
    fn drop(&mut self) {
        if self.link.known().waiting.remove(&self.number).is_some() {
            // If it is not sent, the tables answer in vain.
            self.link.send(&json!({ "gone": self.number }));
        }
    }
}

/// Why a request is not passed on.
pub(super) enum NotPassed {
    /// Nobody is there to answer.
    Gone,
    /// Too many wait.
    Full,
}

impl TablesLink {
    /// Talks over these pipes, on two threads.
    ///
    /// # Errors
    /// No thread can be started.
    pub(super) fn start(
        from: Box<dyn Read + Send>,
        mut to: Box<dyn Write + Send>,
    ) -> std::io::Result<Arc<TablesLink>> {
        let (messages, outbox) = bounded::<String>(WAITING);
        let (syncs, asked_syncs) = mpsc::unbounded_channel();
        let (known, next, asked_syncs) = (Mutex::default(), AtomicU64::new(1), Mutex::new(Some(asked_syncs)));
        let link = Arc::new(TablesLink { known, next, messages, syncs, asked_syncs });
        std::thread::Builder::new().name("to tables".to_owned()).spawn(move || {
            for message in outbox {
                if to.write_all(message.as_bytes()).and_then(|()| to.flush()).is_err() {
                    return;
                }
            }
        })?;
        let heard = link.clone();
        std::thread::Builder::new().name("from tables".to_owned()).spawn(move || {
            for line in BufReader::new(from).lines().map_while(Result::ok) {
                if let Ok(message) = serde_json::from_str(&line) {
                    heard.take(message);
                }
            }
            heard.ends();
        })?;
        Ok(link)
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a line of the tables.
    fn take(&self, mut message: Value) {
        let mut known = self.known();
        let table = message["table"].as_u64();
        if let (Some(table), Some(keys)) = (table, message["keys"].as_array()) {
            let keys = keys.iter().filter_map(Value::as_str).map(str::to_owned).collect();
            let (states, _) = watch::channel((0, Arc::from("null")));
            known.tables.insert(table, KnownTable { keys, states, looked_at: Instant::now() });
        }
        if let Some(number) = message["n"].as_u64() {
            let status =
                message["status"].as_u64().and_then(|status| u16::try_from(status).ok()).unwrap_or(500);
            if let Some(reply) = known.waiting.remove(&number) {
                let _ = reply.send((status, message["body"].take())); // the browser may have gone
            }
        } else if let (Some(table), Some(number)) = (table, message["sync"].as_u64()) {
            let _ = self.syncs.send((table, number)); // the server may be ending
        } else if let (Some(table), Some(why)) = (table, message["gone"].as_str()) {
            if let Some(closed) = known.tables.remove(&table) {
                known.closed.push_back((closed.keys, why.to_owned()));
                if known.closed.len() > REMEMBERED {
                    known.closed.pop_front();
                }
            }
        } else if let (Some(table), Some(revision)) = (table, message["revision"].as_u64())
            && let Some(open) = known.tables.get(&table)
        {
            open.states.send_replace((revision, message["state"].to_string().into()));
        }
    }

    /// Nothing more will come.
    fn ends(&self) {
        let mut known = self.known();
        known.is_over = true;
        known.tables.clear();
        known.waiting.clear();
    }

    fn send(&self, message: &Value) -> bool {
        self.messages.try_send(format!("{message}\n")).is_ok()
    }

    /// Passes on what a browser asks, for this client. It has arrived now.
    ///
    /// # Errors
    /// [`NotPassed`].
    pub(super) fn ask(self: &Arc<Self>, client: Client, asked: &Value) -> Result<PendingAnswer, NotPassed> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let (reply, answer) = oneshot::channel();
        {
            let mut known = self.known();
            if known.is_over {
                return Err(NotPassed::Gone);
            }
            if known.waiting.len() >= WAITING {
                return Err(NotPassed::Full);
            }
            known.waiting.insert(number, reply);
        }
        let pending = PendingAnswer { number, answer, link: self.clone() };
        let message =
            json!({ "n": number, "client": client.to_string(), "at": shared_clock(), "ask": asked });
        if self.send(&message) { Ok(pending) } else { Err(NotPassed::Full) }
    }

    /// Answers tables that ask whether all that has arrived was passed on.
    pub(super) async fn answer_syncs(&self) {
        let asked = self.asked_syncs.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(mut asked) = asked else { return };
        while let Some((table, number)) = asked.recv().await {
            // What the system has taken in goes on in between: a connection, then its request.
            for _ in 0..SETTLE {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            // If it is not sent, the table waits a little longer.
            self.send(&json!({ "synced": [table, number] }));
        }
    }

    /// Somebody looks at the table of this key.
    pub(super) fn is_looked_at(&self, key: &str) {
        if let Some(table) = self.known().table_of(key) {
            table.looked_at = Instant::now();
        }
    }

    /// The states of the table of this key.
    ///
    /// # Errors
    /// [`Closed`], with the reason if it is known.
    pub(super) fn states(&self, key: &str) -> Result<watch::Receiver<TableState>, Closed> {
        let mut known = self.known();
        if let Some(table) = known.table_of(key) {
            return Ok(table.states.subscribe());
        }
        let closed = known.closed.iter().find(|(keys, _)| keys.iter().any(|own| own == key));
        Err(Closed(
            closed.map_or_else(|| "There is no such table any more.".to_owned(), |(_, why)| why.clone()),
        ))
    }

    /// Closes the tables at which nobody has looked for this long.
    pub(super) fn close_left(&self, away: Duration) {
        let left: Vec<u64> = {
            let known = self.known();
            let left = known.tables.iter().filter(|(_, table)| table.looked_at.elapsed() > away);
            left.map(|(number, _)| *number).collect()
        };
        for table in left {
            self.send(&json!({ "away": table })); // if it is not sent now, it is sent the next time
        }
    }
}
