//! Standings and pairings as pure functions of results. For standings it has points, tie-breaks,
//! crosstables, ratings and SPRT. For pairings it has Berger tables, Swiss, knockout, gauntlet,
//! tables of 2 to 16 seats, and stages with play-offs.
//!
//! A result is a [`result::FinalResult`] with a [`result::SeatStats`] for each seat. Nothing here
//! reads a file, a clock or the terminal, and nothing knows what an engine is. The same input gives
//! the same output.

// Results of games.
pub mod result;

// Points, tables and ratings.
pub mod any_time;
pub mod bootstrap;
pub mod candidate;
pub mod encounters;
pub mod faults;
pub mod grades;
pub mod homogeneity;
mod newton;
pub mod plackett_luce;
mod plain_games;
pub mod points;
mod posterior;
pub mod question;
pub mod rating;
pub mod scoring;
pub mod settled;
pub mod sprt;
mod standings;
pub mod strengths;
mod symmetric;
pub mod tiebreaks;
pub mod versus;

// Pairings.
mod brackets;
pub mod cup;
pub mod league;
pub mod matches;
pub mod pairings;
mod seating;
pub mod simulated;
mod simulated_question;
pub mod stage;
mod stage_size;
pub mod sums;
pub mod swiss;
pub mod table_plan;
pub mod tables;
mod ties;
pub mod until;
pub mod withdrawals;

#[cfg(test)]
mod sample;

pub use plain_games::PlainGameError;
pub use ties::is_by_lot;

pub use standings::{Losses, StageGroups, Standings, Tally, table};
