//! Engines from the paths and folders the user names: found, built and checked before the first game.

use std::io::Write;
use std::path::Path;

use super::isolation;
use super::workplace::Workplace;
use crate::config::{Confinement, Misuse};
use crate::engine::Scratch;
use crate::engine::build;
use crate::engine::folder::{self, Remark};
use crate::engine::program::{self, shown};
use crate::engine::spec::EngineSpec;
use crate::game::{Rules, Seat};
use crate::keeper::Kept;
use crate::referee;
use crate::run::Run;

/// The engine at a path, ready to be started.
pub(super) fn one(path: &Path, confinement: &Confinement, kept: &Kept) -> anyhow::Result<EngineSpec> {
    if !path.exists() && path.symlink_metadata().is_err() {
        return Err(Misuse::error(format!("{}: there is no such file", shown(path))));
    }
    let engine = EngineSpec::at(path).map_err(Misuse::error)?;
    let source = shown(&engine.source);
    built(&engine, confinement, kept, say)?.map_err(|why| Misuse::error(format!("{source}: {why}")))?;
    program::check(&engine.program)
        .map_err(|why| Misuse::error(format!("{}: {why}", shown(&engine.program))))?;
    Ok(engine)
}

/// The engines of a folder, ready to be started. `named`: the line of the file that names the folder. What is no engine is
/// told to `tell`.
pub(super) fn of_folder(
    path: &Path,
    named: Option<&str>,
    confinement: &Confinement,
    skip_broken: bool,
    kept: &Kept,
    mut tell: impl FnMut(&str),
) -> anyhow::Result<Vec<EngineSpec>> {
    let mut listing = folder::read(path)
        .map_err(|error| Misuse::error(format!("{}: cannot be read as a folder: {error}", shown(path))))?;
    for engine in std::mem::take(&mut listing.engines) {
        match built(&engine, confinement, kept, &mut tell)? {
            Ok(()) => listing.engines.push(engine),
            Err(why) => listing.broken.push(Remark { what: shown(&engine.source), why }),
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
            shown(path),
            listing.engines.len()
        )));
    }
    Ok(listing.engines)
}

/// Builds an engine if it is due, and says so first: a build may take minutes. Gives why it could not be built.
fn built(
    engine: &EngineSpec,
    confinement: &Confinement,
    kept: &Kept,
    mut tell: impl FnMut(&str),
) -> anyhow::Result<Result<(), String>> {
    if !build::is_due(engine) {
        return Ok(Ok(()));
    }
    tell(&format!("building {} ...", engine.name));
    Workplace::of(confinement, kept)?.engine(engine)
}

/// One line for whoever watches.
fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}"); // a closed stderr has no readers
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
pub(super) fn arguments(run: &Run, kept: &Kept) -> anyhow::Result<()> {
    let scratch = Scratch::create(&kept.scratch)?;
    try_arguments(run.rules.as_ref(), &run.entrants, run, &scratch)?;
    isolation::check(run, &scratch)
}

fn try_arguments(
    rules: &dyn Rules,
    entrants: &[EngineSpec],
    run: &Run,
    scratch: &Scratch,
) -> anyhow::Result<()> {
    let own = scratch.directory("", "", Vec::new())?;
    for engine in entrants {
        referee::setup(rules, engine, Seat::FIRST, run.control, &own, &run.confinement, "")
            .map_err(Misuse::error)?;
    }
    Ok(())
}
