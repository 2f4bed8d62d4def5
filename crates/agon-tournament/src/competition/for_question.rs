//! A run for a question: whether the directory has such a run, and its games.

use std::path::Path;
use std::sync::Arc;

use agon_config::Misuse;
use agon_config::asked_question::{self, AskedQuestion};
use agon_export::question_cost::FieldCost;
use agon_match::chosen_pairs::PairFeed;
use agon_programs::program::display_path;
use agon_store::Store;
use agon_store::until::{self, GAMES_OF_A_PAIRING, StoredQuestion, UntilSpec};

use super::run_dir::RunDir;
use super::session::{RunWatch, Session};
use crate::run::{Done, Run};

/// What the run in a directory is played for. The lag is that with which it began.
///
/// # Errors
/// [`Misuse`]: the question does not fit the engines, or the games in the directory were not chosen
/// for it.
pub(crate) fn spec_in(
    path: &Path,
    asked: Option<AskedQuestion>,
    run: &Run,
) -> anyhow::Result<Option<UntilSpec>> {
    asked.map_or(Ok(()), |asked| asked_question::fits(asked, run.entrants.len()))?;
    let has_run = Store::is_in(path) && Store::seed_in(path)?.is_some();
    let store = if has_run { Some(Store::read(path)?) } else { None };
    let mut stored = store.as_ref().map(Store::until).transpose()?;
    // A match may have been played in the directory since then.
    if let (Some(AskedQuestion { question, .. }), Some(None), Some(store)) = (asked, &stored, &store) {
        stored = Some(store.until_before(question)?);
    }
    let place = display_path(path);
    let other = "or choose another directory with --out";
    match (asked, stored) {
        (None, None | Some(None)) => Ok(None),
        (None, Some(Some(UntilSpec { question, most, .. }))) => Err(Misuse::hinted(
            format!("{place}: its games were chosen for --until {question}"),
            format!("add --until {question} --at-most {most}, {other}"),
        )),
        (Some(AskedQuestion { question, .. }), Some(None)) => Err(Misuse::hinted(
            format!("{place}: its games were not chosen for a question, and --until {question} is one"),
            format!("leave --until out, {other}"),
        )),
        (Some(AskedQuestion { question, .. }), Some(Some(before))) if before.question != question => {
            Err(Misuse::hinted(
                format!("{place}: its games were chosen for --until {}, not {question}", before.question),
                format!("give --until {}, {other}", before.question),
            ))
        }
        (Some(AskedQuestion { question, most }), stored) => {
            let lag = stored.flatten().map(|before| before.lag);
            // Two pairs for each game that is played at the same time.
            let usual = u32::try_from(2 * run.concurrency).unwrap_or(u32::MAX);
            Ok(Some(UntilSpec { question, most, lag: lag.unwrap_or(usual) }))
        }
    }
}

/// Plays pairs until the question is settled or there were enough games, and says how far it is.
///
/// # Errors
/// As those of [`Session::play`].
pub fn play(
    session: &mut Session<'_>,
    run: &Run,
    directory: &mut RunDir,
    spec: UntilSpec,
) -> anyhow::Result<Done> {
    let chosen = directory.chosen.take().expect("a run for a question has chosen its pairs");
    // A run that was closed has no more games.
    let most = if directory.closing.is_some() { 0 } else { spec.most_pairs() };
    let feed = Arc::new(PairFeed::new(chosen.plan, chosen.games, most));
    let found = if session.is_dry() { directory.store.question()? } else { None };
    match found.filter(|found| found.stand.pairs > 0) {
        Some(found) if found.stand.is_settled => {
            session.plan_line(&format!("{}; no game is left to play", until::words(&found)))?;
        }
        found => {
            let what = format!("until {} is settled, at most: ", spec.question);
            session.announce(&what, run, spec.most, run.seed, directory)?;
            if session.is_dry() {
                foresee(session, run, directory, (spec, found))?;
            }
        }
    }
    let watch = RunWatch {
        progress: Some(GAMES_OF_A_PAIRING),
        pairs: Some((spec, feed.clone())),
        ..RunWatch::default()
    };
    session.play(run, Some(directory), feed.games(), spec.most, watch)
}

/// Says in a dry run how far the question is, and what it is likely to cost.
fn foresee(
    session: &Session<'_>,
    run: &Run,
    directory: &RunDir,
    (spec, found): (UntilSpec, Option<StoredQuestion>),
) -> anyhow::Result<()> {
    if let Some(found) = found {
        session.plan_line(&until::words(&found))?;
    }
    let names: Vec<String> = run.entrants.iter().map(|engine| engine.name.clone()).collect();
    let asked = AskedQuestion { question: spec.question, most: spec.most };
    session.plan_line(&FieldCost::of(asked, &names, Some(&directory.store))?.words())
}

/// Says how far the question is settled after the games of a run.
///
/// # Errors
/// Errors of the database.
pub fn tell(session: &mut Session<'_>, directory: &RunDir, done: &Done) -> anyhow::Result<()> {
    let Some(found) = directory.store.question()?.filter(|_| !session.is_dry()) else { return Ok(()) };
    let words = until::words_at_the_end(&found, directory.store.withdrawn()?.closed());
    session.sink().answer(&words)?;
    // Where games stayed void, that is why it is open, and it has a code of its own.
    if !found.stand.is_settled && !done.stopped && done.void.is_empty() {
        session.leave_open();
    }
    Ok(())
}
