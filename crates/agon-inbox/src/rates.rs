//! How often a token may bring an archive: once a minute, and so many times a day.

use std::fs;
use std::path::Path;

use agon_export::atomic;
use anyhow::Result;

use super::places::Inbox;

/// The seconds between two archives of a token.
const BETWEEN: u64 = 60;
/// The most archives of a token in 24 hours.
pub const MOST_A_DAY: usize = 30;
const DAY: u64 = 24 * 60 * 60;

/// The token has to wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooSoon {
    /// For so many seconds.
    pub seconds: u64,
    /// Whether the archives of the day are used up.
    pub of_day: bool,
}

/// Whether an archive may be brought at a time in seconds since 1970. Nothing is counted.
pub fn may_come(inbox: &Inbox, alias: &str, now: u64) -> Result<(), TooSoon> {
    admit(times(&inbox.uploads().join(format!(".{alias}.times"))), now).0
}

/// Counts an archive that has come whole, at a time in seconds since 1970. One that is refused for
/// its number is not counted. The count outlives the server.
///
/// # Errors
/// Errors of the disk.
pub fn count_archive(inbox: &Inbox, alias: &str, now: u64) -> Result<Result<(), TooSoon>> {
    let path = inbox.uploads().join(format!(".{alias}.times"));
    let before = times(&path);
    let (answer, times) = admit(before, now);
    if answer.is_ok() {
        let text: String = times.iter().map(|time| format!("{time}\n")).collect();
        atomic::write_unsynced(&path, |to| Ok(to.write_all(text.as_bytes())?))?;
    }
    Ok(answer)
}

fn times(path: &Path) -> Vec<u64> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().filter_map(|line| line.parse().ok()).collect()
}

/// Whether another attempt may be made now, and the attempts of the last day with it.
fn admit(mut times: Vec<u64>, now: u64) -> (Result<(), TooSoon>, Vec<u64>) {
    // A clock that was set back must not lock anybody out.
    times.retain(|time| *time <= now && time + DAY > now);
    if times.len() >= MOST_A_DAY {
        let seconds = times[times.len() - MOST_A_DAY] + DAY - now;
        return (Err(TooSoon { seconds, of_day: true }), times);
    }
    if let Some(last) = times.last()
        && last + BETWEEN > now
    {
        return (Err(TooSoon { seconds: last + BETWEEN - now, of_day: false }), times);
    }
    times.push(now);
    (Ok(()), times)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_may_come_once_a_minute_and_thirty_times_a_day() {
        let home = tempfile::tempdir().unwrap();
        let inbox = Inbox::at(home.path());
        inbox.make().unwrap();
        let come = |now| count_archive(&inbox, "quiet-otter", now).unwrap();
        assert_eq!([1, 2].map(|now| may_come(&inbox, "quiet-otter", now)), [Ok(()); 2], "nothing is counted");
        assert_eq!(come(1000), Ok(()));
        assert_eq!(come(1001), may_come(&inbox, "quiet-otter", 1001));
        assert_eq!(come(1001), Err(TooSoon { seconds: 59, of_day: false }));
        assert_eq!(count_archive(&inbox, "grey-wren", 1001).unwrap(), Ok(()), "others are not concerned");
        for minute in 1..30 {
            assert_eq!(come(1000 + 60 * minute), Ok(()), "{minute}");
        }
        let full = come(1000 + 60 * 30);
        assert_eq!(full, Err(TooSoon { seconds: DAY - 60 * 30, of_day: true }));
        assert_eq!(come(1000 + DAY), Ok(()));
        assert_eq!(come(10), Ok(()), "the clock was set back");
    }
}
