//! `agon position moves`, `agon position show` and `agon position perft`: the legal moves of a
//! position, its drawing, and the number of move sequences from it.

use std::process::ExitCode;
use std::time::Instant;

use agon_pages::report::drawing;
use agon_pages::report::terminal::TableLook;
use clap::Args;

use crate::cli::games::as_engine::AsEngineOption;
use crate::cli::games::position_args::PositionArgs;

/// Lists the legal moves of a position, one per line
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon position moves mill
  agon position moves abalone --moves 'i1g3-h2 a1c3-b2'
  agon position moves morris --position 'XX.O.O.......... x 4 4'")]
pub(crate) struct MovesArgs {
    #[command(flatten)]
    position: PositionArgs,
}

impl MovesArgs {
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        let rules = self.position.rules()?;
        let (game, _) = self.position.reach(rules.as_ref())?;
        let list: String = game.moves().iter().map(|mv| format!("{mv}\n")).collect();
        crate::cli::out_bytes(list.as_bytes())?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Draws a position, with the side to move, the scores and its one-line text
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon position show abalone
  agon position show mill --moves '32 32 14'
  agon position show letters:4x4x2 --seed 7
  agon position show mnk --as-engine --moves 'b2 a1' --side X
  agon position show abalone --as-engine ./mine
  agon position show mnk --as-engine ./mine --side O --moves b2 --input | ./mine/run O 3 3 3 5")]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    position: PositionArgs,

    #[command(flatten)]
    of: AsEngineOption,
}

impl ShowArgs {
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        let rules = self.position.rules()?;
        if let Some(engine) = self.of.engine() {
            let (start, moves) = self.position.played(rules.as_ref())?;
            return self.of.show(engine, rules.as_ref(), &start, &moves, |_| None);
        }
        let (game, before) = self.position.reach(rules.as_ref())?;
        let look = TableLook::of(&std::io::stdout());
        let mut shown = drawing::position(game.as_ref(), rules.as_ref(), before.as_deref(), look);
        if let Some(tier) = game.tier() {
            // The text of the position stays the last line.
            let text = shown.len() - game.text().len() - 1;
            shown.insert_str(text, &format!("tier {tier}\n"));
        }
        crate::cli::out_bytes(shown.as_bytes())?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Counts the legal move sequences of exactly DEPTH plies
///
/// A sequence whose last move ends the game counts; a game that ended earlier adds nothing. The
/// number goes to standard output, the time it took to standard error.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon position perft abalone 4
  agon position perft morris:nine 3 --divide
  agon position perft mnk:3x3,3 5 --moves 'b2 a1'")]
pub(crate) struct PerftArgs {
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
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
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
        crate::cli::out_bytes(out.as_bytes())?;
        crate::cli::say(&format!(
            "{} depth {}: {time:.3} s, {:.1} million a second",
            rules.spec(),
            self.depth,
            total as f64 / time.max(1e-9) / 1e6
        ));
        Ok(ExitCode::SUCCESS)
    }
}
