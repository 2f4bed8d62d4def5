//! The program from outside: its help, its documents, and its treatment of bad input.

#![allow(clippy::unwrap_used)] // helpers of tests may panic

mod author;
mod bad_input;
mod books;
mod brains;
mod cups;
mod documents;
mod engines;
mod gauntlet;
mod grading;
mod help;
mod home;
mod hostile_names;
mod kept;
mod keys;
mod letters;
mod levels;
mod limits;
mod play;
mod positions;
mod records;
mod resume;
mod runs;
mod saying;
mod starts;
mod strangers;
#[path = "../support/mod.rs"]
mod support;
mod ugi;
