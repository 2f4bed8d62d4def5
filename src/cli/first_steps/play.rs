//! `agon play`: a game of a person against an engine.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use agon_config::{CommandExit, Misuse};
use agon_export::replay::{self, Discrepancy};
use agon_games::{Game, Rules, Status};
use agon_match::hosted::{GameRules, HostedRules};
use agon_match::keeper::RunContext;
use agon_match::openings::{self, Opening};
use agon_match::processes::Scratch;
use agon_match::referee::GameOrder;
use agon_match::schedule;
use agon_play::play::{self, Play};
use agon_programs::program::display_path;
use agon_seats::{PerSeat, Seat};
use agon_solved::{Extent, Solver};
use agon_standings::pairings::board_seed;
use agon_standings::result::GameId;
use agon_tournament::competition::settings;
use agon_tournament::entrants::{self, EngineBuilder, OnRefusal};
use agon_tournament::run::Run;
use anyhow::Context;
use clap::{Args, ValueEnum};

use crate::cli::first_steps::handed_in;
use crate::cli::games::solved::solver;
use crate::cli::options;
use crate::cli::options::OptionFlags;
use crate::cli::results::replay::recorded;

/// Lets you play against an engine in the terminal
///
/// You type moves in the game's notation. A mistake is explained and costs nothing; moves can be
/// taken back. In the game of a referee program you type the answers of your seat. If the referee
/// lists the legal answers, others are not sent. Otherwise each line is sent, and a bad one can
/// lose the game. An answer that was sent cannot be taken back.
#[derive(Args, Debug)]
#[command(mut_args(options::of_single_games))]
#[command(after_help = "\
Examples:
  agon play ./mine --game mill
  agon play ./mine --game mnk:15x15,5 --side O --st 2
  agon play ./mine --game morris --hints value
  agon play ./mine --game ./kuhn --seats 3
  agon play ./mine --record agon-run --id r01-p0001-g01 --ply 12
  agon play ./mine --game morris --position \"X..O............ x 5 5\"")]
pub(crate) struct PlayArgs {
    /// The engine: an executable file, or a folder with an engine.toml; or a submission as of agon
    /// check, which plays at isolation sandbox
    engine: PathBuf,

    #[command(flatten)]
    options: OptionFlags,

    /// The side that you play, in the notation of the game [default: the first to move]
    #[arg(long, value_name = "SIDE")]
    side: Option<String>,

    /// The start position: its text, or moves from the usual start position
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["openings", "board"])]
    position: Option<String>,

    /// Continues a recorded game: a file, or the directory of a run, as agon replay reads it
    #[arg(long, value_name = "FILE|DIR", conflicts_with_all = ["position", "openings", "board"], hide_short_help = true)]
    record: Option<PathBuf>,

    /// The number of the game, if there are several
    #[arg(long, value_name = "ID", requires = "record", hide_short_help = true)]
    id: Option<GameId>,

    /// What moves lists beside the legal moves: their points, or their values in games that are
    /// solved
    #[arg(long, value_name = "WHAT", default_value = "points")]
    hints: Hints,

    /// Continues after this number of plies instead of at the end
    #[arg(long, value_name = "N", requires = "record", hide_short_help = true)]
    ply: Option<usize>,
}

/// What is shown beside the legal moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Hints {
    Points,
    Value,
}

/// The most positions that a search for the value of one move looks at: the person waits.
const POSITIONS: u64 = 1_000_000;

impl PlayArgs {
    pub(crate) fn run(mut self, context: &RunContext) -> anyhow::Result<ExitCode> {
        let options = &self.options;
        let ignored = [
            ("adjudicate", options.adjudicate.is_some_and(|plies| plies > 0)),
            ("resign-when", options.score_rules().resign.is_some()),
            ("draw-when", options.score_rules().draw.is_some()),
        ];
        if let Some((key, _)) = ignored.into_iter().find(|(_, is_given)| *is_given) {
            return Err(options.misuse(
                key,
                "",
                "is for games of engines; a person plays to the end; leave it out",
            ));
        }
        entrants::refuse_also(&self.options, "name the engine itself: agon play DIR/NAME@HASH")?;
        let handed_in = match handed_in::is_handed_in(&self.engine, false, &mut self.options) {
            true => Some(handed_in::engine(&self.engine, 1, &self.options, context)?),
            false => None,
        };
        let confinement = self.options.confinement()?;
        let builder = EngineBuilder { context, confinement, tell: &crate::cli::say };
        let (rules, taken_up) = match &self.record {
            None => {
                let found = handed_in.clone().map_or_else(|| entrants::found(&self.engine), Ok)?;
                settings::choose_game(&mut self.options, &[found])?;
                (settings::rules_to_play(&mut self.options, &builder)?, None)
            }
            Some(file) => {
                let (rules, beginning) = self.taken_up(file)?;
                (rules, Some(beginning))
            }
        };
        let person = self.person(&rules)?;
        let engine = handed_in.map_or_else(|| entrants::one(&self.engine, &builder), Ok)?;
        let run = settings::run(&self.options, rules, vec![engine], self.options.time_control()?)?;
        entrants::check(&run, context, OnRefusal::End)?;
        let rules = match &run.rules {
            GameRules::BuiltIn(_) if self.options.max_plies.is_some() => {
                let why = "is for games of engines; a person plays to the end; leave it out";
                return Err(self.options.misuse("max-plies", "", why));
            }
            GameRules::BuiltIn(rules) => rules.as_ref(),
            GameRules::Hosted(rules) => return self.at_a_table(&run, rules, person, context),
        };
        let Beginning { start, opening, moves, game } = match taken_up {
            Some(beginning) => beginning,
            None => self.fresh(&run, rules)?,
        };
        if let Status::Over(outcome) = game.status() {
            return Err(Misuse::hinted(
                format!("the game is over in this position: {}", outcome.why),
                "give another position, or fewer plies with --ply",
            ));
        }
        crate::cli::warn(&run);
        let scratch = Scratch::create(&context.scratch).context("cannot make a directory for the engine")?;
        let asked = Play {
            rules,
            engine: &run.entrants[0],
            person,
            start,
            opening,
            moves,
            control: run.control,
            limits: run.limits(context),
            scratch: &scratch,
            seed: run.seed,
            values: self.values(rules)?,
        };
        let stopped = schedule::aside(|| play::play(&asked))?.context("the game was aborted")?;
        Ok(if stopped { CommandExit::Interrupted } else { CommandExit::Done }.into())
    }

    /// The values that are shown beside the legal moves, if they are wanted.
    fn values(&self, rules: &dyn Rules) -> anyhow::Result<Option<Solver>> {
        if self.hints == Hints::Points {
            return Ok(None);
        }
        let solver = solver(rules, None, Some(POSITIONS));
        if solver.extent() == Extent::Nothing {
            return Err(Misuse::hinted(
                format!("--hints value: nothing of {} is solved", rules.spec()),
                "leave it out",
            ));
        }
        Ok(Some(solver))
    }

    /// Plays a game of a referee program, with the engine on all other seats.
    fn at_a_table(
        &self,
        run: &Run,
        rules: &HostedRules,
        person: Seat,
        context: &RunContext,
    ) -> anyhow::Result<ExitCode> {
        if self.hints == Hints::Value {
            return Err(Misuse::hinted(
                "--hints value: the positions of this game are known to its referee program alone",
                "leave it out",
            ));
        }
        if self.position.is_some() {
            return Err(Misuse::hinted(
                "--position: the positions of this game are known to its referee program alone",
                "leave it out",
            ));
        }
        crate::cli::warn(run);
        let scratch = Scratch::create(&context.scratch).context("cannot make a directory for the engine")?;
        let seats = rules.seat_count();
        let order = GameOrder {
            id: GameId { round: 1, pairing: 1, game: 1 },
            seed: board_seed(run.seed, "play", &run.entrants[0].name, 1),
            engines: PerSeat::from_fn(seats, |_| &run.entrants[0]),
            controls: PerSeat::from_fn(seats, |_| run.control),
            lags: PerSeat::from_fn(seats, |_| None),
            max_plies: run.max_plies,
            limits: run.limits(context),
            scratch: &scratch,
        };
        let stopped =
            schedule::aside(|| play::play_hosted(&order, rules, person))?.context("the game was aborted")?;
        Ok(if stopped { CommandExit::Interrupted } else { CommandExit::Done }.into())
    }

    /// The rules and the moves of a record.
    fn taken_up(&self, file: &Path) -> anyhow::Result<(GameRules, Beginning)> {
        let (game, dictionary) =
            (self.options.game.as_ref().map(|game| game.0.as_str()), self.options.dictionary.as_deref());
        let (record, rules) = recorded(file, self.id, game, dictionary, None)?;
        let wrong = |error: Discrepancy| Misuse::error(format!("{}: {error}", display_path(file)));
        let start = replay::begin(&record, rules.as_ref()).map_err(wrong)?.text();
        let opening = openings::no_moves(&start, rules.as_ref());
        let plies = self.ply.unwrap_or(usize::MAX);
        let replay = replay::play(&record, rules.as_ref(), plies).map_err(wrong)?;
        Ok((rules.into(), Beginning { start, opening, moves: replay.moves, game: replay.game }))
    }

    /// The position of --position, or the first one of the run.
    fn fresh(&self, run: &Run, rules: &dyn Rules) -> anyhow::Result<Beginning> {
        let Opening { game, moves: opening } = match &self.position {
            Some(text) => {
                openings::read(text, rules).map_err(|why| Misuse::error(format!("--position: {why}")))?
            }
            None => run.openings.begin(rules, run.seed, 1),
        };
        Ok(Beginning { start: game.text(), opening, moves: Vec::new(), game })
    }

    /// The seat of the person.
    fn person(&self, rules: &GameRules) -> anyhow::Result<Seat> {
        let Some(side) = &self.side else { return Ok(Seat::FIRST) };
        settings::side(side, rules.seats())
    }
}

/// Where a game begins.
struct Beginning {
    /// The first position, as text.
    start: String,
    /// The moves that lead there, if they are known.
    opening: Option<Vec<String>>,
    /// The moves from there.
    moves: Vec<String>,
    /// The position after them.
    game: Box<dyn Game>,
}
