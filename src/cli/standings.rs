//! `agon standings`: how things stand, also while a run goes on.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::out;
use crate::export::csv;
use crate::report::terminal::{self, Look};
use crate::standings::points::Points;
use crate::store::{Store, lock};

/// Shows the standings of a run, also while it goes on
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon standings
  agon standings results --csv
  watch agon standings results")]
pub(super) struct Standings {
    /// The directory of the run
    #[arg(value_name = "DIR", default_value = "agon-run")]
    directory: PathBuf,

    /// Writes what standings.csv holds
    #[arg(long)]
    csv: bool,
}

impl Standings {
    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        let store = Store::read(&self.directory)?;
        let rows = store.standings(Points::TWO_ONE_NONE)?.table();
        if self.csv {
            let mut bytes = Vec::new();
            csv::standings(&rows, &mut bytes)?;
            out(&String::from_utf8_lossy(&bytes))?;
            return Ok(ExitCode::SUCCESS);
        }
        let mut text = terminal::standings(&rows, Look::of(&std::io::stdout()));
        let (counted, void, history) = store.counts()?;
        text.push_str(&format!("{counted} games"));
        if void > 0 {
            text.push_str(&format!(", {void} void"));
        }
        if history > 0 {
            text.push_str(&format!(", {history} more in the history"));
        }
        if let Some(who) = lock::holder(&self.directory)? {
            text.push_str(&format!("; the run goes on: {who}"));
        }
        text.push('\n');
        out(&text)?;
        Ok(ExitCode::SUCCESS)
    }
}
