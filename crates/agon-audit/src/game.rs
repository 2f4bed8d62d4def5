//! The audit of one record: each key is proved by the rules, bounded, or counted as only witnessed.

use std::time::Duration;

use agon_games::{Game, Rules, Status};
use agon_record::{GameRecord, Verdict};
use agon_seats::{Clock, Flag, PerSeat, Seat};
use agon_store::times::{allowances, search_of};

use super::audited::AuditedGame;
use super::conditions::Conditions;
use super::facts::{Difference, Facts, quoted};
use super::verdict;
use super::{contradictions, elsewhere, transcript};

/// The longest name of an entrant, in bytes; no file system has longer ones.
const LONGEST_NAME: usize = 1000;

/// Plays a record again and checks all its values against the rules, each other, and the conditions
/// of its run.
///
/// # Errors
/// The first [`Difference`], with its key.
pub fn check(record: &GameRecord, rules: &dyn Rules, conditions: &Conditions) -> Result<Facts, Difference> {
    let mut facts = Facts::default();
    if record.referee.is_some() {
        return Err(Difference::at("referee", "exists, but the rules of the game are built in"));
    }
    contradictions::check(record)?;
    seats(record, &rules.spec(), rules.seats())?;
    let clocks = clocks(record, conditions)?;
    let game = start(record, rules, conditions, &mut facts)?;
    let mut played = AuditedGame { record, rules, conditions, game, clocks };
    plies(&mut played, &mut facts)?;
    if played.game.text() != record.last {
        let why = format!("says {}, but by the moves it is {}", quoted(&record.last), played.game.text());
        return Err(Difference::at("last", why));
    }
    facts.proved("positions", 1);
    sums(record, &mut facts)?;
    isolation(record, conditions)?;
    elsewhere::check(record, &mut facts)?;
    facts.witnessed("exits", record.seats.values().iter().filter(|seat| seat.exit.is_some()).count());
    facts.witnessed("usage", record.seats.len());
    match &record.verdict {
        Verdict::Void { .. } => verdict::void(record)?,
        Verdict::Decided(decided) => verdict::decided(&played, decided, &mut facts)?,
    }
    transcript::of_moves(record, rules)?;
    Ok(facts)
}

/// The seats: as many as the game of this name has, with its `names`, and different entrants on
/// them.
pub(super) fn seats(record: &GameRecord, spec: &str, names: &[&str]) -> Result<(), Difference> {
    let all = record.seats.values();
    if all.len() != names.len() {
        let why = format!("there are {} seats, but {spec} has {}", all.len(), names.len());
        return Err(Difference::at("seats", why));
    }
    for (at, (seat, name)) in all.iter().zip(names).enumerate() {
        if seat.side != *name {
            let why = format!("is {}, but the seats of {spec} are {}", quoted(&seat.side), names.join(","));
            return Err(Difference::at(format!("seats[{at}].side"), why));
        }
        let key = || format!("seats[{at}].entrant");
        let is_name = !seat.entrant.is_empty() && seat.entrant.len() <= LONGEST_NAME;
        if !is_name || seat.entrant.chars().any(char::is_control) {
            return Err(Difference::at(
                key(),
                format!("{} cannot be the name of an engine", quoted(&seat.entrant)),
            ));
        }
        if all[..at].iter().any(|other| other.entrant == seat.entrant) {
            return Err(Difference::at(key(), format!("{} plays against itself", quoted(&seat.entrant))));
        }
    }
    Ok(())
}

/// The clocks at the start.
pub(super) fn clocks(record: &GameRecord, conditions: &Conditions) -> Result<PerSeat<Clock>, Difference> {
    let mut clocks = Vec::new();
    for (at, seat) in record.seats.values().iter().enumerate() {
        let wrong = |why: String| Difference::at(format!("seats[{at}].time_control"), why);
        let said = &seat.time_control;
        let (control, margin, bank) =
            allowances(said).map_err(|why| wrong(format!("{} cannot be read: {why}", quoted(said))))?;
        if let Some(behind) = &conditions.allowances
            // What its engine may search besides was seen when it was entered.
            && *said != format!("{control}{behind}{}", search_of(said).unwrap_or_default())
        {
            return Err(wrong(format!("is {}, but the run has {control}{behind}", quoted(said))));
        }
        if at == 0 && record.time_control != control.to_string() {
            let why = format!("is {}, but the first seat has {control}", quoted(&record.time_control));
            return Err(Difference::at("time_control", why));
        }
        clocks.push(Clock::new(control, margin, bank).with_lag(seat.allowed_lag()));
    }
    Ok(clocks.into())
}

/// The game in its start position. The seed gives the position if the openings are known.
fn start(
    record: &GameRecord,
    rules: &dyn Rules,
    conditions: &Conditions,
    facts: &mut Facts,
) -> Result<Box<dyn Game>, Difference> {
    let wrong = |why: String| Difference::at("start", why);
    let game =
        rules.resume(&record.start).map_err(|refusal| wrong(format!("is not a position: {refusal}")))?;
    if game.text() != record.start {
        return Err(wrong(format!("is written {}", game.text())));
    }
    let pair = record.id.game.div_ceil(2);
    match &conditions.openings {
        Some(openings) => {
            let expected = openings.begin(rules, record.seed, pair).game.text();
            if expected != record.start {
                let seed = record.seed;
                return Err(wrong(format!(
                    "is {}, but the seed {seed} gives {expected}",
                    quoted(&record.start)
                )));
            }
            facts.proved("positions", 1);
        }
        // It may have begun with an opening.
        None if rules.start(record.seed).text() != record.start => facts.witnessed("starts", 1),
        None => facts.proved("positions", 1),
    }
    Ok(game)
}

/// Every move is legal, in the referee's form, has the stored points, and was in time.
fn plies(played: &mut AuditedGame<'_>, facts: &mut Facts) -> Result<(), Difference> {
    let AuditedGame { record, rules, game, clocks, .. } = played;
    for (at, ply) in record.plies.iter().enumerate() {
        let wrong = |key: &str, why: String| Difference::at(format!("plies[{at}].{key}"), why);
        let name = |seat: Seat| rules.seats().get(seat.index()).copied().unwrap_or("nobody");
        match game.status() {
            Status::ToMove(seat) if seat == ply.seat => {}
            Status::ToMove(seat) => {
                return Err(wrong("seat", format!("is {}, but it is {}'s turn", name(ply.seat), name(seat))));
            }
            Status::Over(outcome) => {
                return Err(wrong("seat", format!("moves, but the game is over: {}", outcome.why)));
            }
        }
        let done = game
            .play(ply.text.as_bytes())
            .map_err(|refusal| wrong("text", format!("{}: {refusal}", quoted(&ply.text))))?;
        if done.text != ply.text {
            return Err(wrong("text", format!("{} is written {}", quoted(&ply.text), done.text)));
        }
        if done.points != ply.points {
            return Err(wrong("points", format!("says {}, but the move scores {}", ply.points, done.points)));
        }
        if let Flag::Fallen(allowed) = clocks[ply.seat].spend(ply.time, None) {
            let most = allowed.as_secs_f64();
            return Err(wrong(
                "micros",
                format!("the move took longer than the {most} s it had, but it was played"),
            ));
        }
        if let Some(thought) = &ply.thought
            && thought.chars().any(char::is_control)
        {
            return Err(wrong("thought", format!("{} holds a control character", quoted(thought))));
        }
    }
    facts.proved("moves", record.plies.len());
    facts.proved("points", record.plies.len());
    facts.witnessed("times", record.plies.len());
    Ok(())
}

/// The times of a seat follow from those of its moves.
pub(super) fn sums(record: &GameRecord, facts: &mut Facts) -> Result<(), Difference> {
    for (seat, own) in record.seats.iter() {
        let at = seat.index();
        let times = || record.plies.iter().filter(|ply| ply.seat == seat).map(|ply| ply.time);
        let sum: Duration = times().sum();
        if own.time != sum {
            let why = format!("says {} us, but the moves took {}", own.time.as_micros(), sum.as_micros());
            return Err(Difference::at(format!("seats[{at}].micros"), why));
        }
        let longest = times().max().unwrap_or_default();
        if own.longest != longest {
            let (said, longest) = (own.longest.as_micros(), longest.as_micros());
            let why = format!("says {said} us, but the longest move took {longest}");
            return Err(Difference::at(format!("seats[{at}].longest_micros"), why));
        }
        facts.proved("sums", 2);
    }
    Ok(())
}

/// The level is that of the run.
pub(super) fn isolation(record: &GameRecord, conditions: &Conditions) -> Result<(), Difference> {
    let (Some(said), Some(asked)) = (&record.isolation, &conditions.level) else { return Ok(()) };
    let levels = ["none", "limits", "sandbox", "strict"];
    if levels.contains(&asked.as_str()) && said.level != *asked {
        let why = format!("is {}, but the run has {asked}", quoted(&said.level));
        return Err(Difference::at("isolation.level", why));
    }
    Ok(())
}
