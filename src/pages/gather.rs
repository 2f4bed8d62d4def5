//! Everything the pages of one run show, but for the moves: read from the database in one pass over
//! its games.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use agon_games::Seat;
use agon_standings::Standings;
use agon_standings::points::Wdl;
use agon_standings::strengths::Strengths;
use agon_standings::table::Row;
use anyhow::Result;

use super::address::slugs;
use super::view::View;
use crate::hosted::UNKNOWN;
use crate::record::{Cause, GameId, GameRecord, Termination, Verdict};
use crate::store::history::Moved;
use crate::store::inside::Ran;
use crate::store::ranking::{DerivedStage, StageSpec};
use crate::store::status::RunStatus;
use crate::store::{Filter, Store, Stored};

/// A run as its pages show it.
pub(super) struct RunFacts {
    /// The directory of the stage or night; `None` for a run without parts.
    pub(super) part: Option<String>,
    /// Its name for people.
    pub(super) title: String,
    /// How far it has come.
    pub(super) status: RunStatus,
    /// The sums of its games.
    pub(super) standings: Standings,
    /// The rows of the standings, the best first.
    pub(super) rows: Vec<Row>,
    /// The ratings, by engine, with their error bars.
    pub(super) ratings: HashMap<String, (f64, f64)>,
    /// The engines, in the order of the standings: each has the number of its row.
    pub(super) engines: Vec<EngineFacts>,
    /// The games that count, in the order of the plan.
    pub(super) games: Vec<GameRow>,
    /// The standings of each finished run.
    pub(super) history: Vec<Moved>,
    /// All runs in the database, the oldest first.
    pub(super) runs: Vec<Ran>,
    /// How busy the machine was.
    pub(super) machine: MachineFacts,
    /// The stage, if the run is one.
    pub(super) stage: Option<(StageSpec, DerivedStage)>,
    numbers: HashMap<String, usize>,
}

/// An engine as its page shows it.
pub(super) struct EngineFacts {
    /// Its name.
    pub(super) name: String,
    /// Its name in addresses.
    pub(super) slug: String,
    /// Its time control.
    pub(super) control: String,
    /// The time of each of its moves in microseconds.
    pub(super) times: Vec<u32>,
    /// Its games that it lost by a fault.
    pub(super) faults: Vec<FaultRow>,
    /// Its games by opponent: indexes into [`RunFacts::games`].
    pub(super) games: BTreeMap<usize, Vec<usize>>,
}

/// A game that an engine lost by its own fault.
pub(super) struct FaultRow {
    /// The index of the game in [`RunFacts::games`].
    pub(super) game: usize,
    /// The fault.
    pub(super) cause: Cause,
    /// Why, in words.
    pub(super) why: String,
    /// The index of its ply.
    pub(super) ply: usize,
    /// The position, if agon knows it.
    pub(super) position: Option<String>,
}

/// A game as lists show it.
pub(super) struct GameRow {
    /// Its number in the plan.
    pub(super) id: GameId,
    /// The number of each engine in [`RunFacts::engines`], in order of play.
    pub(super) seats: Vec<usize>,
    /// The place of each seat; empty in a void game.
    pub(super) places: Vec<u8>,
    /// Its result in the form of the game.
    pub(super) result: String,
    /// How it ended: `normal`, `time forfeit`.
    pub(super) termination: String,
    /// The seat whose fault ended it, and the fault.
    pub(super) forfeit: Option<(Seat, Cause)>,
    /// Why it ended.
    pub(super) reason: String,
    /// How many plies it has.
    pub(super) plies: usize,
}

/// How busy the machine was while the games were played.
#[derive(Clone, PartialEq, Default, Debug)]
pub(super) struct MachineFacts {
    /// The latest wake-up of the harness in a question, in microseconds.
    pub(super) worst_lateness: u64,
    /// Games in which some process waited for a processor in more than a tenth of the time.
    pub(super) crowded: u64,
    /// Games lost on time among those.
    pub(super) crowded_time_forfeits: u64,
    /// The highest load average.
    pub(super) highest_load: f64,
    /// Each level of isolation with its mechanisms, and in how many games it was in force.
    pub(super) isolation: BTreeMap<(String, Vec<String>), u64>,
    /// Each engine that played elsewhere, with its place and its level, and in how many games.
    pub(super) elsewhere: BTreeMap<[String; 3], u64>,
    /// When the first game began and the last one ended, in seconds since 1970.
    pub(super) span: Option<(i64, i64)>,
}

/// Above this share of waiting the machine, not an engine, may have been slow.
const CROWDED: f64 = 0.1;

impl RunFacts {
    /// Reads a run.
    ///
    /// # Errors
    /// Errors of the database.
    pub(super) fn read(store: &Store, part: Option<String>, title: String) -> Result<RunFacts> {
        let stage = store.stage()?;
        let status = store.status(stage.as_ref())?;
        let standings = store.standings(store.points()?)?;
        let rows = standings.table();
        let found = Strengths::of(&standings, 0, 1);
        let ratings = found.map(|found| found.rows).unwrap_or_default();
        let names: Vec<String> = rows.iter().map(|row| row.entrant.clone()).collect();
        // In the order of the names, so that no address depends on a rank.
        let sorted: BTreeSet<&str> = names.iter().map(String::as_str).collect();
        let slugs: HashMap<&str, String> =
            sorted.iter().copied().zip(slugs(sorted.iter().copied())).collect();
        let engines = names.iter().map(|name| (name, slugs[name.as_str()].clone()));
        let mut facts = RunFacts {
            numbers: names.iter().cloned().enumerate().map(|(number, name)| (name, number)).collect(),
            engines: engines.map(|(name, slug)| EngineFacts::new(name, slug)).collect(),
            ratings: ratings.into_iter().map(|row| (row.entrant, (row.elo, row.error))).collect(),
            history: store.history()?,
            runs: store.runs()?,
            part,
            title,
            status,
            standings,
            rows,
            games: Vec::new(),
            machine: MachineFacts::default(),
            stage,
        };
        store.games(&Filter::default(), |stored| {
            facts.add(&stored);
            Ok(())
        })?;
        Ok(facts)
    }

    fn add(&mut self, stored: &Stored) {
        let record = &stored.record;
        // Every game that counts is between entrants of the last run.
        let seats: Option<Vec<usize>> =
            record.seats.values().iter().map(|seat| self.numbers.get(&seat.entrant).copied()).collect();
        let Some(seats) = seats else { return };
        let place = self.games.len();
        self.machine.add(record);
        // The plies of an opening took no time.
        for ply in record.plies.iter().filter(|ply| !ply.time.is_zero()) {
            let micros = u32::try_from(ply.time.as_micros()).unwrap_or(u32::MAX);
            self.engines[seats[ply.seat.index()]].times.push(micros);
        }
        for (seat, own) in seats.iter().enumerate() {
            let engine = &mut self.engines[*own];
            let control = &record.seats[Seat::new(seat)].time_control;
            if engine.control != *control {
                engine.control.clone_from(control);
            }
            for other in seats.iter().filter(|other| *other != own) {
                engine.games.entry(*other).or_default().push(place);
            }
        }
        for (seat, own) in seats.iter().enumerate() {
            self.engines[*own].faults.extend(FaultRow::of(record, Seat::new(seat), place));
        }
        self.games.push(GameRow::new(record, seats));
    }

    /// The number of an engine in [`RunFacts::engines`].
    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }

    /// The numbers of the engines in the order of a list: that of the standings, and that of the names
    /// where results are hidden.
    pub(super) fn listed(&self, view: &View) -> Vec<usize> {
        let mut numbers: Vec<usize> = (0..self.engines.len()).collect();
        if view.hide_results {
            numbers.sort_by_key(|number| &self.engines[*number].name);
        }
        numbers
    }

    /// The rules of the games, as `--game` takes them.
    pub(super) fn rules(&self) -> String {
        self.runs.last().and_then(|run| run.terms.get("game").cloned()).unwrap_or_default()
    }

    /// Whether the seed is shown. In games of a referee program it tells what is secret in the games
    /// that are still to be played, such as the cards.
    pub(super) fn shows_seed(&self, view: &View) -> bool {
        let is_refereed = self.runs.last().is_some_and(|run| run.terms.contains_key("referee"));
        view.is_staff() || self.status.is_over || !is_refereed
    }

    /// Whether the secrets of games of a referee program are shown: as the seed, which is theirs. The
    /// games of a board, with turned seats, and those of other engines have the same ones.
    pub(super) fn shows_secrets(&self, view: &View) -> bool {
        self.shows_seed(view)
    }

    /// The games of one engine against another, as the first sees them.
    pub(super) fn between(&self, one: usize, other: usize) -> Wdl {
        self.standings.between(&self.engines[one].name, &self.engines[other].name)
    }
}

impl EngineFacts {
    fn new(name: &str, slug: String) -> EngineFacts {
        EngineFacts {
            name: name.to_owned(),
            slug,
            control: String::new(),
            times: Vec::new(),
            faults: Vec::new(),
            games: BTreeMap::new(),
        }
    }
}

impl FaultRow {
    /// The fault by which a seat lost the game at this place of the list.
    fn of(record: &GameRecord, seat: Seat, game: usize) -> Option<FaultRow> {
        record.decided().filter(|decided| decided.places[seat] > 1)?;
        let (cause, why) = record.fault_of(seat)?;
        Some(FaultRow {
            game,
            cause,
            why: why.to_owned(),
            ply: record.seat_fault(seat).map_or(record.plies.len(), |own| own.ply),
            position: (record.last != UNKNOWN).then(|| record.last.clone()),
        })
    }
}

impl GameRow {
    fn new(record: &GameRecord, seats: Vec<usize>) -> GameRow {
        let (places, termination, forfeit, reason) = match &record.verdict {
            Verdict::Decided(decided) => (
                decided.places.values().to_vec(),
                decided.termination.to_string(),
                match decided.termination {
                    Termination::Forfeit(seat, cause) => Some((seat, cause)),
                    _ => None,
                },
                decided.reason.clone(),
            ),
            Verdict::Void { why } => (Vec::new(), "void".to_owned(), None, why.clone()),
        };
        GameRow {
            id: record.id,
            seats,
            places,
            result: record.result_text(),
            termination,
            forfeit,
            reason,
            plies: record.plies.len(),
        }
    }

    /// What the game was for one of its engines: 1 a win, 0 a draw, -1 a loss.
    pub(super) fn of(&self, engine: usize) -> i8 {
        let Some(seat) = self.seats.iter().position(|one| *one == engine) else { return 0 };
        let Some(place) = self.places.get(seat) else { return 0 };
        let first = self.places.iter().filter(|place| **place == 1).count();
        match (*place, first) {
            (1, 1) => 1,
            (1, _) => 0,
            _ => -1,
        }
    }
}

impl MachineFacts {
    fn add(&mut self, record: &GameRecord) {
        let lateness = record.seats.values().iter().map(|seat| seat.lateness).max().unwrap_or_default();
        self.worst_lateness =
            self.worst_lateness.max(u64::try_from(lateness.as_micros()).unwrap_or(u64::MAX));
        self.highest_load = self.highest_load.max(record.machine.load.unwrap_or(0.0));
        if record.machine.pressure.is_some_and(|share| share > CROWDED) {
            self.crowded += 1;
            let on_time = |termination| matches!(termination, Termination::Forfeit(_, Cause::TimeForfeit));
            if record.decided().is_some_and(|decided| on_time(decided.termination)) {
                self.crowded_time_forfeits += 1;
            }
        }
        if let Some(isolated) = &record.isolation {
            *self.isolation.entry((isolated.level.clone(), isolated.in_force.clone())).or_default() += 1;
        }
        for seat in record.seats.values() {
            if let Some(own) = &seat.elsewhere {
                let key = [&seat.entrant, own.place_or_elsewhere(), &own.isolation.level].map(str::to_owned);
                *self.elsewhere.entry(key).or_default() += 1;
            }
        }
        let (from, to) = (record.started.timestamp(), record.finished.timestamp());
        let (first, last) = self.span.unwrap_or((from, to));
        self.span = Some((first.min(from), last.max(to)));
    }
}
