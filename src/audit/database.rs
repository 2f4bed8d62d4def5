//! The audit of a whole database: every game, the plan, the standings, and the chain of hashes.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use agon_games::Rules;
use agon_printable::clean;
use anyhow::Result;

use super::conditions::Conditions;
use super::facts::Facts;
use super::{game, plan};
use crate::store::chain::{Chain, Link};
use crate::store::inside::Ran;
use crate::store::key::Keys;
use crate::store::{Store, Stored, hash};

/// The findings of an audit.
#[derive(Default)]
pub struct Audit {
    /// How many games that count or are history were checked, including those with differences.
    pub games: u64,
    /// How many void attempts were checked, as far as possible.
    pub void: u64,
    /// How many games were not checked, by reason.
    pub unchecked: BTreeMap<String, u64>,
    /// How many games have a difference.
    pub wrong: u64,
    /// All differences, in words.
    pub differences: Vec<String>,
    /// What was proved and what was only witnessed.
    pub facts: Facts,
    /// How many games of the plan have not been played.
    pub missing: u64,
    /// How many games are pruned: their hashes are in the chain, and their content is gone.
    pub pruned: u64,
    /// The head of the chain, and the number of games in it.
    pub head: (Link, u64),
}

impl Audit {
    /// Whether every game was checked and no difference was found.
    pub fn is_clean(&self) -> bool {
        self.differences.is_empty() && self.unchecked.is_empty()
    }
}

/// Gives the rules of a game by its spec and word list: the bytes from the database, or the usual
/// list.
pub type RulesOf<'a> = dyn Fn(&str, Option<&[u8]>) -> Result<Arc<dyn Rules>> + 'a;

/// Audits a database. `expected` is a head that the user has noted.
///
/// # Errors
/// The database cannot be read. What is wrong in it is in the [`Audit`].
pub fn audit(store: &Store, rules: &RulesOf<'_>, expected: Option<Link>) -> Result<Audit> {
    let mut audit = Audit::default();
    let state = store.integrity()?;
    if state != "ok" {
        audit.differences.push(format!("the database is damaged: {}", clean(&state)));
    }
    audit.differences.extend(store.loose_ends()?);
    let chain = store.chain()?;
    audit.differences.extend(chain.breaks.iter().cloned());
    audit.pruned = chain.pruned;
    let pruned = usize::try_from(chain.pruned).unwrap_or(usize::MAX);
    audit.facts.proved("hashes", chain.links.len().saturating_sub(chain.breaks.len() + pruned));
    if pruned > 0 {
        audit.facts.witnessed("hashes of pruned games", pruned);
    }
    audit.head = (chain.head(), chain.links.last().map_or(0, |(_, games)| *games));
    audit.differences.extend(unexpected(&chain, expected));
    let supplies: HashMap<String, Vec<u8>> = store.supplies()?.into_iter().collect();
    for (hash, bytes) in &supplies {
        if hash::of_bytes(bytes) == *hash {
            audit.facts.proved("files", 1);
        } else {
            audit.differences.push(format!("the file {} does not have its stored hash", clean(hash)));
        }
    }
    let runs = store.runs()?;
    let mut auditor = Auditor {
        rules,
        supplies,
        runs: runs.iter().map(|run| (run.number, (run, run.keys()))).collect(),
        known: HashMap::new(),
        audit,
    };
    for number in store.numbers()? {
        match store.numbered(number) {
            Ok(stored) => auditor.look(&stored),
            Err(error) => {
                auditor.audit.games += 1;
                auditor.differ(format!("game {number} in the order of storage cannot be read: {error:#}"));
            }
        }
    }
    let mut audit = auditor.audit;
    if let Some(run) = runs.last() {
        match plan::last_run(store, run, &mut audit.facts) {
            Ok(found) => {
                audit.differences.extend(found.differences);
                audit.missing = found.missing;
            }
            Err(error) => {
                audit.differences.push(format!("the plan cannot be compared with the games: {error:#}"));
            }
        }
    }
    match plan::standings(store, &runs, &mut audit.facts) {
        Ok(differences) => audit.differences.extend(differences),
        Err(error) => {
            audit.differences.push(format!("the standings cannot be computed again: {error:#}"));
        }
    }
    audit.differences = audit.differences.iter().map(|line| clean(line)).collect();
    Ok(audit)
}

/// The message for a head that differs from the expected one.
fn unexpected(chain: &Chain, expected: Option<Link>) -> Option<String> {
    let expected = expected?;
    if chain.head() == expected {
        return None;
    }
    let all = chain.links.last().map_or(0, |(_, games)| *games);
    let head = chain.head();
    Some(match chain.links.iter().rev().find(|(link, _)| *link == expected) {
        Some((_, games)) if *games < all => format!(
            "--expect: {expected} is the head after {games} games, and {} were stored since; the head is {head}",
            all - games
        ),
        Some(_) => format!(
            "--expect: {expected} was the head of the same games; what counts was changed since: {head}"
        ),
        None => format!("--expect: the head is {head}, and {expected} was never one of this chain"),
    })
}

/// The rules and conditions of some games, or why they cannot be checked.
enum Known {
    Rules(Arc<dyn Rules>, Conditions),
    /// This program does not have their rules.
    Unchecked(String),
    Wrong(String),
}

struct Auditor<'a> {
    rules: &'a RulesOf<'a>,
    supplies: HashMap<String, Vec<u8>>,
    runs: HashMap<i64, (&'a Ran, Keys)>,
    /// By rules and run: the games of one run share them.
    known: HashMap<(String, i64), Known>,
    audit: Audit,
}

impl Auditor<'_> {
    fn differ(&mut self, why: String) {
        self.audit.wrong += 1;
        self.audit.differences.push(why);
    }

    fn look(&mut self, stored: &Stored) {
        let record = &stored.record;
        let under = (record.rules.clone(), stored.run);
        if !self.known.contains_key(&under) {
            let known = self.find(&under.0, under.1);
            self.known.insert(under.clone(), known);
        }
        let void = record.decided().is_none();
        let known = self.known.get(&under).expect("it was just put there");
        let (rules, conditions) = match known {
            Known::Unchecked(why) => {
                *self.audit.unchecked.entry(why.clone()).or_default() += 1;
                return;
            }
            Known::Wrong(why) => {
                let why = format!("{}: {why}", record.id);
                self.audit.games += 1;
                return self.differ(why);
            }
            Known::Rules(rules, conditions) => (rules, conditions),
        };
        if void {
            self.audit.void += 1;
        } else {
            self.audit.games += 1;
        }
        let found = game::check(record, rules.as_ref(), conditions).and_then(|mut facts| {
            match self.runs.get(&stored.run) {
                Some((run, keys)) => plan::game(stored, run, keys, &mut facts)?,
                // It was imported, so its plan is unknown.
                None => facts.witnessed("keys", 1),
            }
            Ok(facts)
        });
        match found {
            Ok(facts) => self.audit.facts.add(&facts),
            Err(difference) => self.differ(format!("{}: {difference}", record.id)),
        }
    }

    /// The rules and conditions of the games of a run.
    fn find(&self, spec: &str, number: i64) -> Known {
        let Ok(entry) = agon_games::entry(spec) else {
            return Known::Unchecked(format!("there is no game {} here", clean(spec)));
        };
        let run = self.runs.get(&number).map(|(run, _)| *run);
        if run.is_none() && number != 0 {
            return Known::Wrong(format!("run {number}, in which it was played, is missing"));
        }
        if let Some(run) = run.filter(|run| run.terms.get("game").is_none_or(|game| game != spec)) {
            return Known::Wrong(format!("key rules: {} is not the game of run {}", clean(spec), run.number));
        }
        let term = |name: &str| run.and_then(|run| run.terms.get(name));
        if let Some(version) = term("rules version").filter(|version| **version != entry.version.to_string())
        {
            return Known::Unchecked(format!(
                "version {} of the rules of {}, but this agon has {}",
                clean(version),
                entry.name,
                entry.version
            ));
        }
        let words = match term("dictionary") {
            None => None,
            Some(hash) => match self.supplies.get(hash) {
                Some(words) => Some(words.as_slice()),
                None => return Known::Wrong("its word list is missing in the database".to_owned()),
            },
        };
        let rules = match (self.rules)(spec, words) {
            Ok(rules) => rules,
            Err(error) => return Known::Wrong(format!("its rules cannot be made: {error:#}")),
        };
        let Some(run) = run else { return Known::Rules(rules, Conditions::default()) };
        match Conditions::of(&run.terms, &rules, |hash| self.supplies.get(hash).cloned()) {
            Ok(conditions) => Known::Rules(rules, conditions),
            Err(why) => Known::Wrong(why),
        }
    }
}
