//! `agon why`: explains to an author each game lost by a fault.

use std::path::PathBuf;
use std::process::ExitCode;

use agon_printable::clean;
use clap::Args;
use serde_json::json;

use super::looked::StageOption;
use super::{known_in, out};
use crate::export::{evidence, json};
use crate::record::Verdict;
use crate::store::{Filter, Store, Stored};

/// How many lines from the end of an engine's stderr are shown.
const LAST: usize = 10;

/// Explains every game that an engine lost by a fault: why, the position, its last lines, its
/// stderr
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon why results mine
  agon why results mine --games 1
  agon why results mine --json | jq -r .why")]
pub(super) struct WhyArgs {
    /// The directory of the run, or of a cup
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    /// The engine
    #[arg(value_name = "ENGINE")]
    engine: String,

    /// The most games to show, beginning with the first
    #[arg(long, value_name = "N", default_value_t = 20)]
    games: u64,

    /// Writes each game as JSON, an object a line
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    of: StageOption,
}

impl WhyArgs {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let runs = self.of.runs(&self.directory)?;
        for (at, (run, store)) in known_in(&runs, Some(&self.engine))?.iter().enumerate() {
            if self.json {
                self.list(store, run.number)?;
                continue;
            }
            run.announce(at == 0)?;
            self.explain(store)?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn list(&self, store: &Store, stage: Option<usize>) -> anyhow::Result<()> {
        let filter = Filter { engine: Some(self.engine.clone()), by_fault: true, ..Filter::default() };
        let mut left = self.games;
        store.games(&filter, |stored| {
            let record = &stored.record;
            let lost = record.seats.iter().filter(|(_, seat)| seat.entrant == self.engine);
            for (_, seat) in lost {
                let Some(evidence) = seat.evidence.as_ref().filter(|_| left > 0) else { continue };
                left -= 1;
                let [(_, why), (_, lines), (_, stderr), (_, position), _] =
                    evidence::files(record, seat, evidence, "");
                let object = json!({
                    "id": record.id.to_string(),
                    "stage": stage,
                    "engine": seat.entrant,
                    "side": seat.side,
                    "why": why,
                    "position": position,
                    "lines": lines,
                    "stderr": stderr,
                });
                out(&(json::line(&object) + "\n"))?;
            }
            Ok(())
        })
    }

    fn explain(&self, store: &Store) -> anyhow::Result<()> {
        let mut count = 0;
        let filter = Filter { engine: Some(self.engine.clone()), by_fault: true, ..Filter::default() };
        store.games(&filter, |stored| {
            count += 1;
            if count <= self.games { out(&told(&stored, &self.engine)) } else { Ok(()) }
        })?;
        let engine = clean(&self.engine);
        let games = if count == 1 { "game" } else { "games" };
        let mut last = format!("{engine} lost {count} {games} by a fault");
        if count > self.games {
            last.push_str(&format!("; {} of them are shown, --games {count} shows all", self.games));
        }
        let mut voids = 0;
        let mut reason = None;
        let void = Filter {
            engine: Some(self.engine.clone()),
            termination: Some("void".to_owned()),
            all: true,
            ..Filter::default()
        };
        store.games(&void, |stored| {
            voids += 1;
            if let Verdict::Void { why } = stored.record.verdict {
                reason = Some(why);
            }
            Ok(())
        })?;
        if let Some(reason) = reason {
            let attempts =
                if voids == 1 { "attempt at one of its games was" } else { "attempts at its games were" };
            last.push_str(&format!("; {voids} {attempts} void, the last because {}", clean(&reason)));
        }
        out(&format!("{last}\n"))
    }
}

fn told(stored: &Stored, engine: &str) -> String {
    let record = &stored.record;
    let mut text = String::new();
    for (_, seat) in record.seats.iter().filter(|(_, seat)| seat.entrant == *engine) {
        let Some(evidence) = &seat.evidence else { continue };
        // The command to play it again needs the engines, which may have moved; evidence/ has it.
        let [(_, why), (_, lines), (_, stderr), (_, position), _] =
            evidence::files(record, seat, evidence, "");
        let stderr: Vec<&str> = stderr.trim_end().lines().collect();
        let stderr = &stderr[stderr.len().saturating_sub(LAST)..];
        text.push_str(&why);
        text.push_str(&position);
        text.push_str("its lines, < told, > said, ! unasked, ? unfinished:\n");
        text.push_str(&lines);
        if !stderr.is_empty() {
            text.push_str("the last lines of its stderr:\n");
            stderr.iter().for_each(|line| text.push_str(&format!("  {line}\n")));
        }
        text.push('\n');
    }
    text.lines().map(|line| clean(line) + "\n").collect()
}
