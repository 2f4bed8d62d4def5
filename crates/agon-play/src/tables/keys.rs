//! The keys of tables: long random words that only those have who were given them.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::sync::{Mutex, MutexGuard, PoisonError};

use agon_seats::Seat;
use serde_json::{Map, Value, json};

/// The bytes of a key: 128 bits.
const BYTES: usize = 16;

/// Which table each key opens, and on which seat.
#[derive(Default)]
pub(super) struct TableKeys(Mutex<HashMap<String, (u64, Option<Seat>)>>);

/// The keys of a new table.
pub(super) struct MadeKeys {
    own: String,
    remote: Vec<(Seat, String)>,
}

impl TableKeys {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, (u64, Option<Seat>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a key for who opens a table, and one for each remote seat.
    pub(super) fn make(&self, table: u64, remote: &[Seat]) -> io::Result<MadeKeys> {
        let own = random()?;
        let remote: Vec<(Seat, String)> =
            remote.iter().map(|seat| Ok((*seat, random()?))).collect::<io::Result<_>>()?;
        let mut keys = self.lock();
        keys.insert(own.clone(), (table, None));
        keys.extend(remote.iter().map(|(seat, key)| (key.clone(), (table, Some(*seat)))));
        Ok(MadeKeys { own, remote })
    }

    /// The table of a key, and the seat if it is for one alone.
    pub(super) fn of(&self, key: &str) -> Option<(u64, Option<Seat>)> {
        self.lock().get(key).copied()
    }

    /// Forgets the keys of a table.
    pub(super) fn forget(&self, table: u64) {
        self.lock().retain(|_, (of, _)| *of != table);
    }
}

impl MadeKeys {
    /// The answer to who opened the table.
    pub(super) fn answer(&self, number: u64, table: u64) -> Value {
        let links: Map<String, Value> =
            self.remote.iter().map(|(seat, key)| (seat.index().to_string(), json!(key))).collect();
        let keys: Vec<&String> = self.remote.iter().map(|(_, key)| key).chain([&self.own]).collect();
        let body = json!({ "key": self.own, "links": links });
        json!({ "n": number, "status": 200, "body": body, "table": table, "keys": keys })
    }
}

fn random() -> io::Result<String> {
    let mut bytes = [0; BYTES];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
