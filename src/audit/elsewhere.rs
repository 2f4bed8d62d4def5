//! The audit of seats that played elsewhere: how they were confined, and which lag was allowed for.

use agon_printable::clean;

use super::facts::{Difference, Facts, quoted};
use crate::config::Isolation;
use crate::engine::spec::is_place;
use crate::record::{GameRecord, PlayedElsewhere, SeatRecord};
use crate::store::EntrantTerms;

/// What the record says by itself: a place is printable, no level is stronger than the game's, and no
/// more of a lag is allowed for than was measured.
pub(super) fn check(record: &GameRecord, facts: &mut Facts) -> Result<(), Difference> {
    for (at, seat) in record.seats.values().iter().enumerate() {
        let Some(elsewhere) = &seat.elsewhere else { continue };
        let wrong = |key: &str, why: String| Difference::at(format!("seats[{at}].elsewhere.{key}"), why);
        let PlayedElsewhere { place, isolation, lag } = elsewhere;
        if let Some(place) = place.as_ref().filter(|place| !is_place(place)) {
            return Err(wrong("place", format!("{} cannot be the name of a place", quoted(place))));
        }
        let of_game = record.isolation.as_ref().and_then(|game| game.level.parse::<Isolation>().ok());
        let expected = of_game.unwrap_or(Isolation::Limits).min(Isolation::Limits);
        if isolation.level != expected.to_string() {
            let why = format!("is {}, but there it is {expected}", quoted(&isolation.level));
            return Err(wrong("isolation.level", why));
        }
        if let Some(lag) = lag {
            if lag.allowed > lag.measured {
                let (allowed, measured) = (lag.allowed.as_micros(), lag.measured.as_micros());
                return Err(wrong(
                    "lag.allowed_micros",
                    format!("is {allowed}, but {measured} were measured"),
                ));
            }
            facts.witnessed("lags", 1);
        }
    }
    Ok(())
}

/// What the run says: who plays elsewhere at which level, and how much of a lag is allowed for, at most.
pub(super) fn of_run(at: usize, seat: &SeatRecord, terms: &EntrantTerms) -> Result<(), Difference> {
    let wrong = |key: &str, why: String| Difference::at(format!("seats[{at}].elsewhere{key}"), why);
    let entrant = clean(&seat.entrant);
    let said = seat.elsewhere.as_ref();
    if said.is_none() && (terms.level.is_some() || !terms.lag.is_zero()) {
        return Err(wrong("", format!("is missing, but {entrant} was entered with {terms}")));
    }
    let Some(said) = said else { return Ok(()) };
    if terms.level.is_some_and(|level| said.isolation.level != level.to_string()) {
        let why = format!("is {}, but {entrant} was entered with {terms}", quoted(&said.isolation.level));
        return Err(wrong(".isolation.level", why));
    }
    let Some(lag) = said.lag else { return Ok(()) };
    let expected = lag.measured.min(terms.lag);
    if lag.allowed != expected {
        let why = format!(
            "is {}, but {entrant} was entered with {terms} and {} were measured: that is {}",
            lag.allowed.as_micros(),
            lag.measured.as_micros(),
            expected.as_micros()
        );
        return Err(wrong(".lag.allowed_micros", why));
    }
    Ok(())
}
