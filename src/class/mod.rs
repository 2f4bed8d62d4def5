//! A class: its roster, what students hand in, the aliases under which it plays, and its grades.
//!
//! This file is the door: other modules use what is listed here, and none of the files beside it.

mod achievements;
mod aliases;
mod builds;
mod gradebook;
mod grading;
mod key;
mod links;
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
