//! A tournament that other software plays in parts: its games by part, and which of them no store
//! has.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use agon_config::stages::CupFile;
use agon_config::{Misuse, Options, Part};
use agon_export::live;
use agon_match::keeper::{KEPT, RunContext};
use agon_programs::folder::Listing;
use agon_programs::program::display_path;
use agon_sandbox::system::own_program;
use agon_standings::table_plan::TableFormat;
use agon_store::key::Keys;
use agon_store::{Store, lock};
use agon_tournament::competition::tournament::AskedTournament;
use agon_tournament::competition::{looked, part_games, settings, starts};
use agon_tournament::entrants::{self, EngineBuilder, OnRefusal, elsewhere};
use agon_tournament::run::{Programs, Run};
use anyhow::Context;

/// The longest time for the build of an engine.
const BUILD: Duration = Duration::from_secs(300);

/// How long the file of the games in play shows that somebody plays: engines may think for a while.
const NEW: Duration = Duration::from_secs(60);

/// A round robin in parts.
pub(crate) struct PartedRun {
    /// The run as one machine would play it.
    pub(crate) run: Run,
    /// The options of the file.
    pub(crate) options: Options,
    /// The folder of engines.
    pub(crate) engines: PathBuf,
    /// The stages, if games follow from results. Then none of them is planned here.
    pub(crate) rounds: Option<CupFile>,
    /// Each planned game: its key, and the number by which parts are cut.
    games: Vec<(i64, u64)>,
    /// Where the parts and the run that is merged from them are.
    folder: PathBuf,
    /// The games of each part whose database was read, with the length and the time of that.
    known: RefCell<HashMap<u64, (Stamp, Vec<i64>)>>,
}

/// The length of a file and the time of its last change.
type Stamp = (u64, Option<SystemTime>);

impl PartedRun {
    /// Finds and builds the engines, once for all parts, and plans the games.
    ///
    /// # Errors
    /// [`Misuse`] for what is not cut into parts. Otherwise as `agon tournament` before its first
    /// game.
    pub(crate) fn of(path: &Path, folder: &Path, context: &RunContext) -> anyhow::Result<Self> {
        let asked = AskedTournament::read(path, Options::default())?;
        if asked.cup.is_some()
            || asked.league.is_some()
            || matches!(asked.options.tables, Some(TableFormat::Swiss { .. }))
        {
            return Err(Misuse::hinted(
                "the games of stages, leagues and a Swiss follow from results, and are not all known at once",
                "give a tournament.toml of a round robin; stages and a Swiss are played round by round, with agon \
                 parallel, or with agon tournament --part and agon merge",
            ));
        }
        Self::made(asked, path, folder, context, None)
    }

    /// The same for a tournament that is played round by round, if its games follow from results.
    ///
    /// # Errors
    /// As [`PartedRun::of`].
    pub(crate) fn by_rounds(path: &Path, folder: &Path, context: &RunContext) -> anyhow::Result<Self> {
        let mut asked = AskedTournament::read(path, Options::default())?;
        if asked.league.is_some() {
            return Err(Misuse::hinted(
                "the nights of a league follow from results, and are not cut into parts",
                "give a tournament.toml without [league]",
            ));
        }
        let is_swiss = matches!(asked.options.tables, Some(TableFormat::Swiss { .. }));
        let cup = asked.cup.take().or_else(|| is_swiss.then(|| CupFile::single(path)));
        Self::made(asked, path, folder, context, cup)
    }

    fn made(
        mut asked: AskedTournament,
        path: &Path,
        folder: &Path,
        context: &RunContext,
        rounds: Option<CupFile>,
    ) -> anyhow::Result<Self> {
        if asked.options.until.is_some() {
            return Err(Misuse::hinted(
                format!(
                    "{}: key until: each pair of games is chosen for what was found before, so a question is not cut into parts",
                    display_path(path)
                ),
                "leave it out, or play the question on one machine",
            ));
        }
        if asked.options.seed.is_none() {
            return Err(Misuse::hinted(
                format!(
                    "{}: key seed: is missing; without it each part has boards of its own",
                    display_path(path)
                ),
                "write seed = 1",
            ));
        }
        asked.choose_game()?;
        let mut options = asked.options;
        let skip_broken = options.skip_broken.unwrap_or(false);
        let tell = |text: &str| crate::cli::say(text);
        let builder = EngineBuilder { context, confinement: options.confinement()?, tell: &tell };
        let rules = settings::rules_to_play(&mut options, &builder)?;
        let games = options.games_at(rules.seats().len())?;
        let controls = options.time_controls()?;
        let [control] = controls[..] else {
            return Err(Misuse::hinted(
                "a tournament at several time controls is not cut into parts",
                "give one time control in each tournament.toml",
            ));
        };
        let leave_out = |listing: &mut Listing| {
            let trial = settings::run(&options, rules.clone(), listing.engines.clone(), control)?;
            entrants::leave_out_unfit(&trial, listing, context)
        };
        let named = asked.named.as_deref();
        let also = entrants::also(&options, &asked.entries, &builder)?;
        let mut engines =
            entrants::of_folder(&asked.folder, named, skip_broken, BUILD, &builder, &also, &leave_out)?;
        elsewhere::appoint(&options, &mut engines, skip_broken.then_some(asked.folder.as_ref()))?;
        let mut run = settings::run(&options, rules, engines, control)?;
        starts::vary(&mut run, &options, games, None)?;
        entrants::check(&run, context, OnRefusal::End)?;
        // As they are kept where they play, since their hashes follow from that.
        let kept = tempfile::tempdir().context("cannot make a directory to hash programs in")?;
        let keys = Keys::new(&run.terms(), &Programs::kept_in(kept.path(), &run)?.players(&run));
        let names: Vec<String> = run.entrants.iter().map(|engine| engine.name.clone()).collect();
        let games = match rounds {
            Some(_) => Vec::new(),
            None => run.plan(&names, games)?.1.map(|game| (keys.of(&game), keys.of_pair(&game))).collect(),
        };
        Ok(PartedRun {
            run,
            options,
            engines: asked.folder,
            rounds,
            games,
            folder: folder.to_owned(),
            known: RefCell::default(),
        })
    }

    /// How many games there are.
    pub(crate) fn games(&self) -> u64 {
        self.games.len() as u64
    }

    /// How many games have another board or other opponents than the game before: so many parts can
    /// have games.
    pub(crate) fn pairs(&self) -> u64 {
        self.games.iter().map(|(_, pair)| pair).collect::<HashSet<_>>().len() as u64
    }

    /// The directory of a part.
    pub(crate) fn part(&self, number: u64) -> PathBuf {
        self.folder.join("parts").join(number.to_string())
    }

    /// The directory of the merged run.
    pub(crate) fn whole(&self) -> PathBuf {
        self.folder.join("all")
    }

    /// How many games of each of so many parts are in no store. What a part that is being played
    /// has is read from its games.csv: another machine writes its database.
    ///
    /// # Errors
    /// Errors of the merged run's database. A part that cannot be read has nothing: it is played
    /// again or named when the parts are merged.
    pub(crate) fn missing(&self, parts: u64) -> anyhow::Result<Vec<u64>> {
        let mut there = match Store::is_in(&self.whole()) {
            true => counted(&self.whole())?,
            false => HashSet::new(),
        };
        let (mut missing, mut planned) = (vec![0_u64; parts.try_into()?], vec![0_u64; parts.try_into()?]);
        let mut in_play = Vec::new();
        for (number, at) in (1..=parts).zip(0..) {
            if self.is_played(number) {
                in_play.push((at, part_games::listed(&self.part(number))));
            } else {
                self.add_stored(number, &mut there);
            }
        }
        for (key, pair) in &self.games {
            let at = usize::try_from(Part::of_pair(*pair, parts) - 1)?;
            planned[at] += 1;
            missing[at] += u64::from(!there.contains(key));
        }
        for (at, games) in in_play {
            let at: usize = at;
            missing[at] = missing[at].min(planned[at].saturating_sub(games));
        }
        Ok(missing)
    }

    /// Adds the games of a part that nobody plays. A database that has not changed is not opened
    /// again.
    fn add_stored(&self, number: u64, there: &mut HashSet<i64>) {
        let path = self.part(number);
        let Ok(about) = Store::file_in(&path).metadata() else { return };
        let stamp = (about.len(), about.modified().ok());
        let mut known = self.known.borrow_mut();
        match known.get(&number) {
            Some((then, keys)) if *then == stamp => there.extend(keys),
            _ => {
                let keys = counted(&path).unwrap_or_default();
                there.extend(&keys);
                known.insert(number, (stamp, keys.into_iter().collect()));
            }
        }
    }

    /// Whether a part is being played. The lock of another machine is not seen on all network
    /// folders. So the file of the games in play counts too while it is new.
    pub(crate) fn is_played(&self, number: u64) -> bool {
        let part = self.part(number);
        let live = part.join(live::NAME).metadata().and_then(|about| about.modified()).ok();
        let is_new = live.and_then(|time| time.elapsed().ok()).is_some_and(|age| age < NEW);
        is_new || matches!(lock::holder(&part), Ok(Some(_)))
    }

    /// Merges the parts that have a run, shows what is missing, and writes the standings and the
    /// other files if nothing is. Returns whether nothing is missing.
    ///
    /// # Errors
    /// A part was left out, or the files cannot be written.
    pub(crate) fn merge(&self, path: &Path, parts: u64) -> anyhow::Result<bool> {
        if !self.merge_parts(parts)? || self.missing(parts)?.iter().any(|games| *games > 0) {
            return Ok(false);
        }
        self.write_files(path)?;
        Ok(true)
    }

    /// Merges the parts that have a run. Returns false if there is none.
    ///
    /// # Errors
    /// A part was left out.
    pub(crate) fn merge_parts(&self, parts: u64) -> anyhow::Result<bool> {
        let is_begun = |part: &PathBuf| !looked::all_runs(part).is_empty();
        let begun: Vec<PathBuf> = (1..=parts).map(|number| self.part(number)).filter(is_begun).collect();
        if begun.is_empty() {
            return Ok(false);
        }
        self.merge_into(&self.whole(), &begun)?;
        Ok(true)
    }

    /// Calls `agon merge`.
    ///
    /// # Errors
    /// A part was left out.
    pub(crate) fn merge_into(&self, directory: &Path, parts: &[PathBuf]) -> anyhow::Result<()> {
        let mut merge = agon()?;
        merge.arg("merge").arg(directory).args(parts);
        if let Some(dictionary) = &self.options.dictionary {
            merge.arg("--dictionary").arg(dictionary);
        }
        if let Some(referee) = self.run.rules.hosted() {
            merge.arg("--game").arg(&referee.folder.referee.source);
        }
        let done = merge.status().context("cannot start agon merge")?;
        anyhow::ensure!(done.success(), "agon merge has left out a part");
        Ok(())
    }

    /// Writes the files of the merged run, and shows its standings.
    ///
    /// # Errors
    /// They cannot be written.
    pub(crate) fn write_files(&self, path: &Path) -> anyhow::Result<()> {
        // All games are there, so this plays none: it writes the files of the run and shows its
        // standings.
        let mut standings = agon()?;
        standings.arg("tournament").arg(path).args(["--quiet", "--out"]).arg(self.whole());
        let done = standings.status().context("cannot start agon tournament")?;
        anyhow::ensure!(done.success(), "the files of {} cannot be written", display_path(&self.whole()));
        Ok(())
    }
}

/// The path of this program for other processes and machines: `/proc/self/exe` would be theirs.
///
/// # Errors
/// The file of the program was replaced or removed.
pub(crate) fn path_of_agon() -> anyhow::Result<PathBuf> {
    let path = std::env::current_exe().and_then(|path| path.canonicalize());
    path.context("cannot find agon's own program; was it replaced?")
}

/// A command that starts agon outside of this run, here or on another machine.
pub(crate) fn outside(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env_remove(KEPT);
    command
}

fn agon() -> anyhow::Result<Command> {
    Ok(outside(own_program().context("cannot find agon's own program")?))
}

/// The keys of the games in a directory that count.
fn counted(path: &Path) -> anyhow::Result<HashSet<i64>> {
    Ok(Store::read(path)?.keys_by_id()?.into_values().collect())
}
