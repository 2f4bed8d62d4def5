//! The subcommands, their options and their exit codes.

mod analyse;
mod as_engine;
mod board;
mod build;
mod check;
mod check_referee;
mod doctor;
mod export;
mod forget;
mod games;
mod grade;
mod history;
mod holes;
mod import;
mod inbox;
mod late;
mod merge;
mod new;
mod new_game;
mod nightly;
mod notation;
mod options;
mod pairing;
mod parallel;
mod part_programs;
mod pascal_unit;
mod pause;
mod piped;
mod plan;
mod play;
mod play_on;
mod position_args;
mod positions;
mod prune;
mod publish;
mod referees;
mod remote;
mod replay;
mod report;
mod reveal;
mod rules;
mod serve;
mod shell;
mod slurm;
mod slurm_queue;
mod solved;
mod stage_option;
mod standings;
mod status;
mod stop;
mod tables;
mod token;
mod tournament;
pub mod ulimits;
mod verify;
mod why;

use std::collections::BTreeSet;
use std::process::ExitCode;

use agon_config::Misuse;
use agon_match::keeper::{self, Role, RunContext, Terminal};
use agon_match::referee::solved_tables;
use agon_match::schedule;
use agon_pages::report::columns::wrapped;
use agon_pages::report::terminal::TableLook;
use agon_printable::{clean, escape, harmless, harmless_json};
use agon_programs::stopping;
use agon_sandbox::Unavailable;
use agon_store::Store;
use agon_tournament::competition::looked::LookedRun;
use agon_tournament::progress;
use agon_tournament::terminal::{self, drawn, out, out_bytes, say, warn};
use clap::error::{ContextKind, ContextValue};
use clap::{Parser, Subcommand};

/// Runs matches between game-playing programs, referees every move against the clock, and keeps the
/// standings.
///
/// An engine is a program that reads its opponent's moves from stdin and writes its own to stdout,
/// one per line.
#[derive(Parser, Debug)]
#[command(
    name = "agon",
    version,
    after_help = "\
Examples:
  agon tournament engines/           every engine in the folder plays every other one
  agon match ./mine ./theirs -v      two engines, each move shown
  agon new mill python               an engine to begin with
  agon check ./mine                  what is wrong with my engine?
  agon doctor                        can engines be confined here?
  agon rules                         the games there are

Exit codes: 0 done; 1 it could not be done; 2 wrong use or configuration; 3 the isolation level is not available \
here; 4 done, but some games stayed void; 5 news in a night; 130 interrupted."
)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Match(pairing::MatchArgs),
    Tournament(tournament::TournamentArgs),
    Nightly(nightly::NightlyArgs),
    Plan(plan::PlanArgs),
    Grade(grade::GradeArgs),
    Inbox(inbox::InboxArgs),
    Token(token::TokenArgs),
    Publish(publish::PublishArgs),
    Reveal(reveal::RevealArgs),
    New(new::NewArgs),
    NewGame(new_game::NewGameArgs),
    Check(check::CheckArgs),
    CheckReferee(check_referee::CheckRefereeArgs),
    Doctor(doctor::DoctorArgs),
    Build(build::BuildArgs),
    PascalUnit(pascal_unit::PascalUnitArgs),
    Play(play::PlayArgs),
    Standings(standings::StandingsArgs),
    Status(status::StatusArgs),
    Games(games::GamesArgs),
    Why(why::WhyArgs),
    History(history::HistoryArgs),
    Report(report::ReportArgs),
    Serve(serve::ServeArgs),
    Tables(tables::TablesArgs),
    Verify(verify::VerifyArgs),
    Export(export::ExportArgs),
    Import(import::ImportArgs),
    Merge(merge::MergeArgs),
    Slurm(slurm::SlurmArgs),
    Parallel(parallel::ParallelArgs),
    Forget(forget::ForgetArgs),
    Prune(prune::PruneArgs),
    Stop(stop::StopArgs),
    Pause(pause::PauseArgs),
    Resume(pause::ResumeArgs),
    Replay(replay::ReplayedArgs),
    Rules(rules::RulesArgs),
    Show(positions::ShowArgs),
    Moves(positions::MovesArgs),
    Value(solved::ValueArgs),
    Analyse(analyse::AnalyseArgs),
    Solve(solved::SolveArgs),
    Perft(positions::PerftArgs),
    Notation(notation::NotationArgs),
    Board(board::BoardArgs),
    Listen(remote::ListenArgs),
    Connect(remote::ConnectArgs),
    Completions(shell::CompletionsArgs),
    Man(shell::ManArgs),
}

/// The exit code when the isolation level is not available on this machine.
const NO_ISOLATION: u8 = 3;

/// Parses the command line. Help and errors of usage are printed here.
///
/// # Errors
/// The exit code.
pub fn parse() -> Result<Cli, ExitCode> {
    Cli::try_parse_from(pairing::with_usual_test(std::env::args_os())).map_err(|mut error| {
        // No value of ours begins with two hyphens, so a tip to write `-- --option` helps nobody.
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
        Command::Check(asked) => with_engines(Terminal::Watched, |context| asked.run(context)),
        Command::CheckReferee(asked) => with_engines(Terminal::Watched, |context| asked.run(context)),
        Command::Build(asked) => with_engines(Terminal::Watched, |context| asked.run(context)),
        Command::PascalUnit(asked) => with_engines(Terminal::Watched, |context| asked.run(context)),
        Command::Doctor(asked) => with_engines(Terminal::Watched, |context| asked.run(context)),
        Command::Play(asked) => with_engines(Terminal::Shared, |context| asked.run(context)),
        Command::Plan(asked) => asked.run(),
        Command::New(asked) => asked.run(),
        Command::NewGame(asked) => asked.run(),
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
        Command::Slurm(asked) => with_engines(Terminal::Watched, |context| asked.run(context)),
        Command::Parallel(asked) => with_engines(Terminal::Watched, |context| asked.run(context)),
        Command::Forget(asked) => asked.run(),
        Command::Prune(asked) => asked.run(),
        Command::Stop(asked) => asked.run(),
        Command::Pause(asked) => asked.run(),
        Command::Resume(asked) => asked.run(),
        Command::Replay(asked) if asked.plays_on() => {
            with_engines(Terminal::Watched, |context| asked.play_on(context))
        }
        Command::Replay(asked) => asked.run(),
        Command::Rules(asked) => asked.run(),
        Command::Show(asked) => asked.run(),
        Command::Moves(asked) => asked.run(),
        Command::Value(asked) => asked.run(),
        Command::Analyse(asked) => asked.run(),
        Command::Solve(asked) => asked.run(),
        Command::Perft(asked) => asked.run(),
        Command::Notation(asked) => asked.run(),
        Command::Board(asked) => asked.run(),
        Command::Listen(asked) => asked.run(),
        Command::Connect(asked) => with_engines(Terminal::Watched, |context| asked.run(context)),
        Command::Completions(asked) => asked.run(),
        Command::Man(asked) => asked.run(),
    }
}

/// The exit code for an error. It is 2 if the error is the user's, and 3 if the isolation is not
/// available. It is 130 if the user stopped the run, and 1 otherwise.
pub fn exit_code(error: &anyhow::Error) -> ExitCode {
    ExitCode::from(if error.is::<Misuse>() {
        2
    } else if error.is::<Unavailable>() {
        NO_ISOLATION
    } else if is_interrupted(error) {
        keeper::INTERRUPTED
    } else {
        1
    })
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
