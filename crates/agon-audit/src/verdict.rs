//! The audit of a verdict: places, scores, reason and fault are checked against the moves.

use agon_export::replay::{TriedLine, tried};
use agon_games::{Outcome, Status, places_without};
use agon_match::referee::adjudication;
use agon_printable::is_cut;
use agon_record::reason::{EndReason, FaultFact, QuotedLine};
use agon_record::{Decided, EVIDENCE_LINES, Exit, GameRecord, Unanswered, Way};
use agon_seats::{PerSeat, Seat, result};
use agon_standings::result::{Cause, Termination};

use super::audited::{AuditedGame, REASON, TERMINATION, reason_is, said};
use super::by_scores;
use super::conditions::EarlyEnd;
use super::facts::{Difference, Facts, quoted};

/// A void game has none of the fields of a lost one.
pub(super) fn void(record: &GameRecord) -> Result<(), Difference> {
    evidence_of(record, None)
}

/// The result of a game that counts.
pub(super) fn decided(
    played: &AuditedGame<'_>,
    decided: &Decided,
    facts: &mut Facts,
) -> Result<(), Difference> {
    let scores = played.game.scores();
    if decided.scores != scores {
        let why = format!("says {}, but by the moves it is {}", list(&decided.scores), list(&scores));
        return Err(Difference::at("verdict.decided.scores", why));
    }
    let places = match (played.game.status(), decided.termination) {
        // A decision is stored beside the game, which keeps its own end.
        (_, Termination::Decision) => {
            return Err(Difference::at(TERMINATION, "says decision, but no decision was made about it"));
        }
        (Status::Over(outcome), Termination::Normal) => by_the_rules(decided, outcome)?,
        (Status::Over(outcome), other) => {
            let why = format!("says {other}, but by the rules the game is over: {}", outcome.why);
            return Err(Difference::at(TERMINATION, why));
        }
        (Status::ToMove(seat), Termination::Normal) => {
            let why = format!("says normal, but the game goes on with {}", name(played, seat));
            return Err(Difference::at(TERMINATION, why));
        }
        (Status::ToMove(_), Termination::Adjudication) => adjudicated(played, decided, facts)?,
        (Status::ToMove(mover), Termination::Resignation(seat)) => {
            is_mover(played, seat, mover)?;
            reason_is(decided, &EndReason::Resigned)?;
            facts.witnessed("resignations", 1);
            result::all_but(seat, scores.len())
        }
        (Status::ToMove(mover), Termination::Forfeit(seat, cause)) => {
            let Some(own) = played.record.seats.values().get(seat.index()) else {
                return Err(Difference::at(TERMINATION, "names a seat that the game does not have"));
            };
            let greeted = own.unanswered.is_some_and(|question| question.greeting);
            if greeted != decided.reason.read(Some(cause)).is_before_game() {
                let why = format!("says {}, but that was not the question", said(decided));
                return Err(Difference::at(REASON, why));
            }
            if !greeted {
                // These two are faults even in another's turn.
                if !matches!(cause, Cause::Pondering | Cause::Obstruction) {
                    is_mover(played, seat, mover)?;
                }
            } else if !played.record.plies.is_empty() {
                return Err(Difference::at(
                    format!("seats[{}].unanswered", seat.index()),
                    "the engine was to report that it is ready, but moves were made",
                ));
            }
            forfeited(played, decided, seat, cause, facts)?;
            places_without(played.game.as_ref(), seat, cause.lost())
        }
    };
    if decided.places != places {
        let why = format!("says {}, but by the moves it is {}", list(&decided.places), list(&places));
        return Err(Difference::at("verdict.decided.places", why));
    }
    if let (Some(most), Status::ToMove(_)) = (played.conditions.max_plies(), played.game.status())
        && played.record.plies.len() >= most
        && decided.termination != Termination::Adjudication
    {
        let why = format!("says {}, but after {most} plies the score decides", decided.termination);
        return Err(Difference::at(TERMINATION, why));
    }
    if let Some(most) = played.conditions.max_plies()
        && played.record.plies.len() > most
    {
        return Err(Difference::at("plies", format!("there are more than the {most} that the run allows")));
    }
    by_scores::ended_in_time(played, decided)?;
    let forfeited = decided.termination.forfeited();
    evidence_of(played.record, forfeited)?;
    facts.proved("results", 1);
    facts.proved("scores", scores.len());
    facts.proved("places", scores.len());
    Ok(())
}

fn by_the_rules(decided: &Decided, outcome: Outcome) -> Result<PerSeat<u8>, Difference> {
    reason_is(decided, &EndReason::Rules(outcome.why))?;
    Ok(outcome.places)
}

fn adjudicated(
    played: &AuditedGame<'_>,
    decided: &Decided,
    facts: &mut Facts,
) -> Result<PerSeat<u8>, Difference> {
    let plies = played.record.plies.len();
    let reason = EndReason::of_sentence(&decided.reason.to_string(), decided.termination);
    match reason {
        EndReason::KnownWin { .. } => return adjudicated_by_value(played, decided, facts),
        EndReason::Scores(scores) => return by_scores::adjudicated(played, decided, &scores, facts),
        _ => {}
    }
    reason_is(decided, &EndReason::PlyLimit(plies))?;
    match played.conditions.early_end {
        Some(EarlyEnd { max_plies: Some(most), .. }) if most == plies => facts.proved("adjudications", 1),
        Some(EarlyEnd { max_plies: Some(most), .. }) => {
            return Err(Difference::at(
                TERMINATION,
                format!("the score decided after {plies} plies, not {most}"),
            ));
        }
        Some(EarlyEnd { max_plies: None, .. }) => {
            return Err(Difference::at(TERMINATION, "says adjudication, but the run has no rule for that"));
        }
        None => facts.witnessed("adjudications", 1),
    }
    Ok(result::by_score(&played.game.scores()))
}

/// The winner was known: the value of the position is searched for once more, with a higher limit.
fn adjudicated_by_value(
    played: &AuditedGame<'_>,
    decided: &Decided,
    facts: &mut Facts,
) -> Result<PerSeat<u8>, Difference> {
    let (record, rules) = (played.record, played.rules);
    let wrong = |why: String| Err(Difference::at(TERMINATION, why));
    let moves = record.plies.iter().map(|ply| ply.text.as_str());
    let Some(end) = adjudication::known_end(rules, &record.start, moves) else {
        return wrong("says adjudication, but nobody is known to win".to_owned());
    };
    if !adjudication::has_begun(record.plies.len()) {
        return wrong("says adjudication, but not both sides have moved".to_owned());
    }
    reason_is(decided, &end.reason(rules.seats()))?;
    match played.conditions.early_end {
        Some(EarlyEnd { adjudicate: Some(most), .. }) if end.plies <= most => {
            facts.proved("adjudications", 1);
        }
        Some(EarlyEnd { adjudicate: Some(most), .. }) => {
            return wrong(format!("says adjudication {} plies before the end, not {most}", end.plies));
        }
        Some(EarlyEnd { adjudicate: None, .. }) => {
            return wrong("says adjudication, but the run has no rule for that".to_owned());
        }
        None => facts.proved("adjudications", 1),
    }
    if let Some(most) = played.conditions.max_plies()
        && record.plies.len() + usize::from(end.plies) > most
    {
        return wrong(format!(
            "says adjudication, but after {most} plies the score would have decided before"
        ));
    }
    Ok(end.places(rules.seats().len()))
}

/// Only the side to move can lose by a fault or resign.
fn is_mover(played: &AuditedGame<'_>, seat: Seat, mover: Seat) -> Result<(), Difference> {
    if seat == mover {
        return Ok(());
    }
    let why = format!("{} lost it, but it was {}'s turn", name(played, seat), name(played, mover));
    Err(Difference::at(TERMINATION, why))
}

/// Evidence is stored for the engine that lost by a fault, and for no other.
fn evidence_of(record: &GameRecord, forfeited: Option<Seat>) -> Result<(), Difference> {
    for (seat, own) in record.seats.iter() {
        let lost = forfeited == Some(seat);
        let at = seat.index();
        if own.evidence.is_some() != lost {
            let why =
                if lost { "is missing, but the engine lost by a fault" } else { "exists without a fault" };
            return Err(Difference::at(format!("seats[{at}].evidence"), why));
        }
        if own.unanswered.is_some() && !lost {
            return Err(Difference::at(format!("seats[{at}].unanswered"), "exists without a fault"));
        }
    }
    Ok(())
}

/// A fault is proved by the rules or by the record, as far as possible.
fn forfeited(
    played: &AuditedGame<'_>,
    decided: &Decided,
    seat: Seat,
    cause: Cause,
    facts: &mut Facts,
) -> Result<(), Difference> {
    let own = &played.record.seats[seat];
    let at = seat.index();
    facts.witnessed("transcripts", own.evidence.iter().count());
    let lacks = |key: &str, why: &str| Err(Difference::at(format!("seats[{at}].{key}"), why));
    let reason = decided.reason.read(Some(cause));
    match cause {
        Cause::IllegalMove | Cause::Protocol => return refused(played, decided, seat, cause, facts),
        Cause::TimeForfeit | Cause::StdinBlocked => return too_late(played, decided, seat, facts),
        Cause::Crash => {
            let exit = match own.exit {
                Some(exit @ (Exit::Code(_) | Exit::Signal(_))) => exit,
                Some(Exit::Killed) => {
                    return lacks("exit", "says that the harness killed it, but it lost by a crash");
                }
                None => return lacks("exit", "is missing, but it lost by a crash"),
            };
            let told = match reason.fact() {
                Some(FaultFact::Ended { exit, .. } | FaultFact::EndedBefore(exit)) => *exit,
                _ => None,
            };
            if told.is_some_and(|told| told != exit) {
                let why = format!("says {}, but its process ended so: {exit}", said(decided));
                return Err(Difference::at(REASON, why));
            }
        }
        Cause::ClosedOutput if own.exit.is_none() => {
            return lacks("exit", "is missing, but it lost by closing its output");
        }
        Cause::OutputLimit => {
            let most = match reason.fact() {
                Some(FaultFact::LongTurn(most) | FaultFact::LongLine { most, .. }) => Some(*most),
                _ => None,
            };
            if most.is_none_or(|most| own.traffic.said <= most) {
                return lacks("traffic.said", "is not more than it may write, but it lost by that");
            }
        }
        // It was started, and said so itself.
        Cause::StartFailed if matches!(reason.fact(), Some(FaultFact::RefusedToPlay(_))) => {}
        Cause::StartFailed if matches!(reason.fact(), Some(FaultFact::NotByEnv(_))) => {
            if !matches!(own.exit, Some(Exit::Code(126 | 127))) || own.traffic.said > 0 {
                return lacks("exit", "is not that of env, which could not start its program");
            }
        }
        Cause::StartFailed => {
            if own.exit.is_some() || own.traffic.said > 0 {
                return lacks("exit", "says that it ran, but it lost because it could not be started");
            }
        }
        Cause::ClosedOutput
        | Cause::MemoryLimit
        | Cause::ProcessLimit
        | Cause::CpuLimit
        | Cause::Pondering
        | Cause::Obstruction => {}
    }
    facts.witnessed("forfeits", 1);
    Ok(())
}

/// The engine's line is played: the rules must refuse it, in the same way and for the same reason.
fn refused(
    played: &AuditedGame<'_>,
    decided: &Decided,
    seat: Seat,
    cause: Cause,
    facts: &mut Facts,
) -> Result<(), Difference> {
    let mut game = played.rules.resume(&played.record.start).expect("it was begun there once");
    for ply in &played.record.plies {
        game.play(ply.text.as_bytes()).expect("it was played once");
    }
    let no_moves: Vec<QuotedLine> = decided.reason.readings(Some(cause)).iter().filter_map(no_move).collect();
    if cause == Cause::Protocol && !no_moves.is_empty() {
        return is_said(played, decided, seat, &no_moves, facts);
    }
    match tried(game.as_mut(), &decided.reason).map_err(|why| Difference::at(REASON, why))? {
        None => facts.witnessed("forfeits", 1),
        Some(tried) if tried.cause != cause => {
            let (line, found) = (quoted(&tried.line.text), tried.cause.name());
            return Err(Difference::at(TERMINATION, format!("says {}, but {line} is {found}", cause.name())));
        }
        Some(tried) => return heard(played, decided, seat, &tried, facts),
    }
    Ok(())
}

/// The line for which the engine's protocol has no move.
fn no_move(reason: &EndReason) -> Option<QuotedLine> {
    match reason.fact() {
        Some(FaultFact::NoMove { line, .. }) => Some(line.clone()),
        _ => None,
    }
}

/// The line that is no move in the engine's protocol is in the transcript. The rules do not know
/// the protocol, so that nothing is proved.
/// It is one of `lines`: of a sentence, all that it can quote.
fn is_said(
    played: &AuditedGame<'_>,
    decided: &Decided,
    seat: Seat,
    lines: &[QuotedLine],
    facts: &mut Facts,
) -> Result<(), Difference> {
    let evidence = played.record.seats[seat].evidence.as_ref();
    let mut transcript = evidence.iter().flat_map(|evidence| &evidence.lines);
    let quotes = |shown: &str| lines.iter().any(|line| line.may_be(shown));
    let is_whole = evidence.is_none_or(|evidence| evidence.lines.len() < EVIDENCE_LINES);
    if is_whole && !transcript.any(|own| own.way == Way::Said && quotes(&own.text)) {
        let why = format!("does not hold the line that the engine lost by: {}", said(decided));
        return Err(Difference::at(format!("seats[{}].evidence.lines", seat.index()), why));
    }
    facts.witnessed("forfeits", 1);
    Ok(())
}

/// The refused line is in the transcript: as it is, or inside the words of another protocol.
fn heard(
    played: &AuditedGame<'_>,
    decided: &Decided,
    seat: Seat,
    tried: &TriedLine,
    facts: &mut Facts,
) -> Result<(), Difference> {
    let evidence = played.record.seats[seat].evidence.as_ref();
    let last = evidence.and_then(|evidence| evidence.lines.iter().rfind(|line| line.way == Way::Said));
    let Some(last) = last else {
        let why = "holds no answer, but the engine lost by one";
        return Err(Difference::at(format!("seats[{}].evidence.lines", seat.index()), why));
    };
    let all = evidence.map_or(&[][..], |evidence| &evidence.lines);
    // Of a long answer the last lines alone are kept.
    if let Some(own) = &tried.own
        && all.len() < EVIDENCE_LINES
        && !all.iter().any(|line| line.way == Way::Said && own.may_be(&line.text))
    {
        let why = format!("does not hold the engine's line that is quoted: {}", said(decided));
        return Err(Difference::at(format!("seats[{}].evidence.lines", seat.index()), why));
    }
    let written = &tried.line.text;
    if last.text == *written {
        facts.proved("forfeits", 1);
        return Ok(());
    }
    // A line with the side letter belongs to the protocol `lines`, which adds no words.
    let plain = played.rules.seats().iter().any(|side| last.text.starts_with(&format!("{side},")));
    if plain && !is_cut(&last.text) {
        let why = format!("the engine wrote {}, but lost by {}", quoted(&last.text), quoted(written));
        return Err(Difference::at(format!("seats[{}].evidence.lines", seat.index()), why));
    }
    facts.witnessed("forfeits", 1);
    Ok(())
}

/// The question took longer than the clock allowed.
fn too_late(
    played: &AuditedGame<'_>,
    decided: &Decided,
    seat: Seat,
    facts: &mut Facts,
) -> Result<(), Difference> {
    let allowed = played.clocks[seat].allowance();
    let key = format!("seats[{}].unanswered", seat.index());
    let Some(Unanswered { time, allowance, greeting }) = played.record.seats[seat].unanswered else {
        return Err(Difference::at(
            key,
            format!("is missing, but the engine lost by {}", decided.termination),
        ));
    };
    if !greeting && allowance != allowed {
        let why = format!(
            "says that {} us were allowed, but by the moves it is {}",
            allowance.as_micros(),
            allowed.as_micros()
        );
        return Err(Difference::at(key, why));
    }
    if time < allowance {
        let (time, allowance) = (time.as_micros(), allowance.as_micros());
        return Err(Difference::at(
            key,
            format!("{time} us of {allowance} were over, but the engine lost on time"),
        ));
    }
    // The measured time is the harness's word alone; that it was too long is proved.
    facts.proved("forfeits", 1);
    facts.witnessed("times", 1);
    Ok(())
}

fn name<'a>(played: &AuditedGame<'a>, seat: Seat) -> &'a str {
    played.rules.seats().get(seat.index()).copied().unwrap_or("nobody")
}

fn list<T: ToString>(values: &PerSeat<T>) -> String {
    values.values().iter().map(T::to_string).collect::<Vec<_>>().join(":")
}
