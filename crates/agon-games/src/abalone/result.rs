//! The result of a game of Abalone in the form of its record: `13(W)-8(L)`, black first.

use super::{LOSING, MARBLES};
use crate::result::{Finish, Lost};
use crate::{PerSeat, Refusal};

/// The outcome for one side, as a letter of the contest's document.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResultMark {
    /// `W`: the side has won.
    Won,
    /// `L`: the side has lost.
    Lost,
    /// `T`: the game is a tie.
    Tied,
    /// `R`: the side has resigned.
    Resigned,
    /// `*`: the side ran out of time.
    OutOfTime,
}

impl ResultMark {
    /// Every mark, in the order of the document.
    pub const ALL: [ResultMark; 5] =
        [ResultMark::Won, ResultMark::Lost, ResultMark::Tied, ResultMark::Resigned, ResultMark::OutOfTime];

    /// The letter between the brackets.
    pub fn letter(self) -> char {
        match self {
            ResultMark::Won => 'W',
            ResultMark::Lost => 'L',
            ResultMark::Tied => 'T',
            ResultMark::Resigned => 'R',
            ResultMark::OutOfTime => '*',
        }
    }
}

/// One side's part of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MarbleCount {
    /// The marbles that it has left.
    pub marbles: u32,
    /// The outcome for it.
    pub mark: ResultMark,
}

/// The result in the form of a record, black first: `13(W)-8(L)`.
pub fn result_text(sides: &PerSeat<MarbleCount>) -> String {
    let halves: Vec<String> =
        sides.values().iter().map(|side| format!("{}({})", side.marbles, side.mark.letter())).collect();
    halves.join("-")
}

/// The form of [`result_text`] for a finished game.
pub(super) fn of(finish: &Finish<'_>) -> String {
    let winners = finish.places.values().iter().filter(|place| **place == 1).count();
    let tallies = finish.places.map(|seat, place| MarbleCount {
        marbles: u32::try_from(finish.scores[seat]).unwrap_or(0), // marbles are never negative
        mark: match (finish.lost, *place) {
            (Some((loser, Lost::Resigned)), _) if loser == seat => ResultMark::Resigned,
            (Some((loser, Lost::OutOfTime)), _) if loser == seat => ResultMark::OutOfTime,
            (_, 1) if winners == 1 => ResultMark::Won,
            (_, 1) => ResultMark::Tied,
            _ => ResultMark::Lost,
        },
    });
    result_text(&tallies)
}

/// Reads the form that [`result_text`] writes.
///
/// # Errors
/// [`Refusal::Unreadable`] if the text has another form, if a number of marbles is impossible, or
/// if the two marks contradict each other. One side wins and the other loses, resigns or runs out
/// of time; or both tie.
pub fn read_result(text: &str) -> Result<PerSeat<MarbleCount>, Refusal> {
    let Some((black, white)) = text.split_once('-') else {
        return Err(Refusal::unreadable(format!("a result is written 13(W)-8(L), and {text:?} has no '-'")));
    };
    let (black, white) = (read_tally(black)?, read_tally(white)?);
    match (black.mark, white.mark) {
        (ResultMark::Won, ResultMark::Lost | ResultMark::Resigned | ResultMark::OutOfTime)
        | (ResultMark::Lost | ResultMark::Resigned | ResultMark::OutOfTime, ResultMark::Won)
        | (ResultMark::Tied, ResultMark::Tied) => Ok(PerSeat::two(black, white)),
        _ => Err(Refusal::unreadable(format!(
            "{} and {} do not go together: one side is W and the other L, R or *, or both are T",
            black.mark.letter(),
            white.mark.letter()
        ))),
    }
}

fn read_tally(text: &str) -> Result<MarbleCount, Refusal> {
    let form = || Refusal::unreadable(format!("a side's result is written 13(W), and here it is {text:?}"));
    let (marbles, letter) = text.strip_suffix(')').and_then(|text| text.split_once('(')).ok_or_else(form)?;
    let mark = ResultMark::ALL
        .into_iter()
        .find(|mark| letter == mark.letter().to_string())
        .ok_or_else(|| Refusal::unreadable(format!("{letter:?} is no result; there are W, L, T, R and *")))?;
    let left = (MARBLES - LOSING..=MARBLES).find(|left| marbles == left.to_string()).ok_or_else(|| {
        Refusal::unreadable(format!(
            "{marbles:?} is not a number of marbles from {} to {MARBLES}",
            MARBLES - LOSING
        ))
    })?;
    Ok(MarbleCount { marbles: left, mark })
}
