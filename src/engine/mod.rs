//! One engine process and its protocol: how to start it, how to talk to it, what was seen of it.
//!
//! Nothing here knows the rules of a game. An engine's fault is data; an `Err` is ours.

#[cfg_attr(any(not(target_os = "linux"), agon_posix), path = "boxless.rs")]
pub mod boxes;
mod buffers;
pub mod build;
pub mod folder;
mod game_processes;
mod leftovers;
pub mod levels;
pub mod load;
mod orphans;
mod pinning;
mod process;
pub mod program;
pub mod protocol;
mod removal;
mod rlimits;
pub mod sandbox;
mod spawn;
pub mod spec;
pub mod submission;
mod system;
pub mod unpack;
mod workdir;

pub use buffers::{LOG_HALF, MAX_LINE, Transcript};
pub use game_processes::{
    Answer, EngineStart, Fault, GRACE, GameProcesses, Limits, ParkedEngine, Patience, SeatSeen, Trouble,
};
pub use leftovers::{scratch_of, sweep_directories};
pub use orphans::{adopt, sweep_all};
pub use pinning::{Core, Cores};
pub use process::Setup;
pub use removal::remove;
pub use spawn::{close_inherited_on_exec, ignore_terminal_stops, is_ignored};
pub use system::{end_with_parent, own_program, set_name, wake_soon};
pub use workdir::{Scratch, WorkDir};
