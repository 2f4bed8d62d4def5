//! `agon tables`: the process of a server that starts engines for people who play in the browser.
//! The server starts it; nobody else needs it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use agon_config::{Confinement, Misuse, Options, whole};
use agon_games::lexicon::Lexicon;
use agon_match::keeper::RunContext;
use agon_match::processes::Scratch;
use agon_play::tables::{self, TablesSpec};
use agon_programs::build;
use agon_programs::program::display_path;
use agon_sandbox::Isolation;
use agon_tournament::competition::settings;
use agon_tournament::entrants::{self, EngineBuilder, isolation};

use ::agon_class;
use anyhow::Context;
use clap::Args;

/// Keeps the tables at which people play; agon serve starts it
#[derive(Args, Debug)]
#[command(hide = true)]
pub(crate) struct TablesArgs {
    /// The folder of engines
    engines: PathBuf,

    /// Everybody may bring an engine or start one
    #[arg(long)]
    strangers: bool,

    #[command(flatten)]
    of: TableOptions,
}

/// What of the tables can be chosen.
#[derive(Args, Debug)]
pub(crate) struct TableOptions {
    /// The most tables at a time, for --play
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = whole::<usize>, allow_negative_numbers = true)]
    pub(crate) tables: usize,

    /// After so many minutes a table closes, for --play
    #[arg(long, value_name = "N", default_value_t = 180.0, allow_negative_numbers = true)]
    pub(crate) table_minutes: f64,

    /// The time that the operator of a program elsewhere has besides for each move, in seconds, for
    /// --play
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = whole::<u64>, allow_negative_numbers = true)]
    pub(crate) operator_seconds: u64,

    /// How the engines of --play are confined, as in agon match: none, limits, sandbox, strict
    #[arg(long, value_name = "LEVEL")]
    pub(crate) isolation: Option<Isolation>,

    /// A file or folder that the boxes of the engines of --play show, read-only; may be given
    /// several times
    #[arg(long, value_name = "PATH")]
    pub(crate) show: Vec<PathBuf>,
}

impl TableOptions {
    /// The same as words of a command line.
    pub(crate) fn words(&self) -> Vec<OsString> {
        let numbers = [
            format!("--tables={}", self.tables),
            format!("--table-minutes={}", self.table_minutes),
            format!("--operator-seconds={}", self.operator_seconds),
        ];
        let level = self.isolation.map(|level| format!("--isolation={level}"));
        let mut words: Vec<OsString> = numbers.into_iter().chain(level).map(OsString::from).collect();
        for path in &self.show {
            words.extend(["--show".into(), path.into()]);
        }
        words
    }

    /// Refuses numbers that leave nothing to play.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        let range = |name: &str, number: u64, most: u64| {
            if (1..=most).contains(&number) {
                return Ok(());
            }
            let why = format!("{number} is out of range; give a number from 1 to {most}");
            Err(Misuse::misread(name, &why))
        };
        range("--tables", u64::try_from(self.tables).unwrap_or(u64::MAX), 64)?;
        if self.table_minutes > 0.0 && self.table_minutes <= 1440.0 {
            return Ok(());
        }
        Err(Misuse::hinted(
            format!("--table-minutes {}: not a time for a table", self.table_minutes),
            "give more than 0 and at most 1440 minutes",
        ))
    }
}

impl TablesArgs {
    pub(crate) fn run(self, context: &RunContext) -> anyhow::Result<ExitCode> {
        let show = self.of.show.clone();
        let options = Options { isolation: self.of.isolation, show, ..Options::default() };
        let confinement = options.confinement()?;
        if self.strangers || agon_class::is_filled_by_inbox(&self.engines) {
            self.refuse_below_strict(&confinement, context)?;
        }
        let builder = EngineBuilder { context, confinement: confinement.clone(), tell: &crate::cli::say };
        confinement.hides(&self.engines, "engines")?;
        isolation::is_available(&confinement, context)?;
        let listing = entrants::prepared(&self.engines, None, build::BOUND, &builder, |_| None)?;
        listing.broken.iter().for_each(|broken| crate::cli::say(&format!("left out {}", broken.line())));
        if listing.engines.is_empty() {
            crate::cli::say(&format!("{}: there is no engine in it", display_path(&self.engines)));
        }
        let scratch = Scratch::create(&context.scratch).context("cannot make a directory for the engines")?;
        let spec = TablesSpec {
            engines: listing.engines,
            lexicon: Arc::new(Lexicon::parse(settings::WORDS).expect("the built-in list is a word list")),
            most: self.of.tables,
            longest: Duration::from_secs_f64(60.0 * self.of.table_minutes),
            operator: Duration::from_secs(self.of.operator_seconds),
            limits: settings::limits_of_trial(&options, &builder),
            scratch: &scratch,
        };
        tables::serve(&spec, std::io::stdin(), Box::new(std::io::stdout()), &context.stop)
            .context("the tables cannot go on")?;
        Ok(ExitCode::SUCCESS)
    }

    /// Engines of students are started at the level at which they were tried: `strict`, or
    /// `sandbox` where `strict` is not available.
    fn refuse_below_strict(&self, asked: &Confinement, context: &RunContext) -> anyhow::Result<()> {
        let level = asked.level;
        let why = match level {
            Isolation::Strict => return Ok(()),
            _ => isolation::why_not_strict(asked, context),
        };
        if let (Isolation::Sandbox, Some(why)) = (level, &why) {
            crate::cli::say(&format!(
                "warning: engines of students are started at isolation sandbox, because strict is not available: {why}"
            ));
            return Ok(());
        }
        let best = if why.is_none() { Isolation::Strict } else { Isolation::Sandbox };
        let what = format!(
            "--play {}: at isolation {level}, engines of students would be started for everybody",
            display_path(&self.engines)
        );
        Err(Misuse::hinted(what, format!("give --isolation {best}, or leave --play out")))
    }
}
