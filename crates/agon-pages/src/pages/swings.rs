//! How often the lead of a game changed: by the points of the game, or else by what its engines
//! reported as the score.

use agon_record::{EngineEvaluation, Evaluation, GameRecord, Ply};
use agon_seats::Seat;

/// From this score on, in hundredths, an engine reports that a side is ahead.
const AHEAD: f64 = 50.0;

/// The changes of the lead in a game of two.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Swings {
    /// How many.
    pub(super) count: u32,
    /// Whether the points of the game tell them; otherwise an engine does.
    pub(super) by_points: bool,
}

impl Swings {
    /// The swings of a game. None are told of games with more than two seats.
    pub(super) fn of(record: &GameRecord) -> Swings {
        if record.seats.len() != 2 {
            return Swings::default();
        }
        let by_points = changes(leads(&record.plies).into_iter());
        // Each engine sees a game in its own way, so what two of them say is not mixed.
        let reported = |seat: Seat| changes(reports(&record.plies, seat));
        match by_points {
            0 => Swings { count: reported(Seat::FIRST).max(reported(Seat::SECOND)), by_points: false },
            count => Swings { count, by_points: true },
        }
    }
}

/// Whether the first seat is ahead in points after each ply, or behind: 1, 0 or -1.
fn leads(plies: &[Ply]) -> Vec<i8> {
    let mut lead = 0_i64;
    let after = |ply: &Ply| {
        let points = i64::from(ply.points);
        lead += if ply.seat == Seat::FIRST { points } else { -points };
        lead.signum() as i8
    };
    plies.iter().map(after).collect()
}

/// Whether the engine of a seat reports that it is ahead, or behind, wherever it reports a score.
fn reports(plies: &[Ply], seat: Seat) -> impl Iterator<Item = i8> {
    let own = plies.iter().filter(move |ply| ply.seat == seat);
    own.filter_map(|ply| Some(ahead(Evaluation::of_thought(ply.thought.as_deref()?)?.score)))
}

fn ahead(score: EngineEvaluation) -> i8 {
    match score {
        EngineEvaluation::Hundredths(score) if score >= AHEAD => 1,
        EngineEvaluation::Hundredths(score) if score <= -AHEAD => -1,
        EngineEvaluation::Hundredths(_) | EngineEvaluation::Draw => 0,
        // The unit of a plain number is the engine's own.
        EngineEvaluation::Number(score) if score > 0.0 => 1,
        EngineEvaluation::Number(score) if score < 0.0 => -1,
        EngineEvaluation::Number(_) => 0,
        EngineEvaluation::Mate(moves) if moves > 0 => 1,
        EngineEvaluation::Mate(_) | EngineEvaluation::Loss => -1,
        EngineEvaluation::Win => 1,
    }
}

/// How often the lead went from one side to the other, with or without equality in between.
fn changes(leads: impl Iterator<Item = i8>) -> u32 {
    let mut last = 0;
    let mut count = 0;
    for lead in leads.filter(|lead| *lead != 0) {
        count += u32::from(last != 0 && lead != last);
        last = lead;
    }
    count
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use agon_record::sample;

    use super::*;

    fn swings(plies: &[(i32, Option<&str>)]) -> Swings {
        let mut record = sample::game(1, "alpha", "bravo", "1-0");
        let ply = |(at, (points, thought)): (usize, &(i32, Option<&str>))| Ply {
            seat: Seat::new(at % 2),
            text: "a".to_owned(),
            points: *points,
            time: Duration::ZERO,
            thought: thought.map(str::to_owned),
        };
        record.plies = plies.iter().enumerate().map(ply).collect();
        Swings::of(&record)
    }

    #[test]
    fn a_swing_is_a_lead_that_goes_to_the_other_side() {
        let points = |all: &[i32]| swings(&all.iter().map(|points| (*points, None)).collect::<Vec<_>>());
        // 5:0, 5:8, 9:8, 9:9, 9:9, 9:12
        assert_eq!(points(&[5, 8, 4, 1, 0, 3]), Swings { count: 3, by_points: true });
        assert_eq!(points(&[5, 5, 1, 1]).count, 0, "equality is no lead");
        assert_eq!(points(&[0, 0, 0, 1]).count, 0, "the last ply says who won");
    }

    #[test]
    fn each_engine_sees_swings_of_its_own_and_small_scores_are_none() {
        let told = |all: &[&str]| swings(&all.iter().map(|text| (0, Some(*text))).collect::<Vec<_>>());
        let [good, bad, even] = ["info score cp 90", "info score cp -90", "info score cp 40"];
        // Both believe at each move that they are ahead. Nobody sees a swing.
        assert_eq!(told(&[good, good, good, good]).count, 0);
        assert_eq!(told(&[good, bad, bad, good, "info score win", even, even, bad]).count, 2);
        assert_eq!(told(&[good, "x", even, "x", "info score mate -3", "x"]).count, 1);
    }
}
