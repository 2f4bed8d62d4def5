//! `agon tournament`: all engines of a folder against each other, or a cup.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use agon_config::{Options, Part, whole};
use agon_match::keeper::RunContext;
use agon_store::Consent;
use agon_tournament::competition::terminal_sink::{Teller, TerminalSink};
use agon_tournament::competition::tournament::{AskedTournament, Tournament};
use clap::Args;

use crate::cli::options::OptionFlags;

/// Plays a round robin of all engines in a folder
///
/// Each executable file in the folder and each subfolder with an engine.toml is an engine. Every
/// engine meets every other one, sides swapped on the same boards, in the rounds of the Berger
/// tables. agon stores each result at once in agon.db, in the directory of --out. It makes files
/// from it: standings.csv, crosstable.csv, games.csv, games/, logs/ and, for games lost by a fault,
/// evidence/.
///
/// The same command again continues a stopped run, and plays what more games, new engines and new
/// versions of engines need. If another change would make finished games history, agon asks first;
/// a script is refused without --again.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon tournament engines/
  agon tournament engines/ --games 2 --st 0.5 --game letters:4x4x2 --seed 7 --out results
  agon tournament class.toml --quiet        options and the folder of engines from a file
  agon tournament class.toml --dry-run      checks everything and plays nothing
  agon tournament cup.toml --stage 2        the second of its [[stages]], when the first is over
  agon tournament league.toml --next        the next night of its [league]
  agon tournament engines/ --events - | jq  one line of JSON for each thing that happens

A tournament.toml holds the options under their own names (games = 4, st = 0.5, size = \"4x4x2\") and the key \
engines for the folder. A tournament.toml in the folder itself is read too. Flags override the file.")]
pub(crate) struct TournamentArgs {
    /// The folder of engines, or a tournament.toml that names one
    #[arg(value_name = "FOLDER|FILE.toml")]
    pub(crate) folder: PathBuf,

    #[command(flatten)]
    pub(crate) options: OptionFlags,

    /// Makes games in the directory history that do not fit these engines and options, without a
    /// question. They count again when the change is undone
    #[arg(long)]
    again: bool,

    /// Plays only this stage of a tournament in stages; the stages before it must be over
    #[arg(long, value_name = "N", value_parser = whole::<usize>, allow_negative_numbers = true, hide_short_help = true)]
    stage: Option<usize>,

    /// Begins the next night of a league, if the last one is over
    #[arg(long, hide_short_help = true)]
    next: bool,

    /// Plays only one of N parts of the games, for several machines; agon merge puts the parts
    /// together. All parts need the same engines, options and --seed
    #[arg(long, value_name = "K/N", allow_hyphen_values = true, hide_short_help = true)]
    part: Option<Part>,

    /// Does not try the engines before a tournament in stages, or new ones before a night
    #[arg(long, hide_short_help = true)]
    pub(crate) no_check: bool,

    /// The most seconds for the build of one engine
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = whole::<u32>, allow_negative_numbers = true, hide_short_help = true)]
    build_seconds: u32,

    /// Reads, builds, checks and tries everything, and plays and stores nothing; says how many
    /// games would be played and how many count already
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Shows only the standings at the end
    #[arg(long, short)]
    quiet: bool,
}

impl TournamentArgs {
    pub(crate) fn run(self, context: &RunContext) -> anyhow::Result<ExitCode> {
        let asked = AskedTournament::read(&self.folder, Options::clone(&self.options))?;
        let mut sink = TerminalSink::new(Teller::stderr(self.quiet), &asked.options);
        Ok(self.tournament(asked).play(context, &mut sink)?.into())
    }

    /// What was asked for, as the flags want it played.
    pub(crate) fn tournament(self, asked: AskedTournament) -> Tournament {
        Tournament {
            asked,
            consent: if self.again { Consent::Again } else { Consent::default() },
            only: self.stage,
            next: self.next,
            part: self.part,
            check: !self.no_check && !self.quiet,
            dry: self.dry_run,
            build_bound: Duration::from_secs(self.build_seconds.into()),
        }
    }
}
