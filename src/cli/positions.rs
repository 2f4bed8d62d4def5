//! `agon moves`, `agon show` and `agon perft`: the legal moves of a position, its drawing, and the
//! number of move sequences from it.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use agon_games::{PerSeat, Rules, Seat};
use agon_sandbox::orphans::MARK;
use anyhow::Context;
use clap::Args;

use super::position_args::PositionArgs;
use super::{out, settings};
use crate::clock::SearchLimits;
use crate::config::{Misuse, Options};
use crate::engine::spec::EngineSpec;
use crate::engine::{Limits, Scratch};
use crate::openings;
use crate::referee::{self, Seating, ShownEngine, ShownLine};
use crate::report::drawing;
use crate::report::terminal::TableLook;
use crate::run::shell_word;

/// Lists the legal moves of a position, one per line
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon moves mill
  agon moves abalone --moves 'i1g3-h2 a1c3-b2'
  agon moves morris --position 'XX.O.O.......... x 4 4'")]
pub(super) struct MovesArgs {
    #[command(flatten)]
    position: PositionArgs,
}

impl MovesArgs {
    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        let rules = self.position.rules()?;
        let (game, _) = self.position.reach(rules.as_ref())?;
        let list: String = game.moves().iter().map(|mv| format!("{mv}\n")).collect();
        std::io::stdout().write_all(list.as_bytes()).context("cannot write the moves")?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Draws a position, with the side to move, the scores and its one-line text
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon show abalone
  agon show mill --moves '32 32 14'
  agon show letters:4x4x2 --seed 7
  agon show mnk --as-engine --moves 'b2 a1' --side X
  agon show abalone --as-engine ./mine")]
pub(super) struct ShowArgs {
    #[command(flatten)]
    position: PositionArgs,

    /// Shows instead the command of an engine, and the lines on its pipes when these moves are played.
    /// The engine itself is not started
    #[arg(long, value_name = "ENGINE", num_args = 0..=1, default_missing_value = "./engine")]
    as_engine: Option<PathBuf>,

    /// The side of that engine [default: each]
    #[arg(long, value_name = "SIDE", requires = "as_engine")]
    side: Option<String>,
}

impl ShowArgs {
    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        let rules = self.position.rules()?;
        if let Some(engine) = &self.as_engine {
            return self.conversations(engine, rules.as_ref());
        }
        let (game, before) = self.position.reach(rules.as_ref())?;
        let look = TableLook::of(&std::io::stdout());
        let shown = drawing::position(game.as_ref(), rules.as_ref(), before.as_deref(), look);
        std::io::stdout().write_all(shown.as_bytes()).context("cannot write the position")?;
        Ok(ExitCode::SUCCESS)
    }
}

impl ShowArgs {
    /// Shows how an engine is started on each side, and its conversation.
    fn conversations(&self, engine: &Path, rules: &dyn Rules) -> anyhow::Result<ExitCode> {
        let engine = EngineSpec::at(engine).map_err(|why| Misuse::misread("--as-engine", &why))?;
        let (start, moves) = self.position.played(rules)?;
        let seats = match &self.side {
            Some(side) => vec![settings::side(side, rules)?],
            None => (0..rules.seats().len()).map(Seat::new).collect(),
        };
        let place = tempfile::tempdir().context("cannot make a directory for the engine")?;
        let scratch = Scratch::create(&place.path().join("engine"))?;
        let options = Options::default();
        let control = options.time_control()?;
        let number = rules.seats().len();
        let mut text = String::new();
        for seat in seats {
            let seating = Seating {
                rules,
                engines: PerSeat::from_fn(number, |other| (other == seat).then_some(&engine)),
                controls: PerSeat::from_fn(number, |_| control),
                limits: Limits {
                    startup: Duration::ZERO,
                    margin: Duration::ZERO,
                    stop: None,
                    confinement: options.confinement()?,
                    search: SearchLimits::default(),
                    traffic: None,
                    waiting: None,
                    pauses: None,
                    core: None,
                    again: false,
                },
                scratch: &scratch,
                opening: openings::no_moves(&start, rules),
            };
            let game = rules.resume(&start).map_err(io::Error::other)?;
            let shown = referee::shown(&seating, seat, game, &moves)
                .map_err(|error| Misuse::error(error.to_string()))?;
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

/// Counts the legal move sequences of exactly DEPTH plies
///
/// A sequence whose last move ends the game counts; a game that ended earlier adds nothing. The
/// number goes to standard output, the time it took to standard error.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon perft abalone 4
  agon perft morris:nine 3 --divide
  agon perft mnk:3x3,3 5 --moves 'b2 a1'")]
pub(super) struct PerftArgs {
    #[command(flatten)]
    position: PositionArgs,

    /// The number of plies
    #[arg(value_parser = clap::value_parser!(u32).range(0..=99))]
    depth: u32,

    /// Also shows the number of sequences after each first move
    #[arg(long)]
    divide: bool,
}

impl PerftArgs {
    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        let rules = self.position.rules()?;
        let (mut game, _) = self.position.reach(rules.as_ref())?;
        let start = Instant::now();
        let (mut out, total) = if self.divide && self.depth > 0 {
            let parts = game.divide(self.depth);
            let lines: String = parts.iter().map(|(mv, number)| format!("{mv}: {number}\n")).collect();
            (lines, parts.iter().map(|(_, number)| number).sum())
        } else {
            (String::new(), game.perft(self.depth))
        };
        let time = start.elapsed().as_secs_f64();
        out.push_str(&format!("{total}\n"));
        std::io::stdout().write_all(out.as_bytes()).context("cannot write the numbers")?;
        super::say(&format!(
            "{} depth {}: {time:.3} s, {:.1} million a second",
            rules.spec(),
            self.depth,
            total as f64 / time.max(1e-9) / 1e6
        ));
        Ok(ExitCode::SUCCESS)
    }
}
