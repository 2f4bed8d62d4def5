//! Finds engines before the first game that refuse it in the handshake of their protocol.

use std::time::Duration;

use agon_games::{PerSeat, Seat};
use anyhow::Context;

use crate::config::Misuse;
use crate::engine::program::display_path;
use crate::engine::protocol::Protocol;
use crate::engine::spec::EngineSpec;
use crate::engine::{Fault, Patience, Scratch, Trouble};
use crate::hosted::{HostedRules, hosted};
use crate::keeper::{Interrupted, RunContext};
use crate::openings::Opening;
use crate::record::{Cause, GameId, REFUSED};
use crate::referee::{Engines, GameOrder, HostedEngines, Seating, with_last_words};
use crate::run::Run;
use crate::schedule;

/// How often a handshake is tried again that the machine has spoilt.
const SPOILT: u32 = 3;

/// Goes through the handshake of an engine, if it can refuse a game there, and ends it again. Returns why
/// it cannot play the games of the run, if it cannot. An engine of Gomocup that does not accept the usual
/// line ends is tried with the others, and keeps these for the run.
///
/// # Errors
/// agon's own, or the run is to stop.
pub fn refusal(
    run: &Run,
    engine: &EngineSpec,
    scratch: &Scratch,
    context: &RunContext,
) -> anyhow::Result<Option<Misuse>> {
    if !engine.protocol.may_refuse() {
        return Ok(None);
    }
    let Some(first) = handshake(run, engine, scratch, context)? else { return Ok(None) };
    let fault = match &engine.protocol {
        Protocol::Gomocup(settings) if may_be_newline(first.cause) && settings.try_other_newline() => {
            let Some(second) = handshake(run, engine, scratch, context)? else { return Ok(None) };
            settings.take_back();
            second
        }
        _ => first,
    };
    let (place, why) = (display_path(&engine.source), &fault.why);
    Ok(Some(match why.strip_prefix(REFUSED) {
        Some(why) => Misuse {
            what: format!("{place}: the engine cannot play {}: {why}", run.rules.spec()),
            hint: Some("give a game that it plays with --game, or leave this engine out".to_owned()),
        },
        // The line ends are known only of an engine that has answered.
        None if matches!(engine.protocol, Protocol::Gomocup(_)) => {
            Misuse { what: format!("{place}: {why}"), hint: Some(hint(fault.cause, engine)) }
        }
        // The games tell what else is wrong.
        None => return Ok(None),
    }))
}

/// What to do for an engine that does not answer `START`.
fn hint(cause: Cause, engine: &EngineSpec) -> String {
    let flushes = match cause {
        Cause::TimeForfeit if engine.pty => " and flushes stdout after each line",
        Cause::TimeForfeit => {
            " and flushes stdout after each line (with pty = true in its engine.toml many programs do)"
        }
        _ => "",
    };
    format!("see that it speaks the protocol gomocup{flushes}, or leave this engine out")
}

/// Whether an engine may have failed because of the ends of its lines.
fn may_be_newline(cause: Cause) -> bool {
    matches!(cause, Cause::StartFailed | Cause::Crash | Cause::ClosedOutput)
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

/// The same once in a game of a referee program, whose referee is not needed for it.
fn hosted_handshake(
    run: &Run,
    rules: &HostedRules,
    engine: &EngineSpec,
    scratch: &Scratch,
    context: &RunContext,
) -> std::io::Result<Result<(), Trouble>> {
    let seats = rules.seat_count();
    let order = GameOrder {
        id: GameId { round: 1, pairing: 1, game: 1 },
        rules,
        seed: run.seed,
        engines: PerSeat::from_fn(seats, |_| engine),
        controls: PerSeat::from_fn(seats, |_| run.control_of(engine)),
        margin: run.margin,
        lags: PerSeat::from_fn(seats, |_| None),
        bank: Duration::ZERO,
        max_plies: None,
        adjudicator: None,
        limits: run.limits(context),
        scratch,
        opening: None,
    };
    let mut engines = HostedEngines::new(&order, rules)?;
    let ready = engines.ready(Seat::FIRST);
    engines.end(if ready.is_ok() { Patience::All } else { Patience::AllBut(Seat::FIRST) });
    Ok(ready)
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
        if let Some(hosted) = hosted(rules) {
            return hosted_handshake(run, hosted, engine, scratch, context);
        }
        let Opening { game, moves } = run.openings.begin(rules, run.seed, 1);
        let seating = Seating {
            rules,
            engines: PerSeat::from_fn(seats, |seat| (seat == Seat::FIRST).then_some(engine)),
            controls: PerSeat::from_fn(seats, |_| run.control_of(engine)),
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
