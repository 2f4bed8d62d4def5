//! The question that a tournament is to be played for, `--until` with `--at-most`.

use std::time::Duration;

use agon_standings::pairings;
use agon_standings::question::RunQuestion;

use super::{AtMost, Misuse, Options};

/// No pairing is looked at for more games than this.
const MOST_OF_STARTS: u32 = 100_000;

/// The question that a tournament is played for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AskedQuestion {
    /// The question.
    pub question: RunQuestion,
    /// The most games.
    pub most: u64,
}

impl AskedQuestion {
    /// How many games a pairing may well have, for what is said of its starts.
    pub fn games_of_starts(self, entrants: usize) -> u32 {
        let pairings = pairings::games(entrants, 1).max(1);
        u32::try_from(4 * (self.most / pairings + 1)).unwrap_or(u32::MAX).min(MOST_OF_STARTS)
    }
}

/// Takes the question and the time of `--at-most` out of the options.
///
/// # Errors
/// [`Misuse`]: one of them lacks the other.
pub fn taken(options: &mut Options) -> anyhow::Result<(Option<AskedQuestion>, Option<Duration>)> {
    let (question, at_most) = (options.until.take(), options.at_most.take());
    let wrong = |what: String, hint: &str| {
        Err(options.placed(&["until", "at-most", "games"], Misuse::hinted(what, hint)))
    };
    let Some(question) = question else {
        return match at_most {
            Some(AtMost::Games(games)) => wrong(
                format!("--at-most {games}: a number of games is for --until"),
                "write a time like 6h or 90m, or add --until cut=4, --until order or --until bars=25",
            ),
            Some(AtMost::Time(time)) => Ok((None, Some(time))),
            None => Ok((None, None)),
        };
    };
    if options.games.is_some() {
        return wrong(
            format!(
                "--until {question}: how often two engines meet follows from results, so --games does not fit"
            ),
            "leave --games out; --at-most has the number of all games",
        );
    }
    match at_most {
        Some(AtMost::Games(most)) => Ok((Some(AskedQuestion { question, most }), None)),
        Some(AtMost::Time(_)) => wrong(
            format!("--until {question}: its --at-most is a number of games, not a time"),
            "write for example --at-most 2000",
        ),
        None => wrong(
            format!("--until {question}: it needs --at-most, as equal engines are never told apart"),
            "add the most games, for example --at-most 2000",
        ),
    }
}

/// Refuses a question where pairs cannot be chosen.
///
/// # Errors
/// [`Misuse`] with the reason.
pub fn refuse(asked: Option<AskedQuestion>, what: &str, hint: &str) -> anyhow::Result<()> {
    let Some(AskedQuestion { question, .. }) = asked else { return Ok(()) };
    Err(Misuse::hinted(format!("--until {question}: {what}"), hint))
}

/// Refuses a question of a command that has none.
///
/// # Errors
/// [`Misuse`].
pub fn refuse_in(options: &Options, hint: &str) -> anyhow::Result<()> {
    let (what, key) = match (options.until, options.at_most) {
        (Some(question), _) => (format!("--until {question}"), "until"),
        (None, Some(_)) => ("--at-most".to_owned(), "at-most"),
        (None, None) => return Ok(()),
    };
    let error = Misuse::hinted(format!("{what}: it is for agon tournament and agon nightly"), hint);
    Err(options.placed(&[key], error))
}

/// Refuses a question that does not fit so many engines.
///
/// # Errors
/// [`Misuse`].
pub fn fits(asked: AskedQuestion, engines: usize) -> anyhow::Result<()> {
    asked
        .question
        .fits(engines)
        .map_err(|error| Misuse::hinted(format!("--until {error}"), "give another cut, or more engines"))
}
