//! Finds engines before the first game that refuse it in the handshake of their protocol.

use std::time::Duration;

use agon_games::{PerSeat, Seat};
use anyhow::Context;

use crate::config::Misuse;
use crate::engine::program::display_path;
use crate::engine::protocol::Protocol;
use crate::engine::protocol::ugi_words::UgiWords;
use crate::engine::spec::EngineSpec;
use crate::engine::{Fault, Limits, Patience, Scratch, Trouble};
use crate::hosted::{HostedRules, hosted};
use crate::keeper::{Interrupted, RunContext};
use crate::openings::Opening;
use crate::record::{Cause, GameId, REFUSED};
use crate::referee::{Engines, GameOrder, HostedEngines, Seating, with_last_words};
use crate::run::Run;
use crate::schedule;

/// How often a handshake is tried again that the machine has spoilt.
const SPOILT: u32 = 3;
/// How long an engine that does not answer its greeting may take to answer that of a relative.
const RELATIVE: Duration = Duration::from_secs(3);

/// Why an engine cannot play, as its handshake shows.
#[derive(Debug)]
pub struct HandshakeRefusal {
    /// What to tell the user.
    pub misuse: Misuse,
    /// Whether it has never answered.
    pub is_silence: bool,
}

/// Goes through the handshake of an engine, if its protocol has one that can fail, and ends it again.
/// Returns why it cannot play the games of the run, if it cannot. An engine of Gomocup that does not
/// accept the usual line ends is tried with the others, and keeps these for the run. An engine of UGI
/// or of a relative that does not answer is greeted in the words of the others. Faults that may not
/// come again, such as a crash, are left to the games.
///
/// # Errors
/// agon's own, or the run is to stop.
pub fn refusal(
    run: &Run,
    engine: &EngineSpec,
    scratch: &Scratch,
    context: &RunContext,
) -> anyhow::Result<Option<HandshakeRefusal>> {
    if !engine.protocol.may_refuse() {
        return Ok(None);
    }
    let handshake = |engine: &EngineSpec, limits: Limits| handshake(run, engine, &limits, scratch);
    let limits = run.limits(context);
    let Some(first) = handshake(engine, limits.clone())? else { return Ok(None) };
    if engine.protocol.is_ugi() {
        for other in relatives(engine) {
            let limits = Limits { startup: limits.startup.min(RELATIVE), ..limits.clone() };
            if handshake(&other, limits)?.is_none() {
                let misuse = speaks(engine, &other.protocol);
                return Ok(Some(HandshakeRefusal { misuse, is_silence: false }));
            }
        }
    }
    let fault = match &engine.protocol {
        Protocol::Gomocup(settings) if may_be_newline(first.cause) && settings.try_other_newline() => {
            let Some(second) = handshake(engine, limits)? else { return Ok(None) };
            settings.take_back();
            second
        }
        _ => first,
    };
    let (place, why) = (display_path(&engine.source), &fault.why);
    let is_silence = fault.cause == Cause::TimeForfeit;
    let misuse = match why.strip_prefix(REFUSED) {
        Some(why) => Misuse {
            what: format!("{place}: the engine cannot play {}: {why}", run.rules.spec()),
            hint: Some("give a game that it plays with --game, or leave this engine out".to_owned()),
        },
        // An engine that never answers speaks another protocol, or holds back what it writes. The line
        // ends of Gomocup are known only of an engine that has answered.
        None if is_silence || matches!(engine.protocol, Protocol::Gomocup(_)) => {
            Misuse { what: format!("{place}: {why}"), hint: Some(hint(fault.cause, engine)) }
        }
        // The games tell what else is wrong.
        None => return Ok(None),
    };
    Ok(Some(HandshakeRefusal { misuse, is_silence }))
}

/// An engine of UGI or of a relative, as if it spoke each of the others. None if it has a greeting of
/// its own.
fn relatives(engine: &EngineSpec) -> Vec<EngineSpec> {
    let usual = UgiWords::usual(&engine.protocol);
    if engine.words.greeting != usual.greeting || engine.words.ok != usual.ok {
        return Vec::new();
    }
    let others = [Protocol::Uci, Protocol::Ugi, Protocol::Tei, Protocol::Uai].into_iter();
    others
        .filter(|other| *other != engine.protocol)
        .map(|other| EngineSpec { words: UgiWords::usual(&other), protocol: other, ..engine.clone() })
        .collect()
}

/// Why an engine cannot play that speaks another relative of UGI than its file says.
fn speaks(engine: &EngineSpec, other: &Protocol) -> Misuse {
    let (place, own, other) = (display_path(&engine.source), engine.protocol.name(), other.name());
    Misuse {
        what: format!(
            "{place}: the engine does not answer the greeting of {own}, and answers that of {other}"
        ),
        hint: Some(format!("write protocol = \"{other}\" into its engine.toml, or leave this engine out")),
    }
}

/// What to do for an engine that does not answer in its handshake.
fn hint(cause: Cause, engine: &EngineSpec) -> String {
    let flushes = match cause {
        Cause::TimeForfeit if engine.pty => " and flushes stdout after each line",
        Cause::TimeForfeit => {
            " and flushes stdout after each line (with pty = true in its engine.toml many programs do)"
        }
        _ => "",
    };
    let protocol = engine.protocol.name();
    format!("see that it speaks the protocol {protocol}{flushes}, or leave this engine out")
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
    limits: &Limits,
    scratch: &Scratch,
) -> anyhow::Result<Option<Fault>> {
    for _ in 0..SPOILT {
        if let Ok(fault) = handshake_once(run, engine, limits, scratch)? {
            return Ok(fault);
        }
    }
    handshake_once(run, engine, limits, scratch)?.context("the engine could not be tried")
}

/// The same once in a game of a referee program, whose referee is not needed for it.
fn hosted_handshake(
    run: &Run,
    rules: &HostedRules,
    engine: &EngineSpec,
    limits: &Limits,
    scratch: &Scratch,
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
        limits: limits.clone(),
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
    limits: &Limits,
    scratch: &Scratch,
) -> anyhow::Result<std::io::Result<Option<Fault>>> {
    let rules = run.rules.as_ref();
    let seats = rules.seats().len();
    let greeted = schedule::aside(|| -> std::io::Result<_> {
        if let Some(hosted) = hosted(rules) {
            return hosted_handshake(run, hosted, engine, limits, scratch);
        }
        let Opening { game, moves } = run.openings.begin(rules, run.seed, 1);
        let seating = Seating {
            rules,
            engines: PerSeat::from_fn(seats, |seat| (seat == Seat::FIRST).then_some(engine)),
            controls: PerSeat::from_fn(seats, |_| run.control_of(engine)),
            limits: limits.clone(),
            scratch,
            opening: moves,
            seed: run.seed,
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
