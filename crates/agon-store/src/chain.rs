//! The chain of hashes: each game has a hash of its content and of the hash before it.
//!
//! Games are only ever added, so a game that was removed, doubled, exchanged or changed breaks the
//! chain. Which games count, and under which numbers, may change: when a run begins, ends or
//! imports games, a *selection* goes into the chain. It is a hash of all games that count with
//! their numbers. The last hash is the *head*. A note of it elsewhere shows later that nothing was
//! changed, even if somebody has computed the whole chain again.
//!
//! A game that does not count may be pruned: its hash stays, in `pruned`, and the chain goes on
//! over it. Nothing proves its content any more.
//!
//! A hash covers the contents of the columns, not a serialised record.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use agon_programs::program::display_path;
use anyhow::{Context, Result};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, params};
use sha2::{Digest, Sha256};

use super::Store;
use super::cells::StoredCell;
use super::hash::part;
use super::{elsewhere, host, pauses, refereed, spent, statements};

/// The hash of a game or a selection and of everything stored before it. Written as 32 hexadecimal
/// digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Link([u8; 16]);

impl Link {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    fn of(hash: Sha256) -> Self {
        Link(hash.finalize()[..16].try_into().expect("a SHA-256 has 32 bytes"))
    }

    fn read(bytes: Option<Vec<u8>>) -> Option<Self> {
        Some(Link(bytes?.try_into().ok()?))
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for Link {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            "not the head of a chain; write 32 hexadecimal digits, as agon standings shows them".to_owned()
        };
        if text.len() != 32 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(wrong());
        }
        let mut link = [0; 16];
        for (byte, digits) in link.iter_mut().zip(text.as_bytes().chunks(2)) {
            let digits = str::from_utf8(digits).map_err(|_| wrong())?;
            *byte = u8::from_str_radix(digits, 16).map_err(|_| wrong())?;
        }
        Ok(Link(link))
    }
}

/// Computes the hash of one game. NULL columns are left out.
pub(super) struct Content(Sha256);

impl Content {
    pub(super) fn after(before: Link) -> Self {
        let mut hash = Sha256::new();
        hash.update(before.0);
        hash.update(b"game");
        Content(hash)
    }

    pub(super) fn text(&mut self, name: &str, value: &str) {
        self.cell(name, b't', value.as_bytes());
    }

    pub(super) fn bytes(&mut self, name: &str, value: &[u8]) {
        self.cell(name, b'b', value);
    }

    pub(super) fn number(&mut self, name: &str, value: i64) {
        self.cell(name, b'n', &value.to_le_bytes());
    }

    /// A value of a column; NULL is left out.
    pub(super) fn cell_of(&mut self, name: &str, cell: &StoredCell<'_>) {
        match cell {
            StoredCell::Null => {}
            StoredCell::Number(number) => self.number(name, *number),
            StoredCell::Text(text) => self.text(name, text),
            StoredCell::Bytes(bytes) => self.bytes(name, bytes),
        }
    }

    pub(super) fn maybe_text(&mut self, name: &str, value: Option<&str>) {
        value.inspect(|value| self.text(name, value));
    }

    pub(super) fn link(self) -> Link {
        Link::of(self.0)
    }

    fn cell(&mut self, name: &str, kind: u8, value: &[u8]) {
        part(&mut self.0, name.as_bytes());
        self.0.update([kind]);
        part(&mut self.0, value);
    }

    /// Every column of a row under its name.
    fn row(&mut self, row: &rusqlite::Row<'_>) -> rusqlite::Result<()> {
        for (at, name) in row.as_ref().column_names().into_iter().enumerate() {
            match row.get_ref(at)? {
                ValueRef::Null => {}
                ValueRef::Integer(number) => self.number(name, number),
                // No column holds a real number, but a tampered one may.
                ValueRef::Real(number) => self.cell(name, b'r', &number.to_le_bytes()),
                ValueRef::Text(text) => self.cell(name, b't', text),
                ValueRef::Blob(bytes) => self.bytes(name, bytes),
            }
        }
        Ok(())
    }
}

/// The hash of a game as the database holds it. Foreign keys appear as the texts they refer to;
/// numbers of the plan and `current` belong to the selections.
fn link_of(db: &Connection, number: i64, before: Link) -> Result<Link> {
    let mut content = Content::after(before);
    let queries = statements::chained(db)?;
    db.prepare_cached(&queries.game)?.query_row([number], |row| content.row(row))?;
    let mut seats = db.prepare_cached(&queries.seats)?;
    let mut seats = seats.query([number])?;
    while let Some(seat) = seats.next()? {
        content.row(seat)?;
    }
    if let Some(text) = refereed::text(db, number)? {
        content.text(refereed::CELL, &text);
    }
    content.maybe_text(pauses::CELL, pauses::text(db, number)?.as_deref());
    content.maybe_text(spent::CELL, spent::text(db, number)?.as_deref());
    content.maybe_text(elsewhere::CELL, elsewhere::text(db, number)?.as_deref());
    content.maybe_text(host::CELL, host::text(db, number)?.as_deref());
    Ok(content.link())
}

/// The last hash.
pub(super) fn head(db: &Connection) -> Result<Link> {
    let game = db
        .prepare_cached("SELECT number, link FROM game ORDER BY number DESC LIMIT 1")?
        .query_row([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, Option<Vec<u8>>>(1)?)))
        .optional()?;
    let Some((number, link)) = game else { return Ok(Link::default()) };
    let selected = db
        .prepare_cached("SELECT link FROM selection WHERE after >= ?1 ORDER BY number DESC LIMIT 1")?
        .query_row([number], |row| row.get::<_, Option<Vec<u8>>>(0))
        .optional()?;
    Link::read(selected.unwrap_or(link)).context("the chain of the games has no head; agon verify says more")
}

/// A hash over the games up to `after` that count, each with its numbers in the plan.
fn digest(db: &Connection, after: i64) -> Result<[u8; 32]> {
    let mut hash = Sha256::new();
    let mut rows = db.prepare(
        "SELECT number, round, pairing, game FROM game WHERE current = 1 AND number <= ?1 ORDER BY number",
    )?;
    let mut rows = rows.query([after])?;
    while let Some(row) = rows.next()? {
        for column in 0..4 {
            hash.update(row.get::<_, i64>(column)?.to_le_bytes());
        }
    }
    Ok(hash.finalize().into())
}

fn after_selection(before: Link, digest: &[u8]) -> Link {
    let mut hash = Sha256::new();
    hash.update(before.0);
    hash.update(b"selection");
    part(&mut hash, digest);
    Link::of(hash)
}

/// Adds to the chain which games count now, unless the last link says the same. Belongs to the
/// transaction of the change. Returns the new head.
pub(super) fn select(change: &Connection) -> Result<Link> {
    let before = head(change)?;
    let after: Option<i64> = change.query_row("SELECT max(number) FROM game", [], |row| row.get(0))?;
    let Some(after) = after else { return Ok(before) };
    let digest = digest(change, after)?;
    let same: bool = change.query_row(
        "SELECT EXISTS (SELECT 1 FROM selection WHERE number = (SELECT max(number) FROM selection) \
         AND after = ?1 AND digest = ?2)",
        params![after, digest],
        |row| row.get(0),
    )?;
    if same {
        return Ok(before);
    }
    let link = after_selection(before, &digest);
    change.execute(
        "INSERT INTO selection (after, digest, link) VALUES (?1, ?2, ?3)",
        params![after, digest, link.bytes()],
    )?;
    Ok(link)
}

/// The numbers of all games in the order of storage.
pub(super) fn numbers(db: &Connection) -> Result<Vec<i64>> {
    let mut numbers = db.prepare("SELECT number FROM game ORDER BY number")?;
    let numbers = numbers.query_map([], |row| row.get(0))?;
    Ok(numbers.collect::<Result<_, _>>()?)
}

/// The removed games with their hashes, in the order of storage.
pub(super) fn pruned(db: &Connection) -> Result<Vec<(i64, Option<Link>)>> {
    let there: Option<i64> = db
        .query_row("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'pruned'", params![], |row| {
            row.get(0)
        })
        .optional()?;
    if there.is_none() {
        return Ok(Vec::new());
    }
    let mut rows = db.prepare("SELECT number, link FROM pruned ORDER BY number")?;
    let rows = rows.query_map([], |row| Ok((row.get(0)?, Link::read(row.get(1)?))))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// A row of `selection`: the last game at that time, the digest, the hash.
type Selection = (i64, Vec<u8>, Option<Vec<u8>>);

/// The chain, computed again from the stored games.
#[derive(Clone, Debug, Default)]
pub struct Chain {
    /// The breaks in words, each with the number of the game in the order of storage.
    pub breaks: Vec<String>,
    /// Every hash in it, with the number of games stored up to it.
    pub links: Vec<(Link, u64)>,
    /// How many games are pruned.
    pub pruned: u64,
}

impl Chain {
    /// Its last hash.
    pub fn head(&self) -> Link {
        self.links.last().map(|(link, _)| *link).unwrap_or_default()
    }
}

/// What is said before the head of the chain, where people see it.
pub const WHAT_THE_HEAD_IS: &str = "the head of the chain stands for all stored games; keep it, and agon verify DIR --expect \
                                    HEAD tells later whether one of them was changed";

impl Store {
    /// The head of the chain.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn head(&self) -> Result<Link> {
        head(&self.db).with_context(|| format!("cannot read {}", display_path(&self.path)))
    }

    /// Computes every hash again and compares it with the stored one.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn chain(&self) -> Result<Chain> {
        self.walk().with_context(|| format!("cannot read {}", display_path(&self.path)))
    }

    fn walk(&self) -> Result<Chain> {
        let mut rows = self.db.prepare("SELECT after, digest, link FROM selection ORDER BY number, after")?;
        let rows = rows.query_map([], |row| {
            Ok((row.get(0)?, row.get::<_, Vec<u8>>(1)?, row.get::<_, Option<Vec<u8>>>(2)?))
        })?;
        let selections: Vec<Selection> = rows.collect::<Result<_, _>>()?;
        let mut chain = Chain::default();
        let (mut before, mut games, mut next) = (Link::default(), 0, selections.iter().peekable());
        let mut expected = 1;
        let gone: BTreeMap<i64, Option<Link>> = pruned(&self.db)?.into_iter().collect();
        chain.pruned = gone.len() as u64;
        let there = numbers(&self.db)?.into_iter().map(|number| (number, true));
        let mut all: Vec<(i64, bool)> = there.chain(gone.keys().map(|number| (*number, false))).collect();
        all.sort_unstable();
        for (number, is_there) in all {
            if number != expected {
                let last = number - 1;
                let which = if expected == last {
                    format!("game {last}")
                } else {
                    format!("games {expected} to {last}")
                };
                chain.breaks.push(format!("{which} in the order of storage: gone from the database"));
            }
            expected = number + 1;
            games += 1;
            before = match gone.get(&number).filter(|_| !is_there) {
                Some(link) => link.unwrap_or(before),
                None => {
                    let stored: Option<Vec<u8>> = self
                        .db
                        .prepare_cached("SELECT link FROM game WHERE number = ?1")?
                        .query_row([number], |row| row.get(0))?;
                    self.joined(&mut chain, before, number, Link::read(stored))?
                }
            };
            chain.links.push((before, games));
            while let Some((after, digest, link)) = next.next_if(|(after, ..)| *after <= number) {
                let link = Link::read(link.clone());
                if *after != number || link != Some(after_selection(before, digest)) {
                    chain.breaks.push(format!(
                        "the selection after game {after} does not follow from what was stored before it"
                    ));
                }
                before = link.unwrap_or(before);
                chain.links.push((before, games));
            }
        }
        for (after, ..) in next {
            chain.breaks.push(format!(
                "games were stored up to number {after}, and the last that is there is {}",
                expected - 1
            ));
        }
        if let Some((after, said, _)) = selections.last()
            && chain.breaks.is_empty()
            && digest(&self.db, *after)?[..] != said[..]
        {
            chain.breaks.push(
                "other games count than when the last run began or ended, or under other numbers of the plan"
                    .to_owned(),
            );
        }
        Ok(chain)
    }

    /// Compares a game's hash with its content. The chain continues from the stored hash, so that
    /// one break is reported once.
    fn joined(&self, chain: &mut Chain, before: Link, number: i64, stored: Option<Link>) -> Result<Link> {
        let found = link_of(&self.db, number, before)?;
        match stored {
            Some(stored) if stored == found => {}
            Some(_) => chain.breaks.push(format!(
                "game {number} in the order of storage: its hash is not that of its content and of the games before it"
            )),
            None => chain.breaks.push(format!(
                "game {number} in the order of storage: it has no hash, so agon has not stored it"
            )),
        }
        Ok(stored.unwrap_or(found))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_reads_back_and_nothing_else_is_one() {
        let link = Link([0xa5; 16]);
        assert_eq!(link.to_string().parse(), Ok(link));
        assert_eq!(link.to_string().to_uppercase().parse(), Ok(link));
        for wrong in ["", "a5", "g5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5", "+5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5"] {
            assert!(wrong.parse::<Link>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn cells_do_not_run_into_each_other() {
        let link = |fill: fn(&mut Content)| {
            let mut content = Content::after(Link::default());
            fill(&mut content);
            content.link()
        };
        let some = [
            link(|content| content.text("a", "bc")),
            link(|content| content.text("ab", "c")),
            link(|content| content.bytes("a", b"bc")),
            link(|content| content.number("a", 1)),
            link(|content| content.number("a", 2)),
            link(|_| {}),
        ];
        for (at, one) in some.iter().enumerate() {
            assert!(some[..at].iter().all(|other| other != one), "{at}");
        }
        assert_eq!(link(|content| content.maybe_text("a", None)), link(|_| {}));
    }
}
