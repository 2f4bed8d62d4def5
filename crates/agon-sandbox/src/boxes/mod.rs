//! The levels above `none`: what a program may not do, and how that is enforced.
//!
//! The program that uses this crate starts itself again as a helper, which builds a box and starts
//! the stranger's program in it. A step that fails is an error with its name; nothing is ever left
//! out silently.

#![allow(unsafe_code)]

// What several of them need.
mod failure;
mod requests;
mod roles;

// What is seen of processes, from outside and from process 1 of a box.
mod input_wait;
pub mod process_tree;

// The guards.
mod cgroup_files;
mod cgroups;
mod filter;
mod landlock;
mod mounts;
mod rights;

// This process itself, for good.
mod confine;

// The processes of a box.
mod helper;
mod warden;

// The harness's side.
mod boxed_process;
mod build_box;
mod start;

// The self-test.
mod checks;
mod self_test;

// Where a process begins that is not the harness.
mod entry;

pub use build_box::build;
pub use cgroups::sweep as sweep_groups;
pub use confine::confine;
pub use entry::become_helper;
pub use mounts::of_every_box;
pub use self_test::{available, breaches, self_test};
pub use start::in_force;

use crate::levels::Isolation;

pub use start::{Warden, start};

/// What a level does without on this system, though it is available: nothing.
pub fn goes_without(_level: Isolation) -> Option<&'static str> {
    None
}

/// Where a program is started in a box: its own directory, with the files of the game.
pub const OWN: &str = mounts::OWN;
