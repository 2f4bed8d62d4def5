//! Holds what was stored against the rules, the plan and itself, and says what is proved and what is only believed.
//!
//! [`game`] knows one record and the rules of its game. [`database`] knows a whole run besides: the plan, the keys, the
//! standings and the chain of hashes. Nothing here writes.

pub mod conditions;
pub mod database;
pub mod facts;
pub mod game;
mod plan;
mod verdict;
