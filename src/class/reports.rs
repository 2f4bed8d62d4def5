//! The folder that is sent to a student: the grade with its reason, the student's games and stderr,
//! and the losses by fault.

use std::fs;
use std::path::Path;

use agon_games::Seat;
use agon_printable::clean;
use agon_standings::grades::Grade;
use anyhow::Context;

use super::achievements::CupResults;
use super::gradebook::{self, Leading};
use crate::engine::program::display_path;
use crate::export::{atomic, notation};
use crate::record::GameRecord;
use crate::store::{Filter, Store};

/// Writes the folder of the student behind `alias`, with leaderboard columns if the engine has
/// played.
pub(super) fn write(
    folder: &Path,
    alias: &str,
    grade: &Grade,
    leading: Option<&Leading>,
    cup: &CupResults<'_>,
) -> anyhow::Result<()> {
    for name in ["games", "stderr"] {
        fs::create_dir_all(folder.join(name))
            .with_context(|| format!("cannot make {}", display_path(folder)))?;
    }
    let mut report = format!(
        "engine: {alias}\ngrade: {} ({})\nbecause: {}\n",
        gradebook::number(grade.grade),
        clean(&grade.name),
        clean(&grade.why)
    );
    if let Some(leading) = leading {
        let stage = clean(&cup.stages[leading.stage - 1].name);
        report.push_str(&format!("place: {}\nlast stage: {stage}\n", leading.place));
        for (number, directory) in (1..).zip(&cup.directories) {
            if Store::is_in(directory) {
                write_games(folder, alias, number, directory, &mut report)?;
            }
        }
    }
    let json = gradebook::gradescope(grade.grade, &report, leading);
    let put = |name: &str, text: &str| {
        atomic::write(&folder.join(name), |to| to.write_all(text.as_bytes()).map_err(Into::into))
    };
    put("report.txt", &report)?;
    put("results.json", &json)
}

/// Writes the engine's games of one stage, and adds its losses by fault to the report.
fn write_games(
    folder: &Path,
    alias: &str,
    stage: usize,
    directory: &Path,
    report: &mut String,
) -> anyhow::Result<()> {
    let event = directory.file_name().map(|name| display_path(Path::new(name))).unwrap_or_default();
    let of_student = Filter { engine: Some(alias.to_owned()), ..Filter::default() };
    Store::read(directory)?.games(&of_student, |stored| {
        let record = &stored.record;
        let name = format!("{stage}-{}.txt", record.id);
        fs::write(folder.join("games").join(&name), notation::write(record, &event))?;
        for (seat, _) in record.seats.iter().filter(|(_, seat)| seat.entrant == alias) {
            if !stored.stderr[seat].is_empty() {
                fs::write(folder.join("stderr").join(&name), &stored.stderr[seat])?;
            }
            report.extend(loss_by_fault(record, seat, &name));
        }
        Ok(())
    })
}

/// The line about a game that this seat has lost by a fault.
fn loss_by_fault(record: &GameRecord, seat: Seat, name: &str) -> Option<String> {
    let decided = record.decided().filter(|decided| decided.termination.forfeited() == Some(seat))?;
    Some(format!(
        "lost as {} in {name}: {}: {}\n",
        clean(&record.seats[seat].side),
        decided.termination,
        clean(&decided.reason)
    ))
}
