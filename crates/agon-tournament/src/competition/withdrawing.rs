//! An engine withdraws from a run: what is asked for by a command or by the key `withdrawn` of a
//! file, and what is refused.

use std::path::Path;
use std::time::SystemTime;

use agon_config::Misuse;
use agon_config::stages::WithdrawnFile;
use agon_printable::{clean, quoted};
use agon_programs::program::display_path;
use agon_record::escaped_why;
use agon_standings::scoring::Scoring;
use agon_standings::stage::Format;
use agon_standings::withdrawals::WithdrawalRule;
use agon_store::inside::Ran;
use agon_store::lock::Lock;
use agon_store::{EngineRounds, Store, StoredWithdrawal, Withdrawals};

use super::gone::GoneEngine;
use super::looked::{self, LookedRun};
use super::replacing;

/// A rule as it was asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReplacingRule {
    /// What becomes of the games.
    pub rule: WithdrawalRule,
    /// Who plays in its place, if somebody does.
    pub by: Option<String>,
}

/// What becomes of the games, by the name of the rule.
///
/// # Errors
/// [`Misuse`] if there is no such rule.
pub fn rule(text: Option<&str>) -> anyhow::Result<ReplacingRule> {
    let text = text.unwrap_or(WithdrawalRule::Forfeit.name());
    if let Some(name) = text.strip_prefix("replaced by ").map(str::trim).filter(|name| !name.is_empty()) {
        return Ok(ReplacingRule { rule: WithdrawalRule::Forfeit, by: Some(name.to_owned()) });
    }
    let rule = text.parse().map_err(|why: String| {
        Misuse::hinted(format!("rule: {why}, and 'replaced by NAME'"), "give one of them")
    })?;
    Ok(ReplacingRule { rule, by: None })
}

/// The first round without the engine: a number, `round 3`, or now.
///
/// # Errors
/// [`Misuse`] if it is no round, or has been played.
pub fn from(text: Option<&str>, engine: &str, rounds: &EngineRounds) -> anyhow::Result<u32> {
    let Some(text) = text.filter(|text| *text != "now") else { return Ok(rounds.next) };
    let Some(from) = round_in(text) else {
        return Err(Misuse::hinted(
            format!("from: {} is no round", quoted(text)),
            "write a number such as 3, or 'round 3', or now",
        ));
    };
    let next = rounds.next;
    let hint = match rounds.last {
        Some(last) if next > last => "it has played all of its games here; leave the round out".to_owned(),
        Some(last) => format!("its next round is {next} of {last}"),
        None => format!("its next round is {next}"),
    };
    if from < next {
        return Err(Misuse::hinted(format!("from: {} has played round {from} already", clean(engine)), hint));
    }
    if rounds.last.is_some_and(|last| from > last) || rounds.last.is_none() && from > next {
        return Err(Misuse::hinted(format!("from: there is no round {from}"), hint));
    }
    Ok(from)
}

/// A withdrawal of an engine that has not withdrawn.
///
/// # Errors
/// [`Misuse`] if the format does not have it, or as [`from`].
pub fn made(
    store: &Store,
    engine: &str,
    rounds: &EngineRounds,
    (asked, rule): (Option<&str>, ReplacingRule),
    why: &str,
) -> anyhow::Result<StoredWithdrawal> {
    let run = store.runs()?.pop();
    if let Some(run) = &run {
        refuse_unfit(store, run, rule.rule)?;
    }
    if rule.rule == WithdrawalRule::Expunge && asked.is_some_and(|from| from != "now") {
        return Err(Misuse::hinted(
            "rule expunge: none of its games count, whatever the round",
            "leave the round out",
        ));
    }
    let from = from(asked, engine, rounds)?;
    let after_all = rounds.last.is_some_and(|last| from > last);
    // A match that was begun is not handed on, and a round that was paired is.
    let unpaired = from.max(if rule.by.is_some() { rounds.own } else { rounds.played } + 1);
    if let (Some(by), Some(run)) = (&rule.by, &run) {
        replacing::refuse(store, run, (engine, by), rounds, unpaired)?;
    }
    Ok(StoredWithdrawal {
        engine: engine.to_owned(),
        from,
        unpaired,
        after_all,
        rule: Some(rule.rule),
        by: rule.by,
        never_came: false,
        why: why.to_owned(),
        // The database has nanoseconds.
        decided: SystemTime::now().into(),
    })
}

/// Refuses a run that is over, unless a later stage follows from it.
///
/// # Errors
/// [`Misuse`].
pub fn refuse_late(store: &Store, run: &LookedRun, has_later: bool) -> anyhow::Result<()> {
    let goes_on = store.stage()?.is_some_and(|(spec, _)| !spec.later.is_empty());
    let place = display_path(&run.path);
    if has_later {
        return Err(Misuse::hinted(
            format!("{place}: it is over, and later stages or nights have begun"),
            "leave out --stage: an engine withdraws where it plays",
        ));
    }
    if !goes_on && store.is_over()? {
        let hint = match run.is_night() {
            true => "take its program out of the folder before the next night",
            false => "agon decide changes the result of a game",
        };
        return Err(Misuse::hinted(
            format!("{place}: it is over, so that no withdrawal can be made or taken back"),
            hint,
        ));
    }
    Ok(())
}

/// Refuses what a format does not have.
fn refuse_unfit(store: &Store, run: &Ran, rule: WithdrawalRule) -> anyhow::Result<()> {
    let format = store.stage()?.map(|(spec, _)| spec.format);
    if store.until()?.is_some() {
        return Err(Misuse::hinted(
            "nobody withdraws from a run for a question: it is about the score against all of these engines",
            "take its program out of the folder, and give the same command: a run without it begins, in which games \
             of the others that are chosen again count",
        ));
    }
    if format.is_none() && run.drawn.is_some() {
        return Err(Misuse::hinted(
            "nobody withdraws from a match or from a Swiss by tables",
            "stop it; what was played is kept",
        ));
    }
    if !store.parts_here()?.is_empty() {
        return Err(in_a_part());
    }
    if store.tables()?.seats > 2 || run.points == Scoring::Sum {
        return Err(Misuse::hinted(
            "a game that is not played gives no result with more than two seats or with summed scores",
            "give another directory with --out for a tournament without it",
        ));
    }
    let name = match format {
        Some(Format::Swiss { .. }) => "Swiss",
        Some(Format::Knockout { .. }) => "knockout",
        Some(Format::RoundRobin { .. } | Format::Gauntlet { .. }) | None => return Ok(()),
    };
    if rule == WithdrawalRule::Expunge {
        return Err(Misuse::hinted(
            format!("rule expunge: in a {name} others would have played rounds for nothing"),
            "give the rule forfeit, and decide about single games with agon decide",
        ));
    }
    Ok(())
}

fn in_a_part() -> anyhow::Error {
    Misuse::hinted(
        "this is a part of a run, and the other parts would not know of it",
        "merge the parts, and withdraw in the directory that they are merged into",
    )
}

/// Refuses the entries of the key `withdrawn` before a part begins in this directory.
///
/// # Errors
/// [`Misuse`] with file, line and key.
pub(crate) fn refuse_in_part(asked: &[WithdrawnFile], path: &Path) -> anyhow::Result<()> {
    match asked.first() {
        Some(one) if !Store::is_in(path) => Err(placed(one, "from", in_a_part())),
        _ => Ok(()),
    }
}

/// An error about an entry of the key, with file, line and key.
pub(super) fn placed(one: &WithdrawnFile, key: &str, error: anyhow::Error) -> anyhow::Error {
    match error.downcast::<Misuse>() {
        Ok(Misuse { what, hint }) => {
            let key = if one.lines.has(key) { key } else { "engine" };
            Misuse { what: format!("{}: {what}", one.lines.place(&[key])), hint }.into()
        }
        Err(error) => error,
    }
}

fn unknown(one: &WithdrawnFile, names: &[String]) -> anyhow::Error {
    let names: Vec<String> = names.iter().map(|name| clean(name)).collect();
    let what = format!("there is no engine {}", quoted(&one.engine));
    placed(one, "engine", Misuse::hinted(what, format!("there are {}", names.join(", "))))
}

/// Checks the entries of the key `withdrawn` before a run begins in this directory, whose engines
/// have these names, and which has so many rounds.
///
/// # Errors
/// [`Misuse`] with file, line and key.
pub fn check(
    asked: &[WithdrawnFile],
    path: &Path,
    names: &[String],
    last: impl FnOnce() -> Option<u32>,
) -> anyhow::Result<()> {
    if asked.is_empty() || Store::is_in(path) && Store::seed_in(path)?.is_some() {
        return Ok(());
    }
    let rounds = EngineRounds { next: 1, last: last(), ..EngineRounds::default() };
    for one in asked {
        let rule = rule(one.rule.as_deref()).map_err(|error| placed(one, "rule", error))?;
        if let Some(by) = rule.by {
            let what = format!("nothing was played yet, so that {} has nobody to replace", clean(&by));
            let hint =
                "let one of the two be among the engines, and name the other one when the run has begun";
            return Err(placed(one, "rule", Misuse::hinted(what, hint)));
        }
        if !names.contains(&one.engine) {
            return Err(unknown(one, names));
        }
        let from = from(one.from.as_deref(), &one.engine, &rounds);
        from.map_err(|error| placed(one, "from", error))?;
    }
    Ok(())
}

/// The entries of the key `withdrawn` that a database does not have yet are noted in it. Returns
/// what was noted, in words. An engine that did not come so far is passed over.
///
/// # Errors
/// [`Misuse`] with file, line and key; or the database cannot be written.
pub fn note(asked: &[WithdrawnFile], store: &mut Store, path: &Path) -> anyhow::Result<Vec<String>> {
    let mut said = Vec::new();
    for one in asked {
        let engine = &one.engine;
        let placed = |key: &str, error: anyhow::Error| placed(one, key, error);
        let rule = rule(one.rule.as_deref()).map_err(|error| placed("rule", error))?;
        let Some(rounds) = store.rounds_of(engine)? else {
            if has_played_before(engine, path)? {
                if store.stage()?.is_some_and(|(stage, _)| stage.is_night()) {
                    said.extend(note_of_night(one, rule, store, path)?);
                }
                continue;
            }
            return Err(unknown(one, &store.entrants()?));
        };
        if let Some(there) = store.withdrawn()?.of_engine(engine) {
            refuse_another(one, there)?;
            continue;
        }
        let looked = LookedRun { path: path.to_owned(), number: None };
        refuse_late(store, &looked, false).map_err(|error| placed("engine", error))?;
        let asked = (one.from.as_deref(), rule);
        let made =
            made(store, engine, &rounds, asked, &why_of(one)).map_err(|error| placed("from", error))?;
        store.withdraw(&made, true)?;
        said.push(format!("{}: {}", made.words(), made.why));
    }
    Ok(said)
}

/// Notes in a night that it is the first one without an engine, as the file says. Returns that in
/// words; nothing if it was noted in a night before.
fn note_of_night(
    one: &WithdrawnFile,
    rule: ReplacingRule,
    store: &mut Store,
    path: &Path,
) -> anyhow::Result<Option<String>> {
    if let Some(there) = store.withdrawn()?.of_engine(&one.engine) {
        refuse_another(one, there)?;
        return Ok(None);
    }
    if !plays_no_round(one) {
        return Ok(None);
    }
    for before in path.parent().map(looked::parts).unwrap_or_default() {
        if before.path == path {
            break;
        }
        if Store::read(&before.path)?.withdrawn()?.of_engine(&one.engine).is_some() {
            return Ok(None);
        }
    }
    if let Some(by) = &rule.by {
        replacing::refuse_not_begun(by, &one.engine, store).map_err(|error| placed(one, "rule", error))?;
    }
    let made = StoredWithdrawal {
        engine: one.engine.clone(),
        from: 0,
        unpaired: 0,
        after_all: false,
        rule: Some(rule.rule),
        by: rule.by,
        never_came: false,
        why: why_of(one),
        decided: SystemTime::now().into(),
    };
    store.withdraw(&made, true)?;
    Ok(Some(format!("{}: {}", made.words(), made.why)))
}

/// The reason of an entry.
fn why_of(one: &WithdrawnFile) -> String {
    let why = escaped_why(one.why.as_deref().unwrap_or_default());
    if why.is_empty() { "the file of the tournament says so".to_owned() } else { why }
}

/// Refuses an entry that says something else than what was noted of this engine.
fn refuse_another(one: &WithdrawnFile, there: &StoredWithdrawal) -> anyhow::Result<()> {
    let Some(key) = changed_key(one, there) else { return Ok(()) };
    let what = format!(
        "{} has withdrawn already: {}: {}",
        clean(&one.engine),
        clean(&there.words()),
        clean(&there.why)
    );
    Err(placed(one, key, Misuse::hinted(what, "write what was noted, or leave the key out")))
}

/// The key of an entry that says something else than what was noted.
fn changed_key(one: &WithdrawnFile, there: &StoredWithdrawal) -> Option<&'static str> {
    let is_another_rule = one.rule.as_ref().is_some_and(|own| there.rule_text().as_ref() != Some(own));
    let is_another_round =
        one.from.as_deref().and_then(round_in).is_some_and(|from| from != there.from.max(1));
    let is_another_reason =
        one.why.as_deref().map(escaped_why).is_some_and(|why| !why.is_empty() && why != there.why);
    [(is_another_rule, "rule"), (is_another_round, "from"), (is_another_reason, "why")]
        .into_iter()
        .find_map(|(is_another, key)| is_another.then_some(key))
}

/// Checks entries against what was noted in a night that is over.
///
/// # Errors
/// [`Misuse`] with file, line and key: one says something else.
pub(crate) fn agree_with(asked: &[WithdrawnFile], night: &Store) -> anyhow::Result<()> {
    let withdrawn = night.withdrawn()?;
    for one in asked {
        rule(one.rule.as_deref()).map_err(|error| placed(one, "rule", error))?;
        withdrawn.of_engine(&one.engine).map_or(Ok(()), |there| refuse_another(one, there))?;
    }
    Ok(())
}

/// Whether the engine of an entry plays no round of a run that has not begun.
pub(crate) fn plays_no_round(one: &WithdrawnFile) -> bool {
    one.from.as_deref().is_none_or(|from| from == "now" || round_in(from) == Some(1))
}

/// The number of a round: `3`, or `round 3`.
fn round_in(text: &str) -> Option<u32> {
    text.strip_prefix("round ").unwrap_or(text).trim().parse().ok()
}

/// Whether an engine has played in an earlier stage or night.
fn has_played_before(engine: &str, path: &Path) -> anyhow::Result<bool> {
    for before in path.parent().map(looked::parts).unwrap_or_default() {
        if before.path == path {
            break;
        }
        if Store::read(&before.path)?.names()?.iter().any(|name| name == engine) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Notes of engines that are gone that they play nothing from an earlier round on, if games of
/// that round are missing: an opponent whose program has changed plays again, and they do not.
///
/// # Errors
/// Errors of the database.
pub(crate) fn note_earlier(store: &mut Store, gone: &[GoneEngine]) -> anyhow::Result<()> {
    for name in gone.iter().map(|one| one.player.name.as_str()) {
        let Some(made) = store.withdrawn()?.of_engine(name).cloned() else { continue };
        let next = store.rounds_of(name)?.map_or(made.from, |rounds| rounds.next);
        if next < made.from {
            // The database has nanoseconds.
            store.withdraw(
                &StoredWithdrawal { from: next, after_all: false, decided: SystemTime::now().into(), ..made },
                true,
            )?;
        }
    }
    Ok(())
}

/// The same for the run in this directory, if one has begun there and is not over. The engines that
/// are there have these names.
///
/// # Errors
/// As [`note`].
pub(crate) fn note_in(asked: &[WithdrawnFile], path: &Path, names: &[String]) -> anyhow::Result<()> {
    if asked.is_empty() || !Store::is_in(path) || Store::seed_in(path)?.is_none() {
        return Ok(());
    }
    let is_noted = |withdrawn: &Withdrawals| {
        let is_as_noted = |one: &WithdrawnFile| {
            withdrawn.of_engine(&one.engine).is_some_and(|there| changed_key(one, there).is_none())
        };
        asked.iter().all(is_as_noted)
    };
    let withdrawn = Store::read(path)?.withdrawn()?;
    if !is_noted(&withdrawn) {
        for one in asked.iter().filter(|one| withdrawn.of_engine(&one.engine).is_none()) {
            if let Some(by) = rule(one.rule.as_deref()).ok().and_then(|rule| rule.by) {
                replacing::refuse_unknown(&by, &one.engine, names)
                    .map_err(|error| placed(one, "rule", error))?;
            }
        }
        let _lock = Lock::take(path)?;
        note(asked, &mut Store::open(path)?, path)?;
    }
    Ok(())
}
