//! `agon verify`: every game of a database, played once more through the rules.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use clap::Args;

use super::{out, settings};
use crate::config::{Misuse, Options};
use crate::export::{notation, replay};
use crate::game::Rules;
use crate::games::lexicon::Lexicon;
use crate::games::{self, Needs};
use crate::store::{Filter, Store, Stored};

/// Plays every game of a run through the rules once more, and reports what is not so
///
/// Moves, points, scores, the last position and the result are compared. The history is looked at too. Exit code 1 if
/// something differs.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon verify
  agon verify results")]
pub(super) struct Verify {
    /// The directory of the run
    #[arg(value_name = "DIR", default_value = "agon-run")]
    directory: PathBuf,

    /// The word list of games whose own is not in the database [default: a list of English words that is built in]
    #[arg(long, value_name = "FILE")]
    dictionary: Option<PathBuf>,
}

impl Verify {
    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        let store = Store::read(&self.directory)?;
        let state = store.integrity()?;
        let (mut games, mut wrong, mut older) = (0u64, 0u64, 0u64);
        if state != "ok" {
            wrong += 1;
            out(&format!("the database is damaged: {state}\n"))?;
        }
        let mut known: HashMap<(String, i64), Arc<dyn Rules>> = HashMap::new();
        let mut outdated: HashMap<(String, i64), bool> = HashMap::new();
        store.games(&Filter { all: true, ..Filter::default() }, |stored| {
            let under = (stored.record.rules.clone(), stored.run);
            let outdated = match outdated.get(&under) {
                Some(known) => *known,
                None => *outdated.entry(under.clone()).or_insert(is_outdated(&store, &stored)?),
            };
            if outdated {
                older += 1;
                return Ok(());
            }
            games += 1;
            let rules = match known.get(&under) {
                Some(rules) => rules.clone(),
                None => {
                    let rules = self.rules(&store, &stored)?;
                    known.insert(under, rules.clone());
                    rules
                }
            };
            match look(&stored, rules.as_ref()) {
                Ok(()) => Ok(()),
                Err(why) => {
                    wrong += 1;
                    out(&format!("{}: {why}\n", stored.record.id))
                }
            }
        })?;
        if older > 0 {
            out(&format!("{older} games of the history were played by older rules, and are left out\n"))?;
        }
        out(&format!("{games} games, {wrong} with differences\n"))?;
        Ok(ExitCode::from(u8::from(wrong > 0)))
    }

    /// The rules a game was played by, with the dictionary it was played with.
    fn rules(&self, store: &Store, stored: &Stored) -> anyhow::Result<Arc<dyn Rules>> {
        let terms = store.terms(stored.run)?.unwrap_or_default();
        if let (None, Some(hash)) = (&self.dictionary, terms.get("dictionary")) {
            let bytes = store.supply(hash)?;
            let lexicon = Lexicon::parse(&bytes).context("the word list in the database cannot be read")?;
            let needs = Needs { lexicon: Some(Arc::new(lexicon)) };
            return games::find(&stored.record.rules, &needs)
                .map_err(|error| Misuse::error(error.to_string()));
        }
        settings::rules(&Options {
            game: Some(stored.record.rules.clone()),
            dictionary: self.dictionary.clone(),
            ..Options::default()
        })
    }
}

/// Whether a game was played by rules of another version than those of this program. None of them counts.
fn is_outdated(store: &Store, stored: &Stored) -> anyhow::Result<bool> {
    let terms = store.terms(stored.run)?.unwrap_or_default();
    let version = terms.get("rules version").and_then(|version| version.parse().ok());
    Ok(version.is_some_and(|version: u32| version != games::version(&stored.record.rules)))
}

fn look(stored: &Stored, rules: &dyn Rules) -> Result<(), String> {
    let record = &stored.record;
    let text = notation::write(record, "verify");
    let read = notation::read(&text).map_err(|error| error.to_string())?;
    let replayed = replay::verify(&read, rules).map_err(|error| error.why)?;
    if replayed.game.text() != record.last {
        return Err(format!("the last position is {}, and not {}", replayed.game.text(), record.last));
    }
    let Some(decided) = record.decided() else { return Ok(()) };
    if replayed.game.scores() != decided.scores {
        return Err("the scores are not those of the moves".to_owned());
    }
    Ok(())
}
