//! A run: engines made ready, a plan played, and each result stored at once.

#![warn(missing_docs)]

// How far a run has come.
pub mod progress;

// A run: plays a plan, and stores and reports each game.
pub mod run;

// How long a run will take.
pub mod estimate;

// The scripts and commands that other software gets to run the parts of a tournament.
pub mod machines;

// The engines of a run: found, built and checked before the first game.
pub mod entrants;

// A few moves with every engine before a cup or a grading.
pub mod tryout;

// What a run says in the terminal.
pub mod terminal;

// What is played: single runs, cups, leagues, nights, and parts of them.
pub mod competition;
