//! What a search of a few plies proves of a game, for `agon analyse --depth`.

use agon_config::Misuse;
use agon_pages::report::columns::columns;
use agon_printable::{clean, counted};
use agon_solved::{ProofSearch, ProvedMove, Solver};

use crate::cli::{out, out_list};

/// Whose game it was.
pub(super) struct ProvedPlayers<'a> {
    /// The number of the game, or its file.
    pub(super) id: &'a str,
    /// The names in order of play.
    pub(super) names: &'a [String],
    /// The game and its options.
    pub(super) spec: &'a str,
}

/// Shows the moves of a game of which something is proved, each with its line.
pub(super) fn show(
    players: &ProvedPlayers<'_>,
    solver: &Solver,
    start: &str,
    moves: &[String],
    search: ProofSearch,
) -> anyhow::Result<()> {
    let game = solver.proofs(start, moves, search).map_err(|(ply, refusal)| {
        Misuse::hinted(format!("game {}, ply {ply}: {refusal}", players.id), "agon verify says more")
    })?;
    let (names, depth) = (players.names, search.depth);
    let are_words = players.spec.split(':').next() == Some("letters");
    let rows: Vec<Vec<String>> = game
        .moves
        .iter()
        .flat_map(|played| rows_of(played, &names[played.seat.index()], are_words))
        .collect();
    out(&format!(
        "{}: {}\n",
        clean(players.id),
        names.iter().map(|name| clean(name)).collect::<Vec<_>>().join(" - ")
    ))?;
    if rows.is_empty() {
        return out(&format!("nothing is proved of its moves within {depth} plies\n"));
    }
    out_list(&columns(&["ply", "engine", "move", "what", "line", "better"], &rows))?;
    let Some(played) = game.last_moment() else { return Ok(()) };
    let saving = played.lost.as_ref().map(|lost| lost.saving.as_str()).unwrap_or_default();
    out(&format!(
        "the last moment when {} could save the game, to depth {depth}: ply {}, {saving} and not {}\n",
        clean(&names[played.seat.index()]),
        played.number,
        played.text
    ))
}

/// What is proved of a move, a row each.
fn rows_of(played: &ProvedMove, name: &str, are_words: bool) -> Vec<Vec<String>> {
    let row = |what: String, line: &[String], better: &str| {
        let text = [played.number.to_string(), clean(name), played.text.clone(), what];
        text.into_iter().chain([line.join(" "), better.to_owned()]).collect::<Vec<String>>()
    };
    let plies = |line: &[String]| match line.len() {
        1 => "at once".to_owned(),
        plies => format!("in {plies}"),
    };
    let missed =
        played.missed.as_ref().map(|line| row(format!("missed a win {}", plies(line)), line, &line[0]));
    let lost = played.lost.as_ref().map(|lost| {
        let what = match lost.line.len() {
            1 => "did not stop a win at once".to_owned(),
            _ => format!("lost by force {}", plies(&lost.line)),
        };
        row(what, &lost.line, &lost.saving)
    });
    let words = played.best_gain.as_ref().filter(|_| are_words).map(|(best, text)| {
        row(format!("{}, and {best} were there", counted(played.gain, "point")), &[], text)
    });
    missed.into_iter().chain(lost).chain(words).collect()
}
