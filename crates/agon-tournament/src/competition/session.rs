//! How `match`, `tournament`, the stages of a cup and `grade` open their runs, play them with all
//! sinks, and show the results.

use std::cell::{Cell, RefCell, RefMut};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use agon_config::{CommandExit, Misuse, Options};
use agon_export::directory::Directory;
use agon_export::events::Events;
use agon_export::live::LiveFile;
use agon_match::chosen_pairs::PairFeed;
use agon_match::keeper::RunContext;
use agon_match::processes::{TrafficLog, WaitNotice};
use agon_match::referee::Report;
use agon_pages::report::columns::columns;
use agon_printable::{clean, counted};
use agon_programs::kept;
use agon_programs::program::display_path;
use agon_programs::spec::EngineSpec;
use agon_standings::Standings;
use agon_standings::faults::Faults;
use agon_standings::pairings::PlannedGame;
use agon_standings::withdrawals::are_given_up;
use agon_store::until::UntilSpec;
use agon_store::{Consent, Store, WouldBeHistory, lock};

use crate::entrants::{self, OnRefusal, elsewhere, isolation};
use crate::estimate::{TimeEstimate, TriedPace};
use crate::progress::PlannedWork;
use crate::run::{self, Done, OnGame, OnPly, RoundBudget, Run, Sinks};
use crate::tryout::{self, TryoutVerdict};
use anyhow::{Context, bail};
use tempfile::TempDir;

use super::run_dir::{RunDir, RunPlan};
use super::sink::Sink;
use super::{looked, settings};

/// The sinks of one run, besides its directory and the events.
#[derive(Default)]
pub struct RunWatch<'a> {
    /// Shows progress, with the result of each pairing of this many games.
    pub progress: Option<u32>,
    /// Takes what goes over the pipes.
    pub traffic: Option<Arc<TrafficLog>>,
    /// Hears that an engine elsewhere is waited for.
    pub waiting: Option<WaitNotice>,
    /// Hears of each ply.
    pub on_ply: Option<&'a mut OnPly<'a>>,
    /// Hears of each game.
    pub on_game: Option<&'a mut OnGame<'a>>,
    /// Ranks the standings at the end of a run without a database.
    pub rank: Option<&'a dyn Fn(&mut Standings)>,
    /// Chooses the pairs of a run for a question.
    pub pairs: Option<(UntilSpec, Arc<PairFeed>)>,
}

/// The runs that one command plays, one after another.
pub struct Session<'a> {
    context: &'a RunContext,
    /// The directory of the results, or the parent of the directories of several runs.
    root: PathBuf,
    events: Option<Events>,
    sink: RefCell<&'a mut dyn Sink>,
    /// The exit code by the games so far.
    code: CommandExit,
    /// What becomes of an engine that is seen in its first game to speak another protocol than its
    /// file says.
    on_refusal: OnRefusal,
    /// In a dry run, the directory that has copies of the databases and stands for the root.
    dry: Option<TempDir>,
    /// The consent that was given when it was asked for.
    consent: Cell<Consent>,
    /// How fast the engines were in their tries.
    tried: TriedPace,
    /// Whether somebody has named the game.
    is_game_named: bool,
    /// The time for the rounds of all runs, if it is bounded.
    budget: Option<Arc<RoundBudget>>,
}

/// The directory that the options name for the results.
pub fn root(options: &Options) -> PathBuf {
    options.out.clone().unwrap_or_else(|| PathBuf::from(entrants::USUAL_RESULTS))
}

impl<'a> Session<'a> {
    /// Refuses before the first game: arguments that cannot be filled in, a level that is not
    /// available, directories that cannot be used. Also refuses events that cannot be written.
    /// `directories` are those of the runs: each is the root or in it.
    pub fn open(
        context: &'a RunContext,
        options: &Options,
        run: &Run,
        directories: &[PathBuf],
        sink: &'a mut dyn Sink,
        on_refusal: OnRefusal,
    ) -> anyhow::Result<Self> {
        entrants::check(run, context, on_refusal)?;
        if let Some(why) = elsewhere::one_at_a_time(run) {
            sink.say(&why);
        }
        let sink = RefCell::new(sink);
        elsewhere::measure_lags(run, context, &|line| sink.borrow_mut().say(line))?;
        let root = root(options);
        looked::refuse_other_kind(&root, directories).map_err(|error| options.placed(&["out"], error))?;
        for directory in directories {
            run.terms.confinement.hides(directory, "the results of the run")?;
            Directory::check(if root.is_dir() { directory } else { &root })?;
        }
        let events = settings::events(options)?;
        if !sink.borrow().is_quiet() {
            isolation::warnings(run).iter().for_each(|warning| sink.borrow_mut().warn(warning));
        }
        Ok(Session {
            context,
            root,
            events,
            sink,
            code: CommandExit::Done,
            on_refusal,
            dry: None,
            consent: Cell::default(),
            tried: TriedPace::default(),
            is_game_named: settings::names_game(options),
            budget: None,
        })
    }

    /// An engine that is seen to speak another protocol does not end the run: nobody may be there
    /// to mend it.
    pub fn unattended(self, unattended: bool) -> Self {
        let on_refusal = if unattended { OnRefusal::PlayOn } else { self.on_refusal };
        Session { on_refusal, ..self }
    }

    /// With `dry`, the session plays nothing and writes nothing to the directories of the runs:
    /// each run begins in a copy of its database.
    pub fn dry(mut self, dry: bool) -> anyhow::Result<Self> {
        if dry {
            self.dry = Some(tempfile::tempdir().context("cannot make a directory for a dry run")?);
        }
        Ok(self)
    }

    /// Bounds the time: no round begins that would probably last longer.
    pub fn at_most(mut self, time: Option<Duration>) -> Self {
        self.budget = time.map(|time| Arc::new(RoundBudget::of(time)));
        self
    }

    /// Says why a run ended before its plan was done.
    pub fn say_stopped(&self, done: &Done) {
        self.say(match done.is_out_of_time {
            true => "the time of --at-most is over: no further round was begun, and the same command goes on with it",
            false => "stopped; the games that were finished are kept, and the same command goes on",
        });
    }

    /// Whether nothing is kept of this run.
    pub(crate) fn is_dry(&self) -> bool {
        self.dry.is_some()
    }

    /// Tries the engines, and lists those that cannot play. In a dry run they are an error at the
    /// end.
    pub fn try_out(&mut self, whole: &Run) -> anyhow::Result<()> {
        self.say(&tryout::announced(whole.entrants.len()));
        let (mut rows, mut cannot): (Vec<Vec<String>>, _) = (Vec::new(), Vec::new());
        for (engine, (verdict, pace)) in whole.entrants.iter().zip(tryout::timed(whole, self.context)?) {
            self.tried.add(pace);
            let (word, why) = match verdict {
                TryoutVerdict::Plays => continue,
                TryoutVerdict::Doubtful(why) | TryoutVerdict::Untried(why) => ("doubtful", why),
                TryoutVerdict::Cannot { why, .. } => {
                    self.code = self.code.max(CommandExit::found(self.is_dry()));
                    cannot.push(clean(&engine.name));
                    ("cannot play", why)
                }
            };
            rows.push(vec![engine.name.clone(), word.to_owned(), why]);
        }
        if rows.is_empty() {
            self.say("all of them play");
        } else {
            self.say(columns(&["engine", "", "why"], &rows).trim_end());
        }
        if !self.is_game_named {
            let hint = settings::hint_of_forgotten_game(&cannot, whole.entrants.len(), &whole.rules);
            hint.iter().for_each(|hint| self.say(hint));
        }
        Ok(())
    }

    /// Takes the directory of a run, and begins the run in it or continues it. Games become history
    /// for the changes that `consent` includes. For others the sink is asked, once in a session.
    ///
    /// # Errors
    /// [`Misuse`] if nobody is there to be asked or agrees; then the directory is as it was.
    pub fn directory(
        &self,
        path: &Path,
        run: &Run,
        plan: RunPlan<'_>,
        event: &str,
        consent: Consent,
    ) -> anyhow::Result<RunDir> {
        let opened = self.opened(path, run, plan, event, consent.max(self.consent.get()));
        let found = match opened.map_err(|error| error.downcast::<WouldBeHistory>()) {
            Ok(opened) => return Ok(opened),
            Err(Err(error)) => return Err(error),
            Err(Ok(found)) => format!("{}: {found}", display_path(path)),
        };
        let question = format!(
            "{found}\nThey are kept, and count again when the change is undone. Go on and make them history? [y/N] "
        );
        if self.is_dry() || self.sink.borrow_mut().agrees(&question)? != Some(true) {
            return Err(Misuse::hinted(
                found,
                "a directory holds one tournament: give this one another with --out, or add --again to make those \
                 games history; they are kept, and count again when the change is undone",
            ));
        }
        self.consent.set(Consent::Again);
        self.opened(path, run, plan, event, Consent::Again)
    }

    fn opened(
        &self,
        path: &Path,
        run: &Run,
        plan: RunPlan<'_>,
        event: &str,
        consent: Consent,
    ) -> anyhow::Result<RunDir> {
        if let Some(copies) = &self.dry {
            return self
                .copied(copies.path(), path, |copy| RunDir::open(copy, run, plan, event, consent, None));
        }
        if path != self.root {
            match std::fs::create_dir(&self.root) {
                Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                    return Err(error).with_context(|| format!("cannot make {}", display_path(&self.root)));
                }
                _ => {}
            }
        }
        // The stages of a cup share their programs, and so do the parts of an array job.
        let shared = if plan.part.is_some() { kept::shared(&self.root) } else { None };
        let programs = shared.unwrap_or_else(|| self.root.join(kept::FOLDER));
        RunDir::open(path, run, plan, event, consent, Some(&programs))
    }

    /// Opens a copy of a directory's database. Errors name the directory itself.
    fn copied(
        &self,
        copies: &Path,
        path: &Path,
        open: impl FnOnce(&Path) -> anyhow::Result<RunDir>,
    ) -> anyhow::Result<RunDir> {
        lock::is_free(path)?;
        let copy = copies.join(path.strip_prefix(&self.root).unwrap_or(Path::new("")));
        std::fs::create_dir_all(&copy).context("cannot make a directory for a dry run")?;
        // A stage begins again when its matches have changed; the copy knows that already.
        if !Store::is_in(&copy) && Store::seed_in(path)?.is_some() {
            Store::read(path)?.copy_to(&copy.join("agon.db"))?;
        }
        open(&copy).map_err(|error| match error.downcast::<Misuse>() {
            Ok(Misuse { what, hint }) => {
                Misuse { what: what.replace(&display_path(&copy), &display_path(path)), hint }.into()
            }
            Err(error) => error,
        })
    }

    /// Says what is played: the number of games, and the seed of the boards.
    pub fn announce(
        &self,
        what: &str,
        run: &Run,
        games: u64,
        seed: u64,
        directory: &RunDir,
    ) -> anyhow::Result<()> {
        let path = directory.directory.path();
        let real = self.dry.as_ref().and_then(|copies| path.strip_prefix(copies.path()).ok());
        // A path that ends with a separator would be shown with it.
        let real = real.map(|below| self.root.join(below).components().collect::<PathBuf>());
        self.say(&format!(
            "{what}{}, {} of {}, {}, {} at once, seed {seed}; results in {}",
            counted(run.entrants.len(), "engine"),
            counted(games, "game"),
            run.rules.spec(),
            run.control,
            run.concurrency,
            display_path(real.as_deref().unwrap_or(path))
        ));
        directory.remarks(self.is_dry()).iter().for_each(|remark| self.say(remark));
        let played = directory.beginning.played.count();
        let missing = games.saturating_sub(played);
        let stored = directory.store.usual_time()?;
        let time = (missing > 0).then(|| TimeEstimate::of(run, missing, stored, self.tried));
        if self.is_dry() {
            let time = time.map(|time| format!(", {time}")).unwrap_or_default();
            self.sink.borrow_mut().planned(&format!(
                "{what}dry run: {} in the plan; {played} {} already, {missing} would be played{time}",
                counted(games, "game"),
                if played == 1 { "counts" } else { "count" }
            ))?;
        } else if let Some(time) = time.filter(|time| time.is_worth_saying(missing)) {
            self.say(&format!("{what}{}, {time}", counted(missing, "game")));
        }
        Ok(())
    }

    /// Plays the rest of a plan of `total` games, with all sinks.
    pub fn play<'p>(
        &'p mut self,
        run: &Run,
        directory: Option<&'p mut RunDir>,
        plan: impl Iterator<Item = PlannedGame> + Send,
        total: u64,
        watch: RunWatch<'p>,
    ) -> anyhow::Result<Done> {
        if self.is_dry() {
            let standings = match &directory {
                Some(there) => there.store.standings(run.points)?,
                None => Standings::new(run.points, Vec::<String>::new()),
            };
            return Ok(Done {
                standings,
                faults: Faults::new(0),
                void: Vec::new(),
                stopped: false,
                is_out_of_time: false,
                repeats: 0,
            });
        }
        let before = directory.as_ref().map(|there| (there.beginning.played.clone(), there.keys.clone()));
        let played = before.as_ref().map_or(0, |(played, _)| played.count());
        let left_out = AtomicU64::new(0);
        let absences = directory.as_ref().map(|there| there.absences.clone()).unwrap_or_default();
        let is_closed = directory.as_ref().is_some_and(|there| there.closing.is_some());
        let plan = plan.filter(|game| {
            let is_played = before.as_ref().is_some_and(|(played, keys)| played.has(keys.of(game)));
            left_out.fetch_add(is_played.into(), Ordering::Relaxed);
            !is_played && !is_closed && !are_given_up(&absences, game)
        });
        let (context, on_refusal) = (self.context, self.on_refusal);
        let on_silent = move |run: &Run, engine: &EngineSpec| match entrants::spoken(run, engine, context)? {
            Some(misuse) if on_refusal == OnRefusal::PlayOn => {
                let hint = misuse.hint.map(|hint| format!("; {hint}")).unwrap_or_default();
                Ok(Some(format!("warning: {}{hint}", misuse.what)))
            }
            Some(misuse) => Err(misuse.into()),
            None => Ok(None),
        };
        let sink = &self.sink;
        let has_leaders = watch.pairs.is_none();
        let work = |pairing| PlannedWork { games: total, done: played, pairing, has_leaders };
        let progress = |pairing| sink.borrow().progress(work(pairing));
        let mut heard = watch.on_game;
        let mut on_game = |report: &Report, is_repeat: bool| {
            let facts = heard.as_mut().and_then(|heard| heard(report, is_repeat));
            sink.borrow_mut().game(report, is_repeat);
            facts
        };
        let mut sinks = Sinks {
            events: self.events.as_mut(),
            progress: watch.progress.and_then(progress),
            traffic: watch.traffic,
            waiting: watch.waiting,
            on_ply: watch.on_ply.map(|on_ply| on_ply as &mut OnPly<'_>),
            on_game: Some(&mut on_game),
            rank: watch.rank,
            pairs: watch.pairs,
            budget: self.budget.clone(),
            on_silent: Some(Box::new(on_silent)),
            ..Sinks::default()
        };
        let live = directory.as_ref().map(|there| LiveFile::begin(there.directory.path()));
        if let Some(there) = directory {
            sinks.live = live.as_ref().map(LiveFile::games);
            sinks.programs = Some(&there.programs);
            sinks.store = Some(&mut there.store);
            sinks.stop = Some(there.stop.clone());
            sinks.pauses = Some(there.pauses.clone());
            sinks.directory = Some(&mut there.directory);
        }
        let done = run::play(run, self.context, plan, total, sinks)?;
        // A stored game stands for one game of the plan.
        if left_out.load(Ordering::Relaxed) > played {
            bail!(
                "some games of the plan have the identity of others, and their results are missing in the database"
            );
        }
        // The codes are ordered: an interruption hides void games, and those hide success.
        self.code = self.code.max(match (done.stopped && !done.is_out_of_time, done.void.is_empty()) {
            (true, _) => CommandExit::Interrupted,
            (false, false) => CommandExit::SomeVoid,
            (false, true) => CommandExit::Done,
        });
        Ok(done)
    }

    /// Tells a line of what would be played.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn plan_line(&self, line: &str) -> anyhow::Result<()> {
        self.sink.borrow_mut().planned(line)
    }

    /// Says something of the session.
    pub fn say(&self, remark: &str) {
        self.sink.borrow_mut().say(remark);
    }

    /// The receiver of what the session says and of its results.
    pub fn sink(&self) -> RefMut<'_, &'a mut dyn Sink> {
        self.sink.borrow_mut()
    }

    /// Gives a result to the sink, unless nothing was played.
    ///
    /// # Errors
    /// As the sink has them.
    pub fn show(
        &self,
        give: impl FnOnce(&mut dyn Sink) -> anyhow::Result<()>,
    ) -> anyhow::Result<CommandExit> {
        if !self.is_dry() {
            give(&mut **self.sink.borrow_mut())?;
        }
        Ok(self.code)
    }

    /// Notes that its question is not settled.
    pub(crate) fn leave_open(&mut self) {
        self.code = self.code.max(CommandExit::Open);
    }

    /// Notes that the run did not do what it was started for.
    pub fn fail(&mut self) {
        self.code = self.code.max(CommandExit::Failed);
    }

    /// The exit code by the games so far.
    pub fn code(&self) -> CommandExit {
        self.code
    }
}
