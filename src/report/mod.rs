//! Results for people.

pub mod columns;
pub mod drawing;
pub mod terminal;
