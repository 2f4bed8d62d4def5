//! Builds every submission of a folder, each in a box.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agon_config::{Confinement, Misuse};
use agon_match::keeper::RunContext;
use agon_printable::{clean_lines, escape};
use agon_programs::build::{self, Bench, BuildFailure};
use agon_programs::machine_fault::NoEngine;
use agon_programs::program::display_path;
use agon_programs::submission;
use agon_tournament::entrants::{Built, EngineBuilder};

use super::links;

/// The result of building one submission.
pub struct BuildRow {
    /// Its folder, escaped.
    pub name: String,
    /// The kind of build: `Makefile`.
    pub by: &'static str,
    /// Why it is not built; `None` if it is.
    pub failure: Option<NoEngine>,
}

/// Builds the submission in each subfolder of `folder`, several at once, for at most `bound` each,
/// in boxes with this confinement. Returns a row for each, in the order of names. Calls `tell`
/// before each build.
///
/// # Errors
/// [`Misuse`] if there is nothing to build; `agon_sandbox::Unavailable`; agon's own; or the user
/// has stopped it.
pub fn build_folder(
    folder: &Path,
    bound: Duration,
    confinement: Confinement,
    context: &RunContext,
    tell: &(dyn Fn(&str) + Sync),
) -> anyhow::Result<Vec<BuildRow>> {
    let folders = submissions_in(folder)?;
    confinement.hides(folder, "submissions")?;
    if folders.is_empty() {
        return Err(Misuse::hinted(
            format!("{}: the folder has no subfolder", display_path(folder)),
            "give the folder that contains one subfolder per submission",
        ));
    }
    let name = |folder: &PathBuf| {
        folder.file_name().map(|name| escape(name.as_encoded_bytes(), 60)).unwrap_or_default()
    };
    let jobs: Vec<(String, PathBuf)> = folders.into_iter().map(|folder| (name(&folder), folder)).collect();
    let builder = EngineBuilder { context, confinement, tell };
    let built = builder.build_all(&jobs, |folder, bench| build_one(folder, bench, bound, context))?;
    let row = |((name, _), built): (_, Built<(&'static str, Option<NoEngine>)>)| {
        let (by, failure) = built.unwrap_or_else(|why| ("", Some(why)));
        BuildRow { name, by, failure }
    };
    Ok(jobs.into_iter().zip(built).map(row).collect())
}

/// The subfolders that are not hidden. Links to folders too, so that they are refused by name.
fn submissions_in(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let is_hidden =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    let mut folders: Vec<PathBuf> = fs::read_dir(folder)
        .map_err(|error| {
            let what = format!("{}: cannot be read as a folder: {error}", display_path(folder));
            Misuse::hinted(what, "give the folder that contains the submissions")
        })?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_dir() && !is_hidden(path))
        .collect();
    folders.sort();
    Ok(folders)
}

/// The kind of build, and why it failed.
fn build_one(
    folder: &Path,
    bench: Bench<'_>,
    bound: Duration,
    context: &RunContext,
) -> Result<(&'static str, Option<NoEngine>), BuildFailure> {
    links::stays_inside(folder)?;
    let found = submission::look(folder)?;
    match build::make(&found, bench, bound, &context.stop) {
        Ok(made) => Ok((made.by, None)),
        Err(BuildFailure::NoEngine(why)) => {
            Ok((found.ways[0].by, Some(why.map_words(|words| clean_lines(&words)))))
        }
        Err(BuildFailure::Stopped) => Err(BuildFailure::Stopped),
    }
}
