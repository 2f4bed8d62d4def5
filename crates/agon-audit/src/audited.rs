//! A game that is audited: its record, and where the game and its clocks stand after its last move.

use agon_games::{Game, Rules};
use agon_record::reason::EndReason;
use agon_record::{Decided, GameRecord};
use agon_seats::{Clock, PerSeat};

use super::conditions::Conditions;
use super::facts::{Difference, quoted};

/// A record that was played again to its end.
pub(super) struct AuditedGame<'a> {
    pub(super) record: &'a GameRecord,
    pub(super) rules: &'a dyn Rules,
    pub(super) conditions: &'a Conditions,
    /// The game after its last move.
    pub(super) game: Box<dyn Game>,
    /// The clocks after the last move.
    pub(super) clocks: PerSeat<Clock>,
}

pub(super) const TERMINATION: &str = "verdict.decided.termination";
pub(super) const REASON: &str = "verdict.decided.reason";

pub(super) fn reason_is(decided: &Decided, reason: &EndReason) -> Result<(), Difference> {
    if decided.reason.says(reason) {
        return Ok(());
    }
    let found = quoted(&reason.to_string());
    Err(Difference::at(REASON, format!("says {}, but by the moves it is {found}", said(decided))))
}

/// The sentence of the stored reason.
pub(super) fn said(decided: &Decided) -> String {
    quoted(&decided.reason.to_string())
}
