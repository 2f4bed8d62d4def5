//! Everything the pages of one run show, but for the moves: read from the database in one pass over
//! its games. What was read before is not read again.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::{Duration, Instant};

use agon_config::EventFile;
use agon_standings::Standings;
use agon_standings::points::Wdl;
use agon_standings::result::GameId;
use agon_standings::strengths::Strengths;
use agon_standings::table::Row;
use agon_standings::versus::Encounter;
use agon_store::history::Moved;
use agon_store::inside::Ran;
use agon_store::ranking::{DerivedStage, StageSpec};
use agon_store::status::RunStatus;
use agon_store::{CountedGames, MadeDecision, Store, StoredMark, Withdrawals};
use anyhow::Result;

use super::address::slugs;
use super::read_game::ReadGame;
pub(super) use super::read_game::{FaultRow, GameRow, MachineFacts};
use super::replaced::{self, ReplacedGame};
use super::view::View;

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
    /// The ratings.
    pub(super) ratings: PageRatings,
    /// Whether these are of the present games; otherwise of some seconds before.
    pub(super) is_rated: bool,
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
    /// Who has withdrawn or joined late, and whether it was closed.
    pub(super) arranged: Withdrawals,
    /// The decisions of the organiser that hold.
    pub(super) decisions: Vec<MadeDecision>,
    /// The games that are played again because of one of them.
    pub(super) replaced: Vec<ReplacedGame>,
    /// The stage, if the run is one.
    pub(super) stage: Option<(StageSpec, DerivedStage)>,
    /// What the organiser says of the event.
    pub(super) event: Option<EventFile>,
    /// The rules of the games, as `--game` takes them; empty without games.
    pub(super) rules: String,
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

/// The ratings of a run.
#[derive(Clone, Default)]
pub(super) struct PageRatings {
    /// By engine, with their error bars.
    pub(super) all: HashMap<String, (f64, f64)>,
    /// Into how many parts the field falls whose engines have not met, not even through others.
    pub(super) parts: usize,
}

impl PageRatings {
    fn of(found: &Strengths) -> Self {
        let all = found.rows().map(|row| (row.entrant.clone(), (row.elo, row.error)));
        PageRatings { all: all.collect(), parts: found.parts.len() }
    }
}

/// A fit of the ratings may take this part of the time, while a run goes on.
const FITS: u32 = 20;

/// What is kept of a run between two readings.
#[derive(Default)]
pub(super) struct RunMemory {
    games: HashMap<StoredMark, ReadGame>,
    counted: CountedGames,
    ratings: PageRatings,
    /// When the ratings were fitted, and how long that took.
    fitted: Option<(Instant, Duration)>,
}

impl RunMemory {
    /// Reads the games that are not known yet, and forgets those that do not count any more.
    /// Returns those that count, in the order of the plan; with `only`, this one alone.
    fn read(&mut self, store: &Store, only: Option<GameId>) -> Result<Vec<(GameId, StoredMark)>> {
        let mut listed = store.marks()?;
        listed.retain(|(id, _)| only.is_none_or(|only| only == *id));
        for (_, mark) in &listed {
            if let Entry::Vacant(unknown) = self.games.entry(*mark) {
                unknown.insert(ReadGame::of(&store.marked(mark)?.record));
            }
        }
        if self.games.len() > listed.len() {
            let counting: HashSet<StoredMark> = listed.iter().map(|(_, mark)| *mark).collect();
            self.games.retain(|mark, _| counting.contains(mark));
        }
        Ok(listed)
    }

    /// The ratings by engine. With hundreds of engines a fit takes long, so that it is not made at
    /// every change of a run that goes on. Returns whether these are of the present games.
    fn rate(&mut self, standings: &Standings, goes_on: bool) -> bool {
        let has_time = |(when, took): (Instant, Duration)| when.elapsed() >= took * FITS;
        if goes_on && !self.fitted.is_none_or(has_time) {
            return false;
        }
        let began = Instant::now();
        self.ratings = Strengths::of(standings, 0, 1).as_ref().map(PageRatings::of).unwrap_or_default();
        self.fitted = Some((began, began.elapsed()));
        true
    }
}

impl RunFacts {
    /// Reads a run, with what is remembered of it.
    ///
    /// # Errors
    /// Errors of the database.
    pub(super) fn read(
        store: &Store,
        part: Option<String>,
        title: String,
        memory: &mut RunMemory,
    ) -> Result<RunFacts> {
        store.at_one_moment(|| RunFacts::read_now(store, part, title, memory, None))
    }

    /// Reads of a run what the page of one game needs when it stands alone. The standings are those
    /// of this game, and there are no ratings and no history. `None` if no game that counts has
    /// this id.
    ///
    /// # Errors
    /// Errors of the database.
    pub(super) fn of_one(
        store: &Store,
        part: Option<String>,
        title: String,
        id: GameId,
    ) -> Result<Option<RunFacts>> {
        let facts = store
            .at_one_moment(|| RunFacts::read_now(store, part, title, &mut RunMemory::default(), Some(id)))?;
        Ok(Some(facts).filter(|facts| !facts.games.is_empty()))
    }

    fn read_now(
        store: &Store,
        part: Option<String>,
        title: String,
        memory: &mut RunMemory,
        only: Option<GameId>,
    ) -> Result<RunFacts> {
        let stage = store.stage()?;
        let status = store.status(stage.as_ref())?;
        let games = memory.read(store, only)?;
        let standings = store.standings_of(store.points()?, &games, &mut memory.counted)?;
        let rows = standings.table();
        let goes_on = status.holder.is_some() && !status.is_over;
        let is_rated = only.is_none() && memory.rate(&standings, goes_on);
        let names: Vec<String> = rows.iter().map(|row| row.entrant.clone()).collect();
        // In the order of the names, so that no address depends on a rank.
        let sorted: BTreeSet<&str> = names.iter().map(String::as_str).collect();
        let slugs: HashMap<&str, String> =
            sorted.iter().copied().zip(slugs(sorted.iter().copied())).collect();
        let engines = names.iter().map(|name| (name, slugs[name.as_str()].clone()));
        let runs = store.runs()?;
        let rules = match runs.last() {
            Some(run) => run.terms.get("game").cloned(),
            None => store.game_that_counts()?,
        };
        let decisions: Vec<MadeDecision> = (store.decisions()?.into_iter())
            .filter(|found| found.holds && found.made.decision.is_some())
            .collect();
        let mut facts = RunFacts {
            rules: rules.unwrap_or_default(),
            numbers: names.iter().cloned().enumerate().map(|(number, name)| (name, number)).collect(),
            engines: engines.map(|(name, slug)| EngineFacts::new(name, slug)).collect(),
            ratings: memory.ratings.clone(),
            is_rated,
            history: if only.is_none() { store.history()? } else { Vec::new() },
            event: store.event()?,
            runs,
            part,
            title,
            status,
            standings,
            rows,
            games: Vec::new(),
            machine: MachineFacts::default(),
            stage,
            arranged: store.withdrawn()?,
            replaced: replaced::replaced(&decisions),
            decisions,
        };
        for (id, mark) in games {
            facts.add(id, &memory.games[&mark]);
        }
        Ok(facts)
    }

    /// The title of the event, if the organiser gives one.
    pub(super) fn event_title(&self) -> Option<&str> {
        self.event.as_ref()?.title.as_deref()
    }

    fn add(&mut self, id: GameId, game: &ReadGame) {
        // Every game that counts is between entrants of the last run.
        let seats: Option<Vec<usize>> =
            game.seats.iter().map(|seat| self.numbers.get(&seat.entrant).copied()).collect();
        let Some(seats) = seats else { return };
        let place = self.games.len();
        self.machine.merge(&game.machine);
        for (own, seat) in seats.iter().zip(&game.seats) {
            let engine = &mut self.engines[*own];
            engine.times.extend(&seat.times);
            if engine.control != seat.control {
                engine.control.clone_from(&seat.control);
            }
            for other in seats.iter().filter(|other| *other != own) {
                engine.games.entry(*other).or_default().push(place);
            }
            engine.faults.extend(seat.fault.clone().map(|fault| FaultRow { game: place, ..fault }));
        }
        // A plan that has changed may have given it another number.
        self.games.push(GameRow { id, seats, ..game.row.clone() });
    }

    /// The number of an engine in [`RunFacts::engines`].
    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }

    /// The numbers of the engines in the order of a list: that of the standings, and that of the
    /// names where results are hidden.
    pub(super) fn listed(&self, view: &View) -> Vec<usize> {
        let mut numbers: Vec<usize> = (0..self.engines.len()).collect();
        if view.hide_results {
            numbers.sort_by_key(|number| &self.engines[*number].name);
        }
        numbers
    }

    /// Whether the seed is shown. In games of a referee program it tells what is secret in the
    /// games that are still to be played, such as the cards.
    pub(super) fn shows_seed(&self, view: &View) -> bool {
        let is_refereed = self.runs.last().is_some_and(|run| run.terms.contains_key("referee"));
        view.is_staff() || self.status.is_over || !is_refereed
    }

    /// Whether the secrets of games of a referee program are shown: as the seed, which is theirs.
    /// The games of a board, with turned seats, and those of other engines have the same ones.
    pub(super) fn shows_secrets(&self, view: &View) -> bool {
        self.shows_seed(view)
    }

    /// The games of one engine against another, as the first sees them.
    pub(super) fn between(&self, one: usize, other: usize) -> Wdl {
        self.standings.between(&self.engines[one].name, &self.engines[other].name)
    }

    /// The games of one engine against another that were not played and count.
    pub(super) fn unplayed(&self, one: usize, other: usize) -> Wdl {
        self.standings.unplayed_between(&self.engines[one].name, &self.engines[other].name)
    }

    /// The games of two engines with their pairs, as the first of them sees them.
    pub(super) fn encounter(&self, one: usize, other: usize) -> Encounter {
        self.standings.encounter_of(&self.engines[one].name, &self.engines[other].name)
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
