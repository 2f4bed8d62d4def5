//! The games of agon: positions, rules, notations, drawings and perft, without any input or output.
//!
//! [`Position`] is typed, for programs that search. [`Game`] works on text, for a referee.
//! [`Rules`] is one game with its options fixed, and [`find`] returns the rules for a name like
//! `letters:6x6x3`.

mod film;
mod game;
mod gomocup;
mod move_list;

pub mod perft;

// Code that several games share.
pub mod lexicon;
mod stones;

// One module per game, and the registry of their names.
pub mod abalone;
pub mod chess;
pub mod connect4;
pub mod letters;
pub mod mill;
pub mod mnk;
pub mod morris;
mod registry;

use agon_seats::{PerSeat, Refusal, Seat, result};

pub use film::{Unfilmed, film};
pub use game::{Ending, Game, GameFile, Outcome, Played, Position, Refereed, Rules, Status, places_without};
pub use gomocup::Gomocup;
pub use move_list::{Stuck, play_all, with_side};
pub(crate) use registry::points;
pub use registry::{
    About, Entry, GAMES, GameCard, Needs, UnknownGame, canonical, entry, find, random_plies, remembers,
    result_text, shown_moves, version,
};
