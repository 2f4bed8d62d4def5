//! `agon new-game`: makes the folder of a game with a referee program that works, for its author to
//! go on from.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use agon_config::Misuse;
use agon_programs::program::display_path;
use anyhow::Context;
use clap::Args;

use crate::cli::first_steps::new_folder::make_empty;
use crate::cli::out;

/// The files of the folder. The name of the game stands where they say `@NAME@`.
const FILES: [(&str, &str); 6] = [
    ("referee.py", include_str!("../../../starters/referee/referee.py")),
    ("game.toml", include_str!("../../../starters/referee/game.toml")),
    ("engines/sample/sample.py", include_str!("../../../starters/referee/engines/sample/sample.py")),
    ("engines/sample/engine.toml", include_str!("../../../starters/referee/engines/sample/engine.toml")),
    ("test.sh", include_str!("../../../starters/referee/test.sh")),
    ("README.md", include_str!("../../../starters/referee/README.md")),
];

/// Makes a folder with a game of your own to begin with
///
/// It has a referee program in Python that works.
///
/// The folder gets the referee, its game.toml, a sample engine, a README.md and a test.sh, which
/// plays games with both.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon new-game my-game
  agon new-game referees/nim")]
pub(crate) struct NewGameArgs {
    /// The folder to make; if it exists, it must be empty. The game gets its name
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

impl NewGameArgs {
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        let place = display_path(&self.directory);
        let name = self.name();
        if agon_games::entry(&name).is_ok() {
            return Err(Misuse::hinted(
                format!("{place}: {name} is a built-in game; nothing was written"),
                "choose another name for the folder",
            ));
        }
        make_empty(&self.directory)?;
        for (file, text) in FILES {
            let path = self.directory.join(file);
            let written = path
                .parent()
                .map_or(Ok(()), fs::create_dir_all)
                .and_then(|()| fs::write(&path, text.replace("@NAME@", &name)));
            written.with_context(|| format!("cannot write {}", display_path(&path)))?;
        }
        let shown = if self.directory.is_absolute() { place.clone() } else { format!("./{place}") };
        out(&format!(
            "{place} has the game {name}: its rules are in play() of referee.py\n  agon check-referee {place}\n  \
             agon match {place}/engines/sample {place}/engines/sample --game {shown}\n"
        ))?;
        Ok(ExitCode::SUCCESS)
    }

    /// The name of the game: that of the folder, as far as a name can have its letters.
    fn name(&self) -> String {
        let last = std::path::absolute(&self.directory).ok();
        let last = last.as_deref().and_then(|path| path.file_name()).unwrap_or_default();
        let letters = last.to_string_lossy().to_lowercase();
        let kept: String = letters
            .chars()
            .map(|letter| if matches!(letter, '_' | ' ' | '.') { '-' } else { letter })
            .filter(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || *letter == '-')
            .take(40)
            .collect();
        if kept.is_empty() { "my-game".to_owned() } else { kept }
    }
}
