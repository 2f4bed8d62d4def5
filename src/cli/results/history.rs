//! `agon history`: the changes of rank and strength of each engine from run to run.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::ExitCode;

use agon_config::{CommandExit, Misuse};
use agon_export::cells::{self, CsvCell};
use agon_export::json;
use agon_pages::report::columns::columns;
use agon_printable::{clean, counted, decimal, escape};
use agon_standings::strengths::RatingAnchor;
use agon_store::Store;
use agon_store::history::Moved;
use agon_store::key::tables_of;
use agon_tournament::competition::looked::{LookedRun, joined_csv};
use clap::Args;
use serde_json::{Value, json};

use crate::cli::results::standings::is_rated;
use crate::cli::stage_option::StageOption;
use crate::cli::{out, out_list};

/// Shows how ranks and strengths changed from run to run
///
/// Strength is an Elo number against the field, computed from the share of the points in the games
/// that counted then. An engine is worse if it changed and its share fell by more than 1.96
/// standard errors. The share of an unchanged engine that fell so far has the remark "fell": others
/// changed. The rating is that of ratings.csv, which takes the opponents into account. Its error
/// bar is half the width of the interval that holds it with a probability of 95 %.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon history
  agon history results --csv
  agon history results --json
  agon history results --label v12
  agon history results --anchor alpha=2800
  agon history results --summary --alarm")]
pub(crate) struct HistoryArgs {
    /// The directory of the runs, or of a cup
    #[arg(value_name = "DIR", default_value = "agon-run")]
    directory: PathBuf,

    /// Writes a CSV table for programs
    #[arg(long, conflicts_with = "summary")]
    csv: bool,

    /// Writes a line of JSON for each engine in each run
    #[arg(long, conflicts_with_all = ["csv", "summary"])]
    json: bool,

    /// Writes one line about the last run, as for the subject of a mail, with the chain head
    #[arg(long)]
    summary: bool,

    /// Exits with code 1 if an engine is worse in the last run
    #[arg(long)]
    alarm: bool,

    /// Sets the rating of one engine in each run, so that ratings do not drift with the field. The
    /// ratings of runs without it are left out, and so are the error bars, which are those against
    /// the field
    #[arg(long, value_name = "NAME=ELO", allow_hyphen_values = true, conflicts_with = "summary")]
    anchor: Option<RatingAnchor>,

    /// Shows only the runs with this label (--label of agon tournament)
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["summary", "alarm"])]
    label: Option<String>,

    #[command(flatten)]
    of: StageOption,
}

impl HistoryArgs {
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        let runs = self.of.runs(&self.directory)?;
        let (mut alarm, mut tables) = (false, Vec::new());
        self.check_label(&runs)?;
        for (at, run) in runs.iter().enumerate() {
            let store = Store::read(&run.path)?;
            let mut history = RunHistory::read(run, &store)?;
            history.moves.retain(|moved| self.label.is_none() || moved.label == self.label);
            if let Some(anchor) = &self.anchor {
                history.set(anchor)?;
            }
            alarm |= self.alarm && history.latest().iter().any(|moved| moved.is_worse());
            if self.csv {
                tables.push((run.number, history.table()?));
                continue;
            }
            if self.json {
                let lines =
                    history.moves.iter().map(|moved| json::line(&history.object(moved, run.number)) + "\n");
                out(&lines.collect::<String>())?;
                continue;
            }
            if !self.summary {
                run.announce(at == 0)?;
            }
            self.tell(run, &store, &history)?;
        }
        if self.csv {
            out(&joined_csv(&tables))?;
        }
        Ok(CommandExit::found(alarm).into())
    }

    /// Refuses a label that no run has.
    fn check_label(&self, runs: &[LookedRun]) -> anyhow::Result<()> {
        let Some(label) = &self.label else { return Ok(()) };
        let mut known: Vec<String> = Vec::new();
        for run in runs {
            known.extend(Store::read(&run.path)?.labels()?);
        }
        if known.contains(label) {
            return Ok(());
        }
        let what = format!("--label: no run has the label {}", escape(label.as_bytes(), 60));
        let known: Vec<String> = known.iter().map(|label| clean(label)).collect();
        Err(match known.is_empty() {
            true => {
                Misuse::hinted(what, "give a run a label when it is played: agon tournament ... --label v12")
            }
            false => Misuse::hinted(what, format!("the labels are {}", known.join(", "))),
        })
    }

    fn tell(&self, run: &LookedRun, store: &Store, history: &RunHistory) -> anyhow::Result<()> {
        if self.summary {
            let head =
                if history.moves.is_empty() { String::new() } else { format!("; head {}", store.head()?) };
            out(&format!("{}{head}\n", history.line(run)?))
        } else {
            let rows: Vec<Vec<String>> = history.moves.iter().map(|moved| history.cells(moved)).collect();
            out_list(&columns(&history.head(), &rows))
        }
    }
}

/// The engines in each run of one directory.
pub(crate) struct RunHistory {
    pub(crate) moves: Vec<Moved>,
    /// The number of each engine's group, if there are several.
    groups: HashMap<String, usize>,
    /// Whether it is a night of a league, whose groups are divisions.
    is_night: bool,
    /// Whether a run has a label.
    has_labels: bool,
    /// The number of seats of a game.
    seats: u64,
    /// Whether a question was asked: then who leads by points is no answer.
    is_for_question: bool,
    /// Whether the ratings are those against an anchor. Their error bars are not stored.
    is_anchored: bool,
}

impl RunHistory {
    /// The engines of a night that had no run before in it are compared with the night before.
    pub(crate) fn read(run: &LookedRun, store: &Store) -> anyhow::Result<Self> {
        let mut moves = store.history()?;
        if let Some(path) = run.night_before() {
            let before = Store::read(&path)?.history()?;
            // Of several runs the last one decides.
            let before: HashMap<&str, &Moved> =
                before.iter().map(|moved| (moved.engine.as_str(), moved)).collect();
            for moved in moves.iter_mut().filter(|moved| moved.before.is_none()) {
                let Some(last) = before.get(moved.engine.as_str()) else { continue };
                (moved.before, moved.changed) = (Some(last.rank), last.hash != moved.hash);
            }
        }
        let field = store.stage()?.map(|(_, derived)| derived.field);
        let field = field.filter(|field| field.groups.len() > 1 || run.is_night());
        let of_field = field.iter().flat_map(|field| {
            let numbered = (1..).zip(&field.groups);
            let named = |(number, group): (usize, &Vec<usize>)| {
                group.iter().map(|entrant| (field.names[*entrant].clone(), number)).collect::<Vec<_>>()
            };
            numbered.flat_map(named).collect::<Vec<_>>()
        });
        let last = moves.last().map(|moved| moved.run);
        let terms = last.map(|run| store.terms(run)).transpose()?.flatten().unwrap_or_default();
        let seats = tables_of(&terms).seats as u64;
        let has_labels = moves.iter().any(|moved| moved.label.is_some());
        Ok(RunHistory {
            moves,
            groups: of_field.collect(),
            is_night: run.is_night(),
            has_labels,
            seats,
            is_for_question: store.until()?.is_some(),
            is_anchored: false,
        })
    }

    /// Shifts the ratings of each run so that the anchor has its own. A run in which it has none
    /// has no ratings then.
    ///
    /// # Errors
    /// [`Misuse`], when no run has rated the anchor.
    fn set(&mut self, anchor: &RatingAnchor) -> anyhow::Result<()> {
        let rated = self.moves.iter().filter(|moved| moved.rating.is_some());
        is_rated(anchor, rated.map(|moved| moved.engine.as_str()))?;
        let own = self.moves.iter().filter(|moved| moved.engine == anchor.entrant);
        let shifts: HashMap<i64, f64> =
            own.filter_map(|moved| Some((moved.run, anchor.elo - moved.rating?.0))).collect();
        for moved in &mut self.moves {
            let shift = shifts.get(&moved.run);
            moved.rating = moved.rating.zip(shift).map(|((elo, error), shift)| (elo + shift, error));
        }
        self.is_anchored = true;
        Ok(())
    }

    /// The engines of the last run.
    pub(crate) fn latest(&self) -> Vec<&Moved> {
        let last = self.moves.last().map(|moved| moved.run);
        self.moves.iter().filter(|moved| Some(moved.run) == last).collect()
    }

    /// `; alpha leads`, or the first of each group. Nothing where a question is asked.
    fn leading(&self) -> String {
        let latest = self.latest();
        let Some(first) = latest.first().filter(|_| !self.is_for_question) else { return String::new() };
        if self.groups.values().max().is_none_or(|groups| *groups < 2) {
            return format!("; {} leads", clean(&first.engine));
        }
        let mut firsts: Vec<&Moved> = latest.iter().copied().filter(|moved| moved.rank == 1).collect();
        firsts.sort_by_key(|moved| self.groups.get(&moved.engine));
        let names: Vec<String> = firsts.into_iter().map(|moved| clean(&moved.engine)).collect();
        format!("; {} lead their groups", names.join(", "))
    }

    /// One line about the last finished run, with its title if it is part of a tournament.
    pub(crate) fn line(&self, run: &LookedRun) -> anyhow::Result<String> {
        let of = run.title()?.map(|title| format!("{title}: ")).unwrap_or_default();
        Ok(format!("{of}{}", summary(&self.latest(), &self.leading(), self.seats)))
    }

    fn head(&self) -> Vec<&'static str> {
        let more = [(self.is_night, "division"), (self.has_labels, "label")];
        HEAD.into_iter()
            .chain(more.into_iter().filter_map(|(is_there, name)| is_there.then_some(name)))
            .collect()
    }

    fn cells(&self, moved: &Moved) -> Vec<String> {
        let division = self.groups.get(&moved.engine).map(ToString::to_string).unwrap_or_default();
        let label = moved.label.clone().unwrap_or_default();
        let more = [(self.is_night, division), (self.has_labels, label)];
        let mut cells = cells(moved);
        if self.is_anchored {
            cells[RATING95].clear();
        }
        cells
            .into_iter()
            .chain(more.into_iter().filter_map(|(is_there, text)| is_there.then_some(text)))
            .collect()
    }

    fn object(&self, moved: &Moved, stage: Option<usize>) -> Value {
        let mut object = object(moved, stage);
        if self.is_anchored {
            object["rating95"] = Value::Null;
        }
        if self.is_night {
            object["division"] = json!(self.groups.get(&moved.engine));
        }
        if self.has_labels {
            object["label"] = json!(moved.label);
        }
        object
    }

    fn table(&self) -> anyhow::Result<String> {
        let row = |moved: &Moved| {
            let cell = |(column, text): (&str, String)| match column {
                "engine" | "label" => CsvCell::text(&text),
                // People read a plus before a gain; to a program it is no part of a number.
                "step" | "errors" => CsvCell::exact(text.trim_start_matches('+')),
                _ => CsvCell::exact(text),
            };
            self.head().into_iter().zip(self.cells(moved)).map(cell).collect()
        };
        cells::text_of(self.head(), self.moves.iter().map(row))
    }
}

fn object(moved: &Moved, stage: Option<usize>) -> Value {
    json!({
        "run": moved.run,
        "stage": stage,
        "finished": moved.finished,
        "rank": moved.rank,
        "before": moved.before,
        "engine": moved.engine,
        "games": moved.games.games(),
        "elo": moved.elo(),
        "step": moved.step.map(|step| step.elo),
        "errors": moved.step.map(|step| step.errors),
        "changed": moved.changed,
        "fell": moved.fell(),
        "worse": moved.is_worse(),
        "rating": moved.rating.map(|(elo, _)| elo),
        "rating95": moved.rating.map(|(_, error)| error),
    })
}

const HEAD: [&str; 12] = [
    "run", "finished", "rank", "before", "engine", "games", "elo", "step", "errors", "remark", "rating",
    "rating95",
];
/// Which of them is the error bar of the rating.
const RATING95: usize = HEAD.len() - 1;

fn cells(moved: &Moved) -> Vec<String> {
    let remark = match (moved.before, moved.changed, moved.fell()) {
        (_, true, true) => "worse",
        (None, ..) => "new",
        (_, true, false) => "changed",
        (_, false, true) => "fell",
        _ => "",
    };
    vec![
        moved.run.to_string(),
        moved.finished.clone(),
        moved.rank.to_string(),
        moved.before.map(|rank| rank.to_string()).unwrap_or_default(),
        moved.engine.clone(),
        moved.games.games().to_string(),
        moved.elo().map(whole).unwrap_or_default(),
        moved.step.map(|step| signed(step.elo, 0)).unwrap_or_default(),
        moved.step.map(|step| signed(step.errors, 1)).unwrap_or_default(),
        remark.to_owned(),
        moved.rating.map(|(elo, _)| whole(elo)).unwrap_or_default(),
        moved.rating.map(|(_, error)| whole(error)).unwrap_or_default(),
    ]
}

fn whole(number: f64) -> String {
    decimal(number, 0)
}

/// With a plus if it is not negative.
fn signed(number: f64, digits: usize) -> String {
    let text = decimal(number, digits);
    if text.starts_with('-') { text } else { format!("+{text}") }
}

/// `run 3: 12 engines, 264 games; alpha leads; changed: bravo (2 -> 4); worse: bravo (-80 Elo)`.
fn summary(latest: &[&Moved], leading: &str, seats: u64) -> String {
    let Some(first) = latest.first() else { return "no run has been done yet".to_owned() };
    let played: u64 = latest.iter().map(|moved| moved.games.games()).sum();
    let mut line = format!(
        "run {}: {}, {}{leading}",
        first.run,
        counted(latest.len(), "engine"),
        counted(played / seats, "game")
    );
    let mut list = |what: &str, some: Vec<String>| {
        if !some.is_empty() {
            line.push_str(&format!("; {what}: {}", some.join(", ")));
        }
    };
    let name = |moved: &Moved| clean(&moved.engine);
    list("new", latest.iter().filter(|moved| moved.before.is_none()).map(|moved| name(moved)).collect());
    let shifted = |moved: &&Moved| moved.changed;
    let shift = |moved: &Moved| format!("{} ({} -> {})", name(moved), moved.before.unwrap_or(0), moved.rank);
    list("changed", latest.iter().copied().filter(shifted).map(shift).collect());
    let fall =
        |moved: &Moved| format!("{} ({} Elo)", name(moved), whole(moved.step.map_or(0.0, |step| step.elo)));
    list("worse", latest.iter().copied().filter(|moved| moved.is_worse()).map(fall).collect());
    line
}
