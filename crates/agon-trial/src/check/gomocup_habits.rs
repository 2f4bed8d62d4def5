//! What an engine of Gomocup can do beyond a game of agon: for other managers, and for its author.

use std::time::{Duration, Instant};

use agon_games::Rules;
use agon_match::hosted::GameRules;
use agon_match::keeper::Interrupted;
use agon_match::openings::Openings;
use agon_match::processes::{Fault, Patience, Trouble};
use agon_match::referee::{GameEnd, GameInProgress};
use agon_protocol::Protocol;
use agon_record::reason::{FaultFact, FaultReason};
use agon_seats::{Clock, PerSeat, TimeControl};
use agon_standings::result::Cause;

use super::trial::TriedEngine;
use super::{CheckStopped, CheckTrial, spoken};
use crate::handshakes;

/// The most time for a move here. Its length is not what is tried.
const MOVE: Duration = Duration::from_secs(2);
/// How many moves are answered at once.
const MOVES: usize = 3;
/// An engine may take this many times as long for a board that is no square as for a square, and
/// this long at least. One that has not answered by then will not. Under Wine the start-up budget
/// is far longer.
const RECTANGLE_TIMES: u32 = 4;
const RECTANGLE_LEAST: Duration = Duration::from_secs(3);
/// A board that is no square.
const RECTANGLE: &str = "mnk:10x12,5";

/// What was found, a sentence each; nothing of an engine of another protocol.
///
/// # Errors
/// [`CheckStopped`].
pub(super) fn habits(trial: &CheckTrial<'_>) -> Result<Vec<String>, CheckStopped> {
    if !matches!(trial.engine.protocol, Protocol::Gomocup(_)) {
        return Ok(Vec::new());
    }
    // Games of referee programs are not played in it.
    let Some(rules) = trial.rules.built_in() else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    all.extend(hurried(trial, rules)?);
    all.extend(rectangle(trial, rules)?);
    Ok(all)
}

/// Whether it takes a `TURN` that comes right after its own move, before it reads again. Nothing if
/// that does not show.
fn hurried(trial: &CheckTrial<'_>, rules: &dyn Rules) -> Result<Option<String>, CheckStopped> {
    let control = match trial.control {
        TimeControl::PerMove(time) => TimeControl::PerMove(time.min(MOVE)),
        _ => TimeControl::PerMove(MOVE),
    };
    let game = Openings::from_start(0).begin(rules, trial.seed, 1).game;
    let own = game.to_move();
    let clocks = PerSeat::from_fn(rules.seats().len(), |_| {
        Clock::new(control, trial.limits.terms.margin, Duration::ZERO)
    });
    let mut game = GameInProgress::new(rules, game, clocks);
    let mut tried = TriedEngine::new(trial, own, control, None, &game, MOVES)?;
    tried.engines.hurry();
    let ending = match tried.engines.ready(own) {
        Ok(()) => game.play_on(&mut tried),
        Err(trouble) => GameEnd::Trouble(trouble),
    };
    let moves = MOVES - tried.moves_left;
    let is_well = !matches!(ending, GameEnd::Trouble(_));
    tried.engines.end(if is_well { Patience::All } else { Patience::AllBut(own) });
    match ending {
        GameEnd::Trouble(Trouble::Fault(Fault { cause: Cause::TimeForfeit, why, .. }))
            if moves > 0 && waited_for_input(&why) =>
        {
            Ok(Some(
                "It drops a TURN that comes right after its own move (0 ms). agon waits until it reads again, and \
                 so loses no game by it; other managers may not"
                    .to_owned(),
            ))
        }
        GameEnd::Trouble(Trouble::Stopped) => Err(CheckStopped::Stopped),
        // The games show what else is wrong, like a move that is refused.
        GameEnd::Trouble(_) => Ok(None),
        _ if moves == MOVES => {
            Ok(Some("It takes a TURN that comes right after its own move (0 ms)".to_owned()))
        }
        _ => Ok(None),
    }
}

/// Whether an engine that lost on time has not heard its turn.
fn waited_for_input(why: &FaultReason) -> bool {
    match &why.fact {
        FaultFact::Silent(silent) => silent.waits,
        FaultFact::LateElsewhere { waits, .. } => *waits,
        _ => false,
    }
}

/// Whether it plays on a board that is no square. Nothing if that does not show.
fn rectangle(trial: &CheckTrial<'_>, rules: &dyn Rules) -> Result<Option<String>, CheckStopped> {
    let told = rules.gomocup();
    if told.is_none_or(|told| told.columns != told.rows) {
        return Ok(None);
    }
    let Ok(oblong) = agon_games::find(RECTANGLE, &agon_games::Needs::default()).map(GameRules::BuiltIn)
    else {
        return Ok(None);
    };
    let openings = Openings::from_start(0);
    let square = spoken::terms(trial);
    let began = Instant::now();
    match handshakes::handshake(&square, trial.engine) {
        Ok(None) => {}
        Err(error) if error.is::<Interrupted>() => return Err(CheckStopped::Stopped),
        Ok(Some(_)) | Err(_) => return Ok(None), // it would say nothing about rectangles
    }
    let most = (began.elapsed() * RECTANGLE_TIMES).max(RECTANGLE_LEAST);
    let mut terms = spoken::terms(&CheckTrial { rules: &oblong, openings: &openings, ..trial.clone() });
    terms.limits.terms.startup = terms.limits.terms.startup.min(most);
    match handshakes::handshake(&terms, trial.engine) {
        Ok(None) => Ok(Some("It accepts RECTSTART 10,12, a board that is no square".to_owned())),
        Ok(Some(fault)) if fault.why.refused_to_play().is_some() => {
            Ok(Some("It plays on square boards alone: it refuses RECTSTART 10,12".to_owned()))
        }
        Ok(Some(_)) => Ok(Some("It does not answer RECTSTART 10,12, a board that is no square".to_owned())),
        Err(error) if error.is::<Interrupted>() => Err(CheckStopped::Stopped),
        // The machine has spoilt it.
        Err(_) => Ok(None),
    }
}
