//! The engines besides those of a folder: those of `--also`, and the tables `[[engine]]` of a
//! `tournament.toml`.

use std::path::{Path, PathBuf};

use agon_config::{EntrantFile, Misuse, Options};
use agon_programs::program::display_path;
use agon_programs::settings::EngineSettings;
use agon_programs::spec::EngineSpec;
use agon_seats::Odds;

use super::{BuildPlace, EngineBuilder, USUAL_RESULTS, found_or_kept, make_ready, misuse, program_at};

/// The engines of `--also`, as [`found_or_kept`] finds each, and the `entries` of a
/// `tournament.toml`.
///
/// # Errors
/// [`Misuse`] if one is not there.
pub fn also_named(options: &Options, entries: &[EntrantFile]) -> anyhow::Result<Vec<EngineSpec>> {
    let results = options.out.as_deref().unwrap_or(Path::new(USUAL_RESULTS));
    let found =
        |path: &PathBuf| found_or_kept(path, results).map_err(|error| options.placed(&["also"], error));
    let mut engines: Vec<EngineSpec> =
        entries.iter().map(|entry| of_entry(entry, results)).collect::<anyhow::Result<_>>()?;
    for path in &options.also {
        engines.push(EngineSpec {
            named_at: Some(options.place_of("also", display_path(path)).into()),
            ..found(path)?
        });
    }
    Ok(engines)
}

/// The same engines, ready to start.
///
/// # Errors
/// As [`one`](super::one).
pub fn also(
    options: &Options,
    entries: &[EntrantFile],
    builder: &EngineBuilder<'_>,
) -> anyhow::Result<Vec<EngineSpec>> {
    let engines = also_named(options, entries)?;
    engines.iter().try_for_each(|engine| make_ready(engine, builder, BuildPlace::AsPlayed))?;
    Ok(engines)
}

/// Adds the engines of `--also` to those of a folder.
///
/// # Errors
/// [`Misuse`] if one has the name of another.
pub fn with_also(mut engines: Vec<EngineSpec>, also: &[EngineSpec]) -> anyhow::Result<Vec<EngineSpec>> {
    for engine in also {
        if let Some(rival) = engines.iter().find(|rival| rival.name == engine.name) {
            let place = engine.named_at.as_deref().unwrap_or("--also");
            let at = rival.named_at.as_ref().map(|place| format!(" ({place})")).unwrap_or_default();
            let hint = match place.starts_with("--") {
                true => "leave it out, or set another name in its engine.toml",
                false => "write another name for it with the key name, or leave it out",
            };
            return Err(Misuse::hinted(
                format!("{place}: the name {} is taken by {}{at}", engine.name, display_path(&rival.source)),
                hint,
            ));
        }
        engines.push(engine.clone());
    }
    Ok(engines)
}

/// Refuses `--also` where it has no meaning.
///
/// # Errors
/// [`Misuse`] if it is given.
pub fn refuse_also(options: &Options, hint: &str) -> anyhow::Result<()> {
    let Some(path) = options.also.first() else { return Ok(()) };
    let what =
        Misuse::hinted(format!("--also {}: there is no folder of engines here", display_path(path)), hint);
    Err(options.placed(&["also"], what))
}

/// The engine of a table `[[engine]]`.
fn of_entry(entry: &EntrantFile, results: &Path) -> anyhow::Result<EngineSpec> {
    let settings = EngineSettings::of_entry(entry);
    let program = program_at(&entry.program, results).map_err(|error| match error.downcast::<Misuse>() {
        Ok(Misuse { what, hint }) => Misuse { what: format!("{}: {what}", settings.place), hint }.into(),
        Err(other) => other,
    })?;
    let odds = entry.time.iter().try_fold(Odds::default(), |all, own| all.and(own.0));
    let odds = odds.map_err(|why| entry.lines.misuse("time", &why))?;
    let engine = settings.set(program).map_err(misuse)?;
    let key = if entry.name.is_some() { "name" } else { "program" };
    Ok(EngineSpec { odds, named_at: Some(entry.lines.place(&[key]).into()), ..engine })
}
