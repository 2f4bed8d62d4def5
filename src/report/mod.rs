//! Results for people.

pub mod bracket;
pub mod columns;
pub mod drawing;
mod table;
pub mod terminal;
