//! `agon stop`: ends a run from another shell.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use agon_store::lock;
use agon_tournament::competition::looked;
use clap::Args;

use crate::cli::out;

/// Ends a run after the games in play, from another shell
///
/// It works from another machine too.
///
/// The games played so far are kept; the command that began the run continues it.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon stop
  agon stop cup                       the stage that is played now
  agon stop results --wait")]
pub(crate) struct StopArgs {
    /// The directory of the run, of a cup or of a league
    #[arg(value_name = "DIR", default_value = "agon-run")]
    directory: PathBuf,

    /// Waits until the run has ended
    #[arg(long)]
    wait: bool,
}

impl StopArgs {
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        let holders = looked::held_runs(&self.directory)?;
        for (path, who) in &holders {
            lock::ask_to_stop(path)?;
            out(&format!("asked {who} to stop after the games in play\n"))?;
        }
        for (path, _) in holders {
            while self.wait && lock::holder(&path)?.is_some() {
                std::thread::sleep(Duration::from_millis(200));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}
