//! Builds every submission of a folder, each in a box.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agon_printable::{clean_lines, escape};
use anyhow::Context;

use super::links;
use crate::config::{Confinement, Isolation, Misuse};
use crate::engine::build::{self, Bench, BuildFailure};
use crate::engine::program::display_path;
use crate::engine::{Scratch, sandbox, submission};
use crate::keeper::{Interrupted, RunContext};
use crate::schedule;

/// The result of building one submission.
pub struct BuildRow {
    /// Its folder, escaped.
    pub name: String,
    /// The kind of build: `Makefile`.
    pub by: &'static str,
    /// Why it is not built, in words for its author; `None` if it is.
    pub failure: Option<String>,
}

/// Builds the submission in each subfolder of `folder`, in the order of names, for at most `bound`
/// each. Calls `tell` before each build.
///
/// # Errors
/// [`Misuse`] if there is nothing to build; [`agon_sandbox::Unavailable`]; agon's own; or the user
/// has stopped it.
pub fn build_folder(
    folder: &Path,
    bound: Duration,
    context: &RunContext,
    tell: &(dyn Fn(&str) + Sync),
) -> anyhow::Result<Vec<BuildRow>> {
    let scratch = Scratch::create(&context.scratch).context(NO_DIRECTORY)?;
    let folders = submissions_in(folder)?;
    if folders.is_empty() {
        return Err(Misuse::hinted(
            format!("{}: the folder has no subfolder", display_path(folder)),
            "give the folder that contains one subfolder per submission",
        ));
    }
    schedule::aside(|| {
        let place = scratch.path().join("build");
        fs::create_dir(&place).context(NO_DIRECTORY)?;
        sandbox::available(&Confinement { level: Isolation::Sandbox, ..Confinement::default() }, &place)?;
        let build = |folder: &PathBuf| {
            let name = folder.file_name().map(|name| escape(name.as_encoded_bytes(), 60)).unwrap_or_default();
            tell(&format!("building {name} ..."));
            build_one(folder, name, &place, bound, context)
        };
        folders.iter().map(build).collect()
    })?
}

const NO_DIRECTORY: &str = "cannot make a directory to build in";

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

fn build_one(
    folder: &Path,
    name: String,
    place: &Path,
    bound: Duration,
    context: &RunContext,
) -> anyhow::Result<BuildRow> {
    let (by, result) = match links::stays_inside(folder).and_then(|()| submission::look(folder)) {
        Ok(found) => (found.by, build::make(&found, Bench::Boxed { place }, bound, &context.stop).map(drop)),
        Err(why) => ("", Err(why.into())),
    };
    let failure = match result {
        Ok(()) => None,
        Err(BuildFailure::Words(why)) => Some(clean_lines(&why)),
        Err(BuildFailure::Stopped) => return Err(Interrupted.into()),
        Err(BuildFailure::Ours(error)) => return Err(error).context("cannot build in a box"),
    };
    Ok(BuildRow { name, by, failure })
}
