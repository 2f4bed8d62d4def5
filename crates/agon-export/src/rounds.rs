//! The files `games/rNN.txt`: the games of one round as text, in the order in which they ended.
//! Games of chess are in `games/rNN.pgn` too.
//!
//! One file per game would cost more than everything else that is stored of a short game.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use agon_programs::program::display_path;
use agon_record::{GameRecord, Verdict};
use anyhow::{Context, Result};

use super::{notation, pgn};

/// The files of a run, open for writing.
pub(super) struct Rounds {
    folder: PathBuf,
    event: String,
    /// Its place.
    site: String,
    /// The file that was written last: rounds are mostly played one after the other.
    open: Option<(u32, File)>,
    /// The same of PGN.
    open_pgn: Option<(u32, File)>,
    /// The rounds whose file has a game that does not count.
    spoilt: BTreeSet<u32>,
}

impl Rounds {
    /// The files in this folder, which is made when the first game is written.
    pub(super) fn new(folder: PathBuf, (event, site): (String, String)) -> Self {
        Rounds { folder, event, site, open: None, open_pgn: None, spoilt: BTreeSet::new() }
    }

    /// The file of a round.
    pub(super) fn path(&self, round: u32) -> PathBuf {
        self.folder.join(name(round))
    }

    /// The file of a round as PGN.
    pub(super) fn pgn_path(&self, round: u32) -> PathBuf {
        self.folder.join(pgn_name(round))
    }

    /// A game as PGN, if it is one of chess.
    pub(super) fn pgn(&self, record: &GameRecord) -> Option<String> {
        pgn::write(record, &self.event, &self.site, None)
    }

    /// A game in the form of the file.
    pub(super) fn text(&self, record: &GameRecord) -> String {
        notation::write_at(record, &self.event, &self.site) + "\n"
    }

    /// Appends a game to the file of its round.
    ///
    /// # Errors
    /// Errors of the disk, with the name of the file.
    pub(super) fn put(&mut self, record: &GameRecord) -> Result<()> {
        let round = record.id.round;
        let path = self.path(round);
        let cannot = || format!("cannot write {}", display_path(&path));
        if matches!(record.verdict, Verdict::Void { .. }) {
            self.spoilt.insert(round);
        }
        let text = self.text(record);
        if let Some(text) = self.pgn(record) {
            let path = self.pgn_path(round);
            put_to(&mut self.open_pgn, round, &path, &text)
                .with_context(|| format!("cannot write {}", display_path(&path)))?;
        }
        put_to(&mut self.open, round, &path, &text).with_context(cannot)
    }

    /// Takes the rounds whose file has a game that does not count and must be written again.
    pub(super) fn spoilt(&mut self) -> BTreeSet<u32> {
        (self.open, self.open_pgn) = (None, None);
        std::mem::take(&mut self.spoilt)
    }

    /// Whether the file of a round holds this number of games, all of them whole.
    /// That of chess has a file of PGN as well, with as many.
    pub(super) fn is_whole(&self, round: u32, games: usize) -> bool {
        let whole = |path: &Path| is_whole(path, games).unwrap_or(None);
        whole(&self.path(round)).is_some_and(|is_chess| !is_chess || whole(&self.pgn_path(round)).is_some())
    }
}

/// Whether a file holds this number of whole games; and if so, whether they are of chess.
fn is_whole(path: &Path, games: usize) -> io::Result<Option<bool>> {
    let mut file = BufReader::with_capacity(1 << 16, File::open(path)?);
    let (mut line, mut last) = (Vec::new(), Vec::new());
    let (mut found, mut is_chess) = (0, false);
    loop {
        line.clear();
        if file.read_until(b'\n', &mut line)? == 0 {
            return Ok((found == games && is_result(&last)).then_some(is_chess));
        }
        found += usize::from(line.starts_with(b"[Id \""));
        is_chess |= [&b"[Game \"chess\""[..], b"[Game \"chess:"].iter().any(|tag| line.starts_with(tag));
        if line != b"\n" {
            std::mem::swap(&mut line, &mut last);
        }
    }
}

/// Appends a text to the file of a round by a single write, so that a reader finds whole games.
fn put_to(open: &mut Option<(u32, File)>, round: u32, path: &Path, text: &str) -> io::Result<()> {
    let file = match open {
        Some((open, file)) if *open == round => file,
        open => &mut open.insert((round, append(path)?)).1,
    };
    file.write_all(text.as_bytes())
}

/// The name of the file of a round.
pub(super) fn name(round: u32) -> String {
    format!("r{round:02}.txt")
}

/// The name of the file of a round as PGN.
pub(super) fn pgn_name(round: u32) -> String {
    format!("r{round:02}.pgn")
}

/// Whether a line can be the last of a game: not a tag, moves, a thought, or a truncated line.
fn is_result(line: &[u8]) -> bool {
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let is_round = digits > 0 && line.get(digits) == Some(&b'.');
    line.ends_with(b"\n")
        && !line.starts_with(b"[")
        && !line.starts_with(b" ")
        && !is_round
        && !line.contains(&0)
}

fn append(path: &Path) -> io::Result<File> {
    let open = || OpenOptions::new().append(true).create(true).open(path);
    open().or_else(|_| {
        std::fs::create_dir_all(path.parent().expect("the name has a folder"))?;
        open()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_record::sample;

    fn game(round: u32, number: u32) -> GameRecord {
        let mut record = sample::game(number, "alpha", "bravo", "1-0");
        record.id.round = round;
        record
    }

    #[test]
    fn a_round_is_one_file_and_a_torn_one_is_seen() {
        let home = tempfile::tempdir().unwrap();
        let mut rounds = Rounds::new(home.path().join("games"), ("test".to_owned(), "?".to_owned()));
        for (round, number) in [(1, 1), (2, 1), (1, 2)] {
            rounds.put(&game(round, number)).unwrap();
        }
        assert!(rounds.is_whole(1, 2) && rounds.is_whole(2, 1));
        assert!(!rounds.is_whole(1, 1) && !rounds.is_whole(2, 2) && !rounds.is_whole(3, 1));
        let path = rounds.path(1);
        let whole = std::fs::read(&path).unwrap();
        let read = notation::read_all(std::str::from_utf8(&whole).unwrap()).unwrap();
        assert_eq!(read.len(), 2);
        // The result precedes the last line break.
        for length in 0..whole.len() - 1 {
            std::fs::write(&path, &whole[..length]).unwrap();
            assert!(!rounds.is_whole(1, 2), "{length} of {} bytes", whole.len());
        }
        // As after a power failure.
        let mut hollow = whole;
        let end = hollow.len();
        hollow[end - 5..].fill(0);
        std::fs::write(&path, &hollow).unwrap();
        assert!(!rounds.is_whole(1, 2));
    }
}
