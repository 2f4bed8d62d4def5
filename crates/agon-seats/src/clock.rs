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
    /// `tc=40/60+1`: seconds for a number of moves, given again after each such number. What is
    /// left stays.
    Repeating {
        /// The number of moves, 1 or more.
        moves: u32,
        /// The time for them.
        base: Duration,
        /// The time added after each move.
        increment: Duration,
    },
}

impl TimeControl {
    /// The number an engine is started with: seconds per move, for the whole game, or for a number
    /// of moves.
    pub fn seconds(self) -> String {
        plain(self.at_first())
    }

    /// The time on the clock when the game begins.
    fn at_first(self) -> Duration {
        match self {
            TimeControl::PerMove(time) => time,
            TimeControl::WholeGame { base, .. } | TimeControl::Repeating { base, .. } => base,
        }
    }

    /// The longest time that it names: at the start of the game, for a number of moves, for a move,
    /// or added after one.
    pub fn longest(self) -> Duration {
        match self {
            TimeControl::PerMove(time) => time,
            TimeControl::WholeGame { base, increment } | TimeControl::Repeating { base, increment, .. } => {
                base.max(increment)
            }
        }
    }

    /// Its text as the name of a directory, in which `/` cannot stand.
    pub fn directory_name(self) -> String {
        self.to_string().replace('/', "_")
    }

    /// The time control of a directory with such a name.
    pub fn of_directory_name(name: &str) -> Option<Self> {
        name.replace('_', "/").parse().ok()
    }
}

/// Seconds without trailing zeros: `5`, `0.1`.
fn plain(time: Duration) -> String {
    time.as_secs_f64().to_string()
}

/// An increment as it is written behind a time: `+0.5`, or nothing.
fn behind(increment: Duration) -> String {
    if increment.is_zero() { String::new() } else { format!("+{}", plain(increment)) }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TimeControl::PerMove(time) => write!(f, "st={}", plain(*time)),
            TimeControl::WholeGame { base, increment } => {
                write!(f, "tc={}{}", plain(*base), behind(*increment))
            }
            TimeControl::Repeating { moves, base, increment } => {
                write!(f, "tc={moves}/{}{}", plain(*base), behind(*increment))
            }
        }
    }
}

impl FromStr for TimeControl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some(("st", seconds)) => Ok(TimeControl::PerMove(positive(seconds)?)),
            Some(("tc", whole)) => {
                let (moves, time) = match whole.split_once('/') {
                    Some((moves, time)) => (Some(some_moves(moves)?), time),
                    None => (None, whole),
                };
                let (base, increment) = match time.split_once('+') {
                    Some((_, "")) => {
                        return Err(format!(
                            "{time:?} has no increment; write its seconds behind the +, as in 60+0.5, or leave the + out"
                        ));
                    }
                    Some((base, increment)) => (positive(base)?, zero_or_more(increment)?),
                    None => (positive(time)?, Duration::ZERO),
                };
                Ok(match moves {
                    Some(moves) => TimeControl::Repeating { moves, base, increment },
                    None => TimeControl::WholeGame { base, increment },
                })
            }
            _ => Err(format!(
                "{text:?} is not a time control; write st=SECONDS, tc=SECONDS+INCREMENT or tc=MOVES/SECONDS"
            )),
        }
    }
}

/// How far engines may search for a move, besides their time. Only a protocol that can say so knows
/// it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct SearchLimits {
    /// The most positions.
    pub nodes: Option<u64>,
    /// The most plies ahead.
    pub depth: Option<u32>,
}

impl SearchLimits {
    /// Each limit that is given, by its name in options and protocols.
    pub fn given(self) -> impl Iterator<Item = (&'static str, u64)> {
        [("nodes", self.nodes), ("depth", self.depth.map(u64::from))]
            .into_iter()
            .filter_map(|(name, limit)| Some((name, limit?)))
    }

    /// These limits, and those of others where they give none.
    #[must_use]
    pub fn or(self, others: SearchLimits) -> SearchLimits {
        SearchLimits { nodes: self.nodes.or(others.nodes), depth: self.depth.or(others.depth) }
    }

    /// Whether there is no limit.
    pub fn is_none(self) -> bool {
        self == SearchLimits::default()
    }

    /// Reads one limit, `nodes=10000` or `depth=8`; `None` if the text begins with another name.
    ///
    /// # Errors
    /// The number is none, or leaves nothing to search.
    pub fn one(text: &str) -> Result<Option<SearchLimits>, String> {
        let number = |text: &str, most: u64| {
            let number = text.parse().ok().filter(|number| (1..=most).contains(number));
            number.ok_or_else(|| format!("{text:?} is no limit of a search; write a whole number from 1 on"))
        };
        Ok(match text.split_once('=') {
            Some(("nodes", nodes)) => {
                Some(SearchLimits { nodes: Some(number(nodes, u64::MAX)?), depth: None })
            }
            Some(("depth", depth)) => {
                let depth = number(depth, u64::from(u32::MAX))?;
                Some(SearchLimits { nodes: None, depth: u32::try_from(depth).ok() })
            }
            _ => None,
        })
    }
}

/// Each limit with a blank before it, ` nodes=10000 depth=8`, as it stands behind a time control.
impl fmt::Display for SearchLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.given().try_for_each(|(name, limit)| write!(f, " {name}={limit}"))
    }
}

/// Parses the number of moves of a repeating time control.
fn some_moves(text: &str) -> Result<u32, String> {
    let moves = text.parse().ok().filter(|moves| (1..=1000).contains(moves));
    moves.ok_or_else(|| format!("{text:?} is not a number of moves; write one from 1 to 1000, as in 40/60"))
}

/// The longest time allowed: a week. A longer one is a typing error.
const LONGEST: f64 = 7.0 * 24.0 * 3600.0;

/// Parses a time in seconds, like `5` or `0.25`: at least a millisecond, at most a week.
///
/// # Errors
/// What is wrong, and what to write.
pub fn positive(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| match with_point(text) {
        Some(number) => format!("{text:?} is not a number of seconds; write a decimal point, {number}"),
        None => format!("{text:?} is not a number of seconds; write one like 5 or 0.25"),
    })?;
    if (0.001..=LONGEST).contains(&seconds) {
        // Rounded to whole microseconds, so that the text form reads back the same.
        Ok(Duration::from_micros((seconds * 1e6).round() as u64))
    } else {
        Err(format!("{text} seconds is out of range; write a number from 0.001 to {LONGEST}"))
    }
}

/// A number that is written with a decimal comma, with a point in its place.
pub fn with_point(text: &str) -> Option<String> {
    let (whole, fraction) = text.split_once(',')?;
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    (is_number(whole.trim_start_matches('-')) && is_number(fraction)).then(|| format!("{whole}.{fraction}"))
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

/// What a clock says of an answer that it was charged for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flag {
    /// It came in time.
    Up,
    /// It came too late, or never. So long it could have taken.
    Fallen(Duration),
}

/// One seat's clock in one game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    control: TimeControl,
    left: Duration,
    /// How many moves are left until time is given again, if it ever is.
    moves_to_go: Option<u32>,
    /// Extra time for the whole game, drawn on by moves that take too long.
    bank: Duration,
    margin: Duration,
    /// The time there and back that no answer is charged for.
    lag: Duration,
}

impl Clock {
    /// A clock at the start of a game. An answer that is late by at most `margin` is in time.
    /// `bank` is extra time for the whole game, drawn on by moves that take too long.
    pub fn new(control: TimeControl, margin: Duration, bank: Duration) -> Self {
        let moves_to_go = match control {
            TimeControl::Repeating { moves, .. } => Some(moves),
            TimeControl::PerMove(_) | TimeControl::WholeGame { .. } => None,
        };
        Clock { control, left: control.at_first(), moves_to_go, bank, margin, lag: Duration::ZERO }
    }

    /// The same clock for an engine elsewhere: each answer may come later by `lag`, and so much of
    /// its time is not charged.
    #[must_use]
    pub fn with_lag(self, lag: Duration) -> Self {
        Clock { lag, ..self }
    }

    /// Its time control.
    pub fn control(&self) -> TimeControl {
        self.control
    }

    /// The time on the clock: for this move, or for the rest of the game.
    pub fn left(&self) -> Duration {
        self.left
    }

    /// How many moves are left until time is given again, if it ever is.
    pub fn moves_to_go(&self) -> Option<u32> {
        self.moves_to_go
    }

    /// The time left in the bank.
    pub fn bank(&self) -> Duration {
        self.bank
    }

    /// The longest an answer may take from the question to its newline; bank, margin and lag
    /// included.
    pub fn allowance(&self) -> Duration {
        self.left + self.bank + self.margin + self.lag
    }

    /// The same of a question that has a limit of its own besides the clock.
    pub fn allowance_of(&self, most: Option<Duration>) -> Duration {
        most.map_or(self.allowance(), |most| self.allowance().min(most + self.margin + self.lag))
    }

    /// Charges the time of an answer, and says whether it came in time. A question that has stayed
    /// without an answer has taken [`Duration::MAX`]. `most` is the limit of the question, if it
    /// has one besides the clock.
    ///
    /// The time is taken from the clock without the lag, and from the bank what the clock does not
    /// have. No answer costs more than it could have taken. Then comes the increment, and after the
    /// last of a number of moves the time for the next ones: a late answer counts as a move.
    pub fn spend(&mut self, time: Duration, most: Option<Duration>) -> Flag {
        let allowed = self.allowance_of(most);
        self.take(time.min(allowed));
        if time > allowed { Flag::Fallen(allowed) } else { Flag::Up }
    }

    fn take(&mut self, time: Duration) {
        let time = time.saturating_sub(self.lag);
        self.bank = self.bank.saturating_sub(time.saturating_sub(self.left));
        match self.control {
            TimeControl::PerMove(each) => self.left = each,
            TimeControl::WholeGame { increment, .. } => {
                self.left = self.left.saturating_sub(time) + increment;
            }
            TimeControl::Repeating { moves, base, increment } => {
                self.left = self.left.saturating_sub(time) + increment;
                let to_go = self.moves_to_go.unwrap_or(moves).saturating_sub(1);
                if to_go == 0 {
                    self.left += base;
                }
                self.moves_to_go = Some(if to_go == 0 { moves } else { to_go });
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
        for text in ["st=5", "st=0.1", "tc=60", "tc=60+0.5", "tc=40/60", "tc=1/2.5+0.5", "st=0.001"] {
            assert_eq!(control(text).to_string(), text);
            let name = control(text).directory_name();
            assert!(!name.contains('/'));
            assert_eq!(TimeControl::of_directory_name(&name), Some(control(text)));
        }
    }

    #[test]
    fn the_longest_time_of_a_control_is_the_longest_number_of_seconds_in_it() {
        for (text, longest) in
            [("st=4", 4), ("tc=4", 4), ("tc=4+1", 4), ("tc=1+4", 4), ("tc=40/4", 4), ("tc=40/1+4", 4)]
        {
            assert_eq!(control(text).longest(), Duration::from_secs(longest), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_is_refused_with_what_to_write() {
        for text in [
            "st=0", "st=-1", "st=nan", "st=inf", "st=1e9", "st=", "5", "tc=60+x", "xy=5", "tc=0/60",
            "tc=x/60", "tc=40/", "st=40/60", "tc=1+", "tc=40/1+",
        ] {
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
        each.spend(Duration::from_secs(1), None);
        assert_eq!(each.allowance(), Duration::from_secs(2));
        let mut whole = Clock::new(control("tc=10+1"), Duration::from_millis(20), Duration::ZERO);
        whole.spend(Duration::from_secs(4), None);
        assert_eq!(whole.left(), Duration::from_secs(7));
        assert_eq!(whole.allowance(), Duration::from_millis(7020));
        whole.spend(Duration::from_secs(60), None);
        assert_eq!(whole.left(), Duration::from_secs(1));
    }

    #[test]
    fn time_is_given_again_after_a_number_of_moves_and_what_was_left_stays() {
        let second = Duration::from_secs(1);
        let mut clock = Clock::new(control("tc=2/10+1"), Duration::ZERO, Duration::ZERO);
        assert_eq!((clock.left(), clock.moves_to_go()), (10 * second, Some(2)));
        clock.spend(4 * second, None);
        assert_eq!((clock.left(), clock.moves_to_go()), (7 * second, Some(1)));
        clock.spend(5 * second, None);
        assert_eq!((clock.left(), clock.moves_to_go()), (13 * second, Some(2)));
        clock.spend(20 * second, None);
        assert_eq!((clock.left(), clock.moves_to_go()), (second, Some(1)));
    }

    #[test]
    fn a_lag_is_given_to_each_answer_and_to_no_other() {
        let millis = Duration::from_millis;
        let mut each = Clock::new(control("st=1"), millis(20), Duration::ZERO).with_lag(millis(50));
        assert_eq!(each.allowance(), millis(1070));
        each.spend(millis(1070), None);
        assert_eq!((each.left(), each.allowance()), (millis(1000), millis(1070)));
        let mut whole = Clock::new(control("tc=2"), Duration::ZERO, millis(100)).with_lag(millis(50));
        whole.spend(millis(30), None);
        assert_eq!((whole.left(), whole.bank()), (millis(2000), millis(100)), "it gains nothing");
        whole.spend(millis(550), None);
        assert_eq!(whole.left(), millis(1500));
        whole.spend(millis(1570), None);
        assert_eq!(
            (whole.left(), whole.bank(), whole.allowance()),
            (Duration::ZERO, millis(80), millis(130))
        );
    }

    #[test]
    fn a_bank_is_drawn_on_by_what_is_over_the_limit_until_it_is_empty() {
        let second = Duration::from_secs(1);
        let mut clock = Clock::new(control("st=2"), Duration::ZERO, 3 * second);
        clock.spend(2 * second, None);
        assert_eq!((clock.bank(), clock.allowance()), (3 * second, 5 * second));
        clock.spend(4 * second, None);
        assert_eq!((clock.bank(), clock.allowance()), (second, 3 * second));
        clock.spend(9 * second, None);
        assert_eq!((clock.bank(), clock.allowance()), (Duration::ZERO, 2 * second));
    }

    #[test]
    fn a_late_answer_costs_what_was_allowed_and_counts_as_a_move() {
        let second = Duration::from_secs(1);
        let mut clock = Clock::new(control("tc=2/10+1"), second, Duration::ZERO);
        assert_eq!(clock.spend(11 * second, None), Flag::Up, "the margin is in time");
        assert_eq!((clock.left(), clock.moves_to_go()), (second, Some(1)));
        assert_eq!(clock.spend(Duration::MAX, None), Flag::Fallen(2 * second));
        assert_eq!((clock.left(), clock.moves_to_go()), (11 * second, Some(2)));
        let few = Some(3 * second);
        assert_eq!(clock.allowance_of(few), 4 * second);
        assert_eq!(clock.spend(4 * second, few), Flag::Up);
        assert_eq!(clock.spend(5 * second, few), Flag::Fallen(4 * second), "the limit of the question");
        assert_eq!(clock.left(), 15 * second);
    }
}
