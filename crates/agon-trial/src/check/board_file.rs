//! Whether an engine takes the board on its stdin for moves, because it reads the file `board`. The
//! assignment of the letter cube wants such programs.

use agon_programs::spec::{BoardTold, EngineSpec};

use super::{CheckFinding, CheckStopped, CheckTrial, play_once};
use agon_seats::Seat;

/// What to write into its file.
const WORDS: &str = "\
It plays when its stdin has the moves of its opponent alone: it reads the board from the file board. Write board = \
\"file\" in its engine.toml; a program without one goes into a folder with it";

/// Plays the game again with the board in the file alone, if the engine has lost it and speaks
/// lines. Says what to write if that is well.
///
/// # Errors
/// [`CheckStopped::Stopped`].
pub fn advice(
    trial: &CheckTrial<'_>,
    seat: Seat,
    finding: &CheckFinding,
) -> Result<Option<String>, CheckStopped> {
    let reads_file = EngineSpec { board: BoardTold::File, ..trial.engine.clone() };
    let may_be = finding.fault.is_some()
        && trial.engine.board == BoardTold::Stdin
        && trial.rules.built_in().is_some()
        && reads_file.finds_board().is_ok();
    if !may_be {
        return Ok(None);
    }
    match play_once(&CheckTrial { engine: &reads_file, ..trial.clone() }, seat) {
        Ok(again) if again.wrong.is_empty() && again.unjudged.is_none() && again.moves > finding.moves => {
            Ok(Some(WORDS.to_owned()))
        }
        Err(CheckStopped::Stopped) => Err(CheckStopped::Stopped),
        // It has another fault, or the machine has spoilt the game.
        Ok(_) | Err(CheckStopped::Broken(_)) => Ok(None),
    }
}
