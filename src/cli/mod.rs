//! The subcommands, their options and their exit codes.

mod class;
mod first_steps;
mod games;
mod headings;
mod machines;
mod old_spellings;
mod options;
mod referees;
mod results;
mod stage_option;
mod tournaments;
pub mod ulimits;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::process::ExitCode;

use agon_config::{CommandExit, Misuse};
use agon_match::keeper::{self, Role, RunContext, Terminal};
use agon_match::referee::solved_tables;
use agon_match::schedule;
use agon_pages::report::columns::wrapped;
use agon_pages::report::terminal::TableLook;
use agon_printable::{clean, escape, harmless, harmless_json};
use agon_programs::machine_fault::{MachineFault, MachineFaults};
use agon_programs::stopping;
use agon_sandbox::Unavailable;
use agon_store::Store;
use agon_tournament::competition::looked::LookedRun;
use agon_tournament::progress;
use agon_tournament::terminal::{self, drawn, out, out_bytes, say, warn};
use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

/// Runs matches between game-playing programs, referees every move against the clock, and keeps the
/// standings.
///
/// An engine is a program that reads its opponent's moves from stdin and writes its own to stdout,
/// one per line.
#[derive(Parser, Debug)]
#[command(name = "agon", version, disable_help_subcommand = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Match(first_steps::pairing::MatchArgs),
    Tournament(tournaments::tournament::TournamentArgs),
    Nightly(tournaments::nightly::NightlyArgs),
    Plan(tournaments::plan::PlanArgs),
    Simulate(tournaments::simulate::SimulateArgs),
    Intake(class::intake::IntakeArgs),
    Grade(class::grade::GradeArgs),
    Inbox(class::inbox::InboxArgs),
    Token(class::token::TokenArgs),
    Publish(class::publish::PublishArgs),
    Reveal(class::reveal::RevealArgs),
    New(first_steps::new::NewArgs),
    NewGame(games::new_game::NewGameArgs),
    Adopt(first_steps::adopt::AdoptArgs),
    Check(first_steps::check::CheckArgs),
    CheckReferee(games::check_referee::CheckRefereeArgs),
    Doctor(machines::doctor::DoctorArgs),
    Build(machines::build::BuildArgs),
    Play(first_steps::play::PlayArgs),
    Standings(results::standings::StandingsArgs),
    Status(tournaments::status::StatusArgs),
    Games(results::games::GamesArgs),
    Why(results::why::WhyArgs),
    History(results::history::HistoryArgs),
    Report(results::report::ReportArgs),
    Serve(results::serve::ServeArgs),
    Tables(results::tables::TablesArgs),
    Verify(results::verify::VerifyArgs),
    Export(results::export::ExportArgs),
    Import(results::import::ImportArgs),
    Merge(machines::merge::MergeArgs),
    Upgrade(results::upgrade::UpgradeArgs),
    Slurm(machines::slurm::SlurmArgs),
    Parallel(machines::parallel::ParallelArgs),
    Forget(results::forget::ForgetArgs),
    Prune(results::prune::PruneArgs),
    Decide(tournaments::decide::DecideArgs),
    Withdraw(tournaments::withdraw::WithdrawArgs),
    Close(tournaments::close::CloseArgs),
    Enter(tournaments::enter::EnterArgs),
    Stop(tournaments::stop::StopArgs),
    Pause(tournaments::pause::PauseArgs),
    Resume(tournaments::pause::ResumeArgs),
    Replay(results::replay::ReplayedArgs),
    Rules(games::rules::RulesArgs),
    Position(games::position::PositionCommandArgs),
    Analyse(results::analyse::AnalyseArgs),
    Solve(games::solved::SolveArgs),
    Listen(machines::remote::ListenArgs),
    Connect(machines::remote::ConnectArgs),
    Completions(machines::shell::CompletionsArgs),
    Man(machines::shell::ManArgs),
    Help(headings::HelpArgs),
}

/// Parses the command line. Help and errors of usage are printed here.
///
/// # Errors
/// The exit code.
pub fn parse() -> Result<Cli, ExitCode> {
    parsed(old_spellings::renewed(std::env::args_os()).into_iter())
}

/// Parses these words.
fn parsed(words: impl Iterator<Item = OsString>) -> Result<Cli, ExitCode> {
    let mut command = headings::with_page(Cli::command());
    let matches = command.try_get_matches_from_mut(first_steps::usual_test::with_usual_test(words));
    matches
        .and_then(|matches| Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command)))
        .map_err(|mut error| {
            // No value of ours begins with two hyphens, so a tip to write `-- --option` helps
            // nobody.
            if let Some(ContextValue::StyledStrs(mut tips)) = error.remove(ContextKind::Suggested) {
                tips.retain(|tip| !tip.to_string().starts_with("to pass "));
                if !tips.is_empty() {
                    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
                }
            }
            if let Some(tip) = tip_for_json(&error) {
                error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
            }
            let text = error.render().to_string();
            if error.use_stderr() && harmless(text.as_bytes()) != text {
                // The error quotes the command line, which may contain the bytes of a file's name.
                say(text.trim_end());
            } else {
                let _ = error.print(); // a closed output has no reader
            }
            ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
        })
}

/// What to write instead of `--json` to a command that plays.
fn tip_for_json(error: &clap::Error) -> Option<&'static str> {
    let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else { return None };
    let is_playing = std::env::args().nth(1).is_some_and(|word| word == "match" || word == "tournament");
    (is_playing && error.kind() == clap::error::ErrorKind::UnknownArgument && argument == "--json").then_some(
        "'--events FILE' writes each event as JSON, '--events -' to standard output; after the run, \
         'agon standings DIR --json' writes the tables",
    )
}

/// Runs the subcommand and returns the exit code.
///
/// # Errors
/// Any error; [`exit_code`] and [`complain`] interpret it.
pub fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    keeper::outlive_file_limits();
    solved_tables::show_with(progress::cells_bar);
    match cli.command {
        Command::Match(asked) => with_engines(Terminal::Watched, |context| asked.run(context)),
        Command::Tournament(asked) => with_engines(Terminal::Watched, |context| asked.run(context)),
        Command::Nightly(asked) => with_engines(Terminal::Watched, |context| asked.run(context)),
        Command::Adopt(asked) => with_engines(Terminal::Watched, |context| asked.run(context)),
        Command::Check(asked) => with_engines(Terminal::Watched, |context| asked.run(context)),
        Command::CheckReferee(asked) => with_engines(Terminal::Watched, |context| asked.run(context)),
        Command::Build(asked) => with_engines(Terminal::Watched, |context| asked.run(context)),
        Command::Doctor(asked) => with_engines(Terminal::Watched, |context| asked.run(context)),
        Command::Play(asked) => with_engines(Terminal::Shared, |context| asked.run(context)),
        Command::Plan(asked) => asked.run(),
        Command::Simulate(asked) => asked.run(),
        Command::New(asked) if asked.compiles() => {
            with_engines(Terminal::Watched, |context| asked.compile(context))
        }
        Command::New(asked) => asked.run(),
        Command::NewGame(asked) => asked.run(),
        Command::Intake(asked) => with_engines(Terminal::Watched, |context| asked.run(context)),
        Command::Grade(asked) => with_engines(Terminal::Watched, |context| asked.run(context)),
        Command::Inbox(asked) => with_engines(Terminal::Watched, |context| asked.run(context)),
        Command::Token(asked) => asked.run(),
        Command::Publish(asked) => asked.run(),
        Command::Reveal(asked) => asked.run(),
        Command::Standings(asked) => asked.run(),
        Command::Status(asked) => asked.run(),
        Command::Games(asked) => asked.run(),
        Command::Why(asked) => asked.run(),
        Command::History(asked) => asked.run(),
        Command::Report(asked) => asked.run(),
        Command::Serve(asked) => asked.run(),
        Command::Tables(asked) => with_engines(Terminal::Watched, |context| asked.run(context)),
        Command::Verify(asked) if asked.starts_referees() => {
            with_engines(Terminal::Watched, |context| schedule::aside(|| asked.run(Some(context)))?)
        }
        Command::Verify(asked) => asked.run(None),
        Command::Export(asked) => asked.run(),
        Command::Import(asked) if asked.starts_referees() => {
            with_engines(Terminal::Watched, |context| schedule::aside(|| asked.run(Some(context)))?)
        }
        Command::Import(asked) => asked.run(None),
        Command::Merge(asked) if asked.starts_referees() => {
            with_engines(Terminal::Watched, |context| schedule::aside(|| asked.run(Some(context)))?)
        }
        Command::Merge(asked) => asked.run(None),
        Command::Upgrade(asked) => asked.run(),
        Command::Slurm(asked) => with_engines(Terminal::Watched, |context| asked.run(context)),
        Command::Parallel(asked) => with_engines(Terminal::Watched, |context| asked.run(context)),
        Command::Forget(asked) => asked.run(),
        Command::Prune(asked) => asked.run(),
        Command::Decide(asked) => asked.run(),
        Command::Withdraw(asked) => asked.run(),
        Command::Close(asked) => asked.run(),
        Command::Enter(asked) => asked.run(),
        Command::Stop(asked) => asked.run(),
        Command::Pause(asked) => asked.run(),
        Command::Resume(asked) => asked.run(),
        Command::Replay(asked) if asked.plays_on() => {
            with_engines(Terminal::Watched, |context| asked.play_on(context))
        }
        Command::Replay(asked) => asked.run(),
        Command::Rules(asked) => asked.run(),
        Command::Position(asked) => asked.run(),
        Command::Analyse(asked) => asked.run(),
        Command::Solve(asked) => asked.run(),
        Command::Listen(asked) => asked.run(),
        Command::Connect(asked) => with_engines(Terminal::Watched, |context| asked.run(context)),
        Command::Completions(asked) => asked.run(),
        Command::Man(asked) => asked.run(),
        Command::Help(asked) => asked.run(),
    }
}

/// The exit code for an error.
pub fn exit_code(error: &anyhow::Error) -> ExitCode {
    let exit = if error.is::<Misuse>() {
        CommandExit::Misuse
    } else if error.is::<Unavailable>() || error.is::<MachineFaults>() || error.is::<MachineFault>() {
        CommandExit::Unavailable
    } else if is_interrupted(error) {
        CommandExit::Interrupted
    } else {
        CommandExit::Failed
    };
    exit.into()
}

/// Whether this is no error: the user has stopped the program.
fn is_interrupted(error: &anyhow::Error) -> bool {
    error.is::<keeper::Interrupted>() || stopping::was_asked(error)
}

/// Runs a subcommand that starts engines in the harness. Its keeper ends the engines in any case.
fn with_engines(
    terminal: Terminal,
    act: impl FnOnce(&RunContext) -> anyhow::Result<ExitCode>,
) -> anyhow::Result<ExitCode> {
    match keeper::split(terminal)? {
        Role::Keeper(code) => Ok(code),
        Role::Harness(context) => {
            let done = act(&context);
            keeper::wake();
            done
        }
    }
}

/// Prints an error, and its hint on a line of its own.
pub fn complain(error: &anyhow::Error) {
    terminal::complain(error, |error| ulimits::hint(error).map(str::to_owned));
}

/// Writes a list to stdout. On a terminal its lines break at words.
fn out_list(text: &str) -> anyhow::Result<()> {
    out(&wrapped(text, TableLook::of(&std::io::stdout()).width))
}

/// Writes JSON to stdout.
fn out_json(text: String) -> anyhow::Result<()> {
    drawn(&harmless_json(text))
}

/// The databases of these runs in which the engine has played, or all if none is named.
///
/// # Errors
/// [`Misuse`] if it has played in none of them.
fn known_in<'a>(runs: &'a [LookedRun], engine: Option<&str>) -> anyhow::Result<Vec<(&'a LookedRun, Store)>> {
    let (mut found, mut known) = (Vec::new(), BTreeSet::new());
    for run in runs {
        let store = Store::read(&run.path)?;
        let names = store.names()?;
        if engine.is_none_or(|engine| names.iter().any(|name| name == engine)) {
            found.push((run, store));
        }
        known.extend(names);
    }
    let Some(engine) = engine.filter(|_| found.is_empty()) else { return Ok(found) };
    let names: Vec<String> = known.iter().map(|name| clean(name)).collect();
    Err(Misuse::hinted(
        format!("there is no engine {}", escape(engine.as_bytes(), 60)),
        format!("the engines are {}", names.join(", ")),
    ))
}
