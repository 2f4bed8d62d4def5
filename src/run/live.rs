//! The games of a run in play, for pages that show them.

use agon_standings::pairings::PlannedGame;

use super::Run;
use crate::export::live::{LiveBoard, LiveGame, LiveGames};

/// The board that shows a game while it is played, if there is one for it.
pub(super) fn board(
    live: Option<&LiveGames>,
    run: &Run,
    game: &PlannedGame,
    start: String,
) -> Option<LiveBoard> {
    let name = |entrant: &usize| run.entrants[*entrant].name.clone();
    live?.begin(LiveGame {
        id: game.id.to_string(),
        rules: run.rules.spec(),
        start,
        engines: game.seats.values().iter().map(name).collect(),
        moves: Vec::new(),
        last_micros: 0,
    })
}
