//! What the side of the harness knows of the present turn of the engine, in a file of one line that
//! the harness reads. Each line replaces the one before.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use crate::claim::FarClaim;

/// A reader may see a line that is just being replaced. So often it looks again.
const LOOKS: u32 = 20;

/// A turn of the engine as far as it is known here.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FarTimes {
    /// When its question was sent, by the monotonic clock; zero if none was, or nothing has been
    /// heard since.
    pub since: Duration,
    /// What the other side says of it.
    pub claim: FarClaim,
    /// How long it can have been held up by the way there and back and by others on its machine:
    /// so much this side has measured.
    pub seen: Duration,
}

/// Now, by the monotonic clock.
pub fn monotonic() -> Duration {
    let time = clock_gettime(ClockId::Monotonic);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

impl FarTimes {
    /// Its line. The number of the line, at both ends, shows that it is whole.
    fn line(&self, number: u64) -> String {
        let FarTimes { since, claim: FarClaim { own, ran }, seen } = self;
        let [since, own, ran, seen] = [since, own, ran, seen].map(|time| time.as_micros());
        format!("{number:020} {since:020} {own:020} {ran:020} {seen:020} {number:020}\n")
    }

    fn parse(line: &str) -> Option<Self> {
        let numbers: Vec<u64> = line.split_ascii_whitespace().map_while(|word| word.parse().ok()).collect();
        let &[first, since, own, ran, seen, last] = &numbers[..] else { return None };
        let [since, own, ran, seen] = [since, own, ran, seen].map(Duration::from_micros);
        (first == last).then_some(FarTimes { since, claim: FarClaim { own, ran }, seen })
    }

    /// What the file has. None if there is nothing in it: the other side does not tell times.
    pub fn read(file: &Path) -> Option<Self> {
        let file = File::open(file).ok()?;
        let mut bytes = [0; 200];
        (0..LOOKS).find_map(|_| {
            let count = file.read_at(&mut bytes, 0).ok()?;
            FarTimes::parse(std::str::from_utf8(&bytes[..count]).ok()?)
        })
    }
}

/// The file, as the side that writes has it.
#[derive(Debug)]
pub(crate) struct TimesFile {
    file: File,
    lines: u64,
}

impl TimesFile {
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        Ok(TimesFile { file: File::create(path)?, lines: 0 })
    }

    pub(crate) fn write(&mut self, times: &FarTimes) {
        self.lines += 1;
        // Without it the harness knows no better than the wall clock, which costs only the engine.
        let _ = self.file.write_all_at(times.line(self.lines).as_bytes(), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_reads_back_while_another_is_written_and_an_empty_file_has_none() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("times");
        assert_eq!(FarTimes::read(&path), None);
        let mut file = TimesFile::create(&path).unwrap();
        assert_eq!(FarTimes::read(&path), None);
        let turn = |number: u64| FarTimes {
            since: Duration::from_micros(number),
            claim: FarClaim { own: Duration::from_micros(number), ran: Duration::from_micros(number) },
            seen: Duration::from_micros(number),
        };
        file.write(&turn(u64::MAX));
        assert_eq!(FarTimes::read(&path), Some(turn(u64::MAX)));
        let writer = std::thread::spawn(move || (0..20_000).for_each(|number| file.write(&turn(number))));
        while !writer.is_finished() {
            let read = FarTimes::read(&path).unwrap();
            let same = u64::try_from(read.since.as_micros()).unwrap();
            assert_eq!(read, turn(same), "of two lines");
        }
        writer.join().unwrap();
    }
}
