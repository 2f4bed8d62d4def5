//! Games of people against engines: in a terminal, and at the tables of a server.

#![warn(missing_docs)]

// The legal moves as a person chooses among them.
pub mod choices;

// A game of a person against an engine.
pub mod play;

// The tables of a server, at which people play in the browser.
pub mod tables;
