//! The legal moves with their values, where these are known soon.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use agon_games::{Game, Rules};
use agon_match::referee::solved_tables::tables;
use agon_protocol::without_side;
use agon_solved::{Extent, Solver, SolverSettings, Valuation};
use serde_json::{Value, json};

use super::Output;
use super::arrival::processor_time;
use super::desk::Budgets;
use super::requests::PendingRequest;
use crate::choices;

/// The most positions that a search for the value of one move looks at.
const POSITIONS: u64 = 200_000;
/// The most moves whose points are tried.
const MOST_TRIED: usize = 500;
/// With more legal moves no values are searched for.
const MOST_MOVES: usize = 30;

/// What is said where a better move may be among those of unknown value.
const NOT_ALL_KNOWN: &str = "Some values were not found, so the best move is not known.";

/// Whether values are being computed: once at a time, because it takes a processor for seconds.
static IS_COMPUTING: AtomicBool = AtomicBool::new(false);

/// The legal moves where no value is known, for this reason: those that make the most points come
/// first. There is a best one if not all make as many.
fn by_points(rules: &dyn Rules, game: &dyn Game, why: &str) -> Value {
    let mut ranked = choices::with_points(rules, game, MOST_TRIED);
    ranked.sort_by_key(|(_, points)| std::cmp::Reverse(*points));
    let most = ranked.first().map_or(0, |(_, points)| *points);
    let has_best = ranked.iter().any(|(_, points)| *points != most);
    let moves: Vec<Value> = ranked
        .iter()
        .map(|(text, points)| match has_best {
            true => json!({ "move": without_side(text), "value": points_of(*points) }),
            false => json!({ "move": without_side(text) }),
        })
        .collect();
    let best =
        if has_best { "The best one is by its points." } else { "No move makes more points than another." };
    json!({ "moves": moves, "has_best": has_best, "why": format!("{why} {best}") })
}

/// What a move leads to for the side that makes it: 1 for a win, 0 for a draw, -1 for a loss.
fn sign_of(value: agon_solved::Value) -> i8 {
    match value {
        agon_solved::Value::Won => 1,
        agon_solved::Value::Drawn => 0,
        agon_solved::Value::Lost => -1,
    }
}

fn points_of(points: i32) -> String {
    format!("{points} {}", if points == 1 { "point" } else { "points" })
}

/// Answers with the values of the legal moves, best first, from a thread of its own. What that
/// takes is charged to the client.
pub(super) fn answer(
    asked: &PendingRequest,
    rules: &dyn Rules,
    game: &dyn Game,
    output: Arc<Output>,
    budgets: Arc<Budgets>,
) {
    let (number, client, position) = (asked.number, asked.client.clone(), game.text());
    let solver = Solver::new(
        rules,
        SolverSettings {
            directory: tables(),
            threads: NonZeroUsize::MIN,
            tell: None,
            most_positions: Some(POSITIONS),
            ..SolverSettings::default()
        },
    );
    let has_table = solver.path().is_some_and(|path| path.is_file());
    let why = match solver.extent() {
        Extent::Nothing => Some("Nothing of this game is solved."),
        Extent::Endgames if !has_table => {
            Some("The values of this game are not on this machine; agon solve makes them.")
        }
        Extent::Search if game.moves().len() > MOST_MOVES => {
            Some("There are too many moves here to search for their values.")
        }
        _ if budgets.wait(&client, Instant::now()).is_some() => {
            Some("Much was computed for you just now; ask again later.")
        }
        _ if IS_COMPUTING.swap(true, Ordering::Relaxed) => {
            Some("Other values are being computed; ask again.")
        }
        _ => None,
    };
    if let Some(why) = why {
        return output.answer(number, 200, &by_points(rules, game, why));
    }
    let otherwise = by_points(rules, game, "No value of a move was found.");
    let work = move || {
        let ranked = solver.follow(&position).map(|mut followed| followed.ranked());
        budgets.charge(&client, processor_time(), Instant::now());
        IS_COMPUTING.store(false, Ordering::Relaxed);
        let value = |valuation: Valuation| valuation.known().map(|solution| solution.to_string());
        // What the page marks on the board.
        let sign = |valuation: Valuation| valuation.known().map(|solution| sign_of(solution.value));
        let ranked = ranked.unwrap_or_default();
        let moves: Vec<Value> = ranked
            .iter()
            .map(|one| {
                json!({ "move": without_side(&one.text), "value": value(one.valuation), "sign": sign(one.valuation) })
            })
            .collect();
        // A move of unknown value may be better than all but a win.
        let are_known = ranked.iter().all(|one| one.valuation.known().is_some());
        let best = ranked.first().and_then(|best| best.valuation.known());
        let answer = match best {
            None => otherwise,
            Some(best) => match are_known || best.value == agon_solved::Value::Won {
                true => json!({ "moves": moves, "has_best": true }),
                false => json!({ "moves": moves, "has_best": false, "why": NOT_ALL_KNOWN }),
            },
        };
        output.answer(number, 200, &answer);
    };
    if std::thread::Builder::new().spawn(work).is_err() {
        IS_COMPUTING.store(false, Ordering::Relaxed); // the page asks again
    }
}
