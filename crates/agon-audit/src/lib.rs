//! Checks stored games against the rules, the plan and each other, and separates proof from belief.
//!
//! [`game`] knows one record and the rules of its game. [`database`] knows a whole run: the plan,
//! the keys, the standings and the chain of hashes. [`hosted`] knows the games of referee programs,
//! and starts the programs once more, which [`referee_program`] finds. Nothing here writes.

#![warn(missing_docs)]

mod audited;
mod by_scores;
pub mod conditions;
mod contradictions;
pub mod database;
mod elsewhere;
pub mod facts;
pub mod game;
pub mod hosted;
pub mod import_counts;
pub mod missing;
pub mod plan;
pub mod planned;
mod programs;
pub mod referee_program;
mod seat_faults;
mod transcript;
mod verdict;
