//! The ways to talk to an engine.

pub mod lines;

use serde::Deserialize;

/// Which way an engine is talked to, as `engine.toml` names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// One move a line; see [`lines`].
    #[default]
    Lines,
}
