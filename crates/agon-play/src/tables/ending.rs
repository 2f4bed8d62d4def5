//! How a game at a table ended: in words for the page, and as a record that can be kept.

use std::time::{Duration, SystemTime};

use agon_export::notation;
use agon_games::{Game, Outcome, Rules};
use agon_match::processes::{Fault, Trouble};
use agon_match::referee::{GameEnd, cause_of, lost_by};
use agon_printable::clean;
use agon_record::reason::{EndReason, FaultFact, QuotedLine};
use agon_record::{Decided, GameRecord, MachineLoad, Ply, SeatRecord, Traffic, Usage, Verdict};
use agon_seats::{PerSeat, Seat, result};
use agon_standings::result::{Cause, GameId, Termination};
use chrono::{DateTime, Utc};

use super::seats::SeatSpec;
use crate::play::session::PastMove;

/// The event that the record of such a game names.
const EVENT: &str = "a table of agon serve";

/// Why the loop of a game is left.
pub(super) enum Leave {
    /// Moves are taken back: so many plies are kept.
    Undo(usize),
    /// The same game from its start.
    Again,
    /// This seat gives the game up.
    Resigned(Seat),
    /// The time of this seat is over.
    Flagged(Seat),
    /// The table closes.
    Closed(String),
    /// The interrupt was sent.
    Interrupted,
}

/// How a game ended.
#[derive(Clone, Debug)]
pub(super) struct TableEnding {
    /// One line for the page.
    pub(super) how: String,
    decided: Decided,
}

/// What an end of the game's loop means.
pub(super) enum TableEnd {
    /// The game is over.
    Over(Box<TableEnding>),
    /// The loop was left for a request.
    Left(Leave),
    /// An engine was interrupted. The reason is the next request.
    Interrupted,
    /// The table itself cannot go on.
    Broken(std::io::Error),
}

impl TableEnd {
    /// Reads the end of a game whose position is `game`.
    pub(super) fn of(
        end: GameEnd<Leave>,
        game: &dyn Game,
        rules: &dyn Rules,
        seat_specs: &PerSeat<SeatSpec>,
    ) -> TableEnd {
        let name = |seat: Seat| clean(&seat_specs[seat].name);
        let side = |seat: Seat| rules.seats()[seat.index()];
        let over = |how: String, decided: Decided| TableEnd::Over(Box::new(TableEnding { how, decided }));
        let lost = |seat: Seat, termination: Termination, reason: EndReason| {
            lost_by(game, seat, termination, reason)
        };
        match end {
            GameEnd::Over(outcome) => over(words(&outcome, rules), normal(outcome)),
            GameEnd::PlyLimit | GameEnd::Known(_) | GameEnd::Scores(_) => over(
                "the game was ended".to_owned(),
                Decided {
                    places: result::by_score(&game.scores()),
                    scores: game.scores(),
                    termination: Termination::Adjudication,
                    reason: EndReason::Words("the game was ended".to_owned()),
                },
            ),
            GameEnd::Resigned(seat) | GameEnd::Left(Leave::Resigned(seat)) => over(
                format!("{} resigns, so {} has won", side(seat), side(seat.other())),
                lost(seat, Termination::Resignation(seat), EndReason::Resigned),
            ),
            GameEnd::Left(Leave::Flagged(seat)) => over(
                match game.may_win(seat.other()) {
                    true => format!("the time of {} is over, so {} has won", side(seat), side(seat.other())),
                    false => format!(
                        "the time of {} is over, but {} could not win any more: a draw",
                        side(seat),
                        side(seat.other())
                    ),
                },
                lost(
                    seat,
                    Termination::Forfeit(seat, Cause::TimeForfeit),
                    EndReason::Fault(FaultFact::Told("its time was over".to_owned()).into()),
                ),
            ),
            GameEnd::Refused { seat, line, refusal } => {
                let (line, termination) =
                    (QuotedLine::of(&line), Termination::Forfeit(seat, cause_of(&refusal)));
                over(
                    format!("{} wrote {line}, and that loses: {refusal}", name(seat)),
                    lost(seat, termination, EndReason::Refused { line, why: refusal.to_string(), own: None }),
                )
            }
            GameEnd::Trouble(trouble) => TableEnd::of_trouble(trouble, Some(game), seat_specs),
            GameEnd::Left(leave) => TableEnd::Left(leave),
        }
    }

    /// Reads a trouble with an engine in a game, if that could be begun.
    pub(super) fn of_trouble(
        trouble: Trouble,
        game: Option<&dyn Game>,
        seat_specs: &PerSeat<SeatSpec>,
    ) -> TableEnd {
        match trouble {
            Trouble::Fault(Fault { seat, cause, why }) => {
                let name = clean(&seat_specs[seat].name);
                let termination = Termination::Forfeit(seat, cause);
                let decided = match game {
                    Some(game) => lost_by(game, seat, termination, EndReason::Fault(why)),
                    None => Decided {
                        places: result::all_but(seat, seat_specs.len()),
                        scores: seat_specs.map(|_, _| 0),
                        termination,
                        reason: EndReason::Fault(why),
                    },
                };
                let lost = if decided.places[seat] == 1 { "was at fault" } else { "has lost" };
                let reason = clean(&decided.reason.to_string());
                let how = format!("{name} {lost} by {}: {reason}", cause.name());
                TableEnd::Over(Box::new(TableEnding { how, decided }))
            }
            Trouble::Stopped => TableEnd::Interrupted,
            Trouble::Ours(error) => TableEnd::Broken(error),
        }
    }
}

/// The result in one line.
fn words(outcome: &Outcome, rules: &dyn Rules) -> String {
    let first = outcome.places.iter().filter(|(_, place)| **place == 1);
    let winners: Vec<&str> = first.map(|(seat, _)| rules.seats()[seat.index()]).collect();
    let scores: Vec<String> = outcome.scores.values().iter().map(i32::to_string).collect();
    let who = if winners.len() == 1 { format!("{} has won", winners[0]) } else { "a draw".to_owned() };
    format!("{}: {who}, {}", outcome.why, scores.join("-"))
}

fn normal(outcome: Outcome) -> Decided {
    Decided {
        places: outcome.places,
        scores: outcome.scores,
        termination: Termination::Normal,
        reason: EndReason::Rules(outcome.why),
    }
}

/// A game that is over, as a text that `agon replay` reads.
///
/// `started` is when the table was opened. A move of a program elsewhere has the program's own
/// time.
pub(super) fn record(
    ending: &TableEnding,
    rules: &dyn Rules,
    start: &str,
    past: &[PastMove],
    seat_specs: &PerSeat<SeatSpec>,
    started: DateTime<Utc>,
) -> String {
    let Ok(mut game) = rules.resume(start) else { return String::new() }; // it was read before
    let mut plies = Vec::with_capacity(past.len());
    for PastMove { text, time, thought } in past {
        let seat = game.to_move();
        let Ok(points) = game.play(text.as_bytes()).map(|played| played.points) else { break };
        plies.push(Ply { seat, text: text.clone(), points, time: *time, thought: thought.clone() });
    }
    let seats = seat_specs.map(|seat, spec| seat_record(rules.seats()[seat.index()], seat, spec, &plies));
    let record = GameRecord {
        id: GameId { round: 1, pairing: 1, game: 1 },
        rules: rules.spec(),
        seed: 0,
        start: start.to_owned(),
        last: game.text(),
        time_control: seats[Seat::FIRST].time_control.clone(),
        seats,
        plies,
        verdict: Verdict::Decided(ending.decided.clone()),
        isolation: None,
        machine: MachineLoad::default(),
        referee: None,
        ruling: None,
        started,
        finished: DateTime::from(SystemTime::now()),
    };
    notation::write(&record, EVENT)
}

fn seat_record(side: &str, seat: Seat, spec: &SeatSpec, plies: &[Ply]) -> SeatRecord {
    let times = plies.iter().filter(|ply| ply.seat == seat).map(|ply| ply.time);
    SeatRecord {
        side: side.to_owned(),
        entrant: clean(&spec.name),
        time_control: if spec.has_clock { spec.control.to_string() } else { "none".to_owned() },
        time: times.clone().sum(),
        longest: times.max().unwrap_or_default(),
        startup: Duration::ZERO,
        lateness: Duration::ZERO,
        traffic: Traffic::default(),
        exit: None,
        stragglers: 0,
        usage: Usage::default(),
        evidence: None,
        unanswered: None,
        pauses: Vec::new(),
        spent: Vec::new(),
        elsewhere: None,
    }
}
