//! The decisions of the organiser about stored games, as they are read.
//!
//! Rows are added and never changed: a decision that is taken back has another row after it. The
//! last row of a game holds. Each row is a link of the chain of hashes, like a game. What is stored
//! of the game stays as it was played. Everything that reads results takes them from [`Rulings`].

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use agon_programs::program::display_path;
use agon_record::reason::EndReason;
use agon_record::{Decided, Decision, GameRecord, Verdict, VoidReason};
use agon_standings::result::{FinalResult, GameId, Termination};
use agon_standings::withdrawals::WithdrawalRule;
use anyhow::{Context, Result};
use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Row};

use super::arranged::StoredWithdrawal;
use super::arrangements::Withdrawals;
use super::link::{Content, Link};
use super::{Store, Stored, has_table};

/// The name of the table.
const NAME: &str = "decision";

/// Made with the first decision, so that other databases stay as they are.
pub(super) const TABLE: &str = "CREATE TABLE IF NOT EXISTS decision (
    number    INTEGER PRIMARY KEY,
    -- of the game, in the order of storage; it may be pruned
    game      INTEGER NOT NULL,
    -- the last run by then, 0 before the first
    run       INTEGER NOT NULL,
    -- the last game that was stored by then
    after     INTEGER NOT NULL,
    -- the last selection by then, 0 before the first
    selection INTEGER NOT NULL,
    -- JSON: void, replay, or an object with the result; NULL if the decision before is taken back
    ruling    TEXT,
    why       TEXT NOT NULL,
    -- nanoseconds since 1970
    decided   INTEGER NOT NULL,
    -- a hash of the row and of everything stored before it; see chain.rs
    link      BLOB NOT NULL
) STRICT";

/// A decision about a game, as it was made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredDecision {
    /// What was decided; `None` takes the decision before back.
    pub decision: Option<Decision>,
    /// Why.
    pub why: String,
    /// When.
    pub decided: DateTime<Utc>,
}

/// A decision with the game that it is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MadeDecision {
    /// The number of the game in the order of storage.
    pub number: i64,
    /// The number of the game in the plan; `None` if it was pruned.
    pub game: Option<GameId>,
    /// The engines of its seats; none if it was pruned.
    pub engines: Vec<String>,
    /// Whether it holds: no later one is about the same game.
    pub holds: bool,
    /// The decision.
    pub made: StoredDecision,
    /// Why it does not count, if something else holds for its game.
    pub overruled: Option<String>,
}

impl MadeDecision {
    /// What was decided, in a word or two: `award ada`.
    pub fn words(&self) -> String {
        self.made.decision.as_ref().map_or_else(|| "undo".to_owned(), |what| what.words(&self.engines))
    }

    /// What was decided and why, and whether it counts: `award ada: the clock was wrong`.
    pub fn sentence(&self) -> String {
        let told = format!("{}: {}", self.words(), self.made.why);
        match &self.overruled {
            Some(why) => format!("{told}; it does not count: {why}"),
            None => told,
        }
    }
}

/// The decisions that hold, by the number of their game in the order of storage.
#[derive(Clone, Default, Debug)]
pub(super) struct Rulings(BTreeMap<i64, StoredDecision>);

/// What a decision makes of the result of a game.
pub(super) enum RuledResult {
    /// It counts for nobody.
    Nothing,
    /// This counts instead.
    Counts(FinalResult),
}

/// A row with its place in the chain.
pub(super) struct DecisionLink {
    pub(super) number: i64,
    pub(super) game: i64,
    pub(super) run: i64,
    pub(super) after: i64,
    pub(super) selection: i64,
    pub(super) ruling: Option<String>,
    pub(super) why: String,
    pub(super) decided: i64,
    pub(super) link: Option<Link>,
}

pub(super) const COLUMNS: &str = "number, game, run, after, selection, ruling, why, decided, link";

impl DecisionLink {
    fn of(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(DecisionLink {
            number: row.get(0)?,
            game: row.get(1)?,
            run: row.get(2)?,
            after: row.get(3)?,
            selection: row.get(4)?,
            ruling: row.get(5)?,
            why: row.get(6)?,
            decided: row.get(7)?,
            link: Link::read(row.get(8)?),
        })
    }

    /// Its hash, after what was stored before it.
    pub(super) fn link_after(&self, before: Link) -> Link {
        let mut content = Content::of_decision(before);
        content.number("number", self.number);
        content.number("game", self.game);
        content.number("run", self.run);
        content.maybe_text("ruling", self.ruling.as_deref());
        content.text("why", &self.why);
        content.number("decided", self.decided);
        content.link()
    }

    pub(super) fn read(&self) -> Result<StoredDecision> {
        let decision = self.ruling.as_deref().map(serde_json::from_str).transpose();
        Ok(StoredDecision {
            decision: decision.with_context(|| format!("decision {} cannot be read", self.number))?,
            why: self.why.clone(),
            decided: DateTime::from_timestamp_nanos(self.decided),
        })
    }
}

/// All rows, in their order.
pub(super) fn links(db: &Connection) -> Result<Vec<DecisionLink>> {
    if !has_table(db, NAME)? {
        return Ok(Vec::new());
    }
    let mut rows = db.prepare_cached(&format!("SELECT {COLUMNS} FROM decision ORDER BY number"))?;
    let rows = rows.query_map([], DecisionLink::of)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// All decisions about a game, the oldest first.
pub(super) fn about(db: &Connection, game: i64) -> Result<Vec<StoredDecision>> {
    links(db)?.iter().filter(|row| row.game == game).map(DecisionLink::read).collect()
}

/// The last decision, if no game was stored after it.
pub(super) fn last_after(db: &Connection, game: i64) -> Result<Option<DecisionLink>> {
    Ok(links(db)?.pop().filter(|last| last.after >= game))
}

impl Rulings {
    /// Those of a database: all, or those that were made up to a run.
    pub(super) fn of(db: &Connection, up_to: Option<i64>) -> Result<Self> {
        let mut all = BTreeMap::new();
        for row in links(db)? {
            if up_to.is_none_or(|run| row.run <= run) {
                all.insert(row.game, row.read()?);
            }
        }
        all.retain(|_, made| made.decision.is_some());
        // Games of an engine that has withdrawn may count for nobody.
        let withdrawn = Withdrawals::of(db, up_to)?;
        for (game, made) in withdrawn.expunged(db)? {
            let why = format!("{}: {}", made.words(), made.why);
            let decision = Some(Decision::Void);
            let void = StoredDecision { decision, why, decided: made.decided };
            // A result that was decided before counts no more than one that was played.
            match all.entry(game) {
                Entry::Vacant(unknown) => {
                    unknown.insert(void);
                }
                Entry::Occupied(mut known) => {
                    if known.get().decision.as_ref().is_some_and(Decision::has_result) {
                        known.insert(void);
                    }
                }
            }
        }
        Ok(Rulings(all))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn decision(&self, game: i64) -> Option<&Decision> {
        self.0.get(&game)?.decision.as_ref()
    }

    /// What counts of a game with these places and scores as played; `None` if nothing was decided.
    pub(super) fn result(
        &self,
        game: i64,
        places: &[Option<u8>],
        scores: &[Option<i32>],
    ) -> Option<RuledResult> {
        // One that does not fit was changed by somebody, and the audit says so.
        let decision = self.decision(game).filter(|decision| decision.fits(places.len()))?;
        let all = |values: &[Option<i32>]| values.iter().copied().collect::<Option<Vec<i32>>>();
        let played = match (places.iter().copied().collect::<Option<Vec<u8>>>(), all(scores)) {
            (Some(places), Some(scores)) => Verdict::Decided(Decided {
                places: places.into(),
                scores: scores.into(),
                termination: Termination::Normal,
                reason: EndReason::Words(String::new()),
            }),
            _ => Verdict::Void { why: VoidReason::Words(String::new()) },
        };
        Some(match decision.verdict("", &played, places.len()) {
            Verdict::Decided(decided) => RuledResult::Counts(decided.result()),
            Verdict::Void { .. } => RuledResult::Nothing,
        })
    }

    /// A record with the decision about it.
    pub(super) fn applied(&self, number: i64, record: GameRecord) -> GameRecord {
        match self.0.get(&number) {
            Some(StoredDecision { decision: Some(decision), why, decided })
                if decision.fits(record.seats.len()) =>
            {
                record.ruled(decision.clone(), why.clone(), *decided)
            }
            _ => record,
        }
    }

    /// The games of which `which` holds, for `IN` in SQL.
    fn list(&self, which: impl Fn(&Decision) -> bool) -> String {
        let wanted = |made: &StoredDecision| made.decision.as_ref().is_some_and(&which);
        let numbers = self.0.iter().filter(|(_, made)| wanted(made)).map(|(number, _)| number.to_string());
        format!("({})", numbers.collect::<Vec<_>>().join(", "))
    }

    /// All games with a decision, for `IN` in SQL.
    pub(super) fn games(&self) -> String {
        self.list(|_| true)
    }

    /// The games that are played again, for `IN` in SQL.
    pub(super) fn played_again(&self) -> String {
        self.list(|decision| *decision == Decision::Replay)
    }

    /// The games that are settled by a decision, for `IN` in SQL: void attempts among them are not
    /// played again.
    pub(super) fn settled(&self) -> String {
        self.list(|decision| *decision != Decision::Replay)
    }

    /// In SQL: rows of `game`, `seat`, `engine` and `place` as they count.
    pub(super) fn placed(&self, db: &Connection) -> Result<String> {
        if self.is_empty() {
            return Ok("SELECT game, seat, engine, place FROM seat".to_owned());
        }
        let mut rows = Vec::new();
        for number in self.0.keys() {
            let mut seats =
                db.prepare_cached("SELECT place, score FROM seat WHERE game = ?1 ORDER BY seat")?;
            let seats = seats.query_map([number], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let seats = seats.collect::<rusqlite::Result<Vec<(Option<u8>, Option<i32>)>>>()?;
            let (places, scores): (Vec<_>, Vec<_>) = seats.into_iter().unzip();
            if let Some(RuledResult::Counts(result)) = self.result(*number, &places, &scores) {
                rows.extend(
                    result
                        .places
                        .iter()
                        .map(|(seat, place)| format!("({number}, {}, {place})", seat.index())),
                );
            }
        }
        let ruled = match rows.is_empty() {
            true => String::new(),
            false => format!(
                " UNION ALL SELECT s.game, s.seat, s.engine, r.column3 FROM (VALUES {}) r \
                 JOIN seat s ON s.game = r.column1 AND s.seat = r.column2",
                rows.join(", ")
            ),
        };
        Ok(format!("SELECT game, seat, engine, place FROM seat WHERE game NOT IN {}{ruled}", self.games()))
    }
}

impl Store {
    /// The decisions that hold.
    pub(super) fn rulings(&self) -> Result<Rulings> {
        Rulings::of(&self.db, None)
    }

    /// Whether the organiser has decided about a game, or has taken a decision back.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn has_decisions(&self) -> Result<bool> {
        let expunges = |made: &StoredWithdrawal| made.rule == Some(WithdrawalRule::Expunge);
        Ok(!links(&self.db)?.is_empty() || self.withdrawn()?.all().any(expunges))
    }

    /// How many decisions there are, with those that were taken back.
    ///
    /// # Errors
    /// Errors of the database.
    pub(crate) fn count_decisions(&self) -> Result<u64> {
        Ok(links(&self.db)?.len() as u64)
    }

    /// All decisions in their order, with those that were taken back.
    ///
    /// # Errors
    /// Errors of the database, or one cannot be read.
    pub fn decisions(&self) -> Result<Vec<MadeDecision>> {
        let mut ids = self.db.prepare("SELECT round, pairing, game FROM game WHERE number = ?1")?;
        let mut engines = self
            .db
            .prepare("SELECT name FROM seat JOIN engine ON id = engine WHERE seat.game = ?1 ORDER BY seat")?;
        let id = |row: &Row<'_>| Ok(GameId { round: row.get(0)?, pairing: row.get(1)?, game: row.get(2)? });
        let (links, rulings) = (links(&self.db)?, self.rulings()?);
        let last: BTreeMap<i64, usize> = links.iter().enumerate().map(|(at, row)| (row.game, at)).collect();
        let made = links.iter().enumerate().map(|(at, row)| {
            let names = engines.query_map([row.game], |row| row.get(0))?;
            let (made, holds) = (row.read()?, last[&row.game] == at);
            let counts = rulings.0.get(&row.game).filter(|_| holds && made.decision.is_some());
            Ok(MadeDecision {
                number: row.game,
                overruled: counts.filter(|counts| **counts != made).map(|counts| counts.why.clone()),
                game: ids.query_row([row.game], id).optional()?,
                engines: names.collect::<Result<_, _>>()?,
                holds,
                made,
            })
        });
        made.collect()
    }

    /// The game that a decision is about.
    ///
    /// # Errors
    /// Errors of the database, or the game was pruned.
    pub fn decided_game(&self, found: &MadeDecision) -> Result<Stored> {
        self.game(found.number).with_context(|| format!("cannot read {}", display_path(&self.path)))
    }

    /// All decisions about a game, by its number in the order of storage, the oldest first.
    ///
    /// # Errors
    /// Errors of the database, or one cannot be read.
    pub fn decisions_about(&self, game: i64) -> Result<Vec<StoredDecision>> {
        about(&self.db, game)
    }
}
