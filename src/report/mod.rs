//! Results for people.

pub mod terminal;
