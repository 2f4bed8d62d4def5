//! Oracle: plays best moves wherever the value of the position is known, and those of a search
//! elsewhere. With a lower skill, some of its moves are not among the best: an opponent of a known
//! strength.

// The tests of the search play abalone.
#[cfg(test)]
#[path = "../alphabeta/abalone.rs"]
mod abalone;
#[path = "../alphabeta/cache.rs"]
mod cache;
#[path = "../alphabeta/cells.rs"]
mod cells;
#[path = "../alphabeta/evaluate.rs"]
mod evaluate;
#[path = "../alphabeta/mnk.rs"]
mod mnk;
#[path = "../alphabeta/morris.rs"]
mod morris;
#[path = "../alphabeta/search.rs"]
mod search;
#[path = "../talk/mod.rs"]
mod talk;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use agon_games::Needs;
use agon_solved::{RankedMove, Solver, SolverSettings, Value};
use evaluate::Evaluate;
use search::Search;
use talk::{Brain, Failure, Kind, Order, Setting, Watch, draw, tables};

fn main() -> ExitCode {
    talk::run(|order| {
        let (game, options) = order.game();
        match game {
            "connect4" => order.play(tables::connect4(options), Oracle::new(order)?),
            "mill" => order.play(tables::mill(options), Oracle::new(order)?),
            "mnk" => order.play(tables::mnk(options), Oracle::new(order)?),
            "morris" => order.play(tables::morris(options), Oracle::new(order)?),
            _ => Err(order.unknown("connect4, mill, mnk and morris")),
        }
    })
}

/// The most positions that a search for the value of one move looks at, in games without a table.
const POSITIONS: u32 = 1_000_000;

/// The deepest round of the search where no value is known.
const DEEPEST: u32 = 100;

/// The megabytes of the memory of that search.
const MEGABYTES: u32 = 8;

struct Oracle<P: Evaluate> {
    spec: String,
    /// The directory of the tables.
    tables: Option<PathBuf>,
    solver: Solver,
    /// When searches for values end.
    until: Arc<Mutex<Option<Instant>>>,
    /// Plays where no value is known.
    search: Search<P>,
    /// How many of a hundred moves are best ones. The others are not, if there is such a move.
    skill: u32,
    seed: u64,
    positions: u32,
}

impl<P: Evaluate> Oracle<P> {
    fn new(order: &Order) -> Result<Self, Failure> {
        let (spec, until) = (order.spec.clone(), Arc::default());
        let solver = solver(&spec, None, POSITIONS, &until).map_err(Failure::Usage)?;
        let search = Search::new(MEGABYTES);
        Ok(Oracle { spec, tables: None, solver, until, search, skill: 100, seed: 0, positions: POSITIONS })
    }

    fn renew(&mut self) -> Result<(), String> {
        self.solver = solver(&self.spec, self.tables.clone(), self.positions, &self.until)?;
        Ok(())
    }

    /// A number below `below` that follows from the seed, the position and what it is for.
    fn drawn(&self, position: &str, purpose: &str, below: usize) -> usize {
        let drawn = draw(format!("{} {purpose} {position}", self.seed).as_bytes());
        (drawn % below.max(1) as u64) as usize
    }

    /// The legal moves best first, with the number of those that are best. 0 if that is not known.
    fn ranked(&self, position: &str) -> Option<(Vec<RankedMove>, usize)> {
        let mut game = self.solver.follow(position).ok()?;
        let value = game.value().known().map(|value| value.value);
        let ranked = game.ranked();
        let first = ranked.first()?.valuation;
        let found = first.known().map(|first| first.value);
        // The clock may have ended the search before it came to a move that keeps the value.
        let is_known = found.is_some() && (found == value || found == Some(Value::Won));
        let alike = ranked.iter().take_while(|one| one.valuation == first).count();
        Some((ranked, if is_known { alike } else { 0 }))
    }

    /// The move of a search, unless another one is known to be better.
    fn searched(&mut self, position: &P, ranked: &[RankedMove], watch: &mut Watch<'_>) -> Option<P::Move> {
        let found = self.search.choose(position, DEEPEST, watch)?;
        let Some(best) = ranked.first() else { return Some(found) };
        let text = found.to_string();
        let own = ranked.iter().find(|one| bare(&one.text) == text);
        let is_worse = own.is_some_and(|own| own.valuation.known().is_some())
            && own.is_some_and(|own| best.valuation.quality(own.valuation).is_gt());
        if is_worse { position.parse(bare(&best.text)).ok() } else { Some(found) }
    }
}

/// A move without its side.
fn bare(text: &str) -> &str {
    text.split_once(',').map_or(text, |(_, mv)| mv)
}

/// The values of a game. It never makes a table: that would take longer than a move may.
fn solver(
    spec: &str,
    tables: Option<PathBuf>,
    positions: u32,
    until: &Arc<Mutex<Option<Instant>>>,
) -> Result<Solver, String> {
    let rules = agon_games::find(spec, &Needs::default()).map_err(|error| error.to_string())?;
    let until = until.clone();
    let is_late = move || {
        let until = *until.lock().expect("no thread panicked");
        until.is_some_and(|until| Instant::now() >= until)
    };
    let settings = SolverSettings {
        directory: tables.or_else(of_user),
        threads: NonZeroUsize::MIN,
        tell: None,
        most_positions: Some(positions.into()),
        stop: Some(Arc::new(is_late)),
        makes_tables: false,
    };
    Ok(Solver::new(rules.as_ref(), settings))
}

/// The directory of the tables of the user who starts it by hand.
fn of_user() -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(base.join("agon"))
}

impl<P: Evaluate> Brain<P> for Oracle<P> {
    fn name(&self) -> String {
        "agon-oracle".to_owned()
    }

    fn settings(&self) -> Vec<Setting> {
        vec![
            Setting { name: "Skill", kind: Kind::Spin { default: 100, least: 0, most: 100 } },
            Setting { name: "Seed", kind: Kind::Text("0".to_owned()) },
            Setting {
                name: "Positions",
                kind: Kind::Spin { default: POSITIONS, least: 1, most: 1_000_000_000 },
            },
            Setting { name: "Tables", kind: Kind::Text(String::new()) },
        ]
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let number = || value.parse().map_err(|_| format!("{name} is a whole number, not {value:?}"));
        match name {
            "Skill" => self.skill = number()?,
            "Seed" => {
                self.seed = value.parse().map_err(|_| format!("{name} is a whole number, not {value:?}"))?;
            }
            "Tables" => {
                self.tables = Some(PathBuf::from(value)).filter(|path| path.is_absolute());
                self.renew()?;
            }
            _ => {
                self.positions = number()?;
                self.renew()?;
            }
        }
        Ok(())
    }

    /// Opens the table of the game, while no clock runs.
    fn new_game(&mut self) {
        self.solver.prepare();
    }

    fn choose(&mut self, position: &P, watch: &mut Watch<'_>) -> Option<P::Move> {
        let text = position.text();
        // The other half is for the search, if no value is found.
        *self.until.lock().expect("no thread panicked") = watch.part(1, 2).or(Some(Instant::now() + LONGEST));
        let (ranked, proven) = self.ranked(&text).unwrap_or_default();
        let plays_best = self.drawn(&text, "skill", 100) < self.skill as usize;
        let (from, among) = match (plays_best, proven) {
            (true, 0) => return self.searched(position, &ranked, watch),
            (true, best) => (0, best),
            // All moves are best, or it is not known which ones are.
            (false, best) if best == ranked.len() => (0, best),
            (false, best) => (best, ranked.len() - best),
        };
        let chosen = ranked.get(from + self.drawn(&text, "move", among));
        let parsed = chosen.and_then(|one| position.parse(bare(&one.text)).ok());
        parsed.or_else(|| self.searched(position, &[], watch))
    }
}

/// The longest search for values if no clock runs.
const LONGEST: Duration = Duration::from_secs(10);
