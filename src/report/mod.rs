//! Results for people.

pub mod bracket;
pub mod columns;
pub mod drawing;
pub mod terminal;
