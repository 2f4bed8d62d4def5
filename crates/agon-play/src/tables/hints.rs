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

/// The most positions that a search for the value of one move looks at.
const POSITIONS: u64 = 200_000;
/// With more legal moves no values are searched for.
const MOST_MOVES: usize = 30;

/// Whether values are being computed: once at a time, because it takes a processor for seconds.
static IS_COMPUTING: AtomicBool = AtomicBool::new(false);

/// Answers with the values of the legal moves, best first, from a thread of its own. What that
/// takes is charged to the client.
pub(super) fn answer(
    asked: &PendingRequest,
    rules: &dyn Rules,
    game: &dyn Game,
    output: Arc<Output>,
    budgets: Arc<Budgets>,
) {
    let (number, client, position, moves) = (asked.number, asked.client.clone(), game.text(), game.moves());
    let without = |why: &str| {
        let moves: Vec<Value> = moves.iter().map(|mv| json!({ "move": without_side(mv) })).collect();
        json!({ "moves": moves, "why": why })
    };
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
        Extent::Search if moves.len() > MOST_MOVES => {
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
        return output.answer(number, 200, &without(why));
    }
    let work = move || {
        let ranked = solver.follow(&position).map(|mut followed| followed.ranked());
        budgets.charge(&client, processor_time(), Instant::now());
        IS_COMPUTING.store(false, Ordering::Relaxed);
        let moves: Vec<Value> = match &ranked {
            Ok(ranked) => {
                let value = |valuation: Valuation| match valuation {
                    Valuation::Known(solution) => json!(solution.to_string()),
                    Valuation::Unknown { .. } => Value::Null,
                };
                let one = |one: &agon_solved::RankedMove| json!({ "move": without_side(&one.text), "value": value(one.valuation) });
                ranked.iter().map(one).collect()
            }
            Err(_) => Vec::new(),
        };
        output.answer(number, 200, &json!({ "moves": moves }));
    };
    if std::thread::Builder::new().spawn(work).is_err() {
        IS_COMPUTING.store(false, Ordering::Relaxed); // the page asks again
    }
}
