//! New versions of engines, tested against their last ones and rated among the others.

#![warn(missing_docs)]

// The score of a test of two engines.
pub mod match_score;

// One new version: its test and its rating.
pub mod candidate;

// Those that a command asks for, before a tournament or instead of it.
pub mod asked;
