//! Machines: what this one can do, and how several play one tournament.

pub(super) mod build;
pub(super) mod doctor;
pub(super) mod holes;
pub(super) mod merge;
mod merged_stages;
pub(super) mod parallel;
pub(super) mod part_programs;
mod part_rounds;
pub(super) mod piped;
pub(super) mod remote;
pub(super) mod shell;
pub(super) mod slurm;
pub(super) mod slurm_queue;
