//! The processes of engines: they are started, talked to, observed and ended here.
//!
//! Nothing here knows the rules of a game. An engine's fault is data; an `Err` is agon's.

mod buffers;
pub mod far_clock;
mod game_processes;
pub mod host;
pub mod load;
mod own_clock;
pub mod pauses;
mod pinning;
mod process;
mod terms;
mod traffic_log;
mod workdir;

pub use buffers::{MAX_LINE, Transcript};
pub use game_processes::{
    Answer, EngineStart, Fault, GameProcesses, Limits, ParkedEngine, Patience, SeatSeen, Trouble, WaitNotice,
};
pub use pinning::{Core, Cores};
pub(crate) use process::TIMES;
pub use process::{InPause, LONGEST_PAUSE, PAUSE_FILE, Prompts, Setup, TIMES_FILE};
pub use terms::GameTerms;
pub use traffic_log::{GameLog, SeatLog, TrafficLog};
pub use workdir::{Scratch, WorkDir};
