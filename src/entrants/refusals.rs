//! Engines that refuse the game in their handshake are found before the first game.

use agon_games::{PerSeat, Seat};

use crate::config::Misuse;
use crate::engine::spec::EngineSpec;
use crate::engine::{Patience, Scratch, Trouble, program};
use crate::keeper::{Interrupted, RunContext};
use crate::openings::Opening;
use crate::record::{Cause, REFUSED};
use crate::referee::{Engines, Seating};
use crate::run::Run;
use crate::schedule;

/// Goes through the handshake of each engine whose protocol lets it refuse a game. Other faults are
/// left to the games.
///
/// # Errors
/// [`Misuse`], with the refusal; or the run is to stop.
pub(super) fn check(run: &Run, context: &RunContext, scratch: &Scratch) -> anyhow::Result<()> {
    for engine in run.entrants.iter().filter(|engine| engine.protocol.may_refuse()) {
        match schedule::aside(|| handshake(run, engine, context, scratch))? {
            Ok(()) => {}
            Err(Trouble::Fault(fault)) if fault.cause == Cause::StartFailed => {
                let (place, spec) = (program::display_path(&engine.source), run.rules.spec());
                let why = fault.why.strip_prefix(REFUSED).unwrap_or(&fault.why);
                return Err(Misuse::hinted(
                    format!("{place}: the engine cannot play {spec}: {why}"),
                    "give another --game, or leave the engine out",
                ));
            }
            Err(Trouble::Stopped) => return Err(Interrupted.into()),
            // Another fault is told by the games, and a busy machine spoils no run here.
            Err(Trouble::Fault(_) | Trouble::Ours(_)) => {}
        }
    }
    Ok(())
}

fn handshake(run: &Run, engine: &EngineSpec, context: &RunContext, scratch: &Scratch) -> Result<(), Trouble> {
    let rules = run.rules.as_ref();
    let seats = rules.seats().len();
    let Opening { game, moves } = run.openings.begin(rules, run.seed, 1);
    let control = run.own_controls.get(&engine.name).copied().unwrap_or(run.control);
    let seating = Seating {
        rules,
        engines: PerSeat::from_fn(seats, |seat| (seat == Seat::FIRST).then_some(engine)),
        controls: PerSeat::from_fn(seats, |_| control),
        limits: run.limits(context),
        scratch,
        opening: moves,
    };
    let mut engines = Engines::start(seating, game.as_ref(), None).map_err(Trouble::Ours)?;
    let greeted = engines.ready(Seat::FIRST);
    let stopped = matches!(greeted, Err(Trouble::Stopped | Trouble::Ours(_)));
    engines.end(if stopped { Patience::None } else { Patience::All }, None);
    greeted
}
