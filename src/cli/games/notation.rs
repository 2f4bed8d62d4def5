//! `agon position notation`: converts moves between two notations.

use std::process::ExitCode;

use agon_config::Misuse;
use agon_games::{Status, Stuck, with_side};
use agon_protocol::without_side;
use agon_seats::Refusal;
use clap::Args;

use crate::cli::games::position_args::PositionArgs;

/// Converts moves, played one after the other, between the notations of a game
///
/// A move of mill or of Six Men's Morris becomes its number in the contest's own programs, and with
/// --numbers the number becomes a move. A move of another game is written in its normal form, with
/// the ends of a broadside or of a word in their proper order.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon position notation mill 34                          prints 1027
  agon position notation mill --numbers 1027              prints 34
  agon position notation morris 7 3                       prints 1911 and 819
  agon position notation morris --numbers 594 --position 'XX.O.O.......... x 4 4'    prints 2r5
  agon position notation abalone c5c3-d6 --moves g3-f3    prints c3c5-d4")]
pub(crate) struct NotationArgs {
    #[command(flatten)]
    position: PositionArgs,

    /// The moves, with or without their side letters
    #[arg(required = true, value_name = "MOVE")]
    list: Vec<String>,

    /// The moves are given as numbers
    #[arg(long)]
    numbers: bool,
}

impl NotationArgs {
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        let rules = self.position.rules()?;
        let (mut game, _) = self.position.reach(rules.as_ref())?;
        let mut out = String::new();
        for (number, text) in (1..).zip(&self.list) {
            let wrong = |refusal| Misuse::error(Stuck { number, text: text.clone(), refusal }.to_string());
            let Status::ToMove(seat) = game.status() else {
                return Err(wrong(Refusal::illegal("the game is over")));
            };
            let line = if self.numbers {
                let number = text
                    .parse()
                    .map_err(|_| wrong(Refusal::unreadable("the number of a move is from 0 to 65535")))?;
                game.read_number(number).map_err(wrong)?
            } else {
                with_side(text, rules.seats(), seat)
            };
            let (normal, as_number) = game.read(line.as_bytes()).map_err(wrong)?;
            let bare = without_side(&normal);
            match as_number.filter(|_| !self.numbers) {
                Some(as_number) => out.push_str(&format!("{as_number}\n")),
                None => out.push_str(&format!("{bare}\n")),
            }
            game.play(normal.as_bytes()).expect("it has been read just now");
        }
        crate::cli::out_bytes(out.as_bytes())?;
        Ok(ExitCode::SUCCESS)
    }
}
