//! Games that come to `agon merge` through a pipe, a line each, as agon export json writes them.

use std::io::{BufRead, Read};

use anyhow::Context;

use super::import::{Gate, MAX_LINE};
use crate::audit::plan::belongs;
use crate::export::json;
use crate::record::GameId;
use crate::store::inside::Ran;
use crate::store::key::Keys;
use crate::store::{ImportedGame, Stored};

/// How many games that were left out are named.
const NAMED: usize = 3;

/// The games of a pipe that belong to a run.
pub(super) struct PipedGames<'a, R> {
    input: R,
    gate: Gate<'a>,
    run: &'a Ran,
    keys: Keys,
    /// The number of each planned game by its key, ordered by key.
    plan: Vec<(i64, GameId)>,
    line: u64,
    /// Games of other rules, engines or conditions, in words.
    pub(super) left_out: LeftOut,
}

/// The games that were left out.
#[derive(Default)]
pub(super) struct LeftOut {
    /// The first of them.
    pub(super) named: Vec<String>,
    /// How many there are.
    pub(super) count: u64,
}

/// Why a game is not taken in.
enum Refused {
    /// It is of another run.
    LeftOut(String),
    /// It is wrong, and so is its source.
    Wrong(String),
}

impl<'a, R: BufRead> PipedGames<'a, R> {
    /// Reads games of this run. `gate` plays them through their rules.
    pub(super) fn new(input: R, gate: Gate<'a>, run: &'a Ran) -> anyhow::Result<Self> {
        let keys = run.keys();
        let games = run.planned().context("the plan of the run cannot be made")?;
        let mut plan: Vec<(i64, GameId)> = games.map(|game| (keys.of(&game), game.id)).collect();
        plan.sort_unstable_by_key(|(key, _)| *key);
        Ok(PipedGames { input, gate, run, keys, plan, line: 0, left_out: LeftOut::default() })
    }

    /// The next line; `None` at the end.
    fn next_line(&mut self) -> anyhow::Result<Option<String>> {
        loop {
            let mut line = String::new();
            self.line += 1;
            let read = (&mut self.input).take(MAX_LINE).read_line(&mut line);
            if read.with_context(|| format!("line {} cannot be read", self.line))? == 0 {
                return Ok(None);
            }
            // Without its end a line may be a copy that was cut short.
            anyhow::ensure!(
                line.ends_with('\n'),
                "line {} has no end, the input was cut short; send it once more",
                self.line
            );
            if !line.trim().is_empty() {
                return Ok(Some(line));
            }
        }
    }

    fn game(&mut self, line: &str) -> Result<ImportedGame, Refused> {
        let wrong = |why: String| Refused::Wrong(why);
        let exported =
            json::from_export(line.trim_end()).map_err(|error| wrong(format!("no game: {error:#}")))?;
        let record = exported.record;
        let id = record.id;
        let other = |why: &str| Refused::LeftOut(format!("game {id}: {why}"));
        let own = self.run.terms.get("game").map_or("", String::as_str);
        if record.rules != own {
            return Err(other(&format!("its rules are {} and not {own}", record.rules)));
        }
        let (Some(key), Some(hashes)) = (exported.key, exported.engine_hashes) else {
            return Err(other("it has no key and no hashes of its engines"));
        };
        let key = u64::from_str_radix(&key, 16).map_err(|_| wrong("its key is no number".to_owned()))?;
        for (seat, seated) in record.seats.iter() {
            match self.run.players.iter().find(|player| player.name == seated.entrant) {
                None => return Err(other(&format!("the engine {} is not in the run", seated.entrant))),
                Some(player) if player.hash != hashes[seat] => {
                    return Err(other(&format!("the engine {} is another program", player.name)));
                }
                Some(_) => {}
            }
        }
        let plies =
            record.seats.map(|seat, _| record.plies.iter().filter(|ply| ply.seat == seat).count() as u64);
        let stderr = record.seats.map(|_, _| Vec::new());
        let key = key.cast_signed();
        let (counts, host) = (exported.counts, exported.host);
        let mut stored = Stored { record, key, run: 0, counts, hashes, stderr, plies, host };
        if let Err(difference) = belongs(&stored, self.run, &self.keys) {
            return Err(other(&format!("its conditions are others: {difference}")));
        }
        if counts {
            let found = self.plan.binary_search_by_key(&key, |(key, _)| *key);
            let Ok(at) = found else { return Err(other("the plan has no such game")) };
            stored.record.id = self.plan[at].1;
        }
        self.gate.check(&stored.record).map_err(|why| wrong(format!("game {id}: {why}")))?;
        let Stored { record, key, counts, hashes, stderr, host, .. } = stored;
        Ok(ImportedGame { record, key, hashes, counts, stderr, host })
    }
}

impl<R: BufRead> Iterator for PipedGames<'_, R> {
    type Item = anyhow::Result<ImportedGame>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let line = match self.next_line() {
                Ok(line) => line?,
                Err(error) => return Some(Err(error)),
            };
            match self.game(&line) {
                Ok(game) => return Some(Ok(game)),
                Err(Refused::Wrong(why)) => return Some(Err(anyhow::anyhow!("line {}: {why}", self.line))),
                Err(Refused::LeftOut(why)) => {
                    self.left_out.count += 1;
                    if self.left_out.named.len() < NAMED {
                        self.left_out.named.push(why);
                    }
                }
            }
        }
    }
}
