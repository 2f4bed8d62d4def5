//! From what a `tournament.toml` says about stages to stages that can be played, and to the words about what does
//! not fit.

use std::path::{Path, PathBuf};

use agon_standings::cup::{self, CupStage, Misfit, Shape};
use agon_standings::points::Points;
use agon_standings::stage::{Format, StageRules};
use toml::Spanned;

use crate::config::stages::{CupFile, StageFile};
use crate::config::{Misuse, Options};

/// The stages of a file.
pub(super) fn of_file(file: &CupFile, options: &Options, points: Points) -> anyhow::Result<Vec<CupStage>> {
    if file.stages.is_empty() {
        return Err(Misuse::hinted(
            format!("{}: key stages: there is no stage", file.shown),
            "write a section [[stages]] for each",
        ));
    }
    let games = options.games()?;
    (0..file.stages.len()).map(|number| stage(file, number, games, points)).collect()
}

fn stage(file: &CupFile, number: usize, games: u32, points: Points) -> anyhow::Result<CupStage> {
    let written: &StageFile = &file.stages[number];
    let of = |value: &Option<Spanned<u32>>, usual| value.as_ref().map_or(usual, |value| *value.get_ref());
    let name =
        written.name.as_ref().map_or_else(|| format!("stage {}", number + 1), |name| name.get_ref().clone());
    let text = written.format.as_ref().map_or("round robin", |format| format.get_ref().as_str());
    let cycles = of(&written.cycles, if text == "double round robin" { 2 } else { 1 });
    let format = match text {
        "round robin" | "double round robin" | "finals" => Format::RoundRobin { cycles },
        "gauntlet" => {
            Format::Gauntlet { leaders: written.leaders.as_ref().map_or(1, |leaders| *leaders.get_ref()) }
        }
        "knockout" => Format::Knockout {
            third_place: written.third_place.as_ref().is_none_or(|third| *third.get_ref()),
        },
        "swiss" => match &written.rounds {
            Some(rounds) => Format::Swiss { rounds: *rounds.get_ref() },
            None => {
                return Err(file.misuse(number, "rounds", "is missing; say how many rounds the Swiss has"));
            }
        },
        other => {
            let why = format!(
                "there is no format {other:?}; there are round robin, double round robin, gauntlet, knockout, swiss and \
                 finals"
            );
            return Err(file.misuse(number, "format", &why));
        }
    };
    let shape = match (text, &written.groups) {
        ("finals", None) => Shape::Finals,
        ("finals", Some(_)) => {
            return Err(file.misuse(number, "groups", "finals make their own groups, of two"));
        }
        (_, groups) => Shape::Groups(groups.as_ref().map_or(1, |groups| *groups.get_ref())),
    };
    let listed = match written.draw.as_ref().map(|draw| draw.get_ref().as_str()) {
        // The first of a group has the first seed of a knockout: who came first stands first.
        None => matches!(format, Format::Knockout { .. } | Format::Gauntlet { .. }) && number > 0,
        Some("lot") => false,
        Some("listed") => true,
        Some(other) => {
            return Err(file.misuse(
                number,
                "draw",
                &format!("there is no draw {other:?}; there are lot and listed"),
            ));
        }
    };
    let games = of(&written.games, games);
    let play_off_games = of(&written.play_off_games, 2);
    for (key, games) in [("games", games), ("play-off-games", play_off_games)] {
        if games == 0 || games % 2 == 1 {
            let why = format!("{games} games do not balance the sides; give an even number like 2 or 10");
            return Err(file.misuse(number, key, &why));
        }
    }
    let play_offs = of(&written.play_offs, 2);
    if play_offs > 100 {
        return Err(file.misuse(number, "play-offs", "so many play-offs would never end; give 100 at most"));
    }
    let rules = StageRules { format, games, play_off_games, play_offs, points };
    let advance = written.advance.as_ref().map(|advance| *advance.get_ref());
    Ok(CupStage { name, rules, shape, advance, listed })
}

/// The directories of the stages.
pub(super) fn directories(file: &CupFile, root: &Path) -> Vec<PathBuf> {
    let directory = |number: usize| match file.is_staged {
        true => root.join(format!("stage-{}", number + 1)),
        false => root.to_owned(),
    };
    (0..file.stages.len()).map(directory).collect()
}

/// How many entrants each stage has.
///
/// # Errors
/// [`crate::config::Misuse`], which names the line of what does not fit.
pub(super) fn counts(file: &CupFile, stages: &[CupStage], entrants: usize) -> anyhow::Result<Vec<usize>> {
    cup::check(stages, entrants).map_err(|Misfit { stage, key, why }| file.misuse(stage, key, &why))
}

/// The pots of the first stage: each seed alone, then everybody else.
///
/// # Errors
/// [`crate::config::Misuse`] for a seed that nobody of that name can be.
pub(super) fn first_pots(file: &CupFile, names: &[String]) -> anyhow::Result<Vec<Vec<String>>> {
    let mut pots: Vec<Vec<String>> = Vec::new();
    for seed in &file.seeds {
        let name = seed.get_ref();
        let why = if !names.contains(name) {
            format!("there is no engine {name:?}; there are {}", names.join(", "))
        } else if pots.iter().flatten().any(|other| other == name) {
            format!("{name:?} stands there twice")
        } else {
            pots.push(vec![name.clone()]);
            continue;
        };
        return Err(file.misuse_of_seeds(&why));
    }
    let others = names.iter().filter(|name| !pots.iter().flatten().any(|seed| seed == *name));
    let others: Vec<String> = others.cloned().collect();
    pots.push(others);
    Ok(pots)
}
