//! The plan of a run as a line of JSON, so that its games can go through a pipe to an empty
//! directory.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use agon_config::Misuse;
use agon_games::GameFile;
use agon_printable::escape;
use agon_standings::scoring::Scoring;
use agon_store::inside::Ran;
use agon_store::key::{GameConditions, Player, tables_of};
use agon_store::{Consent, Plan, Store};
use anyhow::{Context, Result, bail, ensure};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Serialize};

use super::json;

/// The most games of a plan. Each is looked at when the plan is taken.
const MOST_GAMES: u64 = 10_000_000;

/// How such a line begins.
const BEGIN: &str = "{\"plan\":";

/// The plan of a run whose conditions say all games.
#[derive(Serialize, Deserialize)]
pub struct PlanHead {
    event: String,
    games: u32,
    points: String,
    terms: GameConditions,
    players: Vec<HeadPlayer>,
    /// The dictionary, in base 64, if the run has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    dictionary: Option<String>,
    /// Boards and openings, in base 64.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    files: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct HeadPlayer {
    name: String,
    hash: String,
    control: String,
}

#[derive(Serialize, Deserialize)]
struct HeadLine {
    plan: PlanHead,
}

impl PlanHead {
    /// The plan of the last run of a database.
    ///
    /// # Errors
    /// [`Misuse`] if it has no run, or its games follow from results. Otherwise errors of the
    /// database.
    pub fn of(store: &Store) -> Result<Self> {
        let run = store.runs()?.pop().filter(|run| run.drawn.is_none());
        let Ran { event, games, points, terms, players, .. } = run.ok_or_else(|| {
            Misuse::hinted("--plan: the conditions of the run do not say its games", "copy the directory")
        })?;
        let dictionary = terms.get("dictionary").cloned();
        let (mut words, mut files) = (None, Vec::new());
        for (hash, bytes) in store.supplies()? {
            let text = BASE64_STANDARD.encode(bytes);
            match Some(&hash) == dictionary.as_ref() {
                true => words = Some(text),
                false => files.push(text),
            }
        }
        let players = players.into_iter();
        let players = players.map(|Player { name, hash, control, .. }| HeadPlayer { name, hash, control });
        let (players, points) = (players.collect(), points.to_string());
        Ok(PlanHead { event, games, points, terms, players, dictionary: words, files })
    }

    /// As one line, without a newline.
    pub fn line(self) -> String {
        json::line(&HeadLine { plan: self })
    }

    /// Whether a line is a plan and no game.
    pub fn is_in(line: &str) -> bool {
        line.starts_with(BEGIN)
    }

    /// Reads a line of [`PlanHead::line`].
    ///
    /// # Errors
    /// It is none, it has an engine twice, or more games than anybody plays.
    pub fn read(line: &str) -> Result<Self> {
        let HeadLine { plan } = serde_json::from_str(line).context("the plan cannot be read")?;
        let mut names = BTreeSet::new();
        if let Some(twice) = plan.players.iter().find(|player| !names.insert(&player.name)) {
            bail!("the plan has the engine {} twice", escape(twice.name.as_bytes(), 60));
        }
        let engines = plan.players.len() as u64;
        let pairings = engines.saturating_mul(engines.saturating_sub(1)) / 2;
        let games = pairings.saturating_mul(plan.games.into());
        ensure!(games <= MOST_GAMES, "the plan has up to {games} games, and at most {MOST_GAMES} are taken");
        Ok(plan)
    }

    /// The conditions, the engines and the number of games, to compare them with those of a run.
    pub fn parts(&self) -> (&GameConditions, Vec<Player>, u32) {
        let player = |one: &HeadPlayer| Player {
            name: one.name.clone(),
            hash: one.hash.clone(),
            source: String::new(),
            outside: None,
            control: one.control.clone(),
        };
        (&self.terms, self.players.iter().map(player).collect(), self.games)
    }

    /// Makes the database of a directory with this plan as its run, which has no games yet.
    ///
    /// # Errors
    /// The plan cannot be one, or errors of the disk.
    pub fn begin(&self, directory: &Path) -> Result<()> {
        let file = |name: &'static str, text: &String| -> Result<GameFile> {
            let bytes = BASE64_STANDARD.decode(text).context("a file of the plan cannot be read")?;
            Ok(GameFile { name, bytes: Arc::new(bytes) })
        };
        let mut supplies =
            self.files.iter().map(|text| file("boards", text)).collect::<Result<Vec<GameFile>>>()?;
        supplies
            .extend(self.dictionary.iter().map(|text| file("dictionary", text)).collect::<Result<Vec<_>>>()?);
        let (terms, players, games) = self.parts();
        let seed = terms.get("seed").and_then(|seed| seed.parse().ok()).context("the plan has no seed")?;
        let plan = Plan {
            event: &self.event,
            label: None,
            of_event: None,
            players: &players,
            terms,
            games,
            seed,
            points: Scoring::read(&self.points, tables_of(terms).seats).context("the points of the plan")?,
            supplies: &supplies,
            ranking: None,
            drawn: None,
            test: None,
            until: None,
        };
        Store::open(directory)?.begin(&plan, Consent::default()).map(|_| ())
    }
}
