//! Programs that play: they are found, built, kept and hashed here, and it is said what a box shows
//! of them.
//!
//! Nothing here starts a game or knows the rules of one. An engine's fault is data; an `Err` is
//! agon's.

#![warn(missing_docs)]

mod beyond;
pub mod bounded;
pub mod build;
mod called;
mod confined;
pub mod content;
mod elf;
pub mod elsewhere;
pub mod engine_file;
pub mod extent;
mod file_copy;
mod file_list;
mod first_line;
pub mod folder;
pub mod hidden;
pub mod in_place;
mod java_starter;
pub mod kept;
pub mod known_copy;
pub mod languages;
pub mod libraries;
pub mod machine_fault;
mod made_program;
pub mod manifest;
pub mod naming;
pub mod odds;
pub mod option_values;
pub mod origin;
mod own_lines;
mod own_place;
pub mod parts;
pub mod pascal;
mod pbrain;
mod places;
pub mod program;
pub mod program_files;
mod protocol_keys;
pub mod sandbox;
mod set_engine;
pub mod settings;
pub mod spec;
pub mod stamp;
mod startable;
pub mod stopping;
pub mod submission;
mod telling_lines;
pub mod tool_output;
pub mod tools;
pub mod unbuffered;
pub mod widening;
pub mod wine;
