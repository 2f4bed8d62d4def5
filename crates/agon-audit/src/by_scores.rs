//! The audit of games that end by the scores of their engines: the stored scores must say so, and
//! no game goes on after they have.

use agon_config::{DrawWhen, ResignWhen, ScoreRules};
use agon_match::referee::by_scores::{ScoreEnd, ScoreWatch};
use agon_record::{Decided, GameRecord, ScoreReason};
use agon_seats::PerSeat;
use agon_standings::result::Termination;

use super::audited::{AuditedGame, TERMINATION, reason_is};
use super::conditions::EarlyEnd;
use super::facts::{Difference, Facts};

/// The first end by scores of a game under these rules, and after how many plies.
fn first_end(record: &GameRecord, rules: ScoreRules) -> Option<(usize, ScoreEnd)> {
    let mut watch = ScoreWatch::new(rules);
    (1..).zip(&record.plies).find_map(|(plies, ply)| {
        watch.played(ply);
        Some((plies, watch.end()?))
    })
}

/// No game goes on where its scores have ended it. At the same ply its rules come first, and then
/// the number of plies and a known value.
pub(super) fn ended_in_time(played: &AuditedGame<'_>, decided: &Decided) -> Result<(), Difference> {
    let Some(EarlyEnd { score_rules, .. }) = played.conditions.early_end else { return Ok(()) };
    let Some((plies, end)) = first_end(played.record, score_rules) else { return Ok(()) };
    let is_last = plies == played.record.plies.len();
    if is_last && matches!(decided.termination, Termination::Normal | Termination::Adjudication) {
        return Ok(());
    }
    let reason = end.reason(played.rules.seats());
    let said = decided.termination;
    let why = format!("says {said}, but the game is over after {plies} plies, because {reason}");
    Err(Difference::at(TERMINATION, why))
}

/// A game that was ended by scores: the places, if the stored scores prove them.
pub(super) fn adjudicated(
    played: &AuditedGame<'_>,
    decided: &Decided,
    reason: &ScoreReason,
    facts: &mut Facts,
) -> Result<PerSeat<u8>, Difference> {
    let record = played.record;
    let wrong = |why: &str| Err(Difference::at(TERMINATION, format!("says adjudication, but {why}")));
    let end = match played.conditions.early_end {
        Some(EarlyEnd { score_rules, .. }) if score_rules.is_empty() => {
            return wrong("the run has no rule for that");
        }
        Some(EarlyEnd { score_rules, .. }) => {
            first_end(record, score_rules).filter(|(plies, _)| *plies == record.plies.len())
        }
        // The rule is the one that the reason names. What came before the last ply is not known.
        None => {
            let mut watch = ScoreWatch::new(rules_of(reason));
            record.plies.iter().for_each(|ply| watch.played(ply));
            watch.end().map(|end| (record.plies.len(), end))
        }
    };
    let Some((_, end)) = end else {
        return wrong("the stored scores do not end the game after its last ply");
    };
    reason_is(decided, &end.reason(played.rules.seats()))?;
    facts.proved("adjudications", 1);
    Ok(end.places(played.game.as_ref()))
}

/// The rules of a run in which a game ends for this reason.
fn rules_of(reason: &ScoreReason) -> ScoreRules {
    match *reason {
        ScoreReason::Lost { score, moves, twosided, .. } => {
            ScoreRules { resign: Some(ResignWhen { score, moves, twosided }), draw: None }
        }
        ScoreReason::Drawn { score, moves } => {
            ScoreRules { resign: None, draw: Some(DrawWhen { after: 0, moves, score }) }
        }
    }
}
