//! `agon verify`: checks everything in a database against the rules, the plan and itself.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use agon_audit::database::{Audit, audit};
use agon_audit::referee_program::RefereeAccess;
use agon_config::{CommandExit, Misuse, Options};
use agon_export::json;
use agon_games::lexicon::Lexicon;
use agon_games::{Needs, Rules};
use agon_match::keeper::RunContext;
use agon_pages::report::hosts;
use agon_printable::{are, counted};
use agon_programs::program::display_path;
use agon_store::chain::Link;
use agon_store::{Store, WHAT_THE_HEAD_IS};
use agon_tournament::competition::looked::LookedRun;
use agon_tournament::competition::settings;
use anyhow::Context;
use clap::Args;
use serde_json::{Value, json};

use crate::cli::out;
use crate::cli::referees::RefereeWorkshop;
use crate::cli::stage_option::StageOption;

/// Checks every stored fact of a run
///
/// Each is compared with the rules, the plan and the other facts.
///
/// Every game is played again, the history and void attempts too. Starts must follow from seeds,
/// results from moves, standings from games, and each game from the one stored before it. A referee
/// program is started again, and must write every recorded line. It reports how many facts are
/// proved and how many only the harness has witnessed. Exit code 1: something differs, or a game
/// could not be checked. Games of the history whose referee is gone are only counted.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon verify
  agon verify results
  agon verify results --json | jq .clean
  agon verify results --expect 0123456789abcdef0123456789abcdef
  agon verify results --game ./referees/kuhn")]
pub(crate) struct VerifyArgs {
    /// The directory of the run, or the one above those of its stages or time controls
    #[arg(value_name = "DIR", default_value = "agon-run")]
    directory: PathBuf,

    /// The chain head noted earlier, as agon standings shows it; exit code 1 if it is none of this
    /// chain. Games may have been stored since
    #[arg(long, value_name = "HASH")]
    expect: Option<Link>,

    /// The word list for games whose own is not in the database [default: a built-in list of
    /// English words]
    #[arg(long, value_name = "FILE")]
    dictionary: Option<PathBuf>,

    /// The folder of the game, for games of a referee program [default: where the run found it]
    #[arg(long, value_name = "FOLDER")]
    game: Option<PathBuf>,

    /// Writes the findings as JSON, an object a line for each directory
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    of: StageOption,
}

impl VerifyArgs {
    /// Whether a referee program is to be started. Errors are left to the audit itself.
    pub(crate) fn starts_referees(&self) -> bool {
        let directories = self.directories().unwrap_or_default();
        directories.iter().any(|directory| {
            Store::is_in(directory)
                && Store::read(directory).is_ok_and(|store| store.has_refereed_games().unwrap_or(false))
        })
    }

    /// The directories of the runs to be checked, one at least.
    fn directories(&self) -> anyhow::Result<Vec<PathBuf>> {
        let runs = self.of.runs(&self.directory)?;
        let below: Vec<PathBuf> = match &runs[..] {
            [LookedRun { number: None, .. }] if Store::is_in(&self.directory) => Vec::new(),
            // Not a cup: perhaps several time controls.
            [LookedRun { number: None, .. }] => Store::below(&self.directory),
            _ => runs.iter().map(|run| run.path.clone()).collect(),
        };
        Ok(if below.is_empty() { vec![self.directory.clone()] } else { below })
    }

    /// Starts referee programs below the keeper of `context`; without one, there are none.
    pub(crate) fn run(&self, context: Option<&RunContext>) -> anyhow::Result<ExitCode> {
        let below = self.directories()?;
        let workshop =
            context.map(|context| RefereeWorkshop::open(self.game.as_deref(), context)).transpose()?;
        let access = workshop.as_ref().map(RefereeWorkshop::access);
        let access = access.as_ref();
        if let [only] = &below[..] {
            let clean = self.look_into(only, access)?;
            return Ok(CommandExit::found(!clean).into());
        }
        if self.expect.is_some() {
            let named = below.iter().take(8).map(|path| display_path(path)).collect::<Vec<_>>().join(" or ");
            return Err(Misuse::hinted(
                "--expect: each directory has a head of its own",
                format!("give {named}"),
            ));
        }
        let mut clean = true;
        for directory in below {
            if !self.json {
                out(&format!("{}:\n", display_path(&directory)))?;
            }
            clean &= self.look_into(&directory, access)?;
        }
        Ok(CommandExit::found(!clean).into())
    }

    /// Whether everything in this directory was checked and no difference was found.
    fn look_into(&self, directory: &Path, access: Option<&RefereeAccess<'_>>) -> anyhow::Result<bool> {
        let store = Store::read(directory)?;
        let found = audit(&store, &|spec, words| self.rules(spec, words), self.expect, access)?;
        let hosts = store.hosts()?;
        out(&if self.json {
            let mut object = object(&found, directory);
            object["hosts"] = hosts::sentence(&hosts).map_or(Value::Null, Value::from);
            json::line(&object) + "\n"
        } else {
            let sentence = hosts::sentence(&hosts).map(|text| text + "\n").unwrap_or_default();
            told(&found, &sentence)
        })?;
        Ok(found.is_clean())
    }

    /// The rules of a game, with the dictionary of its run.
    fn rules(&self, spec: &str, words: Option<&[u8]>) -> anyhow::Result<Arc<dyn Rules>> {
        if let (None, Some(words)) = (&self.dictionary, words) {
            let lexicon = Lexicon::parse(words).context("the word list in the database cannot be read")?;
            let needs = Needs { lexicon: Some(Arc::new(lexicon)) };
            return agon_games::find(spec, &needs).map_err(|error| Misuse::misread(spec, &error.to_string()));
        }
        settings::built_in(&Options {
            game: Some(spec.into()),
            dictionary: self.dictionary.clone(),
            ..Options::default()
        })
    }
}

fn object(found: &Audit, directory: &Path) -> Value {
    let (head, stored) = found.head;
    let (proved, witnessed) = found.facts.counts();
    json!({
        "directory": display_path(directory),
        "clean": found.is_clean(),
        "games": found.games,
        "void": found.void,
        "wrong": found.wrong,
        "missing": found.missing,
        "outside_plan": found.outside.0,
        "unchecked": found.unchecked,
        "history_unchecked": found.history,
        "differences": found.differences,
        "proved": proved,
        "witnessed": witnessed,
        "programs_unchecked": found.programs,
        "pruned": found.pruned,
        "head": head.to_string(),
        "stored": stored,
        "stored_since": found.stored_since,
    })
}

/// The findings of an audit, for people, with a line about its hosts.
fn told(found: &Audit, hosts: &str) -> String {
    let mut text: String = found.differences.iter().map(|line| format!("{line}\n")).collect();
    for (why, games) in &found.unchecked {
        text.push_str(&format!("{} not checked: {why}\n", counted(*games, "game")));
    }
    for (why, games) in &found.history {
        text.push_str(&format!(
            "{} of the history not checked, which {} not count: {why}\n",
            counted(*games, "game"),
            if *games == 1 { "does" } else { "do" }
        ));
    }
    for line in found.facts.lines() {
        text.push_str(&line);
        text.push('\n');
    }
    for line in &found.programs {
        text.push_str(&format!("{line}\n"));
    }
    let (head, games) = found.head;
    if std::io::stdout().is_terminal() {
        text.push_str(&format!("{WHAT_THE_HEAD_IS}\n"));
    }
    text.push_str(&format!("head of the chain {head}, {} stored\n", counted(games, "game")));
    match found.stored_since {
        Some(0) => text.push_str("--expect: it is the head that was noted\n"),
        Some(since) => {
            let games = games - since;
            text.push_str(&format!(
                "--expect: the given head is that after {}, and {since} {} stored since\n",
                counted(games, "game"),
                if since == 1 { "was" } else { "were" }
            ));
        }
        None => {}
    }
    if found.pruned > 0 {
        let what = match found.pruned {
            1 => "game was pruned; its hash is in the chain, its content is gone",
            _ => "games were pruned; their hashes are in the chain, their content is gone",
        };
        text.push_str(&format!("{} {what}\n", found.pruned));
    }
    if found.missing > 0 {
        text.push_str(&format!(
            "{} of the plan {} not been played\n",
            counted(found.missing, "game"),
            if found.missing == 1 { "has" } else { "have" }
        ));
    }
    let (outside, named) = &found.outside;
    if *outside > 0 {
        let and_more = if *outside > named.len() as u64 { " and others" } else { "" };
        text.push_str(&format!(
            "{} and {} not in the plan of the last run: {}{and_more}\n",
            if *outside == 1 {
                "1 imported game counts".to_owned()
            } else {
                format!("{outside} imported games count")
            },
            are(*outside),
            named.join(", ")
        ));
    }
    text.push_str(hosts);
    let unchecked: u64 = found.unchecked.values().sum();
    let history = match found.history.values().sum::<u64>() {
        0 => String::new(),
        games => format!(" and {games} of the history"),
    };
    text.push_str(&format!(
        "{} checked, {} with differences; {}; {unchecked}{history} not checked; {} in all\n",
        counted(found.games, "game"),
        found.wrong,
        counted(found.void, "void attempt"),
        counted(found.differences.len(), "difference")
    ));
    text
}
