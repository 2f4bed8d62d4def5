//! Before the first game: whether engines can be confined as was asked; and a word to root.

use agon_games::Seat;
use anyhow::Context;

use crate::config::{Confinement, Isolation, Misuse, Size};
use crate::engine::{Scratch, program, sandbox};
use crate::keeper::RunContext;
use crate::run::Run;

/// What a file in a box takes up a multiple of.
const PAGE: u64 = 4096;

/// Sees that the level of a run is available, for each of its engines.
pub(super) fn check(run: &Run, scratch: &Scratch) -> anyhow::Result<()> {
    let level = run.confinement.level;
    let empty = scratch.directory("", "", Vec::new())?;
    sandbox::available(&run.confinement, empty.path())?;
    if !level.is_boxed() {
        return Ok(());
    }
    files_fit(run, scratch)?;
    guards_hold(level, scratch)?;
    let shut: Vec<String> = run
        .entrants
        .iter()
        .filter_map(|engine| {
            let why = sandbox::admits(engine).err()?;
            Some(format!("{}: {why}", program::display_path(&engine.source)))
        })
        .collect();
    if shut.is_empty() { Ok(()) } else { Err(Misuse::error(shut.join("\n  "))) }
}

/// Sees that the files of the game leave an engine room in its box.
fn files_fit(run: &Run, scratch: &Scratch) -> anyhow::Result<()> {
    let game = run.openings.begin(run.rules.as_ref(), run.seed, 1);
    let own = scratch.directory("", &game.view(Seat::FIRST), run.rules.supplies())?;
    let files: Vec<u64> = std::fs::read_dir(own.path())?
        .map(|entry| Ok(entry?.metadata()?.len()))
        .collect::<std::io::Result<_>>()?;
    // Memory is given by the page.
    let needed: u64 = files.iter().map(|size| size.next_multiple_of(PAGE)).sum();
    if run.confinement.disk >= needed {
        return Ok(());
    }
    Err(Misuse::error(format!(
        "--disk {}: the files of the game do not fit into it; give at least --disk {}",
        Size(run.confinement.disk),
        Size(needed)
    )))
}

/// Sees the same for engines that are only tried.
pub(super) fn are_in_force(run: &Run, kept: &RunContext) -> anyhow::Result<()> {
    check(run, &Scratch::create(&kept.scratch).context("cannot make a directory to try the level in")?)
}

/// Sees that a level is available at all, before anything is done for it.
pub(super) fn is_available(asked: &Confinement, kept: &RunContext) -> anyhow::Result<()> {
    let scratch = Scratch::create(&kept.scratch).context("cannot make a directory to try the level in")?;
    let empty = scratch.directory("", "", Vec::new())?;
    Ok(sandbox::available(asked, empty.path())?)
}

/// Sees that a box keeps from an engine what it promises, by trying it.
fn guards_hold(level: Isolation, scratch: &Scratch) -> anyhow::Result<()> {
    let place = scratch.path().join("guards");
    std::fs::create_dir(&place).context("cannot make a directory to try the guards in")?;
    let breaches = agon_sandbox::breaches(level, &place).context("cannot try the guards of the level")?;
    if breaches.is_empty() {
        return Ok(());
    }
    let words: Vec<String> =
        breaches.iter().map(|(what, guard)| format!("an engine could {what} ({guard})")).collect();
    Err(agon_sandbox::Unavailable {
        level,
        why: words.join("; "),
        remedy: format!("agon doctor --level {level} says more"),
    }
    .into())
}

/// Tells, when everything else is in order, what a level is less here, and root what engines can do.
pub(super) fn warn(run: &Run) {
    let level = run.confinement.level;
    if let Some(what) = sandbox::goes_without(level) {
        super::say(&format!("warning: {what}; --isolation {level} is less here than on Linux"));
    }
    if level < Isolation::Sandbox && rustix::process::geteuid().is_root() {
        super::say(&format!(
            "warning: engines run with the powers of root at --isolation {level}; use --isolation sandbox, or another user"
        ));
    }
}
