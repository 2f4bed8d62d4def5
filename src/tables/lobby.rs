//! What there is to play: the games, the engines, the boards.

use agon_games::{GAMES, Needs, Rules, find};
use agon_printable::clean;
use serde_json::{Value, json};
use std::sync::Arc;

use super::TablesSpec;
use super::board;
use super::seats::expects_results;
use crate::openings;

/// The games and the engines, and how many tables are in use.
pub(super) fn lobby(spec: &TablesSpec<'_>, used: usize) -> Value {
    let games = GAMES.iter().map(|game| {
        json!({ "name": game.name, "options": game.options, "title": game.about.title,
            "moves": game.about.moves, "position": game.about.position })
    });
    let engines = spec.engines.iter().map(|engine| {
        json!({
            "name": engine.name,
            "games": engine.games,
            "settings": engine.options,
            "expects": expects_results(engine),
        })
    });
    json!({
        "games": games.collect::<Vec<_>>(),
        "engines": engines.collect::<Vec<_>>(),
        "tables": spec.most,
        "used": used,
        "minutes": spec.longest.as_secs_f64() / 60.0,
        "operator": spec.operator.as_secs_f64(),
    })
}

/// The rules of a game.
///
/// # Errors
/// A sentence that says what to write instead.
pub(super) fn rules(spec: &TablesSpec<'_>, game: &str) -> Result<Arc<dyn Rules>, String> {
    find(game, &Needs { lexicon: Some(spec.lexicon.clone()) }).map_err(|error| format!("The game: {error}."))
}

/// The board of a position, which may still be changed.
///
/// # Errors
/// What is wrong with it.
pub(super) fn position(
    spec: &TablesSpec<'_>,
    game: &str,
    text: Option<&str>,
    seed: Option<u64>,
) -> Result<Value, String> {
    let rules = rules(spec, game)?;
    let game = match text.map(str::trim).filter(|text| !text.is_empty()) {
        Some(text) => {
            openings::read(text, rules.as_ref())
                .map_err(|why| format!("The position: {}.", clean(&why)))?
                .game
        }
        None => rules.start(seed.unwrap_or(1)),
    };
    let mut look = board::board(rules.as_ref(), game.as_ref());
    look["contents"] = json!(board::contents(&game.contents()));
    look["position"] = json!(game.text());
    look["drawing"] = json!(game.draw());
    look["over"] = json!(game.status().over().map(|over| clean(&over.why)));
    Ok(look)
}
