//! `agon forget`: makes the games of a host history.

use std::path::PathBuf;
use std::process::ExitCode;

use agon_config::Misuse;
use agon_pages::report::hosts;
use agon_printable::{are, counted};
use agon_programs::program::display_path;
use agon_store::Store;
use agon_store::lock::Lock;
use agon_tournament::competition::looked::LookedRun;
use clap::Args;

use crate::cli::out;
use crate::cli::stage_option::StageOption;

/// Makes the games that were played on a host history
///
/// They stay in the database and are proved by agon verify, but they count no more, also if the
/// same part is merged again. The next agon tournament plays them anew. agon standings --hosts
/// lists the hosts.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon forget results --host ws3           what would be forgotten
  agon forget results --host ws3 --yes")]
pub(crate) struct ForgetArgs {
    /// The directory of the run, or of a cup
    #[arg(value_name = "DIR", default_value = "agon-run")]
    directory: PathBuf,

    /// The name of the host
    #[arg(long, value_name = "NAME")]
    host: String,

    /// Does it; without this option, nothing is changed
    #[arg(long)]
    yes: bool,

    #[command(flatten)]
    of: StageOption,
}

impl ForgetArgs {
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        let runs = self.of.runs(&self.directory)?;
        let mut found = Vec::new();
        for run in &runs {
            let games = Store::read(&run.path)?.games_on(&self.host)?;
            found.push((run, games));
        }
        if found.iter().all(|(_, games)| *games == 0) {
            return Err(self.unknown(&runs)?);
        }
        for (run, games) in found.iter().filter(|(_, games)| *games > 0) {
            let place = display_path(&run.path);
            if self.yes {
                let _lock = Lock::take(&run.path)?;
                let gone = Store::open(&run.path)?.forget_host(&self.host)?;
                out(&format!("{place}: {} of this host {} history now\n", counted(gone, "game"), are(gone)))?;
            } else {
                out(&format!("{place}: {} would become history\n", counted(*games, "game")))?;
            }
        }
        out(match self.yes {
            true => "agon tournament with --out and the same options plays them again\n",
            false => "nothing was changed; --yes does it\n",
        })?;
        Ok(ExitCode::SUCCESS)
    }

    fn unknown(&self, runs: &[LookedRun]) -> anyhow::Result<anyhow::Error> {
        let mut names = std::collections::BTreeSet::new();
        for run in runs {
            let all = Store::read(&run.path)?.hosts()?;
            names.extend(all.iter().filter(|one| one.host.is_some()).map(hosts::name));
        }
        let names: Vec<String> = names.into_iter().collect();
        let what = format!("--host: no game that counts was played on {}", agon_printable::clean(&self.host));
        Ok(Misuse::hinted(
            what,
            match names.is_empty() {
                true => "its games are older than the notes of hosts".to_owned(),
                false => format!("the hosts are {}", names.join(", ")),
            },
        ))
    }
}
