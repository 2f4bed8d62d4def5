//! What the games of a run depend on, in the form of the database.

use std::sync::Arc;

use agon_games::GameFile;
use agon_match::openings::{Drawing, LaterPairs};
use agon_store::key::{GameConditions, REFEREE, SEATS, TABLES};
use agon_store::{hash, repeats};

use super::Run;

impl Run {
    /// Everything that a game depends on, except its board's seed, its engines and their time
    /// controls.
    pub fn terms(&self) -> GameConditions {
        let (positions, random_plies) = self.openings.parts();
        let mut terms: GameConditions = [
            ("game", self.rules.spec()),
            ("rules version", agon_games::version(&self.rules.spec()).to_string()),
            ("seed", self.seed.to_string()),
            ("margin", self.terms.margin.as_secs_f64().to_string()),
            ("bank", self.terms.bank.as_secs_f64().to_string()),
            ("random plies", random_plies.to_string()),
            // One board is enough to tell how boards are drawn, or which file gave the board.
            ("boards", hash::of_bytes(self.rules.start_text(1).as_bytes())),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into();
        let confinement = self.terms.confinement.to_string();
        if !confinement.is_empty() {
            terms.insert("isolation".to_owned(), confinement);
        }
        if let Some(LaterPairs { after, random_plies }) = self.openings.later() {
            terms.insert(
                "random plies of play-offs".to_owned(),
                format!("{random_plies} after {after} pairs"),
            );
        }
        if self.openings.drawing() == Some(Drawing::Balanced) {
            terms.insert(Drawing::NAME.to_owned(), Drawing::BALANCED.to_owned());
        }
        if let Some(hosted) = self.rules.hosted() {
            terms.insert(REFEREE.to_owned(), hosted.hash.clone());
            terms.insert(SEATS.to_owned(), self.tables.seats.to_string());
            if self.tables.seats > 2 {
                terms.insert(TABLES.to_owned(), self.tables.format.to_string());
            }
        }
        if let Some(plies) = self.max_plies {
            terms.insert("max plies".to_owned(), plies.to_string());
        }
        if let Some(plies) = self.adjudicate {
            terms.insert("adjudicate".to_owned(), plies.to_string());
        }
        if let Some(rule) = self.score_rules.resign {
            terms.insert("resign when".to_owned(), rule.to_string());
        }
        if let Some(rule) = self.score_rules.draw {
            terms.insert("draw when".to_owned(), rule.to_string());
        }
        for (name, limit) in self.terms.search.given() {
            terms.insert(name.to_owned(), limit.to_string());
        }
        if !positions.is_empty() {
            terms.insert("openings".to_owned(), openings_hash(positions));
        }
        if self.repeats_count_once {
            repeats::count_once(&mut terms);
        }
        for supply in self.rules.supplies() {
            terms.insert(supply.name.to_owned(), hash::of_bytes(&supply.bytes));
        }
        terms
    }

    /// The positions of an openings file. The audit proves starts from them.
    pub fn boards(&self) -> Vec<GameFile> {
        let supply = |name, text: String| GameFile { name, bytes: Arc::new(text.into_bytes()) };
        let (positions, _) = self.openings.parts();
        let mut supplies = vec![supply("board", self.rules.start_text(1))];
        if !positions.is_empty() {
            supplies.push(supply("openings", positions.join("\n")));
        }
        supplies
    }
}

/// What the conditions of a run say of its openings.
pub(crate) fn openings_hash(positions: &[String]) -> String {
    hash::of_bytes(positions.join("\n").as_bytes())
}
