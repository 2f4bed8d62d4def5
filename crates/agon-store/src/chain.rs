//! The chain of hashes: each game has a hash of its content and of the hash before it.
//!
//! Games are only ever added, so a game that was removed, doubled, exchanged or changed breaks the
//! chain. Which games count, and under which numbers, may change: when a run begins, ends or
//! imports games, a *selection* goes into the chain. It is a hash of all games that count with
//! their numbers. The last hash is the *head*. A note of it elsewhere shows later that nothing was
//! changed, even if somebody has computed the whole chain again.
//!
//! A decision of the organiser about a game is a link too, and so is an arrangement. It stands
//! where it was made, after games and selections that were there by then.
//!
//! A game that does not count may be pruned: its hash stays, in `pruned`, and the chain goes on
//! over it. Nothing proves its content any more.
//!
//! A hash covers the contents of the columns, not a serialised record.

use std::collections::BTreeMap;

use agon_programs::program::display_path;
use anyhow::{Context, Result};
use rusqlite::{Connection, OptionalExtension, params};
use sha2::{Digest, Sha256};

use super::Store;
use super::arrangements::{self, ArrangementLink};
use super::hash::part;
use super::link::Content;
use super::rulings::{self, DecisionLink};
use super::{elsewhere, host, pauses, refereed, spent, statements};

pub use super::link::Link;

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
    let (number, link) = match game {
        Some(game) => game,
        None => match arrangements::last_after(db, 0)? {
            Some(made) => (0, made.link.map(|link| link.bytes().to_vec())),
            None => return Ok(Link::default()),
        },
    };
    let selected = db
        .prepare_cached("SELECT number, link FROM selection WHERE after >= ?1 ORDER BY number DESC LIMIT 1")?
        .query_row([number], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, Option<Vec<u8>>>(1)?)))
        .optional()?;
    let decided = rulings::last_after(db, number)?.map(|made| (made.selection, made.number, 0, made.link));
    let withdrawn = arrangements::last_after(db, number)?
        .map(|made| (made.selection, made.decision, made.number, made.link));
    let made = decided
        .into_iter()
        .chain(withdrawn)
        .max_by_key(|(selection, decision, own, _)| (*selection, *decision, *own));
    let last = match (selected, made) {
        (Some((selection, link)), Some(made)) if made.0 < selection => Link::read(link),
        (_, Some((.., link))) => link,
        (Some((_, link)), None) => Link::read(link),
        (None, None) => Link::read(link),
    };
    last.context("the chain of the games has no head; agon verify says more")
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
    hash.update(before.bytes());
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

/// A row of `selection`.
#[derive(Clone)]
struct Selection {
    number: i64,
    after: i64,
    digest: Vec<u8>,
    link: Option<Link>,
}

fn selections(db: &Connection) -> Result<Vec<Selection>> {
    let mut rows = db.prepare("SELECT number, after, digest, link FROM selection ORDER BY number, after")?;
    let rows = rows.query_map([], |row| {
        let link = Link::read(row.get(3)?);
        Ok(Selection { number: row.get(0)?, after: row.get(1)?, digest: row.get(2)?, link })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// A link between those of games.
enum Between {
    Selection(Selection),
    Decision(DecisionLink),
    Arrangement(ArrangementLink),
}

impl Between {
    /// All of them in their order: a decision stands behind the selection that was the last one
    /// when it was made.
    fn of(
        selections: Vec<Selection>,
        decisions: Vec<DecisionLink>,
        withdrawals: Vec<ArrangementLink>,
    ) -> Vec<Between> {
        let selections = selections.into_iter().map(|one| ((one.number, 0, 0), Between::Selection(one)));
        let decisions =
            decisions.into_iter().map(|one| ((one.selection, one.number, 0), Between::Decision(one)));
        let withdrawals = withdrawals
            .into_iter()
            .map(|one| ((one.selection, one.decision, one.number), Between::Arrangement(one)));
        let mut all: Vec<_> = selections.chain(decisions).chain(withdrawals).collect();
        all.sort_by_key(|(place, _)| *place);
        all.into_iter().map(|(_, one)| one).collect()
    }

    fn after(&self) -> i64 {
        match self {
            Between::Selection(one) => one.after,
            Between::Decision(one) => one.after,
            Between::Arrangement(one) => one.after,
        }
    }

    fn link(&self) -> Option<Link> {
        match self {
            Between::Selection(one) => one.link,
            Between::Decision(one) => one.link,
            Between::Arrangement(one) => one.link,
        }
    }

    fn link_after(&self, before: Link) -> Link {
        match self {
            Between::Selection(one) => after_selection(before, &one.digest),
            Between::Decision(one) => one.link_after(before),
            Between::Arrangement(one) => one.link_after(before),
        }
    }

    fn words(&self) -> String {
        match self {
            Between::Selection(one) => format!("the selection after game {}", one.after),
            Between::Decision(one) => {
                format!("decision {} about game {} in the order of storage", one.number, one.game)
            }
            Between::Arrangement(one) => format!("arrangement {}", one.number),
        }
    }
}

/// Links that name another selection or decision before them than the last one.
fn out_of_place(all: &[Between]) -> Vec<String> {
    let (mut selection, mut decision, mut found) = (0, 0, Vec::new());
    for one in all {
        let is_right = match one {
            Between::Selection(one) => {
                selection = one.number;
                true
            }
            Between::Decision(one) => {
                decision = one.number;
                one.selection == selection
            }
            Between::Arrangement(one) => (one.selection, one.decision) == (selection, decision),
        };
        if !is_right {
            found.push(format!("{}: it does not name what was stored before it", one.words()));
        }
    }
    found
}

/// The chain, computed again from the stored games.
#[derive(Clone, Debug, Default)]
pub struct Chain {
    /// The breaks in words, each with the number of the game in the order of storage.
    pub breaks: Vec<String>,
    /// Every hash in it, with the number of games stored up to it.
    pub links: Vec<(Link, u64)>,
    /// How many games are pruned.
    pub pruned: u64,
    /// How many decisions of the organiser are in it.
    pub decisions: u64,
    /// How many arrangements of the organiser are in it.
    pub arrangements: u64,
    /// How often a run was given a question, or another limit of its games.
    pub questions: u64,
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
        let selections = selections(&self.db)?;
        let mut chain = Chain::default();
        let later =
            Between::of(selections.clone(), rulings::links(&self.db)?, arrangements::links(&self.db)?);
        let count = |is: fn(&Between) -> bool| later.iter().filter(|one| is(one)).count() as u64;
        chain.decisions = count(|one| matches!(one, Between::Decision(_)));
        let is_question = |one: &Between| matches!(one, Between::Arrangement(one) if one.is_question());
        chain.questions = count(is_question);
        chain.arrangements = count(|one| matches!(one, Between::Arrangement(_))) - chain.questions;
        if let Some((_, gap)) = (1..).zip(&selections).find(|(expected, one)| one.number != *expected) {
            let number = gap.number;
            chain.breaks.push(format!("selection {number}: the ones before it are not numbered from 1"));
        }
        chain.breaks.extend(out_of_place(&later));
        let (mut before, mut games, mut next) = (Link::default(), 0, later.iter().peekable());
        while let Some(one) = next.next_if(|one| one.after() == 0) {
            if one.link() != Some(one.link_after(before)) {
                let what = one.words();
                chain.breaks.push(format!("{what} does not follow from what was stored before it"));
            }
            before = one.link().unwrap_or(before);
            chain.links.push((before, 0));
        }
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
            while let Some(one) = next.next_if(|one| one.after() <= number) {
                if one.after() != number || one.link() != Some(one.link_after(before)) {
                    let what = one.words();
                    chain.breaks.push(format!("{what} does not follow from what was stored before it"));
                }
                before = one.link().unwrap_or(before);
                chain.links.push((before, games));
            }
        }
        for one in next {
            chain.breaks.push(format!(
                "games were stored up to number {}, and the last that is there is {}",
                one.after(),
                expected - 1
            ));
        }
        if let Some(Selection { after, digest: said, .. }) = selections.last()
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
