//! `agon position`: the commands that look at one position of a built-in game.

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::board::BoardArgs;
use super::notation::NotationArgs;
use super::positions::{MovesArgs, PerftArgs, ShowArgs};
use super::solved::ValueArgs;

/// Shows a position: its drawing, moves, value and numbers
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon position show mill --moves '32 32 14'
  agon position moves abalone
  agon help position perft")]
pub(crate) struct PositionCommandArgs {
    #[command(subcommand)]
    of: PositionCommand,
}

#[derive(Subcommand, Debug)]
enum PositionCommand {
    Show(ShowArgs),
    Moves(MovesArgs),
    Value(ValueArgs),
    Perft(PerftArgs),
    Notation(NotationArgs),
    Board(BoardArgs),
}

impl PositionCommandArgs {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self.of {
            PositionCommand::Show(asked) => asked.run(),
            PositionCommand::Moves(asked) => asked.run(),
            PositionCommand::Value(asked) => asked.run(),
            PositionCommand::Perft(asked) => asked.run(),
            PositionCommand::Notation(asked) => asked.run(),
            PositionCommand::Board(asked) => asked.run(),
        }
    }
}
