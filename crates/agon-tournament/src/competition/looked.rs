//! The runs in a directory that is looked at: one, or the stages of a cup and the nights of a
//! league in their order.

use std::path::{Path, PathBuf};

use agon_config::Misuse;
use agon_programs::program::display_path;
use agon_seats::TimeControl;
use agon_store::ranking::{DerivedStage, StageSpec};
use agon_store::{Store, lock};
use anyhow::bail;

use crate::terminal::out;

/// The beginnings of the names of directories that hold the parts of a tournament.
const PARTS: [&str; 2] = ["stage-", NIGHT];
const NIGHT: &str = "night-";

/// A run that is looked at.
pub struct LookedRun {
    /// Its directory.
    pub path: PathBuf,
    /// Its number, if it is one of the parts of a tournament.
    pub number: Option<usize>,
}

impl LookedRun {
    /// Its name in a line: `stage 1: groups`; `None` if it is alone.
    pub fn title(&self) -> anyhow::Result<Option<String>> {
        let Some(number) = self.number else { return Ok(None) };
        let kind =
            self.path.file_name().and_then(|name| name.to_str()).and_then(|name| name.split('-').next());
        let plain = format!("{} {number}", kind.unwrap_or("stage"));
        let name = Store::read(&self.path)?.stage()?.map(|(stage, _)| stage.name);
        Ok(Some(name.filter(|name| *name != plain).map_or(plain.clone(), |name| format!("{plain}: {name}"))))
    }

    /// The directory of the night before, if this is a night of a league after the first.
    pub fn night_before(&self) -> Option<PathBuf> {
        self.nights_before().last()
    }

    /// The directories of all nights of a league before this one, in their order.
    pub fn nights_before(&self) -> impl Iterator<Item = PathBuf> {
        let number = self.number.filter(|_| self.is_night()).unwrap_or(1);
        (1..number).map(|before| self.path.with_file_name(format!("{NIGHT}{before}")))
    }

    /// Whether it is a night of a league.
    pub fn is_night(&self) -> bool {
        let name = self.path.file_name().and_then(|name| name.to_str());
        self.number.is_some() && name.is_some_and(|name| name.starts_with(NIGHT))
    }

    /// Prints its name, with an empty line before all but the first.
    pub fn announce(&self, is_first: bool) -> anyhow::Result<()> {
        let Some(title) = self.title()? else { return Ok(()) };
        out(&format!("{}{title}\n", if is_first { "" } else { "\n" }))
    }
}

/// The runs in this directory, or this stage of a cup or night of a league. A directory without
/// parts is returned as it is.
///
/// # Errors
/// [`Misuse`] if there is no such stage.
pub fn runs(directory: &Path, stage: Option<usize>) -> anyhow::Result<Vec<LookedRun>> {
    let mut parts = parts(directory);
    let Some(wanted) = stage else {
        if parts.is_empty() || Store::is_in(directory) {
            return Ok(vec![LookedRun { path: directory.to_owned(), number: None }]);
        }
        return Ok(parts);
    };
    let numbers: Vec<String> =
        parts.iter().filter_map(|part| part.number).map(|number| number.to_string()).collect();
    parts.retain(|part| part.number == Some(wanted));
    if !parts.is_empty() {
        return Ok(parts);
    }
    let place = display_path(directory);
    Err(match numbers[..] {
        [] => Misuse::hinted(format!("--stage: {place} does not hold the stages of a cup"), "leave it out"),
        _ => Misuse::hinted(
            format!("--stage: {place} has no stage {wanted} that has begun"),
            format!("give one of {}", numbers.join(", ")),
        ),
    })
}

/// As [`runs`], for what the organiser decides: of the directory of a stage or a night, the cup or
/// the league with its number, as other parts and files follow from it.
///
/// # Errors
/// As [`runs`].
pub fn deciding(directory: &Path, stage: Option<usize>) -> anyhow::Result<Vec<LookedRun>> {
    match whole_of(directory)?.filter(|_| stage.is_none()) {
        Some((root, number)) => runs(&root, Some(number)),
        None => runs(directory, stage),
    }
}

/// The directory of the cup or the league of which this one is a stage or a night, with its number.
fn whole_of(directory: &Path) -> anyhow::Result<Option<(PathBuf, usize)>> {
    if !Store::is_in(directory) || Store::read(directory)?.stage()?.is_none() {
        return Ok(None);
    }
    let named = |path: &Path| {
        let number = number_of(path)?;
        let root = path.parent().filter(|root| !root.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some((root.to_owned(), number))
    };
    // A path such as `.` has no name of its own.
    Ok(named(directory).or_else(|| named(&directory.canonicalize().ok()?)))
}

/// The number in the name of a stage or a night.
fn number_of(path: &Path) -> Option<usize> {
    let name = path.file_name()?.to_str()?;
    PARTS.iter().find_map(|part| name.strip_prefix(part))?.parse().ok()
}

/// All runs in a directory and in those of its stages, nights or time controls.
pub fn all_runs(directory: &Path) -> Vec<LookedRun> {
    if Store::is_in(directory) {
        return vec![LookedRun { path: directory.to_owned(), number: None }];
    }
    let parts = parts(directory);
    if !parts.is_empty() {
        return parts;
    }
    Store::below(directory).into_iter().map(|path| LookedRun { path, number: None }).collect()
}

/// The directories of the runs in a directory that a process plays now, with words for it; at least
/// one.
///
/// # Errors
/// [`Misuse`] if there is no run. None is played now, or a lock cannot be read.
pub fn held_runs(directory: &Path) -> anyhow::Result<Vec<(PathBuf, String)>> {
    let runs = all_runs(directory);
    if runs.is_empty() {
        return Err(Misuse::hinted(
            format!("{}: there is no run in it", display_path(directory)),
            "give the directory of a run, of a cup or of a league",
        ));
    }
    let mut held = Vec::new();
    for LookedRun { path, .. } in runs {
        held.extend(lock::holder(&path)?.map(|who| (path, who)));
    }
    if held.is_empty() {
        bail!("{}: no process plays this run now", display_path(directory));
    }
    Ok(held)
}

/// The parts of a tournament that have begun in this directory, by their numbers.
pub fn parts(directory: &Path) -> Vec<LookedRun> {
    let mut all: Vec<LookedRun> = (Store::below(directory).into_iter())
        .filter(|path| has_begun(path))
        .filter_map(|path| Some(LookedRun { number: Some(number_of(&path)?), path }))
        .collect();
    all.sort_by_key(|part| part.number);
    all
}

/// The stages or nights that have begun in this directory, in their order, as they are stored.
///
/// # Errors
/// A database cannot be read.
pub fn stages(directory: &Path) -> anyhow::Result<Vec<(StageSpec, DerivedStage)>> {
    stages_in(&parts(directory).into_iter().map(|part| part.path).collect::<Vec<_>>())
}

/// Those that have begun in these directories, as they are stored.
///
/// # Errors
/// A database cannot be read.
pub(super) fn stages_in(paths: &[PathBuf]) -> anyhow::Result<Vec<(StageSpec, DerivedStage)>> {
    let stored = paths.iter().filter(|path| has_begun(path)).map(|path| Store::read(path)?.stage());
    Ok(stored.collect::<anyhow::Result<Vec<_>>>()?.into_iter().flatten().collect())
}

/// Whether a run has begun in this directory, or its database cannot be read.
pub(super) fn has_begun(path: &Path) -> bool {
    Store::is_in(path) && matches!(Store::seed_in(path), Ok(Some(_)) | Err(_))
}

/// What a directory of results can hold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    Run,
    Stages,
    Nights,
    Controls,
}

impl Layout {
    /// That of a directory of results with a run in this directory below it, or in itself.
    fn of(root: &Path, run: &Path) -> Option<Layout> {
        if run == root {
            return Some(Layout::Run);
        }
        let name = run.file_name()?.to_str()?;
        let is_numbered =
            |part: &str| name.strip_prefix(part).is_some_and(|rest| rest.parse::<u32>().is_ok());
        match PARTS.into_iter().find(|part| is_numbered(part)) {
            Some(NIGHT) => Some(Layout::Nights),
            Some(_) => Some(Layout::Stages),
            None => TimeControl::of_directory_name(name).map(|_| Layout::Controls),
        }
    }

    fn words(self) -> &'static str {
        match self {
            Layout::Run => "one run",
            Layout::Stages => "the stages of a cup",
            Layout::Nights => "the nights of a league",
            Layout::Controls => "runs at several time controls",
        }
    }
}

/// Refuses a directory of results that holds tournaments of another kind than the runs in these
/// directories: commands that look at it would take all of them for one.
///
/// # Errors
/// [`Misuse`] that names both kinds.
pub(crate) fn refuse_other_kind(root: &Path, runs: &[PathBuf]) -> anyhow::Result<()> {
    let Some(own) = runs.first().and_then(|run| Layout::of(root, run)) else { return Ok(()) };
    let there = if Store::is_in(root) { vec![root.to_owned()] } else { Vec::new() };
    let begun = |path: &PathBuf| matches!(Store::seed_in(path), Ok(Some(_)) | Err(_));
    let all = there.into_iter().chain(Store::below(root)).filter(begun);
    let Some(other) = all.filter_map(|run| Layout::of(root, &run)).find(|layout| *layout != own) else {
        return Ok(());
    };
    Err(Misuse::hinted(
        format!("{}: it holds {}, and these are {}", display_path(root), other.words(), own.words()),
        "write out = \"DIRECTORY\" into one of the two files, or give --out DIRECTORY",
    ))
}

/// The lines of several CSV tables with the same head as one table, with the number of each part in
/// a last column.
pub fn joined_csv(parts: &[(Option<usize>, String)]) -> String {
    let [(None, alone)] = parts else {
        let mut text = String::new();
        for (at, (number, part)) in parts.iter().enumerate() {
            for (line, row) in part.lines().enumerate().filter(|(line, _)| at == 0 || *line > 0) {
                let cell = if line == 0 { "stage".to_owned() } else { number.unwrap_or(0).to_string() };
                text.push_str(&format!("{row},{cell}\n"));
            }
        }
        return text;
    };
    alone.clone()
}
