//! `agon export`: the contents of a database in other forms.

use std::collections::BTreeSet;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use agon_config::Misuse;
use agon_export::json::{self, ExportedGame};
use agon_export::notation::MoveLayout;
use agon_export::plan_head::PlanHead;
use agon_export::{atomic, csv, foreign, game_tables, notation, pgn};
use agon_programs::program::display_path;
use agon_record::GameRecord;
use agon_store::{Filter, Store, Stored};
use agon_tournament::competition::looked::LookedRun;
use agon_tournament::competition::settings;
use anyhow::Context;
use clap::{Args, ValueEnum};

use crate::cli::say;
use crate::cli::stage_option::StageOption;

/// Writes the games of a run in another form
///
/// csv: standings.csv, crosstable.csv, games.csv and, with more than two seats, seats.csv into the
/// directory TO. json: one game per line, as agon import reads it, to the file TO or to standard
/// output. notation: each game in its own notation into the directory TO. document: the same in the
/// form of the contest's document on Abalone: seven tags, the moves and the result, without
/// comments. pgn: the games of chess, for other programs, into the file TO or to standard output.
/// db: a copy of the database, even during a run, to the file TO. The stages of a cup are
/// written into directories in TO, stage-1 and so on; json and pgn have their games one after
/// another.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon export csv results tables
  agon export json results > games.jsonl
  agon export json part-1 --plan | ssh host agon merge all -
  agon export notation results records
  agon export document results records --tag 'Site=Waterloo, Ontario' --running
  agon export pgn results games.pgn
  agon export db results copy.db")]
pub(crate) struct ExportArgs {
    /// The form
    form: Form,

    /// The directory of the run, or of a cup
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    /// The target: a directory for csv, notation and document, a file for json, pgn and db
    #[arg(value_name = "TO")]
    to: Option<PathBuf>,

    /// With json, notation, document and pgn: also void games and the history
    #[arg(long)]
    all: bool,

    /// With json: without the names of the machines on which the games were played
    #[arg(long)]
    no_hosts: bool,

    /// With json: begins with the plan of the run, so that agon merge can make a directory from a
    /// pipe
    #[arg(long)]
    plan: bool,

    /// With document: another value of a tag, such as Event, Site, Date, Round, Black, White or
    /// Result; may be repeated
    #[arg(long = "tag", value_name = "NAME=VALUE")]
    tags: Vec<String>,

    /// With document: the moves as running text, and not a round a line
    #[arg(long)]
    running: bool,

    #[command(flatten)]
    of: StageOption,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Csv,
    Json,
    Notation,
    Document,
    Pgn,
    Db,
}

/// Whether the reader of our output has closed it.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

impl ExportArgs {
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        self.is_consistent()?;
        let runs = self.of.runs(&self.directory)?;
        if let Form::Json | Form::Pgn = self.form {
            let stores =
                runs.iter().map(|run| Store::read(&run.path)).collect::<anyhow::Result<Vec<Store>>>()?;
            let is_pgn = self.form == Form::Pgn;
            // Games of several stages may have one number.
            let stage = |run: &LookedRun| {
                run.path.file_name().filter(|_| runs.len() > 1).map(|name| display_path(Path::new(name)))
            };
            let stages: Vec<Option<String>> = runs.iter().map(stage).collect();
            let write = |to: &mut dyn Write| {
                stores.iter().zip(&stages).try_for_each(|(store, stage)| match is_pgn {
                    true => self.pgn(store, stage.as_deref(), to),
                    false => self.json(store, to),
                })
            };
            match &self.to {
                Some(to) => {
                    settings::writable(to)?;
                    foreign::refuse(to, if is_pgn { foreign::RECORD } else { foreign::GAMES })?;
                    write_to(to, write)?;
                }
                None => match write(&mut BufWriter::new(std::io::stdout().lock())) {
                    // The reader has seen enough.
                    Err(error) if is_closed_pipe(&error) => {}
                    written => written?,
                },
            }
            return Ok(ExitCode::SUCCESS);
        }
        let to = self.needed()?;
        for run in &runs {
            let store = Store::read(&run.path)?;
            match run.path.file_name() {
                // The parts of a tournament keep their names.
                Some(name) if runs.len() > 1 => {
                    make(to)?;
                    let mut to = to.join(name);
                    if self.form == Form::Db {
                        make(&to)?;
                        to.push("agon.db");
                    }
                    self.write(&store, &to)?;
                }
                _ => self.write(&store, to)?,
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Refuses options of one form with another.
    fn is_consistent(&self) -> anyhow::Result<()> {
        let of_document = [("--tag", !self.tags.is_empty()), ("--running", self.running)];
        match of_document.into_iter().find(|(_, given)| *given && self.form != Form::Document) {
            Some((flag, _)) => Err(Misuse::hinted(
                format!("{flag} is for the form document"),
                format!("leave {flag} out, or write agon export document"),
            )),
            None => Ok(()),
        }
    }

    /// The values of `--tag`, by their names.
    fn tags(&self) -> anyhow::Result<Vec<(String, String)>> {
        let read = |tag: &String| match tag.split_once('=') {
            Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
            None => Err(Misuse::misread("--tag", "a tag is written NAME=VALUE, as in --tag Site=Waterloo")),
        };
        self.tags.iter().map(read).collect()
    }

    /// The target, which every form but json needs.
    fn needed(&self) -> anyhow::Result<&Path> {
        self.to.as_deref().ok_or_else(|| {
            Misuse::hinted(
                "the argument TO is missing",
                "write agon export csv|notation|document DIR TO-DIRECTORY, or agon export db DIR TO-FILE",
            )
        })
    }

    /// Writes one run in a form of which each run has its own files.
    fn write(&self, store: &Store, to: &Path) -> anyhow::Result<()> {
        match self.form {
            Form::Csv => self.csv(store, to),
            Form::Notation => {
                self.records(store, to, |record, event, site| Ok(notation::write_at(record, event, site)))
            }
            Form::Document => self.document(store, to),
            Form::Json | Form::Pgn => Ok(()),
            Form::Db => {
                if to.symlink_metadata().is_ok() {
                    return Err(Misuse::hinted(
                        format!("{} exists already", display_path(to)),
                        "give another name",
                    ));
                }
                settings::writable(to)?;
                store.copy_to(to)
            }
        }
    }

    fn csv(&self, store: &Store, to: &Path) -> anyhow::Result<()> {
        let standings = store.standings(store.points()?)?;
        let seats = store.tables()?.seats;
        for (name, kind) in [
            ("standings.csv", foreign::STANDINGS),
            ("crosstable.csv", foreign::CROSSTABLE),
            ("games.csv", foreign::TABLE_OF_GAMES),
            ("seats.csv", foreign::TABLE_OF_SEATS),
        ] {
            foreign::refuse(&to.join(name), kind)?;
        }
        let is_new = !to.exists();
        make(to)?;
        // First what can fail for its contents.
        if let Err(error) = game_tables::write(to, seats, store, |_| Ok(())) {
            if is_new {
                let _ = std::fs::remove_dir(to); // an empty directory does no harm
            }
            return Err(error);
        }
        atomic::write(&to.join("standings.csv"), |to| csv::standings(&standings.table(), to))?;
        atomic::write(&to.join("crosstable.csv"), |to| csv::crosstable(&standings.crosstable(), to))
    }

    /// The records in the form of the document.
    fn document(&self, store: &Store, to: &Path) -> anyhow::Result<()> {
        let layout = if self.running { MoveLayout::Running } else { MoveLayout::Columns };
        let set = self.tags()?;
        let mut elsewhere = BTreeSet::new();
        self.records(store, to, |record, event, site| {
            if !notation::begins_as_usual(record) {
                elsewhere.insert(record.id.to_string());
            }
            notation::document(record, event, site, layout, &set)
                .map_err(|why| Misuse::misread("--tag", &why))
        })?;
        if !elsewhere.is_empty() {
            let elsewhere = elsewhere.len();
            say(&format!(
                "{elsewhere} of the games do not begin at the usual start: their records have a tag Start besides, \
                 which the document does not know"
            ));
        }
        Ok(())
    }

    /// Writes a file for each game, made of its record, the event and the place.
    fn records(
        &self,
        store: &Store,
        to: &Path,
        mut text: impl FnMut(&GameRecord, &str, &str) -> anyhow::Result<String>,
    ) -> anyhow::Result<()> {
        let named = |stored: &Stored| {
            let id = stored.record.id;
            let name =
                if stored.counts { format!("{id}.txt") } else { format!("{id}-run{}.txt", stored.run) };
            to.join(name)
        };
        let event = to.file_name().map(|name| display_path(Path::new(name))).unwrap_or_default();
        let (event, site) = agon_export::directory::event_and_site(store, &event)?;
        // All are looked at before the first is written.
        store.games(&self.filter(), |stored| {
            text(&stored.record, &event, &site)?;
            foreign::refuse(&named(&stored), foreign::RECORD)
        })?;
        make(to)?;
        store.games(&self.filter(), |stored| {
            let text = text(&stored.record, &event, &site)?;
            atomic::write_unsynced(&named(&stored), |to| Ok(to.write_all(text.as_bytes())?))
        })
    }

    fn json(&self, store: &Store, to: &mut dyn Write) -> anyhow::Result<()> {
        if self.plan {
            writeln!(to, "{}", PlanHead::of(store)?.line()).context("cannot write the plan")?;
        }
        let counted_as = store.counted_as()?;
        store.games(&self.filter(), |stored| {
            let boxes = store.shown(&stored)?;
            let exported = ExportedGame {
                record: stored.record,
                key: Some(format!("{:016x}", stored.key)),
                engine_hashes: Some(stored.hashes),
                counts: stored.counts,
                counted_as: counted_as.clone().filter(|_| stored.counts),
                host: stored.host.filter(|_| !self.no_hosts),
                boxes,
            };
            writeln!(to, "{}", json::to_export(&exported)).context("cannot write the games")
        })?;
        to.flush().context("cannot write the games")
    }

    fn pgn(&self, store: &Store, stage: Option<&str>, to: &mut dyn Write) -> anyhow::Result<()> {
        let event = self.directory.file_name().map(|name| display_path(Path::new(name))).unwrap_or_default();
        let (event, site) = agon_export::directory::event_and_site(store, &event)?;
        store.games(&self.filter(), |stored| {
            let record = &stored.record;
            let text = pgn::write(record, &event, &site, stage).ok_or_else(|| match pgn::is_for(record) {
                true => anyhow::anyhow!("the moves of {} cannot be played; run agon verify", record.id),
                false => Misuse::hinted(
                    format!("{} is a game of {}, and PGN is for chess", record.id, record.rules),
                    "write agon export notation",
                ),
            })?;
            to.write_all(text.as_bytes()).context("cannot write the games")
        })?;
        to.flush().context("cannot write the games")
    }

    fn filter(&self) -> Filter {
        Filter { all: self.all, ..Filter::default() }
    }
}

/// Writes a file whole or not at all. What is no file, such as a named pipe, is written to.
fn write_to(to: &Path, write: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>) -> anyhow::Result<()> {
    if !to.metadata().is_ok_and(|about| !about.is_file()) {
        return atomic::write(to, write);
    }
    let cannot = || format!("cannot write {}", display_path(to));
    let file = std::fs::OpenOptions::new().write(true).open(to).with_context(cannot)?;
    write(&mut BufWriter::new(file)).with_context(cannot)
}

fn make(path: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(path).with_context(|| format!("cannot make {}", display_path(path)))
}
