//! `agon simulate`: plays tournaments by a model, to compare their formats.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use agon_config::asked_question::{self, AskedQuestion};
use agon_config::{Misuse, whole};
use agon_export::json;
use agon_pages::report::columns::columns;
use agon_printable::{clean, decimal};
use agon_programs::program::display_path;
use agon_standings::question::RunQuestion;
use agon_standings::simulated::{GameModel, SimulatedCup, SimulatedSums, Strong};
use agon_standings::strengths::Strengths;
use agon_store::Store;
use agon_tournament::competition::stages::PairedStages;
use agon_tournament::competition::tournament::AskedTournament;
use agon_tournament::competition::{looked, settings, stages};
use clap::{Arg, Args};
use serde_json::{Value, json};

use crate::cli::options::OptionFlags;

/// Plays tournaments by a model, to compare their formats
///
/// No engine is started. Groups, pairings, cuts, play-offs and tie-breaks are those of the
/// tournament. Each run draws the strengths of the engines, the groups and the results of all games
/// anew. Several files are compared in one table.
#[derive(Args, Debug)]
#[command(mut_args(of_simulated))]
#[command(after_help = "\
Examples:
  agon simulate tournament.toml --entrants 34
  agon simulate groups.toml swiss.toml --entrants 20 --deviation 150
  agon simulate tournament.toml --like results --runs 2000
  agon simulate engines/ --games 4 --json | jq .tournaments[0].best_first")]
pub(crate) struct SimulateArgs {
    /// A tournament.toml or a folder of engines; several are compared
    #[arg(value_name = "FOLDER|FILE.toml", required = true)]
    tournaments: Vec<PathBuf>,

    #[command(flatten)]
    options: OptionFlags,

    /// The number of engines, which need not be there yet [default: those of the folder]
    #[arg(long, value_name = "N", value_parser = entrants_in_all, conflicts_with = "like")]
    entrants: Option<usize>,

    /// Takes the engines, their ratings, the draws and the first move of the run in this directory
    #[arg(long, value_name = "DIR", conflicts_with = "deviation")]
    like: Option<PathBuf>,

    /// The standard deviation of the strengths in Elo [default: 200]
    #[arg(long, value_name = "ELO", value_parser = deviation, allow_negative_numbers = true)]
    deviation: Option<f64>,

    /// How many games between equals are drawn, in per cent [default: 30]
    #[arg(long, value_name = "PERCENT", value_parser = draws, allow_negative_numbers = true)]
    draws: Option<f64>,

    /// What the first move is worth, in Elo [default: 30]
    #[arg(long, value_name = "ELO", value_parser = first_move, allow_negative_numbers = true)]
    first_move: Option<f64>,

    /// How many of the best are to be found [default: 4]
    #[arg(long, value_name = "N", value_parser = cut, allow_negative_numbers = true)]
    cut: Option<usize>,

    /// How often each tournament is played [default: 1000; 100 with --until]
    #[arg(long, value_name = "N", value_parser = runs, allow_negative_numbers = true)]
    runs: Option<u32>,

    /// Writes the numbers as one line of JSON
    #[arg(long)]
    json: bool,
}

/// The options of a run that decide what is simulated; all others are accepted and hidden.
const OF_FORMATS: [&str; 6] = ["games", "seed", "points", "tiebreaks", "until", "at_most"];
/// The options of this command alone.
const OWN: [&str; 9] =
    ["tournaments", "entrants", "like", "deviation", "draws", "first_move", "cut", "runs", "json"];

/// The standard deviation of strengths that nobody has given, in Elo.
const USUAL_DEVIATION: f64 = 200.0;
const USUAL_CUT: usize = 4;
const USUAL_RUNS: u32 = 1000;
/// Each pair of a question is chosen, which takes longer.
const USUAL_RUNS_OF_A_QUESTION: u32 = 100;
/// More entrants would take hours.
const MOST_ENTRANTS: usize = 2000;
const MOST_RUNS: u32 = 1_000_000;

fn of_simulated(flag: Arg) -> Arg {
    let is_shown = OF_FORMATS.iter().chain(&OWN).any(|id| flag.get_id() == *id);
    match flag.get_id().as_str() {
        "seed" => flag.help(
            "The seed of all that is drawn; the same seed gives the same numbers [default: that of the file, or 1]",
        ),
        "until" | "at_most" => flag.hide(false),
        _ if is_shown => flag,
        _ => flag.hide(true),
    }
}

/// Reads a number within bounds.
fn within(text: &str, least: f64, most: f64, what: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("give {what} from {least} to {most}"))
}

fn deviation(text: &str) -> Result<f64, String> {
    within(text, 1.0, 2000.0, "a standard deviation in Elo")
}

fn draws(text: &str) -> Result<f64, String> {
    within(text, 0.0, 99.0, "a share of draws in per cent").map(|percent| percent / 100.0)
}

fn first_move(text: &str) -> Result<f64, String> {
    within(text, -1000.0, 1000.0, "what the first move is worth in Elo,")
}

fn entrants_in_all(text: &str) -> Result<usize, String> {
    let fits = whole::<usize>(text)?;
    let is_within = (2..=MOST_ENTRANTS).contains(&fits);
    is_within.then_some(fits).ok_or_else(|| format!("give 2 to {MOST_ENTRANTS} engines"))
}

fn cut(text: &str) -> Result<usize, String> {
    whole::<usize>(text)
        .and_then(|cut| if cut > 0 { Ok(cut) } else { Err("find one of the best at least".to_owned()) })
}

fn runs(text: &str) -> Result<u32, String> {
    let fits = whole::<u32>(text)?;
    let is_within = (1..=MOST_RUNS).contains(&fits);
    is_within.then_some(fits).ok_or_else(|| format!("give 1 to {MOST_RUNS} runs"))
}

impl SimulateArgs {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let like = self.like.as_deref().map(LikeRun::read).transpose()?;
        let told = like.as_ref().map_or(GameModel::USUAL, |like| like.model);
        let model = GameModel {
            draws: self.draws.unwrap_or(told.draws),
            first_seat: self.first_move.unwrap_or(told.first_seat),
        };
        // Everything is read before the first run.
        let asked = self.tournaments.iter().map(|path| self.asked(path, like.as_ref()));
        let asked: Vec<Simulated> = asked.collect::<anyhow::Result<_>>()?;
        let has_question = asked.iter().any(|one| one.question.is_some());
        let usual = if has_question { USUAL_RUNS_OF_A_QUESTION } else { USUAL_RUNS };
        let runs = self.runs.unwrap_or(usual);
        let simulated: Vec<(Simulated, SimulatedSums)> = asked
            .into_iter()
            .map(|one| {
                let strong = match &like {
                    Some(like) => Strong::Known(like.ratings.clone()),
                    None => Strong::Drawn(self.deviation.unwrap_or(USUAL_DEVIATION)),
                };
                let PairedStages { stages, pots, .. } = &one.paired;
                let cup = SimulatedCup { stages, pots, model, strong, cut: one.cut };
                let sums = match one.question {
                    Some(AskedQuestion { question, most }) => {
                        let pairs = u32::try_from(most / 2).unwrap_or(u32::MAX);
                        cup.run_question(question, pairs, runs, one.seed)
                    }
                    None => cup.run(runs, one.seed),
                };
                (one, sums)
            })
            .collect();
        if self.json {
            let object = json!({
                "runs": runs,
                "draws": 100.0 * model.draws,
                "first_move_elo": model.first_seat,
                "deviation_elo": like.is_none().then(|| self.deviation.unwrap_or(USUAL_DEVIATION)),
                "tournaments": simulated.iter().map(|(one, sums)| one.object(sums)).collect::<Vec<_>>(),
            });
            crate::cli::out(&(json::line(&object) + "\n"))?;
            return Ok(ExitCode::SUCCESS);
        }
        let strengths = match &self.like {
            Some(directory) => format!("ratings of {}", display_path(directory)),
            None => format!(
                "strengths drawn with a standard deviation of {} Elo",
                decimal(self.deviation.unwrap_or(USUAL_DEVIATION), 0)
            ),
        };
        let model = format!(
            "Model: {strengths}, {} % draws between equals, the first move is worth {} Elo. {runs} runs: a percentage \
             is off by {} at most in 95 % of all cases.",
            decimal(100.0 * model.draws, 0),
            decimal(model.first_seat, 0),
            decimal(100.0 * 0.98 / f64::from(runs).sqrt(), 1)
        );
        crate::cli::out(&format!("{}\n{model}\n", tables(&simulated)))?;
        Ok(ExitCode::SUCCESS)
    }

    /// The tournament of a file or a folder, which must have pairings of two.
    fn asked(&self, path: &Path, like: Option<&LikeRun>) -> anyhow::Result<Simulated> {
        let mut asked = match (self.entrants, like) {
            (None, None) => AskedTournament::read(path, self.options.clone())?,
            _ => AskedTournament::of_any_engines(path, self.options.clone())?,
        };
        let (question, _) = asked_question::taken(&mut asked.options)?;
        if asked.cup.is_some() || asked.league.is_some() {
            asked_question::refuse(
                question,
                "stages and nights of a league have pairings of their own",
                "leave it out",
            )?;
        }
        if asked.league.is_some() {
            return Err(Misuse::hinted(
                format!("{}: a league goes on from night to night, and is not simulated", display_path(path)),
                "simulate the stages of one night, in a file without [league]",
            ));
        }
        if settings::seats(&asked.options)? != 2 || asked.options.tables.is_some() {
            return Err(Misuse::hinted(
                format!("{}: tables of more than two seats are not simulated", display_path(path)),
                "simulate a game of two seats",
            ));
        }
        let seeds = asked.cup.as_ref().map_or(&[][..], |file| &file.seeds);
        let names = match (self.entrants, like) {
            (Some(count), _) if count < seeds.len() => {
                return Err(Misuse::hinted(
                    format!("--entrants {count}: {} names {} seeds", display_path(path), seeds.len()),
                    format!("give {} or more", seeds.len()),
                ));
            }
            (Some(count), _) => names_of(count, seeds),
            (None, Some(like)) => like.names(),
            (None, None) if asked.lacks_folder() => {
                return Err(Misuse::hinted(
                    format!(
                        "{}{}: there is no folder of engines",
                        asked.named.as_ref().map(|named| format!("{named}: ")).unwrap_or_default(),
                        display_path(&asked.folder)
                    ),
                    "give the number of engines with --entrants N, or a folder",
                ));
            }
            (None, None) => asked.names()?,
        };
        let entrants = names.len();
        question.map_or(Ok(()), |question| asked_question::fits(question, entrants))?;
        let usual = match question {
            Some(AskedQuestion { question: RunQuestion::Cut(cut), .. }) => cut,
            _ => USUAL_CUT.min(entrants - 1),
        };
        let cut = self.cut.unwrap_or(usual);
        if cut >= entrants {
            return Err(Misuse::hinted(
                format!("--cut {cut}: {} has {entrants} engines", display_path(path)),
                format!("give 1 to {}", entrants - 1),
            ));
        }
        let seed = asked.options.seed.unwrap_or(1);
        let paired = stages::paired(asked.cup.as_ref(), &asked.options, names)?;
        Ok(Simulated { path: path.to_owned(), paired, entrants, cut, seed, question })
    }
}

/// So many names, those of the seeds among them.
fn names_of(count: usize, seeds: &[String]) -> Vec<String> {
    let others = (1..).map(|number| format!("engine {number}")).filter(|name| !seeds.contains(name));
    seeds.iter().cloned().chain(others).take(count).collect()
}

/// The ratings and the model of a stored run.
struct LikeRun {
    ratings: HashMap<String, f64>,
    model: GameModel,
}

impl LikeRun {
    /// The engines by name.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.ratings.keys().cloned().collect();
        names.sort();
        names
    }

    fn read(directory: &Path) -> anyhow::Result<Self> {
        if !directory.is_dir() {
            return Err(Misuse::hinted(
                format!("--like {}: there is no such directory", display_path(directory)),
                "give the directory of a run",
            ));
        }
        let mut all: Option<agon_standings::Standings> = None;
        // Who has withdrawn plays no more, unless it came back in a later part.
        let mut gone = BTreeSet::new();
        for run in looked::runs(directory, None)? {
            let below = if Store::is_in(&run.path) { vec![run.path] } else { Store::below(&run.path) };
            for path in below {
                let store = Store::read(&path)?;
                let standings = store.standings(store.points()?)?;
                let withdrawn = store.withdrawn()?;
                for name in store.entrants()? {
                    gone.remove(&name);
                }
                gone.extend(withdrawn.all().map(|made| made.engine.clone()));
                match &mut all {
                    Some(all) => all.include(&standings),
                    None => all = Some(standings),
                }
            }
        }
        let refused = |why: &str, hint: &str| {
            Misuse::hinted(format!("--like {}: {why}", display_path(directory)), hint)
        };
        let all = all.filter(|all| !all.has_tables());
        let found = all.as_ref().and_then(|all| Strengths::of(all, 0, 1));
        let parts = found.as_ref().map_or(&[][..], |found| &found.parts);
        match parts {
            [part] => Ok(LikeRun {
                ratings: (part.rows.iter().filter(|row| !gone.contains(&row.entrant)))
                    .map(|row| (row.entrant.clone(), row.elo))
                    .collect(),
                model: part.model(),
            }),
            [] => Err(refused(
                "there are no ratings, because no two engines have met in a game of two seats",
                "give a run with games, or --entrants and --deviation",
            )),
            _ => Err(refused(
                "the field falls into parts that have not met, and their ratings cannot be compared",
                "give a run in which all engines have met, also through others",
            )),
        }
    }
}

/// A tournament that is simulated.
struct Simulated {
    path: PathBuf,
    paired: PairedStages,
    entrants: usize,
    cut: usize,
    seed: u64,
    question: Option<AskedQuestion>,
}

impl Simulated {
    fn object(&self, sums: &SimulatedSums) -> Value {
        let share = |count: u32| f64::from(count) / f64::from(sums.runs);
        let average = |sum: u64| sum as f64 / f64::from(sums.runs);
        let later = self.paired.stages.iter().zip(&sums.best_in).zip(&sums.all_in);
        let stages = later.map(|((stage, best), all)| {
            json!({ "name": stage.name, "best_advances": share(*best), "all_best_advance": share(*all) })
        });
        let mut object = json!({
            "tournament": display_path(&self.path),
            "engines": self.entrants,
            "seed": self.seed,
            "cut": self.cut,
            "pairings": average(sums.pairings),
            "games": average(sums.games),
            "best_first": share(sums.best_first),
            "place_of_best": average(sums.places_of_best),
            "cut_right": share(sums.cut_right),
            "right_in_cut": average(sums.right),
            "stages": stages.collect::<Vec<_>>(),
        });
        if let (Some(AskedQuestion { question, most }), Some(settled)) = (self.question, sums.settled) {
            object["question"] = json!(question.to_string());
            object["at_most"] = json!(most);
            object["settled"] = json!(share(settled));
        }
        object
    }
}

/// A row for each tournament, and a row for each stage of those that have several.
fn tables(simulated: &[(Simulated, SimulatedSums)]) -> String {
    let percent = |count: u32, runs: u32| decimal(100.0 * f64::from(count) / f64::from(runs), 1);
    let row = |(one, sums): &(Simulated, SimulatedSums)| {
        let average = |sum: u64, digits| decimal(sum as f64 / f64::from(sums.runs), digits);
        vec![
            clean(&display_path(&one.path)),
            one.entrants.to_string(),
            one.seed.to_string(),
            average(sums.pairings, 1),
            average(sums.games, 1),
            percent(sums.best_first, sums.runs),
            average(sums.places_of_best, 2),
            one.cut.to_string(),
            percent(sums.cut_right, sums.runs),
            average(sums.right, 2),
        ]
    };
    let rows: Vec<Vec<String>> = simulated.iter().map(row).collect();
    let head = [
        "tournament",
        "engines",
        "seed",
        "pairings",
        "games",
        "best first %",
        "place of the best",
        "cut",
        "best through %",
        "right ones",
    ];
    let mut text = columns(&head, &rows);
    let mut rows = Vec::new();
    for (one, sums) in simulated {
        for ((stage, best), all) in one.paired.stages.iter().zip(&sums.best_in).zip(&sums.all_in) {
            rows.push(vec![
                clean(&display_path(&one.path)),
                stage.name.clone(),
                percent(*best, sums.runs),
                percent(*all, sums.runs),
            ]);
        }
    }
    if !rows.is_empty() {
        let head = ["tournament", "after", "best still in %", "all of the cut still in %"];
        text += &format!("\n{}", columns(&head, &rows));
    }
    for (one, sums) in simulated {
        let (Some(AskedQuestion { question, most }), Some(settled)) = (one.question, sums.settled) else {
            continue;
        };
        text += &format!(
            "\n{}: {question} was settled in {} % of the runs, with at most {most} games; a pairing is a pair of games\n",
            clean(&display_path(&one.path)),
            percent(settled, sums.runs)
        );
    }
    text
}
