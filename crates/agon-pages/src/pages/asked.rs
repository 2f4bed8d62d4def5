//! What pages are asked for.

use std::path::PathBuf;

use super::values::ValueSearch;
use super::view::View;

/// A run of a report.
#[derive(Clone, Debug)]
pub struct ReportPart {
    /// Its directory.
    pub path: PathBuf,
    /// The name of its folder in the report, `stage-1`; `None` for a run without parts.
    pub name: Option<String>,
    /// Its name for people.
    pub title: String,
}

/// Which games have a page of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Replays {
    /// Every game.
    All,
    /// This many: games lost by a fault first, then the last ones.
    Most(usize),
}

/// What was asked for.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The name of the whole, in the title of each page.
    pub site: String,
    /// The runs: one, or the stages of a cup.
    pub parts: Vec<ReportPart>,
    /// What the pages show.
    pub view: View,
    /// Which games have a page.
    pub replays: Replays,
    /// How far the values of their positions are looked for.
    pub search: ValueSearch,
}
