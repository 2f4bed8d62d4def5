//! A class: its roster, submissions, aliases and grades.
//!
//! This file lists what is public. Other modules do not see the other files of this folder.

#![warn(missing_docs)]

mod accepted;
mod achievements;
mod aliases;
mod answer_words;
mod answers;
mod archives;
mod assignment;
mod at_home;
mod build_memory;
mod builds;
mod claim_contents;
mod claimed_files;
mod claims;
mod class_intake;
mod contents;
mod coverage;
mod download;
mod earlier_times;
mod entry_names;
mod exported;
mod extracted;
mod file_doubts;
mod forms;
mod gradebook;
mod gradescope;
mod grading;
mod handed_in;
mod inbox;
mod inbox_intake;
mod inbox_strangers;
mod intake;
mod intake_questions;
mod key;
mod late;
mod links;
mod mailing;
#[cfg(test)]
mod names_table;
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
mod table_edits;
mod time_questions;
mod unpack;
mod written_time;

pub use achievements::{CountingGames, CupResults};
pub use assignment::{Assignment, CommandWith};
pub use at_home::{TakenSubmission, is_submission, take_at_home};
pub use builds::{BuildRow, build_folder};
pub use class_intake::{IntakeFrom, IntakeTable, LatenessOf};
pub use forms::{GivenBook, GradeForms};
pub use grading::{GradesTable, Grading};
pub use inbox::{ClaimedSubmission, ClassInbox, MadeSubmission, came_by_inbox, is_filled_by_inbox};
pub use key::{KeyRow, read_key};
pub use late::{LateResults, LateStudent};
pub use old_versions::{OldVersion, old_versions, remove_version};
pub use overrides::Overrides;
pub use sheet::text_of_table;
pub use students::{Class, ClassPlaces};
pub use time_questions::TimeTerms;
