//! Sample records: what tests of other crates begin with.

use std::time::Duration;

use agon_seats::{PerSeat, Seat};
use agon_standings::result::{GameId, Termination};
use chrono::DateTime;

use crate::reason::EndReason;
use crate::{Decided, GameRecord, MachineLoad, Ply, SeatRecord, Traffic, Verdict};

/// A seat with plain values.
pub fn seat(side: &str, entrant: &str) -> SeatRecord {
    SeatRecord {
        side: side.to_owned(),
        entrant: entrant.to_owned(),
        time_control: "st=5 margin=0.02".to_owned(),
        time: Duration::from_micros(30_000),
        longest: Duration::from_micros(20_500),
        startup: Duration::from_millis(1),
        lateness: Duration::ZERO,
        traffic: Traffic::default(),
        exit: None,
        stragglers: 0,
        usage: Default::default(),
        evidence: None,
        unanswered: None,
        pauses: Vec::new(),
        spent: Vec::new(),
        elsewhere: None,
    }
}

/// A game with the name, the place and the score of each seat.
pub fn around(number: u32, seats: &[(&str, u8, i32)]) -> GameRecord {
    let mut record = game(number, "", "", "1-0");
    let own = |at: usize| seat(&(at + 1).to_string(), seats[at].0);
    record.seats = PerSeat::from_fn(seats.len(), |seat| own(seat.index()));
    if let Verdict::Decided(decided) = &mut record.verdict {
        decided.places = PerSeat::from_fn(seats.len(), |seat| seats[seat.index()].1);
        decided.scores = PerSeat::from_fn(seats.len(), |seat| seats[seat.index()].2);
    }
    record
}

/// A game of letters between two entrants with this result, three plies long.
pub fn game(number: u32, first: &str, second: &str, result: &str) -> GameRecord {
    let (places, scores) = match result {
        "1-0" => ([1, 2], [12, 9]),
        "0-1" => ([2, 1], [3, 8]),
        "1/2-1/2" => ([1, 1], [5, 5]),
        other => panic!("no result: {other}"),
    };
    let ply = |seat, text: &str, points, micros| Ply {
        seat,
        text: text.to_owned(),
        points,
        time: Duration::from_micros(micros),
        thought: None,
    };
    GameRecord {
        id: GameId { round: 1, pairing: number.div_ceil(2), game: 2 - number % 2 },
        rules: "letters:6x6x3".to_owned(),
        seed: 1234,
        start: "appleb/oardth".to_owned(),
        last: "______/oardth".to_owned(),
        time_control: "st=5".to_owned(),
        seats: PerSeat::two(seat("W", first), seat("B", second)),
        plies: vec![
            ply(Seat::FIRST, "W,1,1,1,1,5,1,apple", 9, 20_500),
            ply(Seat::SECOND, "B,P", 0, 1_000),
            ply(Seat::FIRST, "W,P", 0, 9_500),
        ],
        verdict: Verdict::Decided(Decided {
            places: PerSeat::from(places.to_vec()),
            scores: PerSeat::from(scores.to_vec()),
            termination: Termination::Normal,
            reason: EndReason::Rules("two passes in a row".to_owned()),
        }),
        isolation: None,
        machine: MachineLoad::default(),
        referee: None,
        ruling: None,
        started: DateTime::UNIX_EPOCH + Duration::from_millis(1_800_000_000_000),
        finished: DateTime::UNIX_EPOCH + Duration::from_millis(1_800_000_001_250),
    }
}

/// The same game, ended by this termination.
pub fn ended_by(mut record: GameRecord, termination: Termination, reason: &str) -> GameRecord {
    if let Verdict::Decided(decided) = &mut record.verdict {
        decided.termination = termination;
        decided.reason = EndReason::Words(reason.to_owned());
    }
    record
}

/// The same game, void.
pub fn void(mut record: GameRecord, why: &str) -> GameRecord {
    record.verdict = Verdict::Void { why: super::VoidReason::Words(why.to_owned()) };
    record
}
