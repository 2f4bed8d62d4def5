//! What a tournament in stages leaves beside the directories of its stages: the bracket, who came where, and every
//! group as a table.

use std::io::Write;
use std::path::Path;

use anyhow::Context;

use super::cup::Played;
use crate::engine::program::shown;
use crate::export::atomic;
use crate::printable::clean;
use crate::report::bracket::{self, Group, Line};
use crate::standings::points::{Points, Wdl};
use crate::tournament::cup::{self, Place, Stage};

/// Makes the directory of the whole, or finds that it is there.
pub(super) fn make(root: &Path) -> anyhow::Result<()> {
    match std::fs::create_dir(root) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            Err(error).with_context(|| format!("cannot make {}", shown(root)))
        }
        _ => Ok(()),
    }
}

/// Writes `bracket.txt`, `bracket.svg`, `places.csv` and `stages.csv`.
pub(super) fn write(root: &Path, stages: &[Stage], played: &[Played], is_staged: bool) -> anyhow::Result<()> {
    if !root.is_dir() {
        return Ok(()); // nothing was played, because nothing was to be
    }
    let drawn = drawn(stages, played);
    let put = |name: &str, text: &str| {
        atomic::write(&root.join(name), |to| to.write_all(text.as_bytes()).map_err(Into::into))
    };
    put("bracket.txt", &bracket::text(&drawn))?;
    put("bracket.svg", &bracket::svg(&drawn))?;
    put("places.csv", &places_csv(stages, &places(stages, played))?)?;
    if is_staged {
        put("stages.csv", &stages_csv(stages, played)?)?;
    }
    Ok(())
}

/// Prints the bracket and the places.
pub(super) fn show(stages: &[Stage], played: &[Played], to_stderr: bool) -> anyhow::Result<()> {
    let mut text = bracket::text(&drawn(stages, played));
    text.push('\n');
    for place in places(stages, played).iter().take_while(|place| place.place <= 4) {
        text.push_str(&format!("{}  {}\n", place.place, clean(&place.name)));
    }
    if to_stderr {
        let _ = std::io::stderr().write_all(text.as_bytes()); // a closed stderr has no readers
        return Ok(());
    }
    super::out(&text)
}

/// Where everybody has come.
pub(super) fn places(stages: &[Stage], played: &[Played]) -> Vec<Place> {
    let fields: Vec<_> = played.iter().map(|one| (one.field.clone(), one.progress.result.clone())).collect();
    cup::places(stages, &fields)
}

/// The games of an entrant in the matches of the format itself.
fn games_of(played: &Played, entrant: usize) -> Wdl {
    let main = played.progress.matches.iter().filter(|one| one.play_off == 0);
    main.filter_map(|one| {
        let score = played.scores.get(&one.pairing.pairing)?;
        match entrant {
            first if first == one.pairing.first => Some(score.games),
            second if second == one.pairing.second => Some(score.games.reversed()),
            _ => None,
        }
    })
    .sum()
}

/// The members of each group of a stage, the best first as far as that is known.
fn orders(stage: &Stage, played: &Played) -> Vec<Vec<usize>> {
    match &played.progress.result {
        Some(result) => result.iter().map(|ranking| ranking.order.clone()).collect(),
        None => (played.field.groups.iter())
            .map(|group| {
                let mut group = group.clone();
                let points = |entrant: &usize| stage.rules.points.of(games_of(played, *entrant));
                group.sort_by_key(|entrant| std::cmp::Reverse(points(entrant)));
                group
            })
            .collect(),
    }
}

fn drawn(stages: &[Stage], played: &[Played]) -> Vec<bracket::Stage> {
    stages.iter().zip(played).map(|(stage, played)| drawn_stage(stage, played)).collect()
}

fn drawn_stage(stage: &Stage, played: &Played) -> bracket::Stage {
    let result = played.progress.result.as_ref();
    // In the last stage nobody goes on; the winner of each group is marked.
    let go_on = if result.is_some() { stage.advance.unwrap_or(1) } else { 0 };
    let points: Points = stage.rules.points;
    let group = |(number, order): (usize, Vec<usize>)| Group {
        title: played.field.titles[number].clone(),
        lines: (order.into_iter().enumerate())
            .map(|(rank, entrant)| Line {
                name: played.field.names[entrant].clone(),
                points: points.of(games_of(played, entrant)).to_string(),
                goes_on: rank < go_on,
            })
            .collect(),
        words: result.map(|result| result[number].words.clone()).unwrap_or_default(),
    };
    let groups = orders(stage, played).into_iter().enumerate().map(group).collect();
    bracket::Stage { name: stage.name.clone(), groups }
}

/// A name as a cell that no spreadsheet takes for a formula.
pub(super) fn cell(name: &str) -> String {
    let formula = name.starts_with(['=', '+', '-', '@']);
    if formula { format!("'{}", clean(name)) } else { clean(name) }
}

fn places_csv(stages: &[Stage], places: &[Place]) -> anyhow::Result<String> {
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(["place", "engine", "stage", "stage_name"])?;
    for Place { name, place, reached } in places {
        let stage = (reached + 1).to_string();
        out.write_record([place.to_string(), cell(name), stage, cell(&stages[*reached].name)])?;
    }
    Ok(String::from_utf8_lossy(&out.into_inner()?).into_owned())
}

fn stages_csv(stages: &[Stage], played: &[Played]) -> anyhow::Result<String> {
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record([
        "stage", "group", "place", "engine", "games", "wins", "draws", "losses", "points", "goes_on",
    ])?;
    for (number, (stage, played)) in (1_u32..).zip(stages.iter().zip(played)) {
        let over = played.progress.result.is_some();
        for (group, order) in (1_u32..).zip(orders(stage, played)) {
            for (place, entrant) in (1_usize..).zip(order) {
                let games = games_of(played, entrant);
                let goes_on = over && stage.advance.is_some_and(|go_on| place <= go_on);
                let name = cell(&played.field.names[entrant]);
                let numbers =
                    [games.games(), games.wins, games.draws, games.losses].map(|count| count.to_string());
                let [games_text, wins, draws, losses] = numbers;
                out.write_record([
                    number.to_string(),
                    group.to_string(),
                    place.to_string(),
                    name,
                    games_text,
                    wins,
                    draws,
                    losses,
                    stage.rules.points.of(games).to_string(),
                    if goes_on { "yes" } else { "no" }.to_owned(),
                ])?;
            }
        }
    }
    Ok(String::from_utf8_lossy(&out.into_inner()?).into_owned())
}
