//! What `agon merge` has to know of the stages of a cup and of a Swiss, whose games follow from
//! results.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use agon_config::Misuse;
use agon_programs::program::display_path;
use agon_standings::withdrawals::{Absence, Successor};
use agon_store::inside::Ran;
use agon_store::ranking::RankingSpec;
use agon_store::{Store, draws_rounds};
use agon_tournament::competition::looked::{self, LookedRun};

/// The stages that have begun in a directory; none if it holds one run, or the nights of a league.
fn stages_in(directory: &Path) -> Vec<LookedRun> {
    if Store::is_in(directory) {
        return Vec::new();
    }
    let mut parts = looked::parts(directory);
    parts.retain(|part| !part.is_night());
    parts
}

/// The directories of the stages that are merged, in their order, each with those of its parts;
/// none if the parts are of single runs.
///
/// # Errors
/// [`Misuse`] if stages and single runs are given together.
pub(super) fn of(directory: &Path, parts: &[PathBuf]) -> anyhow::Result<Vec<(PathBuf, Vec<PathBuf>)>> {
    let found: Vec<Vec<LookedRun>> = parts.iter().map(|part| stages_in(part)).collect();
    let Some(staged) = found.iter().position(|stages| !stages.is_empty()) else {
        if stages_in(directory).is_empty() || !parts.iter().any(|part| Store::is_in(part)) {
            return Ok(Vec::new());
        }
        return Err(unlike(
            directory,
            &parts[0],
            "give another directory first, or the parts of these stages",
        ));
    };
    let staged = &parts[staged];
    for (part, stages) in parts.iter().zip(&found) {
        if part == Path::new("-") {
            return Err(Misuse::hinted(
                "-: the stages of a cup do not come through a pipe",
                "copy the directories of the parts here, and give them",
            ));
        }
        if stages.is_empty() && Store::is_in(part) {
            return Err(unlike(staged, part, "merge the parts of one tournament"));
        }
        if stages.is_empty() {
            return Err(Misuse::hinted(
                format!("{}: there is no run in it", display_path(part)),
                "give the directories that agon tournament --part has made",
            ));
        }
    }
    if Store::is_in(directory) {
        return Err(unlike(staged, directory, "give another directory first"));
    }
    let mut all: BTreeMap<usize, (OsString, Vec<PathBuf>)> = BTreeMap::new();
    for stage in found.into_iter().flatten() {
        if let (Some(number), Some(name)) = (stage.number, stage.path.file_name()) {
            all.entry(number).or_insert_with(|| (name.to_owned(), Vec::new())).1.push(stage.path);
        }
    }
    Ok(all.into_values().map(|(name, parts)| (directory.join(name), parts)).collect())
}

fn unlike(staged: &Path, single: &Path, hint: &str) -> anyhow::Error {
    let (staged, single) = (display_path(staged), display_path(single));
    Misuse::hinted(format!("{single} holds one run, and {staged} the stages of a cup"), hint)
}

/// Checks that a part draws its games as the run that takes it in, and that no engine has left it
/// which plays on here.
///
/// # Errors
/// It does not.
pub(super) fn is_drawn_alike(own: (&Store, &Ran), part: (&Store, &Ran)) -> anyhow::Result<()> {
    let (here, there) = (own.0.ranking()?.unwrap_or_default(), part.0.ranking()?.unwrap_or_default());
    let names = |run: &Ran| run.players.iter().map(|player| player.name.clone()).collect::<Vec<_>>();
    let mut wrong = differences(&here, &there);
    if wrong.is_empty() && names(own.1) != names(part.1) {
        let noted = |store: &Store| Ok(store.withdrawn()?.sentences().collect());
        let (here, there): (anyhow::Result<Vec<String>>, _) = (noted(own.0), noted(part.0));
        wrong.push(match here? == there? {
            true => "the draw of its groups differs",
            false => {
                "the draw of its groups differs, as one of the two directories does not know who has withdrawn \
                 or joined; make the directory of the part anew with agon merge"
            }
        });
    }
    anyhow::ensure!(wrong.is_empty(), "it is part of another run: {}", wrong.join(", "));
    let (own, part) = (own.1, part.1);
    // The part may still wait for one that plays here already.
    let is_known = |one: &Absence| {
        own.absences.iter().any(|known| {
            let successor = if one.successor == Successor::Awaited { known.successor } else { one.successor };
            *known == Absence { successor, ..*one }
        })
    };
    let is_known = part.absences.iter().all(is_known)
        && part.late.iter().all(|one| own.late.contains(one))
        && part.closing.is_none_or(|closing| own.closing == Some(closing));
    anyhow::ensure!(
        is_known,
        "an engine has withdrawn or joined there, or the run was closed, and this directory does not know of it; \
         merge this directory into that one, then remove it and merge again"
    );
    Ok(())
}

/// What differs in the formats of two stages.
fn differences(here: &RankingSpec, there: &RankingSpec) -> Vec<&'static str> {
    let (Some(one), Some(other)) = (&here.stage, &there.stage) else {
        return if here == there { Vec::new() } else { vec!["its format differs"] };
    };
    let found = [
        ("the name of its stage differs", one.name != other.name),
        ("its format differs", one.format != other.format),
        ("its number of games differs", one.games != other.games),
        ("its groups differ", one.sizes != other.sizes || one.titles != other.titles),
        ("the number of those who go on differs", one.cuts != other.cuts),
        (
            "its play-offs differ",
            (one.play_offs, one.play_off_games) != (other.play_offs, other.play_off_games),
        ),
        ("what follows it differs", one.later != other.later),
        ("its tie-breaks differ", here.tiebreaks != there.tiebreaks),
    ];
    found.into_iter().filter(|(_, differs)| *differs).map(|(what, _)| what).collect()
}

/// The rounds that are known of a run whose games follow from results, in words, and whether its
/// stage is over; empty of any other run.
pub(super) struct KnownRounds {
    /// ` of the rounds 1 to 2`, or ` with the play-offs that are known`.
    pub(super) rounds: String,
    /// `; groups is over`.
    pub(super) end: String,
    /// What plays the games that are missing, besides a run without parts.
    pub(super) by_parts: &'static str,
}

impl KnownRounds {
    pub(super) fn of(store: &Store) -> anyhow::Result<Self> {
        let stage = store.stage()?;
        let mut known = KnownRounds { rounds: String::new(), end: String::new(), by_parts: "" };
        if let Some((spec, stage)) = &stage
            && stage.progress.result.is_some()
        {
            known.end = format!("; {} is over", agon_printable::clean(&spec.name));
            return Ok(known);
        }
        let has_rounds = stage.is_none_or(|(spec, _)| draws_rounds(spec.format));
        let Some(drawn) = store.runs()?.pop().and_then(|run| run.drawn) else { return Ok(known) };
        let has_play_offs = drawn.matches().iter().any(|one| one.play_off > 0);
        known.rounds = match drawn.last_round().filter(|_| has_rounds) {
            None if has_play_offs => " with the play-offs that are known".to_owned(),
            None => return Ok(known),
            Some(1) => " of round 1".to_owned(),
            Some(last) => format!(" of the rounds 1 to {last}"),
        };
        known.by_parts = ", and so do the parts when this is merged into each of them";
        Ok(known)
    }
}
