//! The levels above `none`: what an engine is kept from, and how.
//!
//! agon starts itself again as a helper, which gives up rights and then becomes the engine, or builds a box and
//! starts the engine in it. Every failure to do so is ours and makes a game void; nothing is ever left out silently.

#![allow(unsafe_code)]

mod attempts;
mod available;
mod doors;
mod filter;
mod groups;
mod helper;
mod inmate;
mod landlock;
mod probe;
mod requests;
mod rights;
mod room;
mod shown;
mod start;
pub(super) mod tree;
mod trial;
mod warden;
mod workshop;

pub use available::available;
pub use groups::sweep as sweep_groups;
pub use helper::help;
pub use probe::probe;
pub use shown::{admits, needed_by, shown};
pub use start::in_force;
pub use trial::{breaches, try_out};
pub use workshop::build;

use crate::config::Isolation;

pub(super) use start::{Warden, start};

/// What a level does without on this system, though it is available: nothing.
pub fn goes_without(_level: Isolation) -> Option<&'static str> {
    None
}

/// Where an engine is started in a box: its own directory, with the files of the game.
pub const OWN: &str = room::OWN;
