//! Results for people.

mod alone;
pub mod bracket;
pub mod columns;
pub mod cup_bracket;
pub mod drawing;
pub mod hosted;
pub mod hosts;
pub mod intake_page;
pub mod programs;
pub mod student_page;
mod table;
pub mod terminal;
