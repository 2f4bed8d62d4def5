//! agon drives game-playing programs: it starts them, referees every move against the clock, and keeps the
//! standings. This file is the map. A module imports only modules that stand above it in this list;
//! `tests/architecture.rs` keeps it so.

#![warn(missing_docs)]

/// Bytes of strangers, made safe to show.
pub mod printable;

/// What every game is.
pub mod game;

/// The rules of each game, and the registry of their names.
pub mod games;

/// What happened, as plain data.
pub mod record;

/// Points, tie-breaks and tables.
pub mod standings;

/// Who meets whom.
pub mod tournament;

/// Results as files.
pub mod export;

/// Results for people.
pub mod report;

/// How far a run has come.
pub mod progress;
