//! The engines that play elsewhere: the options name them, and their lag is measured before the
//! first game.

use std::path::Path;
use std::sync::Arc;

use agon_config::{Misuse, Options};
use agon_match::keeper::{Interrupted, RunContext};
use agon_match::processes::Scratch;
use agon_match::referee::{self, EchoTrouble};
use agon_match::schedule;
use agon_printable::escape;
use agon_programs::elsewhere::Elsewhere;
use agon_programs::folder::Listing;
use agon_programs::program::display_path;
use agon_programs::spec::EngineSpec;
use agon_record::Lag;
use anyhow::Context;

use crate::run::Run;

/// Lets the engines that the options name play elsewhere. One in the `folder` that was left out is
/// not missed.
///
/// # Errors
/// [`Misuse`]: a name is that of no engine or of two, or a lag is given for nobody.
pub fn appoint(options: &Options, engines: &mut [EngineSpec], folder: Option<&Path>) -> anyhow::Result<()> {
    if options.elsewhere.is_empty() && !options.lag().is_zero() {
        let why = "is for engines that play elsewhere; name them with --elsewhere, or leave it out";
        return Err(options.misuse("lag", "", why));
    }
    for name in &options.elsewhere {
        let named = engines.iter().filter(|engine| engine.organisers_name() == *name).count();
        let is_left_out = || folder.is_some_and(|folder| folder.join(name).join("engine.toml").is_file());
        if named != 1 && !(named == 0 && is_left_out()) {
            let why = not_one(name, named, engines);
            return Err(options.misuse("elsewhere", "", &why));
        }
    }
    appoint_known(options, engines);
    Ok(())
}

/// Why a name is not that of one engine.
fn not_one(name: &str, named: usize, engines: &[EngineSpec]) -> String {
    let shown = escape(name.as_bytes(), 60);
    if named > 1 {
        return format!("{named} engines are in a folder {shown}; rename one");
    }
    if let Some(other) = engines.iter().find(|engine| engine.name == *name) {
        // Otherwise a file that somebody hands in could name itself into the list.
        return format!(
            "{shown} is a name that an engine.toml has chosen; give the name of its folder, {}",
            other.organisers_name()
        );
    }
    let names: Vec<String> = engines.iter().map(EngineSpec::organisers_name).collect();
    format!("there is no engine {shown}; there are {}", names.join(", "))
}

/// Lets those of these engines play elsewhere that the options name. The options may name others.
pub(crate) fn appoint_known(options: &Options, engines: &mut [EngineSpec]) {
    for engine in engines.iter_mut().filter(|engine| engine.elsewhere.is_none()) {
        if options.elsewhere.contains(&engine.organisers_name()) {
            engine.elsewhere = Some(Arc::new(Elsewhere::new(options.lag())));
        }
    }
}

/// Whether an engine plays by `agon listen`. Its port takes one connection, so it plays one game at
/// a time.
fn listens(engine: &EngineSpec) -> bool {
    let mut words = engine.leading.iter().chain(engine.arguments.iter().flatten());
    let is_agon = engine.program.file_name().is_some_and(|name| name == "agon");
    is_agon && words.next().is_some_and(|word| word == "listen")
}

/// How many games are played at once, of `asked` ones: one if an engine plays by `agon listen`.
pub fn concurrency(asked: usize, engines: &[EngineSpec]) -> usize {
    if engines.iter().any(listens) { 1 } else { asked }
}

/// Why games are played one after the other, if an engine plays by `agon listen`.
pub(crate) fn one_at_a_time(run: &Run) -> Option<String> {
    let name = &run.entrants.iter().find(|engine| listens(engine))?.name;
    Some(format!("{name} plays by agon listen, whose port takes one game at a time: --concurrency is 1"))
}

/// Measures the lag of each engine that plays elsewhere and has an echo, and tells it.
///
/// # Errors
/// [`Misuse`]: an echo gives no lines back, or a lag is to be allowed for and there is no echo. Or
/// the run is to stop.
pub(crate) fn measure_lags(run: &Run, context: &RunContext, tell: &dyn Fn(&str)) -> anyhow::Result<()> {
    let mut scratch = None;
    for engine in &run.entrants {
        if let Some(lag) = measured(run, engine, &mut scratch, context)?? {
            let place = engine.place.as_ref().map(|place| format!(" at {place}")).unwrap_or_default();
            tell(&format!("{}{place}: {lag}", engine.name));
        }
    }
    Ok(())
}

/// Moves the engines of a run that play elsewhere and whose lag cannot be measured to the broken
/// ones of the listing.
///
/// # Errors
/// agon's own, or the run is to stop.
pub(crate) fn leave_out_unmeasured(
    run: &Run,
    listing: &mut Listing,
    context: &RunContext,
) -> anyhow::Result<()> {
    let mut scratch = None;
    for engine in &run.entrants {
        if let Err(misuse) = measured(run, engine, &mut scratch, context)? {
            listing.leave_out(engine, misuse.what);
        }
    }
    Ok(())
}

/// The lag of an engine, if it plays elsewhere and has an echo. The inner error is that of its
/// echo.
fn measured(
    run: &Run,
    engine: &EngineSpec,
    scratch: &mut Option<Scratch>,
    context: &RunContext,
) -> anyhow::Result<Result<Option<Lag>, Misuse>> {
    let Some(elsewhere) = &engine.elsewhere else { return Ok(Ok(None)) };
    let file = || display_path(&engine.source.join("engine.toml"));
    if engine.echo.is_none() {
        if elsewhere.most().is_zero() {
            return Ok(Ok(None));
        }
        return Ok(Err(Misuse {
            what: format!("--lag: {} has no echo, so that its lag cannot be measured", engine.name),
            hint: Some(format!(
                "add a command that gives each line back to {}, like {EXAMPLE}; or leave --lag out",
                file()
            )),
        }));
    }
    let scratch = match scratch {
        Some(scratch) => &*scratch,
        empty => &*empty.insert(
            Scratch::create(&context.scratch).context("cannot make a directory to measure the lag in")?,
        ),
    };
    match schedule::aside(|| referee::lag(engine, &run.limits(context), scratch))? {
        Ok(measured) => Ok(Ok(measured.map(|measured| elsewhere.note(measured)))),
        Err(EchoTrouble::Stopped) => Err(Interrupted.into()),
        Err(EchoTrouble::Fault(why)) => {
            let program = engine.echo.iter().flatten().next();
            let why = match why.strip_prefix("key echo: ") {
                // A program that cannot be found is named already.
                Some(why) => why.to_owned(),
                None => format!("{}: {why}", escape(program.map_or("", String::as_str).as_bytes(), 60)),
            };
            Ok(Err(Misuse {
                what: format!("{}: key echo: {why}", file()),
                hint: Some(format!(
                    "call it by hand: it must give each line back, like {EXAMPLE}; or leave it out"
                )),
            }))
        }
        Err(EchoTrouble::Ours(error)) => Err(error).context("cannot measure the lag"),
    }
}

/// An echo, for messages.
const EXAMPLE: &str = "echo = [\"ssh\", \"-o\", \"BatchMode=yes\", \"HOST\", \"cat\"]";

#[cfg(test)]
mod tests {
    use super::*;
    use agon_config::Seconds;

    fn engine(folder: &str, own: Option<&str>) -> EngineSpec {
        let mut engine = EngineSpec::at(&Path::new("/nowhere").join(folder)).unwrap();
        if let Some(own) = own {
            (engine.name, engine.names_itself) = (own.to_owned(), own != folder);
        }
        engine
    }

    fn named(names: &[&str]) -> Options {
        Options { elsewhere: names.iter().map(|name| (*name).to_owned()).collect(), ..Options::default() }
    }

    #[test]
    fn the_name_of_a_folder_counts_and_one_that_a_file_has_chosen_does_not() {
        let mut engines = [engine("lab1", Some("Deep Lab")), engine("student", Some("lab1"))];
        appoint(&named(&["lab1"]), &mut engines, None).unwrap();
        assert!(engines[0].elsewhere.is_some() && engines[1].elsewhere.is_none());
        let mut alone = [engine("student", Some("lab1")), engine("other", None)];
        let said = appoint(&named(&["lab1"]), &mut alone, None).unwrap_err().to_string();
        assert!(said.contains("chosen") && said.contains("folder, student"), "{said}");
        assert!(alone.iter().all(|engine| engine.elsewhere.is_none()));
    }

    #[test]
    fn wrong_names_and_a_lag_for_nobody_are_refused() {
        let mut engines = [engine("a", None), engine("b", None)];
        let mut said = |options: &Options| appoint(options, &mut engines, None).unwrap_err().to_string();
        assert!(said(&named(&["a", "c"])).contains("--elsewhere: there is no engine c; there are a, b"));
        let lag = Options { lag: Some("0.02".parse::<Seconds>().unwrap()), ..Options::default() };
        assert!(said(&lag).contains("--elsewhere"));
        let mut twice = [engine("x/a", None), engine("y/a", None)];
        assert!(appoint(&named(&["a"]), &mut twice, None).unwrap_err().to_string().contains("2 engines"));
    }

    #[test]
    fn an_engine_that_was_appointed_keeps_what_is_known_of_it() {
        let mut engines = [engine("a", None)];
        appoint_known(&named(&["a", "gone"]), &mut engines);
        let before = engines[0].elsewhere.clone().unwrap();
        appoint_known(&named(&["a"]), &mut engines);
        assert!(Arc::ptr_eq(&before, engines[0].elsewhere.as_ref().unwrap()));
    }
}
