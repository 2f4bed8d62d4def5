//! One engine tried before its games: its handshake, and a few moves with it in plain words for its
//! author.

#![warn(missing_docs)]

// Which engines can play the games of a referee program.
pub mod hosted_fit;

// Engines that refuse a game in the handshake of their protocol.
pub mod handshakes;

// The faults of one engine, in plain words for its author.
pub mod check;
