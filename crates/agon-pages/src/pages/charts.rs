//! The charts below the board of a game: what the engines reported as the score, the score of the
//! game, and the time of each move. The script leads from a chart to its ply.

use std::fmt::Write;
use std::time::Duration;

use agon_printable::clean;
use agon_record::{EngineEvaluation, Evaluation, GameRecord};
use agon_seats::{PerSeat, Seat};
use maud::{Markup, html};

use super::plot;

/// Half of the height of a chart, in its own units.
const HIGH: f64 = 40.0;

/// A larger score of an engine is drawn as this one, and so is a mate.
const MOST_SCORE: f64 = 1000.0;

/// All charts of a game. `scores` are those of the game after each ply, that of the start first, if
/// its rules count any.
pub(super) fn of_game(record: &GameRecord, scores: Option<&[PerSeat<i32>]>) -> Markup {
    html! {
        (reported(record))
        @if let Some(scores) = scores { (lead(record, scores)) }
        (times(record))
    }
}

/// What the engines reported as the score, as lines over the plies. A value above the middle is
/// good for the first seat. Nothing if no engine reported any.
fn reported(record: &GameRecord) -> Markup {
    let found: Vec<(usize, Seat, f64)> = (1..)
        .zip(&record.plies)
        .filter_map(|(number, ply)| Some((number, ply.seat, score_of(ply.thought.as_deref()?)?)))
        .map(|(number, seat, value)| (number, seat, if seat == Seat::FIRST { value } else { -value }))
        .collect();
    if found.is_empty() {
        return html! {};
    }
    let most = found.iter().map(|(_, _, value)| value.abs()).fold(1.0, f64::max).min(MOST_SCORE);
    let of = |seat: Seat| {
        let own = found.iter().filter(|(_, by, _)| *by == seat);
        path(own.map(|(number, _, value)| (*number, value.clamp(-most, most) / most)))
    };
    let [first, second] = sides(record);
    let label = format!("Scores that the engines reported, up to {most}. The list of moves has each.");
    let caption = html! {
        "Scores that the engines reported, −" (most) " to " (most) "; above the line is good for " (first) ". "
        (first) " reports the solid line, " (second) " the dashed one."
    };
    figure(record, &label, &[of(Seat::FIRST), of(Seat::SECOND)], &caption)
}

/// By how much the first seat leads after each ply, in a game of two that counts scores.
fn lead(record: &GameRecord, scores: &[PerSeat<i32>]) -> Markup {
    let leads: Vec<f64> = scores
        .iter()
        .filter(|scores| scores.len() == 2)
        .map(|scores| f64::from(scores[Seat::FIRST]) - f64::from(scores[Seat::SECOND]))
        .collect();
    let most = leads.iter().map(|lead| lead.abs()).fold(0.0, f64::max);
    if most == 0.0 {
        return html! {};
    }
    let line = path(leads.iter().map(|lead| lead / most).enumerate());
    let [first, second] = sides(record);
    let label = format!("The lead of {first} in the score, up to {most}. The list of moves has each score.");
    let caption = html! {
        "The lead in the score, up to " (most) ": above the line " (first) " leads, below it " (second) "."
    };
    figure(record, &label, &[line, String::new()], &caption)
}

/// The time of each move. Nothing where no move took a millisecond: that is the pipe, and no
/// thought.
fn times(record: &GameRecord) -> Markup {
    let longest = record.plies.iter().map(|ply| ply.time).max().unwrap_or_default();
    if longest < Duration::from_millis(1) {
        return html! {};
    }
    let of = |seat: Seat| {
        let own = (1..).zip(&record.plies).filter(|(_, ply)| ply.seat == seat);
        path(own.map(|(number, ply)| (number, 2.0 * ply.time.as_secs_f64() / longest.as_secs_f64() - 1.0)))
    };
    let [first, second] = sides(record);
    let longest = plot::time(u64::try_from(longest.as_micros()).unwrap_or(u64::MAX));
    let label = format!("The time of each move, up to {longest}. The list of moves has each.");
    let caption = html! {
        "The time of each move, up to " (longest) ": " (first) " has the solid line, " (second) " the dashed one."
    };
    // With more than two seats each line would be one of many. The list of moves has the times.
    match record.seats.len() {
        2 => figure(record, &label, &[of(Seat::FIRST), of(Seat::SECOND)], &caption),
        _ => html! {},
    }
}

/// A chart over the plies of a game, with its first line solid and its second dashed.
fn figure(record: &GameRecord, label: &str, [first, second]: &[String; 2], caption: &Markup) -> Markup {
    let plies = record.plies.len().max(1);
    html! {
        figure.scores {
            svg viewBox={ "0 -44 " (plies) " 88" } preserveAspectRatio="none" role="img" aria-label=(label) {
                path.zero d={ "M0 0H" (plies) } {}
                path.now d="M0-44V44" {}
                path.first d=(first) {}
                path.second d=(second) {}
            }
            figcaption { (caption) }
        }
    }
}

/// A line through these points: the number of a ply, and a value from -1 to 1.
fn path(points: impl Iterator<Item = (usize, f64)>) -> String {
    let mut path = String::new();
    for (number, value) in points {
        let sign = if path.is_empty() { 'M' } else { 'L' };
        // Zero has no sign. A String takes everything.
        let _ = write!(path, "{sign}{number} {:.0}", 0.0 - (value * HIGH).round());
    }
    path
}

/// The names of the first two sides.
fn sides(record: &GameRecord) -> [String; 2] {
    [Seat::FIRST, Seat::SECOND].map(|seat| clean(&record.seats[seat].side))
}

/// The score in a thought, `info depth 2 score cp 9` or `score mate -3`, as its engine sees it.
fn score_of(thought: &str) -> Option<f64> {
    Some(match Evaluation::of_thought(thought)?.score {
        EngineEvaluation::Hundredths(score) | EngineEvaluation::Number(score) => score,
        EngineEvaluation::Mate(moves) if moves > 0 => MOST_SCORE,
        EngineEvaluation::Mate(_) => -MOST_SCORE,
        EngineEvaluation::Win => MOST_SCORE,
        EngineEvaluation::Loss => -MOST_SCORE,
        EngineEvaluation::Draw => 0.0,
    })
}

#[cfg(test)]
mod tests {
    use agon_record::{Ply, sample};

    use super::*;

    /// A game of these moves, each with its time in milliseconds and what its engine wrote.
    fn game(plies: &[(u64, Option<&str>)]) -> GameRecord {
        let mut record = sample::game(1, "alpha", "bravo", "1-0");
        let ply = |(at, (time, thought)): (usize, &(u64, Option<&str>))| Ply {
            seat: Seat::new(at % 2),
            text: "a".to_owned(),
            points: 0,
            time: Duration::from_millis(*time),
            thought: thought.map(str::to_owned),
        };
        record.plies = plies.iter().enumerate().map(ply).collect();
        record
    }

    #[test]
    fn scores_of_thoughts_are_drawn_from_the_side_of_the_first_seat() {
        for (thought, value) in [
            ("info depth 2 score cp -31 pv a b", Some(-31.0)),
            ("info score mate -3", Some(-1000.0)),
            ("info score mate 0", Some(-1000.0)),
            ("info score mate 2", Some(1000.0)),
            ("info score win", Some(1000.0)),
            ("info score 0.5", Some(0.5)),
            ("info score cp x", None),
            ("info score cp NaN", None),
            ("info score cp inf", None),
            ("info depth 3", None),
            ("info score", None),
        ] {
            assert_eq!(score_of(thought), value, "{thought}");
        }
        assert_eq!(of_game(&game(&[(0, None), (0, None)]), None).into_string(), "");
        let told = game(&[(0, Some("info score cp 50")), (0, Some("info score cp 100")), (0, None)]);
        let drawn = of_game(&told, None).into_string();
        assert!(drawn.contains("d=\"M1 -20\"") && drawn.contains("d=\"M2 40\""), "{drawn}");
    }

    #[test]
    fn the_lead_is_above_the_line_where_the_first_seat_leads() {
        let record = game(&[(0, None), (0, None)]);
        let scores = |pairs: &[[i32; 2]]| -> Vec<PerSeat<i32>> {
            pairs.iter().map(|[first, second]| PerSeat::two(*first, *second)).collect()
        };
        let drawn = of_game(&record, Some(&scores(&[[0, 0], [5, 0], [5, 15]]))).into_string();
        assert!(drawn.contains("d=\"M0 0L1 -20L2 40\"") && drawn.contains("up to 10"), "{drawn}");
        // Nobody leads at any time: there is nothing to draw.
        assert_eq!(of_game(&record, Some(&scores(&[[0, 0], [3, 3], [7, 7]]))).into_string(), "");
    }

    #[test]
    fn times_go_from_nothing_to_the_longest_move() {
        let drawn = of_game(&game(&[(2000, None), (500, None), (0, None)]), None).into_string();
        assert!(drawn.contains("d=\"M1 -40L3 40\"") && drawn.contains("d=\"M2 20\""), "{drawn}");
        assert!(drawn.contains("up to 2"), "{drawn}");
    }
}
