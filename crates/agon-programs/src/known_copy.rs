//! A kept copy of an engine that was found by the hash of the engine.

use std::path::PathBuf;

/// Where it is, and what it is known as.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KnownCopy {
    /// Its folder, `programs/TREE`.
    pub home: PathBuf,
    /// The name of that.
    pub tree: String,
    /// The hash of the engine in the records.
    pub hash: String,
}
