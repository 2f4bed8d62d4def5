//! Results: what has been played, shown, checked, written and removed.

pub(super) mod analyse;
mod analyse_rows;
pub(super) mod export;
pub(super) mod forget;
pub(super) mod games;
pub(super) mod history;
pub(super) mod import;
pub(super) mod play_on;
mod proofs;
pub(super) mod prune;
pub(super) mod replay;
pub(super) mod report;
pub(super) mod serve;
pub(super) mod standings;
pub(super) mod tables;
pub(super) mod upgrade;
pub(super) mod verify;
pub(super) mod why;
