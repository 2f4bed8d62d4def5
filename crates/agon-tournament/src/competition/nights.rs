//! What `agon nightly` remembers from night to night, in `nightly.json`: the last run of each
//! directory, and the engines that were bad.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use agon_config::Misuse;
use agon_export::atomic;
use agon_programs::program::display_path;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

/// An engine that was bad in so many nights in a row is in quarantine.
pub const MOST_BAD_NIGHTS: u32 = 3;

/// The nights so far.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NightsFile {
    /// The state of each directory with a database, by its name; `.` is the directory itself.
    #[serde(default)]
    pub runs: BTreeMap<String, SeenRun>,
    /// The bad engines, by the names of their files or folders.
    #[serde(default)]
    pub bad: BTreeMap<String, BadEngine>,
}

/// The state of a directory at the end of a night.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeenRun {
    /// The last run that was done; 0 if there was none.
    pub run: i64,
    /// The number of the last stored game.
    pub game: i64,
}

/// An engine that was bad in its last night.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BadEngine {
    /// The hash of its content.
    pub hash: String,
    /// What was wrong.
    pub fault: NightFault,
    /// The nights in a row in which it was bad with this content.
    pub nights: u32,
    /// What was wrong, in words.
    pub why: String,
}

/// What can be wrong with an engine in a night.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NightFault {
    /// It could not be built or started.
    Broken,
    /// It lost at least half of its games by faults of its own.
    Forfeits,
}

impl NightsFile {
    /// Reads the file. Before the first night there is none.
    ///
    /// # Errors
    /// [`Misuse`] if it cannot be read.
    pub fn read(path: &Path) -> Result<Self> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", display_path(path))),
        };
        serde_json::from_str(&text).map_err(|error| {
            let what = format!("{}: {error}", display_path(path));
            Misuse::hinted(what, "remove it; the next night reports every fault again")
        })
    }

    /// Writes the file, if its directory is there.
    pub fn write(&self, path: &Path) -> Result<()> {
        if !atomic::parent(path).is_dir() {
            return Ok(()); // the first night has played nothing
        }
        let text = serde_json::to_string_pretty(self)?;
        atomic::write(path, |to| Ok(writeln!(to, "{text}")?))
    }

    /// The reason for the quarantine of an engine; `None` if it is not in quarantine or has
    /// changed.
    pub fn quarantine(&self, entry: &str, hash: &str) -> Option<&str> {
        let bad = self.bad.get(entry)?;
        (bad.nights >= MOST_BAD_NIGHTS && bad.hash == hash).then_some(bad.why.as_str())
    }

    /// Notes a bad night. Returns whether it is news: the same fault of the same content is not.
    pub fn is_bad(&mut self, entry: &str, hash: String, fault: NightFault, why: String) -> bool {
        let same = self.bad.get(entry).filter(|before| before.hash == hash && before.fault == fault);
        let nights = same.map_or(0, |before| before.nights);
        let is_news = same.is_none();
        let nights = (nights + 1).min(MOST_BAD_NIGHTS);
        self.bad.insert(entry.to_owned(), BadEngine { hash, fault, nights, why });
        is_news
    }

    /// Notes that an engine could be started, and with `played` that it also played well. An engine
    /// that played nothing keeps its bad nights of play.
    pub fn is_well(&mut self, entry: &str, hash: &str, played: bool) {
        let keeps = |bad: &BadEngine| !played && bad.fault == NightFault::Forfeits && bad.hash == hash;
        if !self.bad.get(entry).is_some_and(keeps) {
            self.bad.remove(entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_bad_nights_of_one_content_are_a_quarantine_and_only_the_first_is_news() {
        let mut nights = NightsFile::default();
        let mut bad = |hash: &str| {
            let is_news = nights.is_bad("bravo", hash.to_owned(), NightFault::Broken, "no make".to_owned());
            (is_news, nights.quarantine("bravo", hash).is_some())
        };
        assert_eq!(bad("1"), (true, false));
        assert_eq!(bad("1"), (false, false));
        assert_eq!(bad("1"), (false, true));
        assert_eq!(bad("1"), (false, true));
        assert_eq!(bad("2"), (true, false), "another content begins anew");
        nights.is_well("bravo", "2", false);
        assert_eq!(nights.bad.get("bravo"), None, "an engine that starts is not broken");
    }

    #[test]
    fn a_night_without_a_game_says_nothing_about_play() {
        let mut nights = NightsFile::default();
        nights.is_bad("bravo", "1".to_owned(), NightFault::Forfeits, "2 of 2".to_owned());
        nights.is_well("bravo", "1", false);
        assert_eq!(nights.bad["bravo"].nights, 1);
        nights.is_well("bravo", "1", true);
        assert!(nights.bad.is_empty());
    }
}
