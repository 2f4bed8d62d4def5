//! The command `agon`: its subcommands, their options and exit codes.
//!
//! What they do is in the crates, and ARCHITECTURE.md lists these.

#![warn(missing_docs)]

// The subcommands and their options.
pub mod cli;
