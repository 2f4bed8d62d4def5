//! `agon upgrade`: converts the databases of earlier versions of agon.

use std::path::PathBuf;
use std::process::ExitCode;

use agon_config::CommandExit;
use agon_programs::program::display_path;
use agon_store::Store;
use agon_store::upgrade::Upgrade;
use agon_tournament::competition::looked;
use anyhow::ensure;
use clap::Args;

use crate::cli::out;

/// Converts the database of a run of an earlier version
///
/// agon reads databases of earlier versions as they are, and converts them when it plays on in
/// them; this command does it at once, for all databases of a run or a cup. Games stay as they are,
/// so the head of the chain is the same before and after. An earlier agon refuses a converted
/// database. A directory in which an agon works is refused.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon upgrade results")]
pub(crate) struct UpgradeArgs {
    /// The directory of the run, or of a cup
    #[arg(value_name = "DIR", default_value = "agon-run")]
    directory: PathBuf,
}

impl UpgradeArgs {
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        let mut places: Vec<PathBuf> =
            looked::all_runs(&self.directory).into_iter().map(|run| run.path).collect();
        // Those of several time controls; and a directory without a database says what it is.
        if places.is_empty() {
            places = Store::below(&self.directory);
        }
        if places.is_empty() {
            places.push(self.directory.clone());
        }
        for place in places {
            let head = Store::read(&place)?.head()?;
            let told = match Store::upgrade(&place)? {
                Upgrade::Present => format!("has schema version {} already", Store::SCHEMA_VERSION),
                Upgrade::From(version) => {
                    ensure!(
                        Store::read(&place)?.head()? == head,
                        "the upgrade has changed the chain of games"
                    );
                    let now = Store::SCHEMA_VERSION;
                    format!("schema version {version} is {now} now; head of the chain {head} as before")
                }
            };
            out(&format!("{}: {told}\n", display_path(&place)))?;
        }
        Ok(CommandExit::Done.into())
    }
}
