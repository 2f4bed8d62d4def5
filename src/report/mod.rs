//! Results for people.

pub mod drawing;
pub mod terminal;
