//! Games: their rules, positions and values, and games of your own.

pub(super) mod as_engine;
pub(super) mod board;
pub(super) mod check_referee;
pub(super) mod new_game;
pub(super) mod notation;
pub(super) mod position;
pub(super) mod position_args;
pub(super) mod positions;
pub(super) mod rules;
pub(super) mod solved;
