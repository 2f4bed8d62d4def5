//! `agon games`: the games of a run, as a list.

use std::path::PathBuf;
use std::process::ExitCode;

use agon_export::json;
use agon_pages::report::columns::columns;
use agon_standings::result::Cause;
use agon_store::{Filter, Store, Stored};
use clap::Args;
use serde_json::{Value, json};

use crate::cli::stage_option::StageOption;
use crate::cli::{known_in, out, out_list};

/// How many rows share one layout of columns: a list of a million games would need much memory.
const TOGETHER: usize = 1000;

/// Lists the games of a run
///
/// All of them, or those of an engine, lost ones, or those with one termination.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon games results
  agon games results --engine mine --lost
  agon games cup --stage 2
  agon games results --json | jq -r .id
  agon games results --termination \"time forfeit\"")]
pub(crate) struct GamesArgs {
    /// The directory of the run, or of a cup
    #[arg(value_name = "DIR", default_value = "agon-run")]
    directory: PathBuf,

    /// Only games of this engine
    #[arg(long, value_name = "NAME")]
    engine: Option<String>,

    /// Only games that the engine lost; without --engine, games that were not drawn
    #[arg(long)]
    lost: bool,

    /// Only games with this termination: normal, illegal move, time forfeit, crash, void, ...
    #[arg(long, value_name = "HOW", value_parser = termination)]
    termination: Option<String>,

    /// Also void games and the history
    #[arg(long)]
    all: bool,

    /// Writes each game as JSON, an object a line
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    of: StageOption,
}

/// A termination in the words of `games.csv`. Any other word would match no game.
fn termination(text: &str) -> Result<String, String> {
    let causes = Cause::ALL.map(Cause::name);
    let mut known = ["normal", "resignation", "adjudication", "decision", "void"].into_iter().chain(causes);
    if known.any(|word| word == text) {
        return Ok(text.to_owned());
    }
    Err(format!(
        "no game ends by it; write normal, resignation, adjudication, decision, void, {}",
        causes.join(", ")
    ))
}

impl GamesArgs {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let runs = self.of.runs(&self.directory)?;
        let stores = known_in(&runs, self.engine.as_deref())?;
        for (at, (run, store)) in stores.iter().enumerate() {
            if !self.json {
                run.announce(at == 0)?;
            }
            self.list(store, run.number)?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn list(&self, store: &Store, stage: Option<usize>) -> anyhow::Result<()> {
        let filter = Filter {
            engine: self.engine.clone(),
            lost: self.lost,
            termination: self.termination.clone(),
            all: self.all,
            ..Filter::default()
        };
        if self.json {
            return store.games(&filter, |stored| out(&(json::line(&object(&stored, stage)) + "\n")));
        }
        let mut rows: Vec<Vec<String>> = Vec::new();
        let show = |rows: &mut Vec<Vec<String>>| {
            let text = columns(&["id", "first", "second", "result", "plies", "how", "why"], rows);
            rows.clear();
            out_list(&text)
        };
        store.games(&filter, |stored| {
            let record = &stored.record;
            let names: Vec<&str> = record.seats.values().iter().map(|seat| seat.entrant.as_str()).collect();
            let (how, why) = record.verdict.ended();
            let how = if stored.counts || how == "void" { how } else { format!("{how} (history)") };
            rows.push(vec![
                record.id.to_string(),
                names.first().copied().unwrap_or_default().to_owned(),
                names.get(1..).unwrap_or_default().join(", "),
                record.result(),
                record.plies.len().to_string(),
                how,
                why,
            ]);
            if rows.len() == TOGETHER { show(&mut rows) } else { Ok(()) }
        })?;
        show(&mut rows)
    }
}

fn object(stored: &Stored, stage: Option<usize>) -> Value {
    let record = &stored.record;
    let (termination, reason) = record.verdict.ended();
    let decision = record.ruling.as_ref().map(|ruling| {
        let played = record.clone().as_played();
        let (termination, reason) = played.verdict.ended();
        json!({
            "decision": ruling.decision.word(),
            "decided": ruling.decided,
            "played_result": played.result(),
            "played_termination": termination,
            "played_reason": reason,
        })
    });
    let names: Vec<&str> = record.seats.values().iter().map(|seat| seat.entrant.as_str()).collect();
    json!({
        "id": record.id.to_string(),
        "stage": stage,
        "engines": names,
        "result": record.result(),
        "termination": termination,
        "reason": reason,
        "plies": record.plies.len(),
        // By a decision a game may be void that counted.
        "counts": stored.counts && record.decided().is_some(),
        "ruling": decision,
        "run": stored.run,
        "started": record.started,
        "finished": record.finished,
    })
}
