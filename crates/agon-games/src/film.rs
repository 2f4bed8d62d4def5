//! A whole game, played for a page: a diagram with a frame for each ply.

use agon_diagram::{Film, MOST_SLOTS};
use agon_seats::Refusal;

use crate::{Rules, Stuck, move_list::play_each};

/// Why a game has no frames.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unfilmed {
    /// The board is too large for a diagram.
    #[error("the board has more than {MOST_SLOTS} cells, so it has no diagram")]
    TooLarge,
    /// The start position cannot be read.
    #[error("the start position: {0}")]
    Start(Refusal),
    /// A ply is illegal.
    #[error("{0}")]
    Ply(Stuck),
}

/// Plays the plies, each with or without its side letter, from the text of a position, and makes
/// the frame of each.
///
/// # Errors
/// [`Unfilmed`], with the first illegal ply.
pub fn film<'a>(
    rules: &dyn Rules,
    start: &str,
    plies: impl IntoIterator<Item = &'a str>,
) -> Result<Film, Unfilmed> {
    let mut game = rules.resume(start).map_err(Unfilmed::Start)?;
    let diagram = game.diagram().ok_or(Unfilmed::TooLarge)?;
    let start = game.contents();
    let frames = play_each(game.as_mut(), rules.seats(), plies, |game, line| game.play_framed(line));
    Ok(Film { diagram, start, frames: frames.map_err(Unfilmed::Ply)? })
}
