//! Who meets whom, in which order and on which boards. Pure: names and numbers in, a plan out.

pub mod openings;
pub mod pairings;
