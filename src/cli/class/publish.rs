//! `agon publish`: makes the results of a class public.

use std::path::PathBuf;
use std::process::ExitCode;

use agon_config::Misuse;
use agon_programs::program::display_path;
use agon_tournament::competition::looked;

use ::agon_inbox;
use clap::Args;

use crate::cli::out;

/// Makes the results of a class public to its students
///
/// They see them on the pages of agon serve --accept.
///
/// Before it, these pages show nothing of the class to the public. It changes no file of the run,
/// and agon serve without --accept and agon report do not ask for it.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon publish results
  agon publish results --withdraw")]
pub(crate) struct PublishArgs {
    /// The directory of the run, or of a cup
    #[arg(value_name = "DIR", default_value = "agon-run")]
    directory: PathBuf,

    /// Makes them private again
    #[arg(long)]
    withdraw: bool,
}

impl PublishArgs {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let shown = display_path(&self.directory);
        if looked::all_runs(&self.directory).is_empty() {
            let what = format!("{shown}: there is no run in it");
            return Err(Misuse::hinted(what, "give the directory of the results"));
        }
        if self.withdraw {
            agon_inbox::withdraw(&self.directory)?;
            out(&format!("the results in {shown} are private\n"))?;
        } else {
            agon_inbox::publish(&self.directory)?;
            out(&format!("the results in {shown} are public; --withdraw takes them back\n"))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
