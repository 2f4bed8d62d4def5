//! A run: workers play the games of a plan, and each result is stored as soon as it exists.
//!
//! The calling thread takes the results one by one: the database first, then standings, files and
//! the other sinks. A failure to write ends the run after the games in play; what was written
//! stays.

mod again;
mod conditions;
mod elsewhere;
mod live;
mod pausing;
mod programs;
mod quoting;
mod referee_faults;
mod silent;
mod sinks;
mod state;
mod whole_rounds;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use agon_config::{EventFile, Misuse, Pin, Ponder, RunLabel, ScoreRules};
use agon_export::events::Event;
use agon_export::live::LiveGames;
use agon_match::hosted::GameRules;
use agon_match::keeper::RunContext;
use agon_match::openings::{Opening, Openings};
use agon_match::processes::pauses::{PausableGame, Pauses};
use agon_match::processes::{Core, Cores, GameTerms, Limits, Scratch, TrafficLog, WaitNotice};
use agon_match::referee::adjudication::Adjudicator;
use agon_match::referee::{
    self, BuiltInStart, EnginePool, GameNews, GameOrder, GameStart, Report, RunStopped,
};
use agon_match::schedule::{self, Then};
use agon_programs::kept;
use agon_programs::spec::EngineSpec;
use agon_programs::stopping;
use agon_record::{Ply, VoidReason};
use agon_sandbox::system::wake_soon;
use agon_seats::{PerSeat, TimeControl};
use agon_standings::Standings;
use agon_standings::faults::Faults;
use agon_standings::pairings::PlannedGame;
use agon_standings::result::GameId;
use agon_standings::scoring::Scoring;
use agon_standings::table_plan::TablePlan;
use agon_standings::tables::TablesError;
use agon_store::FinishedGame;
use agon_store::key::Player;
use agon_store::lock::StopRequest;
use anyhow::Context;
use chrono::{DateTime, Utc};
use crossbeam_channel::Sender;

pub use again::name_by_hash;
pub(crate) use conditions::openings_hash;
use programs::Changed;
pub use programs::Programs;
pub(crate) use quoting::check_referee_command;
pub use quoting::{shell_path, shell_word};
pub use referee_faults::RefereeAtFault;
use silent::SilentEngines;
pub use sinks::{OnGame, OnPly, OnSilent, Sinks};
use state::RunSoFar;
pub use whole_rounds::RoundBudget;

/// How often a void game is played again at the end of the run.
const TRIES: u32 = 2;

/// The settings that all games of a run share.
pub struct Run {
    /// The game.
    pub rules: GameRules,
    /// The entrants.
    pub entrants: Vec<EngineSpec>,
    /// The entrants that have withdrawn and have nothing to play, as they are stored. Their
    /// programs need not be there.
    pub gone: Vec<Player>,
    /// The time control of engines without one of their own.
    pub control: TimeControl,
    /// What its games grant each engine.
    pub terms: GameTerms,
    /// The tables, each with the seats of the game.
    pub tables: TablePlan,
    /// The openings.
    pub openings: Openings,
    /// The number of plies after which the score decides.
    pub max_plies: Option<usize>,
    /// A game ends when one side wins in at most so many plies.
    pub adjudicate: Option<u16>,
    /// Games end by the scores of their engines.
    pub score_rules: ScoreRules,
    /// The longest pause of a game; zero if the run allows none.
    pub longest_pause: Duration,
    /// The most bytes of a kept copy of a program.
    pub keep: u64,
    /// The number of games played at the same time.
    pub concurrency: usize,
    /// The cores to use.
    pub pin: Pin,
    /// The seed of all boards.
    pub seed: u64,
    /// What a game is worth.
    pub points: Scoring,
    /// What the run is called; no game depends on it.
    pub label: Option<RunLabel>,
    /// The event that it is played for.
    pub event: Option<EventFile>,
    /// Whether a game that repeats an earlier one counts for nobody.
    pub repeats_count_once: bool,
    /// How a game of this run is played again.
    pub again: PlayedAgain,
}

/// How a game of a run is played again with `agon match`.
#[derive(Clone, Debug)]
pub struct PlayedAgain {
    /// The options, quoted for a shell, but its start. Relative paths begin at the directory of the
    /// run.
    pub options: String,
    /// Whether its position is given, because no seed draws it: it was read from a file.
    pub from_position: bool,
}

/// The outcome of a run.
pub struct Done {
    /// The standings.
    pub standings: Standings,
    /// The games lost by a fault.
    pub faults: Faults,
    /// How many games repeat earlier ones, and are in neither.
    pub repeats: u64,
    /// Games that stayed void, with the last reason.
    pub void: Vec<(GameId, String)>,
    /// Whether it was stopped before the plan was done.
    pub stopped: bool,
    /// Whether that was because the time for it was over.
    pub is_out_of_time: bool,
}

impl Run {
    /// The time control of this engine.
    pub fn control_of(&self, engine: &EngineSpec) -> TimeControl {
        engine.odds.control.unwrap_or(self.control)
    }

    /// The limits of each engine's processes.
    pub fn limits(&self, context: &RunContext) -> Limits {
        Limits::new(self.terms.clone(), Some(context.stop.clone()))
    }

    /// The number of games of so many entrants, with `games` at each table.
    ///
    /// # Errors
    /// [`Misuse`]: there are fewer entrants than seats, or too many tables.
    pub fn count(&self, entrants: usize, games: u32) -> anyhow::Result<u64> {
        self.tables.count(entrants, games).map_err(|error| self.no_tables(error))
    }

    /// The number of games, and all games in their order, with `games` at each table. Of a Swiss by
    /// tables, the games are those of the first round.
    ///
    /// # Errors
    /// As [`Run::count`].
    pub fn plan<'n>(
        &self,
        names: &'n [String],
        games: u32,
    ) -> anyhow::Result<(u64, Box<dyn Iterator<Item = PlannedGame> + Send + 'n>)> {
        let total = self.count(names.len(), games)?;
        Ok((total, self.tables.games(names, games, self.seed).map_err(|error| self.no_tables(error))?))
    }

    fn no_tables(&self, error: TablesError) -> anyhow::Error {
        let hint = match error {
            TablesError::Many { .. } => "give fewer engines, or random tables with --tables",
            TablesError::Entrants { .. } | TablesError::Seats(_) => {
                "give more engines, or fewer seats with --seats"
            }
        };
        Misuse::hinted(format!("{} with {} seats: {error}", self.rules.spec(), self.tables.seats), hint)
    }
}

/// The state that a worker keeps from game to game.
struct Worker {
    pairing: Option<u32>,
    pool: EnginePool,
    core: Option<Arc<Core>>,
}

/// What all workers of a run share.
struct Workplace<'a> {
    run: &'a Run,
    scratch: Scratch,
    cores: Option<Arc<Cores>>,
    limits: Limits,
    traffic: Option<Arc<TrafficLog>>,
    waiting: Option<WaitNotice>,
    /// Whether somebody is to be told of each move.
    wants_moves: bool,
    /// The request to stop from another shell.
    stop: Option<StopRequest>,
    /// The pauses of single games from another shell, if the run allows any.
    pauses: Option<Pauses>,
    /// Ends games whose winner is known.
    adjudicator: Option<Adjudicator>,
    /// Where games in play are shown.
    live: Option<LiveGames>,
    /// The user has stopped the run.
    stopped: Arc<AtomicBool>,
    /// Something could not be written.
    halted: Arc<AtomicBool>,
    /// How often void games have been begun again.
    attempts: AtomicU32,
    programs: &'a Programs,
    /// The game, with its referee program as that plays.
    rules: GameRules,
    silent: SilentEngines<'a>,
}

impl Workplace<'_> {
    fn worker(&self) -> Worker {
        // Engines may have more processes than the machine has cores, and the harness must keep
        // deadlines.
        wake_soon();
        Worker { pairing: None, pool: EnginePool::new(self.limits.clone()), core: None }
    }

    /// Whether no more games are to be begun.
    fn is_ending(&self) -> bool {
        self.stopped.load(Ordering::Relaxed) || self.halted.load(Ordering::Relaxed)
    }

    /// Whether the run is to end: another process or a signal asks for it, or something has failed.
    fn is_told_to_stop(&self) -> bool {
        self.stop.as_ref().is_some_and(StopRequest::is_there) || self.is_ending() || stopping::is_asked()
    }

    /// Plays one game and sends what happens in it.
    fn play(&self, worker: &mut Worker, game: PlannedGame, news: &Sender<News>) -> Then {
        let run = self.run;
        // The receiver lives until every worker has ended.
        let tell = |what| news.send(what).expect("the run listens to the end");
        let tell_line = |line| tell(News::Remark(line));
        if self.halted.load(Ordering::Relaxed) {
            return Then::Stop;
        }
        if self.stop.as_ref().is_some_and(StopRequest::is_there) {
            self.stopped.store(true, Ordering::Relaxed);
            return Then::Stop;
        }
        if !pausing::wait_to_begin(self.pauses.as_ref(), run, || self.is_told_to_stop()) {
            self.stopped.store(true, Ordering::Relaxed);
            return Then::Stop;
        }
        tell(News::Started(game.clone()));
        if worker.pairing.replace(game.id.pairing) != Some(game.id.pairing) {
            worker.pool.end();
            // Returned before another one is taken, because a better core may be free now.
            worker.core = None;
            worker.core = self.cores.as_ref().map(Cores::sit);
        }
        let start = match &self.rules {
            GameRules::BuiltIn(rules) => {
                let rules = rules.as_ref();
                let Opening { game, moves } = run.openings.begin(rules, game.seed, game.board());
                let adjudicator = self.adjudicator.as_ref();
                let score_rules = run.score_rules;
                GameStart::BuiltIn(BuiltInStart { rules, game, opening: moves, adjudicator, score_rules })
            }
            GameRules::Hosted(rules) => GameStart::Hosted(rules),
        };
        let seated = game.seats.map(|_, entrant| {
            let engine = &run.entrants[*entrant];
            elsewhere::lag_before_game(engine, &worker.pool, &self.limits, &self.scratch, tell_line)
        });
        let pausable = self.pauses.as_ref().map(|pauses| pauses.begin(game.id, run.longest_pause));
        let pausable = match pausable.transpose() {
            Ok(pausable) => pausable,
            Err(error) => {
                tell(News::Failed(anyhow::Error::new(error).context(pausing::NO_PAUSES)));
                return Then::Stop;
            }
        };
        let order = GameOrder {
            id: game.id,
            seed: game.seed,
            engines: game.seats.map(|_, entrant| self.programs.engine(*entrant)),
            controls: game.seats.map(|_, entrant| run.control_of(&run.entrants[*entrant])),
            lags: seated.map(|_, (lag, _)| *lag),
            max_plies: run.max_plies,
            limits: Limits {
                core: worker.core.clone(),
                traffic: self.traffic.as_ref().map(|log| log.game(game.id)),
                waiting: self.waiting.as_ref().map(|notice| notice.of(game.id)),
                pauses: pausable.as_ref().map(PausableGame::pauses),
                again: self.attempts.load(Ordering::Relaxed) > 0,
                ..self.limits.clone()
            },
            scratch: &self.scratch,
        };
        let as_hashed = match self.programs.before_game(&game.seats) {
            Ok(as_hashed) => as_hashed,
            Err(changed) => {
                let not_begun = |why| referee::not_begun(&order, &start, why);
                return self.void(game, changed, not_begun, tell);
            }
        };
        let controls = game.seats.seats().map(|seat| referee::time_control(&order, seat)).collect();
        let board = live::board(self.live.as_ref(), run, &game, start.text(), controls);
        let mut number = 0;
        let report = referee::play(&order, start, &mut worker.pool, |news| {
            number += usize::from(matches!(news, GameNews::Moved(_)));
            if let Some(board) = &board {
                live::note(board, &news);
            }
            if self.wants_moves {
                tell(match news {
                    GameNews::Moved(ply) => News::Moved(game.id, number, ply.clone()),
                    GameNews::Public(text) => News::Public(game.id, text.to_owned()),
                    GameNews::Scores(scores) => News::Scores(game.id, scores.clone()),
                });
            }
        });
        drop(pausable);
        let Ok(report) = report else { return self.settle(game, Err(RunStopped), tell) };
        if let Some(board) = board {
            board.end(&report.record.result_text());
        }
        if let Err(changed) = self.programs.after_game(as_hashed) {
            // A process that lives on may be one of the other program.
            worker.pool.end_all();
            return self.void(game, changed, |why| report.spoilt(why), tell);
        }
        self.settle(game, Ok(report), tell)
    }

    /// Passes on that a game is void because a program has changed.
    fn void(
        &self,
        game: PlannedGame,
        changed: Changed,
        report: impl FnOnce(VoidReason) -> Report,
        tell: impl Fn(News),
    ) -> Then {
        match changed {
            Changed::Void { why, news } => {
                news.into_iter().for_each(|line| tell(News::Remark(line)));
                self.settle(game, Ok(report(why)), tell)
            }
            Changed::Referee(changed) => {
                tell(News::Failed(changed.into()));
                Then::Stop
            }
        }
    }

    /// Passes the report of a game on.
    fn settle(&self, game: PlannedGame, report: Result<Report, RunStopped>, tell: impl Fn(News)) -> Then {
        let Ok(report) = report else {
            self.stopped.store(true, Ordering::Relaxed);
            return Then::Stop;
        };
        let pass_on = |report| tell(News::Over(game, Box::new(report)));
        match self.silent.after(self.run, report, pass_on) {
            Ok(words) => {
                words.into_iter().for_each(|line| tell(News::Remark(line)));
                Then::GoOn
            }
            Err(why) => {
                self.halted.store(true, Ordering::Relaxed);
                tell(News::Failed(why));
                Then::Stop
            }
        }
    }
}

enum News {
    Started(PlannedGame),
    Moved(GameId, usize, Ply),
    Public(GameId, String),
    Scores(GameId, PerSeat<i32>),
    /// A line for people.
    Remark(String),
    Over(PlannedGame, Box<Report>),
    /// A game that is not stored, and why the run ends with it.
    Failed(anyhow::Error),
}

impl News {
    /// The game that is over.
    fn game(&self) -> Option<FinishedGame<'_>> {
        match self {
            News::Over(planned, report) => {
                Some(FinishedGame { planned, record: &report.record, stderr: &report.stderr })
            }
            _ => None,
        }
    }
}

/// Plays a plan of `games` games to its end, or until the run is stopped.
///
/// # Errors
/// Agon's own: something could not be written. The games in play are abandoned; what was written
/// stays.
pub fn play(
    run: &Run,
    context: &RunContext,
    plan: impl Iterator<Item = PlannedGame> + Send,
    games: u64,
    mut sinks: Sinks<'_>,
) -> anyhow::Result<Done> {
    // Results must be stored even while engines use every processor.
    wake_soon();
    let scratch = Scratch::create(&context.scratch)?;
    sinks.begin(&Event::RunStarted {
        agon: env!("CARGO_PKG_VERSION"),
        game: &run.rules.spec(),
        seed: run.rules.built_in().map(|_| run.seed),
        entrants: run.entrants.iter().map(|engine| engine.name.as_str()).collect(),
        games,
        time_control: run.control.to_string(),
        at: DateTime::<Utc>::from(std::time::SystemTime::now()),
    })?;
    let adjudicator =
        run.adjudicate.zip(run.rules.built_in()).map(|(plies, rules)| Adjudicator::new(rules, plies));
    if let (Some(adjudicator), Some(progress)) = (&adjudicator, &mut sinks.progress) {
        adjudicator.warnings().iter().for_each(|warning| progress.say(&format!("warning: {warning}")));
    }
    let place = scratch.path().join(kept::FOLDER);
    let own = sinks.programs.is_none().then(|| Programs::kept_in(&place, run)).transpose()?;
    let programs = sinks.programs.take().or(own.as_ref()).expect("one of both is there");
    let mut state = RunSoFar::at_start(run, programs, sinks.store.as_deref())?;
    let budget = sinks.budget.take();
    let plan: Box<dyn Iterator<Item = PlannedGame> + Send + '_> = match &budget {
        Some(budget) => Box::new(budget.whole_rounds(plan)),
        None => Box::new(plan),
    };
    let workplace = Workplace {
        adjudicator,
        programs,
        rules: programs.rules(run),
        run,
        scratch,
        // Engines that think at the same time would slow each other on one core.
        cores: Cores::new(
            if run.terms.confinement.ponder == Ponder::On { &Pin::Off } else { &run.pin },
            run.concurrency,
        ),
        limits: run.limits(context),
        traffic: sinks.traffic.clone(),
        waiting: sinks.waiting.take(),
        wants_moves: sinks.on_ply.is_some() || sinks.events.is_some(),
        stop: sinks.stop.take(),
        pauses: pausing::allowed(run, sinks.pauses.take())?,
        live: sinks.live.take(),
        stopped: Arc::default(),
        halted: Arc::default(),
        attempts: AtomicU32::new(0),
        silent: SilentEngines::new(sinks.on_silent.take()),
    };
    if let Some((_, pairs)) = &sinks.pairs {
        pairs.ends_with([workplace.stopped.clone(), workplace.halted.clone()]);
    }
    let worker = || workplace.worker();
    let act = |worker: &mut Worker, game, news: &Sender<News>| workplace.play(worker, game, news);
    let mut failure = None;
    let mut take = |state: &mut RunSoFar<'_>, last_try: bool, news: Vec<News>| {
        if let Err(error) = state.take_all(news, last_try, &mut sinks)
            && failure.is_none()
        {
            failure = Some(error);
            workplace.halted.store(true, Ordering::Relaxed);
        }
    };
    schedule::run(plan, run.concurrency, worker, act, |news| take(&mut state, false, news))
        .context("cannot start a thread for the games")?;
    for left in (0..TRIES).rev() {
        if state.void.is_empty() || workplace.is_ending() {
            break;
        }
        let mut again = state.drain_void();
        again.sort_by_key(|game| game.id);
        workplace.attempts.fetch_add(1, Ordering::Relaxed);
        // One by one, so that games do not disturb each other.
        schedule::run(again.into_iter(), 1, worker, act, |news| {
            take(&mut state, left == 0, news);
        })
        .context("cannot start a thread for the void games")?;
    }
    if let Some(store) = &mut sinks.store {
        store.note_programs(&programs.notes())?;
    }
    let mut done = state.done;
    done.is_out_of_time = budget.is_some_and(|budget| budget.is_over());
    done.stopped = done.is_out_of_time || workplace.stopped.load(Ordering::Relaxed);
    done.void.extend(state.void.into_iter().map(|(id, (_, why))| (id, why)));
    done.void.sort();
    finish(run, done, failure, sinks)
}

/// Closes the sinks of a run. A `failure` is returned when the tables have been shown.
fn finish(
    run: &Run,
    mut done: Done,
    failure: Option<anyhow::Error>,
    mut sinks: Sinks<'_>,
) -> anyhow::Result<Done> {
    // The ranks in a stage follow from all of its matches, so they are computed at its end.
    let read = sinks.store.as_ref().filter(|_| failure.is_none()).map(|store| store.stage()).transpose()?;
    let stage = read.flatten().map(|(_, derived)| derived);
    if let (Some(store), Some(_)) = (&sinks.store, &stage) {
        done.standings = store.standings(run.points)?;
    }
    if let (None, Some(rank)) = (&sinks.store, sinks.rank) {
        rank(&mut done.standings);
    }
    if let Some(progress) = &mut sinks.progress {
        progress.finish(&done.standings, stage.as_ref());
    }
    if let Some(error) = failure {
        return Err(error);
    }
    if let Some(store) = &mut sinks.store {
        store.end(!done.stopped && done.void.is_empty(), &done.standings)?;
    }
    sinks.tell_question(run)?;
    sinks.finish(&done, run.tables.seats)?;
    if let Some(traffic) = &sinks.traffic {
        traffic.flush().context("cannot write the log of the traffic")?;
    }
    if let Some(store) = &sinks.store {
        store.is_still_there()?;
    }
    Ok(done)
}
