//! Who meets whom, in which order and on which boards. Pure: names and numbers in, a plan out.

pub mod aliases;
pub mod cup;
pub mod matches;
pub mod openings;
pub mod pairings;
pub mod stage;
pub mod sums;
pub mod swiss;
mod ties;
