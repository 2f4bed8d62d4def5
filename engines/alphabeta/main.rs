//! Alphabeta: one search for mill, m,n,k games, abalone, chess, morris and connect four. Each game
//! has a file with its evaluation and its useful moves.

mod abalone;
mod cache;
mod cells;
mod chess;
mod evaluate;
mod mnk;
mod morris;
mod search;

#[path = "../talk/mod.rs"]
mod talk;

use std::process::ExitCode;

use evaluate::Evaluate;
use search::Search;
use talk::{Brain, Kind, Setting, Watch, tables};

fn main() -> ExitCode {
    talk::run(|order| {
        let (game, options) = order.game();
        match game {
            "abalone" => order.play(tables::abalone(options), Alphabeta::new()),
            "chess" => order.play(tables::chess(options), Alphabeta::new()),
            "connect4" => order.play(tables::connect4(options), Alphabeta::new()),
            "mill" => order.play(tables::mill(options), Alphabeta::new()),
            "mnk" => order.play(tables::mnk(options), Alphabeta::new()),
            "morris" => order.play(tables::morris(options), Alphabeta::new()),
            _ => Err(order.unknown("abalone, chess, connect4, mill, mnk and morris")),
        }
    })
}

/// The search and its settings.
struct Alphabeta<P: Evaluate> {
    megabytes: u32,
    depth: u32,
    /// Made for the first game, and again when its size changes.
    search: Option<Search<P>>,
}

const MEGABYTES: u32 = 8;
const DEEPEST: u32 = 100;

impl<P: Evaluate> Alphabeta<P> {
    fn new() -> Self {
        Alphabeta { megabytes: MEGABYTES, depth: DEEPEST, search: None }
    }
}

impl<P: Evaluate> Brain<P> for Alphabeta<P> {
    fn name(&self) -> String {
        "agon-alphabeta".to_owned()
    }

    fn settings(&self) -> Vec<Setting> {
        vec![
            Setting { name: "Hash", kind: Kind::Spin { default: MEGABYTES, least: 1, most: 1024 } },
            Setting { name: "Depth", kind: Kind::Spin { default: DEEPEST, least: 1, most: DEEPEST } },
        ]
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let number = value.parse().map_err(|error| format!("{name}: {error}"))?;
        match name {
            "Hash" => (self.megabytes, self.search) = (number, None),
            _ => self.depth = number,
        }
        Ok(())
    }

    fn new_game(&mut self) {
        self.search = Some(Search::new(self.megabytes));
    }

    fn choose(&mut self, position: &P, watch: &mut Watch<'_>) -> Option<P::Move> {
        let search = self.search.get_or_insert_with(|| Search::new(self.megabytes));
        search.choose(position, self.depth, watch)
    }
}
