//! `agon check`: shows an engine's author its faults.

use std::path::PathBuf;
use std::process::ExitCode;

use agon_config::{CommandExit, Misuse, whole};
use agon_games::Status;
use agon_match::hosted::GameRules;
use agon_match::keeper::RunContext;
use agon_match::openings::Openings;
use agon_match::processes::Scratch;
use agon_match::schedule;
use agon_pages::report::terminal::{FAULT, TableLook};
use agon_printable::clean;
use agon_programs::program::display_path;
use agon_programs::spec::EngineSpec;
use agon_seats::Seat;
use agon_standings::result::Cause;
use agon_tournament::competition::settings;
use agon_tournament::entrants::{self, EngineBuilder, OnRefusal};
use agon_tournament::estimate::TimeEstimate;
use agon_tournament::run::Run;
use agon_trial::check::{self, CheckFinding, CheckStopped, CheckTrial, spoken::OtherGreetings};
use anyhow::Context;
use clap::Args;

use crate::cli::first_steps::{check_file, handed_in};
use crate::cli::options;
use crate::cli::options::OptionFlags;

/// Plays a few moves with an engine, and says what is wrong
///
/// The words are for its author.
///
/// It plays each side, against random legal moves. If that goes well and no other start is asked
/// for, it also plays from a position in which the second side is to move. Games with openings
/// begin so. Exit code 0: nothing is wrong; 1: something is. Exit code 4: nothing is wrong in the
/// moves that could be judged, but the machine has spoilt a game, five times.
///
/// An archive, a source file or a folder without an engine.toml is a submission. It is unpacked,
/// built and played as agon grade does it, at isolation sandbox, and agon says what a grading would
/// take it for. Exit code 3: this machine has no sandbox, or lacks the compiler.
///
/// Of a tournament.toml each engine with a table of its own is checked. Each option that it is sent
/// gets a line, which says what the engine has announced of it.
#[derive(Args, Debug)]
#[command(mut_args(options::of_single_games))]
#[command(after_help = "\
Examples:
  agon check ./mine
  agon check cup.toml
  agon check handed-in.zip --game mill
  agon check ./mine --game ./kuhn:hands=3 --seats 3
  agon check my-engine/ --game letters:4x4x2 --st 1 --moves 20")]
pub(crate) struct CheckArgs {
    /// The engine: an executable file, or a folder with an engine.toml; or a submission: a zip or
    /// tar archive, a folder or a source file; or a tournament.toml with tables of engines
    engine: PathBuf,

    /// Takes an engine as agon grade would take it, also one with an engine.toml or a program
    #[arg(long)]
    graded: bool,

    #[command(flatten)]
    options: OptionFlags,

    /// The moves that the engine makes as each side, in at most 3 games
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = whole::<usize>, allow_negative_numbers = true)]
    moves: usize,
}

impl CheckArgs {
    pub(crate) fn run(mut self, context: &RunContext) -> anyhow::Result<ExitCode> {
        if self.moves == 0 {
            return Err(Misuse::hinted("--moves 0 would try nothing", "give a number like 5"));
        }
        entrants::refuse_also(&self.options, "name the engine itself: agon check DIR/NAME@HASH")?;
        if check_file::is_one(&self.engine) {
            return self.of_file(context);
        }
        let handed_in = match handed_in::is_handed_in(&self.engine, self.graded, &mut self.options) {
            true => match self.taken(context)? {
                Some(engine) => Some(engine),
                None => return Ok(CommandExit::Failed.into()),
            },
            false => None,
        };
        let found = handed_in.clone().map_or_else(|| entrants::found(&self.engine), Ok)?;
        settings::choose_game(&mut self.options, &[found])?;
        let is_game_named = settings::names_game(&self.options);
        let confinement = self.options.confinement()?;
        let builder = EngineBuilder { context, confinement, tell: &crate::cli::say };
        let rules = settings::rules_to_play(&mut self.options, &builder)?;
        let engine = handed_in.map_or_else(|| entrants::one(&self.engine, &builder), Ok)?;
        let run = settings::run(&self.options, rules, vec![engine], self.options.time_control()?)?;
        entrants::check(&run, context, OnRefusal::EndUnlessSilent)?;
        check_file::tell_terms(&run)?;
        tell_options(&run.entrants[0])?;
        crate::cli::warn(&run);
        let found = self.tried(&run, &run.entrants[0], is_game_named, context)?;
        Ok(found.map_or_else(|| CommandExit::Interrupted.into(), Checked::exit_code))
    }

    /// Checks each engine of a `tournament.toml` that has a table of its own: its settings first.
    fn of_file(self, context: &RunContext) -> anyhow::Result<ExitCode> {
        if self.graded {
            return Err(Misuse::hinted(
                "--graded: a tournament.toml is no submission",
                "give the path of a submission, or leave --graded out",
            ));
        }
        let tables = check_file::read(&self.engine, self.options.0.clone(), context)?;
        let mut worst = Checked::Well;
        for engine in &tables.run.entrants {
            let Some(found) = self.tried(&tables.run, engine, tables.is_game_named, context)? else {
                return Ok(CommandExit::Interrupted.into());
            };
            worst = worst.max(found);
        }
        Ok(worst.exit_code())
    }

    /// What the games of an engine of a run show; `None` if the user has stopped it.
    fn tried(
        &self,
        run: &Run,
        engine: &EngineSpec,
        is_game_named: bool,
        context: &RunContext,
    ) -> anyhow::Result<Option<Checked>> {
        let scratch = Scratch::create(&context.scratch).context("cannot make a directory for the engine")?;
        let mut trial = CheckTrial {
            rules: &run.rules,
            engine,
            control: run.control_of(engine),
            limits: run.limits(context),
            scratch: &scratch,
            seed: run.seed,
            openings: &run.openings,
            opening: 1,
            moves: self.moves,
        };
        let sides = run.rules.seats().len();
        let time = TimeEstimate::of_trial(trial.control, self.moves, sides);
        if time.is_worth_saying(1) {
            let (moves, name) = (self.moves, clean(&engine.name));
            crate::cli::say(&format!(
                "{name} makes up to {moves} moves as each of {sides} sides, from two starts: {time} ..."
            ));
        }
        let mut greeted = OtherGreetings::default();
        let Some(first) = each_side(&trial, "", &mut greeted)? else { return Ok(None) };
        let (positions, plies) = run.openings.parts();
        // Only its referee knows the positions of a game with a referee program.
        let GameRules::BuiltIn(rules) = trial.rules else { return Ok(Some(first)) };
        if first == Checked::Wrong && !is_game_named {
            crate::cli::say(&format!("hint: {}", settings::of_no_name(&run.rules)));
        }
        if first == Checked::Wrong || !positions.is_empty() || plies > 0 {
            return Ok(Some(first));
        }
        if trial.engine.console.as_ref().is_some_and(|console| !console.tells_own_moves()) {
            tell_no_other_start(trial.engine)?;
            return Ok(Some(first));
        }
        let other = Openings::from_start(PLIES);
        trial.openings = &other;
        trial.seed = trial.seed.wrapping_add(SEEDS / 2);
        let start = other.begin(rules.as_ref(), trial.seed, 1).game;
        let Status::ToMove(to_move) = start.status() else { return Ok(Some(first)) };
        let place = format!(
            ", {PLIES} moves after the start ({} to move, as with --random-plies and --openings)",
            trial.rules.seats()[to_move.index()]
        );
        Ok(each_side(&trial, &place, &mut greeted)?.map(|other| first.max(other)))
    }
}

impl CheckArgs {
    /// The engine that a grading would make of a submission. `None` if it would refuse it, which is
    /// shown.
    fn taken(&self, context: &RunContext) -> anyhow::Result<Option<EngineSpec>> {
        let taken = handed_in::taken(&self.engine, 1, &self.options, context)?;
        let level = self.options.level();
        match taken.engine {
            Ok(engine) => {
                let remark = taken.remark.map(|remark| format!("  note   {remark}\n")).unwrap_or_default();
                let lacks_file = self.engine.is_dir() && !self.engine.join("engine.toml").exists();
                let adopt = match lacks_file {
                    true => format!(
                        "  note   agon adopt {} finds out how a program here plays, and writes its engine.toml\n",
                        display_path(&self.engine)
                    ),
                    false => String::new(),
                };
                let text = format!(
                    "the grading would take this as {}, at isolation {level}\n{remark}{adopt}",
                    taken.taken_as
                );
                crate::cli::out_bytes(text.as_bytes())?;
                Ok(Some(engine))
            }
            Err(why) => {
                let log = match taken.log.trim_end() {
                    "" => String::new(),
                    log => format!("the output of its build:\n{log}\n"),
                };
                crate::cli::out_bytes(format!("the grading would refuse this: {why}\n{log}").as_bytes())?;
                Ok(None)
            }
        }
    }
}

/// The most games with an engine on each side: a short game shows little of it.
const GAMES: u32 = 3;

/// How far apart the seeds of the sides are.
const SEEDS: u64 = 1000;

/// How many moves have been played in the other start. Of two sides, the second is to move.
const PLIES: u32 = 3;

/// What was found on all sides. The worst comes last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Checked {
    /// Nothing is wrong.
    Well,
    /// Nothing is known to be wrong, but not all could be judged.
    Unjudged,
    /// Something is wrong.
    Wrong,
}

impl Checked {
    fn of(finding: &CheckFinding) -> Self {
        match finding {
            CheckFinding { unjudged: Some(_), .. } => Checked::Unjudged,
            CheckFinding { wrong, .. } if wrong.is_empty() => Checked::Well,
            _ => Checked::Wrong,
        }
    }

    fn exit_code(self) -> ExitCode {
        match self {
            Checked::Well => ExitCode::SUCCESS,
            Checked::Unjudged => CommandExit::SomeVoid.into(),
            Checked::Wrong => CommandExit::Failed.into(),
        }
    }
}

/// Tries the engine on each side and shows what was found; `None` if the user has stopped it.
fn each_side(
    trial: &CheckTrial<'_>,
    place: &str,
    greeted: &mut OtherGreetings,
) -> anyhow::Result<Option<Checked>> {
    let mut worst = Checked::Well;
    for seat in (0..trial.rules.seats().len()).map(Seat::new) {
        let finding = match schedule::aside(|| {
            // Other moves and boards for each side: more is seen.
            let seed = trial.seed.wrapping_add(SEEDS * seat.index() as u64);
            check::check_games(&CheckTrial { seed, ..trial.clone() }, seat, GAMES, greeted)
        })? {
            Err(CheckStopped::Stopped) => return Ok(None),
            tried => tried.context("the engine could not be tried")?,
        };
        worst = worst.max(Checked::of(&finding));
        show(&trial.engine.name, place, &finding)?;
    }
    Ok(Some(worst))
}

/// Shows that a program plays from the usual start alone.
fn tell_no_other_start(engine: &EngineSpec) -> anyhow::Result<()> {
    let text = format!(
        "{} is not told moves of its own side, and so plays from the usual start alone: give --random-plies 0, or \
         add own = \"template\" to its table [console]\n",
        engine.name
    );
    crate::cli::out_bytes(text.as_bytes())
}

/// Shows what is set in a UGI engine before its games.
fn tell_options(engine: &EngineSpec) -> anyhow::Result<()> {
    let lines = engine
        .options
        .iter()
        .map(|(name, value)| format!("{} is sent option {} = {}\n", engine.name, clean(name), clean(value)));
    crate::cli::out_bytes(lines.collect::<String>().as_bytes())
}

fn show(name: &str, place: &str, finding: &CheckFinding) -> anyhow::Result<()> {
    let games = match (finding.games, finding.finished) {
        (1, true) => " to the end of the game".to_owned(),
        (1, false) => String::new(),
        (games, _) => format!(" in {games} games"),
    };
    let mut out = format!("{name} as {}{place}: {} good move(s){games}", finding.side, finding.moves);
    // One that ended before its first move has not started, as its author sees it.
    if finding.moves > 0 || !matches!(finding.fault, Some(Cause::Crash | Cause::StartFailed)) {
        out.push_str(&format!(
            ", started in {:.0} ms, longest move {:.0} ms",
            finding.startup.as_secs_f64() * 1e3,
            finding.longest.as_secs_f64() * 1e3
        ));
    }
    out.push('\n');
    let look = TableLook::of(&std::io::stdout());
    for words in &finding.wrong {
        out.push_str(&format!("  {}  {words}\n", look.styled("WRONG", FAULT)));
    }
    if let Some(words) = &finding.unjudged {
        out.push_str(&format!("  UNJUDGED  {words}\n"));
    }
    for words in &finding.advice {
        out.push_str(&format!("  note   {words}\n"));
    }
    if finding.wrong.is_empty() {
        let before = if finding.unjudged.is_some() { " before" } else { "" };
        out.push_str(&format!("  nothing wrong was found{before}\n"));
    }
    crate::cli::out_bytes(out.as_bytes())
}
