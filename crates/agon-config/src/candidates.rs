//! The `[candidates]` of a `tournament.toml`: how a new version of an engine is tested and rated.

use agon_standings::sprt::Sprt;

use super::lines::{TomlEntry, Within};
use super::table::{FileTable, keys};
use super::values::KeyValue;

keys! {
    /// How candidates are tested, as it is written.
    CandidatesFile {
        /// The test of a new version against its last one, as `--sprt` of `agon match`
        /// [default: 0,50]
        test: Option<Sprt>,
        /// The most games of the test [default: 1000]
        games: Option<u32>,
        /// The error bar in Elo at which a rating is narrow enough, by its own games [default: 40]
        bar: Option<f64>,
        /// The most games for the rating [default: 400]
        rating_games: Option<u32>,
        /// Whether `agon nightly` tests every engine that has changed, before the other games
        /// [default: true in a file with this table, otherwise false]
        nightly: Option<bool>,
    }
}

impl KeyValue for CandidatesFile {
    fn shape() -> String {
        "a table".to_owned()
    }
    fn read(entry: &TomlEntry<'_>) -> anyhow::Result<Self> {
        Self::read_table(entry, Within::Key("candidates"))
    }
}

/// How a new version is tested and rated.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CandidateTerms {
    /// The test against its last version.
    pub test: Sprt,
    /// The most games of the test.
    pub games: u32,
    /// The error bar in Elo at which its rating is narrow enough, by its own games.
    pub bar: f64,
    /// The most games for its rating.
    pub rating_games: u32,
}

impl CandidatesFile {
    /// These, which are flags, and where they say nothing those of a file.
    #[must_use]
    pub fn over(self, mut file: CandidatesFile) -> CandidatesFile {
        for (key, is_given) in [
            ("games", self.games.is_some()),
            ("bar", self.bar.is_some()),
            ("rating-games", self.rating_games.is_some()),
        ] {
            if is_given {
                file.lines.forget(key);
            }
        }
        CandidatesFile {
            test: self.test.or(file.test),
            games: self.games.or(file.games),
            bar: self.bar.or(file.bar),
            rating_games: self.rating_games.or(file.rating_games),
            nightly: self.nightly.or(file.nightly),
            lines: file.lines,
        }
    }

    /// What they mean.
    ///
    /// # Errors
    /// [`super::Misuse`]: a number is out of range.
    pub fn terms(&self) -> anyhow::Result<CandidateTerms> {
        let terms = CandidateTerms {
            test: self.test.unwrap_or(Sprt::USUAL),
            games: self.games.unwrap_or(1000),
            bar: self.bar.unwrap_or(40.0),
            rating_games: self.rating_games.unwrap_or(400),
        };
        for (key, flag, games) in [
            ("games", "--candidate-games", terms.games),
            ("rating-games", "--rating-games", terms.rating_games),
        ] {
            if games < 2 || games % 2 == 1 || games > MOST_GAMES {
                let why = format!("{games} will not do; give an even number from 2 to {MOST_GAMES}");
                return Err(self.misuse(key, flag, &why));
            }
        }
        if !(terms.bar >= LEAST_BAR && terms.bar <= MOST_BAR) {
            let why =
                format!("{} will not do; give a number of Elo from {LEAST_BAR} to {MOST_BAR}", terms.bar);
            return Err(self.misuse("bar", "--rating-bar", &why));
        }
        Ok(terms)
    }

    /// An error about a key, with file and line, or about its flag.
    fn misuse(&self, key: &str, flag: &str, why: &str) -> anyhow::Error {
        if self.lines.has(key) { self.lines.misuse(key, why) } else { super::Misuse::misread(flag, why) }
    }
}

/// The most games of a candidate.
const MOST_GAMES: u32 = 1_000_000;
/// The narrowest and the widest bar of a rating.
const LEAST_BAR: f64 = 1.0;
const MOST_BAR: f64 = 500.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_override_the_file_and_numbers_out_of_range_are_refused() {
        let file = CandidatesFile { games: Some(60), bar: Some(30.0), ..CandidatesFile::default() };
        let flags =
            CandidatesFile { games: Some(80), test: "0,20".parse().ok(), ..CandidatesFile::default() };
        let terms = flags.over(file).terms().unwrap();
        assert_eq!((terms.games, terms.bar, terms.rating_games), (80, 30.0, 400));
        assert_eq!((terms.test.elo0, terms.test.elo1), (0.0, 20.0));
        let usual = CandidatesFile::default().terms().unwrap();
        assert_eq!(usual.test.to_string(), "0,50,alpha=0.05,beta=0.05");
        for wrong in [
            CandidatesFile { games: Some(0), ..CandidatesFile::default() },
            CandidatesFile { rating_games: Some(7), ..CandidatesFile::default() },
            CandidatesFile { bar: Some(f64::NAN), ..CandidatesFile::default() },
            CandidatesFile { bar: Some(-4.0), ..CandidatesFile::default() },
        ] {
            let refused = wrong.terms().unwrap_err().to_string();
            assert!(refused.contains(" will not do; give "), "{refused}");
        }
    }
}
