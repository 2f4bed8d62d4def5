//! `agon plan`: shows the plan of a tournament without playing it.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use agon_printable::clean;
use agon_standings::cup::{self, CupStage, Shape};
use agon_standings::matches::Scores;
use agon_standings::stage::{self, Field, Format, StageRules};
use anyhow::Context;
use clap::Args;

use super::{settings, stages, tournament};
use crate::config::{Misuse, Options};
use crate::engine::folder;
use crate::engine::program::display_path;

/// Shows what a tournament would play: groups, rounds and pairings
///
/// The first entrant of a pairing has the first seat in its odd games. Of later stages the numbers
/// of engines and pairings are known, but not the engines.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon plan tournament.toml
  agon plan engines/ --games 4
  agon plan tournament.toml --seed 7 --summary")]
pub(super) struct PlanArgs {
    /// The folder of engines, or a tournament.toml that names one
    #[arg(value_name = "FOLDER|FILE.toml")]
    folder: PathBuf,

    #[command(flatten)]
    options: Options,

    /// Shows only the numbers of pairings and games
    #[arg(long)]
    summary: bool,
}

impl PlanArgs {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let asked = tournament::asked(&self.folder, self.options)?;
        let points = settings::points(&asked.options)?;
        let listing = folder::read(&asked.folder).map_err(|error| {
            let what = format!("{}: cannot be read as a folder: {error}", display_path(&asked.folder));
            Misuse::hinted(what, "give a folder of engines or a tournament.toml")
        })?;
        let mut names: Vec<String> = listing.engines.iter().map(|engine| engine.name.clone()).collect();
        if names.len() < 2 {
            return Err(Misuse::hinted(
                format!(
                    "{}{}: {} engine(s) found, but a tournament needs two",
                    asked.named.as_ref().map(|named| format!("{named}: ")).unwrap_or_default(),
                    display_path(&asked.folder),
                    names.len()
                ),
                "an engine is an executable file or a subfolder with an engine.toml",
            ));
        }
        let (stages, pots, counts) = match &asked.cup {
            Some(file) => {
                names.sort();
                let stages = stages::of_file(file, &asked.options, points)?;
                let counts = stages::counts(file, &stages, names.len())?;
                (stages, stages::first_pots(file, &names)?, counts)
            }
            None => {
                let format = Format::RoundRobin { cycles: 1 };
                let rules = StageRules {
                    format,
                    games: asked.options.games()?,
                    play_off_games: 2,
                    play_offs: 0,
                    points,
                };
                let shape = Shape::Groups(1);
                let only =
                    CupStage { name: "round robin".to_owned(), rules, shape, advance: None, listed: true };
                let count = names.len();
                (vec![only], vec![names], vec![count])
            }
        };
        let seed = asked.options.seed.unwrap_or(0);
        let mut out = std::io::BufWriter::new(std::io::stdout().lock());
        let mut write = || -> std::io::Result<()> {
            let (mut pairings, mut games) = (0, 0);
            for (number, stage) in stages.iter().enumerate() {
                let (of_stage, each) = if number == 0 {
                    let field = cup::field(&stages, 0, &pots, seed);
                    let plan = stage::progress(&stage.rules, &field, &Scores::new());
                    if !self.summary {
                        groups(&mut out, &field)?;
                        rounds(&mut out, &field, &plan)?;
                    }
                    (count(stage, counts[0]), stage.rules.games)
                } else {
                    (count(stage, counts[number]), stage.rules.games)
                };
                let sizes: Vec<String> =
                    cup::sizes(stage.shape, counts[number]).iter().map(ToString::to_string).collect();
                writeln!(
                    out,
                    "{}: {} engines in groups of {}, {of_stage} pairings, {} games",
                    clean(&stage.name),
                    counts[number],
                    sizes.join(" "),
                    of_stage * u64::from(each)
                )?;
                pairings += of_stage;
                games += of_stage * u64::from(each);
            }
            if stages.len() > 1 {
                writeln!(out, "all: {pairings} pairings, {games} games, and the play-offs of ties")?;
            }
            out.flush()
        };
        match write() {
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {}
            written => written.context("cannot write to standard output")?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn groups(out: &mut impl Write, field: &Field<String>) -> std::io::Result<()> {
    for (title, group) in field.titles.iter().zip(&field.groups) {
        let names: Vec<String> = group.iter().map(|entrant| clean(&field.names[*entrant])).collect();
        writeln!(out, "{}: {}", clean(title), names.join(", "))?;
    }
    Ok(())
}

fn rounds(out: &mut impl Write, field: &Field<String>, plan: &stage::StageProgress) -> std::io::Result<()> {
    let name = |entrant: usize| clean(&field.names[entrant]);
    for round in plan.matches.chunk_by(|a, b| a.pairing.round == b.pairing.round) {
        let pairs: Vec<String> = round
            .iter()
            .map(|one| format!("{} - {}", name(one.pairing.first), name(one.pairing.second)))
            .collect();
        writeln!(out, "  round {}: {}", round[0].pairing.round, pairs.join(", "))?;
    }
    Ok(())
}

/// The number of pairings of a stage, without play-offs.
fn count(stage: &CupStage, entrants: usize) -> u64 {
    let of_group = |size: usize| match stage.rules.format {
        Format::RoundRobin { cycles } => size * (size - 1) / 2 * cycles as usize,
        Format::Gauntlet { leaders } => leaders * (size - leaders),
        Format::Swiss { rounds } => size / 2 * rounds,
        Format::Knockout { third_place } => size - 1 + usize::from(third_place && size > 3),
    };
    cup::sizes(stage.shape, entrants).into_iter().map(of_group).sum::<usize>() as u64
}
