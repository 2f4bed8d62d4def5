//! What was arranged for a run, as it was noted: withdrawals, late entries and closings, in words.

use agon_standings::withdrawals::{Closing, ClosingRule, WithdrawalRule};
use chrono::{DateTime, Utc};

/// A withdrawal as it was noted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredWithdrawal {
    /// The name of the engine.
    pub engine: String,
    /// From this round on, it plays nothing that it has not played yet. 0: it left before the run
    /// began, which has it as no entrant.
    pub from: u32,
    /// From this round on, a Swiss does not pair it.
    pub unpaired: u32,
    /// Whether it had played all of its games by then, so that `from` is a round that the run does
    /// not have.
    pub after_all: bool,
    /// What becomes of its games; `None` takes the withdrawal before back.
    pub rule: Option<WithdrawalRule>,
    /// The engine that plays in its place from the round `unpaired` on, if one does.
    pub by: Option<String>,
    /// Whether the run was closed before that one had come.
    pub never_came: bool,
    /// Why.
    pub why: String,
    /// When.
    pub decided: DateTime<Utc>,
}

impl StoredWithdrawal {
    /// The rule as a user writes it; `None` takes the withdrawal before back.
    pub fn rule_text(&self) -> Option<String> {
        let by = self.by.as_ref().map(|by| format!("replaced by {by}"));
        self.rule.map(|rule| by.unwrap_or_else(|| rule.name().to_owned()))
    }

    /// It in a sentence without its reason.
    pub fn words(&self) -> String {
        let StoredWithdrawal { engine, from, unpaired, .. } = self;
        let what = match (self.rule, &self.by) {
            (None, _) => "not withdrawn: what was noted is taken back".to_owned(),
            (Some(_), Some(by)) if *from > 0 && self.never_came => format!(
                "withdrawn: {by} was to play in its place, and had not come when the run was closed; what \
                 {engine} has not played is lost by forfeit"
            ),
            (Some(_), Some(by)) if *from > 0 && self.after_all => {
                format!("withdrawn after its last game here: {by} plays in its place")
            }
            (Some(_), Some(by)) if *from > 0 => {
                let lost = if from < unpaired { "; what it has begun is lost by forfeit" } else { "" };
                format!("withdrawn: {by} plays in its place from round {unpaired} on{lost}")
            }
            (Some(WithdrawalRule::Forfeit), None) if *from > 0 && self.after_all => {
                "withdrawn after its last game here: what it has played counts".to_owned()
            }
            (Some(WithdrawalRule::Forfeit), None) if *from > 0 => {
                format!("withdrawn from round {from}: what it has not played is lost by forfeit")
            }
            (Some(WithdrawalRule::Expunge), None) if *from > 0 => {
                "withdrawn: none of its games count".to_owned()
            }
            (Some(_), by) => {
                let then = by.as_ref().map(|by| format!("{by} plays in its place"));
                let then = then.unwrap_or_else(|| "it does not play".to_owned());
                return format!("{engine} had withdrawn before this night: {then} from this night on");
            }
        };
        format!("{engine} has {what}")
    }
}

/// The closing of a run as it was noted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredClosing {
    /// What was closed; `None` takes the closing before back.
    pub closing: Option<Closing>,
    /// Why.
    pub why: String,
    /// When.
    pub decided: DateTime<Utc>,
}

impl StoredClosing {
    /// It in a sentence without its reason.
    pub fn words(&self) -> String {
        match self.closing.map(|closing| closing.rest) {
            Some(ClosingRule::Drawn) => "closed: what was not played is drawn".to_owned(),
            Some(ClosingRule::Void) => "closed: what was not played counts for nobody".to_owned(),
            None => "not closed: what was noted is taken back".to_owned(),
        }
    }
}

/// The late entry of an engine as it was noted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredEntry {
    /// The name of the engine.
    pub engine: String,
    /// The first round in which it is paired.
    pub from: u32,
    /// Whether the run was closed before that round.
    pub is_too_late: bool,
    /// Why.
    pub why: String,
    /// When.
    pub decided: DateTime<Utc>,
}

impl StoredEntry {
    /// It in a sentence without its reason.
    pub fn words(&self) -> String {
        let StoredEntry { engine, from, .. } = self;
        match self.is_too_late {
            true => format!("{engine} was to join in round {from}, and the run was closed before"),
            false => format!("{engine} joins in round {from}: it has no points from earlier rounds"),
        }
    }
}
