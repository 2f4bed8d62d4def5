//! Engines: they are found and built here, and their processes are started, talked to, observed and
//! ended.
//!
//! Nothing here knows the rules of a game. An engine's fault is data; an `Err` is agon's.

mod beyond;
pub mod bounded;
mod buffers;
pub mod build;
mod confined;
pub mod content;
mod elf;
pub mod elsewhere;
pub mod engine_file;
pub mod extent;
pub mod far_clock;
mod file_copy;
mod file_list;
mod first_line;
pub mod folder;
mod game_processes;
pub mod hidden;
pub mod host;
pub mod in_place;
pub mod kept;
pub mod known_copy;
pub mod languages;
pub mod load;
pub mod manifest;
pub mod origin;
mod own_clock;
mod own_place;
pub mod parts;
pub mod pascal;
pub mod pauses;
mod pbrain;
mod pinning;
mod places;
mod process;
pub mod program;
pub mod program_files;
pub mod protocol;
pub mod sandbox;
pub mod spec;
pub mod stamp;
mod startable;
pub mod stopping;
pub mod submission;
pub mod tool_output;
pub mod tools;
mod traffic_log;
pub mod widening;
pub mod wine;
mod workdir;

pub use agon_sandbox::leftovers::{hold_file, scratch_of, sweep_directories, sweep_files};
pub use agon_sandbox::orphans::{adopt, sweep_all};
pub use agon_sandbox::removal::remove;
pub use agon_sandbox::spawn::{close_inherited_on_exec, ignore_terminal_stops};
pub use agon_sandbox::system::inherited::{is_ignored, settle};
pub use agon_sandbox::system::{
    be_init, end_with_parent, own_program, processes_are_listed, set_name, wake_soon,
};
pub use buffers::{LOG_HALF, MAX_LINE, Transcript};
pub use game_processes::{
    Answer, EngineStart, Fault, GameProcesses, Limits, ParkedEngine, Patience, SeatSeen, Trouble, WaitNotice,
};
pub use pinning::{Core, Cores};
pub use process::{InPause, LONGEST_PAUSE, PAUSE_FILE, Prompts, Setup, TIMES, TIMES_FILE};
pub use protocol::GRACE;
pub use traffic_log::{GameLog, SeatLog, TrafficLog};
pub use workdir::{Scratch, WorkDir};
