//! `agon inbox`: builds and tries the submissions that come into a folder, and enters what passes
//! into the folder of engines that a night plays.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use agon_class::{Class, ClassInbox, ClassPlaces, MadeSubmission};
use agon_config::{CommandExit, Misuse, Options, whole};
use agon_inbox::{Inbox, InboxNote};
use agon_match::hosted::GameRules;
use agon_match::keeper::RunContext;
use agon_programs::program::display_path;
use agon_sandbox::Isolation;
use agon_store::lock::InboxLock;
use agon_tournament::competition::session;
use agon_tournament::competition::terminal_sink::Teller;
use agon_tournament::competition::tournament::AskedTournament;
use agon_tournament::competition::{settings, stages};
use agon_tournament::entrants::{self, EngineBuilder, isolation};
use agon_tournament::tryout;
use anyhow::Context;
use clap::Args;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::cli::class::intake::table;
use crate::cli::options::OptionFlags;

/// How often the folder is looked at.
const LOOK: Duration = Duration::from_secs(1);

/// Takes submissions from a folder, builds and tries them
///
/// Each is built and tried in a box, and what passes is entered.
///
/// A sync of a learning system, scp, a git hook or agon serve --accept fills the folder with zip or
/// tar archives. Each is named after its student, as in a download of Canvas, Moodle or
/// Brightspace, or by an id, login or name of the roster. What passes goes into the folder of
/// engines under the student's alias, and the next agon nightly plays it. The last submission
/// counts; until a new one has passed, the old one plays on. The answer to each author is in
/// reports/ALIAS, and inbox.log names all.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon inbox inbox tournament.toml                 until Ctrl-C
  agon inbox inbox tournament.toml --once          for cron: what is there now
  agon inbox inbox tournament.toml --roster class.csv --to private

An archive may have 2 MiB, 100 files and folders, and 64 MiB unpacked. The tournament.toml has to set isolation: the \
nights read it too.

Exit codes: 2 for wrong use; 3 if the isolation level is not available, or with --once if submissions wait because \
this machine lacks a compiler, room or memory; 130 after Ctrl-C.")]
pub(crate) struct InboxArgs {
    /// The folder of submissions; it is made if it is not there
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// The tournament.toml of the nights, or their folder of engines
    #[arg(value_name = "FOLDER|FILE.toml", default_value = "tournament.toml")]
    tournament: PathBuf,

    /// The roster of the class
    #[arg(long, value_name = "FILE", default_value = "roster.csv")]
    roster: PathBuf,

    /// The private folder with the aliases, as of agon grade
    #[arg(long, value_name = "DIR", default_value = "grades")]
    to: PathBuf,

    /// Answers what is there, and ends
    #[arg(long)]
    once: bool,

    /// A file that has changed in the last N seconds may be half written, and is left alone
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = whole::<u32>, allow_negative_numbers = true)]
    settle: u32,

    /// The most seconds for the build of one submission
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = whole::<u32>, allow_negative_numbers = true)]
    build_seconds: u32,

    #[command(flatten)]
    options: OptionFlags,
}

/// After what time a submission is tried again that this machine could not build or try.
const RETRY: Duration = Duration::from_secs(60);

/// What is done with each submission.
struct InboxWork<'a> {
    inbox: ClassInbox,
    options: Options,
    rules: GameRules,
    bound: Duration,
    builder: EngineBuilder<'a>,
    context: &'a RunContext,
}

impl InboxArgs {
    pub(crate) fn run(self, context: &RunContext) -> anyhow::Result<ExitCode> {
        let teller = Teller::Stderr;
        let asked = AskedTournament::read(&self.tournament, self.options.clone())?;
        let (pool, mut options) = (asked.folder, asked.options);
        let inbox = Inbox::at(&self.folder);
        self.refuse_places(&pool)?;
        let level = level(&options, &self.tournament)?;
        self.refuse_weaker_nights(level)?;
        if pool.is_dir() {
            settings::choose_game(&mut options, &entrants::listed(&pool, None)?.engines)?;
        }
        let confinement = options.confinement()?;
        for (place, what) in [
            (inbox.root(), "submissions"),
            (&pool, "engines"),
            (&self.to, "what is private"),
            (&self.roster, "the roster"),
        ] {
            confinement.hides(place, what)?;
        }
        isolation::is_available(&confinement, context)?;
        let tell = |text: &str| teller.say(text);
        let builder = EngineBuilder { context, confinement: confinement.clone(), tell: &tell };
        let rules = settings::rules_to_play(&mut options, &builder)?;
        stages::for_two(&rules)?;
        inbox.make().with_context(|| format!("cannot make {}", display_path(inbox.root())))?;
        let _lock = InboxLock::take(inbox.root())?;
        inbox.write_note(&InboxNote {
            isolation: level.to_string(),
            without_strict: match level {
                Isolation::Strict => None,
                _ => isolation::why_not_strict(&confinement, context),
            },
            game: rules.spec(),
        })?;
        let places = ClassPlaces {
            roster: self.roster.clone(),
            private: self.to.clone(),
            public: session::root(&options),
        };
        let class = Class::read(places, &table(&self.roster, teller)?, true)?;
        let settle = Duration::from_secs(self.settle.into());
        let inbox = ClassInbox::open(class, inbox, &pool, settle, options.seed.unwrap_or(1))?;
        inbox.changed.iter().for_each(|remark| teller.say(remark));
        let bound = Duration::from_secs(self.build_seconds.into());
        let work = InboxWork { inbox, options, rules, bound, builder, context };
        if self.once { work.once(teller) } else { work.watch(teller) }
    }

    /// Refuses folders that would read each other's files.
    fn refuse_places(&self, pool: &Path) -> anyhow::Result<()> {
        let [folder, pool] = [self.folder.as_path(), pool].map(std::path::absolute);
        let (folder, pool) = (folder?, pool?);
        if folder.starts_with(&pool) || pool.starts_with(&folder) {
            let what =
                format!("{}: is the folder of engines, or one is in the other", display_path(&self.folder));
            return Err(Misuse::hinted(what, "give a folder of its own for submissions"));
        }
        Ok(())
    }

    /// Refuses a level of the command line above that of the tournament.toml, at which the nights
    /// play.
    fn refuse_weaker_nights(&self, level: Isolation) -> anyhow::Result<()> {
        let of_nights = AskedTournament::read(&self.tournament, Options::default())?.options.level();
        if of_nights >= level {
            return Ok(());
        }
        let what = format!(
            "{}: --isolation {level}: the nights would play submissions at isolation {of_nights}",
            display_path(&self.tournament)
        );
        Err(Misuse::hinted(
            what,
            format!("write isolation = \"{level}\" into the tournament.toml, and leave the option out"),
        ))
    }
}

/// The level at which engines are built and tried, and are to be played.
fn level(options: &Options, tournament: &Path) -> anyhow::Result<Isolation> {
    let Some(level) = options.isolation else {
        return Err(Misuse::hinted(
            format!("{}: key isolation: is missing", display_path(tournament)),
            "write isolation = \"strict\" into the tournament.toml, so that the nights play in a box too",
        ));
    };
    if level.is_boxed() {
        return Ok(level);
    }
    let what = format!("--isolation {level}: programs of students are built and played in a box");
    Err(Misuse::hinted(what, "give --isolation strict or sandbox"))
}

impl InboxWork<'_> {
    /// Answers until nothing whole is left.
    fn once(&self, teller: Teller) -> anyhow::Result<ExitCode> {
        while self.work(None, teller)? > 0 {
            if !wait(self.context, Duration::ZERO)? {
                return Ok(CommandExit::Interrupted.into());
            }
        }
        if self.inbox.waits_for_more() {
            teller.say("files that have just changed are left for the next time");
        }
        self.inbox.machine_faults().none()?;
        Ok(ExitCode::SUCCESS)
    }

    /// Answers until somebody stops it.
    fn watch(&self, teller: Teller) -> anyhow::Result<ExitCode> {
        teller.say("waiting for submissions; Ctrl-C ends it");
        loop {
            let pause = if self.work(Some(RETRY), teller)? > 0 { Duration::ZERO } else { LOOK };
            if !wait(self.context, pause)? {
                return Ok(CommandExit::Interrupted.into());
            }
        }
    }

    /// Builds, tries and answers the next submissions. Returns how many they are.
    fn work(&self, retry: Option<Duration>, teller: Teller) -> anyhow::Result<usize> {
        let claimed = self.inbox.claim(retry, &|line| teller.say(line))?;
        let count = claimed.len();
        if count == 0 {
            return Ok(0);
        }
        let mut made = self.inbox.build(claimed, self.bound, &self.builder)?;
        made.iter_mut().for_each(|one| one.refuse_other_game(&self.rules.spec()));
        self.try_out(&mut made)?;
        for one in made {
            teller.say(&self.inbox.finish(one)?);
        }
        Ok(count)
    }

    /// Plays a few moves with each engine, as before a night.
    fn try_out(&self, made: &mut [MadeSubmission]) -> anyhow::Result<()> {
        let engines: Vec<_> = made.iter().filter_map(MadeSubmission::engine).cloned().collect();
        if engines.is_empty() {
            return Ok(());
        }
        let control = self.options.time_controls()?.first().copied();
        let control = control.map_or_else(|| self.options.time_control(), Ok)?;
        let run = settings::run(&self.options, self.rules.clone(), engines, control)?;
        isolation::are_in_force(&run, self.context)?;
        let verdicts = tryout::all(&run, self.context)?;
        let cannot = tryout::who_cannot(&run.entrants, &verdicts);
        let hint = settings::forgotten_before(&self.options, &self.rules, &cannot, verdicts.len());
        hint.iter().for_each(|hint| crate::cli::say(hint));
        let tried = made.iter_mut().filter(|one| one.engine().is_some());
        tried.zip(&verdicts).for_each(|(one, verdict)| one.note(verdict));
        Ok(())
    }
}

/// Waits for a while. Returns whether nobody has stopped it.
fn wait(context: &RunContext, time: Duration) -> anyhow::Result<bool> {
    let mut stop = [PollFd::new(&context.stop, PollFlags::IN)];
    let time = Timespec { tv_sec: time.as_secs().cast_signed(), tv_nsec: 0 };
    match poll(&mut stop, Some(&time)) {
        Ok(0) | Err(rustix::io::Errno::INTR) => Ok(true),
        Ok(_) => Ok(false),
        Err(error) => Err(error).context("cannot wait"),
    }
}
