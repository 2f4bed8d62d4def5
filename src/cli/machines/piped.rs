//! Games that come to `agon merge` through a pipe, a line each, as agon export json writes them.

use std::io::{BufRead, Read};

use agon_audit::plan::belongs;
use agon_export::json;
use agon_export::plan_head::PlanHead;
use agon_printable::MARK;
use agon_store::{ImportedGame, Stored};
use agon_tournament::competition::part_games::{LeftOut, OwnRun};
use anyhow::Context;

use crate::cli::results::import::{Gate, MAX_LINE, of_record};

/// The lines of a pipe.
pub(crate) struct PipedLines<R> {
    input: R,
    number: u64,
    /// A line that was read to see whether it is a plan.
    read: Option<String>,
}

/// The games of a pipe that belong to a run.
pub(crate) struct PipedGames<'a, R> {
    lines: PipedLines<R>,
    gate: Gate<'a>,
    own: &'a OwnRun,
    /// Games of other rules, engines or conditions, in words.
    pub(crate) left_out: LeftOut,
}

/// Why a game is not taken in.
enum Refused {
    /// It is of another run.
    LeftOut(String),
    /// It is wrong, and so is its source.
    Wrong(String),
}

impl<R: BufRead> PipedLines<R> {
    /// The lines of this input.
    pub(crate) fn new(input: R) -> Self {
        PipedLines { input, number: 0, read: None }
    }

    /// The plan at the begin of the input, if there is one.
    pub(crate) fn plan(&mut self) -> anyhow::Result<Option<PlanHead>> {
        let Some(line) = self.next()? else { return Ok(None) };
        if PlanHead::is_in(&line) {
            return PlanHead::read(line.trim_end()).map(Some);
        }
        self.read = Some(line);
        Ok(None)
    }

    /// The next line; `None` at the end.
    fn next(&mut self) -> anyhow::Result<Option<String>> {
        if let Some(line) = self.read.take() {
            return Ok(Some(line));
        }
        loop {
            let mut line = String::new();
            let is_first = self.number == 0;
            self.number += 1;
            let read = (&mut self.input).take(MAX_LINE).read_line(&mut line);
            if read.with_context(|| format!("line {} cannot be read", self.number))? == 0 {
                return Ok(None);
            }
            // Without its end a line may be a copy that was cut short.
            anyhow::ensure!(
                line.ends_with('\n'),
                "line {} has no end, the input was cut short; send it once more",
                self.number
            );
            if is_first && line.starts_with(MARK) {
                line.drain(..MARK.len());
            }
            if !line.trim().is_empty() {
                return Ok(Some(line));
            }
        }
    }
}

impl<'a, R: BufRead> PipedGames<'a, R> {
    /// Reads games of this run. `gate` plays them through their rules.
    pub(crate) fn new(lines: PipedLines<R>, gate: Gate<'a>, own: &'a OwnRun) -> Self {
        PipedGames { lines, gate, own, left_out: LeftOut::default() }
    }

    fn game(&mut self, line: &str) -> Result<ImportedGame, Refused> {
        let wrong = |why: String| Refused::Wrong(why);
        let exported =
            json::from_export(line.trim_end()).map_err(|error| wrong(format!("no game: {error:#}")))?;
        let decisions = of_record(&exported.record);
        let record = exported.record.as_played();
        let id = record.id;
        let other = |why: &str| Refused::LeftOut(format!("game {id}: {why}"));
        let run = &self.own.run;
        let own = run.terms.get("game").map_or("", String::as_str);
        if record.rules != own {
            return Err(other(&format!("its rules are {} and not {own}", record.rules)));
        }
        let (Some(key), Some(hashes)) = (exported.key, exported.engine_hashes) else {
            return Err(other("it has no key and no hashes of its engines"));
        };
        let key = u64::from_str_radix(&key, 16).map_err(|_| wrong("its key is no number".to_owned()))?;
        for (seat, seated) in record.seats.iter() {
            match run.players.iter().find(|player| player.name == seated.entrant) {
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
        let boxes = exported.boxes;
        let mut stored = Stored { number: 0, record, key, run: 0, counts, hashes, stderr, plies, host };
        if let Err(difference) = belongs(&stored, run, &self.own.keys) {
            return Err(other(&format!("its conditions are others: {difference}")));
        }
        if counts {
            let Some(planned) = self.own.planned.id(key) else {
                return Err(other("the plan has no such game"));
            };
            stored.record.id = planned;
        }
        self.gate.check(&stored.record).map_err(|why| wrong(format!("game {id}: {why}")))?;
        let Stored { record, key, counts, hashes, stderr, host, .. } = stored;
        Ok(ImportedGame { record, key, hashes, counts, stderr, host, boxes, decisions })
    }
}

impl<R: BufRead> Iterator for PipedGames<'_, R> {
    type Item = anyhow::Result<ImportedGame>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let line = match self.lines.next() {
                Ok(line) => line?,
                Err(error) => return Some(Err(error)),
            };
            match self.game(&line) {
                Ok(game) => return Some(Ok(game)),
                Err(Refused::Wrong(why)) => {
                    return Some(Err(anyhow::anyhow!("line {}: {why}", self.lines.number)));
                }
                Err(Refused::LeftOut(why)) => self.left_out.add(why),
            }
        }
    }
}
