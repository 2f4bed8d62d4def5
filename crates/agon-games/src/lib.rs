//! The games of agon: positions, rules, notations, drawings and perft, without any input or output.
//!
//! [`Position`] is typed, for programs that search. [`Game`] speaks text, for a referee. [`Rules`] is one game with its
//! options fixed, and [`find`] gives the rules that a name like `letters:6x6x3` stands for.

mod game;

// Counting, and what a game came to.
pub mod perft;
pub mod result;

// What several games share.
pub mod lexicon;
mod stones;

// One module a game, and the registry of their names.
pub mod abalone;
pub mod connect4;
pub mod letters;
pub mod mill;
pub mod mnk;
pub mod morris;
mod registry;

pub use game::{
    Ending, Game, GameFile, Outcome, PerSeat, Played, Position, Refereed, Refusal, Rules, Seat, Status,
    Stuck, play_all, with_side,
};
pub(crate) use registry::points;
pub use registry::{About, Entry, GAMES, Needs, UnknownGame, entry, find, result_text, version};
