//! `agon plan`: shows the plan of a tournament without playing it.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use agon_audit::missing::MissingGames;
use agon_config::stages::CupFile;
use agon_config::{asked_question, whole};
use agon_export::events::QuestionFacts;
use agon_export::json;
use agon_export::question_cost::FieldCost;
use agon_printable::{clean, counted};
use agon_programs::program::display_path;
use agon_standings::cup::{self, CupStage};
use agon_standings::matches::{Match, Scores};
use agon_standings::pairings::Pairing;
use agon_standings::stage::{self, Field, StageProgress};
use agon_store::{Store, until};

use agon_tournament::competition::stages::PairedStages;
use agon_tournament::competition::tournament::AskedTournament;
use agon_tournament::competition::{league, session, settings, stages};
use anyhow::Context;
use clap::Args;
use serde_json::{Value, json};

use crate::cli::options;
use crate::cli::options::OptionFlags;
use crate::cli::tournaments::plan_tables::PlannedTables;

/// Shows the groups, rounds and pairings of a tournament
///
/// It plays nothing.
///
/// The first entrant of a pairing has the first seat in its odd games. Of later stages the numbers
/// of engines and pairings are known, but not the engines. Of a league it is the night under way,
/// or the next one.
#[derive(Args, Debug)]
#[command(mut_args(|flag| options::hidden(&options::OF_PLAY, flag)))]
#[command(after_help = "\
Examples:
  agon plan tournament.toml
  agon plan engines/ --games 4
  agon plan tournament.toml --seed 7 --summary
  agon plan tournament.toml --json | jq .pairings
  agon plan --missing all --parts 8       what no part has brought yet")]
pub(crate) struct PlanArgs {
    /// The folder of engines, or a tournament.toml that names one
    #[arg(value_name = "FOLDER|FILE.toml", required_unless_present = "missing")]
    folder: Option<PathBuf>,

    #[command(flatten)]
    options: OptionFlags,

    /// Shows instead the games that are missing in the run of this directory, for example after
    /// agon merge
    #[arg(long, value_name = "DIR", conflicts_with = "folder")]
    missing: Option<PathBuf>,

    /// With --missing: how many parts the run has, to show which part plays each game
    #[arg(long, value_name = "N", requires = "missing", value_parser = parts, allow_negative_numbers = true)]
    parts: Option<u64>,

    /// Shows only the numbers of pairings and games
    #[arg(long)]
    summary: bool,

    /// Writes the plan as one line of JSON
    #[arg(long, conflicts_with = "summary")]
    json: bool,
}

/// Reads a number of parts.
fn parts(text: &str) -> Result<u64, String> {
    whole::<u64>(text).and_then(|parts| match parts {
        0 => Err("a run has one part at least".to_owned()),
        parts => Ok(parts),
    })
}

impl PlanArgs {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        if let Some(directory) = &self.missing {
            let found = MissingGames::of(directory, self.parts)?;
            match self.json {
                true => crate::cli::out(&(json::line(&found.object()) + "\n"))?,
                false => crate::cli::out(&found.text(self.summary))?,
            }
            return Ok(ExitCode::SUCCESS);
        }
        let folder = self.folder.clone().unwrap_or_default();
        let mut asked = AskedTournament::read(&folder, self.options.clone())?;
        let names = asked.names()?;
        let (question, _) = asked_question::taken(&mut asked.options)?;
        if let Some(question) = question.filter(|_| asked.cup.is_none() && asked.league.is_none()) {
            let out = session::root(&asked.options);
            let stored = if Store::is_in(&out) { Some(Store::read(&out)?) } else { None };
            let cost = FieldCost::of(question, &names, stored.as_ref())?;
            let mut line =
                format!("{} engines; each pair of games follows from results\n{}", names.len(), cost.words());
            let stand = stored.map(|store| store.question()).transpose()?.flatten();
            let stand =
                stand.filter(|found| found.spec.question == question.question && found.names == names);
            if let Some(found) = stand.as_ref().filter(|found| found.stand.pairs > 0) {
                line += &format!("\nin {}: {}", display_path(&out), until::words(found));
                if found.stand.is_settled {
                    line += "; the same engines play no more games";
                }
            }
            let mut object = cost.object();
            object["stand"] = json!(stand.as_ref().map(QuestionFacts::from));
            return self.show(|| object, |out| writeln!(out, "{line}"));
        }
        asked_question::refuse(
            question,
            "stages, seeds and nights of a league have pairings of their own",
            "leave it out, or leave out stages, seeds and the other keys of a cup",
        )?;
        if asked.cup.is_some() || asked.league.is_some() {
            if settings::seats(&asked.options)? != 2 {
                stages::for_two(&settings::rules(&asked.options)?)?;
            }
        } else if let Some(tables) = PlannedTables::of(&asked.options, names.clone())? {
            return self.show(|| tables.object(), |out| tables.write(out, self.summary));
        }
        let plan = Planned::of(&asked, names)?;
        self.show(|| plan.object(), |out| plan.write(out, self.summary))
    }

    fn show(
        &self,
        object: impl FnOnce() -> Value,
        write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> anyhow::Result<ExitCode> {
        if self.json {
            crate::cli::out(&(json::line(&object()) + "\n"))?;
            return Ok(ExitCode::SUCCESS);
        }
        let mut out = std::io::BufWriter::new(std::io::stdout().lock());
        match write(&mut out) {
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {}
            written => written.context("cannot write to standard output")?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The stages of a tournament before its first game.
struct Planned {
    stages: Vec<CupStage>,
    /// The entrants of the first stage.
    field: Field<String>,
    /// The results of the first stage so far, if it is a night of a league that is under way.
    scores: Scores,
    /// What is known of its matches.
    progress: Option<StageProgress>,
    /// The number of engines in each stage.
    counts: Vec<usize>,
}

impl Planned {
    fn of(asked: &AskedTournament, names: Vec<String>) -> anyhow::Result<Self> {
        let seed = asked.options.seed.unwrap_or(0);
        if let Some(league) = &asked.league {
            let single = CupFile::single(&asked.folder);
            let file = asked.cup.as_ref().unwrap_or(&single);
            let night = league::planned(league, file, &asked.options, names, &asked.withdrawn)?;
            let counts = vec![night.field.names.len()];
            return Ok(Planned::new(vec![night.stage], night.field, night.scores, counts));
        }
        let PairedStages { stages, pots, counts } =
            stages::paired(asked.cup.as_ref(), &asked.options, names)?;
        let field = cup::field(&stages, 0, &pots, seed);
        Ok(Planned::new(stages, field, Scores::new(), counts))
    }

    fn new(stages: Vec<CupStage>, field: Field<String>, scores: Scores, counts: Vec<usize>) -> Self {
        let progress = stages.first().map(|first| stage::progress(&first.rules, &field, &scores));
        Planned { stages, field, scores, progress, counts }
    }

    /// The sizes of the groups of a stage, its pairings and its games.
    fn size(&self, number: usize) -> (Vec<usize>, u64, u64) {
        let (stage, entrants) = (&self.stages[number], self.counts[number]);
        if let (0, Some(StageProgress { matches, .. }), false) =
            (number, &self.progress, self.field.absences.is_empty())
        {
            let games = stage.rules.planned_games(&self.field, matches, &self.scores);
            let sizes = self.field.groups.iter().map(Vec::len).collect();
            return (sizes, matches.len() as u64, games);
        }
        let pairings = stages::count(stage, entrants);
        (cup::sizes(stage.shape, entrants), pairings, pairings * u64::from(stage.rules.games))
    }

    fn object(&self) -> Value {
        let stage = |number: usize| {
            let (groups, pairings, games) = self.size(number);
            json!({
                "name": self.stages[number].name,
                "engines": self.counts[number],
                "groups": groups,
                "pairings": pairings,
                "games": games,
            })
        };
        let (mut groups, mut pairings) = (Vec::new(), Vec::new());
        if let Some(plan) = &self.progress {
            let field = &self.field;
            let name = |entrant: &usize| field.names[*entrant].as_str();
            let group = |(title, members): (&String, &Vec<usize>)| json!({ "name": title, "engines": members.iter().map(name).collect::<Vec<_>>() });
            groups = field.titles.iter().zip(&field.groups).map(group).collect();
            let pairing = |one: &Match| {
                let Pairing { round, first, second, .. } = one.pairing;
                json!({ "round": round, "engines": [name(&first), name(&second)], "games": one.games })
            };
            pairings = plan.matches.iter().map(pairing).collect();
        }
        json!({
            "stages": (0..self.stages.len()).map(stage).collect::<Vec<_>>(),
            "groups": groups,
            "pairings": pairings,
        })
    }

    /// Writes the groups and rounds of the first stage, unless `summary`, and the numbers of all
    /// stages.
    fn write(&self, out: &mut dyn Write, summary: bool) -> std::io::Result<()> {
        if let (false, Some(plan)) = (summary, &self.progress) {
            out.write_all(stages::groups(&self.field).as_bytes())?;
            rounds(out, &self.field, plan)?;
        }
        let (mut pairings, mut games) = (0, 0);
        for number in 0..self.stages.len() {
            let (sizes, own, of_them) = self.size(number);
            writeln!(out, "{}", stages::size_words(&self.stages[number], &sizes, own, of_them))?;
            pairings += own;
            games += of_them;
        }
        if self.stages.len() > 1 {
            writeln!(
                out,
                "all: {}, {}, and the play-offs of ties",
                counted(pairings, "pairing"),
                counted(games, "game")
            )?;
        }
        out.flush()
    }
}

fn rounds(out: &mut dyn Write, field: &Field<String>, plan: &StageProgress) -> std::io::Result<()> {
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
