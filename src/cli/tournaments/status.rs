//! `agon status`: a run or a whole cup in at most ten lines.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use agon_export::events::{QuestionFacts, TestFacts};
use agon_export::json;
use agon_pages::report::programs;
use agon_printable::{clean, counted};
use agon_programs::program::display_path;
use agon_store::programs::ProgramRow;
use agon_store::ranking::DerivedStage;
use agon_store::status::RunStatus;
use agon_store::{Store, StoredClosing, StoredEntry, StoredWithdrawal};
use agon_store::{tested, until};
use agon_tournament::competition::looked::LookedRun;
use clap::Args;
use indicatif::HumanDuration;
use serde_json::{Value, json};

use crate::cli::out;
use crate::cli::stage_option::StageOption;

/// The most lines.
const LINES: usize = 10;

/// The most leaders that a line names.
const LEADERS: usize = 4;

/// Shows in ten lines how far a run or a cup has come
///
/// A line for each stage: whether it is over, under way or stopped; the games played and planned;
/// void games; who leads; the time left.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon status
  agon status cup
  agon status cup --json | jq .planned
  watch agon status results")]
pub(crate) struct StatusArgs {
    /// The directory of the run, of a cup, or the one above those of several time controls
    #[arg(value_name = "DIR", default_value = "agon-run")]
    directory: PathBuf,

    /// Shows all engines with their hashes, and whether each plays from a kept copy or is looked at
    /// where it lies, and why
    #[arg(long, conflicts_with = "json")]
    programs: bool,

    /// Writes JSON, an object a line for each part that has begun
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    of: StageOption,
}

/// A part of a tournament as far as it has come.
struct Part {
    name: String,
    status: RunStatus,
    /// The games that count for nobody: the organiser has decided so, or an engine has withdrawn.
    for_nobody: u64,
    leaders: Vec<String>,
    /// By what they are first, if others have more points.
    first_by: Option<&'static str>,
    /// The names of the stages after it.
    later: Vec<String>,
    programs: Vec<ProgramRow>,
    withdrawn: Vec<StoredWithdrawal>,
    closed: Option<StoredClosing>,
    late: Vec<StoredEntry>,
}

impl StatusArgs {
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        let runs = self.of.runs(&self.directory)?;
        let parts = match &runs[..] {
            [LookedRun { number: None, path }] if !Store::is_in(path) && !Store::below(path).is_empty() => {
                let named = |path: &PathBuf| -> anyhow::Result<Part> {
                    let name = path.file_name().map(|name| display_path(Path::new(name)));
                    part(path, name.unwrap_or_default())
                };
                Store::below(path).iter().map(named).collect::<anyhow::Result<Vec<Part>>>()?
            }
            runs => {
                let named = |run: &LookedRun| {
                    let name = run.title()?.unwrap_or_else(|| display_path(&run.path));
                    part(&run.path, name)
                };
                runs.iter().map(named).collect::<anyhow::Result<Vec<Part>>>()?
            }
        };
        if self.programs {
            let several = parts.len() > 1;
            for part in &parts {
                let title = if several { format!("{}:\n", clean(&part.name)) } else { String::new() };
                out(&(title + &programs::table(&part.programs)))?;
            }
            return Ok(ExitCode::SUCCESS);
        }
        if self.json {
            let numbers = runs.iter().map(|run| run.number).chain(std::iter::repeat(None));
            let objects = parts.iter().zip(numbers);
            let lines = objects.map(|(part, number)| json::line(&part.object(number)) + "\n");
            out(&lines.collect::<String>())?;
            return Ok(ExitCode::SUCCESS);
        }
        let mut lines: Vec<String> = parts.iter().map(Part::line).collect();
        if self.of.stage.is_none()
            && let (Some(last), Some(number)) = (parts.last(), runs.last().and_then(|run| run.number))
        {
            let not_begun = (number + 1..).zip(&last.later);
            lines.extend(not_begun.map(|(number, name)| match *name == format!("stage {number}") {
                true => format!("{name}: not begun"),
                false => format!("stage {number}: {}: not begun", clean(name)),
            }));
        }
        if lines.len() > LINES {
            // The parts that are over are told together, and then those that have not begun.
            let over = parts.iter().take_while(|part| part.status.is_over).count();
            let hidden = (lines.len() - LINES + 1).min(over);
            if hidden > 1 {
                let games: u64 = parts[..hidden].iter().map(|part| part.status.done).sum();
                let void: u64 = parts[..hidden].iter().map(|part| part.status.void).sum();
                let line = format!("the first {hidden}: over, {}, {void} void", counted(games, "game"));
                lines.splice(..hidden, [line]);
            }
            let rest = lines.len().saturating_sub(LINES);
            if rest > 0 {
                lines.truncate(LINES - 1);
                lines.push(format!("and {} more", rest + 1));
            }
        }
        if let ([line], None, [only]) = (&mut lines[..], self.of.stage, &parts[..]) {
            // The parts of a cup have a line each: there --programs tells of their engines.
            programs::sentence(&only.programs).iter().for_each(|more| line.push_str(&format!("\n{more}")));
        }
        out(&(lines.join("\n") + "\n"))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// The part in this directory.
fn part(path: &Path, name: String) -> anyhow::Result<Part> {
    let store = Store::read(path)?;
    let stage = store.stage()?;
    let status = store.status(stage.as_ref())?;
    let standings = store.standings(store.points()?)?;
    let rows = standings.table();
    // A question has an answer of its own, which may be another one than the points give.
    let tells = status.question.is_none();
    let firsts = if tells { DerivedStage::firsts(stage.as_ref(), &rows) } else { Vec::new() };
    let arranged = store.withdrawn()?;
    Ok(Part {
        name,
        leaders: firsts.iter().map(|row| clean(&row.entrant)).collect(),
        first_by: firsts.iter().find_map(|row| standings.first_by(&rows, row.group)),
        for_nobody: standings.for_nobody(),
        later: stage.map(|(spec, _)| spec.later).unwrap_or_default(),
        programs: store.programs()?,
        withdrawn: arranged.all().cloned().collect(),
        closed: arranged.closed().cloned(),
        late: arranged.entries().to_vec(),
        status,
    })
}

fn withdrawn(made: &StoredWithdrawal) -> Value {
    json!({ "engine": made.engine, "from": made.from, "rule": made.rule_text(), "why": made.why })
}

impl Part {
    fn object(&self, stage: Option<usize>) -> Value {
        let mut all = json!({
            "name": self.name,
            "stage": stage,
            "over": self.status.is_over,
            "running": self.status.holder.is_some(),
            "games": self.status.done,
            "for_nobody": self.for_nobody,
            "planned": self.status.planned,
            "void": self.status.void,
            "seconds_left": self.status.left.map(|left| left.as_secs()),
            "leaders": self.leaders,
            "test": self.status.test.as_ref().map(TestFacts::from),
            "later": self.later,
            "withdrawn": self.withdrawn.iter().map(withdrawn).collect::<Vec<_>>(),
            "late": self.late.iter().map(|made| json!({ "engine": made.engine, "from": made.from, "why": made.why })).collect::<Vec<_>>(),
            "closed": self.closed.as_ref().map(|made| json!({ "rest": made.closing.map(|closing| closing.rest), "why": made.why })),
            "programs": self.programs.iter().map(programs::object).collect::<Vec<_>>(),
        });
        if !self.status.parts.is_empty() {
            all["parts"] = self.status.parts.iter().map(|part| part.spelling()).collect();
        }
        if let Some(found) = &self.status.question {
            all["question"] = json!(QuestionFacts::from(found));
        }
        all
    }

    /// Of a test: it ends with any game, so none is missing.
    fn of_test(&self) -> String {
        let how = match (self.status.decided(), &self.status.holder) {
            (Some(_), _) => "decided".to_owned(),
            (None, Some(who)) => format!("under way ({who})"),
            (None, None) if self.status.is_over => "over".to_owned(),
            (None, None) => "stopped".to_owned(),
        };
        let stand = self.status.test.as_ref().map(tested::words).unwrap_or_default();
        format!("{}: {how}, {stand}", clean(&self.name))
    }

    fn line(&self) -> String {
        let missing = self.status.planned.saturating_sub(self.status.done);
        let games = counted(self.status.done, "game");
        let mut line = match (&self.status.holder, self.status.is_over) {
            _ if self.status.test.is_some() => self.of_test(),
            (_, true) if !self.status.parts.is_empty() => {
                let parts: Vec<String> = self.status.parts.iter().map(ToString::to_string).collect();
                format!("{}: {} finished, {games}", clean(&self.name), parts.join(" and "))
            }
            (_, true) => format!("{}: over, {games}", clean(&self.name)),
            (Some(who), false) => {
                format!(
                    "{}: under way, {} of {}",
                    clean(&self.name),
                    self.status.done,
                    counted(self.status.planned, "game")
                ) + &format!(" ({who})")
            }
            (None, false) => {
                let (name, done, planned) = (clean(&self.name), self.status.done, self.status.planned);
                // With a question, nobody knows how many are missing.
                match self.status.question {
                    Some(_) => format!("{name}: stopped, {games}"),
                    None => {
                        format!("{name}: stopped, {done} of {}, {missing} missing", counted(planned, "game"))
                    }
                }
            }
        };
        if self.for_nobody > 0 {
            line.push_str(&format!(", {} for nobody", self.for_nobody));
        }
        if self.status.void > 0 {
            line.push_str(&format!(", {} void", self.status.void));
        }
        if let Some(left) = self.status.left {
            line.push_str(&format!(", {} left", HumanDuration(left)));
        }
        if let Some(found) = &self.status.question {
            line.push_str(&format!("; {}", until::words(found)));
        }
        // Who is first in a test would be taken for the engine that it is about.
        if !self.leaders.is_empty() && self.status.test.is_none() && self.status.question.is_none() {
            let more = self.leaders.len().saturating_sub(LEADERS);
            let names = self.leaders[..self.leaders.len() - more].join(", ");
            let word = if self.status.is_over && self.status.parts.is_empty() { "first" } else { "leading" };
            line.push_str(&format!("; {word}: {names}"));
            if more > 0 {
                line.push_str(&format!(" and {more} more"));
            }
            if let Some(by) = self.first_by {
                line.push_str(&format!(", {by}"));
            }
        }
        for made in &self.late {
            line.push_str(&format!("; {}", clean(&made.words())));
        }
        for made in &self.withdrawn {
            line.push_str(&format!("; {}", clean(&made.words())));
        }
        if let Some(made) = &self.closed {
            line.push_str(&format!("; {}", made.words()));
        }
        line
    }
}
