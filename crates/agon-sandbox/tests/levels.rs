//! The levels, tried.
#![allow(missing_docs)]
fn main() {}
