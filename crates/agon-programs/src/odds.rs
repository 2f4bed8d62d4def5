//! What single engines have instead of what the others have, and how far all may search.

use agon_config::Options;
use agon_printable::{escape, meant};
use agon_protocol::Protocol;
use agon_seats::SearchLimits;

use super::spec::EngineSpec;

/// Gives engines the odds of the options, besides those that they have.
///
/// # Errors
/// [`Misuse`](agon_config::Misuse): there is no such engine, it cannot be told a limit, or the same
/// is given to it twice.
pub fn give(options: &Options, entrants: &mut [EngineSpec]) -> anyhow::Result<()> {
    for time in &options.time {
        let Some(engine) = entrants.iter_mut().find(|entrant| entrant.name == time.engine) else {
            let name = escape(time.engine.as_bytes(), 60);
            let names: Vec<&str> = entrants.iter().map(|entrant| entrant.name.as_str()).collect();
            let meant = meant(&time.engine, names.iter().copied());
            let why = format!("there is no engine {name}; {meant}there are {}", names.join(", "));
            return Err(options.misuse("time", "", &why));
        };
        let odds = engine.odds.and(time.odds);
        engine.odds = odds.map_err(|why| options.misuse("time", "", &format!("{} {why}", engine.name)))?;
    }
    for engine in entrants {
        if let Some((limit, _)) = engine.odds.search.given().next() {
            can_be_told(engine, limit).map_err(|why| options.misuse("time", "", &why))?;
        }
    }
    Ok(())
}

/// How far all engines may search.
///
/// # Errors
/// [`Misuse`](agon_config::Misuse): one of them cannot be told.
pub fn search_of_all(options: &Options, entrants: &[EngineSpec]) -> anyhow::Result<SearchLimits> {
    let search = options.search()?;
    if let Some((name, _)) = search.given().next() {
        for engine in entrants {
            can_be_told(engine, name).map_err(|why| options.misuse(name, "", &why))?;
        }
    }
    Ok(search)
}

/// Refuses a limit of the search, by its name, for an engine whose protocol has no word for it.
fn can_be_told(engine: &EngineSpec, limit: &str) -> Result<(), String> {
    if engine.protocol.is_ugi() {
        return Ok(());
    }
    let (name, protocol) = (&engine.name, engine.protocol.name());
    // A program alone says nothing of its protocol: the game decides.
    let is_alone = engine.source == engine.program && engine.protocol == Protocol::Lines;
    let chess = if is_alone { "; with --game chess a program without an engine.toml speaks uci" } else { "" };
    Err(format!(
        "{name} speaks the protocol {protocol}, which cannot tell it; leave {limit} out, or give engines that \
         speak ugi{chess}"
    ))
}
