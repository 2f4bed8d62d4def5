//! The audit of a verdict: places, scores, reason and fault are checked against the moves.

use agon_export::replay::{BEFORE_THE_GAME, tried};
use agon_games::{Game, Outcome, Rules, Status};
use agon_match::referee::adjudication;
use agon_record::{
    EVIDENCE_LINES, Exit, GameRecord, NO_MOVE, NOT_BY_ENV, NOT_SAID, OWN_LINE, REFUSED, RESIGNED, Unanswered,
    Way,
};
use agon_seats::{Clock, PerSeat, Seat, result};
use agon_standings::result::{Cause, Decided, Termination};

use super::conditions::{Conditions, EarlyEnd};
use super::facts::{Difference, Facts, quoted};

/// A record that was played again to its end.
pub(super) struct AuditedGame<'a> {
    pub(super) record: &'a GameRecord,
    pub(super) rules: &'a dyn Rules,
    pub(super) conditions: &'a Conditions,
    /// The game after its last move.
    pub(super) game: Box<dyn Game>,
    /// The clocks after the last move.
    pub(super) clocks: PerSeat<Clock>,
}

const TERMINATION: &str = "verdict.decided.termination";
const REASON: &str = "verdict.decided.reason";

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
            reason_is(decided, RESIGNED)?;
            facts.witnessed("resignations", 1);
            result::all_but(seat, scores.len())
        }
        (Status::ToMove(mover), Termination::Forfeit(seat, cause)) => {
            let Some(own) = played.record.seats.values().get(seat.index()) else {
                return Err(Difference::at(TERMINATION, "names a seat that the game does not have"));
            };
            let greeted = own.unanswered.is_some_and(|question| question.greeting);
            let begins = [NOT_SAID, REFUSED];
            if greeted != begins.iter().any(|words| decided.reason.starts_with(words))
                || greeted && !decided.reason.contains(BEFORE_THE_GAME)
            {
                let why = format!("says {}, but that was not the question", quoted(&decided.reason));
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
            result::all_but(seat, scores.len())
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
    let forfeited = decided.termination.forfeited();
    evidence_of(played.record, forfeited)?;
    facts.proved("results", 1);
    facts.proved("scores", scores.len());
    facts.proved("places", scores.len());
    Ok(())
}

fn by_the_rules(decided: &Decided, outcome: Outcome) -> Result<PerSeat<u8>, Difference> {
    reason_is(decided, &outcome.why)?;
    Ok(outcome.places)
}

fn adjudicated(
    played: &AuditedGame<'_>,
    decided: &Decided,
    facts: &mut Facts,
) -> Result<PerSeat<u8>, Difference> {
    let plies = played.record.plies.len();
    if decided.reason.ends_with(adjudication::BY_VALUE) {
        return adjudicated_by_value(played, decided, facts);
    }
    reason_is(decided, &format!("{plies} plies were played; the score decides"))?;
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

fn reason_is(decided: &Decided, reason: &str) -> Result<(), Difference> {
    if decided.reason == reason {
        return Ok(());
    }
    Err(Difference::at(
        REASON,
        format!("says {}, but by the moves it is {}", quoted(&decided.reason), quoted(reason)),
    ))
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
            let told = format!("({exit})");
            let other = ["(exit status ", "(killed by "].iter().any(|start| decided.reason.contains(start));
            if other && !decided.reason.contains(&told) {
                let why = format!("says {}, but its process ended so: {exit}", quoted(&decided.reason));
                return Err(Difference::at(REASON, why));
            }
        }
        Cause::ClosedOutput if own.exit.is_none() => {
            return lacks("exit", "is missing, but it lost by closing its output");
        }
        Cause::OutputLimit => {
            let most = decided
                .reason
                .split_once("more than ")
                .and_then(|(_, rest)| rest.split(' ').next()?.parse().ok());
            if most.is_none_or(|most: u64| own.traffic.said <= most) {
                return lacks("traffic.said", "is not more than it may write, but it lost by that");
            }
        }
        // It was started, and said so itself.
        Cause::StartFailed if decided.reason.starts_with(REFUSED) => {}
        Cause::StartFailed if decided.reason.starts_with(NOT_BY_ENV) => {
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
    if let Some(reason) = decided.reason.strip_prefix(NO_MOVE).filter(|_| cause == Cause::Protocol) {
        return said(played, seat, reason, facts);
    }
    match tried(game.as_mut(), &decided.reason).map_err(|why| Difference::at(REASON, why))? {
        None => facts.witnessed("forfeits", 1),
        Some((found, written)) if found != cause => {
            let why = format!("says {}, but {} is {}", cause.name(), quoted(&written), found.name());
            return Err(Difference::at(TERMINATION, why));
        }
        Some((_, written)) => return heard(played, decided, seat, &written, facts),
    }
    Ok(())
}

/// The line that is no move in the engine's protocol is in the transcript. The rules do not know
/// the protocol, so that nothing is proved.
fn said(played: &AuditedGame<'_>, seat: Seat, reason: &str, facts: &mut Facts) -> Result<(), Difference> {
    let evidence = played.record.seats[seat].evidence.as_ref();
    let mut lines = evidence.iter().flat_map(|evidence| &evidence.lines);
    let quotes = |line: &str| reason.starts_with(&format!("\"{line}\": "));
    // Both are cut, but not at the same byte.
    let is_cut = reason.contains(" more bytes]\": ");
    let is_whole = evidence.is_none_or(|evidence| evidence.lines.len() < EVIDENCE_LINES);
    if is_whole && !lines.any(|own| own.way == Way::Said && (is_cut || quotes(&own.text))) {
        let why = format!("does not hold the line that the engine lost by: {}", quoted(reason));
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
    written: &str,
    facts: &mut Facts,
) -> Result<(), Difference> {
    let evidence = played.record.seats[seat].evidence.as_ref();
    let said = evidence.and_then(|evidence| evidence.lines.iter().rfind(|line| line.way == Way::Said));
    let Some(said) = said else {
        let why = "holds no answer, but the engine lost by one";
        return Err(Difference::at(format!("seats[{}].evidence.lines", seat.index()), why));
    };
    let ends_with = |text: &str| decided.reason.ends_with(&format!("{OWN_LINE}\"{text}\""));
    // Both may be cut, but not at the same byte. Of a long answer the last lines alone are kept.
    let is_cut = decided.reason.ends_with(" more bytes]\"");
    let all = evidence.map_or(&[][..], |evidence| &evidence.lines);
    if decided.reason.contains(OWN_LINE)
        && !is_cut
        && all.len() < EVIDENCE_LINES
        && !all.iter().any(|line| line.way == Way::Said && ends_with(&line.text))
    {
        let why = format!("does not hold the engine's line that is quoted: {}", quoted(&decided.reason));
        return Err(Difference::at(format!("seats[{}].evidence.lines", seat.index()), why));
    }
    if said.text == written {
        facts.proved("forfeits", 1);
        return Ok(());
    }
    // A line with the side letter belongs to the protocol `lines`, which adds no words.
    let plain = played.rules.seats().iter().any(|side| said.text.starts_with(&format!("{side},")));
    if plain && !said.text.ends_with(" more bytes]") {
        let why = format!("the engine wrote {}, but lost by {}", quoted(&said.text), quoted(written));
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
