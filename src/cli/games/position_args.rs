//! A position on the command line: a game, the text of a position, moves.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agon_config::{Misuse, Options, whole};
use agon_games::{Game, Rules, Stuck, with_side};
use agon_match::hosted::GameRules;
use agon_tournament::competition::settings;
use agon_tournament::run::shell_path;
use clap::Args;

use crate::cli::old_spellings::warn_of_flags;

/// A game and one of its positions.
#[derive(Args, Debug)]
pub(crate) struct PositionArgs {
    /// The game and its options: mill, mnk:15x15,5; agon rules lists them
    game: String,

    /// The position, as one line [default: the start]
    #[arg(long, value_name = "TEXT")]
    position: Option<String>,

    /// Moves from there, with blanks between them, with or without their side letters
    #[arg(long, value_name = "MOVES")]
    moves: Option<String>,

    /// The seed of the start position, for games that draw it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>, allow_negative_numbers = true)]
    seed: u64,

    /// The old spelling of dictionary=FILE
    #[arg(long, value_name = "FILE", hide = true)]
    dictionary: Option<PathBuf>,

    /// The old spelling of board=FILE
    #[arg(long, value_name = "FILE", hide = true)]
    board: Option<PathBuf>,
}

impl PositionArgs {
    /// The game's rules.
    pub(crate) fn rules(&self) -> anyhow::Result<Arc<dyn Rules>> {
        let mut options = Options {
            game: Some(self.game.as_str().into()),
            dictionary: self.dictionary.clone(),
            board: self.board.clone(),
            ..Options::default()
        };
        warn_of_flags(&options);
        options.take_files_of_game(Path::new(""))?;
        match settings::rules(&options)? {
            GameRules::BuiltIn(rules) => Ok(rules),
            GameRules::Hosted(hosted) => Err(Misuse::hinted(
                format!("{}: the positions of this game are known to its referee program alone", self.game),
                format!(
                    "agon rules {} shows its rules; agon replay shows the moves of recorded games",
                    shell_path(Path::new(&hosted.argument()))
                ),
            )),
        }
    }

    /// The text of the position, and the moves from there with their sides.
    pub(crate) fn played(&self, rules: &dyn Rules) -> anyhow::Result<(String, Vec<String>)> {
        let mut game = self.start(rules)?;
        let start = game.text();
        let mut played = Vec::new();
        for (number, text) in (1..).zip(self.moves.iter().flat_map(|moves| moves.split_whitespace())) {
            let line = with_side(text, rules.seats(), game.to_move());
            let stuck = |refusal| Stuck { number, text: text.to_owned(), refusal };
            let done = game.play(line.as_bytes()).map_err(stuck);
            played.push(done.map_err(|stuck| Misuse::misread("--moves", &stuck.to_string()))?.text);
        }
        Ok((start, played))
    }

    /// The position, without the moves.
    fn start(&self, rules: &dyn Rules) -> anyhow::Result<Box<dyn Game>> {
        match self.position.as_deref() {
            None | Some("startpos") => Ok(rules.start(self.seed)),
            Some(text) => rules.resume(text).map_err(|refusal| {
                let mut why = refusal.to_string();
                if !why.contains("; ") {
                    let name = rules.spec().split(':').next().unwrap_or_default().to_owned();
                    why.push_str(&format!("; agon rules {name} shows how a position is written"));
                }
                Misuse::misread("--position", &why)
            }),
        }
    }

    /// The position, and its drawing before the last move.
    pub(crate) fn reach(&self, rules: &dyn Rules) -> anyhow::Result<(Box<dyn Game>, Option<String>)> {
        let mut game = self.start(rules)?;
        let moves: Vec<&str> = self.moves.iter().flat_map(|moves| moves.split_whitespace()).collect();
        let Some((_, all_but_last)) = moves.split_last() else { return Ok((game, None)) };
        // Played twice from there, so that the error names the right move.
        let mut earlier = match self.position.as_deref() {
            None | Some("startpos") => rules.start(self.seed),
            Some(_) => rules.resume(&game.text()).expect("a position's text reads back"),
        };
        agon_games::play_all(game.as_mut(), rules.seats(), moves.iter().copied())
            .map_err(|stuck| Misuse::misread("--moves", &stuck.to_string()))?;
        agon_games::play_all(earlier.as_mut(), rules.seats(), all_but_last.iter().copied())
            .expect("they have been played once");
        Ok((game, Some(earlier.draw())))
    }
}
