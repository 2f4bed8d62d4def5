//! An engine plays in the place of one that has withdrawn: what is refused.

use std::path::{Path, PathBuf};

use agon_config::Misuse;
use agon_config::stages::WithdrawnFile;
use agon_printable::{clean, quoted};
use agon_programs::program::display_path;
use agon_standings::stage::Format;
use agon_store::inside::Ran;
use agon_store::ranking::DerivedStage;
use agon_store::{EngineRounds, Store};

use super::looked;

/// Refuses who cannot play in the place of an engine from a round on.
///
/// # Errors
/// [`Misuse`], or the database cannot be read.
pub fn refuse(
    store: &Store,
    run: &Ran,
    (engine, by): (&str, &str),
    rounds: &EngineRounds,
    unpaired: u32,
) -> anyhow::Result<()> {
    let (own, other) = (clean(engine), clean(by));
    let refused = |what: String, hint: &str| Err(Misuse::hinted(format!("rule replaced by: {what}"), hint));
    let another = "name an engine that does not play here";
    if engine == by {
        return refused(format!("{own} cannot replace itself"), another);
    }
    let withdrawn = store.withdrawn()?;
    if withdrawn.of_engine(by).is_some() {
        return refused(format!("{other} has withdrawn itself"), another);
    }
    if let Some(part) = left_before(store, by)? {
        return refused(format!("{other} has withdrawn itself, in {part}"), another);
    }
    if run.players.iter().any(|player| player.name == by) {
        return refused(format!("{other} plays already"), another);
    }
    if let Some(there) = withdrawn.all().find(|made| made.by.as_deref() == Some(by)) {
        return refused(format!("{other} plays already in the place of {}", clean(&there.engine)), another);
    }
    let is_asked = store.asked_by()?.is_some_and(|asked| asked.what == "tournament");
    let Some((_, stage)) = store.stage()?.filter(|_| is_asked) else {
        return refused(
            "only in a tournament with the key format, with stages or in a league, as a plain round robin \
             plans all of its games when it begins"
                .to_owned(),
            "give the rule forfeit; a tournament with format = \"round robin\" has it",
        );
    };
    if stage.progress.result.is_some() || rounds.last.is_some_and(|last| unpaired > last) {
        return refused(
            format!("{own} has begun all of its matches, so that nothing is left for {other}"),
            "give the rule forfeit",
        );
    }
    let entrant = stage.field.names.iter().position(|name| name == engine);
    let Some(entrant) = entrant else { return Ok(()) };
    match stage.rules.format {
        Format::Gauntlet { leaders } => {
            let leads = |group: &Vec<usize>| group.iter().take(leaders).any(|one| *one == entrant);
            if stage.field.groups.iter().any(leads) {
                return refused(
                    format!("{own} leads the gauntlet, which is about its own games"),
                    "close the run with agon close, and begin another gauntlet with --out",
                );
            }
        }
        Format::Knockout { .. } => match fate(&stage, entrant) {
            Fate::Out => {
                return refused(
                    format!("{own} is out"),
                    "nothing is to be done; give the rule forfeit if a match for place 3 is to come",
                );
            }
            Fate::Begun => {
                return refused(
                    format!("{own} has begun its match, which is not handed on in a knockout"),
                    "let it end the match first, or give the rule forfeit",
                );
            }
            Fate::Waits => {}
        },
        Format::RoundRobin { .. } | Format::Swiss { .. } => {}
    }
    Ok(())
}

/// The earlier night or stage from which an engine has withdrawn, if there is one.
fn left_before(store: &Store, engine: &str) -> anyhow::Result<Option<String>> {
    let here = store.directory();
    for part in here.parent().map(looked::parts).unwrap_or_default() {
        if part.path == here {
            break;
        }
        let withdrawn = Store::read(&part.path)?.withdrawn()?;
        if withdrawn.of_engine(engine).is_some() {
            return Ok(Some(part.title()?.unwrap_or_else(|| display_path(&part.path))));
        }
    }
    Ok(None)
}

/// How far an entrant has come in a knockout.
enum Fate {
    /// It has lost a match.
    Out,
    /// Its match is under way.
    Begun,
    /// It waits for its next match.
    Waits,
}

fn fate(stage: &DerivedStage, entrant: usize) -> Fate {
    let own = stage.progress.duels.iter().filter(|duel| duel.entrants.contains(&Some(entrant)));
    let mut last = Fate::Waits;
    for duel in own {
        let Some(one) = duel.at.map(|at| stage.progress.matches[at]) else { continue };
        let has_begun = stage.scores.get(&one.pairing.pairing).is_some_and(|score| score.played() > 0);
        // One that is out may still have a match for the third place.
        last = match duel.winner {
            Some(winner) if winner != entrant => Fate::Out,
            None if has_begun => Fate::Begun,
            _ => Fate::Waits,
        };
    }
    last
}

/// Refuses an engine that is not there to play in the place of another one.
///
/// # Errors
/// [`Misuse`].
pub(crate) fn refuse_unknown(by: &str, engine: &str, names: &[String]) -> anyhow::Result<()> {
    if names.iter().any(|name| name == by) {
        return Ok(());
    }
    Err(Misuse::hinted(
        format!("there is no engine {} to play in the place of {}", quoted(by), clean(engine)),
        "put its program into the folder of engines",
    ))
}

/// Refuses an engine that the league has already to begin the next night in the place of another
/// one. `come` are those who begin so, and it is one of them then.
///
/// # Errors
/// [`Misuse`].
pub(crate) fn refuse_in_league(
    by: &str,
    before: &[DerivedStage],
    come: &mut Vec<String>,
) -> anyhow::Result<()> {
    let plays = before.last().is_some_and(|last| last.field.names.iter().any(|name| name == by));
    let what = if before.iter().any(|night| night.has_withdrawn(by)) {
        "has withdrawn itself"
    } else if plays || come.iter().any(|other| other == by) {
        "plays in the league already"
    } else {
        come.push(by.to_owned());
        return Ok(());
    };
    Err(Misuse::hinted(
        format!("rule replaced by: {} {what}", clean(by)),
        "name an engine that is new, or give the rule forfeit",
    ))
}

/// Refuses an engine that the file lets withdraw too before it has played.
///
/// # Errors
/// [`Misuse`].
pub(crate) fn refuse_leaving(by: &str, asked: &[WithdrawnFile]) -> anyhow::Result<()> {
    if !asked.iter().any(|other| other.engine == by) {
        return Ok(());
    }
    Err(Misuse::hinted(
        format!("rule replaced by: {} has withdrawn itself, as the file says", clean(by)),
        "name the engine that plays in the end",
    ))
}

/// Refuses to note that another engine has begun this night in the place of one, where it has not.
///
/// # Errors
/// [`Misuse`], or the database cannot be read.
pub(crate) fn refuse_not_begun(by: &str, engine: &str, store: &Store) -> anyhow::Result<()> {
    if store.entrants()?.iter().any(|name| name == by) {
        return Ok(());
    }
    Err(Misuse::hinted(
        format!("{} had left before this night began, which {} does not play", clean(engine), clean(by)),
        "give the rule forfeit; a new engine begins with the next night",
    ))
}

/// Those who play in the place of another one in the runs in these directories.
///
/// # Errors
/// A database cannot be read.
pub fn come(directories: &[PathBuf]) -> anyhow::Result<Vec<String>> {
    let mut found = Vec::new();
    for path in directories.iter().filter(|path| Store::is_in(path)) {
        let withdrawn = Store::read(path)?.withdrawn()?;
        found.extend(withdrawn.all().filter_map(|made| made.by.clone()));
    }
    Ok(found)
}

/// Refuses a part of a run in which an engine has not yet come that plays in the place of another
/// one, as the merged directory would not know its games.
///
/// # Errors
/// [`Misuse`], or the database cannot be read.
pub(crate) fn refuse_in_part(path: &Path) -> anyhow::Result<()> {
    if !Store::is_in(path) || Store::seed_in(path)?.is_none() {
        return Ok(());
    }
    let store = Store::read(path)?;
    let (withdrawn, there) = (store.withdrawn()?, store.entrants()?);
    let waits = withdrawn.all().find_map(|made| made.by.as_ref().filter(|by| !there.contains(by)));
    waits.map_or(Ok(()), |by| {
        Err(Misuse::hinted(
            format!("this is a part of a run, and {} has not played in its other parts", clean(by)),
            "go on in the merged directory, without --part",
        ))
    })
}

/// Refuses to go on with the run in this directory without an engine that is to play in the place
/// of another one.
///
/// # Errors
/// [`Misuse`], or the database cannot be read.
pub(crate) fn refuse_missing(path: &Path, names: &[String]) -> anyhow::Result<()> {
    if !Store::is_in(path) || Store::seed_in(path)?.is_none() {
        return Ok(());
    }
    let store = Store::read(path)?;
    let (withdrawn, there) = (store.withdrawn()?, store.entrants()?);
    if withdrawn.closing().is_some() {
        return Ok(());
    }
    for made in withdrawn.all() {
        let Some(by) = made.by.as_ref().filter(|by| !there.contains(by) && !names.contains(by)) else {
            continue;
        };
        return Err(Misuse::hinted(
            format!("there is no engine {} to play in the place of {}", quoted(by), clean(&made.engine)),
            format!(
                "put its program into the folder of engines, or take the withdrawal back: agon withdraw {} {} undo --why TEXT",
                display_path(path),
                clean(&made.engine)
            ),
        ));
    }
    Ok(())
}
