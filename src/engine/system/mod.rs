//! What has to be asked of each operating system in a way of its own: one file for Linux, one for all others.
//!
//! Both have the same names. `--cfg agon_posix` takes the second one on Linux as well, so that it can be tried there.

#![allow(unsafe_code)]

#[cfg_attr(all(target_os = "linux", not(agon_posix)), path = "linux.rs")]
#[cfg_attr(any(not(target_os = "linux"), agon_posix), path = "posix.rs")]
mod own;

pub(super) use own::{
    Affinity, List, adopt, close_all_on_exec, end_of, no_new_privileges, open_up, pipe, resize_pipe, start,
    step_down, unseal, with_variable,
};
pub use own::{end_with_parent, own_program, set_name, wake_soon};

/// What a child tells that has not become its program: how far it came, and the number of the error. Zeros before.
pub(super) type ChildOutcome = [i32; 2];

/// The child's part of a start: it becomes a program, or writes an [`ChildOutcome`] and gives the code it ends with.
pub(super) type Begin = extern "C" fn(*mut libc::c_void) -> libc::c_int;
