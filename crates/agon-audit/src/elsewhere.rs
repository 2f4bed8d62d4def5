//! The audit of seats that played elsewhere: how they were confined, and which lag was allowed for.

use std::time::Duration;

use agon_printable::clean;
use agon_programs::engine_file::is_place;
use agon_record::{GameRecord, PlayedElsewhere, SeatRecord, SpentTime};
use agon_sandbox::Isolation;
use agon_store::EntrantTerms;

use super::facts::{Difference, Facts, quoted};

/// What the record says by itself: a place is printable, and no level is stronger than the game's.
/// No more of a lag is allowed for than was measured.
pub(super) fn check(record: &GameRecord, facts: &mut Facts) -> Result<(), Difference> {
    for (at, seat) in record.seats.values().iter().enumerate() {
        far_times(at, seat)?;
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

/// What was not counted of a turn because of its machine: no more than that machine says and agon
/// has seen, and nothing of an engine that played here.
fn far_times(at: usize, seat: &SeatRecord) -> Result<(), Difference> {
    for (number, turn) in seat.spent.iter().enumerate() {
        let Some(far) = turn.far else { continue };
        let wrong = |why: String| Difference::at(format!("seats[{at}].spent[{number}].far"), why);
        if seat.elsewhere.is_none() {
            return Err(wrong("is there, but the engine did not play elsewhere".to_owned()));
        }
        let most = far.seen.min(turn.time.saturating_sub(far.own)).saturating_sub(seat.allowed_lag());
        if far.counted > most {
            let (counted, most) = (far.counted.as_micros(), most.as_micros());
            return Err(wrong(format!(
                "does not count {counted} microseconds, but at most {most} were seen"
            )));
        }
    }
    Ok(())
}

/// What the run says: who plays elsewhere at which level, and how much of a lag is allowed for, at
/// most.
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
    let allowed = seat.allowed_lag();
    let beyond = terms.lag.saturating_sub(allowed);
    let counted = |turn: &SpentTime| turn.far.map_or(Duration::ZERO, |far| far.counted);
    if let Some(number) = seat.spent.iter().position(|turn| counted(turn) > beyond) {
        let why = format!(
            "does not count {} microseconds, but {entrant} was entered with {terms} and {} are allowed for anyway",
            counted(&seat.spent[number]).as_micros(),
            allowed.as_micros()
        );
        return Err(Difference::at(format!("seats[{at}].spent[{number}].far.counted_micros"), why));
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

#[cfg(test)]
mod tests {
    use agon_seats::Seat;

    use super::*;
    use agon_record::sample::game;
    use agon_record::{FarTime, Isolated, Lag};

    fn level(name: &str) -> Isolated {
        Isolated { level: name.to_owned(), in_force: Vec::new() }
    }

    fn played(of_game: &str, own: &str, place: &str, measured: u64, allowed: u64) -> GameRecord {
        let mut record = game(1, "far", "near", "1-0");
        record.isolation = Some(level(of_game));
        record.seats[Seat::FIRST].elsewhere = Some(PlayedElsewhere {
            place: Some(place.to_owned()),
            isolation: level(own),
            lag: Some(Lag {
                measured: Duration::from_micros(measured),
                allowed: Duration::from_micros(allowed),
            }),
        });
        record
    }

    #[test]
    fn a_seat_has_the_level_and_the_lag_that_it_can_have() {
        let said = |record: &GameRecord| {
            check(record, &mut Facts::default()).map_err(|difference| difference.to_string())
        };
        for (of_game, own) in [("strict", "limits"), ("limits", "limits"), ("none", "none")] {
            assert_eq!(said(&played(of_game, own, "lab1", 23_400, 20_000)), Ok(()));
        }
        for (wrong, key) in [
            (played("sandbox", "none", "lab1", 9, 9), "isolation.level"),
            (played("sandbox", "sandbox", "lab1", 9, 9), "isolation.level"),
            (played("none", "limits", "lab1", 9, 9), "isolation.level"),
            (played("limits", "limits", "lab1", 9, 10), "lag.allowed_micros"),
            (played("limits", "limits", "\u{1b}[2J", 9, 9), "place"),
        ] {
            let why = said(&wrong).unwrap_err();
            assert!(why.contains(&format!("seats[0].elsewhere.{key}")), "{key}: {why}");
        }
    }

    /// A turn of half a second, of which its machine says that the engine had so much, and agon has
    /// seen and not counted so much, in milliseconds.
    fn turn(own: u64, seen: u64, counted: u64) -> SpentTime {
        let [own, seen, counted, time] = [own, seen, counted, 500].map(Duration::from_millis);
        let none = Duration::ZERO;
        let far = Some(FarTime { own, ran: own, seen, counted });
        SpentTime { question: 1, time, ran: none, waited: none, slept: time, starved: none, far }
    }

    #[test]
    fn no_more_of_a_turn_is_not_counted_than_was_claimed_and_seen_and_allowed() {
        let record = played("limits", "limits", "lab1", 100_000, 100_000);
        let said = |turn: SpentTime, is_elsewhere: bool| {
            let mut record = record.clone();
            let seat = &mut record.seats[Seat::FIRST];
            seat.spent = vec![turn];
            if !is_elsewhere {
                seat.elsewhere = None;
            }
            let checked = check(&record, &mut Facts::default());
            let terms = "st=5 lag=0.3".parse().unwrap();
            let checked = checked.and_then(|()| of_run(0, &record.seats[Seat::FIRST], &terms));
            checked.map_err(|difference| difference.to_string())
        };
        assert_eq!(said(turn(200, 900, 200), true), Ok(()));
        for (wrong, is_elsewhere) in [
            (turn(200, 900, 201), true),
            (turn(300, 900, 101), true),
            (turn(100, 250, 151), true),
            (turn(500, 900, 1), true),
            (turn(400, 900, 1), false),
        ] {
            assert!(said(wrong, is_elsewhere).unwrap_err().contains("seats[0].spent[0].far"), "{wrong:?}");
        }
    }

    #[test]
    fn a_seat_has_what_its_engine_was_entered_with() {
        let said = |record: &GameRecord, terms: &str| {
            of_run(0, &record.seats[Seat::FIRST], &terms.parse().unwrap())
                .map_err(|difference| difference.to_string())
        };
        let lagging = played("sandbox", "limits", "lab1", 23_400, 20_000);
        assert_eq!(said(&lagging, "st=5 isolation=limits lag=0.02"), Ok(()));
        for wrong in
            ["st=5 isolation=limits", "st=5 isolation=limits lag=0.01", "st=5 isolation=limits lag=0.03"]
        {
            assert!(said(&lagging, wrong).unwrap_err().contains("lag.allowed_micros"), "{wrong}");
        }
        assert!(said(&lagging, "st=5 isolation=none lag=0.02").unwrap_err().contains("isolation.level"));
        let here = game(1, "far", "near", "1-0");
        assert_eq!(said(&here, "st=5"), Ok(()));
        for terms in ["st=5 isolation=limits", "st=5 lag=0.02"] {
            assert!(said(&here, terms).unwrap_err().contains("is missing"), "{terms}");
        }
    }
}
