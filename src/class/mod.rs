//! A class: its roster, submissions, aliases and grades.
//!
//! This file lists what is public. Other modules do not see the other files of this folder.

mod achievements;
mod aliases;
mod builds;
mod gradebook;
mod grading;
mod key;
mod links;
mod regrading;
mod reports;
mod roster;
mod students;
mod submissions;
mod unpack;

pub use achievements::CupResults;
pub use builds::{BuildRow, build_folder};
pub use gradebook::CanvasBook;
pub use grading::{GradeForms, GradesTable};
pub use key::{KeyRow, read_key};
pub use students::{Class, ClassPlaces};
