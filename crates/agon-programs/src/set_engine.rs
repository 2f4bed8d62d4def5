//! What is known of an engine that plays with settings of the organiser's; see `settings.rs`.

use std::sync::Arc;

/// An engine that was set.
#[derive(Clone, Debug)]
pub struct SetEngine {
    /// The text of its own `engine.toml`, if it has one.
    pub(super) own_text: Option<Arc<str>>,
    /// Whether it speaks what programs of the game usually speak, as nothing says otherwise.
    pub(super) is_silent: bool,
    /// The names of the options that it was given.
    pub options: Vec<String>,
    /// Where these are written, for messages.
    pub options_place: String,
    /// Where the engine is written, for messages.
    pub place: String,
    /// How it is named on a command line, if it can be.
    pub spelling: Option<String>,
}
