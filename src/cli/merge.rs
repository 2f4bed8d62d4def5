//! `agon merge`: the parts of a run, played on several machines, become one run.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use agon_printable::clean;
use anyhow::Context;
use clap::Args;
use crossbeam_channel::Sender;

use super::import::Gate;
use super::out;
use super::piped::{LeftOut, PipedGames};
use super::referees::RefereeWorkshop;
use crate::audit::plan::belongs;
use crate::audit::referee_program::RefereeAccess;
use crate::config::Misuse;
use crate::engine::program::display_path;
use crate::export::directory::Directory;
use crate::keeper::RunContext;
use crate::store::inside::Ran;
use crate::store::key::{Keys, differences};
use crate::store::lock::{self, Lock};
use crate::store::{Filter, ImportedGame, Store, Stored};

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
  ssh lab2 agon export json part-2 | agon merge all -
  rsync -a lab2:part-2 . && agon merge all part-2
  agon tournament engines/ --seed 1 --out all             plays what is missing

Exit codes: 0 all parts were taken in; 1 one was left out.")]
pub(super) struct MergeArgs {
    /// The directory that gets the games; it is made from the first part if it does not exist
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    /// The directories of the parts; - for games on standard input, as agon export json writes them
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
        if self.parts.iter().filter(|part| is_pipe(part)).count() > 1 {
            return Err(Misuse::hinted("-: standard input can be read only once", "give - once"));
        }
        if self.parts.first().is_some_and(|part| is_pipe(part)) && !Store::is_in(&self.directory) {
            let what = format!(
                "{}: there is no run in it to which games could be added",
                display_path(&self.directory)
            );
            return Err(Misuse::hinted(
                what,
                "merge the directory of one part first: agon merge DIR part-1 -",
            ));
        }
        for part in self.parts.iter().filter(|part| !is_pipe(part)) {
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
        let mut is_noted = true;
        for (at, part) in self.parts.iter().enumerate() {
            let is_last = at + 1 == self.parts.len();
            let name = if is_pipe(part) { "standard input".to_owned() } else { display_path(part) };
            let taken = match is_pipe(part) {
                true => self.piped(is_last, access.as_ref()).map(|(new, games)| {
                    left_out += games.count;
                    say_left_out(&games);
                    new
                }),
                false => self.take_in(part, is_last, access.as_ref()),
            };
            match taken {
                Ok(new) => {
                    is_noted = is_last || is_noted && new == 0;
                    out(&format!("{name}: {new} games taken in\n"))?;
                }
                Err(why) => {
                    left_out += 1;
                    super::say(&format!("error: {name}: left out: {}", clean(&format!("{why:#}"))));
                }
            }
        }
        if Store::is_in(&self.directory) {
            if !is_noted {
                Store::open(&self.directory)?.taken_in()?;
            }
            self.tell()?;
        }
        Ok(ExitCode::from(u8::from(left_out > 0)))
    }

    /// Takes in the games of a part, all or none. Returns how many were new.
    fn take_in(&self, part: &Path, is_last: bool, access: Option<&RefereeAccess<'_>>) -> anyhow::Result<u64> {
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
            return self.first(&from, &run, access);
        }
        let mut to = Store::open(&self.directory)?;
        if let Some(own) = last_run(&to)? {
            is_of(&own, &run)?;
        }
        let mut gate = Gate::of_rules(&to, self.dictionary.as_deref(), access)?;
        let (send, games) = crossbeam_channel::bounded(WAITING);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                if let Err(error) = sent(&from, &run, &send) {
                    let _ = send.send(Err(error)); // nobody listens after an error of the other side
                }
            });
            let games = games.into_iter().map(|game: anyhow::Result<ImportedGame>| {
                let game = game?;
                gate.check(&game.record).map_err(|why| anyhow::anyhow!("game {}: {why}", game.record.id))?;
                Ok(game)
            });
            to.take_in(games, is_last)
        })
    }

    /// Takes in the games of standard input that belong to the run, all or none. Returns how many were new,
    /// and which were left out.
    fn piped(&self, is_last: bool, access: Option<&RefereeAccess<'_>>) -> anyhow::Result<(u64, LeftOut)> {
        anyhow::ensure!(Store::is_in(&self.directory), "there is no run to which its games could be added");
        let mut to = Store::open(&self.directory)?;
        let own = last_run(&to)?.context("there is no run to which its games could be added")?;
        let gate = Gate::of_rules(&to, self.dictionary.as_deref(), access)?;
        let mut games = PipedGames::new(std::io::stdin().lock(), gate, &own)?;
        let new = to.take_in(&mut games, is_last)?;
        Ok((new, games.left_out))
    }

    /// Makes the directory from its first part, if its games agree with the rules.
    fn first(&self, from: &Store, run: &Ran, access: Option<&RefereeAccess<'_>>) -> anyhow::Result<u64> {
        let mut gate = Gate::of_rules(from, self.dictionary.as_deref(), access)?;
        let keys = run.keys();
        from.games(&Filter { all: true, ..Filter::default() }, |stored| {
            is_in_run(&stored, run, &keys)?;
            gate.check(&stored.record).map_err(|why| anyhow::anyhow!("game {}: {why}", stored.record.id))
        })?;
        // Renamed into place: half a copy is no run.
        let draft = self.directory.join("agon.db.merging");
        let _ = std::fs::remove_file(&draft); // of a merge that was killed
        let renamed = from.copy_to(&draft).and_then(|()| {
            std::fs::rename(&draft, self.directory.join("agon.db"))
                .with_context(|| format!("cannot write {}", display_path(&self.directory)))
        });
        if renamed.is_err() {
            let _ = std::fs::remove_file(&draft); // the error is told, and the disk may be full
        }
        renamed?;
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
fn sent(from: &Store, run: &Ran, games: &Sender<anyhow::Result<ImportedGame>>) -> anyhow::Result<()> {
    let keys = run.keys();
    from.games(&Filter { all: true, ..Filter::default() }, |stored| {
        is_in_run(&stored, run, &keys)?;
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

/// Checks a game that counts against the run of its part. Imported games need not have its keys.
fn is_in_run(stored: &Stored, run: &Ran, keys: &Keys) -> anyhow::Result<()> {
    if !stored.counts || stored.run == 0 {
        return Ok(());
    }
    belongs(stored, run, keys).map_err(|why| anyhow::anyhow!("game {}: {why}", stored.record.id))
}

/// Names the games of a pipe that were left out.
fn say_left_out(games: &LeftOut) {
    for why in &games.named {
        super::say(&format!("error: standard input: left out: {}", clean(why)));
    }
    let more = games.count - games.named.len() as u64;
    if more > 0 {
        super::say(&format!("error: standard input: {more} more games were left out"));
    }
}

/// Whether games are to be read from standard input.
fn is_pipe(part: &Path) -> bool {
    part == Path::new("-")
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
