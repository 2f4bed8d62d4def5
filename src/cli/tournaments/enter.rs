//! `agon enter`: an engine joins a Swiss that has begun.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::SystemTime;

use agon_config::Misuse;
use agon_printable::{clean, quoted};
use agon_programs::program::display_path;
use agon_standings::stage::Format;
use agon_store::lock::Lock;
use agon_store::{Store, StoredEntry};
use agon_tournament::competition::looked::LookedRun;
use clap::Args;

use super::noted;
use crate::cli::out;
use crate::cli::stage_option::StageOption;

/// Lets an engine join a Swiss that has begun
///
/// The games of all others stay as they are. The next agon tournament finds the program in the
/// folder of engines, and pairs it from its first round on. It has no points from earlier rounds.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon enter results late --why 'its author was ill'
  agon enter results late --from 'round 3' --why 'it is ready on Sunday'")]
pub(crate) struct EnterArgs {
    /// The directory of the run
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    /// The engine, by the name that it has in the folder
    #[arg(value_name = "ENGINE")]
    engine: String,

    /// Its first round, such as 3 or 'round 3' [default: the next one of which nothing was played]
    #[arg(long, value_name = "ROUND")]
    from: Option<String>,

    /// The reason, which is shown with it
    #[arg(long, value_name = "TEXT")]
    why: Option<String>,

    #[command(flatten)]
    of: StageOption,
}

impl EnterArgs {
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        let mut runs = self.of.decided_runs(&self.directory)?;
        let run = runs.pop().expect("a directory has at least one run, or the option was refused");
        let made = self.made(&run)?;
        let _lock = Lock::take(&run.path)?;
        let mut store = Store::open(&run.path)?;
        store.enter(&made, true)?;
        out(&format!("{}: {}\n", made.words(), made.why))?;
        let store = Store::read(&run.path)?;
        out(&format!("head of the chain {}\n", store.head()?))?;
        Ok(ExitCode::SUCCESS)
    }

    /// What is asked for.
    fn made(&self, looked: &LookedRun) -> anyhow::Result<StoredEntry> {
        let place = display_path(&looked.path);
        let store = Store::read(&looked.path)?;
        if store.runs()?.is_empty() {
            return Err(Misuse::hinted(
                format!("{place}: no run has begun in it"),
                "put the engine into the folder of engines",
            ));
        }
        let engine = self.engine.clone();
        let withdrawn = store.withdrawn()?;
        let has_entered = withdrawn.entries().iter().any(|made| made.engine == engine);
        if has_entered || store.entrants()?.contains(&engine) {
            return Err(Misuse::hinted(
                format!("{place}: {} plays already", clean(&engine)),
                "give the name of a new engine",
            ));
        }
        let stage = store.stage()?;
        let rounds = match stage
            .as_ref()
            .map(|(spec, stage)| (spec.format, spec.sizes.len(), &stage.progress))
        {
            Some((Format::Swiss { rounds }, 1, progress)) if progress.result.is_none() => rounds,
            Some((Format::Swiss { .. }, 1, _)) => {
                return Err(Misuse::hinted(
                    format!("{place}: it is over"),
                    "enter it in the next tournament",
                ));
            }
            _ => {
                let hint = match looked.is_night() {
                    true => "it begins with the next night",
                    false => "in other formats, give another directory with --out for a tournament with it",
                };
                return Err(Misuse::hinted(
                    format!("{place}: engines join late in a Swiss of one group alone"),
                    hint,
                ));
            }
        };
        let why = noted::reason(self.why.as_deref(), "give the reason, with --why TEXT")?;
        let next = store.last_played_round()? + 1;
        let from = match self.from.as_deref() {
            None => next,
            Some(text) => {
                let number = text.strip_prefix("round ").unwrap_or(text).trim();
                number.parse().map_err(|_| {
                    Misuse::hinted(
                        format!("--from: {} is no round", quoted(text)),
                        "write a number such as 3, or 'round 3'",
                    )
                })?
            }
        };
        if from < next || from as usize > rounds {
            let what = if from < next { "has begun or was played" } else { "does not exist" };
            return Err(Misuse::hinted(
                format!("--from: round {from} {what}"),
                format!("the next round is {next} of {rounds}"),
            ));
        }
        Ok(StoredEntry { engine, from, is_too_late: false, why, decided: SystemTime::now().into() })
    }
}
