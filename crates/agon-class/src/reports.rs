//! The folder that is sent to a student. It has the grade with its reason, the student's games and
//! stderr, and the output of the build. It also has each loss by a fault, with its position.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use agon_export::{evidence, notation};
use agon_pages::report::student_page::{PageFault, PageGame, StudentPage};
use agon_printable::{clean, harmless};
use agon_programs::build;
use agon_programs::program::display_path;
use agon_record::reason::EndReason;
use agon_record::{Decided, GameRecord, PUBLIC_VOID, Verdict};
use agon_seats::Seat;
use agon_standings::grades::Grade;
use agon_standings::result::{GameId, Termination};
use agon_store::{Filter, Store};
use agon_trial::check;
use anyhow::Context;

use super::achievements::CupResults;
use super::contents;
use super::forms::GradeForms;
use super::gradebook;
use super::gradescope::{self, Leading, OpponentScore};
use super::private;
use super::submissions::StudentSubmission;

/// How much of an engine's stderr a page shows.
const STDERR: usize = 2000;
/// The folders in the student's folder.
const BELOW: [&str; 2] = ["games", "stderr"];
/// What the engine wrote to stderr when it failed before the tournament.
const TRYOUT: &str = "tryout.txt";
/// Begins the names of a late submission's games, in place of the number of the stage.
const LATE: &str = "late";

/// What a student's folder is made of.
pub(super) struct StudentReport<'a> {
    pub(super) alias: &'a str,
    pub(super) grade: &'a Grade,
    /// The columns of the leaderboard, if the engine has played.
    pub(super) leading: Option<&'a Leading>,
    pub(super) submission: &'a StudentSubmission,
    pub(super) cup: &'a CupResults<'a>,
    /// Whether its games are those of a late submission.
    pub(super) is_late: bool,
    /// What its games covered.
    pub(super) coverage: &'a str,
    pub(super) forms: &'a GradeForms,
}

impl StudentReport<'_> {
    /// Writes the folder anew: nothing of an earlier report stays in it.
    pub(super) fn write(&self, folder: &Path) -> anyhow::Result<()> {
        for name in BELOW {
            private::make(&folder.join(name))
                .with_context(|| format!("cannot make {}", display_path(folder)))?;
        }
        clear(folder).with_context(|| format!("cannot clear {}", display_path(folder)))?;
        let mut page = StudentPage {
            alias: self.alias.to_owned(),
            grade: self.grade.grade.map_or_else(|| "none".to_owned(), gradebook::number),
            max: gradebook::number(self.forms.max),
            step: clean(&self.grade.name),
            why: clean(&self.grade.why),
            coverage: self.coverage.to_owned(),
            has_log: self.copy_log(folder)?,
            tried: self.copy_tried(folder)?,
            ..StudentPage::default()
        };
        if let Some(leading) = self.leading {
            page.place = Some((leading.place, self.cup.places.len()));
            page.stage = clean(&self.cup.stages[leading.stage - 1].name);
        }
        for (number, directory) in (1..).zip(&self.cup.directories) {
            if Store::is_in(directory) {
                self.add_games(folder, number, directory, &mut page)?;
            }
        }
        let text = page.text();
        let opponents = opponents(&page.games);
        let json = gradescope::results(self.grade, self.forms, &text, self.leading, &opponents);
        let put = |name: &str, text: &str| private::write_text(&folder.join(name), text);
        put("report.txt", &text)?;
        put("index.html", &page.html())?;
        put("results.json", &json)
    }

    /// Writes what the engine wrote to stderr when it failed before the tournament. Returns the end
    /// of it.
    fn copy_tried(&self, folder: &Path) -> anyhow::Result<String> {
        let tried = self.submission.tried.as_str();
        if !tried.trim().is_empty() {
            private::write_text(&folder.join("stderr").join(TRYOUT), tried)?;
        }
        Ok(end_of(tried).to_owned())
    }

    /// Copies the output of the build, if there is any.
    fn copy_log(&self, folder: &Path) -> anyhow::Result<bool> {
        let log = build::log_of(&self.submission.folder);
        if let Some(bytes) = &log {
            private::write_text(&folder.join(build::LOG), &self.in_own_names(&harmless(bytes)))?;
        }
        Ok(log.is_some())
    }

    /// Writes the engine's games of one stage, and adds them to the page.
    fn add_games(
        &self,
        folder: &Path,
        stage: usize,
        directory: &Path,
        page: &mut StudentPage,
    ) -> anyhow::Result<()> {
        let event = directory.file_name().map(|name| display_path(Path::new(name))).unwrap_or_default();
        let of_student = Filter { engine: Some(self.alias.to_owned()), ..Filter::default() };
        Store::read(directory)?.games(&of_student, |stored| {
            let record = &self.as_told(&stored.record);
            let name = if self.is_late { LATE.to_owned() } else { stage.to_string() };
            let name = format!("{name}-{}.txt", record.id);
            let text = self.in_own_names(&notation::write(record, &event));
            private::write(&folder.join("games").join(&name), &text)?;
            for (seat, _) in record.seats.iter().filter(|(_, seat)| seat.entrant == self.alias) {
                if !stored.stderr[seat].is_empty() {
                    let stderr = self.in_own_names(&String::from_utf8_lossy(&stored.stderr[seat]));
                    private::write(&folder.join("stderr").join(&name), &stderr)?;
                }
                page.games.extend(page_game(record, seat, stage, &name));
                page.faults.extend(self.page_fault(record, seat, &name));
            }
            Ok(())
        })
    }

    /// Words with the names of files that the student knows, and no path of the teacher's machine.
    fn in_own_names(&self, words: &str) -> String {
        contents::without_played_paths(words, &self.submission.folder, &self.cup.directories)
    }

    /// A game as its student may read it: the reason of another engine's fault without that
    /// engine's stderr.
    fn as_told(&self, record: &GameRecord) -> GameRecord {
        let mut told = record.clone();
        self.verdict_as_told(record, &mut told.verdict);
        let is_void = told.decided().is_none();
        match &mut told.ruling {
            Some(ruling) => self.verdict_as_told(record, &mut ruling.played),
            None if is_void => told.verdict = Verdict::Void { why: PUBLIC_VOID.to_owned().into() },
            None => {}
        }
        told
    }

    fn verdict_as_told(&self, record: &GameRecord, verdict: &mut Verdict) {
        match verdict {
            Verdict::Decided(Decided { termination: Termination::Forfeit(seat, cause), reason, .. })
                if record.seats[*seat].entrant != self.alias =>
            {
                *reason = reason.public(Some(*cause));
            }
            Verdict::Decided(decided) => {
                decided.reason = EndReason::Words(self.in_own_names(&decided.reason.to_string()));
            }
            Verdict::Void { .. } => {}
        }
    }

    /// A game that this seat has lost by a fault.
    fn page_fault(&self, record: &GameRecord, seat: Seat, file: &str) -> Option<PageFault> {
        let decided = record.decided().filter(|decided| decided.termination.forfeited() == Some(seat))?;
        let own = &record.seats[seat];
        let board = check::last_position(record, self.cup.rules).map(|game| game.draw());
        let (mut lines, mut stderr) = (String::new(), String::new());
        if let Some(evidence) = &own.evidence {
            let [_, (_, its_lines), (_, its_stderr), ..] = evidence::files(record, own, evidence, "");
            (lines, stderr) = (its_lines, end_of(&self.in_own_names(&its_stderr)).to_owned());
        }
        let shown = |text: &str| harmless(self.in_own_names(text).as_bytes());
        let advice = check::words_for(record, seat, self.cup.rules);
        Some(PageFault {
            file: file.to_owned(),
            side: clean(&own.side),
            kind: decided.termination.to_string(),
            reason: clean(&decided.reason.to_string()),
            board: shown(&board.unwrap_or_default()),
            position: clean(&record.last),
            advice: advice.iter().map(|words| clean(&self.in_own_names(words))).collect(),
            lines: shown(&lines),
            stderr: shown(&stderr),
        })
    }
}

/// Removes what an earlier report has put into the folder. Files with other names are the teacher's
/// and stay.
fn clear(folder: &Path) -> std::io::Result<()> {
    let mut old = vec![folder.join(build::LOG), folder.join("stderr").join(TRYOUT)];
    for below in BELOW {
        for entry in fs::read_dir(folder.join(below))? {
            let entry = entry?;
            if entry.file_name().to_str().is_some_and(is_of_game) {
                old.push(entry.path());
            }
        }
    }
    old.iter().try_for_each(|path| remove_if_there(path))
}

/// Whether a report gives this name to a game: `1-r01-p0002-g03.txt`, `late-r01-p0002-g03.txt`.
fn is_of_game(name: &str) -> bool {
    let Some((stage, id)) = name.strip_suffix(".txt").and_then(|name| name.split_once('-')) else {
        return false;
    };
    (stage == LATE || stage.parse::<usize>().is_ok()) && id.parse::<GameId>().is_ok()
}

fn remove_if_there(path: &Path) -> std::io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// As much of a stderr as a page shows.
fn end_of(stderr: &str) -> &str {
    let start = stderr.char_indices().rev().nth(STDERR).map_or(0, |(at, _)| at);
    &stderr[start..]
}

/// A game, if it counts.
fn page_game(record: &GameRecord, seat: Seat, stage: usize, file: &str) -> Option<PageGame> {
    let decided = record.decided()?;
    let (_, opponent) = record.seats.iter().find(|(other, _)| *other != seat)?;
    let own = decided.places[seat];
    let sides: Vec<String> = record.seats.values().iter().map(|seat| clean(&seat.side)).collect();
    let best_other =
        decided.places.iter().filter(|(other, _)| *other != seat).map(|(_, place)| *place).min()?;
    Some(PageGame {
        stage,
        file: file.to_owned(),
        side: clean(&record.seats[seat].side),
        opponent: clean(&opponent.entrant),
        result: match own.cmp(&best_other) {
            std::cmp::Ordering::Less => "won",
            std::cmp::Ordering::Equal => "drawn",
            std::cmp::Ordering::Greater => "lost",
        },
        // The seats in the order of the score: a 1-0 may be lost.
        score: format!("{} {}", sides.join("-"), record.result_text()),
        reason: with_subject(decided, seat),
    })
}

/// The reason of a result in the report of this seat, to which a fault without a subject would seem
/// to be its own.
fn with_subject(decided: &Decided, seat: Seat) -> String {
    let reason = clean(&decided.reason.to_string());
    match decided.termination.lost() {
        Some((lost, _)) if lost != seat => format!("its opponent: {reason}"),
        _ => reason,
    }
}

/// The score against each opponent, in the order of their first games.
fn opponents(games: &[PageGame]) -> Vec<OpponentScore> {
    let mut all: Vec<OpponentScore> = Vec::new();
    for game in games {
        let found = all.iter().position(|one| one.name == game.opponent).unwrap_or_else(|| {
            all.push(OpponentScore { name: game.opponent.clone(), won: 0, drawn: 0, lost: 0 });
            all.len() - 1
        });
        match game.result {
            "won" => all[found].won += 1,
            "drawn" => all[found].drawn += 1,
            _ => all[found].lost += 1,
        }
    }
    all
}
