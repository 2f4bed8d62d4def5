//! `agon prune`: removes what a run no longer needs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::SystemTime;

use agon_audit::referee_program::referee_hash;
use agon_class::{self, OldVersion};
use agon_config::{CommandExit, Misuse, whole};
use agon_export::directory;
use agon_match::referee::solved_tables;
use agon_printable::counted;
use agon_programs::kept;
use agon_programs::program::display_path;
use agon_sandbox::removal::remove;
use agon_store::Store;
use agon_store::lock::{self, Lock};
use clap::Args;

use crate::cli::{out, say};

/// How deep below the directory databases are looked for.
const DEEPEST: usize = 4;

/// Shows what a run no longer needs, and with --yes removes it
///
/// A run no longer needs games that do not count any more and void attempts, with their moves, logs
/// and evidence, and the kept copies of programs without such a game. Of a graded class, it does
/// not need versions of submissions that no counted game has played. No counted game and no result
/// is removed. Each removed game leaves its hash in the chain, so agon verify still proves the
/// others and says how many games were pruned. A pruned game cannot count again: if its engines
/// come back, it is played anew.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon prune results                  what would be removed
  agon prune --cache                  tables of solved games in the cache
  agon prune results --nights 7 --yes
  agon prune class-results --yes      also the old programs in class-results-engines")]
pub(crate) struct PruneArgs {
    /// The directory of the run, of a cup or of a class; those below it are pruned too
    #[arg(value_name = "DIR", default_value = "agon-run", conflicts_with = "cache")]
    directory: PathBuf,

    /// Keeps what was played or built in the last N runs, as agon history lists them
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = whole::<u32>, allow_negative_numbers = true)]
    nights: u32,

    /// Removes it; without this option, nothing is changed
    #[arg(long)]
    yes: bool,

    /// Removes what agon keeps in the folder agon of XDG_CACHE_HOME, or of ~/.cache: tables of
    /// solved games and templates of Wine. They are made again when they are needed. No run is
    /// looked at
    #[arg(long, conflicts_with = "nights")]
    cache: bool,
}

impl PruneArgs {
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        if self.cache {
            return without_cache();
        }
        let runs = databases(&self.directory, DEEPEST);
        if runs.is_empty() {
            return Err(Misuse::hinted(
                format!("{}: there is no run in it", display_path(&self.directory)),
                "give the directory of a run",
            ));
        }
        let mut found = false;
        for run in &runs {
            found |= self.games(run)?;
        }
        for version in self.versions(&runs)? {
            found = true;
            let done = if self.yes { "removed" } else { "would remove" };
            out(&format!(
                "{done} {}: a version that no counting game uses, {}\n",
                display_path(&version.path),
                size(version.bytes)
            ))?;
            if self.yes {
                agon_class::remove_version(&version)?;
            }
        }
        for folder in programs(&self.directory, &runs) {
            found |= self.copies(&folder, &runs)?;
        }
        match (found, self.yes) {
            (false, _) => {
                out(&format!("nothing to remove that is older than {}\n", counted(self.nights, "night")))?;
            }
            (true, false) => out("nothing was removed; --yes removes it\n")?,
            (true, true) => {}
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Removes the games of a database, or shows them. Returns whether there are any.
    fn games(&self, run: &Path) -> anyhow::Result<bool> {
        let found = Store::read(run)?.prunable(self.nights)?;
        if found.games == 0 {
            return Ok(false);
        }
        let (shown, games) = (display_path(run), found.games);
        if !self.yes {
            let bytes = size(found.bytes);
            out(&format!(
                "would remove from {shown}: {}, about {bytes}\n",
                match games {
                    1 => "1 game that does not count".to_owned(),
                    games => format!("{games} games that do not count"),
                }
            ))?;
            return Ok(true);
        }
        let lock = Lock::take(run)?;
        let before = database_size(run);
        let removed = {
            let mut store = Store::open(run)?;
            let removed = store.prune(self.nights)?;
            directory::prune_evidence(run, &store)?;
            removed
        };
        drop(lock);
        let after = database_size(run);
        out(&format!(
            "removed from {shown}: {} that did not count; its agon.db had {} and has {}\n",
            counted(removed, "game"),
            size(before),
            size(after)
        ))?;
        Ok(true)
    }

    /// Removes the kept copies of programs that nobody needs, or shows them. Returns whether there
    /// are any.
    fn copies(&self, folder: &Path, runs: &[PathBuf]) -> anyhow::Result<bool> {
        for run in runs {
            lock::is_free(run)?;
        }
        let stores: Vec<Store> = runs.iter().map(|run| Store::read(run)).collect::<anyhow::Result<_>>()?;
        let mut found = false;
        for (copy, tree) in kept::all(folder) {
            let mut needs = stores.iter().map(|store| match &tree {
                Some(tree) => store.needs_copy(tree, self.nights),
                None => Ok(false),
            });
            if needs.any(|needs| !matches!(needs, Ok(false))) {
                continue;
            }
            let referee = kept::folder(&copy).and_then(|folder| referee_hash(&folder));
            if let Some(hash) = referee
                && stores.iter().any(|store| !matches!(store.needs_referee(&hash), Ok(false)))
            {
                continue;
            }
            found = true;
            let done = if self.yes { "removed" } else { "would remove" };
            let bytes = size(kept::bytes(&copy));
            out(&format!(
                "{done} {}: a kept program that no counting game uses, {bytes}\n",
                display_path(&copy)
            ))?;
            if self.yes {
                remove(&copy);
            }
        }
        Ok(found)
    }

    /// The versions of submissions that nobody needs.
    fn versions(&self, runs: &[PathBuf]) -> anyhow::Result<Vec<OldVersion>> {
        let absolute = std::path::absolute(&self.directory)?;
        let Some(name) = absolute.file_name() else { return Ok(Vec::new()) };
        let engines = absolute.with_file_name(format!("{}-engines", name.to_string_lossy()));
        if !engines.is_dir() {
            return Ok(Vec::new());
        }
        let mut used = Vec::new();
        let mut until = SystemTime::now();
        for run in runs {
            lock::is_free(run)?;
            let store = Store::read(run)?;
            used.extend(store.sources_in_use()?.into_iter().map(PathBuf::from));
            if self.nights > 0 {
                until = until.min(store.began(self.nights)?.map_or(SystemTime::UNIX_EPOCH, SystemTime::from));
            }
        }
        Ok(agon_class::old_versions(&engines, &used, until))
    }
}

/// Removes what agon keeps in the cache of the user, and says what that was.
fn without_cache() -> anyhow::Result<ExitCode> {
    let Some(folder) = solved_tables::tables() else {
        return Err(Misuse::hinted(solved_tables::NOWHERE, "set HOME or XDG_CACHE_HOME"));
    };
    let all = solved_tables::cached();
    if all.is_empty() {
        out(&format!("nothing to remove in {}\n", display_path(&folder)))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut has_failed = false;
    for path in all {
        let (shown, bytes) = (display_path(&path), size(kept::bytes(&path)));
        let removed = if path.is_dir() {
            remove(&path);
            if path.exists() { Err(std::io::Error::other("something in it stays")) } else { Ok(()) }
        } else {
            fs::remove_file(&path)
        };
        match removed {
            Ok(()) => out(&format!("removed {shown}, {bytes}\n"))?,
            Err(error) => {
                has_failed = true;
                say(&format!("error: cannot remove {shown}: {error}"));
            }
        }
    }
    let _ = fs::remove_dir(&folder); // what others have put there stays
    Ok(if has_failed { CommandExit::Failed.into() } else { ExitCode::SUCCESS })
}

/// The folders of kept copies of runs at or below this directory, and its own.
fn programs(directory: &Path, runs: &[PathBuf]) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> =
        runs.iter().map(PathBuf::as_path).chain([directory]).map(|home| home.join(kept::FOLDER)).collect();
    all.sort();
    all.dedup();
    all
}

/// The directories with a database at or below this one.
fn databases(directory: &Path, depth: usize) -> Vec<PathBuf> {
    let mut all = Vec::new();
    if matches!(Store::seed_in(directory), Ok(Some(_))) {
        all.push(directory.to_owned());
    }
    if depth > 0 {
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        let is_folder = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
        let mut below: Vec<PathBuf> = entries.filter(is_folder).map(|entry| entry.path()).collect();
        below.sort();
        all.extend(below.iter().flat_map(|path| databases(path, depth - 1)));
    }
    all
}

fn database_size(run: &Path) -> u64 {
    fs::metadata(run.join("agon.db")).map_or(0, |about| about.len())
}

fn size(bytes: u64) -> String {
    indicatif::BinaryBytes(bytes).to_string()
}
