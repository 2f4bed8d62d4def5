//! The tables and pages of a run for people, made from its database.

#![warn(missing_docs)]

// What the moves of games did to the values of their positions.
pub mod analysis;

// Tables for people.
pub mod report;

// The pages of a run, for a browser.
pub mod pages;
