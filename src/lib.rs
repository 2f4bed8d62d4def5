//! agon runs matches between game-playing programs. It starts them, referees every move against the
//! clock, and keeps the standings.
//!
//! This file lists the modules in reading order. A module imports only modules that stand above it;
//! `tests/architecture.rs` checks this.

#![warn(missing_docs)]

// What happened, as plain data.
pub mod record;

// What the user asked for: options from flags and from `tournament.toml`.
pub mod config;

// Engines and their processes.
pub mod engine;

// The two processes of a run: neither leaves engines behind when the other dies.
pub mod keeper;

// Games whose rules are a program, and the protocol it speaks.
pub mod hosted;

// One game: a position, engines and clocks in, a record out.
pub mod referee;

// Start positions: lists of openings, and random plies.
pub mod openings;

// A plan on N workers.
pub mod schedule;

// The database of a run: every game is stored whole or not at all.
pub mod store;

// The files that a run writes for other programs and for people.
pub mod export;

// The check of stored games against the rules, the plan and each other.
pub mod audit;

// What the moves of games did to the values of their positions.
pub mod analysis;

// The folder of submissions: its places, tokens, and what is told of each submission.
pub mod inbox;

// Tables for people.
pub mod report;

// The pages of a run, for a browser.
pub mod pages;

// The same pages from a server.
pub mod serve;

// How far a run has come.
pub mod progress;

// A run: plays a plan, and stores and reports each game.
pub mod run;

// The scripts and commands that other software gets to run the parts of a tournament.
pub mod machines;

// The engines of a run: found, built and checked before the first game.
pub mod entrants;

// The faults of one engine, in plain words for its author.
pub mod check;

// A game of a person against an engine.
pub mod play;

// The tables of a server, at which people play in the browser.
pub mod tables;

// A class: its roster, submissions, aliases and grades.
pub mod class;

// The subcommands and their options.
pub mod cli;
