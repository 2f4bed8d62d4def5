//! The engines of a `tournament.toml` that a check tries: those with a table `[[engine]]`.

use std::path::Path;

use agon_config::{Misuse, Options};
use agon_match::keeper::RunContext;
use agon_match::processes::Scratch;
use agon_pages::report::terminal::{FAULT, TableLook};
use agon_printable::clean;
use agon_programs::option_values::{self, JudgedOption, OptionVerdict};
use agon_programs::program::display_path;
use agon_tournament::competition::settings;
use agon_tournament::competition::tournament::AskedTournament;
use agon_tournament::entrants::{self, EngineBuilder, OnRefusal};
use agon_tournament::run::Run;
use agon_trial::handshakes;
use anyhow::Context;

/// The engines of a file that are to be tried.
pub(super) struct CheckedTables {
    /// The run of all of them.
    pub(super) run: Run,
    /// Whether the file or a flag names the game.
    pub(super) is_game_named: bool,
}

/// Whether a path is a `tournament.toml`, under any name, and no engine.
pub(super) fn is_one(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "toml")
        && path.file_name().is_some_and(|name| name != "engine.toml")
        && path.is_file()
}

/// The engines of a file with the options of the flags over its own. Shows each option that an
/// engine is sent.
///
/// # Errors
/// [`Misuse`] if the file has none, or an engine cannot play with its settings.
pub(super) fn read(path: &Path, flags: Options, context: &RunContext) -> anyhow::Result<CheckedTables> {
    let AskedTournament { mut options, entries, .. } = AskedTournament::read(path, flags)?;
    options.also.clear();
    let named = entrants::also_named(&options, &entries)?;
    if named.is_empty() {
        return Err(Misuse::hinted(
            format!("{}: there is no table [[engine]]", display_path(path)),
            "give the path of one engine, like agon check FOLDER/NAME",
        ));
    }
    // Two of one name are refused, as in the tournament.
    let named = entrants::with_also(Vec::new(), &named)?;
    settings::choose_game(&mut options, &named)?;
    let is_game_named = settings::names_game(&options);
    let builder = EngineBuilder { context, confinement: options.confinement()?, tell: &crate::cli::say };
    let rules = settings::rules_to_play(&mut options, &builder)?;
    let engines = entrants::also(&options, &entries, &builder)?;
    let control = options.time_controls()?.first().copied().map_or_else(|| options.time_control(), Ok)?;
    let run = settings::run(&options, rules, engines, control)?;
    tell_terms(&run)?;
    crate::cli::warn(&run);
    tell_settings(&run, context)?;
    entrants::check(&run, context, OnRefusal::EndUnlessSilent)?;
    Ok(CheckedTables { run, is_game_named })
}

/// Shows the game and the time of a run.
pub(super) fn tell_terms(run: &Run) -> anyhow::Result<()> {
    let bank = match run.terms.bank {
        bank if bank.is_zero() => String::new(),
        bank => format!(", bank={}", bank.as_secs_f64()),
    };
    crate::cli::out(&format!("{}, {}{bank}\n", run.rules.spec(), run.control_of(&run.entrants[0])))
}

/// Shows each option that an engine is sent, with what it has announced of it.
fn tell_settings(run: &Run, context: &RunContext) -> anyhow::Result<()> {
    let scratch = Scratch::create(&context.scratch).context("cannot make a directory for the engine")?;
    for engine in run.entrants.iter().filter(|engine| !engine.options.is_empty()) {
        let announced =
            handshakes::announced(&entrants::handshake_terms(run, engine, &scratch, context), engine)?;
        let judged = option_values::judged(engine, &announced);
        let lines = judged.iter().map(|option| line(&engine.name, option));
        crate::cli::out_bytes(lines.collect::<String>().as_bytes())?;
    }
    Ok(())
}

fn line(engine: &str, option: &JudgedOption<'_>) -> String {
    let wrong = || TableLook::of(&std::io::stdout()).styled("WRONG", FAULT);
    let said = match &option.verdict {
        OptionVerdict::Taken(allowed) => allowed.clone(),
        OptionVerdict::Unchecked => "announced, and any value is sent".to_owned(),
        OptionVerdict::Unannounced => "not announced, and sent all the same".to_owned(),
        OptionVerdict::Unknown(_) => format!("{}  not announced", wrong()),
        OptionVerdict::Wrong(misuse) => {
            let takes = misuse.what.split_once(" takes ").map_or("", |(_, takes)| takes);
            format!("{}  it takes {takes}", wrong())
        }
    };
    format!("{engine} is sent option {} = {}: {said}\n", clean(option.name), clean(option.value))
}
