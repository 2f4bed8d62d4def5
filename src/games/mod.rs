//! The rules, one file a game, and the registry of their names.

#[cfg(test)]
mod laws;
mod stones;

pub mod connect4;
pub mod letters;
pub mod lexicon;
pub mod mill;
pub mod mnk;
pub mod perft;
