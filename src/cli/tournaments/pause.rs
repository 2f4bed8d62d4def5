//! `agon pause` and `agon resume`: hold a game while a trouble that is not the engines' is mended.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use agon_config::Misuse;
use agon_match::processes::pauses::{Pauses, PlayedNow};
use agon_programs::program::display_path;
use agon_standings::result::GameId;
use agon_tournament::competition::looked;
use anyhow::{Context, bail};
use clap::Args;

use crate::cli::out;

/// How long a game may take to begin its pause until the command goes on without it.
const ANSWER: Duration = Duration::from_secs(5);
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Pauses a game of a run, or all of them, from another shell
///
/// The run goes on. With all, no new game begins either, until agon resume DIR all, or until the
/// time of --grace-events is over.
///
/// For troubles that are not the engines': a lost network, a machine that must be started anew.
/// While the game is paused no clock runs, and its engines are stopped. It goes on with agon
/// resume, or when the time that --grace-events gives for each pause is over. The record of the
/// game says how long the pause was and why.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon pause results                                      lists the games that are played now
  agon pause results r01-p0003-g02 --why 'lab1 has no network'
  agon pause results all --why 'power cut'
  agon resume results all")]
pub(crate) struct PauseArgs {
    #[command(flatten)]
    games: GamesArgs,

    /// The reason, for the record of the game
    #[arg(long, value_name = "TEXT", default_value = "")]
    why: String,
}

/// Lets a paused game go on
///
/// The clock of the engine that is to answer runs again, and has as much time as when the pause
/// began.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon resume results r01-p0003-g02
  agon resume results all")]
pub(crate) struct ResumeArgs {
    #[command(flatten)]
    games: GamesArgs,
}

#[derive(Args, Debug)]
struct GamesArgs {
    /// The directory of the run, of a cup or of a league
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    /// The game, as events and agon games name it: r01-p0003-g02; all for all games that are
    /// played now. Without it, these games are listed
    #[arg(value_name = "GAME")]
    game: Option<WantedGame>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum WantedGame {
    All,
    One(GameId),
}

impl std::str::FromStr for WantedGame {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "all" { Ok(WantedGame::All) } else { text.parse().map(WantedGame::One) }
    }
}

impl PauseArgs {
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        let (pauses, played) = self.games.played_now()?;
        let Some(wanted) = self.games.chosen(&played)? else { return list(&pauses, &played) };
        if self.games.game == Some(WantedGame::All) {
            pauses.hold().context("cannot ask for the pause")?;
            out("no new game begins\n")?;
        }
        for game in &wanted {
            pauses.ask(game.game, &self.why).context("cannot ask for the pause")?;
        }
        let until = Instant::now() + ANSWER;
        for PlayedNow { game, .. } in wanted {
            out(&format!("{}\n", begun(&pauses, game, until)?))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Waits until the pause of a game has begun, and says so.
fn begun(pauses: &Pauses, game: GameId, until: Instant) -> anyhow::Result<String> {
    loop {
        match now(pauses)?.iter().find(|played| played.game == game) {
            Some(PlayedNow { paused: true, .. }) => return Ok(format!("{game} is paused")),
            None => return Ok(format!("{game} has ended meanwhile")),
            Some(_) if Instant::now() >= until => {
                return Ok(format!("{game} will be paused when it waits for an engine"));
            }
            Some(_) => std::thread::sleep(LOOK_EVERY),
        }
    }
}

impl ResumeArgs {
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        let (pauses, played) = self.games.played_now()?;
        let Some(wanted) = self.games.chosen(&played)? else { return list(&pauses, &played) };
        let all = self.games.game == Some(WantedGame::All);
        if all && pauses.let_begin().context("cannot end the pause")? {
            out("new games begin again\n")?;
        }
        for PlayedNow { game, asked, .. } in wanted {
            // The time for the pause may end it at the same moment.
            if asked && pauses.end(game).is_ok() {
                out(&format!("{game} goes on\n"))?;
            } else if !all {
                bail!("{game} is not paused");
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl GamesArgs {
    /// The games that are played in the directory now.
    fn played_now(&self) -> anyhow::Result<(Pauses, Vec<PlayedNow>)> {
        let pauses = Pauses::of_run(&looked::held_runs(&self.directory)?[0].0);
        if !pauses.are_allowed() {
            return Err(Misuse::hinted(
                format!("{}: its games cannot be paused", display_path(&self.directory)),
                "start the run with --grace-events SECONDS, the most that each pause may take",
            ));
        }
        let played = now(&pauses)?;
        Ok((pauses, played))
    }

    /// The games that are wanted; `None` for a list of all.
    fn chosen(&self, played: &[PlayedNow]) -> anyhow::Result<Option<Vec<PlayedNow>>> {
        match self.game {
            None => Ok(None),
            Some(WantedGame::All) => Ok(Some(played.to_vec())),
            Some(WantedGame::One(id)) => {
                let found: Vec<PlayedNow> = played.iter().filter(|one| one.game == id).cloned().collect();
                if found.is_empty() {
                    let names: Vec<String> = played.iter().map(|one| one.game.to_string()).collect();
                    return Err(Misuse::hinted(
                        format!("{id} is not played now"),
                        match names.is_empty() {
                            true => "no game is played now".to_owned(),
                            false => format!("give one of {}, or all", names.join(", ")),
                        },
                    ));
                }
                Ok(Some(found))
            }
        }
    }
}

fn now(pauses: &Pauses) -> anyhow::Result<Vec<PlayedNow>> {
    pauses.played_now().context("cannot read the games that are played now")
}

fn list(pauses: &Pauses, played: &[PlayedNow]) -> anyhow::Result<ExitCode> {
    if pauses.is_held() {
        out("no new game begins, until agon resume DIR all\n")?;
    }
    if played.is_empty() {
        out("no game is played now\n")?;
    }
    for PlayedNow { game, asked, paused } in played {
        let state = match (paused, asked) {
            (true, _) => "  paused",
            (false, true) => "  will be paused when it waits for an engine",
            (false, false) => "",
        };
        out(&format!("{game}{state}\n"))?;
    }
    Ok(ExitCode::SUCCESS)
}
