//! agon drives game-playing programs: it starts them, referees every move against the clock, and keeps the
//! standings. This file is the map. A module imports only modules that stand above it in this list;
//! `tests/architecture.rs` keeps it so.

#![warn(missing_docs)]

// What happened, as plain data.
pub mod record;

// Time controls, and the clocks that run by them.
pub mod clock;

// What was asked for.
pub mod config;

// One engine process and its protocol.
pub mod engine;

// The two processes of a run, of which one sees to it that no engine outlives the other.
pub mod keeper;

// One game: a position, engines and clocks to a record.
pub mod referee;

// Start positions by the plan: lists of openings, and random plies.
pub mod openings;

// A plan on N workers.
pub mod schedule;

// The database of a run: games whole or not at all.
pub mod store;

// Files that others read.
pub mod export;

// What was stored, held against the rules, the plan and itself.
pub mod audit;

// Tables for people.
pub mod report;

// How far a run has come.
pub mod progress;

// A run: a plan played, and everything kept.
pub mod run;

// Engines as entrants: found, built, and confined as asked, before the first game.
pub mod entrants;

// What an engine does wrong, in plain words.
pub mod check;

// A person against an engine.
pub mod play;

// A class: who hands in what, under which alias it plays, and its grades.
pub mod class;

// The door: subcommands and their options.
pub mod cli;
