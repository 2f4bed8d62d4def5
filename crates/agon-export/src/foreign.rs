//! Files that somebody else has written: nothing takes their place.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use agon_config::Misuse;
use agon_programs::program::display_path;
use anyhow::Result;

/// More bytes than any of the beginnings by which a file is known.
const LOOKED_AT: u64 = 256;

/// How the files of a kind begin.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// Its name in words: `a table of standings`.
    name: &'static str,
    begins: &'static [&'static str],
    /// How it goes on from a byte, if its beginning is that of many others.
    goes_on: Option<(usize, &'static [u8])>,
}

/// Games as `agon export json` writes them.
pub const GAMES: Kind = Kind {
    name: "games that agon has exported",
    begins: &["{\"id\":{\"round\":", "{\"plan\":"],
    goes_on: None,
};
/// `standings.csv`.
pub const STANDINGS: Kind =
    Kind { name: "a table of standings", begins: &["rank,engine,games,"], goes_on: None };
/// `crosstable.csv`.
pub const CROSSTABLE: Kind = Kind { name: "a crosstable", begins: &["engine,", "engine\n"], goes_on: None };
/// `games.csv`.
pub const TABLE_OF_GAMES: Kind =
    Kind { name: "a table of games", begins: &["id,round,pairing,game,rules,"], goes_on: None };
/// `seats.csv`.
pub const TABLE_OF_SEATS: Kind =
    Kind { name: "a table of seats", begins: &["id,round,pairing,game,seat,"], goes_on: None };
/// The record of a game.
pub const RECORD: Kind = Kind { name: "the record of a game", begins: &["[Event \""], goes_on: None };
/// All pages of a report in one file. Their head begins like that of all pages.
pub const PAGES: Kind =
    Kind { name: "pages of a report", begins: &["<!DOCTYPE html><html lang=\"en\""], goes_on: None };
/// A position as a picture.
pub const PICTURE: Kind = Kind {
    name: "a picture of a position",
    begins: &["<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"board\""],
    goes_on: None,
};
/// A position or a game as a GIF: its palette begins with the colours of the ground and the text.
pub const GIF: Kind = Kind {
    name: "a picture that agon has made",
    begins: &["GIF89a"],
    goes_on: Some((13, &[0xff, 0xff, 0xff, 0x1a, 0x1a, 0x1a])),
};
/// The events of a run.
pub const EVENTS: Kind = Kind { name: "events of a run", begins: &["{\"event\":\""], goes_on: None };

/// Refuses to write a file of this kind over a file of another one. An empty file may be filled,
/// and what is no file, such as a pipe, is not replaced.
///
/// # Errors
/// [`Misuse`], which names the file.
pub fn refuse(path: &Path, kind: Kind) -> Result<()> {
    let is_ours = |bytes: &[u8]| {
        let fits = |at: usize, wanted: &[u8]| {
            let there = bytes.get(at..).unwrap_or_default();
            let length = wanted.len().min(there.len());
            there[..length] == wanted[..length]
        };
        kind.begins.iter().any(|begin| fits(0, begin.as_bytes()))
            && kind.goes_on.is_none_or(|(at, wanted)| fits(at, wanted))
    };
    match beginning(path) {
        Some(bytes) if !is_ours(&bytes) => Err(Misuse::hinted(
            format!("{} exists already, and is not {}", display_path(path), kind.name),
            "give another name, or move the file away",
        )),
        _ => Ok(()),
    }
}

/// The first bytes of a file; `None` if there is no file, or it cannot be read.
pub fn beginning(path: &Path) -> Option<Vec<u8>> {
    if !path.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(LOOKED_AT).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_the_kind_or_an_empty_one_is_replaced_and_no_other() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("file");
        assert!(refuse(&path, GAMES).is_ok());
        for (text, fits) in [
            ("", true),
            ("{\"id\":{\"round\":1,\"pairing\":1}}\n", true),
            ("{\"plan\":{}}\n", true),
            ("{\"i", true), // cut short by a full disk
            ("{\"event\":\"run_started\"}\n", false),
            ("dear diary", false),
        ] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(refuse(&path, GAMES).is_ok(), fits, "{text}");
        }
        for (bytes, fits) in [
            (&b"GIF89a"[..], true),
            (b"GIF89a\x10\0\x10\0\xf7\0\0\xff\xff\xff\x1a\x1a\x1a\xf3", true),
            (b"GIF89a\x10\0\x10\0\xf7\0\0\xff\xff\xff\x1a\x1a\x1b\xf3", false),
            (b"GIF87a\x10\0\x10\0\xf7\0\0\xff\xff\xff\x1a\x1a\x1a\xf3", false),
        ] {
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(refuse(&path, GIF).is_ok(), fits, "{bytes:?}");
        }
        assert!(refuse(Path::new("/dev/null"), GAMES).is_ok());
        assert!(refuse(home.path(), GAMES).is_ok(), "others say what is wrong with a folder");
    }
}
