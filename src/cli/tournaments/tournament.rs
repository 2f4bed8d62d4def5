//! `agon tournament`: all engines of a folder against each other, or a cup.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use agon_candidates::asked::{AskedCandidates, WantedCandidates};
use agon_config::candidates::CandidatesFile;
use agon_config::{Misuse, Options, Part, whole};
use agon_match::keeper::RunContext;
use agon_printable::clean;
use agon_standings::sprt::Sprt;
use agon_store::Consent;
use agon_tournament::competition::terminal_sink::{Teller, TerminalSink};
use agon_tournament::competition::tournament::{AskedTournament, Prelude, Tournament};
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
  agon tournament engines/ --candidate ada  is the new version of ada better than its last one?

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

    /// Plays the new version of this engine alone: until SPRT decides whether it is better than the
    /// last version that has played here, then against the nearest five of the others for its
    /// rating. Exit code 10: it is better; 11: it is not; 12: open
    #[arg(long, value_name = "NAME")]
    pub(crate) candidate: Option<String>,

    #[command(flatten)]
    pub(crate) of_candidates: CandidateFlags,

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

/// How candidates are tested and rated.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct CandidateFlags {
    /// The test of a candidate between two Elo differences, as that of agon match: 0,10 or
    /// 0,10,alpha=0.05,beta=0.05,normalized,games [default: 0,50]
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true, hide_short_help = true)]
    sprt: Option<Sprt>,

    /// The most games of the test of a candidate [default: 1000]
    #[arg(long, value_name = "N", value_parser = whole::<u32>, allow_negative_numbers = true, hide_short_help = true)]
    candidate_games: Option<u32>,

    /// The error bar in Elo at which the rating of a candidate is narrow enough, by its own games
    /// [default: 40]
    #[arg(long, value_name = "ELO", allow_negative_numbers = true, hide_short_help = true)]
    rating_bar: Option<f64>,

    /// The most games for the rating of a candidate [default: 400]
    #[arg(long, value_name = "N", value_parser = whole::<u32>, allow_negative_numbers = true, hide_short_help = true)]
    rating_games: Option<u32>,
}

impl CandidateFlags {
    /// What was asked for of these candidates, over what the file says.
    ///
    /// # Errors
    /// A number is out of range. Or there is a flag, and no candidate is `wanted`.
    pub(crate) fn asked(
        self,
        wanted: Option<(WantedCandidates, String)>,
        file: Option<CandidatesFile>,
        hint: &str,
    ) -> anyhow::Result<Option<Box<dyn Prelude>>> {
        let CandidateFlags { sprt, candidate_games, rating_bar, rating_games } = self;
        let Some((wanted, place)) = wanted else {
            let flags = [
                ("--sprt", sprt.is_some()),
                ("--candidate-games", candidate_games.is_some()),
                ("--rating-bar", rating_bar.is_some()),
                ("--rating-games", rating_games.is_some()),
            ];
            return match flags.iter().find(|(_, is_given)| *is_given) {
                Some((flag, _)) => Err(Misuse::hinted(format!("{flag} is for candidates"), hint)),
                None => Ok(None),
            };
        };
        let flags = CandidatesFile {
            test: sprt,
            games: candidate_games,
            bar: rating_bar,
            rating_games,
            ..CandidatesFile::default()
        };
        let terms = flags.over(file.unwrap_or_default()).terms()?;
        Ok(Some(Box::new(AskedCandidates { wanted, terms, place })))
    }
}

impl TournamentArgs {
    pub(crate) fn run(self, context: &RunContext) -> anyhow::Result<ExitCode> {
        if let (Some(name), Some(question)) = (&self.candidate, self.options.until) {
            return Err(Misuse::hinted(
                format!("--until {question}: a candidate is tested and rated, and nothing else is played"),
                format!("leave --until and its --at-most out, or --candidate {}", clean(name)),
            ));
        }
        let asked = AskedTournament::read(&self.folder, Options::clone(&self.options))?;
        let mut sink = TerminalSink::new(Teller::stderr(self.quiet), &asked.options);
        let wanted =
            self.candidate.clone().map(|name| (WantedCandidates::One(name), "--candidate".to_owned()));
        let hint = "name one, as in --candidate ada; two programs are tested by agon match A B --sprt";
        let prelude = self.of_candidates.asked(wanted, asked.candidates.clone(), hint)?;
        let tournament = Tournament { prelude, ..self.tournament(asked) };
        Ok(tournament.play(context, &mut sink)?.into())
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
            prelude: None,
        }
    }
}
