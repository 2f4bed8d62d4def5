//! `agon close`: a run ends before all of its games were played.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::SystemTime;

use agon_config::Misuse;
use agon_printable::{clean, quoted};
use agon_programs::program::display_path;
use agon_standings::scoring::Scoring;
use agon_standings::stage::Format;
use agon_standings::withdrawals::{Closing, ClosingRule};
use agon_store::lock::Lock;
use agon_store::until::StoredQuestion;
use agon_store::{Store, StoredClosing};
use agon_tournament::competition::looked::LookedRun;
use clap::Args;

use super::decide::{changes, done, later_parts};
use super::noted;
use crate::cli::stage_option::StageOption;

/// Ends a run, stage or night before all of its games were played
///
/// drawn: what was not played is drawn. void: it counts for nobody. A Swiss pairs no later round.
/// The next agon tournament goes on with the next stage or night. undo takes it back, as long as
/// none has begun. Without a word, it is shown whether the run is closed.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon close results drawn --why 'the machine is gone'
  agon close cup void --why 'the room closes at ten'
  agon close results undo --why 'there is time on Sunday'
  agon close results                      shows whether it is closed")]
pub(crate) struct CloseArgs {
    /// The directory of the run, of a cup or of a league
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    /// drawn, void or undo
    #[arg(value_name = "WHAT")]
    what: Option<String>,

    /// The reason, which is shown with it
    #[arg(long, value_name = "TEXT", requires = "what")]
    why: Option<String>,

    #[command(flatten)]
    of: StageOption,
}

impl CloseArgs {
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        let mut runs = self.of.decided_runs(&self.directory)?;
        let Some(what) = &self.what else { return list(&runs) };
        // The others are over.
        let run = runs.pop().expect("a directory has at least one run, or the option was refused");
        let made = self.made(what, &run)?;
        let later = later_parts(&run)?;
        if !later.is_empty() {
            return Err(Misuse::hinted(
                format!("{}: later stages or nights have begun", display_path(&run.path)),
                "agon decide changes the result of a game",
            ));
        }
        let _lock = Lock::take(&run.path)?;
        let mut store = Store::open(&run.path)?;
        let found = store.close(&made, false)?;
        store.close(&made, true)?;
        drop(store);
        done(&run, 0, &format!("{}: {}\n{}", made.words(), made.why, changes(&found, &later)))
    }

    /// What is asked for.
    fn made(&self, what: &str, looked: &LookedRun) -> anyhow::Result<StoredClosing> {
        let place = display_path(&looked.path);
        if !Store::is_in(&looked.path) && !Store::below(&looked.path).is_empty() {
            let what = format!("{place}: it holds several runs");
            return Err(Misuse::hinted(what, "give the directory of one of them"));
        }
        let store = Store::read(&looked.path)?;
        let rest = match what {
            "drawn" => Some(ClosingRule::Drawn),
            "void" => Some(ClosingRule::Void),
            "undo" => None,
            _ => {
                return Err(Misuse::hinted(
                    format!("{} does not close a run", quoted(what)),
                    "write drawn, void or undo",
                ));
            }
        };
        let why = noted::reason(self.why.as_deref(), "give the reason, with --why TEXT")?;
        let Some(run) = store.runs()?.pop() else {
            return Err(Misuse::hinted(
                format!("{place}: no run has begun in it"),
                "there is nothing to close",
            ));
        };
        let withdrawn = store.withdrawn()?;
        match (withdrawn.closed(), rest) {
            (Some(there), Some(_)) => {
                return Err(Misuse::hinted(
                    format!("{place}: it is {}: {}", there.words(), clean(&there.why)),
                    "take it back first, with agon close DIR undo --why TEXT",
                ));
            }
            (None, None) => {
                return Err(Misuse::hinted(
                    format!("{place}: it is not closed, so nothing can be taken back"),
                    "agon close DIR shows it",
                ));
            }
            (Some(_), None) | (None, Some(_)) => {}
        }
        let format = store.stage()?.map(|(spec, _)| spec.format);
        if matches!(format, Some(Format::Knockout { .. })) {
            return Err(Misuse::hinted(
                format!("{place}: a knockout needs a winner of each match"),
                "agon withdraw lets an engine leave, and agon decide gives a game another result",
            ));
        }
        let question = store.question()?;
        if format.is_none() && run.drawn.is_some() && question.is_none() {
            return Err(Misuse::hinted(
                "a match and a Swiss by tables are not closed",
                "stop it; what was played is kept",
            ));
        }
        refuse_drawn(question.as_ref(), rest, &place)?;
        let is_summed = store.tables()?.seats > 2 || run.points == Scoring::Sum;
        if rest == Some(ClosingRule::Drawn) && is_summed || !store.parts_here()?.is_empty() {
            return Err(Misuse::hinted(
                "games of more than two seats, of summed scores and of parts of a run are not drawn",
                "leave out what was not played, with void, where the parts are merged",
            ));
        }
        let (last, missing) = store.rest()?;
        // A question that is open may always have more games.
        let is_open = question.is_some_and(|found| !found.stand.is_settled);
        if rest.is_some() && !is_open && (store.is_over()? || format.is_none() && missing == 0) {
            return Err(Misuse::hinted(format!("{place}: no game is missing"), "there is nothing to close"));
        }
        let closing = rest.map(|rest| Closing { rest, last });
        Ok(StoredClosing { closing, why, decided: SystemTime::now().into() })
    }
}

/// Refuses draws that nobody played where a question is to be answered.
fn refuse_drawn(
    question: Option<&StoredQuestion>,
    rest: Option<ClosingRule>,
    place: &str,
) -> anyhow::Result<()> {
    let (Some(found), Some(ClosingRule::Drawn)) = (question, rest) else { return Ok(()) };
    Err(Misuse::hinted(
        format!(
            "{place}: it is played for {}, and a draw that nobody played is no answer",
            found.spec.question
        ),
        "write void: it ends here, and what is open stays open",
    ))
}

/// Whether the runs are closed, with what was taken back, a line each.
fn list(runs: &[LookedRun]) -> anyhow::Result<ExitCode> {
    noted::list(runs, "no run was closed", |store| {
        let line = |made: StoredClosing| {
            let at = made.decided.format("%Y-%m-%d %H:%M");
            format!("{at}  {}: {}", made.words(), clean(&made.why))
        };
        Ok(store.closings()?.into_iter().map(line).collect())
    })
}
