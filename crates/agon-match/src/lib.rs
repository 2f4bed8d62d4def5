//! One game, from engines to a record: processes, clocks and a referee; and a plan of games on
//! several workers.
//!
//! An engine's fault is data; an `Err` is agon's.

#![warn(missing_docs)]

// The processes of engines.
pub mod processes;

// The two processes of a run: neither leaves engines behind when the other dies.
pub mod keeper;

// Games whose rules are a program, and the protocol it speaks.
pub mod hosted;

// One game: a position, engines and clocks in, a record out.
pub mod referee;

// Start positions: lists of openings, and random plies.
pub mod pgn_book;

pub mod openings;

// A plan on N workers.
pub mod schedule;

// The games of a run for a question, chosen one pair after another.
pub mod chosen_pairs;
