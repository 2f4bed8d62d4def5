//! `agon merge`: the parts of a run, played on several machines, become one run.

use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use agon_audit::missing::MissingGames;
use agon_audit::referee_program::RefereeAccess;
use agon_config::{CommandExit, Misuse};
use agon_export::directory::Directory;
use agon_export::plan_head::PlanHead;
use agon_match::keeper::RunContext;
use agon_match::schedule;
use agon_printable::{are, clean, counted};
use agon_programs::program::display_path;
use agon_store::inside::Ran;
use agon_store::key::{GameConditions, Player, differences};
use agon_store::lock::{self, Lock};
use agon_store::{ImportedGame, Store, Stored};
use agon_tournament::competition::fresh_run::FreshRun;
use agon_tournament::competition::part_games::{self, LeftOut, OwnRun};
use agon_tournament::competition::{event_files, looked};
use anyhow::Context;
use clap::Args;
use crossbeam_channel::Sender;

use crate::cli::machines::merged_stages::{self, KnownRounds};
use crate::cli::machines::part_programs;
use crate::cli::machines::piped::{PipedGames, PipedLines};
use crate::cli::out;
use crate::cli::referees::RefereeWorkshop;
use crate::cli::results::import::Gate;

/// How many games wait between the one database and the other.
const WAITING: usize = 64;
/// How many differences of a part are named.
const NAMED: usize = 3;

/// Puts the parts of a run together, and other runs
///
/// The parts are those that agon tournament --part has played.
///
/// The parts must have the same engines, options and seed. Every game is played through its rules
/// first, and either all games of a part are taken in or none. A game that is there already is left
/// out, so that it does no harm to merge a part twice. A part of another run is named and left out.
/// The kept copies of its programs go along, except through a pipe. The stages of a cup are merged
/// one by one. A round of which all games are there is followed by the next, which parts play when
/// this directory is merged into theirs. The directory then goes on as any other: agon standings,
/// agon verify, and agon tournament without --part, which plays the games that are missing.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  agon merge all part-1 part-2 part-3
  ssh lab2 agon export json part-2 --plan | agon merge all -
  rsync -a lab2:part-2 . && agon merge all part-2
  agon tournament engines/ --seed 1 --out all             plays what is missing

Exit codes: 0 all parts were taken in; 1 one was left out; 2 wrong use, or a database that holds more than agon \
makes: nothing was taken in.")]
pub(crate) struct MergeArgs {
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
    pub(crate) fn starts_referees(&self) -> bool {
        self.game.is_some()
    }

    /// Starts referee programs below the keeper of `context`; without one, there are none.
    pub(crate) fn run(&self, context: Option<&RunContext>) -> anyhow::Result<ExitCode> {
        let workshop =
            context.map(|context| RefereeWorkshop::open(self.game.as_deref(), context)).transpose()?;
        let access = workshop.as_ref().map(RefereeWorkshop::access);
        if self.parts.iter().filter(|part| is_pipe(part)).count() > 1 {
            return Err(Misuse::hinted("-: standard input can be read only once", "give - once"));
        }
        let stages = merged_stages::of(&self.directory, &self.parts)?;
        for part in self.parts.iter().filter(|part| !is_pipe(part)) {
            if !Store::is_in(part) && stages.is_empty() {
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
        let runs = match stages.is_empty() {
            true => vec![self.clone()],
            false => stages.into_iter().map(|(directory, parts)| self.of_stage(directory, parts)).collect(),
        };
        for run in &runs {
            let directories = run.parts.iter().filter(|part| !is_pipe(part)).chain([&run.directory]);
            for directory in directories.filter(|directory| Store::is_in(directory)) {
                Store::has_only_data(directory)?;
            }
        }
        let mut left_out = 0;
        for run in &runs {
            if run.directory != self.directory {
                make(&self.directory)?;
            }
            let fresh = FreshRun::of(&run.directory);
            let taken = run.take_all(&self.directory, access.as_ref());
            if !taken.as_ref().is_ok_and(|_| Store::is_in(&run.directory)) {
                match run.directory == self.directory {
                    true => fresh.clear(),
                    false => fresh.remove(),
                }
            }
            left_out += taken?;
        }
        Ok(CommandExit::found(left_out > 0).into())
    }

    /// The same for one stage.
    fn of_stage(&self, directory: PathBuf, parts: Vec<PathBuf>) -> Self {
        MergeArgs { directory, parts, ..self.clone() }
    }

    /// Takes in all parts, with their programs for the tournament in the directory `root`. Returns
    /// how many games and parts were left out.
    fn take_all(&self, root: &Path, access: Option<&RefereeAccess<'_>>) -> anyhow::Result<u64> {
        Directory::make(&self.directory)?;
        let _lock = Lock::take(&self.directory)?;
        let (mut left_out, mut is_noted, mut own) = (0, true, None);
        let decided = || match Store::is_in(&self.directory) {
            true => Store::read(&self.directory)?.decisions().map(|made| made.len()),
            false => Ok(0),
        };
        let before = decided()?;
        for (at, part) in self.parts.iter().enumerate() {
            let is_last = at + 1 == self.parts.len();
            let name = if is_pipe(part) { "standard input".to_owned() } else { display_path(part) };
            let taken = match is_pipe(part) {
                true => self.piped(is_last, &mut own, access),
                false => self.take_in(part, is_last, &mut own, access),
            };
            match taken {
                Ok((new, games)) => {
                    is_noted = is_last || is_noted && new == 0;
                    left_out += games.count;
                    say_left_out(&name, &games);
                    out(&format!("{name}: {} taken in\n", counted(new, "game")))?;
                    if !is_pipe(part) {
                        left_out += self.programs_of(part, root, &name)?;
                    }
                }
                Err(why) => {
                    left_out += 1;
                    crate::cli::say(&format!("error: {name}: left out: {}", clean(&format!("{why:#}"))));
                }
            }
        }
        if Store::is_in(&self.directory) {
            if !is_noted {
                Store::open(&self.directory)?.taken_in()?;
            }
            // A round of which all games are there now is followed by the next one.
            Store::open(&self.directory)?.draw_from_parts()?;
            let made = decided()?.saturating_sub(before);
            if made > 0 {
                Store::open(&self.directory)?.follow_decisions()?;
            }
            self.tell(root)?;
            self.tell_of_decisions(made)?;
        }
        Ok(left_out)
    }

    /// Says how many decisions came with the parts, and writes the files that follow from them.
    fn tell_of_decisions(&self, count: usize) -> anyhow::Result<()> {
        if count == 0 {
            return Ok(());
        }
        out(&format!("{} of the organiser taken in\n", counted(count, "decision")))?;
        let run = looked::deciding(&self.directory, None)?.pop();
        run.map_or(Ok(()), |run| event_files::refresh(&run, 0).map(|_| ()))
    }

    /// Takes over the kept copies of a part. Returns how many were left out.
    fn programs_of(&self, part: &Path, root: &Path, name: &str) -> anyhow::Result<u64> {
        let taken = part_programs::take_over(part, &self.directory, root)?;
        if !taken.missing.is_empty() {
            crate::cli::say(&format!(
                "warning: {name}: the kept copies of these engines are not there: {}; copy its folder programs too, \
                 and merge it once more",
                taken.missing.join(", ")
            ));
        }
        for why in &taken.left_out {
            crate::cli::say(&format!("error: {name}: left out: {why}"));
        }
        Ok(taken.left_out.len() as u64)
    }

    /// Takes in the games of a part, all or none. Returns how many were new, and which belong to
    /// another run.
    fn take_in(
        &self,
        part: &Path,
        is_last: bool,
        own: &mut Option<OwnRun>,
        access: Option<&RefereeAccess<'_>>,
    ) -> anyhow::Result<(u64, LeftOut)> {
        lock::is_free(part)?;
        let from = Store::read(part)?;
        match from.integrity()?.as_str() {
            "ok" => {}
            torn => anyhow::bail!("its database is damaged: {torn}; copy it once more"),
        }
        part_games::is_whole(part, &from)?;
        let run = last_run(&from)?.context("it has no run")?;
        if !Store::is_in(&self.directory) {
            // With what the engines wrote and the plan of the run.
            return self.first(&from, run, access);
        }
        let mut to = Store::open(&self.directory)?;
        let own = own_run(&to, own)?;
        is_of(&own.run, &run.terms, &run.players, run.games)?;
        if own.grows {
            merged_stages::is_drawn_alike((&to, &own.run), (&from, &run))?;
        }
        let mut gate = Gate::of_rules(&to, self.dictionary.as_deref(), access)?;
        let (send, games) = crossbeam_channel::bounded(WAITING);
        std::thread::scope(|scope| {
            let send = move || {
                sent(&from, own, &send).unwrap_or_else(|error| {
                    let _ = send.send(Err(error)); // nobody listens after an error of the other side
                    LeftOut::default()
                })
            };
            let sender =
                std::thread::Builder::new().spawn_scoped(scope, send).context(schedule::NO_THREAD)?;
            let games = games.into_iter().map(|game: anyhow::Result<ImportedGame>| {
                let game = game?;
                gate.check(&game.record).map_err(|why| anyhow::anyhow!("game {}: {why}", game.record.id))?;
                Ok(game)
            });
            let new = to.take_in(games, is_last)?;
            let left_out = sender.join().map_err(|_| anyhow::anyhow!("its games cannot be read"))?;
            Ok((new, left_out))
        })
    }

    /// Takes in the games of standard input that belong to the run, all or none. Returns how many
    /// were new, and which were left out.
    fn piped(
        &self,
        is_last: bool,
        own: &mut Option<OwnRun>,
        access: Option<&RefereeAccess<'_>>,
    ) -> anyhow::Result<(u64, LeftOut)> {
        let mut lines = PipedLines::new(std::io::stdin().lock());
        let plan = lines.plan()?;
        let is_new = !Store::is_in(&self.directory);
        let begun = match (is_new, &plan) {
            (false, _) => Ok(()),
            (true, Some(plan)) => plan.begin(&self.directory),
            (true, None) => anyhow::bail!(
                "there is no run to which its games could be added; send them with --plan: agon export json DIR \
                 --plan"
            ),
        };
        let taken = begun.and_then(|()| self.lines_taken(lines, plan.as_ref(), is_last, own, access));
        if is_new && taken.is_err() {
            // A run without a game would stand for one that was taken in.
            for end in ["db", "db-wal", "db-shm"] {
                let _ = std::fs::remove_file(self.directory.join("agon").with_extension(end)); // as above
            }
            *own = None;
        }
        taken
    }

    fn lines_taken(
        &self,
        lines: PipedLines<impl BufRead>,
        plan: Option<&PlanHead>,
        is_last: bool,
        own: &mut Option<OwnRun>,
        access: Option<&RefereeAccess<'_>>,
    ) -> anyhow::Result<(u64, LeftOut)> {
        let mut to = Store::open(&self.directory)?;
        let own = own_run(&to, own)?;
        if let Some(plan) = plan {
            let (terms, players, games) = plan.parts();
            is_of(&own.run, terms, &players, games)?;
        }
        let gate = Gate::of_rules(&to, self.dictionary.as_deref(), access)?;
        let mut games = PipedGames::new(lines, gate, own);
        let new = to.take_in(&mut games, is_last)?;
        Ok((new, games.left_out))
    }

    /// Makes the directory from its first part, if its games agree with the rules. Imported games
    /// of another run become history.
    fn first(
        &self,
        from: &Store,
        run: Ran,
        access: Option<&RefereeAccess<'_>>,
    ) -> anyhow::Result<(u64, LeftOut)> {
        let mut gate = Gate::of_rules(from, self.dictionary.as_deref(), access)?;
        let own = OwnRun::of(run)?;
        let (left_out, keys) = part_games::each_of(from, &own, |stored| {
            let record = stored.record.as_played();
            gate.check(&record).map_err(|why| anyhow::anyhow!("game {}: {why}", record.id))
        })?;
        // Renamed into place: half a copy is no run.
        let draft = self.directory.join("agon.db.merging");
        let _ = std::fs::remove_file(&draft); // of a merge that was killed
        let renamed = from.copy_without(&draft, &keys).and_then(|()| {
            std::fs::rename(&draft, self.directory.join("agon.db"))
                .with_context(|| format!("cannot write {}", display_path(&self.directory)))
        });
        if renamed.is_err() {
            let _ = std::fs::remove_file(&draft); // the error is told, and the disk may be full
        }
        renamed?;
        let (counted, void, history) = from.counts()?;
        Ok((counted + void + history - left_out.count, left_out))
    }

    /// Says how many games of the plan are there, for the tournament in the directory `root`.
    fn tell(&self, root: &Path) -> anyhow::Result<()> {
        let (planned, missing) = MissingGames::of(&self.directory, None)?.counts();
        let (done, place, root) = (planned - missing, display_path(&self.directory), display_path(root));
        let KnownRounds { rounds, end, by_parts } = KnownRounds::of(&Store::read(&self.directory)?)?;
        match missing {
            0 if done == 1 => out(&format!("{place}: its only game{rounds} is there{end}\n")),
            0 => out(&format!("{place}: all {done} games{rounds} are there{end}\n")),
            missing => out(&format!(
                "{place}: {done} of {}{rounds} {} there, {missing} {} missing; agon tournament with \
                 --out {root} and without --part plays them{by_parts}\n",
                counted(planned, "game"),
                are(done),
                are(missing)
            )),
        }
    }
}

/// Sends every game of a part that belongs to the run. Returns the others.
fn sent(from: &Store, own: &OwnRun, games: &Sender<anyhow::Result<ImportedGame>>) -> anyhow::Result<LeftOut> {
    let (left_out, _) = part_games::each_of(from, own, |stored| {
        let boxes = from.shown(&stored)?;
        let decisions = from.decisions_about(stored.number)?;
        let Stored { record, key, hashes, counts, stderr, host, .. } = stored;
        let record = record.as_played();
        let game = ImportedGame { record, key, hashes, counts, stderr, host, boxes, decisions };
        games.send(Ok(game)).context("the other side has stopped")
    })?;
    Ok(left_out)
}

/// Names the games that were left out.
fn say_left_out(name: &str, games: &LeftOut) {
    for why in &games.named {
        crate::cli::say(&format!("error: {name}: left out: {}", clean(why)));
    }
    let more = games.count - games.named.len() as u64;
    if more > 0 {
        let were = if more == 1 { "game was" } else { "games were" };
        crate::cli::say(&format!("error: {name}: {more} more {were} left out"));
    }
}

/// The run that takes the parts in. Its plan is made once for all parts.
fn own_run<'a>(store: &Store, own: &'a mut Option<OwnRun>) -> anyhow::Result<&'a OwnRun> {
    if own.is_none() {
        let run = last_run(store)?.context("there is no run to which games could be added")?;
        *own = Some(OwnRun::of(run)?);
    }
    own.as_ref().context("it was made just now")
}

/// Whether games are to be read from standard input.
fn is_pipe(part: &Path) -> bool {
    part == Path::new("-")
}

fn last_run(store: &Store) -> anyhow::Result<Option<Ran>> {
    Ok(store.runs()?.pop())
}

/// Checks that a part belongs to a run: the same conditions and the same entrants.
fn is_of(own: &Ran, terms: &GameConditions, players: &[Player], games: u32) -> anyhow::Result<()> {
    let mut wrong: Vec<String> = differences(&own.terms, terms)
        .into_iter()
        .map(|(name, own, other)| format!("{name} is {other} and not {own}"))
        .collect();
    if own.games != games {
        wrong.push(format!("it has {} in each pairing and not {}", counted(games, "game"), own.games));
    }
    for player in &own.players {
        match players.iter().find(|other| other.name == player.name) {
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
    let more = players.iter().filter(|player| !is_known(&player.name));
    wrong.extend(more.map(|player| format!("the engine {} is not in the run", player.name)));
    if wrong.is_empty() {
        return Ok(());
    }
    let more = wrong.len().saturating_sub(NAMED);
    wrong.truncate(NAMED);
    let more = if more > 0 { format!(", and {}", counted(more, "more difference")) } else { String::new() };
    anyhow::bail!("it is part of another run: {}{more}", wrong.join(", "))
}

/// Makes the directory of a cup if it does not exist.
fn make(path: &Path) -> anyhow::Result<()> {
    match std::fs::create_dir(path) {
        Err(error) if !path.is_dir() => {
            Err(error).with_context(|| format!("cannot make {}", display_path(path)))
        }
        _ => Ok(()),
    }
}

/// Whether two paths name the same directory.
fn same_place(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}
