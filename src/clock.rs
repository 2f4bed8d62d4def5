//! Time controls and the clocks that run by them. Pure arithmetic: no clock is read here.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// How much time a seat has, as match runners write it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TimeControl {
    /// `st=5`: seconds for each move.
    PerMove(Duration),
    /// `tc=60+1`: seconds for the whole game, and seconds added after each move.
    WholeGame {
        /// The time on the clock when the game begins.
        base: Duration,
        /// The time added after each move.
        increment: Duration,
    },
}

impl TimeControl {
    /// The number an engine is started with: seconds per move, or for the whole game.
    pub fn seconds(self) -> String {
        match self {
            TimeControl::PerMove(time) => plain(time),
            TimeControl::WholeGame { base, .. } => plain(base),
        }
    }
}

/// Seconds without trailing zeros: `5`, `0.1`.
fn plain(time: Duration) -> String {
    time.as_secs_f64().to_string()
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TimeControl::PerMove(time) => write!(f, "st={}", plain(*time)),
            TimeControl::WholeGame { base, increment } => {
                write!(f, "tc={}", plain(*base))?;
                if increment.is_zero() { Ok(()) } else { write!(f, "+{}", plain(*increment)) }
            }
        }
    }
}

impl FromStr for TimeControl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some(("st", seconds)) => Ok(TimeControl::PerMove(positive(seconds)?)),
            Some(("tc", whole)) => match whole.split_once('+') {
                Some((base, increment)) => Ok(TimeControl::WholeGame {
                    base: positive(base)?,
                    increment: if increment == "0" { Duration::ZERO } else { positive(increment)? },
                }),
                None => Ok(TimeControl::WholeGame { base: positive(whole)?, increment: Duration::ZERO }),
            },
            _ => Err(format!("{text:?} is not a time control; write st=SECONDS or tc=SECONDS+INCREMENT")),
        }
    }
}

/// The longest time allowed: a week. A longer one is a typing error.
const LONGEST: f64 = 7.0 * 24.0 * 3600.0;

/// Parses a time in seconds, like `5` or `0.25`: at least a millisecond, at most a week.
///
/// # Errors
/// What is wrong, and what to write.
pub fn positive(text: &str) -> Result<Duration, String> {
    let seconds: f64 =
        text.parse().map_err(|_| format!("{text:?} is not a number of seconds; write one like 5 or 0.25"))?;
    if (0.001..=LONGEST).contains(&seconds) {
        // Rounded to whole microseconds, so that the text form reads back the same.
        Ok(Duration::from_micros((seconds * 1e6).round() as u64))
    } else {
        Err(format!("{text} seconds is out of range; write a number from 0.001 to {LONGEST}"))
    }
}

/// Parses a time in seconds that may be zero, like a margin.
///
/// # Errors
/// As [`positive`].
pub fn zero_or_more(text: &str) -> Result<Duration, String> {
    if text.parse() == Ok(0.0) { Ok(Duration::ZERO) } else { positive(text) }
}

/// A measured time without its fraction of a microsecond.
///
/// Records and the database hold whole microseconds. Every time is cut to them where it is
/// measured. So the sums and averages of a running game equal those computed later from the
/// database.
#[must_use]
pub fn whole_micros(time: Duration) -> Duration {
    Duration::new(time.as_secs(), time.subsec_micros() * 1000)
}

/// One seat's clock in one game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    control: TimeControl,
    left: Duration,
    /// Extra time for the whole game, drawn on by moves that take too long.
    bank: Duration,
    margin: Duration,
}

impl Clock {
    /// A clock at the start of a game. An answer that is late by at most `margin` is in time.
    /// `bank` is extra time for the whole game, drawn on by moves that take too long.
    pub fn new(control: TimeControl, margin: Duration, bank: Duration) -> Self {
        let left = match control {
            TimeControl::PerMove(time) => time,
            TimeControl::WholeGame { base, .. } => base,
        };
        Clock { control, left, bank, margin }
    }

    /// Its time control.
    pub fn control(&self) -> TimeControl {
        self.control
    }

    /// The time on the clock: for this move, or for the rest of the game.
    pub fn left(&self) -> Duration {
        self.left
    }

    /// The time left in the bank.
    pub fn bank(&self) -> Duration {
        self.bank
    }

    /// The longest an answer may take from the question to its newline, bank and margin included.
    pub fn allowance(&self) -> Duration {
        self.left + self.bank + self.margin
    }

    /// Takes the time of an answer from the clock, and from the bank what the clock does not have.
    /// Then adds the increment.
    pub fn spend(&mut self, time: Duration) {
        self.bank = self.bank.saturating_sub(time.saturating_sub(self.left));
        match self.control {
            TimeControl::PerMove(each) => self.left = each,
            TimeControl::WholeGame { increment, .. } => {
                self.left = self.left.saturating_sub(time) + increment;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control(text: &str) -> TimeControl {
        text.parse().unwrap()
    }

    #[test]
    fn a_time_control_reads_back_as_it_is_written() {
        for text in ["st=5", "st=0.1", "tc=60", "tc=60+0.5", "st=0.001"] {
            assert_eq!(control(text).to_string(), text);
        }
    }

    #[test]
    fn what_is_no_time_is_refused_with_what_to_write() {
        for text in ["st=0", "st=-1", "st=nan", "st=inf", "st=1e9", "st=", "5", "tc=60+x", "xy=5"] {
            assert!(text.parse::<TimeControl>().unwrap_err().contains("write"), "{text}");
        }
    }

    #[test]
    fn a_measured_time_loses_what_a_record_does_not_hold() {
        for (nanos, micros) in [(0, 0), (999, 0), (1_000, 1), (1_999_999_999, 1_999_999)] {
            assert_eq!(whole_micros(Duration::from_nanos(nanos)), Duration::from_micros(micros));
        }
        assert_eq!(whole_micros(Duration::MAX).subsec_nanos(), 999_999_000);
    }

    #[test]
    fn a_move_clock_starts_anew_and_a_game_clock_runs_down() {
        let mut each = Clock::new(control("st=2"), Duration::ZERO, Duration::ZERO);
        each.spend(Duration::from_secs(1));
        assert_eq!(each.allowance(), Duration::from_secs(2));
        let mut whole = Clock::new(control("tc=10+1"), Duration::from_millis(20), Duration::ZERO);
        whole.spend(Duration::from_secs(4));
        assert_eq!(whole.left(), Duration::from_secs(7));
        assert_eq!(whole.allowance(), Duration::from_millis(7020));
        whole.spend(Duration::from_secs(60));
        assert_eq!(whole.left(), Duration::from_secs(1));
    }

    #[test]
    fn a_bank_is_drawn_on_by_what_is_over_the_limit_until_it_is_empty() {
        let second = Duration::from_secs(1);
        let mut clock = Clock::new(control("st=2"), Duration::ZERO, 3 * second);
        clock.spend(2 * second);
        assert_eq!((clock.bank(), clock.allowance()), (3 * second, 5 * second));
        clock.spend(4 * second);
        assert_eq!((clock.bank(), clock.allowance()), (second, 3 * second));
        clock.spend(9 * second);
        assert_eq!((clock.bank(), clock.allowance()), (Duration::ZERO, 2 * second));
    }
}
