//! `agon position board`: writes a random board.

use std::path::PathBuf;
use std::process::ExitCode;

use agon_config::{GameArg, Misuse, Options, whole};
use agon_export::atomic;
use agon_printable::escape;
use agon_seats::Seat;
use agon_tournament::competition::settings;
use clap::Args;

use crate::cli::old_spellings::warn_of_flags;

/// Writes a random board in the form that engines read
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon position board
  agon position board letters:10x20x30,uniform --seed 7 --out board.txt")]
pub(crate) struct BoardArgs {
    /// The letter cube with its size, rows x columns x planes, and how the letters are drawn:
    /// letters:6x6x3,scrabble or letters:uniform [default: letters]
    #[arg(value_name = "GAME")]
    game: Option<String>,

    /// The old spelling of letters:SIZE
    #[arg(long, value_name = "SIZE", hide = true)]
    size: Option<String>,

    /// The old spelling of letters:HOW
    #[arg(long, value_name = "HOW", hide = true)]
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
        let game = self.game.map(GameArg);
        if let Some(other) = game.as_ref().filter(|game| game.parts().0 != "letters") {
            return Err(Misuse::hinted(
                format!("{}: only the letter cube draws its board", escape(other.0.as_bytes(), 60)),
                "write letters:6x6x3, or agon position show for the start of another game",
            ));
        }
        let options = Options { game, size: self.size, letters: self.letters, ..Options::default() };
        warn_of_flags(&options);
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
