//! The faults of the seats in a game of a referee program: those that its lines show, and the
//! evidence.

use agon_match::hosted::{FaultKind, kind_of};
use agon_record::{Decided, GameRecord, RefereeRecord, SeatFault};
use agon_seats::Seat;
use agon_standings::result::{Cause, Termination};

use super::facts::{Difference, Facts};

/// The cause behind a kind of fault, if the record does not name another one of this kind.
pub(super) fn cause(record: &GameRecord, seat: Seat, kind: &str) -> Option<Cause> {
    let named = [
        record.seat_fault(seat).map(|own| own.cause),
        record.decided().and_then(|decided| decided.termination.fault_of(seat)),
    ];
    let fits = |cause: &Cause| *cause != Cause::IllegalMove && kind_of(*cause).word() == kind;
    if let Some(cause) = named.into_iter().flatten().find(fits) {
        return Some(cause);
    }
    let usual = [
        (FaultKind::Late, Cause::TimeForfeit),
        (FaultKind::Crash, Cause::Crash),
        (FaultKind::Flood, Cause::OutputLimit),
        (FaultKind::Closed, Cause::ClosedOutput),
    ];
    usual.into_iter().find(|(known, _)| known.word() == kind).map(|(_, cause)| cause)
}

/// The fault that names the ending.
pub(super) fn forfeit(
    record: &GameRecord,
    said: &Decided,
    at_fault: &[Seat],
    facts: &mut Facts,
) -> Result<(), Difference> {
    let Termination::Forfeit(seat, cause) = said.termination else { return Ok(()) };
    if cause == Cause::IllegalMove {
        facts.proved("forfeits", 1);
        return Ok(());
    }
    facts.witnessed("forfeits", 1);
    let is_old = record.referee.as_ref().is_none_or(|referee| referee.faults.is_none());
    if kind_of(cause) == FaultKind::Late && (!is_old || at_fault.first() == Some(&seat)) {
        let key = format!("seats[{}].unanswered", seat.index());
        match record.seats[seat].unanswered {
            None => return Err(Difference::at(key, "is missing, but the engine was late")),
            Some(question) if question.time < question.allowance => {
                let (time, most) = (question.time.as_micros(), question.allowance.as_micros());
                let why = format!("{time} us of {most} were over, but the engine was late");
                return Err(Difference::at(key, why));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// The faults of all seats are those of the lines.
pub(super) fn faults(
    referee: &RefereeRecord,
    found: &[SeatFault],
    facts: &mut Facts,
) -> Result<(), Difference> {
    let Some(said) = &referee.faults else { return Ok(()) };
    if said.len() != found.len() {
        let (said, found) = (said.len(), found.len());
        let why = format!("there are {said}, but by the lines of the referee {found} seats had a fault");
        return Err(Difference::at("referee.faults", why));
    }
    for (at, (said, found)) in said.iter().zip(found).enumerate() {
        if said != found {
            let words = |fault: &SeatFault| {
                let (seat, times) = (fault.seat.index() + 1, fault.times);
                format!("{} of seat {seat} at ply {}, {times} times", fault.cause.name(), fault.ply + 1)
            };
            let why = format!("is {}, but by the lines {}", words(said), words(found));
            return Err(Difference::at(format!("referee.faults[{at}]"), why));
        }
    }
    facts.proved("faults of seats", said.len());
    Ok(())
}

/// Evidence is stored for the seats at fault, and for no other. Older records have none of a seat
/// that was late and went on.
pub(super) fn evidence(
    record: &GameRecord,
    referee: &RefereeRecord,
    at_fault: &[Seat],
    facts: &mut Facts,
) -> Result<(), Difference> {
    for (seat, own) in record.seats.iter() {
        let faulty = at_fault.contains(&seat);
        if faulty && own.evidence.is_none() && referee.faults.is_none() {
            continue;
        }
        let wrong = |key: &str, why: &str| Err(Difference::at(format!("seats[{}].{key}", seat.index()), why));
        if own.evidence.is_some() != faulty {
            let missing = "is missing, but the engine was at fault";
            return wrong("evidence", if faulty { missing } else { "exists without a fault" });
        }
        if own.unanswered.is_some() && !faulty {
            return wrong("unanswered", "exists without a fault");
        }
        facts.witnessed("transcripts", usize::from(faulty));
    }
    Ok(())
}
