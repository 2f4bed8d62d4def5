//! `--as-engine` of `agon position show` and `agon replay`: how an engine is started, and the lines
//! over its pipes.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use agon_config::{Misuse, Options};
use agon_games::Rules;
use agon_match::openings;
use agon_match::processes::{GameTerms, Limits, Scratch};
use agon_match::referee::{self, Seating, ShownEngine, ShownLine};
use agon_programs::spec::EngineSpec;
use agon_sandbox::orphans::MARK;
use agon_seats::{PerSeat, SearchLimits, Seat, TimeControl};
use agon_tournament::competition::settings;
use agon_tournament::entrants;
use agon_tournament::run::shell_word;
use anyhow::Context;
use clap::Args;

use crate::cli::out;

/// The engine whose conversation is shown.
#[derive(Args, Debug)]
pub(crate) struct AsEngineOption {
    /// Shows instead the command of an engine, and the lines on its pipes when these moves are
    /// played. The engine itself is not started
    #[arg(long, value_name = "ENGINE", num_args = 0..=1, default_missing_value = "./engine")]
    as_engine: Option<PathBuf>,

    /// The side of that engine [default: each]
    #[arg(long, value_name = "SIDE", requires = "as_engine")]
    side: Option<String>,

    /// Prints only the bytes that the engine reads up to here, to be piped into it by hand
    #[arg(long, requires_all = ["as_engine", "side"])]
    input: bool,
}

impl AsEngineOption {
    /// The engine, if it was asked for.
    pub(crate) fn engine(&self) -> Option<&Path> {
        self.as_engine.as_deref()
    }

    /// Shows how an engine is started on each side for a game that begins at this position. Also
    /// shows its conversation when these moves are played. A side without a time control has the
    /// usual one.
    pub(crate) fn show(
        &self,
        engine: &Path,
        rules: &dyn Rules,
        start: &str,
        moves: &[String],
        control: impl Fn(&str) -> Option<TimeControl>,
    ) -> anyhow::Result<ExitCode> {
        let engine = match entrants::is_by_hash(engine) {
            true => entrants::found(engine)?,
            // It need not be there: it is not started.
            false => EngineSpec::at(engine).map_err(|why| Misuse::misread("--as-engine", &why))?,
        }
        .in_game(&rules.spec());
        let seats = match &self.side {
            Some(side) => vec![settings::side(side, rules.seats())?],
            None => (0..rules.seats().len()).map(Seat::new).collect(),
        };
        let place = tempfile::tempdir().context("cannot make a directory for the engine")?;
        let scratch = Scratch::create(&place.path().join("engine"))?;
        let options = Options::default();
        let usual = options.time_control()?;
        let number = rules.seats().len();
        let mut text = String::new();
        for seat in seats {
            let terms = GameTerms {
                margin: Duration::ZERO,
                bank: Duration::ZERO,
                startup: Duration::ZERO,
                search: SearchLimits::default(),
                confinement: options.confinement()?,
            };
            let seating = Seating {
                rules,
                engines: PerSeat::from_fn(number, |other| (other == seat).then_some(&engine)),
                controls: PerSeat::from_fn(number, |other| {
                    control(rules.seats()[other.index()]).unwrap_or(usual)
                }),
                limits: Limits::new(terms, None),
                scratch: &scratch,
                opening: openings::no_moves(start, rules),
                seed: 0,
            };
            let game = rules.resume(start).map_err(io::Error::other)?;
            let shown = referee::shown(&seating, seat, game, moves)
                .map_err(|error| Misuse::error(error.to_string()))?;
            if self.input {
                crate::cli::out_bytes(&shown.input)?;
                return Ok(ExitCode::SUCCESS);
            }
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&conversation(rules.seats()[seat.index()], &shown));
        }
        out(&text)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// An engine's start and its conversation as text.
fn conversation(side: &str, shown: &ShownEngine) -> String {
    let command: Vec<String> = shown.command.iter().map(|word| shell_word(Path::new(word))).collect();
    let mut text = format!("{side} is started as\n    {}\n", command.join(" "));
    let files = shown.files.join(", ");
    let place = if shown.directory == "DIR" { "DIR, a directory of its own" } else { &shown.directory };
    text.push_str(&format!("in {place}. The files of the game in DIR are {files}.\nIts environment is\n"));
    for variable in &shown.environment {
        text.push_str(&format!("    {variable}\n"));
    }
    text.push_str(&format!("    {MARK}=..., a mark of agon\n"));
    text.push_str(if shown.lines.is_empty() {
        "It is started when its first turn comes, in the position of that time.\n"
    } else {
        "It reads (<) and writes (>)\n"
    });
    for line in &shown.lines {
        match line {
            ShownLine::Read(line) => text.push_str(&format!("    < {line}\n")),
            ShownLine::Written(line) => text.push_str(&format!("    > {line}\n")),
            ShownLine::End => text.push_str("    (end of input)\n"),
        }
    }
    text
}
