//! Starts a stranger's program at a level of isolation, and ends it with all that it has started.
//!
//! A [`Request`] names the program, its arguments, its environment, its directory, its level and
//! its limits. [`start`] gives a [`spawn::Child`] back: the process id, three pipes, and a
//! descriptor that becomes readable at its end. At the levels with boxes there is a [`Warden`]
//! besides, which freezes, thaws and counts.
//!
//! A program that uses this crate calls [`become_helper`] first of all in `main`: to build a box,
//! it is started again as another process. It calls [`system::inherited::settle`] next, and
//! [`system::be_init`], which matters where it is process 1 of a container. It calls
//! [`orphans::adopt`] as well if it wants to end the processes that leave a program's tree.
//!
//! What differs by operating system is here, and nowhere else: `system` has one file for Linux and
//! one for all other Unixes, and `boxless` stands in for `boxes` on these. `--cfg agon_posix`
//! selects the others' files on Linux.
//!
//! This file is the map: a module imports only modules that stand above it.

// The levels, and what is said of them.
mod levels;

// What the self-test says.
mod checked;

// The time of a build, and what the machine may be short of.
mod build_clock;
pub mod shortage;

// What each operating system is asked for.
pub mod system;

// Terminals for programs that are made for people.
pub mod terminal;

// Starting a program with limits of its own, and what limits there are.
mod rlimits;
pub mod room;
pub mod spawn;

// What programs leave behind: processes and directories.
pub mod leftovers;
pub mod orphans;
pub mod removal;

// What a program needs to run, and what no box can show.
mod places;

// Boxes, or their stand-in on systems that have none.
#[cfg_attr(any(not(target_os = "linux"), agon_posix), path = "boxless.rs")]
mod boxes;

pub use boxes::{
    OWN, Warden, available, become_helper, breaches, build, confine, goes_without, in_force, of_every_box,
    process_tree, self_test, start, sweep_groups,
};
pub use build_clock::{BuildClock, BuildTime};
pub use checked::{CheckOutcome, CheckRow, Lack, Tried, Unavailable};
pub use levels::{
    Account, BuildEnd, BuildOutcome, BuildWork, Isolation, LimitHit, Priority, Request, ResourceLimits,
    ThreadSample, TreeSample, Use,
};
pub use places::{admits, all_in_path, find_in_path, installation, is_of_system, why_not_shown};
