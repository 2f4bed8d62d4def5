//! The echo of an engine elsewhere: a command that gives each line back, and how long that takes.

use std::fmt;
use std::io;
use std::time::Duration;

use agon_printable::escape;
use agon_programs::spec::EngineSpec;
use agon_record::reason::FaultFact;
use agon_seats::Seat;
use agon_standings::result::Cause;

use super::{start, with_last_words};
use crate::processes::{EngineStart, Fault, GameProcesses, Limits, Patience, Scratch, Trouble};

/// How often the way there and back is measured, after a first line that is not: the connection is
/// made meanwhile.
const MEASURED: usize = 20;
/// How many lines are enough on a slow way, whose lines have taken as long as [`LONG`].
const ENOUGH: usize = 6;
/// After this time no more lines are measured than [`ENOUGH`].
const LONG: Duration = Duration::from_secs(3);
/// How many other lines an echo may write, such as a message of the day.
const OTHERS: usize = 100;

/// Why there is no lag.
#[derive(Debug)]
pub enum EchoTrouble {
    /// The echo is at fault, in words for the author of its `engine.toml`.
    Fault(String),
    /// The run is to stop.
    Stopped,
    /// Ours.
    Ours(io::Error),
}

impl fmt::Display for EchoTrouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EchoTrouble::Fault(why) => write!(f, "its echo gives no lines back: {why}"),
            EchoTrouble::Stopped => f.write_str("the run is to stop"),
            EchoTrouble::Ours(error) => write!(f, "its echo cannot be started here: {error}"),
        }
    }
}

/// Measures the lag of an engine elsewhere, from lines there and back, in the same way as the time
/// of an answer; see [`estimated`]. `None` if it has no echo.
///
/// # Errors
/// [`EchoTrouble`].
pub fn lag(engine: &EngineSpec, limits: &Limits, scratch: &Scratch) -> Result<Option<Duration>, EchoTrouble> {
    // A directory of no engine: no engine has a slash in its name.
    let directory = scratch.directory("/echo", "", Vec::new()).map_err(EchoTrouble::Ours)?;
    let setup =
        start::echo_setup(engine, &directory, &limits.terms.confinement).map_err(EchoTrouble::Fault)?;
    let Some(setup) = setup else { return Ok(None) };
    let limits = Limits { traffic: None, waiting: None, pauses: None, core: None, ..limits.clone() };
    let startup = limits.terms.startup;
    let mut processes = GameProcesses::new(vec![EngineStart::Later(Box::new(setup))], limits);
    let times = measured(&mut processes, startup);
    let patience = if times.is_ok() { Patience::All } else { Patience::None };
    let seen = processes.close(patience);
    let times = times.map_err(|trouble| match trouble {
        Trouble::Fault(fault) => {
            EchoTrouble::Fault(with_last_words(fault.why, &seen[Seat::FIRST].stderr).to_string())
        }
        Trouble::Stopped => EchoTrouble::Stopped,
        Trouble::Ours(error) => EchoTrouble::Ours(error),
    })?;
    Ok(Some(estimated(&times)))
}

/// The lag by these times in the order in which they were measured, two at least: the median of the
/// first half or of the second one, whichever is smaller.
///
/// A median is taken, because an answer takes longer than it as often as shorter. This evens out
/// over a game, and lines that stalled do not count. The shortest time would charge the engine for
/// every delay on the way. If the halves differ, the way was disturbed in one of them, and nobody
/// knows how it will be in the game: then less is allowed for.
fn estimated(times: &[Duration]) -> Duration {
    let (first, second) = times.split_at(times.len() / 2);
    let median = |half: &[Duration]| {
        let mut sorted = half.to_vec();
        sorted.sort();
        sorted[(sorted.len() - 1) / 2]
    };
    median(first).min(median(second))
}

/// The times of the lines, each of which may take so long.
fn measured(processes: &mut GameProcesses, most: Duration) -> Result<Vec<Duration>, Trouble> {
    let mut times: Vec<Duration> = Vec::new();
    for number in 0..=MEASURED {
        if times.len() >= ENOUGH && times.iter().sum::<Duration>() >= LONG {
            break;
        }
        let line = format!("agon echo {number}");
        processes.tell(Seat::FIRST, format!("{line}\n").as_bytes());
        processes.start(Seat::FIRST)?;
        processes.ask(Seat::FIRST, most);
        let time = heard(processes, &line)?;
        if number > 0 {
            times.push(time);
        }
    }
    Ok(times)
}

/// The time until this line comes back.
fn heard(processes: &mut GameProcesses, line: &str) -> Result<Duration, Trouble> {
    let mut last = Vec::new();
    for _ in 0..OTHERS {
        let answer = processes.hear()?;
        if answer.line == line.as_bytes() {
            return Ok(answer.time);
        }
        last = answer.line;
    }
    let written = escape(&last, 80);
    let why =
        format!("it wrote \"{written}\" and {} more lines, and not the line that it was sent", OTHERS - 1);
    let why = FaultFact::Told(why).into();
    Err(Trouble::Fault(Fault { seat: Seat::FIRST, cause: Cause::Protocol, why }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lag(times: &[u64]) -> u64 {
        let times: Vec<Duration> = times.iter().map(|time| Duration::from_millis(*time)).collect();
        u64::try_from(estimated(&times).as_millis()).unwrap()
    }

    #[test]
    fn lines_that_stall_and_a_disturbed_half_allow_for_no_more() {
        let even = [20; 20];
        assert_eq!(lag(&even), 20);
        // Four of each half stall.
        let mut stalled = even;
        for at in [0, 1, 5, 9, 10, 12, 13, 19] {
            stalled[at] = 500;
        }
        assert_eq!(lag(&stalled), 20);
        // The way was slow while one half was measured.
        let slow: Vec<u64> = [[20; 10], [90; 10]].concat();
        assert_eq!((lag(&slow), lag(&slow.iter().rev().copied().collect::<Vec<_>>())), (20, 20));
        // Jitter evens out.
        assert_eq!(
            lag(&[10, 30, 12, 28, 14, 26, 16, 24, 18, 22, 10, 30, 12, 28, 14, 26, 16, 24, 18, 22]),
            18
        );
        assert_eq!(lag(&[40, 41, 42, 39, 40, 44]), 40);
    }
}
