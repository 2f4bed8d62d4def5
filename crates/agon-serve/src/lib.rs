//! The pages of a run from a server.

#![warn(missing_docs)]

// The pages of a run from a server.
pub mod serve;
