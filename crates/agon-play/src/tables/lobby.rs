//! What there is to play: the games, the engines, the boards.

use serde_json::{Value, json};
use std::sync::Arc;

use agon_diagram::SlotContent;
use agon_games::{Entry, GAMES, Needs, Rules, find};
use agon_match::openings::{self, Opening};
use agon_pages::pages::card_board;
use agon_printable::clean;

use super::TablesSpec;
use super::board;
use super::requests::PositionRequest;
use super::seats::{STRENGTHS, expects_results};

/// So many plies are played for the picture of a game whose board is empty at the start.
const PICTURED: usize = 9;

/// The games, each with a picture. They stay the same as long as the tables are there.
pub(super) fn games(spec: &TablesSpec<'_>) -> Vec<Value> {
    let one = |game: &Entry| {
        json!({ "name": game.name, "options": game.options, "title": game.about.title,
            "card": game.about.card.name, "aim": game.about.card.aim, "rules": game.about.rules,
            "moves": game.about.moves, "position": game.about.position,
            "picture": rules(spec, game.name).ok().and_then(|rules| picture(game.name, rules.as_ref())) })
    };
    GAMES.iter().map(one).collect()
}

/// The board of a game as it is at the start, or after some moves if nothing is on it then.
fn picture(name: &str, rules: &dyn Rules) -> Option<String> {
    let mut game = rules.start(1);
    let is_empty = game.contents().iter().all(|content| *content == SlotContent::Empty);
    for ply in 0..if is_empty { PICTURED } else { 0 } {
        let before = game.text();
        let moves = game.moves();
        // From all places of the list, so that the pieces lie apart.
        let mv = moves.get(ply * 5 % moves.len().max(1))?;
        game.play(mv.as_bytes()).ok()?;
        if game.status().over().is_some() {
            game = rules.resume(&before).ok()?;
            break;
        }
    }
    Some(card_board(name, &game.diagram()?, &game.contents(), rules.seats()))
}

/// The games and the engines, and how many tables are in use.
pub(super) fn lobby(spec: &TablesSpec<'_>, games: &[Value], used: usize) -> Value {
    let engines = spec.engines.iter().map(|engine| {
        json!({
            "name": engine.name,
            "games": engine.games,
            "settings": engine.options,
            "expects": expects_results(engine),
        })
    });
    json!({
        "games": games,
        "strengths": STRENGTHS.iter().map(|one| json!([one.name, one.told])).collect::<Vec<_>>(),
        "engines": engines.collect::<Vec<_>>(),
        "tables": spec.most,
        "used": used,
        "minutes": spec.longest.as_secs_f64() / 60.0,
        "operator": spec.operator.as_secs_f64(),
    })
}

/// The most cells of a board at a table. Every page of a table gets the whole board and all legal
/// moves, which in some games grow with the cube of its size.
const MOST_CELLS: usize = 512;
/// The most bytes of the name of a game with its options.
const LONGEST_GAME: usize = 200;
/// The most words of a position, which may be a list of moves.
const MOST_WORDS: usize = 2000;

/// The rules of a game.
///
/// # Errors
/// A sentence that says what to write instead.
pub(super) fn rules(spec: &TablesSpec<'_>, game: &str) -> Result<Arc<dyn Rules>, String> {
    if game.len() > LONGEST_GAME {
        return Err(format!("The game: its options are longer than {LONGEST_GAME} characters."));
    }
    let rules = find(game, &Needs { lexicon: Some(spec.lexicon.clone()) })
        .map_err(|error| format!("The game: {error}."))?;
    match cells(rules.as_ref()) {
        cells if cells > MOST_CELLS => Err(format!(
            "The game: {} has {cells} cells, and a board at a table has at most {MOST_CELLS}.",
            rules.spec()
        )),
        _ => Ok(rules),
    }
}

/// The size of a board whose size can be chosen. It is known without making the board.
fn cells(rules: &dyn Rules) -> usize {
    let sides = rules.settings();
    let sides = sides.iter().filter(|(name, _)| ["rows", "columns", "planes"].contains(name));
    sides.filter_map(|(_, side)| side.parse::<usize>().ok()).product()
}

/// The game at a position, if there is one: a text, or moves.
///
/// # Errors
/// What is wrong with it.
pub(super) fn opening(rules: &dyn Rules, text: Option<&str>) -> Result<Option<Opening>, String> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else { return Ok(None) };
    if text.split_ascii_whitespace().nth(MOST_WORDS).is_some() {
        return Err(format!("The position: it has more than {MOST_WORDS} words."));
    }
    openings::read(text, rules).map(Some).map_err(|why| format!("The position: {}.", clean(&why)))
}

/// The board of a position, which may still be changed.
///
/// # Errors
/// What is wrong with it.
pub(super) fn position(spec: &TablesSpec<'_>, request: &PositionRequest) -> Result<Value, String> {
    let rules = rules(spec, &request.game)?;
    let game = match opening(rules.as_ref(), request.position.as_deref())? {
        Some(opening) => opening.game,
        None => rules.start(request.seed.unwrap_or(1)),
    };
    let mut look = board::board(rules.as_ref(), game.as_ref());
    look["contents"] = json!(board::contents(&game.contents()));
    look["position"] = json!(game.text());
    look["drawing"] = json!(game.draw());
    look["over"] = json!(game.status().over().map(|over| clean(&over.why)));
    Ok(look)
}

#[cfg(test)]
mod tests {
    use agon_games::lexicon::Lexicon;

    use super::*;

    #[test]
    fn the_size_of_a_board_is_known_before_it_is_made() {
        let lexicon = Some(Arc::new(Lexicon::parse(b"cat\n").unwrap()));
        let cells = |game: &str| cells(find(game, &Needs { lexicon: lexicon.clone() }).unwrap().as_ref());
        assert_eq!(cells("letters:64x64x64"), 262_144);
        assert_eq!(cells("mnk:20x20,5"), 400);
        assert!(GAMES.iter().all(|game| cells(game.name) <= MOST_CELLS), "games without options");
    }
}
