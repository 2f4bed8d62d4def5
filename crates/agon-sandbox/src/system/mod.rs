//! What has to be asked of each operating system in a way of its own: one file for Linux, one for all others.
//!
//! Both have the same names. `--cfg agon_posix` takes the second one on Linux as well, so that it can be tried there.

#![allow(unsafe_code)]

pub(crate) mod child;
#[cfg_attr(all(target_os = "linux", not(agon_posix)), path = "linux.rs")]
#[cfg_attr(any(not(target_os = "linux"), agon_posix), path = "posix.rs")]
mod own;

pub use own::{Affinity, List, end_of, end_with_parent, own_program, resize_pipe, set_name, wake_soon};
pub(crate) use own::{
    adopt, close_all_on_exec, no_new_privileges, open_up, pipe, start, step_down, unseal, with_variable,
};
