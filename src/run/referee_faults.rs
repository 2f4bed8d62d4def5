//! Void games in a row by the fault of the referee program, which end a run.

use agon_games::Rules;

use crate::engine::program::display_path;
use crate::hosted::hosted;
use crate::record::{GameRecord, Verdict};

/// After so many void games in a row by the fault of the referee the run stops.
const MOST: u32 = 3;
/// How many of the last lines of the game are shown.
const SHOWN: usize = 4;

/// The referee program has made too many games void.
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
    /// Notes a game that is over.
    ///
    /// # Errors
    /// [`RefereeAtFault`]: there were too many.
    pub(super) fn note(&mut self, record: &GameRecord, rules: &dyn Rules) -> Result<(), RefereeAtFault> {
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
        let folder = hosted(rules).map(|hosted| &hosted.folder);
        let (name, place) = folder.map_or_else(Default::default, |folder| {
            (folder.name.as_str(), display_path(&folder.referee.source))
        });
        let lines = &referee.lines[referee.lines.len().saturating_sub(SHOWN)..];
        let shown: Vec<String> = lines
            .iter()
            .map(|line| format!("\n  {}", agon_printable::escape(line.as_bytes(), 160)))
            .collect();
        let last =
            if shown.is_empty() { String::new() } else { format!("; its last lines:{}", shown.concat()) };
        Err(RefereeAtFault {
            what: format!(
                "the run has stopped, because the referee {name} made {MOST} games in a row void; the last, {}: \
                 {fault}{last}",
                record.id
            ),
            hint: format!(
                "agon check-referee {place} tells more; the games that were decided are kept, and the same command \
                 goes on with the run"
            ),
        })
    }
}
