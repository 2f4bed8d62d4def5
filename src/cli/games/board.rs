//! `agon position board`: writes a random board.

use std::path::PathBuf;
use std::process::ExitCode;

use agon_config::{Options, whole};
use agon_export::atomic;
use agon_games::Seat;
use agon_tournament::competition::settings;
use clap::Args;

/// Writes a random board in the form that engines read
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon position board
  agon position board --size 10x20x30 --seed 7 --out board.txt")]
pub(crate) struct BoardArgs {
    /// The size, rows x columns x planes [default: 6x6x3]
    #[arg(long, value_name = "SIZE")]
    size: Option<String>,

    /// How the letters are drawn: scrabble or uniform [default: scrabble]
    #[arg(long, value_name = "HOW")]
    letters: Option<String>,

    /// The seed; the same seed gives the same board
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>, allow_negative_numbers = true)]
    seed: u64,

    /// The file to write, instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl BoardArgs {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let options = Options { size: self.size, letters: self.letters, ..Options::default() };
        let rules = settings::built_in(&options)?;
        let board = rules.start(self.seed).view(Seat::FIRST);
        match &self.out {
            Some(file) => {
                settings::writable(file)?;
                atomic::write(file, |to| Ok(to.write_all(board.as_bytes())?))?;
            }
            None => crate::cli::out_bytes(board.as_bytes())?,
        }
        Ok(ExitCode::SUCCESS)
    }
}
