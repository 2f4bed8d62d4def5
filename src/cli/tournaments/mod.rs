//! Tournaments: they are played, planned, watched and stopped.

pub(super) mod close;
pub(super) mod decide;
pub(super) mod enter;
pub(super) mod nightly;
mod noted;
pub(super) mod pause;
pub(super) mod plan;
mod plan_tables;
pub(super) mod simulate;
pub(super) mod status;
pub(super) mod stop;
pub(super) mod tournament;
pub(super) mod withdraw;
