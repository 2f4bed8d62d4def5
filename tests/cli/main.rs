//! The program from outside: its help, its documents, and its treatment of bad input.

#![allow(clippy::unwrap_used)] // helpers of tests may panic

mod bad_input;
mod cups;
mod documents;
mod gauntlet;
mod grading;
mod help;
mod home;
mod hostile_names;
mod kept;
mod keys;
mod levels;
mod limits;
mod runs;
mod starts;
mod strangers;
