//! The rounds of `agon parallel`: where games follow from results, the parts are played and merged
//! until the last stage is over.

use std::path::Path;
use std::process::ExitCode;

use agon_audit::missing::MissingGames;
use agon_config::CommandExit;
use agon_config::stages::CupFile;
use agon_printable::{are, counted};
use agon_programs::program::display_path;
use agon_store::Store;
use agon_tournament::competition::stages;
use agon_tournament::machines::{ParallelCommand, PartRound};
use agon_tournament::run::shell_path;
use anyhow::Context;

use crate::cli::machines::holes::PartedRun;
use crate::cli::say;

/// How far what is merged has come.
struct MergedSoFar {
    /// The games that count.
    games: u64,
    /// The known games that are missing.
    missing: u64,
    /// Whether every stage is over.
    is_over: bool,
}

impl MergedSoFar {
    fn of(cup: &CupFile, root: &Path) -> anyhow::Result<Self> {
        let mut found = MergedSoFar { games: 0, missing: 0, is_over: true };
        for path in stages::directories(cup, root) {
            if !Store::is_in(&path) {
                found.is_over = false;
                continue;
            }
            let store = Store::read(&path)?;
            found.games += store.counts()?.0;
            found.missing += MissingGames::of(&path, None)?.counts().1;
            found.is_over &= store.is_over()?;
        }
        Ok(found)
    }
}

/// The round that is played next: the last one for which something was merged before.
pub(super) fn next(folder: &Path) -> u32 {
    (2..).take_while(|number| folder.join(PartRound::known(*number)).is_dir()).last().unwrap_or(1)
}

/// Plays the rounds that are left. `call` calls GNU parallel, and says whether all parts have ended
/// well.
///
/// # Errors
/// A part was left out, or errors of a database.
pub(super) fn play(
    mut command: ParallelCommand<'_>,
    parted: &PartedRun,
    tournament: &Path,
    call: impl Fn(&[String]) -> anyhow::Result<bool>,
) -> anyhow::Result<ExitCode> {
    let cup = parted.rounds.as_ref().context("its games do not follow from results")?;
    let mut number = next(command.out);
    loop {
        command.round = Some(of(number, &command, parted)?);
        let ended_well = call(&command.words())?;
        parted.merge_parts(command.parts)?;
        let now = MergedSoFar::of(cup, &parted.whole())?;
        if now.is_over {
            parted.write_files(tournament)?;
            return Ok(ExitCode::SUCCESS);
        }
        let before = MergedSoFar::of(cup, &command.out.join(PartRound::known(number)))?.games;
        if !ended_well || now.games == before {
            let missing = match now.missing {
                0 => String::new(),
                games => format!("; {} {} missing", counted(games, "game"), are(games)),
            };
            say(&format!("error: not all parts have played their share of round {number}{missing}"));
            say("hint: call the same command again; it plays the parts that have not ended well");
            return Ok(CommandExit::Failed.into());
        }
        number += 1;
        // Renamed into place: half of it is not what is known.
        let draft = command.out.join(format!("{}.new", PartRound::known(number)));
        parted.merge_into(&draft, &[parted.whole()])?;
        let known = command.out.join(PartRound::known(number));
        std::fs::rename(&draft, &known).with_context(|| format!("cannot write {}", display_path(&known)))?;
    }
}

/// A round with the options of its merges.
pub(super) fn of(
    number: u32,
    command: &ParallelCommand<'_>,
    parted: &PartedRun,
) -> anyhow::Result<PartRound> {
    let mut options = [String::new(), String::new()];
    let dictionary = parted.options.dictionary.clone();
    let game = parted.run.rules.hosted().map(|hosted| hosted.folder.referee.source.clone());
    for (flag, path) in [("--dictionary", dictionary), ("--game", game)] {
        let Some(path) = path else { continue };
        let path = path.canonicalize().with_context(|| format!("cannot find {}", display_path(&path)))?;
        let below = path.strip_prefix(command.base).unwrap_or(&path).to_owned();
        for (options, path) in options.iter_mut().zip([path, below]) {
            options.push_str(&format!(" {flag} {}", shell_path(&path)));
        }
    }
    Ok(PartRound { number, options })
}
