//! `agon reveal`: the students behind aliases.

use std::path::PathBuf;
use std::process::ExitCode;

use agon_class::{self, KeyRow};
use agon_config::Misuse;
use agon_pages::report::columns::columns;
use agon_printable::escape;
use agon_programs::program::display_path;
use agon_tournament::competition::settings;
use clap::Args;

use crate::cli::out;

/// Shows the student behind an alias
///
/// The key file is the only place where that is written. Keep it where students cannot read it.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon reveal quiet-otter
  agon reveal --key grades/key.csv")]
pub(crate) struct RevealArgs {
    /// The aliases; all of them if none is given
    #[arg(value_name = "ALIAS")]
    aliases: Vec<String>,

    /// The key file that `agon grade` has written
    #[arg(long, value_name = "FILE", default_value = "grades/key.csv")]
    key: PathBuf,
}

impl RevealArgs {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let bytes = settings::read(&self.key, 16 << 20, "a key file of agon grade")?;
        let rows = agon_class::read_key(&bytes, &self.key)?;
        if let Some(nobody) = self.aliases.iter().find(|alias| !rows.iter().any(|row| row.alias == **alias)) {
            let nobody = escape(nobody.as_bytes(), 60);
            return Err(Misuse::hinted(
                format!("{}: there is no alias {nobody}", display_path(&self.key)),
                "agon reveal without an alias lists all of them",
            ));
        }
        let wanted = |row: &KeyRow| self.aliases.is_empty() || self.aliases.contains(&row.alias);
        let rows: Vec<Vec<String>> = (rows.into_iter().filter(wanted))
            .map(|row| vec![row.alias, row.id, row.name, row.mail])
            .collect();
        out(&columns(&["alias", "id", "name", "mail"], &rows))?;
        Ok(ExitCode::SUCCESS)
    }
}
