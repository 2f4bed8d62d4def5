//! Sees before the first game that engines accept it, where their protocol lets them refuse it.

use agon_games::{PerSeat, Seat};
use anyhow::Context;

use crate::config::Misuse;
use crate::engine::program::display_path;
use crate::engine::protocol::Protocol;
use crate::engine::spec::EngineSpec;
use crate::engine::{Fault, Patience, Scratch, Trouble};
use crate::keeper::{Interrupted, RunContext};
use crate::openings::Opening;
use crate::record::{Cause, REFUSED};
use crate::referee::{Engines, Seating, with_last_words};
use crate::run::Run;
use crate::schedule;

/// How often a handshake is tried again that the machine has spoilt.
const SPOILT: u32 = 3;

/// Goes through the handshake of an engine of Gomocup and ends it again. One that does not accept the
/// usual line ends is tried with the others, and keeps these for the run.
///
/// # Errors
/// [`Misuse`], with what it answered; or the run is to stop.
pub fn greet(run: &Run, engine: &EngineSpec, scratch: &Scratch, context: &RunContext) -> anyhow::Result<()> {
    let Protocol::Gomocup(settings) = &engine.protocol else { return Ok(()) };
    let Some(first) = handshake(run, engine, scratch, context)? else { return Ok(()) };
    let may_be_newline = matches!(first.cause, Cause::StartFailed | Cause::Crash | Cause::ClosedOutput);
    let fault = if may_be_newline && settings.try_other_newline() {
        let Some(second) = handshake(run, engine, scratch, context)? else { return Ok(()) };
        settings.take_back();
        second
    } else {
        first
    };
    Err(Misuse::hinted(
        format!(
            "{}: {}",
            display_path(&engine.source),
            fault.why.strip_prefix(REFUSED).unwrap_or(&fault.why)
        ),
        match fault.cause {
            Cause::StartFailed => "give a game that it plays with --game, or leave this engine out",
            _ => "see that it speaks the protocol gomocup, or leave this engine out",
        },
    ))
}

/// The fault of an engine in its handshake, if there is one. A handshake that the machine has spoilt is
/// tried again.
fn handshake(
    run: &Run,
    engine: &EngineSpec,
    scratch: &Scratch,
    context: &RunContext,
) -> anyhow::Result<Option<Fault>> {
    for _ in 0..SPOILT {
        if let Ok(fault) = handshake_once(run, engine, scratch, context)? {
            return Ok(fault);
        }
    }
    handshake_once(run, engine, scratch, context)?.context("the engine could not be tried")
}

/// The same once; the inner error is ours.
fn handshake_once(
    run: &Run,
    engine: &EngineSpec,
    scratch: &Scratch,
    context: &RunContext,
) -> anyhow::Result<std::io::Result<Option<Fault>>> {
    let rules = run.rules.as_ref();
    let seats = rules.seats().len();
    let greeted = schedule::aside(|| -> std::io::Result<_> {
        let Opening { game, moves } = run.openings.begin(rules, run.seed, 1);
        let seating = Seating {
            rules,
            engines: PerSeat::from_fn(seats, |seat| (seat == Seat::FIRST).then_some(engine)),
            controls: PerSeat::from_fn(seats, |_| run.control),
            limits: run.limits(context),
            scratch,
            opening: moves,
        };
        let mut engines = Engines::start(seating, game.as_ref(), None)?;
        let ready = engines.ready(Seat::FIRST);
        let patience = if ready.is_ok() { Patience::All } else { Patience::AllBut(Seat::FIRST) };
        let seen = engines.end(patience, None);
        Ok(ready.map_err(|trouble| match trouble {
            Trouble::Fault(fault) if fault.cause == Cause::Crash => {
                Trouble::Fault(Fault { why: with_last_words(fault.why, &seen[Seat::FIRST].stderr), ..fault })
            }
            other => other,
        }))
    })?;
    match greeted.context("the engine could not be tried")? {
        Ok(()) => Ok(Ok(None)),
        Err(Trouble::Fault(fault)) => Ok(Ok(Some(fault))),
        Err(Trouble::Stopped) => Err(Interrupted.into()),
        Err(Trouble::Ours(error)) => Ok(Err(error)),
    }
}
