//! What was arranged for a run that has begun: who has withdrawn, that it was closed, and the
//! question that it is played for.
//!
//! Rows are added and never changed: what is taken back has another row after it. The last row of
//! an engine, or of the run itself, holds. Each row is a link of the chain of hashes, like a
//! decision.

use std::collections::{BTreeMap, btree_map};

use agon_programs::program::display_path;
use agon_standings::withdrawals::{Absence, Closing, ClosingRule, LateEntry, Successor, WithdrawalRule};
use anyhow::{Context, Result, bail};
use chrono::{DateTime, Utc};
use rusqlite::{Connection, Row, params};
use serde::{Deserialize, Serialize};

use super::arranged::{StoredClosing, StoredEntry, StoredWithdrawal};
use super::cells::nanos;
use super::key::Player;
use super::link::{Content, Link};
use super::{Store, has_table};

/// The name of the table.
const NAME: &str = "arrangement";

/// Made with the first arrangement, so that other databases stay as they are.
pub(super) const TABLE: &str = "CREATE TABLE IF NOT EXISTS arrangement (
    number    INTEGER PRIMARY KEY,
    -- the last run by then
    run       INTEGER NOT NULL,
    -- the last game that was stored by then, 0 before the first
    after     INTEGER NOT NULL,
    -- the last selection and the last decision by then, 0 before the first
    selection INTEGER NOT NULL,
    decision  INTEGER NOT NULL,
    -- the name of the engine; empty for the run itself
    subject   TEXT NOT NULL,
    -- JSON; NULL if the arrangement before is taken back
    what      TEXT,
    why       TEXT NOT NULL,
    -- nanoseconds since 1970
    decided   INTEGER NOT NULL,
    -- a hash of the row and of everything stored before it; see chain.rs
    link      BLOB NOT NULL
) STRICT";

const COLUMNS: &str = "number, run, after, selection, decision, subject, what, why, decided, link";

/// What was arranged, in the form of the database.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Arrangement {
    /// An engine has withdrawn.
    Withdrawn {
        from: u32,
        unpaired: u32,
        rule: WithdrawalRule,
        /// Whether it had played all of its games.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        after_all: bool,
        /// Who plays in its place.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
    },
    /// An engine joins late.
    Entered { from: u32 },
    /// The run was closed before all games were played.
    Closed { rest: ClosingRule, last: u32 },
    /// The run is played for a question, as `--until` reads it, with at most so many games.
    Asked { question: String, most: u64, lag: u32 },
}

/// The withdrawals that hold, by engine, and the closing of the run.
#[derive(Clone, Default, Debug)]
pub struct Withdrawals(BTreeMap<String, StoredWithdrawal>, Option<StoredClosing>, Vec<StoredEntry>);

impl Withdrawals {
    /// Those of a database: all, or those that were noted up to a run.
    pub(super) fn of(db: &Connection, up_to: Option<i64>) -> Result<Self> {
        let (mut all, mut closing, mut entries): (BTreeMap<String, StoredWithdrawal>, _, _) =
            (BTreeMap::new(), None, Vec::new());
        let rows = links(db)?;
        let (mut scopes, now) = (RunScopes::new(db, &rows), up_to.map_or_else(|| last_run(db), Ok)?);
        for row in &rows {
            if up_to.is_some_and(|run| row.run > run) || row.is_question() {
                continue;
            }
            if scopes.of(row.run, &row.subject)? != scopes.of(now, &row.subject)? {
                continue;
            }
            if row.subject.is_empty() {
                closing = Some(row.closing()?).filter(|made| made.closing.is_some());
            } else if let Some(entry) = row.entry()? {
                entries.push(entry);
            } else {
                all.insert(row.subject.clone(), row.read()?);
            }
        }
        all.retain(|_, made| made.rule.is_some());
        if let Some(closing) = closing.as_ref().and_then(|made: &StoredClosing| made.closing) {
            entries.iter_mut().for_each(|made: &mut StoredEntry| made.is_too_late = made.from > closing.last);
            let there = entrants(db, now)?;
            for made in all.values_mut() {
                made.never_came = made.by.as_ref().is_some_and(|by| !there.contains(by));
            }
        }
        Ok(Withdrawals(all, closing, entries))
    }

    /// Whether nobody has withdrawn or joined late, and the run was not closed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty() && self.1.is_none() && self.2.is_empty()
    }

    /// Who joins late.
    pub fn entries(&self) -> &[StoredEntry] {
        &self.2
    }

    /// Those that join late or in the place of another among these entrants.
    pub fn late<S: AsRef<str>>(&self, names: &[S]) -> Vec<LateEntry> {
        let one = |(entrant, name): (usize, &S)| {
            let name = name.as_ref();
            let entered = self.2.iter().find(|made| made.engine == name).map(|made| made.from);
            let replaces = |made: &&StoredWithdrawal| made.by.as_deref() == Some(name) && made.from > 0;
            let from = entered.or_else(|| Some(self.0.values().find(replaces)?.unpaired))?;
            Some(LateEntry { entrant, from })
        };
        names.iter().enumerate().filter_map(one).collect()
    }

    /// The end of the run, if it was closed before all games were played.
    pub fn closing(&self) -> Option<Closing> {
        self.1.as_ref()?.closing
    }

    /// The same as it was noted.
    pub fn closed(&self) -> Option<&StoredClosing> {
        self.1.as_ref()
    }

    /// All of it in sentences, each with its reason.
    pub fn sentences(&self) -> impl Iterator<Item = String> {
        let closing = self.1.iter().map(|made| format!("{}: {}", made.words(), made.why));
        self.of_engines(|_| true).chain(closing)
    }

    /// What is about this engine, in sentences with their reasons: that it has joined late, has
    /// withdrawn, or plays in the place of another.
    pub fn sentences_about(&self, engine: &str) -> impl Iterator<Item = String> {
        self.of_engines(move |name| name == engine)
    }

    fn of_engines(&self, is_meant: impl Fn(&str) -> bool + Clone) -> impl Iterator<Item = String> {
        let is_late = is_meant.clone();
        let late = self.2.iter().filter(move |made| is_late(&made.engine));
        let withdrawn = self.0.values();
        let withdrawn =
            withdrawn.filter(move |made| is_meant(&made.engine) || made.by.as_deref().is_some_and(&is_meant));
        late.map(|made| format!("{}: {}", made.words(), made.why))
            .chain(withdrawn.map(|made| format!("{}: {}", made.words(), made.why)))
    }

    /// All of them, by the names of the engines.
    pub fn all(&self) -> impl Iterator<Item = &StoredWithdrawal> {
        self.0.values()
    }

    /// That of an engine.
    pub fn of_engine(&self, engine: &str) -> Option<&StoredWithdrawal> {
        self.0.get(engine)
    }

    /// Those among these entrants. Into a run that is closed, nobody comes any more.
    pub fn absences<S: AsRef<str>>(&self, names: &[S]) -> Vec<Absence> {
        let one = |(entrant, name): (usize, &S)| {
            let StoredWithdrawal { from, unpaired, rule, by, .. } = self.0.get(name.as_ref())?;
            let known = |by: &String| names.iter().position(|name| name.as_ref() == by);
            let successor = match by.as_ref().map(known) {
                Some(Some(other)) => Successor::Entrant(other),
                Some(None) if self.closing().is_none() => Successor::Awaited,
                Some(None) | None => Successor::Nobody,
            };
            Some(Absence { entrant, from: *from, unpaired: *unpaired, rule: (*rule)?, successor })
        };
        names.iter().enumerate().filter_map(one).collect()
    }

    /// The games of engines of which none count, each with the withdrawal, by their numbers in the
    /// order of storage. Void attempts are not among them.
    pub(super) fn expunged(&self, db: &Connection) -> Result<Vec<(i64, &StoredWithdrawal)>> {
        let mut games = Vec::new();
        for made in self.0.values().filter(|made| made.rule == Some(WithdrawalRule::Expunge)) {
            let mut rows = db.prepare_cached(
                "SELECT DISTINCT number FROM game JOIN word ON id = ending JOIN seat s ON s.game = number \
                 WHERE text <> 'void' AND s.engine IN (SELECT id FROM engine WHERE name = ?1)",
            )?;
            for number in rows.query_map([&made.engine], |row| row.get(0))? {
                games.push((number?, made));
            }
        }
        Ok(games)
    }
}

/// For which later runs an arrangement holds: those for the same question, or for none. If it is
/// about the run itself, only those of the same engines. So what was noted for a match is not noted
/// for the run for a question in the same directory.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
struct RunScope {
    question: Option<String>,
    /// Sorted; empty if it is about an engine.
    names: Vec<String>,
}

/// The scopes of runs, each looked up once.
struct RunScopes<'a> {
    db: &'a Connection,
    rows: &'a [ArrangementLink],
    known: BTreeMap<i64, RunScope>,
}

impl<'a> RunScopes<'a> {
    fn new(db: &'a Connection, rows: &'a [ArrangementLink]) -> Self {
        RunScopes { db, rows, known: BTreeMap::new() }
    }

    /// That of an arrangement of a run about an engine, or about the run itself.
    fn of(&mut self, run: i64, subject: &str) -> Result<RunScope> {
        if let btree_map::Entry::Vacant(vacant) = self.known.entry(run) {
            let question = asked_among(self.rows, run)?.map(|(question, ..)| question);
            vacant.insert(RunScope { question, names: entrants(self.db, run)? });
        }
        let mut scope = self.known[&run].clone();
        if !subject.is_empty() {
            scope.names.clear();
        }
        Ok(scope)
    }
}

/// The names of the engines of a run, sorted.
fn entrants(db: &Connection, run: i64) -> Result<Vec<String>> {
    let sql = "SELECT name FROM entrant JOIN engine ON id = engine WHERE run = ?1 ORDER BY name";
    let mut rows = db.prepare_cached(sql)?;
    let rows = rows.query_map([run], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The number of the last run; 0 before the first.
fn last_run(db: &Connection) -> Result<i64> {
    Ok(db.query_row("SELECT ifnull(max(number), 0) FROM run", [], |row| row.get(0))?)
}

/// A row with its place in the chain.
pub(super) struct ArrangementLink {
    pub(super) number: i64,
    run: i64,
    pub(super) after: i64,
    pub(super) selection: i64,
    pub(super) decision: i64,
    subject: String,
    what: Option<String>,
    why: String,
    decided: i64,
    pub(super) link: Option<Link>,
}

impl ArrangementLink {
    fn of(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(ArrangementLink {
            number: row.get(0)?,
            run: row.get(1)?,
            after: row.get(2)?,
            selection: row.get(3)?,
            decision: row.get(4)?,
            subject: row.get(5)?,
            what: row.get(6)?,
            why: row.get(7)?,
            decided: row.get(8)?,
            link: Link::read(row.get(9)?),
        })
    }

    /// Its hash, after what was stored before it.
    pub(super) fn link_after(&self, before: Link) -> Link {
        let mut content = Content::of_arrangement(before);
        content.number("number", self.number);
        content.number("run", self.run);
        content.text("subject", &self.subject);
        content.maybe_text("what", self.what.as_deref());
        content.text("why", &self.why);
        content.number("decided", self.decided);
        content.link()
    }

    /// Whether it is the question of a run.
    pub(super) fn is_question(&self) -> bool {
        matches!(self.arrangement(), Ok(Some(Arrangement::Asked { .. })))
    }

    fn arrangement(&self) -> Result<Option<Arrangement>> {
        let what = self.what.as_deref().map(serde_json::from_str).transpose();
        what.with_context(|| format!("arrangement {} cannot be read", self.number))
    }

    fn read(&self) -> Result<StoredWithdrawal> {
        let (from, unpaired, after_all, rule, by) = match self.arrangement()? {
            Some(Arrangement::Withdrawn { from, unpaired, rule, after_all, by }) => {
                (from, unpaired, after_all, Some(rule), by)
            }
            Some(Arrangement::Closed { .. } | Arrangement::Entered { .. } | Arrangement::Asked { .. }) => {
                bail!("arrangement {} is no withdrawal", self.number)
            }
            None => (0, 0, false, None, None),
        };
        Ok(StoredWithdrawal {
            engine: self.subject.clone(),
            from,
            unpaired,
            after_all,
            rule,
            by,
            never_came: false,
            why: self.why.clone(),
            decided: DateTime::from_timestamp_nanos(self.decided),
        })
    }

    /// The late entry, if it is one.
    fn entry(&self) -> Result<Option<StoredEntry>> {
        let Some(Arrangement::Entered { from }) = self.arrangement()? else { return Ok(None) };
        Ok(Some(StoredEntry {
            engine: self.subject.clone(),
            from,
            is_too_late: false,
            why: self.why.clone(),
            decided: DateTime::from_timestamp_nanos(self.decided),
        }))
    }

    fn closing(&self) -> Result<StoredClosing> {
        let closing = match self.arrangement()? {
            Some(Arrangement::Closed { rest, last }) => Some(Closing { rest, last }),
            Some(Arrangement::Withdrawn { .. } | Arrangement::Entered { .. } | Arrangement::Asked { .. }) => {
                bail!("arrangement {} names no engine", self.number)
            }
            None => None,
        };
        Ok(StoredClosing {
            closing,
            why: self.why.clone(),
            decided: DateTime::from_timestamp_nanos(self.decided),
        })
    }
}

/// All rows, in their order.
pub(super) fn links(db: &Connection) -> Result<Vec<ArrangementLink>> {
    if !has_table(db, NAME)? {
        return Ok(Vec::new());
    }
    let mut rows = db.prepare_cached(&format!("SELECT {COLUMNS} FROM arrangement ORDER BY number"))?;
    let rows = rows.query_map([], ArrangementLink::of)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The last arrangement, if no game was stored after it.
pub(super) fn last_after(db: &Connection, game: i64) -> Result<Option<ArrangementLink>> {
    Ok(links(db)?.pop().filter(|last| last.after >= game))
}

/// Adds a withdrawal to the chain. Belongs to the transaction of the change.
pub(super) fn add(change: &Connection, made: &StoredWithdrawal, before: Link) -> Result<()> {
    let StoredWithdrawal { from, unpaired, after_all, .. } = *made;
    let by = made.by.clone();
    let what = made.rule.map(|rule| Arrangement::Withdrawn { from, unpaired, rule, after_all, by });
    put(change, &made.engine, what.as_ref(), (&made.why, made.decided), before)
}

/// Adds the late entry of an engine to the chain.
pub(super) fn enter(change: &Connection, made: &StoredEntry, before: Link) -> Result<()> {
    let what = Some(Arrangement::Entered { from: made.from });
    put(change, &made.engine, what.as_ref(), (&made.why, made.decided), before)
}

/// Adds the closing of the run to the chain.
pub(super) fn close(change: &Connection, made: &StoredClosing, before: Link) -> Result<()> {
    let what = made.closing.map(|Closing { rest, last }| Arrangement::Closed { rest, last });
    put(change, "", what.as_ref(), (&made.why, made.decided), before)
}

/// Adds the question of the last run to the chain, with the most games and the lag.
pub(super) fn ask(change: &Connection, asked: (String, u64, u32), before: Link) -> Result<()> {
    let (question, most, lag) = asked;
    let what = Arrangement::Asked { question, most, lag };
    put(change, "", Some(&what), ("", std::time::SystemTime::now().into()), before)
}

/// The question of a run as it was last asked.
pub(super) fn asked(db: &Connection, run: i64) -> Result<Option<(String, u64, u32)>> {
    asked_among(&links(db)?, run)
}

fn asked_among(rows: &[ArrangementLink], run: i64) -> Result<Option<(String, u64, u32)>> {
    Ok(all_asked(rows.iter().filter(|row| row.run == run))?.pop())
}

fn all_asked<'a>(rows: impl Iterator<Item = &'a ArrangementLink>) -> Result<Vec<(String, u64, u32)>> {
    let mut all = Vec::new();
    for row in rows.filter(|row| row.subject.is_empty()) {
        if let Some(Arrangement::Asked { question, most, lag }) = row.arrangement()? {
            all.push((question, most, lag));
        }
    }
    Ok(all)
}

/// The most games for which these engines, in their order, were ever asked this question; 0 if they
/// never were. A run of other versions has its own limits.
pub(super) fn most_asked(db: &Connection, question: &str, players: &[Player]) -> Result<u64> {
    let rows = links(db)?;
    let mut entered = db.prepare_cached(
        "SELECT name, hash FROM entrant JOIN engine ON id = engine WHERE run = ?1 ORDER BY place",
    )?;
    let mut same: BTreeMap<i64, bool> = BTreeMap::new();
    let mut most = 0;
    for row in &rows {
        if let btree_map::Entry::Vacant(vacant) = same.entry(row.run) {
            let there = entered.query_map([row.run], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let there = there.collect::<rusqlite::Result<Vec<(String, String)>>>()?;
            let is_one = |((name, hash), player): (&(String, String), &Player)| {
                (name, hash) == (&player.name, &player.hash)
            };
            vacant.insert(there.len() == players.len() && there.iter().zip(players).all(is_one));
        }
        for (asked, limit, _) in all_asked(std::iter::once(row).filter(|row| same[&row.run]))? {
            most = if asked == question { limit.max(most) } else { most };
        }
    }
    Ok(most)
}

fn put(
    change: &Connection,
    subject: &str,
    what: Option<&Arrangement>,
    (why, decided): (&str, DateTime<Utc>),
    before: Link,
) -> Result<()> {
    change.execute_batch(TABLE)?;
    let number = |sql: &str| change.query_row(sql, [], |row| row.get::<_, i64>(0));
    let decision = match has_table(change, "decision")? {
        true => number("SELECT ifnull(max(number), 0) FROM decision")?,
        false => 0,
    };
    let row = ArrangementLink {
        number: number("SELECT ifnull(max(number), 0) + 1 FROM arrangement")?,
        run: number("SELECT ifnull(max(number), 0) FROM run")?,
        after: number("SELECT ifnull(max(number), 0) FROM game")?,
        selection: number("SELECT ifnull(max(number), 0) FROM selection")?,
        decision,
        subject: subject.to_owned(),
        what: what.map(serde_json::to_string).transpose()?,
        why: why.to_owned(),
        decided: nanos(decided),
        link: None,
    };
    let link = row.link_after(before);
    change.execute(
        &format!("INSERT INTO arrangement ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"),
        params![
            row.number,
            row.run,
            row.after,
            row.selection,
            row.decision,
            row.subject,
            row.what,
            row.why,
            row.decided,
            link.bytes()
        ],
    )?;
    Ok(())
}

/// What the table has that agon never writes, in words.
pub(super) fn loose_ends(db: &Connection) -> Result<Vec<String>> {
    let mut found = Vec::new();
    // The round from which an engine plays nothing, 0 of what has no round.
    let mut holds: BTreeMap<(&str, RunScope), Option<u32>> = BTreeMap::new();
    let rows = links(db)?;
    let mut scopes = RunScopes::new(db, &rows);
    for (expected, row) in (1..).zip(&rows) {
        let of = format!("arrangement {}", row.number);
        if row.number != expected {
            found.push(format!("{of}: arrangement {expected} is gone from the database"));
            break;
        }
        if row.is_question() {
            continue;
        }
        if row.why.trim().is_empty() {
            found.push(format!("{of}: it has no reason"));
        }
        if let Ok(Some(_)) = row.entry() {
            continue;
        }
        let is_read = match row.subject.is_empty() {
            true => row.closing().map(|_| ()),
            false => row.read().map(|_| ()),
        };
        let left_before = row.read().is_ok_and(|made| made.rule.is_some() && made.from == 0);
        let takes_back = row.what.is_none();
        let is_known: bool = db.query_row(
            "SELECT ?1 = '' OR EXISTS (SELECT 1 FROM entrant JOIN engine ON id = engine WHERE name = ?1)",
            [&row.subject],
            |row| row.get(0),
        )?;
        // One that takes back needs another one before it in any case.
        if !is_known && !left_before && !takes_back {
            found.push(format!("{of}: its engine was never entered"));
        }
        if is_read.is_err() {
            found.push(format!("{of}: it cannot be read"));
            continue;
        }
        let holds = holds.entry((&row.subject, scopes.of(row.run, &row.subject)?)).or_default();
        let from = row.what.is_some().then(|| row.read().map_or(0, |made| made.from));
        match (*holds, from) {
            // It plays nothing from an earlier round on, as an opponent plays its games again.
            (Some(before), Some(from)) if from < before => {}
            (Some(_), Some(_)) => found.push(format!("{of}: another one holds for its engine")),
            (None, None) => found.push(format!("{of}: it takes back none for its engine")),
            (Some(_), None) | (None, Some(_)) => {}
        }
        *holds = from;
    }
    Ok(found)
}

impl Store {
    /// The withdrawals that hold.
    ///
    /// # Errors
    /// Errors of the database, or one cannot be read.
    pub fn withdrawn(&self) -> Result<Withdrawals> {
        Withdrawals::of(&self.db, None).with_context(|| format!("cannot read {}", display_path(&self.path)))
    }

    /// All withdrawals in their order, with those that were taken back.
    ///
    /// # Errors
    /// As [`Store::withdrawn`].
    pub fn withdrawals(&self) -> Result<Vec<StoredWithdrawal>> {
        let is_entry = |row: &ArrangementLink| row.entry().is_ok_and(|entry| entry.is_some());
        let all = links(&self.db)?;
        let own = all.iter().filter(|row| !row.subject.is_empty() && !is_entry(row) && !row.is_question());
        let is_closed = self.withdrawn()?.closed().is_some();
        let there = entrants(&self.db, last_run(&self.db)?)?;
        let read = |row: &ArrangementLink| {
            let made = row.read()?;
            let never_came = is_closed && made.by.as_ref().is_some_and(|by| !there.contains(by));
            Ok(StoredWithdrawal { never_came, ..made })
        };
        own.map(read).collect()
    }

    /// How often the run was closed, and that taken back, in their order.
    ///
    /// # Errors
    /// As [`Store::withdrawn`].
    pub fn closings(&self) -> Result<Vec<StoredClosing>> {
        let all = links(&self.db)?;
        let own = all.iter().filter(|row| row.subject.is_empty() && !row.is_question());
        own.map(ArrangementLink::closing).collect()
    }

    /// How many arrangements there are, with those that were taken back.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn arrangements(&self) -> Result<u64> {
        Ok(links(&self.db)?.len() as u64)
    }
}
