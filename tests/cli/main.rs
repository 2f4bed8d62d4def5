//! The program from outside: its help, its documents, and its treatment of bad input.

#![allow(clippy::unwrap_used)] // helpers of tests may panic

mod archives;
mod author;
mod bad_input;
mod books;
mod brains;
mod checking;
mod club;
mod console;
mod cups;
mod debugging;
mod documents;
mod dry;
mod engines;
mod feedback;
mod gauntlet;
mod gradebooks;
mod gradescope;
mod grading;
mod help;
mod home;
mod hosted;
mod hosted_authors;
mod hosted_faults;
mod hosted_folders;
mod hosted_records;
mod hosted_tables;
mod hostile_names;
mod intake;
mod json;
mod kept;
mod keys;
mod letters;
mod levels;
mod limits;
mod nights;
mod operations;
mod play;
mod positions;
mod pruning;
mod records;
mod regrading;
mod replays;
mod report;
mod resume;
mod runs;
mod saying;
mod solved;
mod starters;
mod starts;
mod strangers;
#[path = "../support/mod.rs"]
mod support;
mod ugi;
