//! What a part of a stage or of a Swiss plays: its share of the games that are known by the results
//! in its directory. The next games are known when the parts are merged.

use std::path::Path;

use agon_audit::missing::MissingGames;
use agon_config::{Misuse, Part};
use agon_programs::program::display_path;
use agon_store::{Drawn, Store, draws_rounds};
use anyhow::Context;

/// What brings the games of the other parts into the directory of a part.
fn hint(root: &Path) -> String {
    let place = display_path(root);
    format!(
        "put the parts together with agon merge ALL PARTS, bring that here with agon merge {place} ALL, and give \
         the same command again"
    )
}

/// Refuses a part that has played its share of a round, and is asked for the next one before the
/// games of the other parts are in its directory. `root` is the directory that was asked for, and
/// `path` that of the stage.
///
/// # Errors
/// [`Misuse`], or errors of the database.
pub(crate) fn refuse_unknown(root: &Path, path: &Path, part: Part) -> anyhow::Result<()> {
    if !Store::is_in(path) || Store::seed_in(path)?.is_none() {
        return Ok(());
    }
    let store = Store::read(path)?;
    // A merge forgets the part: it brings games, and perhaps a round.
    if !store.parts_here()?.contains(&part) {
        return Ok(());
    }
    let stage = store.stage()?;
    let has_rounds = stage.as_ref().is_none_or(|(spec, _)| draws_rounds(spec.format));
    let missing = MissingGames::of(path, None)?.counts().1;
    if !has_rounds || missing == 0 || !store.status(stage.as_ref())?.is_over {
        return Ok(());
    }
    let run = store.runs()?.pop().context("a part has a run")?;
    let round = run.drawn.as_ref().and_then(Drawn::last_round).unwrap_or(1);
    Err(Misuse::hinted(
        format!(
            "{}: {part} has played its games of round {round}, and the next round is not known: {missing} games of \
             the other parts are not here",
            display_path(path)
        ),
        hint(root),
    ))
}

/// The refusal of a stage after one that is not over in the directory of a part.
pub fn not_over(root: &Path, stage: &str, part: Part) -> anyhow::Error {
    Misuse::hinted(format!("{stage} is not over in the directory of {part}"), hint(root))
}

/// What is said when a part has played its share.
pub(crate) fn said_at_the_end(part: Part) -> String {
    format!("{part} is finished; agon merge puts the parts together, and then it is known what follows")
}
