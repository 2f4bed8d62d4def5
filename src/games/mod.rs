//! The rules, one file a game, and the registry of their names.

pub mod abalone;
pub mod letters;
pub mod lexicon;
pub mod morris;
