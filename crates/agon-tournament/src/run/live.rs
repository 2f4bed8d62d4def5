//! The games of a run in play, for pages that show them.

use agon_export::live::{LiveBoard, LiveGame, LiveGames};
use agon_match::referee::GameNews;
use agon_standings::pairings::PlannedGame;

use super::Run;

/// The board that shows a game while it is played, if there is one for it.
pub(super) fn board(
    live: Option<&LiveGames>,
    run: &Run,
    game: &PlannedGame,
    start: String,
    controls: Vec<String>,
) -> Option<LiveBoard> {
    let name = |entrant: &usize| run.entrants[*entrant].name.clone();
    live?.begin(LiveGame {
        id: game.id.to_string(),
        rules: run.rules.spec(),
        start,
        engines: game.seats.values().iter().map(name).collect(),
        moves: Vec::new(),
        last_micros: 0,
        place: 0,
        controls,
        times: Vec::new(),
        since: 0,
        result: None,
        earlier: 0,
        lines: Vec::new(),
        scores: Vec::new(),
    })
}

/// Shows what has happened in a game. Of a referee program this is what it has published.
pub(super) fn note(board: &LiveBoard, news: &GameNews<'_>) {
    match news {
        GameNews::Moved(ply) => board.note(&ply.text, ply.time),
        GameNews::Public(text) => board.publish(text),
        GameNews::Scores(scores) => board.score(scores),
    }
}
