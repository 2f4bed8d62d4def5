//! What ends a run because of its referee program: void games in a row by its fault, or changed
//! files.

use std::path::Path;

use agon_export::directory::Directory;
use agon_match::hosted::HostedRules;
use agon_programs::program::display_path;
use agon_record::{GameRecord, Verdict};

use super::{check_referee_command, shell_path};

/// After so many void games in a row by the fault of the referee the run stops.
const MOST: u32 = 3;
/// How many of the last lines of the game are shown.
const SHOWN: usize = 4;

/// The referee program has made too many games void, or has changed.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub struct RefereeAtFault {
    /// The fault, for the author of the referee.
    pub what: String,
    /// What its author can do.
    pub hint: String,
}

/// The void games in a row so far.
#[derive(Default)]
pub(super) struct RefereeFaults(u32);

impl RefereeFaults {
    /// Notes a game that is over. Its evidence is kept in `directory`.
    ///
    /// # Errors
    /// [`RefereeAtFault`]: there were too many.
    pub(super) fn note(
        &mut self,
        record: &GameRecord,
        hosted: Option<&HostedRules>,
        directory: Option<&Directory>,
    ) -> Result<(), RefereeAtFault> {
        if matches!(record.verdict, Verdict::Decided(_)) {
            self.0 = 0;
        }
        let Some((referee, fault)) =
            record.referee.as_ref().and_then(|referee| Some((referee, referee.fault.as_ref()?)))
        else {
            return Ok(());
        };
        self.0 += 1;
        if self.0 < MOST {
            return Ok(());
        }
        let name = hosted.map_or("", |hosted| hosted.folder.name.as_str());
        let lines = &referee.lines[referee.lines.len().saturating_sub(SHOWN)..];
        let mut shown: Vec<String> = lines
            .iter()
            .map(|line| format!("\n  {}", agon_printable::escape(line.as_bytes(), 160)))
            .collect();
        // Lines of a flood look alike.
        shown.dedup();
        let last =
            if shown.is_empty() { String::new() } else { format!("; its last lines:{}", shown.concat()) };
        let more = hosted.map(|hosted| format!("{} tells more; ", check_referee_command(hosted)));
        let evidence = directory.map(|directory| {
            let folder = directory.path().join(format!("evidence/{}.referee", record.id));
            format!("the lines of this game and its stderr are in {}; ", shell_path(&folder))
        });
        Err(RefereeAtFault {
            what: format!(
                "the run has stopped, because the referee {name} made {MOST} games in a row void; the last, {}: \
                 {fault}{last}",
                record.id
            ),
            hint: format!(
                "{}{}the games that were decided are kept, and the same command goes on with the run",
                more.unwrap_or_default(),
                evidence.unwrap_or_default()
            ),
        })
    }
}

impl RefereeAtFault {
    /// The files of the referee are not those that were hashed. Otherwise games that other rules
    /// decided would be stored as games of these.
    pub(super) fn changed(source: &Path, how: &str) -> RefereeAtFault {
        let place = display_path(source);
        RefereeAtFault {
            what: format!(
                "the run has stopped, because the referee in {place} has changed while it went on: {how}"
            ),
            hint:
                "the games before the change are kept; the same command plays with the changed referee, and \
                   every game again"
                    .to_owned(),
        }
    }
}
