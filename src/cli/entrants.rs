//! Engines from the paths and folders the user names: found, built and checked before the first game.

use std::path::Path;

use agon_games::Seat;
use anyhow::Context;

use super::{isolation, say};
use crate::config::{Misuse, Options};
use crate::engine::Scratch;
use crate::engine::build::{self, Bench, BuildFailure};
use crate::engine::folder::{self, Remark};
use crate::engine::program::{self, display_path};
use crate::engine::sandbox;
use crate::engine::spec::EngineSpec;
use crate::keeper::{Interrupted, RunContext};
use crate::referee;
use crate::run::Run;

/// The engine at a path, ready to be started.
pub(super) fn one(path: &Path, options: &Options, context: &RunContext) -> anyhow::Result<EngineSpec> {
    if !path.exists() && path.symlink_metadata().is_err() {
        return Err(Misuse::error(format!("{}: there is no such file", display_path(path))));
    }
    let engine = EngineSpec::at(path).map_err(Misuse::error)?;
    built(&engine, options, context, say)?.map_err(Misuse::error)?;
    program::check(&engine.program)
        .map_err(|why| Misuse::error(format!("{}: {why}", display_path(&engine.program))))?;
    Ok(engine)
}

/// The engines of a folder, ready to be started. `named`: the line of the file that names the folder. What is no engine is
/// told to `tell`.
pub(super) fn of_folder(
    path: &Path,
    named: Option<&str>,
    options: &Options,
    skip_broken: bool,
    context: &RunContext,
    mut tell: impl FnMut(&str),
) -> anyhow::Result<Vec<EngineSpec>> {
    let mut listing = folder::read(path).map_err(|error| {
        Misuse::error(format!("{}: cannot be read as a folder: {error}", display_path(path)))
    })?;
    for engine in std::mem::take(&mut listing.engines) {
        match built(&engine, options, context, &mut tell)? {
            Ok(()) => listing.engines.push(engine),
            Err(why) => listing.broken.push(Remark { what: display_path(&engine.source), why }),
        }
    }
    listing.check();
    for Remark { what, why } in &listing.skipped {
        tell(&format!("skipped {what}: {why}"));
    }
    if !listing.broken.is_empty() {
        let lines: Vec<String> = listing.broken.iter().map(line).collect();
        if !skip_broken {
            return Err(Misuse::error(format!(
                "{} of the engines cannot be started; mend or remove them, or leave them out with --skip-broken\n  {}",
                listing.broken.len(),
                lines.join("\n  ")
            )));
        }
        for line in lines {
            tell(&format!("left out {line}"));
        }
    }
    if listing.engines.len() < 2 {
        return Err(Misuse::error(format!(
            "{}{}: {} engine(s) found, and a tournament needs two; an engine is an executable file or a subfolder \
             with an engine.toml",
            named.map(|named| format!("{named}: ")).unwrap_or_default(),
            display_path(path),
            listing.engines.len()
        )));
    }
    Ok(listing.engines)
}

/// Builds an engine if it is due, and says so first: a build may take minutes.
fn built(
    engine: &EngineSpec,
    options: &Options,
    context: &RunContext,
    tell: impl FnMut(&str),
) -> anyhow::Result<Built> {
    if !build::is_due(engine) {
        return Ok(Ok(()));
    }
    at_a_bench(&engine.name, options, context, tell, |bench| build::build(engine, bench, &context.stop))
}

/// Words for the author of what cannot be built.
pub(super) type Built<T = ()> = Result<T, String>;

/// Builds something: whose engines are to be kept in a box, theirs are built in one too.
pub(super) fn at_a_bench<T: Send>(
    name: &str,
    options: &Options,
    context: &RunContext,
    mut tell: impl FnMut(&str),
    make: impl FnOnce(Bench<'_>) -> Result<T, BuildFailure> + Send,
) -> anyhow::Result<Built<T>> {
    tell(&format!("building {name} ..."));
    let asked = options.confinement()?;
    let made = if asked.level.is_boxed() {
        let scratch = Scratch::create(&context.scratch).context("cannot make a directory to build in")?;
        let place = scratch.path().join("build");
        std::fs::create_dir(&place).context("cannot make a directory to build in")?;
        sandbox::available(&asked, &place)?;
        let bench = Bench::Boxed { place: &place };
        super::aside(|| make(bench))?
    } else {
        make(Bench::Open)
    };
    match made {
        Ok(made) => Ok(Ok(made)),
        Err(BuildFailure::Words(why)) => Ok(Err(why)),
        Err(BuildFailure::Stopped) => Err(Interrupted.into()),
        Err(BuildFailure::Ours(error)) => Err(error).context("cannot build in a box"),
    }
}

fn line(remark: &Remark) -> String {
    // What comes from reading an engine.toml names its file already.
    if remark.why.starts_with(&remark.what) {
        remark.why.clone()
    } else {
        format!("{}: {}", remark.what, remark.why)
    }
}

/// Fills in every engine's arguments once, so that a slip in one is found before the first game, and sees that they
/// can be confined as was asked.
pub(super) fn arguments(run: &Run, context: &RunContext) -> anyhow::Result<()> {
    let scratch = Scratch::create(&context.scratch)?;
    for engine in &run.entrants {
        try_arguments(run, engine, &scratch)?;
    }
    isolation::check(run, &scratch)
}

/// Fills in the arguments of one engine.
pub(super) fn try_arguments(run: &Run, engine: &EngineSpec, scratch: &Scratch) -> anyhow::Result<()> {
    let own = scratch.directory("", "", Vec::new())?;
    let rules = run.rules.as_ref();
    let game = run.openings.begin(rules, run.seed, 1);
    referee::setup(rules, engine, Seat::FIRST, run.control, &own, &run.confinement, game.as_ref())
        .map_err(Misuse::error)?;
    Ok(())
}
