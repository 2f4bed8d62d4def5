//! What a record says twice, or what cannot be: no rules of a game are needed to see it.

use std::time::Duration;

use agon_record::{EVIDENCE_LINES, Exit, GameRecord, SeatRecord};
use agon_sandbox::Isolation;

use super::facts::{Difference, quoted};

/// The times of a game are measured by two clocks, one of which may be set meanwhile.
const SLACK: Duration = Duration::from_secs(1);

/// Compares the facts of a record with each other.
///
/// # Errors
/// The first of them that cannot be, with its key.
pub(super) fn check(record: &GameRecord) -> Result<(), Difference> {
    for (key, number) in
        [("round", record.id.round), ("pairing", record.id.pairing), ("game", record.id.game)]
    {
        if number == 0 {
            return Err(Difference::at(format!("id.{key}"), "is 0, but they are numbered from 1"));
        }
    }
    isolation(record)?;
    machine(record)?;
    let lasted = (record.finished - record.started).to_std().map_err(|_| {
        let why = format!("is {}, but the game was started at {}", record.finished, record.started);
        Difference::at("finished", why)
    })?;
    for (at, seat) in record.seats.values().iter().enumerate() {
        times(at, seat, lasted)?;
        process(at, seat)?;
        evidence(at, seat, lasted)?;
        spent(at, seat, record.plies.len() + record.seats.len(), lasted)?;
    }
    Ok(())
}

/// Nothing in it moves a cursor.
fn is_printable(key: &str, text: &str) -> Result<(), Difference> {
    match text.chars().any(char::is_control) {
        true => Err(Difference::at(key, format!("{} holds a control character", quoted(text)))),
        false => Ok(()),
    }
}

fn isolation(record: &GameRecord) -> Result<(), Difference> {
    let Some(isolated) = &record.isolation else { return Ok(()) };
    if isolated.level.parse::<Isolation>().is_err() {
        let levels = Isolation::ALL.map(|level| level.to_string()).join(", ");
        let why = format!("is {}, but the levels are {levels}", quoted(&isolated.level));
        return Err(Difference::at("isolation.level", why));
    }
    isolated
        .in_force
        .iter()
        .enumerate()
        .try_for_each(|(at, text)| is_printable(&format!("isolation.in_force[{at}]"), text))
}

fn machine(record: &GameRecord) -> Result<(), Difference> {
    let wrong = |key: &str, number: f64| Err(Difference::at(key, format!("is {number}, which it cannot be")));
    match (record.machine.load, record.machine.pressure) {
        (Some(load), _) if !load.is_finite() || load < 0.0 => wrong("machine.load", load),
        (_, Some(share)) if !(0.0..=1.0).contains(&share) => wrong("machine.pressure", share),
        _ => Ok(()),
    }
}

/// What a seat has done lasted no longer than the game.
fn times(at: usize, seat: &SeatRecord, lasted: Duration) -> Result<(), Difference> {
    let pauses = seat.pauses.iter().map(|pause| pause.time).fold(Duration::ZERO, Duration::saturating_add);
    let unanswered = seat.unanswered.map(|question| question.time).unwrap_or_default();
    for (key, time) in [
        ("micros", seat.time),
        ("lateness_micros", seat.lateness),
        ("pauses", pauses),
        ("unanswered.micros", unanswered),
    ] {
        fits(&format!("seats[{at}].{key}"), time, lasted)?;
    }
    for (number, pause) in seat.pauses.iter().enumerate() {
        is_printable(&format!("seats[{at}].pauses[{number}].waited_for"), &pause.waited_for)?;
        is_printable(&format!("seats[{at}].pauses[{number}].why"), &pause.why)?;
    }
    Ok(())
}

fn fits(key: &str, time: Duration, lasted: Duration) -> Result<(), Difference> {
    if time <= lasted.saturating_add(SLACK) {
        return Ok(());
    }
    let (time, lasted) = (time.as_micros(), lasted.as_micros());
    Err(Difference::at(key, format!("says {time} us, but from start to end the game lasted {lasted} us")))
}

fn process(at: usize, seat: &SeatRecord) -> Result<(), Difference> {
    let wrong = |why: String| Err(Difference::at(format!("seats[{at}].exit"), why));
    match seat.exit {
        Some(Exit::Code(code)) if !(0..=255).contains(&code) => {
            wrong(format!("is the status {code}, but they go from 0 to 255"))
        }
        Some(Exit::Signal(signal)) if !(1..=64).contains(&signal) => {
            wrong(format!("is the signal {signal}, but they go from 1 to 64"))
        }
        _ => Ok(()),
    }
}

/// The lines of a transcript came one after the other while the game was played, and hold nothing
/// that a terminal obeys.
fn evidence(at: usize, seat: &SeatRecord, lasted: Duration) -> Result<(), Difference> {
    let Some(evidence) = &seat.evidence else { return Ok(()) };
    let key = |part: String| format!("seats[{at}].evidence.{part}");
    let lines = evidence.lines.len();
    if lines > EVIDENCE_LINES {
        let why = format!("there are {lines}, but at most {EVIDENCE_LINES} are kept");
        return Err(Difference::at(key("lines".to_owned()), why));
    }
    for (number, line) in evidence.lines.iter().enumerate() {
        fits(&key(format!("lines[{number}].micros")), line.at, lasted)?;
        is_printable(&key(format!("lines[{number}].text")), &line.text)?;
    }
    let stderr = evidence.stderr.replace(['\n', '\t'], "");
    is_printable(&key("stderr".to_owned()), &stderr)
}

/// Turns that others shortened are those of the game, and lose no more than they lasted.
fn spent(at: usize, seat: &SeatRecord, most: usize, lasted: Duration) -> Result<(), Difference> {
    for (number, turn) in seat.spent.iter().enumerate() {
        let key = |part: &str| format!("seats[{at}].spent[{number}].{part}");
        if turn.question > most {
            let why = format!("is {}, but no more than {most} were asked", turn.question);
            return Err(Difference::at(key("question"), why));
        }
        fits(&key("micros"), turn.time, lasted)?;
        if turn.starved > turn.time {
            let (starved, time) = (turn.starved.as_micros(), turn.time.as_micros());
            return Err(Difference::at(
                key("starved_micros"),
                format!("says {starved} us, but the turn took {time} us"),
            ));
        }
    }
    Ok(())
}
