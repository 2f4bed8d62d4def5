//! The pages of a run from a server, and games of people against engines.

#![warn(missing_docs)]

// The pages of a run from a server.
pub mod serve;

// A game of a person against an engine.
pub mod play;

// The tables of a server, at which people play in the browser.
pub mod tables;
