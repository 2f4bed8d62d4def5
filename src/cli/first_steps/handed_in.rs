//! Submissions on the command line of their authors: taken, built and played as a grading does it.

use std::path::Path;
use std::time::Duration;

use agon_class::{TakenSubmission, is_submission, take_at_home};
use agon_config::{Misuse, Options};
use agon_match::keeper::RunContext;
use agon_programs::machine_fault::NoEngine;
use agon_programs::program::display_path;
use agon_programs::spec::EngineSpec;
use agon_sandbox::Isolation;
use agon_tournament::entrants::{EngineBuilder, isolation};

/// The most time for a build, as in a grading.
const BOUND: Duration = Duration::from_secs(60);

/// Whether a path names a submission. Then it is built and played in a box, unless the options name
/// another level: they get the level.
pub(crate) fn is_handed_in(path: &Path, graded: bool, options: &mut Options) -> bool {
    let is_one = graded || is_submission(path);
    if is_one {
        options.isolation.get_or_insert(Isolation::Sandbox);
    }
    is_one
}

/// What a grading would make of a submission: the submission of this number in a run, from 1.
///
/// # Errors
/// [`Misuse`] if there is no such file; [`agon_sandbox::Unavailable`] if there is no box;
/// [`agon_programs::machine_fault::MachineFault`] if this machine cannot build it.
pub(crate) fn taken(
    path: &Path,
    number: u32,
    options: &Options,
    context: &RunContext,
) -> anyhow::Result<TakenSubmission> {
    if !path.exists() {
        let what = format!("{}: there is no such file", display_path(path));
        return Err(Misuse::hinted(what, "give an archive, a folder or a source file"));
    }
    let confinement = options.confinement()?;
    isolation::is_available(&confinement, context)?;
    let builder = EngineBuilder { context, confinement, tell: &crate::cli::say };
    let to = context.beside(number);
    let taken = take_at_home(path, &to, BOUND, &builder)?;
    match taken.engine {
        Err(NoEngine::Machine(fault)) => Err(fault.into()),
        engine => Ok(TakenSubmission { engine, ..taken }),
    }
}

/// The engine of a submission that is to play.
///
/// # Errors
/// As [`taken`]; or [`Misuse`] if there is none.
pub(crate) fn engine(
    path: &Path,
    number: u32,
    options: &Options,
    context: &RunContext,
) -> anyhow::Result<EngineSpec> {
    let taken = taken(path, number, options, context)?;
    let shown = display_path(path);
    let engine = taken.engine.map_err(|why| {
        Misuse::hinted(format!("{shown}: {why}"), format!("agon check {shown} shows the output of its build"))
    })?;
    let remark = taken.remark.map(|remark| format!("; {remark}")).unwrap_or_default();
    crate::cli::say(&format!("{shown} is taken as {}{remark}", taken.taken_as));
    Ok(engine)
}
