//! Checks before the first game that the isolation level works.

use agon_config::{Confinement, Misuse, Size};
use agon_match::hosted::GameRules;
use agon_match::keeper::RunContext;
use agon_match::openings::Opening;
use agon_match::processes::Scratch;
use agon_match::referee;
use agon_programs::{hidden, program, sandbox, widening};
use agon_protocol::Start;
use agon_sandbox::Isolation;
use agon_seats::Seat;
use anyhow::Context;

use crate::run::Run;

/// The size of a file in a box is rounded up to a multiple of this.
const PAGE: u64 = 4096;

/// Checks that the level of a run is available for each of its engines.
///
/// # Errors
/// [`agon_sandbox::Unavailable`]; [`Misuse`], which names the engine or the option.
pub fn check(run: &Run, scratch: &Scratch) -> anyhow::Result<()> {
    let level = run.terms.confinement.level;
    let empty = scratch.directory("", "", Vec::new())?;
    sandbox::available(&run.terms.confinement, empty.path())?;
    if let Some(engine) = run.entrants.iter().find(|engine| engine.elsewhere.is_some()) {
        sandbox::available(&engine.confinement(&run.terms.confinement), empty.path())?;
    }
    if !level.is_boxed() {
        return Ok(());
    }
    hides_the_rest(run, scratch)?;
    files_fit(run, scratch)?;
    guards_hold(level, scratch)?;
    let shut: Vec<String> = run
        .entrants
        .iter()
        .filter(|engine| engine.elsewhere.is_none())
        .filter_map(|engine| {
            let why = sandbox::admits(engine).err()?;
            Some(format!("{}: {why}", program::display_path(&engine.source)))
        })
        .collect();
    if shut.is_empty() { Ok(()) } else { Err(Misuse::error(shut.join("\n  "))) }
}

/// Checks that `--show` opens neither an engine nor the files of games to engines.
fn hides_the_rest(run: &Run, scratch: &Scratch) -> anyhow::Result<()> {
    for engine in &run.entrants {
        run.terms.confinement.hides(&engine.source, &format!("the engine {}", engine.name))?;
    }
    run.terms.confinement.hides(scratch.path(), "the files of games in play")
}

/// What is said before the first game of engines whose boxes lack what starts them. They lose their
/// games, so it is no error.
fn not_startable(run: &Run) -> Vec<String> {
    if !run.terms.confinement.level.is_boxed() {
        return Vec::new();
    }
    let boxed = run.entrants.iter().filter(|engine| engine.elsewhere.is_none());
    let lacks = boxed.filter_map(|engine| {
        let manifest = referee::manifest(engine, &run.terms.confinement);
        let why = hidden::why(&engine.program, &|path| manifest.reaches(path))?;
        Some(format!("warning: {} cannot be started: {why}", engine.name))
    });
    lacks.collect()
}

/// Checks that the files of the game leave an engine space in its box.
fn files_fit(run: &Run, scratch: &Scratch) -> anyhow::Result<()> {
    let (board, files) = match &run.rules {
        GameRules::BuiltIn(rules) => {
            let rules = rules.as_ref();
            let Opening { game, moves } = run.openings.begin(rules, run.seed, 1);
            let start = Start::new(rules, game.as_ref(), Seat::FIRST, moves.as_deref());
            let files = referee::files(rules, &start);
            (start.board, files)
        }
        GameRules::Hosted(_) => (String::new(), Vec::new()),
    };
    let own = scratch.directory("", &board, files)?;
    let files: Vec<u64> = std::fs::read_dir(own.path())?
        .map(|entry| Ok(entry?.metadata()?.len()))
        .collect::<std::io::Result<_>>()?;
    // Memory is given out in pages.
    let needed: u64 = files.iter().map(|size| size.next_multiple_of(PAGE)).sum();
    if run.terms.confinement.disk >= needed {
        return Ok(());
    }
    Err(Misuse::hinted(
        format!("--disk {}: the files of the game are larger", Size(run.terms.confinement.disk)),
        format!("give at least --disk {}", Size(needed)),
    ))
}

/// Checks the same for engines that are only tried.
///
/// # Errors
/// As [`check`].
pub fn are_in_force(run: &Run, context: &RunContext) -> anyhow::Result<()> {
    check(run, &Scratch::create(&context.scratch).context("cannot make a directory to try the level in")?)
}

/// Why the level `strict` is not available on this machine; `None` if it is.
pub fn why_not_strict(asked: &Confinement, context: &RunContext) -> Option<String> {
    let strict = Confinement { level: Isolation::Strict, ..asked.clone() };
    is_available(&strict, context).err().map(|why| format!("{why:#}"))
}

/// Checks that a level is available, before any other work.
///
/// # Errors
/// [`agon_sandbox::Unavailable`].
pub fn is_available(asked: &Confinement, context: &RunContext) -> anyhow::Result<()> {
    let scratch = Scratch::create(&context.scratch).context("cannot make a directory to try the level in")?;
    let empty = scratch.directory("", "", Vec::new())?;
    Ok(sandbox::available(asked, empty.path())?)
}

/// Checks the guards of a box by small attacks.
fn guards_hold(level: Isolation, scratch: &Scratch) -> anyhow::Result<()> {
    let place = scratch.path().join("guards");
    std::fs::create_dir(&place).context("cannot make a directory to try the guards in")?;
    let mut breaches = agon_sandbox::breaches(level, &place).context("cannot try the guards of the level")?;
    let wishes = widening::breaches(&place).context("cannot try the guards of the level")?;
    breaches.extend(wishes.into_iter().map(|what| (what, "manifest")));
    if breaches.is_empty() {
        return Ok(());
    }
    let words: Vec<String> =
        breaches.iter().map(|(what, guard)| format!("an engine could {what} ({guard})")).collect();
    Err(agon_sandbox::Unavailable {
        level,
        why: words.join("; "),
        remedy: format!("see agon doctor --level {level}"),
    }
    .into())
}

/// Warnings about a weaker level on other systems, and about engines that run as root.
pub fn warnings(run: &Run) -> Vec<String> {
    let level = run.terms.confinement.level;
    let less = agon_sandbox::goes_without(level)
        .map(|what| format!("warning: {what}; --isolation {level} promises less here than on Linux"));
    let is_open_to_root = level < Isolation::Sandbox && rustix::process::geteuid().is_root();
    let root = is_open_to_root.then(|| {
        format!(
            "warning: engines run with the powers of root at --isolation {level}; use --isolation sandbox, or another user"
        )
    });
    let open = run.entrants.iter().filter(|engine| engine.elsewhere.is_some() && level.is_boxed());
    let open: Vec<&str> = open.map(|engine| engine.name.as_str()).collect();
    let elsewhere = (!open.is_empty() && rustix::process::geteuid().is_root()).then(|| {
        format!(
            "warning: the commands of {} run with the powers of root, outside of any box, because of --elsewhere",
            open.join(", ")
        )
    });
    less.into_iter().chain(root).chain(elsewhere).chain(not_startable(run)).collect()
}
