//! A few moves with every engine before a cup or a grading, as in `agon check`: engines that cannot
//! play are known before the first game.

use agon_match::keeper::{Interrupted, RunContext};
use agon_match::processes::Scratch;
use agon_match::schedule::{self, Then};
use agon_printable::{clean, counted};
use agon_programs::spec::EngineSpec;
use agon_seats::Seat;
use agon_standings::result::Cause;
use anyhow::Context;

use crate::entrants;
use crate::estimate::TriedPace;
use crate::run::Run;
use agon_trial::check::{self, CheckFinding, CheckStopped, CheckTrial, board_file, spoken};
use agon_trial::handshakes;

/// How many moves an engine makes as each side.
const MOVES: usize = 3;
/// How often an engine that failed on every side is tried again.
const AGAIN: u64 = 1;

/// The result of trying an engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TryoutVerdict {
    /// It plays.
    Plays,
    /// Something is wrong with it, but it has played, or might on a faster machine.
    Doubtful(String),
    /// Nobody knows: its trial was void each time. Where nothing but the trial decides, it does not
    /// pass.
    Untried(String),
    /// It has lost by a fault on every side on which it was to move, each time, and not because it
    /// was slow.
    Cannot {
        /// The first fault.
        why: String,
        /// What it wrote to stderr in that game.
        stderr: Vec<u8>,
    },
}

/// What is said before so many engines are tried.
pub fn announced(engines: usize) -> String {
    format!("trying {} ...", counted(engines, "engine"))
}

/// Tries the engines of a run, several at once, each on every side against random legal moves,
/// confined as in its games. Returns a verdict for each, in their order.
///
/// # Errors
/// agon's own: it cannot make a directory or start a thread. Or the user has stopped it.
pub fn all(run: &Run, context: &RunContext) -> anyhow::Result<Vec<TryoutVerdict>> {
    Ok(timed(run, context)?.into_iter().map(|(verdict, _)| verdict).collect())
}

/// The names of the engines that cannot play, of these with their verdicts.
pub fn who_cannot(engines: &[EngineSpec], verdicts: &[TryoutVerdict]) -> Vec<String> {
    let cannot = |(_, verdict): &(_, &TryoutVerdict)| matches!(verdict, TryoutVerdict::Cannot { .. });
    engines.iter().zip(verdicts).filter(cannot).map(|(engine, _)| clean(&engine.name)).collect()
}

/// As [`all`], with how fast each engine was.
///
/// # Errors
/// As [`all`].
pub fn timed(run: &Run, context: &RunContext) -> anyhow::Result<Vec<(TryoutVerdict, TriedPace)>> {
    let scratch = Scratch::create(&context.scratch).context("cannot make a directory for the engines")?;
    // On threads of their own: children of the main thread are ended as orphans.
    let tried = schedule::all(run.entrants.len(), run.concurrency, |number| {
        let mut pace = TriedPace::default();
        let verdict = one(run, &run.entrants[number], &scratch, context, &mut pace);
        let then = if verdict.is_ok() { Then::GoOn } else { Then::Stop };
        (verdict.map(|verdict| (verdict, pace)), then)
    })
    .context(schedule::NO_THREAD)?;
    // A worker stops only at an error, so one that was left undone has an error beside it.
    let verdicts = tried.into_iter().flatten().collect::<Result<Vec<_>, _>>();
    verdicts.map_err(|stopped| match stopped {
        CheckStopped::Stopped => Interrupted.into(),
        CheckStopped::Broken(error) => anyhow::Error::new(error).context("cannot try the engines"),
    })
}

fn one(
    run: &Run,
    engine: &EngineSpec,
    scratch: &Scratch,
    context: &RunContext,
    pace: &mut TriedPace,
) -> Result<TryoutVerdict, CheckStopped> {
    let ready = entrants::fill_in_arguments(run, engine, scratch).and_then(|()| {
        handshakes::refusal(&entrants::handshake_terms(run, engine, scratch, context), engine)
    });
    let cannot = |why: String| Ok(TryoutVerdict::Cannot { why, stderr: Vec::new() });
    match ready {
        Ok(Some(refusal)) if !refusal.is_silence => return cannot(refusal.misuse.what),
        Ok(_) => {}
        Err(why) if why.is::<Interrupted>() => return Err(CheckStopped::Stopped),
        Err(why) => return cannot(why.to_string()),
    }
    let (mut first, mut void) = (None, None);
    'trial: for again in 0..=AGAIN {
        let (mut failed, mut asked) = (0, 0);
        let seats = run.rules.seats().len();
        for seat in (0..seats).map(Seat::new) {
            let trial = CheckTrial {
                rules: &run.rules,
                engine,
                control: run.control_of(engine),
                limits: run.limits(context),
                scratch,
                seed: run.seed.wrapping_add(again),
                openings: &run.openings,
                opening: 1,
                moves: MOVES,
            };
            let finding = match check::check(&trial, seat) {
                Ok(CheckFinding { unjudged: Some(why), .. }) => {
                    void = Some(why);
                    continue 'trial;
                }
                Ok(finding) => finding,
                Err(CheckStopped::Stopped) => return Err(CheckStopped::Stopped),
                Err(CheckStopped::Broken(error)) => {
                    void = Some(error.to_string());
                    continue 'trial;
                }
            };
            pace.add(TriedPace {
                moves: u32::try_from(finding.moves).unwrap_or(u32::MAX),
                thinking: finding.thinking,
                games: 1,
                startup: finding.startup,
            });
            failed += usize::from(is_broken(&finding));
            // On a small board the opponent may end the game before it is asked.
            asked += usize::from(finding.fault.is_some() || finding.moves > 0);
            // Once is enough, and every trial of an engine that is not heard takes its time.
            if first.is_none()
                && let Some(misuse) = spoken::spoken(&trial, &finding)?
            {
                return Ok(TryoutVerdict::Cannot { why: spoken::words(misuse), stderr: finding.stderr });
            }
            let hint = match first {
                None => board_file::advice(&trial, seat, &finding)?,
                Some(_) => None,
            };
            let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
            let side = finding.side;
            let wrong = finding.wrong.into_iter().next().map(|why| format!("as {side}: {why}{hint}"));
            first = first.or(wrong.map(|why| (why, finding.stderr)));
        }
        void = None;
        if failed < asked || asked == 0 {
            break;
        }
        if again == AGAIN {
            let (why, stderr) = first.unwrap_or_default();
            return Ok(TryoutVerdict::Cannot { why, stderr });
        }
    }
    if let Some(why) = void {
        return Ok(TryoutVerdict::Untried(format!("it could not be tried: {why}")));
    }
    Ok(first.map_or(TryoutVerdict::Plays, |(why, _)| TryoutVerdict::Doubtful(why)))
}

/// Whether a game was lost by a fault that a faster machine would not prevent.
fn is_broken(finding: &CheckFinding) -> bool {
    finding.fault.is_some_and(|cause| !matches!(cause, Cause::TimeForfeit | Cause::StdinBlocked))
}
