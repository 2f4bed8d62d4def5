//! `agon merge`: the parts of a run, played on several machines, become one run.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use agon_printable::clean;
use anyhow::Context;
use clap::Args;
use crossbeam_channel::Sender;

use super::import::Gate;
use super::out;
use super::referees::RefereeWorkshop;
use crate::audit::referee_program::RefereeAccess;
use crate::config::Misuse;
use crate::engine::program::display_path;
use crate::export::directory::Directory;
use crate::keeper::RunContext;
use crate::store::inside::Ran;
use crate::store::key::differences;
use crate::store::lock::{self, Lock};
use crate::store::{Filter, ImportedGame, Store};

/// How many games wait between the one database and the other.
const WAITING: usize = 64;
/// How many differences of a part are named.
const NAMED: usize = 3;

/// Takes the games of several runs into one: the parts that agon tournament --part has played
///
/// The parts must have the same engines, options and seed. Every game is played through its rules
/// first, and either all games of a part are taken in or none. A game that is there already is left
/// out, so that it does no harm to merge a part twice. A part of another run is named and left out.
/// The directory then goes on as any other: agon standings, agon verify, and agon tournament without
/// --part, which plays the games that are missing.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon merge all part-1 part-2 part-3
  rsync -a lab2:part-2 . && agon merge all part-2
  agon tournament engines/ --seed 1 --out all             plays what is missing

Exit codes: 0 all parts were taken in; 1 one was left out.")]
pub(super) struct MergeArgs {
    /// The directory that gets the games; it is made from the first part if it does not exist
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    /// The directories of the parts
    #[arg(value_name = "FROM", required = true)]
    parts: Vec<PathBuf>,

    /// The folder of the game, for games of a referee program
    #[arg(long, value_name = "FOLDER")]
    game: Option<PathBuf>,

    /// The word list of letters games [default: a built-in list of English words]
    #[arg(long, value_name = "FILE")]
    dictionary: Option<PathBuf>,
}

impl MergeArgs {
    /// Whether a referee program may be started.
    pub(super) fn starts_referees(&self) -> bool {
        self.game.is_some()
    }

    /// Starts referee programs below the keeper of `context`; without one, there are none.
    pub(super) fn run(&self, context: Option<&RunContext>) -> anyhow::Result<ExitCode> {
        let workshop =
            context.map(|context| RefereeWorkshop::open(self.game.as_deref(), context)).transpose()?;
        let access = workshop.as_ref().map(RefereeWorkshop::access);
        for part in &self.parts {
            if !Store::is_in(part) {
                let what = format!("{}: there is no run in it", display_path(part));
                return Err(Misuse::hinted(
                    what,
                    "give the directories that agon tournament --part has made",
                ));
            }
            if same_place(part, &self.directory) {
                let what = format!("{}: it cannot be merged into itself", display_path(part));
                return Err(Misuse::hinted(what, "give another directory first"));
            }
        }
        Directory::make(&self.directory)?;
        let _lock = Lock::take(&self.directory)?;
        let mut left_out = 0;
        for part in &self.parts {
            let name = display_path(part);
            match self.take_in(part, access.as_ref()) {
                Ok(new) => out(&format!("{name}: {new} games taken in\n"))?,
                Err(why) => {
                    left_out += 1;
                    super::say(&format!("error: {name}: left out: {}", clean(&format!("{why:#}"))));
                }
            }
        }
        if Store::is_in(&self.directory) {
            self.tell()?;
        }
        Ok(ExitCode::from(u8::from(left_out > 0)))
    }

    /// Takes in the games of a part, all or none. Returns how many were new.
    fn take_in(&self, part: &Path, access: Option<&RefereeAccess<'_>>) -> anyhow::Result<u64> {
        lock::is_free(part)?;
        let from = Store::read(part)?;
        match from.integrity()?.as_str() {
            "ok" => {}
            torn => anyhow::bail!("its database is damaged: {torn}; copy it once more"),
        }
        let run = last_run(&from)?.context("it has no run")?;
        let is_new = !Store::is_in(&self.directory);
        if is_new {
            // With what the engines wrote and the plan of the run.
            return self.first(&from, access);
        }
        let mut to = Store::open(&self.directory)?;
        if let Some(own) = last_run(&to)? {
            is_of(&own, &run)?;
        }
        let mut gate = Gate::of(&to, self.dictionary.as_deref(), access)?;
        let (send, games) = crossbeam_channel::bounded(WAITING);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                if let Err(error) = sent(&from, &send) {
                    let _ = send.send(Err(error)); // nobody listens after an error of the other side
                }
            });
            to.import(games.into_iter().map(|game: anyhow::Result<ImportedGame>| {
                let game = game?;
                gate.check(&game.record).map_err(|why| anyhow::anyhow!("game {}: {why}", game.record.id))?;
                Ok(game)
            }))
        })
    }

    /// Makes the directory from its first part, if its games agree with the rules.
    fn first(&self, from: &Store, access: Option<&RefereeAccess<'_>>) -> anyhow::Result<u64> {
        let mut gate = Gate::of(from, self.dictionary.as_deref(), access)?;
        from.games(&Filter { all: true, ..Filter::default() }, |stored| {
            gate.check(&stored.record).map_err(|why| anyhow::anyhow!("game {}: {why}", stored.record.id))
        })?;
        // Renamed into place: half a copy is no run.
        let draft = self.directory.join("agon.db.merging");
        let _ = std::fs::remove_file(&draft); // of a merge that was killed
        from.copy_to(&draft)?;
        std::fs::rename(&draft, self.directory.join("agon.db"))
            .with_context(|| format!("cannot write {}", display_path(&self.directory)))?;
        let (counted, void, history) = from.counts()?;
        Ok(counted + void + history)
    }

    /// Says how many games of the plan are there.
    fn tell(&self) -> anyhow::Result<()> {
        let store = Store::read(&self.directory)?;
        let status = store.status(store.stage()?.as_ref())?;
        let (done, planned) = (status.done, status.planned);
        let place = display_path(&self.directory);
        match planned.saturating_sub(done) {
            0 => out(&format!("{place}: all {done} games are there\n")),
            missing => out(&format!(
                "{place}: {done} of {planned} games are there, {missing} are missing; agon tournament with \
                 --out {place} and without --part plays them\n"
            )),
        }
    }
}

/// Sends every game of a part.
fn sent(from: &Store, games: &Sender<anyhow::Result<ImportedGame>>) -> anyhow::Result<()> {
    from.games(&Filter { all: true, ..Filter::default() }, |stored| {
        let game = ImportedGame {
            record: stored.record,
            key: stored.key,
            hashes: stored.hashes,
            counts: stored.counts,
            stderr: stored.stderr,
            host: stored.host,
        };
        games.send(Ok(game)).context("the other side has stopped")
    })
}

fn last_run(store: &Store) -> anyhow::Result<Option<Ran>> {
    Ok(store.runs()?.pop())
}

/// Checks that a part belongs to a run: the same conditions and the same entrants.
fn is_of(own: &Ran, part: &Ran) -> anyhow::Result<()> {
    let mut wrong: Vec<String> = differences(&own.terms, &part.terms)
        .into_iter()
        .map(|(name, own, other)| format!("{name} is {other} and not {own}"))
        .collect();
    if own.games != part.games {
        wrong.push(format!("it has {} games in each pairing and not {}", part.games, own.games));
    }
    for player in &own.players {
        match part.players.iter().find(|other| other.name == player.name) {
            None => wrong.push(format!("the engine {} is missing", player.name)),
            Some(other) if other.hash != player.hash => {
                wrong.push(format!("the engine {} is another program", player.name));
            }
            Some(other) if other.control != player.control => {
                wrong.push(format!("{} has {} and not {}", player.name, other.control, player.control));
            }
            Some(_) => {}
        }
    }
    let is_known = |name: &str| own.players.iter().any(|player| player.name == name);
    let more = part.players.iter().filter(|player| !is_known(&player.name));
    wrong.extend(more.map(|player| format!("the engine {} is not in the run", player.name)));
    if wrong.is_empty() {
        return Ok(());
    }
    let more = wrong.len().saturating_sub(NAMED);
    wrong.truncate(NAMED);
    let more = if more > 0 { format!(", and {more} more differences") } else { String::new() };
    anyhow::bail!("it is part of another run: {}{more}", wrong.join(", "))
}

/// Whether two paths name the same directory.
fn same_place(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}
