//! The audit of a whole database: every game, the plan, the standings, and the chain of hashes.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use agon_config::Confinement;
use agon_games::{Entry, Rules};
use agon_printable::clean;
use agon_record::GameRecord;
use agon_solved::parallel;
use agon_standings::result::GameId;
use agon_store::chain::{Chain, Link};
use agon_store::inside::Ran;
use agon_store::key::Keys;
use agon_store::{Store, Stored, hash};
use anyhow::Result;

use super::conditions::Conditions;
use super::facts::{Difference, Facts};
use super::hosted::{RefereedGames, Unchecked};
use super::planned::PlannedKeys;
use super::referee_program::{RefereeAccess, RefereeOfRun};
use super::{game, plan, programs};

/// How many games are read at one time, while those before are checked.
const TOGETHER: usize = 256;

/// The findings of an audit.
#[derive(Default)]
pub struct Audit {
    /// How many games that count or are history were checked, including those with differences.
    pub games: u64,
    /// How many void attempts were checked, as far as possible.
    pub void: u64,
    /// How many games were not checked, by reason.
    pub unchecked: BTreeMap<String, u64>,
    /// How many games of the history could not be refereed again, by reason: their referee is gone
    /// or has changed since. Nothing is wrong with them, and they do not count.
    pub history: BTreeMap<String, u64>,
    /// How many games have a difference.
    pub wrong: u64,
    /// All differences, in words.
    pub differences: Vec<String>,
    /// The programs that cannot be compared with their hashes, in words. They are no differences.
    pub programs: Vec<String>,
    /// What was proved and what was only witnessed.
    pub facts: Facts,
    /// How many games of the plan have not been played.
    pub missing: u64,
    /// How many imported games count and are not in the plan of the last run, and some of them in
    /// words.
    pub outside: (u64, Vec<String>),
    /// How many games are pruned: their hashes are in the chain, and their content is gone.
    pub pruned: u64,
    /// The head of the chain, and the number of games in it.
    pub head: (Link, u64),
    /// How many games were stored since the expected head; `None` if none was expected, or if it is
    /// not one of this chain.
    pub stored_since: Option<u64>,
}

impl Audit {
    /// Whether every game was checked and no difference was found. Games of the history whose
    /// referee is gone need not be checked.
    pub fn is_clean(&self) -> bool {
        self.differences.is_empty() && self.unchecked.is_empty()
    }
}

/// Gives the rules of a game by its spec and word list: the bytes from the database, or the usual
/// list.
pub type RulesOf<'a> = dyn Fn(&str, Option<&[u8]>) -> Result<Arc<dyn Rules>> + 'a;

/// Audits a database. `expected` is a head that the user has noted. Referee programs are started if
/// there is an `access`.
///
/// # Errors
/// The database cannot be read, or the user has stopped the audit. What is wrong in the database is
/// in the [`Audit`].
pub fn audit(
    store: &Store,
    rules: &RulesOf<'_>,
    expected: Option<Link>,
    access: Option<&RefereeAccess<'_>>,
) -> Result<Audit> {
    let mut audit = Audit::default();
    let state = store.integrity()?;
    if state != "ok" {
        audit.differences.push(format!("the database is damaged: {}", clean(&state)));
    }
    audit.differences.extend(store.loose_ends()?);
    let chain = store.at_one_moment(|| store.chain())?;
    audit.differences.extend(chain.breaks.iter().cloned());
    audit.pruned = chain.pruned;
    let pruned = usize::try_from(chain.pruned).unwrap_or(usize::MAX);
    audit.facts.proved("hashes", chain.links.len().saturating_sub(chain.breaks.len() + pruned));
    if chain.breaks.is_empty() {
        audit.facts.proved("decisions", usize::try_from(chain.decisions).unwrap_or(usize::MAX));
        audit.facts.proved("arrangements", usize::try_from(chain.arrangements).unwrap_or(usize::MAX));
        audit.facts.proved("questions of runs", usize::try_from(chain.questions).unwrap_or(usize::MAX));
    }
    if pruned > 0 {
        audit.facts.witnessed("hashes of pruned games", pruned);
    }
    audit.head = (chain.head(), chain.links.last().map_or(0, |(_, games)| *games));
    match expected.map(|expected| awaited(&chain, expected)) {
        Some(Awaited::Since(games)) => audit.stored_since = Some(games),
        Some(Awaited::Other(why)) => audit.differences.push(why),
        None => {}
    }
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
        store,
        rules,
        access,
        supplies,
        runs: runs.iter().map(|run| (run.number, (run, run.keys()))).collect(),
        planned: runs.last().and_then(|run| Some((run.number, PlannedKeys::of(run)?))),
        known: HashMap::new(),
        audit,
    };
    auditor.look_at_all()?;
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
    match programs::check(store, &mut audit.facts) {
        Ok(found) => {
            audit.differences.extend(found.differences);
            audit.programs = found.unchecked;
        }
        Err(error) => audit.differences.push(format!("the programs cannot be read: {error:#}")),
    }
    audit.differences = audit.differences.iter().map(|line| clean(line)).collect();
    Ok(audit)
}

/// What became of an expected head.
enum Awaited {
    /// It is the head, or was it before so many games were stored.
    Since(u64),
    /// It differs, in words.
    Other(String),
}

fn awaited(chain: &Chain, expected: Link) -> Awaited {
    let all = chain.links.last().map_or(0, |(_, games)| *games);
    let head = chain.head();
    match chain.links.iter().rev().find(|(link, _)| *link == expected) {
        _ if head == expected => Awaited::Since(0),
        Some((_, games)) if *games < all => Awaited::Since(all - games),
        Some(_) => Awaited::Other(format!(
            "--expect: {expected} was the head of the same games; what counts was changed since: {head}"
        )),
        None => Awaited::Other(format!(
            "--expect: the head is {head}, and {expected} was never one of this chain"
        )),
    }
}

/// The rules and conditions of some games, or why they cannot be checked.
enum Known<'a> {
    Rules(Arc<dyn Rules>, Arc<Conditions>),
    /// A program referees them.
    Refereed(Box<RefereedGames<'a>>),
    /// This program does not have their rules.
    Unchecked(String),
    Wrong(String),
}

/// How many games outside of the plan are named.
const NAMED: usize = 3;

/// What is checked of a game whose referee program cannot be started.
const BY_LINES: &str = "only what follows from the stored lines was compared";

struct Auditor<'a> {
    store: &'a Store,
    rules: &'a RulesOf<'a>,
    access: Option<&'a RefereeAccess<'a>>,
    supplies: HashMap<String, Vec<u8>>,
    runs: HashMap<i64, (&'a Ran, Keys)>,
    /// The last run with its plan.
    planned: Option<(i64, PlannedKeys)>,
    /// By rules and run: the games of one run share them.
    known: HashMap<(String, i64), Known<'a>>,
    audit: Audit,
}

/// A game of built-in rules with all that checks it.
struct ReadyGame {
    stored: Stored,
    run: i64,
    rules: Arc<dyn Rules>,
    conditions: Arc<Conditions>,
}

/// What was found of one game.
enum Found {
    /// This program does not have its rules.
    Unchecked(String),
    /// It cannot be checked, and that is a difference.
    Wrong(String),
    Checked(CheckedGame),
}

/// A game that was checked.
struct CheckedGame {
    name: GameId,
    is_void: bool,
    /// Whether it does not count, and its referee is gone or has changed since.
    is_over: bool,
    checked: Result<Facts, Difference>,
    /// Why its referee program was not started.
    unchecked: Option<String>,
}

/// Checks a game of built-in rules.
fn check(game: ReadyGame, runs: &HashMap<i64, (&Ran, Keys)>) -> Found {
    let ReadyGame { stored, run, rules, conditions } = game;
    let checked = game::check(&stored.record, rules.as_ref(), &conditions);
    Found::Checked(CheckedGame {
        name: stored.record.id,
        is_void: stored.record.decided().is_none(),
        is_over: false,
        checked: checked.and_then(|facts| with_plan(&stored, runs.get(&run), facts)),
        unchecked: None,
    })
}

/// Compares a game with the plan of its run, and adds the facts of that.
fn with_plan(stored: &Stored, run: Option<&(&Ran, Keys)>, mut facts: Facts) -> Result<Facts, Difference> {
    match run {
        Some((run, keys)) => plan::game(stored, run, keys, &mut facts)?,
        // It was imported, and no run here has planned it.
        None => facts.witnessed("keys", 1),
    }
    Ok(facts)
}

impl<'a> Auditor<'a> {
    fn differ(&mut self, why: String) {
        self.audit.wrong += 1;
        self.audit.differences.push(why);
    }

    /// Looks at every game. While some are checked, on all cores, the next ones are read.
    fn look_at_all(&mut self) -> Result<()> {
        let numbers = self.store.numbers()?;
        let mut next = numbers.chunks(TOGETHER);
        let mut games = self.read(next.next().unwrap_or_default())?;
        while !games.is_empty() {
            let ready: Vec<Result<ReadyGame, Found>> =
                games.into_iter().map(|game| self.prepare(game)).collect::<Result<_>>()?;
            let runs = &self.runs;
            let (found, later) = parallel::both(
                || parallel::each(ready, |ready| ready.map_or_else(|found| found, |game| check(game, runs))),
                || self.read(next.next().unwrap_or_default()),
            );
            for found in found {
                self.note(found);
            }
            games = later?;
        }
        Ok(())
    }

    /// The games with these numbers, or why one cannot be read.
    fn read(&self, numbers: &[i64]) -> Result<Vec<Result<Stored, String>>> {
        self.store.at_one_moment(|| {
            let cannot =
                |number, error| format!("game {number} in the order of storage cannot be read: {error:#}");
            Ok((numbers.iter())
                .map(|number| self.store.numbered(*number).map_err(|error| cannot(number, error)))
                .collect())
        })
    }

    /// What is needed to check a game, or what is found without that. Games of referee programs are
    /// checked here: their program answers one question after the other.
    fn prepare(&mut self, game: Result<Stored, String>) -> Result<Result<ReadyGame, Found>> {
        let stored = match game {
            Ok(stored) => stored,
            Err(why) => return Ok(Err(Found::Wrong(why))),
        };
        let run = self.run_of(&stored);
        let under = (stored.record.rules.clone(), run);
        if !self.known.contains_key(&under) {
            let known = self.find(&stored.record, run)?;
            self.known.insert(under.clone(), known);
        }
        let known = self.known.get_mut(&under).expect("it was just put there");
        let (checked, unchecked, is_gone) = match known {
            Known::Unchecked(why) => return Ok(Err(Found::Unchecked(why.clone()))),
            Known::Wrong(why) => return Ok(Err(Found::Wrong(format!("{}: {why}", stored.record.id)))),
            Known::Rules(rules, conditions) => {
                let (rules, conditions) = (Arc::clone(rules), Arc::clone(conditions));
                return Ok(Ok(ReadyGame { stored, run, rules, conditions }));
            }
            Known::Refereed(games) => {
                let is_gone = games.is_gone();
                match games.check(&stored.record) {
                    Ok(Ok(facts)) => (Ok(facts), None, is_gone),
                    Ok(Err(why)) => (Ok(Facts::default()), Some(format!("{why}; {BY_LINES}")), is_gone),
                    Err(Unchecked::Wrong(difference)) => (Err(difference), None, is_gone),
                    Err(Unchecked::Trouble(error)) => return Err(error),
                }
            }
        };
        let checked = checked.and_then(|facts| with_plan(&stored, self.runs.get(&run), facts));
        Ok(Err(Found::Checked(CheckedGame {
            name: stored.record.id,
            is_void: stored.record.decided().is_none(),
            is_over: is_gone && !stored.counts,
            checked,
            unchecked,
        })))
    }

    fn note(&mut self, found: Found) {
        let game = match found {
            Found::Unchecked(why) => return *self.audit.unchecked.entry(why).or_default() += 1,
            Found::Wrong(why) => {
                self.audit.games += 1;
                return self.differ(why);
            }
            Found::Checked(game) => game,
        };
        if game.unchecked.is_none() || game.checked.is_err() {
            if game.is_void {
                self.audit.void += 1;
            } else {
                self.audit.games += 1;
            }
        }
        match (game.checked, game.unchecked) {
            (Err(difference), _) => self.differ(format!("{}: {difference}", game.name)),
            (Ok(_), Some(why)) if game.is_over => *self.audit.history.entry(why).or_default() += 1,
            (Ok(_), Some(why)) => *self.audit.unchecked.entry(why).or_default() += 1,
            (Ok(facts), None) => self.audit.facts.add(&facts),
        }
    }

    /// The run that has planned a game; 0 if none has. Merged games are those of the last run's
    /// plan, and imported ones may be those of any. Notes what counts outside of the last plan.
    fn run_of(&mut self, stored: &Stored) -> i64 {
        if stored.run != 0 {
            return stored.run;
        }
        let Some((last, planned)) = &self.planned else { return 0 };
        if planned.id(stored.key).is_some() {
            return *last;
        }
        if stored.counts {
            let (games, named) = &mut self.audit.outside;
            *games += 1;
            if named.len() < NAMED {
                let names: Vec<String> =
                    stored.record.seats.values().iter().map(|seat| clean(&seat.entrant)).collect();
                named.push(format!("{} ({})", stored.record.id, names.join(", ")));
            }
        }
        let is_of = |(run, keys): &(&Ran, Keys)| plan::belongs(stored, run, keys).is_ok();
        self.runs.iter().find(|(_, run)| is_of(run)).map_or(0, |(number, _)| *number)
    }

    /// The rules and conditions of the games of a run.
    fn find(&self, record: &GameRecord, number: i64) -> Result<Known<'a>> {
        let spec = record.rules.as_str();
        let run = self.runs.get(&number).map(|(run, _)| *run);
        let by_program = record.referee.is_some() || run.is_some_and(|run| run.terms.contains_key("referee"));
        let entry = agon_games::entry(spec).ok();
        if entry.is_none() && !by_program {
            return Ok(Known::Unchecked(format!("there is no game {} here", clean(spec))));
        }
        if run.is_none() && number != 0 {
            return Ok(Known::Wrong(format!("run {number}, in which it was played, is missing")));
        }
        if let Some(run) = run.filter(|run| run.terms.get("game").is_none_or(|game| game != spec)) {
            let spec = clean(spec);
            return Ok(Known::Wrong(format!("key rules: {spec} is not the game of run {}", run.number)));
        }
        Ok(match entry {
            Some(entry) => self.built_in(entry, spec, run),
            None => self.refereed(record, run)?,
        })
    }

    /// The games of a referee program.
    fn refereed(&self, record: &GameRecord, run: Option<&Ran>) -> Result<Known<'a>> {
        let term = |name: &str| run.and_then(|run| run.terms.get(name));
        let own = record.referee.as_ref().map_or("", |referee| referee.hash.as_str());
        let hash = term("referee").map_or(own, String::as_str);
        let seats = record.seats.len();
        if term("seats").is_some_and(|planned| *planned != seats.to_string()) {
            return Ok(Known::Wrong(format!("key seats: there are {seats}, and another number in its run")));
        }
        let number = run.map_or(0, |run| run.number);
        let (folder, outside) = (self.store.referee_folder(number)?, self.store.referee_outside(number)?);
        let directory = Some(self.store.directory());
        let referee =
            RefereeOfRun { hash, folder: folder.as_deref(), outside: outside.as_deref(), run: directory };
        let conditions = match run.map(|run| Conditions::without_openings(&run.terms)) {
            None => Conditions::default(),
            Some(Ok(conditions)) => conditions,
            Some(Err(why)) => return Ok(Known::Wrong(why)),
        };
        let confinement = Confinement::of_term(term("isolation").map_or("", String::as_str));
        let games = RefereedGames::new(&record.rules, seats, referee, confinement, conditions, self.access);
        Ok(Known::Refereed(Box::new(games)))
    }

    /// The games of built-in rules.
    fn built_in(&self, entry: &Entry, spec: &str, run: Option<&Ran>) -> Known<'a> {
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
        let Some(run) = run else { return Known::Rules(rules, Arc::default()) };
        match Conditions::of(&run.terms, &rules, |hash| self.supplies.get(hash).cloned()) {
            Ok(conditions) => Known::Rules(rules, Arc::new(conditions)),
            Err(why) => Known::Wrong(why),
        }
    }
}
