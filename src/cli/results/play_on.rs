//! `agon replay --from`: plays a recorded game on from one of its positions, by engines.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use agon_config::{Misuse, Options, ScoreRules, Seconds};
use agon_games::{Game, Rules};
use agon_match::keeper::{Interrupted, RunContext};
use agon_match::processes::Scratch;
use agon_match::referee::{self, BuiltInStart, EnginePool, GameNews, GameOrder, GameStart};
use agon_match::schedule;
use agon_seats::PerSeat;
use agon_standings::result::GameId;
use agon_tournament::competition::settings;
use agon_tournament::entrants::{self, EngineBuilder, OnRefusal};
use anyhow::Context;

use crate::cli::first_steps::pairing;
use crate::cli::out;

/// Plays a game on from this position with one engine on both sides, or one on each, and shows
/// every move. `opening` leads to the position, if it is known. `plies` have been played before.
pub(crate) fn play_on(
    context: &RunContext,
    rules: &Arc<dyn Rules>,
    position: Box<dyn Game>,
    opening: Option<Vec<String>>,
    plies: usize,
    engines: &[PathBuf],
    seconds: Option<Seconds>,
) -> anyhow::Result<ExitCode> {
    if let Some(over) = position.status().over() {
        return Err(Misuse::hinted(
            format!("the game is over in this position: {}", over.why),
            "give fewer plies with --from",
        ));
    }
    let options = Options { st: seconds.into_iter().collect(), ..Options::default() };
    let builder = EngineBuilder { context, confinement: options.confinement()?, tell: &crate::cli::say };
    let (first, second) = match engines {
        [one] => (one, one),
        [first, second] => (first, second),
        _ => {
            return Err(Misuse::hinted(
                "--engine is given more than twice",
                "give one engine, or one for each side",
            ));
        }
    };
    let mut entrants = vec![entrants::one(first, &builder)?, entrants::one(second, &builder)?];
    pairing::tell_apart(&mut entrants);
    let run = settings::run(&options, rules.clone().into(), entrants, options.time_control()?)?;
    entrants::check(&run, context, OnRefusal::End)?;
    crate::cli::warn(&run);
    let scratch = Scratch::create(&context.scratch).context("cannot make a directory for the engines")?;
    let limits = run.limits(context);
    let id = GameId { round: 1, pairing: 1, game: 1 };
    let order = GameOrder {
        id,
        seed: run.seed,
        engines: PerSeat::two(&run.entrants[0], &run.entrants[1]),
        controls: PerSeat::two(run.control, run.control),
        lags: PerSeat::two(None, None),
        max_plies: None,
        limits: limits.clone(),
        scratch: &scratch,
    };
    out(&format!("from ply {plies}: {}\n", position.text()))?;
    let rules = rules.as_ref();
    let score_rules = ScoreRules::default();
    let start =
        GameStart::BuiltIn(BuiltInStart { rules, game: position, opening, adjudicator: None, score_rules });
    let mut number = plies;
    let mut show = |news: GameNews<'_>| {
        let GameNews::Moved(ply) = news else { return };
        number += 1;
        let _ = out(&format!("{}\n", pairing::line(id.game.into(), number, ply, &run))); // the result follows, or an error
    };
    let mut pool = EnginePool::new(limits);
    let played = schedule::aside(|| {
        let played = referee::play(&order, start, &mut pool, &mut show);
        pool.end();
        played
    })?;
    let report = played.map_err(|_| Interrupted)?;
    out(&format!("{}\n", pairing::result(&report, report.record.id.game.into(), run.points)))?;
    Ok(ExitCode::SUCCESS)
}
