//! `agon stop`: ends a run from another shell.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::bail;
use clap::Args;

use super::out;
use crate::config::Misuse;
use crate::engine::program::display_path;
use crate::store::{Store, lock};

/// Ends a run after the games in play, from another shell or machine
///
/// The games played so far are kept; the command that began the run continues it.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon stop
  agon stop results --wait")]
pub(super) struct StopArgs {
    /// The directory of the run
    #[arg(value_name = "DIR", default_value = "agon-run")]
    directory: PathBuf,

    /// Waits until the run has ended
    #[arg(long)]
    wait: bool,
}

impl StopArgs {
    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        if !Store::is_in(&self.directory) {
            return Err(Misuse::hinted(
                format!("{}: there is no run in it", display_path(&self.directory)),
                "give the directory of a run",
            ));
        }
        let Some(who) = lock::holder(&self.directory)? else {
            bail!("{}: no process plays this run now", display_path(&self.directory));
        };
        lock::ask_to_stop(&self.directory)?;
        out(&format!("asked {who} to stop after the games in play\n"))?;
        while self.wait && lock::holder(&self.directory)?.is_some() {
            std::thread::sleep(Duration::from_millis(200));
        }
        Ok(ExitCode::SUCCESS)
    }
}
