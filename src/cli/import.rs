//! `agon import`: games that were played elsewhere.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;

use super::out;
use crate::config::Misuse;
use crate::engine::program::shown;
use crate::export::directory::Directory;
use crate::export::json;
use crate::store::lock::Lock;
use crate::store::{Arrival, Store, key};

/// The longest line that is read, in bytes.
const MAX_LINE: u64 = 64 << 20;

/// Takes in games that were played elsewhere, one a line as agon export json writes them
///
/// A game that is there already is left out, so that nothing changes when a file is taken in twice. Either all games
/// of a file are taken in or none.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon import results games.jsonl
  ssh other agon export json results | agon import results -")]
pub(super) struct Import {
    /// The directory of the run; a new one is made if it is not there
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    /// The file, or - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

impl Import {
    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        let input: Box<dyn Read> = if self.file == Path::new("-") {
            Box::new(std::io::stdin())
        } else {
            let file = File::open(&self.file)
                .map_err(|error| Misuse::error(format!("{}: {error}", shown(&self.file))))?;
            Box::new(file)
        };
        Directory::make(&self.directory)?;
        let _lock = Lock::take(&self.directory)?;
        let mut store = Store::open(&self.directory)?;
        let mut lines = 0;
        let mut input = BufReader::new(input);
        let games = std::iter::from_fn(|| {
            let mut line = String::new();
            loop {
                lines += 1;
                line.clear();
                match (&mut input).take(MAX_LINE).read_line(&mut line) {
                    Ok(0) => return None,
                    Ok(_) if line.trim().is_empty() => {}
                    Ok(_) => return Some(self.arrival(line.trim_end(), lines)),
                    Err(error) => return Some(Err(error).context("cannot read the games")),
                }
            }
        });
        let new = store.import(games)?;
        let (counted, ..) = store.counts()?;
        out(&format!("{new} games taken in; {counted} count\n"))?;
        Ok(ExitCode::SUCCESS)
    }

    fn arrival(&self, line: &str, number: u64) -> anyhow::Result<Arrival> {
        let wrong = |why: String| Misuse::error(format!("{}: line {number}: {why}", shown(&self.file)));
        let traveller = json::from_travel(line).map_err(|error| wrong(format!("no game: {error}")))?;
        let record = traveller.record;
        let hashes = traveller.engine_hashes.unwrap_or_else(|| record.seats.map(|_, _| String::new()));
        let key = match traveller.key {
            Some(text) => u64::from_str_radix(&text, 16)
                .map_err(|_| wrong("the key is no number of 16 hexadecimal digits".to_owned()))?
                .cast_signed(),
            None => {
                let started = record.started.to_rfc3339();
                let seed = record.seed.to_string();
                let names = record.seats.values().iter().map(|seat| seat.entrant.as_str());
                let id = record.id.to_string();
                let parts: Vec<&str> =
                    [record.rules.as_str(), &seed, &started, &id].into_iter().chain(names).collect();
                key::of_text(&parts)
            }
        };
        Ok(Arrival { record, key, hashes })
    }
}
