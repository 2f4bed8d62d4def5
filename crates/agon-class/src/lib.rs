//! A class: its roster, submissions, aliases and grades.
//!
//! This file lists what is public. Other modules do not see the other files of this folder.

#![warn(missing_docs)]

mod achievements;
mod aliases;
mod archives;
mod build_memory;
mod builds;
mod contents;
mod download;
mod entry_names;
mod exported;
mod extracted;
mod forms;
mod gradebook;
mod gradescope;
mod grading;
mod handed_in;
mod inbox;
mod key;
mod late;
mod links;
mod mailing;
mod old_versions;
mod overrides;
mod person_finder;
mod private;
mod regrading;
mod reports;
mod roster;
mod sheet;
mod similar;
mod students;
mod submissions;
mod unpack;

pub use achievements::CupResults;
pub use builds::{BuildRow, build_folder};
pub use forms::{GivenBook, GradeForms};
pub use grading::{GradesTable, Grading};
pub use inbox::{ClaimedSubmission, ClassInbox, MadeSubmission, came_by_inbox, is_filled_by_inbox};
pub use key::{KeyRow, read_key};
pub use late::{LateResults, LateStudent};
pub use old_versions::{OldVersion, old_versions, remove_version};
pub use overrides::Overrides;
pub use sheet::text_of_table;
pub use students::{Class, ClassPlaces};
