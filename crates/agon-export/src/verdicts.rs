//! What was found of a new version of an engine: its line for a mail, and its file.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use agon_config::CommandExit;
use agon_printable::clean;
use agon_programs::program::display_path;
use agon_standings::candidate::CandidateRating;
use agon_standings::sprt::{Sprt, SprtVerdict, TestStand};
use agon_standings::versus::Encounter;
use anyhow::{Context, Result};
use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};

use super::atomic;

/// The folder of all candidates, in the directory of the results.
pub const FOLDER: &str = "candidates";
/// The file of a verdict, beside the runs of the test and the rating.
const FILE: &str = "verdict.json";

/// What was found of a new version of an engine.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CandidateVerdict {
    /// The engine.
    pub engine: String,
    /// The hash of its new version.
    pub hash: String,
    /// The hash of the version that it was tested against.
    pub against: String,
    /// `better`, `not better` or `open`.
    pub result: CandidateResult,
    /// The test, as `--sprt` reads it.
    pub test: String,
    /// The games of the test.
    pub games: u64,
    /// How much stronger it is, in Elo; none before the first game.
    pub elo: Option<f64>,
    /// The ends of the bar of that at any time; none where nothing is known.
    pub any_time: [Option<f64>; 2],
    /// Its rating among the others; none if there are no opponents for it.
    pub rating: Option<RatingRow>,
    /// The line for a mail.
    pub line: String,
    /// When it was found, in RFC 3339.
    pub finished: String,
}

/// The result of the test of a new version.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum CandidateResult {
    /// It is better than its last version.
    #[serde(rename = "better")]
    Better,
    /// It is not.
    #[serde(rename = "not better")]
    NotBetter,
    /// The games were used up before.
    #[serde(rename = "open")]
    Open,
}

/// The rating of a new version.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RatingRow {
    /// In Elo.
    pub elo: f64,
    /// The usual error bar.
    pub error95: f64,
    /// Its place among the engines of the stored run, from 1.
    pub place: usize,
    /// The number of places.
    pub of: usize,
    /// The games against its opponents.
    pub games: u64,
    /// The opponents.
    pub opponents: Vec<String>,
}

impl RatingRow {
    /// Of a rating by games against these opponents.
    pub fn new(rating: CandidateRating, opponents: Vec<String>) -> Self {
        let CandidateRating { elo, error, place, of, games, .. } = rating;
        RatingRow { elo, error95: error, place, of, games, opponents }
    }
}

/// The two versions that were tested.
#[derive(Clone, Copy, Debug)]
pub struct TestedVersions<'a> {
    /// The name of the engine.
    pub engine: &'a str,
    /// The hash of the new version.
    pub hash: &'a str,
    /// The hash of the last one.
    pub against: &'a str,
}

impl CandidateVerdict {
    /// Of a test as it stands, with all of its games, and the rating.
    pub fn new(
        versions: TestedVersions<'_>,
        stand: &TestStand,
        met: Encounter,
        rating: Option<RatingRow>,
    ) -> Self {
        let result = match stand.verdict {
            SprtVerdict::Shown => CandidateResult::Better,
            SprtVerdict::Refuted => CandidateResult::NotBetter,
            SprtVerdict::Open => CandidateResult::Open,
        };
        let any_time = met.bars().map(|bars| bars.any_time.elos());
        let any_time = any_time.map_or([None; 2], |ends| ends.map(|end| end.is_finite().then_some(end)));
        let mut verdict = CandidateVerdict {
            engine: versions.engine.to_owned(),
            hash: versions.hash.to_owned(),
            against: versions.against.to_owned(),
            result,
            test: stand.test.to_string(),
            games: stand.games.games(),
            elo: met.versus().map(|versus| versus.elo),
            any_time,
            rating,
            line: String::new(),
            finished: DateTime::<Utc>::from(SystemTime::now()).to_rfc3339_opts(SecondsFormat::Secs, true),
        };
        verdict.line = verdict.told(&stand.test);
        verdict
    }

    /// The line for a mail: `ada: better than its last version: +38 Elo (at any time +8 to +68)
    /// after 212 games, now 2nd of 20 (rating 131 +- 39)`.
    fn told(&self, test: &Sprt) -> String {
        let found = match self.result {
            CandidateResult::Better => "better than its last version",
            CandidateResult::NotBetter => "not better than its last version",
            CandidateResult::Open => "open whether it is better than its last version",
        };
        // Other bounds than the usual ones are another question.
        let found = match *test == Sprt::USUAL {
            true => found.to_owned(),
            false => format!("{found} (SPRT {},{})", test.elo0, test.elo1),
        };
        let elo = self.elo.map(|elo| format!(" {} Elo{}", signed(elo), self.told_at_any_time()));
        let rating = self.rating.as_ref().map(|RatingRow { elo, error95, place, of, .. }| {
            format!(", now {} of {of} (rating {elo:.0} +- {error95:.0})", ordinal(*place))
        });
        format!(
            "{}: {found}:{} after {} games{}",
            clean(&self.engine),
            elo.unwrap_or_default(),
            self.games,
            rating.unwrap_or_default()
        )
    }

    /// ` (at any time +8 to +68)`.
    fn told_at_any_time(&self) -> String {
        match self.any_time {
            [Some(low), Some(high)] => format!(" (at any time {} to {})", signed(low), signed(high)),
            [Some(low), None] => format!(" (at any time above {})", signed(low)),
            [None, Some(high)] => format!(" (at any time below {})", signed(high)),
            [None, None] => String::new(),
        }
    }

    /// The exit code that tells the result.
    pub fn exit(&self) -> CommandExit {
        match self.result {
            CandidateResult::Better => CommandExit::Better,
            CandidateResult::NotBetter => CommandExit::NotBetter,
            CandidateResult::Open => CommandExit::Open,
        }
    }

    /// Writes it beside the runs of the test and the rating.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, home: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self)?;
        atomic::write(&home.join(FILE), |to| Ok(writeln!(to, "{text}")?))
    }
}

/// The verdicts in a directory of results, by the time at which they were found.
///
/// # Errors
/// One cannot be read.
pub fn verdicts(root: &Path) -> Result<Vec<CandidateVerdict>> {
    let folders = fs::read_dir(root.join(FOLDER)).into_iter().flatten();
    let files: Vec<PathBuf> = folders
        .filter_map(|entry| Some(entry.ok()?.path().join(FILE)))
        .filter(|file| file.is_file())
        .collect();
    let mut all = Vec::new();
    for file in files {
        let cannot = || format!("cannot read {}", display_path(&file));
        let text = fs::read_to_string(&file).with_context(cannot)?;
        all.push(serde_json::from_str::<CandidateVerdict>(&text).with_context(cannot)?);
    }
    all.sort_by(|a, b| (&a.finished, &a.engine).cmp(&(&b.finished, &b.engine)));
    Ok(all)
}

/// `+38`, `-5`, `+0`.
fn signed(elo: f64) -> String {
    // Adding zero turns -0 into 0.
    format!("{:+.0}", elo.round() + 0.0)
}

/// `1st`, `2nd`, `3rd`, `11th`.
fn ordinal(place: usize) -> String {
    let end = match (place % 10, place % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{place}{end}")
}

#[cfg(test)]
mod tests {
    use agon_standings::points::Wdl;
    use agon_standings::versus::Pairs;

    use super::*;

    fn verdict(test: &str, pairs: [u64; 5], rating: Option<RatingRow>) -> CandidateVerdict {
        let met = Encounter { pairs: Pairs(pairs), ..Encounter::default() };
        let games = Wdl { wins: 2 * met.pairs.count(), draws: 0, losses: 0 };
        let stand = TestStand::of(test.parse().unwrap(), "ada", games, met.pairs);
        CandidateVerdict::new(TestedVersions { engine: "ada", hash: "b", against: "a" }, &stand, met, rating)
    }

    #[test]
    fn each_result_has_a_line_and_an_exit_code() {
        let row =
            RatingRow { elo: 131.4, error95: 39.2, place: 2, of: 20, games: 160, opponents: Vec::new() };
        let better = verdict("0,50", [2, 20, 60, 80, 20], Some(row));
        let said = &better.line;
        assert!(
            said.starts_with("ada: better than its last version: +") && said.contains(" Elo (at any time +")
        );
        assert!(said.ends_with(" after 364 games, now 2nd of 20 (rating 131 +- 39)"), "{said}");
        assert_eq!(better.exit(), CommandExit::Better);
        let worse = verdict("0,50", [20, 80, 60, 20, 2], None);
        assert!(worse.line.starts_with("ada: not better than its last version: -"), "{}", worse.line);
        assert!(worse.line.ends_with(" after 364 games") && worse.exit() == CommandExit::NotBetter);
        let open = verdict("0,50", [0, 0, 1, 0, 0], None);
        assert!(open.line.starts_with("ada: open whether it is better than its last version: +0 Elo"));
        assert_eq!(open.exit(), CommandExit::Open);
        let none = verdict("-10,0", [0; 5], None);
        assert_eq!(
            none.line,
            "ada: open whether it is better than its last version (SPRT -10,0): after 0 games"
        );
    }

    #[test]
    fn a_verdict_is_read_back_and_the_last_one_is_last() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(verdicts(root.path()).unwrap(), []);
        let mut all = vec![verdict("0,50", [0, 0, 0, 0, 40], None), verdict("0,50", [40, 0, 0, 0, 0], None)];
        assert_eq!(all[0].any_time[1], None, "it has won every game");
        all[0].finished = "2026-01-02T03:04:05Z".to_owned();
        for (name, one) in ["z", "a"].into_iter().zip(&all) {
            let home = root.path().join(FOLDER).join(name);
            fs::create_dir_all(&home).unwrap();
            one.write(&home).unwrap();
        }
        assert_eq!(verdicts(root.path()).unwrap(), all);
        fs::write(root.path().join(FOLDER).join("a").join(FILE), "{").unwrap();
        assert!(verdicts(root.path()).unwrap_err().to_string().contains("verdict.json"));
    }

    #[test]
    fn places_have_their_endings() {
        let said: Vec<String> = [1, 2, 3, 4, 11, 12, 13, 21, 102, 111].map(ordinal).into();
        assert_eq!(said, ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "102nd", "111th"]);
    }
}
