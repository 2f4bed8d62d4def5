//! From the stages of a `tournament.toml` to stages that can be played, or to an error about what
//! does not fit.

use std::path::{Path, PathBuf};

use agon_config::stages::{CupFile, StageFile};
use agon_config::{Misuse, Options};
use agon_match::hosted::GameRules;
use agon_printable::{clean, counted};
use agon_standings::cup::{self, CupStage, GroupShape, Misfit};
use agon_standings::points::Points;
use agon_standings::stage::{Field, Format, StageRules};

/// Refuses stages, leagues and classes in games with more than two seats: their matches are of two.
///
/// # Errors
/// [`Misuse`].
pub fn for_two(rules: &GameRules) -> anyhow::Result<()> {
    match rules.seats().len() {
        2 => Ok(()),
        seats => Err(Misuse::hinted(
            format!(
                "{} has {seats} seats, and the matches of stages, leagues and classes are of two",
                rules.spec()
            ),
            "play a tournament without stages, or a game of two seats with --seats 2",
        )),
    }
}

/// The stages of a file.
pub fn of_file(file: &CupFile, options: &Options, points: Points) -> anyhow::Result<Vec<CupStage>> {
    (0..file.stages.len()).map(|number| stage(file, number, options, points)).collect()
}

fn stage(file: &CupFile, number: usize, options: &Options, points: Points) -> anyhow::Result<CupStage> {
    let written: &StageFile = &file.stages[number];
    let name = written.name.clone().unwrap_or_else(|| format!("stage {}", number + 1));
    let text = written.format.as_deref().unwrap_or("round robin");
    let cycles = written.cycles.unwrap_or(if text == "double round robin" { 2 } else { 1 });
    let format = match text {
        "round robin" | "double round robin" | "finals" => Format::RoundRobin { cycles },
        "gauntlet" => Format::Gauntlet { leaders: written.leaders.unwrap_or(1) },
        "knockout" => Format::Knockout { third_place: written.third_place.unwrap_or(true) },
        "swiss" => match written.rounds {
            Some(rounds) => Format::Swiss { rounds },
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
    refuse_keys_of_others(file, number, text)?;
    let shape = match (text, written.groups) {
        ("finals", None) => GroupShape::Finals,
        ("finals", Some(_)) => {
            return Err(file.misuse(number, "groups", "finals make their own groups, of two"));
        }
        (_, groups) => GroupShape::Groups(groups.unwrap_or(1)),
    };
    let listed = match written.draw.as_deref() {
        // In a knockout the first of a group has the first seed.
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
    let games = written.games.unwrap_or(options.games()?);
    let play_off_games = written.play_off_games.unwrap_or(2);
    for (key, games) in [("games", games), ("play-off-games", play_off_games)] {
        if games == 0 || games % 2 == 1 {
            let why = format!("{games} games do not balance the sides; give an even number like 2 or 10");
            return Err(file.misuse(number, key, &why));
        }
    }
    if cycles > 1000 {
        return Err(file.misuse(number, "cycles", "so many cycles would never end; give 1000 at most"));
    }
    let play_offs = written.play_offs.unwrap_or(2);
    if play_offs > 100 {
        return Err(file.misuse(number, "play-offs", "so many play-offs would never end; give 100 at most"));
    }
    let tiebreaks = [&written.tiebreaks, &options.tiebreaks].into_iter().find(|list| !list.is_empty());
    let tiebreaks = tiebreaks.cloned().unwrap_or_else(|| format.tiebreaks());
    let rules = StageRules { format, games, play_off_games, play_offs, tiebreaks, points };
    Ok(CupStage { name, rules, shape, advance: written.advance, listed })
}

/// Refuses keys that mean nothing in the format of a stage.
fn refuse_keys_of_others(file: &CupFile, number: usize, format: &str) -> anyhow::Result<()> {
    let written: &StageFile = &file.stages[number];
    let is_round_robin = matches!(format, "round robin" | "double round robin" | "finals");
    for (key, is_given, is_right, of) in [
        ("rounds", written.rounds.is_some(), format == "swiss", "swiss"),
        ("leaders", written.leaders.is_some(), format == "gauntlet", "gauntlet"),
        ("third-place", written.third_place.is_some(), format == "knockout", "knockout"),
        ("cycles", written.cycles.is_some(), is_round_robin, "round robin"),
    ] {
        if is_given && !is_right {
            let why = format!("it is for the format {of}, and this one is {format}; leave it out");
            return Err(file.misuse(number, key, &why));
        }
    }
    Ok(())
}

/// A line for each group with its members.
pub fn groups(field: &Field<String>) -> String {
    let line = |(title, group): (&String, &Vec<usize>)| {
        let names: Vec<String> = group.iter().map(|entrant| clean(&field.names[*entrant])).collect();
        format!("{}: {}\n", clean(title), names.join(", "))
    };
    field.titles.iter().zip(&field.groups).map(line).collect()
}

/// The directories of the stages.
pub fn directories(file: &CupFile, root: &Path) -> Vec<PathBuf> {
    let directory = |number: usize| match file.is_staged {
        true => root.join(format!("stage-{}", number + 1)),
        false => root.to_owned(),
    };
    (0..file.stages.len()).map(directory).collect()
}

/// The number of entrants in each stage.
///
/// # Errors
/// [`agon_config::Misuse`], which names the line of the key that does not fit.
pub fn counts(file: &CupFile, stages: &[CupStage], entrants: usize) -> anyhow::Result<Vec<usize>> {
    cup::check(stages, entrants).map_err(|Misfit { stage, key, why }| file.misuse(stage, key, &why))
}

/// The stages of a tournament of pairings, and who enters the first one.
pub struct PairedStages {
    /// The stages; a tournament without any is a round robin of all.
    pub stages: Vec<CupStage>,
    /// The entrants of the first stage: a pot for each seed, then all others.
    pub pots: Vec<Vec<String>>,
    /// The number of entrants in each stage.
    pub counts: Vec<usize>,
}

/// The stages for entrants with these names.
///
/// # Errors
/// [`agon_config::Misuse`] about a key that does not fit, with its line.
pub fn paired(
    cup: Option<&CupFile>,
    options: &Options,
    mut names: Vec<String>,
) -> anyhow::Result<PairedStages> {
    let points = super::settings::points(options)?;
    if let Some(file) = cup {
        names.sort();
        let stages = of_file(file, options, points)?;
        let counts = counts(file, &stages, names.len())?;
        return Ok(PairedStages { pots: first_pots(file, &names)?, stages, counts });
    }
    let format = Format::RoundRobin { cycles: 1 };
    let games = options.games()?;
    let tiebreaks = format.tiebreaks();
    let rules = StageRules { format, games, play_off_games: 2, play_offs: 0, tiebreaks, points };
    let (name, shape) = ("round robin".to_owned(), GroupShape::Groups(1));
    let stages = vec![CupStage { name, rules, shape, advance: None, listed: true }];
    Ok(PairedStages { stages, counts: vec![names.len()], pots: vec![names] })
}

/// The pots of the first stage: one for each seed, then one for all others.
///
/// # Errors
/// [`agon_config::Misuse`] for a seed that is not an engine, or is listed twice.
pub(crate) fn first_pots(file: &CupFile, names: &[String]) -> anyhow::Result<Vec<Vec<String>>> {
    let mut pots: Vec<Vec<String>> = Vec::new();
    for seed in &file.seeds {
        let why = if !names.contains(seed) {
            format!("there is no engine {seed:?}; there are {}", names.join(", "))
        } else if pots.iter().flatten().any(|other| other == seed) {
            format!("{seed:?} is listed twice; remove one")
        } else {
            pots.push(vec![seed.clone()]);
            continue;
        };
        return Err(file.misuse_of_seeds(&why));
    }
    let others = names.iter().filter(|name| !pots.iter().flatten().any(|seed| seed == *name));
    let others: Vec<String> = others.cloned().collect();
    pots.push(others);
    Ok(pots)
}

/// The numbers of a stage in a line: `groups: 8 engines in groups of 4 4, 12 pairings, 24 games`.
pub fn size(stage: &CupStage, entrants: usize) -> String {
    let pairings = count(stage, entrants);
    let games = pairings * u64::from(stage.rules.games);
    size_words(stage, &cup::sizes(stage.shape, entrants), pairings, games)
}

/// The same of a stage whose groups have these sizes.
pub fn size_words(stage: &CupStage, sizes: &[usize], pairings: u64, games: u64) -> String {
    let (name, entrants) = (clean(&stage.name), sizes.iter().sum::<usize>());
    let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
    let sizes = sizes.join(" ");
    format!(
        "{name}: {entrants} engines in groups of {sizes}, {}, {}",
        counted(pairings, "pairing"),
        counted(games, "game")
    )
}

/// The number of pairings of a stage, without play-offs.
pub fn count(stage: &CupStage, entrants: usize) -> u64 {
    cup::sizes(stage.shape, entrants).into_iter().map(|size| stage.rules.pairings(size)).sum::<usize>() as u64
}
