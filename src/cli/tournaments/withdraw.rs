//! `agon withdraw`: an engine leaves a run, and the run goes on without it.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::SystemTime;

use agon_config::Misuse;
use agon_printable::{clean, quoted};
use agon_programs::program::display_path;
use agon_store::lock::Lock;
use agon_store::{EngineRounds, Store, StoredWithdrawal};
use agon_tournament::competition::looked::LookedRun;
use agon_tournament::competition::withdrawing::{self, ReplacingRule};
use clap::Args;

use super::decide::{changes, done, later_parts};
use super::noted;
use crate::cli::out;
use crate::cli::stage_option::StageOption;

/// Lets an engine leave a run, which goes on without it
///
/// The games of all others stay as they are. The program may be gone from the folder. What the
/// engine has not played is lost by forfeit, and won by forfeit by its opponents; a Swiss does not
/// pair it any more, and in a knockout its opponent goes on. It is ranked behind all others of its
/// group, and a league has no later night with it. With --rule expunge, none of its games count;
/// that is for round robins and gauntlets.
///
/// undo takes it back, as long as nothing has followed from it. Without an engine, all withdrawals
/// are listed.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon withdraw results mine --why 'its author asked for it'
  agon withdraw results mine --from 'round 3' --why 'its licence ends'
  agon withdraw cup mine --rule 'replaced by other' --why 'its licence ends'
  agon withdraw cup mine --rule expunge --why 'it was a copy of another'
  agon withdraw results mine undo --why 'its author is back'
  agon withdraw results                   lists the withdrawals")]
pub(crate) struct WithdrawArgs {
    /// The directory of the run, of a cup or of a league
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    /// The engine that leaves
    #[arg(value_name = "ENGINE")]
    engine: Option<String>,

    /// undo, to take its withdrawal back
    #[arg(value_name = "undo", requires = "engine")]
    what: Option<String>,

    /// The first round that it does not play, such as 3 or 'round 3' [default: now]
    #[arg(long, value_name = "ROUND", requires = "engine")]
    from: Option<String>,

    /// forfeit: what it has played counts, and the rest is lost. expunge: none of its games count.
    /// 'replaced by NAME': NAME plays the rest in its place [default: forfeit]
    #[arg(long, value_name = "RULE", requires = "engine")]
    rule: Option<String>,

    /// The reason, which is shown with it
    #[arg(long, value_name = "TEXT")]
    why: Option<String>,

    /// Does it also if the stage is over, or if games depend on it
    #[arg(long)]
    yes: bool,

    #[command(flatten)]
    of: StageOption,
}

impl WithdrawArgs {
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        let mut runs = self.of.decided_runs(&self.directory)?;
        let Some(engine) = &self.engine else { return list(&runs) };
        // The others are over.
        let run = runs.pop().expect("a directory has at least one run, or the option was refused");
        if !Store::is_in(&run.path) && !Store::below(&run.path).is_empty() {
            return Err(Misuse::hinted(
                format!("{}: it holds several runs", display_path(&run.path)),
                "give the directory of one of them",
            ));
        }
        if self.what.as_deref() == Some("undo") {
            refuse_elsewhere(engine, &run, &runs)?;
        }
        let made = self.made(engine, &Store::read(&run.path)?, &run)?;
        let later = later_parts(&run)?;
        // Nothing in its own night follows from a withdrawal before it.
        let is_before = made.from == 0;
        if !is_before {
            withdrawing::refuse_late(&Store::read(&run.path)?, &run, !later.is_empty())?;
        }
        let _lock = Lock::take(&run.path)?;
        let mut store = Store::open(&run.path)?;
        let found = store.withdraw(&made, false)?;
        if made.rule.is_none() && !is_before && (found.history > 0 || found.was_over) {
            return Err(Misuse::hinted(
                format!(
                    "{} cannot come back: the run is over, or games were played because it had withdrawn",
                    clean(engine)
                ),
                "it can be entered in the next tournament",
            ));
        }
        let text = format!("{}: {}\n{}", made.words(), made.why, changes(&found, &later));
        if !is_before && (found.was_over || found.history > 0) && !self.yes {
            out(&text)?;
            return Err(Misuse::hinted(
                "nothing was changed: the stage is over, or games depend on it",
                "read what follows from it, then give --yes too",
            ));
        }
        store.withdraw(&made, true)?;
        drop(store);
        done(&run, 0, &text)
    }

    /// What is asked for.
    fn made(&self, engine: &str, store: &Store, looked: &LookedRun) -> anyhow::Result<StoredWithdrawal> {
        let place = display_path(&looked.path);
        let Some(run) = store.runs()?.pop() else {
            return Err(Misuse::hinted(
                format!("{place}: no run has begun in it"),
                "take the engine out of the folder of engines",
            ));
        };
        let rule = self.rule()?;
        let withdrawn = store.withdrawn()?;
        let there = withdrawn.of_engine(engine);
        let left_before = rule.is_none() && there.is_some();
        let rounds = store.rounds_of(engine)?.or_else(|| left_before.then(EngineRounds::default));
        let Some(rounds) = rounds else {
            let names: Vec<String> = run.players.iter().map(|player| clean(&player.name)).collect();
            return Err(Misuse::hinted(
                format!("{place}: there is no engine {}", quoted(engine)),
                format!("there are {}", names.join(", ")),
            ));
        };
        let why = noted::reason(self.why.as_deref(), "give the reason of the withdrawal, with --why TEXT")?;
        let decided = SystemTime::now().into();
        match (there, rule) {
            (Some(there), Some(_)) => Err(Misuse::hinted(
                format!(
                    "{} has withdrawn already: {}: {}",
                    clean(engine),
                    clean(&there.words()),
                    clean(&there.why)
                ),
                "take it back first, with agon withdraw DIR ENGINE undo --why TEXT",
            )),
            (None, None) => Err(Misuse::hinted(
                format!("{} has not withdrawn, so nothing can be taken back", clean(engine)),
                "agon withdraw DIR lists the withdrawals",
            )),
            (Some(there), None) => {
                if let Some(by) =
                    there.by.as_ref().filter(|by| store.entrants().is_ok_and(|all| all.contains(by)))
                {
                    return Err(Misuse::hinted(
                        format!(
                            "{} cannot come back: {} plays in its place already",
                            clean(engine),
                            clean(by)
                        ),
                        "it can be entered in the next tournament",
                    ));
                }
                Ok(StoredWithdrawal { rule: None, by: None, why, decided, ..there.clone() })
            }
            (None, Some(rule)) => {
                withdrawing::made(store, engine, &rounds, (self.from.as_deref(), rule), &why)
            }
        }
    }

    /// The rule; `None` takes it back.
    fn rule(&self) -> anyhow::Result<Option<ReplacingRule>> {
        match self.what.as_deref() {
            Some("undo") if self.rule.is_some() || self.from.is_some() => Err(Misuse::hinted(
                "undo takes back what was noted, and has no --rule and no --from",
                "leave them out",
            )),
            Some("undo") => Ok(None),
            Some(other) => Err(Misuse::hinted(
                format!("{} behind the engine has no meaning", quoted(other)),
                "write undo, or give --rule",
            )),
            None => withdrawing::rule(self.rule.as_deref()).map(Some),
        }
    }
}

/// Refuses to take back what another stage or night has noted.
fn refuse_elsewhere(engine: &str, run: &LookedRun, earlier: &[LookedRun]) -> anyhow::Result<()> {
    let notes = |run: &LookedRun| -> anyhow::Result<bool> {
        Ok(Store::is_in(&run.path) && Store::read(&run.path)?.withdrawn()?.of_engine(engine).is_some())
    };
    if notes(run)? {
        return Ok(());
    }
    for run in earlier.iter().rev() {
        if let (true, Some(number)) = (notes(run)?, run.number) {
            return Err(Misuse::hinted(
                format!("{}: that {} has withdrawn is noted there", display_path(&run.path), clean(engine)),
                format!("give --stage {number}"),
            ));
        }
    }
    Ok(())
}

/// The withdrawals of the runs, a line each.
fn list(runs: &[LookedRun]) -> anyhow::Result<ExitCode> {
    noted::list(runs, "nobody has withdrawn", |store| {
        let line = |made: StoredWithdrawal| {
            let at = made.decided.format("%Y-%m-%d %H:%M");
            format!("{at}  {}: {}", clean(&made.words()), clean(&made.why))
        };
        Ok(store.withdrawals()?.into_iter().map(line).collect())
    })
}
