//! One game whose moves agon judges, played to a verdict.

use std::convert::Infallible;

use agon_games::{Game, Outcome, places_without};
use agon_record::reason::{EndReason, FaultNote, QuotedLine};
use agon_record::{Decided, Ply, Verdict};
use agon_seats::result::{self, Lost};
use agon_seats::{Clock, PerSeat, Refusal, Seat};
use agon_standings::result::{Cause, Termination};

use super::by_scores::ScoreWatch;
use super::engines::Engines;
use super::game_loop::{GameEnd, GameInProgress, OfferedMove, Players};
use super::pool::EnginePool;
use super::seated::EnginesLeft;
use super::{BuiltInStart, GameNews, GameOrder, Played, RunStopped, cause_of};
use crate::processes::{Fault, Patience, Trouble};

/// Plays one game, as [`super::play`] does, from this position.
pub(super) fn play(
    order: &GameOrder<'_>,
    start: BuiltInStart<'_>,
    position: &str,
    pool: &mut EnginePool,
    on_news: &mut impl FnMut(GameNews<'_>),
) -> Result<Played, RunStopped> {
    let BuiltInStart { rules, game, opening, adjudicator, score_rules } = start;
    let mut on_ply = |ply: &Ply| on_news(GameNews::Moved(ply));
    let followed = adjudicator.map(|adjudicator| adjudicator.follow(rules, position));
    let mut game = GameInProgress {
        max_plies: order.max_plies,
        followed,
        scores: ScoreWatch::new(score_rules),
        ..GameInProgress::new(rules, game, order.clocks())
    };
    let mut left = EnginesLeft::nothing(order.engines.len());
    let verdict = loop {
        let seating = order.seating(rules, opening.clone());
        let mut engines = match Engines::start(seating, game.game.as_ref(), Some(&mut *pool)) {
            Ok(engines) => engines,
            Err(error) => break Verdict::Void { why: error.to_string().into() },
        };
        let verdict = play_with(&mut game, &mut engines, &mut on_ply);
        let patience = match &verdict {
            Err(Halt::Stopped) | Ok(Verdict::Void { .. }) => Patience::None,
            Err(Halt::LeftBetweenGames(seat)) => Patience::AllBut(*seat),
            Ok(Verdict::Decided(decided)) => {
                decided.termination.forfeited().map_or(Patience::All, Patience::AllBut)
            }
        };
        let at_fault = match patience {
            Patience::AllBut(seat) => vec![seat],
            Patience::All | Patience::None => Vec::new(),
        };
        left = engines.leave_all(patience, &at_fault, pool);
        match verdict {
            Ok(verdict) => break verdict,
            Err(Halt::Stopped) => return Err(RunStopped),
            // It did not go into the pool, so that it is started anew, and that happens once at the
            // most.
            Err(Halt::LeftBetweenGames(_)) => left.at_fault.clear(),
        }
    };
    let GameInProgress { game, plies, .. } = game;
    Ok(Played { verdict, last: game.text(), plies, left, referee: None })
}

/// Why a game was broken off without a verdict.
enum Halt {
    Stopped,
    /// The process of this seat, which was to play on, left before the game began.
    LeftBetweenGames(Seat),
}

/// Makes the engines ready and plays the game with them.
fn play_with(
    game: &mut GameInProgress<'_>,
    engines: &mut Engines<'_>,
    on_ply: &mut impl FnMut(&Ply),
) -> Result<Verdict, Halt> {
    for seat in game.clocks.seats() {
        match engines.ready(seat) {
            Ok(()) => {}
            Err(Trouble::Fault(Fault { cause: Cause::Crash | Cause::ClosedOutput, .. }))
                if engines.goes_on(seat) =>
            {
                return Err(Halt::LeftBetweenGames(seat));
            }
            Err(trouble) => return ended_by(trouble, game.game.as_ref()),
        }
    }
    let ending = game.play_on(&mut Opponents { engines, on_ply });
    let (game, plies, sides) = (game.game.as_ref(), game.plies.len(), game.rules.seats());
    match ending {
        GameEnd::Over(outcome) => Ok(normal(outcome)),
        GameEnd::PlyLimit => Ok(adjudicated(game, plies)),
        GameEnd::Known(end) => Ok(Verdict::Decided(Decided {
            places: end.places(sides.len()),
            scores: game.scores(),
            termination: Termination::Adjudication,
            reason: end.reason(sides),
        })),
        GameEnd::Scores(end) => Ok(Verdict::Decided(Decided {
            places: end.places(game),
            scores: game.scores(),
            termination: Termination::Adjudication,
            reason: end.reason(sides),
        })),
        GameEnd::Resigned(seat) => Ok(resigned(game, seat)),
        GameEnd::Refused { seat, line, refusal } => {
            Ok(refused(game, seat, &line, &refusal, engines.said(seat)))
        }
        GameEnd::Trouble(trouble) => ended_by(trouble, game),
        GameEnd::Left(never) => match never {},
    }
}

/// Engines against each other.
struct Opponents<'a, 'e, F> {
    engines: &'a mut Engines<'e>,
    on_ply: &'a mut F,
}

impl<F: FnMut(&Ply)> Players for Opponents<'_, '_, F> {
    type Leave = Infallible;

    fn ask(
        &mut self,
        seat: Seat,
        game: &dyn Game,
        clocks: &PerSeat<Clock>,
    ) -> Result<OfferedMove, GameEnd<Infallible>> {
        self.engines.ask(seat, game, clocks).map_err(GameEnd::Trouble)
    }

    fn played(&mut self, ply: &Ply) {
        // Before the move is told, which starts a clock: who listens here may be slow.
        (self.on_ply)(ply);
        self.engines.tell(ply.seat, &ply.text);
    }
}

fn ended_by(trouble: Trouble, game: &dyn Game) -> Result<Verdict, Halt> {
    match trouble {
        Trouble::Fault(Fault { seat, cause, why }) => {
            Ok(forfeit(game, seat, Termination::Forfeit(seat, cause), EndReason::Fault(why)))
        }
        Trouble::Ours(error) => Ok(Verdict::Void { why: error.to_string().into() }),
        Trouble::Stopped => Err(Halt::Stopped),
    }
}

fn normal(outcome: Outcome) -> Verdict {
    Verdict::Decided(Decided {
        places: outcome.places,
        scores: outcome.scores,
        termination: Termination::Normal,
        reason: EndReason::Rules(outcome.why),
    })
}

/// `said` is the move in the words of the engine's protocol, if that has words of its own.
fn refused(game: &dyn Game, seat: Seat, line: &[u8], refusal: &Refusal, said: &[u8]) -> Verdict {
    let cause = cause_of(refusal);
    let own = (!said.is_empty()).then(|| QuotedLine::of(said));
    let reason = EndReason::Refused { line: QuotedLine::of(line), why: refusal.to_string(), own };
    forfeit(game, seat, Termination::Forfeit(seat, cause), reason)
}

fn forfeit(game: &dyn Game, seat: Seat, termination: Termination, reason: EndReason) -> Verdict {
    Verdict::Decided(lost_by(game, seat, termination, reason))
}

/// The end of a game in which this seat is at fault, or gives up. It is last, and the others share
/// the first place; the score does not matter. A seat that is out of time has not lost to one that
/// could not win any more.
pub fn lost_by(game: &dyn Game, seat: Seat, termination: Termination, mut reason: EndReason) -> Decided {
    let way = termination.lost().map_or(Lost::Fault, |(_, way)| way);
    let places = places_without(game, seat, way);
    if places[seat] == 1
        && let EndReason::Fault(why) = &mut reason
    {
        why.notes.push(FaultNote::CannotBeLost);
    }
    Decided { places, scores: game.scores(), termination, reason }
}

fn resigned(game: &dyn Game, seat: Seat) -> Verdict {
    forfeit(game, seat, Termination::Resignation(seat), EndReason::Resigned)
}

/// The higher score wins; equal scores share the place.
fn adjudicated(game: &dyn Game, plies: usize) -> Verdict {
    let scores = game.scores();
    Verdict::Decided(Decided {
        places: result::by_score(&scores),
        scores,
        termination: Termination::Adjudication,
        reason: EndReason::PlyLimit(plies),
    })
}
