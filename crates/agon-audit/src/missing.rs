//! `agon plan --missing`: the games of a run that nobody has played yet.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use agon_config::Part;
use agon_printable::{are, clean, counted};
use agon_programs::program::display_path;
use agon_store::Store;
use anyhow::Context;
use serde_json::{Value, json};

/// The games of one pairing that are missing in one part.
struct Hole {
    round: u32,
    engines: Vec<String>,
    games: Vec<u32>,
    /// The part that plays them, if it is known how many parts there are.
    part: Option<u64>,
}

/// What no part has brought.
pub struct MissingGames {
    planned: u64,
    missing: u64,
    parts: Option<u64>,
    /// In the order of the plan.
    holes: Vec<Hole>,
}

impl MissingGames {
    /// Looks up the plan of the run in a directory. With the number of its parts, each game has
    /// one.
    pub fn of(directory: &Path, parts: Option<u64>) -> anyhow::Result<Self> {
        let store = Store::read(directory)?;
        let run =
            store.runs()?.pop().with_context(|| format!("{}: there is no run", display_path(directory)))?;
        let (played, keys) = (store.played()?, run.keys());
        let mut found = MissingGames { planned: 0, missing: 0, parts, holes: Vec::new() };
        let mut last = None;
        for game in run.planned().context("the plan of the run cannot be made")? {
            let is_played = played.has(keys.of(&game));
            if !is_played && run.is_given_up(&game) {
                continue;
            }
            found.planned += 1;
            if is_played {
                continue;
            }
            found.missing += 1;
            let part = parts.map(|of| Part::of_pair(keys.of_pair(&game), of));
            let id = game.id;
            if last.replace((id.round, id.pairing, part)) != Some((id.round, id.pairing, part)) {
                let mut places = game.seats.values().to_vec();
                places.sort_unstable();
                let engines = places.iter().map(|place| run.players[*place].name.clone()).collect();
                found.holes.push(Hole { round: id.round, engines, games: Vec::new(), part });
            }
            if let Some(hole) = found.holes.last_mut() {
                hole.games.push(id.game);
            }
        }
        Ok(found)
    }

    /// How many games are planned, and how many of them are missing.
    pub fn counts(&self) -> (u64, u64) {
        (self.planned, self.missing)
    }

    /// How many games each part lacks.
    fn by_part(&self) -> BTreeMap<u64, u64> {
        let mut all = BTreeMap::new();
        for hole in &self.holes {
            if let Some(part) = hole.part {
                *all.entry(part).or_default() += hole.games.len() as u64;
            }
        }
        all
    }

    /// The games that are missing, as JSON.
    pub fn object(&self) -> Value {
        let hole = |hole: &Hole| {
            let mut object = json!({ "round": hole.round, "engines": hole.engines, "games": hole.games });
            if let Some(part) = hole.part {
                object["part"] = part.into();
            }
            object
        };
        let mut object = json!({
            "planned": self.planned,
            "missing": self.missing,
            "pairings": self.holes.iter().map(hole).collect::<Vec<_>>(),
        });
        if let Some(of) = self.parts {
            let parts = self.by_part();
            object["parts"] = of.into();
            object["by_part"] =
                parts.iter().map(|(part, games)| json!({ "part": part, "games": games })).collect();
        }
        object
    }

    /// A line for each pairing, unless `summary`; a line for each part; and the numbers.
    pub fn text(&self, summary: bool) -> String {
        let mut text = String::new();
        for hole in self.holes.iter().filter(|_| !summary) {
            let engines: Vec<String> = hole.engines.iter().map(|name| clean(name)).collect();
            let games: Vec<String> = hole.games.iter().map(ToString::to_string).collect();
            let word = if hole.games.len() == 1 { "game" } else { "games" };
            let part = match (hole.part, self.parts) {
                (Some(part), Some(of)) => format!(", part {part}/{of}"),
                _ => String::new(),
            };
            let round = hole.round;
            let _ =
                writeln!(text, "round {round}: {}, {word} {}{part}", engines.join(" - "), games.join(" "));
        }
        for (part, games) in self.by_part() {
            let _ = writeln!(
                text,
                "part {part}/{}: {} {} missing",
                self.parts.unwrap_or(0),
                counted(games, "game"),
                are(games)
            );
        }
        let _ = writeln!(
            text,
            "{} of {} {} missing",
            self.missing,
            counted(self.planned, "game"),
            are(self.missing)
        );
        text
    }
}
