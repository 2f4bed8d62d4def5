//! `agon export`: the contents of a database in other forms.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::{Args, ValueEnum};

use super::settings;
use crate::config::Misuse;
use crate::engine::program::display_path;
use crate::export::directory;
use crate::export::json::{self, ExportedGame};
use crate::export::{atomic, csv, notation};
use crate::store::{Filter, Store};

/// Writes the games of a run in another form
///
/// csv: standings.csv, crosstable.csv and games.csv into the directory TO. json: one game per line,
/// as agon import reads it, to the file TO or to standard output. notation: each game in its own
/// notation into the directory TO. db: a copy of the database, even during a run, to the file TO.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon export csv results tables
  agon export json results > games.jsonl
  agon export notation results records
  agon export db results copy.db")]
pub(super) struct ExportArgs {
    /// The form
    form: Form,

    /// The directory of the run
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    /// The target: a directory for csv and notation, a file for json and db
    #[arg(value_name = "TO")]
    to: Option<PathBuf>,

    /// With json and notation: also void games and the history
    #[arg(long)]
    all: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Csv,
    Json,
    Notation,
    Db,
}

impl ExportArgs {
    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        let store = Store::read(&self.directory)?;
        let needed = || {
            self.to.as_deref().ok_or_else(|| {
                Misuse::hinted(
                    "the argument TO is missing",
                    "write agon export csv|notation DIR TO-DIRECTORY, or agon export db DIR TO-FILE",
                )
            })
        };
        match self.form {
            Form::Csv => self.csv(&store, needed()?)?,
            Form::Notation => self.notation(&store, needed()?)?,
            Form::Db => {
                let to = needed()?;
                if to.symlink_metadata().is_ok() {
                    return Err(Misuse::hinted(
                        format!("{} exists already", display_path(to)),
                        "give another name",
                    ));
                }
                settings::writable(to)?;
                store.copy_to(to)?;
            }
            Form::Json => match &self.to {
                Some(to) => {
                    settings::writable(to)?;
                    atomic::write(to, |to| self.json(&store, to))?;
                }
                None => self.json(&store, &mut BufWriter::new(std::io::stdout().lock()))?,
            },
        }
        Ok(ExitCode::SUCCESS)
    }

    fn csv(&self, store: &Store, to: &Path) -> anyhow::Result<()> {
        make(to)?;
        let standings = store.standings(store.points()?)?;
        atomic::write(&to.join("standings.csv"), |to| csv::standings(&standings.table(), to))?;
        atomic::write(&to.join("crosstable.csv"), |to| csv::crosstable(&standings.crosstable(), to))?;
        directory::games_csv(&to.join("games.csv"), 2, store, |_| Ok(()))
    }

    fn notation(&self, store: &Store, to: &Path) -> anyhow::Result<()> {
        make(to)?;
        let event = to.file_name().map(|name| display_path(Path::new(name))).unwrap_or_default();
        store.games(&self.filter(), |stored| {
            let id = stored.record.id;
            let name =
                if stored.counts { format!("{id}.txt") } else { format!("{id}-run{}.txt", stored.run) };
            atomic::write_unsynced(&to.join(name), |to| {
                Ok(to.write_all(notation::write(&stored.record, &event).as_bytes())?)
            })
        })
    }

    fn json(&self, store: &Store, to: &mut dyn Write) -> anyhow::Result<()> {
        store.games(&self.filter(), |stored| {
            let exported = ExportedGame {
                record: stored.record,
                key: Some(format!("{:016x}", stored.key)),
                engine_hashes: Some(stored.hashes),
                counts: stored.counts,
            };
            writeln!(to, "{}", json::to_export(&exported)).context("cannot write the games")
        })?;
        to.flush().context("cannot write the games")
    }

    fn filter(&self) -> Filter {
        Filter { all: self.all, ..Filter::default() }
    }
}

fn make(path: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(path).with_context(|| format!("cannot make {}", display_path(path)))
}
